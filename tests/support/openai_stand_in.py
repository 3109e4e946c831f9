"""A stand-in of an OpenAI-compatible server on loopback: chat completions with video, sound and frames,
embeddings, models.

    OpenAiStandIn(server_kind="vllm")   vllm, llamacpp, frames, ollama, openrouter or openai: which part
                                        types it accepts, and the form of its errors (error_shape)
    key=None                            no key is required, as on a private server
    server.hears = True                 accepts input_audio even if its kind has none
    server.takes_no_schema = True       400 for response_format json_schema
    server.answer, .fail(kind, name, **options), .billed(), .of("chat"), .violations

Faults: TRANSPORT of model_server; ERRORS and PLAIN for each kind of request, with the options `shape`,
`retry_after` (seconds or an HTTP date), `retry_after_ms`, `should_retry`; SPOILED (model_answers) and
FINISHES for chat.
"""

import argparse
import email.utils
import itertools
import json
import math
import os
import sys
import threading
import time

sys.dont_write_bytecode = True  # Keeps the source tree clean.
import model_answers  # noqa: E402
from gemini_faults import PLAIN  # noqa: E402
from model_server import json_answer  # noqa: E402
from model_stand_in import ModelStandIn  # noqa: E402
from model_vectors import as_base64, vector_of  # noqa: E402
import question_answers  # noqa: E402
from openai_checks import PARTS, Refusal, Request  # noqa: E402

SHAPES = {"vllm": "vllm_nested", "ollama": "openai", "openrouter": "openrouter"}
ROUTES = {("POST", "/v1/chat/completions"): "chat", ("POST", "/v1/embeddings"): "embeddings",
          ("GET", "/v1/models"): "models"}
EMBEDDING_MODELS = {"text-embedding-3-small": 1536, "nomic-embed-text": 768}
INPUTS_MAX = 2048
INPUT_TOKENS_MAX = 8192
TOKENS_PER_FRAME, TOKENS_PER_SECOND, TOKENS_PER_SOUND_SECOND = 256, 100, 25

ERRORS = {
    "unauthorized": lambda: Refusal(
        401, "Incorrect API key provided: sk-x***. You can find your API key at the dashboard.",
        "invalid_api_key"),
    "payment_required": lambda: Refusal(402, "Insufficient credits", kind="insufficient_credits"),
    "forbidden": lambda: Refusal(403, "Country, region, or territory not supported",
                                 "unsupported_country_region_territory"),
    "model_missing": lambda: Refusal(404, "The model `x` does not exist", "model_not_found"),
    "timeout": lambda: Refusal(408, "Request timed out", kind="timeout"),
    "conflict": lambda: Refusal(409, "Conflict", kind="conflict"),
    "too_large": lambda: Refusal(413, "Request entity too large"),
    "unprocessable": lambda: Refusal(422, "Input should be a valid string"),
    "context_overflow": lambda: Refusal(
        400, "This model's maximum context length is 32768 tokens. However, you requested 91234 tokens.",
        "context_length_exceeded"),
    "unknown_part": lambda: Refusal(400, "invalid message format"),
    "bad_schema": lambda: Refusal(400, "Invalid schema for response_format 'x'", param="response_format"),
    "bad_video": lambda: Refusal(400, "Failed to load the video", kind="BadRequestError"),
    "rate_limited": lambda: Refusal(
        429, "Rate limit reached for requests", "rate_limit_exceeded", kind="requests"),
    "insufficient_quota": lambda: Refusal(
        429, "You exceeded your current quota, please check your plan and billing details.",
        "insufficient_quota", kind="insufficient_quota"),
    "server_error": lambda: Refusal(500, "The server had an error processing your request",
                                    kind="server_error"),
    "overloaded": lambda: Refusal(503, "The engine is currently overloaded, please try again later",
                                  kind="server_error"),
}

# Unusual answers: name -> (finish_reason, part of the text).
FINISHES = {
    "length": ("length", "half"), "length_empty": ("length", "none"),
    "content_filter": ("content_filter", "none"), "content_filter_partial": ("content_filter", "half"),
    "tool_calls": ("tool_calls", "none"), "finish_unknown": ("something_new", "all"),
    "finish_null": (None, "all"), "refusal": ("stop", "none"), "content_null": ("stop", "none"),
    "think": ("stop", "all"), "think_open": ("stop", "all"), "reasoning": ("stop", "all"),
    "reasoning_content": ("stop", "all"), "no_usage": ("stop", "all"), "no_choices": ("stop", "none"),
    "usage_null": ("stop", "all"), "content_parts": ("stop", "all"),
}
# For embeddings.
VECTOR_FAULTS = ("out_of_order", "one_missing", "not_finite", "other_length", "no_usage")
THOUGHTS = "Let me {look} at \"this\" video. It seems [nice]."


