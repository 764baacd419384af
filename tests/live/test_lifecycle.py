"""The target lives and dies as without prof; signals do what the documentation says; data is kept."""
import os
import pty
import re
import select
import signal
import subprocess
import time

from proftest import PATIENCE, PROF, Recording, Skip, alive, below, child_named, cpu_seconds, environment, expect
from proftest import expect_equal, expect_recorded, finish, is_pending, main, prof, program, record, run, start, stat_fields
from proftest import wait_until, wait_until_recording


def test_exit_status():
    record(program("ending"), 100, "exit", status=7)
    record("true", status=0)
    record("sh", "-c", "exit 200", status=200)


def expect_signal(how, number):
    r = record(program("ending"), 150, how, status=None)
    expect_equal((r.result.signal, r.result.status), (number, 128 + number), str(r.result))
    expect(below(r.counts(), "burn_here"), "the data is kept")
    expect_equal([f for f in os.listdir(".") if f.startswith("core")], [], "prof's own core")


def test_ends_by_sigsegv():
    expect_signal("segv", signal.SIGSEGV)


def test_ends_by_sigterm():
    expect_signal("term", signal.SIGTERM)


def test_ignored_child_signal():
    """Whoever ignores SIGCHLD hands that on; the end of the command must be seen all the same."""
    p = start(PROF, "record", "-o", "test.data", "--", program("ending"), 100, "exit",
              preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN), restore_signals=False)
    expect_equal(finish(p).status, 7, "the command's status")


def test_stopped_and_continued_by_another():
    wait = 'while read -r _ _ state _ < /proc/$$/stat; [ "$state" != T ]; do sleep 0.05; done; sleep 0.2'
    script = "(%s; kill -CONT $$) & kill -STOP $$; '%s' 200 exit" % (wait, program("ending"))
    r = finish(start(PROF, "record", "-o", "test.data", "--", "sh", "-c", script))
    expect_equal(r.status, 7, str(r))
    expect_recorded(below(Recording("test.data").counts(), "burn_here"), 0.2, "what came after")


def test_quit_is_the_commands():
    script = "trap 'echo asked' QUIT; : > ready; while [ ! -e go ]; do sleep 0.05; done; exit 5"
    p = start(PROF, "record", "-o", "test.data", "--", "sh", "-c", script)
    wait_until(lambda: os.path.exists("ready"), "the command")
    os.killpg(p.pid, signal.SIGQUIT)
    wait_until(lambda: not is_pending(p.pid, signal.SIGQUIT), "prof to take the signal")
    expect_equal(p.poll(), None, "prof goes on")
    with open("go", "w", encoding="ascii"):
        pass
    r = finish(p)
    expect_equal((r.status, r.out.strip()), (5, "asked"), str(r))


def test_command_not_found():
    r = prof("record", "--", "./no-such-command")
    expect_equal((r.status, r.out), (127, ""), str(r))
    expect(r.err.startswith("prof record: ") and r.err.count("\n") == 1 and "no-such-command" in r.err, r.err)
    # A folder that cannot be read might hold it: then it would be 126.
    by_name = prof("record", "no-such-command-in-path", env=environment(PATH="/usr/bin:/bin"))
    expect_equal(by_name.status, 127, "by name")


def test_command_not_executable():
    with open("plain", "w", encoding="ascii") as f:
        f.write("text")
    for command in ("./plain", "/etc"):
        r = prof("record", "--", command)
        expect_equal((r.status, r.out), (126, ""), str(r))
        expect(r.err.startswith("prof record: ") and r.err.count("\n") == 1, r.err)


def test_no_such_process():
    with open("/proc/sys/kernel/pid_max", encoding="ascii") as f:
        never = f.read().strip()  # all numbers are below
    for option in ("-p", "-t"):
        r = prof("record", option, never)
        expect_equal((r.status, r.out), (125, ""), str(r))
        expect(r.err.startswith("prof record: ") and never in r.err and r.err.count("\n") == 1, r.err)


