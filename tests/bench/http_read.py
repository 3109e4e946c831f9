#!/usr/bin/env python3
"""Measures reads of finished reels: the token's check and a result of 6 KB, of random reels among many.

    python3 tests/bench/http_read.py [--bin build/release/bin] [--peers build/bench_peers] [--rows 100000]
            [--rounds 3] [--seconds 5] [--connections 32 256] [--cache-bytes BYTES]

"reelsd" has its defaults: a cache of a sixteenth of the memory (or --cache-bytes), which holds 100,000 reels on a
machine of 10 GiB. "two reelsd" are two such daemons on one port, since one has a single thread for requests and Drogon
has two. "reelsd 64 MiB" has the smallest default cache, for a tenth of 100,000 reels; "reelsd none" has no cache.
Peers: Drogon and Fastify, each with one statement per request that checks the token and reads the row. Upper limits:
the same row read by `pgbench -M prepared -c 8`, and nginx with a file of the same size.
"""

import argparse
import os
import pathlib
import re
import subprocess

from bench_support import ROOT, Load, Processes, interleaved, median_of, print_table, wait_for_port, free_port, need
from service_support import new_folder
from bench_world import POSTGRES_BIN, RESULT_BYTES, Server, World, made_result

READ = """
local token = "{token}"
local tail = " HTTP/1.1\\r\\nHost: bench\\r\\nAuthorization: Bearer " .. token .. "\\r\\n\\r\\n"
math.randomseed(os.time())
request = function()
  return "GET /api/v1/reels/" .. math.random(1, {rows}) .. tail
end
"""


READ_ALL = """
local token = "{token}"
local tail = " HTTP/1.1\\r\\nHost: bench\\r\\nAuthorization: Bearer " .. token .. "\\r\\n\\r\\n"
local id = 0
request = function()
  id = id % {rows} + 1
  return "GET /api/v1/reels/" .. id .. tail
end
"""


def cache_setting(cache_bytes):
    return {} if cache_bytes is None else {"reel_cache_bytes_max": cache_bytes}


def warmed_daemon(world, rows, cache_bytes):
    """Our daemon after each reel was read once, or as many as the slowest machine reads in this time."""
    daemon = world.daemon(**cache_setting(cache_bytes))
    warm(world, rows, daemon.address)
    return daemon


