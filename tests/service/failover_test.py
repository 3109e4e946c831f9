"""Tests a PostgreSQL with a replica: the primary dies or stops responding under load, the replica is promoted, and
the daemon uses it without a restart.

Method: two real servers on loopback with streaming replication, and one daemon with both in its database-url.
Clients submit with Idempotency-Keys all the time, and repeat submissions without a 202. Then the answers of the
clients are compared with the database and with the requests at the platform and the model.
"""

import http.client
import os
import signal
import threading
import unittest

from database_pair import DatabasePair
from model_support import ANSWER
from openai_stand_in import OpenAiStandIn
from service_support import UNAVAILABLE, Platform, ServiceTest, must, wait_until

KEY, MODEL = "sk-standInKeyOfFailover", "test-model"
CLIENTS = 4
ACCEPTED_BEFORE, ACCEPTED_AFTER = 20, 20


class Client(threading.Thread):
    """Submits one link after the other, each until it is accepted."""

    def __init__(self, account, name, over):
        super().__init__(daemon=True)
        self.account, self.label, self.over = account, name, over
        self.accepted = {}  # Idempotency-Key: job id of the last 202.
        self.refused, self.wrong = 0, []

    def run(self):
        while not self.over.is_set():
            key = f"{self.label}-{len(self.accepted)}"
            try:
                answer = self.account.request("POST", "/api/v1/reels/analyze", {"url": UNAVAILABLE},
                                              {"Idempotency-Key": key})
            except (OSError, http.client.HTTPException) as why:
                self.wrong.append(repr(why))
                continue
            if answer.status == 202:
                self.accepted[key] = answer.json()["id"]
            elif answer.status == 503 and answer.headers.get("Retry-After"):
                self.refused += 1
                self.over.wait(0.05)
            else:
                self.wrong.append(str(answer))


