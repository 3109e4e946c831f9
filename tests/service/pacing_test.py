"""Tests the rate of requests to the platform, and the cool-downs after a rate limit.

Method: real daemons on a real database, and a stand-in that records each request with its time.
"""

import re
import time
import unittest

import permits
from service_support import DatabaseTest, wait_until


class PacingTest(DatabaseTest):
    def paced_daemon(self, **more):
        return self.shared_daemon(**{"workers": 4, **more}).start()

    def submit(self, account, posts):
        self.platform.configure(posts=posts)
        return [account.submit(f"https://www.instagram.com/reel/{code}/") for code in posts]

    def finished(self, account, posts):
        return [account.finished(job_id) for job_id in self.submit(account, posts)]

    def end_cool_down(self):
        self.sql("UPDATE resolver_pace SET cooldown_until = now(); UPDATE job SET run_at = now()")

    def asked(self, kind):
        return [request for request in self.platform.requests() if request["kind"] == kind]


class Intervals(PacingTest):
    def test_all_daemons_share_one_rate_limit(self):
        one = self.paced_daemon(platform_interval_seconds=1)
        two = self.paced_daemon(platform_interval_seconds=1)
        permits.record(self.sql)
        account = one.account(unlimited=True)
        also = account.__class__(two, account.email, account.token)
        ids = self.submit(account, {"DYpace00001": {}, "DYpace00002": {}})
        ids += self.submit(also, {"DYpace00003": {}, "DYpace00004": {}})
        for job_id in ids:
            self.assertEqual(account.finished(job_id)["status"], "done")
        self.assertEqual(len(self.asked("page")), 4)
        pauses = permits.seconds_between(self.sql, "page")
        self.assertEqual(len(pauses), 3)
        self.assertGreaterEqual(min(pauses), 0.5, pauses)
        self.assertEqual(self.sql("SELECT max(attempt) FROM job"), "1", "waiting is no attempt")

    def test_accounts_take_turns_and_each_keeps_its_order(self):
        daemon = self.paced_daemon(platform_interval_seconds=0.5)
        ann, bob = daemon.account(unlimited=True), daemon.account(unlimited=True)
        codes = [f"DYturns000{number}" for number in range(8)]
        self.platform.configure(posts={code: {} for code in [*codes, "DYturnsbob1"]})
        ids = [ann.submit(f"https://www.instagram.com/reel/{code}/") for code in codes]
        wait_until(lambda: len(self.asked("page")) >= 2, "the first look-ups")
        bobs = bob.submit("https://www.instagram.com/reel/DYturnsbob1/")
        self.assertEqual(bob.finished(bobs)["status"], "done")
        before = self.sql("SELECT count(*) FROM job AS other JOIN job AS bobs ON other.started_at"
                          f" BETWEEN bobs.created_at AND bobs.started_at AND other.id <> {bobs} WHERE bobs.id = {bobs}")
        self.assertLessEqual(int(before), 2, "two turns at most")
        for job_id in ids:
            self.assertEqual(ann.finished(job_id)["status"], "done")
        order = self.sql("SELECT string_agg(id::text, ',' ORDER BY started_at) FROM job WHERE account_id ="
                         f" (SELECT account_id FROM job WHERE id = {ids[0]})")
        self.assertEqual(order, ",".join(str(job_id) for job_id in ids))
        self.assertLessEqual(int(self.sql("SELECT max(claim) FROM job")), 2, "waiting costs no claims")

    def test_requests_per_hour_are_limited(self):
        daemon = self.paced_daemon(platform_interval_seconds=0.01, platform_lookups_per_hour=2)
        account = daemon.account(unlimited=True)
        jobs = self.finished(account, {"DYhour00001": {}, "DYhour00002": {}})
        self.assertEqual([job["status"] for job in jobs], ["done", "done"])
        held_up, = self.submit(account, {"DYhour00003": {}})
        in_line = "SELECT count(*) FROM job WHERE status = 'pending' AND waits_for = '127.0.0.1'"
        wait_until(lambda: self.sql(in_line) == "1", "the third job to be in line")
        self.assertEqual(account.job(held_up)["status"], "pending")
        self.assertEqual(len(self.asked("page")), 2)

    def test_jobs_leave_the_line_when_pacing_is_turned_off(self):
        daemon = self.paced_daemon(platform_interval_seconds=600)
        account = daemon.account(unlimited=True)
        ids = self.submit(account, {"DYline00001": {}, "DYline00002": {}, "DYline00003": {}})
        in_line = "SELECT count(*) FROM job WHERE status = 'pending' AND waits_for = '127.0.0.1'"
        wait_until(lambda: self.sql(in_line) == "2", "two jobs to be in line")
        daemon.stop()
        account.daemon = self.paced_daemon(platform_interval_seconds=0)
        self.assertEqual([account.finished(job_id)["status"] for job_id in ids], ["done"] * 3)
        self.assertEqual(self.sql("SELECT max(attempt) FROM job"), "1")


