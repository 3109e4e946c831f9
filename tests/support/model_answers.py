"""The text of a model's answer: generated from the schema in the request, for any schema, and damaged in the ways
in which models damage it."""

import json
import math

MINUTES_AND_SECONDS = "MM:SS"
LOOP_BYTES = 60000


def tokens_of(text):
    """About four characters each."""
    return math.ceil(len(text) / 4)


# Good answers.


def answer_for(schema):
    """A value that a schema allows: JSON Schema, or the OpenAPI-like one with upper-case types."""
    return made_for(schema, schema, "")


def made_for(schema, root, name):
    schema = resolved(schema, root)
    for key in ("anyOf", "oneOf"):
        if schema.get(key):
            return made_for(first_that_is_something(schema[key]), root, name)
    for key in ("const", "default"):
        if key in schema:
            return schema[key]
    if schema.get("enum"):
        return schema["enum"][0]
    makers = {"object": made_object, "array": made_array}
    kind = kind_of(schema)
    if kind in makers:
        return makers[kind](schema, root, name)
    number = schema.get("minimum", 1)
    return {"integer": math.ceil(number), "number": number, "boolean": True, "null": None}.get(
        kind, made_text(schema, name))


def resolved(schema, root):
    while isinstance(schema, dict) and "$ref" in schema:
        path = [part for part in schema["$ref"].lstrip("#").split("/") if part]
        schema = root
        for part in path:
            schema = schema[part.replace("~1", "/").replace("~0", "~")]
    return schema if isinstance(schema, dict) else {}


def kind_of(schema):
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((one for one in kind if one.lower() != "null"), "null")
    if kind is None:
        kind = "object" if "properties" in schema else "array" if "items" in schema else "string"
    return kind.lower()


def first_that_is_something(schemas):
    return next((one for one in schemas if one.get("type") not in ("null", "NULL")), schemas[0])


def made_object(schema, root, _):
    properties = schema.get("properties", {})
    order = schema.get("propertyOrdering") or list(properties)
    return {key: made_for(properties[key], root, key) for key in order}


def made_array(schema, root, name):
    if schema.get("prefixItems"):
        return [made_for(one, root, name) for one in schema["prefixItems"]]
    count = max(1, int(schema.get("minItems", 1)))
    return [made_for(schema.get("items", {}), root, name) for _ in range(count)]


def made_text(schema, name):
    text = "a " + (name.replace("_", " ") or "text")
    if MINUTES_AND_SECONDS in schema.get("description", "") or name in ("start", "end", "time"):
        text = "00:00"
    elif "language" in name:
        text = "en"
    text = text.ljust(int(schema.get("minLength", 0)), ".")
    return text[:int(schema["maxLength"])] if "maxLength" in schema else text


# Damaged texts. Each function gets the good answer's value and text, and the options of the fault.


def changed(value, change):
    """A copy in which `change(key, member)` replaced each member of each object."""
    if isinstance(value, dict):
        return {key: change(key, changed(inner, change)) for key, inner in value.items()}
    if isinstance(value, list):
        return [changed(inner, change) for inner in value]
    return value


def with_late_times(value, text, at="99:59"):
    del text
    return json.dumps(changed(
        value, lambda key, member: at if key in ("start", "end", "time") else member))


def with_wrong_types(value, text):
    """Numbers instead of texts, and texts instead of booleans and lists."""
    del text

    def wrong(_, member):
        if isinstance(member, bool):
            return "maybe"
        if isinstance(member, str):
            return 17
        return "not a list" if isinstance(member, list) else member
    return json.dumps(changed(value, wrong))


def with_extra_keys(value, text):
    del text

    def extra(_, member):
        return {**member, "invented": {"by": "the model"}} if isinstance(member, dict) else member
    return json.dumps({**changed(value, extra), "url": "https://evil.test/", "status": "done"})


def without_keys(value, text):
    """Only the first member of each object, except the outermost."""
    del text
    return json.dumps(changed(
        value, lambda _, member: dict(list(member.items())[:1]) if isinstance(member, dict) else member))


def with_loop(value, text, unit="again and "):
    """A repetition loop in the first text."""
    del text
    done = []

    def loop(key, member):
        if isinstance(member, str) and not done and key not in ("start", "end", "time"):
            done.append(key)
            return unit * (LOOP_BYTES // len(unit))
        return member
    return json.dumps(changed(value, loop))


def with_twins(_, text):
    """Each key of the outermost object twice."""
    inside = text.strip()[1:-1]
    return "{%s, %s}" % (inside, inside)


SPOILED = {
    "cut": lambda value, text, at=None: text[:at or len(text) // 2],
    "fenced": lambda value, text: "```json\n%s\n```" % text,
    "prose": lambda value, text: "Sure! Here is the analysis:\n%s\nLet me know if {you} like it."
                                 % text,
    "bom": lambda value, text: "\ufeff" + text,
    "duplicate_keys": with_twins,
    "loop": with_loop,
    "late_times": with_late_times,
    "extra_keys": with_extra_keys,
    "wrong_types": with_wrong_types,
    "missing_keys": without_keys,
    "newlines": lambda value, text: text.replace("{", "{" + "\n" * 20000, 1),
    "huge": lambda value, text, size=2 << 20: json.dumps({"visual": "x" * size}),
    "deep": lambda value, text, depth=5000: "[" * depth + "]" * depth,
    "not_json": lambda value, text: "I cannot watch videos, but it seems to be nice.",
    "empty_object": lambda value, text: "{}",
    "empty_text": lambda value, text: "",
    # The answer that a test defines: a raw text, or a value.
    "says": lambda value, text, text_said: text_said,
    "answers": lambda value, text, answer: json.dumps(answer, ensure_ascii=False),
}


def spoiled(name, value, options):
    text = json.dumps(value, ensure_ascii=False)
    return SPOILED[name](value, text, **options)
