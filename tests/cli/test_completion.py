"""Completion scripts and man pages: the shells and man accept them."""
import os
import subprocess

from proftest import PROF, SOURCE, Skip, environment, expect, expect_equal, main, need_tool, prof, run


def with_prof_in_path():
    return environment(PATH=os.path.dirname(PROF) + ":" + os.environ["PATH"])


def bash_completes(words):
    """What bash offers for a command line, of which the last word is being typed."""
    script = """
source ./prof.bash
COMP_WORDS=(%s)
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
compopt() { :; }
_prof
printf '%%s\\n' "${COMPREPLY[@]}"
""" % " ".join("'%s'" % w for w in words)
    r = run("bash", "-c", script, env=with_prof_in_path())
    expect_equal(r.err, "", str(r))
    return r.out.split()


def write_script(shell):
    r = prof("help", "--completion=" + shell)
    expect_equal((r.status, r.err), (0, ""), shell)
    with open("prof." + shell, "w", encoding="utf-8") as f:
        f.write(r.out)


def test_bash():
    need_tool("bash")
    write_script("bash")
    expect_equal(bash_completes(["prof", "re"]), ["record", "report"], "commands")
    expect_equal(bash_completes(["prof", "record", "--ca"]), ["--call-graph="], "options")
    expect_equal(bash_completes(["prof", "record", "--no"]), ["--no-kernel"], "negated options")
    expect_equal(bash_completes(["prof", "report", "--by", "th"]), ["thread"], "choices")
    expect_equal(bash_completes(["prof", "report", "--by", "=", "m"]), ["module"], "choices after =")
    expect_equal(bash_completes(["prof", "help", "fl"]), ["flame"], "commands of help")
    expect_equal(bash_completes(["prof", "record", "-e", "page"]), ["page-faults"], "events")
    expect_equal(bash_completes(["prof", "record", "-e", "task-clock,page"]), ["task-clock,page-faults"], "further events")
    expect_equal(bash_completes(["prof", "record", "--call-graph", "=", "dw"]), ["dwarf"], "modes of stacks")
    expect(str(os.getpid()) in bash_completes(["prof", "record", "-p", ""]), "processes")
    expect("sleep" in bash_completes(["prof", "record", "-q", "--", "slee"]), "commands")
    expect_equal(bash_completes(["prof", "record", "--", "sleep", "pro"]), [], "files are the shell's own")


def fish_completes(line):
    r = run(need_tool("fish"), "-c", "source prof.fish; complete -C '%s'" % line, env=with_prof_in_path())
    expect_equal(r.err, "", str(r))
    return [row.split("\t")[0] for row in r.out.split("\n")]


def test_zsh():
    zsh = need_tool("zsh")
    write_script("zsh")
    r = run(zsh, "-n", "prof.zsh")
    expect_equal((r.status, r.err), (0, ""), str(r))


def test_fish():
    fish = need_tool("fish")
    write_script("fish")
    r = run(fish, "-n", "prof.fish")
    expect_equal((r.status, r.err), (0, ""), str(r))
    expect("report" in fish_completes("prof rep"), "commands")
    expect("page-faults" in fish_completes("prof record -e page"), "events")
    expect("--call-graph=dwarf" in fish_completes("prof record --call-graph="), "modes of stacks")
    expect("sleep" in fish_completes("prof record slee"), "commands to record")


def test_man_pages():
    man = need_tool("man")
    for name in ("prof", "record", "report", "check", "grant"):
        page = prof("help", "--man=" + name).out
        if name == "grant":
            with open(os.path.join(SOURCE, "tools/package/prof-grant.8"), encoding="utf-8") as f:
                page = f.read()
        with open("page.1", "w", encoding="utf-8") as f:
            f.write(page)
        p = subprocess.run([man, "--warnings", "-E", "UTF-8", "-l", "page.1"], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, env=environment(MANWIDTH="80"), check=False)
        if p.returncode and b"troff" in p.stderr and b"not found" in p.stderr:
            raise Skip("man cannot format pages here")
        expect_equal((p.returncode, p.stderr), (0, b""), name)
        expect(b"SYNOPSIS" in p.stdout, name)


if __name__ == "__main__":
    main(globals())
