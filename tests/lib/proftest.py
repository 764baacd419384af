"""What the tests that run prof as a program share. Only the standard library.

A test file defines functions test_*; each runs in a fresh directory. `python3 FILE NAME` runs one: 0 passed,
1 failed, 77 skipped with the reason. The environment says where things are: PROF, PROGRAMS (the test programs),
SOURCE (the source tree).
"""
import atexit
import glob
import inspect
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

PROF = os.environ.get("PROF", "prof")
PROGRAMS = os.environ.get("PROGRAMS", ".")
SOURCE = os.environ.get("SOURCE", ".")
IS_ROOT = os.geteuid() == 0
CACHE = tempfile.mkdtemp(prefix="prof-test-cache-")  # of this process: tests neither use nor fill the user's
atexit.register(shutil.rmtree, CACHE, ignore_errors=True)
EXIT_SKIPPED = 77
PATIENCE = 600  # seconds: what takes longer hangs, however busy the machine is


class Skip(Exception):
    """The machine cannot run this test."""


class Failure(Exception):
    """An expectation did not hold."""


def expect(condition, message):
    if not condition:
        raise Failure(message)


def expect_equal(got, want, what):
    expect(got == want, "%s: got %r, want %r" % (what, got, want))


def need_root():
    if not IS_ROOT:
        raise Skip("needs root")


def need_tool(name):
    path = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
    if not path:
        raise Skip("needs " + name)
    return path


def program(name):
    path = os.path.join(PROGRAMS, name)
    expect(os.path.exists(path), path + " is not built")
    return path


class Result:
    """A finished process: status as the shell would see it, standard output and error as text."""

    def __init__(self, args, returncode, out, err):
        self.args = args
        self.status = 128 - returncode if returncode < 0 else returncode
        self.signal = -returncode if returncode < 0 else 0
        self.out = out.decode("utf-8", "surrogateescape")
        self.err = err.decode("utf-8", "surrogateescape")
        self.raw_out = out

    def __str__(self):
        return "%s\nstatus %d\nstdout: %s\nstderr: %s" % (" ".join(self.args), self.status, self.out[-2000:], self.err[-2000:])


def environment(**more):
    env = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR", "LC_ALL", "LANG", "TERM")}
    env.update(LC_ALL="C.UTF-8", TERM="dumb", XDG_CACHE_HOME=CACHE)
    env.update(more)
    return env


def run(*args, timeout=PATIENCE, stdin=subprocess.DEVNULL, env=None, cwd=None, **more):
    p = subprocess.run([str(a) for a in args], stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       timeout=timeout, env=env or environment(), cwd=cwd, check=False, **more)
    return Result([str(a) for a in args], p.returncode, p.stdout, p.stderr)


def prof(*args, **more):
    return run(PROF, *args, **more)


class Stack:
    """A line of prof folded: the command, the frames from the root to the leaf, and the weight."""

    def __init__(self, comm, frames, weight):
        self.comm, self.frames, self.weight = comm, frames, weight

    @property
    def leaf(self):
        return self.frames[-1] if self.frames else ""

    @property
    def is_cut(self):
        """It says itself that callers are missing."""
        return any(f == "[truncated]" or f.startswith("[cut: ") for f in self.frames)

    def has(self, *names):
        """The names occur in this order, each directly below the one before."""
        n = len(names)
        return any(tuple(self.frames[i:i + n]) == names for i in range(len(self.frames) - n + 1))

    def __contains__(self, name):
        return name in self.frames


SYNTHETIC = ("[not sampled]", "[kernel, not permitted]", "[lost]", "[throttled]")


