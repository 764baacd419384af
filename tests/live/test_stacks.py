"""Stacks of programs that state them: every frame there, none invented."""
import os

from proftest import Skip, below, binomial_slack, expect, expect_all, expect_equal, expect_recorded, expect_share, main, prof
from proftest import program, record, total


def user_stacks(recording):
    """Samples of the program itself: start-up and exit (a few in the dynamic linker) have no main below."""
    return [s for s in recording.counts() if "main" in s]


def burnt(recording, name):
    """Stacks through a function; most of the samples must be there."""
    stacks = recording.counts()
    chosen = below(stacks, name)
    expect(total(chosen) >= 0.9 * total(stacks), "%d of %d samples are in %s" % (total(chosen), total(stacks), name))
    return chosen


def test_shares():
    r = record(program("shares"), 1500)
    stacks = below(r.counts(), "main")
    truth = sum(r.truths.values())
    for name, ns in r.truths.items():
        expect_share(stacks, lambda s, n=name: n in s, ns / truth, name)
        expect_all(below(stacks, name), lambda s, n=name: s.has("main", n), name + " is called by main")


def test_call_that_never_returns():
    r = record(program("noreturn"), 400)
    stacks = burnt(r, "forever")
    expect_all(stacks, lambda s: s.has("main", "ends_with_call", "forever"), "main;ends_with_call;forever")
    expect_equal(below(r.counts(), "next_victim"), [], "stacks with a function that never ran")


def test_leaf_without_frame_pointer():
    stacks = burnt(record(program("leaf"), 400), "leaf")
    expect_all(stacks, lambda s: s.has("main", "outer", "mid", "leaf"), "main;outer;mid;leaf", 0.99)


def test_vdso():
    stacks = burnt(record(program("vdso"), 400), "reader")
    expect_all(stacks, lambda s: s.has("main", "reader"), "main;reader")
    inside = [s for s in stacks if any("vdso" in f for f in s.frames)]
    expect(total(inside) > 0.1 * total(stacks), "%d of %d samples are in the vdso" % (total(inside), total(stacks)))


def test_wrappers_of_libc():
    stacks = user_stacks(record(program("wrappers"), 1500, options=["--no-kernel", "-F", "4000"]))
    for call, wrapper in (("open", "wrap_open"), ("close", "wrap_close"), ("read", "wrap_read"), ("mem", "wrap_memcpy")):
        inside = below(stacks, wrapper)
        expect_all(inside, lambda s, w=wrapper: s.has("main", w), "main;" + wrapper)
        deeper = [s for s in inside if s.leaf != wrapper]
        expect_all(deeper, lambda s, w=wrapper, c=call: c in s.frames[s.frames.index(w) + 1], wrapper + ";" + call)
    for stack in stacks:
        wrapped = [f for f in stack.frames if f.startswith("wrap_")]
        expect(len(wrapped) <= 1, "two wrappers in one stack: %s" % stack.frames)


def test_signal_handler():
    stacks = burnt(record(program("handler"), 600), "handler_work")
    expect_all(stacks, lambda s: s.has("handler", "handler_work"), "handler;handler_work")
    # On the alternate stack the interrupted functions may be out of reach; then the stack says so.
    whole = [s for s in stacks if s.has("main", "interrupted")]
    cut = [s for s in stacks if s.is_cut]
    expect_equal(total(whole) + total(cut), total(stacks), "whole stacks and those that say that they are cut")
    least = 0.5 * total(stacks) - binomial_slack(total(stacks), 0.5)
    expect(total(whole) >= least, "%d of %d stacks are whole" % (total(whole), total(stacks)))
    for s in cut:
        expect(s.frames[0] != "_start" or "main" in s, "the root is kept: %s" % s.frames)


def check_recursion(depth, frame_bytes, whole_at_least):
    """Exactly so many frames of rec below main, or a stack that says it is cut."""
    r = record(program("deep"), 1200, depth, frame_bytes)
    stacks = burnt(r, "leaf_burn")
    whole = [s for s in stacks if s.frames.count("rec") == depth and s.has("main", "rec")]
    cut = [s for s in stacks if s.is_cut]
    expect_equal(total(whole) + total(cut), total(stacks), "whole stacks and those that say that they are cut")
    expect(total(whole) >= whole_at_least * total(stacks), "%d of %d stacks are whole" % (total(whole), total(stacks)))
    health = r.report()["health"]
    expect(health["delivered"] - health["whole"] >= total(cut), "cut stacks are counted: %s" % health)
    if total(cut) > 0.05 * total(stacks):
        text = r.result.err + prof("report", r.path).out
        expect("trunc" in text or "cut" in text or "too small" in text, "nobody says why stacks are cut: " + text)


