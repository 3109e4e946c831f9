"""Checks the documents for operators, and the script that they start with. Goal: the log lines that they list equal
those of the sources, the files that they link to exist, and a trial never uses the package's data."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from log_lines import Line, argument_end, log_lines, messages_in

ROOT = Path(__file__).resolve().parent.parent.parent
DOCUMENT = ROOT / "docs/operate/log-lines.md"
ROW = re.compile(r"^\| (info|warning|error) \| `(.+)` \| (.*) \|$", re.MULTILINE)
SHOWN = re.compile(r"^ {4}(info|warning|error) (.+)$", re.MULTILINE)
FILE = re.compile(r"`((?:docker|docs|include|migrations|scripts|src|tests)/[\w./-]+)`")
SEARCHED = re.compile(r"""grep -q '([^']+)' "\$log\"""")
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def row_of(line: Line) -> str:
    fields = ", ".join(f"`{name}`" for name in sorted(line.fields)) or "-"
    return f"| {line.level} | `{line.message}` | {fields} |"


class LogLines(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.written = log_lines(ROOT)
        self.listed = {message: (level, set(re.findall(r"`([^`]+)`", fields)))
                       for level, message, fields in ROW.findall(DOCUMENT.read_text(encoding="utf-8"))}

    def test_each_is_listed_and_no_other(self):
        self.assertGreater(len(self.written), 80)
        missing = [row_of(line) for message, line in self.written.items() if message not in self.listed]
        self.assertEqual(missing, [], "rows that docs/operate/log-lines.md lacks")
        self.assertEqual(sorted(set(self.listed) - set(self.written)), [])

    def test_levels_and_fields_are_as_listed(self):
        for message, line in self.written.items():
            level, fields = self.listed.get(message, (line.level, line.fields))
            with self.subTest(message):
                self.assertEqual(level, line.level)
                self.assertLessEqual(line.fields, fields)
                # Some are built before the call.
                for name in fields - line.fields:
                    self.assertTrue(any(f'{{"{name}"' in text for text in line.sources), name)

    def test_log_lines_in_documents_exist(self):
        shown = [(document.name, level, text) for document in (ROOT / "docs/operate").glob("*.md")
                 for level, text in SHOWN.findall(document.read_text(encoding="utf-8"))]
        self.assertGreater(len(shown), 10)
        for name, level, text in shown:
            with self.subTest(document=name, line=text):
                self.assertTrue(any(line.level == level and text.startswith(message)
                                    for message, line in self.written.items()))

    def test_log_lines_that_scripts_search_for_exist(self):
        texts = SEARCHED.findall((ROOT / "scripts/run").read_text(encoding="utf-8"))
        self.assertEqual(len(texts), 1)
        self.assertLessEqual(set(texts), set(self.written))


class Trial(unittest.TestCase):
    """Runs scripts/run's choice of a data directory below a temporary folder, as root in a clone that the user
    postgres may not enter."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.clone, self.packaged = self.root / "clone", self.root / "var/lib/reelsd"
        for path in (self.clone, self.packaged):
            path.mkdir(parents=True)

    def data_dir(self, **variables):
        script = (ROOT / "scripts/run").read_text(encoding="utf-8")
        function = re.search(r"^choose_data_dir\(\) \{$.*?^\}$", script, re.MULTILINE | re.DOTALL).group()
        function = re.sub(r"(?<![\w.])/(?=var/lib|etc/)", f"{self.root}/", function)
        done = subprocess.run(
            ["bash", "-euc", f'id() {{ echo 0; }}\nrunuser() {{ false; }}\n{function}\n'
             'choose_data_dir; echo "$REELSD_DATA_DIR"'],
            cwd=self.clone, env={"PATH": os.environ["PATH"], **variables}, check=True, capture_output=True, text=True)
        return Path(done.stdout.removesuffix("\n"))

    def test_uses_no_data_of_the_package(self):
        (self.root / "etc/reelsd").mkdir(parents=True)
        (self.packaged / "api-token").write_text("token\n")
        # An earlier version of the script created this link.
        (self.clone / "reelsd-data").symlink_to(self.packaged)
        self.assertEqual(self.data_dir(), self.root / "var/lib/reelsd-run")
        self.assertEqual((self.clone / "reelsd-data").readlink(), self.root / "var/lib/reelsd-run")

    def test_continues_with_the_data_of_an_earlier_version(self):
        self.assertEqual(self.data_dir(), self.root / "var/lib/reelsd-run")
        (self.packaged / "api-token").write_text("token\n")
        self.assertEqual(self.data_dir(), self.packaged)
        self.assertEqual((self.clone / "reelsd-data").readlink(), self.packaged)

    def test_variables_decide(self):
        self.assertEqual(self.data_dir(REELSD_DATA_DIR="/srv/reels"), Path("/srv/reels"))
        self.assertEqual(self.data_dir(REELSD_DATABASE_URL="host=db"), self.clone / "reelsd-data")


class Reading(unittest.TestCase):
    def test_an_argument_ends_at_its_comma_or_bracket(self):
        for text, end in (('"a, b", {1})', 6), ("f(1, 2))", 7), ('"\\"," "x")', 9)):
            self.assertEqual(argument_end(text, 0), end, text)

    def test_messages_of_literals_and_conditions(self):
        self.assertEqual(messages_in('"one " "two"'), ["one two"])
        self.assertEqual(messages_in('left ? "gone" : "there"'), ["gone", "there"])
        self.assertEqual(messages_in("variable"), [])


class Documents(unittest.TestCase):
    def test_links_resolve(self):
        documents = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
        for document in documents:
            for target in LINK.findall(document.read_text(encoding="utf-8")):
                with self.subTest(document=document.name, target=target):
                    self.assertTrue((document.parent / target).exists())

    def test_links_to_documents_have_words(self):
        """Readers of `/docs` do not know the names of files."""
        documents = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
        titled = [(document.name, words) for document in documents
                  for words in re.findall(r"\[([\w./-]+\.md)\]\(", document.read_text(encoding="utf-8"))]
        self.assertEqual(titled, [])

    def test_files_named_for_contributors_exist(self):
        for document in ("docs/architecture.md", "docs/contributing.md"):
            named = FILE.findall((ROOT / document).read_text(encoding="utf-8"))
            self.assertGreater(len(named), 2, document)
            self.assertEqual([name for name in named if not (ROOT / name).exists()], [], document)


if __name__ == "__main__":
    sys.exit(unittest.main())
