"""Tests that a private database of PostgreSQL 15 continues under a newer version. Goal: no reel is lost, whenever the
daemon is killed.

Method: the real daemon and both versions, as on a machine that was upgraded from Debian 12. scripts/test-releases
installs them and runs this test; other machines have one version.
"""

import os
import pathlib
import random
import subprocess
import time
import unittest
import unittest.mock

import service_support as support

OLD_BIN = "/usr/lib/postgresql/15/bin"
REELS = 1000
LINKS_PER_LIST = 50
KILLS = 12
UPGRADE_SECONDS_MAX = 120  # On a busy machine; the daemon's own bound is 600.


class MajorUpgrade(support.ServiceTest):
    def setUp(self):
        self.assertNotEqual(support.POSTGRES_BIN, OLD_BIN, "this test needs PostgreSQL 15 and a newer version")
        self.served = self.daemon(database_url="", workers=1, platform_proxy="http://127.0.0.1:9")
        self.data = pathlib.Path(self.served.settings["data_dir"])

    def sql(self, statement):
        done = support.must(subprocess.run(
            support.as_postgres(os.path.join(support.POSTGRES_BIN, "psql"), "-h", self.data / "run", "-U", "reelsd",
                                "-d", "reelsd", "-XAtqc", statement),
            stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd="/", timeout=60))
        return done.stdout.strip()

    def fill(self):
        """A database of version 15 with reels."""
        self.served.settings["postgres_bin_dir"] = OLD_BIN
        self.served.start()
        account = self.served.account(unlimited=True)
        for first in range(0, REELS, LINKS_PER_LIST):
            links = [f"https://www.instagram.com/reel/DY{number:09}/" for number in range(first, first + LINKS_PER_LIST)]
            answer = account.request("POST", "/api/v1/reels/analyze", {"urls": links, "queue": True})
            self.assertEqual(answer.status, 202, answer)
        self.assertEqual(self.sql("SELECT count(*), current_setting('server_version_num')::int / 10000 FROM job"),
                         f"{REELS}|15")
        self.assertEqual(self.served.stop(), 0)
        del self.served.settings["postgres_bin_dir"]

    def version_in_place(self):
        return (self.data / "postgres/PG_VERSION").read_text().strip()

    def test_all_reels_survive_an_upgrade_with_kills(self):
        self.fill()
        choice = random.Random(17)
        for _ in range(KILLS):
            self.served.spawn()
            time.sleep(choice.uniform(0.05, 10))  # The moment of the kill; nothing depends on its length.
            self.served.kill()
            self.assertIn(self.version_in_place(), ("15", self.newest()))
        self.served.spawn()
        support.wait_until(self.served._listening, "the daemon's address", UPGRADE_SECONDS_MAX)
        self.assertEqual(self.version_in_place(), self.newest())
        self.assertEqual((self.data / "postgres-15/PG_VERSION").read_text().strip(), "15")
        self.assertEqual(self.sql("SELECT count(*), current_setting('server_version_num')::int / 10000 FROM job"),
                         f"{REELS}|{self.newest()}")
        self.assertEqual([path.name for path in self.data.glob("postgres.new-*")], [])

    def test_newer_programs_restore_into_the_old_server(self):
        newest_bin = support.POSTGRES_BIN
        with unittest.mock.patch.object(support, "POSTGRES_BIN", OLD_BIN):
            cluster = support.Cluster()
            self.addCleanup(cluster.close)
            databases = [cluster.new_database(), cluster.new_database()]
            served = self.daemon(database_url=databases[0], postgres_bin_dir=newest_bin, workers=1)
            account = served.start().account()
            job = account.submit(support.SAMPLE)
            backup = os.path.join(served.folder, "reels.backup")
            support.must(served.cli("backup", backup))
            support.must(served.cli("restore", backup, database_url=databases[1]))
            count = cluster.query(f"SELECT count(*) FROM job WHERE id = {job}", databases[1].rsplit("=", 1)[1])
            self.assertEqual(count.strip(), "1")

    def newest(self):
        return support.POSTGRES_BIN.split("/")[4]


if __name__ == "__main__":
    unittest.main(verbosity=2)
