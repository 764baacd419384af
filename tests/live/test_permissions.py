"""Ordinary users, and machines that refuse: what may be recorded is, what may not is said with its remedy."""
import json
import os
import re
import shutil
import signal

from proftest import NOBODY, PROF, RATE, Recording, Skip, Sysctl, alive, as_nobody, below, child_named, children, copy_for_everybody
from proftest import expect, expect_equal, expect_recorded, finish, main, need_root, need_tool, prof, program, record, run, start
from proftest import total, wait_until, wait_until_recording, world_directory


def setup(*names):
    """A directory for everybody with prof and programs in it."""
    need_root()
    directory = world_directory()
    for name, path in [("prof", PROF)] + [(n, program(n)) for n in names]:
        shutil.copy(path, os.path.join(directory, name))
        os.chmod(os.path.join(directory, name), 0o755)
    return directory


def record_as_nobody(directory, *args, **more):
    r = as_nobody("./prof", "record", "-o", "test.data", *args, cwd=directory, **more)
    return Recording(os.path.join(directory, "test.data"), r)


def kernel_row(stacks):
    return sum(s.weight for s in stacks if s.leaf == "[kernel, not permitted]")


def test_few_descriptors():
    """However few there are, a line says what for stacks and names, or the recording, are missing."""
    target = start(program("shares"), "600000")
    said = 0
    try:
        for limit in range(10, 18):
            r = run("sh", "-c", "ulimit -n %d; exec \"$@\"" % limit, "sh", PROF, "record", "-o", "test.data",
                    "--duration", "0.3", "-p", str(target.pid))
            expect(r.status in (0, 125), str(r))
            limited = "oo many open files" in r.err
            said += limited
            expect(r.err.count("files could not be opened") <= 1, "once: " + str(r))
            if r.status == 125:
                expect(limited and "Message too long" not in r.err, str(r))
                continue
            stacks = Recording("test.data").counts()
            whole = [s for s in stacks if not s.is_cut]
            expect(limited or whole or total(stacks) < 20, "limit %d: no stack is whole: %s" % (limit, r))
    finally:
        target.kill()
        target.communicate()
    expect(said, "so few are never too few")


def test_without_proc():
    """As in a bare chroot: what is missing then, and why."""
    need_root()
    unshare = need_tool("unshare")
    hide = "mount -t tmpfs none /proc && exec \"$@\""
    if run(unshare, "-m", "sh", "-c", hide, "sh", "true").status:
        raise Skip("cannot hide /proc")
    command = (PROF, "record", "-o", "test.data", "--", program("shares"), "100")
    r = run(unshare, "-m", "sh", "-c", hide, "sh", *command)
    expect_equal(r.status, 0, str(r))
    expect_equal(r.err.count("/proc is not mounted: stacks are cut and names are missing"), 1, str(r))
    expect("mount -t proc" in r.err, str(r))
    r = run(unshare, "--pid", "--fork", *command)
    expect_equal(r.err.count("/proc is that of another PID namespace"), 1, str(r))
    expect("/proc is" not in run(*command).err, "where it is in order")


def test_paranoid_2_alone():
    directory = setup("wrappers", "shares")
    with Sysctl("kernel.perf_event_paranoid", 2):
        r = record_as_nobody(directory, "--", "./wrappers", "2000")
    expect_equal(r.result.status, 0, str(r.result))
    weights = r.folded()
    part = kernel_row(weights) / max(1, sum(s.weight for s in weights))
    expect(part > 0.05, "the kernel's part has a row of its own: %.3f" % part)
    expect_recorded(below(r.counts(), "main"), 2 * 0.05, "outside the kernel")


def test_paranoid_1_alone():
    directory = setup("wrappers")
    with Sysctl("kernel.perf_event_paranoid", 1):
        r = record_as_nobody(directory, "--", "./wrappers", "1000")
    expect_equal(r.result.status, 0, str(r.result))
    expect_equal(kernel_row(r.folded()), 0, "[kernel, not permitted]")
    # Outside the kernel alone it would be some hundredths.
    expect_recorded(below(r.counts(), "wrap_read"), 0.1, "with the kernel's part")


def test_whole_machine_from_a_pid_namespace():
    """All tasks outside have one number there: one row for them all, and nothing of their stacks is made up."""
    need_root()
    unshare = need_tool("unshare")
    if run(unshare, "--pid", "--fork", "--mount-proc", "true").status:
        raise Skip("no PID namespaces here")
    outside = start("sh", "-c", "while :; do %s 5; %s; done" % (program("shares"), program("ending")))
    try:
        r = run(unshare, "--pid", "--fork", "--mount-proc", PROF, "record", "-a", "-o", "test.data", "--", program("shares"), "500")
    finally:
        os.killpg(outside.pid, 9)
        outside.communicate()
    expect_equal(r.status, 0, str(r))
    stacks = Recording("test.data").folded("--count")
    theirs = [s for s in stacks if s.comm == "[other pid namespace]"]
    expect(total(theirs) > 0, "samples of tasks outside: %s" % {s.comm for s in stacks})
    # No mapping is known of them, so none of their code has a name, nor a module that it would be in.
    expect_equal([f for s in theirs for f in s.frames if f in ("main", "_start", "half") or re.match(r"\[unknown .*\+0x", f)], [], "frames")
    expect_equal({s.comm for s in stacks} & {"sh", "ending"}, set(), "their names, which nobody there can know")
    ours = below(Recording("test.data").counts(), "half")
    expect(total(ours) > 0, "samples of the command")
    expect_equal(Recording("test.data").report("--comm", "/other pid/")["health"]["read_later"], 0, "read later")


