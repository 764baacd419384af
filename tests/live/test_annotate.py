"""prof annotate: lines, what is inlined there, and instructions of programs that state their own truth; sources that
have moved, changed or are none."""
import json
import os
import re
import shutil

from proftest import (SOURCE, Skip, binomial_slack, expect, expect_equal, expect_recorded, main, program, prof, record,
                      record_generated, run)

MS = 1500


def annotate(r, *options):
    a = prof("annotate", "-i", r.path, *options)
    expect_equal(a.status, 0, "prof annotate: " + a.err)
    return a.out


def as_json(r, *options):
    return json.loads(annotate(r, "--json", *options))


def need_decoder(a):
    if "no_instructions" in a:
        raise Skip(a["no_instructions"])


def line_with(a, comment):
    rows = [row for row in a["lines"] if row["text"] and "/* %s */" % comment in row["text"]]
    expect_equal(len(rows), 1, "rows with the comment " + comment)
    return rows[0]


def expect_lines(r, a):
    """The lines' shares are those the program measured."""
    n = a["function"]["samples"]
    share = r.truths["first"] / (r.truths["first"] + r.truths["second"])
    slack = binomial_slack(n, share)
    first, second = line_with(a, "first"), line_with(a, "second")
    expect(abs(first["samples"] - n * share) <= slack, "first: %d of %d, want %.3f" % (first["samples"], n, share))
    expect(abs(second["samples"] - n * (1 - share)) <= slack, "second: %d of %d" % (second["samples"], n))
    inside = sum(row["samples"] for row in second["inlined"] if row["name"] == "helper")
    expect(inside >= 0.95 * second["samples"], "helper is named where it was inlined: %s" % second)
    expect_equal(sum(row["weight"] for row in a["lines"]), a["function"]["weight"], "the lines' weights")
    expect(first["error_percent"] is not None, "an uncertainty")


def expect_code(a):
    """All weight is at instructions, and at the right lines' ones."""
    items = [i for block in a["code"] for i in block["instructions"]]
    expect_equal(sum(i["weight"] for i in items) + a["code_missing"]["weight"], a["function"]["weight"], "weights")
    expect_equal(a["code_missing"]["samples"], 0, "samples without code")
    expect(all(i["known"] for i in items if i["samples"]), "sampled instructions are known")


def test_lines_and_instructions():
    r = record(program("annotated"), MS)
    a = as_json(r, "work")
    expect_recorded(r.counts(), MS / 1000, "annotated")
    expect_lines(r, a)
    need_decoder(a)
    expect_code(a)


def test_hot_instructions():
    """A loop of two instructions: no other has a share, and the jump leads back."""
    r = record(program("annotated"), MS)
    a = as_json(r, "counted", "--asm")
    need_decoder(a)
    expect_code(a)
    items = a["code"][0]["instructions"]
    jump = next(n for n, i in enumerate(items) if i["flow"] == "branch")
    expect_equal(items[jump]["target"], items[jump - 1]["address"], "where the jump leads")
    expect(items[jump - 1]["is_target"], "its target is marked")
    n = a["function"]["samples"]
    loop = items[jump]["samples"] + items[jump - 1]["samples"]
    expect(n - loop <= binomial_slack(n, 0.01) + 0.01 * n, "the loop has %d of %d samples" % (loop, n))
    text = annotate(r, "counted", "--asm", "--whole")
    expect("↑" in text and "▸" in text, "jumps are marked: " + text)
    expect("skid" in text, "skid is explained")


def test_code_without_lines():
    """Where nothing knows lines, the instructions are shown without being asked for."""
    run("strip", "-o", "stripped", program("shares"))
    r = record(os.path.abspath("stripped"), 500, options=["--no-kernel"])
    need_decoder(as_json(r))
    text = annotate(r)
    expect("no lines are known" in text, text)
    expect(re.search(r"^ *[0-9.]+% .*[0-9a-f]{4,}  [a-z]", text, re.M), "no instruction with a share: " + text)


def test_the_hottest_by_itself():
    r = record(program("annotated"), MS)
    expect_equal(as_json(r)["function"]["name"], "work", "the hottest function")
    text = annotate(r)
    expect("inlined helper annotated.c:" in text, text)
    expect(len(text.split("\n")) <= 25 and all(len(line) <= 80 for line in text.split("\n")), "the screen: " + text)
    near = prof("annotate", "-i", r.path, "helpre")
    expect_equal((near.status, near.out), (1, ""), "an unknown function")
    expect("did you mean helper?" in near.err, near.err)


