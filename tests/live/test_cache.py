"""What prof keeps between runs: shown, cleared, of no use to others, and harmless when damaged."""
import json
import os
import re

from proftest import CACHE, PROF, environment, expect, expect_equal, main, prof, program, run

FOLDER = os.path.join(CACHE, "prof")


def record():
    r = prof("record", "-q", "-o", "a.data", "--", program("inlined"), "400")
    expect_equal(r.status, 0, str(r))
    # The names alone: how often each was met differs from run to run.
    lines = prof("folded", "a.data").out.splitlines()
    return {name for line in lines for name in line.rsplit(" ", 1)[0].split(";")}


def entries():
    r = prof("cache", "--json")
    expect_equal(r.status, 0, str(r))
    listing = json.loads(r.out)
    expect_equal(listing["path"], FOLDER, "the folder")
    expect_equal(sum(e["bytes"] for e in listing["entries"]), listing["bytes"], "the sum")
    return listing["entries"]


def test_shown_and_cleared():
    first = record()
    titles = [e["title"] for e in entries()]
    expect(any("inlined" in t for t in titles), str(titles))
    text = prof("cache").out
    expect("places in " in text and FOLDER in text, text)
    expect_equal(os.stat(FOLDER).st_mode & 0o777, 0o700, "mode")
    second = record()
    expect("level3" in str(first) and "level3" in str(second), "%s\n%s" % (first, second))
    count = len(entries())
    r = prof("cache", "--clear")
    expect_equal((r.status, r.err), (0, ""), str(r))
    expect(re.fullmatch(re.escape(FOLDER) + r": removed %d entr(y|ies), [0-9.]+ [kM]?B\n" % count, r.out), str(r))
    expect_equal(entries(), [], "after clearing")
    expect_equal(prof("cache", "--clear").out, FOLDER + ": removed 0 entries, 0 B\n", "nothing is there")
    expect_equal(json.loads(prof("cache", "--clear", "--json").out), {"removed_entries": 0, "removed_bytes": 0}, "as JSON")


def test_entries_of_another_build():
    record()
    name = entries()[0]["name"]
    other = name[:7] + ("0" if name[7] != "0" else "1") + name[8:]
    os.rename(os.path.join(FOLDER, name), os.path.join(FOLDER, other))
    expect_equal([e["name"] for e in entries() if e["other_build"]], [other], "entries of another build")
    expect(prof("cache").out.rstrip("\n").endswith(" (of another build of prof)"), "it is marked, and last")
    expect_equal(prof("cache").out.count("another build"), 1, "it alone")


def test_one_screen():
    record()
    name = entries()[0]["name"]
    for i in range(40):
        os.link(os.path.join(FOLDER, name), os.path.join(FOLDER, "%032x" % i))
    count = len(entries())
    text = prof("cache").out
    expect(len(text.splitlines()) < 24 and " in %d more" % (count - 10) in text and "prof cache --all" in text, text)
    for option in ("--all", "-v"):
        expect_equal(len(prof("cache", option).out.splitlines()), count + 3, option)


def test_damaged():
    first = record()
    for entry in entries():
        path = os.path.join(FOLDER, entry["name"])
        with open(path, "r+b") as f:
            for at in range(8, entry["bytes"], 512):
                f.seek(at)
                f.write(b"\xff")
    expect("(damaged)" in prof("cache").out, "a damaged entry is called so")
    second = record()
    expect("level3" in str(first) and "level3" in str(second), "%s\n%s" % (first, second))


def test_folder_that_others_may_read():
    os.makedirs(FOLDER, exist_ok=True)
    os.chmod(FOLDER, 0o755)
    expect("level3" in str(record()), "names without a cache")
    expect_equal(os.listdir(FOLDER), [], "nothing is kept there")
    r = prof("cache")
    expect_equal((r.status, r.err.count("\n")), (1, 1), str(r))
    expect("belongs to this user alone" in r.err, r.err)


def test_nothing_is_wanted():
    env = environment(XDG_CACHE_HOME="/dev/null")
    r = prof("cache", env=env)
    expect_equal((r.status, r.out, r.err), (0, "nothing is kept: XDG_CACHE_HOME is /dev/null\n", ""), str(r))
    r = prof("cache", "--json", env=env)
    expect_equal((r.status, json.loads(r.out)["entries"], r.err), (0, [], ""), str(r))
    r = prof("cache", "--clear", env=env)
    expect_equal((r.status, r.out, r.err), (0, "nothing is kept: XDG_CACHE_HOME is /dev/null\n", ""), str(r))


def test_a_folder_that_is_no_absolute_path():
    """It is ignored, as its specification wants it; said where one looks for it, and not at each run."""
    home = os.path.realpath("home")
    os.mkdir(home)
    env = environment(XDG_CACHE_HOME="relative", HOME=home)
    r = run(PROF, "record", "-q", "-o", "r.data", "--", program("inlined"), "20", env=env)
    expect(r.status == 0 and "XDG_CACHE_HOME" not in r.err, str(r))
    expect(not os.path.exists("relative"), "it is not made")
    r = prof("cache", env=env)
    expect_equal((r.status, r.err), (0, "prof cache: XDG_CACHE_HOME 'relative' is ignored: it must be an absolute path\n"), str(r))
    expect(r.out.startswith(home + "/.cache/prof: "), str(r))
    for value, state in (("relative", "limited"), ("", "ok"), (home, "ok")):
        found = json.loads(prof("check", "--json", env=environment(XDG_CACHE_HOME=value, HOME=home)).out)["findings"]
        cache = [f for f in found if f["id"] == "cache"][0]
        expect_equal((cache["state"], "relative" in cache["detail"]), (state, value == "relative"), str(cache))


def test_links():
    """One in the place of the folder is nobody's to follow, one above it not root's."""
    base = os.path.realpath(".")
    os.makedirs("real/prof", mode=0o700)
    os.mkdir("linked")
    os.symlink(base + "/real/prof", "linked/prof")
    for options in ((), ("--clear",)):
        r = prof("cache", *options, env=environment(XDG_CACHE_HOME=base + "/linked"))
        expect_equal((r.status, r.err.count("\n")), (1, 1), str(r))
        expect(base + "/linked/prof: not used as a cache: it is a link" in r.err, r.err)
    os.symlink(base + "/real", "above")
    r = prof("cache", env=environment(XDG_CACHE_HOME=base + "/above"))
    if os.geteuid() == 0:
        expect("above/prof: not used as a cache: a link leads there, which root does not follow" in r.err, str(r))
    else:
        expect_equal(r.status, 0, str(r))


def test_words():
    expect_equal(prof("cache", "operand").status, 2, "an operand")
    expect_equal(prof("cache", "--no-such").status, 2, "an option")


if __name__ == "__main__":
    main(globals())
