"""Generated code: names from perf maps and jitdumps, by the time they were valid."""
import atexit
import os
import shutil
import sys

from proftest import (Skip, below, copy_for_everybody, expect, expect_all, expect_equal, expect_recorded, expect_share,
                      main, missing, need_root, need_tool, program, run, total, Recording)
from proftest import record_generated as record

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "profile"))
import format_reader  # noqa: E402: what prof itself does not print of a recording

OLD, NEW, SECOND = "jit_old(int: char) frame", "jit_new", "jit_second"


def expect_truth(r, old_name=OLD):
    """Each function has the share it says it had, and nothing else is in generated code."""
    stacks = below(r.counts(), "main")
    truth = {old_name: r.truths["jit_old"], NEW: r.truths["jit_new"], SECOND: r.truths["jit_second"]}
    truth = {name: ns for name, ns in truth.items() if ns}
    inside = [s for s in stacks if s.has("main", "run") and s.leaf != "run"]
    own = [s for s in inside if any(n in s for n in truth)]
    expect(total(own) > 0.9 * total(stacks), "%d of %d samples are in generated code" % (total(own), total(stacks)))
    spent = sum(truth.values())
    for name, ns in truth.items():
        expect_share(own, lambda s, n=name: n in s, ns / spent, name, missing(own, spent))
        expect_all(below(own, name), lambda s, n=name: s.has("main", "run", n), "main;run;" + name)
    for s in stacks:
        expect("huge region" not in s, "the region around is shown: %s" % s.frames)
        expect(not any(f.startswith("[unknown 0x") for f in s.frames), "code without a name: %s" % s.frames)


def folded_name(r):
    """The name of jit_old as folded text has it: semicolons are replaced there."""
    return next((f for s in r.counts() for f in s.frames if f.startswith("jit_old")), OLD)


def check(mode, *options):
    r = record(program("jit"), 1200, mode, options=options)
    expect_truth(r, folded_name(r))
    return r


def test_perf_map_of_replaced_code():
    check("map")


def test_perf_map_with_0x():
    check("0x")


def test_perf_map_written_at_the_end():
    check("late")


def test_another_perf_map_takes_its_place():
    check("rename")


def test_jitdump_of_replaced_code():
    r = check("dump")
    rows = r.report("--by", "line")["rows"]
    lines = {(row["name"].split(":")[0], row["line"]) for row in rows if row["kind"] == "jit"}
    expect((NEW, 101) in lines, "no line of the loop: %s" % sorted(lines))
    expect(all(row["file"] == "/nowhere/jit.src" for row in rows if row["kind"] == "jit"), "another file: %s" % rows[:4])
    expect(r.info()["contents"]["code_excerpts"] > 0, "no code of the jitdump is kept")


def test_source_of_a_jitdump():
    """Its lines' text is kept where the program itself could read it, as it is for programs' own lines."""
    kept = "".join("line %d\n" % i for i in range(95, 108)).encode()
    with open("jit source.js", "w", encoding="ascii") as f:
        f.write("".join("line %d\n" % i for i in range(1, 121)))
    path = os.path.abspath("jit source.js")
    os.symlink("/etc/passwd", "passwd.js")
    for name, is_kept in (("/nowhere/jit.js", False), (os.path.abspath("passwd.js"), False), (path, True), ("file://" + path, True)):
        r = record(program("jit"), 500, "dump", "anon", name)
        rows = r.report("--by", "line")["rows"]
        expect(any(row["kind"] == "jit" and row["line"] == 101 and row["file"] == name for row in rows), "no line: " + name)
        with open(r.path, "rb") as f:
            tables = format_reader.read(f.read())[0]
        strings = tables["strings"]
        texts = [row["text"] for row in tables.get("sources", {}).values() if strings[row["file"]]["text"].decode() == name]
        expect(all(text.endswith(kept) for text in texts), "kept of %s: %s" % (name, texts))
        expect_equal(bool(texts), is_kept, "kept of " + name)


def test_jitdump_of_moved_code():
    check("move")


