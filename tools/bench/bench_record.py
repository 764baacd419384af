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
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def run(command):
    """Runs command; returns (stdout, seconds, CPU seconds, largest resident bytes) of it and what it waited for."""
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
        return out.read(), seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


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
        out, _, cpu, memory = run([self.o.prof, "record", "-q", "-F", str(self.o.hz), "-o", data, "--"] + self.target)
        _, seconds, read_cpu, _ = run([self.o.prof, "flame", "-i", data, "-o", os.path.join(self.folder, "x.svg")])
        folded, _, _, _ = run([self.o.prof, "folded", "--count", "-i", data])
        samples = sum(int(line.rsplit(b" ", 1)[1]) for line in folded.splitlines())
        return {"target": target_numbers(out), "cpu": max(cpu - plain["cpu"], 0.0), "samples": samples,
                "bytes": os.path.getsize(data), "flame": seconds, "memory": memory, "read_cpu": read_cpu}

    def perf(self, plain):
        data = os.path.join(self.folder, "perf.data")
        out, _, cpu, memory = run(["perf", "--buildid-dir", os.path.join(self.folder, "debug"), "record", "-q", "-e",
                              "task-clock", "-F", str(self.o.hz), "--call-graph", "dwarf,32768", "-o", data, "--"]
                             + self.target)
        text, seconds, read_cpu, _ = run(["perf", "script", "--no-inline", "-i", data, "-F", "comm,ip,sym"])
        samples = text.count(b"\n\n")
        return {"target": target_numbers(out), "cpu": max(cpu - plain["cpu"], 0.0), "samples": max(samples, 1),
                "bytes": os.path.getsize(data), "flame": seconds, "memory": memory, "read_cpu": read_cpu}


def show(name, values):
    print("%-66s %8.4f   (%.4f to %.4f)" % (name, statistics.median(values), min(values), max(values)))


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
    print("%-66s %8s   (%d rounds at %d Hz)" % ("", "median", options.rounds, options.hz))
    show("target's time, prof / alone", [p["target"][0] / a["target"][0] for a, p, _ in rounds])
    show("target's time, perf / alone", [q["target"][0] / a["target"][0] for a, _, q in rounds])
    show("target's p99 iteration, prof / alone", [p["target"][2] / a["target"][2] for a, p, _ in rounds])
    show("target's p99 iteration, perf / alone", [q["target"][2] / a["target"][2] for a, _, q in rounds])
    show("recorder's CPU per sample, prof / perf (target's run taken off)",
         [(p["cpu"] / p["samples"]) / max(q["cpu"] / q["samples"], 1e-9) for _, p, q in rounds])
    show("recorder's CPU per sample with what reads it (perf: script)",
         [((p["cpu"] + p["read_cpu"]) / p["samples"]) / max((q["cpu"] + q["read_cpu"]) / q["samples"], 1e-9)
          for _, p, q in rounds])
    show("recorder's memory per sample, prof / perf",
         [(p["memory"] / p["samples"]) / (q["memory"] / q["samples"]) for _, p, q in rounds])
    show("bytes per sample, prof / perf",
         [(p["bytes"] / p["samples"]) / (q["bytes"] / q["samples"]) for _, p, q in rounds])
    show("bytes per sample, prof", [p["bytes"] / p["samples"] for _, p, _ in rounds])
    show("recording to flame graph, prof / perf script", [p["flame"] / q["flame"] for _, p, q in rounds])
    return 0


if __name__ == "__main__":
    sys.exit(main())
