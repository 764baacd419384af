"""Stop a program at random moments and compare prof's frames, libunwind's and libdwfl's with gdb's own.

  ninja bench_stops
  STOPS=200 BENCH=build/tools/bench/bench_stops gdb -q -batch -x tools/bench/gdb_stops.py --args program argument…

Runs inside gdb. Each stop's registers and gdb's frames go to bench_stops, which looks at the stopped process.
"""
import os
import random
import subprocess

import gdb  # pylint: disable=import-error

REGISTERS = "rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip".split()
FRAMES_MAX = 2048  # bench_stops keeps no more


def physical_frames():
    """pc of each frame that has a place on the stack, and why there are no more."""
    pcs, frame = [], gdb.newest_frame()
    while frame and len(pcs) < FRAMES_MAX:
        last = frame
        if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
            pcs.append(frame.pc())
        try:
            frame = frame.older()
        except gdb.error:
            break
    return pcs, gdb.frame_stop_reason_string(last.unwind_stop_reason())


def describe_stop(pid):
    threads = gdb.selected_inferior().threads()
    random.choice(threads).switch()
    frame = gdb.newest_frame()
    while frame.type() == gdb.INLINE_FRAME:
        frame = frame.older()
    mask = (1 << 64) - 1
    values = [int(frame.read_register(name)) & mask for name in REGISTERS]
    pcs, reason = physical_frames()
    return "%d %d\n%s\n%d %s\n%s\n" % (pid, gdb.selected_thread().ptid[1], " ".join("%x" % v for v in values),
                                       len(pcs), reason, " ".join("%x" % pc for pc in pcs))


def main():
    for command in ("pagination off", "confirm off", "debuginfod enabled off", "backtrace past-main on", "backtrace limit unlimited",
                    "print thread-events off"):
        gdb.execute("set " + command)
    gdb.execute("handle all nostop noprint pass")
    gdb.execute("handle SIGINT stop print nopass")
    gdb.execute("starti", to_string=True)
    bench = subprocess.Popen([os.environ["BENCH"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    for _ in range(int(os.environ.get("STOPS", "100"))):
        pid = gdb.selected_inferior().pid
        # Again and again: gdb loses one while it handles ld.so's events.
        command = "sleep %.4f; while kill -INT %d; do sleep 0.3; done" % (random.uniform(0.003, 0.03), pid)
        with subprocess.Popen(["sh", "-c", command], stderr=subprocess.DEVNULL) as interrupter:
            gdb.execute("continue", to_string=True)
            interrupter.kill()
        if not gdb.selected_inferior().pid:
            break
        bench.stdin.write(describe_stop(pid))
        bench.stdin.flush()
        bench.stdout.readline()
    print(bench.communicate()[0])
    if gdb.selected_inferior().pid:
        gdb.execute("kill")


main()
