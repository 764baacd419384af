"""Counting with a PMU of seven counters, of which one counts cycles only. An instruction takes two cycles."""
import json
import re

from guest import guest, need_one_cpu, run_checks
from proftest import expect, expect_equal

COUNTED = "instructions:u"
COPIES = 40
# The first is pinned: it is on the processor all the time, and says what the others should say.
SHARED = ",".join([COUNTED + "D"] + [COUNTED] * COPIES)
GROUP = "{cycles:u,instructions:u}"


def stat(name, command, options=""):
    return "prof stat --json -o %s.json %s -- %s" % (name, options, command)


class Counted:
    """What prof stat --json says."""

    def __init__(self, g, name):
        self.output = g.done(name).out
        self.data = json.loads(g.bytes(name + ".json"))
        self.counters = self.data["counters"]
        self.metrics = {m["name"]: m for m in self.data["metrics"]}

    def named(self, name):
        return [c for c in self.counters if c["name"] == name]

    def value(self, name):
        found = self.named(name)
        expect_equal([c["state"] for c in found], ["counted"], name)
        return found[0]["value"]


def stated(text):
    return sum(int(n) for n in re.findall(r"^instructions \w+ (\d+)$", text, re.M))


def expect_half(c, cycles, instructions):
    """Nothing but IPC 0.5 can be; a read between two instructions may see one of them."""
    expect(abs(c.value(cycles) - 2 * c.value(instructions)) <= 4,
           "%s cycles, %s instructions" % (c.value(cycles), c.value(instructions)))
    expect(abs(c.metrics["ipc"]["value"] - 0.5) < 1e-6, c.metrics["ipc"])
    expect(not c.metrics["ipc"]["across_groups"], "one group: %s" % c.metrics["ipc"])


@guest(default=stat("default", "counted 20"))
def test_default_set(g):
    c = Counted(g, "default")
    expect_half(c, "cycles", "instructions")
    need_one_cpu()
    due = stated(c.output)
    expect(due < c.value("instructions") < 1.1 * due, "%d instructions of %d" % (c.value("instructions"), due))
    expect(abs(c.metrics["ghz"]["value"] - 1) < 0.01, "the machine's clock has 1 GHz: %s" % c.metrics["ghz"])
    expect_equal(c.named("cache-misses"), [], "what this processor does not count is left out")
    expect(any("cache-misses" in note for note in c.data["notes"]), "and said: %s" % c.data["notes"])


@guest(user=stat("user", "counted 20", "-e '%s'" % GROUP))
def test_group(g):
    c = Counted(g, "user")
    expect_half(c, "cycles:u", "instructions:u")
    need_one_cpu()
    due = stated(c.output)
    expect(due < c.value("instructions:u") < 1.01 * due, "%d instructions of %d" % (c.value("instructions:u"), due))


@guest(unsupported=stat("unsupported", "counted 5", "-e cycles,cache-misses,branches"))
def test_unsupported_is_not_zero(g):
    c = Counted(g, "unsupported")
    for name in ("cache-misses", "branches"):
        expect_equal([(x["state"], x["value"]) for x in c.named(name)], [("not supported", None)], name)
    expect(c.value("cycles") > 0, "cycles")


@guest(apart=stat("apart", "counted 20", "-e cycles,instructions"))
def test_groups_are_not_divided_unmarked(g):
    ipc = Counted(g, "apart").metrics["ipc"]
    expect(ipc["across_groups"] and abs(ipc["value"] - 0.5) < 0.01, ipc)


@guest(raw=stat("raw", "counted 5", "-e r11,r08,armv8_pmuv3/event=0x11/,armv8_pmuv3/inst_retired/"))
def test_spellings(g):
    c = Counted(g, "raw")
    values = [x["value"] for x in c.counters]
    expect_equal(len(values), 4, "events")
    for cycles, instructions in (values[:2], values[2:]):
        expect(abs(cycles - 2 * instructions) < 0.01 * cycles, values)


