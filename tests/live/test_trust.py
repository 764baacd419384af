"""Files that are not what they should be, and file systems that do not answer: nothing is read, nothing hangs, and a
line says so."""
import os
import re
import shutil
import signal
import subprocess

from proftest import PATIENCE, PROF, Failure, Recording, Result, Skip, as_nobody, below, cpu_seconds, environment
from proftest import expect, expect_equal, finish, main, need_root, need_tool, program, prof, record, run, start, stat_fields
from proftest import total, wait_until, world_directory

SECRET = "secret-b7f31c"
REFUSED = "not read although what is recorded names it: "


def secret_file(directory):
    path = os.path.join(directory, "secret")
    with open(path, "w", encoding="ascii") as f:
        f.write("root:%s:1:0:99999:7:::\n" % SECRET * 20)
    os.chmod(path, 0o600)
    return path


def everything_said(path):
    return "".join(r.out for r in (prof("info", "--json", path), prof("report", "--json", path), prof("folded", path)))


def check_nothing_read(result, path, name, why):
    expect_equal(result.status, 0, str(result))
    lines = [line for line in result.err.split("\n") if REFUSED in line]
    expect(len(lines) == 1 and name in lines[0] and why in lines[0], "one line about %s: %s" % (name, result.err))
    expect(SECRET not in everything_said(path), "the secret is in the recording")
    expect(total(Recording(path).counts()) > 0, "samples")


def with_debug_link(directory):
    """A stripped program whose debug link names what is planted beside it."""
    need_tool("objcopy")
    path = os.path.join(directory, "linked")
    shutil.copy(program("shares"), path)
    link = os.path.join(directory, "planted.debug")
    run("objcopy", "--only-keep-debug", path, link)
    expect_equal(run("objcopy", "--strip-all", "--remove-section=.note.gnu.build-id", "--add-gnu-debuglink=" + link, path).status, 0, "objcopy")
    os.chmod(path, 0o755)
    os.unlink(link)
    return path, link


def check_planted(plant, why):
    directory = os.path.abspath(".")
    path, link = with_debug_link(directory)
    plant(link)
    r = record(path, 200)
    check_nothing_read(r.result, r.path, "planted.debug", why)


def test_debug_link_to_a_secret():
    secret = secret_file(os.path.abspath("."))
    check_planted(lambda link: os.symlink(secret, link), "neither an ELF file nor source")


def test_debug_link_to_the_password_file():
    need_root()
    check_planted(lambda link: os.symlink("/etc/shadow", link), "neither an ELF file nor source")


def test_debug_link_to_a_pipe():
    check_planted(os.mkfifo, "not a regular file")


def test_debug_link_to_a_device():
    check_planted(lambda link: os.symlink("/dev/zero", link), "not a regular file")


def test_debug_link_to_a_directory():
    check_planted(os.mkdir, "not a regular file")


def test_debug_link_to_the_kernels_memory():
    if not os.path.exists("/proc/kcore"):
        check_planted(lambda link: os.symlink("/proc/self/maps", link), "not a regular file")
    else:
        check_planted(lambda link: os.symlink("/proc/kcore", link), "not a regular file")


def test_debug_link_to_a_core():
    def core(link):
        with open(link, "wb") as f:
            f.write(b"\177ELF\2\1\1" + bytes(9) + b"\4\0\x3e\0" + SECRET.encode() * 100)
    check_planted(core, "neither an ELF file nor source")


SPLIT_SOURCE = """
#include <stdlib.h>
#include <time.h>
volatile unsigned long sink;
__attribute__((noinline)) void burn_in_split(double seconds)
{
    while ((double)clock() / CLOCKS_PER_SEC < seconds)
        for (int i = 0; i < 100000; i++)
            sink += (unsigned long)i * sink;
}
int main(int argc, char **argv)
{
    burn_in_split(argc > 1 ? atof(argv[1]) : 0.2);
    return 0;
}
"""


def split_program(directory):
    compiler = need_tool("gcc")
    with open(os.path.join(directory, "split.c"), "w", encoding="ascii") as f:
        f.write(SPLIT_SOURCE)
    r = run(compiler, "-O1", "-g", "-gsplit-dwarf", "-o", "split", "split.c", cwd=directory)
    expect_equal(r.status, 0, str(r))
    found = [n for n in os.listdir(directory) if n.endswith(".dwo")]
    expect_equal(len(found), 1, "split debug information")
    os.unlink(os.path.join(directory, found[0]))
    return os.path.join(directory, "split"), os.path.join(directory, found[0])


