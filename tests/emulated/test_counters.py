"""Counters that are read with each sample: every function's own instructions per cycle. Kernels before 6.12 refuse a
group's values with samples that tasks inherit, and this is one: what stands in for them is proved here."""
import json

from guest import guest, need_one_cpu, record, run_checks
from proftest import expect, expect_equal, expect_share

GROUP = "'{cycles,instructions}'"
# A turn of the program's functions takes 200000 cycles: samples fall at every place of it.
BY_PERIOD = "--no-kernel -c 76393 -e " + GROUP


def rows(g, name):
    need_one_cpu()
    return json.loads(g.done(name).out)["rows"]


def expect_half(found, what):
    """IPC is 0.5 wherever there is a sample: a sample's counts are of the time before it, and nothing runs otherwise."""
    expect(len(found) > 0, "there are rows of " + what)
    for row in found:
        ipc = row["self_metrics"]["ipc"]
        expect(abs(ipc["value"] - 0.5) < 1e-3, "%s of %s: %s" % (ipc, what, row["name"]))
        expect(ipc["error"] is None or ipc["error"] < 1e-3, "what never varies is certain: %s" % ipc)


@guest(ipc=record("ipc", "counted 60", BY_PERIOD), ipc_functions="prof report --json --columns ipc ipc.data",
       ipc_lines="prof report --json --by line --columns ipc ipc.data")
def test_functions(g):
    r = g.recording("ipc")
    expect("kernels before 6.12" in r.result.err, "what stands in is said: " + r.result.err)
    functions = [row for row in rows(g, "ipc_functions") if row["self_samples"]]
    expect_half(functions, "functions")
    expect_half([row for row in rows(g, "ipc_lines") if row["self_samples"] >= 20], "lines")
    counts = {row["name"]: row["self_counts"] for row in functions}
    for name in ("heavy", "middle", "light"):
        expect(counts[name]["cycles"] > 0, "cycles of %s: %s" % (name, counts[name]))
    stacks = [s for s in r.counts("--event", "cycles") if "main" in s]
    for name, share in (("heavy", 0.6), ("middle", 0.3), ("light", 0.1)):
        expect_share(stacks, lambda s, n=name: s.leaf == n, share, name)


@guest(ipc_threads=record("ipc_threads", "threads 0 40", "--no-kernel -F 4000 -e " + GROUP),
       ipc_by_thread="prof report --json --by thread --columns ipc ipc_threads.data")
def test_threads(g):
    g.done("ipc_threads")
    found = [row for row in rows(g, "ipc_by_thread") if row["self_samples"]]
    expect_half(found, "threads")
    expect(len(found) > 20, "%d threads" % len(found))


@guest(ipc_text="prof report --stdio --columns ipc ipc.data", ipc_annotated="prof annotate --stdio --columns ipc -i ipc.data heavy",
       ipc_drawn="prof flame -o ipc.svg --color-by ipc ipc.data")
def test_views(g):
    need_one_cpu()
    expect("0.500  0.000  heavy" in g.done("ipc_text").out, g.done("ipc_text").out)
    expect("ipc: 0.500" in g.done("ipc_annotated").out, g.done("ipc_annotated").out)
    expect_equal(g.done("ipc_drawn").status, 0, "prof flame --color-by ipc")
    expect("heavy" in g.bytes("ipc.svg").decode(), "functions in the flame graph")


if __name__ == "__main__":
    run_checks(globals())
