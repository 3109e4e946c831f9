#!/usr/bin/env python3
"""Measures how cost grows with ten times the rows, ten times the connections, and a second daemon.

    python3 tests/bench/growth.py [--bin build/release/bin] [--bench-bin FOLDER] [--rows 10000] [--searched 1000] [--connections 32]
            [--jobs 1000] [--idle 800] [--waiting 200] [--times 10] [--rounds 3] [--seconds 3]
            [--only read submit queue memory search]

Each table's first row is the base, at the given sizes; "x" is a row's value divided by the base's. The others have
--times as many rows or connections; "two daemons" share port, data directory and database. Contenders with more rows
have a separate database; contenders take turns. Reads use no reel cache, so that each one reads the database.
Submissions come from 64 accounts; the queue's jobs are those of the test link that ends at once. Load, daemons and
databases share the machine's cores: with few cores, a second daemon has little effect.
"""

import argparse
import time

from bench_support import ROOT, Load, interleaved, median_of, print_table
from bench_world import World
from connection_memory import measure as measure_memory
from http_read import READ
from http_submit import SUBMIT
from search import SEARCH, fill, quoted
from service_support import UNAVAILABLE, Daemon, wait_until

ACCOUNTS = 64
WORKERS = 8
SEARCH_CONNECTIONS = 4
SEARCHES = 1000
LOAD_HEAD = ["", "a second", "x", "median ms", "x", "p99 ms", "server us", "x", "database us", "x", "server MiB", "failed"]


class Pair:
    """Two daemons on one port and one database, as one server."""

    def __init__(self, world, **settings):
        self.world = world
        self.first = world.daemon(share_port="true", **settings)
        self.second = Daemon(folder=self.first.folder, **{**self.first.settings, "listen": self.first.address})
        world.opened.append(self.second)
        self.second.spawn()
        wait_until(self.second._listening, "the second daemon")
        self.second.address = self.address = self.first.address
        wait_until(lambda: self.second.request("GET", "/readyz").status == 200, "readiness")
        self.processes = self.first.processes
        self.processes.roots += (self.second.process.pid,)


def load_rows(measured):
    """Rows for LOAD_HEAD, of {contender: rounds of Load.put_on()}."""
    def values(rounds):
        return [median_of(rounds, lambda one: one["rate"]), median_of(rounds, lambda one: one["median"]),
                median_of(rounds, lambda one: one["p99"]), median_of(rounds, lambda one: one["cpu"]["server"]),
                median_of(rounds, lambda one: one["cpu"]["database"]),
                median_of(rounds, lambda one: one["memory"]["server"]), sum(one["failed"] for one in rounds)]
    table = {name: values(rounds) for name, rounds in measured.items()}
    base = next(iter(table.values()))
    rows = []
    for name, seen in table.items():
        rate, median, p99, server, database, memory, failed = seen
        rows.append([name, rate, rate / base[0], median, median / base[1], p99, server, server / base[3], database,
                     database / base[4], memory, failed])
    return rows


