"""Programs whose files are deleted, replaced, or only to be seen from where the program is."""
import os
import shutil
import stat

from proftest import PROF, Recording, Skip, below, expect, expect_all, expect_equal, main, need_root, need_tool, prof, program, record, run, total


def hot(recording, name):
    stacks = recording.counts()
    chosen = below(stacks, name)
    expect(total(chosen) > 0.9 * total(stacks), "%d of %d samples are named %s; others: %s" % (
        total(chosen), total(stacks), name, sorted({s.leaf for s in stacks if name not in s})[:5]))
    return chosen


def own_copy(name):
    path = os.path.abspath(name)
    shutil.copy(program(name), path)
    os.chmod(path, 0o755)
    return path


def test_deleted_while_running():
    r = record(own_copy("replaced"), 600, "del")
    expect_all(hot(r, "replaced_hot"), lambda s: s.has("main", "replaced_hot"), "main;replaced_hot")
    expect("(deleted)" not in prof("report", "--by=module", r.path).out, "' (deleted)' in a module's name")


def test_replaced_while_running():
    r = record(own_copy("replaced"), 600, "swap", program("decoy"))
    stacks = r.counts()
    wrong = [s for s in stacks if any(f.startswith("decoy") for f in s.frames)]
    expect_equal(wrong, [], "names of the file that came later")
    hot(r, "replaced_hot")


def test_memory_file():
    r = record(program("memfd"), 400, program("tail"))
    expect_all(hot(r, "work"), lambda s: s.has("main", "work") or s.has("second", "work"), "main;work")


def test_other_mount_namespace():
    need_root()
    need_tool("unshare")
    os.mkdir("inside")
    script = "mount -t tmpfs none inside && cp '%s' inside/only && exec inside/only 400" % program("tail")
    if run("unshare", "-m", "mount", "-t", "tmpfs", "none", "inside").status:
        raise Skip("cannot make a mount namespace")
    r = record("unshare", "-m", "sh", "-c", script)
    expect(not os.path.exists("inside/only"), "the namespace leaked")
    stacks = [s for s in r.counts() if s.comm == "only"]
    expect(total(below(stacks, "work")) > 0.9 * total(stacks), "not named: %s" % {s.leaf for s in stacks})


def test_output_file():
    record(program("shares"), 50)
    expect_equal(stat.S_IMODE(os.stat("test.data").st_mode), 0o600, "mode of the file")
    with open("test.data", "rb") as f:
        before = f.read()
    record(program("shares"), 50)
    with open("test.data.old", "rb") as f:
        expect_equal(f.read() == before, True, "the old file was kept")


def test_failure_keeps_the_old_file():
    record(program("shares"), 50)
    with open("test.data", "rb") as f:
        before = f.read()
    r = prof("record", "-o", "test.data", "--", "./no-such-command")
    expect_equal(r.status, 127, str(r))
    with open("test.data", "rb") as f:
        expect(f.read() == before, "a failed recording destroyed a good file")


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def test_made_of_a_private_recording_is_private():
    r = record(program("shares"), 50)
    for options, made in ((("symbolize",), r.path), (("symbolize", "-o", "named.data"), "named.data")):
        s = prof(*options, r.path)
        expect_equal((s.status, mode(made)), (0, 0o600), str(s))
    os.chmod(r.path, 0o640)
    expect_equal((prof("symbolize", r.path).status, mode(r.path)), (0, 0o640), "as the recording is, in place")
    perf = run(need_tool("perf"), "record", "-q", "-o", "perf.data", "-e", "cpu-clock", "-g", "--", program("shares"), "50")
    if perf.status:
        raise Skip("perf cannot record here: " + perf.err)
    os.chmod("perf.data", 0o644)
    s = prof("import", "-o", "imported.data", "perf.data")
    expect_equal((s.status, mode("imported.data")), (0, 0o600), str(s))


