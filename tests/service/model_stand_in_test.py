"""Tests the stand-ins of the model APIs: each failure, and the answers, refusals and violations of the
OpenAI-compatible one."""

import base64
import http.client
import json
import struct
import unittest

import gemini_faults
import model_answers
from model_stand_in_support import (
    GOOD, SCHEMA, GeminiTest, StandInTest, jpeg, mp4, text64, wav)
from openai_stand_in import ERRORS as OPENAI_ERRORS
from openai_stand_in import FINISHES as OPENAI_FINISHES
from openai_stand_in import OpenAiStandIn, http_date


class GeminiFailures(GeminiTest):
    def test_each_documented_error(self):
        for name in gemini_faults.ERRORS:
            self.gemini.fail("generate", name)
            answer = self.generate()
            error = answer.json()["error"]
            self.assertEqual(error["code"], answer.status, name)
            self.assertGreaterEqual(answer.status, 400, name)
        self.gemini.fail("generate", "per_day", delay="5s")
        text = self.generate().body.decode()
        self.assertIn("PerDay", text)
        self.assertIn('"retryDelay": "5s"', text)
        self.gemini.fail("generate", "too_many_states", where="details")
        error = self.generate().json()["error"]
        self.assertNotIn("too many states", error["message"])
        self.assertIn("too many states", json.dumps(error["details"]))
        self.gemini.fail("generate", "overloaded", shape="array", retry_after=3)
        answer = self.generate()
        self.assertEqual((answer.json()[0]["error"]["code"], answer.headers["Retry-After"]), (503, "3"))
        for name in gemini_faults.PLAIN:
            self.gemini.fail("generate", name)
            self.generate()
        self.assertEqual(self.gemini.pending_faults(), [])
        self.assertEqual(self.generate().status, 200)
        self.gemini.assert_clean(self)

    def test_each_finish_reason(self):
        for name, (reason, part) in gemini_faults.FINISHES.items():
            self.gemini.fail("generate", name)
            answer = self.generate()
            candidate, = answer.json()["candidates"]
            self.assertEqual((answer.status, candidate.get("finishReason")), (200, reason), name)
            self.assertEqual(self.text_of(answer) == "", part == "none", name)
        self.gemini.fail("generate", "max_tokens_empty")
        value = self.generate().json()
        self.assertNotIn("parts", value["candidates"][0]["content"])
        self.assertNotIn("candidatesTokenCount", value["usageMetadata"])
        self.assertEqual(value["usageMetadata"]["thoughtsTokenCount"], 16384)
        for name, reason in gemini_faults.BLOCKS.items():
            self.gemini.fail("generate", name)
            value = self.generate().json()
            self.assertNotIn("candidates", value)
            self.assertEqual(value.get("promptFeedback", {}).get("blockReason"), reason)
            self.assertIn("promptTokenCount", value["usageMetadata"])

    def test_malformed_texts(self):
        whole = json.dumps(GOOD)
        rows = {
            "cut": whole[:7], "fenced": "```json\n%s\n```" % whole, "bom": "\ufeff" + whole,
            "prose": "Sure!", "duplicate_keys": '"kind": "one", "time"', "late_times": '"99:59"',
            "extra_keys": "https://evil.test/", "wrong_types": '"list": "not a list"',
            "newlines": "\n" * 20000, "not_json": "I cannot", "empty_object": "{}", "empty_text": "",
            "missing_keys": "{", "deep": "[" * 5000, "loop": "again and " * 5000, "huge": "x" * 100000}
        for name, part in rows.items():
            self.gemini.fail("generate", name, **({"at": 7} if name == "cut" else {}))
            self.assertIn(part, self.text_of(self.generate()), name)
        self.assertEqual(set(rows) | {"says", "answers"}, set(model_answers.SPOILED))

    def test_transport(self):
        for name in ("reset_before_body", "reset_after_body", "reset_mid_answer"):
            self.gemini.fail("generate", name)
            with self.assertRaises((ConnectionError, http.client.IncompleteRead), msg=name):
                self.generate()
        self.assertEqual(len(self.gemini.billed(delivered_only=False)), 1)
        self.assertEqual(self.gemini.billed(), {})
        self.gemini.fail("generate", "lying_length")
        self.assertRaises(http.client.IncompleteRead, self.generate)
        self.gemini.fail("generate", "short_length")
        self.assertRaises(ValueError, self.generate().json)
        for name in ("trickle", "hold"):
            self.gemini.fail("generate", name, **({"every": 5} if name == "trickle" else {}))
            with self.assertRaises(TimeoutError):
                self.generate(seconds=0.3)
        self.gemini.fail("generate", "endless")
        self.assertEqual(len(self.generate(read=3 << 20).body), 3 << 20)
        self.gemini.fail("generate", "slow_upload", bytes_per_second=1 << 20)
        self.assertEqual(self.generate().status, 200)
        self.gemini.fail("generate", "redirect")
        answer = self.generate()
        self.assertEqual(answer.status, 307)
        self.send(self.gemini, "POST", answer.headers["Location"][len(self.gemini.url):], {})
        self.assertViolation(self.gemini, "a redirect was followed")

    def test_a_fault_selected_by_text(self):
        self.gemini.fail("generate", "internal", words="r" * 40)
        self.gemini.fail("generate", "overloaded", words="another")
        statuses = [self.generate().status for _ in range(2)]
        self.assertEqual(statuses, [500, 200])
        self.assertEqual(self.gemini.pending_faults(), [("generate", "overloaded")])
        self.gemini.fail("generate", "bad_gateway")
        self.assertEqual(self.generate().status, 502)

    def test_a_delayed_answer(self):
        self.gemini.fail("generate", "hold", times=2)
        with self.assertRaises(TimeoutError):
            self.generate(seconds=0.2)
        self.doCleanups()  # Closes the connection, and the server with it.
        self.assertTrue(self.gemini.of("generate")[0].hung_up.wait(10))