def warm(world, rows, address):
    reads_a_second = 5000
    Load(READ_ALL.format(token=world.token, rows=rows)).put_on(f"http://{address}", 64, rows // reads_a_second + 2, {})


def two_warmed_daemons(world, rows, cache_bytes):
    """Two daemons on one port. Each connection stays at one of them, so each must read all reels: it is warmed up
    twice."""
    folder = new_folder()
    shared = {"listen": f"127.0.0.1:{free_port()}", "share_port": "true", **cache_setting(cache_bytes)}
    first, second = (world.daemon(folder=folder, **shared) for _ in range(2))
    for _ in range(2):
        warm(world, rows, first.address)
    first.processes = Processes(first.process.pid, second.process.pid)
    return first


def nginx(world):
    """A static file of a result's size."""
    folder = pathlib.Path(world.cluster.folder) / "nginx"
    folder.mkdir(mode=0o755)
    (folder / "file").write_text(made_result(1))
    port = free_port()
    (folder / "conf").write_text(
        f"pid {folder}/pid; error_log {folder}/log; daemon off; worker_processes 1; events {{ worker_connections 4096; }}"
        f" http {{ access_log off; keepalive_requests 1000000000; server {{ listen 127.0.0.1:{port};"
        f" location / {{ root {folder}; try_files /file =404; default_type application/json; }} }} }}")
    process = subprocess.Popen(["nginx", "-c", str(folder / "conf")], stderr=subprocess.DEVNULL)
    wait_for_port(port, process)
    server = Server(f"127.0.0.1:{port}", process)
    world.opened.append(server)
    return server


def pgbench(world, rows, seconds):
    """Rows per second."""
    script = pathlib.Path(world.cluster.folder) / "read.sql"
    script.write_text(
        f"\\set id random(1, {rows})\n"
        "SELECT id, url, status, created_at, started_at, finished_at, error_code, error, result"
        f" FROM job WHERE id = :id AND account_id = {world.account};\n")
    done = subprocess.run(
        [os.path.join(POSTGRES_BIN, "pgbench"), "-n", "-M", "prepared", "-c", "8", "-j", "1", "-T", str(seconds),
         "-f", str(script), "-h", world.cluster.folder, "-U", "reelsd", world.name],
        capture_output=True, text=True, check=True)
    return {"rate": float(re.search(r"tps = ([\d.]+)", done.stdout)[1]),
            "median": float(re.search(r"latency average = ([\d.]+)", done.stdout)[1]), "p99": float("nan"),
            "failed": 0, "cpu": {}, "memory": {}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=ROOT / "build/release/bin")
    parser.add_argument("--peers", default=ROOT / "build/bench_peers")
    parser.add_argument("--rows", default=100000, type=int)
    parser.add_argument("--rounds", default=3, type=int)
    parser.add_argument("--seconds", default=5, type=int)
    parser.add_argument("--connections", default=[32, 256], type=int, nargs="+")
    parser.add_argument("--cache-bytes", type=int)
    parser.add_argument("--only", nargs="*")
    options = parser.parse_args()
    need("nginx")
    world = World(options.rows, options.bin)
    try:
        makers = {
            "reelsd": lambda: warmed_daemon(world, options.rows, options.cache_bytes),
            "two reelsd": lambda: two_warmed_daemons(world, options.rows, options.cache_bytes),
            "reelsd 64 MiB": lambda: warmed_daemon(world, options.rows, 64 << 20),
            "reelsd none": lambda: warmed_daemon(world, options.rows, 0),
            "drogon": lambda: world.drogon(options.peers),
            "fastify": lambda: world.fastify(options.peers),
            "nginx": lambda: nginx(world)}
        servers = {name: make() for name, make in makers.items() if not options.only or name in options.only}
        servers = {name: server for name, server in servers.items() if server}
        load = Load(READ.format(token=world.token, rows=options.rows))
        database = Processes(world.cluster.process.pid)
        contenders = [(name, count) for count in options.connections for name in servers]
        if not options.only or "pgbench" in options.only:
            contenders.append(("pgbench", 8))

        def measure(contender):
            name, count = contender
            if name == "pgbench":
                return pgbench(world, options.rows, options.seconds)
            return load.put_on(f"http://{servers[name].address}", count, options.seconds,
                               {"server": servers[name].processes, "database": database})
        measured = interleaved(options.rounds, contenders, measure)
        rows = []
        for (name, count), rounds in measured.items():
            rows.append([
                name, count, median_of(rounds, lambda one: one["rate"]), median_of(rounds, lambda one: one["median"]),
                median_of(rounds, lambda one: one["p99"]),
                *(median_of(rounds, lambda one, of=of: one["cpu"].get(of, float("nan")))
                  for of in ("server", "database", "load")),
                median_of(rounds, lambda one: one["memory"].get("server", float("nan"))),
                sum(one["failed"] for one in rounds)])
        print_table(
            f"reading one of {options.rows:,} reels, {RESULT_BYTES} bytes; medians of {options.rounds} rounds",
            ["", "connections", "requests/s", "median ms", "p99 ms", "server us", "database us", "wrk us", "server MiB",
             "failed"], rows)
        rate = {key: median_of(rounds, lambda one: one["rate"]) for key, rounds in measured.items()}
        for (name, count), value in rate.items():
            if name in ("reelsd", "two reelsd"):
                others = {other: value / rate[other, n] for other, n in rate
                          if other != name and (n == count or other == "pgbench")}
                print(f"{name}, {count} connections: " + ", ".join(f"{ratio:.2f} x {other}" for other, ratio in others.items()))
    finally:
        world.close()


if __name__ == "__main__":
    main()
