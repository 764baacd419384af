"""prof symbolize --debuginfod: asked for, or nothing is; what comes has to be of the same build."""
import os
import re
import shutil
import signal
import socket
import subprocess
import time

from proftest import PROF, Skip, environment, expect, expect_equal, finish, main, need_tool, prof, program, run
from proftest import wait_until

NONE_FETCHED = "0 of [0-9]+ debug files fetched; "  # of the C library, too, if it is hot by chance


def stripped_recording():
    """Of a program whose names are only in inlined.debug, in a folder of its own."""
    need_tool("objcopy")
    os.mkdir("served")
    run("objcopy", "--only-keep-debug", program("inlined"), "served/inlined.debug")
    run("strip", program("inlined"), "-o", "stripped")
    r = prof("record", "-q", "-o", "a.data", "--", os.path.abspath("stripped"), "400")
    expect_equal(r.status, 0, str(r))
    expect("level3" not in names(), "names before")


def names():
    return prof("folded", "a.data").out


def settings(urls, **more):
    return environment(DEBUGINFOD_URLS=urls, DEBUGINFOD_CACHE_PATH=os.path.abspath("downloads"), **more)


def fake_find(script, **more):
    """A debuginfod-find of our own, for what no server should do."""
    os.makedirs("bin", exist_ok=True)
    with open("bin/debuginfod-find", "w", encoding="utf-8") as f:
        f.write("#!/bin/sh\n" + script)
    os.chmod("bin/debuginfod-find", 0o755)
    return settings("http://none.invalid", PATH=os.path.abspath("bin") + ":" + os.environ["PATH"], **more)


def start_server():
    need_tool("debuginfod")
    need_tool("debuginfod-find")
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    server = subprocess.Popen(["debuginfod", "-p", str(port), "-d", ":memory:", "-F", os.path.abspath("served")],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              env=environment())
    return server, "http://127.0.0.1:%d" % port


def wait_until_served(server, urls):
    """It looks through its folders at its own pace."""
    build_id = next(w for w in run("readelf", "-n", "stripped").out.split() if len(w) == 40)
    for _ in range(120):
        shutil.rmtree("probe", ignore_errors=True)
        if server.poll() is not None:
            raise Skip("debuginfod ends at once: status %d" % server.returncode)
        if run("debuginfod-find", "debuginfo", build_id,
               env=environment(DEBUGINFOD_URLS=urls, DEBUGINFOD_CACHE_PATH=os.path.abspath("probe"))).status == 0:
            return
        time.sleep(0.5)
    raise Skip("debuginfod does not serve the file")


def test_from_a_server():
    stripped_recording()
    server, urls = start_server()
    try:
        wait_until_served(server, urls)
        r = prof("symbolize", "a.data", env=settings(urls))
        expect_equal(r.status, 0, str(r))
        expect(not os.path.exists("downloads"), "nothing is downloaded when nobody asks for it")
        r = prof("symbolize", "--debuginfod", "a.data", env=settings(urls))
        expect_equal(r.status, 0, str(r))
        expect("main;host;level1;level2;level3" in names(), r.err + names())
        expect(re.search("1 debug file fetched|1 of [0-9]+ debug files fetched", r.err), r.err)
        expect("names from debuginfod" in prof("info", "a.data").out, prof("info", "a.data").out)
    finally:
        server.kill()
        server.wait()


def test_nobody_answers():
    stripped_recording()
    need_tool("debuginfod-find")
    r = prof("symbolize", "--debuginfod", "a.data", env=settings("http://127.0.0.1:1"))
    expect_equal(r.status, 0, str(r))
    expect("no server has build ID" in r.err, r.err)
    r = prof("symbolize", "--debuginfod", "a.data", env=settings(" "))
    expect_equal((r.status, r.err.count("\n")), (2, 1), str(r))
    expect("DEBUGINFOD_URLS" in r.err, r.err)


def test_not_installed():
    stripped_recording()
    r = prof("symbolize", "--debuginfod", "a.data", env=settings("http://none.invalid", PATH="/no/such"))
    expect_equal(r.status, 0, str(r))
    expect("debuginfod-find is not installed" in r.err, r.err)


def test_another_build_comes():
    stripped_recording()
    run("objcopy", "--only-keep-debug", program("deep"), "wrong.debug")
    r = prof("symbolize", "--debuginfod", "a.data", env=fake_find("echo %s\n" % os.path.abspath("wrong.debug")))
    expect_equal(r.status, 0, str(r))
    expect("level3" not in names(), names())
    expect("its build ID is another one" in prof("info", "a.data").out, prof("info", "a.data").out)
    said = [line for line in r.err.splitlines() if "fetched" in line]
    expect_equal(len(said), 1, r.err)
    expect(re.search(NONE_FETCHED, said[0]), r.err)
    expect("is not the recorded file: its build ID is another one" in said[0], r.err)


def test_nonsense_comes():
    stripped_recording()
    os.mkdir("tmp")
    no_file, not_it = "no server has build ID", "is not the recorded file: "
    for script, why in (("echo ../../etc/passwd", no_file), ("head -c 100000 /dev/zero", "does not answer with a path"),
                        ("echo /etc/passwd", not_it + "it is no ELF file"),
                        ("echo /no/such/file", not_it + "it cannot be opened"), ("kill -9 $$", no_file)):
        r = prof("symbolize", "--debuginfod", "a.data", env=fake_find(script + "\n", TMPDIR=os.path.abspath("tmp")))
        expect_equal(r.status, 0, script + str(r))
        expect("level3" not in names(), names())
        expect(re.search(NONE_FETCHED, r.err) and why in r.err, script + str(r))
    expect_equal(os.listdir("tmp"), [], "what is left behind")


def test_few_descriptors():
    """A line says what cannot be done, and what to do."""
    stripped_recording()
    env = fake_find("echo /etc/passwd\n")
    said = 0
    for limit in range(4, 24):
        r = run("sh", "-c", "ulimit -n %d; exec \"$@\"" % limit, "sh", PROF, "symbolize", "--debuginfod", "a.data", env=env)
        lines = [line for line in r.err.splitlines() if "oo many open files" in line]
        expect(all("raise ulimit -n" in line for line in lines), "limit %d: %s" % (limit, r))
        expect(r.status == 0 or lines, "limit %d: %s" % (limit, r))
        said += bool(lines)
    expect(said, "so few are never too few")


def test_interrupted():
    """While the download hangs; nothing is left behind, and prof ends as the signal ends programs."""
    stripped_recording()
    for number in (signal.SIGINT, signal.SIGTERM):
        os.mkdir("tmp")
        env = fake_find("touch tmp/started\nexec sleep 600\n", TMPDIR=os.path.abspath("tmp"))
        p = subprocess.Popen([PROF, "symbolize", "--debuginfod", "a.data"], stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env,
                             preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))  # not of a background job
        wait_until(lambda: os.path.exists("tmp/started"), "the download to begin")
        os.kill(p.pid, number)
        r = finish(p)
        expect_equal(r.signal, number, str(r))
        expect_equal(os.listdir("tmp"), ["started"], "what is left behind")
        shutil.rmtree("tmp")


if __name__ == "__main__":
    main(globals())
