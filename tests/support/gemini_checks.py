"""Validates generateContent requests: known members, their types and order, the accepted part of JSON Schema, the
options of a model family. Requests that no client may send are violations; requests that the API refuses are
refused as well."""

import re

from gemini_faults import Refusal, invalid, model_missing, unknown_name, unsupported_thinking
from model_media import Blob

BODY = {"contents", "systemInstruction", "safetySettings", "generationConfig", "store", "serviceTier",
        "tools", "toolConfig", "cachedContent", "model"}
CONTENT = {"role", "parts"}
PART = {"text", "inlineData", "fileData", "videoMetadata", "mediaResolution", "mediaProcessing"}
CONFIG = {"responseMimeType", "responseSchema", "responseJsonSchema", "maxOutputTokens",
          "mediaResolution", "thinkingConfig", "temperature", "topP", "topK", "seed", "candidateCount",
          "presencePenalty", "frequencyPenalty", "stopSequences"}
THINKING = {"thinkingLevel", "includeThoughts", "thinkingBudget"}
VIDEO_METADATA = {"fps", "startOffset", "endOffset"}
HARMS = {"HARM_CATEGORY_" + name for name in
         ("HARASSMENT", "HATE_SPEECH", "SEXUALLY_EXPLICIT", "DANGEROUS_CONTENT")}
THRESHOLDS = {"BLOCK_LOW_AND_ABOVE", "BLOCK_MEDIUM_AND_ABOVE", "BLOCK_ONLY_HIGH", "BLOCK_NONE", "OFF"}
RESOLUTIONS = {"MEDIA_RESOLUTION_LOW", "MEDIA_RESOLUTION_MEDIUM", "MEDIA_RESOLUTION_HIGH"}
VIDEO_TYPES = {"video/mp4", "video/mpeg", "video/quicktime", "video/mov", "video/avi", "video/x-flv",
               "video/mpg", "video/webm", "video/wmv", "video/3gpp"}
OFFSET = re.compile(r"\d+(\.\d+)?s")

JSON_SCHEMA = set("$id $defs $ref $anchor type format title description enum items prefixItems minItems "
                  "maxItems minimum maximum anyOf oneOf properties additionalProperties required "
                  "propertyOrdering".split())
OPEN_API_SCHEMA = set("type format title description nullable enum items minItems maxItems minLength "
                      "maxLength pattern properties required minProperties maxProperties minimum "
                      "maximum anyOf default example propertyOrdering".split())
OPEN_API_TYPES = {"STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"}
JSON_TYPES = {"string", "number", "integer", "boolean", "array", "object", "null"}

LEVELS_38 = ("low", "medium", "high")
LEVELS = ("minimal",) + LEVELS_38
# The existing models: {name: thinking levels, or None for a budget}.
MODELS = {
    "gemini-3.8-flash": LEVELS_38, "gemini-3.7-flash": LEVELS_38, "gemini-3.6-flash": LEVELS,
    "gemini-3.5-flash": LEVELS, "gemini-3.5-flash-lite": LEVELS, "gemini-3.1-pro-preview": LEVELS_38,
    "gemini-4-argon": LEVELS_38, "gemini-2.5-flash": None, "gemini-2.5-flash-lite": None,
    "gemini-2.5-pro": None,
}


def camel(name):
    """Both spellings of a member are accepted."""
    return re.sub("_([a-z])", lambda found: found[1].upper(), name)


def members(value, known, where, report_violation):
    """An object's members in camel case; unknown members are refused."""
    if not isinstance(value, dict):
        report_violation("%s is no object" % where)
        raise invalid("Invalid value at '%s'" % where)
    for name in value:
        if camel(name) not in known:
            report_violation("unknown member %r at %s" % (name, where))
            raise unknown_name(name, where)
    if len({camel(name) for name in value}) != len(value):
        report_violation("a member in both spellings at %s" % where)
    return {camel(name): inner for name, inner in value.items()}


