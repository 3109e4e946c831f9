"""A private copy of PostgreSQL's programs that a test upgrades under a running server, as a package does.

The copy finds its libraries in its own folder and everything else where the package has it. The upgrade replaces
files by renaming, as dpkg does: `postgres`, which then has another version, and `plpgsql.so`, which then needs a
function that only the new `postgres` exports.
"""

import glob
import os
import shutil
import subprocess

# Equal lengths, and equal hashes in the table of exported symbols: 33 * 'x' + 't' is 33 * 'y' + 'S'.
OLD_SYMBOL = b"\0SPI_connect_ext\0"
NEW_SYMBOL = b"\0SPI_connect_eyS\0"


class PostgresCopy:
    def __init__(self, original, folder):
        """`original`: the folder with `bin` and `lib`; `folder`: an empty one that all users can enter."""
        self.bin = os.path.join(folder, "bin")
        self.lib = os.path.join(folder, "lib")
        os.mkdir(self.bin)
        os.mkdir(self.lib)
        for name in ("postgres", "initdb"):
            shutil.copy(os.path.join(original, "bin", name), self.bin)
        for library in glob.glob(os.path.join(original, "lib", "*.so")):
            shutil.copy(library, self.lib)
        self.old_version = self.version()
        self.new_version = self.old_version[:-1] + ("8" if self.old_version[-1] != "8" else "9")

    def version(self):
        """The version of the program on disk, such as "15.18"."""
        version = subprocess.run([os.path.join(self.bin, "postgres"), "--version"],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
        return version.stdout.split()[2]

    def upgrade(self):
        self.upgrade_program()
        self.upgrade_library()

    def upgrade_program(self):
        self._replace(os.path.join(self.bin, "postgres"),
                      (OLD_SYMBOL, NEW_SYMBOL), (self.old_version.encode(), self.new_version.encode()))

    def upgrade_library(self):
        self._replace(os.path.join(self.lib, "plpgsql.so"), (OLD_SYMBOL, NEW_SYMBOL))

    def _replace(self, path, *changes):
        with open(path, "rb") as file:
            text = file.read()
        for old, new in changes:
            assert old in text, f"{path} has no {old}"
            text = text.replace(old, new)
        fresh = path + ".dpkg-new"
        with open(fresh, "wb") as file:
            file.write(text)
        shutil.copymode(path, fresh)
        os.rename(fresh, path)
