"""Tests the operator's signed-in session: what it gives access to, and how it ends.

Method: the real daemon with the platform's stand-in, which knows valid, expired and challenged sessions; yt-dlp is
a script that records its input.
"""

import glob
import json
import os
import pathlib
import shutil
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from forward_proxy import ForwardProxy  # noqa: E402
import permits  # noqa: E402
from outgoing_proxy_test import command_lines  # noqa: E402
from service_support import DatabaseTest, new_folder, run_reelsd, wait_until  # noqa: E402

LINK = "https://www.instagram.com/reel/%s/"
SESSION = "12345678%3As3cretSession%3A17"
OTHER = "12345678%3AnewerSession%3A18"
TOKEN = "s3cretCsrfToken"
DISABLED = "platform session disabled until platform-cookies-file changes"
CODES = [f"DYsession{number:02}" for number in range(20)]


def netscape(session=SESSION, domain=".instagram.com", expiry="4000000000"):
    rows = ((f"#HttpOnly_{domain}", "sessionid", session), (domain, "csrftoken", TOKEN),
            (".facebook.com", "c_user", "s3cretElsewhere"), ("# a comment", "x", "y"))
    lines = ["# Netscape HTTP Cookie File", ""]
    lines += ["\t".join((host, "TRUE", "/", "TRUE", expiry, name, value)) for host, name, value in rows]
    return "\n".join(lines) + "\n"


class SessionTest(DatabaseTest):
    def setUp(self):
        super().setUp()
        self.folder = new_folder()
        self.addCleanup(shutil.rmtree, self.folder)
        self.codes = iter(CODES)
        self.file = pathlib.Path(self.folder, "cookies.txt")
        self.platform.configure(posts={code: {"page": "throttled"} for code in CODES},
                                sessions={SESSION: "valid", OTHER: "valid"})
        self.write(netscape())

    def write(self, text, mode=0o600):
        self.file.write_text(text)
        self.file.chmod(mode)

    def settings(self, **more):
        return {**self.platform.settings(), "database_url": self.database, "workers": 2, "attempts_max": 1,
                "resolvers": "page,session", "platform_cookies_file": str(self.file), "session_interval_seconds": 0,
                "canary_link": "none", **more}

    def started(self, **more):
        return self.daemon(**self.settings(**more)).start()

    def ended(self, account, code=None):
        return account.finished(account.submit(LINK % (code or next(self.codes))))

    def asked(self, kind="media_info"):
        return [request for request in self.platform.requests() if request["kind"] == kind]

    def warnings(self, daemon):
        return [line for line in daemon.log_lines() if line["message"] == DISABLED]

    def enabled(self, daemon):
        """The value in the metrics."""
        for line in daemon.request("GET", "/metrics").body.decode().splitlines():
            if line.startswith("reelsd_session_enabled "):
                return line.split()[1]
        return None

    def doctor(self, **more):
        return run_reelsd("doctor", cwd=self.folder, data_dir=os.path.join(self.folder, "data"), **self.settings(**more))

    def assertNowhere(self, daemon, *more):
        shown = {"the log": daemon.log(), "the metrics": daemon.request("GET", "/metrics").body.decode(),
                 "the settings": daemon.cli("settings").stdout, "the process list": "".join(command_lines()),
                 **{f"text {number}": text for number, text in enumerate(more)}}
        for where, text in shown.items():
            for word in (SESSION, OTHER, TOKEN, "s3cretElsewhere"):
                self.assertNotIn(word, text, where)


