"""Counters that are read with samples: page faults of functions, beside the clock that samples."""
import json
import os
import re

from proftest import PROF, Recording, Sysctl, as_nobody, copy_for_everybody, environment, expect, expect_equal, finish
from proftest import main, need_root, prof, program, record, start, wait_until, world_directory

GROUP = "{task-clock,page-faults}"
COLUMN = "faults-per-second"
# Half widths are 95 % by Student's t with 19 degrees of freedom, 2.093; one in a million is at 7.03.
MILLIONTH = 7.03 / 2.093
PERIOD_NS = 1.1e6  # of the clock at the default rate, with what is added so that CPUs are not in step


def recorded(*arguments, way=None, **more):
    env = environment(PROF_COUNTERS=way) if way else None
    return record(program("faults"), *arguments, options=("-e", GROUP), env=env, **more)


def rows_of(r, *options):
    return {row["name"]: row for row in r.report("--columns", COLUMN, *options)["rows"]}


def misplaced(r, rows):
    """The part of a function's time that may be counted to the other one: of each turn what one sample stands for. That is
    longer than others as often as it is long (twice the mean, if timers come whenever they like), and where they come late
    there are few samples; twice as much is allowed."""
    return 4 * r.truths["turns"] / rows["steady"]["total_samples"]


def check_rates(r, rows):
    """faulty's rate is what it says itself, and steady, which has no fault, has those of a period at each turn."""
    truth = r.truths["faults"] / (r.truths["faulty"] / 1e9)
    cell = rows["faulty"]["total_metrics"][COLUMN]
    expect(cell["error"] is not None, "faulty has no interval: %r" % cell)
    slack = MILLIONTH * cell["error"] + misplaced(r, rows) * truth
    expect(abs(cell["value"] - truth) <= slack, "faulty: %r, want %.0f +- %.0f" % (cell, truth, slack))
    cell = rows["steady"]["total_metrics"][COLUMN]
    slack = MILLIONTH * (cell["error"] or 0) + misplaced(r, rows) * truth
    expect(cell["value"] <= slack, "steady: %r, want at most %.0f" % (cell, slack))


def events_of(r):
    return {e["name"]: e for e in r.info()["events"]}


def check_sums(r):
    """What functions have is what was counted with samples, and that is all but what came after the last ones."""
    faults = events_of(r)["page-faults"]
    parts = sum(row["self_counts"]["page-faults"] for row in r.report("--columns", COLUMN)["rows"])
    expect_equal(parts, faults["counted"], "faults of all functions")
    expect(faults["counted"] <= faults["exact_total"], "more than were counted: %r" % faults)
    return faults["exact_total"] - faults["counted"]


def check_group(r, counters="per thread"):
    groups = r.info()["groups"]
    expect_equal(len(groups), 1, "groups")
    group = groups[0]
    expect_equal(group["counters"], counters, "whose counters")
    expect_equal((group["first"], group["backwards"], group["impossible"]), (0, 0, 0), "samples without counts")
    expect(group["known"] > 0, "no sample has counts")
    return group


def test_faults_of_functions():
    r = recorded(2000)
    rows = rows_of(r)
    group = check_group(r)
    check_rates(r, rows)
    rest = check_sums(r)
    # One thread that moves between CPUs: of each at most what a period holds is not in a sample.
    truth = r.truths["faults"] / (r.truths["faulty"] / PERIOD_NS)
    expect(rest <= os.cpu_count() * 20 * truth, "%d faults are in no sample" % rest)
    expect_equal(group["known"], events_of(r)["task-clock"]["samples"], "samples with counts")


def test_faults_in_threads():
    r = recorded(600, "threads", 4)
    check_group(r)
    rows = rows_of(r)
    check_rates(r, rows)
    check_sums(r)
    by_thread = r.report("--columns", COLUMN, "--by", "thread")["rows"]
    expect_equal(sum(row["self_counts"]["page-faults"] for row in by_thread), events_of(r)["page-faults"]["counted"],
                 "faults of all threads")


def test_faults_in_children():
    r = recorded(600, "forks", 3)
    check_group(r)
    rows = rows_of(r)
    check_rates(r, rows)
    check_sums(r)


def test_an_ordinary_user():
    need_root()
    directory = world_directory()
    with Sysctl("kernel/perf_event_paranoid", 2):
        done = as_nobody(copy_for_everybody(PROF), "record", "-o", "user.data", "-e", GROUP, "--",
                         copy_for_everybody(program("faults")), 1000, cwd=directory, env=environment(HOME=directory))
    expect_equal(done.status, 0, str(done))
    r = Recording(os.path.join(directory, "user.data"), done)
    check_group(r)
    check_rates(r, rows_of(r))


def attach(*options, way=None):
    env = environment(PROF_COUNTERS=way) if way else environment()
    burning = start(program("faults"), 60000, "threads", 2)
    try:
        wait_until(lambda: len(os.listdir("/proc/%d/task" % burning.pid)) == 3, "two threads")
        r = prof("record", "-o", "attached.data", "-e", GROUP, "-p", burning.pid, "--duration", "2", *options, env=env)
    finally:
        burning.kill()
        finish(burning)
    expect_equal(r.status, 0, str(r))
    return Recording("attached.data", r)


def check_attached(r):
    rows = rows_of(r)
    faulty, steady = (rows[n]["total_metrics"][COLUMN]["value"] for n in ("faulty", "steady"))
    expect(faulty > 5 * (steady or 0), "faulty %r, steady %r" % (faulty, steady))


def test_attached():
    r = attach()
    check_group(r)
    check_attached(r)


