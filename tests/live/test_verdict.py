"""Programs with a label, and whether prof stat's verdict names it. Others may use this machine meanwhile: then a program that
wants a CPU may rightly be told that it did not get one; such runs are made again, and judged by what they may have. What
memory, front end and branches do needs a PMU: tests/analysis/test_verdict.c has these from counters with known truth."""
import glob
import json
import os
import re
import time

from proftest import PROF, Skip, environment, expect, expect_equal, main, need_root, need_tool, prof, record, run

OF_OTHERS = {"run-queue", "steal", "throttled"}

BURN = "import time\nwhile time.process_time() < %s: pass"


class Counted:
    def __init__(self, *command, options=(), **more):
        self.arguments = (command, options, more)
        self.count()

    def count(self):
        command, options, more = self.arguments
        r = prof("stat", "--json", "-o", "stat.json", *options, "--", *command, **more)
        expect_equal(r.status, 0, str(r))
        with open("stat.json", encoding="utf-8") as f:
            self.json = json.load(f)
        self.verdicts = {v["id"]: v for v in self.json["verdicts"]}
        expect(len(self.verdicts) <= 2, str(self))

    def __str__(self):
        return json.dumps({k: self.json.get(k) for k in ("what", "wall_seconds", "usage", "around", "verdicts")}, indent=1)

    def was_disturbed(self):
        """Others kept it from running for a part of the time that may have changed its verdict."""
        around = self.json.get("around") or {}
        wall = self.json["wall_seconds"]
        waited = around.get("first_thread_waited_seconds") or 0
        return waited > 0.02 * wall or self.json["usage"]["involuntary_switches"] > 10 * wall

    def is_clear(self):
        """After at most five runs: one that nobody disturbed."""
        for _ in range(4):
            if not self.was_disturbed():
                break
            self.count()
        return not self.was_disturbed()

    def expect(self, *labels):
        """It has these and nothing else. A run that others disturbed is made again; if all of them were, it may have what
        stands for that besides, or less; faults too, since starting takes many of them, and fewer of an undisturbed run."""
        for _ in range(4):
            if set(self.verdicts) == set(labels):
                return True
            if not self.was_disturbed():
                break
            self.count()
        if set(self.verdicts) == set(labels):
            return True
        expect(self.was_disturbed(), "%s expected: %s" % (labels, self))
        expect(set(self.verdicts) <= set(labels) | OF_OTHERS | {"page-faults"}, "%s expected: %s" % (labels, self))
        expect("run-queue" not in labels or OF_OTHERS & set(self.verdicts), "%s expected: %s" % (labels, self))
        return False


def python(code):
    return ["python3", "-I", "-c", code]


def cpus():
    return sorted(os.sched_getaffinity(0))


def test_a_loop_of_one_thread():
    if len(cpus()) < 2:
        raise Skip("needs two CPUs")
    c = Counted(*python(BURN % 1.5))
    if c.expect("single-threaded", "cpu"):
        expect(c.verdicts["cpu"]["command"].startswith("prof record -- python3 -I -c "), str(c))


def test_as_many_threads_as_cpus():
    """Of one thread on one CPU nothing is single."""
    one = {cpus()[0]}
    c = Counted(*python(BURN % 1), preexec_fn=lambda: os.sched_setaffinity(0, one))
    c.expect("cpu")


def test_sleeping():
    c = Counted("sleep", "1")
    if c.expect("waiting"):
        expect_equal(c.verdicts["waiting"]["command"].replace("sudo ", ""), "prof record -e context-switches -- sleep 1", "next")


def test_waiting_for_another_process():
    c = Counted("sh", "-c", "sleep 1 | cat")
    c.expect("waiting")


def test_waiting_for_a_lock():
    c = Counted(*python("""
import threading, time
lock = threading.Lock()
lock.acquire()
threads = [threading.Thread(target=lambda: (lock.acquire(), lock.release())) for _ in range(4)]
for t in threads: t.start()
time.sleep(2)
lock.release()
for t in threads: t.join()"""))
    c.expect("waiting")


def test_in_the_kernel():
    need_tool("dd")
    c = Counted("dd", "if=/dev/zero", "of=/dev/null", "bs=1M", "count=100000", "status=none")
    if c.json["usage"]["system_seconds"] < 0.5:
        raise Skip("this machine is too fast for it")
    clear = c.is_clear()
    system = c.json["usage"]["system_seconds"] / (c.json["usage"]["system_seconds"] + c.json["usage"]["user_seconds"])
    if not clear or c.verdicts.keys() & OF_OTHERS:
        return
    expect("kernel" in c.verdicts or system < 0.75, str(c))


def test_page_faults():
    """Memory that is returned and asked for again, in pages of the usual size."""
    c = Counted(*python("""
import ctypes, time
ctypes.CDLL(None).prctl(41, 1, 0, 0, 0)
while time.process_time() < 1.5: b'x' * (32 << 20)"""))
    expect(c.json["usage"]["minor_faults"] > 5000, str(c))
    if "page-faults" in c.verdicts or not c.is_clear() or OF_OTHERS & set(c.verdicts):
        return
    # Where a page costs less than filling it there is no such verdict; then it is a loop.
    expect(set(c.verdicts) <= {"single-threaded", "cpu", "kernel", "page-faults"} and c.json["usage"]["system_seconds"] < 0.4, str(c))


