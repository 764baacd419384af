#!/usr/bin/env python3
"""Record a command with perf, and compare prof's names with perf's on the same samples, cause by cause.

  PROF=build/src/cmd/prof PROGRAMS=build/tests/programs tools/bench/names_against_perf.py [perf record options] -- command…
  … tools/bench/names_against_perf.py FILE.perf

Status 1 when a difference has no known cause.
"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/lib"))
import nameoracle  # pylint: disable=wrong-import-position


def output_of(*args):
    return subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout.decode("utf-8", "surrogateescape")


def main(args):
    with tempfile.TemporaryDirectory() as directory:
        path = args[0]
        perf = ["perf", "--buildid-dir", directory + "/buildids"]
        if "--" in args:
            path = directory + "/perf.data"
            options, command = args[:args.index("--")], args[args.index("--"):]
            subprocess.run(perf + ["record", "-q", "-o", path, "-e", "cpu-clock", "-F", "997", *options, *command],
                           stdout=subprocess.DEVNULL, check=False)
        script = perf + [*nameoracle.PERF_SCRIPT, "-i", path]
        subprocess.run([os.environ.get("PROF", "prof"), "import", "-o", directory + "/prof.data", path], check=True, stderr=subprocess.DEVNULL)
        leaves = output_of(os.path.join(os.environ.get("PROGRAMS", "."), "leaves"), directory + "/prof.data")
        result = nameoracle.Comparison(nameoracle.read_perf(output_of(*script), output_of(*script, "--no-demangle")),
                                       nameoracle.read_prof(leaves), directory + "/buildids")
    print(result.table())
    return 1 if result.unclassified or result.alone else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
