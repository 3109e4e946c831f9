"""Validates chat completion requests for each kind of server: known members, part types, contents of data URIs,
strict schemas."""

import json
import re

from model_media import Blob
from model_server import Answer

# The part types that each kind of server accepts.
PARTS = {
    "vllm": {"text", "image_url", "video_url", "input_audio", "audio_url"},
    "llamacpp": {"text", "image_url", "input_video", "input_audio"},
    "frames": {"text", "image_url"},
    "ollama": {"text", "image_url", "input_audio"},
    "openrouter": {"text", "image_url", "video_url", "input_audio"},
    "openai": {"text", "image_url", "input_audio"},
}
BODY = set("model messages response_format max_tokens max_completion_tokens temperature top_p seed stop n "
           "stream store user metadata reasoning_effort reasoning frequency_penalty presence_penalty "
           "mm_processor_kwargs chat_template_kwargs usage provider stream_options".split())
ROLES = {"system", "developer", "user"}
# A strict schema may have no other keyword, format or nesting. Source: the guide on structured outputs.
STRICT = set("type properties required additionalProperties items enum const description title anyOf $ref $defs "
             "pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems".split())
STRICT_FORMATS = set("date-time time date duration email hostname ipv4 ipv6 uuid".split())
STRICT_DEPTH_MAX = 10
STRICT_ENUM_VALUES_MAX = 1000
JSON_TYPES = {"string", "number", "integer", "boolean", "object", "array", "null"}
SCHEMA_NAME = re.compile("[A-Za-z0-9_-]{1,64}")
DATA_URI = re.compile(r"data:([a-z0-9.+-]+/[a-z0-9.+-]+);base64,")
KINDS_OF_TYPES = {"video/mp4": "mp4", "image/jpeg": "jpeg", "audio/wav": "wav", "audio/mpeg": "mp3"}
FRAMES_MAX = 64
LONG_EDGE_MAX = 768
FRAME_LABEL = re.compile(r"t=\d\d:\d\d\s*$")


class Refusal(Exception):
    """An error answer. `code` and `kind` are the error's own; the stand-in's `error_shape` determines its form."""

    def __init__(self, status, message, code=None, kind="invalid_request_error", param=None):
        super().__init__(message)
        self.status, self.message, self.code, self.kind, self.param = (
            status, message, code, kind, param)

    def answer(self, shape="openai", headers=None):
        """openai, vllm (flat), vllm_nested (a number as code), ollama, fastapi, openrouter (with the error's
        status) or openrouter_200 (with 200)."""
        status, message = self.status, self.message
        whole = {"message": message, "type": self.kind, "param": self.param}
        value = {
            "openai": {"error": {**whole, "code": self.code}},
            "vllm": {"object": "error", **whole, "code": status},
            "vllm_nested": {"error": {**whole, "code": status}},
            "ollama": {"error": message},
            "fastapi": {"detail": [{"loc": ["body"], "msg": message, "type": "value_error"}]},
            "openrouter": {"error": {
                "code": status, "message": "Provider returned error",
                "metadata": {"provider_name": "Some Provider", "raw": message}}, "user_id": "user_x"},
        }[shape.removesuffix("_200")]
        if shape == "fastapi" and status == 400:
            status = 422
        return Answer(200 if shape.endswith("_200") else status, json.dumps(value).encode(),
                      dict(headers or {}), kind="application/json")