class Failover(ServiceTest):
    def setUp(self):
        self.pair = DatabasePair()
        self.addCleanup(self.pair.close)
        self.over = threading.Event()
        self.addCleanup(self.over.set)

    def started(self, **settings):
        settings = {"workers": 4, "retry_base_seconds": 0.05, "requests_per_minute": 1000000,
                    "database_url": self.pair.url(), **settings}
        return self.daemon(**settings).start()

    def crowd(self, daemon):
        account = daemon.account(unlimited=True)
        clients = [Client(account, f"client{number}", self.over) for number in range(CLIENTS)]
        for client in clients:
            client.start()
        return account, clients

    def accepted(self, clients):
        return sum(len(client.accepted) for client in clients)

    def wait_for_accepted(self, clients, more):
        target = self.accepted(clients) + more
        wait_until(lambda: self.accepted(clients) >= target, f"{more} accepted submissions")

    def end(self, clients):
        self.over.set()
        for client in clients:
            client.join(30)
        for client in clients:
            self.assertEqual(client.wrong, [])

    def assertAllDone(self, account, clients):
        """Each accepted job exists once, and ends."""
        promised = {key: job for client in clients for key, job in client.accepted.items()}
        rows = self.pair.replica.query("SELECT key, job_id FROM submission_key", "reels").split()
        self.assertLessEqual(set(f"{key}|{job}" for key, job in promised.items()), set(rows))
        for job in promised.values():
            self.assertEqual(account.finished(job)["error_code"], "unavailable")
        doubled = self.pair.replica.query(
            "SELECT count(*) - count(DISTINCT key) FROM submission_key", "reels").strip()
        self.assertEqual(doubled, "0")

    def test_synchronous_replication_loses_nothing_when_the_primary_is_killed(self):
        self.pair.keep_in_step()
        daemon = self.started()
        account, clients = self.crowd(daemon)
        self.wait_for_accepted(clients, ACCEPTED_BEFORE)
        self.pair.primary.kill_all()
        wait_until(lambda: daemon.request("GET", "/readyz").status == 503, "unreadiness")
        self.assertEqual(daemon.request("GET", "/healthz").status, 200)
        self.pair.replica.promote()
        wait_until(lambda: daemon.request("GET", "/readyz").status == 200, "readiness")
        self.wait_for_accepted(clients, ACCEPTED_AFTER)
        self.end(clients)
        self.assertAllDone(account, clients)
        self.assertIn("database reachable", daemon.log())

    def test_a_silent_primary_is_skipped(self):
        """A machine without power does not answer: no refusal makes the client try the next server."""
        self.pair.keep_in_step()
        daemon = self.started()
        account, clients = self.crowd(daemon)
        self.wait_for_accepted(clients, ACCEPTED_BEFORE)
        self.pair.primary.signal_all(signal.SIGSTOP)
        self.pair.replica.promote()
        self.wait_for_accepted(clients, ACCEPTED_AFTER)
        self.end(clients)
        self.assertAllDone(account, clients)
        # A daemon that starts now, and commands, also skip the silent server.
        another = self.started(data_dir=os.path.join(daemon.folder, "another"), workers=0)
        self.assertEqual(another.request("GET", "/readyz").status, 200)
        must(daemon.cli("token", "list", "--account", account.email))

    def test_a_primary_that_becomes_read_only_is_left(self):
        """Its connections stay open, and serve reads until the promotion."""
        daemon = self.started(workers=0)
        account = daemon.account(unlimited=True)
        before = account.submit(UNAVAILABLE)
        self.pair.primary.query("ALTER SYSTEM SET default_transaction_read_only = on", "postgres")
        self.pair.primary.query("SELECT pg_reload_conf()", "postgres")
        wait_until(lambda: daemon.request("GET", "/readyz").status == 503, "unreadiness")
        self.assertEqual(account.job(before)["status"], "pending", "reads continue")
        self.pair.wait_for_replica()
        self.pair.replica.promote()
        wait_until(lambda: daemon.request("GET", "/readyz").status == 200, "readiness")
        self.assertGreater(account.submit(UNAVAILABLE), before)
        left = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'reelsd'"
        wait_until(lambda: self.pair.primary.query(left, "postgres").strip() == "0", "no session at the old primary")
        self.assertIn("database connections moved to a writable server", daemon.log())

    def test_without_its_only_replica_submissions_wait(self):
        """With synchronous replication, a primary without its replica accepts nothing until an operator turns that
        off."""
        self.pair.keep_in_step()
        daemon = self.started(workers=0)
        account = daemon.account(unlimited=True)
        before = account.submit(UNAVAILABLE)
        self.pair.replica.kill_all()
        submit = lambda: account.request(
            "POST", "/api/v1/reels/analyze", {"url": UNAVAILABLE}, {"Idempotency-Key": "once"})
        refused = submit()
        self.assertEqual((refused.status, refused.headers["Retry-After"] is None), (503, False), refused)
        self.assertEqual(account.job(before)["status"], "pending", "reads continue")
        self.pair.leave_alone()
        accepted = wait_until(lambda: (lambda answer: answer if answer.status == 202 else None)(submit()), "a 202")
        rows = self.pair.primary.query("SELECT job_id FROM submission_key WHERE key = 'once'", "reels").split()
        self.assertEqual(rows, [str(accepted.json()["id"])])
        self.assertEqual(self.pair.primary.query("SELECT count(*) FROM job", "reels").strip(), "2")

    def test_asynchronous_replication_loses_unreplicated_rows(self):
        platform = Platform(with_sound=True)
        self.addCleanup(platform.close)
        model = OpenAiStandIn("vllm", key=KEY).start()
        self.addCleanup(model.stop)
        model.answer = ANSWER
        daemon = self.started(
            **platform.settings(), analyzer="openai", openai_url=model.url, openai_model=MODEL,
            openai_api_key=KEY, model_prices=f"{MODEL}=1/1")
        account = daemon.account(unlimited=True)
        platform.configure(posts={"DYseen00001": {}, "DYlost00001": {}})
        seen = account.submit("https://www.instagram.com/reel/DYseen00001/")
        self.assertEqual(account.finished(seen)["status"], "done")
        self.pair.wait_for_replica()

        os.kill(self.pair.replica.receiver(), signal.SIGSTOP)
        key = {"Idempotency-Key": "lost"}
        body = {"url": "https://www.instagram.com/reel/DYlost00001/"}
        lost = account.request("POST", "/api/v1/reels/analyze", body, key).json()["id"]
        self.assertEqual(account.finished(lost)["status"], "done")
        paid = [call for call in model.of("chat") if call.usage]
        self.assertEqual(len(paid), 2)
        # The daemon has cached both, and the replica would answer its revalidation in the same way.
        for reel in (seen, lost, seen, lost):
            self.assertEqual(account.request("GET", f"/api/v1/reels/{reel}").status, 200)

        self.pair.primary.kill_all()
        # The promotion would wait for it.
        os.kill(self.pair.replica.receiver(), signal.SIGKILL)
        wait_until(self.pair.replica._serves, "the replica")
        self.pair.replica.promote()
        wait_until(lambda: daemon.request("GET", "/readyz").status == 200, "readiness")
        # The earlier reel exists. The other one, its key and its paid call do not.
        self.assertEqual(account.job(seen)["status"], "done")
        self.assertEqual(account.request("GET", f"/api/v1/reels/{lost}").status, 404)
        usage = account.request("GET", "/api/v1/reels/usage").json()
        self.assertEqual(usage["total_calls"], 1)
        again = account.request("POST", "/api/v1/reels/analyze", body, key)
        self.assertEqual(again.status, 202, again)
        self.assertEqual(account.finished(again.json()["id"])["status"], "done")
        self.assertEqual(len([call for call in model.of("chat") if call.usage]), 3, "paid for again")


if __name__ == "__main__":
    unittest.main(verbosity=2)
