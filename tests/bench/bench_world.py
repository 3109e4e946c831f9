"""One database with the rows of a busy account, our daemon on it, and the peers that serve the same rows.

The database is a separate PostgreSQL with full durability (fsync and synchronous_commit on). Its buffers hold all
rows, because the benchmarks compare programs, not disks.
"""

import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time

from bench_support import HERE, Processes, free_port, need, wait_for_port
from service_support import POSTGRES_BIN, Cluster, Daemon, must, new_folder, run_reelsd

RESULT_BYTES = 6000
DOCUMENTS = 500  # Different results; each row has one of them.
WORDS = """light water street music people window summer kitchen garden mountain river bread coffee morning evening
    train market color paper story camera voice dance winter friend school letter island bridge forest stone silver
    wooden little quiet broken early modern simple perfect golden recipe travel secret minute""".split()


def made_result(number):
    """A result as an analysis of about 40 seconds leaves it: about RESULT_BYTES of JSON."""
    dice = random.Random(number)

    def words(count):
        return " ".join(dice.choice(WORDS) for _ in range(count))
    result = {
        "visual": {"text_on_screen": [], "overlay": words(6), "people": dice.randrange(4), "scenes": []},
        "audio": {"transcript": words(170), "language": "en", "music": words(4), "has_speech": True},
        "content": {"summary": words(24), "topics": [words(1) for _ in range(6)], "key_moments": [],
                    "hashtags": ["#" + dice.choice(WORDS) for _ in range(8)], "mood": words(1)},
        "metadata": {"duration_seconds": 40.25, "width": 1080, "height": 1920, "video_codec": "h264"},
        "platform_meta": {"code": f"C{number:09d}", "author": words(1), "caption": words(40),
                          "likes": dice.randrange(10**6), "comments": dice.randrange(10**4)}}
    at = 0.0
    while len(json.dumps(result)) < RESULT_BYTES:
        at += dice.random() * 2
        result["visual"]["text_on_screen"].append(
            {"text": words(4), "start_seconds": round(at, 2), "end_seconds": round(at + 1.5, 2)})
        result["content"]["key_moments"].append({"time_seconds": round(at, 2), "description": words(9)})
    return json.dumps(result, separators=(",", ":"))


class BenchCluster(Cluster):
    """A PostgreSQL with full durability."""

    settings = (
        "listen_addresses=", "shared_buffers=2GB", "max_wal_size=4GB", "checkpoint_timeout=30min", "autovacuum=off",
        "jit=off")

    def processes(self):
        return Processes(self.process.pid)


class World:
    """A database with accounts, a token for each, and `rows` done reels of the first account."""

    def __init__(self, rows, bin_dir, accounts=1):
        need("wrk", "node")
        os.environ["REELSD_BIN_DIR"] = os.path.abspath(bin_dir)
        self.cluster = BenchCluster()
        self.opened = [self.cluster]
        self.database = self.cluster.new_database()
        self.name = self.database.rsplit("=", 1)[1]
        settings = {"database_url": self.database, "data_dir": self.cluster.folder}
        must(run_reelsd("migrate", **settings))
        self.tokens = []
        for number in range(accounts):
            email = f"bench{number}@example.test"
            must(run_reelsd("account", "create", "--email", email, **settings))
            self.tokens.append(must(run_reelsd(
                "token", "create", "--account", email, "--name", "bench", **settings)).stdout.strip())
        self.token = self.tokens[0]
        # Higher than any flag allows: limits are not measured.
        self.sql("UPDATE account SET submissions_per_minute = 1000000, concurrent_jobs = 1000000,"
                 " requests_per_minute = 10000000")
        self.account = int(self.sql("SELECT min(id) FROM account"))
        if rows:
            self.fill(rows)

    def sql(self, statement):
        return self.cluster.query(statement, self.name).strip()

    def fill(self, rows):
        file = pathlib.Path(self.cluster.folder) / "documents"
        file.write_text("".join(made_result(n).replace("\\", "\\\\") + "\n" for n in range(DOCUMENTS)))
        self.sql(f"""
            CREATE UNLOGGED TABLE document (number integer GENERATED ALWAYS AS IDENTITY (MINVALUE 0 START 0), body text);
            COPY document (body) FROM '{file}';
            INSERT INTO job (account_id, url, status, started_at, finished_at, attempt, claim, result, code, author,
                             summary, analyzed_at, created_at)
            SELECT {self.account}, 'https://www.instagram.com/reel/C' || lpad(n::text, 9, '0') || '/', 'done', now(),
                   now(), 1, 1, body::json, 'C' || lpad(n::text, 9, '0'), 'someone', left(body, 100), now(), now()
              FROM generate_series(1, {rows}) AS n JOIN document ON number = n % {DOCUMENTS};
            DROP TABLE document""")
        self.sql("VACUUM ANALYZE")
        self.sql("CHECKPOINT")

    # Contenders

    def daemon(self, **settings):
        """Our daemon, without jobs for its workers."""
        daemon = Daemon(database_url=self.database, analyzer="local", **settings)
        self.opened.append(daemon)
        daemon.start()
        daemon.processes = Processes(daemon.process.pid)
        return daemon

    def end(self, server):
        self.opened.remove(server)
        server.close()

    def peer_environment(self, packages=None, **more):
        """The environment with which libpq finds the database, and Node.js its packages."""
        found = {"NODE_PATH": os.path.join(packages, "node_modules")} if packages else {}
        return {**os.environ, "PGHOST": self.cluster.folder, "PGUSER": "reelsd", "PGDATABASE": self.name,
                "NODE_ENV": "production", **found, **more}

    def resting_daemon(self, **settings):
        """Our daemon with workers but no due jobs: submitted jobs wait for a time in the far future."""
        self.sql("ALTER TABLE job ALTER COLUMN run_at SET DEFAULT now() + interval '1 year',"
                 " ALTER COLUMN waits_for SET DEFAULT 'time'")
        return self.daemon(workers=1, **settings)

    def peer(self, command, packages=None):
        """A program whose environment has PORT and the database as libpq's variables."""
        port = free_port()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=sys.stderr,
            env=self.peer_environment(packages, PORT=str(port)))
        wait_for_port(port, process)
        server = Server(f"127.0.0.1:{port}", process)
        self.opened.append(server)
        return server

    def drogon(self, bin_dir):
        """None if the peer was not built: Debian 12 has no Drogon."""
        path = os.path.join(bin_dir, "drogon_peer")
        if not os.path.exists(path):
            print(f"no {path}: peers/README.md says how it is built; left out", file=sys.stderr)
            return None
        return self.peer([path])

    def fastify(self, packages):
        return self.peer(["node", str(HERE / "peers" / "fastify_peer.cjs")], packages)

    def close(self):
        for one in reversed(self.opened):
            one.close()


class Server:
    """The server at `address` ("host:port")."""

    def __init__(self, address, process):
        self.address = address
        self.process = process
        self.processes = Processes(process.pid)

    def close(self):
        self.process.terminate()
        self.process.wait(20)
