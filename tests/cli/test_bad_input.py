"""Bad input gets one line on standard error (what, where, what to do), nothing on standard output, and the stated
exit status."""
import os
import shutil
import subprocess

from proftest import IS_ROOT, NOBODY, PROF, SOURCE, as_nobody, copy_for_everybody, expect, expect_equal, main, prof, run, world_directory

READERS = ("report", "folded", "info", "symbolize")

NO_PROFILE = ("is not a profile (prof reads its own prof.data, perf.data, what perf script prints, pprof's profiles, "
              "folded stacks and prof's flame graphs)")


def expect_line(result, status, line):
    expect_equal(result.status, status, str(result))
    expect_equal(result.out, "", "standard output of " + " ".join(result.args))
    expect_equal(result.err, line + "\n", " ".join(result.args))


def fault(status, line, *args, **more):
    expect_line(prof(*args, **more), status, line)


def test_events():
    for words, line in (
            ("{cs", 'the group "{cs" has no closing }'),
            ("cs}", '"cs}": a brace without its partner; a group is {a,b}'),
            ("{}:u", "the group {} is empty"),
            ("{cs,{faults}}", "a group cannot hold another one; use {a,b},{c,d}"),
            ("{cs}x", 'after a group\'s } only modifiers can follow, as in {a,b}:u, not "x"'),
            ("cs:x", '"cs:x": the event cs takes no such modifier; there are u k h (whose code), G H I, p P (precise), '
                     "D e (of groups)"),
            ("cs:p", "context-switches:p: p (precise) is for hardware events; the kernel counts this one itself; leave it out"),
            ("{cs,faults:D}", "page-faults:D: only a group's first event can be pinned (D) or exclusive (e); put it first, or "
                              "after the group: {a,b}:D"),
            ("page-fault", 'no event "page-fault", did you mean page-faults?'),
            ("sotfware/config=1/", 'no PMU "sotfware" here, did you mean software?'),
            ("software/conig=1/", 'software has no term or event "conig", did you mean config, config1 or config2?'),
            ("software/config=1", '"software/config=1" has no closing /'),
            ("duration_time", "duration_time is measured by perf, not an event; `prof stat` tells the elapsed, user and system "
                              "time without being asked"),
            ("uprobe:f", "probes are not opened by name; make a tracepoint of one, `sudo perf probe -x ./app function`, and use "
                         "-e probe_app:function")):
        fault(2, "prof record: " + line, "record", "-e", words, "-o", "none.data", "--", "true")
        fault(2, "prof stat: " + line, "stat", "-e", words, "--", "true")
        expect(not os.path.exists("none.data"), "nothing is written")


def test_commands():
    fault(2, "prof: there is no command 'recrod'; did you mean record?", "recrod")
    fault(2, "prof: there is no command 'frobnicate'; 'prof help' lists them all", "frobnicate")
    fault(2, "prof help: there is no command 'reprot'; did you mean report?", "help", "reprot")
    fault(2, "prof help: one command at a time", "help", "a", "b")


