"""Each sample of a perf.data under perf's name and under prof's; where they differ, why, with proof from the file itself.

A cause counts only when the module's own symbols show it; what no cause explains is UNCLASSIFIED.
"""
import collections
import os
import re

import elfnames

UNCLASSIFIED = "UNCLASSIFIED"
KERNEL_HIDDEN = "kernel: all its names are hidden from %s"
COPIES = re.compile(r"(\.(isra|part|constprop|cold|lto_priv)(\.\d+)?)+$")


Perf = collections.namedtuple("Perf", "pid tid time ip raw name offset dso")
Prof = collections.namedtuple("Prof", "kind address time tid module linkage function innermost")


def parse_perf_line(line):
    m = re.match(r"\s*(\d+)/(\d+)\s+([\d.]+):\s+([0-9a-f]+)\s+(.*)$", line)
    if not m:
        return None
    named = re.match(r"(.*)\+0x([0-9a-f]+) \((.*)\)$", m.group(5))
    name, offset, dso = (named.group(1), int(named.group(2), 16), named.group(3)) if named else ("", 0, m.group(5))
    time = int(m.group(3).replace(".", ""))
    return Perf(int(m.group(1)), int(m.group(2)), time, int(m.group(4), 16), "", name, offset, dso)


PERF_SCRIPT = ("script", "-G", "--ns", "-F", "pid,tid,time,ip,sym,symoff,dso", "--no-inline")


def read_perf(demangled, raw):
    """What `perf script` printed with PERF_SCRIPT, and the same with --no-demangle."""
    rows = [parse_perf_line(line) for line in demangled.split("\n")]
    raws = [parse_perf_line(line) for line in raw.split("\n")]
    return [row._replace(raw=r.name) for row, r in zip(rows, raws) if row]


def read_prof(text):
    """What `leaves` printed."""
    rows = [line.split("\t") for line in text.split("\n") if line]
    return [Prof(r[0], int(r[1], 16), int(r[2]), int(r[3]), *r[4:8]) for r in rows if r[0] != "synthetic"]


def plain(name):
    return name if name.endswith("@plt") else name.split("@")[0]


