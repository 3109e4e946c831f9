"""Goal: look-ups do not pretend to be an outdated browser. Method: compares the version in the default user agent
with that of the installed Chromium, which Debian keeps current."""

import re
import shutil
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
DEFAULT = ROOT / "include/reelsd/platform/source.hpp"
SETTINGS = ROOT / "src/app/setting_table.cpp"
# A version is released every four weeks, so this is half a year.
VERSIONS_MAX = 6


def version_in(text):
    return int(re.search(r"Chrom(?:e/|ium )(\d+)\.", text)[1])


class BrowserAgent(unittest.TestCase):
    def test_the_default_is_defined_once(self):
        self.assertEqual(version_in(DEFAULT.read_text()), version_in(SETTINGS.read_text()))

    def test_the_default_is_no_older_than_half_a_year(self):
        program = shutil.which("chromium-headless-shell") or "chromium-browser"
        output = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=60, check=True)
        newest, ours = version_in(output.stdout), version_in(DEFAULT.read_text())
        self.assertLessEqual(newest - ours, VERSIONS_MAX, "take a newer Chrome for browser-user-agent")
        self.assertLessEqual(ours, newest + 1, "there is no such Chrome yet")


if __name__ == "__main__":
    unittest.main()
