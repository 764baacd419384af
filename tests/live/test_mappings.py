"""Where a file's code is: several segments, code that moves, libraries that come and go at one address."""
import os
import struct

from elfnames import ElfNames
from proftest import below, expect, expect_all, expect_equal, expect_share, main, program, record, total
from zoo import compile_c

SHARED = ("-shared", "-fPIC")


def expect_truth(recording, what):
    stacks = recording.counts()
    spent = sum(recording.truths.values())
    own = [s for s in stacks if any(name in s for name in recording.truths)]
    expect(total(own) > 0.8 * total(stacks), "%s: %d of %d samples are in %s, e.g. %s" % (
        what, total(own), total(stacks), sorted(recording.truths), [s.frames for s in stacks if s not in own][:3]))
    for name, ns in recording.truths.items():
        expect_share(own, lambda s, n=name: n in s, ns / spent, what + ": " + name)
    return stacks


def source(name):
    return os.path.join(os.environ["SOURCE"], "tests/programs", name)


def build(*arguments, files):
    return os.path.abspath(compile_c(*arguments, files=files).path)


def test_several_segments():
    for linker in ("bfd", "lld"):
        flags = ("-O2", "-fuse-ld=" + linker)
        path = build("gcc", *flags, files=(source("segments.c"),))
        check_segments(path, path, linker)
        os.rename(build("gcc", *flags, *SHARED, "-DLIBRARY", files=(source("segments.c"),)), "libsegments.so")
        path = build("gcc", "-Wl,-rpath,$ORIGIN", files=(source("segments_main.c"), "libsegments.so"))
        check_segments(path, "libsegments.so", linker + ", in a library")


def check_segments(path, file, what):
    with open(file, "rb") as f:
        image = f.read()
    offset, = struct.unpack_from("<Q", image, 32)
    count, = struct.unpack_from("<H", image, 56)
    headers = [struct.unpack_from("<IIQQQQQQ", image, offset + 56 * i) for i in range(count)]
    code = [h for h in headers if h[0] == 1 and h[1] & 1]
    expect(len(code) == 2, "%s: two executable segments: %s" % (what, code))
    expect(len({h[3] - h[2] for h in code}) == 2, "%s: at different distances from the file's offsets: %s" % (what, code))
    r = record(path, 300, options=["--no-kernel"])
    stacks = expect_truth(r, what)
    wrong = [s.frames for s in stacks if any(f.endswith(("_before", "_after")) for f in s.frames)]
    expect_equal(wrong, [], what + ": functions that never ran")


def test_moved_text():
    for how in ("fixed", "mremap", "memory", "file"):
        stacks = record(program("moved_text"), 400, how, options=["--no-kernel"]).counts()
        inside = below(stacks, "moved")
        expect(total(inside) > 0.9 * total(stacks), "%s: %d of %d samples are in moved, e.g. %s" % (
            how, total(inside), total(stacks), [s.frames for s in stacks if s not in inside][:2]))
        expect_all(inside, lambda s: s.has("main", "caller", "moved"), how + ": main;caller;moved")


def libraries(*flags):
    for name in ("first", "second"):
        path = compile_c("gcc", "-O2", *SHARED, *flags, "-DFUNCTION=in_" + name, files=(source("reloaded_lib.c"),)).path
        os.rename(path, name + ".so")
    return "./first.so", "./second.so"


def test_libraries_at_one_address():
    for flags in ((), ("-Wl,--build-id=none",)):
        paths = libraries(*flags)
        for how in ("paths", "unlinked"):
            expect_truth(record(program("reloaded"), 900, how, *paths, options=["--no-kernel"]), "%s %s" % (how, flags))


def test_library_written_over():
    """The first one's names are gone with its bytes; those of the second are not put in their place."""
    for flags in ((), ("-Wl,--build-id=none",)):
        r = record(program("reloaded"), 900, "over", *libraries(*flags), options=["--no-kernel"])
        stacks = [s for s in r.counts() if "run" in s]
        second = r.truths["in_second"] / sum(r.truths.values())
        inside = [s for s in stacks if s.frames[-2] == "run" and s.leaf != "cpu_ns"]
        expect_share(inside, lambda s: s.leaf == "in_second", second, "%s: in_second" % (flags,))
        expect_all([s for s in inside if s.leaf != "in_second"],
                   lambda s: s.leaf == "in_first" or s.leaf.startswith("[unknown reloaded.so+0x"), "%s" % (flags,))
        said = "reloaded.so was written over while it ran: what it held before has no names"
        expect("in_first" in {s.leaf for s in inside} or r.result.err.count(said) == 1, "said once: " + r.result.err)


def test_search_table_that_is_none():
    """.eh_frame_hdr whose encodings say that it has no table, or no count: the unwind tables are read without it."""
    for field in (3, 2):
        with open(program("inlined"), "rb") as f:
            image = bytearray(f.read())
        image[ElfNames(image).sections[".eh_frame_hdr"]["offset"] + field] = 0xff
        with open("inlined", "wb") as f:
            f.write(image)
        os.chmod("inlined", 0o700)
        r = record("./inlined", 300, options=["--no-kernel"])
        stacks = below(r.counts(), "host")
        expect_all(stacks, lambda s: s.frames[0] == "_start" and s.has("main", "host", "level1", "level2", "level3"),
                   "whole stacks", 0.97)
        health = r.report()["health"]
        expect(health["whole"] >= 0.95 * health["delivered"], "stacks are whole: %s" % health)


if __name__ == "__main__":
    main(globals())
