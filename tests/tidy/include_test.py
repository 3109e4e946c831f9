"""include/ is the interface between layers: a header is there only if another layer reaches it, directly or
through another header. Every other header is next to its sources in src/."""

import re
import unittest
from pathlib import Path, PurePosixPath

from layers import layer_of

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^#include <(reelsd/[^>]+)>', re.MULTILINE)


def includes_of(path):
    return {PurePosixPath("include") / name for name in INCLUDE.findall((ROOT / path).read_text(encoding="utf-8"))}


def sources():
    files = (path for folder in ("include", "src") for path in (ROOT / folder).rglob("*.[ch]pp"))
    return {PurePosixPath(path.relative_to(ROOT)): None for path in files}


class Interface(unittest.TestCase):
    def test_each_public_header_is_included_by_another_layer(self):
        includes = {path: includes_of(path) for path in sources()}
        reached = set()
        waiting = [used for path, all_used in includes.items() for used in all_used
                   if layer_of(used) != layer_of(path)]
        while waiting:
            header = waiting.pop()
            if header not in reached:
                reached.add(header)
                waiting.extend(includes.get(header, ()))
        headers = {path for path in includes if path.parts[0] == "include"}
        self.assertGreater(len(headers), 100)
        self.assertEqual(sorted(map(str, headers - reached)), [], "headers that only their own layer uses")


if __name__ == "__main__":
    unittest.main(verbosity=2)
