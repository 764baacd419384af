"""Children, threads, daemons: all found, under their names, with their time."""
import os
import signal
import subprocess
import sys
import time

from proftest import PROF, Recording, Sysctl, below, binomial_slack, cpu_seconds, environment, expect, expect_all, expect_equal
from proftest import expect_share, finish, main, need_root, prof, program, record, start, total


def test_ways_to_start_a_child():
    r = record(program("spawn"), 1000, program("tail"), program("inlined"))
    stacks = r.counts()
    burning = {"vforked": "work", "spawned": "level3", "fork": "fork_child_burn", "vm": "shared_memory_burn",
               "orphan": "orphan_burn", "parent": "parent_burn"}
    part = {key: total(below(stacks, name)) for key, name in burning.items()}
    whole = sum(part.values())
    expect(whole > 0.9 * total(stacks), "%d of %d samples are where they should be" % (whole, total(stacks)))
    for key in burning:
        share = (2 if key == "parent" else 1) / 7
        expect_share([s for s in stacks if any(n in s for n in burning.values())],
                     lambda s, n=burning[key]: n in s, share, key)
    expect_all(below(stacks, "work"), lambda s: s.comm == "tail", "command of the vforked child")
    expect_all(below(stacks, "level3"), lambda s: s.comm == "inlined", "command of the spawned child")
    expect_all(below(stacks, "parent_burn"), lambda s: s.comm == "spawn" and s.has("main", "parent_burn"), "the parent")


def check_short_lived(count, microseconds):
    r = record(program("short_lived"), 1, count, microseconds, timeout=120)
    weights = [s for s in r.folded() if s.comm == "short_lived"]
    got = sum(s.weight for s in weights)
    want = sum(r.truths.values())
    expect(abs(got - want) <= 0.15 * want, "%.1f ms of %.1f ms accounted; %d lines" % (got / 1e6, want / 1e6, len(weights)))


def test_short_lived_500us():
    check_short_lived(600, 500)


def test_short_lived_200us():
    check_short_lived(1500, 200)


def test_short_tasks_are_named_by_sampling_whole_cpus():
    need_root()
    r = record(program("short_lived"), 1, 3000, 500, timeout=120)
    expect("shorter than a sampling period" in r.result.err, r.result.err)
    got = sum(s.weight for s in r.folded() if s.comm == "short_lived")
    want = sum(r.truths.values())
    expect(abs(got - want) <= 0.15 * want, "%.1f ms of %.1f ms accounted" % (got / 1e6, want / 1e6))
    named = sum(s.weight for s in r.folded() if s.has("short_work"))
    # Until whole CPUs are sampled nearly nothing is; afterwards short_work is most of what there is.
    expect(named > 0.3 * want, "short_work has %.1f ms of %.1f ms" % (named / 1e6, want / 1e6))


def test_reused_numbers_are_not_the_same_processes_alone():
    """Whole CPUs are sampled for short tasks; another program under an old number of theirs stays out."""
    need_root()
    other = start("sh", "-c", "while :; do '%s' 20 >/dev/null; done" % program("shares"))
    try:
        with Sysctl("kernel.pid_max", "1500"):
            r = record("sh", "-c", "i=0; while [ $i -lt 3000 ]; do /bin/true; i=$((i+1)); done", timeout=120)
    finally:
        os.killpg(other.pid, signal.SIGKILL)
        other.wait()
    expect("shorter than a sampling period" in r.result.err, r.result.err)
    strangers = [s for s in r.counts() if s.comm not in ("sh", "true", "prof")]
    expect_equal(strangers[:3], [], "%d stacks of other programs" % len(strangers))


def test_tasks_longer_than_ten_periods():
    r = record(program("short_lived"), 1, 30, 12000)
    got, want = sum(s.weight for s in r.folded() if s.comm == "short_lived"), sum(r.truths.values())
    expect(abs(got - want) <= 0.05 * want, "%.1f ms of %.1f ms accounted" % (got / 1e6, want / 1e6))


def test_many_threads():
    r = record(program("threads"), 0, 300)
    got = sum(s.weight for s in r.folded() if s.comm == "threads")
    want = r.truths["threads"]
    expect(got > 0.9 * want, "%.1f ms of %.1f ms accounted" % (got / 1e6, want / 1e6))


def test_daemon():
    begun = time.monotonic()
    r = record(program("daemonize"), 400)
    expect(below(r.counts(), "front_burn"), "the first process")
    expect(time.monotonic() - begun < 20, "waits for a daemon for ever")
    expect("trace" not in r.result.err.lower(), r.result.err)


def burning():
    """A program that has started and burns for long enough."""
    return subprocess.Popen([program("shares"), "60000"], stdout=subprocess.PIPE, env=environment())


def record_running(target, *options):
    """Record for a while; returns what was recorded and how many samples were due at most and at least: prof starts
    and stops somewhat later than this function."""
    before = cpu_seconds(target.pid)
    r = prof("record", "-o", "test.data", *options)
    due = (cpu_seconds(target.pid) - before) * 997
    expect_equal((r.status, r.out), (0, ""), str(r))
    expect_equal(target.poll(), None, "the target lives on")
    target.kill()
    target.communicate()
    return Recording("test.data", r), due


def check_burning(stacks, due):
    n = total(below(stacks, "main"))
    expect(0.25 * due <= n <= due + binomial_slack(due / 0.9, 0.9), "%d samples, %d due while prof ran" % (n, due))
    for name, share in (("half", 0.5), ("third", 0.3), ("fifth", 0.2)):
        expect_share(below(stacks, "main"), lambda s: name in s, share, name)
        expect_all(below(stacks, name), lambda s: s.has("main", name), "main;" + name)