class Request:
    """A validated generateContent request: `config`, `schema` (or None), `text` (all texts), `media` (Blob or
    None), `file` (its File, if it was uploaded), `fps`, `resolution`, `thinking`."""

    def __init__(self, stand_in, model, record):
        self.stand_in, self.model, self.record = stand_in, model, record
        self.report_violation = stand_in.report_violation
        if model not in stand_in.models:
            raise model_missing(model)
        self.text, self.media, self.file, self.fps = "", None, None, 1.0
        body = members(record.json, BODY, "request", self.report_violation)
        if body.get("tools"):
            self.report_violation("tools are offered")
        self.config = members(body.get("generationConfig", {}), CONFIG, "generation_config",
                              self.report_violation)
        self.resolution = self.config.get("mediaResolution")
        self.check_config()
        self.check_safety(body.get("safetySettings", []))
        if "store" in body and body["store"] is not False:
            self.report_violation("the request may be stored")
        if "systemInstruction" in body:
            self.take_parts(body["systemInstruction"], "system_instruction", with_media=False)
        self.check_contents(body.get("contents"))

    def family(self):
        return self.model.split("-")[1].split(".")[0]

    # Parts.

    def check_contents(self, contents):
        if not isinstance(contents, list) or not contents:
            self.report_violation("no contents")
            raise invalid("* GenerateContentRequest.contents: contents is not specified")
        if len(contents) != 1 or contents[0].get("role", "user") != "user":
            self.report_violation("contents are not one turn of the user")
        for content in contents:
            self.take_parts(content, "contents", with_media=True)

    def take_parts(self, content, where, with_media):
        parts = members(content, CONTENT, where, self.report_violation).get("parts")
        if not isinstance(parts, list) or not parts:
            self.report_violation("no parts in %s" % where)
            raise invalid("* GenerateContentRequest.%s.parts: must not be empty" % where)
        seen_text = False
        for part in parts:
            part = members(part, PART, where + ".parts", self.report_violation)
            kinds = [name for name in ("text", "inlineData", "fileData") if name in part]
            if len(kinds) != 1:
                self.report_violation("a part of %s with %s" % (where, kinds or "nothing"))
                raise invalid("* GenerateContentRequest.%s.parts.data: required oneof" % where)
            if "text" in part:
                seen_text = True
                self.text += self.checked_text(part["text"], where)
            elif not with_media or seen_text or self.media:
                self.report_violation("a video that is not the first part, or not the only one")
            if "text" not in part:
                self.take_media(part)

    def checked_text(self, text, where):
        if isinstance(text, Blob):
            self.report_violation("a text of over 64 KiB at %s" % where)
            return "x" * text.size
        if not isinstance(text, str):
            raise invalid("Invalid value at '%s'" % where)
        if self.stand_in.key in text:
            self.report_violation("the key is in the prompt")
        return text

    def take_media(self, part):
        video = part.get("videoMetadata")
        if video is not None:
            self.check_video(members(video, VIDEO_METADATA, "video_metadata", self.report_violation))
        if "mediaResolution" in part:
            level = members(part["mediaResolution"], {"level"}, "media_resolution",
                            self.report_violation).get("level")
            if level not in RESOLUTIONS or self.family() == "2":
                self.report_violation("media resolution %r of a part" % level)
                raise invalid("Invalid media resolution.")
            self.resolution = level
        if "fileData" in part:
            data = members(part["fileData"], {"mimeType", "fileUri"}, "file_data", self.report_violation)
            self.file, self.media = self.stand_in.used_file(data.get("fileUri", ""))
            if data.get("mimeType") != self.file["mimeType"]:
                self.report_violation("the file is %s, not %s" % (self.file["mimeType"], data.get("mimeType")))
            return
        data = members(part["inlineData"], {"mimeType", "data"}, "inline_data", self.report_violation)
        if data.get("mimeType") not in VIDEO_TYPES:
            self.report_violation("MIME type %r" % data.get("mimeType"))
            raise invalid("Unsupported MIME type: %s" % data.get("mimeType"))
        self.media = Blob.of(data.get("data", ""))
        if self.media.prefix or self.media.problem:
            self.report_violation("inline data: %s" % (self.media.problem or "a data URI"))
            raise invalid("Invalid value at 'inline_data.data' (TYPE_BYTES), Base64 decoding failed")
        if self.media.kind != "mp4":
            self.report_violation("the inline data is no mp4")

    def check_video(self, video):
        fps = video.get("fps", 1.0)
        if not isinstance(fps, (int, float)) or not 0 < fps <= 24:
            self.report_violation("%r frames per second" % fps)
            raise invalid("fps must be in (0, 24].")
        self.fps = fps
        for name in ("startOffset", "endOffset"):
            if name in video and not OFFSET.fullmatch(str(video[name])):
                self.report_violation("%s %r" % (name, video[name]))
                raise invalid("Invalid value at 'video_metadata.%s'" % name)

    # Configuration.

    def check_config(self):
        config = self.config
        for name in ("temperature", "topP", "topK"):
            if name in config and self.family() != "2":
                self.report_violation("%s is sent to %s" % (name, self.model))
        if self.resolution is not None and self.resolution not in RESOLUTIONS:
            self.report_violation("media resolution %r" % self.resolution)
            raise invalid("Invalid value at 'generation_config.media_resolution'")
        cap = config.get("maxOutputTokens", 65536)
        if not isinstance(cap, int) or not 0 < cap <= 65536:
            self.report_violation("maxOutputTokens %r" % cap)
            raise invalid("max_output_tokens must be in the range 1 to 65536.")
        self.check_thinking(config.get("thinkingConfig"))
        self.check_schema()

    def check_thinking(self, given):
        """Level and budget exclude each other; each family accepts one of them."""
        self.thinking = None
        if given is None:
            return
        thinking = members(given, THINKING, "thinking_config", self.report_violation)
        levels = self.stand_in.models[self.model]
        level, budget = thinking.get("thinkingLevel"), thinking.get("thinkingBudget")
        if level is not None and budget is not None or (level is not None and levels is None) or (
                budget is not None and levels is not None):
            self.report_violation("thinking level %r and budget %r for %s" % (level, budget, self.model))
            raise invalid("Thinking %s is not supported for this model." % (
                "level" if levels is None else "budget"))
        if level is not None and level.lower() not in levels:
            self.report_violation("thinking level %s for %s" % (level, self.model))
            raise unsupported_thinking()
        self.thinking = level.lower() if level is not None else budget

    def check_schema(self):
        config = self.config
        given = [name for name in ("responseSchema", "responseJsonSchema") if name in config]
        self.schema = config.get(given[0]) if given else None
        if len(given) == 2:
            self.report_violation("two schemas")
            raise invalid("Only one of response_schema and response_json_schema may be set.")
        if given and config.get("responseMimeType") != "application/json":
            self.report_violation("a schema for %r" % config.get("responseMimeType"))
            raise invalid("responseSchema is only supported with response MIME type application/json")
        if given:
            refuse_schema(self.schema, self.schema, given[0], self.report_violation)

    def check_safety(self, settings):
        for setting in settings:
            setting = members(setting, {"category", "threshold"}, "safety_settings", self.report_violation)
            if setting.get("category") not in HARMS or setting.get("threshold") not in THRESHOLDS:
                self.report_violation("a safety setting %s" % setting)
                raise invalid("Invalid value at 'safety_settings'")
        if len({setting.get("category") for setting in settings}) != len(settings):
            self.report_violation("a harm category twice")
            raise Refusal(400, "INVALID_ARGUMENT", "Duplicate safety settings.")


