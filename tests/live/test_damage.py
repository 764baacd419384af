"""Killed recorders, full disks, cut and damaged files: what was written can be read."""
import os
import random
import resource
import signal
import time

from proftest import PROF, Recording, Skip, below, environment, expect, expect_equal, main, need_root, prof, program
from proftest import record, run, start, total, wait_until
from test_lifecycle import alive, child_named, children, comm

ROUNDS = int(os.environ.get("PROF_ROUNDS", "4"))


def workers(broker):
    return [c for c in children(broker) if comm(c).startswith("prof")]


def kill_some(which):
    """Kill parts of a recording at random moments; all but about the last second must be readable."""
    dice = random.Random(which)
    for _ in range(ROUNDS):
        if os.path.exists("test.data"):
            os.unlink("test.data")
        p = start(PROF, "record", "-o", "test.data", "--", program("shares"), "5000")
        target = wait_until(lambda q=p: child_named(q.pid, "shares"), 10, "the target")
        lived = dice.uniform(1.5, 4.0)
        time.sleep(lived)
        victims = {"broker": [p.pid], "worker": workers(p.pid), "both": workers(p.pid) + [p.pid]}[which]
        expect(victims, "no process to kill")
        for pid in victims:
            os.kill(pid, signal.SIGKILL)
        killed = time.monotonic()
        if which == "worker":
            # The broker sees it, says so, and the target goes on to its own end.
            wait_until(lambda t=target: not alive(t), 30, "the target's own end")
        else:
            try:
                os.kill(target, signal.SIGKILL)
            except OSError:
                pass
        p.communicate(timeout=30)
        wait_until(lambda v=victims: not any(alive(pid) for pid in v), 10, "the rest of prof to end")
        expect(time.monotonic() - killed < 30, "hangs after a kill")
        stacks = Recording("test.data").counts()
        n, want = total(below(stacks, "main")), (lived - 1.3) * 997 * 0.7
        expect(n >= want, "%d samples after %.1f s, want %d" % (n, lived, want))


def test_kill_worker():
    kill_some("worker")


def test_kill_broker():
    kill_some("broker")


def test_kill_both():
    kill_some("both")


def test_full_disk():
    need_root()
    os.mkdir("small")
    if run("mount", "-t", "tmpfs", "-o", "size=200k", "none", "small").status:
        raise Skip("cannot mount a tmpfs")
    try:
        with open("small/filler", "wb") as f:
            f.write(b"x" * 150000)
        r = record(program("spawn"), 3000, program("tail"), program("inlined"), path="small/test.data",
                   options=["-F", "20000"], timeout=120)
        expect_equal(r.result.status, 0, "the target finishes")
        stacks = r.counts()
        expect(total(stacks) > 100, "%d samples" % total(stacks))
        if os.path.getsize("small/test.data") >= 45000:
            expect("space" in r.result.err.lower(), "it is said: " + r.result.err)
    finally:
        run("umount", "-l", "small")


def read_all(path):
    """Every reading command on a damaged file: it opens, or says why in one line."""
    for command in (("report",), ("folded",), ("info",), ("flame", "-q", "-o", "-")):
        r = prof(*command, path, timeout=20)
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
        result = prof("folded", "--count", "cut.data", timeout=20)
        expect(result.signal == 0 and result.status in (0, 1), str(result))
        counts.append(total(Recording("cut.data").counts()) if result.status == 0 else 0)
        expect(result.status == 0 or i <= 2, "a cut at %d/50 does not open: %s" % (i, result.err))
        expect("cut" in result.err or "finished" in result.err or i <= 2, "not said: %s" % result.err)
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
    expect(peak < 200000 or "asan" in environment().get("PROF", ""), "%d kB of memory" % peak)


def test_reading_while_recording():
    p = start(PROF, "record", "-o", "test.data", "--", program("shares"), "3000")
    time.sleep(2.5)
    n = total(Recording("test.data").counts())
    p.communicate(timeout=30)
    expect(n > 300, "%d samples of a recording that goes on" % n)


if __name__ == "__main__":
    main(globals())
