#!/usr/bin/python3
"""The unwinder on six real programs, against libunwind, libdwfl and copying the same stack bytes.

Usage: bench_unwind.py BENCH_UNWIND [--samples N] [--rounds N] [--only NAMES]

Needs g++, clang++, node, /usr/bin/python3 and sqlite3; what is not there is left out and said. What is compiled and run
is written into a temporary folder here. Prints what bench_unwind says of each program, then the ratios of all.
"""
import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))

CPP = """#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <regex>
#include <string>
template <int N> struct thing { static std::string text() { return std::regex_replace(std::to_string(N) +
    thing<N - 1>::text(), std::regex("a+"), "b"); } };
template <> struct thing<0> { static std::string text() { return ""; } };
int main() { std::map<std::string, std::function<int(int)>> m; m[thing<40>::text()] = [](int x) { return x; };
    std::cout << m.size(); }
"""

NODE = """function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }
for (;;) { let a = []; for (let i = 0; i < 2000; i++) a.push({k: 'k' + i % 97, v: fib(i % 12)});
  a.sort((x, y) => x.k < y.k ? -1 : 1); JSON.parse(JSON.stringify(a)); 'aXbX'.repeat(500).replace(/X+/g, s => s + '-') }
"""

PYTHON = """import json, re
def walk(n): return [walk(n - 1), {str(n): n}] if n else []
while True:
    json.loads(json.dumps(walk(12))); sorted(range(2000), key=lambda x: re.sub('1+', 'x', str(x)))
"""

SQL = """with recursive c(x) as (select 1 union all select x + 1 from c where x < 100000000)
select count(*), sum(length(printf('%d-%s', x, upper(hex(x))))) from c group by x % 97 order by 2;
"""


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(text)
    return path


def commands(folder):
    """name -> command, None where the program is missing."""
    cpp = write(folder, "x.cpp", CPP)
    result = dict.fromkeys(("deep", "clang", "g++", "node", "python3", "sqlite3"))
    if shutil.which("g++"):
        deep = os.path.join(folder, "deep")
        subprocess.run(["g++", "-O2", "-fomit-frame-pointer", "-o", deep, os.path.join(HERE, "bench_deep.cpp")],
                       check=True)
        result["deep"] = [deep]
        plain = os.path.join(folder, "x.ii")
        subprocess.run(["g++", "-E", "-o", plain, cpp], check=True)
        compiler = subprocess.run(["g++", "-print-prog-name=cc1plus"], check=True, stdout=subprocess.PIPE, text=True)
        result["g++"] = [compiler.stdout.strip(), "-quiet", "-O2", "-o", "/dev/null", plain]
    if shutil.which("clang++"):
        result["clang"] = [os.path.realpath(shutil.which("clang++")), "--driver-mode=g++", "-O2", "-c", "-o",
                           os.path.join(folder, "x.o"), cpp]
    if shutil.which("node"):
        result["node"] = [shutil.which("node"), write(folder, "x.js", NODE)]
    if os.path.exists("/usr/bin/python3"):
        result["python3"] = ["/usr/bin/python3", write(folder, "x.py", PYTHON)]
    if shutil.which("sqlite3"):
        result["sqlite3"] = [shutil.which("sqlite3"), ":memory:", SQL]
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bench")
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    wanted = {"libunwind / own": "at least 10, median 20", "libdwfl / own": "median 15",
              "own / copying, warm": "at most 1.5", "own / copying, cold": "at most 1.5"}
    ratios = {name: [] for name in wanted}
    with tempfile.TemporaryDirectory(prefix="prof-bench-") as folder:
        for name, command in commands(folder).items():
            if options.only and name not in options.only.split(","):
                continue
            if not command:
                print("== %s: not installed" % name)
                continue
            print("== %s: %s" % (name, " ".join(command)[:100]), flush=True)
            run = subprocess.run([options.bench, "-n", str(options.samples), "-r", str(options.rounds), "-w", "300"]
                                 + command, stdout=subprocess.PIPE, text=True, stderr=subprocess.PIPE)
            if run.returncode != 0:
                print("   failed: " + run.stderr.strip())
                continue
            lines = run.stdout.splitlines()
            print("\n".join(line for line in lines if not line.startswith(("{", "count"))), flush=True)
            for key, values in ratios.items():
                found = re.search(r"^%s +([0-9.]+) " % re.escape(key), run.stdout, re.M)
                values.append((float(found.group(1)), name))
    for key, values in ratios.items():
        if values:
            print("%-22s median %7.2f, from %s  (reach: %s)"
                  % (key, statistics.median(v for v, _ in values),
                     ", ".join("%.2f %s" % pair for pair in sorted(values)), wanted[key]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
