#!/usr/bin/python3
"""Makes the traces in tests/unwind/traces, which test_trace.c replays on any machine.

Usage: trace_aarch64.py [FOLDER [NAME]]       (default: the traces folder, all of them)

Needs gcc-aarch64-linux-gnu, libc6-dev-arm64-cross, clang and qemu-user. Each program is compiled, run in qemu one
instruction at a time, and at every address that it comes to for the first time its registers, what changed on its stack
and its true frames are written down. The truth is a shadow stack: what a call instruction pushed and a return
instruction took back, and where a signal interrupted; it knows nothing of unwind tables. The format stands in
fixture.h.
"""
import os
import socket
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = [os.path.join(HERE, "programs", name) for name in ("aarch64.c", "aarch64_plain.S")]
GCC = ["aarch64-linux-gnu-gcc", "-static", "-g0"]
CLANG = ["clang", "--target=aarch64-linux-gnu", "-static", "-g0", "-w"]
WAYS = {
    "gcc_O0": GCC + ["-O0"],
    "gcc_O2": GCC + ["-O2"],
    "gcc_O2_no_fp": GCC + ["-O2", "-fomit-frame-pointer"],
    "gcc_O2_pac": GCC + ["-O2", "-mbranch-protection=standard"],
    "gcc_O1_pac_leaf_b_key": GCC + ["-O1", "-mbranch-protection=pac-ret+leaf+b-key"],
    "gcc_O2_static_pie": ["aarch64-linux-gnu-gcc", "-static-pie", "-g0", "-O2"],
    "clang_O0_pac": CLANG + ["-O0", "-mbranch-protection=standard"],
    "clang_O2": CLANG + ["-O2"],
}
SP, PC, LR = 31, 32, 30
SIGTRAP = 5
PAGE = 4096
STEPS_MAX = 50000
ADDRESS = (1 << 48) - 1  # without a signature


class Elf:
    def __init__(self, path):
        self.data = open(path, "rb").read()
        self.entry, = struct.unpack_from("<Q", self.data, 24)
        phoff, shoff = struct.unpack_from("<QQ", self.data, 32)
        phnum, _, shnum, shstrndx = struct.unpack_from("<HHHH", self.data, 56)
        self.loads = []
        for i in range(phnum):
            kind, flags, offset, vaddr, _, filesz = struct.unpack_from("<IIQQQQ", self.data, phoff + 56 * i)
            if kind == 1:
                self.loads.append((vaddr, offset, filesz, flags))
        sections = [struct.unpack_from("<IIQQQQIIQQ", self.data, shoff + 64 * i) for i in range(shnum)]
        names = sections[shstrndx][4]
        self.sections = {self.string(names + s[0]): s for s in sections}
        self.functions = self.read_functions(sections)

    def string(self, offset):
        return self.data[offset:self.data.index(b"\0", offset)].decode()

    def read_functions(self, sections):
        functions = []
        symtab = self.sections[".symtab"]
        strings = sections[symtab[6]][4]
        for at in range(symtab[4], symtab[4] + symtab[5], 24):
            name, info, _, shndx, value, size = struct.unpack_from("<IBBHQQ", self.data, at)
            if info & 15 in (2, 10) and shndx and size:
                functions.append((value, value + size, self.string(strings + name)))
        return sorted(functions)

    def function(self, vaddr):
        for start, end, name in self.functions:
            if start <= vaddr < end:
                return start, end, name
        return None

    def address(self, name):
        return next(start for start, _, n in self.functions if n == name)

    def read(self, vaddr, size):
        for start, offset, filesz, _ in self.loads:
            if start <= vaddr and vaddr + size <= start + filesz:
                return self.data[offset + vaddr - start:offset + vaddr - start + size]
        return None

    def cfi_entries(self):
        """(FDE's first address, end, FDE's vaddr and bytes, CIE's vaddr and bytes)"""
        _, _, _, vaddr, offset, size = self.sections[".eh_frame"][:6]
        at, out = 0, []
        while at + 4 <= size:
            length, = struct.unpack_from("<I", self.data, offset + at)
            if length == 0:
                at += 4
                continue
            cie, = struct.unpack_from("<I", self.data, offset + at + 4)
            if cie:
                start = vaddr + at + 8 + struct.unpack_from("<i", self.data, offset + at + 8)[0]
                count, = struct.unpack_from("<I", self.data, offset + at + 12)
                cie_at = at + 4 - cie
                cie_length, = struct.unpack_from("<I", self.data, offset + cie_at)
                out.append((start, start + count,
                            (vaddr + at, self.data[offset + at:offset + at + 4 + length]),
                            (vaddr + cie_at, self.data[offset + cie_at:offset + cie_at + 4 + cie_length])))
            at += 4 + length
        return out


