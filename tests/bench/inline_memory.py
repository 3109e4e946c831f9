#!/usr/bin/env python3
"""Measures the daemon's memory while all its workers send large videos inline.

Usage: REELSD_BIN_DIR=build/bench/bin PYTHONPATH=tests/support:tests/service inline_memory.py
           [--workers 16] [--megabytes 30]

Each worker downloads a video of that size and sends it to the stand-in of the Gemini API, which reads slowly
enough for all of them to send at once. Prints the daemon's peak memory, before and after. Bound: 200 MiB.
"""

import argparse
import os
import re
import struct
import sys

import service_support
from gemini_stand_in import GeminiStandIn
from model_support import ANSWER
from service_support import Daemon, Platform

KEY = "AIzaMemoryKeyThatNobodyMaySee012345678901"


def padded(make_video, megabytes):
    """The same video with a box of random bytes after it: of the given size, and still of one second."""

    def make(path, with_sound=False):
        make_video(path, with_sound)
        with open(path, "ab") as video:
            filling = os.urandom(megabytes * 1024 * 1024 - os.path.getsize(path) - 8)
            video.write(struct.pack(">I4s", len(filling) + 8, b"free") + filling)

    return make


def peak_mebibytes(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return int(re.search(r"VmHWM:\s+(\d+) kB", status.read())[1]) / 1024


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    options.add_argument("--workers", type=int, default=16)
    options.add_argument("--megabytes", type=int, default=30)
    given = options.parse_args()
    service_support.make_short_video = padded(service_support.make_short_video, given.megabytes)
    platform = Platform(with_sound=True)
    with GeminiStandIn(key=KEY) as gemini:
        gemini.answer = ANSWER
        gemini.inline_bytes_max = 100_000_000
        daemon = Daemon(
            workers=given.workers, gemini_api_key=KEY, gemini_url=gemini.url,
            gemini_inline_bytes_max=70 * 1024 * 1024, **platform.settings()).start()
        try:
            account = daemon.account(unlimited=True)
            before = peak_mebibytes(daemon.process.pid)
            codes = [f"DYmemory{number:03}" for number in range(2 * given.workers)]
            platform.configure(posts={code: {} for code in codes})
            ids = [account.submit(f"https://www.instagram.com/reel/{code}/") for code in codes]
            ends = [account.finished(job, seconds=600)["status"] for job in ids]
            after = peak_mebibytes(daemon.process.pid)
            calls = gemini.count("generate")
        finally:
            daemon.stop()
            platform.close()
    print(f"jobs done: {ends.count('done')} of {len(ids)}, calls: {calls}")
    print(f"peak memory: {before:.0f} MiB idle, {after:.0f} MiB with {given.workers} workers sending")
    return 0 if after < 200 and set(ends) == {"done"} else 1


if __name__ == "__main__":
    sys.exit(main())
