"""perf.data read by prof and by perf: the same samples, addresses and names."""
import collections
import json
import os
import re
import shutil
import signal
import subprocess
import sys

import nameoracle
from proftest import Recording, Skip, below, cpu_seconds, expect, expect_all, expect_equal, expect_recorded, main, need_root
from proftest import need_tool, prof, program, record, run, total, wait_until


def retried(call):
    """perf itself ends by a signal now and then."""
    for _ in range(5):
        r = call()
        if r.status < 128:
            return r
    raise Skip("perf itself ends by signal %d: %s" % (r.status - 128, r.err.strip()))


def perf(*args, **more):
    # Its own build-ID cache: an old one would name what prof cannot know.
    return retried(lambda: run(need_tool("perf"), "--buildid-dir", os.path.abspath("buildids"), *args, **more))


def perf_record(*command, options=("-g",), path="perf.data", event=("cpu-clock", "-F", "997")):
    r = perf("record", "-q", "-o", path, "-e", *event, *options, "--", *command)
    if r.status and "not" in r.err and "perf_event" in r.err:
        raise Skip("perf cannot record here: " + r.err.strip())
    expect_equal(r.status, 0, str(r))
    return Recording(path)


def perf_leaves(path):
    """(address, symbol) of each sample's leaf as perf script shows it."""
    r = perf("script", "-i", path, "-G", "-F", "ip,sym", "--no-inline")
    expect_equal(r.status, 0, str(r))
    leaves = []
    for line in r.out.split("\n"):
        words = line.split(None, 1)
        if words:
            leaves.append((int(words[0], 16), words[1].strip() if len(words) > 1 else ""))
    return leaves


def import_file(path):
    r = prof("import", "-o", "imported.data", path)
    expect_equal((r.status, r.out), (0, ""), str(r))
    return Recording("imported.data")


def leaves_of(path):
    """Each sample's interrupted address in a prof.data, and its names."""
    r = run(program("leaves"), path)
    expect_equal(r.status, 0, str(r))
    return nameoracle.read_prof(r.out)


def compare_names(path):
    """Every sample under perf's name and prof's; each difference has a cause that the file's own symbols prove."""
    import_file(path)
    demangled, raw = (perf(*nameoracle.PERF_SCRIPT, "-i", path, *more) for more in ((), ("--no-demangle",)))
    expect_equal((demangled.status, raw.status), (0, 0), str(demangled) + str(raw))
    result = nameoracle.Comparison(nameoracle.read_perf(demangled.out, raw.out), leaves_of("imported.data"),
                                   os.path.abspath("buildids"))
    print(result.table())
    expect_equal(len(result.alone), 0, "samples of one of them only: %s" % result.alone[:3])
    expect_equal(result.unclassified, 0, "names that differ (perf | prof) without a known cause: " + result.table())
    return result


def check_same(recording):
    result = compare_names(recording.path)
    n = sum(result.causes.values())
    expect(n > 0, "no samples")
    expect_equal(total(recording.counts("--no-inline")), n, "samples without importing")
    expect_equal(total(Recording("imported.data").counts("--no-inline")), n, "samples")
    return result


def test_frame_pointer_chains():
    r = perf_record(program("shares"), 600)
    check_same(r)


def fork_and_burn():
    """A child that runs no program of its own."""
    parent, pid = os.getpid(), os.fork()
    if pid == 0:
        while os.getppid() == parent:
            pass
        os._exit(0)
    return pid


def test_tasks_from_before_the_recording():
    need_root()
    forked = fork_and_burn()
    started = subprocess.Popen([program("shares"), "600000"], stdout=subprocess.DEVNULL)
    try:
        wait_until(lambda: min(map(cpu_seconds, (forked, started.pid))) > 0.1, "both to burn")
        wait = "import sys, proftest as p; n = int(sys.argv[1]); end = p.cpu_seconds(n) + 0.4; " \
               "p.wait_until(lambda: p.cpu_seconds(n) > end, 'the target to burn')"
        r = perf_record(sys.executable, "-c", wait, str(started.pid), options=("-g", "-a"))
    finally:
        started.kill()
        started.wait()
        os.kill(forked, signal.SIGKILL)
        os.waitpid(forked, 0)
    stacks = r.counts("--pid=%d" % started.pid)  # others may run the same program, also beyond our PID namespace
    expect_recorded(stacks, 0.4, "shares")
    expect_all(stacks, lambda s: not s.leaf.startswith("[unknown"), "a name")
    modules = prof("report", "--by=module", "--pid=%d" % forked, r.path).out
    # Callers may be: not all of it keeps frame pointers.
    unmapped = re.search(r"^ *<?([\d.]+)%.*\[unmapped\]$", modules, re.M)
    expect(not unmapped or float(unmapped.group(1)) < 5, "samples of a forked process: " + modules)
    expect("python" in modules, "the forked process: " + modules)


def test_stack_copies():
    r = perf_record(program("shares"), 400, options=("--call-graph", "dwarf"))
    check_same(r)
    stacks = r.counts()
    for name in ("half", "third", "fifth"):
        expect_all(below(stacks, name), lambda s, n=name: s.has("main", n), "main;" + name)


def test_leaf_addresses():
    """The very addresses, one for one. Those in the vdso are relative in prof.data, so they are only counted."""
    for options in (("-g",), ("--call-graph", "dwarf")):
        r = perf_record(program("shares_fixed"), 400, options=options)
        theirs = collections.Counter(ip for ip, _ in perf_leaves(r.path))
        import_file(r.path)
        rows = leaves_of("imported.data")
        ours = collections.Counter(row.address for row in rows if row.kind != "vdso")
        expect_equal(ours - theirs, collections.Counter(), "addresses that perf does not have")
        expect_equal(sum((theirs - ours).values()), sum(row.kind == "vdso" for row in rows), "addresses that only perf has")


