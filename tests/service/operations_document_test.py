"""Compares the README, the guide and the operators' documents with the program. Goal: the settings and commands
that they name exist."""

import json
import pathlib
import re
import unittest

from service_support import must, run_reelsd

ROOT = pathlib.Path(__file__).resolve().parents[2]
VARIABLE = re.compile(r"`(REELSD_[A-Z_]+)`")
COMMAND = re.compile(r"^ {4}(?:[$#] )?(?:runuser -u reelsd -- )?(?:\w+=\S+ )*(reelsd .*)$", re.MULTILINE)
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs/guide").glob("*.md")),
             *sorted((ROOT / "docs/operate").glob("*.md"))]
# Variables of docker/compose.yaml, which the program does not read.
OF_COMPOSE = set(re.findall(r"\$\{(REELSD_\w+)", (ROOT / "docker/compose.yaml").read_text()))


def variables():
    listed = json.loads(must(run_reelsd("settings")).stdout)
    return {one["variable"] for one in listed} | {"REELSD_CONFIG"}


class Settings(unittest.TestCase):
    def test_documents_name_only_existing_settings(self):
        known = variables() | OF_COMPOSE
        for document in DOCUMENTS:
            for name in VARIABLE.findall(document.read_text()):
                self.assertIn(name.removesuffix("_FILE") if name not in known else name, known, document.name)


class Commands(unittest.TestCase):
    def test_documents_name_only_existing_flags_and_subcommands(self):
        """The program accepts each command line of the documents, up to its values."""
        seen = 0
        for document in DOCUMENTS:
            for line in COMMAND.findall(document.read_text()):
                words = re.split(r"\s*(?:[|#>]|\s{2,})", line)[0].split()[1:]
                command = []
                for word in words:
                    if not re.fullmatch(r"[a-z-]+", word) or word.startswith("-") or len(command) == 2:
                        break
                    command.append(word)
                if not command or command[0] not in ("account", "token"):
                    command = command[:1]
                if not command:
                    continue  # A line of its output.
                seen += 1
                with self.subTest(document=document.name, line=line):
                    help_text = must(run_reelsd(*command, "--help")).stdout
                    for flag in re.findall(r"--[a-z-]+", " ".join(words)):
                        self.assertIn(flag, help_text + must(run_reelsd("--help-all")).stdout)
        self.assertGreater(seen, 15)


if __name__ == "__main__":
    unittest.main(verbosity=2)