def test_high_rates_are_warned_of():
    warned = prof("record", "-o", "t.data", "-F", "25000", "--", program("ending"), "50", "exit")
    expect("25000 Hz slows" in warned.err, str(warned))
    usual = prof("record", "-o", "t.data", "-F", "4000", "--", program("ending"), "50", "exit")
    expect("slows" not in usual.err, str(usual))
    quiet = prof("record", "-q", "-o", "t.data", "-F", "max", "--", program("ending"), "50", "exit")
    expect_equal(quiet.err, "", str(quiet))


def test_verbose():
    """-v tells what is done and how, -vv each event too; none of it else."""
    def said(*options):
        r = prof("record", *options, "-e", "task-clock", "-o", "t.data", "--", program("ending"), "300", "exit")
        expect_equal(r.status, 7, str(r))
        return r.err
    lines = (r"^prof: event task-clock: every 1\.00 ms, user code (only|and the kernel)$",
             r"^prof: stacks: [\d.]+ kB copied with each sample", r"^prof: rings: [\d.]+ [kM]B for each of \d+ CPUs?$",
             r"^prof: names of \S*/ending: (debug info|symbol table)$",
             r"^prof: [\d.]+ \w+ to open events, [\d.]+ \w+ recorded, [\d.]+ \w+ to name and write what was left$")
    more = (r"^prof: opened task-clock on CPU \d+ for task \d+: period 1003009, \d+ bytes of stack$",
            r"^prof: \d+ address(es)? of \S*/ending looked up$")
    for options, there in (((), ()), (("-q",), ()), (("-v",), lines), (("-vv",), lines + more)):
        err = said(*options)
        for line in lines + more:
            expect_equal(bool(re.search(line, err, re.M)), line in there, "%s with %s in %s" % (line, options, err))


def test_unknown_event():
    r = prof("record", "-e", "page-falts", "--", "true")
    expect_equal((r.status, r.out), (2, ""), str(r))
    expect("page-faults" in r.err and r.err.count("\n") == 1, r.err)


def test_unwritable_output():
    r = prof("record", "-o", "no/such/folder/x.data", "--", program("ending"), "100")
    expect_equal((r.status, r.out), (125, ""), str(r))
    expect("no/such/folder" in r.err, r.err)


def test_no_samples():
    for command, status in ((("true",), 0), (("sleep", "0.3"), 0)):
        r = record(*command, status=status, path=command[0] + ".data")
        for view in ("report", "folded"):
            v = prof(view, r.path)
            expect_equal(v.status, 0, str(v))
        svg = prof("flame", "-o", "-", r.path)
        expect_equal(svg.status, 0, str(svg))
        expect("<svg" in svg.out, "an empty graph is a valid SVG")


def test_what_the_target_is_given():
    plain = run(program("surroundings"), 50)
    recorded = record(program("surroundings"), 50).result
    drop = re.compile(r"^(fd \d+ (pipe|socket):|env (_|SHLVL|OLDPWD)=|limit 4 )", re.M)
    def lines(text):
        return [re.sub(r"(pipe|socket):\[\d+\]", r"\1", line) for line in text.split("\n") if not drop.match(line)]
    expect_equal(lines(recorded.out), lines(plain.out), "surroundings of the target")
    expect_equal(sorted(re.findall(r"^fd (\d+) ", recorded.out, re.M)), sorted(re.findall(r"^fd (\d+) ", plain.out, re.M)),
                 "open descriptors")


def test_standard_streams_belong_to_the_target():
    r = run("sh", "-c", "echo words | '%s' record -o t.data -- cat" % PROF)
    expect_equal((r.status, r.out), (0, "words\n"), str(r))
    r = prof("record", "-q", "-o", "t.data", "--", "sh", "-c", "echo out; echo err >&2")
    expect_equal((r.out, r.err), ("out\n", "err\n"), "quiet")


def test_closed_descriptors():
    for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        r = run("sh", "-c", "'%s' record -o t.data -- '%s' 100 exit %s" % (PROF, program("ending"), closed))
        expect_equal(r.status, 7, closed + ": " + str(r))
        expect(below(Recording("t.data").counts(), "burn_here"), closed)


