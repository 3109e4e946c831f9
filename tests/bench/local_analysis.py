#!/usr/bin/env python3
"""How long the local analysis of a video takes, against the video's own duration, and how much memory.

Usage: local_analysis.py [--bin build/bench/bin] [--rounds 3] [VIDEO ...]      default: the sample reel

Runs the jailed helper as the daemon does, one video at a time, and prints for each the median of the rounds:
wall time, CPU time of all its threads, wall time as a share of the duration (below 1 is faster than real
time), and its peak memory. Nothing else should run.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import time


def analyze(helper, video):
    """Seconds of wall and CPU, peak MiB, and the duration that was measured."""
    begin = time.monotonic()
    child = subprocess.Popen([helper, "analyze", "--video", video], stdout=subprocess.PIPE,
                             stdin=subprocess.DEVNULL)
    document = json.loads(child.stdout.read())
    _, status, used = os.wait4(child.pid, 0)
    wall = time.monotonic() - begin
    if status != 0 or "error" in document:
        raise SystemExit(f"{video}: {document.get('error', status)}")
    duration = document["ok"]["probe"]["duration_seconds"]
    return wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, duration


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    options.add_argument("--bin", default="build/bench/bin")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("videos", nargs="*")
    given = options.parse_args()
    programs = pathlib.Path(given.bin).resolve()
    videos = given.videos or [str(programs.parent / "share" / "reelsd" / "sample.mp4")]
    print(f"{'video':30} {'duration s':>10} {'wall s':>8} {'CPU s':>8} {'wall/duration':>14} {'peak MiB':>9}")
    for video in videos:
        rounds = [analyze(programs / "reelsd-media", video) for _ in range(given.rounds)]
        wall, cpu, peak, duration = (statistics.median(column) for column in zip(*rounds))
        print(f"{pathlib.Path(video).name:30} {duration:10.2f} {wall:8.2f} {cpu:8.2f} {wall / duration:14.2f} {peak:9.0f}")


if __name__ == "__main__":
    main()