class MissingMedia(PacingTest):
    def test_a_missing_file_costs_two_look_ups(self):
        daemon = self.paced_daemon(platform_interval_seconds=4)
        account = daemon.account(unlimited=True)
        job, = self.finished(account, {"DYmissing01": {"media": "missing"}})
        self.assertEqual(job["error_code"], "unavailable", job)
        self.assertEqual(len(self.asked("page")), 2)
        self.assertEqual(self.sql("SELECT attempt FROM job"), "1")

    def test_a_missing_file_without_a_second_permit_counts_as_an_attempt(self):
        daemon = self.paced_daemon(platform_interval_seconds=0.01, platform_lookups_per_hour=1, attempts_max=1)
        account = daemon.account(unlimited=True)
        job, = self.finished(account, {"DYmissing02": {"media": "expired"}})
        self.assertEqual(job["error_code"], "download_failed", job)
        self.assertEqual(len(self.asked("page")), 1)


class Cooldowns(PacingTest):
    def cool_down(self, resolver, seconds, minutes_left, answered_at="now()"):
        self.sql("INSERT INTO resolver_pace (host, resolver, cooldown_seconds, cooldown_until, answered_at) VALUES "
                 f"('127.0.0.1', '{resolver}', {seconds}, now() + interval '{minutes_left} minutes', {answered_at})")

    def test_a_rate_limited_resolver_is_skipped(self):
        with_queries = {"resolvers": "page,graphql", "platform_cooldown_seconds": 900}
        daemon = self.paced_daemon(**with_queries)
        account = daemon.account(unlimited=True)
        first, = self.finished(account, {"DYcool00001": {"page": "rate_limited"}})
        self.assertEqual(first["status"], "done", first)
        self.assertEqual((len(self.asked("page")), len(self.asked("root"))), (1, 1))

        second, = self.finished(account, {"DYcool00002": {}})
        self.assertEqual(second["status"], "done")
        self.assertEqual((len(self.asked("page")), len(self.asked("root"))), (1, 2))
        warnings = [line for line in daemon.log_lines() if "resolver cools down" in line["message"]]
        self.assertEqual([(line["resolver"], line["seconds"]) for line in warnings], [("page", 900)])
        metrics = daemon.request("GET", "/metrics").body.decode()
        self.assertRegex(metrics, r'reelsd_resolver_cooldown_seconds\{resolver="page"\} [1-8]')

        daemon.kill()
        again = self.paced_daemon(**with_queries)
        account = account.__class__(again, account.email, account.token)
        third, = self.finished(account, {"DYcool00003": {}})
        self.assertEqual(third["status"], "done")
        self.assertEqual((len(self.asked("page")), len(self.asked("root"))), (1, 3))

    def test_a_job_waits_for_a_short_cool_down(self):
        daemon = self.paced_daemon(platform_cooldown_seconds=900, workers=1)
        account = daemon.account(unlimited=True)
        self.platform.configure(page_budget=0, over_budget="rate_limited")
        job_id, = self.submit(account, {"DYshort0001": {}})
        waits = "SELECT count(*) FROM job WHERE status = 'pending' AND attempt = 1 AND claim > 1"
        wait_until(lambda: self.sql(waits) == "1", "the job to be snoozed")
        self.platform.configure(page_budget=1000)
        # Its worker is free in between.
        other = account.finished(account.submit("https://www.instagram.com/reel/reelsd-unavailable/"))
        self.assertEqual(other["error_code"], "unavailable")
        self.assertEqual(self.sql(waits), "1")
        self.end_cool_down()
        self.assertEqual(account.finished(job_id)["status"], "done")
        self.assertEqual(self.sql("SELECT max(attempt) FROM job"), "2")
        self.assertEqual(len(self.asked("page")), 2)

    def test_jobs_wait_for_a_cool_down_when_other_resolvers_fail(self):
        daemon = self.paced_daemon(resolvers="page,graphql,embed", platform_cooldown_seconds=900, attempts_max=1,
                                   platform_interval_seconds=0.5, platform_lookups_per_hour=3600)
        account = daemon.account(unlimited=True)
        self.cool_down("page", 900, minutes_left=10)
        without_page = {"root": "html", "logged_out": "html", "embed": "shell"}
        ids = self.submit(account, {f"DYbeside00{number}": without_page for number in range(4)})
        waits = "SELECT count(*) FROM job WHERE status = 'pending' AND attempt = 0 AND run_at > now() + interval '9 min'"
        wait_until(lambda: self.sql(waits) == "4", "the jobs to be snoozed")
        self.end_cool_down()
        self.assertEqual([account.finished(job_id)["status"] for job_id in ids], ["done"] * 4)

    def test_a_passing_failure_is_retried_while_another_resolver_cools_down(self):
        daemon = self.paced_daemon(resolvers="page,graphql", platform_cooldown_seconds=900, attempts_max=3)
        account = daemon.account(unlimited=True)
        self.cool_down("graphql", 900, minutes_left=14)
        job, = self.finished(account, {"DYpassing01": {"page": "flaky"}})
        self.assertEqual(job["status"], "done", job)
        self.assertEqual(self.sql("SELECT attempt FROM job"), "2")
        self.assertEqual((len(self.asked("page")), self.asked("root")), (2, []))

    def test_a_failed_job_names_its_failure_although_another_resolver_cools_down(self):
        daemon = self.paced_daemon(resolvers="page,graphql", platform_cooldown_seconds=7200, attempts_max=2)
        account = daemon.account(unlimited=True)
        self.cool_down("graphql", 7200, minutes_left=119)
        job, = self.finished(account, {"DYfailing01": {"page": "server_error"}})
        self.assertEqual(job["error_code"], "download_failed", job)
        self.assertIn("the platform's servers returned an error", job["error"])
        self.assertEqual(len(self.asked("page")), 2)

    def test_a_long_wait_is_reported_immediately(self):
        daemon = self.paced_daemon(platform_cooldown_seconds=7200)
        account = daemon.account(unlimited=True)
        job, = self.finished(account, {"DYlonger001": {"page": "rate_limited"}})
        self.assertEqual(job["error_code"], "rate_limited", job)
        self.assertIn("It has never answered this server", job["error"])
        self.assertAlmostEqual(job["retry_after_seconds"], 7200, delta=60)
        self.assertEqual(len(self.asked("page")), 1)

    def test_a_job_ended_by_a_long_cool_down_reports_the_wait(self):
        daemon = self.paced_daemon(platform_cooldown_seconds=7200, resolvers="page")
        account = daemon.account(unlimited=True)
        self.cool_down("page", 7200, minutes_left=119, answered_at="NULL")
        for answered, words in (("NULL", "It has never answered this server"), ("now()", "will not contact it for another")):
            self.sql(f"UPDATE resolver_pace SET answered_at = {answered}")
            job, = self.finished(account, {f"DYinline{answered:3.3}": {}})
            self.assertEqual(job["error_code"], "rate_limited", job)
            self.assertIn(words, job["error"])
            self.assertGreater(job["retry_after_seconds"], 7000)
        self.assertEqual(self.asked("page"), [])

    def test_a_resolver_that_is_not_installed_ends_no_cool_down(self):
        daemon = self.paced_daemon(
            platform_cooldown_seconds=7200, resolvers="page,yt-dlp", yt_dlp_path="/nonexistent/yt-dlp")
        account = daemon.account(unlimited=True)
        self.cool_down("page", 7200, minutes_left=119)
        job, = self.finished(account, {"DYabsent001": {}})
        self.assertEqual(job["error_code"], "rate_limited", job)
        self.assertEqual(self.sql("SELECT string_agg(resolver, ',') FROM resolver_pace"), "page")

    def test_metrics_omit_resolvers_that_are_not_in_use(self):
        daemon = self.paced_daemon(resolvers="page,yt-dlp", yt_dlp_path="/nonexistent/yt-dlp")
        self.sql("INSERT INTO resolver_pace (host, resolver) SELECT '127.0.0.1', unnest("
                 "ARRAY['page', 'embed', 'page via old.example:3128', 'share', 'yt-dlp'])")
        metrics = daemon.request("GET", "/metrics").body.decode()
        for name in ("unknown_answers", "cooldown_seconds"):
            kept = re.findall(r'^reelsd_resolver_%s\{resolver="(.*?)"\}' % name, metrics, re.MULTILINE)
            self.assertEqual(sorted(kept), ["page", "share"])

    def test_a_cool_down_needs_refusals_of_two_links(self):
        daemon = self.paced_daemon(platform_cooldown_seconds=900, workers=1)
        account = daemon.account(unlimited=True)
        cooling = "SELECT count(*) FROM resolver_pace WHERE cooldown_until > now()"
        waits = "SELECT count(*) FROM job WHERE status = 'pending' AND attempt = 1 AND run_at > now() + interval '10 min'"
        self.submit(account, {"DYwalled001": {"page": "login_redirect"}})
        wait_until(lambda: self.sql(waits) == "1", "the job to wait alone")
        self.assertEqual(self.sql(cooling), "0")
        other, = self.finished(account, {"DYwalled002": {}})
        self.assertEqual(other["status"], "done", other)
        # The good answer has ended the suspicion.
        self.submit(account, {"DYwalled003": {"page": "login_redirect"}})
        wait_until(lambda: self.sql(waits) == "2", "the second job to wait alone")
        self.assertEqual(self.sql(cooling), "0")
        self.submit(account, {"DYwalled004": {"page": "login_redirect"}})
        wait_until(lambda: self.sql(cooling) == "1", "the cool-down")


