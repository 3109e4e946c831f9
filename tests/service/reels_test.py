"""Tests the life of a caller's reels: listing, repeating, reusing and deleting them, and their usage.

Method: the real daemon with the platform's stand-in, which counts its requests; one daemon without workers where a
job must not change; two daemons on one database where the test needs them.
"""

import concurrent.futures
import contextlib
import re
import time
import unittest

from service_support import (
    SAMPLE, Cluster, Daemon, Platform, ServiceTest, avoid_midnight, shared_cluster, wait_until)

ANALYZE = "/api/v1/reels/analyze"
REELS = "/api/v1/reels"
USAGE = "/api/v1/reels/usage"
NEXT = re.compile(r'^<([^>]+)>; rel="next"$')


def link_to(code):
    return f"https://www.instagram.com/reel/{code}/"


def next_page(answer):
    """The target of the header Link, or None on the last page."""
    value = answer.headers["Link"]
    return NEXT.match(value).group(1) if value else None


class Listing(ServiceTest):
    @classmethod
    def setUpClass(cls):
        cls.database = shared_cluster().migrated_database()
        cls.served = Daemon(database_url=cls.database, workers=0, requests_per_minute=100000)
        cls.addClassCleanup(cls.served.close)
        cls.served.start()

    def pages_of(self, someone, path):
        while path:
            answer = someone.request("GET", path)
            self.assertEqual(answer.status, 200, answer)
            yield answer.json()
            path = next_page(answer)

    def test_an_empty_list(self):
        answer = self.served.account().request("GET", REELS)
        self.assertEqual((answer.status, answer.json()), (200, []))
        self.assertEqual(answer.headers["Content-Type"], "application/json")
        self.assertIsNone(answer.headers["Link"])

    def test_newest_first_without_the_result(self):
        someone = self.served.account(unlimited=True)
        ids = [someone.submit(link_to(f"CODE{n}x")) for n in range(3)]
        items = someone.request("GET", REELS).json()
        self.assertEqual([item["id"] for item in items], ids[::-1])
        self.assertEqual(items[0], someone.job(ids[2]))
        self.assertEqual(self.served.account().request("GET", REELS).json(), [])

    def test_pages_are_stable_while_rows_change(self):
        someone = self.served.account(unlimited=True)
        ids = [someone.submit(link_to(f"CODE{n}y")) for n in range(25)]
        self.assertEqual(len(someone.request("GET", REELS).json()), 20, "the usual page")
        seen = []
        for page in self.pages_of(someone, REELS + "?limit=7"):
            seen += [item["id"] for item in page]
            # The row of the cursor is deleted, and a new one is added.
            self.assertEqual(someone.request("DELETE", f"{REELS}/{seen[-1]}").status, 204)
            someone.submit(link_to("NEWERxx"))
        self.assertEqual(seen, ids[::-1])

    def test_a_status_filters_on_every_page(self):
        someone = self.served.account(unlimited=True)
        for n in range(5):
            someone.submit(link_to(f"CODE{n}z"))
        pages = list(self.pages_of(someone, REELS + "?status=pending&limit=2"))
        self.assertEqual([len(page) for page in pages], [2, 2, 1])
        self.assertEqual(someone.request("GET", REELS + "?status=done").json(), [])

    def test_days_filter_on_every_page(self):
        someone = self.served.account(unlimited=True)
        ids = [someone.submit(link_to(f"CODE{n}w")) for n in range(6)]
        for day, job_id in enumerate(ids, 1):
            shared_cluster().query(f"UPDATE job SET created_at = '2026-05-0{day}T23:59:59Z' WHERE id = {job_id}",
                                   self.database.rsplit("=", 1)[1])
        pages = list(self.pages_of(someone, REELS + "?from=2026-05-02&to=2026-05-04&limit=2"))
        self.assertEqual([[item["id"] for item in page] for page in pages], [[ids[3], ids[2]], [ids[1]]])
        self.assertEqual(someone.request("GET", REELS + "?to=2026-04-30").json(), [])
        for path in (REELS + "?from=0001-01-01&to=9999-12-31", REELS + "/search?q=x&to=9999-12-31"):
            self.assertEqual(someone.request("GET", path).status, 200)
        for query, message in (("from=yesterday", "from must be a date as YYYY-MM-DD"),
                               ("from=2026-05-02&to=2026-05-01", "from must not be after to")):
            self.assertProblem(someone.request("GET", f"{REELS}?{query}"), 400, message)

    def test_bad_parameters(self):
        someone = self.served.account()
        limit = "limit must be a whole number from 1 to 100"
        status = "status must be one of pending, processing, done, error"
        cursor = "cursor was not issued by this service"
        cases = [("limit=0", limit), ("limit=101", limit), ("limit=x", limit), ("limit=", limit),
                 ("limit=1.5", limit), ("limit=-1", limit), ("status=finished", status), ("status=", status),
                 ("cursor=x", cursor), ("cursor=", cursor), ("cursor=42", cursor),
                 ("cursor=%27%3B--", cursor), ("cursor=" + "n" * 5000, cursor)]
        for query, message in cases:
            with self.subTest(query[:40]):
                self.assertProblem(someone.request("GET", f"{REELS}?{query}"), 400, message)
        self.assertEqual(someone.request("GET", REELS + "?colour=blue").status, 200)


