"""Which events there are, and who may have them."""
import json
import re

from guest import guest, run_checks
from proftest import expect, expect_equal


@guest(list_hardware="prof list --json")
def test_list(g):
    rows = {row["name"]: row for row in json.loads(g.done("list_hardware").out)}
    for name in ("cycles", "instructions"):
        expect(rows[name]["available"], "%s can be opened: %s" % (name, rows[name]))


@guest(check="prof check")
def test_check(g):
    out = g.done("check").out
    expect(re.search(r"^ok +hardware counters +cycles$", out, re.M), out)
    expect("prof can record here" in out, out)


# Debian's kernels know a level 3, at which an ordinary user may open nothing at all.
@guest(as_nobody="chmod 777 .; echo 3 >/proc/sys/kernel/perf_event_paranoid; "
       "su -s /bin/sh nobody -c 'prof record -o as_nobody.data -- counted 1'",
       as_nobody_again="echo 2 >/proc/sys/kernel/perf_event_paranoid; "
       "su -s /bin/sh nobody -c 'prof record -o as_nobody_again.data -- counted 40'")
def test_ordinary_user(g):
    refused = g.result("as_nobody")
    expect_equal(refused.status, 125, refused)
    expect("perf_event_paranoid" in refused.err and refused.err.count("\n") == 1, refused.err)
    r = g.recording("as_nobody_again")
    expect(r.counts(), "samples as an ordinary user")
    expect_equal(r.report()["health"]["lost"], 0, "lost")


if __name__ == "__main__":
    run_checks(globals())