class Use(SessionTest):
    def test_a_session_is_used_when_anonymous_requests_are_refused(self):
        daemon = self.started(log_level="debug")
        job = self.ended(daemon.account())
        self.assertEqual(job["status"], "done", job)
        headers = self.asked()[0]["headers"]
        self.assertEqual(headers["Cookie"], f"sessionid={SESSION}; csrftoken={TOKEN}")
        self.assertEqual(headers["X-CSRFToken"], TOKEN)
        self.assertEqual(self.enabled(daemon), "1")
        self.assertIn('reelsd_resolutions_total{outcome="post",resolver="session"} 1',
                      daemon.request("GET", "/metrics").body.decode())
        for request in self.platform.requests():
            if request["kind"] != "media_info":
                self.assertNotIn(SESSION, json.dumps(request), "only that call has the cookies")
        done = self.doctor()
        self.assertRegex(done.stdout, "ok +session +enabled")
        self.assertNowhere(daemon, done.stdout + done.stderr, json.dumps(job))

    def test_doctor_does_not_migrate_the_database(self):
        self.database = self.cluster.new_database()
        done = self.doctor()
        self.assertRegex(done.stdout, "warn +session +unknown state: .*not up to date")
        self.assertRegex(done.stdout, "warn +migrations +[0-9]+ pending")
        self.assertEqual(self.sql("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"), "0")

    def test_a_session_resolves_posts_that_require_a_login(self):
        self.platform.configure(posts={"DYsession00": {"page": "age"}})
        daemon = self.started()
        self.assertEqual(self.ended(daemon.account(), "DYsession00")["status"], "done")

    def test_a_failure_of_the_session_for_a_while_does_not_hide_the_post(self):
        self.platform.configure(posts={"DYsession00": {"page": "age"}})
        daemon = self.started(platform_cooldown_seconds=0)
        account = daemon.account(unlimited=True)
        for kind, code in (("throttled", "rate_limited"), ("broken", "download_failed")):
            self.platform.configure(sessions={SESSION: kind})
            job = self.ended(account, "DYsession00")
            self.assertEqual((job["error_code"], job["retryable"]), (code, True), kind)
        self.platform.configure(sessions={SESSION: "valid"})
        self.assertEqual(self.ended(account, "DYsession00")["status"], "done")

    def test_a_session_is_not_used_when_anonymous_requests_succeed(self):
        self.platform.configure(posts={"DYsession00": {}})
        daemon = self.started()
        self.assertEqual(self.ended(daemon.account(), "DYsession00")["status"], "done")
        self.assertEqual(self.asked(), [])

    def test_by_default_the_session_precedes_yt_dlp(self):
        settings = self.settings()
        del settings["resolvers"]
        daemon = self.daemon(**settings).start()
        self.platform.configure(posts={"DYsession00": {"page": "throttled", "root": "html", "logged_out": "html",
                                                       "embed": "shell"}})
        self.assertEqual(self.ended(daemon.account(), "DYsession00")["status"], "done")
        self.assertEqual(len(self.asked()), 1)

    def test_a_resolver_list_without_session_disables_it(self):
        daemon = self.started(resolvers="page")
        self.assertEqual(self.ended(daemon.account())["error_code"], "rate_limited")
        self.assertEqual(self.asked(), [])

    def test_the_session_has_a_separate_rate_limit(self):
        daemon = self.started(session_interval_seconds=3600, resolvers="session")
        account = daemon.account(unlimited=True)
        self.assertEqual(self.ended(account)["status"], "done")
        second = account.submit(LINK % next(self.codes))
        self.assertIn(account.job(second, wait=3)["status"], ("pending", "processing"))
        self.assertEqual(len(self.asked()), 1)

    def test_queued_jobs_use_the_session_during_a_cool_down(self):
        self.platform.configure(page_budget=0, over_budget="rate_limited")
        daemon = self.started(platform_interval_seconds=0.5, platform_lookups_per_hour=3600,
                              platform_cooldown_seconds=900, session_interval_seconds=1, session_lookups_per_hour=3600)
        permits.record(self.sql)
        accounts = [daemon.account(unlimited=True), daemon.account(unlimited=True)]
        jobs = [(account, account.submit(LINK % next(self.codes))) for account in accounts * 3]
        for account, job in jobs:
            self.assertEqual(account.finished(job)["status"], "done")
        self.assertEqual((len(self.asked("page")), len(self.asked())), (1, 6))
        pauses = permits.seconds_between(self.sql, "session", "127.0.0.1 (session)")
        self.assertEqual(len(pauses), 5)
        self.assertGreaterEqual(min(pauses), 0.5, pauses)

    def test_accepted_cookie_file_formats(self):
        exported = [{"name": "sessionid", "value": SESSION, "domain": ".instagram.com", "expirationDate": 4e9},
                    {"name": "csrftoken", "value": TOKEN, "domain": ".instagram.com"},
                    {"name": "c_user", "value": "s3cretElsewhere", "domain": ".facebook.com"}]
        for text in (json.dumps(exported), f"sessionid={SESSION}; csrftoken={TOKEN}",
                     netscape(domain="127.0.0.1").replace("\n", "\r\n")):
            self.write(text)
            daemon = self.started()
            self.assertEqual(self.ended(daemon.account())["status"], "done", text[:20])
            self.assertEqual(self.asked()[-1]["headers"]["Cookie"], f"sessionid={SESSION}; csrftoken={TOKEN}")
            daemon.stop()


