"""A stand-in of speech servers on loopback: POST /v1/audio/transcriptions as each kind of server has it, and the list of
models. It refuses what the real ones refuse.

    SpeechStandIn(server_kind="openai")   openai, text, whispercpp, speaches, vllm, groq or localai: which fields and formats
                                          it accepts, and the form of its answers and errors
    key=None                              no key is required, as on a private server
    server.speech = [passage, ...]        what it hears: {"text", "start", "end"} and, as the test likes, "no_speech_prob",
                                          "avg_logprob", "compression_ratio", "words": [{"word", "start", "end"}]
    server.language                       a code
    server.answered_with = {...}          members that replace those of the answer, such as a wrong duration
    server.fail(kind, name, **options), .billed(), .of("speech"), .violations

Faults: TRANSPORT of model_server; ERRORS and PLAIN; SPOILED.
"""

import email.parser
import email.policy
import struct
import sys

sys.dont_write_bytecode = True  # Keeps the source tree clean.
from gemini_faults import PLAIN  # noqa: E402
from model_server import Answer, json_answer  # noqa: E402
from model_stand_in import ModelStandIn  # noqa: E402
from openai_checks import Refusal  # noqa: E402
from openai_stand_in import ERRORS  # noqa: E402

ROUTES = {("POST", "/v1/audio/transcriptions"): "speech", ("GET", "/v1/models"): "models"}
FILE_BYTES_MAX = 25 << 20
FIELDS = {"file", "model", "language", "prompt", "response_format", "timestamp_granularities[]", "temperature",
          "chunking_strategy", "include[]", "stream"}
# Fields of one server that others ignore, except for OpenAI's own, which refuses what it does not know.
HINTS = {"no_language_probabilities": {"true", "false"}, "without_timestamps": {"true", "false"}}
NAMES = {"en": "english", "de": "german", "ja": "japanese", "tr": "turkish", "es": "spanish"}
RATE = 16000
HEAD_BYTES = 44
NANOSECONDS = 1_000_000_000
SHAPES = {"whispercpp": "ollama", "speaches": "fastapi", "vllm": "vllm_nested"}
SPEECH_ERRORS = {
    "too_short": lambda: Refusal(400, "Audio file is too short. Minimum audio length is 0.1 seconds.", "audio_too_short"),
    "undecodable": lambda: Refusal(415, "Failed to decode audio. The provided file type is not supported."),
    "not_installed": lambda: Refusal(
        404, "Model 'x' is not installed locally. You can download the model using `POST /v1/models`"),
    "bad_request": lambda: Refusal(400, "Invalid file"),
}
SPOILED = {
    "not_a_transcript": lambda: json_answer(200, {"result": "ok"}),
    "wrong_types": lambda: json_answer(200, {"text": ["a"], "segments": {"0": "b"}, "words": 7, "language": 1,
                                             "duration": []}),
    "number": lambda: json_answer(200, 7),
    "empty_object": lambda: json_answer(200, {}),
}


class Form:
    """The parts of a multipart body: `fields` {name: [value, ...]}, and the file's `name`, `type` and `bytes`."""

    def __init__(self, stand_in, record):
        self.fields, self.name, self.type, self.bytes = {}, None, None, None
        source = b"Content-Type: " + record.headers.get("Content-Type", "").encode() + b"\r\n\r\n" + (record.body or b"")
        whole = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(source)
        if not whole.is_multipart():
            stand_in.report_violation("the body is no form: %s" % record.headers.get("Content-Type"))
            raise Refusal(400, "Could not parse multipart form")
        if whole.defects:
            stand_in.report_violation("the form is damaged: %s" % whole.defects)
        for part in whole.iter_parts():
            name = part.get_param("name", header="content-disposition")
            if name == "file":
                self.name, self.type, self.bytes = part.get_filename(), part.get_content_type(), part.get_payload(decode=True)
            else:
                self.fields.setdefault(name, []).append(part.get_payload(decode=True).decode())

    def value(self, name, otherwise=None):
        return self.fields.get(name, [otherwise])[0]


