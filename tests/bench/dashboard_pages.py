#!/usr/bin/env python3
"""Measures size and load time of the dashboard's first pages, and its speed with many reels.

Usage: dashboard_pages.py BIN_DIR PACKAGES [REELS]
    BIN_DIR holds reelsd, PACKAGES the browser tests' node_modules; REELS defaults to 50000.

Starts a daemon with a separate database, analyses the sample once, and copies its row and its pictures in
the database: 30 times, which is a page of the list, and then until there are REELS. dashboard_pages.mjs loads
the pages in Chromium; lists and searches are requested over HTTP. Prints tables; does not pass or fail.
"""

import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", folder) for folder in ("service", "support")]
PAGE_REELS = 30
ROUNDS = 21

COPIES = """
WITH made AS (
    INSERT INTO job (account_id, url, status, result, code, author, summary, created_at, started_at,
                     finished_at, analyzed_at)
    SELECT account_id, url, status, result, code || n, 'author' || n % 50, summary || ' ' || n, created_at,
           started_at, finished_at, analyzed_at
      FROM job, generate_series(1, {count}) AS n WHERE id = {sample}
    RETURNING id, account_id)
INSERT INTO reel_thumbnail (account_id, job_id, jpeg, small_jpeg)
SELECT made.account_id, made.id, jpeg, small_jpeg FROM made, reel_thumbnail WHERE job_id = {sample}
"""

PATHS = ("reels?limit=30", "reels?limit=30&author=author7", "reels?limit=30&status=error",
         "reels/search?q=coffee", "reels/usage/days", "admin/overview")


def look_at_pages(daemon, person, packages):
    subprocess.run(
        ["node", os.path.join(HERE, "dashboard_pages.mjs"), f"http://{daemon.address}", person.cookie],
        env=dict(os.environ, NODE_PATH=packages), check=True, timeout=300)


def ask_for_lists(person):
    print(f"{'':34}{'median':>10}{'slowest':>10}")
    for path in PATHS:
        took = []
        for _ in range(ROUNDS):
            begun = time.perf_counter()
            answer = person.api("GET", path)
            took.append(1000 * (time.perf_counter() - begun))
            assert answer.status == 200, answer
        print(f"{path:34}{statistics.median(took):7.1f} ms{max(took):7.1f} ms")


def main():
    os.environ["REELSD_BIN_DIR"] = os.path.abspath(sys.argv[1])
    packages = os.path.abspath(sys.argv[2])
    reels = int(sys.argv[3]) if len(sys.argv) > 3 else 50_000
    from dashboard_session import Person, set_up_link_secret
    from service_support import SAMPLE, Cluster, Daemon

    cluster = Cluster()
    database = cluster.new_database()
    daemon = Daemon(database_url=database, requests_per_minute=10_000_000)
    try:
        daemon.start()
        person = Person(daemon).join(set_up_link_secret(daemon), "bench@example.com")
        sample = person.submit(SAMPLE)
        person.finished(sample)

        def copy(count):
            cluster.query(COPIES.format(count=count, sample=sample), database.rsplit("=", 1)[1])

        copy(PAGE_REELS - 1)
        print(f"{PAGE_REELS} reels")
        look_at_pages(daemon, person, packages)
        copy(reels - PAGE_REELS)
        print(f"\n{reels} reels")
        ask_for_lists(person)
        look_at_pages(daemon, person, packages)
    finally:
        daemon.close()
        cluster.close()


if __name__ == "__main__":
    main()
