"""prof stat for real: what is counted, of whom, how it ends. Counts are compared with the truth or with perf's of the same
moments; none of the tests asserts how long something takes."""
import csv
import io
import json
import os
import resource
import signal
import subprocess
import sys

from proftest import NOBODY, PROF, Skip, Sysctl, alive, as_nobody, child_named, copy_for_everybody, environment, expect, expect_equal
from proftest import finish, main, need_root, need_tool, prof, start, stat_fields, wait_until

PYTHON = sys.executable
PAGE = resource.getpagesize()

# Touches N new pages, one fault each, in a mapping that has no large pages.
TOUCH = """
import mmap
def touch(pages):
    m = mmap.mmap(-1, pages * mmap.PAGESIZE)
    m.madvise(15)  # MADV_NOHUGEPAGE
    for i in range(pages):
        m[i * mmap.PAGESIZE] = 1
    m.close()
"""


def stat(*words, status=0, **more):
    """The JSON of prof stat, from a file."""
    r = prof("stat", "--json", "-o", "stat.json", *words, **more)
    expect(status is None or r.status == status, "status is not %s: %s" % (status, r))
    with open("stat.json", encoding="utf-8") as f:
        return json.load(f)


def counter(result, name):
    found = [c for c in result["counters"] if c["name"] == name]
    expect_equal(len(found), 1, "counters %s in %s" % (name, [c["name"] for c in result["counters"]]))
    return found[0]


def value(result, name):
    c = counter(result, name)
    expect_equal(c["state"], "counted", name)
    return c["value"]


def has_pmu():
    return counter(stat("-e", "cycles", "--", "true"), "cycles")["state"] == "counted"


def test_exit_statuses():
    for command, status in ((["true"], 0), (["sh", "-c", "exit 3"], 3), (["./missing"], 127), (["/dev/null"], 126)):
        r = prof("stat", "--", *command)
        expect_equal(r.status, status, str(command))
        expect_equal(r.out, "", "standard output of " + str(command))
    r = prof("stat", "--", "sh", "-c", "kill -9 $$")
    expect_equal((r.status, r.signal), (137, 9), "killed")
    expect("ended by signal 9" in r.err, r.err)


def test_a_delay_that_is_not_over():
    r = stat("-D", "60000", "--", "true")
    expect(r["wall_seconds"] < 50, "wall time from exec: %s" % r["wall_seconds"])
    expect_equal({c["state"] for c in r["counters"]} - {"not supported"}, {"not counted"}, "states")
    expect(any("nothing was counted" in note for note in r["notes"]), str(r["notes"]))


def test_wall_time_begins_with_the_command():
    r = stat("-D", "300", "-e", "page-faults", "--", "sleep", "0.5")
    expect(r["wall_seconds"] >= 0.5, "wall time from exec: %s" % r["wall_seconds"])


def test_a_file_that_was_there():
    with open("old.txt", "w", encoding="ascii") as f:
        f.write("old")
    expect_equal(prof("stat", "-o", "old.txt", "--", "./missing").status, 127, "status")
    with open("old.txt", encoding="ascii") as f:
        expect_equal(f.read(), "old", "what was there")


def test_a_file_that_cannot_be_written():
    """The result is shown instead, and the command's status is kept."""
    need_root()
    os.mkdir("small")
    if subprocess.call(["mount", "-t", "tmpfs", "-o", "size=4k", "none", "small"]):
        raise Skip("cannot mount a tmpfs")
    try:
        with open("small/filler", "wb") as f:
            f.write(b"x" * 4096)
        for status, command in ((3, "exit 3"), (1, "exit 0")):
            r = prof("stat", "-o", "small/out", "--", "sh", "-c", command)
            expect_equal(r.status, status, str(r))
            expect("page-faults" in r.err and "No space left" in r.err, r.err)
    finally:
        subprocess.call(["umount", "small"])


def test_standard_output_is_the_commands():
    r = prof("stat", "--", "echo", "hello")
    expect_equal(r.out, "hello\n", "output")
    expect("task-clock" in r.err and "page-faults" in r.err, r.err)


def test_faults_are_what_the_program_does():
    few = value(stat("-e", "page-faults", "--", PYTHON, "-c", TOUCH + "touch(1)"), "page-faults")
    many = value(stat("-e", "page-faults", "--", PYTHON, "-c", TOUCH + "touch(20001)"), "page-faults")
    expect(abs(many - few - 20000) < 400, "%d and %d" % (few, many))


