"""The zoo: programs that state what is true of them (tests/programs/zoo), built in every way that matters.

A member is a row: its name, and a function that builds it in the current directory and says what can be known of it.
"""
import os
import platform

from proftest import SOURCE, Skip, environment, need_tool, run

WHERE = os.path.join(SOURCE, "tests/programs/zoo")
COMMON = ("-D_GNU_SOURCE", "-I", os.path.dirname(WHERE))


class Animal:
    """A built member: the program, and what of its truth is to be found in it."""

    def __init__(self, path, inlined=True, lines=True, names=True):
        self.path, self.inlined, self.lines, self.names = os.path.abspath(path), inlined, lines, names


def source(name):
    return os.path.join(WHERE, name)


def execute(*command, env=None):
    """Run a tool. What this machine's version of it cannot do is skipped, with what it said."""
    r = run(need_tool(command[0]), *command[1:], env=env)
    if r.status:
        raise Skip("%s: %s" % (" ".join(r.args), (r.err + r.out).strip()[-300:]))


def compile_c(compiler, *flags, files=("zoo.c",)):
    # The sources are compiled where they are, but what comes beside an output comes here.
    linker = next((f[len("-fuse-ld="):] for f in flags if f.startswith("-fuse-ld=")), None)
    if linker:
        need_tool("mold" if linker == "mold" else "ld." + linker)
    execute(compiler, *COMMON, *flags, *[source(f) if os.path.exists(source(f)) else f for f in files],
            "-o", "zoo")
    return Animal("zoo")


OPTIMIZED = {
    "O0": ("-O0",),
    "O2fp": ("-O2", "-fno-omit-frame-pointer"),
    "O2": ("-O2", "-fomit-frame-pointer"),
}
KINDS = {
    "pie": ("-fpie", "-pie"),
    "no_pie": ("-fno-pie", "-no-pie"),
    "static": ("-fno-pie", "-no-pie", "-static"),
    "static_pie": ("-fpie", "-static-pie"),
}
COMPILERS = {"gcc": "gcc", "clang": "clang"}
LINKERS = ("bfd", "gold", "lld", "mold")


def debug_flags(*flags):
    def build(compiler, *more):
        return compile_c(compiler, "-O2", *flags, *more)
    return build


def changed(change, **known):
    """A member that is built as usual, then changed with other tools."""
    def build(compiler, *more):
        compile_c(compiler, "-O2", "-g", *more)
        change()
        return Animal("zoo", **known)
    return build


def build_zstd():
    execute("objcopy", "--compress-debug-sections=zstd", "zoo")


def split_package(version):
    def build(compiler, *more):
        if version == "5" and "gcc" in compiler:
            raise Skip("llvm-dwp 14 does not come to an end with gcc's DWARF 5, and GNU dwp packs version 4 only")
        compile_c(compiler, "-O2", "-gdwarf-" + version, "-gsplit-dwarf", *more)
        execute("dwp" if version == "4" else "llvm-dwp", "-e", "zoo", "-o", "zoo.dwp")
        for name in os.listdir("."):
            if name.endswith(".dwo"):
                os.unlink(name)
        return Animal("zoo")
    return build


def build_without_split_files(compiler, *more):
    compile_c(compiler, "-O2", "-gdwarf-5", "-gsplit-dwarf", *more)
    for name in os.listdir("."):
        if name.endswith(".dwo"):
            os.unlink(name)
    return Animal("zoo", inlined=False, lines=False)


def link_to(debug, *objcopy_flags):
    os.makedirs(os.path.dirname(debug) or ".", exist_ok=True)
    execute("objcopy", "--only-keep-debug", *objcopy_flags, "zoo", debug)
    execute("strip", "zoo")
    execute("objcopy", "--add-gnu-debuglink=" + debug, "zoo")


def debug_link_frame(compiler, *more):
    """Unwind tables in the debug file only."""
    compile_c(compiler, "-O2", "-g", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables", "-fomit-frame-pointer",
              *more)
    link_to("zoo.debug")
    return Animal("zoo")


