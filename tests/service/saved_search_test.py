"""Tests saved searches: the routes, and the report of a new reel that matches, by webhook and by chat.

Method: the real daemon with the stand-in of a model, whose analyses decide what matches.
"""

import unittest

from model_support import ModelTest, answer_with
from openai_stand_in import OpenAiStandIn
from service_support import wait_until
from telegram_support import ANN, TelegramTest
from webhook_receiver import WebhookReceiver

SEARCHES = "/api/v1/searches"
KEY = "sk-standInKeyThatNobodyMaySee0123456789"
PASTA = answer_with("content.summary", "Fresh pasta with tomatoes & <basil>.")
SKIS = {**answer_with("content.summary", "Waxing skis before a race."),
        "visual": {"text_segments": [], "subjects": ["skis"], "setting": "a workshop", "description": "Skis."},
        "audio": {"segments": [], "language": None, "has_music": False, "music_description": "",
                  "music_title": None, "music_artist": None}}
SKIS["content"] = {**SKIS["content"], "topics": ["skiing"], "hooks": [], "key_moments": []}


class SavedSearchTest(ModelTest):
    provider, call_kind = "openai", "chat"

    def new_model(self):
        return OpenAiStandIn("vllm", key=KEY)

    def model_settings(self):
        return {"analyzer": "openai", "openai_url": self.model.url, "openai_api_key": KEY, "openai_model": "test-model"}

    def save(self, query, **more):
        answer = self.account.request("POST", SEARCHES, {"query": query, **more})
        self.assertEqual(answer.status, 201, answer)
        return answer.json()

    def reel(self, analysis, **post):
        self.model.answer = analysis
        job = self.job(**post)
        self.assertDone(job)
        return job

    def checked(self):
        """Waits until each new reel has been compared."""
        wait_until(lambda: self.sql("SELECT count(*) FROM search_check") == "0", "comparisons")

    def matches(self):
        return self.sql("SELECT string_agg(search_id || ':' || job_id, ' ' ORDER BY job_id) FROM search_match")


class Routes(SavedSearchTest):
    def test_saving_listing_and_removing(self):
        self.analyzing(workers=0)
        self.assertEqual(self.account.request("GET", SEARCHES).json(), [])
        pasta = self.save("fresh pasta")
        self.assertEqual((pasta["name"], pasta["query"], pasta["min_score"]), ("fresh pasta", "fresh pasta", 0.5))
        bread = self.save(" bread\n", name="Bread", author="@ann.bakes", min_score=0.25)
        self.assertEqual((bread["query"], bread["author"], bread["min_score"]), ("bread", "ann.bakes", 0.25))
        self.assertEqual(self.account.request("GET", SEARCHES).json(), [pasta, bread])
        other = self.served_daemon.account()
        self.assertEqual(other.request("GET", SEARCHES).json(), [])
        for who, status in ((other, 404), (self.account, 204), (self.account, 404)):
            self.assertEqual(who.request("DELETE", f"{SEARCHES}/{pasta['id']}").status, status)
        self.assertEqual(self.account.request("DELETE", SEARCHES + "/x").status, 404)

    def test_invalid_saved_searches(self):
        self.analyzing(workers=0)
        rows = [({}, "query is required"), ({"query": " "}, "query is required"),
                ({"query": 5}, "query must be a string"), ({"query": "x" * 501}, "query is too long"),
                ({"query": "x", "name": 5}, "name must be a string"),
                ({"query": "x", "name": ""}, "name must be 1 to 100 characters"),
                ({"query": "x", "author": "@"}, "author must be 1 to 100 characters"),
                ({"query": "x", "min_score": 1.1}, "min_score must be a number from 0 to 1"),
                ({"query": "x", "min_score": "1"}, "min_score must be a number from 0 to 1")]
        for body, message in rows:
            with self.subTest(message):
                self.assertProblem(self.account.request("POST", SEARCHES, body), 400, message)
        for number in range(20):
            self.save("pasta", name=str(number))
        self.assertProblem(self.account.request("POST", SEARCHES, {"query": "x", "name": "1"}), 400,
                           "another saved search has this name")
        self.assertProblem(self.account.request("POST", SEARCHES, {"query": "x"}), 400,
                           "limit of 20 saved searches reached")


