#!/usr/bin/env python3
"""Compare prof roofline's ceilings of one core with those of likwid-bench (Debian: likwid), kernel by kernel.

  PROF=build/src/cmd/prof tools/bench/roofline_against_likwid.py [ROUNDS]

likwid-bench runs ROUNDS times (20) for a few milliseconds each, and its best is taken, as prof takes the best of its rounds:
longer runs would measure whatever else the machine has to do. Both count the bytes that the program asks for. One pass of
likwid-bench over memory takes longer than a turn on a busy CPU, where prof takes a part of it at a time: there its numbers for
memory (and less so for L3) are far below, and mean nothing unless the machine is idle.

Then what should hold of any machine that is not busy, with ok or NO: no test, since on a busy one it need not.
"""
import json
import os
import re
import subprocess
import sys

PROF = os.environ.get("PROF", "prof")
SLICE = 0.003  # seconds
LARGEST = 256 << 20  # bytes: a pass over it takes some ten milliseconds
ARITHMETIC = (("scalar", "peakflops", "double"), ("sse2", "peakflops_sse", "double"), ("avx", "peakflops_avx", "double"),
              ("avx2-fma", "peakflops_avx_fma", "double"), ("avx512-fma", "peakflops_avx512_fma", "double"),
              ("scalar", "peakflops_sp", "single"), ("sse2", "peakflops_sp_sse", "single"), ("avx", "peakflops_sp_avx", "single"),
              ("avx2-fma", "peakflops_sp_avx_fma", "single"), ("avx512-fma", "peakflops_sp_avx512_fma", "single"))
# By what the processor has, the widest first: load, copy, triad, and the latter two with streaming stores.
MOVERS = (("avx512f", ("load_avx512", "copy_avx512", "stream_avx512_fma", "copy_mem_avx512", "stream_mem_avx512")),
          ("avx", ("load_avx", "copy_avx", "stream_avx", "copy_mem_avx", "stream_mem_avx")),
          ("sse2", ("load_sse", "copy_sse", "stream_sse", "copy_mem_sse", "stream_mem_sse")))
KINDS = ("load", "copy", "triad", "copy, streaming", "triad, streaming")


def cpu_flags():
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        return next((line.split(":")[1].split() for line in f if line.startswith("flags")), [])


def likwid(kernel, size, iterations):
    """(seconds, value) of a run: in MFlops/s or MByte/s; None when likwid-bench cannot."""
    r = subprocess.run(["likwid-bench", "-t", kernel, "-w", "N:%dkB:1" % (size // 1000), "-i", str(iterations)],
                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    text = r.stdout.decode("utf-8", "replace")
    unit = "MFlops/s" if kernel.startswith("peakflops") else "MByte/s"
    time, value = re.search(r"^Time:\s+(\S+) sec", text, re.M), re.search(r"^%s:\s+(\S+)" % unit, text, re.M)
    return (float(time.group(1)), float(value.group(1)) * 1e6) if time and value else None


def best_of(kernel, size, rounds):
    size = min(size, LARGEST)
    few = 1 if size > LARGEST / 4 else 10
    first = likwid(kernel, size, few)
    if not first:
        return None
    iterations = max(few, min(int(few * SLICE / max(first[0], 1e-6)), 10000000))
    runs = [likwid(kernel, size, iterations) for _ in range(rounds)]
    return max(run[1] for run in runs if run)


def line(name, ours, theirs, unit):
    if ours and theirs:
        print("%-28s %9.4g %9.4g %s   %5.2f" % (name, ours / 1e9, theirs / 1e9, unit, ours / theirs), flush=True)
    else:
        print("%-28s %s" % (name, "not measured by " + ("likwid-bench" if ours else "prof")), flush=True)


def compare(result, rounds):
    flags = cpu_flags()
    print("%-28s %9s %9s %9s %7s" % ("one core", "prof", "likwid", "", "ratio"))
    for name, kernel, precision in ARITHMETIC:
        row = next((f for f in result["flops"] if (f["name"], f["precision"]) == (name, precision)), None)
        if row:
            line("%s, %s" % (name, precision), row["one"]["best"], best_of(kernel, 16000, rounds), "GFLOP/s")
    movers = next(kernels for flag, kernels in MOVERS if flag in flags)
    for row in result["bandwidth"]:
        if row["one"]:
            kernel = movers[KINDS.index(row["what"])]
            line("%s, %s" % (row["place"], row["what"]), row["one"]["best"], best_of(kernel, row["one_bytes"], rounds), "GB/s   ")


def highest(rows, side, select):
    return max((row[side]["best"] for row in rows if row[side] and select(row)), default=None)


def relations(result):
    for side in ("one", "all"):
        for precision in ("double", "single"):
            def of(row, is_vector, precision=precision):
                return row["precision"] == precision and row["vector"] == is_vector
            scalar, vector = (highest(result["flops"], side, lambda row, v=v: of(row, v)) for v in (False, True))
            yield "%s: vectors at least 1.5 x scalar, %s" % (side, precision), vector >= 1.5 * scalar
        before = None
        for place in ("L1", "L2", "L3", "memory"):
            rate = highest(result["bandwidth"], side, lambda row, place=place: row["place"] == place)
            if before and rate:
                yield "%s: %s at most 1.25 x what is before it" % (side, place), rate <= 1.25 * before
            before = rate or before
    for row in result["flops"] + result["bandwidth"]:
        if row["one"] and row["all"] and row["all"]["best"] < 0.8 * row["one"]["best"]:
            yield "all cores at least 0.8 x one: %s" % row.get("name", row.get("place")), False


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    r = subprocess.run([PROF, "roofline", "--json", "-q", "-o", "/dev/null"], stdout=subprocess.PIPE, check=True)
    result = json.loads(r.stdout)
    print("other processes had %.0f %% of the CPUs' time while prof measured" % (100 * (result["others"] or 0)))
    compare(result, rounds)
    print()
    for what, holds in relations(result):
        print("%-3s %s" % ("ok" if holds else "NO", what))
    return 0


if __name__ == "__main__":
    sys.exit(main())
