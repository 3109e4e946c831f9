"""Manual, configuration file and units say what the programs do. Goal: none of them falls behind a setting.

Method: names and defaults as `reelsd --help` prints them, held against each document; Debian's own tools for the rest.
"""

import os
import pathlib
import re
import subprocess
import unittest

import service_support as support

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CONFIGURATION = ROOT / "scripts/packaging/reelsd.conf"
UNITS = ROOT / "scripts/packaging/systemd"
# What the package sets differently from the program.
DATA_DIR = "/var/lib/reelsd"
EXPOSURE_MAX_TENTHS = 30  # As systemd-analyze takes it: 3.0.


def help_text():
    return support.must(support.run_reelsd("--help")).stdout


def subcommands_of(*command):
    """The names below `reelsd COMMAND`, [] if it has none."""
    text = support.must(support.run_reelsd(*command, "--help")).stdout
    _, _, below = text.partition("\nSubcommands:\n")
    return re.findall(r"^  (\w+) +\S", below, re.MULTILINE)


def settings():
    """Name to default, "" where there is none."""
    part = help_text().split("\nSettings:\n")[1].split("\nSubcommands:")[0]
    entries = re.split(r"\n  --", "\n" + part)[1:]
    found = {}
    for entry in entries:
        name, _, words = entry.partition(" ") if " " in entry.split("\n")[0] else entry.partition("\n")
        if name != "config":
            found[name.strip()] = default_in(" ".join(words.split()))
    return found


def default_in(text):
    """What stands in the last parentheses, which may have others inside."""
    if not text.endswith(")"):
        return ""
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(text[at], 0)
        if depth == 0:
            return text[at + 1:-1]
    raise AssertionError(text)


class Manual(unittest.TestCase):
    def test_the_pages_are_well_formed(self):
        for page in ("reelsd.8", "reelsd.conf.5"):
            with self.subTest(page):
                done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", ROOT / "docs" / page],
                                      capture_output=True, text=True, timeout=60)
                self.assertEqual((done.stdout, done.stderr, done.returncode), ("", "", 0))

    def test_it_has_every_setting_with_its_default(self):
        page = (ROOT / "docs/reelsd.conf.5").read_text(encoding="utf-8")
        part = page.split(".Sh SETTINGS")[1].split(".Sh ")[0]
        told = {name: default.strip('"')
                for name, default in re.findall(r"^\.It Cm (\S+)(?: Pq Ql (.+))?$", part, re.MULTILINE)}
        self.assertEqual(list(sorted(told)), sorted(settings()))
        for name, default in told.items():
            if default:
                self.assertEqual(settings()[name], default, name)
            else:
                # The help names other variables in parentheses, too, and those are no defaults.
                self.assertRegex(settings()[name], r"\A(\w+_API_KEY)?\Z", name)

    def test_it_has_every_command(self):
        page = (ROOT / "docs/reelsd.8").read_text(encoding="utf-8")
        commands = []
        for name in subcommands_of():
            below = subcommands_of(name)
            commands += [f"{name} {one}" for one in below] or [name]
        told = re.findall(r"^\.Ss (.+)$", page, re.MULTILINE)
        names = [next((name for name in commands if (words + " ").startswith(name + " ")), words) for words in told]
        self.assertEqual(sorted(names), sorted(commands))


class Configuration(unittest.TestCase):
    def test_its_lines_are_the_settings_with_their_defaults(self):
        text = CONFIGURATION.read_text(encoding="utf-8")
        told = dict(re.findall(r"^#?([a-z][a-z0-9-]*) = \"?(.*?)\"?$", text, re.MULTILINE))
        self.assertEqual(sorted(told), sorted(settings()))
        self.assertEqual(told.pop("data-dir"), DATA_DIR)
        for name, default in told.items():
            if default:
                self.assertEqual(settings()[name], default, name)

    def test_the_program_accepts_it_with_all_its_lines(self):
        folder = support.new_folder()
        self.addCleanup(os.rmdir, folder)
        # The file is read before a flag, and this setting is looked at after nearly all others.
        lines = re.sub(r"(?m)^#([a-z][a-z0-9-]* = (?!\"\").+)$", r"\1", CONFIGURATION.read_text(encoding="utf-8"))
        file = pathlib.Path(folder, "reelsd.conf")
        file.write_text(lines, encoding="utf-8")
        self.addCleanup(file.unlink)

        done = support.run_reelsd("serve", "--config", str(file), "--model-prices", "none")

        self.assertIn("reelsd: model-prices: ", done.stderr)


class Units(unittest.TestCase):
    def analyze(self, *arguments):
        return subprocess.run(["systemd-analyze", *arguments], capture_output=True, text=True, timeout=60)

    def test_systemd_understands_them(self):
        folder = pathlib.Path(support.new_folder())
        self.addCleanup(folder.rmdir)
        units = []
        for unit in sorted(UNITS.iterdir()):
            copy = folder / unit.name
            # The program that the unit names has to be there.
            text = unit.read_text(encoding="utf-8").replace("/usr/bin/reelsd", support.program("reelsd"))
            copy.write_text(text, encoding="utf-8")
            self.addCleanup(copy.unlink)
            units.append(copy)
        done = self.analyze("verify", "--man=no", *units)
        ours = [line for line in done.stderr.splitlines() if "reelsd" in line]
        self.assertEqual((ours, done.returncode), ([], 0))

    def test_they_keep_the_services_apart_from_the_machine(self):
        for unit in UNITS.glob("*.service"):
            with self.subTest(unit.name):
                done = self.analyze("security", "--offline=true", f"--threshold={EXPOSURE_MAX_TENTHS}", unit)
                self.assertEqual(done.returncode, 0, done.stdout)

    def test_they_leave_the_jail_of_the_media_program_what_it_is_made_of(self):
        jail = "".join((ROOT / "src/media/child" / name).read_text(encoding="utf-8")
                       for name in ("jail.cpp", "fence.cpp"))
        unit = (UNITS / "reelsd.service").read_text(encoding="utf-8")
        calls = set(re.findall(r"SYS_(landlock_\w+)", jail)) | {"seccomp"}
        allowed = {word for line in re.findall(r"^SystemCallFilter=([^~].*)$", unit, re.MULTILINE)
                   for word in line.split()}
        self.assertLessEqual(calls, allowed)
        namespaces = {name.lower() for name in re.findall(r"CLONE_NEW(\w+)", jail)}
        self.assertEqual(set(re.search(r"^RestrictNamespaces=(.*)$", unit, re.MULTILINE)[1].split()), namespaces)


if __name__ == "__main__":
    unittest.main(verbosity=2)