class SpeechStandIn(ModelStandIn):
    KINDS = ("speech", "models")
    FAULTS = [*ERRORS, *PLAIN, *SPEECH_ERRORS, *SPOILED]

    def __init__(self, server_kind="openai", key="speech-test-key"):
        self.server_kind = server_kind
        super().__init__(key, keep_bodies=True)

    def reset(self):
        super().reset()
        self.models = {"whisper-test"}
        self.speech, self.language, self.answered_with = [], "en", {}
        self.lists_models = self.server_kind not in ("whispercpp",)

    def assert_clean(self, test):
        test.assertEqual(self.violations, [])

    def kind_of(self, method, url, _):
        return ROUTES.get((method, url.path), "other")

    def answer_to(self, record):
        name = record.fault.name if record.fault else None
        try:
            self.check_key(record)
            if record.kind == "models" and self.lists_models:
                return json_answer(200, {"object": "list", "data": [{"id": one} for one in sorted(self.models)]})
            if record.kind != "speech":
                raise Refusal(404, "Not Found")
            form = Form(self, record)
            record.seconds = self.checked(form)
            if name in SPOILED:
                self.note_bill(record, form, {})
                return SPOILED[name]()
            if name in PLAIN:
                return PLAIN[name](**record.fault.options)
            if name in ERRORS or name in SPEECH_ERRORS:
                raise {**ERRORS, **SPEECH_ERRORS}[name]()
            return self.transcript(record, form)
        except Refusal as refusal:
            return refusal.answer(SHAPES.get(self.server_kind, "openai"))

    def check_key(self, record):
        if self.key is None:
            return
        given = record.headers.get("Authorization")
        if given != "Bearer " + self.key:
            raise Refusal(403 if self.server_kind == "speaches" else 401, "Incorrect API key provided", "invalid_api_key")

    # The request.

    def refuse(self, message):
        self.report_violation(message)
        raise Refusal(400, message)

    def checked(self, form):
        """The seconds of the sound."""
        kind = self.server_kind
        unknown = sorted(set(form.fields) - FIELDS)
        if kind in ("openai", "text") and unknown:
            raise Refusal(400, "Unrecognized request argument supplied: %s" % unknown[0], param=unknown[0])
        for name in unknown:
            if form.value(name) not in HINTS.get(name, ()):
                self.refuse("the field %s=%s" % (name, form.value(name)))
        if kind != "whispercpp" and form.value("model") not in self.models:
            raise Refusal(404, "The model `%s` does not exist" % form.value("model"), "model_not_found")
        self.check_format(form)
        return self.checked_sound(form)

    def check_format(self, form):
        kind, answer_format = self.server_kind, form.value("response_format", "json")
        times = form.fields.get("timestamp_granularities[]", [])
        if set(times) - {"word", "segment"}:
            raise Refusal(500, "Internal Server Error") if kind == "speaches" else Refusal(400, "timestamp_granularities")
        if kind == "text" and (answer_format not in ("json", "text") or times or form.value("temperature")):
            raise Refusal(400, "response_format 'verbose_json' is not compatible with model 'x'. Use 'json' instead.",
                          "unsupported_value", param="response_format")
        if kind == "vllm" and answer_format not in ("json", "text", "verbose_json"):
            raise Refusal(400, "Currently only support response_format: `json`, `text` or `verbose_json`")
        if answer_format not in ("json", "verbose_json"):
            self.report_violation("response_format %s" % answer_format)
        if times and answer_format != "verbose_json":
            self.refuse("timestamp_granularities[] needs response_format verbose_json")

    def checked_sound(self, form):
        if not form.bytes:
            self.refuse("'file' is a required property")
        if len(form.bytes) > FILE_BYTES_MAX:
            raise Refusal(413, "Maximum content size limit (26214400) exceeded")
        if not form.name or not form.name.endswith(".wav") or form.type != "audio/wav":
            self.refuse("a file %s of type %s" % (form.name, form.type))
        head = form.bytes[:HEAD_BYTES]
        if head[:4] != b"RIFF" or head[8:16] != b"WAVEfmt ":
            self.refuse("no WAVE file")
        coding, channels, rate, _, _, bits = struct.unpack("<HHIIHH", head[20:36])
        if (coding, channels, rate, bits) != (1, 1, RATE, 16):
            self.report_violation("sound of %s channels, %s Hz, %s bits" % (channels, rate, bits))
        size, = struct.unpack("<I", head[40:44])
        if size != len(form.bytes) - HEAD_BYTES:
            self.refuse("the length in the file is wrong")
        seconds = size / 2 / RATE
        if seconds < 0.1:
            raise SPEECH_ERRORS["too_short"]()
        return seconds

    # The answer.

    def transcript(self, record, form):
        text = " ".join(passage["text"] for passage in self.speech)
        if form.value("response_format", "json") == "json" or self.server_kind == "text":
            value = {"text": text}
        else:
            value = self.verbose(record, form, text)
        if self.server_kind == "text":
            value["languages"] = [{"code": self.language}]
        if self.server_kind in ("openai", "text", "groq"):
            value["usage"] = {"type": "duration", "seconds": -(-int(record.seconds * 1000) // 1000)}
        value.update(self.answered_with)
        self.note_bill(record, form, value)
        return json_answer(200, value, x_request_id="req_%08x" % record.number)

    def verbose(self, record, form, text):
        kind = self.server_kind
        asked = form.fields.get("timestamp_granularities[]", ["segment"])
        name = NAMES[self.language] if kind in ("whispercpp", "groq", "openai") else self.language
        value = {"task": "transcribe", "language": name, "duration": round(record.seconds, 3), "text": text}
        segments = [self.segment(number, passage) for number, passage in enumerate(self.speech)]
        if kind == "vllm":
            value["duration"] = str(value["duration"])
            for segment in segments:
                segment.update(no_speech_prob=None, avg_logprob=-1.0, compression_ratio=-1.0)
        elif kind == "whispercpp":
            for segment, passage in zip(segments, self.speech):
                segment["text"] += "\n"
                segment["words"] = pieces_of(passage)
                del segment["compression_ratio"]
        elif kind == "localai":
            for segment in segments:
                segment.update(start=int(segment["start"] * NANOSECONDS), end=int(segment["end"] * NANOSECONDS))
            value["words"] = None
        elif kind == "speaches" and form.value("without_timestamps", "true") == "true" and segments:
            segments = [dict(segments[0], text=text, end=segments[-1]["end"])]
        if "segment" in asked:
            value["segments"] = segments
        if "word" in asked and kind in ("openai", "groq", "speaches"):
            value["words"] = [word for passage in self.speech for word in passage.get("words", [])]
        return value

    @staticmethod
    def segment(number, passage):
        return {"id": number, "seek": 0, "start": passage["start"], "end": passage["end"], "text": " " + passage["text"],
                "tokens": [50364], "temperature": 0.0, "avg_logprob": passage.get("avg_logprob", -0.2),
                "compression_ratio": passage.get("compression_ratio", 1.2),
                "no_speech_prob": passage.get("no_speech_prob", 0.01)}

    def note_bill(self, record, form, value):
        seconds = (value.get("usage") or {}).get("seconds", record.seconds)
        record.usage = {"model": form.value("model"), "prompt_tokens": 0, "output_tokens": 0, "cached_tokens": 0,
                        "seconds": seconds}


def pieces_of(passage):
    """A passage's words as whisper.cpp gives them: tokens, with a blank before those that begin a word."""
    pieces = [{"word": "[_BEG_]", "start": passage["start"], "end": passage["start"], "probability": 0.9}]
    for word in passage.get("words", []):
        text, middle = word["word"], (word["start"] + word["end"]) / 2
        half = max(1, len(text) // 2)
        pieces.append({"word": " " + text[:half], "start": word["start"], "end": middle, "probability": 0.9})
        if text[half:]:
            pieces.append({"word": text[half:], "start": middle, "end": word["end"], "probability": 0.9})
    return pieces


def passage(text, start, end, **more):
    """A passage whose words share its time."""
    words = text.split()
    each = (end - start) / len(words)
    return {"text": text, "start": start, "end": end, "words": [
        {"word": word, "start": round(start + at * each, 3), "end": round(start + (at + 1) * each, 3)}
        for at, word in enumerate(words)], **more}
