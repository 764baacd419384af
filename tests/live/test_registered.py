"""Generated code that is registered in memory only: with the unwinder, with GDB, or so that it cannot be read."""
from proftest import Skip, below, expect, expect_all, expect_equal, expect_recorded, main, program, record, total

# A part of the samples at most comes before prof has looked, or after it could: a busy machine makes that longer.
NEARLY_ALL, MOST = 0.9, 0.7


def run_mode(mode, ms=700, name="jit_registered"):
    r = record(program(name), ms, mode, status=None)
    if r.result.status == 77:
        raise Skip("the generated code is of another architecture, or the unwinder keeps no list")
    expect_equal(r.result.status, 0, "status of the recording: " + r.result.err)
    stacks = [s for s in r.counts() if "jit_burn" in s]
    expect_recorded(stacks, ms / 1000, "jit_burn")
    return r, stacks


def leads_to_main(stack):
    """The frame of the generated code is between the one that calls it and the one it calls."""
    frames = stack.frames
    return "jit_burn" in frames and frames[:frames.index("jit_burn")][-3:-1] == ["main", "run"]


def expect_whole(mode, name="jit_registered"):
    r, stacks = run_mode(mode, name=name)
    expect_all(stacks, leads_to_main, "below main;run", NEARLY_ALL)
    return r, stacks


def expect_named(stacks):
    expect_all(stacks, lambda s: s.has("main", "run", "jit_named", "jit_burn"), "below jit_named", NEARLY_ALL)


def test_frames_registered_with_libgcc():
    expect_whole("frame")


def test_frames_that_an_exception_was_thrown_through():
    expect_whole("thrown")


def test_a_table_of_frames():
    expect_whole("table")


def test_frames_registered_inside_of_the_program():
    for mode in ("frame", "thrown"):
        expect_whole(mode, name="jit_registered_static")


def test_object_registered_with_gdb():
    expect_named(expect_whole("gdb")[1])


def expect_source(r, source):
    sources = [m["names"] for m in r.info()["modules"] if m["path"].startswith("[anon:")]
    expect_equal(sources, [source], "where the names of the code are from")


def test_object_with_frames_relative_to_its_text():
    r, stacks = expect_whole("textrel")
    expect_named(stacks)
    expect_source(r, "GDB's list")


def test_objects_that_come_one_after_another():
    """The process is ahead of its records: it registers code in memory that they do not tell of yet."""
    r, stacks = run_mode("growing", 1200)
    expect_all(stacks, lambda s: s.has("main", "grow", "run", "jit_named", "jit_burn"), "below jit_named", MOST)
    expect_source(r, "GDB's list")


def test_frames_with_libgcc_and_names_with_gdb():
    expect_named(expect_whole("both")[1])


def test_other_code_takes_the_place():
    _, stacks = run_mode("replaced", 1200)
    for name in ("jit_before", "jit_named"):
        expect(total(below(stacks, name)) > 0.2 * total(stacks), "nothing is called by " + name)
    expect_all(stacks, leads_to_main, "below main;run", MOST)


def test_code_is_not_registered_any_more():
    """What was known of it does not stay with what takes its place."""
    _, stacks = run_mode("gone", 1200)
    before = below(stacks, "jit_before")
    expect(total(before) > 0.2 * total(stacks), "nothing is called by jit_before")
    unknown = [s for s in stacks if s.is_cut and any(f.startswith("[unknown 0x") for f in s.frames)]
    expect(total(unknown) > 0.2 * total(stacks), "code that is not registered: %d of %d" % (total(unknown), total(stacks)))


def expect_reasons(prefix, modes):
    """What stands in front is used, the reason is said, and the recording ends."""
    for mode, reason in modes.items():
        r, stacks = run_mode(prefix + mode, 300)
        expect_all(stacks, leads_to_main, "below main;run: " + prefix + mode, MOST)
        notes = [m["note"] for m in r.info()["modules"] if m["path"].startswith("[anon:")]
        expect(any(reason in n for n in notes), "%s is not said: %s" % (reason, notes))


LISTS = {"cycle": "goes in a circle", "wild": "memory that is not there"}
SIZES = {"huge": "too much of it"}


def test_damaged_lists_of_the_unwinder():
    expect_reasons("", SIZES)
    expect_reasons("", LISTS)


def test_damaged_lists_of_gdb():
    expect_reasons("gdb-", {**LISTS, **SIZES, "foreign": "only a plug-in of GDB"})


if __name__ == "__main__":
    main(globals())
