#!/usr/bin/env python3
"""Measures time, CPU and memory of parsing a page of the platform.

    python3 tests/bench/page_parsing.py [--bench-bin FOLDER] [--peers build/bench_peers] [--page-rounds 200] [--rounds 3]

Each page is parsed --page-rounds times by a separate process, in interleaved rounds: by reelsd's parser; in Node.js by
a regular expression and JSON.parse ("JSON.parse"), which trusts the page, unlike ours; and by parse5 and JSON.parse
("parse5"). Memory is the peak of the process. Then our parser reads answers that are built to be slow, at doubling
sizes. The program page_parsing is built unless it is in --bench-bin.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from bench_support import HERE, ROOT, built, interleaved, need, print_table

CODE = "DYexample01"  # Of the golden page.


def measure(command, environment):
    """{took: [ms], cpu: ms per page, peak: MiB} of a process that reads one page."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=environment) as process:
        output = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{command[0]} ended with {process.returncode}")
    report = json.loads(output)
    return {"took": report["took"], "cpu": report["cpu"] * 1000 / len(report["took"]), "peak": used.ru_maxrss / 1024}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench-bin", help="where page_parsing is; without it, it is built")
    parser.add_argument("--peers", default=ROOT / "build/bench_peers")
    parser.add_argument("--page-rounds", default=200, type=int)
    parser.add_argument("--rounds", default=3, type=int)
    options = parser.parse_args()
    need("node")
    ours = built("page_parsing", options.bench_bin)
    packages = os.path.abspath(os.path.join(options.peers, "node_modules"))
    environment = {**os.environ, "NODE_PATH": packages, "NODE_ENV": "production"}
    ways = {"reelsd": [ours, "read"], "JSON.parse": ["node", str(HERE / "peers/page_peer.mjs"), "json"]}
    if os.path.exists(os.path.join(packages, "parse5")):
        ways["parse5"] = ["node", str(HERE / "peers/page_peer.mjs"), "parse5"]
    else:
        print(f"no {packages}/parse5: peers/README.md says how it is fetched; left out", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([ours, "write", folder], check=True)
        names = pathlib.Path(folder, "names").read_text().splitlines()

        def one_round(contender):
            number, way = contender
            page = os.path.join(folder, str(number))
            tail = [page, str(options.page_rounds)] if way == "reelsd" else [page, CODE, str(options.page_rounds)]
            return measure(ways[way] + tail, environment)
        measured = interleaved(options.rounds, [(number, way) for number in range(len(names)) for way in ways], one_round)
        rows = []
        for (number, way), rounds in measured.items():
            took = sorted(one for each in rounds for one in each["took"])
            kib = os.path.getsize(os.path.join(folder, str(number))) / 1024
            rows.append([names[number] if way == "reelsd" else "", way, kib, took[len(took) // 2], took[int(len(took) * 0.99)],
                         statistics.median(one["cpu"] for one in rounds), statistics.median(one["peak"] for one in rounds)])
    print_table(f"reading a page, {options.rounds} rounds of {options.page_rounds}",
                ["", "by", "KiB", "median ms", "p99 ms", "CPU ms", "peak MiB"], rows)
    print("\nms of answers that are made to be slow, at 64 KB, 128 KB, ... 2 MB:", flush=True)
    subprocess.run([ours, "slow"], check=True)


if __name__ == "__main__":
    main()