def test_options():
    see = "; see 'prof record --help'"
    fault(2, "prof record: unknown option --frek; did you mean --freq?" + see, "record", "--frek=3", "x")
    fault(2, "prof record: unknown option --peed" + see, "record", "--peed", "1", "x")
    fault(2, "prof report: unknown option --bogus; see 'prof report --help'", "report", "--bogus")
    fault(2, "prof report: unknown option --fcus; did you mean --focus?; see 'prof report --help'", "report", "--fcus=x")
    fault(2, "prof record: unknown option --wxyz" + see, "record", "--wxyz", "x")
    fault(2, "prof record: unknown option -Z" + see, "record", "-Z", "x")
    fault(2, "prof record: -F needs a value (HZ)" + see, "record", "-F")
    fault(2, "prof record: --quiet takes no value" + see, "record", "--quiet=1", "x")
    fault(2, "prof record: --d can mean --duration, --delay: write more of it" + see, "record", "--d", "1", "x")
    fault(2, "prof report: --by: 'fruit' is not one of function, module, line, thread, process, cpu, event; "
          "see 'prof report --help'", "report", "--by=fruit")
    fault(2, "prof report: --json or --csv, not both", "report", "--json", "--csv")
    fault(2, "prof report: --peek or --callers, not both", "report", "--peek=x", "--callers=x")
    fault(2, "prof report: --peek as text or --json, not --csv", "report", "--peek=x", "--csv")
    fault(2, "prof report: --lines or --by thread, not both", "report", "--lines", "--by=thread")
    fault(2, "prof report: --md or --json, not both", "report", "--json", "--md")
    fault(2, "prof report: --md shows tables, not a call tree", "report", "--tree", "--md")
    fault(2, "prof report: --fail-if: 'self(x) > 5' is no condition: one is like self(\"memcpy\") > 5% or total(main) <= 90%",
          "report", "--fail-if", "self(x) > 5")
    fault(2, "prof report: --percent-limit: at most 100", "report", "--percent-limit=101")
    fault(2, "prof flame: --width: at most 100000", "flame", "--width=200000")
    for command, least in (("report", 20), ("annotate", 20), ("flame", 100)):
        fault(2, "prof %s: --width: at least %d; see 'prof %s --help'" % (command, least, command), command, "--width=5")
    for command in ("report", "annotate"):
        fault(2, "prof %s: --limit: at least 1; see 'prof %s --help'" % (command, command), command, "--limit", "0")
    fault(2, "prof check: takes no 'x'", "check", "x")
    fault(2, "prof import: name one file to import; see 'prof import --help'", "import")


def test_flamegraph_options():
    fault(2, "prof flame: --flamechart: what ran when is other in each run, and cannot be compared",
          "flame", "--flamechart", "--base", "x")
    fault(2, "prof flame: --reverse: a chart in the order of time is not merged from the leaves",
          "flame", "--flamechart", "--reverse")
    fault(2, "prof flame: --negate: a graph with --base shows what is gone, too", "flame", "--negate")
    fault(2, "prof flame: --height: rows have one height", "flame", "--height", "20")
    fault(2, "prof flame: --fonttype: labels are in the reader's monospaced font", "flame", "--fonttype=Verdana")
    fault(2, "prof flame: --notes: use --subtitle", "flame", "--notes", "x")
    for width in ("x", "", "-1", "1%%", "1px", "inf", "1e999"):
        fault(2, "prof flame: --minwidth: '%s' is not a number of pixels or percent" % width, "flame", "--minwidth=" + width)
    fault(2, "prof flame: --colors: 'hott' is not one of kind, java, js, perl, python, rust, hot, red, orange, mem, green, aqua, "
          "wakeup, io, blue, chain, yellow, purple; see 'prof flame --help'", "flame", "--colors=hott")
    directory = world_directory()
    stacks = os.path.join(directory, "stacks.folded")
    with open(stacks, "w") as f:
        f.write("main;work 5\nmain;rest 7\n")
    for options in (("--title", "T", "--width", "800", "--minwidth", "0.1", "--countname", "calls"), ("--colors", "java", "--hash"),
                    ("--colors=hot", "--cp", "--inverted"), ("--minwidth=1%", "--reverse"), ("--html",)):
        r = prof("flame", "-o", "-", *options, stacks)
        expect_equal((r.status, r.err), (0, ""), str(options))
        expect(r.out.startswith("<!DOCTYPE html>" if options == ("--html",) else "<svg "), str(options))


