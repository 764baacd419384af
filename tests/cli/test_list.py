"""prof list: names with their kind, and whether they can be opened here."""
import json

from proftest import PROF, Skip, as_nobody, copy_for_everybody, environment, expect, expect_equal, main, prof, program, run


def events(*args, **more):
    r = prof("list", "--json", *args, **more)
    expect_equal((r.status, r.err), (0, ""), str(r))
    return json.loads(r.out)


def test_available_events_can_be_recorded():
    by_kind = {}
    for e in events():
        by_kind.setdefault(e["kind"], []).append(e)
    expect(by_kind["software"] and by_kind["hardware"], "kinds: %s" % sorted(by_kind))
    for kind, name in (("software", "task-clock"), ("hardware", "instructions")):
        row = next(e for e in by_kind[kind] if e["name"] == name)
        expect_equal("reason" in row, not row["available"], str(row))
        r = prof("record", "-e", name, "-o", "test.data", "--", "true")
        expect_equal(r.status == 0, row["available"], "%s: %s" % (row, r))


def test_why_not_is_said_once_for_each_kind():
    r = run(program("no_perf_events"), PROF, "list", "clock")
    expect_equal((r.status, r.err), (0, ""), str(r))
    lines = r.out.split("\n")
    expect(lines[0].startswith("software: not available here: ") and "seccomp" in lines[0], r.out)
    expect_equal(sum("seccomp" in line for line in lines if line.startswith("  ")), 0, r.out)


def test_software_events_can_be_counted():
    names = [e["name"] for e in events("software") if e["kind"] == "software" and e["available"]]
    if not names:
        raise Skip("no software events here")
    r = prof("stat", "-e", "{%s}" % ",".join(names[:8]), "-e", ",".join(names), "--", "true")
    expect_equal(r.status, 0, str(r))
    expect("not supported" not in r.err and "not permitted" not in r.err, r.err)


def test_what_would_always_read_0_is_not_available():
    """An ordinary user gets no kernel events: a counter of switches opens and counts nothing."""
    r = as_nobody(copy_for_everybody(PROF), "list", "--json", "s")
    rows = {e["name"]: e for e in json.loads(r.out) if e["kind"] == "software"}
    with open("/proc/sys/kernel/perf_event_paranoid") as f:
        paranoid = int(f.read())
    if paranoid < 2 or not rows["page-faults"]["available"]:
        raise Skip("at kernel.perf_event_paranoid=%d" % paranoid)
    expect_equal(rows["context-switches"]["available"], False, str(rows["context-switches"]))
    expect("perf_event_paranoid" in rows["context-switches"]["reason"], str(rows["context-switches"]))


def test_a_kind_is_a_pattern():
    expect_equal({e["kind"] for e in events("raw") if e["name"] == "rNNN"}, {"raw"}, "raw")
    cache = events("cache")
    expect(any(e["kind"] == "cache" and e["name"] == "dTLB-loads" for e in cache), str(cache)[:200])
    expect(any(e["kind"] == "hardware" and e["name"] == "cache-misses" for e in cache), str(cache)[:200])


def test_each_reason_is_a_heading():
    """Below a heading stand the events that it holds for, and nobody else's."""
    text = prof("list", "c*").out
    by_name = {e["name"]: e for e in events("c*")}
    kind = reason = None
    for line in text.split("\n"):
        if line and line[0] != " ":
            kind = line.split(":")[0].split(" ")[0]
            reason = line.partition(": not available here: ")[2] or None
        elif line.startswith("  ") and line[2] != " ":
            e = by_name.pop(line.split()[0])
            expect_equal((e["kind"], e.get("reason")), (kind, reason), line)
    expect_equal(by_name, {}, "events that the text lacks")


def test_events_of_the_processor():
    """libpfm4 can be told which processor to speak of: tables are there, counters need not be."""
    env = dict(environment(), LIBPFM_FORCE_PMU="skx")
    rows = [e for e in events("INST_RETIRED", env=env) if e["kind"] == "processor"]
    if not rows:
        raise Skip("no libpfm4 with Intel's tables here")
    row = next(e for e in rows if e["name"] == "skx::INST_RETIRED")
    expect_equal(row["pmu"], "skx", str(row))
    expect("ANY_P" in [u["name"] for u in row["umasks"]], str(row))
    expect("c=N" in row["modifiers"].split(), row["modifiers"])
    text = prof("list", "INST_RETIRED:ANY_P", env=env).out
    expect_equal([line.split()[0] for line in text.split("\n") if line.startswith("  ")], ["skx::INST_RETIRED", ":ANY_P"],
                 text)


def test_pmus_tell_their_terms():
    rows = [e for e in events("msr/") if e["kind"] == "pmu"]
    if not rows:
        raise Skip("no PMU msr here")
    terms = next(e for e in rows if e["name"] == "msr/TERM=N,.../")
    expect_equal((terms["pmu"], terms["description"]), ("msr", "terms, with their bits: event 64"), str(terms))


def test_probes_are_explained():
    expect("\nprobe: not available here: probes are not opened by name; make a tracepoint" in prof("list").out, "the end")


def test_near_names():
    r = prof("list", "cyclse")
    expect_equal((r.status, r.out, r.err), (1, "", "prof list: no event here matches 'cyclse', did you mean cycles?\n"), str(r))


def test_no_match():
    r = prof("list", "no-such-event")
    expect_equal((r.status, r.out, r.err), (1, "", "prof list: no event here matches 'no-such-event'\n"), str(r))


def test_missing_tracepoints_are_explained():
    if any(e["kind"] == "tracepoint" for e in events()):
        raise Skip("tracepoints can be listed here")
    everything, some = prof("list"), prof("list", "sched:*")
    expect("\ntracepoint: not available here: " in everything.out, everything.out[-300:])
    expect_equal((some.status, some.out), (1, ""), str(some))
    expect(some.err.startswith("prof list: no event here matches 'sched:*'; ") and "tracefs" in some.err, some.err)


if __name__ == "__main__":
    main(globals())
