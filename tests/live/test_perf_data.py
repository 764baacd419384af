"""perf.data read by prof and by perf: the same samples, addresses and names."""
import collections
import os
import re
import subprocess
import time

from proftest import Recording, Skip, below, expect, expect_all, expect_equal, main, need_root, need_tool, prof, program, run, total


def perf(*args, **more):
    # Its own build-ID cache: an old one would name what prof cannot know.
    return run(need_tool("perf"), "--buildid-dir", os.path.abspath("buildids"), *args, **more)


def perf_record(*command, options=("-g",), path="perf.data"):
    r = perf("record", "-q", "-o", path, "-e", "cpu-clock", "-F", "997", *options, "--", *command)
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


def by_symbol(names):
    counts = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return counts


def check_same(recording, leaves):
    imported = import_file(recording.path)
    stacks = imported.counts("--no-inline")
    expect_equal(total(stacks), len(leaves), "samples")
    expect_equal(total(recording.counts("--no-inline")), len(leaves), "samples without importing")
    theirs = by_symbol(name for _, name in leaves if name and name != "[unknown]")
    ours = {}
    for s in stacks:
        ours[s.leaf] = ours.get(s.leaf, 0) + s.weight
    different = {n: (c, ours.get(n, 0)) for n, c in theirs.items() if ours.get(n, 0) != c}
    # Local names with version suffixes, and aliases of one address, may differ; nothing else.
    explained = sum(abs(a - b) for a, b in different.values())
    expect(explained <= 0.02 * len(leaves) + 2, "names that differ (perf, prof): %s" % different)


def test_frame_pointer_chains():
    r = perf_record(program("shares"), 600)
    check_same(r, perf_leaves(r.path))


def fork_and_burn(seconds):
    """A child that runs no program of its own."""
    pid = os.fork()
    if pid == 0:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            pass
        os._exit(0)
    return pid


def test_tasks_from_before_the_recording():
    need_root()
    forked = fork_and_burn(2)
    started = subprocess.Popen([program("shares"), "2000"], stdout=subprocess.DEVNULL)
    time.sleep(0.2)
    r = perf_record("sleep", "0.5", options=("-g", "-a"))
    os.waitpid(forked, 0)
    started.wait()
    stacks = [s for s in r.counts() if s.comm == "shares"]
    expect(total(stacks) > 50, "only %d samples of shares" % total(stacks))
    expect_all(stacks, lambda s: not s.leaf.startswith("[unknown"), "a name")
    modules = prof("report", "--by=module", "--pid=%d" % forked, r.path).out
    # Callers may be: not all of it keeps frame pointers.
    unmapped = re.search(r"^ *<?([\d.]+)%.*\[unmapped\]$", modules, re.M)
    expect(not unmapped or float(unmapped.group(1)) < 5, "samples of a forked process: " + modules)
    expect("python" in modules, "the forked process: " + modules)


def test_stack_copies():
    r = perf_record(program("shares"), 400, options=("--call-graph", "dwarf"))
    check_same(r, perf_leaves(r.path))
    stacks = r.counts()
    for name in ("half", "third", "fifth"):
        expect_all(below(stacks, name), lambda s, n=name: s.has("main", n), "main;" + name)


def test_leaf_addresses():
    """The very addresses, one for one. Those in the vdso are relative in prof.data, so they are only counted."""
    for options in (("-g",), ("--call-graph", "dwarf")):
        r = perf_record(program("shares_fixed"), 400, options=options)
        theirs = collections.Counter(ip for ip, _ in perf_leaves(r.path))
        import_file(r.path)
        rows = [row.split() for row in run(program("leaves"), "imported.data").out.split("\n") if row]
        ours = collections.Counter(int(address, 16) for kind, address in rows if kind != "vdso")
        expect_equal(ours - theirs, collections.Counter(), "addresses that perf does not have")
        expect_equal(sum((theirs - ours).values()), sum(kind == "vdso" for kind, _ in rows), "addresses that only perf has")


def test_without_stacks():
    r = perf_record(program("shares"), 300, options=())
    check_same(r, perf_leaves(r.path))


def test_inlined_frames_from_stack_copies():
    r = perf_record(program("inlined"), 300, options=("--call-graph", "dwarf"))
    expect_all(below(r.counts(), "host"), lambda s: s.has("main", "host", "level1", "level2", "level3"), "inline chain", 0.97)


def test_compressed():
    r = perf_record(program("shares"), 400, options=("-g", "-z"))
    check_same(r, perf_leaves(r.path))


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
    r = run("sh", "-c", "'%s' record -q -g -e cpu-clock -F 997 -o - -- '%s' 300 2>/dev/null > pipe.data"
            % (need_tool("perf"), program("ending")))
    expect(os.path.getsize("pipe.data") > 1000, str(r))
    expect(total(below(Recording("pipe.data").counts(), "burn_here")) > 100, "samples")


def test_cut_perf_data():
    perf_record(program("shares"), 300)
    with open("perf.data", "rb") as f:
        data = f.read()
    for i in range(1, 20):
        with open("cut.data", "wb") as f:
            f.write(data[:len(data) * i // 20])
        r = prof("folded", "cut.data", timeout=20)
        expect(r.signal == 0 and r.status in (0, 1), str(r))
        expect(r.status == 0 or r.err.count("\n") == 1, r.err)


def test_standard_input():
    perf_record(program("shares"), 200)
    n = total(Recording("perf.data").counts())
    with open("perf.data", "rb") as f:
        r = prof("folded", "--count", "-", stdin=f)
    expect_equal(sum(int(line.rpartition(" ")[2]) for line in r.out.split("\n") if line), n, str(r.err))


if __name__ == "__main__":
    main(globals())
