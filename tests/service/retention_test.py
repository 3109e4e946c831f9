"""Tests expiry, exports, and that nothing is left of a deleted account."""

import base64
import contextlib
import json
import signal
import socket
import subprocess
import threading
import time
import unittest

from dashboard_session import PASSWORD, Person, set_up_link_secret
from service_support import (
    SAMPLE, UNAVAILABLE, Cluster, Daemon, ServiceTest, clean_environment, must, program, wait_until)

DAY_SECONDS = 86400
# Longer than a test takes on a busy machine, so that nothing expires unintentionally.
KEPT_SECONDS = 300


def days(seconds):
    return f"{seconds / DAY_SECONDS:.9f}"


def lines_of(text):
    """The lines of a complete export, without the last one."""
    lines = [json.loads(line) for line in text.splitlines()]
    assert lines[-1] == {"type": "end", "lines": len(lines) - 1}, lines[-1]
    return lines[:-1]


def exported(account):
    answer = account.request("GET", "/api/v1/export")
    assert answer.status == 200, answer
    return lines_of(answer.body.decode())


def of_type(lines, kind):
    return [line for line in lines if line["type"] == kind]


class Shared(ServiceTest):
    """Two daemons on one database. Reels that ended five minutes ago expire; SQL sets their ages."""

    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster()
        cls.addClassCleanup(cls.cluster.close)
        cls.database = cls.cluster.new_database()
        settings = {"database_url": cls.database, "results_kept_days": days(KEPT_SECONDS),
                    "usage_kept_days": days(KEPT_SECONDS), "retry_base_seconds": 0.05}
        cls.one = Daemon(workers=2, **settings)
        cls.addClassCleanup(cls.one.close)
        cls.one.start()
        cls.other = Daemon(workers=0, **settings)
        cls.addClassCleanup(cls.other.close)
        cls.other.start()

    @classmethod
    def suite_daemons(cls):
        return [cls.one, cls.other]

    def sql(self, text):
        return self.cluster.query(text, self.database.split("dbname=")[1]).strip()

    def age(self, job_id, seconds=2 * KEPT_SECONDS):
        self.sql(f"UPDATE job SET finished_at = finished_at - interval '{seconds} seconds' WHERE id = {job_id}")

    def status(self, account, job_id, daemon=None):
        return (daemon or self.one).request(
            "GET", f"/api/v1/reels/{job_id}", token=account.token).status

    def ended_job(self, account, url=UNAVAILABLE):
        job_id = account.submit(url)
        account.finished(job_id)
        return job_id

    def left_of(self, owner):
        tables = ("job", "api_token", "web_session", "model_call", "deleted_job", "ended_reels_version", "search_document",
                  "reel_thumbnail", "webhook_default", "webhook_secret", "webhook_delivery", "idempotency_key",
                  "submission_key",                  "linked_chat", "chat_code", "chat_message", "invitation")
        counts = " + ".join(f"(SELECT count(*) FROM {table} WHERE account_id = {owner})" for table in tables)
        return int(self.sql(f"SELECT {counts} + (SELECT count(*) FROM account WHERE id = {owner})"))

    def id_of(self, email):
        return int(self.sql(f"SELECT id FROM account WHERE email = '{email}'"))


