"""Small separate disks that a test fills and empties; mounting them needs root."""

import contextlib
import os
import shutil
import subprocess
import tempfile
import unittest


class SmallDisk:
    """A disk of some MiB for the time of a test; `cleanup` is the test's or class's function to register a
    cleanup. `options`: mount options for a tmpfs."""

    def __init__(self, mebibytes, cleanup, options="mode=755"):
        if os.getuid() != 0:
            raise unittest.SkipTest("only root can mount a small disk")
        # The user postgres needs access, too.
        self.folder = tempfile.mkdtemp(prefix="reelsd-disk-")
        cleanup(shutil.rmtree, self.folder, ignore_errors=True)
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={mebibytes}m,{options}", "none", self.folder],
            capture_output=True)
        if mounted.returncode != 0:
            raise unittest.SkipTest(f"no small disk: {mounted.stderr}")
        cleanup(subprocess.run, ["umount", "-l", self.folder], check=True)
        self.filler = os.path.join(self.folder, "filler")

    def fill(self):
        with open(self.filler, "ab", buffering=0) as file:
            for piece in (1 << 20, 1 << 12):
                try:
                    while file.write(bytes(piece)) == piece:
                        pass
                except OSError:
                    pass

    def leave(self, size):
        """Fills all but `size` bytes."""
        with contextlib.suppress(FileNotFoundError):
            self.empty()
        state = os.statvfs(self.folder)
        with open(self.filler, "wb") as file:
            os.posix_fallocate(file.fileno(), 0, state.f_bavail * state.f_frsize - size)

    def empty(self):
        os.unlink(self.filler)