def build_here():
    """The program built from a copy of its source here: both can be moved away."""
    os.mkdir("src")
    for name in ("annotated.c", "burn.h"):
        shutil.copy(os.path.join(SOURCE, "tests/programs", name), "src")
    b = run("gcc", "-g", "-O2", "-D_GNU_SOURCE", os.path.abspath("src/annotated.c"), "-o", "annotated")
    expect_equal(b.status, 0, b.err)


def test_on_another_machine():
    """What the recording holds is enough."""
    build_here()
    r = record("./annotated", MS)
    shutil.rmtree("src")
    os.unlink("annotated")
    a = as_json(r, "work")
    expect_lines(r, a)
    if "no_instructions" not in a:
        expect_code(a)


def test_source_elsewhere():
    build_here()
    os.rename("src", "moved")
    r = record("./annotated", MS)
    text = annotate(r, "work")
    expect("no text of annotated.c: --source-dir DIR says where it is" in text, text)
    expect(line_numbers(as_json(r, "work")), "numbers without the text")
    for where in (("--source-dir", "moved"), ("--source-dir", "/proc", "--source-dir", "moved"),
                  ("--source-map", os.path.abspath("src") + "=" + os.path.abspath("moved")),
                  ("--source-map", os.path.abspath("src") + "=moved")):
        expect_lines(r, as_json(r, "work", *where))
    bad = prof("annotate", "-i", r.path, "--source-map", "x")
    expect_equal((bad.status, bad.err), (2, "prof annotate: --source-map 'x' is not FROM=TO\n"), "a bad map")
    bad = prof("annotate", "-i", r.path, "--source-dir", "nowhere")
    expect_equal(bad.status, 2, bad.err)


def line_numbers(a):
    return [row["line"] for row in a["lines"] if row["line"] and row["samples"]]


def test_changed_source():
    """A source that was edited since does not pass for what ran."""
    build_here()
    r = record("./annotated", MS)
    with open("src/annotated.c", encoding="utf-8") as f:
        text = f.read()
    with open("src/annotated.c", "w", encoding="utf-8") as f:
        f.write("\n\n" + text)
    a = as_json(r, "work", "--whole")
    expect_lines(r, a)
    expect("annotated.c has changed since" in annotate(r, "work", "--whole"), "it is said")


def test_newer_source():
    """Written after the program was built: said when it was newer at the recording, and when it is read later."""
    build_here()
    program_time = os.stat("annotated").st_mtime
    os.utime("src/annotated.c", (program_time + 10, program_time + 10))
    r = record("./annotated", MS, path="newer.data")
    newer = "annotated.c is newer than the program: its lines may have moved"
    os.rename("src", "away")
    expect(newer in annotate(r, "work"), "said by the recording")
    r = record("./annotated", MS, path="without.data")
    os.rename("away", "src")
    expect(newer in annotate(r, "work"), "said when it is read")
    os.utime("src/annotated.c", (program_time - 10, program_time - 10))
    expect(newer not in annotate(r, "work"), "older ones are as they were")


LONG = """
#if defined(__x86_64__)
#define ADD "add $1, %%0"
#else
#define ADD "add %%0, %%0, #1"
#endif
__attribute__((noinline)) unsigned long big(unsigned long x)
{
	__asm__ volatile(".rept 8000\\n\\t" ADD "\\n\\t.endr" : "+r"(x)); /* big */
	return x;
}
int main(void)
{
	unsigned long x = 1;
	for (int i = 0; i < %d; i++)
		x = big(x);
	return x == 0;
}
"""


def test_program_here():
    """What the recording lacks of a long function's code, and lines of what was not sampled, come from the program that
    ran, and from no other."""
    def build(turns):
        with open("big.c", "w", encoding="utf-8") as f:
            f.write(LONG % turns)
        b = run("gcc", "-g", "-O1", "-Wl,--build-id", "big.c", "-o", "big")
        expect_equal(b.status, 0, b.err)

    build(200000)
    r = record("./big")
    a = as_json(r, "big", "--asm")
    need_decoder(a)
    expect_code(a)
    items = a["code"][0]["instructions"]
    expect(len(items) > 8000, "all of its code: %d" % len(items))
    expect(all(i.get("file") for i in items if i["known"]), "each has a line")
    os.rename("big", "there")
    away = as_json(r, "big", "--asm")
    expect(away["code_missing"]["samples"] > 0.5 * away["function"]["samples"], "the recording has its beginning")
    expect_equal(away["code_missing"]["weight"] + away["code"][0]["weight"], away["function"]["weight"], "weights")
    text = annotate(r, "big")
    expect("is not in the recording" in " ".join(text.split()), text)
    build(200001)
    expect_equal(as_json(r, "big", "--asm"), away, "another program of that name is left alone")
    os.rename("there", "big")
    expect_equal(as_json(r, "big", "--asm"), a, "with the one that ran it is as before")


