#!/usr/bin/env python3
"""A second reader of prof.data, written from docs/format.md alone: it keeps that text honest.

usage: format_reader.py SEED    (a file of the fuzz corpus: one byte, then a prof.data)
Reads the file the test's sample profile was written to and checks what it says.
"""
import struct
import sys
import zlib

U64 = (1 << 64) - 1


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def unzigzag(v):
    return v >> 1 ^ (-(v & 1) & U64)


class Cursor:
    def __init__(self, data):
        self.data, self.pos = data, 0

    def left(self):
        return len(self.data) - self.pos

    def take(self, n):
        assert n <= self.left()
        self.pos += n
        return self.data[self.pos - n:self.pos]

    def u8(self):
        return self.take(1)[0]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.u8()
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return value

    def name(self):
        return self.take(self.varint()).decode()

    def integers(self, n):
        least, planes = self.varint(), self.u8()
        values = [0] * n
        for k in range(planes):
            for i, byte in enumerate(self.take(n)):
                values[i] |= byte << 8 * k
        return [v + least & U64 for v in values]


def decode(cursor, encoding, n, key):
    if encoding == 5:
        lengths = cursor.integers(n)
        return [cursor.take(length) for length in lengths]
    if encoding == 4:
        values, base = [], 0
        d = cursor.varint()
        for v in cursor.integers(d):
            base = base + unzigzag(v) & U64
            values.append(base)
        return [values[i] for i in cursor.integers(n)]
    out, last, front = [], {}, 0
    for i, v in enumerate(cursor.integers(n)):
        if encoding == 1:
            v = unzigzag(v) + (out[-1] if out else 0) & U64
        elif encoding == 2:
            v = unzigzag(v) + last.get(key[i], out[-1] if out else 0) & U64
            last[key[i]] = v
        elif encoding == 3:
            v = unzigzag(v) + front & U64
            front = max(front, v)
        out.append(v)
    return out


def read_schema(cursor):
    tables = {}
    for _ in range(cursor.varint()):
        number, name = cursor.varint(), cursor.name()
        cursor.varint()
        columns = []
        for _ in range(cursor.varint()):
            column, kind = cursor.name(), cursor.u8()
            cursor.take(2)
            cursor.varint()
            cursor.name()
            columns.append((column, kind))
        tables[number] = (name, columns)
    return tables


def read_rows(cursor, schema, profile):
    name, columns = schema[cursor.varint()]
    listed, count = cursor.varint(), cursor.varint()
    first = 0 if listed else cursor.varint()
    ids = cursor.integers(count) if listed else range(first, first + count)
    values = {}
    while cursor.left():
        index, encoding = cursor.varint(), cursor.u8()
        key = values[cursor.varint()] if encoding == 2 else None
        payload = Cursor(cursor.take(cursor.varint()))
        values[index] = decode(payload, encoding, count, key)
        assert payload.left() == 0
    for i, row_id in enumerate(ids):
        row = {}
        for index, (column, kind) in enumerate(columns):
            value = values[index][i] if index in values else 0
            row[column] = unzigzag(value) if kind == 1 else value
        profile.setdefault(name, {})[row_id] = row


def read(data):
    assert data[:8] == b"\x89PROF\r\n\x1a"
    assert struct.unpack_from("<II", data, 8) == (1, crc32c(data[:12]))
    pos, schema, profile, last = 16, None, {}, None
    while pos < len(data):
        header = struct.unpack_from("<IHHIIIII", data, pos)
        mark, kind, flags, _, stored, inflated, body_crc, header_crc = header
        assert mark == 0xC7E1B5F0 and header_crc == crc32c(data[pos:pos + 24])
        body = data[pos + 28:pos + 28 + stored]
        assert body_crc == crc32c(body)
        if flags & 1:
            body = zlib.decompress(body)
        assert len(body) == inflated
        if kind == 1:
            schema = read_schema(Cursor(body))
        elif kind == 2:
            read_rows(Cursor(body), schema, profile)
        last, pos = (kind, pos, body), pos + 28 + stored
    return profile, last


def check_end(data, last):
    kind, pos, body = last
    assert kind == 4 and pos == len(data) - 40
    index, flags = struct.unpack("<QI", body)
    assert flags == 1 and struct.unpack_from("<IH", data, index) == (0xC7E1B5F0, 3)


def check_sample_profile(p):
    def text(i):
        return p["strings"][i]["text"].decode() if i else ""

    def name_at(module, address):
        for row in p["locations"].values():
            if (row["module"], row["address"]) == (module, address):
                frames = range(row["first_frame"] - 1, row["first_frame"] - 1 + row["frame_count"])
                return [text(p["functions"][p["frames"][f]["function"] - 1]["name"]) for f in frames]
        return []

    assert [text(e["name"]) for e in p["events"].values()] == ["task-clock", "cycles:u"]
    assert p["runs"][0]["exit_status"] == U64 and p["runs"][0]["end_ns"] == U64
    assert len(p["samples"]) == 4 and len(p["nodes"]) == 5
    sample = p["samples"][0]
    assert (sample["time_ns"], sample["weight"], sample["leaf_address"]) == (60, 1000, 0x1234)
    assert text(p["tasks"][sample["task"] - 1]["comm"]) == "app"
    assert p["samples"][1]["leaf_address"] == U64 and p["samples"][1]["cpu"] == 65535
    names, node = [], sample["node"]
    while node:
        row = p["nodes"][node - 1]
        names += name_at(row["module"], row["address"] - 1)
        node = row["parent"]
    assert names == ["ns::inlined(int)", "main", "main"]
    aliases = [(text(p["functions"][a["function"] - 1]["name"]), text(a["name"]), text(a["linkage"]), a["relation"],
                a["flags"], a["more"]) for a in p["aliases"].values()]
    inlined = "ns::inlined(int)"
    assert aliases == [("main", "@@V_2", "", 2, 4, 0), (inlined, "_ZN2ns5aliasEi", "", 0, 2, 0),
                       (inlined, "other(int)", "_Z5otheri", 1, 1, 0), (inlined, "", "", 1, 0, 0xFFFFFFFF)]
    counts = [(c["sample"], text(p["events"][c["event"] - 1]["name"]), c["value"]) for c in p["counts"].values()]
    assert counts == [(0, "task-clock", 1000), (0, "cycles:u", U64), (2, "task-clock", 999), (2, "cycles:u", 0)]
    assert [(g["event"], g["counters"], g["known"], g["running_ns"]) for g in p["groups"].values()] == [(1, 1, 2, 60)]
    assert p["sources"][0]["text"] == b"int main(void)\n{\n"
    assert p["health"][0]["effective_rate_mhz"] == 996500


def main():
    with open(sys.argv[1], "rb") as f:
        data = f.read()[1:]
    profile, last = read(data)
    check_end(data, last)
    check_sample_profile(profile)


if __name__ == "__main__":
    main()
