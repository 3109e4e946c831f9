"""Tests the cost of remote analysis as an account reads it: each token and each cent, compared with the records of
the model's stand-in.

Method: the real daemon with the stand-in; numbers are compared as decimals, without rounding.
"""

import csv
import datetime
import io
import json
import re
import unittest
from decimal import Decimal

from gemini_stand_in import GeminiStandIn
from model_support import ANSWER, PRICES, ModelTest, exact
from openai_stand_in import OpenAiStandIn
from service_support import avoid_midnight

MODEL = "gemini-3.8-flash"
SAMPLE_LINE = re.compile(r"(\w+)(?:\{(.*)\})? (\S+)")


class GeminiLedger(ModelTest):
    provider, call_kind = "gemini", "generate"

    def new_model(self):
        return GeminiStandIn()

    def model_settings(self):
        return {"analyzer": "gemini,local", "gemini_url": self.model.url,
                "gemini_api_key": self.model.key, "gemini_model": MODEL}

    def tearDown(self):
        self.model.assert_clean(self)
        super().tearDown()

    def samples(self, daemon):
        """{(name, labels): value} of /metrics."""
        text = daemon.request("GET", "/metrics").body.decode()
        found = [SAMPLE_LINE.fullmatch(line) for line in text.splitlines() if not line.startswith("#")]
        return {(one[1], one[2] or ""): Decimal(one[3]) for one in found if one}

    def test_every_billed_call_is_recorded(self):
        daemon = self.analyzing()
        self.model.cached_tokens = 77
        self.assertDone(self.job())
        self.model.cached_tokens = 0
        for name in ("max_tokens_empty", "safety", "recitation", "not_json", "prompt_blocked", "other"):
            self.try_fault("generate", name)
        # Errors cost nothing.
        self.try_fault("generate", "overloaded", retry_after=0)
        self.try_fault("generate", "per_minute", delay="0.1s")
        self.assertBooked(daemon)
        paid = [call.usage for call in self.model.of("generate") if call.usage]
        self.assertGreater(sum(usage["thoughts"] for usage in paid), 16384)

    def test_concurrent_submissions_of_a_post_are_billed_once(self):
        self.analyzing()
        code = next(self.codes)
        self.platform.configure(posts={code: {}})
        link = f"https://www.instagram.com/reel/{code}/"
        before = len(self.model.of("generate"))
        jobs = [self.account.submit(link) for _ in range(3)]
        results = [self.assertDone(self.account.finished(job)) for job in jobs]
        self.assertEqual(len(self.model.of("generate")) - before, 1)
        self.assertEqual(len({result["content"]["summary"] for result in results}), 1)

    def test_costs_are_exact_decimals(self):
        """No digit is lost, as it would be in binary floating point."""
        avoid_midnight()
        daemon = self.analyzing()
        for _ in range(3):
            self.assertDone(self.job())
        usage = self.assertBooked(daemon)
        row, = [row for row in usage["by_model"] if row["model"] == MODEL]
        price = [Decimal(one) for one in PRICES[MODEL]]
        self.assertEqual(row["cost_usd"] * 1000000,
                         row["prompt_tokens"] * price[0] + row["output_tokens"] * price[1])
        self.assertEqual(usage["total_cost_usd"],
                         sum(row["cost_usd"] or 0 for row in usage["by_model"]))
        for name in ("calls", "prompt_tokens", "output_tokens", "total_tokens"):
            self.assertEqual(usage["total_" + name.removeprefix("total_")],
                             sum(row[name] for row in usage["by_model"]))
        today, = usage["by_day"]
        self.assertEqual((today["cost_usd"], today["total_tokens"]),
                         (usage["total_cost_usd"], usage["total_tokens"]))
        date = datetime.date.fromisoformat(today["date"])
        self.assertLessEqual(abs((datetime.datetime.utcnow().date() - date).days), 1)

    def test_reels_and_days_agree(self):
        """The sums are equal for each grouping, and the digits are equal in the CSV."""
        daemon = self.analyzing()
        jobs = [self.job(), self.try_fault("generate", "max_tokens")[0]]
        usage = self.assertBooked(daemon)
        reels = [exact(self.account.request("GET", f"/api/v1/reels/{job['id']}/usage")) for job in jobs]
        calls = [call for reel in reels for call in reel["calls"]]
        self.assertEqual(sum(reel["total_cost_usd"] for reel in reels), usage["total_cost_usd"])
        self.assertEqual(len(calls), usage["total_calls"])
        self.assertEqual([call["number"] for call in reels[1]["calls"]],
                         list(range(1, len(reels[1]["calls"]) + 1)))
        self.assertFalse(any(call["is_under_way"] for call in calls))
        days = exact(self.account.request("GET", "/api/v1/reels/usage/days"))
        for name in ("calls", "prompt_tokens", "output_tokens", "total_tokens", "cost_usd"):
            self.assertEqual(sum(day[name] for day in days), usage["total_" + name.removeprefix("total_")], name)
        file = self.account.request("GET", "/api/v1/reels/usage/days.csv")
        self.assertEqual(file.headers["Content-Disposition"], 'attachment; filename="reels-usage.csv"')
        rows = list(csv.DictReader(io.StringIO(file.body.decode(), newline="")))
        self.assertEqual([(row["date"], row["provider"], row["model"], Decimal(row["cost_usd"])) for row in rows],
                         [(day["date"], day["provider"], day["model"], day["cost_usd"]) for day in days])
        for path in ("days", "days.csv"):
            answer = self.account.request("GET", f"/api/v1/reels/usage/{path}?from=2026-13-01")
            self.assertProblem(answer, 400, "from must be a date as YYYY-MM-DD")

    def test_usage_outlives_its_reel(self):
        daemon = self.analyzing()
        job = self.job()
        self.assertDone(job)
        before = self.assertBooked(daemon)
        self.assertEqual(self.account.request("DELETE", f"/api/v1/reels/{job['id']}").status, 204)
        self.assertEqual(self.assertBooked(daemon), before)

    def test_an_unknown_cost_is_null(self):
        self.model.models["gemini-9-unheard-of"] = ("low", "medium", "high")
        self.analyzing(gemini_model="gemini-9-unheard-of", analyzer="gemini")
        self.assertDone(self.job())
        usage = exact(self.account.request("GET", "/api/v1/reels/usage"))
        row, = [row for row in usage["by_model"] if row["model"] == "gemini-9-unheard-of"]
        self.assertIsNone(row["cost_usd"], "unknown is not nothing")
        billed = self.model.billed()["gemini-9-unheard-of"]
        self.assertEqual((row["prompt_tokens"], row["output_tokens"]),
                         (billed["prompt_tokens"], billed["output_tokens"]))

    def test_prices_from_a_file(self):
        path = self.cluster.folder + "/prices"
        with open(path, "w") as file:
            json.dump({"prices": [{"model": MODEL, "input": "1.000001", "output": "2.000002",
                                   "cached": "0.5"}]}, file)
        self.analyzing(model_prices="", model_prices_file=path)
        self.assertDone(self.job())
        usage = exact(self.account.request("GET", "/api/v1/reels/usage"))
        row, = [row for row in usage["by_model"] if row["model"] == MODEL]
        self.assertEqual(row["cost_usd"], self.model.cost({MODEL: ("1.000001", "2.000002", "0.5")}))

    def test_metrics_match_the_ledger(self):
        daemon = self.analyzing()
        self.assertDone(self.job())
        self.try_fault("generate", "max_tokens")
        self.assertBooked(daemon)
        billed = self.model.billed()[MODEL]
        of_model = {key: value for key, value in self.samples(daemon).items() if MODEL in key[1]}
        tokens = [value for (name, _), value in of_model.items() if "token" in name]
        self.assertIn(Decimal(billed["prompt_tokens"]), tokens, of_model)
        self.assertIn(Decimal(billed["output_tokens"]), tokens, of_model)
        costs = [value for (name, _), value in of_model.items() if "cost" in name or "usd" in name]
        self.assertEqual([float(cost) for cost in costs], [float(self.model.cost(PRICES))])

    def test_each_account_has_its_own_costs(self):
        daemon = self.analyzing()
        self.assertDone(self.job())
        other = daemon.account()
        usage = exact(other.request("GET", "/api/v1/reels/usage"))
        self.assertEqual((usage["total_calls"], usage["total_cost_usd"], usage["by_model"]), (0, 0, []))
        self.assertBooked(daemon)


