"""Tests that /readyz reports when submissions cannot be stored or jobs cannot be claimed, and which of the two.

Method: real daemons on a real database that loses one thing after the other, and gets it back, without other
requests. postgres_upgrade_test.py tests a replaced library.
"""

import threading
import unittest

from service_support import UNAVAILABLE, Cluster, ServiceTest, wait_until
from small_disk import SmallDisk

STORE = "not ready: submissions cannot be stored"
SUBMIT_JOBS = ("submit_jobs(bigint[], text[], boolean[], boolean[], text[], text[], text[], integer[], boolean[], "
               "bigint[], text[], integer, integer)")


class ReadinessTest(ServiceTest):
    tablespace = ""

    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster()
        cls.addClassCleanup(cls.cluster.close)
        # Not a superuser, who may do anything.
        cls.cluster.query("CREATE ROLE service LOGIN", "postgres")
        cls.create_database()

    @classmethod
    def create_database(cls):
        cls.cluster.query("CREATE DATABASE reels OWNER service" + cls.tablespace, "postgres")

    def sql(self, statement):
        return self.cluster.query(statement, "reels").strip()

    def ready_daemon(self, **more):
        url = f"host={self.cluster.folder} user=service dbname=reels"
        return self.daemon(**{"database_url": url, "workers": 1, **more}).start()

    def await_check(self, daemon, message):
        def fails():
            answer = daemon.request("GET", "/readyz")
            return answer.status == 503 and answer.json()["message"] == message and answer
        answer = wait_until(fails, message, 30)
        self.assertProblem(answer, 503, message)
        self.assertIn("Retry-After", answer.headers)
        lines = [line for line in daemon.log_lines()
                if line["message"] == "not ready" and line["check"] == message]
        self.assertTrue(lines and lines[0]["reason"], "the log has the cause")

    def await_readiness(self, daemon):
        wait_until(lambda: daemon.request("GET", "/readyz").status == 200, "readiness", 30)


class Causes(ReadinessTest):
    def setUp(self):
        self.served = self.ready_daemon()

    def lose(self, loss, message, repair):
        for statement in loss:
            self.sql(statement)
        self.await_check(self.served, message)
        for statement in repair:
            self.sql(statement)
        self.await_readiness(self.served)

    def test_not_ready_without_the_insert_privilege(self):
        self.lose(["REVOKE INSERT ON job FROM service"], STORE, ["GRANT INSERT ON job TO service"])

    def test_not_ready_without_the_submission_function(self):
        self.lose([f"ALTER FUNCTION {SUBMIT_JOBS} RENAME TO lost"], STORE,
                  [f"ALTER FUNCTION {SUBMIT_JOBS.replace('submit_jobs', 'lost')} RENAME TO submit_jobs"])

    def test_not_ready_with_a_read_only_database(self):
        self.sql("ALTER SYSTEM SET default_transaction_read_only = on")
        self.sql("SELECT pg_reload_conf()")
        self.await_check(self.served, STORE + ": the database is read-only")
        refused = self.served.cli("account", "create", "--email", "late@example.test")
        self.assertEqual((refused.returncode, refused.stderr.strip()), (
            1, "reelsd: the database is read-only (a replica, or default_transaction_read_only)"))
        doctor = self.served.cli("doctor")
        self.assertEqual(doctor.returncode, 1)
        self.assertIn("FAIL  database       the database is read-only (", doctor.stdout)
        self.sql("ALTER SYSTEM RESET default_transaction_read_only")
        self.sql("SELECT pg_reload_conf()")
        self.await_readiness(self.served)

    def test_not_ready_without_the_update_privilege(self):
        self.lose(["REVOKE UPDATE ON job FROM service"], "not ready: jobs cannot be claimed",
                  ["GRANT UPDATE ON job TO service"])

    def test_not_ready_without_the_id_sequence(self):
        """No check uses the sequence: a client's submission reveals the fault."""
        account = self.served.account(unlimited=True)
        self.sql("REVOKE ALL ON SEQUENCE job_id_seq FROM service")
        self.assertEqual(account.analyze(UNAVAILABLE).status, 500)
        self.await_check(self.served, STORE)
        self.sql("GRANT ALL ON SEQUENCE job_id_seq TO service")
        self.await_readiness(self.served)
        account.finished(account.submit(UNAVAILABLE))

    def test_not_ready_without_a_database_server(self):
        self.cluster.stop()
        try:
            self.await_check(self.served, "not ready: the database is not reachable")
        finally:
            self.cluster.start()
        self.await_readiness(self.served)

    def test_a_daemon_without_workers_does_not_need_to_claim(self):
        daemon = self.ready_daemon(workers=0)
        self.sql("REVOKE UPDATE ON job FROM service")
        self.await_check(self.served, "not ready: jobs cannot be claimed")
        self.assertEqual(daemon.request("GET", "/readyz").status, 200)
        self.sql("GRANT UPDATE ON job TO service")


class FullDisk(ReadinessTest):
    @classmethod
    def create_database(cls):
        cls.disk = SmallDisk(64, cls.addClassCleanup, "mode=700,uid=postgres")
        cls.cluster.query(f"CREATE TABLESPACE small LOCATION '{cls.disk.folder}'", "postgres")
        cls.tablespace = " TABLESPACE small"
        super().create_database()

    def test_not_ready_until_the_disk_has_space(self):
        daemon = self.ready_daemon()
        account = daemon.account(unlimited=True)
        self.disk.fill()
        link = UNAVAILABLE + "?utm=" + "x" * 1900  # A few of them fill a page.
        wait_until(lambda: account.analyze(link).status == 503, "a refusal")
        self.await_check(daemon, STORE)
        # From here on no client submits, as behind a load balancer: the daemon still checks.
        rows = self.sql("SELECT count(*) FROM job")
        self.disk.empty()
        self.await_readiness(daemon)
        self.assertEqual(self.sql("SELECT count(*) FROM job"), rows, "the check leaves nothing")
        account.finished(account.submit(UNAVAILABLE))


class Defaults(ReadinessTest):
    def test_isolation_level_and_write_access_override_database_defaults(self):
        """One account submits at two daemons at once: each submission locks the account's row."""
        for what in ("ROLE service", "DATABASE reels"):
            self.sql(f"ALTER {what} SET default_transaction_isolation = 'repeatable read'")
            self.sql(f"ALTER {what} SET default_transaction_read_only = on")
        daemons = [self.ready_daemon() for _ in range(2)]
        account = daemons[0].account(unlimited=True)
        answers = []

        def submit(daemon):
            for _ in range(20):
                answers.append(daemon.request(
                    "POST", "/api/v1/reels/analyze", {"url": UNAVAILABLE}, token=account.token).status)
        clients = [threading.Thread(target=submit, args=(daemon,)) for daemon in daemons for _ in range(4)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        self.assertEqual(set(answers), {202})


if __name__ == "__main__":
    unittest.main(verbosity=2)