def build_wrong_link():
    """The file that the link names is another build's: its names would be wrong."""
    link_to("zoo.debug")
    execute("gcc", "-O0", "-g", *COMMON, "-Wl,--build-id=none", source("zoo.c"), "-o", "other")
    execute("objcopy", "--only-keep-debug", "other", "zoo.debug")


def build_wrong_link_without_build_id(compiler, *more):
    compile_c(compiler, "-O2", "-g", "-Wl,--build-id=none", *more)
    build_wrong_link()
    return Animal("zoo", names=False)


def build_link_without_build_id(compiler, *more):
    compile_c(compiler, "-O2", "-g", "-Wl,--build-id=none", *more)
    link_to("zoo.debug")
    return Animal("zoo")


def build_alternate():
    """What two files have in common stands in a third (dwz -m)."""
    for name in ("zoo", "second"):
        execute("gcc", "-O2", "-gdwarf-4", *COMMON, source("zoo.c"), "-o", name)
    # Absolute, since the link is kept as it is given.
    execute("dwz", "-m", os.path.abspath("common.debug"), "zoo", "second")


def build_minimal():
    script = """
set -e
nm zoo --format=posix --defined-only | awk '$2=="T"||$2=="t"{print $1}' | sort > keep
objcopy --only-keep-debug zoo debug
objcopy -S --remove-section .comment --keep-symbols=keep debug mini
strip zoo
xz mini
objcopy --add-section .gnu_debugdata=mini.xz zoo
"""
    need_tool("xz")
    execute("sh", "-c", script)


def stripped_exporting(compiler, *more):
    """No symbol table but the dynamic linker's, which has every function."""
    compile_c(compiler, "-O2", "-Dstatic=", "-Dinline=static", "-rdynamic", *more)
    execute("strip", "zoo")
    return Animal("zoo", inlined=False, lines=False)


DEBUG = {
    "dwarf4": debug_flags("-gdwarf-4"),
    "dwarf5": debug_flags("-gdwarf-5"),
    "dwarf64": debug_flags("-gdwarf-5", "-gdwarf64"),
    "types": debug_flags("-gdwarf-4", "-fdebug-types-section"),
    "split4": debug_flags("-gdwarf-4", "-gsplit-dwarf"),
    "split5": debug_flags("-gdwarf-5", "-gsplit-dwarf"),
    "package4": split_package("4"),
    "package5": split_package("5"),
    "split_lost": build_without_split_files,
    "zlib": debug_flags("-g", "-gz=zlib"),
    "zlib_gnu": debug_flags("-g", "-gz=zlib-gnu"),
    "zstd": changed(build_zstd),
    "lines_only": lambda compiler, *more: compile_c(compiler, "-O2", "-g1", *more),
    "sections": debug_flags("-g", "-ffunction-sections", "-Wl,--gc-sections"),
    "one_segment": debug_flags("-g", "-Wl,-z,noseparate-code"),
    "no_aranges": changed(lambda: execute("objcopy", "-R", ".debug_aranges", "zoo")),
    "no_cfi_header": changed(lambda: execute("objcopy", "-R", ".eh_frame_hdr", "zoo")),
    "frame_pointers_only": lambda compiler, *more: compile_c(
        compiler, "-O2", "-g", "-fno-omit-frame-pointer", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables",
        *more),
    "debug_frame": debug_flags("-g", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables",
                               "-fomit-frame-pointer"),
    "debug_link_frame": debug_link_frame,
    "debug_link": changed(lambda: link_to("zoo.debug")),
    "debug_link_below": changed(lambda: link_to(".debug/zoo.debug")),
    "debug_link_compressed": changed(lambda: link_to("zoo.debug", "--compress-debug-sections=zlib")),
    "debug_link_no_id": build_link_without_build_id,
    "debug_link_wrong": changed(build_wrong_link, names=False),
    "debug_link_wrong_no_id": build_wrong_link_without_build_id,
    "alternate": changed(build_alternate),
    "minimal": changed(build_minimal, inlined=False, lines=False),
    "symbols_only": changed(lambda: execute("strip", "--strip-debug", "zoo"), inlined=False, lines=False),
    "stripped": changed(lambda: execute("strip", "zoo"), names=False),
    "stripped_exporting": stripped_exporting,
}


