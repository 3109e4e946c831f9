"""Tests the guarantees of the queue while workers and daemons start and stop.

Method: real daemons on real databases, killed and stopped while they work. An accepted job (202) ends once, and
does not change afterwards. The API shows the history; attempts and workers, which no client can see, are read from
the database.
"""

import glob
import os
import signal
import time
import unittest

from service_support import SAMPLE, UNAVAILABLE, DatabaseTest, wait_until

class QueueTest(DatabaseTest):
    def shared_daemon(self, **more):
        """A daemon that soon notices the death of another one."""
        return super().shared_daemon(**{"lease_seconds": 1, "workers": 2, **more})

    def any_in_work(self):
        return int(self.sql("SELECT count(*) FROM job WHERE status = 'processing'")) > 0

    def submit_long_work(self, account, count):
        """Jobs that keep their workers busy, without load, until let_end() is called."""
        codes = [f"DYlong{n:05}" for n in range(count)]
        self.platform.configure(posts={code: {"page": "stall"} for code in codes})
        return [account.submit(f"https://www.instagram.com/reel/{code}/") for code in codes]

    def let_end(self, count):
        """From now on, attempts at the long work end at once: the posts are private."""
        self.platform.configure(posts={f"DYlong{n:05}": {"page": "private"} for n in range(count)})

    def all_finished(self, account, ids):
        """All jobs after their end, read twice to check that none changed."""
        jobs = {job_id: account.finished(job_id) for job_id in ids}
        self.assertEqual({job_id: account.job(job_id) for job_id in ids}, jobs, "an ended job changed")
        return jobs

    def assertAllUnavailable(self, jobs):
        self.assertEqual({j.get("error_code") for j in jobs.values()}, {"unavailable"}, jobs)


class Crashes(QueueTest):
    def test_no_accepted_job_is_lost_when_the_daemon_dies(self):
        daemon = self.shared_daemon().start()
        account = daemon.account(unlimited=True)
        ids = self.submit_long_work(account, 4)
        sample = account.submit(SAMPLE)
        wait_until(self.any_in_work, "a job in progress")
        daemon.kill()

        self.let_end(4)
        daemon.start()

        self.assertAllUnavailable(self.all_finished(account, ids))
        self.assertEqual(account.finished(sample)["status"], "done")

    def test_a_job_that_always_kills_its_worker_ends_as_internal(self):
        daemon = self.shared_daemon(workers=1, attempts_max=2)
        daemon.start()
        account = daemon.account()
        job_id, = self.submit_long_work(account, 1)
        in_attempt = "SELECT attempt FROM job WHERE status = 'processing'"
        for attempt in ("1", "2"):
            wait_until(lambda: self.sql(in_attempt) == attempt, f"attempt {attempt}")
            daemon.kill()
            daemon.start()

        job = account.finished(job_id)

        self.assertEqual((job["status"], job["error_code"]), ("error", "internal"), job)
        self.assertTrue(job["error"].startswith("Internal error"), job)
        self.assertEqual(self.sql("SELECT attempt FROM job"), "2")

    def test_a_crash_with_a_private_database_loses_nothing(self):
        daemon = self.shared_daemon(database_url="")
        daemon.start()
        account = daemon.account(unlimited=True)
        ids = self.submit_long_work(account, 3)
        wait_until(lambda: any(account.job(i)["status"] == "processing" for i in ids), "a job in progress")
        daemon.kill()

        self.let_end(3)
        daemon.start()

        self.assertAllUnavailable(self.all_finished(account, ids))


