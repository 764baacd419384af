"""prof roofline: what is typed, and what becomes of the command; with ceilings that were measured before."""
import json
import os
import re
import xml.dom.minidom

from proftest import SOURCE, Skip, expect, expect_equal, main, prof

CEILINGS = os.path.join(SOURCE, "tests/corpus/ceilings/points.json")
OTHER = "prof roofline: %s is of another processor (" % CEILINGS


def roofline(*args, **more):
    return prof("roofline", "--ceilings", CEILINGS, *args, **more)


def usage(line, *args):
    r = prof("roofline", *args)
    expect_equal((r.status, r.out, r.err), (2, "", "prof roofline: %s\n" % line), str(r))


def test_usage():
    before = "--ceilings takes what was measured before: leave --quick, --threads, -C and --save out"
    for option in ("--quick", "--threads=1", "-C0", "--save=y"):
        usage(before, "--ceilings", "x", option)
    usage("--threads or -C, not both: -C says which and how many", "--threads=1", "-C", "0")
    usage("-a counts while a command runs: give one (prof roofline -a -- ./app)", "-a")
    usage("-o -: the command writes to the same standard output (name a file: -o roofline.svg)", "-o", "-", "true")
    usage("--save and -o name the same file", "--save=x", "-o", "x")
    usage("'0-' is no list of CPUs (write them as 0,2-3)", "-C", "0-")
    usage("-C 4095: CPU 4095 is not there, or not for this process", "-C", "4095")
    usage("--threads: at least 1; see 'prof roofline --help'", "--threads=0")
    r = prof("roofline", "--threads=100000")
    expect_equal((r.status, r.out), (2, ""), str(r))
    expect(r.err.startswith("prof roofline: --threads 100000: there are "), r.err)
    expect_equal(os.listdir("."), [], "files left behind")


def test_ceilings_that_cannot_be_read():
    for text, why in ((b"", "no JSON: it ends where a value was due at byte 0"), (b"{}", "no ceilings of prof roofline (measure anew: prof roofline --save FILE)"),
                      (b"\0" * 10, "no JSON: no value at byte 0")):
        with open("box.json", "wb") as f:
            f.write(text)
        r = prof("roofline", "--ceilings", "box.json")
        expect_equal((r.status, r.out, r.err), (1, "", "prof roofline: box.json: %s\n" % why), str(r))
    r = prof("roofline", "--ceilings", "none.json")
    expect_equal((r.status, r.out), (1, ""), str(r))
    expect(r.err.startswith("prof roofline: cannot open none.json"), r.err)


def test_ceilings_alone():
    r = roofline()
    expect_equal(r.status, 0, str(r))
    expect(r.out.startswith("Ceilings of Some <b>CPU</b> & co, x86_64, 4 cores\n"), r.out)
    expect(r.err.startswith(OTHER) and r.err.endswith("wrote roofline.svg (open it in a browser)\n"), r.err)
    xml.dom.minidom.parse("roofline.svg")
    with open("roofline.svg", "rb") as f:
        first = f.read()
    out = roofline("-o", "-")
    expect_equal(out.raw_out, first, "the same picture for the same data")
    expect(r.out in out.err, out.err)


def test_json_is_what_was_read():
    r = roofline("--json", "-q")
    with open(CEILINGS, encoding="utf-8") as f:
        saved = json.load(f)
    for name in ("command", "points"):
        saved.pop(name, None)
    expect_equal(json.loads(r.out), saved, "ceilings")


def test_the_command_is_left_alone():
    r = roofline("-q", "--", "sh", "-c", "echo out; echo err >&2; exit 3")
    expect_equal((r.status, r.out), (3, "out\n"), str(r))
    expect("err\n" in r.err and "Ceilings of" in r.err, r.err)
    r = roofline("--", "sh", "-c", "kill -TERM $$")
    expect_equal(r.signal, 15, str(r))


def test_a_command_that_cannot_be_run():
    """Said before anything is measured, and nothing is written."""
    with open("plain", "w", encoding="utf-8") as f:
        f.write("x\n")
    for ceilings in ((), ("--ceilings", CEILINGS)):
        r = prof("roofline", *ceilings, "--", "./nothing")
        expect_equal((r.status, r.out, r.err), (127, "", "prof roofline: ./nothing: command not found (check the path, or $PATH)\n"), str(r))
        r = prof("roofline", *ceilings, "--", "./plain")
        expect_equal((r.status, r.out), (126, ""), str(r))
        expect_equal(r.err.count("\n"), 1, r.err)
    expect_equal(os.listdir("."), ["plain"], "files left behind")


def test_names_are_escaped():
    r = roofline("--", "true", "</text><script>alert(1)</script>", "\x1b[31m\u202e", "'\"&\r\n")
    expect_equal(r.status, 0, str(r))
    expect("\x1b" not in r.err and "\u202e" not in r.err, repr(r.err))
    document = xml.dom.minidom.parse("roofline.svg")
    expect_equal(document.getElementsByTagName("script"), [], "scripts")
    r = roofline("--json", "--", "true", "</text>\x1b")
    expect("</text>" in json.loads(r.err[r.err.index("{"):r.err.rindex("}") + 1])["command"], r.err)


def test_why_it_is_not_placed():
    events = {e["name"]: e for e in json.loads(prof("list", "--json", "cycles").out)}
    if events.get("cycles", {}).get("available"):
        raise Skip("the processor's counters are there")
    r = roofline("--", "true")
    expect_equal(r.status, 0, str(r))
    text = re.sub(r"\n  ", " ", r.err)
    found = re.search(r"^the command ran for [0-9.]+ m?s, but cannot be placed below the ceilings: "
                      r"floating-point operations cannot be counted here: .+$", text, re.M)
    expect(found, r.err)


if __name__ == "__main__":
    main(globals())