def test_the_input_is_not_overwritten():
    r = record(program("shares"), 50)
    with open(r.path, "rb") as f:
        before = f.read()
    os.link(r.path, "other-name")
    os.symlink(r.path, "link")
    for command in ("flame", "folded", "import"):
        for output in (r.path, "other-name", "./link"):
            s = prof(command, "-o", output, r.path)
            expect_equal((s.status, s.out), (2, ""), str(s))
            expect_equal(s.err, "prof %s: %s is what is read: name another file with -o\n" % (command, output), "message")
    with open(r.path, "rb") as f:
        s = prof("flame", "-o", r.path, "-i", "-", stdin=f)
    expect_equal(s.status, 2, "from standard input: " + str(s))
    os.rename(r.path, "prof.data")
    expect_equal(prof("flame", "-o", "prof.data").status, 2, "the default input")
    with open("prof.data", "rb") as f:
        expect(f.read() == before, "the recording was overwritten")


def test_full_disk():
    if not os.path.exists("/dev/full"):
        raise Skip("no /dev/full")
    r = prof("record", "-o", "/dev/full", "--", "true")
    expect_equal((r.status, r.out), (125, ""), str(r))
    expect("No space left on device" in r.err and "other half" not in r.err, r.err)
    record(program("shares"), 50)
    for command in ("flame", "folded"):
        r = prof(command, "-o", "/dev/full", "test.data")
        expect_equal((r.status, r.out), (1, ""), str(r))
        expect("No space left on device" in r.err and r.err.count("\n") == 1, r.err)


def test_output_to_a_pipe():
    need_root()
    r = run("sh", "-c", "'%s' record -q -o - -a --duration 0.3 | cat > piped.data" % PROF)
    expect_equal(r.status, 0, str(r))
    expect_equal(prof("info", "piped.data").status, 0, "a recording through a pipe")


def test_symbolize_again():
    path = own_copy("shares")
    debug = os.path.abspath("debug")
    os.mkdir(debug)
    need_tool("objcopy")
    need_tool("readelf")
    notes = run("readelf", "-n", path).out
    build_id = notes.split("Build ID: ")[1].split()[0]
    os.makedirs(os.path.join(debug, ".build-id", build_id[:2]))
    where = os.path.join(debug, ".build-id", build_id[:2], build_id[2:] + ".debug")
    run("objcopy", "--only-keep-debug", path, where)
    run("strip", path)
    r = record(path, 300)
    expect_equal(below(r.counts(), "half"), [], "names although the program is stripped")
    s = prof("symbolize", "--debug-dir", "./debug", "-o", "named.data", r.path)
    expect_equal((s.status, s.out), (0, ""), str(s))
    named = Recording("named.data")
    hot(named, "main")
    expect(below(named.counts(), "half"), "no names after symbolize: " + s.err)
    expect_equal(total(named.counts()), total(r.counts()), "samples")
    # Only the program's: a library that was named from debug files elsewhere keeps those names.
    expect(" 0 of " not in s.err and "in 1 module;" in s.err, "new names: " + s.err)
    s = prof("symbolize", "--debug-dir", "nowhere", "-o", "other.data", "named.data")
    expect(s.status != 0 and "--debug-dir nowhere: No such file" in s.err, str(s))
    s = prof("symbolize", "--debug-dir", debug, "named.data")
    expect(" 0 of " in s.err and "in 0 modules" in s.err, "nothing is new the second time: " + s.err)
    s = prof("symbolize", "named.data")
    expect(" 0 of " in s.err, "the debug file is gone, nothing is new: " + s.err)
    expect(below(Recording("named.data").counts(), "half"), "names are lost without the debug file")


def test_debug_file_where_only_the_program_sees_it():
    """The program, its debug file and its mount namespace are gone when names are looked up."""
    need_root()
    need_tool("objcopy")
    need_tool("unshare")
    path = own_copy("shares")
    run("objcopy", "--only-keep-debug", path, "shares.debug")
    run("objcopy", "--strip-all", "--add-gnu-debuglink=shares.debug", path)
    os.mkdir("inside")
    script = "mount -t tmpfs none inside && cp '%s' shares.debug inside && exec inside/shares 500" % path
    r = record("unshare", "--mount", "sh", "-c", script)
    expect(not os.listdir("inside"), "nothing is inside for others")
    expect(below(r.counts(), "half"), "no names from the debug file: %s" % r.result.err)


def test_functions_without_names():
    path = own_copy("shares")
    need_tool("strip")
    run("strip", path)
    stacks = record(path, 300).counts()
    leaves = {s.leaf for s in stacks if s.leaf.startswith("[unknown shares+0x")}
    expect(3 <= len(leaves) <= 6, "one row for each function: %s" % leaves)


if __name__ == "__main__":
    main(globals())
