"""Tests the daemons' caches of reels: they serve a reel only to its owner, and only while it exists."""

import contextlib
import json
import random
import threading
import time
import unittest

from service_support import Cluster, Daemon, ServiceTest, must

REELS = "/api/v1/reels"
TEXT_BYTES = 3000


class TwoDaemons(ServiceTest):
    """One daemon caches all reels that it has sent, the other some. SQL creates reels as an analysis leaves them."""

    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster()
        cls.addClassCleanup(cls.cluster.close)
        cls.database = cls.cluster.new_database()
        cls.daemons = []
        for cache_bytes in (10_000_000, 40 * TEXT_BYTES):
            daemon = Daemon(database_url=cls.database, workers=0, requests_per_minute=10**6,
                            reel_cache_bytes_max=cache_bytes)
            cls.addClassCleanup(daemon.close)
            daemon.start()
            cls.daemons.append(daemon)

    @classmethod
    def suite_daemons(cls):
        return cls.daemons

    def sql(self, text):
        return self.cluster.query(text, self.database.rsplit("=", 1)[1]).strip()

    def new_reels(self, account, count):
        ids = self.sql(
            "INSERT INTO job (account_id, url, status, started_at, finished_at, attempt, claim, result, code, author,"
            " summary, analyzed_at)"
            " SELECT account.id, 'https://www.instagram.com/reel/C' || n || '/', 'done', now(), now(), 1, 1,"
            f" json_build_object('content', repeat('x', {TEXT_BYTES})), 'C' || n, '', '', now()"
            f" FROM account, generate_series(1, {count}) AS n WHERE email = '{account.email}' RETURNING id")
        return [int(line) for line in ids.splitlines()]

    def read(self, daemon, account, reel):
        return daemon.request("GET", f"{REELS}/{reel}", token=account.token)

    def kept(self, account, count):
        """New reels that both daemons have read more than once."""
        reels = self.new_reels(account, count)
        for daemon in 3 * self.daemons:
            for reel in reels:
                self.assertEqual(self.read(daemon, account, reel).status, 200)
        return reels


class Deletions(TwoDaemons):
    def test_a_deletion_is_visible_to_every_later_read(self):
        account = self.daemons[0].account()
        reels = self.kept(account, 120)
        begun, done = {}, {}  # Times of the request that deletes a reel, and of its answer.
        wrong = []
        over = threading.Event()

        def read_on(daemon, seed):
            dice = random.Random(seed)
            headers = {"Authorization": f"Bearer {account.token}"}
            with contextlib.closing(daemon.connection()) as connection:
                while not over.is_set():
                    reel = dice.choice(reels)
                    before = time.monotonic()
                    connection.request("GET", f"{REELS}/{reel}", None, headers)
                    answer = connection.getresponse()
                    body = json.loads(answer.read())
                    after = time.monotonic()
                    if answer.status == 200 and body["id"] != reel:
                        wrong.append(f"{reel}: {body['id']}")
                    must_be_gone = done.get(reel, after) < before
                    must_be_there = begun.get(reel, after) >= after
                    if answer.status not in (200, 404) or (answer.status == 200 and must_be_gone) or (
                            answer.status == 404 and must_be_there):
                        wrong.append(f"{reel}: {answer.status}")

        readers = [threading.Thread(target=read_on, args=(self.daemons[n % 2], n)) for n in range(4)]
        for reader in readers:
            reader.start()
        try:
            for number, reel in enumerate(reels[::2]):
                path = f"{REELS}/{reel}"
                begun[reel] = time.monotonic()
                answer = self.daemons[number % 2].request("DELETE", path, token=account.token)
                done[reel] = time.monotonic()
                self.assertEqual(answer.status, 204)
                for daemon in self.daemons:
                    self.assertEqual(self.read(daemon, account, reel).status, 404)
        finally:
            over.set()
            for reader in readers:
                reader.join()
        self.assertEqual(wrong, [])
        for daemon in self.daemons:
            for number, reel in enumerate(reels):
                self.assertEqual(self.read(daemon, account, reel).status, 404 if number % 2 == 0 else 200)

    def test_concurrent_deletions_succeed(self):
        account = self.daemons[0].account()
        reels = self.kept(account, 64)
        statuses = []

        def delete(daemon, reels):
            with contextlib.closing(daemon.connection()) as connection:
                for reel in reels:
                    connection.request("DELETE", f"{REELS}/{reel}", None, {"Authorization": f"Bearer {account.token}"})
                    answer = connection.getresponse()
                    answer.read()
                    statuses.append(answer.status)

        workers = [threading.Thread(target=delete, args=(self.daemons[n % 2], reels[n::16])) for n in range(16)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual(statuses, [204] * len(reels))
        self.assertEqual(self.sql(f"SELECT count(*) FROM job WHERE id = ANY ('{{{','.join(map(str, reels))}}}')"), "0")

    def test_rows_deleted_with_sql(self):
        account = self.daemons[0].account()
        first, second, third = self.kept(account, 3)
        self.sql(f"DELETE FROM job WHERE id = {first}")
        self.sql(f"UPDATE job SET result = '{{\"content\": \"changed\"}}' WHERE id = {second}")
        for daemon in self.daemons:
            self.assertEqual(self.read(daemon, account, first).status, 404)
            self.assertEqual(self.read(daemon, account, second).json()["result"], {"content": "changed"})
            self.assertEqual(self.read(daemon, account, third).status, 200)


class Callers(TwoDaemons):
    def test_another_account_gets_no_cached_reel(self):
        owner, stranger = self.daemons[0].account(), self.daemons[0].account()
        reel = self.kept(owner, 1)[0]
        for daemon in self.daemons:
            self.assertEqual(self.read(daemon, stranger, reel).status, 404)
            self.assertEqual(daemon.request("GET", f"{REELS}/{reel}").status, 401)
            self.assertEqual(daemon.request("GET", f"{REELS}/{reel}", token="reelsd_x").status, 401)
            self.assertEqual(self.read(daemon, owner, reel).status, 200)

    def test_revoked_tokens_and_disabled_accounts_are_rejected(self):
        owner = self.daemons[0].account()
        reel = self.kept(owner, 1)[0]
        other_token = self.daemons[0].token(owner.email, "other")
        must(self.daemons[0].cli("token", "revoke", "--account", owner.email, "--name", "test"))
        for daemon in self.daemons:
            self.assertEqual(self.read(daemon, owner, reel).status, 401)
            self.assertEqual(daemon.request("GET", f"{REELS}/{reel}", token=other_token).status, 200)
        self.sql(f"UPDATE account SET disabled_at = now() WHERE email = '{owner.email}'")
        for daemon in self.daemons:
            self.assertEqual(daemon.request("GET", f"{REELS}/{reel}", token=other_token).status, 401)


class Outage(TwoDaemons):
    def test_no_cached_reel_is_sent_without_revalidation(self):
        owner = self.daemons[0].account()
        kept, gone = self.kept(owner, 2)
        self.cluster.stop()
        for daemon in self.daemons:
            self.assertEqual(self.read(daemon, owner, kept).status, 503)
        self.cluster.start()
        self.sql(f"DELETE FROM job WHERE id = {gone}")
        for daemon in self.daemons:
            self.assertEqual(self.read(daemon, owner, gone).status, 404)
            self.assertEqual(self.read(daemon, owner, kept).status, 200)


if __name__ == "__main__":
    unittest.main(verbosity=2)