def test_split_debug_information_that_is_a_secret():
    directory = os.path.abspath(".")
    path, dwo = split_program(directory)
    os.symlink(secret_file(directory), dwo)
    r = record(path, 0.3)
    check_nothing_read(r.result, r.path, ".dwo", "neither an ELF file nor source")


def test_common_debug_information_that_is_a_secret():
    """The file that dwz makes of several programs' debug information."""
    directory = os.path.abspath(".")
    secret = secret_file(directory)
    need_tool("objcopy")
    with open("alt", "wb") as f:
        f.write(secret.encode() + b"\0" + bytes(range(20)))
    shutil.copy(program("shares"), "with_alt")
    expect_equal(run("objcopy", "--add-section=.gnu_debugaltlink=alt", "with_alt").status, 0, "objcopy")
    os.chmod("with_alt", 0o755)
    r = record(os.path.abspath("with_alt"), 200)
    check_nothing_read(r.result, r.path, "secret", "neither an ELF file nor source")


def test_source_that_is_a_secret():
    """What a line table calls source is shown beside the code: a link to something else is not followed."""
    directory = os.path.abspath(".")
    secret = secret_file(directory)
    compiler = need_tool("gcc")
    with open("shown.c", "w", encoding="ascii") as f:
        f.write(SPLIT_SOURCE)
    expect_equal(run(compiler, "-O1", "-g", "-o", "shown", os.path.join(directory, "shown.c")).status, 0, "gcc")
    os.unlink("shown.c")
    os.symlink(secret, "shown.c")
    r = record(os.path.join(directory, "shown"), 0.3)
    check_nothing_read(r.result, r.path, "shown.c", "neither an ELF file nor source")


def test_secrets_of_others():
    """As an ordinary user, whose program names what he may not read."""
    need_root()
    directory = world_directory()
    shutil.copy(PROF, os.path.join(directory, "prof"))
    path, link = with_debug_link(directory)
    os.symlink("/etc/shadow", link)
    r = as_nobody("./prof", "record", "-o", "test.data", "--", path, "200", cwd=directory)
    check_nothing_read(r, os.path.join(directory, "test.data"), "planted.debug", "its user may not read it")


def test_secrets_of_root_are_not_a_users():
    """Recorded by root: a user's program gets what that user may read, and no more."""
    directory = world_directory()
    setpriv = need_tool("setpriv")
    need_root()
    path, link = with_debug_link(directory)
    os.symlink("/etc/shadow", link)
    r = record(setpriv, "--reuid", 65534, "--regid", 65534, "--clear-groups", path, 300)
    check_nothing_read(r.result, r.path, "planted.debug", "")


