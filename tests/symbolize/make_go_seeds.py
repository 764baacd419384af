#!/usr/bin/env python3
"""Cut a program that Go 1.18 or 1.19 built down to some of its functions: seeds for fuzz_go_image.

  (cd tests/symbolize/programs/go && go build -trimpath -o /tmp/program .)
  tests/symbolize/make_go_seeds.py /tmp/program tests/corpus/go_image

The functions keep their lengths and follow each other; their records, tables of numbers, names, files and trees of
inlined calls are the program's own, put together anew. Three files hold the same: one with sections, one without (the
table is searched), and a position-independent one, whose addresses are in its relocations.
"""
import os
import struct
import sys

WANTED = ("main.spin", "main.work", "strings.Fields", "time.unitMap", "sort.Strings", "errors.New")
MAGIC = 0xfffffff0
GOFUNC = 38  # moduledata's word with the address that trees of inlined calls count from
BASE, TEXT = 0x400000, 0x401000


def word(data, at, kind="<I"):
    return struct.unpack_from(kind, data, at)[0]


def string(data, at):
    return data[at:data.index(b"\0", at)]


def sections_of(elf):
    headers, size, count, names = word(elf, 40, "<Q"), word(elf, 58, "<H"), word(elf, 60, "<H"), word(elf, 62, "<H")
    rows = [struct.unpack_from("<IIQQQQ", elf, headers + i * size) for i in range(count)]
    return {string(elf, rows[names][4] + row[0]).decode(): row for row in rows}


class Program:
    def __init__(self, elf):
        sections = sections_of(elf)
        _, _, _, self.vaddr, offset, size = sections[".gopclntab"]
        self.table = elf[offset:offset + size]
        if word(self.table, 0) != MAGIC:
            sys.exit("not a program of Go 1.18 or 1.19")
        self.names, self.units, self.files, self.numbers, self.functions = struct.unpack_from("<5Q", self.table, 32)
        _, _, _, self.rodata_at, rodata, length = sections[".rodata"]
        self.rodata = elf[rodata:rodata + length]
        _, _, _, _, data, length = sections[".noptrdata"]
        places = [i for i in range(data, data + length, 8) if word(elf, i, "<Q") == self.vaddr]
        self.gofunc = word(elf, places[0] + 8 * GOFUNC, "<Q")

    def name(self, offset):
        return string(self.table, self.names + offset)

    def all_functions(self):
        for i in range(word(self.table, 8, "<Q")):
            start, record, end = struct.unpack_from("<III", self.table, self.functions + 8 * i)
            yield self.functions + record, end - start

    def steps(self, table):
        """The bytes of a table of numbers, and the numbers."""
        at, value, first, values = self.numbers + table, -1, True, []
        while True:
            change, at = self.varint(at)
            if change == 0 and not first:
                return self.table[self.numbers + table:at], values
            value += (change >> 1) ^ -(change & 1)
            values.append(value)
            _, at = self.varint(at)
            first = False

    def varint(self, at):
        value = shift = 0
        while True:
            byte = self.table[at]
            value |= (byte & 127) << shift
            shift, at = shift + 7, at + 1
            if byte < 128:
                return value, at


class Pool(bytearray):
    """Pieces that are referred to by their places; nothing is at 0."""

    def add(self, piece):
        self.extend(piece)
        return len(self) - len(piece)


class Cut:
    """The parts of the smaller program."""

    def __init__(self, program):
        self.p = program
        self.names, self.files, self.numbers, self.trees = Pool(b"\0"), Pool(), Pool(b"\0"), Pool(b"\0" * 4)
        self.units, self.records, self.lengths, self.places = [], Pool(), [], []

    def add_name(self, offset):
        return self.names.add(self.p.name(offset) + b"\0")

    def add_table(self, table):
        return self.numbers.add(self.p.steps(table)[0]) if table else 0

    def add_unit(self, unit, highest):
        """The unit's file numbers up to the highest."""
        first = len(self.units)
        for i in range(highest + 1):
            offset = word(self.p.table, self.p.units + 4 * (unit + i))
            self.units.append(offset if offset == 0xffffffff else self.files.add(string(self.p.table, self.p.files + offset) + b"\0"))
        return first

    def read_tree(self, place, table):
        highest = max(self.p.steps(table)[1], default=-1)
        at = self.p.gofunc + place - self.p.rodata_at
        return [struct.unpack_from("<hBBiiii", self.p.rodata, at + 20 * i) for i in range(highest + 1)]

    def add_tree(self, rows):
        return self.trees.add(b"".join(struct.pack("<hBBiiii", parent, kind, pad, file, line, self.add_name(name), pc)
                                       for parent, kind, pad, file, line, name, pc in rows))

    def add(self, record, length):
        t = self.p.table
        _, name, arguments, defers, depths, files, lines, count, unit = struct.unpack_from("<IiIIIIIII", t, record)
        marks = t[record + 36:record + 40]
        tables = struct.unpack_from("<%dI" % count, t, record + 40)
        others = struct.unpack_from("<%dI" % marks[3], t, record + 40 + 4 * count)
        tree = self.read_tree(others[3], tables[2]) if len(others) > 3 and others[3] != 0xffffffff and count > 2 and tables[2] else []
        highest = max(self.p.steps(files)[1] + [row[3] for row in tree])
        others = [self.add_tree(tree) if i == 3 and tree else 0xffffffff for i in range(len(others))]
        self.places.append(len(self.records))
        self.records.add(struct.pack("<IiIIIIIII", sum(self.lengths), self.add_name(name), arguments, defers, self.add_table(depths),
                                     self.add_table(files), self.add_table(lines), count, self.add_unit(unit, highest)) +
                         marks + struct.pack("<%dI" % count, *map(self.add_table, tables)) + struct.pack("<%dI" % len(others), *others))
        self.lengths.append(length)

    def table(self, text):
        n = len(self.lengths)
        parts = [bytes(self.names), struct.pack("<%dI" % len(self.units), *self.units), bytes(self.files), bytes(self.numbers)]
        at, places, body = 72, [], b""
        for part in parts:
            places.append(at + len(body))
            body += part + b"\0" * (-len(part) % 8)
        places.append(at + len(body))
        for i in range(n):
            body += struct.pack("<II", sum(self.lengths[:i]), 8 * n + 4 + self.places[i])
        body += struct.pack("<I", sum(self.lengths)) + self.records
        return struct.pack("<IBBBB3Q5Q", MAGIC, 0, 0, 1, 8, n, len(self.units), text, *places) + body