class Repeating(ServiceTest):
    @classmethod
    def setUpClass(cls):
        cls.served = Daemon(workers=0)
        cls.addClassCleanup(cls.served.close)
        cls.served.start()

    def analyze(self, someone, key, code="DYa0IXPgnP5", **more):
        return someone.request(
            "POST", ANALYZE, {"url": link_to(code), **more}, {"Idempotency-Key": key})

    def test_the_same_key_is_the_same_job_and_costs_nothing(self):
        someone = self.served.account()
        self.served.limit(someone.email, submissions_per_minute=1)
        first = self.analyze(someone, "a-key")
        self.assertEqual(first.status, 202)
        for _ in range(5):
            again = self.analyze(someone, "a-key")
            self.assertEqual((again.status, again.json()), (202, first.json()))
            self.assertEqual(again.headers["Location"], first.headers["Location"])
        self.assertEqual(someone.analyze(link_to("DYa0IXPgnP5")).status, 429, "no quota is left")

    def test_another_link_under_the_same_key(self):
        someone = self.served.account()
        self.assertEqual(self.analyze(someone, "a-key").status, 202)
        self.assertProblem(
            self.analyze(someone, "a-key", "OTHERcode"), 400, "Idempotency-Key was used with another request")
        self.assertEqual(self.analyze(self.served.account(), "a-key", "OTHERcode").status, 202)

    def test_a_deleted_job_frees_its_key(self):
        someone = self.served.account()
        first = self.analyze(someone, "a-key").json()["id"]
        self.assertEqual(someone.request("DELETE", f"{REELS}/{first}").status, 204)
        second = self.analyze(someone, "a-key", "OTHERcode")
        self.assertEqual(second.status, 202)
        self.assertNotEqual(second.json()["id"], first)

    def test_malformed_keys_and_flags(self):
        someone = self.served.account()
        for key in ("", "a b", "k" * 256, "\xe4"):
            with self.subTest(key[:10]):
                self.assertProblem(
                    self.analyze(someone, key), 400,
                    "Idempotency-Key must be 1 to 255 visible ASCII characters")
        self.assertProblem(
            self.analyze(someone, "key", fresh="yes"), 400, "fresh must be true or false")
        self.assertEqual(self.analyze(someone, "k" * 255, fresh=None).status, 202)