def test_what_is_not_there_is_not_zero():
    if has_pmu():
        raise Skip("there is a PMU")
    r = stat("-e", "cycles,page-faults", "--", "true")
    c = counter(r, "cycles")
    expect_equal((c["state"], c["value"], c["counted"]), ("not supported", None, None), "cycles")
    expect("PMU" in c["reason"], str(c))
    expect(value(r, "page-faults") > 0, "page faults")
    text = prof("stat", "-e", "cycles", "--", "true").err
    expect("not supported" in text and "cycles: no hardware counters" in text, text)


def test_the_default_set_without_a_pmu():
    if has_pmu():
        raise Skip("there is a PMU")
    r = prof("stat", "--", "true")
    expect_equal(r.err.count("no hardware counters here"), 1, "remarks about hardware counters in " + r.err)
    left_out = " ".join(r.err[r.err.index("no hardware counters here"):].split())
    expect(": cycles, instructions, branches, branch-misses, cache-references, cache-misses are left out" in left_out, left_out)
    expect("not supported" not in r.err, r.err)


def test_usage_and_time():
    r = stat("--", PYTHON, "-c", "import time\nend = time.process_time() + .6\nwhile time.process_time() < end: pass")
    used = r["usage"]["user_seconds"] + r["usage"]["system_seconds"]
    expect(used >= 0.6, str(r["usage"]))
    expect(r["wall_seconds"] * (os.cpu_count() or 1) >= used * 0.98, "%s in %s" % (used, r["wall_seconds"]))
    clock = value(r, "task-clock") / 1e9
    expect(abs(clock - used) < 0.05 + 0.1 * used, "task-clock %s, usage %s" % (clock, used))
    expect(r["usage"]["max_resident_bytes"] > 1 << 20, str(r["usage"]))


def test_children_are_counted():
    command = "for i in 1 2 3 4 5; do %s -c '%s'; done" % (PYTHON, TOUCH + "touch(2000)")
    whole = value(stat("-e", "page-faults", "--", "sh", "-c", command), "page-faults")
    alone = value(stat("-i", "-e", "page-faults", "--", "sh", "-c", command), "page-faults")
    expect(whole > 10000 and alone < 2000, "%d, of the shell alone %d" % (whole, alone))


# ---- attached ----

WAITING = TOUCH + """
import sys, time
print("ready", flush=True)
sys.stdin.readline()
touch(5000)
end = time.process_time() + .3
while time.process_time() < end:
    pass
for i in range(50):
    time.sleep(.001)
"""


def perf_fds(pid):
    count = 0
    try:
        for fd in os.listdir("/proc/%d/fd" % pid):
            try:
                count += "perf_event" in os.readlink("/proc/%d/fd/%s" % (pid, fd))
            except OSError:
                pass
    except OSError:
        pass
    return count


def wait_until_counting(process, descriptors):
    """It has opened its events and waits: a few looks one after the other find it asleep."""
    looks = []

    def is_waiting():
        expect(process.poll() is None, "ended early: %s" % (process,))
        looks.append(perf_fds(process.pid) >= descriptors and stat_fields(process.pid)[0] == "S")
        return len(looks) > 5 and all(looks[-5:])
    wait_until(is_waiting, "the events to be open")


