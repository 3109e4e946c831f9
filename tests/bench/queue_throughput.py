#!/usr/bin/env python3
"""Measures the queue: throughput with jobs without work, and the pick-up time of a job in an idle queue.

    python3 tests/bench/queue_throughput.py [--bin build/release/bin] [--peers build/bench_peers] [--jobs 20000]
            [--workers 16 64] [--rounds 3] [--idle-jobs 200]

16 workers are the daemon's default. Our jobs are those of a test link that fails at once: claimed, refused by the
first step, reported with text and time. Peers: graphile-worker with an empty task, and pg-boss whose jobs are fetched
and completed ten at a time. Idle: from the submission to the start of the work, one job after the other.
"""

import argparse
import json
import resource
import statistics
import subprocess
import time

from bench_support import HERE, ROOT, Processes, interleaved, median_of, print_table
from bench_world import World
from service_support import UNAVAILABLE


def ours(world, jobs, workers):
    """Seconds from the daemon's readiness until all have ended."""
    world.sql("TRUNCATE job CASCADE")
    world.sql(f"INSERT INTO job (account_id, url) SELECT {world.account}, '{UNAVAILABLE}'"
              f" FROM generate_series(1, {jobs})")
    world.sql("VACUUM ANALYZE job")
    database = Processes(world.cluster.process.pid)
    before = database.cpu_seconds()
    server = world.daemon(workers=workers)
    while world.sql("SELECT count(*) FROM job WHERE status IN ('pending', 'processing')") != "0":
        time.sleep(0.5)  # Each check is a process and a session, whose time would distort the measurement.
    # From the first start to the last end: the start of the daemon is not measured.
    seconds = float(world.sql("SELECT extract(epoch FROM max(finished_at) - min(started_at)) FROM job"))
    cpu, memory = server.processes.cpu_seconds(), server.processes.memory()
    world.end(server)
    return {"rate": jobs / seconds, "server": cpu / jobs * 1e6, "memory": memory,
            "database": (database.cpu_seconds() - before) / jobs * 1e6}


def children_cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def peer(world, command, jobs, workers, packages):
    # From empty tables, as for ours: the cost of ended jobs of earlier rounds is not measured.
    world.sql("DROP SCHEMA IF EXISTS graphile_worker, pgboss CASCADE")
    database = Processes(world.cluster.process.pid)
    before, own_before = database.cpu_seconds(), children_cpu_seconds()
    done = subprocess.run(
        [*command, "throughput", str(jobs), str(workers)], env=world.peer_environment(packages), capture_output=True,
        text=True, check=True)
    report = json.loads(done.stdout)
    return {"rate": jobs / report["seconds"], "server": (children_cpu_seconds() - own_before) / jobs * 1e6,
            "memory": report["mebibytes"],
            "database": (database.cpu_seconds() - before) / jobs * 1e6}


def our_waits(world, jobs):
    """Milliseconds from each insert to its claim."""
    world.sql("TRUNCATE job CASCADE")
    server = world.daemon(workers=4)
    for _ in range(jobs):
        job = server.request("POST", "/api/v1/reels/analyze", {"url": UNAVAILABLE}, token=world.token).json()["id"]
        server.request("GET", f"/api/v1/reels/{job}?wait=10", token=world.token)
    waits = world.sql("SELECT extract(epoch FROM started_at - created_at) * 1000 FROM job").split()
    world.end(server)
    return [float(one) for one in waits]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=ROOT / "build/release/bin")
    parser.add_argument("--peers", default=ROOT / "build/bench_peers")
    parser.add_argument("--jobs", default=20000, type=int)
    parser.add_argument("--workers", default=[16, 64], type=int, nargs="+")
    parser.add_argument("--rounds", default=3, type=int)
    parser.add_argument("--idle-jobs", default=200, type=int)
    options = parser.parse_args()
    commands = {
        "graphile-worker": ["node", str(HERE / "peers" / "graphile_peer.cjs")],
        "pg-boss": ["node", str(HERE / "peers" / "pg_boss_peer.mjs")]}
    world = World(0, options.bin)
    try:
        def measure(contender):
            name, workers = contender
            if name == "reelsd":
                return ours(world, options.jobs, workers)
            return peer(world, commands[name], options.jobs, workers, options.peers)
        contenders = [(name, workers) for workers in options.workers for name in ("reelsd", *commands)]
        measured = interleaved(options.rounds, contenders, measure)
        rates = {contender: median_of(rounds, lambda one: one["rate"]) for contender, rounds in measured.items()}
        print_table(
            f"{options.jobs:,} jobs that do nothing; medians of {options.rounds} rounds",
            ["", "workers", "jobs/s", "server us", "database us", "server MiB", "ours"],
            [[name, workers, rate,
              *(median_of(measured[name, workers], lambda one, of=of: one[of]) for of in ("server", "database", "memory")),
              f"{rates['reelsd', workers] / rate:.2f} x"] for (name, workers), rate in rates.items()])
        waits = {"reelsd": our_waits(world, options.idle_jobs)}
        for name, command in commands.items():
            done = subprocess.run(
                [*command, "latency", str(min(options.idle_jobs, 30))], env=world.peer_environment(options.peers),
                capture_output=True, text=True, check=True)
            waits[name] = json.loads(done.stdout)["waits"]
        print_table(
            "from a submission to its begin, idle, ms", ["", "jobs", "median", "p99"],
            [[name, len(all_waits), statistics.median(all_waits), sorted(all_waits)[int(len(all_waits) * 0.99) - 1]]
             for name, all_waits in waits.items()])
    finally:
        world.close()


if __name__ == "__main__":
    main()