class Remote:
    """The part of gdb's protocol that single steps need."""

    def __init__(self, path):
        for _ in range(200):
            self.socket = socket.socket(socket.AF_UNIX)
            try:
                self.socket.connect(path)
                break
            except OSError:
                self.socket.close()
                time.sleep(0.02)
        self.buffer = b""
        self.ask("?")

    def ask(self, text):
        self.socket.sendall(b"$" + text.encode() + b"#%02x" % (sum(text.encode()) & 255))
        while True:
            start = self.buffer.find(b"$")
            end = self.buffer.find(b"#", start)
            if start >= 0 and 0 <= end <= len(self.buffer) - 3:
                answer = self.buffer[start + 1:end]
                self.buffer = self.buffer[end + 3:]
                self.socket.sendall(b"+")
                return answer.decode()
            got = self.socket.recv(1 << 20)
            if not got:
                raise SystemExit("qemu went away")
            self.buffer += got

    def registers(self):
        return list(struct.unpack_from("<33Q", bytes.fromhex(self.ask("g")[:33 * 16])))

    def memory(self, address, size):
        out = b""
        while len(out) < size:
            part = self.ask("m%x,%x" % (address + len(out), min(size - len(out), 2000)))
            if part.startswith("E"):
                return out
            out += bytes.fromhex(part)
        return out


def is_call(word):
    return word & 0xfc000000 == 0x94000000 or word & 0xfffffc1f == 0xd63f0000 or word & 0xfefff800 == 0xd63f0800


def is_return(word):
    return word & 0xfffffc1f == 0xd65f0000 or word in (0xd65f0bff, 0xd65f0fff)


def is_syscall(word):
    return word == 0xd4000001


def is_exclusive_load(word):
    return word & 0x3fe00000 == 0x08400000


class Tracer:
    def __init__(self, elf, remote):
        self.elf, self.remote = elf, remote
        self.regs = remote.registers()
        self.bias = 0 if elf.function(self.regs[PC]) else self.regs[PC] - elf.entry
        if (self.regs[PC] - self.bias) != elf.entry:
            raise SystemExit("does not begin at its entry")
        self.top = self.regs[SP] + 64  # argc, argv and what follows: enough of it
        self.shadow = []  # (return address, stack pointer at the call, True when a signal came between)
        self.handler = [self.bias + address for address in elf.function(elf.address("handler"))[:2]]
        self.trampoline, self.trampoline_code = None, b""
        self.signal = 0
        self.samples = []
        self.seen = set()
        self.code = {}

    def word(self, pc):
        if pc not in self.code:
            own = self.elf.read(pc - self.bias, 4)
            self.code[pc] = struct.unpack("<I", own or self.remote.memory(pc, 4))[0]
        return self.code[pc]

    def frames(self):
        out = [self.regs[PC]]
        for address, _, signal in reversed(self.shadow):
            if signal and out != [self.regs[PC]] or signal and self.regs[PC] - self.trampoline not in (0, 4):
                out.append(self.trampoline)
            out.append(address)
        return out

    def keep(self):
        """Addresses of the program's own functions and of what they call, each once."""
        pc = self.regs[PC]
        if pc in self.seen:
            return
        self.seen.add(pc)
        sp = self.regs[SP]
        self.samples.append((list(self.regs), self.remote.memory(sp, self.top - sp), self.frames()))

    def step(self):
        pc, sp, word = self.regs[PC], self.regs[SP], self.word(self.regs[PC])
        if is_exclusive_load(word):
            return self.leave_function()
        answer = self.remote.ask("vCont;S%02x" % self.signal if self.signal else "s")
        if answer[0] in "WX":
            return False
        number = int(answer[1:3], 16)
        self.signal = number if number != SIGTRAP else 0  # one for the program itself: with the next step
        self.regs = self.remote.registers()
        now = self.regs[PC]
        start, end = self.handler
        if start <= now <= start + 4 and not start <= pc < end and not is_call(word):
            self.trampoline = self.regs[LR] & ADDRESS
            self.trampoline_code = self.remote.memory(self.trampoline, 8)
            self.shadow.append((pc, sp, True))
        elif is_call(word):
            self.shadow.append((pc + 4, sp, False))
        elif is_return(word) and self.shadow:
            if now != self.shadow[-1][0] and now != self.trampoline:
                raise SystemExit("a return to somewhere else at %#x: %#x" % (pc, now))
            if now != self.trampoline:
                self.shadow.pop()
        elif is_syscall(word):
            self.after_syscall(pc)
        return True

    def leave_function(self):
        """A load-store pair never succeeds in single steps; libc has them in leaves."""
        to = self.shadow.pop()[0]
        self.remote.ask("Z0,%x,4" % to)
        self.remote.ask("c")
        self.remote.ask("z0,%x,4" % to)
        self.regs = self.remote.registers()
        if self.regs[PC] != to:
            raise SystemExit("a leaf did not return")
        return True

    def after_syscall(self, pc):
        """qemu may have executed the instruction behind it as well."""
        now = self.regs[PC]
        if self.shadow and self.shadow[-1][2] and pc == self.trampoline + 4:
            self.shadow.pop()
        elif self.shadow and now == self.shadow[-1][0] and is_return(self.word(pc + 4)):
            self.shadow.pop()

    def run(self):
        main = self.elf.address("main") + self.bias
        inside = False
        for _ in range(STEPS_MAX):
            inside = inside or self.regs[PC] == main
            # What the library does before main is thousands of instructions; its first frames are of interest.
            if inside or len(self.seen) < 12:
                self.keep()
            if not self.step():
                return
        raise SystemExit("too many steps")


