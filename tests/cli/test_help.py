"""The text of every --help, byte for byte. UPDATE=1 writes the expected files anew."""
import os
import re

from proftest import SOURCE, expect, expect_equal, main, prof

COMMANDS = ("record", "stat", "report", "annotate", "flame", "folded", "info", "check", "roofline", "list", "import", "symbolize", "cache", "help")


def golden(name, text):
    path = os.path.join(SOURCE, "tests/cli/help", name + ".txt")
    if os.environ.get("UPDATE"):
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
    with open(path, encoding="utf-8") as f:
        expect_equal(text, f.read(), "help of " + name)


def test_every_command():
    for name in COMMANDS:
        r = prof(name, "--help")
        expect_equal((r.status, r.err), (0, ""), name)
        golden(name, r.out)


def test_overview():
    r = prof("help")
    expect_equal((r.status, r.err), (0, ""), "help")
    golden("overview", r.out)
    for name in COMMANDS:
        expect("  %s " % name in r.out, name + " is missing in the overview")
    alone = prof()
    expect_equal((alone.status, alone.out, alone.err), (2, "", r.out), "prof alone")
    expect_equal(prof("--help").out, r.out, "prof --help")


def test_three_ways_to_one_help():
    expect_equal(prof("help", "flame").out, prof("flame", "--help").out, "prof help flame")
    expect_equal(prof("flame", "-h").out, prof("flame", "--help").out, "prof flame -h")


def readme():
    with open(os.path.join(SOURCE, "README.md"), encoding="utf-8") as f:
        return f.read()


def helps():
    return {name: prof(name, "--help").out for name in COMMANDS}


def test_what_the_readme_names_is_there():
    """Commands with their options as they are typed, options by themselves, and letters."""
    texts = helps()
    everything = "".join(texts.values())
    words = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", readme(), flags=re.M | re.S)) + re.findall(r"^(prof .*)$", readme(), re.M)
    typed = [w.split(" -- ")[0] for w in words if w.startswith("prof ") and not w.startswith("prof-")]
    expect(len(typed) > 15, str(typed))
    for line in typed:
        line = line.split("#")[0].split("\u2026")[0]
        command = line.split()[1]
        expect(command in texts or command == "COMMAND", line)
        for option in re.findall(r"(?<=\s)--?[a-zA-Z][a-z-]*", line):
            there = re.search(r"(^|\s)%s\b" % option, texts.get(command, everything), re.M)
            expect(there or option == "--help", "%s: no %s" % (line, option))
    for word in words:
        if word.startswith("--") and "perf" not in word and "cap-add" not in word:
            expect(word.split()[0].split("=")[0] in everything, word)
    letters = re.search(r"Options keep the letters they have in `perf record`: `([^`]+)`", readme()).group(1).split()
    for letter in letters:
        expect(re.search(r"^  %s, --" % letter, texts["record"], re.M), "record has no " + letter)


def test_the_readme_names_every_row():
    """Of what prof report can show a row each for."""
    choices = re.search(r"is not one of ([a-z, ]+);", prof("report", "--by=nothing").err).group(1).split(", ")
    row = next(line for line in readme().splitlines() if "`prof report --by " in line)
    for choice in choices:
        expect(choice == "function" or re.search(r"[` ]%s`" % choice, row), "%s is not in %s" % (choice, row))


def test_the_words_of_the_health_line_are_told():
    """Where a newcomer looks: the README, and the help of the command that prints them."""
    for text in (readme(), " ".join(prof("report", "--help").out.split())):
        for word in ("due", "delivered", "lost", "whole", "guessed", "artly read later"):
            expect(word in text, word)


def test_version():
    r = prof("--version")
    expect_equal((r.status, r.err), (0, ""), "--version")
    expect(r.out.startswith("prof ") and r.out.count("\n") == 1, r.out)


if __name__ == "__main__":
    main(globals())