def test_recursion():
    check_recursion(50, 16, 0.99)
    check_recursion(300, 16, 0.9)


def test_deep_recursion():
    check_recursion(1000, 16, 0.9)


def test_deeper_than_kept():
    stacks = burnt(record(program("deep"), 400, 3000, 16), "leaf_burn")
    expect_all(stacks, lambda s: s.is_cut and s.has("main", "rec"), "cut, with main below the cut", 0.9)
    expect_all(stacks, lambda s: 1024 < s.frames.count("rec") < 3000, "at least 1024 frames are kept", 0.9)


def test_large_frames():
    check_recursion(100, 400, 0.9)
    # more than a copy holds: the rest is read from memory, which has not changed
    check_recursion(300, 300, 0.8)
    check_recursion(100, 4000, 0.8)


def test_stack_larger_than_any_copy():
    check_recursion(20, 100000, 0.7)


def check_plt(name, has_stub):
    # Without the kernel: interrupts for whatever else the machine does would be further leaves.
    stacks = burnt(record(program(name), 500, options=["--no-kernel"]), "hot_caller")
    expect_all(stacks, lambda s: s.has("main", "hot_caller"), "main;hot_caller")
    callee = [s for s in stacks if s.leaf == "tiny"]
    stub = [s for s in stacks if s.leaf == "tiny@plt"]
    expect(total(callee) > 0.2 * total(stacks), "%d of %d samples are in tiny" % (total(callee), total(stacks)))
    expect(has_stub or not stub, "samples in tiny@plt: %d" % total(stub))
    expect_all(stub + callee, lambda s: s.frames[-2] == "hot_caller", "called by hot_caller", 0.99)
    expect_all(stacks, lambda s: s.leaf in ("tiny@plt", "tiny", "hot_caller"), "no other name", 0.97)


def check_plt_faults(name, leaf):
    """Where the program faults does not depend on the processor: at the stub's first instruction, each time."""
    stacks = record(program(name), 0, 100, options=["-e", "page-faults", "-c", "1"]).counts()
    cold = [s for s in stacks if s.has("main", "cold_caller")]
    expect_all(cold, lambda s: s.frames[-2:] == ["cold_caller", leaf], "cold_caller;" + leaf, 0.95)
    expect(total(cold) >= 100, "%d of 100 faults are below cold_caller" % total(cold))


def test_plt_lazy():
    check_plt("plt_lazy", True)
    check_plt_faults("plt_lazy", "tiny@plt")


def test_plt_ibt():
    check_plt("plt_ibt", True)
    check_plt_faults("plt_ibt", "tiny@plt")


def test_plt_none():
    check_plt("plt_none", False)


def test_tail_calls():
    stacks = burnt(record(program("tail"), 400, options=["--no-kernel"]), "work")
    allowed = {"main", "first", "second", "work"}
    for s in stacks:
        after = s.frames[s.frames.index("main"):] if "main" in s else []
        expect(after and set(after) <= allowed | {a for a in after if "[" in a}, "unexpected frames: %s" % s.frames)


def test_inlined():
    r = record(program("inlined"), 400)
    stacks = burnt(r, "host")
    expect_all(stacks, lambda s: s.has("main", "host", "level1", "level2", "level3"),
               "main;host;level1;level2;level3", 0.97)
    flat = below(r.counts("--no-inline"), "host")
    expect_all(flat, lambda s: s.has("main", "host") and "level1" not in s, "--no-inline")


def test_odd_names():
    """Each function by its one name, the same in every run, and no caller but the true one."""
    for path in ("first.data", "second.data"):
        r = record(program("odd_names"), 500, options=["--no-kernel"], path=path, status=None)
        if r.result.status == 77:
            raise Skip("its assembler is for x86-64")
        spent = sum(r.truths.values())
        stacks = [s for s in below(r.counts(), "caller") if "cpu_ns" not in s]
        for name, ns in r.truths.items():
            shown = "[unknown odd_names+0x" if name == "[gap]" else name
            expect_share(stacks, lambda s, n=shown: s.leaf.startswith(n), ns / spent, name)
        expect_all(stacks, lambda s: s.frames[-3:-1] == ["main", "caller"] or s.leaf == "caller", "main;caller below each")
        expect_equal([s.frames for s in r.counts() if "decoy_frame" in s], [], "callers that never ran")