class ShareLinks(PacingTest):
    def share(self, account, token, target):
        self.platform.configure(shares={token: target})
        return account.submit(f"https://www.instagram.com/share/reel/{token}/")

    def test_share_links_are_rate_limited_like_look_ups(self):
        daemon = self.paced_daemon(platform_cooldown_seconds=900)
        account = daemon.account(unlimited=True)
        for token in ("BAwalled01", "BAwalled02"):
            self.share(account, token, "/accounts/login/?next=x")
        cooling = "SELECT count(*) FROM resolver_pace WHERE resolver = 'share' AND cooldown_until > now()"
        wait_until(lambda: self.sql(cooling) == "1", "the cool-down of share links")
        waiting = self.share(account, "BAwalled03", "DYshared003")
        snoozed = "SELECT count(*) FROM job WHERE status = 'pending' AND run_at > now() + interval '10 min'"
        wait_until(lambda: int(self.sql(snoozed)) >= 2, "the jobs to be snoozed")
        self.assertEqual(account.job(waiting)["status"], "pending")
        self.assertEqual([one for one in self.asked("share") if "BAwalled03" in one["path"]], [])
        # Links of posts do not have to wait.
        other, = self.finished(account, {"DYshared004": {}})
        self.assertEqual(other["status"], "done", other)

    def test_the_post_is_looked_up_once(self):
        daemon = self.paced_daemon(platform_cooldown_seconds=900)
        account = daemon.account(unlimited=True)
        self.platform.configure(posts={"DYshared001": {}}, page_budget=0, over_budget="rate_limited")
        job_id = self.share(account, "BAshared01", "DYshared001")
        waits = "SELECT count(*) FROM job WHERE status = 'pending' AND attempt = 1 AND claim > 1"
        wait_until(lambda: self.sql(waits) == "1", "the job to be snoozed")
        self.platform.configure(page_budget=1000)
        self.end_cool_down()
        job = account.finished(job_id)
        self.assertEqual((job["status"], job["result"]["platform_meta"]["code"]), ("done", "DYshared001"))
        self.assertEqual(len(self.asked("share")), 1)


