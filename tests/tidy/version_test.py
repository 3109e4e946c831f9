"""There is one version number. Goal: the program, the API's description, the package and the changelog have the
same."""

import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PLACES = {
    "docs/openapi.yaml": r"^  version: (\S+)$",
    "scripts/packaging/debian/changelog": r"\Areelsd \(([^)]+)\)",
    "CHANGELOG.md": r"^## (\d\S*)",
}


class Version(unittest.TestCase):
    def test_each_version_equals_the_projects(self):
        version = re.search(r"^project\(reelsd VERSION (\S+)", self.text("CMakeLists.txt"), re.MULTILINE)[1]
        for place, pattern in PLACES.items():
            with self.subTest(place):
                self.assertEqual(re.search(pattern, self.text(place), re.MULTILINE)[1], version)

    @staticmethod
    def text(path):
        return (ROOT / path).read_text(encoding="utf-8")


if __name__ == "__main__":
    sys.exit(unittest.main())