def test_threads_that_run_at_the_start():
    """What kernels before 6.12 let an ordinary user have."""
    r = attach(way="threads")
    check_group(r, "per thread that ran at the start")
    check_attached(r)
    expect("threads that start from now on are not recorded" in r.result.err, r.result.err)


def test_whole_cpus():
    """What kernels before 6.12 let root have."""
    need_root()
    r = recorded(1500, way="cpus")
    group = check_group(r, "per CPU")
    expect_equal(group["known"], events_of(r)["task-clock"]["samples"], "samples with counts: the command's only")
    rows = rows_of(r)
    names = {s.comm for s in r.counts()}
    expect(names <= {"faults"}, "other processes: %r" % names)
    faulty, steady = (rows[n]["total_metrics"][COLUMN]["value"] for n in ("faulty", "steady"))
    expect(faulty > 5 * (steady or 0), "faulty %r, steady %r" % (faulty, steady))


def test_left_out():
    """The same for a command that an ordinary user starts: it is recorded, without counters, and that is said."""
    need_root()
    directory = world_directory()
    with Sysctl("kernel/perf_event_paranoid", 2):
        done = as_nobody(copy_for_everybody(PROF), "record", "-o", "user.data", "-e", GROUP, "--",
                         copy_for_everybody(program("faults")), 100, cwd=directory,
                         env=environment(HOME=directory, PROF_COUNTERS="threads"))
    expect_equal(done.status, 0, str(done))
    expect("recorded without page-faults" in done.err, done.err)
    refused = prof("report", "--stdio", "--columns", COLUMN, os.path.join(directory, "user.data"))
    expect_equal(refused.status, 1, str(refused))
    expect("no counters were recorded" in refused.err, refused.err)


def test_columns_in_every_format():
    r = recorded(400)
    expect("faults-per-second: page faults, /s of CPU time" in prof("report", "--stdio", "--columns", COLUMN, r.path).out, "text")
    csv = prof("report", "--csv", "--columns", COLUMN, r.path).out.split("\r\n")
    expect(csv[0].endswith(",faults-per-second,faults-per-second_error,total_faults-per-second,total_faults-per-second_error"),
           csv[0])
    md = prof("report", "--md", "--columns", COLUMN, r.path).out
    expect("| faults-per-second |" in md, md)
    for by in ("module", "line", "thread", "process", "cpu"):
        expect_equal(prof("report", "--stdio", "--by", by, "--columns", COLUMN, r.path).status, 0, by)
    near = prof("report", "--stdio", "--columns", "faults-per-secnd", r.path)
    expect("did you mean faults-per-second?" in near.err, near.err)
    missing = prof("report", "--stdio", "--columns", "ipc", r.path)
    expect("prof record -e '{instructions,cycles}'" in missing.err, missing.err)
    member = prof("report", "--stdio", "--event", "page-faults", r.path)
    expect("counted with those of task-clock" in member.err, member.err)
    plain = prof("report", "--stdio", r.path).out
    expect("counters: task-clock, page-faults" in plain, plain)


def test_lines_and_instructions():
    """Each line has its own; all of them together have what the function has."""
    r = recorded(1000)
    done = prof("annotate", "-i", r.path, "--json", "--columns", COLUMN, "faulty")
    expect_equal(done.status, 0, str(done))
    a = json.loads(done.out)
    own = a["function"]["metrics"][COLUMN]["value"]
    lines = [(line["metrics"][COLUMN]["value"], line["samples"]) for line in a["lines"] if line["samples"] > 100]
    expect(lines and all(value > own / 2 for value, _ in lines), "function %r, lines %r" % (own, lines))
    hot = max((i for block in a["code"] for i in block["instructions"]), key=lambda i: i["samples"])
    expect(hot["metrics"][COLUMN]["value"] > own / 2, repr(hot))
    text = prof("annotate", "-i", r.path, "--stdio", "--columns", COLUMN, "faulty").out
    expect("FAULTS-PER-SECOND" in text and "page faults, /s of CPU time" in text, text)
    csv = prof("annotate", "-i", r.path, "--csv", "--columns", COLUMN, "faulty").out.split("\r\n")
    expect(csv[0].endswith(",text,faults-per-second,faults-per-second_error"), csv[0])
    plain = prof("annotate", "-i", r.path, "--stdio", "--columns", "ipc", "faulty")
    expect_equal(plain.status, 1, str(plain))


def test_flame_graph():
    """Colours say the metric, in the still picture and in the tree that the script draws; a member is a metric."""
    r = recorded(1000)
    done = prof("flame", "--color-by", COLUMN, "-o", "graph.svg", r.path)
    expect_equal(done.status, 0, str(done))
    with open("graph.svg", encoding="utf-8") as f:
        svg = f.read()
    expect('data-hue="c"' in svg and ".c7{" in svg, "no steps of colour")
    expect(re.search("<title>faulty,[^<]*, faults-per-second [0-9 ]+ ±", svg), "faulty's tooltip")
    expect("colours: faults-per-second of each function" in svg, "the legend")
    report = json.loads(prof("report", "--json", "--event", "page-faults", "graph.svg").out)
    expect_equal(report["total"], events_of(r)["page-faults"]["counted"], "faults in the flame graph")
    for words in (("--color-by", "ipc"), ("--color-by", COLUMN, "--colors", "hot"), ("--color-by", "faults-per-sec")):
        expect(prof("flame", "-o", "none.svg", *words, r.path).status != 0, "%s is taken" % (words,))
    expect(not os.path.exists("none.svg"), "a file was written")


if __name__ == "__main__":
    main(globals())
