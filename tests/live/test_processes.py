"""Children, threads, daemons: all found, under their names, with their time."""
import ctypes
import os
import re
import signal
import subprocess
import sys
import time

from proftest import Failure, PROF, RATE, Recording, Skip, Sysctl, alive, below, binomial_slack, cpu_seconds, environment, expect
from proftest import expect_all, expect_equal, expect_recorded, expect_share, finish, main, missing, need_root, prof, program, record
from proftest import start, total, wait_until, wait_until_recording

PR_SET_CHILD_SUBREAPER = 36


def test_ways_to_start_a_child():
    r = record(program("spawn"), 1000, program("tail"), program("inlined"))
    stacks = r.counts()
    burning = {"vforked": "work", "spawned": "level3", "fork": "fork_child_burn", "vm": "shared_memory_burn",
               "orphan": "orphan_burn", "parent": "parent_burn"}
    part = {key: total(below(stacks, name)) for key, name in burning.items()}
    whole = sum(part.values())
    expect(whole > 0.9 * total(stacks), "%d of %d samples are where they should be" % (whole, total(stacks)))
    own = [s for s in stacks if any(n in s for n in burning.values())]
    for key in burning:
        share = (2 if key == "parent" else 1) / 7
        expect_share(own, lambda s, n=burning[key]: n in s, share, key, missing(own, 1.4e9))
    expect_all(below(stacks, "work"), lambda s: s.comm == "tail", "command of the vforked child")
    expect_all(below(stacks, "level3"), lambda s: s.comm == "inlined", "command of the spawned child")
    expect_all(below(stacks, "parent_burn"), lambda s: s.comm == "spawn" and s.has("main", "parent_burn"), "the parent")


def test_leaves_no_process_behind():
    """Not even for a moment: where the first process of a container takes no care of orphans they would stay for ever."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise Skip("no kernel with subreapers")
    for end in ("0", "1"):
        r = prof("record", "-o", "test.data", "--", "sh", "-c", "exit " + end)
        expect_equal(r.status, int(end), str(r))
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
            raise Failure("%s was left, its status %d" % ("process %d" % pid if pid else "a running process", status))
        except ChildProcessError:
            pass
    libc.prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def check_short_lived(count, microseconds):
    r = record(program("short_lived"), 1, count, microseconds)
    weights = [s for s in r.folded() if s.comm == "short_lived"]
    got = sum(s.weight for s in weights)
    want = sum(r.truths.values())
    expect(abs(got - want) <= 0.15 * want, "%.1f ms of %.1f ms accounted; %d lines" % (got / 1e6, want / 1e6, len(weights)))


def test_short_lived_500us():
    check_short_lived(600, 500)


def test_short_lived_200us():
    check_short_lived(1500, 200)


def expect_widened(r, ns_each):
    if ns_each > 800000:
        raise Skip("on this machine now the tasks take %.1f ms each, which is not short" % (ns_each / 1e6))
    expect("shorter than a sampling period" in r.result.err, r.result.err)


def test_short_tasks_are_named_by_sampling_whole_cpus():
    need_root()
    r = record(program("short_lived"), 1, 3000, 500)
    got = sum(s.weight for s in r.folded() if s.comm == "short_lived")
    want = sum(r.truths.values())
    expect(abs(got - want) <= 0.15 * want, "%.1f ms of %.1f ms accounted" % (got / 1e6, want / 1e6))
    expect_widened(r, r.truths["children"] / 3000)
    stacks = [s for s in r.counts() if s.comm == "short_lived"]
    named = below(stacks, "short_work")
    # Until whole CPUs are sampled there is nearly none; afterwards short_work is most of what there is.
    expect_recorded(named, 0.3 * want / 1e9, "short_work")
    expect_all(stacks, lambda s: "short_work" in s, "in short_work", 0.3)


def test_reused_numbers_are_not_the_same_processes_alone():
    """Whole CPUs are sampled for short tasks; another program under an old number of theirs stays out."""
    need_root()
    other = start("sh", "-c", "while :; do '%s' 20 >/dev/null; done" % program("shares"))
    try:
        with Sysctl("kernel.pid_max", "1500"):
            r = record("sh", "-c", "i=0; while [ $i -lt 3000 ]; do /bin/true; i=$((i+1)); done")
    finally:
        os.killpg(other.pid, signal.SIGKILL)
        other.wait()
    expect_widened(r, total(r.folded()) / 3000)
    strangers = [s for s in r.counts() if s.comm not in ("sh", "true", "prof")]
    expect_equal(strangers[:3], [], "%d stacks of other programs" % len(strangers))


def test_tasks_longer_than_ten_periods():
    r = record(program("short_lived"), 1, 30, 12000)
    got, want = sum(s.weight for s in r.folded() if s.comm == "short_lived"), sum(r.truths.values())
    expect(abs(got - want) <= 0.05 * want, "%.1f ms of %.1f ms accounted" % (got / 1e6, want / 1e6))


def test_threads_that_end_together_without_a_sample():
    """Each has its own time, whichever of them the kernel left with the counters of the first (that was half of the
    runs). Counters go on while the host runs other guests, the threads' own clocks do not: there is no upper bound."""
    for _ in range(4):
        r = record(program("together"), 100, options=("-c", 2000000000))
        stacks = r.folded()
        for name in ("aaa", "bbb"):
            got = sum(s.weight for s in stacks if s.comm == name)
            want = r.truths[name]
            expect(got > 0.9 * want, "%s: %d ns of %d, in %s" % (name, got, want, [(s.comm, s.weight) for s in stacks]))


