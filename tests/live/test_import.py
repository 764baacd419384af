"""Foreign files are read by a process apart: whatever it comes to, prof ends with one line, nothing half-made takes the
place of a file, and what a file names is not read when it is a secret or never comes."""
import json
import os
import resource
import shutil
import signal

from proftest import PROF, Recording, Skip, alive, as_nobody, below, copy_for_everybody, child_named, expect, expect_equal, finish, main, need_root, need_tool
from proftest import program, prof, record, run, start, total, wait_until, world_directory
from test_perf_data import perf_record
from test_trust import REFUSED, SECRET, HangingFiles, everything_said, secret_file, with_debug_link


def check_refused(result, name):
    expect_equal(result.status, 0, str(result))
    lines = [line for line in result.err.split("\n") if REFUSED in line]
    expect(len(lines) == 1 and name in lines[0], "one line about %s: %s" % (name, result.err))


def test_secrets_that_a_perf_data_names():
    """By the debug link of a program in it, and as a perf map."""
    directory = os.path.abspath(".")
    path, link = with_debug_link(directory)
    perf_record(path, "200")
    secret = secret_file(directory)
    os.symlink(secret, link)
    for command in (("report",), ("folded",), ("import", "-o", "imported.data")):
        check_refused(prof(*command, "perf.data"), "planted.debug")
    expect(SECRET not in everything_said("imported.data"), "the secret is in what was imported")
    expect(total(Recording("imported.data").counts()) > 0, "samples")


def test_kernel_names_for_a_user():
    """Settings of this machine are no remedy for another's recording."""
    directory = world_directory()
    path = os.path.join(directory, "perf.data")
    perf_record("dd", "if=/dev/zero", "of=/dev/null", "bs=1M", "count=4000", path=path)
    os.chmod(path, 0o644)
    r = as_nobody(copy_for_everybody(PROF), "info", "--json", path, cwd=directory)
    expect_equal(r.status, 0, str(r))
    notes = [m["note"] for m in json.loads(r.out)["modules"] if m["kind"] == "kernel" and m["note"]]
    if not notes:
        raise Skip("kernel addresses are shown to everybody here, or no sample was in the kernel")
    expect(notes[0].startswith("no kernel names: they are read from /proc/kallsyms, which hides addresses from you here"), notes[0])
    expect("sysctl" not in notes[0], notes[0])


def kernel_of(path):
    modules = json.loads(prof("info", "--json", path).out)["modules"]
    return [m for m in modules if m["kind"] == "kernel" and m["samples"]][0]


def test_another_kernel_than_this():
    """Functions of the running kernel name nothing in a recording of another one, or of one that lay elsewhere."""
    perf_record("dd", "if=/dev/zero", "of=/dev/null", "bs=1M", "count=4000")
    with open("perf.data", "rb") as f:
        recorded = f.read()
    if not any(m["kind"] == "kernel" and m["samples"] for m in json.loads(prof("info", "--json", "perf.data").out)["modules"]):
        raise Skip("no sample was in the kernel")
    here = kernel_of("perf.data")
    if here["names"] != "kallsyms":
        raise Skip("kernel addresses are hidden: " + str(here["note"]))
    build_id, text = bytes.fromhex(here["build_id"]), recorded.find(b"[kernel.kallsyms]_")
    release = os.uname().release.encode() + b"\0"
    others = []
    if build_id:
        others.append((recorded.replace(build_id, b"\x01" * len(build_id)), "its build ID differs"))
    if text > 0: # behind the address where its code begins
        others.append((recorded[:text - 6] + b"\x12" + recorded[text - 5:], "the kernel has started anew since"))
    if release in recorded:
        others.append((recorded.replace(release, b"9" + release[1:]), "recorded on "))
    expect(others, "nothing to change")
    for content, why in others:
        with open("other.data", "wb") as f:
            f.write(content)
        kernel = kernel_of("other.data")
        expect(kernel["names"] != "kallsyms" and why in kernel["note"], "%s: %s" % (why, kernel))


def test_secret_that_a_recorded_program_names():
    directory = os.path.abspath(".")
    need_tool("objcopy")
    shutil.copy(program("shares"), "linked")
    link = os.path.join(directory, "planted.debug")
    run("objcopy", "--only-keep-debug", "linked", link)
    expect_equal(run("objcopy", "--strip-all", "--add-gnu-debuglink=" + link, "linked").status, 0, "objcopy")
    os.unlink(link)
    r = record(os.path.join(directory, "linked"), 200)
    os.symlink(secret_file(directory), link)
    check_refused(prof("symbolize", r.path), "planted.debug")
    expect(SECRET not in everything_said(r.path), "the secret is in the recording")


def limited(megabytes):
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))


def test_memory_runs_out():
    """Wherever that happens: with some of these limits it does, with others it does not."""
    perf_record(program("shares"), "100")
    with open("kept.data", "wb") as f:
        f.write(b"kept")
    exhausted = 0
    for megabytes in range(20, 65, 4):  # with less the program itself cannot be loaded
        r = prof("import", "-o", "kept.data", "perf.data", preexec_fn=limited(megabytes))
        if r.status == 0:
            os.replace("kept.data.old", "kept.data")
            continue
        expect_equal((r.status, r.out, r.err), (1, "", "prof import: perf.data: out of memory\n"), "%d MB: %s" % (megabytes, r))
        check_untouched()
        exhausted += 1
    expect(exhausted > 0, "memory never ran out")