class Refusals(SessionTest):
    def test_a_challenge_disables_it_until_the_file_changes(self):
        self.platform.configure(sessions={SESSION: "challenged"})
        daemon = self.started()
        account = daemon.account(unlimited=True)
        for _ in range(3):
            job = self.ended(account)
            self.assertEqual((job["status"], job["error_code"]), ("error", "rate_limited"), "as page says")
        self.assertEqual(len(self.asked()), 1)
        self.assertEqual(len(self.warnings(daemon)), 1)
        self.assertEqual(self.enabled(daemon), "0")
        done = self.doctor()
        self.assertRegex(done.stdout, "warn +session +disabled until platform-cookies-file changes: .*challenge")

        # Another daemon on the database knows it, and so does this one after a restart.
        other = self.started()
        self.ended(other.account(unlimited=True))
        self.assertEqual((self.enabled(other), len(self.warnings(other))), ("0", 0))
        daemon.stop()
        daemon.start()
        self.ended(account)
        self.assertEqual((self.enabled(daemon), len(self.warnings(daemon))), ("0", 0))
        self.assertEqual(len(self.asked()), 1)

        self.write(netscape(OTHER))
        wait_until(lambda: self.enabled(daemon) == "1", "the new session", 20)
        self.assertEqual(self.ended(account)["status"], "done")
        self.assertNowhere(daemon, done.stdout + done.stderr)

    def test_no_job_is_claimed_for_a_refused_session(self):
        self.platform.configure(page_budget=0, over_budget="rate_limited", sessions={SESSION: "challenged"})
        daemon = self.started(platform_interval_seconds=0.1, platform_lookups_per_hour=3600,
                              platform_cooldown_seconds=900, attempts_max=3, retry_base_seconds=0.1)
        account = daemon.account(unlimited=True)
        jobs = [account.submit(LINK % next(self.codes)) for _ in range(3)]
        wait_until(lambda: self.warnings(daemon), "the refusal", 30)
        for job in jobs:
            self.assertEqual(account.job(job, wait=2)["status"], "pending")
        self.assertEqual(len(self.asked()), 1)
        claims = "SELECT sum(claim) FROM job"
        name = self.database.rsplit("=", 1)[1]
        before = int(self.cluster.query(claims, name))
        account.job(jobs[0], wait=3)
        self.assertEqual(int(self.cluster.query(claims, name)), before)

    def test_other_responses_that_disable_the_session(self):
        for kind in ("expired", "logged_out"):
            with self.subTest(kind):
                session = f"87654321%3A{kind}%3A1"
                self.platform.configure(sessions={session: kind})
                self.write(netscape(session))
                daemon = self.started()
                account = daemon.account(unlimited=True)
                for _ in range(2):
                    self.assertEqual(self.ended(account)["error_code"], "rate_limited")
                self.assertEqual((self.enabled(daemon), len(self.warnings(daemon))), ("0", 1))
                self.assertNotIn(session, daemon.log())
                daemon.stop()

    def test_one_404_does_not_disable_the_session(self):
        self.platform.configure(sessions={SESSION: "masked"})
        daemon = self.started()
        account = daemon.account(unlimited=True)
        self.assertEqual(self.ended(account)["error_code"], "rate_limited")
        self.assertEqual(self.enabled(daemon), "1")
        self.assertEqual(self.ended(account)["error_code"], "rate_limited")
        self.assertEqual((self.enabled(daemon), len(self.warnings(daemon))), ("0", 1), "two in a row")

    def test_deleted_posts_do_not_disable_the_session(self):
        deleted = {"page": "missing", "root": "html", "logged_out": "html", "embed": "shell", "gone_status": 404}
        self.platform.configure(posts=dict.fromkeys(CODES[:3], deleted))
        for resolvers in ("page,graphql,embed,session", "session,page"):
            self.write(netscape(SESSION if resolvers.startswith("page") else OTHER))
            daemon = self.started(resolvers=resolvers)
            account = daemon.account(unlimited=True)
            for code in CODES[:3]:
                self.assertEqual(self.ended(account, code)["error_code"], "unavailable")
            self.assertEqual((self.enabled(daemon), self.warnings(daemon)), ("1", []), resolvers)
            daemon.stop()

    def test_a_rate_limit_does_not_disable_the_session(self):
        self.platform.configure(sessions={SESSION: "throttled"})
        daemon = self.started(platform_cooldown_seconds=900, resolvers="session")
        account = daemon.account(unlimited=True)
        job = account.submit(LINK % next(self.codes))
        wait_until(lambda: "resolver cools down" in daemon.log(), "the cool-down", 30)
        self.assertEqual((self.enabled(daemon), len(self.warnings(daemon))), ("1", 0))
        self.assertNotEqual(account.job(job)["status"], "done")


