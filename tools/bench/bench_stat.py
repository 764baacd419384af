#!/usr/bin/python3
"""prof stat against perf stat, side by side and interleaved in one run.

Usage: bench_stat.py PROF [--rounds N] [--drift SECONDS]

A command of about 1 ms (a small C program, built here) is run alone, under perf stat and under prof stat, in turns, each
with its own default events and with the same ones. Printed are medians with the lowest and highest of the rounds: how
long each took altogether, and the ratio prof / perf of what it took more than the command alone. --drift counts a
sleeping command with -I 100 for so long and prints how far the last intervals' ends are from their schedule.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

SOURCE = """
#include <time.h>
int main(void)
{
	struct timespec t;
	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	while (t.tv_nsec < 1000000 && t.tv_sec == 0);
	return 0;
}
"""
SAME = "task-clock,context-switches,cpu-migrations,page-faults"


def seconds(command):
    begin = time.monotonic()
    p = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    took = time.monotonic() - begin
    if p.returncode != 0:
        sys.exit("%s: status %d\n%s" % (" ".join(command), p.returncode, p.stderr.decode(errors="replace")))
    return took


def build(folder):
    program = os.path.join(folder, "millisecond")
    subprocess.run(["cc", "-O1", "-x", "c", "-o", program, "-"], input=SOURCE.encode(), check=True)
    return program


def compare(prof, program, rounds, words, what):
    ways = {
        "alone": [program],
        "perf": ["perf", "stat", *words, "--", program],
        "prof": [prof, "stat", *words, "--", program],
    }
    took = {name: [] for name in ways}
    for name in ways:
        seconds(ways[name])
    for _ in range(rounds):
        for name, command in ways.items():
            took[name].append(seconds(command))
    for name, values in took.items():
        print("%-16s %-6s %7.2f ms (%.2f to %.2f)" % (what, name, *(1e3 * v for v in (statistics.median(values), min(values), max(values)))))
    ratios = [(p - a) / (q - a) for a, q, p in zip(took["alone"], took["perf"], took["prof"]) if q > a]
    print("%-16s overhead prof / perf: %.2f (middle half of the rounds %.2f to %.2f)" % (what, statistics.median(ratios),
          *statistics.quantiles(ratios, n=4)[::2]))


def drift(prof, length):
    r = subprocess.run([prof, "stat", "--json", "-I", "100", "-e", "page-faults", "--", "sleep", str(length)], stderr=subprocess.PIPE,
                       stdout=subprocess.DEVNULL, check=True)
    ends = [json.loads(line)["interval_end_seconds"] for line in r.stderr.decode().split("\n") if '"interval_end_seconds"' in line]
    late = [1e3 * (end - round(end / 0.1) * 0.1) for end in ends[:-1]]
    tenth = max(1, len(late) // 10)
    print("drift: %d intervals of 100 ms in %s s; late by %.2f ms (median of the first tenth), %.2f ms (of the last tenth), %.2f ms at most" % (
        len(late), length, statistics.median(late[:tenth]), statistics.median(late[-tenth:]), max(late)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prof")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--drift", type=float, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder)
        compare(options.prof, program, options.rounds, [], "default events")
        compare(options.prof, program, options.rounds, ["-e", SAME], "the same events")
    if options.drift:
        drift(options.prof, options.drift)


if __name__ == "__main__":
    main()
