"""Other tools' profiles, compared with what these tools say of them."""
import collections
import json
import os
import re

from proftest import Skip, expect, expect_equal, main, need_tool, prof, program, run

GO = """package main

import (
	"os"
	"runtime/pprof"
	"sort"
	"strings"
	"time"
)

func words() {
	a := make([]string, 2000)
	for i := range a {
		a[i] = strings.Repeat("x", i%50)
	}
	sort.Strings(a)
}

func main() {
	f, _ := os.Create("cpu.pb.gz")
	pprof.StartCPUProfile(f)
	for start := time.Now(); time.Since(start) < 500*time.Millisecond; {
		words()
	}
	pprof.StopCPUProfile()
	f.Close()
	f, _ = os.Create("heap.pb.gz")
	pprof.WriteHeapProfile(f)
	f.Close()
}
"""


def go(*args):
    r = run(need_tool("go"), *args, env={"GOCACHE": os.path.abspath("go-cache"), "GOFLAGS": "-mod=mod"})
    expect_equal(r.status, 0, str(r))
    return r.out


def rows_of(path, *options):
    r = prof("report", "--json", *options, path)
    expect_equal(r.status, 0, str(r))
    report = json.loads(r.out)
    flat = collections.Counter()
    for row in report["rows"]:
        flat[row["name"]] += row["self"]
    return report, {name: weight for name, weight in flat.items() if weight}


def pprof_rows(path, index, unit):
    """name -> own weight, as go's pprof has it."""
    flat = collections.Counter()
    for line in go("tool", "pprof", "-symbolize=none", "-top", "-nodecount=1000000", "-nodefraction=0",
                   "-edgefraction=0", "-sample_index=" + index, "-unit=" + unit, path).splitlines():
        found = re.match(r" *(-?[0-9.]+)(?:%s)? +\S+%% +\S+%% +\S+ +\S+%% +(.*?)(?: \(inline\))?$" % unit, line)
        if found:
            flat[found.group(2)] += int(float(found.group(1)))
    return {name: weight for name, weight in flat.items() if weight}


def test_profiles_of_go():
    """Every function's own time and memory is what go tool pprof says it is."""
    with open("main.go", "w") as f:
        f.write(GO)
    go("build", "-o", "words", "main.go")
    expect_equal(run("./words").status, 0, "the program's end")
    faults = []
    for path, event, index, unit in (("cpu.pb.gz", "cpu", "cpu", "ns"), ("cpu.pb.gz", "samples", "samples", "count"),
                                     ("heap.pb.gz", "inuse_space", "inuse_space", "B"),
                                     ("heap.pb.gz", "alloc_objects", "alloc_objects", "count")):
        report, mine = rows_of(path, "--event", event)
        theirs = pprof_rows(path, index, unit)
        expect(theirs or event.startswith("inuse"), "pprof shows nothing of " + event)
        if mine != theirs:
            faults.append("%s %s: %r, pprof has %r" % (path, event, mine, theirs))
        if report["total"] != sum(theirs.values()):
            faults.append("%s %s: total %d, pprof has %d" % (path, event, report["total"], sum(theirs.values())))
    expect(not faults, "\n".join(faults))


def test_text_of_perf_script():
    """Weights and samples of each thread are what perf script printed; frames stay in their order."""
    perf = need_tool("perf")
    r = run(perf, "record", "-q", "-o", "perf.data", "-e", "cpu-clock", "-F", "997", "-g", "--", program("threads"), "3")
    if r.status:
        raise Skip("perf cannot record here: " + r.err.strip())
    text = run(perf, "script", "-i", "perf.data", "--no-inline")
    expect_equal(text.status, 0, str(text))
    with open("script.txt", "w") as f:
        f.write(text.out)
    weights, stacks = collections.Counter(), collections.Counter()
    for block in text.out.split("\n\n"):
        lines = [line for line in block.split("\n") if line.strip()]
        if not lines:
            continue
        head = re.match(r" *(.+?) +(\d+)(?: \[\d+\])? +[\d.]+: +(\d+) cpu-clock", lines[0])
        expect(head, "a header that this test does not know: " + lines[0])
        weights[head.group(1)] += int(head.group(3))
        stacks[len(lines) - 1] += 1
    _, mine = rows_of("script.txt", "--by", "event")
    expect_equal(sum(mine.values()), sum(weights.values()), "the sum of the periods")
    folded = prof("folded", "script.txt")
    expect_equal(folded.status, 0, str(folded))
    by_comm = collections.Counter()
    for line in folded.out.splitlines():
        stack, weight = line.rsplit(" ", 1)
        by_comm[stack.split(";")[0]] += int(weight)
    expect_equal(dict(by_comm), dict(weights), "periods by command")
    depth = collections.Counter()
    for line in prof("folded", "--count", "script.txt").out.splitlines():
        stack, count = line.rsplit(" ", 1)
        depth[stack.count(";")] += int(count)
    expect_equal(dict(depth), dict(stacks), "depths of stacks")


if __name__ == "__main__":
    main(globals())
