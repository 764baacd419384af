"""The text of every --help, byte for byte. UPDATE=1 writes the expected files anew."""
import os

from proftest import SOURCE, expect, expect_equal, main, prof

COMMANDS = ("record", "report", "flame", "folded", "info", "check", "list", "import", "symbolize", "cache", "help")


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


def test_version():
    r = prof("--version")
    expect_equal((r.status, r.err), (0, ""), "--version")
    expect(r.out.startswith("prof ") and r.out.count("\n") == 1, r.out)


if __name__ == "__main__":
    main(globals())
