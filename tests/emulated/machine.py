"""An emulated aarch64 machine with a PMUv3, which runs commands as root and hands back what came of them.

Its memory holds all of its files: a shell, the given programs, and of the sysroot the libraries they need. What the
commands print, and the files they leave in their working directory, come back over the serial console.
"""
import base64
import gzip
import io
import os
import re
import shutil
import subprocess
import tarfile

HERE = os.path.dirname(os.path.abspath(__file__))
QEMU = "qemu-system-aarch64"
READELF = "aarch64-linux-gnu-readelf"
LIBRARIES = ("usr/lib/aarch64-linux-gnu", "lib/aarch64-linux-gnu")
LOCALE = "usr/lib/locale/C.utf8"
INTERPRETER = "lib/ld-linux-aarch64.so.1"
PATIENCE = 1500  # seconds: what takes longer hangs, however busy this machine is
MEMORY_MB = 768


class Archive:
    """Files as the kernel takes them at its start: a cpio archive in the format "newc", compressed."""

    def __init__(self):
        self.out = io.BytesIO()
        self.names = set()

    def entry(self, name, mode, content=b""):
        number = len(self.names) + 1
        self.names.add(name)
        encoded = name.encode() + b"\0"
        fields = (number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(encoded), 0)
        self.out.write(b"070701" + b"".join(b"%08x" % f for f in fields))
        for part in (encoded, content):
            self.out.write(part)
            self.out.write(bytes(-self.out.tell() % 4))

    def folder(self, name):
        if name and name not in self.names:
            self.folder(os.path.dirname(name))
            self.entry(name, 0o40755)

    def file(self, name, content, mode=0o755):
        self.folder(os.path.dirname(name))
        self.entry(name, 0o100000 | mode, content)

    def finish(self):
        self.entry("TRAILER!!!", 0)
        return gzip.compress(self.out.getvalue(), 1)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def needed(path):
    """The libraries an ELF file names."""
    text = subprocess.run([READELF, "-d", path], stdout=subprocess.PIPE, check=True, text=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.+)\]", text)


def find_library(sysroot, name):
    for folder in LIBRARIES:
        path = os.path.join(sysroot, folder, name)
        if os.path.exists(path):
            return path
    raise FileNotFoundError("%s is not in %s" % (name, sysroot))


def all_libraries(sysroot, programs, loaded, own):
    """Those that the programs need, and what these need. `loaded` are names of libraries that a program opens itself,
    `own` paths of those that are not in the sysroot."""
    found, open_paths = {os.path.basename(path): path for path in own}, list(programs)
    names = list(loaded)
    while open_paths or names:
        if open_paths:
            names += needed(open_paths.pop())
            continue
        name = names.pop()
        if name not in found:
            found[name] = find_library(sysroot, name)
            open_paths.append(found[name])
    return found


def make_files(sysroot, programs, commands, loaded, libraries):
    """The archive of a machine that runs `commands`, rows of a name and a line for the shell."""
    archive = Archive()
    for folder in ("proc", "sys", "dev", "tmp", "root"):
        archive.folder(folder)
    archive.file("bin/busybox", read(os.path.join(sysroot, "bin/busybox")))
    archive.file("init", read(os.path.join(HERE, "guest/init")))
    quoted = ["run %s '%s'\n" % (name, line.replace("'", "'\\''")) for name, line in commands]
    archive.file("commands", "".join(quoted).encode(), 0o644)
    archive.file("etc/passwd", b"root:x:0:0:root:/tmp:/bin/sh\nnobody:x:65534:65534:nobody:/tmp:/bin/sh\n", 0o644)
    for folder, _, names in os.walk(os.path.join(sysroot, LOCALE)):
        for name in names:
            path = os.path.join(folder, name)
            archive.file(os.path.relpath(path, sysroot), read(path), 0o644)
    for path in programs:
        archive.file("bin/" + os.path.basename(path), read(path))
    archive.file(INTERPRETER, read(find_library(sysroot, os.path.basename(INTERPRETER))))
    for name, path in all_libraries(sysroot, programs, loaded, libraries).items():
        archive.file("lib/aarch64-linux-gnu/" + name, read(path))
    return archive.finish()


def kernel(sysroot):
    folder = os.path.join(sysroot, "boot")
    return os.path.join(folder, next(n for n in os.listdir(folder) if n.startswith("vmlinuz-")))


def qemu_command(sysroot, initrd, cpus, shift):
    # One instruction takes 2^shift ns of the machine's time. At shift=1, a counter's overflow is never missed.
    return [QEMU, "-M", "virt", "-cpu", "cortex-a72,pmu=on", "-icount", "shift=%d,sleep=off" % shift, "-smp", str(cpus),
            "-m", str(MEMORY_MB), "-nic", "none", "-nographic", "-no-reboot", "-kernel", kernel(sysroot),
            "-initrd", initrd, "-append", "console=ttyAMA0 panic=-1 quiet"]


def unpack(console, folder):
    match = re.search(rb"@@@results\r?\n(.*)@@@end", console, re.S)
    if not match:
        raise RuntimeError("the machine did not come to its end:\n" + console.decode("utf-8", "replace")[-3000:])
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(base64.b64decode(match.group(1))))) as archive:
        archive.extractall(folder)


def boot(folder, sysroot, programs, commands, loaded=(), libraries=(), cpus=1, shift=1):
    """Run it. What came of the commands is in the folder, which is emptied before: NAME.out, NAME.err, NAME.status."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    initrd = os.path.join(folder, "initrd.gz")
    with open(initrd, "wb") as f:
        f.write(make_files(sysroot, programs, commands, loaded, libraries))
    log = os.path.join(folder, "console.log")
    with open(log, "wb") as out:
        subprocess.run(qemu_command(sysroot, initrd, cpus, shift), stdin=subprocess.DEVNULL, stdout=out,
                       stderr=subprocess.STDOUT, timeout=PATIENCE, check=False)
    unpack(read(log), folder)
