"""What becomes of the file that is written to, and of the one that was there."""
import os
import signal
import stat
import subprocess
import threading

from proftest import PATIENCE, PROF, SOURCE, Skip, environment, expect, expect_equal, finish, main, need_root, prof, run, start

MAGIC = b"\x89PROF\r\n\x1a"
PERF_DATA = os.path.join(SOURCE, "tests/corpus/perf_data/callchain.data")


def read(path):
    with open(path, "rb") as f:
        return f.read()


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)


def imported(path):
    r = prof("import", "-o", path, PERF_DATA)
    expect_equal(r.status, 0, str(r))
    return read(path)


def writers():
    """The commands that write a file, without -o."""
    imported("in.data")
    return (("import", PERF_DATA), ("symbolize", "in.data"), ("flame", "in.data"))


def test_a_device_is_written_to():
    need_root()
    for command in writers():
        name = "null-" + command[0]
        try:
            os.mknod(name, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
            with open(name, "wb"):
                pass
        except PermissionError:
            raise Skip("devices do not work here") from None
        r = prof(*command, "-o", name)
        expect_equal(r.status, 0, str(r))
        expect(stat.S_ISCHR(os.lstat(name).st_mode), name + " is a device no longer")
    expect_equal(sorted(n for n in os.listdir(".") if not n.startswith("null-")), ["in.data"], "files left behind")


def test_file_size_limit():
    for command in writers():
        r = run("sh", "-c", "ulimit -f 0; exec \"$@\"", "sh", PROF, *command, "-o", "out")
        expect_equal(r.status, 1, str(r))
        expect("File too large" in r.err and r.err.count("\n") == 1, str(r))
    expect_equal(os.listdir("."), ["in.data"], "files left behind")


def test_interrupted():
    """Wherever a signal comes, what was there is there, or all of the new one, and nothing beside it."""
    for command in writers():
        write("out", b"before")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            p = start(PROF, *command, "-o", "out")
            while p.poll() is None and not any(n.startswith("out.") and n != "out.old" for n in os.listdir(".")):
                pass
            if p.poll() is None:
                p.send_signal(number)
            r = finish(p)
            expect(r.signal == number or r.status == 0, str(r))
            expect_equal(sorted(set(os.listdir(".")) - {"out.old"}), ["in.data", "out"], "files after " + str(r))
            expect(r.status == 0 or read("out") == b"before" or read("out")[:8] == MAGIC or b"<svg" in read("out"), "what is there")


def test_a_pipe_is_written_to():
    for command in writers():
        name = "pipe-" + command[0]
        os.mkfifo(name)
        got = []
        reader = threading.Thread(target=lambda path=name: got.append(read(path)), daemon=True)
        reader.start()
        r = prof(*command, "-o", name)
        reader.join(PATIENCE)
        expect_equal(r.status, 0, str(r))
        expect(stat.S_ISFIFO(os.lstat(name).st_mode), name + " is a pipe no longer")
        expect(got and len(got[0]) > 1000, "%s wrote %r" % (name, got))
        if command[0] != "flame":
            expect_equal(got[0][:8], MAGIC, "the start of what came")


def piped(script, *args):
    r = run("bash", "-c", "set -o pipefail; " + script, "bash", *args)
    expect_equal(r.status, 0, script + str(r))
    return r


def test_a_dash_is_standard_input_and_output():
    whole = imported("in.data")
    r = piped("cat $1 | \"$PROF\" import -o out.data -", PERF_DATA)
    expect_equal((r.out, r.err), ("", "prof import: wrote out.data\n"), "import from a pipe")
    expect_equal(piped("\"$PROF\" folded out.data").out, prof("folded", "in.data").out, "from a pipe")
    r = piped("\"$PROF\" import $1 -o - | cat > from.pipe", PERF_DATA)
    expect_equal((r.err, read("from.pipe")[:8]), ("", MAGIC), "import to a pipe")
    r = piped("\"$PROF\" import - < $1 | cat; \"$PROF\" import -o - - < $1 > from.file", PERF_DATA)
    expect_equal(piped("cat from.file | \"$PROF\" folded -").out, prof("folded", "in.data").out, "from and to a file")
    r = piped("cat in.data | \"$PROF\" symbolize -q - -o - | cat > named.data")
    expect_equal((r.err, read("named.data")[:8]), ("", MAGIC), "symbolize")
    expect_equal(piped("\"$PROF\" folded -i - -o - < named.data").out, prof("folded", "in.data").out, "folded")
    r = piped("\"$PROF\" flame -i - -o - < named.data | head -c 5")
    expect_equal(r.out, "<svg ", "flame")
    expect_equal(read("in.data"), whole, "in.data")
    expect(not os.path.exists("-"), sorted(os.listdir(".")))


def test_a_link_stays_and_leads_to_what_was_written():
    os.mkdir("there")
    for command in writers():
        for before in (b"old", None):
            if before:
                write("there/target", before)
            os.symlink("target", "there/second")
            os.symlink("there/second", "first")
            r = prof(*command, "-o", "first")
            expect_equal(r.status, 0, str(r))
            expect_equal((os.readlink("first"), os.readlink("there/second")), ("there/second", "target"), "links")
            expect(stat.S_ISREG(os.lstat("there/target").st_mode), "the target is no file")
            expect(os.path.getsize("there/target") > 1000, "the target was not written")
            for name in ("first", "there/second", "there/target", "there/target.old"):
                if os.path.lexists(name):
                    os.remove(name)
    expect_equal((os.listdir("there"), sorted(os.listdir("."))), ([], ["in.data", "there"]), "files left behind")


def test_a_file_at_standard_output_stays_the_same_file():
    imported("in.data")
    write("out.data", b"")
    inode = os.stat("out.data").st_ino
    with open("out.data", "r+b") as f:
        r = prof_to(f, "symbolize", "-q", "in.data", "-o", "/proc/self/fd/1")
    expect_equal(r, 0, "status")
    expect_equal(os.stat("out.data").st_ino, inode, "the inode of out.data")
    expect_equal(read("out.data")[:8], MAGIC, "the start of out.data")


def prof_to(out, *args):
    return subprocess.run([PROF, *args], stdout=out, env=environment(), timeout=PATIENCE, check=False).returncode


def test_symbolize_does_not_replace_other_formats():
    write("perf.data", read(PERF_DATA))
    for args in (("perf.data",), ("perf.data", "-o", "perf.data"), ("-i", "perf.data", "-o", "./perf.data")):
        r = prof("symbolize", *args)
        expect_equal((r.status, r.out, r.err), (1, "", "prof symbolize: perf.data: is no prof.data (perf.data): "
                                                "'prof import perf.data -o prof.data' makes one\n"), str(r))
        expect_equal(read("perf.data"), read(PERF_DATA), "perf.data")
    r = prof("symbolize", "perf.data", "-o", "named.data")
    expect_equal(r.status, 0, str(r))
    expect_equal(read("named.data")[:8], MAGIC, "the start of named.data")
    os.mkfifo("fifo")
    r = prof("symbolize", "fifo")
    expect_equal((r.status, r.err), (2, "prof symbolize: fifo: is no file: name the file to write, -o FILE\n"), str(r))


def test_symbolize_keeps_what_it_could_not_read():
    whole = imported("whole.data")
    for damaged in (whole[:-5], whole + b"junk" * 20, whole[:-60] + b"\0" * 60):
        write("a.data", damaged)
        r = prof("symbolize", "a.data")
        expect_equal(r.status, 0, str(r))
        expect_equal(r.err.splitlines()[-1], "prof symbolize: the damaged or unfinished file is kept as a.data.old", str(r))
        expect_equal(read("a.data.old"), damaged, "a.data.old")
        os.remove("a.data.old")
    r = prof("symbolize", "whole.data")
    expect_equal(r.status, 0, str(r))
    expect(not os.path.exists("whole.data.old"), "a whole file was kept")


def notes(path):
    r = prof("report", path)
    expect_equal(r.status, 0, str(r))
    return r.err.splitlines()


def test_what_is_wrong_with_a_file_is_said_as_it_is():
    whole = imported("whole.data")
    write("a.data", whole[:-5])
    expect_equal(notes("a.data"), ["prof report: the file is cut short: what comes before the cut is shown"], "cut")
    for junk in (71, 20, 3, 100000):
        write("a.data", whole + b"x" * junk)
        expect_equal(notes("a.data"), ["prof report: the file is damaged in 1 place: %d bytes were skipped" % junk],
                     "%d bytes of junk" % junk)
    write("a.data", whole[:12] + b"?" + whole[13:])
    expect_equal(notes("a.data"), ["prof report: the file is damaged in its header; what follows was read"], "header")


def test_devices_are_no_profiles():
    need_root()
    wanted = {"zero": (5, "is not a profile (prof reads its own prof.data, perf.data, what perf script prints, pprof's profiles, folded stacks and prof's flame graphs)"),
              "random": (9, "is not a profile (prof reads its own prof.data, perf.data, what perf script prints, pprof's profiles, folded stacks and prof's flame graphs)"),
              "null": (3, "is empty (was the recording stopped at once?)")}
    for name, (minor, text) in wanted.items():
        os.mknod(name, 0o666 | stat.S_IFCHR, os.makedev(1, minor))
        try:
            read_one = os.open(name, os.O_RDONLY)
        except PermissionError:
            raise Skip("devices do not work here") from None
        os.close(read_one)
        r = prof("report", name)
        expect_equal((r.status, r.out, r.err), (1, "", "prof report: %s: %s\n" % (name, text)), name)


def test_a_sparse_tail_is_passed_quickly():
    whole = imported("whole.data")
    write("a.data", whole)
    os.truncate("a.data", len(whole) + (64 << 30))
    r = run("sh", "-c", "ulimit -t 5; exec \"$PROF\" report a.data")
    expect_equal(r.status, 0, str(r))
    expect_equal(r.err, "prof report: the file is damaged in 1 place: %d bytes were skipped\n" % (64 << 30), "note")


if __name__ == "__main__":
    main(globals())
