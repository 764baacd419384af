"""The zoo (tests/lib/zoo.py): each member is recorded, and replayed from what perf captured of it; its stacks, shares,
inlined functions and lines are what the program says.

    test_zoo.py --list          the members' names
    test_zoo.py --slice         those of today: which ones is said; ZOO_SLICE=N takes the Nth slice
    test_zoo.py --member NAME   one
"""
import os
import re
import sys
import time

from proftest import (EXIT_SKIPPED, Failure, Skip, Recording, below, expect, expect_all, expect_share, need_tool, record,
                      run, run_test, total)
from zoo import members

SLICES = 24
MILLISECONDS = 400
ATTEMPTS = 3


class Truth:
    """What the program printed."""

    def __init__(self, text):
        self.parts = [(int(ns), *self.split(stack)) for ns, stack in re.findall(r"^part (\d+) (.+)$", text, re.M)]
        self.lines = {n: (int(a), int(b)) for n, a, b in re.findall(r"^line (.+) (\d+) (\d+)$", text, re.M)}
        expect(self.parts, "the program states nothing: " + text)

    @staticmethod
    def split(stack):
        functions, _, inlined = stack.partition("|")
        return functions.split(";"), inlined.split(";") if inlined else []


def matches(frames, pattern):
    """Is the pattern somewhere in the frames? Its names are directly below each other, or "..." is between."""
    def at(i, rest):
        if not rest:
            return True
        if rest[0] == "...":
            return any(at(j, rest[1:]) for j in range(i + 1, len(frames)))
        return i < len(frames) and frames[i] == rest[0] and at(i + 1, rest[1:])
    return any(at(i, pattern) for i in range(len(frames)))


def expect_parts(stacks, truth, animal, what):
    """Each part has its share, and its stacks are as stated."""
    # Each part has a function of its own.
    own_names = [next(f for f in functions if f != "..." and sum(f in other for _, other, _ in truth.parts) == 1)
              for _, functions, _ in truth.parts]
    own = [s for s in stacks if any(name in s for name in own_names)]
    expect(total(own) > 0.8 * total(stacks), "%s: %d of %d samples are in %s, e.g. %s" % (
        what, total(own), total(stacks), own_names, [s.frames for s in stacks if s not in own][:3]))
    spent = sum(ns for ns, _, _ in truth.parts)
    for (ns, functions, inlined), name in zip(truth.parts, own_names):
        inside = below(own, name)
        pattern = functions + (inlined if animal.inlined else [])
        expect_share(own, lambda s, n=name: n in s, ns / spent, "%s: %s" % (what, name))
        expect_all(inside, lambda s, p=pattern: matches(s.frames, p), "%s: %s" % (what, ";".join(pattern)), 0.95)


def expect_lines(stacks, truth, what):
    """The lines of the stated functions. A few samples may be on what the compiler moved there from elsewhere."""
    for name, (first, last) in truth.lines.items():
        at = {}
        for s in stacks:
            for f in s.frames:
                if f.startswith(name + ":"):
                    line = f[len(name) + 1:]
                    at[line] = at.get(line, 0) + s.weight
        right = sum(n for line, n in at.items() if line.isdigit() and first <= int(line) <= last)
        expect(at and right >= 0.95 * sum(at.values()),
               "%s: lines of %s are %s, want %d to %d" % (what, name, at, first, last))


def expect_no_names(stacks, truth, animal, what):
    """Nothing but a place in the file is known of the program's functions, and no other file's names are used."""
    place = "[unknown %s+0x" % os.path.basename(animal.path)
    inside = [s for s in stacks if any(f.startswith(place) for f in s.frames)]
    expect(total(inside) > 0.8 * total(stacks), "%s: frames say where they are: %s" % (what, stacks[0].frames))
    stated = {f for _, functions, inlined in truth.parts for f in functions + inlined} - {"..."}
    found = {f for s in stacks for f in s.frames} & stated
    expect(not found, "%s: names from nowhere: %s" % (what, found))


def expect_truth(recording, truth, animal, what):
    stacks = recording.counts()
    if not animal.names:
        expect_no_names(stacks, truth, animal, what)
        return
    expect_parts(stacks, truth, animal, what)
    if animal.lines:
        expect_lines(recording.counts("--by-line"), truth, what)


def check_recorded(animal):
    r = record(animal.path, MILLISECONDS, options=["--no-kernel"])
    expect_truth(r, Truth(r.result.out), animal, "recorded")
    health = r.report()["health"]
    expect(health["whole"] >= 0.9 * health["delivered"], "stacks are whole: %s" % health)


def check_replayed(animal):
    # Without build IDs: perf 6.1 ends by a signal when a program has none, and now and then without reason.
    for _ in range(5):
        perf = run(need_tool("perf"), "record", "-q", "-B", "-N", "-o", "perf.data", "-e", "cpu-clock:u", "-F", "997",
                   "--call-graph", "dwarf,16384", "--", animal.path, MILLISECONDS)
        if perf.status == 0:
            break
    else:
        raise Skip("perf cannot record here: " + perf.err[-300:])
    expect_truth(Recording("perf.data"), Truth(perf.out), animal, "replayed")


def check_member(name):
    """What a build gets wrong it gets wrong each time; what a busy machine did to one recording it does not do to three."""
    animal = members()[name]()
    for attempt in range(ATTEMPTS):
        try:
            check_recorded(animal)
            check_replayed(animal)
            return
        except Failure as failure:
            print("%s, attempt %d: %s" % (name, attempt + 1, failure), flush=True)
            if attempt + 1 == ATTEMPTS:
                raise


def as_test(name):
    def test():
        check_member(name)
    test.__name__ = name
    return test


def run_slice():
    """Members of today's slice. A day has the same ones everywhere, and after SLICES days each was there."""
    names = list(members())
    day = int(time.time() // 86400)
    number = int(os.environ.get("ZOO_SLICE", day)) % SLICES
    chosen = names[number::SLICES]
    print("slice %d of %d (by the day; ZOO_SLICE=%d chooses it again): %d of %d members" % (
        number, SLICES, number, len(chosen), len(names)), flush=True)
    results = [run_test(as_test(name)) for name in chosen]
    counts = {"passed": 0, "failed": 1, "skipped": EXIT_SKIPPED}
    print(", ".join("%d %s" % (results.count(status), word) for word, status in counts.items()))
    return 1 if 1 in results else EXIT_SKIPPED if 0 not in results else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--list"]:
        print(";".join(members()))
    elif sys.argv[1:] == ["--slice"]:
        sys.exit(run_slice())
    else:
        sys.exit(run_test(as_test(sys.argv[2])))
