"""What is installed and packaged. BUILD is the build folder."""
import glob
import os
import shutil

from proftest import PROF, SOURCE, Sysctl, as_nobody, copy_for_everybody, environment, expect, expect_equal, main, need_root
from proftest import need_tool, run, world_directory

BUILD = os.environ.get("BUILD", os.path.join(os.path.dirname(PROF), "../.."))
INSTALLED = ("bin/prof", "sbin/prof-grant", "share/man/man1/prof.1", "share/man/man1/prof-record.1",
             "share/man/man8/prof-grant.8", "share/bash-completion/completions/prof", "share/zsh/vendor-completions/_prof",
             "share/fish/vendor_completions.d/prof.fish", "share/doc/prof/LICENSE")
GRANT = os.path.join(SOURCE, "tools/package/prof-grant")


def test_install():
    r = run(need_tool("cmake"), "--install", BUILD, "--prefix", os.path.abspath("usr"))
    expect_equal(r.status, 0, str(r))
    for name in INSTALLED:
        expect(os.path.getsize(os.path.join("usr", name)) > 0, name + " is not installed")
    expect_equal(run("usr/bin/prof", "--version").status, 0, "the installed program")
    r = run("sh", "usr/sbin/prof-grant", "status")  # of the program beside it, not of another one
    expect_equal((r.status, r.out), (0, "off\n"), str(r))
    os.remove("usr/bin/prof")
    r = run("sh", "usr/sbin/prof-grant", "status")
    expect_equal((r.status, r.err), (1, "prof-grant: %s is not there\n" % os.path.abspath("usr/bin/prof")), str(r))


def test_one_command_grants_alone():
    """What is refused is allowed as the check and the README say: by the installed prof-grant, else by its capabilities."""
    need_root()
    directory = world_directory()
    usr = os.path.join(directory, "usr")
    expect_equal(run(need_tool("cmake"), "--install", BUILD, "--prefix", usr).status, 0, "install")
    for path, _, _ in os.walk(usr):
        os.chmod(path, 0o755)
    installed = "sudo %s/sbin/prof-grant on && sudo adduser $USER prof" % usr
    by_hand = 'sudo setcap cap_perfmon,cap_sys_ptrace,cap_syslog,cap_bpf+ep "$(command -v prof)"'
    for program, command in ((usr + "/bin/prof", installed), (copy_for_everybody(PROF), by_hand)):
        with Sysctl("kernel.perf_event_paranoid", 2):
            r = as_nobody(program, "record", "-a", "-o", "t.data", "--duration", "1")
            check = as_nobody(program, "check")
        expect_equal((r.status, r.err.count("\n")), (125, 1), str(r))
        expect("`%s`" % command in r.err, r.err)
        expect(command in " ".join(check.out.split()), check.out)


def test_debian_package():
    need_tool("dpkg-deb")
    need_tool("dpkg-shlibdeps")
    r = run(need_tool("cpack"), "--config", os.path.join(BUILD, "CPackConfig.cmake"), "-B", os.getcwd())
    expect_equal(r.status, 0, str(r))
    (package,) = glob.glob("*.deb")
    control = run("dpkg-deb", "-I", package).out
    for library in ("libc6", "libdeflate0", "zlib1g", "libzstd1", "libzydis", "libcapstone", "libpfm4"):
        expect(library in control, "no dependency on %s: %s" % (library, control))
    files = run("dpkg-deb", "-c", package).out
    for name in INSTALLED:
        expect("./usr/" + name in files, name + " is not in the package")
    expect("postinst" in control and "postrm" in control, control)


def test_grant():
    need_root()
    need_tool("setcap")
    shutil.copy(PROF, "prof")
    os.chmod(".", 0o755)
    settings = environment(PROF_PROGRAM=os.path.abspath("prof"), PROF_SETTINGS=os.path.abspath("etc/prof"),
                           PROF_GROUP="nogroup")
    def grant(word):
        r = run("sh", GRANT, word, env=settings)
        expect_equal((r.status, r.err), (0, ""), str(r))
        return r.out
    expect_equal(grant("status"), "off\n", "before")
    grant("on")
    expect_equal(grant("status"), "on\n", "granted")
    expect_equal(os.stat("prof").st_mode & 0o7777, 0o750, "only root and the group")
    given = run(need_tool("getcap"), "prof").out
    expect("cap_perfmon" in given and "cap_syslog" in given, "capabilities: " + given)
    with open("etc/prof", encoding="ascii") as f:
        expect_equal(f.read(), "PROF_GRANT=1\n", "remembered")
    grant("off")
    expect_equal(grant("status"), "off\n", "taken back")
    expect_equal(os.stat("prof").st_mode & 0o7777, 0o755, "everybody again")
    with open("etc/prof", encoding="ascii") as f:
        expect_equal(f.read(), "PROF_GRANT=0\n", "remembered")


def test_grant_refuses():
    r = as_nobody("sh", copy_for_everybody(GRANT), "on", env=environment(PROF_PROGRAM="/bin/true"))
    expect_equal((r.status, r.err), (1, "prof-grant: must be run as root\n"), str(r))
    r = run("sh", GRANT, "on", env=environment(PROF_PROGRAM="/no/such/prof"))
    expect_equal((r.status, r.err), (1, "prof-grant: /no/such/prof is not there\n"), str(r))


if __name__ == "__main__":
    main(globals())
