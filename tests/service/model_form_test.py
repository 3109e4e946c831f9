"""Tests the model that an administrator enters in the dashboard: it is sealed, used without a restart by every daemon
that has the sealing key, and overridden by the operator's settings."""

import os
import pathlib
import stat
import unittest

from dashboard_session import Person, set_up_link_secret
from gemini_stand_in import GeminiStandIn
from model_support import ModelTest
from openai_stand_in import OpenAiStandIn
from service_support import new_folder, wait_until

KEY = "AIzaAdministratorsKeyThatNobodyMaySee0123"


class ModelForm(ModelTest):
    provider, call_kind = "gemini", "generate"

    def new_model(self):
        return GeminiStandIn(key=KEY)

    def model_settings(self):
        return {}

    def administrator(self, daemon):
        return Person(daemon).join(set_up_link_secret(daemon), "admin@example.test")

    def form(self, **more):
        return {"provider": "gemini", "url": self.model.url, "api_key": KEY, **more}

    def put(self, person, **more):
        answer = person.api("PUT", "admin/model", self.form(**more))
        self.assertEqual(answer.status, 200, answer)
        self.assertNotIn(KEY, str(answer.body))
        return answer.json()

    def wait_for_analyzer(self, daemon, name):
        def named():
            return any(line.get("message") == "analyzer changed" and line["analyzer"].startswith(name)
                       for line in daemon.log_lines())
        wait_until(named, f"the analyzer {name}")

    def test_a_model_is_tested_saved_used_everywhere_and_removed(self):
        first = self.analyzing(model_prices="")
        administrator = self.administrator(first)
        second = self.shared_daemon(
            workers=0, secret_key_file=str(pathlib.Path(first.settings["data_dir"]) / "secret-key")).start()
        self.assertEqual(administrator.api("GET", "admin/model").json()["source"], "none")
        for change, text in (({"api_key": "wrong"}, "API key not valid"), ({"model": "gemini-9"}, "gemini-9")):
            answer = administrator.api("POST", "admin/model/check", self.form(**change))
            self.assertIn(text, answer.json()["error"], answer)
        self.assertIsNone(administrator.api("POST", "admin/model/check", self.form()).json()["error"])
        self.assertEqual(self.model.count("generate"), 0)

        view = self.put(administrator, input_price="2", output_price="8")
        self.assertEqual(view["source"], "stored")
        self.assertEqual(view["stored"]["key"]["ends_with"], KEY[-4:])
        self.assertDone(self.job())
        self.wait_for_analyzer(second, "gemini/")
        used = self.account.request("GET", "/api/v1/reels/usage").json()["by_model"][0]
        cost = (2 * used["prompt_tokens"] + 8 * used["output_tokens"]) / 1e6
        self.assertAlmostEqual(used["cost_usd"], cost)

        key_file = pathlib.Path(first.settings["data_dir"]) / "secret-key"
        self.assertEqual((stat.S_IMODE(os.stat(key_file).st_mode), key_file.stat().st_size), (0o600, 32))
        stored = self.sql("SELECT encode(sealed, 'escape') FROM stored_model")
        self.assertNotIn(KEY[:12], str(stored))
        for daemon in (first, second):
            self.assertNotIn(KEY, daemon.log())
        self.assertIn("model stored", first.log())

        # A key is not sent to another address than it was entered for.
        moved = administrator.api("PUT", "admin/model", {"provider": "gemini", "url": "http://127.0.0.1:9"})
        self.assertProblem(moved, 400, "the address is another one: enter the key again")
        kept = administrator.api("PUT", "admin/model", {"provider": "gemini", "url": self.model.url})
        self.assertEqual(kept.json()["stored"]["key"], view["stored"]["key"])

        self.assertEqual(administrator.api("DELETE", "admin/model").status, 204)
        self.assertDone(self.job(), provider="local")
        self.wait_for_analyzer(second, "local/")

    def test_questions_begin_and_end_with_the_model(self):
        daemon = self.analyzing()
        administrator = self.administrator(daemon)
        reel = administrator.finished(administrator.submit("https://www.instagram.com/reel/reelsd-sample/"))["id"]
        ask = ("POST", f"reels/{reel}/ask", {"question": "How is it made?"})
        self.assertProblem(administrator.api(*ask), 400, "asking needs a model; this server has none")
        self.assertEqual(administrator.api("GET", "session").json()["analyzers"], ["local"])
        self.put(administrator)
        self.assertEqual(administrator.api("GET", "session").json()["analyzers"], ["gemini", "local"])
        self.assertNotEqual(administrator.api(*ask).status, 400)

    def test_it_is_used_after_a_restart_and_named_by_doctor(self):
        daemon = self.analyzing()
        self.put(self.administrator(daemon))
        daemon.stop()
        self.assertRegex(daemon.cli("doctor", canary_link="none").stdout, "ok +model +gemini/gemini-3.8-flash.* valid")
        daemon.start()
        self.assertDone(self.job())

    def test_a_daemon_without_the_sealing_key_uses_its_own_settings(self):
        self.put(self.administrator(self.analyzing()))
        other = self.shared_daemon().start()
        text = "secret-key: No such file or directory; give all daemons the same secret-key-file, or enter the model again"
        wait_until(lambda: text in other.log(), "the warning")
        administrator = Person(other).sign_in("admin@example.test")
        view = administrator.api("GET", "admin/model").json()
        self.assertIn(text, view["problem"])
        self.assertIsNone(view["stored"])
        doctor = other.cli("doctor", canary_link="none").stdout
        self.assertRegex(doctor, "warn +stored model +the stored model cannot be opened")
        self.assertRegex(doctor, "ok +model +local analyzer")

    def test_a_key_file_of_the_operator_is_not_created(self):
        file = pathlib.Path(new_folder()) / "key"
        self.addCleanup(file.parent.rmdir)  # It is still empty.
        daemon = self.analyzing(secret_key_file=str(file))
        answer = self.administrator(daemon).api("PUT", "admin/model", self.form())
        self.assertProblem(answer, 503, f"{file}: No such file or directory")

    def test_settings_override_it(self):
        daemon = self.analyzing()
        self.put(self.administrator(daemon))
        daemon.stop()
        with OpenAiStandIn(server_kind="vllm", key=None) as server:
            model = next(iter(server.models))
            other = self.shared_daemon(
                analyzer="openai", openai_url=server.url, openai_model=model,
                secret_key_file=str(pathlib.Path(daemon.settings["data_dir"]) / "secret-key")).start()
            administrator = Person(other).sign_in("admin@example.test")
            self.assertEqual(administrator.api("GET", "admin/model").json()["source"], "settings")
            answer = administrator.api("PUT", "admin/model", self.form())
            self.assertProblem(
                answer, 409, "the environment, a flag or the configuration file chooses the analyzer")
            overview = administrator.api("GET", "admin/overview").json()
            self.assertTrue(overview["analyzer"].startswith("openai/"), overview["analyzer"])

    def test_only_administrators_see_it_and_bad_forms_are_refused(self):
        daemon = self.analyzing(gemini_model="gemini-3.8-flash")
        administrator = self.administrator(daemon)
        member = administrator.invite("member@example.test")
        for method, path in (("GET", "admin/model"), ("PUT", "admin/model"), ("DELETE", "admin/model"),
                             ("POST", "admin/model/check")):
            self.assertEqual(member.api(method, path, {} if method in ("PUT", "POST") else None).status, 404)
        fixed = administrator.api("GET", "admin/model").json()["providers"]["gemini"]["model"]
        self.assertEqual(fixed, {"value": "gemini-3.8-flash", "is_fixed": True})
        for change, text in (({"provider": "other"}, "provider must be gemini or openai"),
                             ({"api_key": ""}, "api_key is required"),
                             ({"url": "ftp://x"}, "gemini-url"),
                             ({"input_price": "1"}, "give both prices, for input and output, or neither"),
                             ({"input_price": "1", "output_price": "free"}, "US dollars"),
                             ({"provider": "openai", "model": ""}, "openai-model is not set")):
            with self.subTest(text):
                answer = administrator.api("PUT", "admin/model", self.form(**change))
                self.assertEqual(answer.status, 400, answer)
                self.assertIn(text, str(answer.body))


if __name__ == "__main__":
    unittest.main()
