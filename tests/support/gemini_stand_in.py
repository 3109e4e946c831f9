"""A stand-in of the Gemini API on loopback: files, generateContent (whole and streamed), embeddings,
models, countTokens.

It refuses requests that the API refuses, bills by the API's own formula with the real duration of the sent
video, and records requests that no client may send (`violations`). See model_stand_in for its use.

    gemini.answer = None | {...} | "text"   content of good answers; None: from the request's schema
    gemini.models["name"] = levels          further models; del removes one
    gemini.inline_bytes_max, gemini.cached_tokens, gemini.thinking_tokens (None: by level)
    gemini.fail("generate", "per_minute", delay="0.2s")
    gemini.billed()                         {model: tokens} of delivered answers, as a client can know
    gemini.files, gemini.deleted, gemini.add_file(...), gemini.pass_time(hours=49)

Faults: TRANSPORT of model_server for each kind of request; ERRORS and PLAIN of gemini_faults for each;
FINISHES, BLOCKS and SPOILED (model_answers) for generate; FILE_FAULTS for uploads and polls; STREAM for
stream; "says" (text_said=...), "answers" (answer={...}), "no_usage", "thought_first".
"""

import argparse
import json
import math
import os
import re
import secrets
import sys
import threading

sys.dont_write_bytecode = True  # Keeps the source tree clean.
import gemini_faults as faults  # noqa: E402
import model_answers  # noqa: E402
import question_answers  # noqa: E402
from gemini_checks import MODELS, Request, camel, members  # noqa: E402
from gemini_files import FILE_FAULTS, GeminiFiles  # noqa: E402
from gemini_faults import Refusal, invalid  # noqa: E402
from model_media import Blob  # noqa: E402
from model_server import Answer, json_answer  # noqa: E402
from model_stand_in import ModelStandIn  # noqa: E402
from model_vectors import vector_of  # noqa: E402

ROUTES = [(re.compile(pattern), methods) for pattern, methods in [
    ("/v1beta/models/(?P<model>[^/:]+):generateContent", {"POST": "generate"}),
    ("/v1beta/models/(?P<model>[^/:]+):streamGenerateContent", {"POST": "stream"}),
    ("/v1beta/models/(?P<model>[^/:]+):embedContent", {"POST": "embed"}),
    ("/v1beta/models/(?P<model>[^/:]+):batchEmbedContents", {"POST": "batch_embed"}),
    ("/v1beta/models/(?P<model>[^/:]+):countTokens", {"POST": "count"}),
    ("/v1beta/models(/(?P<model>[^/:]+))?", {"GET": "models"}),
    ("/v1beta/(?P<file>files/[^/]+)", {"GET": "file_get", "DELETE": "file_delete"}),
    ("/v1beta/files", {"GET": "file_list"}),
]]
# The kinds of data requests differ by the upload command in a header.
UPLOADS = {"start": "upload_start", "query": "upload_query"}
EMBEDDING_MODELS = {"gemini-embedding-001": 2048, "gemini-embedding-2": 8192}
EMBEDDING_TASKS = set("RETRIEVAL_DOCUMENT RETRIEVAL_QUERY SEMANTIC_SIMILARITY CLASSIFICATION CLUSTERING "
                      "QUESTION_ANSWERING FACT_VERIFICATION CODE_RETRIEVAL_QUERY".split())
BATCH_MAX = 100
THOUGHTS = {"minimal": 0, "low": 211, "medium": 640, "high": 1507}
STREAM = ("stream_error", "stream_cut")
OTHERS = ("no_usage", "thought_first")


