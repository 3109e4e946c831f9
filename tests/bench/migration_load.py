#!/usr/bin/env python3
"""Measures requests during a migration: an older daemon serves a database with many reels all the time, while
a newer program migrates it. Run by hand; see --help. Needs the folders of both programs, `bin` and `share`.

    PYTHONPATH=tests/service:tests/support tests/bench/migration_load.py --old /srv/old/bin --new build/release/bin

Prints for each kind of request the number, the median, the 99th percentile and the slowest, before and during
the migration, and every answer that was not a success.
"""

import argparse
import os
import statistics
import subprocess
import threading
import time

import service_support as support

REELS = """
INSERT INTO job (account_id, url, status, created_at, started_at, finished_at, attempt, claim, result,
                 code, author, summary, analyzed_at, post_key, analyzer)
SELECT (SELECT min(id) FROM account), 'https://www.instagram.com/reel/DY' || n || '/', 'done', now(), now(), now(),
       1, 1, json_build_object('visual', json_build_object('description', repeat(md5(n::text), 60))),
       'DY' || n, 'author' || n % 100, repeat(md5(n::text), 3), now(), 'instagram:DY' || n, 'local'
  FROM generate_series(1, {reels}) AS n;
INSERT INTO search_document (account_id, job_id, passages) SELECT account_id, id, repeat(md5(id::text), 20) FROM job;
INSERT INTO search_word (account_id, job_id, weight, lexeme)
SELECT account_id, id, 0.5, substr(md5(id::text || word), 1, 5) FROM job, generate_series(1, 4) AS word
    ON CONFLICT DO NOTHING;
SET session_replication_role = replica; INSERT INTO model_call (account_id, job_id, number, model, cost_usd)
SELECT account_id, id, 0, 'local', 0 FROM job;
ANALYZE;
"""


class Asker(threading.Thread):
    """One client that repeats requests of one kind, on its own connection."""

    def __init__(self, over, ask):
        super().__init__(daemon=True)
        self.over, self.ask, self.seen = over, ask, []

    def run(self):
        while not self.over.is_set():
            begun = time.monotonic()
            try:
                status = self.ask().status
            except OSError as why:
                status = repr(why)
            self.seen.append((begun, time.monotonic() - begun, status))
            self.over.wait(0.002)


def summary_line(name, took):
    if not took:
        return f"{name}: none"
    took = sorted(1000 * one for one in took)
    return (f"{name}: {len(took)}, median {statistics.median(took):.1f} ms, "
            f"p99 {took[int(len(took) * 0.99)]:.1f} ms, slowest {took[-1]:.1f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--old", required=True, help="folder of the older programs")
    parser.add_argument("--new", required=True, help="folder of the newer programs")
    parser.add_argument("--reels", type=int, default=50000)
    parser.add_argument("--seconds", type=float, default=5, help="of load before the migration and after it")
    chosen = parser.parse_args()

    cluster = support.Cluster()
    os.environ["REELSD_BIN_DIR"] = chosen.old
    url = cluster.new_database()
    daemon = support.Daemon(database_url=url, workers=2, requests_per_minute=10000000,
                            platform_url="http://127.0.0.1:9", resolvers="page")
    over = threading.Event()
    try:
        daemon.start()
        account = daemon.account(unlimited=True)
        for statement in REELS.format(reels=chosen.reels).split(";\n"):
            cluster.query(statement, url.rsplit("=", 1)[1])
        get = lambda path: lambda: account.request("GET", "/api/v1/reels" + path)
        askers = {
            "list": Asker(over, get("")), "read": Asker(over, get("/77")), "search": Asker(over, get("/search?q=abcde")),
            "usage": Asker(over, get("/usage")),
            "submit": Asker(over, lambda: account.analyze(support.UNAVAILABLE))}
        for asker in askers.values():
            asker.start()
        time.sleep(chosen.seconds)
        begun = time.monotonic()
        done = subprocess.run([os.path.join(chosen.new, "reelsd"), "migrate"], capture_output=True, text=True,
                              env=support.clean_environment(database_url=url), timeout=700, check=False)
        ended = time.monotonic()
        time.sleep(chosen.seconds)
        over.set()
        print(f"{done.stdout.strip() or done.stderr.strip()}; it took {ended - begun:.2f} s")
        for kind, asker in askers.items():
            asker.join()
            before = [took for at, took, _ in asker.seen if at < begun]
            during = [took for at, took, _ in asker.seen if begun <= at + took and at < ended]
            after = [took for at, took, _ in asker.seen if at >= ended]
            for name, part in (("before", before), ("during", during), ("after", after)):
                print(summary_line(f"{kind} {name}", part))
            wrong = [status for _, _, status in asker.seen if status not in (200, 202)]
            if wrong:
                print(f"{kind}: {len(wrong)} failed: {sorted(set(map(str, wrong)))}")
    finally:
        over.set()
        daemon.close()
        cluster.close()


if __name__ == "__main__":
    main()