def refuse_schema(node, root, member, report_violation):
    """Raises an error for members that a schema may not have."""
    where = "generation_config." + re.sub("([A-Z])", lambda f: "_" + f[1].lower(), member)
    is_json = member == "responseJsonSchema"
    known = JSON_SCHEMA if is_json else OPEN_API_SCHEMA
    if not isinstance(node, dict):
        if isinstance(node, bool) and is_json:
            return
        report_violation("a schema that is no object: %r" % node)
        raise invalid("Invalid value at '%s'" % where)
    for key in node:
        if key not in known:
            report_violation("unknown keyword %r in the schema" % key)
            raise unknown_name(key, where)
    kinds = node.get("type", [])
    kinds = kinds if isinstance(kinds, list) and is_json else [kinds]
    types = JSON_TYPES if is_json else OPEN_API_TYPES
    wrong = [kind for kind in kinds if not isinstance(kind, str) or kind not in types]
    if "type" in node and wrong:
        report_violation("type %r in the schema" % wrong)
        raise invalid("Invalid value at '%s.type'" % where)
    for choice in node.get("enum", []):
        if not isinstance(choice, (str, int, float)) or isinstance(choice, bool):
            report_violation("enum value %r in the schema" % (choice,))
            raise invalid("Invalid value at '%s.enum'" % where)
    if "$ref" in node and any(not key.startswith("$") for key in node):
        report_violation("$ref among other keywords in the schema")
        raise invalid("A schema node with $ref may have no other keyword.")
    properties = node.get("properties", {})
    for key in list(node.get("required", [])) + list(node.get("propertyOrdering", [])):
        if key not in properties:
            report_violation("the schema names %r, which is no property" % key)
            raise invalid("%s.required: property is not defined: %s" % (where, key))
    inner = list(properties.values()) + list(node.get("$defs", {}).values())
    inner += node.get("anyOf", []) + node.get("oneOf", []) + node.get("prefixItems", [])
    inner += [node[key] for key in ("items", "additionalProperties") if key in node]
    for one in inner:
        refuse_schema(one, root, member, report_violation)
