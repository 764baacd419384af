"""Sampling by the PMU. With -icount shift=1 an instruction takes 2 ns and 2 cycles, and no overflow is missed."""
import re

from guest import guest, need_one_cpu, record, run_checks
from proftest import below, expect, expect_all, expect_equal, expect_share, total

PERIOD = 20000
LIMIT = "/proc/sys/kernel/perf_event_max_sample_rate"
LOWERING = "/proc/sys/kernel/perf_cpu_time_max_percent"  # at 0 (guest/init) the kernel takes no other limit


def limited_to(hz, line):
    return ("echo 25 >%s; echo %d >%s; %s; s=$?; echo 100000 >%s; echo 0 >%s; exit $s"
            % (LOWERING, hz, LIMIT, line, LIMIT, LOWERING))


def stated(recording):
    """What the program counted says of its functions' instructions."""
    return {name: int(n) for name, n in re.findall(r"^instructions (\w+) (\d+)$", recording.result.out, re.M)}


def expect_complete(recording, due):
    """Not a sample is missing. A turn's calls and the program's start are little beside the loops."""
    stacks = recording.counts()
    expect(due - 1 <= total(stacks) <= 1.02 * due + 30, "%d samples of %.1f" % (total(stacks), due))
    health = recording.report()["health"]
    expect_equal((health["lost"], health["delivered"], health["whole"]), (0, health["due"], health["due"]),
                 "lost, delivered and whole samples, of the counter's value by the period")


@guest(by_cycles=record("by_cycles", "counted 20", "--no-kernel -e cycles -c %d" % PERIOD))
def test_period(g):
    """One sample for every so many cycles of a function, by the program's own truth."""
    need_one_cpu()
    r = g.recording("by_cycles")
    stacks = r.counts()
    expect_complete(r, 2 * sum(stated(r).values()) / PERIOD)
    for name, instructions in stated(r).items():
        expect_share(stacks, lambda s, n=name: s.leaf == n, 2 * instructions / PERIOD / total(stacks), name)


@guest(by_both=record("by_both", "counted 20", "--no-kernel -e cycles,instructions -c %d" % PERIOD))
def test_two_events(g):
    """Each instruction takes two cycles."""
    r = g.recording("by_both")
    cycles, instructions = total(r.counts("--event", "cycles")), total(r.counts("--event", "instructions"))
    expect(abs(cycles - 2 * instructions) <= 2, "%d samples of cycles, %d of instructions" % (cycles, instructions))


@guest(throttled=limited_to(1000, record("throttled", "counted 20", "--no-kernel -e cycles -c %d" % PERIOD)))
def test_throttled(g):
    """What the kernel does not let through is a row of its own, and nothing else: the sum is the counter's value."""
    need_one_cpu()
    r = g.recording("throttled")
    rows = {s.leaf: s.weight for s in r.folded() if s.leaf.startswith("[")}
    due = 2 * sum(stated(r).values())
    weight = total(r.folded())
    expect(due <= weight <= 1.02 * due + 30 * PERIOD, "%d cycles of %d" % (weight, due))
    expect(rows.get("[throttled]", 0) > weight / 4, "throttled: %s of %d" % (rows, weight))
    expect("[kernel, not permitted]" not in rows, "nobody forbade anything: %s" % rows)


@guest(by_frequency=record("by_frequency", "counted 100", "--no-kernel -F 1000"))
def test_frequency(g):
    r = g.recording("by_frequency")
    stacks = r.counts()
    due = 2 * sum(stated(r).values()) / 1e6  # a cycle takes 1 ns
    # The kernel begins with short periods and corrects them.
    expect(0.8 * due <= total(stacks) <= 1.5 * due + 20, "%d samples of %.0f" % (total(stacks), due))
    expect_all(below(stacks, "main"), lambda s: s.leaf in ("heavy", "middle", "light", "main"), "leaves")
    health = r.report()["health"]
    expect_equal((health["lost"], health["whole"]), (0, health["delivered"]), "lost and whole")


@guest(limited=limited_to(500, record("limited", "counted 20", "-F 2000")))
def test_frequency_above_the_limit(g):
    expect("500 Hz instead" in g.done("limited").err, g.done("limited").err)
    expect(g.recording("limited").counts(), "samples")


@guest(everything=record("everything", "counted 40", "-a -F 2000"))
def test_whole_machine(g):
    stacks = g.recording("everything").counts()
    expect(total(below(stacks, "heavy")) > 0, "samples of the command")
    expect_all(below(stacks, "heavy"), lambda s: s.comm == "counted" and s.has("main", "heavy"), "main;heavy")


@guest(attached="counted 100000 >/dev/null & sleep 0.1; prof record -F 2000 -o attached.data -p $! --duration 0.1; s=$?; "
       "kill $!; exit $s")
def test_attached(g):
    r = g.recording("attached")
    stacks = r.counts()
    inside = below(stacks, "heavy")
    expect(total(inside) > total(stacks) / 3, "%d of %d samples are in heavy" % (total(inside), total(stacks)))
    expect_all(inside, lambda s: s.has("main", "heavy"), "main;heavy")


@guest(kernel=record("kernel", "dd if=/dev/zero of=/dev/null bs=64k count=400", "--kernel -F 4000"))
def test_kernel_stacks(g):
    stacks = g.recording("kernel").counts()
    inside = below(stacks, "el0_svc")
    expect(total(inside) > 0.5 * total(stacks), "%d of %d samples are in system calls" % (total(inside), total(stacks)))


if __name__ == "__main__":
    run_checks(globals())
