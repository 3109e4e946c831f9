"""Tests programs of two releases on one database: an older one does not start on a newer schema, and a running one
continues as long as the schema allows it.

Method: real daemons; a newer program's migration is simulated by its row.
"""

import unittest

from service_support import UNAVAILABLE, DatabaseTest, must, wait_until

NEWER = "INSERT INTO schema_migration VALUES (9999, 'add_column', 'x')"


class Upgrades(DatabaseTest):
    def lines_with(self, daemon, words):
        return [line for line in daemon.log_lines() if words in line["message"]]

    def test_an_older_program_does_not_start(self):
        must(self.shared_daemon().cli("migrate"))
        self.sql(NEWER)
        daemon = self.shared_daemon(workers=0).spawn()
        self.assertEqual(daemon.process.wait(60), 1)
        self.assertIn("the database is newer than this program: it has migration 9999", daemon.log())
        self.assertNotEqual(daemon.cli("migrate").returncode, 0)

    def test_a_running_daemon_continues_and_warns_once(self):
        daemon = self.shared_daemon(workers=1).start()
        account = daemon.account(unlimited=True)
        self.sql(NEWER)
        warning = wait_until(lambda: self.lines_with(daemon, "a newer release has migrated"), "the warning")[0]
        self.assertEqual((warning["schema"], warning["level"]), (9999, "warning"))
        job = account.finished(account.submit(UNAVAILABLE))
        self.assertEqual(job["error_code"], "unavailable")
        self.assertEqual(daemon.request("GET", "/readyz").status, 200)
        self.assertEqual(daemon.stop(), 0)
        self.assertEqual(len(self.lines_with(daemon, "a newer release has migrated")), 1)

    def test_an_unsupported_daemon_releases_its_jobs_and_stops(self):
        self.platform.configure(posts={"DYslow00001": {"page": "slow", "delay": 60, "slides": ["photo"]}})
        daemon = self.shared_daemon(workers=1).start()
        account = daemon.account(unlimited=True)
        job = account.submit("https://www.instagram.com/reel/DYslow00001/")
        wait_until(lambda: account.job(job)["status"] == "processing", "the work")
        self.sql(NEWER)
        self.sql("UPDATE schema_floor SET version = 9999")
        self.assertEqual(daemon.process.wait(60), 1)
        self.assertEqual(len(self.lines_with(daemon, "the database requires a newer release; this daemon stops")), 1)
        self.assertIn("reelsd: the database requires a newer release than this one", daemon.log())
        self.assertEqual(self.sql("SELECT status, attempt FROM job"), "pending|0")

    def test_two_daemons_start_concurrently_on_an_empty_database(self):
        self.database = self.cluster.new_database()
        daemons = [self.shared_daemon(workers=1, data_dir=f"data-{n}") for n in range(2)]
        for daemon in daemons:
            daemon.spawn()
        for daemon in daemons:
            daemon.address = wait_until(daemon._listening, "the daemon's address")
            wait_until(lambda: daemon.request("GET", "/readyz").status == 200, "readiness")
        applied = [len(self.lines_with(daemon, "migration applied")) for daemon in daemons]
        self.assertEqual(sum(applied), int(self.sql("SELECT count(*) FROM schema_migration")))
        account = daemons[0].account(unlimited=True)
        for daemon in daemons:
            account.daemon = daemon
            account.finished(account.submit(UNAVAILABLE))


if __name__ == "__main__":
    unittest.main(verbosity=2)
