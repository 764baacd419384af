#!/usr/bin/python3
"""prof record against perf record, side by side and interleaved in one run.

Usage: bench_record.py PROF BENCH_TARGET [--rounds N] [--hz HZ]

Prints, as ratios with the lowest and highest of the rounds: the target's slowdown and its 99th percentile iteration,
the recorder's CPU time and memory per delivered sample, bytes per sample, and the time from the end of the recording
to a flame graph (perf: perf script into folded stacks, without the drawing). Load differs between rounds, so every
ratio is of two runs that followed each other.
"""
import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def run(command, **more):
    """Runs command; returns (stdout, seconds, cpu seconds, maximum resident bytes) of it and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    p = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
    out, err = p.communicate()
    seconds = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if p.returncode not in (0,):
        sys.exit("%s: exit %d\n%s" % (" ".join(command), p.returncode, err.decode(errors="replace")))
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return out, seconds, cpu, after.ru_maxrss * 1024


def target_numbers(out):
    total, median, p99 = out.split()[-3:]
    return int(total), int(median), int(p99)


class Bench:
    def __init__(self, options):
        self.o = options
        self.folder = tempfile.mkdtemp(prefix="prof-bench-")
        self.target = [options.target, str(options.iterations), "40"]

    def plain(self):
        out, _, cpu, _ = run(self.target)
        return {"target": target_numbers(out), "cpu": cpu}

    def prof(self, plain):
        data = os.path.join(self.folder, "prof.data")
        out, _, cpu, _ = run([self.o.prof, "record", "-q", "-F", str(self.o.hz), "-o", data, "--"] + self.target)
        _, seconds, _, _ = run([self.o.prof, "flame", "-i", data, "-o", os.path.join(self.folder, "x.svg")])
        info, _, _, _ = run([self.o.prof, "info", "--json", "-i", data])
        folded, _, _, _ = run([self.o.prof, "folded", "--count", "-i", data])
        samples = sum(int(line.rsplit(b" ", 1)[1]) for line in folded.splitlines())
        return {"target": target_numbers(out), "cpu": max(cpu - plain["cpu"], 0.0), "samples": samples,
                "bytes": os.path.getsize(data), "flame": seconds, "info": len(info)}

    def perf(self, plain):
        data = os.path.join(self.folder, "perf.data")
        out, _, cpu, _ = run(["perf", "--buildid-dir", os.path.join(self.folder, "debug"), "record", "-q", "-e",
                              "task-clock", "-F", str(self.o.hz), "--call-graph", "dwarf,32768", "-o", data, "--"]
                             + self.target)
        text, seconds, _, _ = run(["perf", "script", "--no-inline", "-i", data, "-F", "comm,ip,sym"])
        samples = text.count(b"\n\n")
        return {"target": target_numbers(out), "cpu": max(cpu - plain["cpu"], 0.0), "samples": max(samples, 1),
                "bytes": os.path.getsize(data), "flame": seconds}


def show(name, values):
    print("%-58s %7.3f   (%.3f to %.3f)" % (name, statistics.median(values), min(values), max(values)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("prof")
    parser.add_argument("target")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--hz", type=int, default=997)
    parser.add_argument("--iterations", type=int, default=2000)
    options = parser.parse_args()
    if not shutil.which("perf"):
        sys.exit("perf is not installed (apt-get install linux-perf)")
    bench = Bench(options)
    rounds = []
    try:
        for i in range(options.rounds):
            plain = bench.plain()
            pair = [bench.prof, bench.perf] if i % 2 else [bench.perf, bench.prof]
            results = {f.__name__: f(plain) for f in pair}
            rounds.append((plain, results["prof"], results["perf"]))
    finally:
        shutil.rmtree(bench.folder, ignore_errors=True)
    print("%-58s %7s   (%d rounds at %d Hz)" % ("", "median", options.rounds, options.hz))
    show("target's time, prof / alone", [p["target"][0] / a["target"][0] for a, p, _ in rounds])
    show("target's time, perf / alone", [q["target"][0] / a["target"][0] for a, _, q in rounds])
    show("target's p99 iteration, prof / alone", [p["target"][2] / a["target"][2] for a, p, _ in rounds])
    show("target's p99 iteration, perf / alone", [q["target"][2] / a["target"][2] for a, _, q in rounds])
    show("recorder's CPU per sample, prof / perf (target's run taken off)",
         [(p["cpu"] / p["samples"]) / max(q["cpu"] / q["samples"], 1e-9) for _, p, q in rounds])
    show("bytes per sample, prof / perf",
         [(p["bytes"] / p["samples"]) / (q["bytes"] / q["samples"]) for _, p, q in rounds])
    show("bytes per sample, prof", [p["bytes"] / p["samples"] for _, p, _ in rounds])
    show("recording to flame graph, prof / perf script", [p["flame"] / q["flame"] for _, p, q in rounds])
    return 0


if __name__ == "__main__":
    sys.exit(main())