def http_date(seconds):
    """This many seconds from now; an HTTP date has whole seconds only."""
    return email.utils.formatdate(time.time() + seconds, usegmt=True)


class OpenAiStandIn(ModelStandIn):
    KINDS = ("chat", "embeddings", "models")
    FAULTS = [*ERRORS, *PLAIN, *FINISHES, *model_answers.SPOILED, *VECTOR_FAULTS]

    def __init__(self, server_kind="vllm", key="openai-test-key", keep_bodies=False):
        if server_kind not in PARTS:
            raise ValueError("no kind of server: " + server_kind)
        self.server_kind = server_kind
        super().__init__(key, keep_bodies)

    def reset(self):
        super().reset()
        self.models = {"test-model"}
        self.error_shape = SHAPES.get(self.server_kind, "openai")
        self.hears = self.takes_no_schema = False
        self.cached_tokens = 0
        self.reasoning_tokens = 0
        self.limits = {"limit-requests": "500", "remaining-requests": "499", "reset-requests": "120ms",
                       "limit-tokens": "200000", "remaining-tokens": "150000", "reset-tokens": "6m0s"}

    def assert_clean(self, test):
        test.assertEqual(self.violations, [])

    # Called by the server.

    def kind_of(self, method, url, _):
        return ROUTES.get((method, url.path), "other")

    def check_head(self, record, target):
        super().check_head(record, target)
        if record.method == "POST" and not record.headers.get("Content-Type", "").startswith(
                "application/json"):
            self.report_violation("%s with Content-Type %s" % (
                record.kind, record.headers.get("Content-Type")))

    def answer_to(self, record):
        name, options = (record.fault.name, record.fault.options) if record.fault else (None, {})
        try:
            self.check_key(record)
            if name in ERRORS or name in PLAIN:
                if record.kind == "chat":
                    Request(self, record)
                return self.with_limits(record, self.failed_answer(name, options))
            if record.kind == "chat":
                answer = self.complete(record, name, options)
            elif record.kind == "embeddings":
                answer = self.embed(record, name)
            elif record.kind == "models":
                names = sorted(self.models) + sorted(EMBEDDING_MODELS)
                answer = json_answer(200, {"object": "list", "data": [
                    {"id": one, "object": "model"} for one in names]})
            else:
                raise Refusal(404, "Not Found")
        except Refusal as refusal:
            answer = refusal.answer(self.error_shape)
        return self.with_limits(record, answer)

    def with_limits(self, record, answer):
        answer.headers["x-request-id"] = "req_%08x" % record.number
        for name, value in self.limits.items():
            answer.headers["x-ratelimit-" + name] = value
        return answer

    def failed_answer(self, name, options):
        if name in PLAIN:
            return PLAIN[name](**options)
        headers = {}
        for option, field in (("retry_after", "retry-after"), ("retry_after_ms", "retry-after-ms")):
            if option in options:
                headers[field] = str(options[option])
        if "should_retry" in options:
            headers["x-should-retry"] = "true" if options["should_retry"] else "false"
        return ERRORS[name]().answer(options.get("shape", self.error_shape), headers)

    def check_key(self, record):
        if self.key is None:
            return
        given = record.headers.get("Authorization", "")
        if not given.startswith("Bearer "):
            self.report_violation("%s without a key" % record.kind)
            raise Refusal(401, "You didn't provide an API key.", "invalid_api_key")
        if given != "Bearer " + self.key:
            raise ERRORS["unauthorized"]()

    # Chat.

    def complete(self, record, fault, options):
        request = Request(self, record)
        good = self.answer(request) if callable(self.answer) else self.answer
        if question_answers.is_question(request):
            if request.videos or request.images or request.sounds:
                self.report_violation("media in a question")
            good = question_answers.answer_to(request, self.manner)
        if good is None:
            good = model_answers.answer_for(request.schema) if request.schema else "A video."
        if fault in model_answers.SPOILED:
            text = model_answers.spoiled(fault, good, options)
        else:
            text = good if isinstance(good, str) else json.dumps(good, ensure_ascii=False)
        reason, part = FINISHES.get(fault, ("stop", "all"))
        text = {"all": text, "half": text[:len(text) // 2], "none": ""}[part]
        room = (request.cap or 1 << 20) - self.reasoning_tokens
        if fault not in model_answers.SPOILED and model_answers.tokens_of(text) > room:
            reason, text = "length", text[:max(0, room) * 4]
        message = self.message_of(fault, text)
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": reason}
        value = {"id": "chatcmpl-%06d" % record.number, "object": "chat.completion",
                 "created": int(time.time()), "model": request.body["model"],
                 "choices": [] if fault == "no_choices" else [choice]}
        self.bill(record, request, value, text, fault)
        return json_answer(200, value)

    @staticmethod
    def message_of(fault, text):
        message = {"role": "assistant", "content": text}
        if fault in ("content_null", "tool_calls", "length_empty"):
            message["content"] = None
        elif fault == "refusal":
            message.update(content=None, refusal="I'm sorry, I can't help with that.")
        elif fault == "think":
            message["content"] = "<think>%s</think>\n\n%s" % (THOUGHTS, text)
        elif fault == "think_open":  # The template has removed the opening tag.
            message["content"] = "%s</think>\n\n%s" % (THOUGHTS, text)
        elif fault in ("reasoning", "reasoning_content"):
            message[fault] = THOUGHTS
        elif fault == "content_parts":
            message["content"] = [{"type": "text", "text": text}]
        return message

    def bill(self, record, request, value, text, fault):
        prompt = model_answers.tokens_of(request.text) + TOKENS_PER_FRAME * len(request.images)
        prompt += sum(math.ceil((one.seconds or 0) * TOKENS_PER_SECOND) for one in request.videos)
        sound = sum(math.ceil((one.seconds or 0) * TOKENS_PER_SOUND_SECOND) for one in request.sounds)
        prompt += sound
        output = model_answers.tokens_of(text) + self.reasoning_tokens
        cached = min(self.cached_tokens, prompt)
        if fault in ("no_usage", "usage_null"):
            if fault == "usage_null":
                value["usage"] = None
            return
        value["usage"] = {
            "prompt_tokens": prompt, "completion_tokens": output, "total_tokens": prompt + output,
            "prompt_tokens_details": {"cached_tokens": cached, "audio_tokens": sound},
            "completion_tokens_details": {"reasoning_tokens": self.reasoning_tokens}}
        if self.server_kind == "openrouter":
            value["usage"]["cost"] = 0.00014
        record.usage = {"model": request.body["model"], "prompt_tokens": prompt,
                        "output_tokens": output, "cached_tokens": cached}

    # Embeddings.

    def embed(self, record, fault):
        body = record.json if isinstance(record.json, dict) else {}
        unknown = set(body) - {"model", "input", "dimensions", "encoding_format", "user"}
        if unknown:
            self.report_violation("unknown members: %s" % sorted(unknown))
        if body.get("model") not in EMBEDDING_MODELS:
            raise Refusal(404, "The model `%s` does not exist" % body.get("model"), "model_not_found")
        texts = body.get("input")
        texts = [texts] if isinstance(texts, str) else texts
        if not isinstance(texts, list) or not 1 <= len(texts) <= INPUTS_MAX or not all(texts):
            self.report_violation("no input, an empty one, or over 2048")
            raise Refusal(400, "'$.input' is invalid.")
        tokens = [model_answers.tokens_of(text) for text in texts]
        if max(tokens) > INPUT_TOKENS_MAX:
            raise Refusal(400, "This model's maximum context length is 8192 tokens")
        whole = EMBEDDING_MODELS[body["model"]]
        dimensions = body.get("dimensions", whole)
        if dimensions != whole and not body["model"].startswith("text-embedding-3"):
            raise Refusal(400, "This model does not support specifying dimensions.")
        if fault == "other_length":
            dimensions //= 2
        vectors = [vector_of(text, dimensions) for text in texts]
        if fault == "not_finite":
            vectors[0][0] = math.nan
        in_base64 = body.get("encoding_format", "float") == "base64"
        data = [{"object": "embedding", "index": index,
                 "embedding": as_base64(vector) if in_base64 else vector}
                for index, vector in enumerate(vectors)]
        if fault == "out_of_order":
            data = list(itertools.chain(data[1::2], data[::2]))
        if fault == "one_missing":
            data.pop()
        value = {"object": "list", "data": data, "model": body["model"]}
        if fault != "no_usage":
            value["usage"] = {"prompt_tokens": sum(tokens), "total_tokens": sum(tokens)}
            record.usage = {"model": body["model"], "prompt_tokens": sum(tokens), "output_tokens": 0,
                            "cached_tokens": 0}
        return json_answer(200, value)


def main():
    """For programs in other languages: prints its port, and ends with its input."""
    parser = argparse.ArgumentParser(description="A stand-in of an OpenAI-compatible server.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--kind", default="vllm", choices=sorted(PARTS))
    parser.add_argument("--key", default="openai-test-key")
    parser.add_argument("--exit-with-stdin", action="store_true", help="exit when its input ends")
    options = parser.parse_args()
    stand_in = OpenAiStandIn(options.kind, options.key).start(options.port)
    print(stand_in.server.server_address[1], flush=True)
    if options.exit_with_stdin:
        sys.stdin.read()
        os._exit(0)
    threading.Event().wait()


if __name__ == "__main__":
    main()
