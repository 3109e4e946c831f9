"""Tests the stand-in of the Gemini API: its answers, refusals and violations. Without this, the daemon's suites
would prove nothing."""

import base64
import hashlib
import json
import socket
import unittest
import urllib.parse

from gemini_files import GRANULARITY
from model_stand_in_support import GOOD, GeminiTest, mp4, text64


class Generation(GeminiTest):
    def test_a_good_answer_conforms_to_its_schema_and_is_billed_by_the_formula(self):
        for number in range(4):  # In one part, in two, in three after a thought.
            answer = self.generate()
            self.assertEqual((answer.status, json.loads(self.text_of(answer))), (200, GOOD), number)
        usage = answer.json()["usageMetadata"]
        # Three seconds: one frame and 25 sound tokens each; 80 characters and a timestamp.
        self.assertEqual(usage["promptTokensDetails"], [
            {"modality": "TEXT", "tokenCount": 21}, {"modality": "VIDEO", "tokenCount": 840},
            {"modality": "AUDIO", "tokenCount": 75}])
        self.assertEqual(usage["promptTokenCount"], 936)
        self.assertNotIn("cachedContentTokenCount", usage)
        self.assertEqual(usage["totalTokenCount"], 936 + usage["candidatesTokenCount"] +
                         usage["thoughtsTokenCount"])
        self.assertEqual(self.gemini.billed()["gemini-3.8-flash"]["prompt_tokens"], 4 * 936)
        self.assertEqual(str(self.gemini.cost({"gemini-3.8-flash": ("1", "0", "0")})), "0.003744")
        self.gemini.assert_clean(self)

    def test_tokens_of_ninety_seconds(self):
        for fps, resolution, tokens in [(1, None, 8550), (1, "MEDIA_RESOLUTION_HIGH", 27450),
                                        (2, "MEDIA_RESOLUTION_HIGH", 52650)]:
            body = self.body(mp4(90), {"mediaResolution": resolution} if resolution else {})
            if not resolution:
                del body["generationConfig"]["mediaResolution"]
            body["contents"][0]["parts"][0]["videoMetadata"]["fps"] = fps
            details = self.generate(body).json()["usageMetadata"]["promptTokensDetails"]
            self.assertEqual(sum(one["tokenCount"] for one in details[1:]), tokens)

    def test_a_large_body_is_read_and_not_stored(self):
        video = mp4(30, padding=14 << 20)
        answer = self.generate(self.body(video))
        record, = self.gemini.of("generate")
        sent = record.json["contents"][0]["parts"][0]["inlineData"]["data"]
        self.assertEqual(answer.status, 200)
        self.assertEqual((sent.size, sent.sha256), (len(video), hashlib.sha256(video).hexdigest()))
        self.assertIsNone(record.body)
        self.assertGreater(record.size, len(video))
        refused = self.generate(self.body(mp4(padding=30 << 20)))
        self.assertIn("payload size exceeds the limit: 20971520", refused.json()["error"]["message"])
        self.gemini.assert_clean(self)

    def test_answers_set_by_a_test(self):
        self.gemini.answer = {"any": ["thing"]}
        self.assertEqual(json.loads(self.text_of(self.generate())), {"any": ["thing"]})
        self.gemini.fail("generate", "says", text_said="no JSON")
        self.assertEqual(self.text_of(self.generate()), "no JSON")
        self.gemini.answer = "words"
        self.assertEqual(self.text_of(self.generate()), "words")

    def test_thinking_counts_against_the_cap(self):
        self.gemini.answer = "x" * 400
        for cap, words in [(211, ""), (231, "x" * 80), (311, "x" * 400)]:
            answer = self.generate(self.body(config={"maxOutputTokens": cap}))
            self.assertEqual(self.text_of(answer), words)
            reason = answer.json()["candidates"][0]["finishReason"]
            self.assertEqual(reason, "STOP" if cap == 311 else "MAX_TOKENS")
        self.gemini.cached_tokens = 100
        usage = self.generate().json()["usageMetadata"]
        self.assertEqual(usage["cachedContentTokenCount"], 100)

    def test_streams(self):
        for _ in range(3):
            answer = self.generate(verb="streamGenerateContent?alt=sse")
            events = [json.loads(one[6:]) for one in answer.body.decode().split("\r\n\r\n") if one]
            ends = [event["candidates"][0].get("finishReason") for event in events]
            self.assertEqual(ends, [None] * (len(events) - 1) + ["STOP"])
        self.gemini.fail("stream", "stream_error")
        self.gemini.fail("stream", "stream_cut")
        answer = self.generate(verb="streamGenerateContent?alt=sse")
        self.assertEqual(answer.status, 200)
        self.assertIn(b'data: {"error"', answer.body)
        self.assertFalse(self.generate(verb="streamGenerateContent?alt=sse").body.endswith(b"\n"))

    def test_models_and_counting(self):
        path = "/v1beta/models/gemini-3.8-flash"
        self.assertEqual(self.send(self.gemini, "GET", path).json()["name"], "models/gemini-3.8-flash")
        self.assertEqual(self.send(self.gemini, "GET", "/v1beta/models/none").status, 404)
        self.assertGreater(len(self.send(self.gemini, "GET", "/v1beta/models").json()["models"]), 5)
        body = {"generateContentRequest": self.body()}
        self.assertEqual(self.generate(body, verb="countTokens").json(), {"totalTokens": 936})