class OpenAiTest(StandInTest):
    def server(self, kind="vllm", **options):
        return self.started(OpenAiStandIn(kind, **options))

    @staticmethod
    def head(server):
        return {"Authorization": "Bearer %s" % server.key} if server.key else {}

    @staticmethod
    def body(*parts, **more):
        content = [*parts, {"type": "text", "text": "t" * 40}]
        return {
            "model": "test-model", "max_tokens": 5000,
            "messages": [{"role": "system", "content": "r" * 40}, {"role": "user", "content": content}],
            "response_format": {"type": "json_schema", "json_schema": {
                "name": "reel", "strict": True, "schema": SCHEMA}}, **more}

    def chat(self, server, *parts, **more):
        fields = {name: more.pop(name) for name in ("seconds", "Authorization") if name in more}
        return self.send(server, "POST", "/v1/chat/completions", self.body(*parts, **more), **fields)

    @staticmethod
    def text_of(answer):
        return answer.json()["choices"][0]["message"]["content"]


VIDEO = {"type": "video_url", "video_url": {"url": "data:video/mp4;base64," + text64(mp4(2))}}
INPUT_VIDEO = {"type": "input_video", "input_video": VIDEO["video_url"]}
SOUND = {"type": "input_audio", "input_audio": {"data": text64(wav(2)), "format": "wav"}}
LABEL = {"type": "text", "text": "t=00:01"}
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/jpeg;base64," + text64(jpeg())}}


