"""Make the emulated machine's files, and boot it.

    prepare.py build       the sysroot, prof and the test programs for aarch64
    prepare.py boot CPUS   run the commands of all checks in a machine with so many CPUs

What the checks look at is in BUILD/emulated. Ends with 77, and the reason, where there cannot be such a machine.
"""
import os
import shutil
import sys

import debian
import guest
import machine
import programs
from proftest import EXIT_SKIPPED, SOURCE, Skip, expect_equal, run

TOOLS = {
    machine.QEMU: "qemu-system-arm",
    programs.COMPILER: "gcc-aarch64-linux-gnu",
    machine.READELF: "binutils-aarch64-linux-gnu",
    "apt-get": "apt",
    "dpkg-deb": "dpkg",
}
LOADED = ("libpfm.so.4", "libcapstone.so.4")  # by prof itself, when it needs them
PROGRAMS = os.path.join(guest.FOLDER, "programs")
BUILT = os.path.join(guest.FOLDER, "prof")


def need_tools():
    for tool, package in TOOLS.items():
        if not shutil.which(tool):
            raise debian.Unavailable("needs %s (Debian's package %s)" % (tool, package))


def done(*command):
    r = run(*command, timeout=machine.PATIENCE)
    expect_equal(r.status, 0, "status of %s" % r)


def build_prof(sysroot):
    done("cmake", "-S", SOURCE, "-B", BUILT, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DBUILD_TESTING=OFF",
         "-DCMAKE_TOOLCHAIN_FILE=" + os.path.join(SOURCE, "tools/cmake/aarch64.cmake"), "-DPROF_SYSROOT=" + sysroot,
         "-DPROF_EMBED=" + os.environ["PROF_EMBED"])
    done("cmake", "--build", BUILT, "--target", "prof", "-j", "2")


def build():
    os.makedirs(guest.FOLDER, exist_ok=True)
    if os.path.exists(guest.UNAVAILABLE):
        os.unlink(guest.UNAVAILABLE)
    try:
        need_tools()
        sysroot = debian.prepare(guest.FOLDER)
    except debian.Unavailable as e:
        with open(guest.UNAVAILABLE, "w", encoding="utf-8") as f:
            f.write(str(e))
        guest.skip_where_unavailable()
    build_prof(sysroot)
    programs.build(sysroot, PROGRAMS)


def boot(cpus):
    guest.skip_where_unavailable()
    files = [os.path.join(BUILT, "src/cmd/prof")]
    files += [os.path.join(PROGRAMS, name) for name in (*programs.PROGRAMS, *programs.ZOO)]
    machine.boot(guest.machine_folder(cpus), os.path.join(guest.FOLDER, "sysroot"), files, guest.all_commands(),
                 loaded=LOADED, libraries=[os.path.join(PROGRAMS, programs.LIBRARY)], cpus=cpus)


if __name__ == "__main__":
    try:
        if sys.argv[1] == "build":
            build()
        else:
            boot(int(sys.argv[2]))
    except Skip as e:
        print("skipped: %s" % e)
        sys.exit(EXIT_SKIPPED)