class TwoDaemons(QueueTest):
    def test_daemons_share_the_jobs_and_run_each_once(self):
        first = self.shared_daemon(lease_seconds=60).start()
        second = self.shared_daemon(lease_seconds=60).start()
        here = first.account(unlimited=True)
        there = type(here)(second, here.email, here.token)
        ids = [(here if n % 2 else there).submit(UNAVAILABLE) for n in range(60)]

        jobs = self.all_finished(here, ids)

        self.assertEqual(self.all_finished(there, ids), jobs, "both daemons tell the same")
        self.assertEqual({j["error_code"] for j in jobs.values()}, {"unavailable"})
        self.assertEqual(self.sql("SELECT count(*) FROM job WHERE attempt <> 1 OR claim <> 1"), "0")

    def test_a_long_poll_returns_when_another_daemon_ends_the_job(self):
        idle = self.shared_daemon(workers=0).start()
        busy = self.shared_daemon().start()
        here = idle.account(unlimited=True)
        job_id = here.submit(UNAVAILABLE)
        self.assertEqual(here.job(job_id, wait=60)["status"], "error")
        self.assertEqual(busy.stop(), 0)

    def test_the_surviving_daemon_rescues_the_jobs(self):
        doomed = self.shared_daemon().start()
        account = doomed.account(unlimited=True)
        ids = self.submit_long_work(account, 2)
        wait_until(self.any_in_work, "a job in progress")
        survivor = self.shared_daemon().start()
        doomed.kill()
        self.let_end(2)
        left = type(account)(survivor, account.email, account.token)
        self.assertAllUnavailable(self.all_finished(left, ids))

    def test_limits_apply_across_daemons(self):
        first = self.shared_daemon(workers=0).start()
        second = self.shared_daemon(workers=0).start()
        here = first.account()
        there = type(here)(second, here.email, here.token)
        statuses = [(here if n % 2 else there).analyze(SAMPLE).status for n in range(6)]
        self.assertEqual(statuses, [202] * 3 + [429] * 3)


class Attempts(QueueTest):
    def test_a_permanent_failure_is_not_retried(self):
        daemon = self.shared_daemon().start()
        account = daemon.account()
        account.finished(account.submit(UNAVAILABLE))
        self.assertEqual(self.sql("SELECT attempt FROM job"), "1")

    def test_a_long_job_keeps_its_lease(self):
        """A running worker keeps an attempt that takes longer than its lease."""
        daemon = self.shared_daemon(lease_seconds=5).start()
        account = daemon.account()
        # After its lease, the idle second worker would take it at once.
        self.platform.configure(posts={"DYslow00001": {"page": "slow", "delay": 8, "media": "missing"}})
        account.finished(account.submit("https://www.instagram.com/reel/DYslow00001/"))
        self.assertEqual(self.sql("SELECT attempt, claim FROM job"), "1|1")