class Files(SessionTest):
    def assertRefused(self, words, **more):
        daemon = self.daemon(**self.settings(**more)).spawn()
        self.assertNotEqual(daemon.process.wait(60), 0)
        self.assertRegex(daemon.log(), words)
        for word in (SESSION, TOKEN, "s3cretElsewhere"):
            self.assertNotIn(word, daemon.log())

    def test_invalid_files_are_refused_at_the_start(self):
        named = "platform-cookies-file: .*cookies.txt: "
        for mode in (0o640, 0o604, 0o644, 0o620):
            self.write(netscape(), mode)
            self.assertRefused(named + "other users can read or change it; run: chmod 600 /.*cookies.txt")
        for text in ("", "not cookies\n", netscape().replace("sessionid", "other"), netscape(domain=".example.com"),
                     netscape().replace("\t", "    "), f"csrftoken={TOKEN}", "[", "[{}]", '{"name": "sessionid"}',
                     json.dumps([{"name": "sessionid", "value": SESSION, "domain": "evil-instagram.com"}])):
            self.write(text)
            self.assertRefused(named + "it contains no signed-in session: the cookie sessionid")
        self.write(netscape(expiry="1000000000"))
        self.assertRefused(named + "its cookie sessionid has expired")
        self.file.unlink()
        self.assertRefused(named + "No such file")
        self.file.mkdir()
        self.assertRefused(named + "it is not a regular file")

    def test_the_resolver_needs_the_file(self):
        self.assertRefused("resolvers names session, which needs platform-cookies-file", platform_cookies_file="")
        done = self.doctor(platform_cookies_file="")
        self.assertRegex(done.stdout, "FAIL +settings +resolvers names session, which needs platform-cookies-file")

    def test_a_file_that_becomes_invalid_is_refused(self):
        daemon = self.started()
        account = daemon.account(unlimited=True)
        self.assertEqual(self.ended(account)["status"], "done")
        self.file.chmod(0o644)
        wait_until(lambda: self.enabled(daemon) == "0", "the file to be refused", 20)
        self.assertEqual(self.ended(account)["error_code"], "rate_limited")
        self.assertRegex(self.doctor().stdout, "FAIL +session +platform-cookies-file: ")
        self.file.chmod(0o600)
        wait_until(lambda: self.enabled(daemon) == "1", "the file to be accepted", 20)
        self.assertEqual(self.ended(account)["status"], "done")


