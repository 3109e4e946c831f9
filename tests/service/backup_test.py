"""Tests `reelsd backup` and `reelsd restore`: either all data is restored, or nothing has changed.

Method: a daemon on its private cluster for backup and restore as clients see them; databases of one server,
reached by their address, for all errors of files and databases.
"""

import fcntl
import hashlib
import os
import pathlib
import shutil
import signal
import stat
import subprocess
import unittest

from dashboard_session import Person, set_up_link_secret
from service_support import (
    UNAVAILABLE, Cluster, Platform, ServiceTest, as_postgres, clean_environment, must, new_folder,
    program, run_reelsd, wait_until)

MIGRATIONS = sorted(pathlib.Path(__file__).parents[2].joinpath("migrations").glob("*.sql"))


class BackupTest(ServiceTest):
    def setUp(self):
        self.folder = new_folder()
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name="reels.backup"):
        return os.path.join(self.folder, name)

    def refused(self, done, *parts):
        """Prints one clear line, and leaves no files."""
        self.assertEqual(done.returncode, 1, done)
        self.assertRegex(done.stderr, r"\Areelsd: [^\n]+\n\Z")
        for part in parts:
            self.assertIn(part, done.stderr)
        self.assertEqual([name for name in os.listdir(self.folder) if ".part" in name], [])


def asked(account, person, jobs):
    """Answers of the API about all data."""
    seen = {}
    for path in ["", "?limit=1", "/usage", "/usage/days", "/search?q=coffee", "/search?q=espresso%20barista",
                 *(f"/{job}{part}" for job in jobs
                   for part in ("", "/thumbnail", "/thumbnail?size=small", "/subtitles.srt", "/usage"))]:
        answer = account.request("GET", "/api/v1/reels" + path)
        seen[path] = (answer.status, answer.body)
    for path in ("reels", "tokens", "admin/accounts"):
        answer = person.api("GET", path)
        assert answer.status == 200, answer
        seen[path] = answer.json()
    seen["session"] = person.api("GET", "session").json()["account"]
    return seen


class RoundTrip(BackupTest):
    def test_a_private_cluster(self):
        platform = Platform()
        self.addCleanup(platform.close)
        platform.configure(posts={"DYbackup001": {"page": "ok", "caption": "Better coffee from fresh beans #coffee"}})
        daemon = self.daemon(database_url="", workers=2, requests_per_minute=100000, **platform.settings()).start()
        person = Person(daemon).join(set_up_link_secret(daemon), email="admin@example.test")
        account = daemon.account(email="ann@example.test", unlimited=True)
        jobs = [account.submit(link) for link in ("https://www.instagram.com/reel/DYbackup001/", UNAVAILABLE)]
        for job in jobs:
            account.finished(job)
        before = asked(account, person, jobs)
        self.assertEqual(before[f"/{jobs[0]}/thumbnail"][0], 200)
        self.assertIn(b"coffee", before["/search?q=coffee"][1].lower())

        with self.subTest("while the daemon runs"):
            # Leftovers of killed backups; a pg_dump may still be writing the second one.
            killed, written = self.path() + ".part-00000001", self.path() + ".part-00000002"
            for name in (killed, written):
                with open(name, "wb"):
                    pass
            with open(written, "rb") as held:
                fcntl.flock(held, fcntl.LOCK_EX)
                done = must(daemon.cli("backup", self.path()))
            self.assertFalse(os.path.exists(killed))
            os.remove(written)
            self.assertRegex(done.stdout, r"^.*/reels\.backup: \d+ bytes, schema \d{4}\n$")
            self.assertEqual(stat.S_IMODE(os.stat(self.path()).st_mode), 0o600)
            self.assertEqual(os.listdir(self.folder), ["reels.backup"])
        with self.subTest("a restoration under a daemon is refused"):
            self.refused(daemon.cli("restore", "--replace", self.path()), "in use", "stop every daemon")
            self.assertEqual(asked(account, person, jobs), before)

        self.assertEqual(account.request("DELETE", f"/api/v1/reels/{jobs[0]}").status, 204)
        must(daemon.cli("token", "revoke", "--account", account.email, "--name", "test"))
        account.request("GET", "/api/v1/reels")
        daemon.stop()
        with self.subTest("existing data is not overwritten by default"):
            self.refused(daemon.cli("restore", self.path()), "--replace")
        done = must(daemon.cli("restore", "--replace", self.path()))
        self.assertRegex(done.stdout, r"restored, its schema was \d{4}\n$")
        daemon.start()
        self.assertEqual(asked(account, person, jobs), before)
        new = account.submit(UNAVAILABLE)
        self.assertGreater(new, max(jobs), "ids continue")
        account.finished(new)

        with self.subTest("in a database of the operator's, without --replace"):
            cluster = Cluster()
            self.addCleanup(cluster.close)
            other = self.daemon(workers=0, requests_per_minute=100000, database_url=cluster.new_database())
            must(other.cli("restore", self.path()))
            other.start()
            account.daemon = person.daemon = other
            self.assertEqual(asked(account, person, jobs), before)


