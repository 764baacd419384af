"""Bad words of prof stat: one line on standard error, nothing run."""
import os

from proftest import expect, expect_equal, main, prof

SEE = "; see 'prof stat --help'"


def fault(line, *args, status=2):
    r = prof("stat", *args)
    expect_equal((r.status, r.out, r.err), (status, "", "prof stat: " + line + "\n"), str(args))
    expect(not os.path.exists("ran"), "the command ran")


def test_whom():
    fault("nothing to count: give a command (prof stat -- ./app), a process (-p PID) or -a for the whole machine" + SEE)
    fault("a command or running processes, not both (for a limited time: --duration)" + SEE, "-p", "1", "--", "touch", "ran")
    fault("-a already has everything: leave -p and -t out" + SEE, "-a", "-p", "1")
    fault("-p: 'x' is not a process or thread number", "-p", "x")
    fault("-t: '0' is not a process or thread number", "-t", "1,0")
    fault("-C 1-: not a CPU list (such as 0,2-3)", "-C", "1-", "--", "touch", "ran")
    fault("-C: CPU 60000 is not online", "-C", "60000", "--", "touch", "ran", status=2)


def test_what():
    r = prof("stat", "-e", "page-fault", "--", "touch", "ran")
    expect_equal((r.status, r.out), (2, ""), str(r))
    expect(r.err.startswith('prof stat: no event "page-fault"') and "page-faults" in r.err, r.err)
    fault("--metrics: there is no metric or set 'ipx' for this processor; did you mean ipc?", "-M", "ipx", "--", "touch", "ran")
    r = prof("stat", "--metric-file", "missing.txt", "--", "touch", "ran")
    expect_equal(r.status, 2, str(r))
    expect("missing.txt" in r.err and not os.path.exists("ran"), str(r))


def test_how():
    fault("--json or --csv, not both" + SEE, "--json", "--csv", "--", "touch", "ran")
    fault("-x: the separator is empty" + SEE, "-x", "", "--", "touch", "ran")
    fault("-r or -I, not both" + SEE, "-r", "3", "-I", "100", "--", "touch", "ran")
    fault("-I: an interval has at least 1 ms" + SEE, "-I", "0", "--", "touch", "ran")
    fault("-r, --warmup: only a command can be run again" + SEE, "-r", "3", "-p", "1")
    fault("-r, --warmup: at most 100000 runs" + SEE, "-r", "100001", "--", "touch", "ran")
    fault("the counters are told apart by one thing only (--by)" + SEE, "--per-core", "--per-socket", "--", "touch", "ran")
    fault("--by thread: of a command (-- ./app), a process (-p) or threads (-t), not of whole CPUs" + SEE, "--by", "thread", "-a")


if __name__ == "__main__":
    main(globals())
