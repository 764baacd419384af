"""For CI: conditions that fail a job, and the comment."""
from proftest import expect, expect_equal, main, prof, program, record


def judged(recording, condition, *options):
    """The exit status, and what was said."""
    r = prof("report", "--limit", "1", "--fail-if", condition, *options, recording.path)
    expect(r.out.startswith("./shares ") or "shares" in r.out.splitlines()[0], "the report is written: " + r.out)
    return r.status, r.err


def test_conditions_fail_only_when_they_surely_hold():
    recording = record(program("shares"), 1000)
    rows = {row["name"]: row for row in recording.report()["rows"]}
    share = rows["half"]["self_percent"]
    expect(30 < share < 70, "half of it: %s" % share)
    for condition in ('self("half") > 5%', "self(half) >= 5%", "total('main') > 50%", "self(half,third)<99.9%"):
        status, said = judged(recording, condition)
        expect_equal(status, 3, condition + said)
        expect(said.startswith("prof report: --fail-if %s: it holds: " % condition), said)
        expect_equal(said.count("\n"), 1, "one line")
    for condition in ('self("half") > 99%', "self(half) < 5%", "total(main) <= 40%"):
        expect_equal(judged(recording, condition), (0, ""), condition)
    condition = "self(half) > %.1f%%" % share
    status, said = judged(recording, condition)
    expect_equal(status, 0, "the limit is within the uncertainty: " + said)
    expect(said.startswith("prof report: --fail-if %s: it cannot be told: " % condition), said)
    status, said = judged(recording, "self(hafl) > 5%")
    expect_equal(status, 0, said)
    expect("no such function in these samples" in said, said)
    # Of several, one is enough; of no samples, nothing is known.
    expect_equal(judged(recording, "self(half) > 99%", "--fail-if", "self(half) > 5%")[0], 3, "the second holds")


def test_a_comment_in_markdown():
    recording = record(program("shares"), 1000)
    r = prof("report", "--md", "--limit", "3", recording.path)
    expect_equal((r.status, r.err), (0, ""), str(r))
    lines = r.out.splitlines()
    expect(lines[0].startswith("### `") and "shares" in lines[0], r.out)
    rows = [line for line in lines if line.startswith("| ") and "`half`" in line]
    expect_equal(len(rows), 1, r.out)
    for table in r.out.split("\n\n"):
        if table.startswith("|"):
            expect_equal(len({line.count("|") for line in table.splitlines()}), 1, "as many cells in each row: " + table)


if __name__ == "__main__":
    main(globals())