class HangingFiles:
    """A mounted file system with one program on it that answers so many opens and then no more.

    Who waits for it can be neither interrupted nor killed, this process included, so it ends in any case: with the
    test, or by itself after LIMIT seconds, when the test has failed. Then all that wait get an error."""

    LIMIT = PATIENCE // 2

    def __init__(self, content, mode, opens):
        need_root()
        if not os.path.exists("/dev/fuse"):
            raise Skip("no /dev/fuse")
        self.folder = world_directory()
        self.args = [program("hanging_fs"), self.folder, content, mode, str(opens), str(self.LIMIT)]
        self.path = os.path.join(self.folder, "program")
        self.expired = False

    def __enter__(self):
        self.server = subprocess.Popen(self.args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
        if self.server.stdout.readline() != b"ready\n":
            raise Skip("FUSE cannot be mounted here: " + self.server.communicate()[1].decode())
        return self

    def end(self):
        """What is closed when the server dies is the connection. It may have been stopped."""
        self.expired = self.expired or self.server.returncode is None and self.server.poll() is not None
        self.abort()
        self.server.kill()
        self.server.wait()
        run("umount", "-l", self.folder, timeout=60)

    def abort(self):
        """Where it can be done without the server."""
        with open("/proc/self/mountinfo", encoding="utf-8", errors="replace") as f:
            mounts = [line.split() for line in f]
        for device in [m[2] for m in mounts if m[4] == self.folder]:
            try:
                with open("/sys/fs/fuse/connections/%s/abort" % device.partition(":")[2], "w", encoding="ascii") as f:
                    f.write("1")
            except OSError:
                pass

    def __exit__(self, kind, *unused):
        self.end()
        self.server.communicate()
        if self.expired and kind is None:
            raise Failure("nothing ended within %d s" % self.LIMIT)

    def stop(self):
        self.server.send_signal(signal.SIGSTOP)
        wait_until(lambda: stat_fields(self.server.pid)[0] == "T", "the file system stops")


def keep_in_memory(path, size=-1):
    """What was read once is there without the file system: the program on it goes on. This takes one open."""
    with open(path, "rb") as f:
        f.read(size)


def check_goes_on(result, path):
    expect_equal(result.status, 0, str(result))
    expect_equal(result.err.count("does not answer"), 1, "one line: " + result.err)
    expect("/program" in result.err, "it names the file: " + result.err)
    expect(total(Recording(path).counts()) > 100, "the recording goes on: " + result.err)


def test_open_never_answers_alone():
    with HangingFiles(program("shares"), "open", 1) as fs:
        r = prof("record", "-o", "test.data", "--", fs.path, 2000)
        check_goes_on(r, "test.data")


def test_the_rings_are_emptied_while_nothing_answers_alone():
    with HangingFiles(program("inlined"), "open", 1) as fs:
        r = prof("record", "-o", "test.data", "--", "sh", "-c", "%s 3000 & %s 3000; wait" % (fs.path, program("shares")))
        check_goes_on(r, "test.data")
        lost = sum(int(n.replace(" ", "")) for n in re.findall(r", ([0-9 ]+) lost", r.err))
        got = total(Recording("test.data").counts())
        # Three seconds without anybody who reads them would cost most of it, on an idle machine.
        expect(lost < got, "%d samples lost, %d not: %s" % (lost, got, r.err))


def test_open_never_answers_a_user_alone():
    with HangingFiles(program("shares"), "open", 1) as fs:
        directory = world_directory()
        shutil.copy(PROF, os.path.join(directory, "prof"))
        r = as_nobody("./prof", "record", "-o", "test.data", "--", fs.path, 2000, cwd=directory)
        check_goes_on(r, os.path.join(directory, "test.data"))


def big_program():
    """More than what the program itself needs, so something remains to be read."""
    shutil.copy(program("shares"), "big")
    with open("big", "ab") as f:
        f.write(bytes(24 << 20))
    return os.path.abspath("big")


def test_read_never_answers_alone():
    with HangingFiles(big_program(), "read", 2) as fs:
        keep_in_memory(fs.path, os.path.getsize(program("shares")))
        r = prof("record", "-o", "test.data", "--", fs.path, 2000)
        check_goes_on(r, "test.data")


def test_stopped_file_system_alone():
    """Answers while it can, then its process is stopped."""
    with HangingFiles(program("shares"), "open", 1000) as fs:
        p = start(fs.path, 600000)
        try:
            wait_until(lambda: cpu_seconds(p.pid) > 0.1, "the program runs")
            keep_in_memory(fs.path)
            fs.stop()
            r = record_some(p.pid)
        finally:
            os.killpg(p.pid, signal.SIGKILL)
            fs.end()
            finish(p)
    check_goes_on(r, "test.data")


def text_of(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def record_some(pid):
    """Until prof has said that something does not answer, and a second of CPU time longer."""
    args = [PROF, "record", "-o", "test.data", "-p", str(pid)]
    with open("said", "wb") as said:
        p = subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said, env=environment())
        try:
            wait_until(lambda: p.poll() is not None or "does not answer" in text_of("said"), "prof to give up")
            seen = cpu_seconds(pid)
            wait_until(lambda: p.poll() is not None or cpu_seconds(pid) > seen + 1, "the program goes on")
            p.send_signal(signal.SIGINT)
            p.wait(PATIENCE)
        finally:
            p.kill()
            p.wait()
        return Result(args, p.returncode, b"", text_of("said").encode())


def test_interrupt_while_nothing_answers_alone():
    with HangingFiles(program("shares"), "open", 1) as fs:
        p = start(PROF, "record", "-o", "test.data", "--", fs.path, 600000)
        try:
            wait_until(lambda: p.poll() is not None or os.path.exists("test.data"), "the recording begins")
            os.killpg(p.pid, signal.SIGINT)
            r = finish(p)
        finally:
            p.kill()
        expect(r.signal == signal.SIGINT, "the command is interrupted and prof ends: " + str(r))
        expect_equal(prof("info", "test.data").status, 0, "the file")


def test_ordinary_file_system_in_user_space():
    """One that answers is as good as any: its files are named."""
    with HangingFiles(program("shares"), "open", 1000000) as fs:
        r = prof("record", "-o", "test.data", "--", fs.path, 500)
        expect_equal((r.status, "does not answer" in r.err), (0, False), str(r))
        stacks = Recording("test.data").counts()
        expect(total(below(stacks, "half")) > 0, "names: %s" % {s.leaf for s in stacks})


if __name__ == "__main__":
    main(globals())
