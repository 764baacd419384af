"""Stacks of aarch64 programs: every frame there, none invented, every stack whole."""
import re

from guest import CPUS, guest, record, run_checks
from programs import ZOO
from proftest import below, expect, expect_all, expect_equal, total
from test_zoo import Truth, expect_truth
from zoo import Animal

MILLISECONDS = 150
USER = "--no-kernel -F 2000"


def whole_stacks(recording, name, least=0.9):
    """Those through a function, which are most. All of the program's are whole."""
    stacks = recording.counts()
    inside = below(stacks, name)
    expect(total(inside) >= least * total(stacks), "%d of %d samples are in %s" % (total(inside), total(stacks), name))
    expect(total(inside) > 50, "%d samples" % total(inside))
    health = recording.report("--focus", "^%s$" % name)["health"]
    expect_equal((health["whole"], health["lost"], health["guessed"]), (health["delivered"], 0, 0),
                 "whole, lost and guessed of %s" % health)
    return inside


def expect_recursion(g, name):
    for s in whole_stacks(g.recording(name), "leaf_burn"):
        expect(s.frames.count("rec") == 50 and s.has("main", "rec"), s.frames)


@guest(deep=record("deep", "deep %d 50" % MILLISECONDS, USER))
def test_recursion(g):
    expect_recursion(g, "deep")


@guest(deep_fp=record("deep_fp", "deep_fp %d 50" % MILLISECONDS, USER))
def test_recursion_with_frame_pointers(g):
    expect_recursion(g, "deep_fp")


@guest(deep_chain=record("deep_chain", "deep_fp %d 50" % MILLISECONDS, USER + " --call-graph=fp"))
def test_recursion_by_the_kernel(g):
    stacks = below(g.recording("deep_chain").counts(), "leaf_burn")
    expect_all(stacks, lambda s: s.frames.count("rec") == 50 and s.has("main", "rec"), "main;rec 50 times")


@guest(deep_large=record("deep_large", "deep %d 100 4000" % MILLISECONDS, USER))
def test_frames_larger_than_a_copy(g):
    stacks = below(g.recording("deep_large").counts(), "leaf_burn")
    expect_all(stacks, lambda s: s.is_cut or s.frames.count("rec") == 100 and s.has("main", "rec"), "100 frames or cut")
    if CPUS == 1:  # with two, the program may have ended before the rest of its stack is read
        expect_all(stacks, lambda s: not s.is_cut, "not cut", 0.8)


@guest(leaf=record("leaf", "leaf %d" % MILLISECONDS, USER))
def test_leaf_without_frame_pointer(g):
    stacks = whole_stacks(g.recording("leaf"), "leaf")
    expect_all(stacks, lambda s: s.has("main", "outer", "mid", "leaf"), "main;outer;mid;leaf")


@guest(noreturn=record("noreturn", "noreturn %d" % MILLISECONDS, USER))
def test_call_that_never_returns(g):
    r = g.recording("noreturn")
    stacks = whole_stacks(r, "forever")
    expect_all(stacks, lambda s: s.has("main", "ends_with_call", "forever"), "main;ends_with_call;forever")
    expect_equal(below(r.counts(), "next_victim"), [], "stacks with a function that never ran")


@guest(handler=record("handler", "handler %d" % MILLISECONDS, USER))
def test_signal_handler(g):
    stacks = below(g.recording("handler").counts(), "handler_work")
    expect_all(stacks, lambda s: s.has("handler", "handler_work"), "handler;handler_work")
    expect_all(stacks, lambda s: s.has("main", "interrupted") or s.is_cut, "main;interrupted, or cut on the alternate stack")
    expect(total(s for s in stacks if not s.is_cut) > total(stacks) / 3, "whole stacks")


@guest(vdso=record("vdso", "vdso %d" % MILLISECONDS, USER))
def test_vdso(g):
    stacks = whole_stacks(g.recording("vdso"), "reader")
    expect_all(stacks, lambda s: s.has("main", "reader"), "main;reader")
    inside = [s for s in stacks if any("vdso" in f or f == "__kernel_clock_gettime" for f in s.frames)]
    expect(total(inside) > 0.1 * total(stacks), "%d of %d samples are in the vdso" % (total(inside), total(stacks)))


