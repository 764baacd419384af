#!/usr/bin/env python3
"""Sort bench_symbolize's differences from another tool by kind, each proved from the symbols in the file.

  BENCH_DIFFERENCES=addr2line bench_symbolize PROGRAM | tools/bench/differences_by_kind.py PROGRAM

A line of input is "# ADDRESS ours | theirs" where names differ, "# ADDRESS name ours:LINE | theirs:LINE" where lines
do. Status 1 when a difference has no known kind.
"""
import collections
import re
import subprocess
import sys


class Symbols:
    """The functions of a file: where each name is, and what covers an address."""

    def __init__(self, path):
        self.places = collections.defaultdict(set)
        listing = subprocess.run(["nm", "-S", path], stdout=subprocess.PIPE, check=True).stdout.decode("utf-8", "surrogateescape")
        for line in listing.splitlines():
            fields = line.split()
            if len(fields) == 4:
                self.places[bare(fields[3])].add((int(fields[0], 16), int(fields[1], 16)))

    def covering(self, name, address):
        """The places of a name that cover the address; of the parts of a function too."""
        return {(start, size) for start, size in self.places[bare(name)] if start <= address < start + size}


def bare(name):
    """Without a version and the suffixes of copies and parts."""
    return re.sub(r"(\.(isra|part|constprop|cold|lto_priv)(\.\d+)?|\.\d+)+$", "", name.split("@")[0])


def demangled(name):
    return subprocess.run(["c++filt", name], stdout=subprocess.PIPE, check=True).stdout.decode("utf-8", "surrogateescape").strip()


def kind_of_names(symbols, address, ours, theirs):
    if symbols.covering(ours, address) & symbols.covering(theirs, address):
        return "several symbols of one address"
    if bare(ours) == bare(theirs):
        return "suffixes of copies"
    if ours.endswith("::" + theirs):
        return "scopes in front of a name"
    if not ours.startswith("_Z") and symbols.covering(theirs, address):
        return "named by the function around"
    if symbols.covering(ours, address) and not theirs.startswith("_Z"):
        return "named by DWARF"
    if demangled(ours) == demangled(theirs):
        return "read the same when demangled"
    return None


def kind_of_lines(address, ours, theirs):
    (our_file, our_line), (their_file, their_line) = (re.match(r"(.*):(\d+|\?)", text).groups() for text in (ours, theirs))
    if our_line in "0?" and their_line in "0?":
        return "no line on either side, a file on one"
    if our_line == their_line and our_file.rpartition("/")[2] != their_file.rpartition("/")[2]:
        return "another file, the same line"
    if theirs == "??:?" and address % 256 == 255:
        return "none at the last of 256 addresses"
    return None


def kind_of(symbols, line):
    address, text = line[2:].split(" ", 1)
    ours, theirs = text.split(" | ", 1)
    match = re.fullmatch(r"(.*?) ((?:/|\?\?:|[^ :]*:)\S*)", ours)
    if match and re.search(r":(\d+|\?)( \(discriminator \d+\))?$", theirs):
        return "line: ", kind_of_lines(int(address, 16), match.group(2), theirs)
    return "name: ", kind_of_names(symbols, int(address, 16), ours, theirs)


def main(path):
    symbols = Symbols(path)
    counts = collections.Counter()
    for line in sys.stdin.read().splitlines():
        if line.startswith("# "):
            what, kind = kind_of(symbols, line)
            counts[what + (kind or "no kind")] += 1
            if not kind:
                print(line)
    for kind, count in counts.most_common():
        print("%7d  %s" % (count, kind))
    return 1 if any(kind.endswith("no kind") for kind in counts) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