def test_names_of_plt_stubs():
    """perf may name none: it then stretches _init over them, which ends before. prof does."""
    for name in ("plt_lazy", "plt_ibt"):
        check_same(perf_record(program(name), 400))
        # Whether a timer ever finds a stub is up to the processor. Page faults do.
        check_same(perf_record(program(name), 0, 100, event=("page-faults", "-c", "1")))
        stubs = sum(row.linkage.endswith("@plt") for row in leaves_of("imported.data"))
        expect(stubs >= 100, "%d of 100 samples in stubs" % stubs)


def test_names_of_inlined_functions():
    result = check_same(perf_record(program("inlined"), 300))
    expect(result.causes["the same function, prof names what is inlined there"] > 0, result.table())


def test_names_in_libraries():
    """What a compiler and a C library are made of: aliases, versions, stripped functions."""
    with open("sorted.txt", "w", encoding="ascii") as f:
        f.write("\n".join("%d %d" % (i * 7919 % 100003, i) for i in range(300000)))
    check_same(perf_record(need_tool("sort"), "-o", "/dev/null", "-n", "sorted.txt"))


def test_without_stacks():
    r = perf_record(program("shares"), 300, options=())
    check_same(r)


def test_inlined_frames_from_stack_copies():
    r = perf_record(program("inlined"), 300, options=("--call-graph", "dwarf"))
    expect_all(below(r.counts(), "host"), lambda s: s.has("main", "host", "level1", "level2", "level3"), "inline chain", 0.97)


def test_debug_file_beside_a_private_program():
    """A folder of the reader's own is read with the reader's rights. Names and unwind tables are in the debug file."""
    for name in ("hidden", "hidden.debug"):
        shutil.copy(program(name), name)
    os.chmod(".", 0o700)
    r = perf_record(os.path.abspath("hidden"), 400, options=("--call-graph", "dwarf"), event=("cpu-clock:u", "-F", "997"))
    for recording in (r, import_file(r.path)):
        stacks = below(recording.counts(), "forever")
        expect(total(stacks) > 0.8 * total(recording.counts()), "not named: %s" % recording.counts()[0].frames)
        expect_all(stacks, lambda s: s.has("main", "middle", "forever") and not s.is_cut, "main;middle;forever")


def test_compressed():
    r = perf_record(program("shares"), 400, options=("-g", "-z"))
    check_same(r)


def test_several_events():
    path = "perf.data"
    r = perf("record", "-q", "-g", "-o", path, "-e", "cpu-clock,page-faults", "-F", "500", "--", program("shares"), "400")
    if r.status:
        raise Skip("perf cannot record here: " + r.err.strip())
    rows = perf("script", "-i", path, "-G", "-F", "event,ip").out
    for event in ("cpu-clock", "page-faults"):
        want = len(re.findall(r"\b%s\b" % event, rows))
        expect_equal(total(Recording(path).counts("--event", event)), want, event)


def test_pipe_mode():
    script = "'%s' record -q -g -e cpu-clock -F 997 -o - -- '%s' 300 2>/dev/null > pipe.data"
    r = retried(lambda: run("sh", "-c", script % (need_tool("perf"), program("ending"))))
    expect(os.path.getsize("pipe.data") > 1000, str(r))
    stacks = Recording("pipe.data").counts()
    expect_equal(total(stacks), len(perf_leaves("pipe.data")), "samples")
    expect_recorded(below(stacks, "burn_here"), 0.3, "the program")


def test_cut_perf_data():
    perf_record(program("shares"), 300)
    with open("perf.data", "rb") as f:
        data = f.read()
    for i in range(1, 20):
        with open("cut.data", "wb") as f:
            f.write(data[:len(data) * i // 20])
        r = prof("folded", "cut.data")
        expect(r.signal == 0 and r.status in (0, 1), str(r))
        expect(r.status == 0 or r.err.count("\n") == 1, r.err)
    with open("cut.data", "wb") as f:
        f.write(data[:len(data) // 2])
    for make in (("report", "cut.data"), ("import", "-o", "named.data", "cut.data")):
        r = prof(*make)
        expect(r.status == 0 and "cut.data: the file ends early" in r.err, str(r))
    for path in ("cut.data", "named.data"):
        expect("imported ends early or is damaged" in prof("report", path).out, "no line in the report on " + path)
        expect(not json.loads(prof("report", "--json", path).out)["health"]["complete"], "complete: " + path)
    expect("ends early" not in prof("report", "perf.data").out, "the whole file is whole")


def test_standard_input():
    perf_record(program("shares"), 200)
    n = total(Recording("perf.data").counts())
    with open("perf.data", "rb") as f:
        r = prof("folded", "--count", "-", stdin=f)
    expect_equal(sum(int(line.rpartition(" ")[2]) for line in r.out.split("\n") if line), n, str(r.err))


def test_every_so_many_of_a_software_event():
    """-c is obeyed, though the kernel gives each one to who wants the period told; weights are what happened."""
    faults = ("/usr/bin/python3", "-c", "x = [bytearray(8192) for _ in range(20000)]")
    taken = {}
    for period in (1, 50):
        r = record(*faults, options=("-e", "minor-faults", "-c", str(period), "-m", "4M"))
        taken[period] = sum(s.weight for s in r.counts())
        weight = sum(s.weight for s in r.folded())
        expect(20000 < weight < 80000, "%d faults at -c %d" % (weight, period))
    expect(50 * taken[50] < 1.2 * taken[1] + 5000 and taken[50] > 200, "samples: %r" % taken)


if __name__ == "__main__":
    main(globals())