def start_waiting(program=WAITING):
    p = subprocess.Popen([PYTHON, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment())
    expect_equal(p.stdout.readline(), b"ready\n", "the program's start")
    return p


def go(p):
    p.stdin.write(b"\n")
    p.stdin.close()
    p.wait()


def test_beside_perf():
    """perf stat and prof stat attached to one process, which then does its work: both count the same moments."""
    perf = need_tool("perf")
    p = start_waiting()
    events = "page-faults,context-switches,task-clock"
    theirs = start(perf, "stat", "-x", ",", "-e", events, "-p", p.pid)
    ours = start(PROF, "stat", "--json", "-e", events, "-p", p.pid)
    wait_until_counting(theirs, 3)
    wait_until_counting(ours, 3)
    go(p)
    result = json.loads(finish(ours).err)
    rows = {row[2]: float(row[0]) for row in csv.reader(io.StringIO(finish(theirs).err)) if len(row) > 3}
    expect(abs(value(result, "page-faults") - rows["page-faults"]) <= 2, "%s %s" % (result["counters"], rows))
    expect(value(result, "page-faults") >= 5000, str(result["counters"]))
    expect(abs(value(result, "context-switches") - rows["context-switches"]) <= 4, "%s %s" % (result["counters"], rows))
    clock = value(result, "task-clock") / 1e6
    # Both read the same clock of the same task; what they do not share is a wake-up.
    expect(abs(clock - rows["task-clock"]) < 1 + 0.02 * clock, "%s ms, perf %s ms" % (clock, rows["task-clock"]))


MANY_THREADS = """
import ctypes, mmap, sys, threading
threading.stack_size(65536)
begin, threads = threading.Event(), []
def work():
    begin.wait()
    m = mmap.mmap(-1, 20 * mmap.PAGESIZE)
    m.madvise(15)
    for i in range(20):
        m[i * mmap.PAGESIZE] = 1
for i in range(1000):
    threads.append(threading.Thread(target=work))
    threads[-1].start()
print("ready", flush=True)
if len(sys.argv) < 2:
    sys.stdin.readline()
begin.set()
for t in threads:
    t.join()
"""


def test_a_thousand_threads_attached():
    p = start_waiting(MANY_THREADS)
    ours = start(PROF, "stat", "--json", "-e", "page-faults,task-clock", "-p", p.pid)
    wait_until_counting(ours, 2002)
    go(p)
    faults = value(json.loads(finish(ours).err), "page-faults")
    expect(20000 <= faults < 40000, "%d faults" % faults)


def test_a_thousand_threads_launched():
    faults = value(stat("-e", "page-faults", "--", PYTHON, "-c", MANY_THREADS, "now"), "page-faults")
    expect(20000 <= faults < 60000, "%d faults" % faults)


def test_too_few_descriptors():
    p = start_waiting(MANY_THREADS)

    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200))
    r = prof("stat", "-e", "page-faults", "-p", p.pid, preexec_fn=limit)
    go(p)
    expect_equal(r.status, 125, str(r))
    expect("200 open files do not suffice" in r.err and "ulimit -n" in r.err, r.err)


def test_the_commands_limits_are_its_own():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    low = min(hard, 100)

    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (low, hard))
    r = prof("stat", "--", "sh", "-c", "ulimit -n", preexec_fn=limit)
    expect_equal(r.out, "%d\n" % low, "its limit of descriptors")


def test_attached_threads_apart():
    p = start_waiting(MANY_THREADS)
    ours = start(PROF, "stat", "--json", "--by", "thread", "-e", "page-faults", "-p", p.pid)
    wait_until_counting(ours, 1001)
    go(p)
    result = json.loads(finish(ours).err)
    workers = [r for r in result["rows"] if r["id"] != p.pid]
    expect_equal(len(workers), 1000, "threads")
    expect(all(value(r, "page-faults") >= 20 for r in workers), "a thread with too few faults")
    expect_equal(sum(value(r, "page-faults") for r in result["rows"]), value(result, "page-faults"), "the sum")


THREADS_OF_THEIR_OWN = TOUCH + """
import threading, time
def work(i):
    touch(1000 * i)
    end = time.thread_time() + .05 * i
    while time.thread_time() < end:
        time.sleep(0)
threads = [threading.Thread(target=work, args=(i,)) for i in (1, 2, 3, 4)]
for t in threads:
    t.start()
for t in threads:
    t.join()
"""


