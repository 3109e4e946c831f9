#!/usr/bin/env python3
"""How long an idle daemon takes from an accepted link to a worker that begins with it.

Usage: pickup_latency.py BIN_DIR [JOBS]      BIN_DIR holds reelsd; JOBS defaults to 200.

Starts a daemon of its own with a private database in a temporary folder, submits test links one at a
time (each after the one before has ended, so that the daemon is idle), and reads from the job's row how
much later than the insert the claim came. Prints the quantiles; judges nothing.
"""

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import urllib.request

LINK = "https://www.instagram.com/reel/reelsd-unavailable/"


def post(base, token):
    request = urllib.request.Request(
        base + "/api/v1/reels/analyze",
        data=json.dumps({"url": LINK}).encode(),
        headers={"Authorization": "Bearer " + token})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)["id"]


def wait(base, token, job):
    request = urllib.request.Request(
        f"{base}/api/v1/reels/{job}?wait=30", headers={"Authorization": "Bearer " + token})
    with urllib.request.urlopen(request, timeout=40) as answer:
        return json.load(answer)["status"]


def main():
    reelsd = os.path.join(sys.argv[1], "reelsd")
    jobs = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        environment = dict(os.environ, REELSD_DATA_DIR=folder + "/data", REELSD_LISTEN="127.0.0.1:0",
                           REELSD_SUBMISSIONS_PER_MINUTE="1000000",
                           REELSD_REQUESTS_PER_MINUTE="10000000")
        daemon = subprocess.Popen(
            [reelsd, "serve"], env=environment, stderr=subprocess.PIPE, text=True)
        try:
            for line in daemon.stderr:
                listening = re.search(r"listening address=(\S+)", line)
                if listening:
                    break
            # The log goes on; nobody else reads it, and a full pipe would stop the daemon.
            subprocess.Popen(["cat"], stdin=daemon.stderr, stdout=subprocess.DEVNULL)
            base = "http://" + listening.group(1)
            run = lambda *words: subprocess.run(
                [reelsd, *words], env=environment, check=True, capture_output=True,
                text=True).stdout.strip()
            run("account", "create", "--email", "bench@example.com")
            token = run("token", "create", "--account", "bench@example.com", "--name", "bench")
            for _ in range(jobs):
                wait(base, token, post(base, token))
            with open(folder + "/data/postgres/postmaster.pid") as pid_file:
                socket_folder = pid_file.read().split("\n")[4]
            rows = subprocess.run(
                ["psql", "-XAt", "-h", socket_folder, "-U", "reelsd", "-d", "reelsd", "-c",
                 "SELECT extract(epoch FROM started_at - created_at) * 1000 FROM job"],
                capture_output=True, text=True)
            if rows.returncode != 0:
                sys.exit(rows.stderr)
            milliseconds = sorted(float(row) for row in rows.stdout.split())
        finally:
            daemon.terminate()
            daemon.wait(15)
    cut = lambda q: milliseconds[min(len(milliseconds) - 1, int(q * len(milliseconds)))]
    print(f"jobs {len(milliseconds)}   pick-up ms: median {statistics.median(milliseconds):.2f}   "
          f"p90 {cut(0.9):.2f}   p99 {cut(0.99):.2f}   max {milliseconds[-1]:.2f}")


if __name__ == "__main__":
    main()
