"""Makes a .dwp package of DWARF 5 from .dwo files with one unit each, which no tool of Debian 12 can.

    make_package.py OUT.dwp FILE.dwo...

The sections are joined, offsets of strings moved to where their file's strings are, and the index
(DWARF 5, 7.3.5.3) says which parts are whose.
"""
import struct
import subprocess
import sys
import tempfile

# Number in the index, section.
COLUMNS = [(1, ".debug_info.dwo"), (3, ".debug_abbrev.dwo"), (4, ".debug_line.dwo"),
           (6, ".debug_str_offsets.dwo"), (8, ".debug_rnglists.dwo")]
STRINGS = ".debug_str.dwo"
STR_OFFSETS_HEADER = 8


def section(path, name):
    with tempfile.NamedTemporaryFile() as out:
        subprocess.run(["objcopy", "-O", "binary", "--set-section-flags", name + "=alloc", "-j", name, path, out.name],
                       check=True)
        return out.read()


def moved_strings(offsets, base):
    count = (len(offsets) - STR_OFFSETS_HEADER) // 4
    words = struct.unpack_from("<%dI" % count, offsets, STR_OFFSETS_HEADER)
    return offsets[:STR_OFFSETS_HEADER] + struct.pack("<%dI" % count, *(w + base for w in words))


def hash_tables(ids, slots):
    hashes, rows = [0] * slots, [0] * slots
    for row, unit in enumerate(ids, 1):
        slot = unit & (slots - 1)
        while rows[slot]:
            slot = (slot + (unit >> 32 & (slots - 1) | 1)) & (slots - 1)
        hashes[slot], rows[slot] = unit, row
    return hashes, rows


def index(ids, parts):
    slots = 2
    while slots < 2 * len(ids):
        slots *= 2
    hashes, rows = hash_tables(ids, slots)
    out = struct.pack("<HHIII", 5, 0, len(COLUMNS), len(ids), slots)
    out += struct.pack("<%dQ" % slots, *hashes) + struct.pack("<%dI" % slots, *rows)
    out += struct.pack("<%dI" % len(COLUMNS), *(number for number, _ in COLUMNS))
    for which in (0, 1):  # offsets, then sizes
        for unit in parts:
            out += struct.pack("<%dI" % len(COLUMNS), *(part[which] for part in unit))
    return out


def main():
    joined = {name: b"" for _, name in COLUMNS}
    strings, ids, parts = b"", [], []
    for path in sys.argv[2:]:
        unit = []
        for _, name in COLUMNS:
            data = section(path, name)
            if name == ".debug_info.dwo":
                ids.append(struct.unpack_from("<Q", data, 12)[0])
            if name == ".debug_str_offsets.dwo":
                data = moved_strings(data, len(strings))
            unit.append((len(joined[name]), len(data)))
            joined[name] += data
        strings += section(path, STRINGS)
        parts.append(unit)
    joined[STRINGS] = strings
    joined[".debug_cu_index"] = index(ids, parts)
    empty = tempfile.NamedTemporaryFile(suffix=".o")
    subprocess.run(["gcc", "-c", "-x", "c", "/dev/null", "-o", empty.name], check=True)
    command = ["objcopy"]
    files = []
    for name, data in joined.items():
        if data:
            files.append(tempfile.NamedTemporaryFile())
            files[-1].write(data)
            files[-1].flush()
            command += ["--add-section", "%s=%s" % (name, files[-1].name)]
    subprocess.run(command + [empty.name, sys.argv[1]], check=True)


main()
