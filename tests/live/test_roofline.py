"""Ceilings measured for real. How fast this machine is, and what else it has to do, is not asked: only that every number is
there, and that those of one kernel are in order. tools/bench/roofline_against_likwid.py compares them."""
import json
import os

from proftest import expect, expect_equal, main, prof


def measure(*options):
    r = prof("roofline", "--quick", "--json", "-q", "-o", "out.svg", *options)
    expect_equal((r.status, r.err), (0, ""), str(r))
    return json.loads(r.out)


def rates(result):
    for row in result["flops"] + result["bandwidth"]:
        for side in ("one", "all"):
            yield row, side, row[side]


def check(result):
    for row, side, rate in rates(result):
        # A third level of caches that is no larger than the second cannot be told from it; nor can memory, where little is free.
        if rate is None:
            expect("place" in row and row["place"] != "L1", str(row))
            continue
        expect(0 < rate["least"] <= rate["median"] <= rate["best"], str((row, side)))
        expect_equal(rate["noisy"], rate["median"] < 0.9 * rate["best"], str((row, side)))
    expect(result["rounds"] >= 5, str(result["rounds"]))
    expect(1 <= result["cores"] <= result["threads"], str(result))


def test_every_number_is_there():
    result = measure()
    check(result)
    names = {(f["name"], f["precision"]) for f in result["flops"]}
    vectors = {"x86_64": "sse2", "aarch64": "neon"}[result["architecture"]]
    for name in ("scalar", vectors):
        for precision in ("single", "double"):
            expect((name, precision) in names, str(names))
    expect_equal(len(names), len(result["flops"]), "each once")
    kernels = {(b["place"], b["what"]) for b in result["bandwidth"]}
    for place in {place for place, _ in kernels}:
        for what in ("load", "copy", "triad") + (("copy, streaming", "triad, streaming") if place == "memory" else ()):
            expect((place, what) in kernels, str(kernels))
    expect(kernels, "no bandwidth at all")
    for cache in result["caches"]:
        expect(("L%d" % cache["level"], "load") in kernels or cache["level"] > 1, str(kernels))


def test_on_chosen_cpus():
    cpu = min(os.sched_getaffinity(0))
    result = measure("-C", str(cpu))
    check(result)
    expect_equal((result["threads"], result["cores"]), (1, 1), "threads and cores")
    if len(os.sched_getaffinity(0)) > 1:
        two = measure("--threads", "2")
        check(two)
        expect_equal(two["threads"], 2, "threads")


def test_an_affinity_is_kept_to():
    """prof may use one CPU only: that is all cores then."""
    cpu = max(os.sched_getaffinity(0))
    r = prof("roofline", "--quick", "--json", "-q", "-o", "out.svg", preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
    expect_equal((r.status, r.err), (0, ""), str(r))
    expect_equal(json.loads(r.out)["threads"], 1, "threads")


def test_saved_and_used_again():
    r = prof("roofline", "--quick", "--save", "box.json")
    expect_equal(r.status, 0, str(r))
    with open("roofline.svg", "rb") as f:
        picture = f.read()
    again = prof("roofline", "--ceilings", "box.json", "-o", "again.svg", "-q")
    expect_equal((again.status, again.out, again.err), (0, r.out, ""), str(again))
    with open("again.svg", "rb") as f:
        expect_equal(f.read(), picture, "the same picture")


def test_a_command_below_them():
    r = prof("roofline", "--quick", "--", "sh", "-c", "echo out; exit 5")
    expect_equal((r.status, r.out), (5, "out\n"), str(r))
    expect("Ceilings of " in r.err and "wrote roofline.svg" in r.err, r.err)


if __name__ == "__main__":
    main(globals())
