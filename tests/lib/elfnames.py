"""The names in an ELF file, read without any help: an opinion of its own on which symbol an address belongs to."""
import bisect
import lzma
import mmap
import os
import struct

TYPES = (0, 2, 10)  # NOTYPE, FUNC, GNU_IFUNC


class Symbol:
    def __init__(self, name, start, size, table):
        self.name, self.start, self.size, self.table = name, start, size, table

    def covers(self, address):
        return self.start <= address < self.start + self.size


class ElfNames:
    """Of 64-bit little-endian files; what is damaged or of another kind has no names."""

    def __init__(self, data, path="", debug_dir=None):
        self.data, self.sections, self.symbols, self.build_id = data, {}, [], ""
        if bytes(data[:6]) == b"\x7fELF\x02\x01":
            self.read_sections()
            self.read_tables()
            self.read_build_id()
            self.read_minidebuginfo()
            self.read_debug_file(path, debug_dir)
        self.by_start = {}
        for s in self.symbols:
            self.by_start.setdefault(s.start, []).append(s)
        self.starts = sorted(self.by_start)
        self.slots = self.read_slots() if ".rela.plt" in self.sections or ".rela.dyn" in self.sections else {}
        self.longest = max([s.size for s in self.symbols], default=0)

    def read_sections(self):
        offset, = struct.unpack_from("<Q", self.data, 40)
        size, count, strings = struct.unpack_from("<HHH", self.data, 58)
        rows = [struct.unpack_from("<IIQQQQIIQQ", self.data, offset + i * size) for i in range(count)] if offset else []
        for row in rows:
            name = self.string(rows[strings][4] + row[0])
            self.sections[name] = {"type": row[1], "flags": row[2], "address": row[3], "offset": row[4], "size": row[5], "link": row[6]}
        self.rows = rows

    def string(self, offset):
        end = self.data.find(b"\0", offset)
        return bytes(self.data[offset:end]).decode("utf-8", "surrogateescape")

    def read_tables(self):
        for name in (".symtab", ".dynsym"):
            table = self.sections.get(name)
            if not table or table["type"] == 8:  # no bits
                continue
            strings = self.rows[table["link"]][4]
            for at in range(table["offset"], table["offset"] + table["size"], 24):
                n, info, _, index, value, size = struct.unpack_from("<IBBHQQ", self.data, at)
                if index and info & 15 in TYPES and n:
                    self.symbols.append(Symbol(self.string(strings + n), value, size, name))

    def read_build_id(self):
        note = self.sections.get(".note.gnu.build-id")
        if note and note["type"] != 8:
            namesz, descsz, _ = struct.unpack_from("<III", self.data, note["offset"])
            at = note["offset"] + 12 + (namesz + 3) // 4 * 4
            self.build_id = bytes(self.data[at:at + descsz]).hex()

    def read_minidebuginfo(self):
        mini = self.sections.get(".gnu_debugdata")
        if mini:
            packed = bytes(self.data[mini["offset"]:mini["offset"] + mini["size"]])
            self.take(ElfNames(lzma.decompress(packed)), ".gnu_debugdata")

    def read_debug_file(self, path, debug_dir):
        """Where gdb's manual says that it is."""
        if not debug_dir:
            return
        places = ["%s/.build-id/%s/%s.debug" % (debug_dir, self.build_id[:2], self.build_id[2:])] if self.build_id else []
        link, folder = self.sections.get(".gnu_debuglink"), os.path.dirname(path)
        if link:
            places += [base + self.string(link["offset"]) for base in
                       (folder + "/", folder + "/.debug/", debug_dir + folder + "/") if base + self.string(link["offset"]) != path]
        for place in places:
            if os.path.exists(place):
                self.take(read_file(place), "debug file")
                return

    def take(self, other, table):
        self.symbols += [Symbol(s.name, s.start, s.size, table) for s in other.symbols]

    def names_at(self, start):
        """Of all symbols that begin there, without versions."""
        return {s.name.split("@")[0] for s in self.by_start.get(start, ())}

    def covering(self, address):
        """Symbols whose own size reaches over the address."""
        i = bisect.bisect_right(self.starts, address)
        found = []
        while i and self.starts[i - 1] + self.longest > address:
            i -= 1
            found += [s for s in self.by_start[self.starts[i]] if s.covers(address)]
        return found

    def read_slots(self):
        """The functions whose addresses the loader stores, by where it stores them: x86-64's relocations 6, 7 and 37."""
        slots, symbols = {}, self.sections.get(".dynsym")
        for table in filter(None, (self.sections.get(".rela.plt"), self.sections.get(".rela.dyn"))):
            for at in range(table["offset"], table["offset"] + table["size"], 24):
                slot, info, addend = struct.unpack_from("<QQQ", self.data, at)
                if info & 0xffffffff in (6, 7) and symbols:
                    name, = struct.unpack_from("<I", self.data, symbols["offset"] + 24 * (info >> 32))
                    slots[slot] = {self.string(self.rows[symbols["link"]][4] + name)}
                elif info & 0xffffffff == 37:
                    slots[slot] = self.names_at(addend)
        return slots

    def stub_targets(self, address):
        """What the PLT stub of 16 bytes around the address jumps to, read from its code: jmp *slot(%rip)."""
        section = self.sections.get(self.section_of(address))
        if not section:
            return set()
        start = address - (address - section["address"]) % 16
        code = bytes(self.data[section["offset"] + start - section["address"]:][:16])
        jump = code.find(b"\xff\x25", 0, 6)
        if jump < 0:
            return set()
        return self.slots.get(start + jump + 6 + struct.unpack_from("<i", code, jump + 2)[0], set())

    def section_of(self, address):
        for name, s in self.sections.items():
            if s["flags"] & 4 and s["address"] <= address < s["address"] + s["size"]:
                return name
        return ""


def read_file(path, debug_dir=None):
    with open(path, "rb") as f:
        return ElfNames(mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ), path, debug_dir)


def read_vdso():
    """This process's own: the same in all of them."""
    with open("/proc/self/maps", encoding="utf-8") as f:
        line = next((l for l in f if l.rstrip().endswith("[vdso]")), "")
    if not line:
        return ElfNames(b"")
    start, end = (int(word, 16) for word in line.split()[0].split("-"))
    with open("/proc/self/mem", "rb", buffering=0) as f:
        f.seek(start)
        return ElfNames(f.read(end - start))


def read_kallsyms():
    """Names by address; none where they are hidden."""
    names = {}
    with open("/proc/kallsyms", encoding="utf-8", errors="surrogateescape") as f:
        for line in f:
            words = line.split()
            address = int(words[0], 16)
            if address and words[1] in "tTwW":
                names.setdefault(address, set()).add(words[2])
    return names
