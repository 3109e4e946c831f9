#!/usr/bin/env python3
"""Measures searches in an account with many reels, as a client sees them.

    python3 tests/bench/search.py [--bin build/release/bin] [--bench-bin FOLDER] [--rows 10000] [--searches 1000]
            [--rounds 3] [--seconds 5] [--connections 1 16]

The program search_rows generates the reels; it is built unless it is in --bench-bin. For comparison: PostgreSQL's own
full-text search for the same words by pgbench, with as many clients as connections: a tsvector with weights, a GIN
index, ts_rank. "all words" finds reels that have every word of the search, "any word" those that have one, as ours
does. Neither knows the meaning or the rarity of a word, and neither finds the passage to show.
"""

import argparse
import os
import pathlib
import re
import subprocess
import time
import urllib.parse

from bench_support import ROOT, Load, Processes, built, interleaved, median_of, print_table
from bench_world import POSTGRES_BIN, World, must

SEARCH = """
local searches = {{{searches}}}
local tail = " HTTP/1.1\\r\\nHost: bench\\r\\nAuthorization: Bearer {token}\\r\\n\\r\\n"
math.randomseed(os.time())
request = function()
  return "GET /api/v1/reels/search?q=" .. searches[math.random(#searches)] .. tail
end
"""
# Contents of the reel's row: a result of realistic size, compressed by TOAST.
FILL = """
CREATE UNLOGGED TABLE made (number integer GENERATED ALWAYS AS IDENTITY, reel json);
COPY made (reel) FROM '{folder}/reels' WITH (FORMAT csv, DELIMITER E'\\x01', QUOTE E'\\x02');
WITH job_made AS (
    INSERT INTO job (account_id, url, status, started_at, finished_at, attempt, claim, result, code, author, summary,
                     analyzed_at)
    SELECT {account}, 'https://www.instagram.com/reel/C' || lpad(number::text, 9, '0') || '/', 'done', now(), now(), 1, 1,
           reel, 'C' || lpad(number::text, 9, '0'), 'someone', reel->>'summary', now()
      FROM made ORDER BY number
    RETURNING id, result AS reel)
SELECT count(add_search_entry({account}, id, ARRAY(SELECT json_array_elements_text(reel->'words')),
                                ARRAY(SELECT json_array_elements_text(reel->'concepts')::integer),
                                ARRAY(SELECT json_array_elements_text(reel->'weights')::real), reel->>'passages'))
  FROM job_made;
CREATE TABLE peer AS
    SELECT id, account_id, url, code, author, summary, created_at,
           setweight(to_tsvector('english', result->'words'->>0), 'A') ||
           setweight(to_tsvector('english', result->'words'->>1), 'B') ||
           setweight(to_tsvector('english', result->'words'->>2), 'C') ||
           setweight(to_tsvector('english', result->'words'->>3), 'D') AS body
      FROM job;
CREATE INDEX ON peer USING gin (body);
CREATE TABLE peer_search (number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, words text, every tsquery, any_of tsquery);
COPY peer_search (words) FROM '{folder}/searches';
UPDATE peer_search
   SET every = plainto_tsquery('english', words),
       any_of = replace(plainto_tsquery('english', words)::text, '&', '|')::tsquery;
DROP TABLE made;
VACUUM ANALYZE;
CHECKPOINT
"""
PEER = """\\set number random(1, {searches})
SELECT id, url, code, author, summary, created_at, ts_rank(body, query) AS score
  FROM peer, (SELECT {column} AS query FROM peer_search WHERE number = :number) AS asked
 WHERE account_id = {account} AND body @@ query ORDER BY score DESC LIMIT 10;
"""


def fill(world, rows, searches, programs=None):
    """The words of the searches. `programs`: folder of search_rows, if it is not to be built."""
    program = built("search_rows", programs)
    folder = pathlib.Path(world.cluster.folder)
    subprocess.run([program, str(rows), str(searches), str(folder)], check=True)
    script = folder / "fill.sql"
    script.write_text(FILL.format(folder=folder, account=world.account))
    must(subprocess.run(
        ["psql", "-h", str(folder), "-U", "reelsd", "-d", world.name, "-XAtq", "-v", "ON_ERROR_STOP=1", "-f", str(script)],
        capture_output=True, text=True, check=False))
    return (folder / "searches").read_text().splitlines()


