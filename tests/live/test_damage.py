"""Killed recorders, full disks, cut and damaged files: what was written can be read."""
import atexit
import os
import random
import resource
import shutil
import signal
import tempfile
import time

import nameoracle
from proftest import PROF, Recording, Skip, alive, below, child_named, children, comm, cpu_seconds, expect, expect_equal
from proftest import expect_recorded, finish, main, need_root, prof, program, record, run, start, total, wait_until

ROUNDS = int(os.environ.get("PROF_ROUNDS", "4"))


def workers(broker):
    return [c for c in children(broker) if comm(c).startswith("prof")]


def start_recording():
    """In memory: what is late for a disk's sake is not prof's fault."""
    directory = tempfile.mkdtemp(prefix="prof-test-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    path = os.path.join(directory, "test.data")
    p = start(PROF, "record", "-o", path, "--", program("shares"), "600000")
    return path, p, wait_until(lambda: child_named(p.pid, "shares"), "the target")


def turns_ns(pids):
    """For how long processes have run or waited for their turn."""
    spent = 0
    for pid in pids:
        with open("/proc/%d/schedstat" % pid, encoding="ascii") as f:
            spent += sum(int(word) for word in f.read().split()[:2])
    return spent


def due_and_flushed(p, target):
    """Returns when what was due must have been written: after 1.2 s in which prof could run. Due are the samples of the
    CPU seconds that are returned, and one at least of after the time that is: since then the target has used so much
    that a timer must have fired, however late a host that takes turns from a virtual machine lets it."""
    wait_until(lambda: cpu_seconds(target) > 0.3, "the target to burn")
    since, used = time.monotonic(), cpu_seconds(target)
    wait_until(lambda: cpu_seconds(target) > used + 0.2, "the target to go on")
    pids = [p.pid] + workers(p.pid)
    begun, before = time.monotonic(), turns_ns(pids)
    wait_until(lambda: time.monotonic() - begun > 1.2 + (turns_ns(pids) - before) / 1e9, "prof to get its turns")
    return used, since


def expect_due(stacks, path, used, since):
    expect_recorded(stacks, used, path)
    r = run(program("leaves"), path)
    expect_equal(r.status, 0, str(r))
    last = max(row.time for row in nameoracle.read_prof(r.out)) / 1e9
    expect(last > since, "%s: the last sample is %.3f s older than what is due" % (path, since - last))


def kill_if_there(pid):
    """What opens files for the worker ends by itself when the worker was killed."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def kill_round(which, seconds):
    """Let it run, kill, and read: what is older than 1.2 s must be there."""
    path, p, target = start_recording()
    time.sleep(seconds)
    due = due_and_flushed(p, target)
    victims = {"broker": [p.pid], "worker": workers(p.pid), "both": workers(p.pid) + [p.pid]}[which]
    expect(victims, "no process to kill")
    for pid in victims:
        kill_if_there(pid)
    if which == "worker":
        expect(alive(target), "the target does not suffer")
        os.killpg(p.pid, signal.SIGTERM)
    elif alive(target):
        os.kill(target, signal.SIGKILL)
    p.communicate()
    wait_until(lambda: not any(alive(pid) for pid in victims), "the rest of prof to end")
    # Names may be younger than the samples; modules and offsets are there.
    named = prof("symbolize", "-q", "-o", "named.data", path)
    expect_equal(named.status, 0, str(named))
    expect_due(Recording(path).counts(), path, *due)
    expect_due(below(Recording("named.data").counts(), "main"), "named.data", *due)


def kill_some(which):
    dice = random.Random(which)
    for _ in range(ROUNDS):
        kill_round(which, dice.uniform(0, 1))


def test_kill_worker():
    kill_some("worker")


def test_kill_broker():
    kill_some("broker")


def test_kill_both():
    kill_some("both")


def two_of(pids):
    return pids if len(pids) == 2 else None


def test_killed_openers_are_replaced():
    """Both, before anything was opened for what is recorded: stacks are as whole as ever, and it is said."""
    path, p, target = start_recording()
    # They take their names after they are started.
    openers = wait_until(lambda: two_of([c for c in children(p.pid) if comm(c) == "prof-opener"]), "both openers")
    for pid in openers:
        os.kill(pid, signal.SIGKILL)
    wait_until(lambda: cpu_seconds(target) > 0.5, "the target to burn")
    os.kill(target, signal.SIGTERM)
    r = finish(p)
    expect_equal(r.signal, signal.SIGTERM, "the command's end: " + str(r))
    expect_equal(r.err.count("the process that opens files has ended early: Killed; another one takes its place"), 1, str(r))
    info = Recording(path).info()["health"]
    expect_equal(info["openers_killed"], 2, "openers killed")
    expect(info["delivered"] > 0 and info["whole"] >= 0.9 * info["delivered"], str(info))
    report = prof("report", path)
    expect("files: the process that opens them ended early 2 times: stacks may be cut and names missing\n" in report.out, str(report))


def test_full_disk():
    need_root()
    os.mkdir("small")
    if run("mount", "-t", "tmpfs", "-o", "size=200k", "none", "small").status:
        raise Skip("cannot mount a tmpfs")
    try:
        with open("small/filler", "wb") as f:
            f.write(b"x" * 150000)
        r = record(program("spawn"), 3000, program("tail"), program("inlined"), path="small/test.data",
                   options=["-F", "20000"])
        expect_equal(r.result.status, 0, "the target finishes")
        stacks = r.counts()
        expect(stacks, "no samples")
        if os.path.getsize("small/test.data") >= 45000:
            expect("space" in r.result.err.lower(), "it is said: " + r.result.err)
            expect(" small/test.data (cut short after " in r.result.err, r.result.err)
    finally:
        run("umount", "-l", "small")


def test_file_size_limit():
    """As on a full disk; the command meets the limit as it would without prof."""
    shell = "ulimit -f 16; exec \"$@\""
    script = "'%s' 1000 '%s' '%s'; sh -c 'exec head -c 20000 /dev/zero >big'; echo ended $?" % (
        program("spawn"), program("tail"), program("inlined"))
    r = run("sh", "-c", shell, "sh", PROF, "record", "-F", "20000", "-o", "test.data", "--", "sh", "-c", script)
    expect_equal(r.status, 0, str(r))
    expect("ended %d\n" % (128 + signal.SIGXFSZ) in r.out, "the command's signal is not ignored: " + str(r))
    expect("File too large" in r.err and "ended early" not in r.err, str(r))
    expect_equal(os.path.getsize("test.data"), 8192, "it is filled up to the limit")
    expect(r.err.rstrip().endswith(" test.data (cut short after 8.19 kB)"), str(r))
    expect_equal(prof("info", "test.data").status, 0, "what was written opens")


def read_all(path):
    """Every reading command on a damaged file: it opens, or says why in one line."""
    for command in (("report",), ("folded",), ("info",), ("flame", "-q", "-o", "-")):
        r = prof(*command, path)
        expect(r.signal == 0 and r.status in (0, 1), "%s: %s" % (path, r))
        expect(r.status == 0 or r.err.count("\n") == 1, "one line: %s" % r.err)


def test_cut_files():
    r = record(program("shares"), 1500, options=["-F", "4000"])
    with open(r.path, "rb") as f:
        data = f.read()
    whole, counts = total(r.counts()), []
    for i in range(1, 50):
        with open("cut.data", "wb") as f:
            f.write(data[:len(data) * i // 50])
        result = prof("folded", "--count", "cut.data")
        expect(result.signal == 0 and result.status in (0, 1), str(result))
        counts.append(total(Recording("cut.data").counts()) if result.status == 0 else 0)
        expect(result.status == 0 or i <= 2, "a cut at %d/50 does not open: %s" % (i, result.err))
        expect("cut" in result.err or "finished" in result.err or i <= 2, "not said: %s" % result.err)
        if result.status == 0 and counts[-1] == 0:
            expect("too little CPU" not in result.err, "another reason than the cut: " + result.err)
    expect_equal(counts, sorted(counts), "more of a file never shows less")
    expect(counts[-1] > 0.7 * whole, "%d of %d samples with the last fiftieth missing" % (counts[-1], whole))


def test_flipped_bytes():
    r = record(program("shares"), 500)
    with open(r.path, "rb") as f:
        data = bytearray(f.read())
    dice = random.Random(1)
    for _ in range(60):
        at, bit = dice.randrange(len(data)), 1 << dice.randrange(8)
        data[at] ^= bit
        with open("flipped.data", "wb") as f:
            f.write(data)
        read_all("flipped.data")
        data[at] ^= bit
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    expect(peak < 200000, "%d kB of memory" % peak)


def test_reading_while_recording():
    path, p, target = start_recording()
    wait_until(lambda: cpu_seconds(target) > 1, "the target to burn")
    due = due_and_flushed(p, target)
    expect_due(Recording(path).counts(), path, *due)
    os.killpg(p.pid, signal.SIGTERM)
    p.communicate()


if __name__ == "__main__":
    main(globals())