def make_elf(cut, position_independent, with_sections):
    note = struct.pack("<III4s8s", 4, 8, 4, b"Go\0\0", b"seed/id\0")
    table = cut.table(0 if position_independent else TEXT)
    head = 64 + 3 * 56
    table_at = -(-(head + len(note)) // 8) * 8
    trees_at = table_at + -(-len(table) // 8) * 8
    data_at = trees_at + -(-len(cut.trees) // 8) * 8
    words = [0] * (GOFUNC + 2)
    relocations = {}
    for i, value in ((0, BASE + table_at), (GOFUNC, BASE + trees_at)):
        relocations[BASE + data_at + 8 * i] = value
        words[i] = 0 if position_independent else value
    if position_independent:
        relocations[BASE + table_at + 8 + 16] = TEXT
    data = struct.pack("<%dQ" % len(words), *words)
    rela = b"".join(struct.pack("<QQQ", place, 8, value) for place, value in relocations.items()) if position_independent else b""
    rela_at = data_at + len(data)
    names = b"\0.gopclntab\0.noptrdata\0.rela\0.text\0.shstrtab\0"
    names_at = rela_at + len(rela)
    headers_at = -(-(names_at + len(names)) // 8) * 8
    body = note.ljust(table_at - head, b"\0") + table.ljust(trees_at - table_at, b"\0") + bytes(cut.trees).ljust(data_at - trees_at, b"\0")
    body += data + rela
    rows = [("", 0, 0, 0, 0), (".gopclntab", 1, table_at, len(table), BASE + table_at), (".noptrdata", 1, data_at, len(data), BASE + data_at),
            (".rela", 4, rela_at, len(rela), BASE + rela_at), (".text", 8, 0, sum(cut.lengths), TEXT), (".shstrtab", 3, names_at, len(names), 0)]
    headers = b"".join(struct.pack("<IIQQQQIIQQ", names.index(name.encode() + b"\0"), kind, 2, vaddr, at, size,
                                   0, 0, 8, 24 if kind == 4 else 0) for name, kind, at, size, vaddr in rows)
    if with_sections:
        body += names.ljust(headers_at - names_at, b"\0") + headers
    size = head + len(body)
    segments = struct.pack("<IIQQQQQQ", 1, 4, 0, BASE, BASE, size, size, 4096)
    segments += struct.pack("<IIQQQQQQ", 4, 4, head, BASE + head, BASE + head, len(note), len(note), 4)
    segments += struct.pack("<IIQQQQQQ", 1, 5, 0, TEXT, TEXT, 0, sum(cut.lengths), 4096)
    ident = b"\x7fELF\2\1\1".ljust(16, b"\0")
    return struct.pack("<16sHHIQQQIHHHHHH", ident, 3 if position_independent else 2, 62, 1, TEXT, 64, headers_at if with_sections else 0,
                       0, 64, 56, 3, 64, len(rows) if with_sections else 0, len(rows) - 1 if with_sections else 0) + segments + body


def main(path, folder):
    with open(path, "rb") as f:
        program = Program(f.read())
    cut = Cut(program)
    for record, length in program.all_functions():
        if program.name(word(program.table, record + 4, "<i")).decode() in WANTED:
            cut.add(record, length)
    os.makedirs(folder, exist_ok=True)
    for name, how in (("sections", (False, True)), ("searched", (False, False)), ("relocated", (True, True))):
        with open(os.path.join(folder, name), "wb") as f:
            f.write(make_elf(cut, *how))


if __name__ == "__main__":
    main(*sys.argv[1:])
