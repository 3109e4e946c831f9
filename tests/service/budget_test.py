"""Tests monthly budgets: once a budget is spent, requests that cost money are refused, and no others.

Method: the real daemon with a stand-in for the model, whose calls have a price. Budgets are set in the database.
"""

import datetime
import unittest
from decimal import Decimal

from model_support import PRICES, ModelTest, exact
from openai_stand_in import OpenAiStandIn
from service_support import SAMPLE, avoid_midnight, wait_until

BUDGET = "/api/v1/reels/usage/budget"
LINK = "https://www.instagram.com/reel/DYbudget00001/"


def seconds_to_next_month():
    now = datetime.datetime.now(datetime.timezone.utc)
    later = (now.replace(day=1) + datetime.timedelta(days=32)).replace(
        day=1, hour=0, minute=0, second=0, microsecond=0)
    return (later - now).total_seconds()


class MonthlyBudget(ModelTest):
    provider, call_kind = "openai", "chat"

    def setUp(self):
        super().setUp()
        avoid_midnight()

    def new_model(self):
        return OpenAiStandIn("vllm")

    def model_settings(self):
        return {"analyzer": "openai,local", "openai_url": self.model.url, "openai_api_key": self.model.key,
                "openai_model": "test-model"}

    def set_budget(self, dollars, account=None):
        email = (account or self.account).email
        self.sql(f"UPDATE account SET monthly_budget_usd = {dollars} WHERE email = '{email}'")

    def budget(self):
        return exact(self.account.request("GET", BUDGET))

    def assertRefused(self, answer, message):
        self.assertProblem(answer, 429, message)
        self.assertAlmostEqual(int(answer.headers["Retry-After"]), seconds_to_next_month(), delta=60)
        self.assertEqual(answer.headers["RateLimit-Remaining"], answer.headers["RateLimit-Limit"])

    def test_spent_cost_counts(self):
        self.analyzing()
        self.assertEqual(self.budget()["monthly_budget_usd"], None)
        self.set_budget(1000)
        self.assertDone(self.job())
        cost = self.model.cost(PRICES)
        self.assertGreater(cost, 0)
        month = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m")
        self.assertEqual(self.budget(), {"monthly_budget_usd": Decimal(1000), "spent_this_month_usd": cost,
                                         "spent_today_usd": cost, "month": month})
        self.set_budget(cost)
        self.assertRefused(self.account.analyze(LINK), f"monthly budget of ${cost} is spent")
        self.set_budget(cost + Decimal("0.000001"))
        self.assertDone(self.job())

    def test_a_spent_budget_ends_accepted_jobs(self):
        self.analyzing(workers=1)
        self.addCleanup(self.model.release)
        self.model.fail("chat", "hold", seconds=60)
        first, second = self.submitted(), self.submitted()
        wait_until(lambda: self.model.count("chat") == 1, "the first reel's call")
        requests = self.platform.requests()
        self.set_budget("0.000001")
        self.model.release()
        self.assertDone(self.account.finished(first))
        ended = self.account.finished(second)
        self.assertEqual((ended["status"], ended["error_code"]), ("error", "model_failed"))
        self.assertIn("this month's budget of the account is spent", ended["error"])
        self.assertEqual(self.model.count("chat"), 1)
        self.assertEqual(self.platform.requests(), requests, "the second reel is not looked up")

    def test_a_budget_of_zero(self):
        daemon = self.analyzing()
        headers = {"Idempotency-Key": "mine"}
        body = {"url": LINK}
        first = self.account.request("POST", "/api/v1/reels/analyze", body, headers)
        self.assertEqual(first.status, 202)
        self.account.finished(first.json()["id"])
        self.set_budget(0)
        # Until the quota is full again, to show that refusals do not use it.
        self.sql("UPDATE account SET bucket_tokens = NULL, bucket_at = NULL")
        self.assertRefused(self.account.analyze(LINK), "monthly budget of $0.00 is spent")
        again = self.account.request("POST", "/api/v1/reels/analyze", body, headers)
        self.assertEqual((again.status, again.json()["id"]), (202, first.json()["id"]))
        # Input is checked first.
        self.assertEqual(self.account.analyze("https://tiktok.com/x").status, 400)
        # Test links cost nothing, and other accounts have their own budget.
        self.assertEqual(self.account.finished(self.account.submit(SAMPLE))["status"], "done")
        self.assertEqual(daemon.account().analyze(LINK).status, 202)

    def test_local_analysis_is_free(self):
        self.analyzing(analyzer="local")
        self.set_budget(0)
        self.assertDone(self.job(), "local")
        self.assertEqual(self.budget()["spent_this_month_usd"], 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
