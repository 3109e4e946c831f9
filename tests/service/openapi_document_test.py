#!/usr/bin/env python3
"""Tests the checker of answers with a small document: it detects each violation, and accepts correct answers."""

import email.message
import json
import os
import pathlib
import re
import tempfile
import unittest

import yaml

from openapi_document import Document
from service_support import Answer

ROOT = pathlib.Path(__file__).resolve().parents[2]

DOCUMENT = """
openapi: 3.0.3
info: {description: A document}
security: [{token: []}]
paths:
  /things/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: integer}}
    get:
      responses:
        '200':
          headers:
            X-Count: {required: true, schema: {type: integer, minimum: 1}}
            Link: {schema: {type: string, pattern: '^<'}}
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Thing'}
            image/jpeg:
              schema: {type: string, format: binary, maxLength: 4}
        '204': {description: nothing}
        '400':
          content:
            application/json:
              schema: {type: object}
              examples:
                one: {value: {message: one}}
                two: {value: {message: two}}
x-answers-outside-operations: {}
components:
  schemas:
    Thing:
      type: object
      additionalProperties: false
      required: [name]
      properties:
        name: {type: string, nullable: true, example: a}
        kind: {type: string, enum: [big], nullable: true}
        made_at: {type: string, format: date-time}
    Forgotten: {type: string}
"""


def answer(status=200, body='{"name": "a"}', kind="application/json", **headers):
    message = email.message.Message()
    if kind:
        message["Content-Type"] = kind
    for name, value in {"X_Count": "1", **headers}.items():
        for one in value if isinstance(value, list) else [value]:
            if one is not None:
                message[name.replace("_", "-")] = one
    return Answer(status, message, body if isinstance(body, bytes) else body.encode())


class DocumentTest(unittest.TestCase):
    def setUp(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml", delete=False) as file:
            file.write(DOCUMENT)
        self.addCleanup(os.unlink, file.name)
        self.document = Document(file.name)
        self.operation = self.document.operations["GET /things/{id}"]

    def test_valid_responses(self):
        for right in (answer(), answer(body='{"name": null, "kind": null}'), answer(Link="<x>"),
                    answer(body='{"name": "a", "made_at": "2026-05-22T10:00:00Z"}'),
                    answer(kind="application/json; charset=utf-8"), answer(Date="now"),
                    answer(body=b"\xff\xd8\xff\xe0", kind="image/jpeg"),
                    answer(204, "", None, X_Count=None)):
            self.assertEqual(self.document.breaches(self.operation, right), [], right)

    def test_invalid_responses(self):
        cases = [
            ("404 is not documented", answer(404)),
            ("text/plain is not documented", answer(kind="text/plain")),
            ("no content type", answer(kind=None)),
            ("X-Count is missing", answer(X_Count=None)),
            ("is not a whole number", answer(X_Count="1.5")),
            ("is not a whole number", answer(X_Count="01")),
            ("minimum", answer(X_Count="0")),
            ("X-Count is given 2 times", answer(X_Count=["1", "1"])),
            ("does not match", answer(Link="x")),
            ("header X-Other is not documented", answer(X_Other="1")),
            ("is not JSON", answer(body="{")),
            ("is a required property", answer(body="{}")),
            ("Additional properties", answer(body='{"name": "a", "b": 1}')),
            ("is not of type", answer(body='{"name": 1}')),
            ("is not one of", answer(body='{"name": "a", "kind": "small"}')),
            ("is not a 'date-time'", answer(body='{"name": "a", "made_at": "2026-05-22T10:00:00+00:00"}')),
            ("is not a 'date-time'", answer(body='{"name": "a", "made_at": "2026-05-22 10:00:00Z"}')),
            ("is too long", answer(body=b"\xff\xd8\xff\xe0\x00", kind="image/jpeg")),
            ("has a body", answer(204, "x", None, X_Count=None)),
        ]
        for fault, one in cases:
            with self.subTest(fault):
                found = self.document.breaches(self.operation, one)
                self.assertEqual(len(found), 1, found)
                self.assertIn(fault, found[0])

    def test_unseen_statuses_are_reported(self):
        self.assertEqual([status for _, status in self.document.statuses_not_seen()],
                         ["200", "204", "400"])
        self.document.breaches(self.operation, answer())
        self.document.breaches(self.operation, answer(400, json.dumps({"message": "two"}), X_Count=None))
        self.assertEqual([status for _, status in self.document.statuses_not_seen()], ["204"])
        self.assertEqual(self.document.error_examples_not_seen(),
                         ['GET /things/{id} 400: {"message": "one"}'])

    def test_unused_components(self):
        self.assertEqual(self.document.components_not_used(), ["#/components/schemas/Forgotten"])

    def test_operations(self):
        self.assertTrue(self.operation.needs_token)
        self.assertEqual(self.document.methods_of("/things/{id}"), {"GET", "HEAD"})


def nodes_in(value):
    yield value
    for child in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from nodes_in(child)


def guide(description, title):
    """The text of a guide or of one of its parts, up to the next heading of the same or a higher level."""
    heading = re.search(rf"^(#+) {re.escape(title)}$", description, re.MULTILINE)
    rest = description[heading.end():]
    following = re.search(rf"^#{{1,{len(heading[1])}}} ", rest, re.MULTILINE)
    return rest[:following.start()] if following else rest


def rows(text):
    """The cells of each row of the tables in a guide, without their heads."""
    table = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in text.splitlines() if line.startswith("|")]
    return [cells for cells in table[1:] if not cells[0].startswith("---")]


