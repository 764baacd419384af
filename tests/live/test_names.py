"""Names with any bytes in them: every view is whole, well-formed and harmless."""
import csv
import io
import json
import os
import xml.dom.minidom

from proftest import Skip, expect, expect_equal, expect_share, main, prof, program, record, run, total

AWKWARD = {
    "anonymous": "(anonymous namespace)::anonymous_namespace",
    "template": "Templated<(Letter)0>::member",
    "call": "Operators::operator()",
    "less": "Operators::operator<",
    "lambda": "{lambda(int&)#1}",
    "semicolon": "semi",
    "xml": "x<y>&\"q\"'z]]>",
    "control": "ctl",
    "utf8": "функ",
    "long": "long_long_",
    "script": "</script><img src=x onerror=alert(1)>",
}


def names_recording():
    return record(program("names"), 2200)


def holds(stack, fragment):
    return any(fragment in frame for frame in stack.frames)


def test_folded():
    stacks = [s for s in names_recording().counts() if "main" in s]
    for key, fragment in AWKWARD.items():
        # The lambda is called by three frames of std::function that name it as well: one share all the same.
        expect_share(stacks, lambda s, f=fragment: holds(s, f), 1 / len(AWKWARD), key)
    for s in stacks:
        after = s.frames[s.frames.index("main") + 1:]
        known = [f for f in after if any(a in f for a in AWKWARD.values())]
        expect(known or not after or "std::" in after[0] or total([s]) <= 2, "a frame was cut: %s" % after)


ALIASES = """
#define NOINLINE __attribute__((noinline, noipa))
#define BODY unsigned long s = n; for (unsigned long i = 0; i < n; i++) s = s * 6364136223846793005ul + (s >> 7); return s;
NOINLINE unsigned long first_one(unsigned long n) { BODY }
NOINLINE unsigned long second_one(unsigned long n) { BODY }
extern unsigned long same_as_first(unsigned long) __attribute__((weak, alias("first_one")));
int main(void) {
	unsigned long sum = 0;
	for (int i = 0; i < 120; i++)
		sum += first_one(1000000) + second_one(1000000) + same_as_first(1000000);
	return sum == 1;
}
"""


def names_of(recording, *options):
    rows = recording.report(*options)["rows"]
    return {row["name"]: {key: row[key] for key in row if key in ("linkage", "aliases", "folded", "versions")}
            for row in rows}


def test_other_names():
    """Aliases and functions that the linker folded, from the recording alone and after looking up again."""
    with open("a.c", "w") as f:
        f.write(ALIASES)
    build = "gcc -O1 -ffunction-sections a.c -o %s"
    expect_equal(run("sh", "-c", build % "apart").status, 0, "gcc")
    apart = names_of(record("./apart", path="apart.data"))
    expect_equal(apart["first_one"], {"linkage": ["first_one"], "aliases": ["same_as_first"]}, "first_one")
    expect_equal(apart["second_one"], {"linkage": ["second_one"]}, "second_one")
    if run("sh", "-c", build % "folded" + " -fuse-ld=gold -Wl,--icf=all").status:
        raise Skip("no gold here, which folds functions")
    r = record("./folded", path="folded.data")
    os.unlink("folded")
    folded = {"linkage": ["first_one"], "aliases": ["same_as_first"],
              "folded": [{"name": "second_one", "linkage": "second_one"}]}
    expect_equal(names_of(r)["first_one"], folded, "from the recording")
    expect("second_one" not in names_of(r), "one function")
    expect("first_one (same code as second_one)" in prof("report", "--width", "100", r.path).out, "marked")
    shown = prof("report", "--verbose", r.path).out
    expect("also called: same_as_first" in shown and "same code: second_one" in shown, shown)
    expect_equal(prof("symbolize", "-q", "folded.data").status, 0, "symbolize")
    expect_equal(names_of(r)["first_one"], folded, "kept where the file is gone")


def test_damaged_program():
    """A program without section headers runs; its stacks are whole, and one line says why names are missing."""
    with open(program("shares"), "rb") as f:
        image = bytearray(f.read())
    image[0x28:0x30] = bytes(8)
    image[0x3c:0x40] = bytes(4)
    with open("shares", "wb") as f:
        f.write(image)
    os.chmod("shares", 0o700)
    r = record("./shares", "400")
    said = os.path.realpath("shares") + " is damaged: it has no section headers"
    expect_equal(r.result.err.count(said), 1, "the line is said once: " + r.result.err)
    expect(said in r.info()["notes"], "it stays in the file")
    expect(any("[unknown shares+0x" in f for s in r.counts() for f in s.frames), "functions are told apart")


def raw_controls(text):
    return [c for c in text if (ord(c) < 32 and c != "\n") or 0x7f <= ord(c) < 0xa0]


def test_terminal_views():
    r = names_recording()
    for view in (("report",), ("report", "--tree"), ("folded",), ("info",)):
        text = prof(*view, r.path).raw_out.decode("utf-8")
        expect_equal(raw_controls(text), [], "control characters in prof " + " ".join(view))
    coloured = prof("report", "--color=always", r.path).raw_out.decode("utf-8")
    expect("\x1b[31mX" not in coloured, "an escape sequence from a symbol")


def svg(*options):
    r = prof("flame", "-q", "-o", "-", *options)
    expect_equal(r.status, 0, r.err)
    return xml.dom.minidom.parseString(r.raw_out), r.raw_out.decode("utf-8")


def test_flame_graph():
    r = names_recording()
    for options in ((), ("--width", "200"), ("--width", "4000"), ("--inverted",), ("--reverse",), ("--by-thread",)):
        document, text = svg(*options, r.path)
        expect(len(document.getElementsByTagName("script")) <= 1, "a script made from a name")
        expect_equal([e for e in document.getElementsByTagName("*") if e.localName == "img"], [], "elements made from names")
        expect("<img" not in text, "markup from a name")


def test_json_and_csv():
    r = names_recording()
    for view in ("report", "info"):
        json.loads(prof(view, "--json", r.path).raw_out.decode("utf-8"))
    rows = list(csv.reader(io.StringIO(prof("report", "--csv", r.path).out)))
    expect(len(rows) > 5 and len({len(row) for row in rows}) == 1, "CSV rows of one length: %s" % rows[:3])


def test_thread_names():
    r = record(program("comms"), 2400)
    stacks = [s for s in r.counts() if s.frames and any("thread" in f for f in s.frames)]
    expect_share(stacks, lambda s: s.comm == "renamed", 0.5, "renamed")
    comms = {}
    for s in stacks:
        comms[s.comm] = comms.get(s.comm, 0) + s.weight
    # A thread has its creator's name until it takes its own, and may be sampled then.
    comms.pop("comms", None)
    expect_equal(len(comms), 7, "commands: %s" % comms)
    text = prof("folded", r.path).raw_out.decode("utf-8")
    expect_equal(raw_controls(text), [], "control characters")
    svg(r.path)
    svg("--by-comm", r.path)


def test_no_samples_in_every_view():
    r = record("true", path="true.data")
    document, _ = svg(r.path)
    expect_equal(document.documentElement.tagName, "svg", "root element")
    json.loads(prof("report", "--json", r.path).out)


if __name__ == "__main__":
    main(globals())
