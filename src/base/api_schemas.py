#!/usr/bin/env python3
"""Compiles schemas of docs/openapi.yaml into the programs.

    api_schemas.py docs/openapi.yaml api_schemas.cpp Job JobItem ...

writes the definition of reelsd::api_schemas(). The schemas are written as JSON Schema: references are replaced by
what they refer to, and `nullable` by a list of types.
"""

import json
import pathlib
import sys

import yaml

CODE = """// Generated from docs/openapi.yaml by src/base/api_schemas.py.
#include <reelsd/base/json_schema.hpp>

namespace reelsd {{

const json& api_schemas() {{
    static const auto schemas = json::parse(R"json({schemas})json");
    return schemas;
}}

}}  // namespace reelsd
"""


def to_json_schema(schema, document):
    """A schema of OpenAPI 3.0 as JSON Schema. `document` resolves its references."""
    if isinstance(schema, list):
        return [to_json_schema(item, document) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        target = document
        for step in schema["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        return to_json_schema(target, document)
    converted = {name: to_json_schema(value, document) for name, value in schema.items() if name != "example"}
    if converted.pop("nullable", False) is True:
        converted["type"] = [converted["type"], "null"]
        if "enum" in converted:
            converted["enum"] = [*converted["enum"], None]
    return converted


def main(source, output, *names):
    document = yaml.safe_load(pathlib.Path(source).read_text(encoding="utf-8"))
    components = document["components"]["schemas"]
    schemas = {name: to_json_schema(components[name], document) for name in names}
    text = json.dumps(schemas, ensure_ascii=False, separators=(",", ":"))
    pathlib.Path(output).write_text(CODE.format(schemas=text), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