class Expiry(Shared):
    def test_expired_results_are_deleted_on_every_instance(self):
        account = self.one.account(unlimited=True)
        old, young = self.ended_job(account), self.ended_job(account)
        for daemon in (self.one, self.other):  # Both have cached views of them now.
            self.assertEqual(self.status(account, old, daemon), 200)
            self.assertEqual(self.status(account, young, daemon), 200)
        self.age(old)
        wait_until(lambda: self.sql(f"SELECT count(*) FROM job WHERE id = {old}") == "0", "the old one to go", 150)
        for daemon in (self.one, self.other):
            self.assertEqual(self.status(account, old, daemon), 404)
            self.assertEqual(self.status(account, young, daemon), 200)
        self.assertEqual([job["id"] for job in account.request("GET", "/api/v1/reels").json()], [young])

    def test_expired_calls_are_deleted_and_totals_remain(self):
        account = self.one.account(unlimited=True)
        owner = self.sql(f"SELECT id FROM account WHERE email = '{account.email}'")
        self.sql("INSERT INTO model_call (account_id, job_id, number, provider, model, cost_usd, called_at) "
                 f"SELECT {owner}, 10000000 + n, 1, 'gemini', 'flash', 0.25, now() - interval '40 days' "
                 "FROM generate_series(1, 300) AS n")
        self.assertEqual(account.request("GET", "/api/v1/reels/usage").json()["total_calls"], 300)
        wait_until(lambda: account.request("GET", "/api/v1/reels/usage").json()["total_calls"] == 0,
                   "the calls to go", 150)
        metrics = self.one.request("GET", "/metrics").body.decode()
        self.assertIn('reelsd_model_calls_total{model="flash",provider="gemini"} 300', metrics)
        self.assertIn('reelsd_expiry_overdue_seconds{what="usage"} 0', metrics)

        def removed():
            return sum(
                int(float(line.split()[-1]))
                for daemon in (self.one, self.other)
                for line in daemon.request("GET", "/metrics").body.decode().splitlines()
                if line.startswith('reelsd_removed_total{what="usage"}'))

        # A step is committed before its daemon gets the answer.
        wait_until(lambda: removed() >= 300, "the daemons to have counted them")
        self.assertEqual(removed(), 300)

    def test_without_the_settings_nothing_expires(self):
        must(self.one.cli("migrate", results_kept_days="0"))
        refused = self.one.cli("migrate", results_kept_days="-1")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("results-kept-days", refused.stderr)
        self.assertIn("days from 0 to 36500", refused.stderr)


