"""Tests the messages about models that an operator sees before the first reel: a start without a key, and `reelsd
doctor` with a valid and an invalid key."""

import unittest

from gemini_stand_in import GeminiStandIn
from model_support import ModelTest
from openai_stand_in import OpenAiStandIn

KEY = "AIzaOperatorsKeyThatNobodyMaySee012345678"


class ModelOperations(ModelTest):
    provider, call_kind = "gemini", "generate"

    def new_model(self):
        return GeminiStandIn(key=KEY)

    def model_settings(self):
        return {"gemini_url": self.model.url, "gemini_api_key": KEY}

    def doctor(self, **settings):
        daemon = self.shared_daemon(**{**self.model_settings(), **settings})
        done = daemon.cli("doctor", canary_link="none")
        self.assertNotIn(KEY, done.stdout + done.stderr)
        return next(line for line in done.stdout.splitlines() if line.split()[1:2] == ["model"])

    def test_doctor_checks_key_and_model(self):
        self.assertRegex(self.doctor(), "^ok .*gemini/gemini-3.8-flash.* valid")
        self.assertRegex(self.doctor(gemini_model="gemini-9"), "^FAIL .*gemini-9.*404")
        self.assertRegex(self.doctor(gemini_api_key="wrong"), "^FAIL .*API key not valid")
        self.assertEqual(self.model.count("generate"), 0)

    def test_doctor_checks_any_server(self):
        with OpenAiStandIn(server_kind="vllm", key=None) as server:
            model = next(iter(server.models))
            settings = {"analyzer": "openai", "openai_url": server.url + "/v1"}
            self.assertRegex(self.doctor(openai_model=model, **settings), "^ok .*openai/")
            self.assertRegex(self.doctor(openai_model="other", **settings), "^warn .*does not list")

    def test_an_analyzer_without_key_or_model_is_refused_at_the_start(self):
        for settings, text in (({"analyzer": "gemini", "gemini_api_key": ""}, "gemini-api-key is not set"),
                             ({"analyzer": "local,openai"}, "openai-model is not set"),
                             ({"analyzer": "gemini,gemini"}, "analyzer"),
                             ({"embedder": "gemini", "gemini_api_key": ""}, "gemini-api-key is not set"),
                             ({"model_prices": "m=1"}, "model-prices"),
                             ({"model_prices_file": "/nonexistent.json"}, "model-prices-file")):
            with self.subTest(text):
                daemon = self.shared_daemon(**{**self.model_settings(), **settings})
                done = daemon.cli("doctor", canary_link="none")
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(text, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