class YtDlp(SessionTest):
    def program(self, warning=""):
        """A yt-dlp that reports its cookies file, writes to it, and fails."""
        program = pathlib.Path(self.folder, "yt-dlp")
        program.write_text(
            "#!/bin/sh\n"
            'for word; do [ "$before" = --cookies ] && file="$word"; before="$word"; done\n'
            f'echo "{warning}" >&2\n'
            'if [ -n "$file" ]; then\n'
            '  echo "HTTP Error: $(stat -c %a "$file"), $(grep -c sessionid "$file") session, $file, $(tail -n 1 "$file")" >&2\n'
            '  echo changed > "$file"\n'
            "else\n"
            '  echo "HTTP Error: no cookies" >&2\n'
            "fi\n"
            "exit 1\n")
        program.chmod(0o755)
        return str(program)

    def test_yt_dlp_gets_a_private_copy(self):
        before = self.file.read_text()
        daemon = self.started(resolvers="yt-dlp", yt_dlp_path=self.program(), log_level="debug")
        self.assertEqual(self.ended(daemon.account())["status"], "error")
        self.assertRegex(daemon.log(), r"HTTP Error: 600, 1 session, /tmp/reelsd-yt-dlp-\w+/cookies.txt, .*\*\*\*")
        self.assertEqual(self.file.read_text(), before)
        self.assertEqual(glob.glob("/tmp/reelsd-yt-dlp-??????/cookies.txt"), [])
        self.assertNowhere(daemon)

    def test_yt_dlp_waits_while_the_session_cools_down(self):
        self.platform.configure(sessions={SESSION: "throttled"})
        daemon = self.started(resolvers="session,yt-dlp", yt_dlp_path=self.program(), platform_cooldown_seconds=900)
        job = daemon.account().submit(LINK % next(self.codes))
        waits = f"SELECT count(*) FROM job WHERE id = {job} AND status = 'pending' AND run_at > now() + interval '10 min'"
        wait_until(lambda: self.sql(waits) == "1", "the job to be snoozed")
        tried = [line["resolver"] for line in daemon.log_lines() if line["message"] == "resolver returned no post"]
        self.assertEqual(tried, ["session"])

    def test_runs_without_cookies_do_not_count_for_the_session(self):
        proxies = [ForwardProxy(), ForwardProxy()]
        for proxy in proxies:
            self.addCleanup(proxy.close)
        program = pathlib.Path(self.folder, "yt-dlp")
        program.write_text('#!/bin/sh\n'
                           'case "$*" in *--cookies*) echo "ERROR: [Instagram] x: timed out" >&2 ;;\n'
                           '*) echo "ERROR: [Instagram] x: HTTP Error 429: Too Many Requests" >&2 ;; esac\n'
                           'exit 1\n')
        program.chmod(0o755)
        self.platform.configure(posts={"DYsession00": {"page": "garbage"}, "DYsession01": {"page": "age"}})
        daemon = self.started(resolvers="page,yt-dlp,session", yt_dlp_path=str(program), media_proxy="none",
                              platform_proxy=",".join(proxy.url for proxy in proxies), platform_cooldown_seconds=900)
        account = daemon.account(unlimited=True)
        self.assertEqual(self.ended(account, "DYsession00")["status"], "done")
        cooling = "SELECT string_agg(resolver, ',') FROM resolver_pace WHERE cooldown_until > now()"
        self.assertEqual(self.sql(cooling), f"yt-dlp via {proxies[1].url.removeprefix('http://')}")
        self.assertEqual(self.ended(account, "DYsession01")["status"], "done")

    def test_a_copy_left_by_a_crash_is_removed_at_the_start(self):
        left, young = "/tmp/reelsd-yt-dlp-test-left", "/tmp/reelsd-yt-dlp-test-young"
        for folder in (left, young):
            os.mkdir(folder)
            self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
            pathlib.Path(folder, "cookies.txt").write_text(netscape())
        os.utime(left, (1, 1))
        self.started(resolvers="yt-dlp", yt_dlp_path=self.program())
        self.assertFalse(os.path.exists(left))
        self.assertTrue(os.path.exists(young))

    def test_a_challenge_reported_by_yt_dlp_disables_the_session(self):
        words = "WARNING: [Instagram] The provided Instagram account cookies are no longer valid"
        daemon = self.started(resolvers="yt-dlp", yt_dlp_path=self.program(words), log_level="debug")
        account = daemon.account(unlimited=True)
        self.ended(account)
        self.assertEqual((self.enabled(daemon), len(self.warnings(daemon))), ("0", 1))
        self.ended(account)
        self.assertIn("HTTP Error: no cookies", daemon.log())


if __name__ == "__main__":
    unittest.main(verbosity=2)
