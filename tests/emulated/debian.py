"""Packages of Debian for arm64, unpacked into a folder, without a touch of what this machine has installed.

A private root for apt (its own lists, status and archives, the sources of this machine's Debian) resolves and fetches
them; dpkg-deb unpacks. What was fetched is kept, and fetched again only when the lists of packages here change.
"""
import glob
import hashlib
import os
import re
import shutil
import subprocess

# What prof needs to be built (the rows "build" of tools/setup).
BUILD = ("libc6-dev", "libcapstone-dev", "libdeflate-dev", "libiberty-dev", "liblzma-dev", "libncurses-dev", "libpfm4-dev",
         "libunwind-dev", "libzstd-dev", "zlib1g-dev")
# What the machine needs besides the kernel: a shell with its tools, and the locale C.UTF-8.
RUN = ("busybox-static", "libc-bin")
KERNEL = "linux-image-arm64"  # depends on the newest
STAMP = "complete"


class Unavailable(Exception):
    """It cannot be had here, with the reason."""


def run(*args, **more):
    p = subprocess.run(args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                       text=True, errors="replace", **more)
    if p.returncode != 0:
        raise Unavailable("%s failed: %s" % (" ".join(args[:3]), p.stdout.strip()[-500:]))
    return p.stdout


def debian_sources():
    """This machine's sources of packages that are Debian's own: other vendors' may have nothing for arm64."""
    files = glob.glob("/etc/apt/sources.list") + sorted(glob.glob("/etc/apt/sources.list.d/*"))
    for path in files:
        with open(path, encoding="utf-8", errors="replace") as f:
            text = f.read()
        if path.endswith((".list", ".sources")) and re.search(r"://\S+/debian(-security)?/?(\s|$)", text):
            yield path


class AptRoot:
    """apt as a machine of another architecture would see it, with nothing installed."""

    def __init__(self, path):
        self.path = path
        self.archives = os.path.join(path, "archives")
        for folder in ("lists/partial", "archives/partial", "sources"):
            os.makedirs(os.path.join(path, folder), exist_ok=True)
        with open(os.path.join(path, "status"), "w", encoding="ascii"):
            pass
        found = list(debian_sources())
        if not found:
            raise Unavailable("no source of Debian's packages in /etc/apt")
        for source in found:
            shutil.copy(source, os.path.join(path, "sources"))
        self.configuration = os.path.join(path, "apt.conf")
        self.configure()

    def configure(self):
        """Of this machine's configuration only how to reach the archive is taken, and no hook."""
        reach = [line for line in run("apt-config", "dump").split("\n") if line.startswith("Acquire::")]
        own = {"APT::Architecture": "arm64", "APT::Architectures": "arm64", "APT::Sandbox::User": "root",
               "Dir::State::lists": self.path + "/lists", "Dir::State::status": self.path + "/status",
               "Dir::State::extended_states": self.path + "/extended", "Dir::Cache": self.path,
               "Dir::Cache::archives": self.archives, "Dir::Etc::main": "/dev/null", "Dir::Etc::parts": "/dev/null",
               "Dir::Etc::sourcelist": "/dev/null", "Dir::Etc::sourceparts": self.path + "/sources",
               "Dir::Etc::preferences": "/dev/null", "Dir::Etc::preferencesparts": "/dev/null", "Acquire::Languages": "none",
               "Acquire::Retries": "3"}
        with open(self.configuration, "w", encoding="utf-8") as f:
            f.write("\n".join(reach + ['%s "%s";' % row for row in own.items()]) + "\n")

    def apt(self, command, *args):
        return run(command, *args, cwd=self.archives, env=dict(os.environ, LC_ALL="C", APT_CONFIG=self.configuration))

    def kernel_package(self):
        """The package that KERNEL stands for now."""
        text = self.apt("apt-cache", "depends", "--no-recommends", "--no-suggests", KERNEL)
        names = re.findall(r"Depends: (linux-image-\S+)", text)
        if not names:
            raise Unavailable("%s names no kernel: %s" % (KERNEL, text.strip()))
        return names[0]

    def fetch(self, packages, alone=()):
        """The packages with what they depend on, and those that are taken alone. Returns the paths of the files."""
        self.apt("apt-get", "install", "-q", "-y", "--download-only", "--no-install-recommends", *packages)
        if alone:
            self.apt("apt-get", "download", "-q", *alone)
        return sorted(glob.glob(self.archives + "/*.deb"))


def unpack(deb, folder):
    """Of a kernel only what is booted: its modules are many."""
    if os.path.basename(deb).startswith("linux-image-"):
        with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", deb], stdout=subprocess.PIPE) as archive:
            subprocess.run(["tar", "-x", "-C", folder, "./boot"], stdin=archive.stdout, check=True)
    else:
        run("dpkg-deb", "-x", deb, folder)


def relink(sysroot):
    """Links that name a path from the root on lead to the same file inside of the folder."""
    for folder, folders, files in os.walk(sysroot):
        for path in (os.path.join(folder, name) for name in folders + files):
            target = os.readlink(path) if os.path.islink(path) else ""
            if target.startswith("/"):
                os.unlink(path)
                os.symlink(os.path.relpath(sysroot + target, folder), path)


def key():
    """Changes when the wanted packages do."""
    return hashlib.sha256(repr((BUILD, RUN, KERNEL)).encode()).hexdigest()


def is_complete(sysroot):
    try:
        with open(os.path.join(sysroot, STAMP), encoding="ascii") as f:
            return f.read() == key()
    except OSError:
        return False


def prepare(folder):
    """The folder's sysroot/ with all of it, made where it is not there yet. Returns its path."""
    sysroot = os.path.join(folder, "sysroot")
    if is_complete(sysroot):
        return sysroot
    shutil.rmtree(sysroot, ignore_errors=True)
    os.makedirs(sysroot)
    apt = AptRoot(os.path.join(folder, "apt"))
    apt.apt("apt-get", "update", "-q")
    for deb in apt.fetch(BUILD + RUN, alone=(apt.kernel_package(),)):
        unpack(deb, sysroot)
    relink(sysroot)
    shutil.rmtree(apt.path)  # 200 MB that nobody reads again
    with open(os.path.join(sysroot, STAMP), "w", encoding="ascii") as f:
        f.write(key())
    return sysroot
