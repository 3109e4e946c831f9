"""Tests GET /api/v1/reels/search of the real daemon: hits, and errors.

Method: one daemon analyses the sample reel, whose words are known (coffee, fresh beans, grinding), for one
account; another account has no reels. Short videos are uploaded with captions in other scripts.
"""

import os
import tempfile
import unittest
from datetime import datetime, timedelta, timezone
from pathlib import Path
from urllib.parse import quote

from service_support import Daemon, ServiceTest, make_short_video

SAMPLE = "https://www.instagram.com/reel/reelsd-sample/"


class SearchTest(ServiceTest):
    """One daemon serves all tests."""

    def search(self, query, parameters="", account=None):
        path = f"/api/v1/reels/search?q={quote(query)}{parameters}"
        return (account or self.someone).request("GET", path)

    def hits(self, query, parameters="", account=None):
        answer = self.search(query, parameters, account)
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual(answer.headers["Content-Type"], "application/json")
        return answer.json()


def setUpModule():
    SearchTest.served = Daemon(workers=2, requests_per_minute=100000)
    unittest.addModuleCleanup(SearchTest.served.close)
    SearchTest.served.start()
    SearchTest.someone = SearchTest.served.account(unlimited=True)
    SearchTest.other = SearchTest.served.account(unlimited=True)
    SearchTest.sample = SearchTest.someone.submit(SAMPLE)
    SearchTest.someone.finished(SearchTest.sample)


class Finding(SearchTest):
    def test_a_hit_has_the_documented_format(self):
        hits = self.hits("better coffee")
        self.assertEqual(len(hits), 1)
        hit = hits[0]
        self.assertEqual(
            set(hit), {"id", "url", "code", "author", "created_at", "summary", "score", "match"})
        self.assertEqual(hit["id"], self.sample)
        self.assertEqual(hit["url"], SAMPLE)
        self.assertEqual(hit["code"], "reelsd-sample")
        job = self.someone.job(self.sample)
        self.assertEqual(hit["created_at"], job["created_at"])
        self.assertEqual(hit["summary"], job["result"]["content"]["summary"])
        self.assertGreater(hit["score"], 0)
        self.assertLessEqual(hit["score"], 1)
        self.assertIn("coffee", hit["match"]["text"].lower())

    def test_a_match_has_the_time_of_its_passage(self):
        result = self.someone.job(self.sample)["result"]
        [text] = [one for one in result["visual"]["text_segments"] if "beans" in one["text"].lower()][:1]
        match = self.hits(text["text"])[0]["match"]
        if match["field"] == "visual.text_on_screen":
            self.assertEqual(match["seconds"], text["start_seconds"])
        self.assertIn("beans", match["text"].lower())

    def test_hits_match_by_meaning(self):
        self.assertEqual([hit["id"] for hit in self.hits("espresso barista")], [self.sample])

    def test_another_account_finds_nothing(self):
        self.assertEqual(self.hits("better coffee", account=self.other), [])

    def test_deleted_reels_are_not_found(self):
        reel = self.other.submit(SAMPLE)
        self.other.finished(reel)
        self.assertEqual([hit["id"] for hit in self.hits("coffee", account=self.other)], [reel])
        self.assertEqual(self.other.request("DELETE", f"/api/v1/reels/{reel}").status, 204)
        self.assertEqual(self.hits("coffee", account=self.other), [])


class Ideographs(SearchTest):
    def test_a_single_one_is_found_within_longer_words(self):
        """In Japanese and Chinese texts, which have no spaces between words."""
        account = self.served.account(unlimited=True)
        with tempfile.TemporaryDirectory() as folder:
            video = os.path.join(folder, "short.mp4")
            make_short_video(video)
            content = Path(video).read_bytes()
        reels = {}
        for caption in ("可愛い猫の動画", "キムチ鍋レシピ", "我爱吃鱼"):
            path = f"/api/v1/reels/analyze?filename=short.mp4&caption={quote(caption)}"
            upload = content + caption.encode()  # An equal one would be answered from the first analysis.
            answer = account.request("POST", path, upload, {"Content-Type": "video/mp4"})
            self.assertEqual(answer.status, 202, answer)
            reels[caption] = answer.json()["id"]
            account.finished(reels[caption])
        for query, caption in (("猫", "可愛い猫の動画"), ("鍋", "キムチ鍋レシピ"), ("鍋 レシピ", "キムチ鍋レシピ"),
                               ("鱼", "我爱吃鱼"), ("吃鱼", "我爱吃鱼")):
            with self.subTest(query):
                hits = self.hits(query, account=account)
                self.assertEqual([hit["id"] for hit in hits], [reels[caption]])
                self.assertEqual(hits[0]["match"]["text"], caption)
        self.assertEqual(self.hits("の", account=account), [])


class Asking(SearchTest):
    def test_q_is_required(self):
        for path in ("/api/v1/reels/search", "/api/v1/reels/search?q=", "/api/v1/reels/search?q=%20%09",
                     "/api/v1/reels/search?limit=5"):
            with self.subTest(path):
                self.assertProblem(self.someone.request("GET", path), 400, "q is required")

    def test_q_has_at_most_500_characters(self):
        self.assertEqual(self.search("ä" * 500).status, 200)
        self.assertProblem(self.search("ä" * 501), 400, "q is too long")

    def test_limit_is_1_to_50(self):
        for limit in ("1", "50"):
            self.hits("coffee", f"&limit={limit}")
        for limit in ("0", "51", "-1", "x", "1.5", ""):
            with self.subTest(limit):
                self.assertEqual(self.search("coffee", f"&limit={limit}").status, 400)

    def test_filters(self):
        for parameters, message in (("&author=", "author must be 1 to 100 characters"),
                                    ("&from=May", "from must be a date as YYYY-MM-DD"),
                                    ("&from=2026-05-02&to=2026-05-01", "from must not be after to")):
            with self.subTest(parameters):
                self.assertProblem(self.search("coffee", parameters), 400, message)
        today = datetime.now(timezone.utc).date()
        tomorrow = today + timedelta(days=1)
        found = self.hits("coffee", f"&from={today - timedelta(days=1)}&to={tomorrow}")
        self.assertEqual(found, self.hits("coffee"))
        for parameters in (f"&from={tomorrow}", "&to=2026-01-01", "&author=nobody"):
            self.assertEqual(self.hits("coffee", parameters), [])

    def test_hostile_queries_are_accepted(self):
        for query in ("& | ! <-> :*", "'", '"', "\\", "(((", "the of and", "🍞", "хлеб", "%00", "$1; DROP TABLE job",
                      "a" * 500, "coffee'--", "<script>", "\x01\x02 x"):
            with self.subTest(query):
                self.hits(query)

    def test_a_token_is_required(self):
        answer = self.served.request("GET", "/api/v1/reels/search?q=x")
        self.assertEqual(answer.status, 401)


if __name__ == "__main__":
    unittest.main()