@guest(tail=record("tail", "tail %d" % MILLISECONDS, USER))
def test_tail_calls(g):
    allowed = {"main", "first", "second", "work"}
    for s in whole_stacks(g.recording("tail"), "work"):
        after = s.frames[s.frames.index("main"):]
        expect(set(after) <= allowed | {a for a in after if "[" in a}, "unexpected frames: %s" % s.frames)


@guest(inlined=record("inlined", "inlined %d" % MILLISECONDS, USER))
def test_inlined(g):
    stacks = whole_stacks(g.recording("inlined"), "host")
    expect_all(stacks, lambda s: s.has("main", "host", "level1", "level2", "level3"), "main;host;level1;level2;level3", 0.97)


@guest(threads=record("threads", "threads 0 60", "--no-kernel -F 4000"))
def test_threads(g):
    stacks = below(g.recording("threads").counts(), "tiny_thread")
    expect(total(stacks) > 50, "samples: %d" % total(stacks))
    expect_all(stacks, lambda s: s.has("thread", "tiny_thread") and not s.is_cut, "thread;tiny_thread")


@guest(wrappers=record("wrappers", "wrappers %d" % (3 * MILLISECONDS), "--no-kernel -F 4000"))
def test_wrappers_of_libc(g):
    stacks = [s for s in g.recording("wrappers").counts() if "main" in s]
    for call, wrapper in (("open", "wrap_open"), ("close", "wrap_close"), ("read", "wrap_read"), ("mem", "wrap_memcpy")):
        inside = below(stacks, wrapper)
        expect_all(inside, lambda s, w=wrapper: s.has("main", w), "main;" + wrapper)
        deeper = [s for s in inside if s.leaf != wrapper]
        # The C library's own symbols are in a debug file, which is not here.
        expect_all(deeper, lambda s, w=wrapper, c=call: re.search(c + "|unknown libc", s.frames[s.frames.index(w) + 1]),
                   wrapper + ";" + call)


def expect_plt(g, name, has_stub):
    stacks = whole_stacks(g.recording(name), "hot_caller")
    expect_all(stacks, lambda s: s.has("main", "hot_caller"), "main;hot_caller")
    expect_all(stacks, lambda s: s.leaf in ("tiny@plt", "tiny", "hot_caller"), "no other name")
    expect_all([s for s in stacks if s.leaf != "hot_caller"], lambda s: s.frames[-2] == "hot_caller", "called by hot_caller")
    stub = total(s for s in stacks if s.leaf == "tiny@plt")
    expect((stub > 0) == has_stub, "%d of %d samples are in tiny@plt" % (stub, total(stacks)))


# An odd period, since the loop of one is short and exact here.
PLT = "--no-kernel -e cycles -c 99991"


@guest(plt_lazy=record("plt_lazy", "plt_lazy %d" % MILLISECONDS, PLT))
def test_plt(g):
    expect_plt(g, "plt_lazy", True)


@guest(plt_bti=record("plt_bti", "plt_bti %d" % MILLISECONDS, PLT))
def test_plt_with_branch_protection(g):
    expect_plt(g, "plt_bti", True)


@guest(plt_none=record("plt_none", "plt_none %d" % MILLISECONDS, PLT))
def test_no_plt(g):
    expect_plt(g, "plt_none", False)


@guest(**{name: record(name, "%s %d" % (name, 2 * MILLISECONDS), USER) for name in ZOO})
def test_zoo(g):
    for name in ZOO:
        r = g.recording(name)
        expect_truth(r, Truth(r.result.out), Animal(name), name)
        health = r.report()["health"]
        expect(health["whole"] >= 0.99 * health["delivered"], "%s: stacks are whole: %s" % (name, health))


if __name__ == "__main__":
    run_checks(globals())