class Export(Shared):
    def test_an_export_equals_the_api(self):
        account = self.one.account(unlimited=True)
        stranger = self.one.account(unlimited=True)
        self.ended_job(stranger)
        done, failed = self.ended_job(account, SAMPLE), self.ended_job(account)
        account.request("PUT", "/api/v1/webhook", {"url": "https://example.org/reels"})
        lines = exported(account)
        self.assertEqual(lines[0]["type"], "account")
        self.assertEqual(lines[0]["email"], account.email)
        reels = {line["id"]: line for line in of_type(lines, "reel")}
        self.assertEqual(set(reels), {done, failed})
        for job_id, reel in reels.items():
            shown = account.job(job_id)
            self.assertEqual({name: reel[name] for name in shown}, shown)
        picture = account.request("GET", f"/api/v1/reels/{done}/thumbnail").body
        self.assertEqual(base64.b64decode(reels[done]["thumbnail_jpeg"]), picture)
        self.assertIsNone(reels[failed]["thumbnail_jpeg"])
        self.assertEqual([token["name"] for token in of_type(lines, "token")], ["test"])
        self.assertEqual([hook["url"] for hook in of_type(lines, "webhook")], ["https://example.org/reels"])
        usage = account.request("GET", "/api/v1/reels/usage").json()
        self.assertEqual(len(of_type(lines, "model_call")), usage["total_calls"])
        secrets = account.request("GET", "/api/v1/webhook").json()["secret"], account.token
        text = json.dumps(lines)
        for secret in secrets:
            self.assertNotIn(secret, text)

        by_operator = must(self.one.cli("account", "export", "--email", account.email)).stdout
        again = lines_of(by_operator)
        self.assertEqual(of_type(again, "reel"), of_type(lines, "reel"))

        client = subprocess.run(
            [program("reels"), "export"], capture_output=True, text=True, timeout=60,
            env={**clean_environment(), "REELS_SERVER": f"http://{self.one.address}", "REELS_TOKEN": account.token})
        self.assertEqual(client.returncode, 0, client.stderr)
        self.assertEqual(of_type(lines_of(client.stdout), "reel"), of_type(lines, "reel"))

    def test_an_export_during_deletions(self):
        account = self.one.account(unlimited=True)
        owner = self.sql(f"SELECT id FROM account WHERE email = '{account.email}'")
        self.sql(
            "INSERT INTO job (account_id, url, status, started_at, finished_at, error_code, error) "
            f"SELECT {owner}, 'https://www.instagram.com/reel/x/', 'error', now(), now(), 'internal', 'x' "
            "FROM generate_series(1, 400)")
        ids = [int(one) for one in self.sql(f"SELECT id FROM job WHERE account_id = {owner} ORDER BY id").split()]
        kept = ids[::2]

        def delete():
            for job_id in ids[1::2]:
                self.other.request("DELETE", f"/api/v1/reels/{job_id}", token=account.token)

        deleting = threading.Thread(target=delete)
        deleting.start()
        seen = [line["id"] for line in of_type(exported(account), "reel")]
        deleting.join()
        self.assertEqual(seen, sorted(set(seen)))
        self.assertLessEqual(set(kept), set(seen))
        self.assertEqual([line["id"] for line in of_type(exported(account), "reel")], kept)

    @contextlib.contextmanager
    def begun_export(self, daemon, account, token=None):
        """The connection of an export that has begun; its answer is larger than the sockets' buffers."""
        self.sql(
            "INSERT INTO job (account_id, url, status, started_at, finished_at, analyzed_at, attempt, claim, result, "
            "code, author, summary) "
            "SELECT id, 'https://www.instagram.com/reel/x/', 'done', now(), now(), now(), 1, 1, "
            "json_build_object('text', repeat('x', 8000000)), 'x', 'someone', 'x' "
            f"FROM account, generate_series(1, 4) WHERE email = '{account.email}'")
        # Reads up to a reel, so that the export waits for the reader and no longer for the database.
        with contextlib.ExitStack() as readers:
            for _ in range(20):
                begun_bytes = 100_000
                reader = readers.enter_context(socket.socket())
                reader.settimeout(60)
                reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
                host, port = daemon.address.split(":")
                reader.connect((host, int(port)))
                reader.sendall((f"GET /api/v1/export HTTP/1.1\r\nHost: {daemon.address}\r\nAuthorization: Bearer "
                                f"{token or account.token}\r\nConnection: close\r\n\r\n").encode())
                while begun_bytes > 0 and (piece := reader.recv(begun_bytes)):
                    begun_bytes -= len(piece)
                if begun_bytes == 0:
                    break
            else:
                self.fail("no export begins")
            yield reader

    def test_exports_at_the_same_time_are_limited(self):
        daemon = self.daemon(database_url=self.database, workers=0).start()
        accounts = [daemon.account(unlimited=True) for _ in range(5)]
        with contextlib.ExitStack() as running:
            for account in accounts[:4]:
                running.enter_context(self.begun_export(daemon, account))
            for account, code, message in (
                    (accounts[0], "limit_exports", "limit of 1 export at the same time reached"),
                    (accounts[4], "server_busy",
                     "limit of 4 exports of all accounts on this server reached; try again")):
                refused = account.request("GET", "/api/v1/export")
                self.assertProblem(refused, 429, message)
                self.assertEqual((refused.headers["X-Error-Code"], refused.headers["Retry-After"]), (code, "10"))

    def test_revoking_its_token_ends_an_export_within_a_reel(self):
        account = self.one.account(unlimited=True)
        token = self.one.token(account.email, "second")
        with self.begun_export(self.one, account, token) as reader:
            must(self.one.cli("token", "revoke", "--account", account.email, "--name", "second"))
            self.assertEqual(self.one.request("GET", "/api/v1/reels", token=token).status, 401)
            # A client that reads slowly: longer than between two checks of the token.
            continued_at = time.monotonic() + 1.1
            wait_until(lambda: time.monotonic() > continued_at, "the next check")
            received = 0
            with contextlib.suppress(ConnectionResetError):
                while piece := reader.recv(1 << 20):
                    received += len(piece)
        self.assertLess(received, 8000000)

    def test_an_interrupted_export_is_recognizable(self):
        account = self.one.account(unlimited=True)
        daemon = self.daemon(database_url=self.database, workers=0).start()
        with self.begun_export(daemon, account) as reader:
            seen = b""
            daemon.process.send_signal(signal.SIGTERM)
            wait_until(lambda: any(line.get("message") == "stopping" for line in daemon.log_lines()), "the stop")
            while piece := reader.recv(1 << 20):
                seen = seen[-10:] + piece
        self.assertFalse(seen.endswith(b"\r\n0\r\n\r\n"), "a last chunk")
        self.assertEqual(daemon.process.wait(30), 0)

    def test_an_export_requires_a_session(self):
        self.assertEqual(self.one.request("GET", "/api/v1/export").status, 401)
        self.assertEqual(self.one.request("GET", "/dashboard/api/export").status, 401)
        unknown = self.one.cli("account", "export", "--email", "nobody@example.test")
        self.assertEqual(unknown.returncode, 1)
        self.assertIn("no account nobody@example.test in this database", unknown.stderr)


