"""What the emulated machine records: programs of tests/programs and tests/emulated/guest, built for it."""
import os
import sys

from proftest import SOURCE, run

sys.path.append(os.path.join(SOURCE, "tests/live"))

COMPILER = "aarch64-linux-gnu-gcc"
USUAL = ("-D_GNU_SOURCE", "-O2", "-g")
WITH_FRAME_POINTERS = ("-fno-omit-frame-pointer", "-mno-omit-leaf-frame-pointer")
WITHOUT = ("-fomit-frame-pointer",)
NO_TABLES = ("-fno-asynchronous-unwind-tables", "-fno-unwind-tables")

# name: source below tests, flags
PROGRAMS = {
    "counted": ("emulated/guest/counted.c", WITHOUT),
    "shares": ("programs/shares.c", WITHOUT),
    "deep": ("programs/deep.c", WITHOUT),
    "deep_fp": ("programs/deep.c", WITH_FRAME_POINTERS),
    "deep_fp_only": ("programs/deep.c", WITH_FRAME_POINTERS + NO_TABLES),
    "leaf": ("programs/leaf.c", ("-fno-omit-frame-pointer", "-momit-leaf-frame-pointer")),
    "handler": ("programs/handler.c", ()),
    "inlined": ("programs/inlined.c", ()),
    "noreturn": ("programs/noreturn.c", ()),
    "tail": ("programs/tail.c", ()),
    "threads": ("programs/threads.c", ("-pthread",)),
    "vdso": ("programs/vdso.c", ()),
    "wrappers": ("programs/wrappers.c", ()),
    "plt_lazy": ("programs/plt.c", ("-fplt", "-Wl,-z,lazy", "-L.", "-ltiny")),
    "plt_bti": ("programs/plt.c", ("-fplt", "-Wl,-z,lazy", "-mbranch-protection=standard", "-Wl,-z,pac-plt", "-L.", "-ltiny")),
    "plt_none": ("programs/plt.c", ("-fno-plt", "-L.", "-ltiny")),
}
LIBRARY = "libtiny.so"  # what the programs plt_* call
# Ways to build the zoo's program (tests/programs/zoo), with stacks, shares, inlined functions and lines of its own.
ZOO = {
    "zoo_O0": ("-O0",),
    "zoo_O2": ("-O2",) + WITHOUT,
    "zoo_fp": ("-O2",) + WITH_FRAME_POINTERS,
    "zoo_fp_only": ("-O2",) + WITH_FRAME_POINTERS + NO_TABLES,
    "zoo_debug_frame": ("-O2",) + WITHOUT + NO_TABLES,
    "zoo_pac": ("-O2", "-mbranch-protection=standard"),
    "zoo_static": ("-O2", "-fno-pie", "-no-pie", "-static"),
}


def compile_one(sysroot, output, source, *flags):
    r = run(COMPILER, "--sysroot=" + sysroot, "-I", os.path.join(SOURCE, "tests/programs"), source, "-o", output, *flags)
    if r.status:
        raise RuntimeError(str(r))


def build(sysroot, folder):
    """All of them. Returns their paths; libtiny.so is beside them."""
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    tests = os.path.join(SOURCE, "tests")
    compile_one(sysroot, LIBRARY, tests + "/programs/plt_lib.c", "-O2", "-shared", "-fPIC", "-Wl,-soname," + LIBRARY)
    for name, (source, flags) in PROGRAMS.items():
        compile_one(sysroot, name, os.path.join(tests, source), *USUAL, *flags)
    for name, flags in ZOO.items():
        compile_one(sysroot, name, tests + "/programs/zoo/zoo.c", "-D_GNU_SOURCE", "-g", *flags)
    return [os.path.join(folder, name) for name in (*PROGRAMS, *ZOO)]