def test_what_is_not_there():
    directory = world_directory()
    stacks, name = os.path.join(directory, "stacks.folded"), os.path.join(directory, "new\nline.folded")
    for path in (stacks, name):
        with open(path, "w") as f:
            f.write("seldom;often 5\nseldom 1\nseldom;now\a 3\n")
    fault(1, "prof report: --focus 'nosuch' matches nothing in this profile; there are often, now\\x07, seldom",
          "report", "--focus=nosuch", stacks)
    fault(1, "prof report: --callers 'nosuch': no such function in these samples; there are often, now\\x07, seldom",
          "report", "--callers=nosuch", stacks)
    fault(1, "prof annotate: %s has functions, but no lines and no code: annotate the recording that it was made from" % stacks,
          "annotate", "-i", stacks)
    svg = os.path.join(directory, "stacks.svg")
    expect_equal(prof("flame", "-q", "-o", svg, stacks).status, 0, "drawn")
    fault(1, "prof annotate: %s has functions, but no lines and no code: annotate the recording that it was made from" % svg,
          "annotate", "-i", svg)
    # What is to be copied is one word again, to bash.
    words = [line for line in prof("report", "--stdio", name).out.splitlines() if line.startswith("next: prof report ")]
    command = words[0].removeprefix("next: prof report ").split(" --tree")[0]
    expect("$'" in command, command)
    bash = shutil.which("bash")
    if bash:
        expect_equal(subprocess.run([bash, "-c", "printf %s " + command], capture_output=True, text=True).stdout, name, command)


def test_words_that_do_nothing():
    """One line, and what was asked for otherwise."""
    directory = world_directory()
    stacks = os.path.join(directory, "stacks.folded")
    with open(stacks, "w") as f:
        f.write("main;work 5\nmain;rest 7\n")
    for option, word, more in (("--ignore", "wrk", "; did you mean work?"), ("--hide", "wrk", "; did you mean work?"),
                               ("--hide", "file:x", ""),
                               ("--ignore", "bogus:x", " ('bogus:' is no prefix, 'module:' and 'file:' are); there are rest, work, main")):
        for command in (("report", "--csv"), ("folded",), ("flame", "-q", "-o", "-")):
            plain, r = prof(*command, stacks), prof(*command, option, word, stacks)
            expect_equal(r.err, "prof %s: %s '%s' matches nothing in this profile%s\n" % (command[0], option, word, more), str(r))
            expect_equal(r.status, 0, str(r))
            if command[0] != "flame":
                expect_equal(r.out, plain.out, str(r))


def test_flame_base():
    directory = world_directory()
    files = {"one": "main;work 50\nmain;rest 70\n", "two": "main;work 50 10\nmain;rest 50 90\n"}
    for name, text in files.items():
        with open(os.path.join(directory, name), "w") as f:
            f.write(text)
    one, two = (os.path.join(directory, name) for name in files)
    fault(2, "prof flame: --absolute: there is nothing to compare with (--base FILE)", "flame", "--absolute", "-o", "-", one)
    fault(2, "prof flame: --base and the input cannot both be standard input", "flame", "--base", "-", "-o", "-", "-")
    fault(2, "prof flame: --colors: with --base they say what changed", "flame", "--base", one, "--colors=hot", two)
    fault(2, "prof flame: --by-thread: threads of two recordings have different numbers; --by-comm compares them by name",
          "flame", "--base", one, "--by-thread", two)
    fault(1, "prof flame: %s/none: No such file or directory" % directory, "flame", "--base", directory + "/none", "-o", "-", one)
    fault(2, "prof flame: %s is what is read: name another file with -o" % one, "flame", "--base", one, "-o", one, two)
    fault(1, "prof flame: --base-event 'nope' matches nothing in this profile; there are before, after",
          "flame", "--base-event=nope", "-o", "-", two)
    r = prof("flame", "-q", "-o", "-", "--base", one, PERF_DATA)
    expect_equal((r.status, r.out), (2, ""), str(r))
    expect("samples is in count, and" in r.err and r.err.endswith(": they cannot be compared\n"), r.err)
    # Two weights for each stack are compared without being told to; an event that is named is one.
    for title, options in (("after against before", ()), ("before against after", ("--base-event=after",)), (None, ("--event=after",)),
                           ("two against one", ("--base", one))):
        r = prof("flame", "-q", "-o", "-", *options, two)
        expect_equal((r.status, r.err), (0, ""), str(options))
        expect(("Differential" in r.out) == bool(title) and (title or "Flame graph: two<") in r.out, str(options))
    # The picture is a profile of both: the new one's event first.
    svg = os.path.join(directory, "diff.svg")
    expect_equal(prof("flame", "-q", "-o", svg, "--base", one, two).status, 0, "drawn")
    expect_equal(prof("folded", svg).out, "main;rest 50\nmain;work 50\n", "the new profile")
    expect_equal(prof("folded", "--event=samples-base", svg).out, "main;rest 70\nmain;work 50\n", "the base")