def test_many_threads():
    r = record(program("threads"), 0, 300)
    got = sum(s.weight for s in r.folded() if s.comm == "threads")
    want = r.truths["threads"]
    expect(got > 0.9 * want, "%.1f ms of %.1f ms accounted" % (got / 1e6, want / 1e6))


def test_daemon():
    r = record(program("daemonize"), 400, 600000)
    daemon = r.truths["daemon"]
    expect(alive(daemon), "a daemon was waited for: " + str(r.result))
    os.kill(daemon, signal.SIGKILL)
    expect(below(r.counts(), "front_burn"), "the first process")
    expect("trace" not in r.result.err.lower(), r.result.err)
    # Or about the one that has just forked it and is about to end.
    expect_equal(len(re.findall(r"^prof: .*after it, unrecorded: pid \d+", r.result.err, re.M)), 1, r.result.err)
    expect("ran on after it had ended" in prof("info", r.path).out, "in the file's notes")


def test_nothing_outlives():
    r = record("sh", "-c", "'%s' 50 & '%s' 80 & wait" % (program("shares"), program("shares")))
    expect("unrecorded" not in r.result.err, r.result.err)


def test_several_outlive():
    r = record("sh", "-c", "sleep 30 >&- 2>&- & sleep 30 >&- 2>&- & '%s' 100" % program("shares"))
    expect(re.search(r"2 processes of the command run on after it, unrecorded: pid \d+ among them", r.result.err), r.result.err)


def burning():
    """A program that has started and burns for long enough."""
    return subprocess.Popen([program("shares"), "600000"], stdout=subprocess.PIPE, env=environment())


def record_running(target, *options):
    """Record for a second of the target's CPU time; returns what was recorded, and how many samples were due at least
    and at most: prof starts and stops somewhat earlier and later than it can be seen."""
    before = cpu_seconds(target.pid)
    p = start(PROF, "record", "-o", "test.data", *options)
    wait_until_recording()
    begun = cpu_seconds(target.pid)
    wait_until(lambda: cpu_seconds(target.pid) > begun + 1, "the target to burn")
    os.kill(p.pid, signal.SIGINT)
    r = finish(p)
    after = cpu_seconds(target.pid)
    expect_equal((r.status, r.out), (0, ""), str(r))
    expect_equal(target.poll(), None, "the target lives on")
    target.kill()
    target.communicate()
    return Recording("test.data", r), 1, after - before


def check_burning(stacks, least, most):
    main_stacks = below(stacks, "main")
    expect_recorded(main_stacks, least, "the target")
    due = most * RATE
    n = total(main_stacks)
    expect(n <= due + binomial_slack(due / 0.9, 0.9), "%d samples, %d due while prof ran" % (n, due))
    for name, share in (("half", 0.5), ("third", 0.3), ("fifth", 0.2)):
        expect_share(main_stacks, lambda s: name in s, share, name)
        expect_all(below(stacks, name), lambda s: s.has("main", name), "main;" + name)


def test_attach():
    target = burning()
    r, *due = record_running(target, "-p", target.pid)
    check_burning(r.counts(), *due)


def test_detached_target_goes_on():
    target = burning()
    r = prof("record", "-o", "test.data", "-p", target.pid, "--duration", "0.3")
    expect_equal((r.status, r.out), (0, ""), str(r))
    expect_equal(target.poll(), None, "the target lives on")
    before = cpu_seconds(target.pid)
    wait_until(lambda: cpu_seconds(target.pid) > before, "the target to go on")
    target.kill()
    target.communicate()
    run_ = Recording("test.data").info()["runs"][0]
    expect(run_["end_ns"] - run_["start_ns"] >= 3e8, "it lasted as long as was asked for: %s" % run_)