def quoted(searches):
    """A row of the table of SEARCH."""
    return ", ".join(f'"{urllib.parse.quote(one.strip())}"' for one in searches)


def pgbench(world, column, searches, clients, seconds, database):
    """One round of PostgreSQL's own search, in the form of Load.put_on()."""
    folder = pathlib.Path(world.cluster.folder)
    script = folder / f"{column}.sql"
    script.write_text(PEER.format(searches=searches, column=column, account=world.account))
    for old in folder.glob("took.*"):
        old.unlink()
    before = database.cpu_seconds()
    done = subprocess.run(
        [os.path.join(POSTGRES_BIN, "pgbench"), "-n", "-M", "prepared", "-c", str(clients), "-j", "1", "-T", str(seconds),
         "-l", "--log-prefix", str(folder / "took"), "-f", str(script), "-h", str(folder), "-U", "reelsd", world.name],
        capture_output=True, text=True, check=True)
    spent = database.cpu_seconds() - before
    took = sorted(int(line.split()[2]) / 1000 for file in folder.glob("took.*") for line in file.read_text().splitlines())
    return {"rate": float(re.search(r"tps = ([\d.]+)", done.stdout)[1]), "median": took[len(took) // 2],
            "p99": took[int(len(took) * 0.99)], "failed": 0, "cpu": {"database": spent / len(took) * 1e6},
            "memory": {"database": database.memory()}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=ROOT / "build/release/bin")
    parser.add_argument("--bench-bin", help="where search_rows is; without it, it is built")
    parser.add_argument("--rows", default=10_000, type=int)
    parser.add_argument("--searches", default=1000, type=int)
    parser.add_argument("--rounds", default=3, type=int)
    parser.add_argument("--seconds", default=5, type=int)
    parser.add_argument("--connections", default=[1, 16], type=int, nargs="+")
    options = parser.parse_args()
    world = World(0, options.bin)
    try:
        begun = time.monotonic()
        searches = fill(world, options.rows, options.searches, options.bench_bin)
        print(f"{options.rows:,} reels written in {time.monotonic() - begun:.0f} s; " + world.sql(
            "SELECT string_agg(name || ' ' || pg_size_pretty(pg_total_relation_size(name::regclass)), ', ')"
            " FROM unnest(ARRAY['search_word', 'search_concept', 'search_document', 'peer']) AS name"))
        server = world.daemon(workers=0)
        load = Load(SEARCH.format(
            token=world.token, searches=quoted(searches)))
        database = Processes(world.cluster.process.pid)
        columns = {"PostgreSQL, all words": "every", "PostgreSQL, any word": "any_of"}

        def measure(contender):
            name, count = contender
            if name in columns:
                return pgbench(world, columns[name], options.searches, count, options.seconds, database)
            return load.put_on(f"http://{server.address}", count, options.seconds,
                               {"server": server.processes, "database": database})
        measured = interleaved(
            options.rounds, [(name, count) for count in options.connections for name in ("reelsd", *columns)], measure)
        rows = []
        for (name, count), rounds in measured.items():
            rows.append([
                name, count, *(median_of(rounds, lambda one, of=of: one[of]) for of in ("rate", "median", "p99")),
                *(median_of(rounds, lambda one, of=of: one["cpu"].get(of, float("nan")))
                  for of in ("server", "database", "load")),
                *(median_of(rounds, lambda one, of=of: one["memory"].get(of, float("nan")))
                  for of in ("server", "database")),
                sum(one["failed"] for one in rounds)])
        print_table(
            f"searching {options.rows:,} reels; medians of {options.rounds} rounds",
            ["", "connections", "searches/s", "median ms", "p99 ms", "server us", "database us", "wrk us", "server MiB",
             "database MiB", "failed"], rows)
    finally:
        world.close()


if __name__ == "__main__":
    main()
