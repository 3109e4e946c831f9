"""Tests a minor upgrade of PostgreSQL, which replaces the files of a running server.

Goal: daemons with the private database restart it while clients wait. With an operator's database they report the
cause and the remedy. Method: real servers from a copy of the programs, upgraded as a package does it
(postgres_copy.py), with clients that submit throughout, and work in progress.
"""

import os
import shutil
import subprocess
import threading
import unittest

from postgres_copy import PostgresCopy
from service_support import (
    POSTGRES_BIN, UNAVAILABLE, Cluster, Platform, ServiceTest, as_postgres, new_folder, wait_until)

BACK_SECONDS_MAX = 60  # The documents for operators promise 15.
SLOW = "DYslow00001"
SLOW_SECONDS = 8


class Submitter(threading.Thread):
    """Submits repeatedly, each time on a new connection; records accepted and refused submissions."""

    def __init__(self, account):
        super().__init__()
        self.account = account
        self.accepted = []
        self.refused = []
        self.leaving = threading.Event()

    def run(self):
        while not self.leaving.is_set():
            try:
                answer = self.account.analyze(UNAVAILABLE)
                if answer.status == 202:
                    self.accepted.append(answer.json()["id"])
                else:
                    self.refused.append(answer)
            except OSError as fault:
                self.refused.append(fault)
            self.leaving.wait(0.05)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *why):
        self.leaving.set()
        self.join()


class UpgradeTest(ServiceTest):
    def setUp(self):
        folder = new_folder()
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        self.postgres = PostgresCopy(os.path.dirname(POSTGRES_BIN), folder)


class PrivateDatabase(UpgradeTest):
    @classmethod
    def setUpClass(cls):
        cls.platform = Platform()
        cls.addClassCleanup(cls.platform.close)
        cls.platform.configure(posts={
            SLOW: {"page": "slow", "delay": SLOW_SECONDS, "slides": ["photo"]}})

    def upgradable_daemon(self, **more):
        return self.daemon(database_url="", postgres_bin_dir=self.postgres.bin, workers=2,
                           requests_per_minute=100000, **self.platform.settings(), **more)

    def sql(self, daemon, statement):
        run = os.path.join(daemon.settings["data_dir"], "run")
        done = subprocess.run(
            as_postgres(os.path.join(POSTGRES_BIN, "psql"), "-h", run, "-U", "reelsd", "-d", "reelsd",
                        "-XAtqc", statement),
            stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd="/", timeout=30)
        return done.stdout.strip()  # Empty while the server is not running.

    def cut_sessions(self, daemon):
        """Closes all sessions, so that new ones are opened, in which a replaced library fails."""
        self.sql(daemon, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                         " WHERE application_name = 'reelsd'")

    def await_new_version(self, daemon):
        wait_until(lambda: self.sql(daemon, "SHOW server_version").startswith(self.postgres.new_version),
                   "the new server", BACK_SECONDS_MAX)

    def expect_all_done(self, account, job_ids):
        for job_id in job_ids:
            job = account.finished(job_id)
            self.assertEqual((job["status"], job["error_code"]), ("error", "unavailable"), job)

    def test_a_daemon_restarts_its_database(self):
        daemon = self.upgradable_daemon().start()
        account = daemon.account(unlimited=True)
        slow = account.submit(f"https://www.instagram.com/reel/{SLOW}/")
        wait_until(lambda: account.job(slow)["status"] == "processing", "work under way")
        with Submitter(account) as clients:
            wait_until(lambda: len(clients.accepted) > 5, "submissions")
            self.postgres.upgrade()
            self.await_new_version(daemon)
            accepted = len(clients.accepted)
            wait_until(lambda: len(clients.accepted) > accepted + 5, "submissions", BACK_SECONDS_MAX)
        self.assertEqual(clients.refused, [])
        self.assertEqual(daemon.request("GET", "/readyz").status, 200)
        self.expect_all_done(account, clients.accepted)
        account.finished(slow)
        self.assertEqual(self.sql(daemon, f"SELECT attempt FROM job WHERE id = {slow}"), "1", "work was kept")
        self.assertEqual(daemon.log().count("restarting the private database"), 1)

    def test_connections_opened_during_the_upgrade_work(self):
        """The library is replaced, but the program is not yet: the server has loaded the old library."""
        daemon = self.upgradable_daemon().start()
        account = daemon.account(unlimited=True)
        self.postgres.upgrade_library()
        self.cut_sessions(daemon)
        job = wait_until(lambda: (lambda answer: answer.status == 202 and answer.json()["id"])(
            account.analyze(UNAVAILABLE)), "a submission", BACK_SECONDS_MAX)
        self.expect_all_done(account, [job])
        self.postgres.upgrade_program()
        self.await_new_version(daemon)
        self.expect_all_done(account, [account.submit(UNAVAILABLE)])

    def test_a_restart_during_the_upgrade_is_repeated(self):
        """The program is replaced, but its library is not for a while: the new server cannot start."""
        daemon = self.upgradable_daemon().start()
        account = daemon.account(unlimited=True)
        slow = account.submit(f"https://www.instagram.com/reel/{SLOW}/")
        wait_until(lambda: account.job(slow)["status"] == "processing", "work under way")
        self.postgres.upgrade_program()
        wait_until(lambda: "starting the private database failed" in daemon.log(), "a failed start",
                   BACK_SECONDS_MAX)
        self.postgres.upgrade_library()
        self.await_new_version(daemon)
        wait_until(lambda: daemon.request("GET", "/readyz").status == 200, "readiness", BACK_SECONDS_MAX)
        self.expect_all_done(account, [account.submit(UNAVAILABLE)])
        account.finished(slow)
        self.assertEqual(self.sql(daemon, f"SELECT attempt FROM job WHERE id = {slow}"), "1", "work was kept")

    def test_daemons_that_share_the_database_wait_together(self):
        owner = self.upgradable_daemon().start()
        other = self.upgradable_daemon(data_dir=owner.settings["data_dir"]).start()
        account = owner.account(unlimited=True)
        second_account = other.account(unlimited=True)
        with Submitter(account) as first, Submitter(second_account) as second:
            wait_until(lambda: first.accepted and second.accepted, "submissions")
            self.postgres.upgrade()
            self.await_new_version(owner)
            for clients in (first, second):
                accepted = len(clients.accepted)
                wait_until(lambda: len(clients.accepted) > accepted + 5, "submissions", BACK_SECONDS_MAX)
        self.assertEqual(first.refused + second.refused, [])
        self.expect_all_done(account, first.accepted)
        self.expect_all_done(second_account, second.accepted)
        # The link between the daemons still exists: the database can be handed over once more.
        self.assertEqual(owner.stop(), 0)
        self.expect_all_done(second_account, [second_account.submit(UNAVAILABLE)])
        self.assertEqual(other.request("GET", "/readyz").status, 200)

    def test_clusters_of_earlier_releases_load_their_libraries_at_the_next_start(self):
        daemon = self.upgradable_daemon().start()
        loaded = self.sql(daemon, "SHOW shared_preload_libraries")
        self.assertEqual(loaded, "plpgsql,dict_snowball")
        configured = self.sql(daemon, "SELECT source FROM pg_settings"
                                      " WHERE name = 'shared_preload_libraries'")
        self.assertEqual(configured, "command line", "not in the files of the cluster")


