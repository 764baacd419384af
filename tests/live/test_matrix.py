"""One program built in many ways: compilers, optimization, frame pointers, kinds of executables and of debug
information. Whatever the build, the stack is the one that the program states."""
import os
import subprocess

from proftest import SOURCE, Skip, below, environment, expect, expect_all, main, need_tool, record, run, total

INLINED = os.path.join(SOURCE, "tests/programs/inlined.c")
CHAIN = ("main", "host", "level1", "level2", "level3")


def build(name, compiler, *flags):
    """Compile the program in the current directory; what this machine's tools cannot do is skipped."""
    compile_ = [need_tool(compiler), "-D_GNU_SOURCE", *flags, INLINED, "-o", name]
    p = subprocess.run(compile_, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment(), check=False)
    if p.returncode:
        raise Skip("%s: %s" % (" ".join(compile_), p.stdout.decode("utf-8", "replace").strip()[-300:]))
    return os.path.abspath(name)


def check_chain(path, *names, options=()):
    """Of the samples in the program at least these functions, in this order, directly below each other."""
    r = record(path, 400, options=options)
    stacks = [s for s in r.counts() if "main" in s]
    expect(total(stacks) > 0.85 * total(r.counts()), "%s: %d of %d samples have main" % (
        path, total(stacks), total(r.counts())))
    hosted = below(stacks, "host")
    expect(total(hosted) > 0.9 * total(stacks), "%s: %d of %d samples in host" % (path, total(hosted), total(stacks)))
    expect_all(hosted, lambda s: s.has(*names), "%s: %s" % (path, ";".join(names)), 0.97)


def check_built(compiler, *flags):
    check_chain(build("inlined", compiler, *flags), *CHAIN)


def optimizations(compiler):
    for level in ("-O0", "-O1", "-O2", "-O3", "-Os"):
        for pointers in ("-fomit-frame-pointer", "-fno-omit-frame-pointer"):
            check_built(compiler, level, pointers, "-g")


def test_gcc_optimizations():
    optimizations("gcc")


def test_clang_optimizations():
    optimizations("clang")


def test_no_pie():
    check_built("gcc", "-O2", "-g", "-no-pie")


def test_static():
    check_built("gcc", "-O2", "-g", "-static", "-no-pie")


def test_static_pie():
    check_built("gcc", "-O2", "-g", "-static-pie")


def test_dwarf_4():
    check_built("gcc", "-O2", "-gdwarf-4")


def test_dwarf_5():
    check_built("gcc", "-O2", "-gdwarf-5")


def test_clang_dwarf_5():
    check_built("clang", "-O2", "-gdwarf-5")


def test_split_dwarf():
    check_built("gcc", "-O2", "-gdwarf-5", "-gsplit-dwarf")


def test_split_dwarf_4():
    check_built("gcc", "-O2", "-gdwarf-4", "-gsplit-dwarf")


def test_compressed_zlib():
    check_built("gcc", "-O2", "-g", "-gz=zlib")


def test_compressed_zlib_gnu():
    check_built("gcc", "-O2", "-g", "-gz=zlib-gnu")


def test_compressed_zstd():
    path = build("inlined", "gcc", "-O2", "-g")
    if run(need_tool("objcopy"), "--compress-debug-sections=zstd", path).status:
        raise Skip("objcopy knows no zstd")
    check_chain(path, *CHAIN)


def test_link_time_optimization():
    check_built("gcc", "-O2", "-g", "-flto")


def test_lld():
    check_built("clang", "-O2", "-g", "-fuse-ld=lld")


def test_lld_without_frame_pointers():
    check_built("clang", "-O2", "-g", "-fuse-ld=lld", "-fomit-frame-pointer")


def test_gold():
    check_built("gcc", "-O2", "-g", "-fuse-ld=gold")


def test_frame_pointers_without_unwind_tables():
    flags = ("-fno-asynchronous-unwind-tables", "-fno-unwind-tables", "-fno-omit-frame-pointer")
    check_built("gcc", "-O2", "-g", *flags)


def test_debug_link():
    path = build("inlined", "gcc", "-O2", "-g")
    objcopy = need_tool("objcopy")
    run(objcopy, "--only-keep-debug", path, path + ".debug")
    run("strip", path)
    run(objcopy, "--add-gnu-debuglink=" + path + ".debug", path)
    check_chain(path, *CHAIN)


def test_debug_link_to_another_build():
    path = build("inlined", "gcc", "-O2", "-g")
    other = build("other", "gcc", "-O0", "-g", "-DOTHER")
    objcopy = need_tool("objcopy")
    run(objcopy, "--only-keep-debug", other, path + ".debug")
    run(objcopy, "--strip-debug", path)
    run(objcopy, "--add-gnu-debuglink=" + path + ".debug", path)
    run(objcopy, "--only-keep-debug", build("third", "gcc", "-O1", "-g"), path + ".debug")
    check_chain(path, "main", "host")


def test_symbol_table_only():
    check_chain(build("inlined", "gcc", "-O2"), "main", "host")


def test_minimal_debug_information():
    path = build("inlined", "gcc", "-O2", "-g")
    need_tool("xz")
    objcopy = need_tool("objcopy")
    script = """
set -e
nm '%(p)s' --format=posix --defined-only | awk '$2=="T"||$2=="t"{print $1}' | sort > keep
'%(o)s' --only-keep-debug '%(p)s' debug
'%(o)s' -S --remove-section .comment --keep-symbols=keep debug mini
strip '%(p)s'
xz mini
'%(o)s' --add-section .gnu_debugdata=mini.xz '%(p)s'
""" % {"p": path, "o": objcopy}
    r = run("sh", "-c", script)
    expect(r.status == 0, str(r))
    check_chain(path, "main", "host")


def test_stripped():
    path = build("inlined", "gcc", "-O2", "-g")
    run("strip", path)
    r = record(path, 300)
    stacks = r.counts()
    inside = [s for s in stacks if any(f.startswith("[unknown inlined+0x") for f in s.frames)]
    expect(total(inside) > 0.85 * total(stacks), "frames say where they are: %s" % stacks[0].frames)
    expect(not any(name in s for s in stacks for name in CHAIN), "a name from nowhere")


if __name__ == "__main__":
    main(globals())