def hexdump(data):
    return "\n".join(data[i:i + 48].hex() for i in range(0, len(data), 48)) + "\n"


def parts(elf, bias, samples):
    """The functions and the CFI that the samples' frames need."""
    touched, text, cfi = set(), {}, {}
    for regs, _, frames in samples:
        touched.add(frames[0] - bias)
        touched.update(address - 4 - bias for address in frames[1:])
        touched.add((regs[LR] & ADDRESS) - 4 - bias)
    entries = elf.cfi_entries()
    for name in (".plt", ".init", ".fini"):  # without symbols
        if name in elf.sections:
            text[elf.sections[name][3]] = elf.sections[name][5]
    for vaddr in touched:
        function = elf.function(vaddr)
        if function:
            text[function[0]] = function[1] - function[0]
        for start, end, fde, cie in entries:
            if start <= vaddr < end:
                cfi[fde[0]], cfi[cie[0]] = fde[1], cie[1]
                text.setdefault(start, end - start)
    return text, cfi


def write(path, name, elf, tracer):
    text, cfi = parts(elf, tracer.bias, tracer.samples)
    low = min(sample[0][SP] for sample in tracer.samples)
    known_memory = bytearray(tracer.top - low)
    known_regs, known_frames = [0] * 33, []
    with open(path, "w") as f:
        f.write("machine b7\nmodule %s %x\n" % (name, elf.entry))
        for vaddr, size in sorted(text.items()):
            f.write("part %x %x 0\n%s" % (vaddr, size, hexdump(elf.read(vaddr, size))))
        for vaddr, data in sorted(cfi.items()):
            f.write("part %x %x 1\n%s" % (vaddr, len(data), hexdump(data)))
        executable = next(load for load in elf.loads if load[3] & 1)
        start = tracer.bias + executable[0]
        f.write("map %x %x %x 0\n" % (start, start + executable[2], tracer.bias))
        if tracer.trampoline is not None:
            page = tracer.trampoline & -PAGE
            f.write("module trampoline 0\npart %x 8 0\n%s" % (
                tracer.trampoline - page + PAGE, hexdump(tracer.trampoline_code)))
            # Return addresses are looked up one byte before. The kernel's own trampoline has a nop there; qemu's begins
            # a page, which is made to begin earlier.
            f.write("map %x %x %x 1\n" % (page - PAGE, page + PAGE, page - PAGE))
        f.write("room %x %x\n" % (low, tracer.top - low))
        for regs, memory, frames in tracer.samples:
            at = regs[SP] - low
            for i in range(0, len(memory) - 7, 8):
                if known_memory[at + i:at + i + 8] != memory[i:i + 8]:
                    f.write("mem %x %x\n" % (regs[SP] + i, struct.unpack_from("<Q", memory, i)[0]))
            known_memory[at:at + len(memory)] = memory
            for number in range(SP + 1):
                if known_regs[number] != regs[number] or not known_frames:
                    f.write("reg %x %x\n" % (number, regs[number]))
            if frames[1:] != known_frames[1:] or not known_frames:
                f.write("outer %x %s\n" % (len(frames) - 1, " ".join("%x" % pc for pc in frames[1:])))
            f.write("step %x\n" % frames[0])
            known_regs, known_frames = regs, frames


def trace(folder, name, command):
    with tempfile.TemporaryDirectory() as work:
        program, path = os.path.join(work, name), os.path.join(work, "socket")
        subprocess.run(command + ["-o", program] + SOURCES, check=True)
        qemu = subprocess.Popen(["qemu-aarch64", "-cpu", "max", "-g", path, program], env={})
        try:
            elf = Elf(program)
            tracer = Tracer(elf, Remote(path))
            tracer.run()
        finally:
            qemu.kill()
            qemu.wait()
        write(os.path.join(folder, name + ".trace"), name, elf, tracer)
        print("%s: %d instructions" % (name, len(tracer.samples)), flush=True)


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "traces")
    os.makedirs(folder, exist_ok=True)
    for name, command in WAYS.items():
        if len(sys.argv) < 3 or sys.argv[2] == name:
            trace(folder, name, command)


if __name__ == "__main__":
    main()