class Waiting(QueueTest):
    """Submissions with `queue`."""

    def queue(self, account, count, link=UNAVAILABLE):
        answer = account.request("POST", "/api/v1/reels/analyze", {"urls": [link] * count, "queue": True})
        ids = [view.get("id") for view in answer.json()]
        self.assertNotIn(None, ids, answer)
        return ids

    def test_a_queued_list_runs_in_order_within_the_limit(self):
        daemon = self.shared_daemon(workers=4).start()
        account = daemon.account()
        daemon.limit(account.email, concurrent_jobs=2)
        ids = self.queue(account, 40)
        most = 0
        while account.job(ids[-1])["status"] in ("pending", "processing"):
            most = max(most, int(self.sql("SELECT count(*) FROM job WHERE status = 'processing'")))
        self.assertLessEqual(most, 2)
        self.assertAllUnavailable(self.all_finished(account, ids))
        pause = self.sql("SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM started_at - (SELECT"
                         " max(finished_at) FROM job AS other WHERE other.finished_at <= job.started_at))) FROM job")
        self.assertLess(float(pause), 0.5, "no job waits for the next look at the queue, which follows after 1 s")
        started = self.sql("SELECT string_agg(id::text, ' ' ORDER BY started_at, id) FROM job").split()
        disorder = [abs(started.index(str(job_id)) - place) for place, job_id in enumerate(ids)]
        self.assertLessEqual(max(disorder), 1)

    def test_accounts_take_turns(self):
        idle = self.shared_daemon(workers=0).start()
        long, short = idle.account(), idle.account()
        for _ in range(4):
            self.queue(long, 50)
        job_id, = self.queue(short, 1)
        self.shared_daemon(workers=1).start()
        short.finished(job_id)
        self.assertLessEqual(int(self.sql(
            f"SELECT count(*) FROM job WHERE started_at < (SELECT started_at FROM job WHERE id = {job_id})")), 3)

    def test_a_queued_job_has_an_expected_start(self):
        daemon = self.shared_daemon(workers=1).start()
        account = daemon.account(unlimited=True)
        account.finished(account.submit(SAMPLE))
        ids = self.submit_long_work(account, 3)
        wait_until(self.any_in_work, "a job in progress")
        job = account.job(ids[-1])
        self.assertEqual(job["queue_position"], 2)
        self.assertRegex(job["expected_start_at"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertNotIn("queue_position", account.job(ids[0]))
        self.let_end(3)


class Stopping(QueueTest):
    def stop_at_work(self, with_signal):
        # The lease of five minutes shows that work is released: no test waits for its end.
        daemon = self.shared_daemon(workers=1, lease_seconds=300).start()
        account = daemon.account(unlimited=True)
        ids = self.submit_long_work(account, 3)
        wait_until(self.any_in_work, "a job in progress")
        begin = time.monotonic()
        code = daemon.stop(with_signal)
        self.assertLess(time.monotonic() - begin, 40, "within the shutdown limit")
        self.assertEqual(code, 0, daemon.log()[-3000:])
        self.assertEqual(self.sql("SELECT count(*) FROM job WHERE status = 'processing'"), "0")
        return daemon, account, ids

    def test_sigterm_releases_jobs_and_exits_0(self):
        daemon, account, ids = self.stop_at_work(signal.SIGTERM)
        self.let_end(3)
        daemon.start()
        self.assertAllUnavailable(self.all_finished(account, ids))
        self.assertEqual(self.sql("SELECT max(attempt) FROM job"), "1", "a hand-back is no attempt")

    def test_sigint_does_the_same(self):
        self.stop_at_work(signal.SIGINT)

    def test_a_waiting_request_is_answered_when_the_daemon_stops(self):
        daemon = self.shared_daemon(workers=0).start()
        account = daemon.account()
        job_id = account.submit(SAMPLE)
        connection = daemon.connection()
        headers = {"Authorization": "Bearer " + account.token}
        connection.request("GET", f"/api/v1/reels/{job_id}?wait=60", headers=headers)
        # An answer to another request on the same daemon shows that this one is waiting already.
        account.job(job_id)
        self.assertEqual(daemon.stop(), 0)
        self.assertIn(connection.getresponse().status, (200, 503))
        connection.close()

    def test_a_private_database_stops_with_its_daemon(self):
        daemon = self.daemon(database_url="", workers=1)
        daemon.start()
        self.assertEqual(daemon.stop(), 0, daemon.log()[-3000:])
        left = glob.glob(
            os.path.join(daemon.settings["data_dir"], "**", "postmaster.pid"), recursive=True)
        self.assertEqual(left, [])


class DatabaseOutage(QueueTest):
    def test_503_during_an_outage_and_recovery_afterwards(self):
        daemon = self.shared_daemon().start()
        account = daemon.account(unlimited=True)
        job_id = account.submit(UNAVAILABLE)
        account.finished(job_id)
        self.cluster.stop()
        self.addCleanup(self._make_sure_it_runs)

        wait_until(lambda: daemon.request("GET", "/readyz").status == 503, "unreadiness")
        for answer in (account.request("GET", f"/api/v1/reels/{job_id}"), account.analyze(SAMPLE)):
            self.assertEqual(answer.status, 503, answer)
            self.assertEqual(answer.json()["status"], "error")
            self.assertRegex(answer.headers["Retry-After"], r"^\d+$")
        self.assertEqual(daemon.request("GET", "/healthz").status, 200, "the process itself is well")

        self.cluster.start()
        wait_until(lambda: daemon.request("GET", "/readyz").status == 200, "readiness")
        self.assertEqual(account.job(job_id)["error_code"], "unavailable")
        self.assertEqual(account.finished(account.submit(UNAVAILABLE))["status"], "error")

    def _make_sure_it_runs(self):
        try:
            self.sql("SELECT 1")
        except AssertionError:
            self.cluster.start()


if __name__ == "__main__":
    unittest.main(verbosity=2)