class CopiedCluster(Cluster):
    """An operator's server that runs the programs that are upgraded."""

    def __init__(self, copy):
        self.copy = copy
        super().__init__()

    def program(self, name):
        return os.path.join(self.copy.bin, name) if name == "postgres" else super().program(name)


class OperatorsDatabase(UpgradeTest):
    def test_the_cause_is_reported_until_the_server_restarts(self):
        cluster = CopiedCluster(self.postgres)
        self.addCleanup(cluster.close)
        daemon = self.daemon(database_url=cluster.new_database(), workers=1).start()
        account = daemon.account(unlimited=True)
        account.submit(UNAVAILABLE)
        self.postgres.upgrade()
        cluster.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                      " WHERE application_name = 'reelsd'", "postgres")
        wait_until(lambda: daemon.request("GET", "/readyz").status == 503, "unreadiness", BACK_SECONDS_MAX)
        wait_until(lambda: "library" in daemon.request("GET", "/readyz").json()["message"],
                   "the cause", BACK_SECONDS_MAX)
        self.assertProblem(
            daemon.request("GET", "/readyz"), 503,
            "not ready: the database server cannot load a library, because its files were replaced"
            " while it runs; restart PostgreSQL")
        advice = "PostgreSQL's files were replaced while it runs: restart PostgreSQL"
        self.assertIn(advice, daemon.log())
        self.assertIn(advice, daemon.cli("doctor").stdout)
        self.assertIn("restart PostgreSQL", daemon.cli("healthcheck", listen=daemon.address).stderr)

        cluster.stop()
        cluster.start()
        wait_until(lambda: daemon.request("GET", "/readyz").status == 200, "readiness", BACK_SECONDS_MAX)
        account.finished(account.submit(UNAVAILABLE))


if __name__ == "__main__":
    unittest.main(verbosity=2)
