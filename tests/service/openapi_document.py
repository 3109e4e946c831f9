"""docs/openapi.yaml as a checker of answers.

A `Document` knows the operations, and checks one answer of one operation: status, headers, content type and body.
It records what it has been shown, so that a test can list what is missing in the end.
"""

import copy
import gzip
import json
import pathlib
import re
import sys

import jsonschema
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "src/base"))

from api_schemas import to_json_schema  # noqa: E402

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
# Headers of HTTP itself and of every answer of the daemon; all other headers must be documented.
USUAL_HEADERS = {
    "date", "content-type", "content-length", "transfer-encoding", "connection", "keep-alive",
    # Restrictions for browsers, which one sentence under "Conventions" documents.
    "x-content-type-options", "referrer-policy", "x-frame-options", "content-security-policy",
    "cross-origin-resource-policy", "cross-origin-opener-policy", "permissions-policy",
}
DATE_TIME = re.compile(r"^\d{4}-(0\d|1[0-2])-([0-2]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$")
DATE = re.compile(r"^\d{4}-(0\d|1[0-2])-([0-2]\d|3[01])$")

FORMATS = jsonschema.FormatChecker(formats=())


@FORMATS.checks("date-time")
def is_date_time(value):
    return not isinstance(value, str) or bool(DATE_TIME.match(value))


@FORMATS.checks("date")
def is_date(value):
    return not isinstance(value, str) or bool(DATE.match(value))


@FORMATS.checks("int64")
def is_int64(value):
    return not isinstance(value, int) or -(2**63) <= value < 2**63


def schema_breaches(schema, value, what):
    """Violations of `schema`, whose references are resolved, by `value`."""
    validator = jsonschema.Draft7Validator(to_json_schema(schema, {}), format_checker=FORMATS)
    return [f"{what}{''.join(f'[{step!r}]' for step in breach.absolute_path)}: {breach.message}"
            for breach in validator.iter_errors(value)]


def essence(content_type):
    """"text/plain" of "text/plain; charset=utf-8"."""
    return (content_type or "").split(";")[0].strip().lower()


class Operation:
    """One method of one path, with its parameters and responses. Every reference is resolved."""

    def __init__(self, method, path, described, shared_parameters, default_security):
        self.method = method.upper()
        self.path = path
        self.parameters = shared_parameters + described.get("parameters", [])
        self.responses = described["responses"]
        self.request_body = described.get("requestBody")
        self.needs_token = bool(described.get("security", default_security))

    def parameters_in(self, place):
        return [one for one in self.parameters if one["in"] == place]

    def __str__(self):
        return f"{self.method} {self.path}"