class Recording:
    """A prof.data (or perf.data) and what prof says about it."""

    def __init__(self, path, result=None):
        self.path, self.result = path, result
        self.truths = {}
        if result:
            for name, ns in re.findall(r"^truth (\S+) (\d+)$", result.out, re.M):
                self.truths[name] = int(ns)

    def folded(self, *options):
        r = prof("folded", *options, self.path)
        expect_equal(r.status, 0, "prof folded: " + r.err)
        return [parse_folded(line) for line in r.out.split("\n") if line]

    def counts(self, *options):
        """Stacks weighted by samples; rows for what was not seen carry none."""
        return [s for s in self.folded("--count", *options) if s.weight and s.leaf not in SYNTHETIC]

    def report(self, *options):
        r = prof("report", "--json", *options, self.path)
        expect_equal(r.status, 0, "prof report: " + r.err)
        return json.loads(r.out)

    def info(self):
        r = prof("info", "--json", self.path)
        expect_equal(r.status, 0, "prof info: " + r.err)
        return json.loads(r.out)


def parse_folded(line):
    stack, _, weight = line.rpartition(" ")
    frames = stack.split(";")
    return Stack(frames[0], frames[1:], int(weight))


def record(*command, options=(), path="test.data", status=0, **more):
    """Record a command; its own output is kept in the recording's result."""
    r = prof("record", "-o", path, *options, "--", *command, **more)
    expect(status is None or r.status == status, "status is not %s: %s" % (status, r))
    return Recording(path, r)


def remove_maps(pids):
    for pid in pids:
        for path in glob.glob("/tmp/perf-%d.map*" % pid):
            os.unlink(path)


def record_generated(*command, **more):
    """Record what generates code. The perf maps that the recorded processes leave are removed at the end, since their
    numbers come again: these only, others are in use elsewhere."""
    r = record(*command, **more)
    atexit.register(remove_maps, {task["pid"] for task in r.info()["tasks"]})
    return r


# The two-sided quantile of the normal distribution at 1e-6.
Z_MILLIONTH = 4.8916


def binomial_slack(n, p):
    """How far from n*p a count of n samples may be, by chance, once in a million times."""
    return Z_MILLIONTH * math.sqrt(n * p * (1 - p)) + Z_MILLIONTH ** 2 / 3 + 1


def total(stacks):
    return sum(s.weight for s in stacks)


RATE = 997  # samples for each second of CPU time


def expect_recorded(stacks, seconds, what):
    """Not a few samples only of so much CPU time. All cannot be asked for: a host that takes turns from a virtual
    machine delays its timers, which then fire once for several periods."""
    n, due = total(stacks), seconds * RATE
    expect(n > 0.25 * due, "%s: %d samples of %.0f due" % (what, n, due))


def missing(stacks, ns):
    """How many samples of so much CPU time did not come."""
    return max(0, ns / 1e9 * RATE - total(stacks))


def expect_share(stacks, select, share, what, lost=0):
    """The share that is due. Of what is not done in turns, but one after another, the samples that did not come may all
    be of one part: lost is their number."""
    n = total(stacks)
    got = sum(s.weight for s in stacks if select(s))
    expect(n > 0, what + ": no samples")
    slack = binomial_slack(n + lost, share) + lost * max(share, 1 - share)
    expect(abs(got - n * share) <= slack,
           "%s: %d of %d samples, want %.1f ± %.1f" % (what, got, n, n * share, slack))


def expect_all(stacks, select, what, at_least=1.0):
    """At least this part of the samples, and there are some."""
    n = total(stacks)
    bad = [s for s in stacks if not select(s)]
    expect(n > 0, what + ": no samples")
    expect(n - total(bad) >= at_least * n,
           "%s: %d of %d samples do not, e.g. %s" % (what, total(bad), n, [";".join(s.frames)[-300:] for s in bad[:3]]))


def below(stacks, name):
    """The stacks that go through a function."""
    return [s for s in stacks if name in s]


def world_directory():
    """A directory every user can work in."""
    path = tempfile.mkdtemp(prefix="prof-test-", dir="/tmp")
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    os.chmod(path, 0o777)
    return path


def copy_for_everybody(path):
    """A copy that ordinary users can run, wherever the build is."""
    copy = os.path.join(world_directory(), os.path.basename(path))
    shutil.copy(path, copy)
    os.chmod(copy, 0o755)
    return copy