def started(*args):
    """Start a recording and wait until its target burns."""
    p = start(PROF, "record", "-o", "test.data", "--", *args)
    target = wait_until(lambda: child_named(p.pid, os.path.basename(args[0])), "the target to run")
    wait_until(lambda: cpu_seconds(target) > 0.2, "the target to burn")
    return p, target


def test_first_interrupt_goes_on():
    p, target = started(program("ending"), "2500", "ignore")
    os.killpg(p.pid, signal.SIGINT)
    wait_until(lambda: not is_pending(p.pid, signal.SIGINT), "prof to take the signal")
    r = finish(p)
    expect_equal(r.status, 0, "the target, which ignores SIGINT, and prof go on: " + str(r))
    expect(below(Recording("test.data").counts("--time", "90%-100%"), "burn_here"), "it is recorded to its end")


def test_interrupt_of_a_target_that_ends_gracefully():
    p, _ = started(program("ending"), "20000", "graceful")
    os.killpg(p.pid, signal.SIGINT)
    r = finish(p)
    expect_equal(r.status, 5, "the target's own status: " + str(r))
    expect(below(Recording("test.data").counts(), "burn_here"), "data")


def test_interrupt_of_an_ordinary_target():
    p, _ = started(program("ending"), "20000", "none")
    os.killpg(p.pid, signal.SIGINT)
    r = finish(p)
    expect_equal(r.signal, signal.SIGINT, str(r))
    expect(below(Recording("test.data").counts(), "burn_here"), "data")


def test_second_interrupt_ends_all():
    p, target = started(program("ending"), "60000", "ignore")
    os.killpg(p.pid, signal.SIGINT)
    wait_until(lambda: not is_pending(p.pid, signal.SIGINT), "prof to take the first")
    expect(alive(target), "one interrupt is not enough")
    os.killpg(p.pid, signal.SIGINT)
    r = finish(p)
    wait_until(lambda: not alive(target), "the target to end")
    expect_equal(r.signal, signal.SIGTERM, str(r))
    expect(below(Recording("test.data").counts(), "burn_here"), "data")


def end_by(number):
    p, target = started(program("ending"), "60000", "none")
    os.kill(p.pid, number)
    r = finish(p)
    wait_until(lambda: not alive(target), "the target to end")
    expect(r.signal in (signal.SIGTERM, number), str(r))
    expect(below(Recording("test.data").counts(), "burn_here"), "data")


def test_terminate():
    end_by(signal.SIGTERM)


def test_hang_up():
    end_by(signal.SIGHUP)


def test_interrupt_while_attached():
    target = subprocess.Popen([program("ending"), "600000", "exit"], env=environment(), start_new_session=True)
    p = start(PROF, "record", "-o", "test.data", "-p", target.pid)
    wait_until_recording()
    before = cpu_seconds(target.pid)
    wait_until(lambda: cpu_seconds(target.pid) > before + 0.2, "the target to burn")
    os.killpg(p.pid, signal.SIGINT)
    r = finish(p)
    expect_equal(r.status, 0, str(r))
    expect_equal(target.poll(), None, "the target lives on")
    target.kill()
    target.wait()
    expect(below(Recording("test.data").counts(), "burn_here"), "data")


class Terminal:
    """A shell with job control on a terminal of its own."""

    def __init__(self):
        try:
            self.pid, self.fd = pty.fork()
        except OSError as e:
            raise Skip("no pseudo-terminal can be opened: %s" % e) from e
        if self.pid == 0:
            os.execve("/bin/bash", ["bash", "--norc", "--noprofile", "-i"], environment(PS1="ready$ "))
        self.text = ""
        self.expect("ready$ ")

    def send(self, text):
        os.write(self.fd, text.encode())

    def expect(self, wanted):
        end = time.monotonic() + PATIENCE
        while wanted not in self.text:
            expect(time.monotonic() < end, "%r does not come: %r" % (wanted, self.text[-500:]))
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    self.text += os.read(self.fd, 4096).decode("utf-8", "replace")
                except OSError:
                    break
        before, _, self.text = self.text.partition(wanted)
        return before

    def close(self):
        os.close(self.fd)
        try:
            os.kill(self.pid, signal.SIGKILL)
        except OSError:
            pass
        os.waitpid(self.pid, 0)


