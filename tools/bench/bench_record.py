#!/usr/bin/python3
"""prof record against perf record, side by side and interleaved in one run.

Usage: bench_record.py PROF BENCH_TARGET [--rounds N] [--hz HZ] [--dump BYTES] [--iterations N] [--counters]

--counters compares prof with itself instead: what reading page faults with each sample costs.

Prints, as ratios with the lowest and highest of the rounds: the target's slowdown and its 99th percentile iteration,
the recorder's CPU time and memory, bytes per sample, and the time from the end of the recording to a flame graph (perf:
perf script into folded stacks, without the drawing). The recorder's CPU time is what all processes took but the target,
which says itself what it took: the kernel's part of sampling is in the target, in both cases. From a short run and a
long one follow what a sample costs and what is paid once (starting, and naming functions). Both have run once before:
the first recording of all, which finds nothing in prof's cache, has a line of its own. Load differs between rounds, so
every ratio is of two runs that followed each other.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def run(command, read=lambda file: file.read()):
    """Runs command; returns (what read makes of stdout, seconds, CPU seconds, largest resident bytes) of it and what it
    waited for. A child's size begins with this process's own, so no large output may be held here."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.monotonic()
        p = subprocess.Popen(command, stdout=out, stderr=err)
        _, status, usage = os.wait4(p.pid, 0)
        seconds = time.monotonic() - start
        p.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if p.returncode != 0:
            sys.exit("%s: exit %d\n%s" % (" ".join(command), p.returncode, err.read().decode(errors="replace")))
        return read(out), seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def target_numbers(out):
    total, _, p99, cpu = (int(word) for word in out.split()[-4:])
    return {"total": total, "p99": p99, "own": cpu / 1e9}


