"""prof check as text: fits the terminal, says each remedy once, and none that cannot help."""
import json
import os
import re

from proftest import NOBODY, PROF, Skip, Sysctl, as_nobody, copy_for_everybody, environment, expect, expect_equal, main, need_root
from proftest import need_tool, program, prof, run


def findings(result):
    return {f["id"]: f for f in json.loads(result.out)["findings"]}


def test_lines_fit():
    plain = prof("check").out
    narrow = prof("check", env=environment(COLUMNS="70"))
    expect_equal(narrow.err, "", str(narrow))
    for line in narrow.out.split("\n"):
        # A command is not cut, so that it can be copied.
        expect(len(line) <= 70 or line.startswith(" " * 10), "too long: " + line)
    expect_equal(narrow.out.split(), plain.split(), "the same words")


def test_plain_characters_without_a_locale():
    for args in (("check",), ("help",), ("record", "--help")):
        with_locale, without = prof(*args), prof(*args, env=environment(LC_ALL="C"))
        expect(without.raw_out.isascii(), "%s: %s" % (args, without.out))
        expect("…" in with_locale.out and "..." in without.out, with_locale.out)


def test_seccomp_has_one_remedy():
    r = run(program("no_perf_events"), PROF, "check", "--json")
    for f in findings(r).values():
        expect("sysctl kernel.perf_event" not in f["remedy"] or f["id"] in ("rate", "rings"), str(f))
        expect(f["state"] != "no" or "seccomp=unconfined" in f["remedy"], str(f))
    text = run(program("no_perf_events"), PROF, "check").out
    expect_equal((text.count("seccomp=unconfined"), text.count("perf_event_open")), (1, 1), text)


def test_tracefs_that_is_mounted_but_closed():
    need_root()
    where = "/sys/kernel/tracing"
    if run("stat", "-f", "-c", "%T", where).out.strip() != "tracefs" or os.stat(where).st_mode & 0o005:
        raise Skip("tracefs is not mounted, or open to all")
    f = findings(as_nobody(copy_for_everybody(PROF), "check", "--json"))["tracepoints"]
    expect_equal(f["state"], "limited", str(f))
    expect("is mounted" in f["detail"] and "remount" in f["remedy"], str(f))


def test_kernel_names_need_both_settings_alone():
    copy = copy_for_everybody(PROF)
    for paranoid, kptr, wanted in ((2, 0, "sudo sysctl kernel.perf_event_paranoid=1"),
                                   (1, 1, "sudo sysctl kernel.kptr_restrict=0"),
                                   (2, 1, "sudo sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1"), (1, 0, "")):
        with Sysctl("kernel.perf_event_paranoid", paranoid), Sysctl("kernel.kptr_restrict", kptr):
            f = findings(as_nobody(copy, "check", "--json"))["kernel-names"]
        expect_equal((f["state"], f["remedy"]), ("limited" if wanted else "ok", wanted), str((paranoid, kptr, f)))


def test_remedies_are_commands_alone():
    for paranoid in (2, 3):
        with Sysctl("kernel.perf_event_paranoid", paranoid):
            for f in findings(as_nobody(copy_for_everybody(PROF), "check", "--json")).values():
                expect(re.match(r"(sudo |docker |ulimit |start |boot |$)", f["remedy"]), str(f))
                expect("`" not in f["remedy"] + f["detail"], str(f))


def test_granted_capabilities_give_kernel_names_alone():
    need_root()
    copy = copy_for_everybody(PROF)
    r = run(need_tool("setcap"), "cap_perfmon,cap_sys_ptrace,cap_syslog,cap_bpf+ep", copy)
    if r.status:
        raise Skip("setcap: " + r.err)
    with Sysctl("kernel.perf_event_paranoid", 2), Sysctl("kernel.kptr_restrict", 1):
        f = findings(run(need_tool("setpriv"), "--reuid", NOBODY, "--clear-groups", copy, "check", "--json"))
    expect_equal({f[i]["state"] for i in ("user", "kernel", "system-wide", "kernel-names")}, {"ok"}, str(f))


if __name__ == "__main__":
    main(globals())
