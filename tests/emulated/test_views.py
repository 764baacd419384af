"""What prof on aarch64 shows of a recording, beside what prof here shows of the same file."""
import xml.etree.ElementTree as xml

from guest import guest, record, run_checks
from proftest import expect, expect_equal, prof


@guest(viewed=record("viewed", "shares 100"), folded="prof folded viewed.data", report="prof report viewed.data",
       info="prof info viewed.data")
def test_text_is_the_same_on_both_machines(g):
    for command in ("folded", "report", "info"):
        there, here = g.done(command).out, prof(command, "viewed.data", cwd=g.folder).out
        expect(there, command + " prints nothing")
        expect_equal(there, here, command)


@guest(drawn="prof flame -o drawn.svg viewed.data")
def test_flame_graph(g):
    g.done("drawn")
    text = g.bytes("drawn.svg").decode()
    xml.fromstring(text)
    for name in ("main", "half", "third", "fifth"):
        expect(name in text, name + " is in the flame graph")


@guest(annotated="prof annotate --asm -i viewed.data half")
def test_instructions(g):
    out = g.done("annotated").out
    expect("b." in out and "ldr" in out, out)


if __name__ == "__main__":
    run_checks(globals())
