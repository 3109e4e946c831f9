"""Checks that manual, configuration file and units match the programs. Goal: none of them is out of date after a
change of a setting.

Method: compares the pages with the output of scripts/setting-pages; uses Debian's own tools for the rest.
"""

import json
import os
import pathlib
import re
import subprocess
import unittest

import service_support as support

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CONFIGURATION = ROOT / "scripts/packaging/reelsd.conf"
UNITS = ROOT / "scripts/packaging/systemd"
EXPOSURE_MAX_TENTHS = 30  # In tenths, as systemd-analyze expects it: 3.0.


def subcommands_of(*command):
    """The subcommands of `reelsd COMMAND`, [] if it has none."""
    text = support.must(support.run_reelsd(*command, "--help")).stdout
    _, _, below = text.partition("\nSubcommands:\n")
    return re.findall(r"^  (\w+) +\S", below, re.MULTILINE)


class Manual(unittest.TestCase):
    def test_the_pages_are_well_formed(self):
        for page in ("reelsd.8", "reelsd.conf.5"):
            with self.subTest(page):
                done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", ROOT / "docs" / page],
                                      capture_output=True, text=True, timeout=60)
                self.assertEqual((done.stdout, done.stderr, done.returncode), ("", "", 0))

    def test_it_has_every_command_with_its_flags(self):
        page = (ROOT / "docs/reelsd.8").read_text(encoding="utf-8")
        commands = []
        for name in subcommands_of():
            below = subcommands_of(name)
            commands += [f"{name} {one}" for one in below] or [name]
        headings = re.findall(r"^\.Ss (.+)$", page, re.MULTILINE)
        names = [next((name for name in commands if (words + " ").startswith(name + " ")), words) for words in headings]
        self.assertEqual(sorted(names), sorted(commands))
        for command in commands:
            usage = support.must(support.run_reelsd(*command.split(), "--help")).stdout
            for flag in re.findall(r"^  (?:-\w,)?--([a-z-]+)", usage, re.MULTILINE):
                with self.subTest(command, flag=flag):
                    self.assertIn(f"Fl -{flag}", page)


class Settings(unittest.TestCase):
    def test_the_pages_match_the_programs_output(self):
        done = subprocess.run([ROOT / "scripts/setting-pages", "--check", support.program("reelsd")],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("", "", 0), "run scripts/setting-pages")

    def test_the_list_marks_secrets(self):
        listed = json.loads(support.must(support.run_reelsd("settings")).stdout)
        by_name = {one["name"]: one for one in listed}
        self.assertEqual(by_name["workers"]["default"], "16")
        self.assertEqual(by_name["data-dir"]["variable"], "REELSD_DATA_DIR")
        self.assertTrue(by_name["database-url"]["secret"])
        self.assertFalse(by_name["tls-key"]["secret"], "the name of a file")

    def test_the_program_accepts_the_file_with_all_settings(self):
        folder = support.new_folder()
        self.addCleanup(os.rmdir, folder)
        # Settings are decoded in the order of the table, and this one is the last.
        lines = re.sub(r"(?m)^#([a-z][a-z0-9-]* = (?!\"\").+)$", r"\1", CONFIGURATION.read_text(encoding="utf-8"))
        file = pathlib.Path(folder, "reelsd.conf")
        file.write_text(lines, encoding="utf-8")
        self.addCleanup(file.unlink)

        done = support.run_reelsd("serve", "--config", str(file), "--telegram-url", "none")

        self.assertIn("reelsd: telegram-url: ", done.stderr)


class Units(unittest.TestCase):
    def analyze(self, *arguments):
        return subprocess.run(["systemd-analyze", *arguments], capture_output=True, text=True, timeout=60)

    def test_systemd_understands_them(self):
        folder = pathlib.Path(support.new_folder())
        self.addCleanup(folder.rmdir)
        units = []
        for unit in sorted(UNITS.iterdir()):
            copy = folder / unit.name
            # The program that the unit names must exist.
            text = unit.read_text(encoding="utf-8").replace("/usr/bin/reelsd", support.program("reelsd"))
            copy.write_text(text, encoding="utf-8")
            self.addCleanup(copy.unlink)
            units.append(copy)
        done = self.analyze("verify", "--man=no", *units)
        ours = [line for line in done.stderr.splitlines() if "reelsd" in line]
        self.assertEqual((ours, done.returncode), ([], 0))

    def test_they_sandbox_the_services(self):
        for unit in UNITS.glob("*.service"):
            with self.subTest(unit.name):
                done = self.analyze("security", "--offline=true", f"--threshold={EXPOSURE_MAX_TENTHS}", unit)
                self.assertEqual(done.returncode, 0, done.stdout)

    def test_they_permit_the_system_calls_of_the_media_jail(self):
        jail = "".join((ROOT / "src/media/child" / name).read_text(encoding="utf-8")
                       for name in ("jail.cpp", "sandbox.cpp"))
        unit = (UNITS / "reelsd.service").read_text(encoding="utf-8")
        calls = set(re.findall(r"SYS_(landlock_\w+)", jail)) | {"seccomp"}
        allowed = {word for line in re.findall(r"^SystemCallFilter=([^~].*)$", unit, re.MULTILINE)
                   for word in line.split()}
        self.assertLessEqual(calls, allowed)
        namespaces = {name.lower() for name in re.findall(r"CLONE_NEW(\w+)", jail)}
        self.assertEqual(set(re.search(r"^RestrictNamespaces=(.*)$", unit, re.MULTILINE)[1].split()), namespaces)


if __name__ == "__main__":
    unittest.main(verbosity=2)
