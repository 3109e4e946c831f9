#!/usr/bin/env python3
"""Tests the checker of answers with a small document: it detects each violation, and accepts correct answers."""

import email.message
import json
import os
import pathlib
import tempfile
import unittest

import yaml

from openapi_document import Document
from service_support import Answer

DOCUMENT = """
openapi: 3.0.3
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


class PublishedDocument(unittest.TestCase):
    """docs/openapi.yaml avoids constructs that common tools read differently from the specification."""

    @classmethod
    def setUpClass(cls):
        path = pathlib.Path(__file__).resolve().parents[2] / "docs/openapi.yaml"
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


if __name__ == "__main__":
    unittest.main(verbosity=2)