def test_memory_runs_out_reading_text():
    """In the process itself: one line, and nothing left behind."""
    with open("many.folded", "w") as f:
        for i in range(200000):
            f.write("main;f%d;g%d;h%d 1\n" % (i % 997, i % 31337, i))
    with open("kept.data", "wb") as f:
        f.write(b"kept")
    for command in (("import", "-o", "kept.data"), ("report", "--stdio")):
        r = prof(*command, "many.folded", preexec_fn=limited(40))
        expect_equal((r.status, r.out, r.err), (1, "", "prof %s: out of memory\n" % command[0]), str(r))
    check_untouched()


def test_memory_runs_out_recording():
    """What was written stays, the command's status too; with some of these limits memory does not run out."""
    exhausted = 0
    for megabytes in range(24, 80, 8):
        r = prof("record", "-o", "short.data", "--", "sh", "-c", "exit 3", preexec_fn=limited(megabytes))
        if "out of memory" not in r.err:
            continue
        expect(r.status in (3, 125), str(r))
        expect_equal(len(r.err.splitlines()), 1, str(r))
        exhausted += 1
    expect(exhausted > 0, "memory never ran out")


def check_untouched():
    expect_equal(open("kept.data", "rb").read(), b"kept", "what was there before")
    expect_equal([n for n in os.listdir(".") if n.startswith("kept.data.") and n != "kept.data.old"], [], "what is left beside it")


def on_hanging_files(record_it):
    """A recording of a program whose file system answers no more afterwards."""
    fs = HangingFiles(program("shares"), "open", 0)
    shutil.copy(program("shares"), fs.path)
    record_it(fs.path)
    return fs


def kill_reader(*command):
    """While it waits for a file that does not come."""
    p = start(PROF, *command)
    try:
        reader = wait_until(lambda: p.poll() is not None or child_named(p.pid, "prof-reader"), "the process apart")
        expect(p.poll() is None, "prof has ended before: %s" % (p.poll() is not None and finish(p)))
        os.kill(reader, signal.SIGKILL)
        r = finish(p)
    finally:
        p.kill()
    expect_equal((r.status, r.out), (1, ""), str(r))
    return r.err


KILLED = "prof %s: %s: the process that read it was killed, as the kernel does when memory runs out\n"


def test_reader_is_killed_alone():
    with open("kept.data", "wb") as f:
        f.write(b"kept")
    with on_hanging_files(lambda path: perf_record(path, "200")):
        expect_equal(kill_reader("report", "perf.data"), KILLED % ("report", "perf.data"), "report")
        expect_equal(kill_reader("import", "-o", "kept.data", "perf.data"), KILLED % ("import", "perf.data"), "import")
    check_untouched()


def test_search_for_names_is_killed_alone():
    with on_hanging_files(lambda path: record(path, 200)):
        before = open("test.data", "rb").read()
        expect_equal(kill_reader("symbolize", "test.data"), KILLED % ("symbolize", "test.data"), "symbolize")
    expect_equal(open("test.data", "rb").read(), before, "the recording")
    expect_equal([n for n in os.listdir(".") if n.startswith("test.data.")], [], "what is left beside it")


def test_reader_ends_with_prof_alone():
    with on_hanging_files(lambda path: perf_record(path, "200")):
        p = start(PROF, "report", "perf.data")
        try:
            reader = wait_until(lambda: child_named(p.pid, "prof-reader"), "the process apart")
        finally:
            p.kill()
            finish(p)
        wait_until(lambda: not alive(reader), "the process apart to end")


def test_files_that_never_come_alone():
    """prof goes on without them."""
    with on_hanging_files(lambda path: perf_record(path, "200")):
        r = prof("report", "perf.data")
        expect_equal((r.status, r.err.count("does not answer")), (0, 1), str(r))
        expect("/program" in r.err, "it names the file: " + r.err)
        expect("samples" in r.out, r.out)


def test_symbolize_without_files_that_never_come_alone():
    with on_hanging_files(lambda path: record(path, 200)):
        named = total(below(Recording("test.data").counts(), "half"))
        r = prof("symbolize", "test.data")
        expect_equal((r.status, r.err.count("does not answer")), (0, 1), str(r))
        expect_equal(total(below(Recording("test.data").counts(), "half")), named, "old names stay")
        expect(named > 0, "names")


def test_ordinary_user():
    """The same without another user to become."""
    need_root()
    perf_record(program("shares"), "200")
    recording = record(program("shares"), 200)
    directory = world_directory()
    for name, source in (("prof", PROF), ("perf.data", "perf.data"), ("test.data", recording.path)):
        shutil.copy(source, os.path.join(directory, name))
        os.chmod(os.path.join(directory, name), 0o755)
        os.chown(os.path.join(directory, name), 65534, 65534)
    cache = os.path.join(directory, "cache")
    env = dict(os.environ, XDG_CACHE_HOME=cache, LC_ALL="C.UTF-8")
    ours, theirs = prof("report", "--json", "perf.data"), as_nobody("./prof", "report", "--json", "perf.data", cwd=directory, env=env)
    expect_equal((theirs.status, theirs.err), (0, ""), str(theirs))
    expect("half" in theirs.out and "half" in ours.out, "names: " + theirs.out)
    for command in (("import", "-o", "imported.data", "perf.data"), ("symbolize", "-q", "imported.data"), ("symbolize", "-q", "test.data")):
        r = as_nobody("./prof", *command, cwd=directory, env=env)
        expect_equal(r.status, 0, str(r))
    for name in ("imported.data", "test.data"):
        expect(total(below(Recording(os.path.join(directory, name)).counts(), "half")) > 0, "names in " + name)


if __name__ == "__main__":
    main(globals())