SECRET = "the secret line\n"
HOSTILE = """
int main(void)
{
	volatile unsigned long n = 0;
#line 1 "%s"
	for (unsigned long i = 0; i < 400000000; i++) n += i;
	return n == 1;
}
"""


def hostile_recording(name):
    with open("main.c", "w", encoding="utf-8") as f:
        f.write(HOSTILE % name)
    b = run("gcc", "-g", "-O1", "main.c", "-o", "hostile")
    expect_equal(b.status, 0, b.err)
    return record("./hostile", path="hostile.data")


def test_only_sources_are_read():
    """Names of other files, of links to such, and of what is no file at all yield nothing."""
    with open("secret", "w", encoding="utf-8") as f:
        f.write(SECRET)
    shutil.copy("secret", "taken.c")
    os.symlink("secret", "linked.c")
    os.mkfifo("pipe.c")
    for name in ("secret", "linked.c", "pipe.c", "/dev/stdin", "/proc/self/environ"):
        path = os.path.abspath(name)
        r = hostile_recording(path)
        for options in ((), ("--whole",), ("--source-dir", "."), ("--source-map", "/=/")):
            text = annotate(r, "main", *options)
            expect(SECRET.strip() not in text, "%s with %s: %s" % (name, options, text))
            expect("100.0%" in text or "main" in text, "shares without the text")
    expect(SECRET.strip() in annotate(hostile_recording(os.path.abspath("taken.c")), "main"), "what is named as source")


def test_generated_code():
    """A jitdump names lines: with the source that was there, and with the one that is named later."""
    source = os.path.abspath("jit.js")
    with open(source, "w", encoding="utf-8") as f:
        f.write("".join("line %d\n" % i for i in range(1, 121)))
    r = record(program("jit"), 1200, "dump", "anon", source)
    kept = as_json(r, "jit_new")
    hot = max(kept["lines"], key=lambda row: row["weight"])
    expect_equal((hot["file"], hot["line"], hot["text"]), (source, 101, "line 101"), "the loop's line")
    os.rename(source, "there.js")
    expect_equal(as_json(r, "jit_new")["lines"], kept["lines"], "from the recording")
    bare = record(program("jit"), 1200, "dump", "anon", source, path="bare.data")
    hot = max(as_json(bare, "jit_new")["lines"], key=lambda row: row["weight"])
    expect_equal((hot["line"], hot["text"]), (101, None), "without its source")
    os.mkdir("elsewhere")
    os.rename("there.js", "elsewhere/jit.js")
    hot = max(as_json(bare, "jit_new", "--source-dir", "elsewhere")["lines"], key=lambda row: row["weight"])
    expect_equal((hot["line"], hot["text"]), (101, "line 101"), "with --source-dir")


def test_generated_code_without_a_file():
    """What a perf map names has its code in memory only: that is copied while the program runs."""
    r = record_generated(program("jit"), 3000, "map")
    kept = as_json(r, "jit_new")
    instructions = [i for block in kept["code"] for i in block["instructions"]]
    hot = max(instructions, key=lambda i: i["weight"])
    expect(all(i["known"] for i in instructions[:4]) and hot["flow"] in ("branch", "next"), str(instructions[:6]))
    expect_equal(kept["code_missing"]["weight"], 0, "all of its samples have an instruction")
    loop = [i for i in instructions if i["flow"] == "branch"]
    expect(any(i.get("target") for i in loop), "the loop's jump: %s" % instructions[:8])
    expect("jit_new" in annotate(r, "jit_new", "--asm"), "as text")


def test_words():
    r = record(program("annotated"), 300)
    for words, line in (((r.path,), "%s is a recording: -i %s" % (r.path, r.path)),
                        (("-i", r.path, "a", "b"), "one function at a time, not 'b' too (-i names the recording)"),
                        (("-i", r.path, "--percent-limit", "101"), "--percent-limit: at most 100"),
                        (("-i", r.path, "--limit", "5000000000"), "--limit is too large")):
        bad = prof("annotate", *words)
        expect_equal((bad.status, bad.out, bad.err), (2, "", "prof annotate: %s\n" % line), "words")
    few = record(program("annotated"), 5, path="few.data")
    text = prof("annotate", "-i", few.path)
    expect(text.status == 1 or "too few to say how sure" in text.out, "few samples: " + str(text))


if __name__ == "__main__":
    main(globals())