class Chat(OpenAiTest):
    def test_each_kind_of_server_accepts_its_parts(self):
        rows = [("vllm", [VIDEO, SOUND], [INPUT_VIDEO], "Unknown part type"),
                ("llamacpp", [INPUT_VIDEO, SOUND], [VIDEO], "unsupported content[].type"),
                ("frames", [LABEL, IMAGE], [SOUND], "Invalid value"),
                ("ollama", [LABEL, IMAGE, SOUND], [VIDEO], "invalid message format"),
                ("openrouter", [VIDEO, SOUND], [INPUT_VIDEO], "Provider returned error"),
                ("openai", [LABEL, IMAGE, SOUND], [VIDEO], "Invalid value")]
        for kind, taken, refused, words in rows:
            server = self.server(kind)
            more = {"max_tokens": 900}
            if kind == "openai":
                more = {"max_completion_tokens": 900}
            body = self.body(*taken, **more)
            if kind == "openai":
                del body["max_tokens"]
            answer = self.send(server, "POST", "/v1/chat/completions", body)
            self.assertEqual((answer.status, json.loads(self.text_of(answer))), (200, GOOD), kind)
            self.assertEqual(server.violations, [])
            body["messages"][1]["content"] = refused
            answer = self.send(server, "POST", "/v1/chat/completions", body)
            self.assertEqual(answer.status, 400, kind)
            self.assertIn(words, answer.body.decode())
        server = self.server("frames")
        server.hears = True
        self.assertEqual(self.chat(server, LABEL, IMAGE, SOUND).status, 200)
        server.assert_clean(self)

    def test_usage(self):
        server = self.server()
        server.cached_tokens, server.reasoning_tokens = 30, 5
        usage = self.chat(server, VIDEO, SOUND).json()["usage"]
        # 80 characters, two seconds of each.
        self.assertEqual((usage["prompt_tokens"], usage["prompt_tokens_details"]),
                         (270, {"cached_tokens": 30, "audio_tokens": 50}))
        self.assertEqual(usage["completion_tokens"], 5 + usage["total_tokens"] - 275)
        self.assertEqual(server.billed()["test-model"]["output_tokens"], usage["completion_tokens"])
        self.assertEqual(str(server.cost({"test-model": ("2", "0", "1")})), "0.00051")

    def test_refused_requests(self):
        server = self.server()

        def with_url(part, url):
            return {"type": part["type"], part["type"]: {"url": url}}
        rows = [([with_url(VIDEO, "https://x.test/a.mp4")], "data URI"),
                ([with_url(VIDEO, "data:video/mp4;base64,-_-_")], "base64"),
                ([with_url(VIDEO, "data:video/mp4;base64," + text64(jpeg()))], "bytes are jpeg"),
                ([with_url(IMAGE, "data:image/jpeg;base64," + text64(mp4()))], "bytes are mp4"),
                ([{"type": "input_audio", "input_audio": {
                    "data": "data:audio/wav;base64," + text64(wav()), "format": "wav"}}], "input_audio"),
                ([{"type": "input_audio", "input_audio": {
                    "data": text64(wav()), "format": "mp3"}}], "a wav")]
        for parts, words in rows:
            answer = self.chat(server, *parts)
            self.assertEqual(answer.status, 400, words)
            self.assertViolation(server, words)
        for more, words in [({"stream": True}, "streams"), ({"max_completion_tokens": 5}, "max_tokens"),
                            ({"messages": []}, "too short"), ({"max_tokens": 0}, "max_tokens")]:
            self.assertEqual(self.chat(server, **more).status, 400)
            self.assertViolation(server, words)
        for parts, words in [([IMAGE], "without its time"), ([LABEL, IMAGE] * 65, "65 images"),
                             ([LABEL, with_url(IMAGE, "data:image/jpeg;base64," + text64(
                                 jpeg(1080, 1920)))], "1080x1920"),
                             ([{"type": "input_audio", "input_audio": {
                                 "data": text64(wav(1, 44100)), "format": "wav"}}], "44100 Hz")]:
            self.assertEqual(self.chat(server, *parts).status, 200)
            self.assertViolation(server, words)
        self.assertEqual(self.chat(server, model="other").status, 404)
        self.assertEqual(self.chat(server, Authorization="Bearer other").status, 401)
        self.assertEqual(server.violations, [])
        self.assertEqual(self.chat(server, Authorization=None).status, 401)
        self.assertViolation(server, "without a key")
        self.assertEqual(self.chat(self.server(key=None), Authorization=None).status, 200)

    def test_schemas(self):
        server = self.server()
        for change, words in [
                ({"name": "a b"}, "name"), ({"name": "a" * 65}, "name"),
                ({"schema": {**SCHEMA, "additionalProperties": True}}, "additionalProperties"),
                ({"schema": {**SCHEMA, "required": ["time"]}}, "required"),
                ({"schema": {**SCHEMA, "properties": {
                    **SCHEMA["properties"], "list": {"type": "array", "items": {"type": "object"}}}}},
                 "properties.list[]")]:
            body = self.body()
            body["response_format"]["json_schema"].update(change)
            answer = self.send(server, "POST", "/v1/chat/completions", body)
            if "properties.list" in words:
                words = "list[]"
            self.assertEqual(answer.status, 400, words)
            self.assertViolation(server, words)
        server.takes_no_schema = True
        self.assertEqual(self.chat(server).status, 400)
        self.assertEqual(self.chat(server, response_format={"type": "json_object"}).status, 200)
        server.assert_clean(self)