def test_more_threads_than_cpus():
    if not os.path.exists("/proc/pressure/cpu"):
        raise Skip("the kernel has no pressure information")
    one = {cpus()[0]}
    burn = "exec python3 -I -c '%s'" % (BURN % 0.4)
    c = Counted("sh", "-c", " ".join("(%s) &" % burn for _ in range(8)) + " wait",
                preexec_fn=lambda: os.sched_setaffinity(0, one))
    expect("run-queue" in c.verdicts or c.verdicts.keys() & OF_OTHERS, str(c))
    expect("run-queue" not in c.verdicts or "had no CPU" in c.verdicts["run-queue"]["text"], str(c))


def cpu_cgroup():
    """A cgroup of its own with a fifth of a CPU, version 1 or 2."""
    need_root()
    name = "prof-test-%d" % os.getpid()
    for root in ("/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup", "/sys/fs/cgroup/unified"):
        path = os.path.join(root, name)
        try:
            with open(os.path.join(root, "cgroup.subtree_control"), "w", encoding="ascii") as f:
                f.write("+cpu")
        except OSError:
            pass
        try:
            os.mkdir(path)
        except OSError:
            continue
        for file, text in (("cpu.max", "20000 100000"), ("cpu.cfs_quota_us", "20000")):
            try:
                with open(os.path.join(path, file), "w", encoding="ascii") as f:
                    f.write(text)
                return path
            except OSError:
                pass
        os.rmdir(path)
    raise Skip("no cgroup with a CPU quota can be made here")


def remove_cgroup(path):
    """Processes that have just ended are still in it for a moment."""
    for _ in range(1000):
        try:
            os.rmdir(path)
            return
        except OSError:
            time.sleep(0.01)


def test_a_quota():
    path = cpu_cgroup()
    try:
        # As the command's own first act, as a container's process is when it begins: prof is in it too.
        def enter():
            with open(os.path.join(path, "cgroup.procs"), "w", encoding="ascii") as f:
                f.write("0")
        c = Counted(*python(BURN % 0.6), preexec_fn=enter)
    finally:
        remove_cgroup(path)
    # Where others leave it less than its quota there is nothing to stop.
    if set(c.verdicts) & {"run-queue", "steal"} and "throttled" not in c.verdicts:
        expect(c.json["wall_seconds"] > 2, str(c))
        return
    expect("throttled" in c.verdicts, str(c))
    expect_equal(c.verdicts["throttled"]["command"], "grep . %s/cpu.*" % path, "where the quota is")


def test_a_mix_is_silent():
    """Half of its time it works, half it sleeps."""
    c = Counted(*python("""
import time
end = time.monotonic() + 2
while time.monotonic() < end:
    t = time.process_time()
    while time.process_time() < t + 0.02: pass
    time.sleep(0.02)"""))
    c.expect()


def test_too_short_to_tell():
    c = Counted("true")
    expect(c.json["wall_seconds"] > 0.05 or not c.verdicts, str(c))


def test_whole_cpus_have_no_verdict():
    need_root()
    c = Counted("sleep", "0.3", options=("-a",))
    expect_equal(c.json["verdicts"], [], "of the machine's counters")


def test_repeated_runs_have_one():
    c = Counted("sleep", "0.5", options=("-r", "3"))
    if "waiting" not in c.verdicts:
        raise Skip("the machine is too busy to let a program sleep")
    wall = re.search(r" of (\d+\.\d+) s", c.verdicts["waiting"]["text"])
    expect(float(wall.group(1)) >= 1.5, "of all runs together: " + str(c))


def test_it_is_the_last_line():
    r = prof("stat", "--", "sleep", "1")
    lines = r.err.rstrip("\n").split("\n")
    if "  verdict   waiting" not in r.err:
        raise Skip("the machine is too busy to let a program sleep")
    expect(lines[-2].startswith("  verdict   waiting: it ran for "), r.err)
    expect(lines[-1].strip().replace("sudo ", "") == "prof record -e context-switches -- sleep 1", r.err)


def last_finding(*command):
    findings = record(*command).report()["findings"]
    return findings[-1] if findings and findings[-1]["id"].startswith("verdict-") else None


def test_the_report_ends_with_one():
    """Of a loop: of one thread, or of the queue that kept it; by its samples alone the report may not tell."""
    verdict = next(filter(None, (last_finding(*python(BURN % 1.5)) for _ in range(4))), None)
    if verdict is None:
        raise Skip("others kept the program from running")
    expect(verdict["id"] in ("verdict-single-threaded", "verdict-cpu", "verdict-steal"), str(verdict))
    text = prof("report", "test.data").out.rstrip("\n").split("\n")
    expect(any(line.startswith("verdict: ") for line in text[-3:]), "\n".join(text))
    expect("verdict: " not in prof("report", "--module", "[kernel]", "test.data").out, "of a part there is none")


def test_the_report_tells_the_kernel():
    need_tool("dd")
    for _ in range(4):
        r = record("dd", "if=/dev/zero", "of=/dev/null", "bs=1M", "count=60000", "status=none")
        findings = {f["id"]: f for f in r.report()["findings"]}
        if any(name.startswith("verdict-") for name in findings):
            break
    else:
        raise Skip("others kept the program from running")
    share = (findings.get("kernel") or {}).get("percent") or 0
    expect("verdict-kernel" in findings or share < 60 or "verdict-steal" in findings, str(findings))


def test_its_command_runs():
    """What it names can be copied, quotes and all."""
    c = Counted("sh", "-c", "sleep 1; :")
    if "waiting" not in c.verdicts:
        raise Skip("the machine is too busy to let a program sleep")
    command = c.verdicts["waiting"]["command"].replace("sudo ", "")
    r = run("sh", "-c", command.replace("prof ", "'%s' " % PROF, 1), env=environment())
    expect_equal(r.status, 0, str(r))
    expect(glob.glob("prof.data"), "it was recorded")


if __name__ == "__main__":
    main(globals())