class Reels(ServiceTest):
    @classmethod
    def setUpClass(cls):
        cls.platform = Platform()
        cls.addClassCleanup(cls.platform.close)
        cls.served = Daemon(
            workers=4, requests_per_minute=100000, retry_base_seconds=0.1, **cls.platform.settings())
        cls.addClassCleanup(cls.served.close)
        cls.served.start()

    def setUp(self):
        self.someone = self.served.account(unlimited=True)

    def pages_asked(self):
        return sum(request["kind"] == "page" for request in self.platform.requests())

    def analyzed(self, body):
        answer = self.someone.request("POST", ANALYZE, body)
        self.assertEqual(answer.status, 202, answer)
        return self.someone.finished(answer.json()["id"])

    def test_the_same_post_is_analysed_once_a_day(self):
        self.platform.configure(
            posts={"REUSEDpost": {"author": "ann"}}, shares={"SHAREtoken": "REUSEDpost"})
        before = self.pages_asked()
        first = self.analyzed({"url": link_to("REUSEDpost")})
        self.assertEqual(first["status"], "done", first)
        again = self.analyzed({"url": "https://instagram.com/p/REUSEDpost/?igsh=x"})
        shared = self.analyzed({"url": "https://www.instagram.com/share/reel/SHAREtoken/"})
        self.assertEqual(self.pages_asked(), before + 1, "the platform was asked once")
        self.assertEqual(again["result"], first["result"])
        self.assertEqual(shared["result"], first["result"])
        self.assertNotEqual(again["id"], first["id"])

        fresh = self.analyzed({"url": link_to("REUSEDpost"), "fresh": True})
        self.assertEqual(fresh["status"], "done")
        self.assertEqual(self.pages_asked(), before + 2)
        usage = self.someone.request("GET", USAGE).json()
        self.assertEqual(usage["total_calls"], 2, "copies use nothing")

    def test_another_account_and_another_slide_are_analysed_again(self):
        self.platform.configure(posts={"SLIDESpost": {"slides": ["video", "video"]}})
        before = self.pages_asked()
        self.analyzed({"url": link_to("SLIDESpost")})
        self.analyzed({"url": link_to("SLIDESpost") + "?img_index=2"})
        self.someone = self.served.account()
        self.analyzed({"url": link_to("SLIDESpost")})
        self.assertEqual(self.pages_asked(), before + 3)

    def test_a_done_reel_in_the_list(self):
        self.platform.configure(posts={"LISTEDpost": {"author": "some.one", "caption": "Soup."}})
        job = self.analyzed({"url": link_to("LISTEDpost")})
        self.platform.configure(posts={"MISSINGpost": {"page": "missing"}})
        failed = self.analyzed({"url": link_to("MISSINGpost")})
        items = self.someone.request("GET", REELS).json()
        self.assertEqual([item["id"] for item in items], [failed["id"], job["id"]])
        self.assertEqual(items[0], failed)
        result = job.pop("result")
        expected = {**job, "code": "LISTEDpost", "author": "some.one",
                    "summary": result["content"]["summary"]}
        self.assertEqual(items[1], expected)
        done = self.someone.request("GET", REELS + "?status=done").json()
        self.assertEqual([item["id"] for item in done], [job["id"]])

    def test_usage_outlives_its_reel(self):
        avoid_midnight()
        job = self.analyzed({"url": SAMPLE})
        model = job["result"]["metadata"]["model"]["name"]
        today = job["finished_at"][:10]
        self.assertEqual(self.someone.request("DELETE", f"{REELS}/{job['id']}").status, 204)
        zero = {"total_tokens": 0, "cost_usd": 0}
        expected = {
            "total_cost_usd": 0, "total_prompt_tokens": 0, "total_output_tokens": 0, "total_tokens": 0,
            "total_calls": 1,
            "by_model": [{"model": model, "purpose": "analysis", "calls": 1, "prompt_tokens": 0,
                          "output_tokens": 0, **zero}],
            "by_purpose": [{"purpose": "analysis", "calls": 1, "prompt_tokens": 0, "output_tokens": 0, **zero}],
            "by_day": [{"date": today, "reels": 1, "calls": 1, **zero}],
        }
        self.assertEqual(self.someone.request("GET", USAGE).json(), expected)
        self.assertEqual(
            self.someone.request("GET", f"{USAGE}?from={today}&to={today}").json(), expected)
        before = self.someone.request("GET", f"{USAGE}?to=2020-01-01").json()
        self.assertEqual((before["total_calls"], before["by_model"], before["by_day"]), (0, [], []))
        self.assertProblem(
            self.someone.request("GET", f"{USAGE}?from=01.02.2026"), 400,
            "from must be a date as YYYY-MM-DD")
        self.assertProblem(
            self.someone.request("GET", f"{USAGE}?from=2026-02-02&to=2026-02-01"), 400,
            "from must not be after to")

    def search(self, someone, query):
        answer = someone.request("GET", f"{REELS}/search?{query}")
        self.assertEqual(answer.status, 200, answer)
        return answer.json()

    def test_a_done_reel_is_found_until_it_is_deleted(self):
        captions = {
            "PASTApost1": "The easiest tomato spaghetti with garlic and basil.",
            "SWIMpost11": "How I learned to swim freestyle without losing my breath.",
            "MONEYpost1": "Three mistakes that keep you from saving for a house.",
        }
        self.platform.configure(posts={
            code: {"caption": caption, "author": "ann"} for code, caption in captions.items()})
        jobs = {code: self.analyzed({"url": link_to(code)}) for code in captions}
        for query, code in (("garlic", "PASTApost1"), ("noodles", "PASTApost1"), ("budget+tips", "MONEYpost1"),
                            ("swimming", "SWIMpost11")):
            with self.subTest(query):
                best = self.search(self.someone, "q=" + query)[0]
                self.assertEqual((best["id"], best["code"]), (jobs[code]["id"], code))
        hit = self.search(self.someone, "q=garlic&limit=1")
        # The local analyzer uses the caption as the summary.
        expected = {"field": "content.summary", "text": captions["PASTApost1"]}
        self.assertEqual(len(hit), 1)
        self.assertEqual(hit[0]["match"], expected)
        self.assertEqual(hit[0]["author"], "ann")
        self.assertEqual(hit[0]["url"], link_to("PASTApost1"))
        self.assertEqual(hit[0]["created_at"], jobs["PASTApost1"]["created_at"])
        self.assertTrue(0 < hit[0]["score"] <= 1, hit)

        self.assertEqual(self.search(self.served.account(), "q=garlic"), [], "another account's")
        path = f"{REELS}/{jobs['PASTApost1']['id']}"
        self.assertEqual(self.someone.request("DELETE", path).status, 204)
        found = [hit["code"] for hit in self.search(self.someone, "q=garlic")]
        self.assertNotIn("PASTApost1", found)

    def test_speech_is_found_with_its_time(self):
        self.analyzed({"url": SAMPLE})
        hit = self.search(self.someone, "q=grind")[0]
        self.assertEqual(hit["code"], "reelsd-sample")
        self.assertIn("rind", hit["match"]["text"])
        self.assertTrue(0 <= hit["match"]["seconds"] <= 15, hit)

    def test_invalid_and_unusual_searches(self):
        too_many = "limit must be a whole number from 1 to 50"
        for query, message in (("", "q is required"), ("q=", "q is required"), ("q=%20%09", "q is required"),
                               ("q=" + "x" * 501, "q is too long"), ("q=x&limit=51", too_many),
                               ("q=x&limit=0", too_many)):
            with self.subTest(query[:20]):
                self.assertProblem(self.someone.request("GET", f"{REELS}/search?{query}"), 400, message)
        for query in ("%27%22%3B--", "!%26|()*:", "the+of+and", "%F0%9F%8D%9D", "%E4%BD%A0%E5%A5%BD", "%3A*",
                      "x" * 500, "%C3%A9" * 500, "a%01b"):
            with self.subTest(query[:20]):
                self.assertEqual(self.search(self.someone, "q=" + query), [])

    def test_deleting(self):
        job = self.analyzed({"url": link_to("ONCEpost1")})
        path = f"{REELS}/{job['id']}"
        self.assertProblem(self.served.account().request("DELETE", path), 404, "not found")
        answer = self.someone.request("DELETE", path)
        self.assertEqual((answer.status, answer.body), (204, b""))
        self.assertProblem(self.someone.request("DELETE", path), 404, "not found")
        self.assertProblem(self.someone.request("GET", path), 404, "not found")
        self.assertProblem(self.someone.request("DELETE", f"{REELS}/0"), 404, "not found")

    def test_deleting_stops_the_job_and_ends_its_long_polls(self):
        self.platform.configure(posts={"STALLpost1": {"media": "stall"}})
        job_id = self.someone.submit(link_to("STALLpost1"))
        wait_until(lambda: self.someone.job(job_id)["status"] == "processing", "the work")
        path = f"{REELS}/{job_id}"
        with contextlib.closing(self.served.connection()) as waiting:
            waiting.request("GET", path + "?wait=60", None, {"Authorization": f"Bearer {self.someone.token}"})
            begin = time.monotonic()
            self.assertEqual(self.someone.request("DELETE", path).status, 204)
            self.assertEqual(waiting.getresponse().status, 404)
        self.assertLess(time.monotonic() - begin, 30, "not at the end of the wait")
        wait_until(lambda: job_id in self.jobs_given_up(self.served), "the end of the work", 30)

    def jobs_given_up(self, daemon):
        return [line["job"] for line in daemon.log_lines() if line["message"] == "job lease lost; outcome discarded"]


