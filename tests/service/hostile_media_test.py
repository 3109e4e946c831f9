"""Tests videos that are made to break decoders: each fails its own job and affects nothing else.

tests/unit/media/hostile_*_test.cpp tests single files with the media helper. Here they pass the whole way from the
platform to a client's answer.
"""

import glob
import os
import random
import struct
import subprocess
import unittest

from service_support import Daemon, Platform, ServiceTest, make_short_video, wait_until


def box(kind, content):
    return struct.pack(">I4s", len(content) + 8, kind) + content


def patched(video, name, offset, value):
    """`video` with the 32-bit number `offset` bytes after a box's name overwritten."""
    at = video.index(name) + len(name) + offset
    return video[:at] + struct.pack(">I", value) + video[at + 4:]


def with_edits(video, count):
    """`video` with its first second repeated `count` times by an edit list."""
    start = video.index(b"moov") - 4
    head, index = video[:start], video[start:]
    edits = struct.pack(">II", 0, count) + struct.pack(">III", 1000, 0, 0x10000) * count
    edits = box(b"edts", box(b"elst", edits))
    old = index.index(b"edts") - 4
    index = index[:old] + edits + index[old + struct.unpack_from(">I", index, old)[0]:]
    growth = len(index) - (len(video) - start)
    for name in (b"moov", b"trak"):
        at = index.index(name) - 4
        size = struct.unpack_from(">I", index, at)[0] + growth
        index = index[:at] + struct.pack(">I", size) + index[at + 4:]
    return head + index


def with_largest_pictures(video):
    """A VP9 video that declares pictures of 65,536 pixels in width and height."""
    video = bytearray(video)
    at = video.find(b"\x49\x83\x42")  # Start of a key frame; the sizes begin half a byte later.
    while at >= 0:
        video[at + 3] |= 0x0F
        video[at + 4:at + 7] = b"\xff" * 3
        video[at + 7] |= 0xF0
        at = video.find(b"\x49\x83\x42", at + 1)
    return bytes(video)


def nested_boxes(depth):
    return b"".join(struct.pack(">I4s", 8 * left, b"moov") for left in range(depth, 0, -1))


def made_by_ffmpeg(path, *arguments):
    subprocess.run(["ffmpeg", "-nostdin", "-loglevel", "error", "-y", *arguments, path], check=True,
                   timeout=60)
    with open(path, "rb") as file:
        return file.read()


class HostileMedia(ServiceTest):
    @classmethod
    def setUpClass(cls):
        cls.platform = Platform(with_sound=True)
        cls.addClassCleanup(cls.platform.close)
        cls.served = Daemon(
            workers=2, retry_base_seconds=0.05, requests_per_minute=100000,
            **cls.platform.settings())
        cls.addClassCleanup(cls.served.close)
        cls.served.start()
        cls.someone = cls.served.account(unlimited=True)

    def hostile_files(self):
        """{name: (bytes, error code)}"""
        folder = self.platform.folder
        made = os.path.join(folder, "whole.mp4")
        make_short_video(made)
        with open(made, "rb") as file:
            whole = file.read()
        vp9 = made_by_ffmpeg(
            os.path.join(folder, "vp9.mp4"), "-f", "lavfi", "-i", "color=c=red:s=128x128:r=10:d=1",
            "-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8")
        unlimited = whole.replace(b"edts", b"free")  # Edits limit the track to a second.
        file_type = whole[:struct.unpack_from(">I", whole)[0]]
        return {
            "a thousand hours": (patched(unlimited, b"stts", 12, 0x7FFFFFFF), "video_too_long"),
            "ticks of a second": (patched(unlimited, b"mdhd", 12, 1), "video_too_long"),
            "one second repeated forever": (with_edits(whole, 50_000), "video_too_long"),
            "pictures of 16 GB": (with_largest_pictures(vp9), "unsupported_format"),
            "four billion runs of chunks": (patched(whole, b"stsc", 4, 0xFFFFFFFF), "unsupported_format"),
            "four billion samples": (
                patched(patched(whole, b"stsz", 4, 1), b"stsz", 8, 0xFFFFFFFF),
                "unsupported_format"),
            "boxes in boxes": (file_type + nested_boxes(50_000), "unsupported_format"),
            "boxes of no size": (file_type + b"\0\0\0\0moov" * 10_000, "unsupported_format"),
            "without its index": (whole[:whole.index(b"moov")], "unsupported_format"),
            "nothing but a name": (file_type, "unsupported_format"),
            "noise behind a name": (file_type + random.Random(7).randbytes(100_000), "unsupported_format"),
        }

    def post_all(self, files):
        """Submits a post for each file at once; {name: its finished job}."""
        posts = {}
        for number, (name, content) in enumerate(files.items()):
            path = os.path.join(self.platform.folder, f"hostile-{number}.mp4")
            with open(path, "wb") as file:
                file.write(content)
            posts[name] = (f"DYhostile{number:02}", path)
        self.platform.configure(posts={code: {"file": path} for code, path in posts.values()})
        ids = {name: self.someone.submit(f"https://www.instagram.com/reel/{code}/")
               for name, (code, _) in posts.items()}
        return {name: self.someone.finished(job_id) for name, job_id in ids.items()}

    def test_each_hostile_file_fails_one_job(self):
        files = self.hostile_files()

        jobs = self.post_all({name: content for name, (content, _) in files.items()})

        for name, (_, error_code) in files.items():
            with self.subTest(name):
                job = jobs[name]
                self.assertEqual((job["status"], job.get("error_code")), ("error", error_code), job)
                self.assertIsNone(job.get("result"))
        self.assert_well()

    def assert_well(self):
        """The same daemon continues: it answers, has no leftover files, and analyses a good video."""
        self.assertIsNone(self.served.process.poll())
        self.assertEqual(self.served.request("GET", "/readyz").status, 200)
        scratch = os.path.join(self.served.settings["data_dir"], "scratch", "*", "*")
        wait_until(lambda: not glob.glob(scratch), "an empty scratch folder", 20)
        self.platform.configure(posts={"DYafterwards": {}})
        job = self.someone.finished(
            self.someone.submit("https://www.instagram.com/reel/DYafterwards/"))
        self.assertEqual(job["status"], "done", job)
        crashes = [line for line in self.served.log_lines() if " was killed by " in line.get("reason", "")]
        self.assertEqual(crashes, [])


if __name__ == "__main__":
    unittest.main()