class Databases(BackupTest):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster()
        cls.addClassCleanup(cls.cluster.close)
        cls.full = cls.cluster.new_database()
        must(run_reelsd("account", "create", "--email", "ann@example.test", database_url=cls.full))

    def sql(self, url, statement):
        return self.cluster.query(statement, url.rsplit("=", 1)[1]).strip()

    def backup(self, url, *arguments, **more):
        return run_reelsd("backup", *arguments, database_url=url, **more)

    def restore(self, url, *arguments):
        return run_reelsd("restore", *arguments, database_url=url)

    def databases(self):
        return self.cluster.query("SELECT datname FROM pg_database ORDER BY 1", "postgres")

    def emails(self, url):
        return self.sql(url, "SELECT string_agg(email, ' ' ORDER BY email) FROM account")

    def changed_copy(self, *statements):
        """Creates a backup of a database that differs from the full one by the statements."""
        url = self.cluster.new_database()
        must(self.backup(self.full, self.path("copy")))
        must(self.restore(url, self.path("copy")))
        for statement in statements:
            self.sql(url, statement)
        must(self.backup(url, self.path("changed")))
        return self.path("changed")

    def test_a_backup_file(self):
        must(self.backup(self.full, self.path()))
        first = pathlib.Path(self.path()).read_bytes()
        with self.subTest("is not overwritten by default"):
            self.refused(self.backup(self.full, self.path()), "--force")
            self.assertEqual(pathlib.Path(self.path()).read_bytes(), first)
        with self.subTest("and is when asked"):
            pathlib.Path(self.path()).write_text("something else")
            must(self.backup(self.full, self.path(), "--force"))
            must(self.restore(self.cluster.new_database(), self.path()))
        with self.subTest("a folder that is not there"):
            self.refused(self.backup(self.full, self.path("no/such")), "No such file")
        with self.subTest("a database that has nothing"):
            self.refused(self.backup(self.cluster.new_database(), self.path("nothing")), "is empty")
        self.assertEqual(os.listdir(self.folder), ["reels.backup"])

    def test_standard_output(self):
        with open(self.path(), "wb") as file:
            done = subprocess.run(
                [program("reelsd"), "backup", "-"], stdout=file, stderr=subprocess.PIPE, timeout=60,
                env={**clean_environment(database_url=self.full), "TMPDIR": self.folder})
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(os.listdir(self.folder), ["reels.backup"])
        url = self.cluster.new_database()
        must(self.restore(url, self.path()))
        self.assertEqual(self.emails(url), "ann@example.test")
        with self.subTest("that is full"), open("/dev/full", "wb") as full:
            done = subprocess.run(
                [program("reelsd"), "backup", "-"], stdout=full, stderr=subprocess.PIPE, timeout=60,
                env={**clean_environment(database_url=self.full), "TMPDIR": self.folder}, text=True)
            self.refused(done, "No space left on device")

    def test_an_interrupted_backup_leaves_nothing(self):
        name = self.full.rsplit("=", 1)[1]
        holder = subprocess.Popen(
            as_postgres("psql", "-h", self.cluster.folder, "-U", "reelsd", "-d", name, "-Xqc",
                        "BEGIN; LOCK TABLE job; SELECT pg_sleep(60)"),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")
        self.addCleanup(holder.wait, 30)
        self.addCleanup(self.sql, self.full, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                        "WHERE query LIKE '%LOCK TABLE job%' AND pid <> pg_backend_pid()")
        locks = "SELECT count(*) FROM pg_locks WHERE relation = 'job'::regclass AND "
        wait_until(lambda: self.sql(self.full, locks + "mode = 'AccessExclusiveLock'") == "1", "the lock")
        run = subprocess.Popen(
            [program("reelsd"), "backup", self.path()], env=clean_environment(database_url=self.full),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wait_until(lambda: self.sql(self.full, locks + "NOT granted") == "1", "pg_dump")
        run.send_signal(signal.SIGINT)
        output, errors = run.communicate(timeout=30)
        self.assertEqual((run.returncode, output, errors), (1, "", "reelsd: interrupted\n"))
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_file_that_is_not_a_backup_changes_nothing(self):
        must(self.backup(self.full, self.path()))
        whole = pathlib.Path(self.path()).read_bytes()
        flipped = lambda at: whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:]
        foreign = self.cluster.new_database()
        self.sql(foreign, "CREATE TABLE job AS SELECT 1 AS id")
        with open(self.path("foreign"), "wb") as file:
            subprocess.run(
                as_postgres("pg_dump", "-Fc", "-h", self.cluster.folder, "-U", "reelsd",
                            foreign.rsplit("=", 1)[1]), stdout=file, check=True, cwd="/", timeout=60)
        no_end, damaged = "is not a complete reelsd backup", "is damaged"
        cases = {
            "empty": (b"", no_end),
            "text": (b"SELECT 1;\n" * 100, no_end),
            "head alone": (whole[:100], no_end),
            "a byte too few": (whole[:-1], no_end),
            "a byte too many": (whole + b"\n", no_end),
            "a hole": (whole[:5000] + whole[6000:], damaged),
            "foreign": (pathlib.Path(self.path("foreign")).read_bytes(), no_end),
            **{f"a flipped bit at {percent} %": (flipped(len(whole) * percent // 100), damaged)
               for percent in (0, 5, 30, 60, 98)},
        }
        target = self.cluster.new_database()
        must(self.restore(target, self.path()))
        self.sql(target, "UPDATE account SET email = 'bob@example.test'")
        before = self.databases()
        for name, (content, says) in cases.items():
            with self.subTest(name):
                pathlib.Path(self.path("case")).write_bytes(content)
                self.refused(self.restore(target, "--replace", self.path("case")), self.path("case"), says)
                self.assertEqual(self.emails(target), "bob@example.test")
                self.assertEqual(self.databases(), before)
        for name in ("missing", "."):
            with self.subTest(name):
                self.refused(self.restore(target, "--replace", self.path(name)), self.path(name))

    def test_a_newer_schema_is_refused(self):
        newer = self.changed_copy("INSERT INTO schema_migration VALUES (9999, 'do_wonders', 'x')")
        target = self.cluster.new_database()
        self.refused(self.restore(target, newer), "newer reelsd", "9999")
        self.assertEqual(self.sql(target, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"), "0")

    def test_a_late_failure_of_a_restore_keeps_the_old_database(self):
        other = self.changed_copy("UPDATE schema_migration SET checksum = 'x' WHERE version = 1")
        target = self.cluster.new_database()
        must(run_reelsd("account", "create", "--email", "bob@example.test", database_url=target))
        before = self.databases()
        self.refused(self.restore(target, "--replace", other), "0001")
        self.assertEqual(self.emails(target), "bob@example.test")
        self.assertEqual(self.databases(), before)

    def test_an_older_schema_is_brought_up_to_date(self):
        url = self.cluster.new_database()
        self.sql(url, "CREATE TABLE schema_migration (version integer PRIMARY KEY, name text NOT NULL, "
                      "checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())")
        for file in MIGRATIONS[:4]:
            version, name = file.stem.split("_", 1)
            checksum = hashlib.sha256(file.read_bytes()).hexdigest()
            self.sql(url, file.read_text())
            self.sql(url, f"INSERT INTO schema_migration VALUES ({int(version)}, '{name}', '{checksum}')")
        self.sql(url, "INSERT INTO account (email) VALUES ('old@example.test')")
        must(self.backup(url, self.path()))
        self.assertEqual(self.sql(url, "SELECT max(version) FROM schema_migration"), "4", "a look changes nothing")

        target = self.cluster.new_database()
        done = must(self.restore(target, self.path()))
        self.assertIn("its schema was 0004", done.stdout)
        self.assertEqual(self.emails(target), "old@example.test")
        newest = str(int(MIGRATIONS[-1].stem.split("_")[0]))
        self.assertEqual(self.sql(target, "SELECT max(version) FROM schema_migration"), newest)


if __name__ == "__main__":
    unittest.main(verbosity=2)