def test_attach():
    target = burning()
    r, due = record_running(target, "-p", target.pid, "--duration", "1.5")
    check_burning(r.counts(), due)


def test_detached_target_goes_on():
    target = subprocess.Popen([program("shares"), "1000"], stdout=subprocess.PIPE, env=environment())
    r = prof("record", "-o", "test.data", "-p", target.pid, "--duration", "0.3")
    out, _ = target.communicate(timeout=60)
    expect_equal((r.status, target.returncode), (0, 0), "statuses")
    expect(b"truth half" in out, "the target's own end")


def test_attach_follows_new_children():
    target = subprocess.Popen(["sh", "-c", "sleep 0.7; '%s' 800; true" % program("shares")], stdout=subprocess.DEVNULL,
                              env=environment())
    r = prof("record", "-o", "test.data", "-p", target.pid, "--duration", "3")
    target.wait(timeout=30)
    expect_equal(r.status, 0, str(r))
    expect(below(Recording("test.data").counts(), "half"), "a child started later: " + r.err)


def test_attached_target_ends():
    target = subprocess.Popen([program("ending"), "700", "exit"], env=environment())
    p = start(PROF, "record", "-o", "test.data", "-p", target.pid)
    expect_equal(target.wait(timeout=20), 7, "the target's status")
    r = finish(p, 10)
    expect_equal(r.status, 0, str(r))
    expect(below(Recording("test.data").counts(), "burn_here"), "samples")


def test_attach_one_thread():
    target = burning()
    r, due = record_running(target, "-t", target.pid, "--duration", "1.5")
    check_burning(r.counts(), due)


def test_whole_machine_alone():
    need_root()
    target = burning()
    r, due = record_running(target, "-a", "--duration", "1.5")
    check_burning([s for s in r.counts() if s.comm == "shares"], due)


def test_delay():
    script = "'%s' 100; sleep 2.5; '%s' 100 exit; true" % (program("shares"), program("ending"))
    stacks = record("sh", "-c", script, options=["-D", "2000"]).counts()
    expect_equal(total(below(stacks, "half")), 0, "samples of what ran before the delay was over")
    expect(total(below(stacks, "burn_here")) > 50, "samples of what ran after it")


def test_events():
    r = record(program("shares"), 300, options=["-e", "task-clock,page-faults", "-F", "500"])
    expect(total(below(r.counts("--event", "task-clock"), "half")) > 20, r.result.err)
    faults = record(program("wrappers"), 100, options=["-e", "page-faults", "-c", "1"], path="faults.data").counts()
    expect(total(below(faults, "main")) > 30, "page faults: %d" % total(below(faults, "main")))


def growth_script(wait):
    """After a while: a program whose stacks do not fit, then another one."""
    return "sleep %s; '%s' 1200 12 4096; '%s' 800; true" % (wait, program("deep"), program("shares"))


def check_growth(recorded):
    """A stack that does not fit makes prof copy more of each: what starts afterwards must be seen as well."""
    expect_equal(recorded.status, 0, str(recorded))
    stacks = Recording("test.data").counts()
    deep = [s for s in stacks if s.comm == "deep"]
    expect(max((s.frames.count("rec") for s in deep), default=0) >= 12, "no whole stack of deep: " + recorded.err)
    later = [s for s in stacks if s.comm == "shares"]
    expect(total(below(later, "main")) > 100, "%d samples of what came later: %s" % (total(later), recorded.err))
    bad = [s.frames for s in later if any("unmapped" in f for f in s.frames)]
    expect_equal(bad[:3], [], "%d stacks of what came later have code of no file" % len(bad))


def test_growth_while_attached():
    target = subprocess.Popen(["sh", "-c", growth_script(1)], stdout=subprocess.DEVNULL, env=environment())
    try:
        recorded = prof("record", "-o", "test.data", "-p", str(target.pid))  # it ends with its target
    finally:
        target.wait(timeout=60)
    check_growth(recorded)


def test_growth_system_wide_alone():
    need_root()
    # Reading what runs already takes its time on a busy machine; what comes meanwhile is judged all at once.
    check_growth(prof("record", "-a", "-o", "test.data", "--", "sh", "-c", growth_script(3), timeout=120))


def test_events_with_many_children():
    loop = "i=0; while [ $i -lt 200 ]; do /bin/true; i=$((i+1)); done"
    # The kernel's own sums, of the shell and of all that it started.
    script = """import resource as r, subprocess, sys
subprocess.run(["sh", "-c", sys.argv[1]], check=True)
print(sum(u.ru_utime + u.ru_stime for u in (r.getrusage(r.RUSAGE_SELF), r.getrusage(r.RUSAGE_CHILDREN))))"""
    r = record(sys.executable, "-S", "-c", script, loop, options=["-e", "task-clock,page-faults"])
    used = 1e9 * float(r.result.out)
    faults = sum(s.weight for s in r.folded("--event", "page-faults"))
    expect(200 <= faults < 1e6, "%d page faults" % faults)
    got = sum(s.weight for s in r.folded("--event", "task-clock"))
    expect(abs(got - used) <= 0.15 * used, "%.1f ms of %.1f ms accounted" % (got / 1e6, used / 1e6))


def test_period():
    r = record(program("shares"), 1000, options=["-e", "task-clock", "-c", "10000000"])
    n = total(r.counts())
    expect(85 <= n <= 115, "%d samples at 10 ms in 1 s" % n)


if __name__ == "__main__":
    main(globals())