def expect_whole(recording, least, *options):
    health = recording.report(*options)["health"]
    expect(health["delivered"] > 100, "enough samples: %s" % health)
    expect(health["whole"] >= least * health["delivered"], "stacks are whole: %s" % health)


def test_layers_of_cpp():
    r = record(program("layers"), 800)
    stacks = [s for s in burnt(r, "leaf_burn(long)") if s.leaf == "leaf_burn(long)"]
    expect(len(stacks) == 1, "one stack: %s" % [s.frames for s in stacks])
    physical = [s for s in r.counts("--no-inline") if s.leaf == "leaf_burn(long)"]
    expect_all(physical, lambda s: len(s.frames) >= 74 and "main" in s, "74 frames")
    expect_all(physical, lambda s: s.frames.count("layer_compare") == 4, "four rounds through qsort")
    expect_whole(r, 0.97, "--focus", "leaf_burn")


def test_cfi_of_debug_file():
    r = record(program("hidden"), 600, options=["--no-kernel"])
    stacks = burnt(r, "forever")
    expect_all(stacks, lambda s: s.has("main", "middle", "forever") and not s.is_cut, "main;middle;forever")
    expect_whole(r, 0.95, "--focus", "forever")


def test_musl():
    if not os.path.exists(program("musl")):
        raise Skip("no musl-gcc")
    r = record(program("musl"), 800, options=["--no-kernel"])
    expect_whole(r, 0.95, "--focus", "^(sorter|printer)$")
    inside = [s for s in r.counts() if "sorter" in s or "printer" in s]
    expect_all(inside, lambda s: s.has("main", "sorter") or s.has("main", "printer"), "main;sorter or main;printer", 0.98)


def test_go():
    if not os.path.exists(program("goroutines")):
        raise Skip("no Go compiler")
    r = record(program("goroutines"), 1000, options=["--no-kernel"])
    expect_whole(r, 0.9)
    # What has no frame when the runtime takes over is there nevertheless, but for stacks that say they were guessed.
    stacks = [s for s in r.counts("--no-inline") if not s.is_cut]
    growing = [s for s in stacks if s.has("main.spread", "main.grow", "runtime.morestack")]
    without = [s for s in stacks if s.has("main.spread", "runtime.morestack")]
    guessed = r.report()["health"]["guessed"]
    # About a fifth of the samples are of growing stacks, a fifteenth of marking.
    expect(total(growing) > total(stacks) / 50, "%d stacks grow in %d" % (total(growing), total(stacks)))
    expect(total(without) <= guessed, "%d stacks grow, %d seem to grow in their caller, %d guessed"
           % (total(growing), total(without), guessed))
    marking = [s for s in stacks if s.has("runtime.systemstack", "runtime.gcBgMarkWorker.func2")]
    expect(total(marking) > 0, "no stack marks in %d" % total(stacks))
    without = [s for s in marking if "runtime.gcBgMarkWorker" not in s.frames]
    expect(total(without) <= guessed, "%d of %d stacks lack what a literal stands in" % (total(without), total(marking)))


def test_go_that_calls_c():
    """The goroutine's stack is in no copy, and another one when it is read: no caller is better than a wrong one."""
    if not os.path.exists(program("calls_c")):
        raise Skip("no Go compiler")
    r = record(program("calls_c"), 1000, options=["--no-kernel"])
    stacks = [s for s in r.counts() if "in_first" in s or "in_second" in s]
    expect_recorded(stacks, 0.8, "in_first and in_second")
    wrong = [s for s in stacks if s.has("main.first") and "in_second" in s or s.has("main.second") and "in_first" in s]
    expect_equal(total(wrong), 0, "samples below the function that did not call: %s" % wrong[:1])


def test_stack_modes():
    for mode in ("fp", "dwarf", "dwarf,16384", "none"):
        r = record(program("shares"), 200, options=["--call-graph", mode], path=mode.split(",")[0] + ".data")
        stacks = r.counts("--no-inline")
        expect_recorded(stacks, 0.2, mode)
        if mode == "none":
            expect_all(stacks, lambda s: len(s.frames) <= 1, "one frame without stacks")
        if mode.startswith("dwarf"):
            expect_all(below(stacks, "half"), lambda s: s.has("main", "half"), mode)


if __name__ == "__main__":
    main(globals())