class GeminiStandIn(GeminiFiles, ModelStandIn):
    KINDS = ("generate stream embed batch_embed count models upload_start upload_bytes upload_query "
             "file_get file_list file_delete").split()
    FAULTS = [*faults.ERRORS, *faults.PLAIN, *faults.FINISHES, *faults.BLOCKS, *model_answers.SPOILED,
              *FILE_FAULTS, *STREAM, *OTHERS]
    camel = staticmethod(camel)

    def __init__(self, key="gemini-test-key", keep_bodies=False):
        super().__init__(key, keep_bodies)

    def reset(self):
        super().reset()
        self.reset_files()
        self.models = dict(MODELS)
        self.inline_bytes_max = 20971520
        self.cached_tokens = 0
        self.thinking_tokens = None
        self.refuses_task_type = False  # For gemini-embedding-2 it is not known whether it is ignored.

    # Called by tests.

    def assert_clean(self, test):
        """There is no violation, and no file that a client has left."""
        test.assertEqual(self.violations, [])
        test.assertEqual(sorted(self.files), [], "files are left")

    # Called by the server.

    def route(self, method, path):
        for pattern, methods in ROUTES:
            found = pattern.fullmatch(path)
            if found and method in methods:
                return methods[method], found.groupdict()
        return "other", {}

    def kind_of(self, method, url, headers):
        if url.path == "/upload/v1beta/files" and method == "POST":
            return UPLOADS.get(headers.get("X-Goog-Upload-Command", "").strip(), "upload_bytes")
        return self.route(method, url.path)[0]

    def take_bytes(self, record, piece):
        if record.kind == "upload_bytes":
            record.data = record.data or Blob()
            record.data.write(piece)

    def check_head(self, record, target):
        super().check_head(record, target)
        timeout = record.headers.get("X-Server-Timeout")
        if timeout is not None and not re.fullmatch("[1-9][0-9]*", timeout):
            self.report_violation("X-Server-Timeout: %s" % timeout)
        has_json = record.kind in ("generate", "stream", "embed", "batch_embed", "count", "upload_start")
        if has_json and not record.headers.get("Content-Type", "").startswith("application/json"):
            self.report_violation("%s with Content-Type %s" % (
                record.kind, record.headers.get("Content-Type")))

    def answer_to(self, record):
        name = record.fault.name if record.fault else None
        try:
            self.check_key(record)
            if name in faults.ERRORS or name in faults.PLAIN:
                self.check_although_it_fails(record)
                return faults.error_answer(name, record.fault.options)
            return self.worked_answer(record, name)
        except Refusal as refusal:
            return refusal.answer()
        finally:
            if record.data and not self.keep_bodies:
                record.data.drop()

    def check_key(self, record):
        given = record.headers.get("X-Goog-Api-Key")
        if record.kind in ("upload_bytes", "upload_query"):
            return  # The address is the secret.
        if given is None:
            self.report_violation("%s without a key" % record.kind)
            raise faults.no_key()
        if given != self.key:
            raise faults.bad_key()

    def check_although_it_fails(self, record):
        """A request that is refused for another reason must still be valid."""
        if record.kind == "generate":
            Request(self, self.route(record.method, record.path)[1]["model"], record)

    def worked_answer(self, record, fault):
        named = self.route(record.method, record.path)[1]
        if record.kind in ("generate", "stream"):
            return self.generate(record, named["model"], fault)
        if record.kind == "upload_start":
            return self.start_upload(record, fault)
        if record.kind in ("upload_bytes", "upload_query"):
            return self.take_upload(record, fault)
        if record.kind == "file_get":
            return self.poll(named["file"], fault)
        if record.kind == "file_delete":
            return self.delete(named["file"])
        if record.kind == "file_list":
            return self.list_files(record.query)
        if record.kind in ("embed", "batch_embed"):
            return self.embed(record, named["model"])
        if record.kind == "count":
            return self.count_tokens(record, named["model"])
        if record.kind == "models":
            return self.tell_models(named["model"])
        return json_answer(404, {"error": {"code": 404, "message": "Not Found", "status": "NOT_FOUND"}})

    # generateContent.

    def generate(self, record, model, fault):
        if record.size > self.inline_bytes_max:
            raise faults.payload_too_large(self.inline_bytes_max)
        request = Request(self, model, record)
        options = record.fault.options if record.fault else {}
        if fault in faults.BLOCKS:
            value = self.blocked_answer(record, request, options.get("reason", faults.BLOCKS[fault]))
            return self.sent(record, value, fault)
        text, reason = self.text_for(request, fault, options), "STOP"
        thoughts = self.thoughts_of(request)
        if fault in faults.FINISHES:
            reason, text = faults.finished(fault, text)
        cap = request.config.get("maxOutputTokens", 65536)
        if fault == "max_tokens_empty":
            thoughts = cap
        elif fault not in model_answers.SPOILED and (
                thoughts + model_answers.tokens_of(text) > cap):
            # Thinking counts towards the limit.
            thoughts = min(thoughts, cap)
            reason, text = "MAX_TOKENS", text[:(cap - thoughts) * 4]
        value = self.candidate_answer(record, request, text, reason)
        self.bill(record, request, value, text, thoughts)
        return self.sent(record, value, fault)

    def text_for(self, request, fault, options):
        good = self.answer
        if callable(good):
            good = good(request)
        if question_answers.is_question(request):
            if request.media:
                self.report_violation("media in a question")
            good = question_answers.answer_to(request, self.manner)
        if good is None:
            good = model_answers.answer_for(request.schema) if request.schema else "A video."
        if fault in model_answers.SPOILED:
            return model_answers.spoiled(fault, good, options)
        return good if isinstance(good, str) else json.dumps(good, ensure_ascii=False)

    def candidate_answer(self, record, request, text, reason):
        """In one part or several, sometimes with a thought before them."""
        count = 1 + record.number % 3
        size = max(1, math.ceil(len(text) / count))
        parts = [{"text": text[at:at + size]} for at in range(0, len(text), size)]
        is_thought_first = record.fault and record.fault.name == "thought_first"
        if parts and (count == 3 or is_thought_first):
            parts.insert(0, {"text": "**Thinking** about {braces} and \"quotes\".", "thought": True})
            parts[-1]["thoughtSignature"] = "c2lnbmF0dXJl"
        candidate = {"content": {"role": "model"}, "index": 0}
        if parts:
            candidate["content"]["parts"] = parts
        if reason == "RECITATION":
            candidate["content"] = {"parts": [], "role": "model"}
            candidate["citationMetadata"] = {
                "citationSources": [{"startIndex": 0, "endIndex": 90, "uri": "https://song.test/"}]}
        if reason:
            candidate["finishReason"] = reason
        if reason not in (None, "STOP", "MAX_TOKENS"):
            candidate["finishMessage"] = "The model ended with %s." % reason
        return {"candidates": [candidate], "modelVersion": request.model,
                "responseId": secrets.token_urlsafe(12)}

    def blocked_answer(self, record, request, reason):
        value = {"modelVersion": request.model, "responseId": secrets.token_urlsafe(12)}
        if reason:
            value["promptFeedback"] = {"blockReason": reason}
        self.bill(record, request, value, "", 0)
        return value

    def thoughts_of(self, request):
        if self.thinking_tokens is not None:
            return self.thinking_tokens
        if isinstance(request.thinking, int):
            return 0 if request.thinking == 0 else 333
        default = "minimal" if request.model == "gemini-3.5-flash-lite" else "medium"
        return THOUGHTS[request.thinking or default]

    def prompt_tokens(self, request):
        """(text, video, audio): static mode, per sampled frame and per second of sound."""
        is_old = request.family() == "2"
        low = request.resolution == "MEDIA_RESOLUTION_LOW"
        high = request.resolution == "MEDIA_RESOLUTION_HIGH"
        per_frame = (66 if low else 258) if is_old else (280 if high else 70)
        media = request.media
        seconds = (media.seconds or 0) if media else 0
        frames = max(1, math.ceil(seconds * request.fps)) if media else 0
        sound = math.ceil(seconds * (32 if is_old else 25)) if media and media.has_sound else 0
        text = model_answers.tokens_of(request.text) + int(seconds / 2)  # Timestamps.
        return text, frames * per_frame, sound

    def bill(self, record, request, value, text, thoughts):
        """Adds usageMetadata without zero fields, and records the usage."""
        written, seen, heard = self.prompt_tokens(request)
        prompt = written + seen + heard
        output, cached = model_answers.tokens_of(text), min(self.cached_tokens, prompt)
        details = [("TEXT", written), ("VIDEO", seen), ("AUDIO", heard)]
        usage = {
            "promptTokenCount": prompt, "candidatesTokenCount": output, "thoughtsTokenCount": thoughts,
            "cachedContentTokenCount": cached, "totalTokenCount": prompt + output + thoughts}
        usage = {name: count for name, count in usage.items() if count}
        usage["promptTokensDetails"] = [
            {"modality": kind, "tokenCount": count} for kind, count in details if count]
        record.usage = {"model": request.model, "prompt_tokens": prompt, "cached_tokens": cached,
                        "output_tokens": output + thoughts, "thoughts": thoughts}
        if record.fault and record.fault.name == "no_usage":
            record.usage = None
        else:
            value["usageMetadata"] = usage
        if request.media and not self.keep_bodies and not request.file:
            request.media.drop()

    def sent(self, record, value, fault):
        if record.kind == "generate":
            return json_answer(200, value)
        if record.query.get("alt") != "sse":
            self.report_violation("a stream without alt=sse")
        return Answer(200, kind="text/event-stream", events=self.events_of(value, fault))

    def events_of(self, value, fault):
        """Each part is an event; only the last one has the finish reason, and usage is a running total."""
        usage = value.get("usageMetadata", {})
        candidate = (value.get("candidates") or [{}])[0]
        parts = candidate.get("content", {}).get("parts") or []
        events = []
        for part in parts[:-1]:
            running = {"promptTokenCount": usage.get("promptTokenCount", 0)}
            events.append({**value, "usageMetadata": running, "candidates": [
                {"content": {"role": "model", "parts": [part]}, "index": 0}]})
        if candidate:
            last = {**candidate, "content": {"role": "model", "parts": parts[-1:]}}
            value = {**value, "candidates": [last]}
        events.append(value)
        texts = [b"data: " + json.dumps(event).encode() + b"\r\n\r\n" for event in events]
        if fault == "stream_error":
            error = json.loads(faults.ERRORS["overloaded"]().answer().body)
            return texts[:-1] + [b"data: " + json.dumps(error).encode() + b"\r\n\r\n"]
        return texts[:-1] + [texts[-1][:-30]] if fault == "stream_cut" else texts

    # Embeddings and models.

    def embed(self, record, model):
        if model not in EMBEDDING_MODELS:
            raise faults.model_missing(model)
        if record.kind == "embed":
            return json_answer(200, {"embedding": {"values": self.vector(model, record.json, False)}})
        requests = members(record.json, {"requests"}, "request", self.report_violation).get("requests", [])
        if not 1 <= len(requests) <= BATCH_MAX:
            self.report_violation("%d requests in a batch" % len(requests))
            raise invalid("* BatchEmbedContentsRequest.requests: at most 100 requests can be in one "
                          "batch")
        return json_answer(200, {"embeddings": [
            {"values": self.vector(model, one, True)} for one in requests]})

    def vector(self, model, request, needs_model):
        known = {"model", "content", "taskType", "title", "outputDimensionality"}
        request = members(request, known, "request", self.report_violation)
        if request.get("model", None if needs_model else "models/" + model) != "models/" + model:
            self.report_violation("an embedding for %r of %s" % (request.get("model"), model))
            raise invalid("model must match the one in the URL.")
        task = request.get("taskType")
        if task is not None and task not in EMBEDDING_TASKS:
            self.report_violation("taskType %r" % task)
            raise invalid("Invalid value at 'task_type'")
        if task is not None and model == "gemini-embedding-2":
            self.report_violation("a taskType for gemini-embedding-2")
            if self.refuses_task_type:
                raise invalid("task_type is not supported for this model.")
        parts = members(request.get("content", {}), {"role", "parts"}, "content",
                        self.report_violation).get("parts", [])
        text = " ".join(part.get("text", "") for part in parts)
        if not text.strip():
            self.report_violation("an embedding of nothing")
            raise invalid("Content is empty.")
        if len(parts) != 1:
            self.report_violation("%d parts make one vector" % len(parts))
        if model_answers.tokens_of(text) > EMBEDDING_MODELS[model]:
            self.report_violation("a text too long for %s" % model)
        dimensions = request.get("outputDimensionality", 3072)
        if not isinstance(dimensions, int) or not 128 <= dimensions <= 3072:
            self.report_violation("%r dimensions" % dimensions)
            raise invalid("outputDimensionality must be between 128 and 3072.")
        return vector_of(text, dimensions, dimensions == 3072 or model == "gemini-embedding-2")

    def count_tokens(self, record, model):
        body = dict(record.json or {})
        record.json = body.pop("generateContentRequest", body)
        request = Request(self, model, record)
        return json_answer(200, {"totalTokens": sum(self.prompt_tokens(request))})

    def tell_models(self, model):
        names = list(self.models) + list(EMBEDDING_MODELS)
        shown = [{"name": "models/" + name, "displayName": name, "inputTokenLimit": 1048576,
                  "outputTokenLimit": 65536, "supportedGenerationMethods": (
                      ["embedContent"] if name in EMBEDDING_MODELS else
                      ["generateContent", "countTokens"])} for name in names]
        if model is None:
            return json_answer(200, {"models": shown})
        if model not in names:
            raise faults.model_missing(model)
        return json_answer(200, shown[names.index(model)])


def main():
    """For programs in other languages: prints its port, and ends with its input."""
    parser = argparse.ArgumentParser(description="A stand-in of the Gemini API on loopback.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--key", default="gemini-test-key")
    parser.add_argument("--exit-with-stdin", action="store_true", help="exit when its input ends")
    options = parser.parse_args()
    stand_in = GeminiStandIn(options.key).start(options.port)
    print(stand_in.server.server_address[1], flush=True)
    if options.exit_with_stdin:
        sys.stdin.read()
        os._exit(0)
    threading.Event().wait()


if __name__ == "__main__":
    main()