class Document:
    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.text = self.path.read_bytes()
        source = yaml.safe_load(self.text)
        self.referenced = set()
        self._source = source
        whole = self._resolved(source)
        self.outside_operations = whole["x-answers-outside-operations"]
        self.components = source["components"]
        self.description = source["info"]["description"]
        self.operations = {}
        for path_name, item in whole["paths"].items():
            for method in METHODS:
                if method in item:
                    operation = Operation(method, path_name, item[method], item.get("parameters", []),
                                          whole.get("security", []))
                    self.operations[str(operation)] = operation
        self.seen_statuses = set()
        self.seen_bodies = {}

    def _resolved(self, node):
        if isinstance(node, list):
            return [self._resolved(one) for one in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            self.referenced.add(node["$ref"])
            target = self._source
            for step in node["$ref"].removeprefix("#/").split("/"):
                target = target[step]
            return self._resolved(copy.deepcopy(target))
        return {name: self._resolved(value) for name, value in node.items()}

    def methods_of(self, path):
        """The methods of a path, as `Allow` lists them."""
        methods = {one.method for one in self.operations.values() if one.path == path}
        return methods | ({"HEAD"} if "GET" in methods else set())

    # Checks of one answer

    def breaches(self, operation, answer, is_head=False):
        """Violations of the document by an answer of the operation. Records the answer."""
        status = str(answer.status)
        response = operation.responses.get(status)
        if response is None:
            return [f"{operation}: {status} is not documented: {answer!r}"]
        self.seen_statuses.add((str(operation), status))
        return self.response_breaches(f"{operation} {status}", response, answer, is_head)

    def response_breaches(self, what, response, answer, is_head=False):
        """The same for a documented response, whichever operation it belongs to."""
        found = self._header_breaches(what, response.get("headers", {}), answer)
        contents = response.get("content", {})
        if not contents:
            return found + ([f"{what}: has a body: {answer!r}"] if answer.body else [])
        kind = essence(answer.headers["Content-Type"])
        if kind not in contents:
            return [*found, f"{what}: {kind or 'no content type'} is not documented"]
        if is_head:
            return found + ([f"{what}: HEAD has a body"] if answer.body else [])
        return found + self._body_breaches(what, contents[kind], kind, answer)

    def _header_breaches(self, what, headers, answer):
        documented = {name.lower() for name in headers} | USUAL_HEADERS
        found = [f"{what}: the header {name} is not documented"
                 for name in answer.headers.keys() if name.lower() not in documented]
        for name, header in headers.items():
            values = answer.headers.get_all(name, [])
            if len(values) > 1:
                found.append(f"{what}: {name} is given {len(values)} times")
            if not values:
                if header.get("required"):
                    found.append(f"{what}: {name} is missing")
                continue
            value = values[0]
            if header["schema"]["type"] == "integer":
                if not re.fullmatch(r"0|[1-9]\d*", value):
                    found.append(f"{what}: {name}: {value!r} is not a whole number")
                    continue
                value = int(value)
            found += schema_breaches(header["schema"], value, f"{what}: {name}")
        return found

    def _body_breaches(self, what, content, kind, answer):
        if kind != "application/json":
            # As bytes, each of which counts as one character.
            is_binary = content["schema"].get("format") == "binary"
            is_packed = answer.headers["Content-Encoding"] == "gzip"
            body = gzip.decompress(answer.body) if is_packed else answer.body
            text = body.decode("latin-1" if is_binary else "utf-8")
            return schema_breaches(content["schema"], text, f"{what}: body")
        try:
            body = answer.json()
        except ValueError as why:
            return [f"{what}: the body is not JSON: {why}"]
        self.seen_bodies.setdefault(what, []).append((body, answer.headers.get("X-Error-Code")))
        return schema_breaches(content["schema"], body, f"{what}: body")

    # Checks of all answers

    def statuses_not_seen(self):
        documented = {(str(operation), status) for operation in self.operations.values()
                  for status in operation.responses}
        return sorted(documented - self.seen_statuses)

    def error_examples_not_seen(self):
        """Documented error texts that no answer had with their code, as "GET /path 400: text"."""
        missing = []
        for operation in self.operations.values():
            for status, response in operation.responses.items():
                content = response.get("content", {}).get("application/json", {})
                seen = self.seen_bodies.get(f"{operation} {status}", [])
                examples = [*content.get("examples", {}).values()]
                if "example" in content:
                    examples.append({"x-error-code": content.get("x-error-code"), "value": content["example"]})
                for example in examples:
                    code = example.get("x-error-code")
                    if status >= "400" and (example["value"], code) not in seen:
                        text = json.dumps(example["value"])
                        codes = {seen_code for body, seen_code in seen if body == example["value"]}
                        missing.append(f"{operation} {status}: {text}" + (f" with {code}, but with {codes}" if codes else ""))
        return missing

    def components_not_used(self):
        """Components without a reference; security schemes are named, not referred to."""
        return [f"#/components/{kind}/{name}" for kind, all_of_kind in self.components.items()
                for name in all_of_kind
                if kind != "securitySchemes" and f"#/components/{kind}/{name}" not in self.referenced]
