"""The README, the guide and the operators' documents are followed to the letter. Goal: they name the settings that the
program has, with its defaults, and its commands.
"""

import pathlib
import re
import unittest

from service_support import must, run_reelsd

ROOT = pathlib.Path(__file__).resolve().parents[2]
SETTING = re.compile(r"^  --([a-z-]+)\s+(.*)$")
ROW = re.compile(r"^\| `([a-z-]+)` \| (?:`(.*?)`|-) \| (.+) \|$", re.MULTILINE)
VARIABLE = re.compile(r"`(REELSD_[A-Z_]+)`")
COMMAND = re.compile(r"^ {4}(?:[$#] )?(?:runuser -u reelsd -- )?(?:\w+=\S+ )*(reelsd .*)$", re.MULTILINE)
DOCUMENTS = [ROOT / "README.md", ROOT / "docs/operations.md", *sorted((ROOT / "docs/guide").glob("*.md")),
             *sorted((ROOT / "docs/operate").glob("*.md"))]
OF_THE_COMMAND_LINE = {"config", "help", "version"}
OF_COMPOSE = {"REELSD_PUBLISH"}  # Read by docker/compose.yaml alone.


def split_default(text):
    """A help text without the brackets at its end, and what stands in them; keys have none."""
    if not text.endswith(")"):
        return text, None
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        depth += (text[at] == ")") - (text[at] == "(")
        if depth == 0:
            return text[:at].rstrip(), text[at + 1:-1]
    raise AssertionError(text)


def settings():
    """Of the program: name, meaning, default."""
    help_text = must(run_reelsd("--help")).stdout
    part = help_text[help_text.index("\nSettings:"):help_text.index("\nSubcommands:")]
    part = re.sub(r"\n {30}", "  ", part)  # A long name has its text on a line of its own.
    for line in part.splitlines():
        found = SETTING.match(line)
        if found and found[1] not in OF_THE_COMMAND_LINE:
            meaning, default = split_default(found[2].strip())
            if found[1].endswith("-api-key"):
                meaning, default = found[2].strip(), None
            yield found[1], meaning, default


def row_of(name, meaning, default):
    return f"| `{name}` | {f'`{default}`' if default else '-'} | {meaning} |"


class Settings(unittest.TestCase):
    maxDiff = None

    def test_operations_has_each_with_its_default(self):
        document = (ROOT / "docs/operations.md").read_text()
        part = document[document.index("\n## Settings"):document.index("\n## TLS and proxies")]
        listed = {name: (default or None, meaning) for name, default, meaning in ROW.findall(part)}
        expected = {name: (meaning, default) for name, meaning, default in settings()}
        self.assertGreater(len(expected), 60)
        missing = [row_of(name, *about) for name, about in expected.items()
                   if name not in listed or listed[name][0] != about[1]]
        self.assertEqual(missing, [], "rows that docs/operations.md lacks, or has with another default")
        self.assertEqual(sorted(set(listed) - set(expected)), [], "settings that there are no more")

    def test_documents_name_no_other(self):
        known = {"REELSD_" + name.upper().replace("-", "_") for name, _, _ in settings()}
        known |= {"REELSD_CONFIG"} | OF_COMPOSE
        for document in DOCUMENTS:
            for name in VARIABLE.findall(document.read_text()):
                self.assertIn(name.removesuffix("_FILE") if name not in known else name, known, document.name)


class Commands(unittest.TestCase):
    def test_flags_and_subcommands_are_the_programs(self):
        """Each command line of the documents, up to its values, is one that the program takes."""
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
                    told = must(run_reelsd(*command, "--help")).stdout
                    for flag in re.findall(r"--[a-z-]+", " ".join(words)):
                        self.assertIn(flag, told + must(run_reelsd("--help")).stdout)
        self.assertGreater(seen, 15)


if __name__ == "__main__":
    unittest.main(verbosity=2)