class SingleFlight(PacingTest):
    def test_concurrent_look_ups_of_a_post_are_one(self):
        daemon = self.paced_daemon()
        ann, bob = daemon.account(unlimited=True), daemon.account(unlimited=True)
        self.platform.configure(posts={"DYtogether1": {"page": "stall"}})
        ids = [account.submit("https://www.instagram.com/reel/DYtogether1/") for account in (ann, bob)]
        wait_until(lambda: self.sql("SELECT count(*) FROM job WHERE status = 'processing'") == "2",
                   "both jobs in progress")
        wait_until(lambda: self.asked("page"), "the look-up")
        self.assertEqual(len(self.asked("page")), 1)
        # A job that waits for a cancelled look-up makes its own.
        self.platform.configure(posts={"DYtogether1": {}})
        self.assertEqual(ann.request("DELETE", f"/api/v1/reels/{ids[0]}").status, 204)
        self.assertEqual(bob.finished(ids[1])["status"], "done")
        self.assertLessEqual(len(self.asked("page")), 2)

    def test_a_shared_look_up_ends_for_all_jobs(self):
        daemon = self.paced_daemon()
        accounts = [daemon.account(unlimited=True) for _ in range(3)]
        self.platform.configure(posts={"DYtogether2": {"page": "slow", "delay": 6}})
        began = time.monotonic()
        ids = [account.submit("https://www.instagram.com/reel/DYtogether2/") for account in accounts]
        wait_until(lambda: self.sql("SELECT count(*) FROM job WHERE status = 'processing'") == "3", "all jobs in progress")
        all_began = time.monotonic() - began
        jobs = [account.finished(job_id) for account, job_id in zip(accounts, ids)]
        self.assertEqual([job["status"] for job in jobs], ["done"] * 3)
        if all_began < 3:  # On a machine that is not overloaded, all jobs arrived before the answer.
            self.assertEqual(len(self.asked("page")), 1)


class OutdatedResolvers(PacingTest):
    def test_an_outdated_resolver_is_reported_once(self):
        daemon = self.paced_daemon(resolvers="page,graphql")
        account = daemon.account(unlimited=True)
        self.finished(account, {"DYrot000001": {}})
        rotten = {f"DYrot00001{n}": {"page": "garbage"} for n in range(5)}
        jobs = self.finished(account, rotten)
        self.assertEqual({job["status"] for job in jobs}, {"done"}, "by the other way")
        warnings = [line for line in daemon.log_lines() if "seems outdated" in line["message"]]
        self.assertEqual([line["resolver"] for line in warnings], ["page"])
        self.assertEqual(warnings[0]["level"], "warning")
        metrics = daemon.request("GET", "/metrics").body.decode()
        self.assertIn('reelsd_resolver_unknown_answers{resolver="page"} 5', metrics)
        self.assertIn(
            'reelsd_resolutions_total{outcome="platform_changed",resolver="page"} 5', metrics)


if __name__ == "__main__":
    unittest.main(verbosity=2)