class PublishedDocument(unittest.TestCase):
    """docs/openapi.yaml avoids constructs that common tools read differently from the specification."""

    @classmethod
    def setUpClass(cls):
        path = ROOT / "docs/openapi.yaml"
        cls.document = yaml.safe_load(path.read_text(encoding="utf-8"))

    def test_no_pattern_begins_with_a_slash(self):
        """A contract tester removes the anchor, takes the slash as a delimiter and rejects the document."""
        patterns = [node["pattern"] for node in nodes_in(self.document)
                    if isinstance(node, dict) and isinstance(node.get("pattern"), str)]
        self.assertGreater(len(patterns), 5)
        self.assertEqual([pattern for pattern in patterns if pattern.startswith("^/")], [])

    def test_submissions_have_no_defaults(self):
        """Generators of TypeScript treat a member with a default as one that is always present."""
        schemas = self.document["components"]["schemas"]
        submissions = {name: schema for name, schema in schemas.items() if "Submission" in name}
        self.assertGreater(len(submissions), 1)
        for name, schema in submissions.items():
            with self.subTest(name):
                self.assertFalse(any(isinstance(node, dict) and "default" in node for node in nodes_in(schema)))


    def test_no_enum_has_only_null(self):
        """Generators of TypeScript write an empty enum for it, which does not compile."""
        enums = [node["enum"] for node in nodes_in(self.document)
                 if isinstance(node, dict) and isinstance(node.get("enum"), list)]
        self.assertGreater(len(enums), 10)
        self.assertEqual([values for values in enums if set(values) == {None}], [])

    def test_parameters_and_schemas_have_different_names(self):
        """A generator of TypeScript exports each under its name."""
        components = self.document["components"]
        self.assertEqual(set(components["parameters"]) & set(components["schemas"]), set())

    def test_every_example_has_a_title(self):
        """Viewers show the key of an example without a summary."""
        groups = [node["examples"] for node in nodes_in(self.document)
                  if isinstance(node, dict) and isinstance(node.get("examples"), dict)]
        self.assertGreater(len(groups), 50)
        untitled = [key for group in groups for key, example in group.items() if not {"$ref", "summary"} & set(example)]
        self.assertEqual(untitled, [])


    def test_every_field_and_parameter_has_an_example(self):
        """The reference shows it next to the name."""
        def is_simple(schema):
            return schema.get("type") in ("string", "integer", "number", "boolean") and schema.get("maxLength") != 0

        fields = [(name, member) for schema in self.document["components"]["schemas"].values()
                  for name, member in schema.get("properties", {}).items()
                  if is_simple(member) and member.get("format") != "binary"]
        self.assertGreater(len(fields), 100)
        self.assertEqual([(name, member) for name, member in fields if "example" not in member], [])
        parameters = [node for node in nodes_in(self.document) if isinstance(node, dict) and "in" in node and "schema" in node]
        self.assertGreater(len(parameters), 20)
        def schema_of(node):
            name = node["schema"].get("$ref", "").rpartition("/")[2]
            return self.document["components"]["schemas"].get(name, node["schema"])

        # Viewers show both, so a second one would be a repetition.
        counts = [(node["name"], ("example" in node) + ("example" in schema_of(node)), "examples" in node) for node in parameters]
        self.assertEqual([count for count in counts if count[1] > 1 or not any(count[1:])], [])

    def test_examples_of_optional_parameters_are_in_no_sample(self):
        """A sample with all of them would be an unusual request."""
        marked = [node for node in nodes_in(self.document)
                  if isinstance(node, dict) and "in" in node and isinstance(node.get("examples"), dict) and not node.get("required")]
        self.assertGreater(len(marked), 10)
        for node in marked:
            with self.subTest(node["name"]):
                self.assertTrue(all(example.get("x-disabled") for example in node["examples"].values()))