def test_control_characters_are_shown_harmless():
    fault(2, "prof: there is no command '\\x1b[31mred\\x0a'; 'prof help' lists them all", "\x1b[31mred\n")
    fault(1, "prof report: \\x1b]0;x: No such file or directory", "report", "\x1b]0;x")


def test_record_usage():
    see = "; see 'prof record --help'"
    fault(2, "prof record: nothing to record: give a command (prof record -- ./app), a process (-p PID) or -a for "
          "the whole machine" + see, "record")
    fault(2, "prof record: -F: 'fast' is not a rate (a number above 0, or max)", "record", "-F", "fast", "x")
    fault(2, "prof record: -F: '0' is not a rate (a number above 0, or max)", "record", "-F0", "x")
    fault(2, "prof record: -F or -c, not both" + see, "record", "-F9", "-c9", "x")
    fault(2, "prof record: -c: the period must be above 0" + see, "record", "-c0", "x")
    fault(2, "prof record: -p: 'init' is not a process or thread number", "record", "-p", "1,init")
    fault(2, "prof record: -t: '0' is not a process or thread number", "record", "-t", "0")
    fault(2, "prof record: a command or running processes, not both (for a limited time: --duration)" + see,
          "record", "-p", "1", "x")
    fault(2, "prof record: -a already has everything: leave -p and -t out" + see, "record", "-a", "-p", "1")
    fault(2, "prof record: --call-graph: 'lbr' is not one of auto, fp, dwarf, dwarf,BYTES, none", "record",
          "--call-graph", "lbr", "x")
    fault(2, "prof record: --call-graph: '1G' is not a stack size (8 to 65528 bytes)", "record",
          "--call-graph=dwarf,1G", "x")
    fault(2, "prof record: -m: '0' is not a number of pages or a size up to 4G", "record", "-m", "0", "x")
    fault(2, "prof record: --duration: 'long' is not a time (10, 1.5, 200ms)" + see, "record", "--duration=long", "x")
    fault(2, "prof record: -o -: the command writes to the same standard output (name a file: -o prof.data)" + see,
          "record", "-o", "-", "x")


def test_no_file():
    for command in READERS:
        fault(1, "prof %s: prof.data: there is none here (make one with 'prof record -- COMMAND', or name a file)"
              % command, command)
        fault(1, "prof %s: gone.data: No such file or directory" % command, command, "gone.data")
        fault(1, "prof %s: gone.data: No such file or directory" % command, command, "-i", "gone.data")
    fault(1, "prof import: gone.data: No such file or directory", "import", "gone.data")
    expect_equal(os.listdir("."), [], "files left behind")


def test_two_files():
    fault(2, "prof report: one file at a time, not 'b' too", "report", "a", "b")
    fault(2, "prof report: one file at a time, not 'a' too", "report", "-i", "x", "a")