class Oracle:
    def __init__(self, cache):
        self.files, self.kernel, self.cache = {}, None, cache

    def names_of(self, prof):
        key = "[vdso]" if prof.kind == "vdso" else prof.module
        if key not in self.files:
            try:
                self.files[key] = elfnames.read_vdso() if prof.kind == "vdso" else elfnames.read_file(key, "/usr/lib/debug")
            except (OSError, ValueError):
                self.files[key] = elfnames.ElfNames(b"")
        return self.files[key]

    def kernel_names(self, address):
        if self.kernel is None:
            self.kernel = elfnames.read_kallsyms()
        return self.kernel.get(address, set())

    def cause(self, perf, prof):
        """(cause, are the names different)"""
        unnamed = not prof.function or prof.function.startswith("[unknown")
        if perf.name and (perf.raw == prof.linkage or perf.name == prof.function):
            if not self.same_place(perf, prof):
                return UNCLASSIFIED, True
            if prof.innermost != prof.function:
                return "the same function, prof names what is inlined there", False
            return "the same name", False
        if prof.kind == "kernel":
            return self.kernel_cause(perf, prof), True
        names = self.names_of(prof)
        if not perf.name and unnamed:
            return (UNCLASSIFIED, True) if names.covering(prof.address) else ("no name on either side", False)
        if not perf.name:
            return self.only_prof(names, prof), True
        if unnamed:
            return self.only_perf(names, perf, prof), True
        return self.both(names, perf, prof), True

    def same_place(self, perf, prof):
        """The symbol stands in the file where both count from; perf makes up the places of PLT stubs."""
        if prof.kind != "file" or "@plt" in perf.raw:
            return True
        names = self.names_of(prof)
        return not names.symbols or plain(perf.raw) in names.names_at(prof.address - perf.offset)

    def kernel_cause(self, perf, prof):
        if not perf.name and not prof.linkage:
            return KERNEL_HIDDEN % "both"
        if not perf.name or not prof.linkage:
            return KERNEL_HIDDEN % ("prof" if perf.name else "perf")
        both = {perf.raw, prof.linkage}
        if both <= self.kernel_names(perf.ip - perf.offset):
            return "kernel: two names of one address"
        return UNCLASSIFIED if self.kernel else "kernel: names are hidden now, so aliases cannot be told"

    def only_prof(self, names, prof):
        where = {s.table for s in names.covering(prof.address) if s.name == prof.linkage}
        if where == {".gnu_debugdata"}:
            return "only prof: minidebuginfo"
        if where == {"debug file"}:
            return "only prof: the separate debug file"
        if prof.linkage.endswith("@plt") and names.section_of(prof.address).startswith(".plt"):
            return "only prof: PLT stub"
        if where and prof.kind == "vdso":
            return "only prof: vdso"
        if not names.symbols and ".gopclntab" in names.sections:
            return "only prof: Go's own table"
        return UNCLASSIFIED

    def only_perf(self, names, perf, prof):
        start = prof.address - perf.offset
        if prof.kind in ("JIT", "anonymous") and not os.path.exists("/proc/%d" % perf.pid) and self.in_perf_map(perf):
            return "only perf: it reads the map of a process that is gone"
        if not os.path.exists(prof.module) and os.path.isdir(self.cache + prof.module):
            return "only perf: it kept a copy of a file that is gone"
        own = [s for s in names.by_start.get(start, ()) if plain(s.name) == plain(perf.raw)]
        if own and not any(s.covers(prof.address) for s in own):
            return "only perf: it stretches a symbol over what follows its end"
        return UNCLASSIFIED

    def in_perf_map(self, perf):
        """Generated code: the map's entries that cover the address hold perf's name."""
        try:
            with open("/tmp/perf-%d.map" % perf.pid, encoding="utf-8", errors="surrogateescape") as f:
                rows = [line.rstrip("\n").split(None, 2) for line in f]
        except OSError:
            return False
        return any(len(r) == 3 and r[2] == perf.name and 0 <= perf.ip - int(r[0], 16) < int(r[1], 16) for r in rows)

    def both(self, names, perf, prof):
        at_start = names.names_at(prof.address - perf.offset)
        theirs, ours = plain(perf.raw), prof.linkage
        if theirs == ours:
            return "version suffix" if perf.raw != ours else "demangler's spelling"
        if COPIES.sub("", theirs) == COPIES.sub("", ours) and theirs in at_start:
            return "compiler's suffix"
        if theirs in at_start and ours in at_start:
            return "two names of one address"
        covering = {plain(s.name) for s in names.covering(prof.address)}
        if names.section_of(prof.address).startswith(".plt") and ours.endswith("@plt"):
            if theirs == "@plt" or perf.raw == "@plt":
                return "PLT stub: perf gives it no name"
            targets = names.stub_targets(prof.address)
            if theirs.endswith("@plt") and theirs[:-4].split("@")[0] == ours[:-4]:
                return "PLT stub spelled differently"
            if theirs.endswith("@plt"):  # by its place among the relocations, which need not be the stubs' order
                return "PLT stub: perf names it as another one" if ours[:-4] in targets and theirs[:-4] not in targets else UNCLASSIFIED
            return "PLT stub: perf stretches a symbol over it" if theirs in at_start and theirs not in covering else UNCLASSIFIED
        if ours in covering and theirs in covering:
            return "two symbols over one address"
        if ours in covering and theirs in at_start:
            return "perf stretches a symbol over another one"
        return UNCLASSIFIED


def pair(perfs, profs):
    """Samples of both with the same thread and time; anything left over is an error of the caller's."""
    waiting = collections.defaultdict(collections.deque)
    for p in profs:
        waiting[p.tid, p.time].append(p)
    pairs, alone = [], []
    for p in perfs:
        queue = waiting[p.tid, p.time]
        if queue:
            pairs.append((p, queue.popleft()))
        else:
            alone.append(p)
    return pairs, alone + [p for queue in waiting.values() for p in queue]


class Comparison:
    """Causes with their counts and an example of each."""

    def __init__(self, perfs, profs, cache):
        """cache: perf's folder of build IDs."""
        self.causes, self.examples, self.differing = collections.Counter(), {}, 0
        oracle, kernel_named = Oracle(cache), {"perf": False, "prof": False}
        pairs, self.alone = pair(perfs, profs)
        for perf, prof in pairs:
            cause, differs = oracle.cause(perf, prof)
            self.causes[cause] += 1
            self.differing += differs
            if prof.kind == "kernel":
                kernel_named["perf"] |= bool(perf.name)
                kernel_named["prof"] |= bool(prof.linkage)
            self.examples.setdefault(cause, "%s | %s (%s %#x)" % (
                perf.raw or "[unknown]", prof.linkage or prof.function or "[unknown]", prof.module, prof.address))

        # All or nothing: a setting hides every name.
        for who in (who for who, named in kernel_named.items() if named):
            self.causes[UNCLASSIFIED] += self.causes.pop(KERNEL_HIDDEN % who, 0)

    @property
    def unclassified(self):
        return self.causes[UNCLASSIFIED]

    def table(self):
        n = sum(self.causes.values())
        lines = ["%d samples, %d under different names, %d unpaired" % (n, self.differing, len(self.alone))]
        for cause, count in (row for row in self.causes.most_common() if row[1]):
            lines.append("%7d  %-58s %s" % (count, cause, "" if cause == "the same name" else self.examples.get(cause, "")))
        return "\n".join(lines)
