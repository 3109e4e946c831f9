"""Tests several links in one submission: each is decided, counted and answered like a single submission."""

import unittest

from service_support import SAMPLE, UNAVAILABLE, Daemon, ServiceTest

ANALYZE = "/api/v1/reels/analyze"
JOB_LIMIT = "limit of 3 jobs pending or processing at the same time reached"
NO_LIST = "urls must be an array of 1 to 50 links"


def link_to(code):
    return f"https://www.instagram.com/reel/DYa0IX-{code}/"


class Lists(ServiceTest):
    @classmethod
    def setUpClass(cls):
        cls.served = Daemon(workers=0)
        cls.addClassCleanup(cls.served.close)
        cls.served.start()

    def analyze(self, someone, urls, key=None, **more):
        headers = {"Idempotency-Key": key} if key else None
        return someone.request("POST", ANALYZE, {"urls": urls, **more}, headers)

    def views(self, someone, urls, key=None):
        answer = self.analyze(someone, urls, key)
        self.assertEqual(answer.status, 202, answer)
        return answer.json()

    def test_each_link_is_decided_separately(self):
        someone = self.served.account(unlimited=True)
        urls = [link_to("first"), "https://tiktok.com/x", "", None, 7, {"a": [1]}, " ", ["x" * 300],
                "https://www.instagram.com/someone/", link_to("first"), "x" * 3000, link_to("last")]
        views = self.views(someone, urls)
        self.assertEqual([view["url"] for view in views], [None if url == ["x" * 300] else url for url in urls])
        for url, view in zip(urls, views):
            with self.subTest(str(url)[:50]):
                alone = someone.request("POST", ANALYZE, {"url": url})
                if alone.status == 202:
                    self.assertEqual(set(view), {"url", "id", "status"})
                    self.assertEqual(view["status"], "pending")
                    self.assertEqual(someone.job(view["id"])["url"], url)
                else:
                    self.assertEqual(view["error"], alone.json()["message"])
                    self.assertEqual(view["error_code"], alone.headers["X-Error-Code"])
                    self.assertEqual(set(view), {"url", "error", "error_code"})
        ids = [view["id"] for view in views if "id" in view]
        self.assertEqual(len(set(ids)), 3, "a repeated link is two submissions")
        self.assertEqual(ids, sorted(ids))

    def test_invalid_lists(self):
        someone = self.served.account()
        link = link_to("a")
        for body, message in (
                ({"urls": []}, NO_LIST), ({"urls": [link] * 51}, NO_LIST), ({"urls": link}, NO_LIST),
                ({"urls": {}}, NO_LIST), ({"urls": True}, NO_LIST),
                ({"urls": [link], "url": link}, "give url or urls, not both"),
                ({"urls": [link], "fresh": 1}, "fresh must be true or false"),
                ({"urls": None}, "url is required"), ({}, "url is required")):
            with self.subTest(str(body)[:60]):
                self.assertProblem(someone.request("POST", ANALYZE, body), 400, message)
        self.assertProblem(self.analyze(someone, [link], "k" * 256), 400,
                           "Idempotency-Key must be 1 to 255 visible ASCII characters")
        self.assertEqual(len(self.views(someone, [link])), 1)
        self.assertEqual(self.analyze(someone, [link], url=None).status, 202)

    def test_the_longest_list_fits_into_a_body(self):
        someone = self.served.account(unlimited=True)
        urls = [f"{link_to('a')}?x={number:02}{'y' * 1250}" for number in range(50)]
        self.assertEqual([view["status"] for view in self.views(someone, urls)], ["pending"] * 50)
        self.assertEqual(self.analyze(someone, [url + "z" * 50 for url in urls]).status, 413)

    def test_links_are_admitted_in_order(self):
        someone = self.served.account()
        answer = self.analyze(someone, [link_to(f"code{number}") for number in range(5)])
        views = answer.json()
        self.assertEqual(answer.status, 202)
        self.assertEqual([view.get("status") for view in views], ["pending"] * 3 + [None] * 2)
        for view in views[3:]:
            self.assertEqual(view["error"], JOB_LIMIT)
            self.assertGreater(view["retry_after"], 0)
        self.assertEqual(answer.headers["RateLimit-Limit"], "10")
        self.assertEqual(answer.headers["RateLimit-Remaining"], "7")
        self.assertIsNotNone(answer.headers["RateLimit-Reset"])
        self.assertIsNone(answer.headers["Location"])
        self.assertEqual(someone.analyze(link_to("more")).status, 429)

    def test_a_list_uses_the_rate_limit(self):
        someone = self.served.account()
        self.served.limit(someone.email, submissions_per_minute=2, concurrent_jobs=100)
        views = self.views(someone, ["nonsense", link_to("a"), "nonsense", link_to("b"), link_to("c")])
        self.assertEqual(["id" in view for view in views], [False, True, False, True, False])
        self.assertEqual(views[4]["error"], "limit of 2 submissions per minute reached")
        self.assertIn(views[4]["retry_after"], range(1, 31))

    def test_a_rejected_list_costs_nothing(self):
        someone = self.served.account()
        self.served.limit(someone.email, submissions_per_minute=1)
        for _ in range(3):
            answer = self.analyze(someone, ["nonsense"] * 50)
            self.assertEqual([view["error"] for view in answer.json()],
                             ["URL must be an instagram.com link"] * 50)
            self.assertIsNone(answer.headers["RateLimit-Limit"], "no link has come as far as the limits")
        self.assertEqual(someone.analyze(link_to("a")).status, 202)

    def test_the_same_list_under_the_same_key(self):
        someone = self.served.account()
        self.served.limit(someone.email, submissions_per_minute=3)
        urls = [link_to("a"), "nonsense", link_to("a"), link_to("b")]
        first = self.views(someone, urls, "a-key")
        self.assertEqual(["id" in view for view in first], [True, False, True, True])
        for _ in range(3):
            self.assertEqual(self.views(someone, urls, "a-key"), first)
        self.assertEqual(someone.analyze(link_to("c")).status, 429, "no quota is left")

    def test_another_use_of_the_same_key(self):
        someone = self.served.account(unlimited=True)
        other_use = "Idempotency-Key was used with another request"
        urls = [link_to("a"), link_to("b")]
        self.views(someone, urls, "a-key")
        before = len(someone.request("GET", "/api/v1/reels").json())
        for others in (urls[:1], urls[1:], urls[::-1], [*urls, link_to("c")], [*urls, "nonsense"]):
            self.assertProblem(self.analyze(someone, others, "a-key"), 400, other_use)
        for url in urls:
            alone = someone.request("POST", ANALYZE, {"url": url}, {"Idempotency-Key": "a-key"})
            self.assertProblem(alone, 400, other_use)
        self.assertEqual(len(someone.request("GET", "/api/v1/reels").json()), before)

        alone = someone.request("POST", ANALYZE, {"url": urls[0]}, {"Idempotency-Key": "one"})
        self.assertEqual(alone.status, 202)
        self.assertProblem(self.analyze(someone, urls, "one"), 400, other_use)
        self.assertProblem(self.analyze(someone, urls[:1], "one"), 400, other_use)
        self.assertEqual(self.analyze(self.served.account(), urls, "one").status, 202)

    def test_a_partly_admitted_list_can_be_completed(self):
        someone = self.served.account()
        urls = [link_to(f"code{number}") for number in range(5)]
        first = self.views(someone, urls, "k" * 255)
        self.assertEqual(["id" in view for view in first], [True] * 3 + [False] * 2)
        self.assertEqual(someone.request("DELETE", f"/api/v1/reels/{first[0]['id']}").status, 204)
        # Its key is free again, as for a single link.
        again = self.views(someone, urls, "k" * 255)
        self.assertEqual(["id" in view for view in again], [True] * 3 + [False] * 2)
        self.assertNotEqual(again[0]["id"], first[0]["id"])
        self.assertEqual(again[1:3], first[1:3])
        self.served.limit(someone.email, concurrent_jobs=5)
        whole = self.views(someone, urls, "k" * 255)
        self.assertEqual(whole[:3], again[:3])
        self.assertEqual(len({view["id"] for view in whole}), 5)


    def test_a_list_with_queue(self):
        someone = self.served.account()
        urls = [link_to(f"code{number}") for number in range(50)]
        for left in range(9, -1, -1):
            answer = self.analyze(someone, urls, queue=True)
            self.assertEqual(["id" in view for view in answer.json()], [True] * 50)
            self.assertIn(int(answer.headers["RateLimit-Remaining"]), range(left, left + 5))
        ids = [view["id"] for view in answer.json()]
        last = someone.job(ids[-1])
        self.assertEqual((last["queue_position"], last["expected_start_at"]), (500, None))
        self.assertEqual(someone.job(ids[0])["queue_position"], 451)
        listed = someone.request("GET", "/api/v1/reels?limit=3").json()
        self.assertEqual([job["queue_position"] for job in listed], [500, 499, 498])
        self.assertEqual(someone.request("DELETE", f"/api/v1/reels/{ids[0]}").status, 204)
        self.assertEqual(someone.job(ids[-1])["queue_position"], 499)

    def test_the_queue_has_a_limit(self):
        someone = self.served.account()
        self.served.limit(someone.email, queued_jobs=4)
        views = self.analyze(someone, [link_to(f"code{number}") for number in range(9)], queue=True).json()
        self.assertEqual(["id" in view for view in views], [True] * 7 + [False] * 2)
        self.assertEqual(views[-1]["error"], "limit of 4 queued jobs reached")
        alone = someone.request("POST", ANALYZE, {"url": link_to("more"), "queue": True})
        self.assertProblem(alone, 429, "limit of 4 queued jobs reached")
        self.assertGreater(int(alone.headers["Retry-After"]), 0)
        for queue in (False, None):
            self.assertProblem(someone.request("POST", ANALYZE, {"url": link_to("more"), "queue": queue}), 429, JOB_LIMIT)
        self.assertProblem(someone.request("POST", ANALYZE, {"url": link_to("more"), "queue": "yes"}), 400,
                           "queue must be true or false")

    def test_a_key_does_not_depend_on_queue(self):
        someone = self.served.account()
        urls = [link_to(f"code{number}") for number in range(5)]
        first = self.views(someone, urls, "a-key")
        whole = self.analyze(someone, urls, "a-key", queue=True).json()
        self.assertEqual(whole[:3], first[:3])
        self.assertTrue(all("id" in view for view in whole))
        self.assertEqual(self.analyze(someone, urls, "a-key").json(), whole)


class Work(ServiceTest):
    def test_all_links_of_a_list_are_analysed(self):
        daemon = self.daemon(workers=2)
        daemon.start()
        someone = daemon.account()
        answer = someone.request("POST", ANALYZE, {"urls": [SAMPLE, UNAVAILABLE], "fresh": True})
        self.assertEqual(answer.status, 202, answer)
        sample, unavailable = [view["id"] for view in answer.json()]
        self.assertEqual(someone.finished(unavailable)["error_code"], "unavailable")
        self.assertEqual(someone.finished(sample)["status"], "done")


if __name__ == "__main__":
    unittest.main()