NOBODY = 65534


def as_nobody(*args, **more):
    """Run as an ordinary user without any capability."""
    need_root()
    setpriv = need_tool("setpriv")
    more.setdefault("cwd", world_directory())
    return run(setpriv, "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", "--inh-caps=-all",
               "--bounding-set=-all", *args, **more)


class Sysctl:
    """A kernel setting, put back at the end."""

    def __init__(self, name, value):
        self.path = "/proc/sys/" + name.replace(".", "/")
        self.value = str(value)

    def __enter__(self):
        need_root()
        try:
            with open(self.path, encoding="ascii") as f:
                self.before = f.read().strip()
            with open(self.path, "w", encoding="ascii") as f:
                f.write(self.value)
        except OSError as e:
            raise Skip("cannot set %s: %s" % (self.path, e)) from e
        return self

    def __exit__(self, *unused):
        with open(self.path, "w", encoding="ascii") as f:
            f.write(self.before)


def wait_until(condition, what):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise Failure("waited %s s: %s" % (PATIENCE, what))


def start(*args, **more):
    """Start in the background, as leader of a process group of its own."""
    return subprocess.Popen([str(a) for a in args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, env=environment(), start_new_session=True, **more)


def finish(process, timeout=PATIENCE):
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        raise Failure("still running after %s s: %s" % (timeout, err.decode("utf-8", "replace"))) from None
    return Result([str(a) for a in process.args], process.returncode, out, err)


def children(pid):
    found = []
    for tid in os.listdir("/proc/%d/task" % pid):
        try:
            with open("/proc/%d/task/%s/children" % (pid, tid), encoding="ascii") as f:
                found += [int(word) for word in f.read().split()]
        except OSError:
            pass
    return found


def comm(pid):
    try:
        with open("/proc/%d/comm" % pid, encoding="utf-8", errors="replace") as f:
            return f.read().strip()
    except OSError:
        return ""


def child_named(pid, name):
    return next((c for c in children(pid) if comm(c) == name[:15]), None)


def stat_fields(pid):
    with open("/proc/%d/stat" % pid, encoding="utf-8", errors="replace") as f:
        return f.read().rpartition(")")[2].split()


def cpu_seconds(pid):
    try:
        fields = stat_fields(pid)
    except OSError:
        return 0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def is_pending(pid, number):
    """Was a signal sent that the process has not taken yet?"""
    with open("/proc/%d/status" % pid, encoding="utf-8", errors="replace") as f:
        return bool(int(re.search(r"^ShdPnd:\s*(\w+)$", f.read(), re.M).group(1), 16) >> (number - 1) & 1)


def wait_until_recording(path="test.data"):
    """prof puts its file in place once all events are open."""
    wait_until(lambda: os.path.exists(path), "prof to record")


def alive(pid):
    try:
        return stat_fields(pid)[0] not in "ZX"
    except OSError:
        return False


def run_test(function):
    directory = tempfile.mkdtemp(prefix="prof-test-")
    before = os.getcwd()
    os.chdir(directory)
    try:
        function()
        print("passed: " + function.__name__)
        return 0
    except Skip as e:
        print("skipped: %s: %s" % (function.__name__, e))
        return EXIT_SKIPPED
    except Exception as e:  # whatever goes wrong is this test's failure
        print("FAILED: %s: %s: %s" % (function.__name__, type(e).__name__, e))
        print("".join(f for f in traceback.format_tb(sys.exc_info()[2]) if "/proftest.py" not in f))
        return 1
    finally:
        os.chdir(before)
        shutil.rmtree(directory, ignore_errors=True)


def main(namespace):
    tests = {n: f for n, f in namespace.items() if n.startswith("test_") and inspect.isfunction(f)}
    names = sys.argv[1:] or list(tests)
    results = [run_test(tests[name]) for name in names]
    sys.exit(1 if 1 in results else EXIT_SKIPPED if EXIT_SKIPPED in results else 0)