class OpenAiLedger(ModelTest):
    provider, call_kind = "openai", "chat"

    def new_model(self):
        return OpenAiStandIn("vllm")

    def model_settings(self):
        return {"analyzer": "openai", "openai_url": self.model.url, "openai_api_key": self.model.key,
                "openai_model": "test-model"}

    def test_every_billed_call_is_recorded(self):
        daemon = self.analyzing()
        self.model.cached_tokens, self.model.reasoning_tokens = 33, 211
        self.assertDone(self.job())
        for name in ("length", "content_filter", "not_json", "refusal"):
            self.try_fault("chat", name)
        self.try_fault("chat", "rate_limited", retry_after_ms=50)
        self.assertBooked(daemon)
        self.model.assert_clean(self)

    def test_missing_usage_is_not_zero_usage(self):
        """A call of unknown cost is counted, and is not shown as free."""
        self.analyzing()
        self.model.answer = ANSWER
        job, _ = self.try_fault("chat", "no_usage")
        self.assertDone(job)
        usage = exact(self.account.request("GET", "/api/v1/reels/usage"))
        row, = [row for row in usage["by_model"] if row["model"] == "test-model"]
        self.assertEqual((row["calls"], row["cost_usd"]), (1, None))
        self.model.assert_clean(self)


if __name__ == "__main__":
    unittest.main(verbosity=2)
