"""Compares docker/packages.txt with the includes of the sources: each library that is installed to build must be
included.

Method: dpkg lists the headers of each package; the sources contain their includes.
"""

import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
STAGES = ("build", "test")
# No header declares the functions of its library that are used: src/media/sound/voice.cpp.
WITHOUT_HEADERS = {"libwebrtc-audio-processing-dev"}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


def libraries():
    printed = subprocess.run([ROOT / "scripts/packages", *STAGES], capture_output=True, text=True, check=True)
    names = {name for name in printed.stdout.split() if name.endswith("-dev")}
    return sorted(names - {"dpkg-dev"} - WITHOUT_HEADERS)


def included():
    sources = (path for folder in ("include", "src", "tests") for path in (ROOT / folder).rglob("*.[ch]pp"))
    return {name for path in sources for name in INCLUDE.findall(path.read_text(encoding="utf-8"))}


def headers_of(package):
    """Each header with every name that may include it: its path below /usr/include, and the ends of that path."""
    listed = subprocess.run(["dpkg", "-L", package], capture_output=True, text=True, check=True).stdout
    names = set()
    for path in listed.splitlines():
        if path.startswith("/usr/include/"):
            parts = path.split("/")[3:]
            names.update("/".join(parts[first:]) for first in range(len(parts)))
    return names


class Packages(unittest.TestCase):
    def test_each_library_is_included(self):
        used = included()
        self.assertGreater(len(libraries()), 20)
        for package in libraries():
            with self.subTest(package):
                self.assertTrue(headers_of(package) & used, "no source includes its headers")


if __name__ == "__main__":
    unittest.main(verbosity=2)
