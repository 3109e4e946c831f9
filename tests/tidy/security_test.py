"""docs/security.md names the tests of its statements. Goal: each of them exists."""

import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
NAMED = re.compile(r"`(tests/[\w./-]+)(?:::(\w+))?`")


class SecurityDocument(unittest.TestCase):
    def test_named_items_exist(self):
        named = NAMED.findall((ROOT / "docs/security.md").read_text(encoding="utf-8"))
        self.assertGreater(len(named), 30)
        missing = [f"{path}::{name}" for path, name in named if not self.is_there(path, name)]
        self.assertEqual(missing, [])

    @staticmethod
    def is_there(path, name):
        where = ROOT / path
        if not name:
            return where.exists()
        return where.is_file() and re.search(rf"\b{name}\b", where.read_text(encoding="utf-8"))


if __name__ == "__main__":
    sys.exit(unittest.main())