def check_threads(result):
    """Each has its own faults and its own time, although they switch with each other all the time."""
    rows = {}
    for r in result["rows"]:
        faults = sum(c["value"] for c in r["counters"] if c["name"].startswith("page-faults"))
        rows.setdefault(faults // 1000, []).append((faults, value(r, "task-clock") / 1e9))
    for i in (1, 2, 3, 4):
        near = [(f, t) for f, t in rows.get(i, []) if f < 1000 * i + 300 and 0.05 * i <= t]
        expect(near, "no thread with %d faults and its time: %s" % (1000 * i, rows))
    total = next(c for c in result["counters"] if c["name"].startswith("page-faults"))
    expect_equal(sum(f for group in rows.values() for f, t in group), total["value"], "the sum of all threads")


def test_a_commands_threads_apart():
    check_threads(stat("--by", "thread", "-e", "page-faults,task-clock,context-switches", "--", PYTHON, "-c", THREADS_OF_THEIR_OWN))


def test_an_ordinary_users_threads_apart():
    need_root()
    r = as_nobody(copy_for_everybody(PROF), "stat", "--json", "--by", "thread", "-e", "page-faults,task-clock", "--",
                  "/usr/bin/python3", "-c", THREADS_OF_THEIR_OWN)
    expect_equal(r.status, 0, str(r))
    check_threads(json.loads(r.err))


def test_a_thousand_threads_apart():
    """The kernel may lose records of threads that end at the same time: then it is said of how many."""
    result = stat("--by", "thread", "-e", "page-faults", "--", PYTHON, "-c", MANY_THREADS, "now")
    incomplete = sum(int(n.split()[1]) for n in result["notes"] if "not complete" in n)
    workers = [r for r in result["rows"] if 20 <= counter(r, "page-faults")["value"] < 1000]
    expect(len(workers) >= 1000 - incomplete, "%d threads with their faults, %d incomplete" % (len(workers), incomplete))
    faults = [counter(r, "page-faults")["value"] for r in result["rows"]]
    expect_equal(sum(faults), value(result, "page-faults"), "the sum")
    expect(sum(faults) >= 20000, "%d faults" % sum(faults))


def test_no_such_process():
    r = prof("stat", "-p", "4194303")
    expect_equal(r.status, 125, str(r))
    expect("no process 4194303" in r.err, r.err)


def test_duration_leaves_the_process_alone():
    p = start("sleep", "100")
    r = prof("stat", "-p", p.pid, "--duration", "0.2", "--json")
    expect_equal(r.status, 0, str(r))
    expect(alive(p.pid), "the process has ended")
    p.kill()
    finish(p)


# ---- signals ----

def start_stat(*words):
    p = start(PROF, "stat", *words, "--", "sleep", "1000")
    return p, wait_until(lambda: child_named(p.pid, "sleep"), "the command")


def test_interrupt_is_the_commands():
    p, _ = start_stat("-o", "out.txt")
    os.killpg(p.pid, signal.SIGINT)
    r = finish(p)
    expect_equal(r.signal, signal.SIGINT, "prof's end")
    with open("out.txt", encoding="utf-8") as f:
        text = f.read()
    expect("ended by signal 2" in text and "task-clock" in text, text)


def test_term_ends_both():
    p, child = start_stat()
    os.kill(p.pid, signal.SIGTERM)
    r = finish(p)
    expect_equal(r.signal, signal.SIGTERM, "prof's end")
    expect("ended by signal 15" in r.err, r.err)
    expect(not alive(child), "the command lives on")


def test_interrupt_ends_a_series():
    p, _ = start_stat("-r", "50", "--warmup", "0")
    os.killpg(p.pid, signal.SIGINT)
    r = finish(p)
    expect_equal(r.signal, signal.SIGINT, "prof's end")
    expect("(1 runs" in r.err or "ended by signal 2" in r.err, r.err)


# ---- intervals, repeats, formats ----

def test_intervals_sum_up():
    r = prof("stat", "-I", "50", "--json", "-e", "page-faults,task-clock", "--", PYTHON, "-c",
             TOUCH + "import time\nfor i in range(10):\n touch(1000)\n time.sleep(.03)")
    lines = [json.loads(line) for line in r.err.split("\n") if line]
    intervals, total = lines[:-1], lines[-1]
    expect(len(intervals) >= 2, "intervals: %d" % len(intervals))
    ends = [i["interval_end_seconds"] for i in intervals]
    expect(ends == sorted(ends), str(ends))
    for name in ("page-faults", "task-clock"):
        parts = [counter(i, name)["value"] or 0 for i in intervals]
        expect_equal(sum(parts), value(total, name), name)


def test_repeats():
    r = stat("-r", "7", "-e", "page-faults", "--", "sh", "-c", "echo x >>runs; exit 0")
    with open("runs", encoding="utf-8") as f:
        expect_equal(len(f.read().split()), 8, "runs, one of them to warm up")
    c = counter(r, "page-faults")
    expect_equal((c["runs"], len(c["values"])), (7, 7), "runs")
    expect(c["interval_low"] <= c["median"] <= c["interval_high"], str(c))
    expect_equal(sorted(c["values"])[3], c["median"], "median")


def test_failed_runs_are_told():
    r = prof("stat", "-r", "4", "--warmup", "0", "--", "sh", "-c", "echo x >>n; test $(wc -l <n) != 2")
    expect_equal(r.status, 1, "the status of the run that failed")
    expect("4 runs, 1 of them failed" in r.err, r.err)


def test_csv_can_be_read():
    r = prof("stat", "-x", ";", "-e", "page-faults,cycles", "--", "true")
    rows = list(csv.DictReader(io.StringIO(r.err, newline=""), delimiter=";"))
    faults = [row for row in rows if row["name"] == "page-faults"]
    expect_equal(len(faults), 1, "rows of page-faults")
    expect(int(faults[0]["value"]) > 0 and faults[0]["kind"] == "counter", str(faults))
    if not has_pmu():
        cycles = next(row for row in rows if row["name"] == "cycles")
        expect_equal((cycles["value"], cycles["state"]), ("", "not supported"), "cycles")


def test_a_file_that_cannot_be_written_is_found_first():
    r = prof("stat", "-o", "missing/out.txt", "--", "touch", "ran")
    expect_equal(r.status, 125, str(r))
    expect(not os.path.exists("ran"), "the command ran")


def test_delay():
    r = stat("-D", "700", "-e", "page-faults", "--", PYTHON, "-c",
             TOUCH + "touch(20000)\nimport time\nend = time.monotonic() + 2\nwhile time.monotonic() < end: time.sleep(.01)")
    expect(value(r, "page-faults") < 20000 or r["wall_seconds"] > 2.5, str(r))


def test_cpus_sum_up():
    r = stat("-A", "-e", "page-faults,task-clock", "--", PYTHON, "-c", TOUCH + "touch(3000)")
    for name in ("page-faults", "task-clock"):
        expect_equal(sum(counter(row, name)["value"] for row in r["rows"]), value(r, name), name)
    faults = value(r, "page-faults")
    expect(3000 < faults < 10000, "%d faults" % faults)


def test_whole_machine():
    need_root()
    r = stat("-a", "-e", "context-switches,page-faults", "--", PYTHON, "-c", TOUCH + "touch(5000)")
    expect(value(r, "page-faults") >= 5000, str(r["counters"]))
    expect(r["machine"]["busy_seconds"] > 0, str(r["machine"]))


# ---- an ordinary user ----

def test_an_ordinary_user_alone():
    need_root()
    with Sysctl("kernel.perf_event_paranoid", 2):
        r = as_nobody(copy_for_everybody(PROF), "stat", "--json", "--", "sh", "-c", "for i in 1 2 3; do sleep 0.01; done")
    expect_equal(r.status, 0, str(r))
    result = json.loads(r.err)
    switches = counter(result, "context-switches")
    expect(switches["value"] >= 3 and "accounts" in switches["reason"], str(switches))
    migrations = counter(result, "cpu-migrations")
    expect_equal((migrations["state"], migrations["value"]), ("not permitted", None), "migrations")
    expect(value(result, "page-faults:u") > 0, "page faults")
    expect(value(result, "task-clock") > 0, "task-clock")


def test_an_ordinary_user_asks_for_the_kernels_part():
    need_root()
    with Sysctl("kernel.perf_event_paranoid", 2):
        r = as_nobody(copy_for_everybody(PROF), "stat", "--json", "-e", "page-faults:k", "--", "true")
    expect_equal(r.status, 0, str(r))
    faults = counter(json.loads(r.err), "page-faults:k")
    expect_equal((faults["state"], faults["value"]), ("not permitted", None), "page faults")


def test_an_ordinary_user_and_others_processes():
    need_root()
    p = start("sleep", "100")
    r = as_nobody(copy_for_everybody(PROF), "stat", "-p", p.pid, "--duration", "0.1")
    everything = as_nobody(copy_for_everybody(PROF), "stat", "-a", "--duration", "0.1")
    p.kill()
    finish(p)
    expect_equal(r.status, 125, str(r))
    expect("belongs to another user" in r.err, r.err)
    expect_equal(everything.status, 125, str(everything))
    expect("not permitted" in everything.err, everything.err)


def test_a_set_uid_program_is_told():
    need_root()
    sleeper = copy_for_everybody("/bin/sleep")
    os.chown(sleeper, NOBODY - 1, -1)
    os.chmod(sleeper, 0o4755)
    r = as_nobody(copy_for_everybody(PROF), "stat", "--", sleeper, "0.3")
    expect_equal(r.status, 0, str(r))
    expect("set-uid" in r.err, r.err)


def test_metrics_share_their_group():
    """Rows that need the same counters have one group of them, not one each that take turns."""
    with open("own.metrics", "w", encoding="utf-8") as f:
        for name in "abc":
            f.write("[own-%s]\nformula = page-faults / task-clock\nevents = {page-faults:u,task-clock:u}\n" % name)
    r = prof("stat", "--json", "-o", "stat.json", "--metric-file", "own.metrics", "-e", "task-clock", "--", "true")
    expect_equal(r.status, 0, str(r))
    with open("stat.json", encoding="utf-8") as f:
        names = [c["name"] for c in json.load(f)["counters"]]
    expect_equal(names.count("page-faults:u"), 1, str(names))


if __name__ == "__main__":
    main(globals())