def test_whole_machine_refused_alone():
    directory = setup("shares")
    with Sysctl("kernel.perf_event_paranoid", 2):
        r = as_nobody("./prof", "record", "-a", "--duration", "0.2", cwd=directory)
    expect_equal((r.status, r.out), (125, ""), str(r))
    expect("`sudo sysctl kernel.perf_event_paranoid=-1`" in r.err and r.err.count("\n") == 1, r.err)
    expect("paranoid=1`" not in r.err and "dummy" not in r.err, r.err)  # of no use; not the user's word


def test_other_users_process():
    directory = setup("shares")
    r = as_nobody("./prof", "record", "-p", os.getpid(), "--duration", "0.2", cwd=directory)
    expect_equal((r.status, r.out), (125, ""), str(r))
    expect(str(os.getpid()) in r.err or "permi" in r.err.lower(), r.err)


def test_kptr_restrict_2_alone():
    need_root()
    with Sysctl("kernel.kptr_restrict", 2):
        r = record(program("wrappers"), 1000)
        info = prof("check", "--json")
    stacks = below(r.counts(), "main")
    expect_recorded(stacks, 1, "the program")
    named = {f for s in stacks for f in s.frames if "read_zero" in f or "clear_user" in f}
    expect_equal(named, set(), "kernel names that cannot be known")
    expect(below(stacks, "wrap_read"), "user frames: %s" % stacks[0].frames)
    kernel = {f for s in stacks for f in s.frames if "kernel" in f}
    expect(len(kernel) <= 1, "the kernel's part is one frame: %s" % sorted(kernel)[:5])
    findings = {f["id"]: f for f in json.loads(info.out)["findings"]}
    expect_equal(findings["kernel-names"]["state"], "limited", "prof check")
    expect("kptr_restrict" in findings["kernel-names"]["remedy"], "the remedy")


def test_seccomp():
    r = run(program("no_perf_events"), PROF, "record", "-o", "t.data", "--", program("ending"), "5000", "exit")
    expect_equal((r.status, r.out), (125, ""), str(r))
    expect("seccomp" in r.err and "container" in r.err and r.err.count("\n") == 1, r.err)
    expect_equal([c for c in children(os.getpid()) if alive(c)], [], "the target was left running")
    c = run(program("no_perf_events"), PROF, "check")
    expect_equal(c.status, 1, "prof check where nothing can be sampled: " + str(c))
    expect("seccomp" in c.out, c.out)


def test_seccomp_for_a_user():
    directory = setup("ending", "no_perf_events")
    r = as_nobody("./no_perf_events", "./prof", "record", "-o", "t.data", "--", "./ending", "5000", "exit", cwd=directory)
    expect_equal((r.status, r.out), (125, ""), str(r))
    expect("seccomp" in r.err and "container" in r.err and r.err.count("\n") == 1, r.err)


def check_ring_budget(*options):
    directory = setup("shares")
    prlimit = need_tool("prlimit")
    with Sysctl("kernel.perf_event_mlock_kb", 16):
        r = as_nobody(prlimit, "--memlock=65536", "./prof", "record", "-o", "test.data", *options, "--", "./shares",
                      "1000", cwd=directory)
    expect_equal(r.status, 0, str(r))
    stacks = Recording(os.path.join(directory, "test.data")).counts()
    # The smaller the ring the more is lost where prof must wait for its turn.
    expect(total(below(stacks, "main")) > 0.02 * RATE, r.err)
    return r


def test_small_ring_budget_alone():
    check_ring_budget()


def test_ring_above_the_budget_shrinks_alone():
    r = check_ring_budget("-m", "8M")
    expect("ring" in r.err or "buffer" in r.err, "it is said: " + r.err)


def expect_unprofiled(r):
    """One reason, the same one everywhere, and what to do."""
    lines = r.result.err.splitlines()
    expect_equal(lines[0], "prof: ./ending is set-uid or unreadable: the kernel does not let it be profiled by an ordinary user; "
                 "it runs on unprofiled (record as root)", str(r.result))
    expect(lines[-1].startswith("prof: no samples: ./ending ran unprofiled \u2192 "), str(r.result))
    out = prof("report", r.path).out
    expect("\nthe command is set-uid or unreadable: only root may profile it\n" in out, out)
    expect(re.search(r"in the command, which only root may profile: record as root\n +sudo prof record ", out), out)
    expect("short" not in out and "-F" not in out, out)
    expect(Recording(r.path).info()["health"]["detached"], "in the file")


