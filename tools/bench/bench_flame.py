#!/usr/bin/env python3
"""How much CPU time (user and system) prof flame takes of a folded text, beside what every reader of lines of text takes.

bench_flame.py PROF [STACKS …]: for each number of unique stacks, which folded_tree.js writes (default: 1000 and 100000; a
million are 700 MB), the least of several runs in turns: prof flame of the text and of the prof.data made of it, `prof --version`
and `wc` of the text as peers; then page faults, the largest size in memory, and the size of the SVG.
"""
import os
import subprocess
import sys
import tempfile

RUNS = 7


def run(command):
    """CPU seconds, page faults and KB of a command."""
    # Without a fork, whose copied pages would count.
    silent = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
    pid = os.posix_spawnp(command[0], command, os.environ, file_actions=silent)
    _, status, usage = os.wait4(pid, 0)
    if status != 0:
        sys.exit("%s: status %d" % (" ".join(command), status))
    return usage.ru_utime + usage.ru_stime, usage.ru_minflt, usage.ru_maxrss


def bench(prof, stacks, directory):
    text, data, svg = (os.path.join(directory, "t." + end) for end in ("folded", "data", "svg"))
    generator = os.path.join(os.path.dirname(os.path.abspath(__file__)), "folded_tree.js")
    with open(text, "wb") as out:
        subprocess.run(["node", generator, str(stacks)], stdout=out, check=True)
    run([prof, "import", "-o", data, text])
    commands = {"wc": ["wc", text], "prof --version": [prof, "--version"],
                "prof flame, folded": [prof, "flame", "-q", "-o", svg, text],
                "prof flame, prof.data": [prof, "flame", "-q", "-o", svg, data]}
    least = {name: min(result) for name, result in zip(commands, zip(*([run(c) for c in commands.values()] for _ in range(RUNS))))}
    print("%d unique stacks, %.1f MB of text, SVG %.0f kB" % (stacks, os.path.getsize(text) / 1e6, os.path.getsize(svg) / 1e3))
    for name, (cpu, faults, size) in least.items():
        print("  %-22s %9.1f ms  %6.2f x wc  %7d page faults  %4d MB" %
              (name, cpu * 1e3, cpu / max(least["wc"][0], 1e-4), faults, size // 1024))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as directory:
        for stacks in sys.argv[2:] or ("1000", "100000"):
            bench(sys.argv[1], int(stacks), directory)


main()
