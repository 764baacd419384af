"""prof list: names with their kind, and whether that kind can be sampled here."""
import json

from proftest import PROF, Skip, expect, expect_equal, main, prof, program, run


def events(*args):
    r = prof("list", "--json", *args)
    expect_equal((r.status, r.err), (0, ""), str(r))
    return json.loads(r.out)


def test_available_events_can_be_recorded():
    by_kind = {}
    for e in events():
        by_kind.setdefault(e["kind"], []).append(e)
    expect(by_kind["software"] and by_kind["hardware"], "kinds: %s" % sorted(by_kind))
    for kind, name in (("software", "task-clock"), ("hardware", "instructions")):
        row = next(e for e in by_kind[kind] if e["name"] == name)
        expect_equal({e["available"] for e in by_kind[kind]}, {row["available"]}, "one answer for each kind")
        expect_equal("reason" in row, not row["available"], str(row))
        r = prof("record", "-e", name, "-o", "test.data", "--", "true")
        expect_equal(r.status == 0, row["available"], "%s: %s" % (row, r))


def test_why_not_is_said_once_for_each_kind():
    r = run(program("no_perf_events"), PROF, "list", "clock")
    expect_equal((r.status, r.err), (0, ""), str(r))
    lines = r.out.split("\n")
    expect(lines[0].startswith("software: not available here: ") and "seccomp" in lines[0], r.out)
    expect_equal(sum("seccomp" in line for line in lines if line.startswith("  ")), 0, r.out)


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
