#!/usr/bin/env python3
"""Measures time, CPU and peak memory of the local analysis, compared with the video's duration.

    python3 tests/bench/local_analysis.py [--bin build/release/bin] [--rounds 5] [VIDEO ...]      default: the sample reel

"the jailed child": reelsd-media, run as the daemon runs it. "a job, whole": the sample reel, from its submission to
the answer of a long poll, with a daemon on a separate database; CPU of the daemon, its children and PostgreSQL.
Limit: ffmpeg that only decodes pictures and sound. Rounds are interleaved; with this few, the p99 is the slowest. "x real time"
is the video's duration divided by the median. The peak is the memory of all processes of a contender together, with
shared pages by their share, sampled ten times a second in a round of its own, because that takes a fifth of a core. No
other load should run.
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import threading
import time

from bench_support import ROOT, Processes, interleaved, need, print_table
from bench_world import World
from service_support import SAMPLE

LOOK_SECONDS = 0.1
JOB_SECONDS_MAX = 120


class Peak(threading.Thread):
    """The maximum memory in MiB of our descendants together: of new ones, and of `included` ones with theirs."""

    def __init__(self, *included):
        super().__init__(daemon=True)
        self.processes, self.mebibytes, self.ended = Processes(os.getpid()), 0.0, threading.Event()
        others = set(self.processes.pids()) - {pid for root in included for pid in Processes(root).pids()}
        self.processes.pids = lambda: [pid for pid in Processes(os.getpid()).pids() if pid not in others]

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.join()

    def run(self):
        while not self.ended.wait(LOOK_SECONDS):
            self.mebibytes = max(self.mebibytes, self.processes.memory())


def children_cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@contextlib.contextmanager
def measured():
    """Fills {wall, cpu: {"children": s}} with the figures of the processes that start and end inside."""
    seen = {}
    before, begun = children_cpu(), time.monotonic()
    yield seen
    seen.update(wall=time.monotonic() - begun, cpu={"children": children_cpu() - before})


def run(*command, env=None):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, env=env, check=False)
    if done.returncode != 0:
        sys.exit(f"{command[0]} ended with {done.returncode}: {done.stderr.decode()[-500:]}")
    return done.stdout


def analyze(helper, video):
    with measured() as seen:
        document = json.loads(run(helper, "analyze", "--video", video))
    if "error" in document:
        sys.exit(f"{video}: {document['error']}")
    return seen


def decode(video):
    with measured() as seen:
        run("ffmpeg", "-nostdin", "-loglevel", "error", "-i", video, "-f", "null", "-")
    return seen


def own_and_children_cpu(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    ticks = os.sysconf("SC_CLK_TCK")
    return (int(fields[11]) + int(fields[12])) / ticks, (int(fields[13]) + int(fields[14])) / ticks


def whole_job(world, daemon):
    database = world.cluster.processes()
    pid = daemon.process.pid
    own, children, stored = *own_and_children_cpu(pid), database.cpu_seconds()
    begun = time.monotonic()
    job = daemon.request("POST", "/api/v1/reels/analyze", {"url": SAMPLE, "fresh": True},
                         token=world.token).json()["id"]
    while True:
        view = daemon.request("GET", f"/api/v1/reels/{job}?wait=60", token=world.token).json()
        if view["status"] in ("done", "error") or time.monotonic() - begun > JOB_SECONDS_MAX:
            break
    wall = time.monotonic() - begun
    if view["status"] != "done":
        sys.exit(f"the sample reel is {view}")
    now, now_children = own_and_children_cpu(pid)
    return {"wall": wall, "cpu": {
        "reelsd": now - own, "children": now_children - children, "database": database.cpu_seconds() - stored}}


def duration_of(video):
    output = run("ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", video)
    return float(re.search(rb"[\d.]+", output)[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=ROOT / "build/release/bin")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("videos", nargs="*")
    options = parser.parse_args()
    need("ffmpeg", "ffprobe")
    programs = pathlib.Path(options.bin).resolve()
    sample = str(programs.parent / "share" / "reelsd" / "sample.mp4")
    videos = options.videos or [sample]
    world = World(0, options.bin) if sample in videos else None
    try:
        # The installed helper and speech model instead of the tests'.
        daemon = world.daemon(workers=1, media_helper=None) if world else None
        ways = {"the jailed child": lambda video: analyze(str(programs / "reelsd-media"), video),
                "a job, whole": lambda video: whole_job(world, daemon),
                "ffmpeg, decoding": decode}
        contenders = [(video, way) for video in videos for way in ways if video == sample or way != "a job, whole"]

        def measure(contender):
            video, way = contender
            return ways[way](video)

        def peak_of(contender):
            with Peak(*([daemon.process.pid] if contender[1] == "a job, whole" else [])) as peak:
                measure(contender)
            return peak.mebibytes

        peaks = interleaved(1, contenders, peak_of)
        rounds_of = interleaved(options.rounds, contenders, measure)
        rows = []
        for (video, way), rounds in rounds_of.items():
            took = sorted(one["wall"] for one in rounds)
            duration = duration_of(video)
            cpu = {name: statistics.median(one["cpu"].get(name, float("nan")) for one in rounds)
                   for name in ("reelsd", "children", "database")}
            rows.append([
                f"{pathlib.Path(video).name}, {duration:.1f} s: {way}", statistics.median(took), took[-1],
                duration / statistics.median(took), *cpu.values(), *peaks[video, way]])
        print_table(f"local analysis, {options.rounds} rounds",
                    ["", "median s", "p99 s", "x real time", "reelsd CPU s", "children CPU s", "database CPU s", "peak MiB"],
                    rows)
    finally:
        if world:
            world.close()


if __name__ == "__main__":
    main()