def check_frameless(mode):
    """Code that has no frame pointer and cannot be followed, with CFI: each stack is whole, and nothing else is in it."""
    r = record(program("jit_cfi"), 900, mode, status=None)
    if r.result.status == 77:
        raise Skip("the generated code is of another architecture")
    expect_equal(r.result.status, 0, "status of the recording: " + r.result.err)
    stacks = [s for s in r.counts() if "jit_burn" in s]
    expect_recorded(stacks, 0.9, "jit_burn")
    return stacks


def test_code_without_frame_pointer():
    for s in check_frameless("cfi"):
        expect(s.has("main", "run", "jit_frameless", "jit_burn"), "not whole: %s" % s.frames)


def test_replaced_code_without_frame_pointer():
    stacks = check_frameless("replaced")
    for name in ("jit_before", "jit_frameless"):
        expect(total(below(stacks, name)) > 0.2 * total(stacks), "nothing is called by " + name)
    for s in stacks:
        expect(s.has("main", "run", "jit_before", "jit_burn") or s.has("main", "run", "jit_frameless", "jit_burn"),
               "not whole: %s" % s.frames)


def test_code_in_other_places():
    for place in ("heap", "stack", "shared"):
        r = record(program("jit"), 900, "map", place, status=None)
        if r.result.status == 77:
            raise Skip("no code can be run there: " + place)
        expect_truth(r, folded_name(r))


def test_no_names():
    r = record(program("jit"), 400, "none")
    inside = [s for s in below(r.counts(), "run") if s.leaf.startswith("[unknown 0x")]
    expect(total(inside) > 0.5 * total(r.counts()), "%d of %d samples have an address" % (total(inside), total(r.counts())))
    notes = [m["note"] for m in r.info()["modules"] if m["path"].startswith("[anon:")]
    expect(any("no perf map" in n for n in notes), "nothing says what is missing: %s" % notes)


def test_planted_perf_map():
    """A link at the map's place leads nowhere, and a pipe does not hang."""
    need_root()
    secret = os.path.abspath("secret")
    with open(secret, "w", encoding="ascii") as f:
        f.write("0 7fffffffffffffff stolen\n")
    os.chmod(secret, 0o600)
    for plant in ("link", "fifo"):
        script = ("rm -f /tmp/perf-$$.map; if [ $1 = link ]; then ln -s %s /tmp/perf-$$.map; else mkfifo /tmp/perf-$$.map; fi; exec %s 300 planted"
                  % (secret, program("jit")))
        r = record("/bin/sh", "-c", script, "sh", plant)
        expect_equal([s.frames for s in r.counts() if "stolen" in s], [], "names from the planted " + plant)


def test_foreign_perf_map():
    """Root's recording of a user's process takes nobody else's map."""
    need_root()
    binary = copy_for_everybody(program("jit"))
    setpriv = need_tool("setpriv")
    script = ("f=/tmp/perf-$$.map; rm -f $f; echo '0 7fffffffffffffff stolen' > $f; chown 12345 $f; chmod 644 $f; "
              "exec %s --reuid 65534 --regid 65534 --clear-groups %s 300 planted" % (setpriv, binary))
    r = record("/bin/sh", "-c", script)
    expect_equal([s.frames for s in r.counts() if "stolen" in s], [], "names from another user's map")


def test_perf_map_in_a_pid_namespace():
    need_root()
    unshare = need_tool("unshare")
    r = record(unshare, "--pid", "--fork", "--mount", "sh", "-c", "mount -t tmpfs t /tmp && exec %s 1200 map"
               % copy_outside_tmp("jit"), status=None)
    if r.result.status != 0:
        raise Skip("no new namespaces: " + r.result.err)
    expect_truth(r, folded_name(r))


def copy_outside_tmp(name):
    """Where a new /tmp does not hide it."""
    path = "/var/tmp/prof-test-%s-%d" % (name, os.getpid())
    shutil.copy(program(name), path)
    atexit.register(os.unlink, path)
    return path


