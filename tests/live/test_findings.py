"""Findings that need more than samples: programs that bring them about, and others like them that do not."""
import shutil

from proftest import expect, expect_equal, main, need_root, need_tool, program, record, run, total

LOOP = """
volatile unsigned long sum;
__attribute__((noinline)) void count(unsigned long n) { for (unsigned long i = 0; i < n; i++) sum += i; }
int main(void) { count(400000000ul); return 0; }
"""


def found(command, *options):
    """The findings of a recording, by id."""
    return {f["id"]: f for f in record(*command, options=options).report()["findings"]}


def compiled(compiler, *options):
    with open("loop.c", "w", encoding="utf-8") as f:
        f.write(LOOP)
    r = run(need_tool(compiler), "-g", *options, "loop.c", "-o", "loop")
    expect_equal(r.status, 0, str(r))
    return ["./loop"]


def test_gcc_says_how_it_compiled():
    finding = found(compiled("gcc"))["debug-build"]
    expect(finding["percent"] > 90 and finding["of"] == "samples", str(finding))
    expect("as in loop: build it with -O2" in finding["text"], str(finding))
    expect_equal(finding["command"], "prof report test.data --module loop", "what to look at")
    expect("debug-build" in found(compiled("gcc", "-O0")), "-O0 is what there is without an option")
    for options in (["-O2"], ["-Og"], ["-O2", "-gsplit-dwarf"], ["-gno-record-gcc-switches"]):
        expect("debug-build" not in found(compiled("gcc", *options)), str(options))


def test_what_is_kept_in_the_cache_has_it():
    command = compiled("gcc", "-gsplit-dwarf")
    for again in range(2):
        expect("debug-build" in found(command), "time %d" % again)


def test_clang_says_it_when_it_was_asked_to():
    expect("debug-build" not in found(compiled("clang")), "it is not known")
    expect("debug-build" in found(compiled("clang", "-grecord-command-line")), "it is known")
    expect("debug-build" not in found(compiled("clang", "-O2", "-grecord-command-line")), "optimized")


def test_a_rate_that_is_not_served_is_not_raised():
    """Each of the tasks lives for thousands of periods: what the timer does not serve of them is not too short for a sample,
    however much that is, and nothing asks for a rate."""
    burn = program("tail") + " 140; "
    r = record("bash", "-c", burn * 4, options=("-F", 20000))
    report = r.report()
    findings = {f["id"]: f for f in report["findings"]}
    expect("not-sampled" not in findings, str(findings))
    for f in findings.values():
        expect(" -F " not in (f["command"] or "").replace(" -F 20000", ""), str(f))
    expect(" -F " not in report["health"].get("remedy", "").replace(" -F 20000", ""), str(report["health"]))
    unsampled = sum(s.weight for s in r.folded() if s.leaf == "[not sampled]")
    share = unsampled / total(r.folded())
    if share > 0.11 and "lost-samples" not in findings:
        expect("missed-samples" in findings, "%.3f of the time was not sampled: %s" % (share, findings))
        expect(findings["missed-samples"]["command"] is None, str(findings))


HABITS = {"locks": "locks", "malloc": "allocator", "copy": "copying"}
IN_THE_KERNEL = {"syscalls": "syscall-entry", "faults": "page-faults"}


def test_habits_are_found():
    """Each program has its own, and none of the others' but what the kernel adds."""
    for mode, finding in HABITS.items():
        ids = set(found([program("habits"), mode]))
        expect(finding in ids, "%s: %s" % (mode, sorted(ids)))
        expect_equal(ids & set(HABITS.values()), {finding}, mode)
    ids = set(found([program("habits"), "compute"]))
    expect(not ids & {"debug-build", *HABITS.values(), *IN_THE_KERNEL.values()}, "compute: %s" % sorted(ids))


def test_habits_in_the_kernel_are_found():
    need_root()
    for mode, finding in IN_THE_KERNEL.items():
        # Entries are a tenth of the time, found above a twentieth: half a second is too short to tell these apart always.
        ids = set(found([program("habits"), mode, "3"]))
        expect(finding in ids, "%s: %s" % (mode, sorted(ids)))


def test_the_machine_was_asked_for_stolen_time():
    run_of = record(*compiled("gcc", "-O2"))
    expect(run_of.info()["runs"][0]["cpu_busy_ns"] > 0, "what CPUs did while it ran")
    expect(shutil.which("true"), "a program that ends at once")
    short = record("true").info()["runs"][0]
    expect(short["cpu_steal_ns"] <= 10 * (short["end_ns"] - short["start_ns"]) + 10**9, str(short))


if __name__ == "__main__":
    main(globals())