class Erasure(Shared):
    def test_an_operator_deletes_an_account(self):
        account = self.one.account(unlimited=True)
        job_id = self.ended_job(account, SAMPLE)
        owner = self.id_of(account.email)
        asked = self.one.cli("account", "delete", "--email", account.email)
        self.assertEqual(asked.returncode, 1)  # The address was not typed.
        self.assertIn("nothing was deleted", asked.stderr)
        self.assertEqual(self.status(account, job_id), 200)

        done = must(self.one.cli("account", "delete", "--email", account.email, "--yes"))
        self.assertIn(f"deleted {account.email}: 1 reel, 1 model call, 1 token", done.stdout)
        self.assertEqual(self.left_of(owner), 0)
        for daemon in (self.one, self.other):
            self.assertEqual(self.status(account, job_id, daemon), 401)
        must(self.one.cli("account", "create", "--email", account.email))

    def test_an_account_with_jobs_is_deleted(self):
        account = self.one.account(unlimited=True)
        owner = self.id_of(account.email)
        for _ in range(3):
            account.submit(SAMPLE)
        wait_until(lambda: self.sql(
            f"SELECT count(*) FROM job WHERE account_id = {owner} AND status = 'processing'") != "0", "work")
        must(self.one.cli("account", "delete", "--email", account.email, "--yes"))
        self.assertEqual(self.left_of(owner), 0)
        # The workers are free again for others.
        stranger = self.one.account()
        stranger.finished(stranger.submit(UNAVAILABLE))
        self.assertEqual(self.left_of(owner), 0)

    def test_daemons_finish_the_deletion_of_a_killed_command(self):
        account = self.one.account(unlimited=True)
        owner = self.id_of(account.email)
        self.ended_job(account)
        # The first step of the command, as if it was killed after it.
        self.assertEqual(self.sql(f"SELECT begin_erasure({owner}, NULL)"), "begun")
        self.assertEqual(account.request("GET", "/api/v1/reels").status, 401)
        wait_until(lambda: self.left_of(owner) == 0, "a daemon to finish")

    def test_a_failed_deletion_does_not_delay_other_accounts(self):
        stuck, account = self.one.account(unlimited=True), self.one.account(unlimited=True)
        owners = [self.id_of(one.email) for one in (stuck, account)]
        for one in (stuck, account):
            self.ended_job(one)
        self.sql("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$")
        self.sql("CREATE TRIGGER refuse BEFORE DELETE ON job FOR EACH ROW "
                 f"WHEN (OLD.account_id = {owners[0]}) EXECUTE FUNCTION refuse()")
        for owner in owners:
            self.assertEqual(self.sql(f"SELECT begin_erasure({owner}, NULL)"), "begun")
        wait_until(lambda: self.left_of(owners[1]) == 0, "the other one to be gone", 150)
        self.assertGreater(self.left_of(owners[0]), 0)
        self.sql("DROP TRIGGER refuse ON job")
        wait_until(lambda: self.left_of(owners[0]) == 0, "the one that was stuck to be gone", 150)

    def test_an_account_is_deleted_from_the_dashboard(self):
        administrator = Person(self.one).join(
            # The link of the daemon that started last is valid.
            set_up_link_secret(self.other), f"admin@{type(self).__name__}.test".lower())
        self.assertEqual(
            administrator.api("POST", "account/deletion", {"password": "wrong password"}).status, 400)
        last = administrator.api("POST", "account/deletion", {"password": PASSWORD})
        self.assertEqual(last.status, 409)
        self.assertIn("last administrator", last.json()["message"])

        ann = administrator.invite("ann@example.test")
        job = ann.submit(UNAVAILABLE)
        ann.finished(job)
        lines = lines_of(ann.api("GET", "export").body.decode())
        self.assertEqual([reel["id"] for reel in of_type(lines, "reel")], [job])
        self.assertEqual(len(of_type(lines, "session")), 1)
        self.assertEqual(ann.api("DELETE", "admin/accounts/1").status, 404)
        self.assertEqual(ann.api("POST", "account/deletion", {"password": PASSWORD}, csrf=False).status, 403)
        owner = self.id_of("ann@example.test")
        gone = ann.api("POST", "account/deletion", {"password": PASSWORD})
        self.assertEqual(gone.status, 204)
        self.assertEqual(ann.api("GET", "session").status, 401)
        wait_until(lambda: self.left_of(owner) == 0, "ann to be gone")

        bob = administrator.invite("bob@example.test")
        owner = self.id_of("bob@example.test")
        own = self.id_of(f"admin@{type(self).__name__}.test".lower())
        self.assertEqual(administrator.api("DELETE", f"admin/accounts/{own}").status, 409)
        self.assertEqual(administrator.api("DELETE", f"admin/accounts/{owner}").status, 204)
        self.assertEqual(bob.api("GET", "session").status, 401)
        wait_until(lambda: self.left_of(owner) == 0, "bob to be gone")
        self.assertEqual(administrator.api("DELETE", f"admin/accounts/{owner}").status, 404)


