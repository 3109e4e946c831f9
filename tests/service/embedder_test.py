"""Tests search with a remote embedder: reels get vectors in the background, searches use them, each call is
recorded, and errors never break a search.

Method: the real daemon with its own analyzer and the stand-ins of both APIs, which check the requests.
"""

import unittest
from decimal import Decimal

from gemini_stand_in import GeminiStandIn
from model_support import ModelTest, answer_with, exact
from openai_stand_in import OpenAiStandIn
from service_support import wait_until

KEY = "AIzaEmbedderKeyThatNobodyMaySee0123456789"
MODEL = "gemini-embedding-001"
# A query without a common word or a related meaning in the built-in dictionary.
QUERY = "zwirbel quastenflosser"


class EmbedderTest(ModelTest):
    def stored(self, embedder):
        """The number of reels with a vector of this embedder."""
        return int(self.sql(f"SELECT count(*) FROM search_document WHERE embedder = '{embedder}'"))

    def wait_for_vectors(self, embedder, count):
        wait_until(lambda: self.stored(embedder) == count, f"{count} vectors by {embedder}")

    def search(self, query):
        answer = self.account.request("GET", "/api/v1/reels/search?q=" + query.replace(" ", "+"))
        self.assertEqual(answer.status, 200, answer)
        return answer.json()

    def usage_of(self, model):
        answer = exact(self.account.request("GET", "/api/v1/reels/usage"))
        return next((one for one in answer["by_model"] if one["model"] == model), None)


class Gemini(EmbedderTest):
    provider, call_kind = "gemini", "generate"

    def new_model(self):
        return GeminiStandIn(key=KEY)

    def model_settings(self):
        return {"analyzer": "gemini", "embedder": "gemini", "gemini_url": self.model.url,
                "gemini_api_key": KEY, "gemini_model": "gemini-3.8-flash"}

    def reel_about(self, summary):
        """The id of a done reel with this text in its analysis."""
        self.model.answer = answer_with("content.summary", summary)
        job = self.job()
        self.assertDone(job)
        return job["id"]

    def test_reels_are_embedded_and_found(self):
        self.analyzing()
        fish = self.reel_about("A zwirbel quastenflosser swims along")
        self.reel_about("Somebody paints a door")
        self.wait_for_vectors(f"gemini/{MODEL}/768/1", 2)
        self.assertEqual(self.search(QUERY)[0]["id"], fish)
        self.assertEqual(self.model.violations, [])

        calls = self.model.of("batch_embed")
        self.assertEqual(calls[-1].json["requests"][0]["taskType"], "RETRIEVAL_QUERY")
        self.assertEqual(calls[0].json["requests"][0]["taskType"], "RETRIEVAL_DOCUMENT")
        self.search(QUERY)
        self.assertEqual(self.model.count("batch_embed"), len(calls), "the same query is paid for once")

        used = wait_until(
            lambda: (lambda one: one if one and one["calls"] == len(calls) else None)(
                self.usage_of(MODEL)), "the calls to be recorded")
        self.assertEqual(used["output_tokens"], 0)
        self.assertEqual(used["cost_usd"], used["prompt_tokens"] * Decimal("0.15") / 1_000_000)

    def test_changed_dimensions_reembed_all_reels_while_search_works(self):
        daemon = self.analyzing()
        fish = self.reel_about("A zwirbel quastenflosser swims along")
        self.wait_for_vectors(f"gemini/{MODEL}/768/1", 1)
        self.assertEqual(daemon.stop(), 0)
        self.model.fail("batch_embed", "bad_key", times=99)
        account = self.account
        account.daemon = self.analyzing(embedding_dimensions=256)
        self.account = account
        self.assertEqual(self.stored(f"gemini/{MODEL}/256/1"), 0)
        self.assertEqual(self.search(QUERY)[0]["id"], fish, "by its words")
        self.model.forget_faults()
        self.wait_for_vectors(f"gemini/{MODEL}/256/1", 1)
        self.assertEqual(self.stored(f"gemini/{MODEL}/768/1"), 0)

    def test_an_earlier_embedder_is_not_reactivated(self):
        daemon = self.analyzing()
        self.reel_about("A zwirbel quastenflosser swims along")
        self.wait_for_vectors(f"gemini/{MODEL}/768/1", 1)
        self.assertEqual(daemon.stop(), 0)
        daemon = self.analyzing(embedding_dimensions=256)
        self.wait_for_vectors(f"gemini/{MODEL}/256/1", 1)
        self.assertEqual(daemon.stop(), 0)
        asked = self.model.count("batch_embed")

        daemon = self.analyzing()
        wait_until(lambda: "embedding stopped: another embedder is active" in daemon.log(), "the warning")
        self.assertEqual(self.stored(f"gemini/{MODEL}/256/1"), 1)
        self.assertEqual(self.model.count("batch_embed"), asked)
        metrics = daemon.request("GET", "/metrics").body.decode()
        self.assertRegex(metrics, r'reelsd_embedder_active\{embedder="gemini/[^"]*/768/1"\} 0')
        used = daemon.cli("embedder", "use")
        self.assertEqual((used.returncode, used.stdout), (0, f"gemini/{MODEL}/768/1\n"))
        self.wait_for_vectors(f"gemini/{MODEL}/768/1", 1)

    def test_a_search_with_a_spent_budget_uses_words_and_makes_no_call(self):
        self.analyzing()
        fish = self.reel_about("A zwirbel quastenflosser swims along")
        self.wait_for_vectors(f"gemini/{MODEL}/768/1", 1)
        asked = self.model.count("batch_embed")
        self.sql("UPDATE account SET monthly_budget_usd = 0")
        self.assertEqual(self.search("quastenflosser")[0]["id"], fish)
        self.assertEqual(self.model.count("batch_embed"), asked)

    def test_a_search_continues_without_its_embedder(self):
        self.analyzing()
        fish = self.reel_about("A zwirbel quastenflosser swims along")
        self.wait_for_vectors(f"gemini/{MODEL}/768/1", 1)
        self.model.fail("batch_embed", "bad_key", times=99)
        self.assertEqual(self.search("quastenflosser")[0]["id"], fish)

    def test_a_search_does_not_wait_forever_for_its_embedder(self):
        self.analyzing()
        fish = self.reel_about("A zwirbel quastenflosser swims along")
        self.wait_for_vectors(f"gemini/{MODEL}/768/1", 1)
        self.model.fail("batch_embed", "hold", seconds=30, times=9)
        self.assertEqual(self.search("quastenflosser")[0]["id"], fish)