class Growth:
    """The sizes, and the databases, which are created when they are first needed."""

    def __init__(self, options):
        self.options = options
        self.worlds = {}

    def world(self, rows):
        if rows not in self.worlds:
            self.worlds[rows] = World(rows, self.options.bin, accounts=ACCOUNTS)
        return self.worlds[rows]

    def close(self):
        for world in self.worlds.values():
            world.close()

    def sizes(self):
        """{contender: (rows, connections, daemons)}"""
        options = self.options
        return {f"{options.rows:,} reels, {options.connections} connections": (options.rows, options.connections, 1),
                f"{options.times} x reels": (options.rows * options.times, options.connections, 1),
                f"{options.times} x connections": (options.rows, options.connections * options.times, 1),
                "two daemons": (options.rows, options.connections, 2)}

    def put_load(self, title, sizes, load_for, prepare=lambda world: None, **settings):
        """A table of wrk's rounds at each of the sizes."""
        servers = {}
        for rows, _, count in sizes.values():
            if (rows, count) not in servers:
                world = self.world(rows)
                servers[rows, count] = Pair(world, **settings) if count == 2 else world.daemon(**settings)

        def measure(name):
            rows, connections, count = sizes[name]
            world, server = self.world(rows), servers[rows, count]
            prepare(world)
            return load_for(world).put_on(f"http://{server.address}", connections, self.options.seconds,
                                          {"server": server.processes, "database": world.cluster.processes()})
        measured = interleaved(self.options.rounds, list(sizes), measure)
        print_table(title, LOAD_HEAD, load_rows(measured))
        for (rows, _), server in servers.items():
            for daemon in (server.second, server.first) if isinstance(server, Pair) else (server,):
                self.world(rows).end(daemon)

    def read(self):
        self.put_load(
            "(a) reading a reel", self.sizes(),
            lambda world: Load(READ.format(token=world.token, rows=self.rows_of(world))), workers=0,
            reel_cache_bytes_max=0)

    def rows_of(self, world):
        return next(rows for rows, one in self.worlds.items() if one is world)

    def submit(self):
        def prepare(world):
            time.sleep(1)  # Lets the server finish the requests of the previous load.
            world.sql("DELETE FROM job WHERE status = 'pending'")
            world.sql("UPDATE account SET bucket_tokens = NULL, bucket_at = NULL")
            world.sql("VACUUM account, job")
            world.sql("CHECKPOINT")
        self.put_load(
            "(b) submitting a link, by number of reels", self.sizes(),
            lambda world: Load(SUBMIT.format(tokens=", ".join(f'"{token}"' for token in world.tokens))), prepare, workers=0)

    def queue(self):
        options = self.options
        sizes = {f"{options.jobs:,} jobs and {options.rows:,} reels": (options.rows, options.jobs, 1),
                 f"{options.times} x reels": (options.rows * options.times, options.jobs, 1),
                 f"{options.times} x jobs": (options.rows, options.jobs * options.times, 1),
                 "two daemons": (options.rows, options.jobs, 2)}

        def measure(name):
            rows, jobs, count = sizes[name]
            return work_off(self.world(rows), jobs, count)
        measured = interleaved(options.rounds, list(sizes), measure)
        table = {name: [median_of(rounds, lambda one, of=of: one[of]) for of in ("rate", "server", "database")]
                 for name, rounds in measured.items()}
        base = next(iter(table.values()))
        print_table(f"(c) the queue, {WORKERS} workers", ["", "jobs/s", "x", "server us", "x", "database us", "x"],
                    [[name, *(one for pair in zip(seen, (value / by for value, by in zip(seen, base))) for one in pair)]
                     for name, seen in table.items()])

    def memory(self):
        options = self.options
        world = self.world(options.rows)
        rows = []
        for times in (1, options.times):
            seen = measure_memory(world, options.idle * times, options.waiting * times)
            rows.append([f"{options.idle * times:,} idle, then {options.waiting * times:,} waiting", seen["rest"] / 1024,
                         seen["with idle"] / 1024, seen["idle"], seen["with waiting"] / 1024, seen["waiting"]])
        rows[1:] = [rows[1], ["x", "", "", rows[1][3] / rows[0][3], "", rows[1][5] / rows[0][5]]]
        print_table("(d) memory of connections",
                    ["", "at rest MiB", "idle MiB", "KiB each", "waiting MiB", "KiB each"], rows)

    def search(self):
        options = self.options
        searches = {}
        for times in (1, options.times):
            # Not the reels of other accounts, which cannot be found.
            world = self.worlds[f"{times}"] = World(0, options.bin)
            searches[world] = fill(world, options.searched * times, SEARCHES, options.bench_bin)
        sizes = {f"{options.searched:,} reels, {SEARCH_CONNECTIONS} connections": ("1", SEARCH_CONNECTIONS, 1),
                 f"{options.times} x reels": (f"{options.times}", SEARCH_CONNECTIONS, 1),
                 f"{options.times} x connections": ("1", SEARCH_CONNECTIONS * options.times, 1),
                 "two daemons": ("1", SEARCH_CONNECTIONS, 2)}
        self.put_load("(e) searching", sizes, lambda world: Load(
            SEARCH.format(token=world.token, searches=quoted(searches[world]))), workers=0)


def work_off(world, jobs, daemons):
    """{rate: jobs a second; server, database: µs of CPU per job}"""
    world.sql("DELETE FROM job WHERE status <> 'done'")
    world.sql(f"INSERT INTO job (account_id, url, run_at) SELECT {world.account}, '{UNAVAILABLE}', now()"
              f" FROM generate_series(1, {jobs})")
    world.sql("VACUUM ANALYZE job")
    database = world.cluster.processes()
    before = database.cpu_seconds()
    settings = {"workers": WORKERS // daemons}
    server = Pair(world, **settings) if daemons == 2 else world.daemon(**settings)
    while world.sql("SELECT count(*) FROM job WHERE status IN ('pending', 'processing')") != "0":
        time.sleep(0.5)  # Each check is a process and a session, whose time would distort the measurement.
    seconds = float(world.sql(
        "SELECT extract(epoch FROM max(finished_at) - min(started_at)) FROM job WHERE status = 'error'"))
    spent = server.processes.cpu_seconds()
    for daemon in (server.second, server.first) if daemons == 2 else (server,):
        world.end(daemon)
    return {"rate": jobs / seconds, "server": spent / jobs * 1e6,
            "database": (database.cpu_seconds() - before) / jobs * 1e6}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=ROOT / "build/release/bin")
    parser.add_argument("--bench-bin", help="where search_rows is; without it, it is built")
    for name, usual in (("rows", 10_000), ("searched", 1000), ("connections", 32), ("jobs", 1000), ("idle", 800),
                        ("waiting", 200), ("times", 10), ("rounds", 3), ("seconds", 3)):
        parser.add_argument(f"--{name}", default=usual, type=int)
    parts = ("read", "submit", "queue", "memory", "search")
    parser.add_argument("--only", nargs="*", choices=parts, default=parts)
    options = parser.parse_args()
    growth = Growth(options)
    try:
        for part in options.only:
            getattr(growth, part)()
    finally:
        growth.close()


if __name__ == "__main__":
    main()
