#!/usr/bin/env python3
"""Measures the effect of storing a result as the JSON text that is sent, compressed by lz4 (docs/adr/0028).

    python3 tests/bench/result_storage.py [--bin build/release/bin] [--rows 20000] [--rounds 5] [--seconds 2]
            [--connections 256]

The rows and the daemon, without a cache, are the same; only the type of the column with the results and its
compression differ.
"""

import argparse

from bench_support import ROOT, Load, Processes, interleaved, median_of, print_table
from bench_world import World
from http_read import READ

FORMS = [("json", "lz4"), ("json", "pglz"), ("jsonb", "lz4"), ("jsonb", "pglz")]


def stored_as(options, form):
    """A database whose results are stored in this form."""
    kind, packed_by = form
    world = World(options.rows, options.bin)
    # A new column and newly built texts, so that each value is compressed by the column's method.
    world.sql(f"ALTER TABLE job ADD COLUMN other {kind} COMPRESSION {packed_by}")
    world.sql("ALTER TABLE job DISABLE TRIGGER USER")
    world.sql(f"UPDATE job SET other = (result::text || '')::{kind}")
    world.sql("ALTER TABLE job ENABLE TRIGGER USER")
    checks = world.sql("SELECT conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint"
                       " WHERE conrelid = 'job'::regclass AND pg_get_constraintdef(oid) LIKE '%result%'").splitlines()
    world.sql("ALTER TABLE job DROP COLUMN result")
    world.sql("ALTER TABLE job RENAME COLUMN other TO result")
    for check in checks:
        name, rule = check.split(" ", 1)
        world.sql(f'ALTER TABLE job ADD CONSTRAINT "{name}" {rule}')
    world.sql("VACUUM FULL job")
    world.sql("VACUUM ANALYZE job")
    world.sql("CHECKPOINT")
    return world


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=ROOT / "build/release/bin")
    parser.add_argument("--rows", default=20000, type=int)
    parser.add_argument("--rounds", default=5, type=int)
    parser.add_argument("--seconds", default=2, type=int)
    parser.add_argument("--connections", default=256, type=int)
    options = parser.parse_args()
    worlds = {}
    try:
        for form in FORMS:
            worlds[form] = stored_as(options, form)
        daemons = {form: world.daemon(reel_cache_bytes_max=0) for form, world in worlds.items()}

        def measure(form):
            world, daemon = worlds[form], daemons[form]
            load = Load(READ.format(token=world.token, rows=options.rows))
            return load.put_on(f"http://{daemon.address}", options.connections, options.seconds,
                               {"server": daemon.processes, "database": Processes(world.cluster.process.pid)})
        measured = interleaved(options.rounds, FORMS, measure)
        rows = []
        for form, rounds in measured.items():
            world = worlds[form]
            rows.append([
                " ".join(form), median_of(rounds, lambda one: one["rate"]), median_of(rounds, lambda one: one["p99"]),
                *(median_of(rounds, lambda one, of=of: one["cpu"][of]) for of in ("server", "database")),
                float(world.sql("SELECT avg(pg_column_size(result)) FROM job")),
                float(world.sql("SELECT pg_total_relation_size('job') / count(*) FROM job")),
                sum(one["failed"] for one in rounds)])
        print_table(
            f"reading one of {options.rows:,} reels by how results are stored, {options.connections} connections;"
            f" medians of {options.rounds} rounds",
            ["", "requests/s", "p99 ms", "server us", "database us", "result bytes", "row bytes in all", "failed"], rows)
    finally:
        for world in worlds.values():
            world.close()


if __name__ == "__main__":
    main()