class Matches(SavedSearchTest):
    def test_a_reel_with_all_words_matches_among_many_others(self):
        self.analyzing()
        brand = self.save("Zylostra K\u00e4se")
        strict = self.save("zylostra k\u00e4se", name="strict", min_score=0.9)
        for number in range(3):
            self.reel({**PASTA, "content": {**PASTA["content"], "summary": f"Zylostra K\u00e4se, Zylostra {number}."}})
        last = self.reel(SKIS, caption="Skis.Zylostra makes no Kase.")
        self.checked()
        reported = self.matches().split()
        self.assertEqual(len([one for one in reported if one.startswith(f"{brand['id']}:")]), 4)
        self.assertIn(f"{brand['id']}:{last['id']}", reported)
        self.assertNotIn(f"{strict['id']}:{last['id']}", reported)

    def test_only_matching_reels_are_reported(self):
        self.analyzing()
        pasta = self.save("fresh pasta with tomatoes")
        self.save("fresh pasta with tomatoes", name="of another", author="somebody.else")
        self.save("quantum chromodynamics")
        self.reel(SKIS, caption="Skis.")
        matching = self.reel(PASTA)
        self.checked()
        self.assertEqual(self.matches(), f"{pasta['id']}:{matching['id']}")

    def test_the_webhook_receives_a_match_once(self):
        receiver = WebhookReceiver()
        self.addCleanup(receiver.close)
        self.analyzing(webhook_networks="127.0.0.0/8")
        self.account.request("PUT", "/api/v1/webhook", {"url": receiver.url("/hook")})
        secret = self.account.request("GET", "/api/v1/webhook").json()["secret"]
        saved = self.save("fresh pasta with tomatoes", name="Pasta")
        reel = self.reel(PASTA)
        got = receiver.wait_for("/hook", 2)
        match, = [one for one in got if one.json().get("type") == "search.matched"]
        match.verify(secret)
        body = match.json()
        self.assertEqual(body["search"], {"id": saved["id"], "name": "Pasta", "query": "fresh pasta with tomatoes"})
        self.assertGreaterEqual(body["score"], 0.5)
        self.assertEqual(body["reel"], reel)
        # The comparison is repeated, as after the death of a daemon.
        self.sql(f"INSERT INTO search_check (job_id, account_id) SELECT id, account_id FROM job WHERE id = {reel['id']}")
        self.checked()
        log = self.account.request("GET", "/api/v1/webhook/deliveries").json()
        self.assertEqual([(one["job_id"], one.get("search_id")) for one in log],
                         [(reel["id"], saved["id"]), (reel["id"], None)])
        self.assertEqual(len(receiver.of("/hook")), 2)

    def test_a_pending_comparison_survives_a_restart(self):
        daemon = self.analyzing()
        saved = self.save("fresh pasta with tomatoes")
        self.sql("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
                 " $$ BEGIN RAISE EXCEPTION 'refused'; END $$;"
                 " CREATE TRIGGER refuse BEFORE INSERT ON search_match EXECUTE FUNCTION refuse()")
        reel = self.reel(PASTA)
        wait_until(lambda: self.sql("SELECT count(*) FROM search_check WHERE due_at > now()") == "1", "claim")
        daemon.kill()
        self.sql("DROP TRIGGER refuse ON search_match; UPDATE search_check SET due_at = now()")
        daemon.start()
        self.checked()
        self.assertEqual(self.matches(), f"{saved['id']}:{reel['id']}")


class Chats(TelegramTest, SavedSearchTest):
    def test_linked_chats_receive_matches(self):
        self.analyzing(**self.telegram.settings())
        daemon = self.served_daemon
        person = self.linked(daemon)
        answer = person.api("POST", "searches", {"query": "fresh pasta with tomatoes", "name": "My <pasta>"})
        self.assertEqual(answer.status, 201, answer)
        self.model.answer = PASTA
        self.telegram.say(ANN, "https://www.instagram.com/reel/DYmodel9000/")
        self.platform.configure(posts={"DYmodel9000": {}})
        message, = self.wait_for(ANN, "My <pasta>")
        self.assertIn("tomatoes & <basil>", message.text)


if __name__ == "__main__":
    unittest.main()