class Guides(unittest.TestCase):
    """The guides of docs/openapi.yaml agree with its schemas and with the code."""

    @classmethod
    def setUpClass(cls):
        document = yaml.safe_load((ROOT / "docs/openapi.yaml").read_text(encoding="utf-8"))
        cls.description = document["info"]["description"]
        cls.schemas = document["components"]["schemas"]
        cls.document = document

    def test_the_codes_of_refused_requests(self):
        text = (ROOT / "include/reelsd/base/error_reason.hpp").read_text(encoding="utf-8")
        listed = re.sub(r"//.*", "", text.split("std::uint8_t,")[1].split(")")[0])
        codes = re.findall(r"\w+", listed)
        table = rows(guide(self.description, "Codes of failed requests"))
        listed = [cells[0].strip("`") for cells in table]
        self.assertEqual(self.document["components"]["headers"]["X-Error-Code"]["schema"]["enum"], listed)
        self.assertEqual([code for code in listed if code in codes], codes)
        # The others are names of statuses.
        of_statuses = {cells[1] for cells in table if cells[0].strip("`") not in codes}
        self.assertEqual(of_statuses | {"400", "401", "429"},
                         {cells[0] for cells in rows(guide(self.description, "Statuses of failed requests"))} | {"409"})
        statuses = [cells[1] for cells in table]
        self.assertEqual(statuses, sorted(statuses))
        self.assertTrue(all(cause and remedy for _, _, cause, remedy in table))

    def members(self, schema):
        """The names of the members of an object, and below each, those of its objects: `a`, `a[].b`, `c.d`."""
        for name, member in schema["properties"].items():
            yield name
            is_list = member.get("type") == "array"
            reference = member.get("items", {}).get("$ref") if is_list else None
            inner = self.schemas[reference.rsplit("/", 1)[1]] if reference else member
            yield from (f"{name}{'[]' if is_list else ''}.{one}" for one in inner.get("properties", {}))

    def test_the_result_has_every_field(self):
        text = guide(self.description, "The result, field by field")
        for section, reference in self.schemas["Result"]["properties"].items():
            with self.subTest(section):
                schema = self.schemas[reference["$ref"].rsplit("/", 1)[1]]
                part = guide(text, section)
                fields = [field.strip("`") for cells in rows(part) for field in cells[0].split(", ")]
                self.assertEqual(fields, list(self.members(schema)))
                self.assertTrue(all(kind and meaning for _, kind, meaning in rows(part)))
                example = json.loads("{" + re.search(r"```json\n(.*?)```", part, re.DOTALL)[1] + "}")[section]
                self.assertEqual(list(example), list(schema["properties"]))

    def test_errors_have_every_code_of_failed_reels(self):
        header = (ROOT / "include/reelsd/domain/jobs/job.hpp").read_text(encoding="utf-8")
        codes = re.findall(r"\w+", re.search(r"\bjob_error_code, std::uint8_t, (.*?)\)", header, re.DOTALL)[1])
        texts = (ROOT / "src/domain/jobs/failure_text.cpp").read_text(encoding="utf-8")
        table = rows(guide(self.description, "Codes of failed reels"))
        self.assertEqual([cells[0].strip("`") for cells in table], codes)
        self.assertEqual(self.schemas["JobErrorCode"]["enum"], codes)
        for code, start, cause, remedy in table:
            with self.subTest(code):
                self.assertIn(start.strip("`").split(" 90 ")[0], texts)
                self.assertTrue(cause and remedy)

    def test_errors_have_every_status(self):
        answers = [answer for item in self.document["paths"].values() for method, operation in item.items()
                   if method != "parameters" for answer in operation["responses"]]
        outside = {"405", "409", "415", "421", "505"}  # Of no operation.
        table = rows(guide(self.description, "Statuses of failed requests"))
        self.assertEqual([cells[0] for cells in table], sorted({answer for answer in answers if answer >= "400"} | outside))
        self.assertTrue(all(cause and remedy for _, cause, remedy in table))

    def test_the_signature_is_verified_as_in_the_example_programs(self):
        text = guide(self.description, "Verify the signature")
        for language, name in (("python", "reels.py"), ("javascript", "reels.mjs")):
            with self.subTest(language):
                sample = re.search(rf"```{language}\n(.*?)```", text, re.DOTALL)[1]
                program = (ROOT / "docs/guide/examples" / name).read_text(encoding="utf-8")
                self.assertIn(sample.split("\n\n", 1)[1], program)

    def test_links_lead_to_guides(self):
        slugs = {re.sub(r"[^a-z0-9_]+", "-", title.lower()).strip("-")
                 for title in re.findall(r"^#+ (.*)$", self.description, re.MULTILINE)}
        links = re.findall(r"\(#description/([^)]*)\)", yaml.safe_dump(self.document, width=1 << 20))
        self.assertGreater(len(links), 5)
        self.assertEqual(set(links) - slugs, set())


if __name__ == "__main__":
    unittest.main(verbosity=2)