def test_setuid_program():
    directory = setup("ending")
    target = os.path.join(directory, "ending")
    os.chown(target, 0, 0)
    os.chmod(target, 0o4755)
    plain = as_nobody("./ending", "800", "uid", cwd=directory)
    r = record_as_nobody(directory, "--", "./ending", "800", "uid")
    expect_equal(r.result.out, plain.out, "what the target says it is")
    expect_equal(r.result.status, 7, "the target runs to its own end: " + str(r.result))
    expect_unprofiled(r)


def test_unreadable_program():
    directory = setup("ending")
    os.chmod(os.path.join(directory, "ending"), 0o711)
    r = record_as_nobody(directory, "--", "./ending", "300", "exit")
    expect_equal(r.result.status, 7, str(r.result))
    expect_unprofiled(r)


def test_unreadable_program_of_a_script():
    """Of those that a command starts nothing tells, but time without samples has a reason."""
    directory = setup("ending")
    os.chmod(os.path.join(directory, "ending"), 0o711)
    for _ in range(5):
        r = record_as_nobody(directory, "--", "sh", "-c", "./ending 800 exit; true")
        expect_equal(r.result.status, 0, str(r.result))
        if not r.counts():
            break
    else:
        raise Skip("the shell itself takes long enough to be sampled here")
    expect(re.search(r"^prof: no samples: .* of CPU went to processes shorter than a sampling period, or to programs that are "
                     r"set-uid or unreadable", r.result.err, re.M), str(r.result))


def status_of(pid):
    with open("/proc/%d/status" % pid, encoding="ascii", errors="replace") as f:
        return dict(line.rstrip("\n").split(":", 1) for line in f)


def worker_of(pid):
    return wait_until(lambda: child_named(pid, "prof-worker"), "the recording process")


def confined(pid):
    """What the recording process may do, once it has given up the rest."""
    return wait_until(lambda: status_of(pid) if status_of(pid)["Seccomp"].strip() == "2" else None, "the filter")


def open_files(pid):
    found = []
    for fd in os.listdir("/proc/%d/fd" % pid):
        try:
            found.append(os.readlink("/proc/%d/fd/%s" % (pid, fd)))
        except OSError:  # closed meanwhile
            pass
    return found


WAIT = "while [ ! -e go ]; do sleep 0.05; done"


def let_go(process, directory="."):
    """The recorded command ends; so does prof."""
    with open(os.path.join(directory, "go"), "w", encoding="ascii"):
        pass
    return finish(process)


def check_worker(status):
    for line in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
        expect_equal(int(status[line], 16), 0, line)
    expect_equal(status["NoNewPrivs"].strip(), "1", "no new privileges")


def test_worker_has_no_rights():
    need_root()
    p = start(PROF, "record", "-o", "t.data", "--", "sh", "-c", WAIT)
    worker = worker_of(p.pid)
    status = confined(worker)
    wait_until(lambda: any("/t.data" in link for link in open_files(worker)), "the output file is passed to it")
    expect_equal(let_go(p).status, 0, "prof record")
    check_worker(status)
    expect_equal(int(status["CapBnd"], 16), 0, "CapBnd")
    for line in ("Uid", "Gid"):
        ids = set(status[line].split())
        expect(len(ids) == 1 and ids != {"0"}, "%s: %s" % (line, ids))
    expect_equal(status["Groups"].split(), [], "groups")


def test_worker_of_a_user_is_confined():
    directory = setup()
    p = start(need_tool("setpriv"), "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", "--bounding-set=-all",
              "./prof", "record", "-o", "t.data", "--", "sh", "-c", WAIT, cwd=directory)
    status = confined(worker_of(p.pid))
    expect_equal(let_go(p, directory).status, 0, "prof record")
    check_worker(status)


def test_worker_that_is_ended_says_so():
    p = start(PROF, "record", "-o", "t.data", "--", "sh", "-c", WAIT)
    worker = worker_of(p.pid)
    wait_until_recording("t.data")
    os.kill(worker, signal.SIGSYS)
    r = let_go(p)
    expect("ended early: Bad system call" in r.err, r.err)


def test_check():
    r = prof("check", "--json")
    report = json.loads(r.out)
    expect_equal(r.status, 0 if report["can_sample"] else 1, str(r))
    for finding in report["findings"]:
        expect(finding["state"] in ("ok", "limited", "no", "info"), str(finding))
        expect(finding["state"] != "no" or finding["remedy"], "a remedy: %s" % finding)
    as_user = as_nobody(copy_for_everybody(PROF), "check")
    expect(as_user.status in (0, 1) and as_user.err == "", str(as_user))


if __name__ == "__main__":
    main(globals())