class Request:
    """A validated chat completion request: `schema` (or None), `text`, `videos`, `images`, `sounds` (lists of
    Blob), `cap`."""

    def __init__(self, stand_in, record):
        self.stand_in, self.report_violation = stand_in, stand_in.report_violation
        self.kind = stand_in.server_kind
        self.text, self.videos, self.images, self.sounds = "", [], [], []
        body = self.body = record.json
        if not isinstance(body, dict):
            self.report_violation("the body is no object")
            raise Refusal(400, "We could not parse the JSON body of your request.")
        unknown = sorted(set(body) - BODY)
        if unknown:
            self.report_violation("unknown members: %s" % unknown)
            if self.kind == "openai":
                raise Refusal(400, "Unrecognized request argument supplied: %s" % unknown[0])
        if body.get("model") not in stand_in.models:
            raise Refusal(404, "The model `%s` does not exist or you do not have access to it."
                          % body.get("model"), "model_not_found", param="model")
        self.check_limits()
        self.schema = self.checked_format(body.get("response_format"))
        self.take_messages(body.get("messages"))

    def refuse(self, message, **more):
        self.report_violation(message)
        raise Refusal(400, message, **more)

    def check_limits(self):
        body = self.body
        if body.get("stream"):
            self.refuse("streams are not played here")
        if body.get("n", 1) != 1 or body.get("store"):
            self.report_violation("several answers, or storing, is asked for")
        caps = [body[name] for name in ("max_tokens", "max_completion_tokens") if name in body]
        if len(caps) > 1:
            self.refuse("max_tokens and max_completion_tokens")
        if self.kind == "openai" and "max_tokens" in body:
            self.refuse("Unsupported parameter: 'max_tokens' is not supported with this model. Use "
                        "'max_completion_tokens' instead.", code="unsupported_parameter")
        if caps and (not isinstance(caps[0], int) or caps[0] < 1):
            self.refuse("max_tokens %r" % caps[0])
        self.cap = caps[0] if caps else None
        if self.cap is None:
            self.report_violation("no cap on the answer")

    # The schema.

    def checked_format(self, given):
        if given is None:
            return None
        kind = given.get("type")
        if kind in ("json_object", "text"):
            if set(given) - {"type", "schema"} or ("schema" in given and self.kind != "llamacpp"):
                self.report_violation("response_format %s" % sorted(given))
            return given.get("schema")
        inner = given.get("json_schema")
        if kind != "json_schema" or not isinstance(inner, dict):
            self.refuse("response_format of type %r" % kind)
        if set(inner) - {"name", "strict", "schema", "description"}:
            self.report_violation("unknown members of json_schema: %s" % sorted(inner))
        if not SCHEMA_NAME.fullmatch(inner.get("name", "")):
            self.refuse("the schema's name %r" % inner.get("name"))
        if self.stand_in.takes_no_schema:
            raise Refusal(400, "This response_format type is unavailable now")
        if inner.get("strict") is not True:
            self.report_violation("the schema is not strict")
        self.enum_values = 0
        self.check_strict(inner.get("schema"), "()", 1)
        return inner["schema"]

    def refuse_schema(self, where, what):
        self.refuse("Invalid schema for response_format: In context=%s, %s" % (where, what), param="response_format")

    def check_keywords(self, node, where):
        unknown = sorted(set(node) - STRICT)
        if unknown:
            self.refuse_schema(where, "'%s' is not permitted." % unknown[0])
        kinds = node.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else kinds
        if not kinds and not {"anyOf", "$ref", "const"} & set(node):
            self.refuse_schema(where, "schema must have a 'type' key.")
        if set(kinds) - JSON_TYPES or len(set(kinds)) != len(kinds):
            self.refuse_schema(where, "%r is not valid under any of the given schemas." % kinds)
        if node.get("format", "date") not in STRICT_FORMATS:
            self.refuse_schema(where, "'%s' is not a valid format." % node["format"])
        choices = node.get("enum")
        if choices is not None and ("null" in kinds) != (None in choices):
            self.refuse_schema(where, "enum value null does not validate against %r." % kinds)
        self.enum_values += len(choices or [])
        if self.enum_values > STRICT_ENUM_VALUES_MAX:
            self.refuse_schema(where, "too many enum values.")
        return kinds

    def check_strict(self, node, where, depth):
        if not isinstance(node, dict):
            self.refuse("Invalid schema at %s: no object" % where)
        if depth > STRICT_DEPTH_MAX:
            self.refuse_schema(where, "%d levels of nesting exceeds limit of %d." % (depth, STRICT_DEPTH_MAX))
        if "object" in self.check_keywords(node, where):
            properties = node.get("properties", {})
            if node.get("additionalProperties") is not False:
                self.refuse("Invalid schema for response_format: In context=%s, 'additionalProperties' "
                            "is required to be supplied and to be false." % where)
            if sorted(node.get("required", [])) != sorted(properties):
                self.refuse("Invalid schema for response_format: In context=%s, 'required' is required "
                            "to be supplied and to be an array including every key in properties."
                            % where)
        if node.keys() & {"propertyOrdering", "nullable"}:
            self.report_violation("a keyword of another API in the schema at %s" % where)
        for name, schema in node.get("properties", {}).items():
            self.check_strict(schema, "%s.%s" % (where, name), depth + 1)
        for name in ("items",):
            if name in node:
                self.check_strict(node[name], where + "[]", depth + 1)
        for schema in node.get("anyOf", []):
            self.check_strict(schema, where, depth)

    # Messages.

    def take_messages(self, messages):
        if not isinstance(messages, list) or not messages:
            self.refuse("[] is too short - 'messages'")
        for message in messages:
            if message.get("role") not in ROLES:
                self.refuse("role %r" % message.get("role"))
            content = message.get("content")
            if isinstance(content, str):
                self.take_text(content)
                continue
            if not isinstance(content, list) or not content:
                self.refuse("content of a message is %r" % type(content))
            self.take_parts(content, message["role"])
        if messages[-1].get("role") != "user":
            self.report_violation("the last message is not the user's")

    def take_text(self, text):
        if self.stand_in.key and self.stand_in.key in text:
            self.report_violation("the key is in the prompt")
        self.text += text

    def take_parts(self, parts, role):
        before = ""
        for part in parts:
            kind = part.get("type")
            if kind not in PARTS[self.kind] and not (
                    kind == "input_audio" and self.stand_in.hears):
                raise self.unknown_part(kind)
            if role != "user" and kind != "text":
                self.report_violation("%s in a message of the %s" % (kind, role))
            if set(part) != {"type", kind}:
                self.report_violation("a part %s of type %s" % (sorted(part), kind))
            value = part.get(kind)
            if kind == "text":
                self.take_text(value)
                before = value
            elif kind == "input_audio":
                self.take_sound(value)
            else:
                self.take_data(kind, value, before)
                before = ""
        if len(self.images) > FRAMES_MAX:
            self.report_violation("%d images" % len(self.images))

    def unknown_part(self, kind):
        """Not an error of the client: servers differ in the parts that they accept."""
        return Refusal(400, {
            "ollama": "invalid message format",
            "llamacpp": "unsupported content[].type",
            "vllm": "Unknown part type: %s" % kind,
        }.get(self.kind, "Invalid value: '%s'. Supported values are: 'text' and 'image_url'." % kind))

    def take_sound(self, value):
        if not isinstance(value, dict) or set(value) != {"data", "format"} or (
                value["format"] not in ("wav", "mp3")):
            self.refuse("input_audio without data, or of another format")
        blob = Blob.of(value["data"])
        if blob.prefix or blob.problem or blob.kind != value["format"]:
            self.refuse("input_audio: %s" % (blob.problem or blob.prefix or "a %s" % blob.kind))
        if blob.kind == "wav" and (blob.channels, blob.rate) != (1, 16000):
            self.report_violation("sound of %s channels at %s Hz" % (blob.channels, blob.rate))
        self.sounds.append(blob)

    def take_data(self, kind, value, before):
        url = value.get("url") if isinstance(value, dict) else None
        if url is None:
            self.refuse("%s without its url" % kind)
        blob = Blob.of(url)
        uri = DATA_URI.fullmatch(blob.prefix)
        if not uri or blob.problem:
            self.refuse("%s: %s" % (kind, blob.problem if uri else "no data URI in base64"))
        if KINDS_OF_TYPES.get(uri[1]) != blob.kind or blob.kind is None:
            self.refuse("%s: %s, but the bytes are %s" % (kind, uri[1], blob.kind))
        if kind == "image_url":
            self.take_image(blob, before)
        elif kind in ("video_url", "input_video"):
            if blob.kind != "mp4":
                self.refuse("%s of %s" % (kind, uri[1]))
            self.videos.append(blob)
        else:
            self.sounds.append(blob)

    def take_image(self, blob, before):
        if blob.kind != "jpeg":
            self.report_violation("an image that is no JPEG")
        elif max(blob.width or 0, blob.height or 0) > LONG_EDGE_MAX:
            self.report_violation("an image of %sx%s" % (blob.width, blob.height))
        if not FRAME_LABEL.search(before):
            self.report_violation("an image without its time before it: %r" % before[-30:])
        self.images.append(blob)
