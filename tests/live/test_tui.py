"""The interactive view on real terminals: tmux shows it, keys are sent, screens are read. Nothing waits for a time, only
for what is to be on the screen."""
import os
import re
import shlex
import signal
import stat
import subprocess
import time

from proftest import (PATIENCE, PROF, SOURCE, Failure, environment, expect, expect_equal, main, need_tool, program, prof,
                      record, run)

SHELL_READY = "ready>"


class Terminal:
    """A shell in a window of a tmux server of its own."""

    count = 0

    def __init__(self, width=80, height=24, **env):
        Terminal.count += 1
        self.tmux = [need_tool("tmux"), "-S", os.path.abspath("tmux.%d" % Terminal.count), "-f", "/dev/null"]
        env.setdefault("TERM", "screen-256color")
        self.env = environment(PS1=SHELL_READY + " ", ENV="", PROF=PROF, **env)
        shell = ["env"] + ["%s=%s" % (k, v) for k, v in self.env.items() if k in env or k in ("PS1", "ENV", "PROF", "LC_ALL")]
        self.call("new-session", "-d", "-x", str(width), "-y", str(height), *shell, "sh")
        self.call("set-option", "-g", "status", "off")
        self.call("resize-window", "-x", str(width), "-y", str(height))
        self.wait(SHELL_READY)

    def call(self, *words):
        r = subprocess.run(self.tmux + list(words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           env=self.env, timeout=PATIENCE, check=False)
        expect_equal(r.returncode, 0, "tmux %s: %s" % (" ".join(words), r.stdout))
        return r.stdout.decode("utf-8", "replace")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(self.tmux + ["kill-server"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)

    def screen(self, *options):
        return self.call("capture-pane", "-p", *options)

    def until(self, condition, what):
        end = time.monotonic() + PATIENCE / 4
        while True:
            text = self.screen()
            if condition(text):
                return text
            if time.monotonic() > end:
                raise Failure("never on the screen: %s\n%s" % (what, text))
            time.sleep(0.02)

    def wait(self, *words):
        return self.until(lambda text: all(w in text for w in words), " and ".join(words))

    def gone(self, word):
        return self.until(lambda text: word not in text, "a screen without " + word)

    def keys(self, *keys):
        self.call("send-keys", *keys)

    def type(self, text):
        self.call("send-keys", "-l", text)

    def command(self, line):
        """Run a shell's command; what it printed."""
        self.call("send-keys", "-R", ";", "send-keys", "Enter")
        self.until(lambda text: text.strip() == SHELL_READY, "an empty screen")
        self.type(line)
        self.keys("Enter")

    def open(self, options="", height=24):
        self.command('"$PROF" report %s; echo "status $?"' % options)
        return self.wait("quit") if height > 5 else self.wait("q quit")

    def close(self):
        self.keys("q")
        return self.wait("status 0", SHELL_READY)

    def pid(self):
        """Of prof, the shell's child."""
        shell = self.call("display-message", "-p", "#{pane_pid}").strip()
        with open("/proc/%s/task/%s/children" % (shell, shell), encoding="ascii") as f:
            children = f.read().split()
        expect_equal(len(children), 1, "the shell's children")
        return int(children[0])


def recording():
    """Made once for each test: functions with known names."""
    return record(program("shares"), 300, path="prof.data")


def modes(terminal):
    terminal.command("stty -a >modes; echo done-$?")
    terminal.wait("done-0")
    with open("modes", encoding="ascii") as f:
        return f.read()


def test_opens_moves_and_closes():
    recording()
    with Terminal() as t:
        before = modes(t)
        screen = t.open()
        for word in ("? help", "q quit", "health:", "icicle graph", "all  100.0%", "main"):
            expect(word in screen, "%s on the first screen:\n%s" % (word, screen))
        t.keys("Down")
        t.keys("Down")
        t.keys("Down")
        t.wait(" of its caller")
        t.keys("?")
        t.wait("Each box is a function", "roots on top")
        t.keys("Escape")
        t.gone("Each box")
        screen = t.close()
        expect("icicle" not in screen, "the screen is as before:\n" + screen)
        expect_equal(modes(t), before, "the terminal's modes")


def test_zoom_search_filter_undo():
    recording()
    with Terminal(100, 30) as t:
        t.open()
        t.type("/half")
        t.wait("search (regular expression): half")
        t.keys("Enter")
        t.wait("/half: ", " frame")
        t.keys("n")
        t.wait("half  program")
        t.keys("Enter")
        t.wait("› half")
        t.keys("u")
        t.gone("› half")
        t.type("X")  # no stacks through what was found
        t.wait("without /half/", "filtered")
        t.type("u")
        t.wait("undone")
        t.gone("without /half/")
        t.type("@10%-50%")
        t.keys("Enter")
        t.wait("time 10%-50%")
        t.type("l")
        t.wait("Filters: Enter takes one back")
        t.keys("Enter")
        t.gone("time 10%-50%")
        t.type("t")
        t.wait("SELF", "TOTAL", "FUNCTION")
        t.type("C")
        t.wait("prof report")
        t.close()


def test_resize():
    recording()
    with Terminal() as t:
        t.open()
        t.call("resize-window", "-x", "140", "-y", "45")
        screen = t.wait("SELF", "SOURCE", "! findings")
        expect_equal(len(screen.splitlines()), 45, "rows")
        t.call("resize-window", "-x", "20", "-y", "5")
        t.until(lambda text: text.rstrip("\n").splitlines()[-1].startswith("? help  ") and "SELF" not in text, "a small screen")
        t.keys("Down")
        t.call("resize-window", "-x", "80", "-y", "24")
        t.wait("icicle graph", "t table")
        t.close()


TERMS = (("screen-256color", {}), ("sixteen", {"TERMINFO": "terminfo"}), ("xterm", {}), ("vt100", {}),
         ("screen-256color", {"NO_COLOR": "1"}), ("screen-256color", {"LC_ALL": "C"}))


def colours_in(screen):
    return set(re.findall(r"\x1b\[[0-9;]*4[0-8][0-9;]*m", screen))


def describe_sixteen_colours():
    """Of such a terminal Debian has a description in a package only that is seldom there."""
    with open("sixteen.ti", "w", encoding="ascii") as f:
        f.write("sixteen|16 colours,\n\tcolors#16, pairs#0x7fff, use=xterm-256color,\n")
    r = run("tic", "-x", "-o", "terminfo", "sixteen.ti")
    expect_equal(r.status, 0, str(r))


def test_terminals():
    recording()
    describe_sixteen_colours()
    for term, more in TERMS:
        more = {k: os.path.abspath(v) if k == "TERMINFO" else v for k, v in more.items()}
        with Terminal(TERM=term, **more) as t:
            t.open()
            t.keys("Down")
            screen = t.screen("-e")
            has_colours = term not in ("vt100",) and "NO_COLOR" not in more
            expect_equal(bool(colours_in(screen)), has_colours, "grounds on %s %s: %r" % (term, more, screen))
            if more.get("LC_ALL") == "C":
                expect(all(ord(c) < 128 for c in t.screen()), "ASCII alone: " + t.screen())
            t.close()


def test_not_on_every_terminal():
    """Where it cannot be shown it is text; --tui says so in one line."""
    recording()
    with Terminal(TERM="dumb", PROF_PAGER="cat") as t:
        t.command('"$PROF" report; echo "status $?"')
        screen = t.wait("status 0")
        expect("SELF" in screen and "quit" not in screen, "text: " + screen)
        t.command('"$PROF" report --tui; echo "status $?"')
        screen = t.wait("status 1")
        expect("prof report: the terminal 'dumb' cannot place text (TERM)" in screen, screen)
        for options in ("--stdio", "--limit 3", "--by thread"):
            t.command('TERM=screen "$PROF" report %s; echo "status $?"' % options)
            expect("quit" not in t.wait("status 0"), "text with " + options)
    plain = prof("report")
    expect_equal(plain.status, 0, str(plain))
    expect_equal(prof("report", "--stdio").out, plain.out, "text on a pipe")
    r = prof("report", "--tui")
    expect_equal((r.status, r.err), (1, "prof report: standard input and output must be a terminal\n"), "--tui on a pipe")
    r = prof("report", "--tui", "--json")
    expect_equal((r.status, r.err), (2, "prof report: --tui or --json, not both\n"), "--tui --json")


def test_small():
    recording()
    with Terminal(20, 5) as t:
        t.open(height=5)
        t.keys("Down")
        t.keys("Right")
        t.keys("t")
        t.wait("SELF")
        t.close()


def test_views_to_begin_with():
    recording()
    with Terminal() as t:
        for options, word in (("--inverted", "bottom-up"), ("--callers half", "callers & callees of half"), ("--tree", "icicle graph"),
                              ("--by function", "table of functions"), ("--by module", "table of modules"),
                              ("--by module --tree", "icicle graph of modules"), ("--time 10%-90%", "time 10%-90%"), ("--hide half --focus half", "hidden half")):
            screen = t.open(options)
            expect(word in screen, "%s: %s" % (options, screen))
            t.close()
        t.command('"$PROF" report --callers no_such; echo "status $?"')
        screen = t.wait("status 1")
        expect("no such function" in screen, screen)


def expect_restored(t, before):
    screen = t.wait(SHELL_READY)
    expect_equal(t.call("display-message", "-p", "#{mouse_any_flag}").strip(), "0", "clicks that are asked for")
    expect("icicle" not in screen, "the screen is as before:\n" + screen)
    expect_equal(modes(t), before, "the terminal's modes")


def test_signals_leave_the_terminal_as_it_was():
    recording()
    with Terminal() as t:
        before = modes(t)
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGSEGV, signal.SIGABRT):
            t.command('ulimit -c 0; "$PROF" report; echo "status $?"')
            t.wait("q quit")
            os.kill(t.pid(), number)
            t.wait("status %d" % (128 + number))
            expect_restored(t, before)
        # From the keyboard; the shell stops its list then, too.
        t.open()
        t.keys("C-c")
        t.gone("q quit")
        expect_restored(t, before)


def test_suspend():
    recording()
    with Terminal() as t:
        t.open()
        t.keys("C-z")
        t.wait(SHELL_READY)
        t.gone("icicle graph")
        t.keys("fg", "Enter")
        t.wait("icicle graph", "q quit")
        t.keys("Down")
        t.keys("q")
        t.wait(SHELL_READY)


def has_mouse(t):
    """Whether what runs in the window has asked for clicks."""
    return t.call("display-message", "-p", "#{mouse_any_flag}").strip() == "1"


def click(t, x, y):
    """As a terminal of this TERM says that the button was pressed, and let go; from 0."""
    if t.env["TERM"].startswith("xterm"):
        t.type("\x1b[<0;%d;%dM\x1b[<0;%d;%dm" % (x + 1, y + 1, x + 1, y + 1))
    else:
        t.type("\x1b[M %c%c\x1b[M#%c%c" % (33 + x, 33 + y, 33 + x, 33 + y))


def drag(t, x, to, y):
    """Pressed at column x, let go at another of the same row."""
    if t.env["TERM"].startswith("xterm"):
        t.type("\x1b[<0;%d;%dM\x1b[<0;%d;%dm" % (x + 1, y + 1, to + 1, y + 1))
    else:
        t.type("\x1b[M %c%c\x1b[M#%c%c" % (33 + x, 33 + y, 33 + to, 33 + y))


def test_part_of_the_time():
    recording()
    for term in ("screen-256color", "xterm-256color"):
        with Terminal(height=32, TERM=term) as t:
            t.open()
            y = next(i for i, line in enumerate(t.screen().splitlines()) if line.startswith("0 "))
            drag(t, 12, 31, y)
            t.wait("∩ time ")
            t.type("u")
            t.wait("undone")
            t.keys("p", "Space", "PPage")
            t.wait(" CPUs   Enter show it")
            t.keys("Enter")
            t.wait("∩ time ")
            t.close()


def test_mouse():
    recording()
    for term in ("screen-256color", "xterm-256color"):
        with Terminal(TERM=term) as t:
            t.open()
            expect(has_mouse(t), "it has the mouse")
            y = next(i for i, line in enumerate(t.screen().splitlines()) if line.startswith("▏main  "))
            click(t, 3, y)
            t.until(lambda text: text.splitlines()[-3].startswith("main  program"), "main is selected")
            click(t, 5, y)
            t.wait("› main")
            t.type("P")
            t.wait("the mouse is the terminal's")
            expect(not has_mouse(t), "it has given the mouse back")
            t.type("P")
            t.wait("the mouse is prof's")
            expect(has_mouse(t), "it has the mouse again")
            t.keys("C-z")
            t.wait(SHELL_READY)
            expect(not has_mouse(t), "no mouse while suspended")
            t.keys("fg", "Enter")
            t.wait("icicle graph")
            expect(has_mouse(t), "the mouse after fg")
            t.keys("q")
            t.gone("icicle graph")
            expect(not has_mouse(t), "no mouse at the end")


def script(path, text):
    with open(path, "w", encoding="ascii") as f:
        f.write("#!/bin/sh\n" + text)
    os.chmod(path, stat.S_IRWXU)
    return os.path.abspath(path)


def test_editor():
    record(program("annotated"), 300, path="prof.data")
    editor = script("my editor", 'for a in "$@"; do echo "[$a]"; done >arguments; echo EDITING; read line\n')
    os.rename("my editor", "editor")
    editor = os.path.join(os.path.dirname(editor), "editor")
    with Terminal(EDITOR=editor + " --wait", VISUAL="") as t:
        t.open()
        t.type("/^work$")
        t.keys("Enter")
        t.keys("n")
        t.wait("work  program")
        t.type("o")
        t.wait("EDITING")
        t.keys("Enter")
        t.wait("icicle graph", "q quit")
        with open("arguments", encoding="utf-8") as f:
            words = f.read().splitlines()
        expect_equal(words[0], "[--wait]", "the editor's own option")
        expect(re.fullmatch(r"\[\+\d+\]", words[1]), "the line: %s" % words)
        expect_equal(words[2], "[%s]" % os.path.join(SOURCE, "tests/programs/annotated.c"), "the file")
        t.type("a")
        t.wait("SHARE", "LINE")
        t.type("i")
        t.keys("Escape")
        t.close()
    with Terminal(EDITOR="/nonexistent/editor", VISUAL="") as t:
        t.open()
        t.type("/^work$")
        t.keys("Enter")
        t.keys("n")
        t.wait("work  program")
        t.type("o")
        t.wait("cannot be run: set EDITOR")
        t.close()


def test_source_pane():
    """Beside the graph: the file where the program says it is, or below --source-dir."""
    os.mkdir("below")
    with open(os.path.join(SOURCE, "tests/programs/annotated.c"), encoding="utf-8") as f:
        text = f.read()
    with open("below/annotated.c", "w", encoding="utf-8") as f:
        f.write(text + "/* the end of another copy */\n")
    record(program("annotated"), 300, path="prof.data")
    for options, last in (("", text.splitlines()[-1]), ("--source-dir below", "the end of another copy")):
        with Terminal(160, 50) as t:
            t.open(options)
            t.type("/^work$")
            t.keys("Enter")
            t.type("n")
            t.wait("SOURCE  annotated.c:")
            t.type("]" * (len(text.splitlines()) // 5 + 1))
            t.wait(last)
            t.close()


def test_picture():
    recording()
    need_tool("xmllint")
    with Terminal() as t:
        t.open()
        t.type("w")
        t.wait("write SVG to: flame.svg")
        t.keys("Enter")
        t.wait("wrote flame.svg")
        r = run("xmllint", "--noout", "--huge", "flame.svg")
        expect_equal(r.status, 0, str(r))
        expect_equal(prof("report", "--json", "flame.svg").status, 0, "it is a profile")
        # What exists is replaced only when the user says so.
        with open("other.svg", "w", encoding="ascii") as f:
            f.write("mine")
        for answer, word in (("n", "not written"), ("y", "wrote other.svg")):
            t.type("w")
            t.wait("write SVG to: flame.svg")
            t.type("other.svg")
            t.keys("Enter")
            t.wait("other.svg exists. Overwrite?")
            t.type(answer)
            t.wait(word)
            with open("other.svg", encoding="utf-8") as f:
                expect_equal(f.read() == "mine", answer == "n", "after " + answer)
        t.type("w")
        t.type("nowhere/x.svg")
        t.keys("Enter")
        t.wait("nowhere/x.svg")
        t.type("w")
        t.type("/dev/null")
        t.keys("Enter")
        t.wait("not a regular file")
        t.close()


def copied_command(t):
    """What C copies, as words."""
    if t.call("list-buffers").strip():
        t.call("delete-buffer")
    t.type("C")
    end = time.monotonic() + PATIENCE / 4
    while "prof report" not in t.call("list-buffers") and time.monotonic() < end:
        time.sleep(0.02)
    return shlex.split(t.call("show-buffer"))


def test_picture_is_what_prof_flame_draws():
    """With the words of the command that is copied from the same view."""
    record(program("shares"), 300, options=("-e", "task-clock,page-faults"), path="prof.data")
    with Terminal(120, 30) as t:
        t.call("set-option", "-s", "set-clipboard", "on")
        t.open()
        for keys, shown in (("", "icicle graph"), ("@10%-80% Enter", "time 10%-80%"), ("/^half$ Enter X", "without /^half$/"),
                            ("b", "bottom-up"), ("r E Down Enter", "event page-faults"), ("i", "bottom-up flame graph")):
            for key in keys.split():
                (t.keys if key in ("Enter", "Down") else t.type)(key)
            t.wait(shown)
            words = copied_command(t)
            expect_equal(words[:2], ["prof", "report"], "the command")
            t.type("w")
            t.wait("write SVG to")
            t.type("view.svg")
            t.keys("Enter")
            t.wait("wrote view.svg")
            upside_down = [] if "flame graph" in shown else ["--inverted"]
            options = [w for w in words[2:] if w not in ("--tree", "--inverted")] + upside_down
            options += ["--reverse"] if "--inverted" in words else []
            expect_equal(prof("flame", "-q", "-o", "flame.svg", *options).status, 0, " ".join(words))
            with open("view.svg", "rb") as a, open("flame.svg", "rb") as b:
                expect(a.read() == b.read(), "another picture: prof flame " + " ".join(options))
            os.unlink("view.svg")
        t.close()


def test_copy_reaches_the_clipboard():
    recording()
    with Terminal() as t:
        t.call("set-option", "-s", "set-clipboard", "on")
        t.open()
        t.type("C")
        t.wait("copied, where the terminal lets us: prof report --tree")
        end = time.monotonic() + PATIENCE / 4
        while "prof report --tree" not in t.call("list-buffers") and time.monotonic() < end:
            time.sleep(0.02)
        expect_equal(t.call("show-buffer"), "prof report --tree", "tmux's buffer")
        t.close()


def test_names_cannot_reach_the_terminal():
    """Control characters in names stay text; other alphabets are shown."""
    record(program("names"), 300, path="prof.data")
    with Terminal(120, 40) as t:
        t.open()
        for name, shown in (("ctl", "\\x"), ("\u0444\u0443\u043d\u043a", "\u0444\u0443\u043d\u043a"), ("semi", "semi")):
            t.type("/")
            t.type(name)
            t.keys("Enter")
            t.wait("/%s: " % name, shown)
            t.type("n")
            t.wait(shown)
        t.type("y")
        t.wait("command")
        t.keys("Escape")
        t.close()


if __name__ == "__main__":
    main(globals())