class OpenAiFailures(OpenAiTest):
    def test_errors_in_each_format(self):
        server = self.server()
        for name in OPENAI_ERRORS:
            server.fail("chat", name)
            answer = self.chat(server)
            self.assertGreaterEqual(answer.status, 400, name)
            self.assertIn("x-request-id", answer.headers)
        for shape, path, status in [
                ("openai", "error.code", 429), ("vllm", "code", 429), ("vllm_nested", "error.code", 429),
                ("ollama", "error", 429), ("fastapi", "detail", 429),
                ("openrouter_200", "error.metadata", 200)]:
            server.fail("chat", "rate_limited", shape=shape)
            answer = self.chat(server)
            value = answer.json()
            for key in path.split("."):
                value = value[key]
            self.assertEqual(answer.status, status, shape)
        server.fail("chat", "insufficient_quota")
        self.assertEqual(self.chat(server).json()["error"]["code"], 429)
        server.fail("chat", "insufficient_quota", shape="openai")
        self.assertEqual(self.chat(server).json()["error"]["code"], "insufficient_quota")
        server.fail("chat", "overloaded", retry_after=http_date(60), retry_after_ms=15, should_retry=False)
        head = self.chat(server).headers
        self.assertRegex(head["retry-after"], "^[A-Z][a-z]{2}, .* GMT$")
        self.assertEqual((head["retry-after-ms"], head["x-should-retry"]), ("15", "false"))
        self.assertIn("x-ratelimit-reset-tokens", self.chat(server).headers)

    def test_unusual_answers(self):
        server = self.server()
        whole = json.dumps(GOOD)
        for name, (reason, part) in OPENAI_FINISHES.items():
            server.fail("chat", name)
            value = self.chat(server).json()
            if name == "no_choices":
                self.assertEqual(value["choices"], [])
                continue
            choice = value["choices"][0]
            self.assertEqual(choice["finish_reason"], reason)
            if part == "none":
                self.assertIn(choice["message"]["content"], (None, ""), name)
        for name, check in [("think", "<think>"), ("think_open", "</think>"), ("fenced", "```json"),
                            ("cut", whole[:20])]:
            server.fail("chat", name)
            self.assertIn(check, self.text_of(self.chat(server)), name)
        server.fail("chat", "no_usage")
        self.assertNotIn("usage", self.chat(server).json())
        server.fail("chat", "refusal")
        self.assertIn("can't", self.chat(server).json()["choices"][0]["message"]["refusal"])
        server.fail("chat", "reset_after_body")
        self.assertRaises(ConnectionError, self.chat, server)
        server.assert_clean(self)


class OpenAiEmbeddings(OpenAiTest):
    def embed(self, server, **body):
        return self.send(server, "POST", "/v1/embeddings", {"model": "nomic-embed-text", **body})

    def test_vectors(self):
        server = self.server()
        floats = self.embed(server, input=["one", "two"]).json()["data"]
        server.fail("embeddings", "out_of_order")
        coded = self.embed(server, input=["one", "two"], encoding_format="base64").json()["data"]
        self.assertEqual([one["index"] for one in coded], [1, 0])
        values = struct.unpack("<768f", base64.b64decode(coded[1]["embedding"]))
        for left, right in zip(values, floats[0]["embedding"]):
            self.assertAlmostEqual(left, right, 6)
        self.assertEqual(self.embed(server, input="one").json()["usage"]["prompt_tokens"], 1)
        self.assertEqual(self.embed(server, input="x", dimensions=5).status, 400)
        small = self.embed(server, input="x", dimensions=5, model="text-embedding-3-small")
        self.assertEqual(len(small.json()["data"][0]["embedding"]), 5)
        server.assert_clean(self)
        for texts in ([], "", ["a", ""], ["a"] * 2049):
            self.assertEqual(self.embed(server, input=texts).status, 400)
            self.assertViolation(server, "no input")


if __name__ == "__main__":
    unittest.main()