class OpenAi(EmbedderTest):
    provider, call_kind = "openai", "chat"

    def new_model(self):
        return OpenAiStandIn(server_kind="vllm", key=KEY)

    def model_settings(self):
        return {"analyzer": "local", "embedder": "openai", "openai_url": self.model.url,
                "openai_api_key": KEY, "embedding_model": "text-embedding-3-small",
                "embedding_dimensions": 256}

    def test_vectors_of_a_wrong_size_are_paid_for_once(self):
        self.model.fail("embeddings", "other_length", times=99)
        daemon = self.analyzing()
        job = self.job()
        self.assertDone(job, "local")
        wait_until(lambda: "embedding stopped until the next start" in daemon.log(), "the end of embedding")
        self.assertDone(self.job(), "local")
        self.search("anything")
        self.assertEqual(self.model.count("embeddings"), 1)
        used = wait_until(lambda: self.usage_of("text-embedding-3-small"), "the call to be recorded")
        self.assertEqual(used["calls"], 1)
        self.assertGreater(used["prompt_tokens"], 0)

    def test_errors_under_200_are_not_charged_and_do_not_stop_embedding(self):
        daemon = self.analyzing()
        self.assertDone(self.job(), "local")
        self.wait_for_vectors("openai/text-embedding-3-small/256/1", 1)
        self.model.fail("embeddings", "rate_limited", times=99, shape="openrouter_200")
        before = self.model.count("embeddings")
        for number in range(4):
            self.search(f"anything {number}")
        self.assertEqual(self.model.count("embeddings"), before + 4)
        self.assertNotIn("embedding stopped", daemon.log())
        self.assertEqual(self.usage_of("text-embedding-3-small")["calls"], 1)

    def test_vectors_in_any_order_and_a_model_without_a_price(self):
        self.analyzing(model_prices="other=1/1")
        jobs = [self.job(), self.job()]
        for job in jobs:
            self.assertDone(job, "local")
        self.wait_for_vectors("openai/text-embedding-3-small/256/1", 2)
        self.assertEqual(self.model.violations, [])
        used = wait_until(lambda: self.usage_of("text-embedding-3-small"), "the calls to be recorded")
        self.assertIsNone(used["cost_usd"], "unknown is never 0")
        self.assertEqual(used["unpriced_calls"], used["calls"])


if __name__ == "__main__":
    unittest.main()
