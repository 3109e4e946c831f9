#!/usr/bin/env python3
"""Measures requests while many reels expire: a daemon serves ordinary requests all the time, and at one moment many
reels become too old and are deleted. Run by hand; see --help.

    REELSD_BIN_DIR=build/release/bin PYTHONPATH=tests/service:tests/support tests/bench/expiry_load.py

Prints for each kind of request the number, the median, the 99th percentile and the slowest, before and during the
deletion, its duration, and every answer that was not a success.
"""

import argparse
import threading
import time

import service_support as support
from migration_load import REELS, Asker, summary_line

KEPT_SECONDS = 86400


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reels", type=int, default=100000, help="that expire")
    parser.add_argument("--kept", type=int, default=5000, help="that stay")
    parser.add_argument("--seconds", type=float, default=60, help="of load before")
    parser.add_argument("--seconds-max", type=float, default=3600, help="until all are to be gone")
    chosen = parser.parse_args()

    cluster = support.Cluster()
    url = cluster.new_database()
    name = url.rsplit("=", 1)[1]
    daemon = support.Daemon(database_url=url, workers=2, requests_per_minute=10000000, platform_url="http://127.0.0.1:9",
                            resolvers="page", results_kept_days=KEPT_SECONDS / 86400)
    over = threading.Event()
    try:
        daemon.start()
        account = daemon.account(unlimited=True)
        for statement in REELS.format(reels=chosen.reels + chosen.kept).split(";\n"):
            cluster.query(statement, name)
        newest = int(cluster.query("SELECT max(id) FROM job", name))
        last = newest - chosen.kept
        due = chosen.seconds + 5
        cluster.query(
            f"UPDATE job SET finished_at = now() - interval '{KEPT_SECONDS - due} seconds' WHERE id <= {last}", name)
        cluster.query("VACUUM ANALYZE job", name)
        get = lambda path: lambda: account.request("GET", "/api/v1/reels" + path)
        askers = {
            "list": Asker(over, get("")), "read": Asker(over, get(f"/{newest}")),
            "search": Asker(over, get("/search?q=abcde")), "usage": Asker(over, get("/usage")),
            "submit": Asker(over, lambda: account.analyze(support.UNAVAILABLE))}
        for asker in askers.values():
            asker.start()

        def left():
            return int(cluster.query(f"SELECT count(*) FROM job WHERE id <= {last}", name))

        while left() == last:
            time.sleep(1)
        begun = time.monotonic()
        give_up = begun + chosen.seconds_max
        while left() > 0 and time.monotonic() < give_up:
            time.sleep(1)
        ended = time.monotonic()
        over.set()
        print(f"{last - left()} reels went in {ended - begun:.0f} s")
        for kind, asker in askers.items():
            asker.join()
            print(summary_line(f"{kind} before", [took for at, took, _ in asker.seen if at + took < begun]))
            print(summary_line(f"{kind} during", [took for at, took, _ in asker.seen if begun <= at < ended]))
            wrong = [status for _, _, status in asker.seen if status not in (200, 202)]
            if wrong:
                print(f"{kind}: {len(wrong)} failed: {sorted(set(map(str, wrong)))}")
    finally:
        over.set()
        daemon.close()
        cluster.close()


if __name__ == "__main__":
    main()
