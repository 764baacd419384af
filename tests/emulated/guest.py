"""What the checks of the emulated machine share.

A check is a function test_* with the commands it looks at above it:

    @guest(listing="prof list cycles")
    def test_listing(g):
        expect_equal(g.status("listing"), 0, ...)

The machine runs the commands of all checks in one go, as root, in one folder, and the checks look at what came of
them afterwards: `prepare.py boot` does the former, ctest runs the latter. Their host's prof reads the recordings.
"""
import functools
import importlib
import os

from proftest import Recording, Result, Skip, expect_equal, main

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(os.environ.get("BUILD", "."), "emulated")
CPUS = int(os.environ.get("EMULATED_CPUS", "1"))
UNAVAILABLE = os.path.join(FOLDER, "unavailable")  # says why there is no machine
COMMANDS = {}


def machine_folder(cpus):
    return os.path.join(FOLDER, "machine-%d" % cpus)


def skip_where_unavailable():
    if os.path.exists(UNAVAILABLE):
        with open(UNAVAILABLE, encoding="utf-8") as f:
            raise Skip("no emulated machine: " + f.read())


def need_one_cpu():
    """QEMU has one count of instructions, and one clock, for all CPUs: what the others do is counted with them."""
    if CPUS > 1:
        raise Skip("exact only on one CPU: QEMU counts all CPUs' instructions together")


class Guest:
    """What the machine's commands left."""

    def __init__(self):
        self.folder = machine_folder(CPUS)

    def path(self, name):
        return os.path.join(self.folder, name)

    def bytes(self, name):
        with open(self.path(name), "rb") as f:
            return f.read()

    def result(self, name):
        return Result([name + ":", COMMANDS[name]], int(self.bytes(name + ".status")), self.bytes(name + ".out"),
                      self.bytes(name + ".err"))

    def done(self, name):
        """The result of a command that must have succeeded."""
        r = self.result(name)
        expect_equal(r.status, 0, "status of %s" % r)
        return r

    def recording(self, name):
        """NAME recorded NAME.data."""
        return Recording(self.path(name + ".data"), self.done(name))


def guest(**commands):
    def wrap(test):
        COMMANDS.update(commands)

        @functools.wraps(test)
        def check():
            skip_where_unavailable()
            test(Guest())
        return check
    return wrap


def all_commands():
    """Of every check, in the order of the files' names and in them."""
    for name in sorted(os.listdir(HERE)):
        if name.startswith("test_") and name.endswith(".py"):
            importlib.import_module(name[:-3])
    return list(COMMANDS.items())


def record(name, command, options="--no-kernel"):
    return "prof record %s -o %s.data -- %s" % (options, name, command)


def run_checks(namespace):
    main(namespace)