def on_terminal(work):
    terminal = Terminal()
    try:
        work(terminal)
    finally:
        terminal.close()


def stop_and_go_on(terminal):
    terminal.send("'%s' record -o test.data -- '%s' 2000 exit\n" % (PROF, program("ending")))
    recorder = wait_until(lambda: child_named(terminal.pid, os.path.basename(PROF)), "prof")
    target = wait_until(lambda: child_named(recorder, "ending"), "the target")
    wait_until(lambda: cpu_seconds(target) > 0.2, "the target to burn")
    terminal.send("\x1a")
    terminal.expect("Stopped")
    terminal.expect("ready$ ")
    # The signal is there for both; each stops when it has its next turn.
    wait_until(lambda: stat_fields(recorder)[0] == "T" and stat_fields(target)[0] == "T", "prof and its target to stop")
    before = cpu_seconds(target)
    time.sleep(0.3)
    expect_equal(cpu_seconds(target), before, "the target is stopped")
    terminal.send("fg\n")
    terminal.expect("ready$ ")
    terminal.send("echo status=$?\n")
    terminal.expect("status=$?")
    terminal.expect("status=7")
    expect_recorded(below(Recording("test.data").counts(), "burn_here"), 2, "the target")
    expect(below(Recording("test.data").counts("--time", "90%-100%"), "burn_here"), "it is recorded to its end")


def test_stop_and_go_on():
    on_terminal(stop_and_go_on)


def target_stops_itself(terminal):
    terminal.send("'%s' record -o test.data -- '%s' 600 stop\n" % (PROF, program("ending")))
    terminal.expect("Stopped")
    terminal.expect("ready$ ")
    terminal.send("fg\n")
    terminal.expect("ready$ ")
    terminal.send("echo status=$?\n")
    terminal.expect("status=$?")
    terminal.expect("status=0")


def test_target_stops_itself():
    on_terminal(target_stops_itself)


def interrupt_key(terminal):
    terminal.send("'%s' record -o test.data -- '%s' 30000 none\n" % (PROF, program("ending")))
    recorder = wait_until(lambda: child_named(terminal.pid, os.path.basename(PROF)), "prof")
    target = wait_until(lambda: child_named(recorder, "ending"), "the target")
    wait_until(lambda: cpu_seconds(target) > 0.2, "the target to burn")
    terminal.send("\x03")
    terminal.expect("ready$ ")
    terminal.send("echo status=$?\n")
    terminal.expect("status=$?")
    terminal.expect("status=130")


def test_interrupt_key():
    on_terminal(interrupt_key)
    expect(below(Recording("test.data").counts(), "burn_here"), "data")


def test_impatience_while_names_are_looked_up():
    """The recording process stands still: interrupts end prof without it, and with what it had written."""
    p = start(PROF, "record", "-o", "test.data", "--", program("shares"), "1500")
    wait_until(lambda: child_named(p.pid, "shares"), "the command")
    worker = wait_until(lambda: child_named(p.pid, "prof-worker"), "the recording process")
    os.kill(worker, signal.SIGSTOP)
    wait_until(lambda: not child_named(p.pid, "shares"), "the command's end")

    def ends():
        os.kill(p.pid, signal.SIGINT)
        time.sleep(0.2)
        return p.poll() is not None
    wait_until(ends, "prof to end")
    r = finish(p)
    expect_equal(r.status, 0, "the command's status: " + str(r))
    expect("interrupt again to end without" in r.err and "ended early: Killed" in r.err, r.err)
    expect_equal(prof("info", "test.data").status, 0, "the file")


if __name__ == "__main__":
    main(globals())
