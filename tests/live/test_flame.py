"""A flame graph as a profile: its report says what that of the recording says."""
import os
import re

from proftest import expect, expect_equal, main, prof, program, record, run


def drawn(path, *options, to="drawn.svg"):
    r = prof("flame", "-q", "-o", to, *options, path)
    expect_equal(r.status, 0, str(r))
    return to


def head(path, *options):
    """The report's lines on the recording as a whole. Findings name the file, and are not of them."""
    r = prof("report", "--stdio", "--width", "200", *options, path)
    expect_equal((r.status, r.err), (0, ""), str(r))
    lines = r.out.split("\n")
    wanted = ("health:", "cut stacks:", "names:", "files:", "file:", "to ")
    return [lines[0]] + [line.replace(" -o " + path, "") for line in lines[1:] if line.startswith(wanted)]


def expect_same(path, *options):
    svg = drawn(path, *options)
    expect_equal(head(svg), head(path, *options), "the heads")
    rows = [sorted(prof("report", "--csv", *extra, file).out.split("\n")) for file, *extra in ((svg,), (path, *options))]
    expect_equal(rows[0], rows[1], "functions with their errors")


def test_a_graph_is_as_true_as_its_recording():
    r = record(program("comms"), "400")
    lines = head(r.path)
    expect(" due, " in lines[1] and "of stacks whole" in lines[1] and "wall" in lines[0], str(lines))
    expect_same(r.path)
    # And a graph of a graph.
    again = drawn(drawn(r.path), to="again.svg")
    expect_equal(head(again), head(r.path), "the second time")


def test_cut_stacks_stay_cut():
    """Of perf, whose stacks are known to be cut."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "corpus", "perf_data", "stack.data")
    lines = head(path)
    expect(any(line.startswith("cut stacks: ") for line in lines), str(lines))
    expect_same(path)


def test_a_part_is_no_whole():
    r = record(program("comms"), "200")
    tid = r.info()["tasks"][0]["tid"]
    expect_same(r.path, "--tid", tid)
    expect(" due" not in head(drawn(r.path, "--tid", tid))[1], "samples due of a part")


def test_a_title_is_instead_of_the_command():
    r = record(program("leaf"), "50")
    text = prof("report", "--json", drawn(r.path, "--title", "of the night")).out
    expect(program("leaf") not in re.findall(r'"command": "([^"]*)"', text), "the command")
    expect_equal(head("drawn.svg")[0].split(" ")[0], "drawn.svg", "what is reported of")


def test_a_comparison_is_one_again():
    for name, weight in (("old", 100), ("new", 300)):
        with open(name + ".folded", "w", encoding="utf-8") as f:
            f.write("main;work %d\nmain;rest 500\n" % weight)
    svg = drawn("new.folded", "--base", "old.folded")
    r = prof("report", "--stdio", svg)
    expect_equal(r.status, 0, str(r))
    said = "prof report: the flame graph compares two profiles: samples is the new one, samples-base the base (--event)"
    expect_equal(r.err.strip(), said, "what is said")
    weights = [prof("folded", "--event", event, svg).out for event in ("samples", "samples-base")]
    expect_equal(weights, ["main;rest 500\nmain;work 300\n", "main;rest 500\nmain;work 100\n"], "both sides")
    r = prof("flame", "-q", "-o", "again.svg", svg)
    expect_equal(r.status, 0, str(r))
    tags = [re.search(r"data-effective=[^>]*>", open(f, encoding="utf-8").read()) for f in (svg, "again.svg")]
    expect_equal(tags[0].group(0), tags[1].group(0), "the comparison")


main(globals())