def test_not_a_profile():
    with open("text", "w", encoding="ascii") as f:
        f.write("This is no profile.\n" * 10)
    with open("empty", "w", encoding="ascii"):
        pass
    os.mkdir("folder")
    for command in READERS:
        fault(1, "prof %s: text: " % command + NO_PROFILE,
              command, "text")
        fault(1, "prof %s: empty: is empty (was the recording stopped at once?)" % command, command, "empty")
        fault(2, "prof %s: folder: is a folder (name a profile in it)" % command, command, "folder")
    fault(1, "prof import: empty: is empty (was the recording stopped at once?)", "import", "empty")
    fault(2, "prof import: folder: is a folder (name a profile in it)", "import", "folder")
    for redirection, text in (("<empty", "is empty (was the recording stopped at once?)"), ("<text", NO_PROFILE)):
        r = run("sh", "-c", "cat %s | \"$PROF\" import -" % redirection)
        expect_line(r, 1, "prof import: standard input: " + text)
    fault(2, "prof symbolize: what comes from standard input is written nowhere: name a file, -o FILE", "symbolize", "-")
    fault(1, "prof import: text: " + NO_PROFILE, "import", "text")
    with open("text", "rb") as f:
        fault(1, "prof report: standard input: " + NO_PROFILE,
              "report", "-", stdin=f)
    r = run("sh", "-c", "cat text | '%s' report -" % PROF)
    expect_line(r, 1, "prof report: standard input: " + NO_PROFILE)
    expect_equal(sorted(os.listdir(".")), ["empty", "folder", "text"], "files left behind")


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


def test_newer_version():
    header = b"\x89PROF\r\n\x1a" + (2).to_bytes(4, "little")
    with open("new.data", "wb") as f:
        f.write(header + crc32c(header).to_bytes(4, "little") + bytes(100))
    for command in READERS:
        fault(1, "prof %s: new.data: written in format version 2, this prof reads up to version 1; use a newer prof"
              % command, command, "new.data")


def test_unreadable():
    path = "secret.data" if not IS_ROOT else os.path.join(world_directory(), "secret.data")
    with open(path, "w", encoding="ascii") as f:
        f.write("x")
    os.chmod(path, 0)
    line = "prof report: %s: Permission denied" % path
    if IS_ROOT:
        os.chown(path, NOBODY, NOBODY)
        expect_line(as_nobody(copy_for_everybody(PROF), "report", path), 1, line)
    else:
        fault(1, line, "report", path)


PERF_DATA = os.path.join(SOURCE, "tests/corpus/perf_data/callchain.data")
PRINTERS = ("report", "report --json", "report --csv", "report --tree", "folded", "info", "info --json",
            "flame -o -", "check", "check --json", "list", "cache", "cache --json", "help", "help report", "--help", "--version",
            "record --help", "help --man prof", "help --completion bash")


def test_output_that_cannot_be_written():
    """Neither a full nor a closed one passes for success, whatever prints."""
    expect_equal(prof("import", PERF_DATA).status, 0, "import")
    for args in PRINTERS:
        for redirection, text in ((">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")):
            r = run("sh", "-c", "\"$PROF\" %s %s" % (args, redirection))
            expect_equal(r.status, 1, args + redirection + str(r))
            last = r.err.splitlines()[-1] if r.err else ""
            expect(last.startswith("prof") and last.endswith(": standard output: " + text), args + redirection + str(r))
            expect(r.err.count("\n") == 1, str(r))


def test_closed_input():
    r = run("sh", "-c", "\"$PROF\" report - <&-")
    expect_line(r, 1, "prof report: standard input: Bad file descriptor")


def test_reader_that_has_seen_enough():
    r = run("bash", "-c", "trap '' PIPE; '%s' help record | head -1; exit ${PIPESTATUS[0]}" % PROF)
    expect_equal((r.status, r.err), (0, ""), str(r))


def test_closed_standard_descriptors():
    for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        r = run("sh", "-c", "'%s' --version %s" % (PROF, closed))
        expect_equal(r.status, 1 if ">&-" in closed.replace("2>&-", "") else 0, closed)
    # What prints nothing does not need it.
    r = run("sh", "-c", "\"$PROF\" import '%s' >&- && \"$PROF\" flame -q >&-" % PERF_DATA)
    expect_equal(r.status, 0, str(r))
    # An output file must not take the place of a closed descriptor.
    r = run("sh", "-c", "'%s' report text 2>&-; echo $?" % PROF)
    expect_equal(r.out, "1\n", str(r))


if __name__ == "__main__":
    main(globals())