class Killed(Shared):
    """The daemon that does the work dies between two steps, or within one."""

    ROWS = 4000

    def kill_in_the_middle(self, left, times=3):
        """Kills both daemons while rows are deleted, and starts them again, at least once and at most this many
        times."""
        before = left()
        for number in range(times):
            wait_until(lambda: left() < before, "the next steps", 150)
            for daemon in self.suite_daemons():
                daemon.kill()
            before = left()
            self.sql("UPDATE maintenance_turn SET held_until = now()")  # Simulates half a minute.
            for daemon in self.suite_daemons():
                daemon.start()
            if number == 0:
                self.assertGreater(before, 0, "too few rows for this test")
            if before == 0:
                return

    def test_killed_expiry_counts_each_call_once(self):
        owner = self.id_of(self.one.account(unlimited=True).email)
        self.sql("INSERT INTO model_call (account_id, job_id, number, provider, model, cost_usd, called_at) "
                 f"SELECT {owner}, 20000000 + n, 1, 'gemini', 'flash', 0.25, now() - interval '40 days' "
                 f"FROM generate_series(1, {self.ROWS}) AS n")

        def left():
            return int(self.sql(f"SELECT count(*) FROM model_call WHERE account_id = {owner}"))

        self.kill_in_the_middle(left)
        wait_until(lambda: left() == 0, "the calls to go", 150)
        metrics = self.one.request("GET", "/metrics").body.decode()
        self.assertIn(f'reelsd_model_calls_total{{model="flash",provider="gemini"}} {self.ROWS}', metrics)

    def test_a_killed_deletion_of_an_account_is_completed(self):
        owner = self.id_of(self.one.account(unlimited=True).email)
        self.sql("INSERT INTO job (account_id, url, status, attempt, claim, started_at, finished_at, error_code, error) "
                 f"SELECT {owner}, '{UNAVAILABLE}', 'error', 1, 1, now(), now(), 'unavailable', 'it is gone' "
                 f"FROM generate_series(1, {self.ROWS})")
        self.assertEqual(self.sql(f"SELECT begin_erasure({owner}, NULL)"), "begun")
        self.kill_in_the_middle(lambda: self.left_of(owner))
        wait_until(lambda: self.left_of(owner) == 0, "the account to be gone", 150)


if __name__ == "__main__":
    unittest.main()