def test_import_of_a_perf_data_file():
    perf = need_tool("perf")
    r = run(perf, "record", "-q", "-e", "cpu-clock:u", "-F", "997", "-g", "-k", "mono", "-o", "perf.data", program("jit"),
            "1200", "dump")
    if r.status != 0:
        raise Skip("perf cannot record here: " + r.err)
    check_imported(r)


def test_import_of_code_in_shared_memory():
    perf = need_tool("perf")
    r = run(perf, "record", "-q", "-e", "cpu-clock:u", "-F", "997", "-g", "-k", "mono", "-o", "perf.data", program("jit"),
            "900", "none", "shared")
    if r.status != 0:
        raise Skip("perf cannot record here: " + r.err)
    modules = [m for m in Recording("perf.data").info()["modules"] if "doublemapper" in m["path"]]
    expect_equal(modules, [], "modules of the memory file")


def check_imported(r):
    imported = Recording("perf.data")
    for line in r.out.split("\n"):
        if line.startswith("truth "):
            imported.truths[line.split()[1]] = int(line.split()[2])
    stacks = imported.counts()
    truth = imported.truths
    own = [s for s in stacks if any(f.startswith("jit_") for f in s.frames)]
    expect(total(own) > 0.8 * total(stacks), "%d of %d samples are in generated code" % (total(own), total(stacks)))
    spent = sum(truth.values())
    for name, ns in truth.items():
        expect_share(own, lambda s, n=name: any(f.startswith(n) for f in s.frames), ns / spent, name, missing(own, spent))


def need_bpf():
    need_root()
    try:
        with open("/proc/sys/net/core/bpf_jit_enable", encoding="ascii") as f:
            compiled = f.read().strip() != "0"
    except OSError:
        compiled = False
    if not compiled:
        raise Skip("BPF programs are not compiled here")


def record_bpf(*arguments):
    r = record(program("bpf"), *arguments, status=None)
    if r.result.status == 77:
        raise Skip("no BPF program can be loaded")
    return r.counts()


def test_bpf_program_that_is_gone():
    need_bpf()
    stacks = record_bpf(500)
    inside = [s for s in stacks if s.leaf.startswith("bpf_prog_") and s.leaf.endswith("_prof_loop [bpf]")]
    expect(total(inside) > 0.2 * total(stacks), "%d of %d samples are in the BPF program" % (total(inside), total(stacks)))


def test_bpf_programs_at_one_address():
    """The kernel gives each the place of the one before; the samples of each have its own name."""
    need_bpf()
    leaves = [s for s in record_bpf(1000, 4) if s.leaf.startswith("bpf_prog_")]
    for i in range(4):
        own = [s for s in leaves if s.leaf.endswith("_prof_loop_%d [bpf]" % i)]
        expect(total(own) > 0.1 * total(leaves), "%d of %d samples are in program %d" % (total(own), total(leaves), i))


def check_runtime(command, function, caller):
    # A map that a process of this number has left would be taken for its own.
    r = record("/bin/sh", "-c", "rm -f /tmp/perf-$$.map; exec \"$@\"", "sh", *command)
    stacks = r.counts()
    inside = [s for s in stacks if any(function in f for f in s.frames)]
    expect(total(inside) > 0.3 * total(stacks), "%d of %d samples are in %s" % (total(inside), total(stacks), function))
    expect_all(inside, lambda s: any(caller in f for f in s.frames), "called by " + caller, 0.9)


NODE = "function hot(n){let s=0;for(let i=0;i<n;i++)s+=Math.sqrt(i)*(i%7);return s}" \
    "const e=process.cpuUsage().user+1500000;let t=0;while(process.cpuUsage().user<e)t+=hot(100000);"


def test_node_with_a_jitdump():
    check_runtime([need_tool("node"), "--perf-prof", "-e", NODE], "JS:*hot", "node::")


def test_node_with_a_perf_map():
    check_runtime([need_tool("node"), "--perf-basic-prof", "-e", NODE], "JS:*hot", "node::")


if __name__ == "__main__":
    main(globals())