class TwoDaemons(ServiceTest):
    def test_limits_are_exact_across_daemons(self):
        cluster = Cluster()
        self.addCleanup(cluster.close)
        database = cluster.new_database()
        fronts = [Daemon(database_url=database, workers=0) for _ in range(2)]
        for front in fronts:
            self.addCleanup(front.close)
            front.start()
        someone = fronts[0].account()

        def submit(number):
            return fronts[number % 2].request("POST", ANALYZE, {"url": link_to("DYa0IXPgnP5")}, token=someone.token)

        begin = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(50) as pool:
            answers = list(pool.map(submit, range(50)))
        self.assertEqual(sorted(a.status for a in answers), [202] * 3 + [429] * 47)
        # The 47 refusals have cost nothing: 7 of the 10 submissions of this minute are left.
        fronts[1].limit(someone.email, concurrent_jobs=1000)
        answers = [submit(number) for number in range(20)]
        admitted = sum(a.status == 202 for a in answers)
        earned = (time.monotonic() - begin) / 6  # A token is refilled every 6 s.
        self.assertTrue(7 <= admitted <= 7 + earned, (admitted, earned))
        # So do other requests. The next token is refilled after 20 s.
        fronts[1].limit(someone.email, requests_per_minute=3)
        answers = [fronts[number % 2].request("GET", REELS, token=someone.token) for number in range(6)]
        self.assertEqual([a.status for a in answers], [200] * 3 + [429] * 3)

    def test_deleting_through_another_daemon_stops_the_job(self):
        platform = Platform()
        self.addCleanup(platform.close)
        cluster = Cluster()
        self.addCleanup(cluster.close)
        database = cluster.new_database()
        worker = Daemon(database_url=database, workers=1, lease_seconds=600, **platform.settings())
        self.addCleanup(worker.close)
        worker.start()
        front = Daemon(database_url=database, workers=0, **platform.settings())
        self.addCleanup(front.close)
        front.start()
        someone = front.account(unlimited=True)
        platform.configure(posts={"STALLpost2": {"media": "stall"}, "AFTERpost": {}})
        job_id = someone.submit(link_to("STALLpost2"))
        wait_until(lambda: someone.job(job_id)["status"] == "processing", "the work")
        self.assertEqual(someone.request("DELETE", f"{REELS}/{job_id}").status, 204)
        # The only worker is free long before the stalled download or the lease would end.
        after = someone.finished(someone.submit(link_to("AFTERpost")), 15)
        self.assertEqual(after["status"], "done", after)


if __name__ == "__main__":
    unittest.main(verbosity=2)
