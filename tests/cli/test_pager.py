"""Text that is longer than the terminal goes through a pager."""
import fcntl
import os
import pty
import struct
import termios

from proftest import PROF, environment, expect, expect_equal, main, prof

ROWS = 24
MARK = "sed s/^/page:/"


def folded(functions):
    with open("in.folded", "w", encoding="utf-8") as f:
        for i in range(functions):
            f.write("app;main;function_%d %d\n" % (i, 100 + i))
    return "in.folded"


def on_terminal(*args, rows=ROWS, columns=80, **variables):
    """Status and text of prof on a terminal of its own."""
    env = environment(TERM="xterm", NO_COLOR="1", **variables)
    for name in ("PAGER", "PROF_PAGER", "LESS"):
        if name not in variables:
            env.pop(name, None)
    pid, master = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        os.execve(PROF, [PROF, *args], env)
    out = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:
            piece = b""
        if not piece:
            break
        out += piece
    os.close(master)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return status, out.decode("utf-8", "surrogateescape").replace("\r\n", "\n")


def report(*options, functions=100, **variables):
    return on_terminal("report", "--stdio", "--limit", "100", *options, folded(functions), **variables)


def test_long_text_is_paged():
    plain = prof("report", "--stdio", "--limit", "100", "--width", "80", folded(100)).out
    status, out = report("--width", "80", PROF_PAGER=MARK)
    expect_equal((status, out), (0, "".join("page:" + line + "\n" for line in plain.splitlines())), "each line of it")
    expect_equal(report("--width", "80", "--no-pager", PROF_PAGER=MARK), (0, plain), "--no-pager")
    for none in ("", "cat"):
        expect_equal(report("--width", "80", PROF_PAGER=none, PAGER=MARK), (0, plain), "PROF_PAGER=" + none)


def test_what_fits_is_not():
    status, out = report(functions=3, PROF_PAGER=MARK)
    expect_equal(status, 0, out)
    expect("function_2" in out and "page:" not in out, out)
    lines = out.count("\n")
    expect("page:" not in report(functions=3, rows=lines + 1, PROF_PAGER=MARK)[1], "a line is left for the prompt")
    expect("page:" in report(functions=3, rows=lines, PROF_PAGER=MARK)[1], "none is")
    expect("page:" not in prof("report", "--limit", "100", folded(100), env=environment(PROF_PAGER=MARK)).out, "no terminal")


def test_which_pager():
    expect("two:" in report(PROF_PAGER="sed s/^/two:/", PAGER=MARK)[1], "PROF_PAGER is first")
    expect("page:" in report(PAGER=MARK)[1], "then PAGER")
    expect("less is FRX" in report(PROF_PAGER='echo "less is $LESS"; cat')[1], "less is told what to do")
    expect("less is -S" in report(LESS="-S", PROF_PAGER='echo "less is $LESS"; cat')[1], "unless the user did")
    status, out = report(PROF_PAGER="no-such-pager-here")
    expect_equal(status, 0, out)
    expect("function_99" in out and "function_0\n" in out, "without the pager: " + out)


def test_the_status_is_of_the_report():
    # Reads a line and leaves; more than a pipe holds is left.
    status, out = on_terminal("report", "--stdio", "--limit", "5000", folded(5000), PROF_PAGER="head -n 1; exit 5")
    expect_equal((status, out.count("\n")), (0, 1), out)
    status, out = report("--fail-if", "self(function_1) > 1%", PROF_PAGER="head -n 1 >/dev/null")
    expect_equal(status, 0, "nothing surely holds of folded stacks: " + out)
    expect(out.startswith("prof report: --fail-if"), "after the pager: " + out)


def test_other_commands():
    for command in (["list"], ["info"], ["annotate", "--whole"]):
        option = "--no-pager"
        expect(option in prof(command[0], "--help").out, "%s has %s" % (command, option))
    expect("page:" in on_terminal("list", PROF_PAGER=MARK, rows=5)[1], "prof list")
    expect("page:" in on_terminal("info", folded(3), PROF_PAGER=MARK, rows=3)[1], "prof info")


if __name__ == "__main__":
    main(globals())