class Bench:
    def __init__(self, options):
        self.o = options
        self.folder = tempfile.mkdtemp(prefix="prof-bench-")
        os.environ["XDG_CACHE_HOME"] = self.folder  # what one recording found out is for the next, of this run only

    def target(self, iterations):
        return [self.o.target, str(iterations), "40"]

    def plain(self):
        return target_numbers(run(self.target(self.o.iterations))[0])

    def result(self, ran, data, samples, read):
        out, _, cpu, memory = ran
        numbers = target_numbers(out)
        due = numbers["own"] * self.o.hz
        return dict(numbers, cpu=max(cpu - numbers["own"], 0.0), samples=max(samples, 1), memory=memory,
                    bytes=os.path.getsize(data), flame=read[1], read_cpu=read[2], lost=max(1 - samples / due, 0.0))

    def counted(self, iterations):
        return self.prof(iterations, "{task-clock,page-faults}")

    def prof(self, iterations, events="task-clock"):
        data = os.path.join(self.folder, "prof.data")
        ran = run([self.o.prof, "record", "-q", "-e", events, "-F", str(self.o.hz), "-o", data, "--"] + self.target(iterations))
        read = run([self.o.prof, "flame", "-i", data, "-o", os.path.join(self.folder, "x.svg")])
        folded, _, _, _ = run([self.o.prof, "folded", "--count", "-i", data])
        samples = sum(int(line.rsplit(b" ", 1)[1]) for line in folded.splitlines())
        return self.result(ran, data, samples, read)

    def perf(self, iterations):
        data = os.path.join(self.folder, "perf.data")
        ran = run(["perf", "--buildid-dir", os.path.join(self.folder, "debug"), "record", "-q", "-e", "task-clock",
                   "-F", str(self.o.hz), "--call-graph", "dwarf,%d" % self.o.dump, "-o", data, "--"]
                  + self.target(iterations))
        read = run(["perf", "script", "--no-inline", "-i", data, "-F", "comm,ip,sym"],
                   lambda file: sum(line == b"\n" for line in file))
        return self.result(ran, data, read[0], read)

    def both(self, tool):
        """A short run and a long one: the cost of a sample, and what is paid once."""
        short, long = tool(self.o.iterations // 6), tool(self.o.iterations)
        more = max(long["samples"] - short["samples"], 1)
        long["marginal"] = max(long["cpu"] - short["cpu"], 0.0) / more
        long["fixed"] = max(short["cpu"] - long["marginal"] * short["samples"], 0.0)
        return long


def show(name, values, scale=1.0):
    values = [v * scale for v in values]
    print("%-66s %9.4f   (%.4f to %.4f)" % (name, statistics.median(values), min(values), max(values)))


def ratios(name, pairs, value):
    show(name, [value(p) / max(value(q), 1e-9) for p, q in pairs])


def report(rounds, options):
    pairs = [(p, q) for _, p, q in rounds]
    print("%-66s %9s   (%d rounds at %d Hz, perf copying %d bytes)"
          % ("", "median", options.rounds, options.hz, options.dump))
    show("target's time, prof / alone", [p["total"] / a["total"] for a, p, _ in rounds])
    show("target's time, perf / alone", [q["total"] / a["total"] for a, _, q in rounds])
    show("target's p99 iteration, prof / alone", [p["p99"] / a["p99"] for a, p, _ in rounds])
    show("target's p99 iteration, perf / alone", [q["p99"] / a["p99"] for a, _, q in rounds])
    for name, i in (("prof", 0), ("perf", 1)):
        show("samples that %s lost, percent" % name, [pair[i]["lost"] for pair in pairs], 100)
        show("recorder's CPU, microseconds for a sample, %s" % name, [pair[i]["marginal"] for pair in pairs], 1e6)
        show("recorder's CPU paid once, milliseconds, %s" % name, [pair[i]["fixed"] for pair in pairs], 1e3)
        show("recorder's largest process, MB, %s" % name, [pair[i]["memory"] for pair in pairs], 1e-6)
    ratios("recorder's CPU for a sample, prof / perf (reach 1/8: 0.125)", pairs, lambda r: r["marginal"])
    ratios("recorder's CPU paid once, prof / perf", pairs, lambda r: r["fixed"])
    ratios("recorder's CPU of the whole run per sample, prof / perf", pairs, lambda r: r["cpu"] / r["samples"])
    show("the same, against perf record and perf script (reach 1/20: 0.05)",
         [p["cpu"] / p["samples"] / ((q["cpu"] + q["read_cpu"]) / q["samples"]) for p, q in pairs])
    ratios("the same, prof record and flame against perf record and script", pairs,
           lambda r: (r["cpu"] + r["read_cpu"]) / r["samples"])
    ratios("bytes per sample, prof / perf", pairs, lambda r: r["bytes"] / r["samples"])
    show("bytes per sample, prof", [p["bytes"] / p["samples"] for p, _ in pairs])
    ratios("recording to flame graph, prof / perf script", pairs, lambda r: r["flame"])


def report_counters(rounds):
    pairs = [(p, q) for _, p, q in rounds]
    print("%-66s %9s   (%d rounds)" % ("with counters / without", "median", len(rounds)))
    show("target's time", [p["total"] / q["total"] for p, q in pairs])
    show("target's own CPU, with what the kernel does for a sample", [p["own"] / q["own"] for p, q in pairs])
    ratios("recorder's CPU for a sample", pairs, lambda r: r["marginal"])
    ratios("recorder's CPU of the whole run per sample", pairs, lambda r: r["cpu"] / r["samples"])
    ratios("bytes per sample", pairs, lambda r: r["bytes"] / r["samples"])
    show("samples lost with counters, percent", [p["lost"] for p, _ in pairs], 100)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("prof")
    parser.add_argument("target")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--hz", type=int, default=4000)
    parser.add_argument("--dump", type=int, default=65528)
    parser.add_argument("--iterations", type=int, default=6000)
    parser.add_argument("--counters", action="store_true")
    options = parser.parse_args()
    if not options.counters and not shutil.which("perf"):
        sys.exit("perf is not installed (apt-get install linux-perf)")
    bench = Bench(options)
    rounds = []
    try:
        first = bench.prof(options.iterations // 6)
        one, other = (bench.counted, bench.prof) if options.counters else (bench.prof, bench.perf)
        other(options.iterations // 6)
        for i in range(options.rounds):
            plain = bench.plain()
            pair = [one, other] if i % 2 else [other, one]
            results = {f.__name__: bench.both(f) for f in pair}
            rounds.append((plain, results[one.__name__], results[other.__name__]))
    finally:
        shutil.rmtree(bench.folder, ignore_errors=True)
    if options.counters:
        report_counters(rounds)
        return 0
    report(rounds, options)
    print("recorder's CPU of the first recording, with an empty cache: %.1f ms, %.1f MB"
          % (first["cpu"] * 1e3, first["memory"] / 1e6))
    return 0


if __name__ == "__main__":
    sys.exit(main())