def build_cpp(compiler, *flags):
    return compile_c(compiler, *flags, files=("zoo.cpp",))


def build_rust(*flags):
    execute("rustc", "-g", *flags, source("zoo.rs"), "-o", "zoo")
    return Animal("zoo")


def build_go(*flags, **known):
    here = os.getcwd()
    execute("go", "build", *flags, "-o", "zoo", source("zoo.go"), env=environment(
        GO111MODULE="off", CGO_ENABLED="0", GOFLAGS="", GOPATH=here + "/path", GOCACHE=here + "/cache"))
    return Animal("zoo", **known)


def build_assembler(compiler, *flags):
    if platform.machine() != "x86_64":
        raise Skip("its assembler is for x86-64")
    return compile_c(compiler, "-O2", "-g", *flags, files=("zoo_asm.c", "zoo_asm.S"))


def build_nasm():
    if platform.machine() != "x86_64":
        raise Skip("its assembler is for x86-64")
    execute("nasm", "-f", "elf64", source("zoo_nasm.asm"), "-o", "nasm.o")
    return compile_c("gcc", "-O2", "-g", files=("zoo_asm.c", "nasm.o"))


def members():
    """Name and builder of each, in an order in which neighbours are alike."""
    rows = {}
    for compiler in COMPILERS:
        for level, level_flags in OPTIMIZED.items():
            for kind, kind_flags in KINDS.items():
                for linker in LINKERS:
                    flags = ("-g", *level_flags, *kind_flags, "-fuse-ld=" + linker)
                    rows["_".join((compiler, level, kind, linker))] = lambda c=compiler, f=flags: compile_c(c, *f)
        for level in ("O1", "O3", "Os"):
            rows["_".join((compiler, level))] = lambda c=compiler, f=level: compile_c(c, "-g", "-" + f)
        for name, build in DEBUG.items():
            rows["_".join((compiler, name))] = lambda c=compiler, b=build: b(c)
        for linker in LINKERS[1:]:
            for name in ("dwarf4", "split5", "zlib", "debug_link", "stripped_exporting"):
                rows["_".join((compiler, name, linker))] = \
                    lambda c=compiler, n=name, k=linker: DEBUG[n](c, "-fuse-ld=" + k)
        for linker in LINKERS:
            rows["_".join((compiler, "lto", linker))] = \
                lambda c=compiler, k=linker: compile_c(c, "-O2", "-g", "-flto", "-fuse-ld=" + k)
    for compiler in ("g++", "clang++"):
        for level, level_flags in OPTIMIZED.items():
            for kind in ("pie", "static"):
                rows["_".join((compiler.replace("++", "pp"), level, kind))] = \
                    lambda c=compiler, f=(*level_flags, *KINDS[kind]): build_cpp(c, "-g", *f)
    for mangling in ("v0", "legacy"):
        for level in ("0", "3"):
            rows["rust_%s_O%s" % (mangling, level)] = lambda m=mangling, o=level: build_rust(
                "-Copt-level=" + o, "-Csymbol-mangling-version=" + m)
    rows["rust_static"] = lambda: build_rust("-O", "-Ctarget-feature=+crt-static")
    rows["rust_lto"] = lambda: build_rust("-O", "-Clto=fat")
    rows["go"] = build_go
    rows["go_pie"] = lambda: build_go("-buildmode=pie")
    rows["go_stripped"] = lambda: build_go("-ldflags=-s -w")
    rows["musl"] = lambda: compile_c("musl-gcc", "-O2", "-g")
    rows["musl_static"] = lambda: compile_c("musl-gcc", "-O2", "-g", "-static")
    rows["assembler"] = lambda: build_assembler("gcc")
    rows["assembler_clang_lld"] = lambda: build_assembler("clang", "-fuse-ld=lld")
    rows["assembler_static"] = lambda: build_assembler("gcc", "-static")
    rows["nasm"] = build_nasm
    return rows