class Refusals(GeminiTest):
    def refused(self, words, violation, status=400, **fields):
        answer = self.generate(**fields)
        self.assertEqual(answer.status, status, answer.body)
        self.assertIn(words, answer.body.decode())
        if violation:
            self.assertViolation(self.gemini, violation)
        else:
            self.assertEqual(self.gemini.violations, [])

    def test_keys_and_models(self):
        self.refused("API_KEY_INVALID", None, x_goog_api_key="other")
        self.refused("unregistered callers", "without a key", 403, x_goog_api_key=None)
        self.refused("is not found for API version v1beta", None, 404, model="gemini-0")
        self.generate(verb="generateContent?key=the-key")
        self.assertViolation(self.gemini, "in the URL")
        text = {"contents": [{"parts": [{"text": "the-key"}]}]}
        self.generate(text)
        self.assertViolation(self.gemini, "key is in the prompt")

    def test_members_and_parts(self):
        video, text = self.body()["contents"][0]["parts"]
        for change, words, violation in [
                ({"invented": 1}, 'Unknown name \\"invented\\"', "unknown member"),
                ({"contents": []}, "contents is not specified", "no contents"),
                ({"contents": [{"parts": [{}]}]}, "required oneof", "a part of contents"),
                ({"safetySettings": [{"category": "X"}]}, "safety_settings", "a safety setting")]:
            self.refused(words, violation, body=self.body(**change))
        for change, violation in [
                ({"contents": [{"parts": [text, video]}]}, "not the first part"),
                ({"store": True}, "may be stored"), ({"tools": [{}]}, "tools"),
                ({"contents": [{"role": "user", "parts": [text]}] * 2}, "one turn")]:
            self.assertEqual(self.generate(self.body(**change)).status, 200)
            self.assertViolation(self.gemini, violation)
        video["videoMetadata"]["fps"] = 25
        self.refused("fps must be", "frames per second",
                     body=self.body(contents=[{"parts": [video, text]}]))
        snake = {"contents": [{"parts": [{"inline_data": {
            "mime_type": "video/mp4", "data": text64(mp4())}}, text]}]}
        self.assertEqual(self.generate(snake).status, 200)
        self.gemini.assert_clean(self)

    def test_data(self):
        def with_data(data, mime_type="video/mp4"):
            return self.body(contents=[{"parts": [{"inlineData": {
                "mimeType": mime_type, "data": data}}]}])
        for data in ("data:video/mp4;base64," + text64(mp4()), text64(mp4())[:-3], "-_" + "A" * 6,
                     text64(mp4(padding=100000)) + "==AA"):
            self.refused("Base64 decoding failed", "inline data: ", body=with_data(data))
        self.generate(with_data(text64(b"GIF89a" * 9)))
        self.assertViolation(self.gemini, "no mp4")
        self.refused("MIME type", "MIME type", body=with_data(text64(mp4()), "video/x-matroska"))

    def test_configuration(self):
        for config, words, violation in [
                ({"temperature": 0.2}, "candidates", "temperature is sent"),
                ({"topK": 1}, "candidates", "topK is sent")]:
            self.assertIn(words, self.generate(self.body(config=config)).json())
            self.assertViolation(self.gemini, violation)
        for config, words, violation in [
                ({"thinkingConfig": {"thinkingLevel": "minimal"}}, "MINIMAL", "thinking level"),
                ({"thinkingConfig": {"thinkingBudget": 5}}, "budget is not", "budget 5"),
                ({"responseSchema": {"type": "OBJECT"}}, "Only one", "two schemas"),
                ({"responseMimeType": "text/plain"}, "MIME", "a schema for"),
                ({"maxOutputTokens": 65537}, "max_output", "maxOutputTokens"),
                ({"responseModalities": []}, "Unknown name", "unknown member"),
                ({"mediaResolution": "HIGH"}, "media_resolution", "media resolution")]:
            self.refused(words, violation, body=self.body(config=config))
        old = self.body(config={"thinkingConfig": {"thinkingBudget": 0}, "temperature": 1})
        self.assertEqual(self.generate(old, model="gemini-2.5-flash").status, 200)
        self.gemini.assert_clean(self)

    def test_schemas(self):
        for inner in ({"$schema": "x"}, {"pattern": "x"}, {"minLength": 1}, {"const": 1},
                      {"type": "thing"}, {"type": "object", "required": ["a"]},
                      {"$ref": "#/$defs/a", "type": "string"}):
            schema = {"type": "object", "properties": {"a": {"type": "array", "items": inner}}}
            self.refused("", "schema", body=self.body(config={"responseJsonSchema": schema}))
        config = {"responseMimeType": "application/json"}
        for schema, status in [({"type": "OBJECT", "properties": {"a": {"type": "STRING",
                                                                        "nullable": True}}}, 200),
                               ({"type": "OBJECT", "additionalProperties": False}, 400),
                               ({"type": ["STRING", "NULL"]}, 400)]:
            body = self.body()
            body["generationConfig"] = {**config, "responseSchema": schema}
            self.assertEqual(self.generate(body).status, status)

    def refused_head(self, violation, **fields):
        self.generate(**fields)
        self.assertViolation(self.gemini, violation)

    def test_heads(self):
        self.refused_head("X-Server-Timeout", X_Server_Timeout="0")
        self.refused_head("X-Server-Timeout", X_Server_Timeout="1.5")
        self.refused_head("Expect", Expect="100-continue")
        self.refused_head("Content-Type", Content_Type="text/json")
        self.send(self.gemini, "GET", "/v1/models")
        self.assertViolation(self.gemini, "no request of this API")

    def test_lengths(self):
        """A body longer than announced, one in chunks, duplicate keys."""
        def raw(data):
            with socket.create_connection(("127.0.0.1", urllib.parse.urlsplit(
                    self.gemini.url).port), timeout=30) as link:
                link.sendall(data)
                while link.recv(65536):
                    pass
        start = (b"POST /v1beta/models/gemini-3.8-flash:generateContent HTTP/1.1\r\nHost: x\r\n"
                 b"x-goog-api-key: the-key\r\nContent-Type: application/json\r\n")
        raw(start + b"Content-Length: 2\r\n\r\n{}{}\r\n\r\n")
        self.assertViolation(self.gemini, "no HTTP request")
        raw(start + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n")
        self.assertViolation(self.gemini, "in chunks")
        body = b'{"store": false, "store": false}'
        raw(start + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        self.assertViolation(self.gemini, "keys twice")


class Files(GeminiTest):
    def test_the_life_cycle_of_a_file(self):
        video = mp4(2)
        file = self.uploaded(video)
        self.assertEqual((file["state"], file["sizeBytes"]), ("PROCESSING", str(len(video))))
        self.assertEqual(base64.b64decode(file["sha256Hash"]), hashlib.sha256(video).digest())
        use = self.body(contents=[{"parts": [
            {"fileData": {"mimeType": "video/mp4", "fileUri": file["uri"]}}, {"text": "t"}]}])
        early = self.generate(use)
        self.assertEqual((early.status, early.json()["error"]["status"]), (400, "FAILED_PRECONDITION"))
        self.assertViolation(self.gemini, "is used while it is PROCESSING")
        self.assertEqual(self.poll(file["name"]).json()["state"], "PROCESSING")
        active = self.poll(file["name"]).json()
        self.assertEqual((active["state"], active["videoMetadata"]),
                         ("ACTIVE", {"videoDuration": "2s"}))
        self.assertEqual(self.generate(use).status, 200)
        listed = self.send(self.gemini, "GET", "/v1beta/files?pageSize=1").json()
        self.assertEqual([one["name"] for one in listed["files"]], [file["name"]])
        self.assertRaises(AssertionError, self.gemini.assert_clean, self)
        self.assertEqual(self.send(self.gemini, "DELETE", "/v1beta/" + file["name"]).json(), {})
        self.assertEqual(self.poll(file["name"]).status, 403)
        self.assertEqual(self.gemini.deleted, [file["name"]])
        self.gemini.assert_clean(self)

    def test_chunked_and_resumed_uploads(self):
        video = mp4(padding=GRANULARITY + 5)
        url = self.start_upload(len(video)).headers["X-Goog-Upload-URL"]
        first = self.upload(url, video[:GRANULARITY], command="upload")
        self.assertEqual((first.status, first.headers["X-Goog-Upload-Status"]), (200, "active"))
        received = self.upload(url, command="query")
        self.assertEqual(received.headers["X-Goog-Upload-Size-Received"], str(GRANULARITY))
        self.assertEqual(self.upload(url, video[5:], 5).status, 400)
        self.assertViolation(self.gemini, "continues at")
        last = self.upload(url, video[GRANULARITY:], GRANULARITY)
        self.assertEqual((last.status, last.headers["X-Goog-Upload-Status"]), (200, "final"))
        url = self.start_upload(len(video)).headers["X-Goog-Upload-URL"]
        self.assertEqual(self.upload(url, video[:9], command="upload").status, 400)
        self.assertViolation(self.gemini, "granularity")
        self.assertEqual(self.upload(url, video[:9]).status, 400)
        self.assertViolation(self.gemini, "were announced")
        self.gemini.fail("upload_bytes", "lost_bytes")
        self.assertEqual(self.upload(url, video).status, 503)
        received = self.upload(url, command="query").headers["X-Goog-Upload-Size-Received"]
        self.assertEqual(self.upload(url, video[int(received):], int(received)).status, 200)
        self.assertEqual(self.gemini.violations, [])

    def test_invalid_upload_starts(self):
        for fields in ({"X_Goog_Upload_Protocol": "multipart"},
                       {"X_Goog_Upload_Header_Content_Length": None},
                       {"X_Goog_Upload_Header_Content_Type": "video/x-matroska"}):
            self.assertEqual(self.start_upload(5, **fields).status, 400)
            self.assertViolation(self.gemini, "an upload begins")
        self.assertEqual(self.upload(self.gemini.url + "/upload/v1beta/files?upload_id=x").status, 410)

    def test_files_that_do_not_become_active(self):
        self.gemini.polls_until_active = 0
        for fault, state in [("stuck", "PROCESSING"), ("failed", "FAILED")]:
            self.gemini.polls_until_active = 1
            self.gemini.fail("upload_bytes", fault)
            name = self.uploaded()["name"]
            states = [self.poll(name).json()["state"] for _ in range(4)]
            self.assertEqual(states[-1], state)
        self.assertEqual(self.poll(name).json()["error"]["code"], 3)
        self.gemini.fail("file_get", "state_missing")
        self.gemini.fail("file_get", "internal")
        self.assertNotIn("state", self.poll(name).json())
        self.assertEqual(self.poll(name).status, 500)
        self.gemini.fail("upload_bytes", "state_missing")
        self.assertNotIn("state", self.uploaded())
        for fault, status in [("not_final", 200), ("session_dead", 400)]:
            self.gemini.fail("upload_bytes", fault)
            url = self.start_upload(len(mp4())).headers["X-Goog-Upload-URL"]
            answer = self.upload(url, mp4())
            self.assertEqual(answer.status, status)
        self.assertEqual(answer.headers["X-Goog-Upload-Status"], "final")
        self.gemini.pass_time(hours=49)
        self.assertEqual(self.poll(name).status, 403)


class Embeddings(GeminiTest):
    @staticmethod
    def one(text, model="gemini-embedding-001", **more):
        return {"model": "models/" + model, "content": {"parts": [{"text": text}]}, **more}

    def embed(self, body, model="gemini-embedding-001", verb="embedContent"):
        return self.send(self.gemini, "POST", "/v1beta/models/%s:%s" % (model, verb), body)

    def test_vectors(self):
        def length(values):
            return round(sum(value * value for value in values), 3)
        task = {"taskType": "RETRIEVAL_QUERY"}
        for dimensions, unit in [(3072, True), (768, False)]:
            body = self.one("a text", outputDimensionality=dimensions, **task)
            values = self.embed(body).json()["embedding"]["values"]
            self.assertEqual((len(values), length(values) == 1), (dimensions, unit))
        second = "gemini-embedding-2"
        body = self.one("a text", second, outputDimensionality=768)
        self.assertEqual(length(self.embed(body, second).json()["embedding"]["values"]), 1)
        self.gemini.assert_clean(self)
        self.gemini.refuses_task_type = True
        self.assertEqual(self.embed(self.one("a", second, **task), second).status, 400)
        self.assertEqual(self.embed(self.one("a", "text-embedding-004"), "text-embedding-004").status,
                         404)

    def test_batches(self):
        texts = [self.one("text %d" % number) for number in range(101)]
        answer = self.embed({"requests": texts[:100]}, verb="batchEmbedContents")
        self.assertEqual(len(answer.json()["embeddings"]), 100)
        self.gemini.assert_clean(self)
        for requests in (texts, [{"content": {"parts": [{"text": "x"}]}}], [self.one(" ")]):
            self.assertEqual(self.embed({"requests": requests}, verb="batchEmbedContents").status, 400)
            self.assertNotEqual(self.gemini.violations, [])


if __name__ == "__main__":
    unittest.main()
