#!/usr/bin/env python3
"""Measures submissions of links: every accepted job is durable (fsync, synchronous_commit on).

    python3 tests/bench/http_submit.py [--bin build/release/bin] [--peers build/bench_peers] [--accounts 1 64]
            [--rounds 3] [--seconds 5] [--connections 64]

Our daemon's workers are idle. Peers: Drogon and Fastify, each with one statement per request that checks the token and
calls the same function of the database. With one account, all submissions lock the same row; with many, each
connection's requests come from all of them in turn. Before every round the queue is emptied, because each submission
counts the active jobs of its account.
"""

import argparse
import time

from bench_support import ROOT, Load, Processes, interleaved, median_of, print_table
from bench_world import World

SUBMIT = """
local tokens = {{{tokens}}}
local number = 0
request = function()
  number = number + 1
  local body = '{{"url": "https://www.instagram.com/reel/B' .. string.format("%010d", number) .. '/"}}'
  return "POST /api/v1/reels/analyze HTTP/1.1\\r\\nHost: bench\\r\\nContent-Type: application/json\\r\\n"
    .. "Authorization: Bearer " .. tokens[number % #tokens + 1] .. "\\r\\nContent-Length: " .. #body
    .. "\\r\\n\\r\\n" .. body
end
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=ROOT / "build/release/bin")
    parser.add_argument("--peers", default=ROOT / "build/bench_peers")
    parser.add_argument("--accounts", default=[1, 64], type=int, nargs="+")
    parser.add_argument("--rounds", default=3, type=int)
    parser.add_argument("--seconds", default=5, type=int)
    parser.add_argument("--connections", default=64, type=int)
    parser.add_argument("--only", nargs="*")
    options = parser.parse_args()
    world = World(0, options.bin, accounts=max(options.accounts))
    try:
        makers = {
            "reelsd": world.resting_daemon, "drogon": lambda: world.drogon(options.peers),
            "fastify": lambda: world.fastify(options.peers)}
        servers = {name: make() for name, make in makers.items() if not options.only or name in options.only}
        servers = {name: server for name, server in servers.items() if server}
        loads = {count: Load(SUBMIT.format(tokens=", ".join(f'"{token}"' for token in world.tokens[:count])))
                 for count in options.accounts}
        database = Processes(world.cluster.process.pid)
        contenders = [(name, count) for count in options.accounts for name in servers]

        def measure(contender):
            name, count = contender
            time.sleep(1)  # Lets the server finish the requests of the previous load.
            world.sql("TRUNCATE job CASCADE; UPDATE account SET bucket_tokens = NULL, bucket_at = NULL")
            world.sql("VACUUM account")
            world.sql("CHECKPOINT")
            done = loads[count].put_on(f"http://{servers[name].address}", options.connections, options.seconds,
                                       {"server": servers[name].processes, "database": database})
            done["rows"] = int(world.sql("SELECT count(*) FROM job"))
            return done
        measured = interleaved(options.rounds, contenders, measure)
        rows = [
            [name, count, *(median_of(rounds, lambda one, of=of: one[of]) for of in ("rate", "median", "p99")),
             *(median_of(rounds, lambda one, of=of: one["cpu"][of]) for of in ("server", "database", "load")),
             median_of(rounds, lambda one: one["memory"]["server"]), sum(one["failed"] for one in rounds)]
            for (name, count), rounds in measured.items()]
        print_table(
            f"submitting links over {options.connections} connections; medians of {options.rounds} rounds",
            ["", "accounts", "requests/s", "median ms", "p99 ms", "server us", "database us", "wrk us",
             "server MiB", "failed"], rows)
        rate = {key: median_of(rounds, lambda one: one["rate"]) for key, rounds in measured.items()}
        for count in options.accounts:
            if "reelsd" in servers:
                print(f"{count} accounts: " + ", ".join(
                    f"{rate['reelsd', count] / rate[other, count]:.2f} x {other}" for other in servers
                    if other != "reelsd"))
    finally:
        world.close()


if __name__ == "__main__":
    main()