def expect_honest(g, name):
    """Each value holds the true one within what it says; they take turns."""
    c = Counted(g, name)
    truth, shared = c.value(COUNTED + "D"), c.named(COUNTED)
    expect_equal(len(shared), COPIES, "copies")
    expect_equal(c.named(COUNTED + "D")[0]["running_percent"], 100, "running share of the pinned one")
    for x in shared:
        expect(5 < x["running_percent"] < 30, "running share: %s" % x)
        expect(x["half_width"] is not None and x["half_width"] < 0.1 * truth, "uncertainty: %s" % x)
    # They are in step with each other, seven at a time: not one of twenty is outside by itself.
    inside = sum(abs(x["value"] - truth) <= x["half_width"] for x in shared)
    expect(inside >= COPIES / 2, "%d of %d intervals hold %d: %s" % (
        inside, COPIES, truth, ["%.0f ± %.0f" % (x["value"], x["half_width"]) for x in shared]))
    for x in shared:
        expect(abs(x["value"] - truth) <= 3 * x["half_width"], "%d is not %s" % (truth, x))
    return c


@guest(multiplexed=stat("multiplexed", "counted 1000", "-e " + SHARED))
def test_multiplexing(g):
    expect_honest(g, "multiplexed")


@guest(multiplexed_shortly=stat("multiplexed_shortly", "counted 300", "-e " + SHARED))
def test_multiplexing_of_a_short_run(g):
    expect_honest(g, "multiplexed_shortly")


@guest(multiplexed_text="prof stat -e %s -- counted 100" % ",".join([COUNTED] * COPIES))
def test_running_share_is_shown(g):
    text = g.done("multiplexed_text").err
    rows = re.findall(r"^ +%s +[\d ]+ +ran [\d.]+ %%, ±" % COUNTED, text, re.M)
    expect_equal(len(rows), COPIES, "rows with their share in " + text)


@guest(groups=stat("groups", "counted 300", "-e '%s'" % ",".join([GROUP] * 10)))
def test_groups_take_turns_together(g):
    c = Counted(g, "groups")
    for cycles, instructions in zip(c.named("cycles:u"), c.named("instructions:u")):
        expect_equal(cycles["group"], instructions["group"], "group")
        expect(cycles["running_percent"] < 60, "running share: %s" % cycles)
        expect_equal(cycles["running_ns"], instructions["running_ns"], "time that they ran")
        expect(abs(cycles["counted"] - 2 * instructions["counted"]) <= 4 * 300, "%s, %s" % (cycles, instructions))


@guest(too_large=stat("too_large", "counted 100", "-e '{cycles,%s}'" % ",".join(["instructions"] * 9)))
def test_group_that_does_not_fit(g):
    c = Counted(g, "too_large")
    expect_equal([x["state"] for x in c.counters], ["counted"] * 10, "states")
    expect(len({x["group"] for x in c.counters}) > 1, "it is split")
    expect(any("cannot be counted at once" in note for note in c.data["notes"]), "and that is said: %s" % c.data["notes"])


@guest(repeated="prof stat --json -o repeated.json -r 6 -e '%s' -- counted 5" % GROUP)
def test_repeated(g):
    data = json.loads(g.bytes("repeated.json")) if g.done("repeated") else None
    expect_equal(data["runs"], 6, "runs")


@guest(others="counted 100000 >/dev/null & sleep 0.05; prof stat --json -o others.json -e '%s' -p $! --duration 0.1; s=$?; "
       "kill $!; exit $s" % GROUP)
def test_attached(g):
    c = Counted(g, "others")
    expect_half(c, "cycles:u", "instructions:u")
    expect(c.value("cycles:u") > 2e7, "cycles of 0.1 s: %s" % c.value("cycles:u"))


@guest(all_cpus=stat("all_cpus", "counted 20", "-a -e '{cycles,instructions}'"))
def test_whole_machine(g):
    c = Counted(g, "all_cpus")
    expect(c.value("instructions") > stated(c.output), "the command's and others' instructions")


if __name__ == "__main__":
    run_checks(globals())