GO = "while [ ! -e go ]; do sleep 0.05; done"


def go():
    with open("go", "w", encoding="ascii"):
        pass


def test_attach_follows_new_children():
    target = subprocess.Popen(["sh", "-c", "%s; '%s' 800; true" % (GO, program("shares"))], stdout=subprocess.DEVNULL,
                              env=environment())
    p = start(PROF, "record", "-o", "test.data", "-p", target.pid)
    wait_until_recording()
    go()
    target.wait()
    r = finish(p)
    expect_equal(r.status, 0, str(r))
    expect_recorded(below(Recording("test.data").counts(), "half"), 0.4, "a child started later")


def test_attached_target_ends():
    target = subprocess.Popen([program("ending"), "2000", "exit"], env=environment())
    p = start(PROF, "record", "-o", "test.data", "-p", target.pid)
    expect_equal(target.wait(), 7, "the target's status")
    r = finish(p)
    expect_equal(r.status, 0, str(r))
    expect(below(Recording("test.data").counts(), "burn_here"), "samples")


def test_attach_one_thread():
    target = burning()
    r, *due = record_running(target, "-t", target.pid)
    check_burning(r.counts(), *due)


def test_whole_machine_alone():
    need_root()
    target = burning()
    r, least, most = record_running(target, "-a")
    # Where everything runs at once the rings may overflow; what was lost is counted, of all tasks together.
    health = r.info()["health"]
    kept = health["delivered"] / (health["delivered"] + health["lost_kernel"] + health["lost_own"])
    check_burning(r.counts("--pid=%d" % target.pid), least * kept, most)


def test_delay():
    """What runs before the delay is over has no samples. On a busy machine it may take long: then a longer delay."""
    for delay in (2, 10, 60, 300):
        begun = time.time()
        script = "'%s' 100; date +%%s >first; sleep %d.5; '%s' 400 exit; true" % (program("shares"), delay,
                                                                                 program("ending"))
        stacks = record("sh", "-c", script, options=["-D", str(1000 * delay)]).counts()
        expect_recorded(below(stacks, "burn_here"), 0.4, "what ran after the delay")
        with open("first", encoding="ascii") as f:
            if int(f.read()) + 1 < begun + delay:
                expect_equal(total(below(stacks, "half")), 0, "samples of what ran before the delay was over")
                return
    raise Skip("too busy a machine")


def test_events():
    r = record(program("shares"), 300, options=["-e", "task-clock,page-faults", "-F", "500"])
    expect_recorded(below(r.counts("--event", "task-clock"), "half"), 0.15 / 2, r.result.err)
    expect(" due, " in r.result.err and " of page-faults, 0 lost, " in r.result.err, r.result.err)
    faults = record(program("plt_lazy"), 0, 100, options=["-e", "page-faults", "-c", "1"], path="faults.data").counts()
    expect(total(below(faults, "main")) >= 100, "page faults: %d" % total(below(faults, "main")))


def growth_script(wait):
    """After a wait: a program whose stacks do not fit, then another one."""
    return "%s; '%s' 1200 12 4096; '%s' 800; true" % (wait, program("deep"), program("shares"))


def check_growth(recorded):
    """A stack that does not fit makes prof copy more of each: what starts afterwards must be seen as well."""
    expect_equal(recorded.status, 0, str(recorded))
    stacks = Recording("test.data").counts()
    deep = [s for s in stacks if s.comm == "deep"]
    expect(max((s.frames.count("rec") for s in deep), default=0) >= 12, "no whole stack of deep: " + recorded.err)
    later = [s for s in stacks if s.comm == "shares"]
    expect_recorded(below(later, "main"), 0.8, "what came later: " + recorded.err)
    bad = [s.frames for s in later if any(f.startswith("[unmapped") for f in s.frames)]
    expect_equal(bad[:3], [], "%d stacks of what came later have code of no file" % len(bad))


def test_growth_while_attached():
    target = subprocess.Popen(["sh", "-c", growth_script(GO)], stdout=subprocess.DEVNULL, env=environment())
    p = start(PROF, "record", "-o", "test.data", "-p", target.pid)  # it ends with its target
    wait_until_recording()
    go()
    target.wait()
    check_growth(finish(p))


def test_growth_system_wide_alone():
    need_root()
    # Reading what runs already takes its time on a busy machine; what comes meanwhile is judged all at once.
    check_growth(prof("record", "-a", "-o", "test.data", "--", "sh", "-c", growth_script("sleep 3")))


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
    n = total(below(r.counts(), "main"))
    expect(25 <= n <= 115, "%d samples at 10 ms in 1 s, of which a busy host delays some until the next" % n)


if __name__ == "__main__":
    main(globals())
