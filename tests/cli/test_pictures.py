"""The README's pictures are what prof shows of the recording beside them."""
import os
import re
import subprocess
import sys

from proftest import PROF, SOURCE, expect, expect_equal, main

PICTURES = os.path.join(SOURCE, "docs", "pictures")


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return f.read()


def test_pictures_are_up_to_date():
    subprocess.run([sys.executable, os.path.join(SOURCE, "tools", "pictures"), PROF, "."], check=True)
    drawn = sorted(name for name in os.listdir(".") if name.endswith(".svg"))
    expect_equal(drawn, sorted(name for name in os.listdir(PICTURES) if name.endswith(".svg")), "pictures")
    for name in drawn:
        expect(read(name) == read(PICTURES, name), "docs/pictures/%s is old: run tools/pictures %s" % (name, PROF))


def test_readme_shows_them():
    shown = re.findall(r"!\[[^\]]+\]\(docs/pictures/([^)]+)\)", read(SOURCE, "README.md"))
    expect_equal(sorted(shown), sorted(name for name in os.listdir(PICTURES) if name.endswith(".svg")), "pictures in the README")


if __name__ == "__main__":
    main(globals())
