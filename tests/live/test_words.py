"""What prof says by itself: commands to copy name the file that was read; outside UTF-8 everything is ASCII."""
import os
import re
import shutil

from proftest import Recording, environment, expect, expect_equal, main, program, prof, record, run


def hints(text):
    return [line for line in text.splitlines() if line.startswith(("next: ", "to ")) or " more" in line and "prof " in line]


def test_commands_name_the_file():
    recording = record(program("shares"), 40, path="test.data")  # few samples: there is advice
    named = "it's mine.data"
    shutil.copy(recording.path, named)
    shutil.copy(recording.path, "prof.data")
    r = prof("report", "--limit", "1", named)
    expect_equal(r.status, 0, str(r))
    lines = hints(r.out)
    quoted = "'it'\\''s mine.data'"
    expect(any(line.startswith("next: prof report %s --tree" % quoted) for line in lines), r.out)
    expect("prof flame " + quoted in r.out, r.out)
    expect(any("prof report %s --limit " % quoted in line for line in lines), r.out)
    told = [line.strip() for line in r.out.splitlines() if line.startswith("  ") and line.strip().startswith("prof record ")]
    expect_equal(len(told), 1, r.out)
    expect(told[0].startswith("prof record -o %s " % quoted), told[0])
    report = Recording(named).report()
    expect_equal([f["command"] for f in report["findings"] if f["id"] == "few-samples"], told, "the same in JSON")
    expect_equal(report["health"]["remedy"], told[0], "and in its health")
    expect("\nto have more samples: %s\n" % told[0] in prof("report", "--tree", named).out, "and in the tree")
    # Copied into a shell they do what they say.
    tree = next(line for line in lines if line.startswith("next: "))[len("next: "):].split(" \u00b7 ")[0]
    r = run("sh", "-c", tree.replace("prof ", '"$PROF" ', 1))
    expect_equal(r.status, 0, tree + str(r))
    expect("half" in r.out, r.out)
    r = prof("report", "--limit", "1")
    expect("next: prof report --tree" in r.out and "prof.data" not in r.out, r.out)


def copied(command):
    """What a shell makes of it."""
    r = run("sh", "-c", command.replace("prof ", '"$PROF" ', 1))
    expect_equal(r.status, 0, command + str(r))
    return r.out


def test_commands_keep_what_was_chosen():
    """The next one is about the same samples as the one that suggests it."""
    recording = record(program("shares"), 300, path="test.data")
    options = ("--focus", "h[a]lf|q.*r", "--comm", "shares", "--percent-limit", "0", "--demangle=simple", "--time", "10%-90%")
    r = prof("report", "--by", "line", "--limit", "1", *options, recording.path)
    expect_equal(r.status, 0, str(r))
    lines = hints(r.out)
    chosen = " --comm shares --focus 'h[a]lf|q.*r' --demangle simple"
    more = next((line for line in lines if " more lines: " in line), "").partition(": ")[2]
    expect(more.startswith("prof report test.data --time 10%-90%" + chosen + " --by line --limit "), r.out)
    def total(text):
        return re.search(r"^  ([\d ]+) samples? of", text, re.M).group(1)
    expect_equal(total(copied(more)), total(r.out), "samples of " + more)
    expect(total(prof("report", recording.path).out) != total(r.out), "the filter leaves something out")
    tree = next(line for line in lines if line.startswith("next: "))[len("next: "):].split(" \u00b7 ")[0]
    expect_equal(tree, "prof report test.data --time 10%-90%" + chosen + " --tree", "the tree")
    expect_equal(total(copied(tree)), total(r.out), "samples of " + tree)
    expect("prof flame test.data --time 10%-90%" + chosen + "\n" in r.out, r.out)


def printed_commands(text):
    """All commands of a report: below findings and tables, and in the last lines, which may be several in one."""
    commands, last = [], False
    for line in text.splitlines():
        last = last or line.startswith("next: ")
        part = line.partition("next: ")[2] or line
        if last:
            commands += [c if c.startswith("prof ") else None for c in part.strip().split(" \u00b7 ")]
        elif re.match(r" +prof (report|annotate|flame|info) ", line):
            commands.append(line.strip())
        elif " more " in line and ": prof report " in line:
            commands.append(line.partition(": ")[2])
    return [c for c in commands if c]


def test_printed_commands_show_what_they_say():
    """Each of those that read runs, is about the same file and the same samples, and names what it shows."""
    recording = record(program("habits"), "malloc", path="test.data")
    views = ((), ("--by", "line"), ("--by", "module"), ("--by", "thread"), ("--tree",), ("--by", "line", "--comm", "habits"),
             ("--focus", "main", "--limit", "2"), ("--hide", "main", "--by", "line"))
    seen = set()
    for view in views:
        r = prof("report", "--stdio", *view, recording.path)
        expect_equal((r.status, r.err), (0, ""), str(r))
        commands = printed_commands(r.out)
        expect(commands or "--tree" in view, "%s: %s" % (view, r.out))
        for command in commands:
            if command in seen:
                continue
            seen.add(command)
            expect("test.data" in command, command)
            shown = run("sh", "-c", command.replace("prof ", '"$PROF" ', 1))
            expect_equal((shown.status, shown.err.replace("prof flame: wrote flame.svg (open it in a browser)\n", "")), (0, ""), command + str(shown))
            callers = re.search(r" --callers ([^' ,]+)", command)
            expect(not callers or callers.group(1) in shown.out, "%s: %s" % (command, shown.out))
    expect(any(c.startswith("prof flame ") for c in seen) and any(" --callers " in c for c in seen), str(seen))


def test_ascii_in_the_c_locale():
    """But for names, which are the user's."""
    env = environment(LC_ALL="C")
    r = prof("record", "-o", "test.data", "--", program("shares"), 200, env=env)
    expect_equal((r.status, " -> test.data (" in r.err), (0, True), str(r))
    said = [r]
    said.append(prof("record", "-o", "none.data", "--", "true", env=env))
    for command in (("report",), ("report", "--tree"), ("report", "--callers", "half"), ("report", "--by", "line"), ("report", "--csv"),
                    ("report", "--json"), ("info",), ("info", "--json"), ("folded",), ("flame", "-o", "x.svg"), ("symbolize",)):
        r = prof(*command, "test.data", env=env)
        expect_equal(r.status, 0, str(r))
        said.append(r)
    commands = ("record", "report", "flame", "folded", "info", "check", "list", "import", "symbolize", "cache", "help")
    said += [prof(name, "--help", env=env) for name in commands]
    said += [prof(*command, env=env) for command in (("--help",), (), ("help",), ("check",), ("check", "--json"), ("list",), ("cache",), ("nothing",))]
    for r in said:
        text = r.out + r.err
        expect(text.isascii(), "%s: %s" % (" ".join(r.args), [line for line in text.splitlines() if not line.isascii()]))
    r = prof("info", "test.data")
    expect("\u00b7" in r.out, "in UTF-8 it is not: " + r.out)


if __name__ == "__main__":
    main(globals())
