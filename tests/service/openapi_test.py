"""Tests that the daemon and docs/openapi.yaml agree.

Method: real daemons are driven through every operation into every documented answer. Each answer is checked
against the document: status, headers, content type, body. In the end each documented answer must have been seen,
including each error text that the document quotes. Limits of parameters are read from the document and tested at
the limit and one above it.
"""

import concurrent.futures
import contextlib
import gzip
import http.client
import io
import itertools
import json
import os
import pathlib
import re
import socket
import subprocess
import unittest
import urllib.parse

from openapi_document import Document, schema_breaches
from openai_stand_in import OpenAiStandIn
from service_support import SAMPLE, Answer, Cluster, Daemon, ServiceTest, wait_until
from webhook_receiver import WebhookReceiver

DOCUMENT = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "openapi.yaml")
ANALYZE = "POST /api/v1/reels/analyze"
LIST = "GET /api/v1/reels"
SEARCH = "GET /api/v1/reels/search"
USAGE = "GET /api/v1/reels/usage"
BUDGET = "GET /api/v1/reels/usage/budget"
USAGE_DAYS = "GET /api/v1/reels/usage/days"
USAGE_CSV = "GET /api/v1/reels/usage/days.csv"
READ = "GET /api/v1/reels/{id}"
DELETE = "DELETE /api/v1/reels/{id}"
DELETE_FAILED = "DELETE /api/v1/reels"
EVENTS = "GET /api/v1/reels/{id}/events"
THUMBNAIL = "GET /api/v1/reels/{id}/thumbnail"
FRAME = "GET /api/v1/reels/{id}/frames/{n}"
VIDEO = "GET /api/v1/reels/{id}/video"
SUBRIP = "GET /api/v1/reels/{id}/subtitles.srt"
REEL_USAGE = "GET /api/v1/reels/{id}/usage"
WEBVTT = "GET /api/v1/reels/{id}/subtitles.vtt"
EXPORT = "GET /api/v1/export"
READY = "GET /readyz"
ASK = "POST /api/v1/reels/ask"
ASK_REEL = "POST /api/v1/reels/{id}/ask"
SEARCHES = "GET /api/v1/searches"
SAVE_SEARCH = "POST /api/v1/searches"
REMOVE_SEARCH = "DELETE /api/v1/searches/{id}"
TAGS = "GET /api/v1/reels/tags"
CHANGE_TAGS = "POST /api/v1/reels/tags"
REEL_TAGS = "GET /api/v1/reels/{id}/tags"
SET_TAGS = "PUT /api/v1/reels/{id}/tags"
WEBHOOK = "GET /api/v1/webhook"
SET_WEBHOOK = "PUT /api/v1/webhook"
ROTATE = "POST /api/v1/webhook/rotate"
TEST_WEBHOOK = "POST /api/v1/webhook/test"
DELIVERIES = "GET /api/v1/webhook/deliveries"
REDELIVER = "POST /api/v1/webhook/deliveries/{id}/redeliver"
LINK = "https://www.instagram.com/reel/DYa0IXPgnP5/"
SAMPLE_SECONDS_MAX = 180  # Two analyses on a busy machine.
UNKNOWN_ID = 10**15
# Parts of the viewer's page, which are not operations of the API. The names of its other scripts change with each
# release of the viewer.
VIEWER_PARTS = {"/docs/", "/docs/shared.css", "/docs/first_screen.css", "/docs/guides.css", "/docs/viewer.css", "/docs/viewer.js",
                "/docs/scalar/standalone.esm.js", "/docs/scalar/LICENSE.txt", "/docs/operation.html", "/docs/guides.js", "/docs/languages.js",
                "/docs/ranking.js", "/docs/responses.js", "/docs/samples.json", "/docs/search.js", "/docs/sections.js"}
# All guides are served, and the viewer knows each.
VIEWER_GUIDES = pathlib.Path(__file__).resolve().parents[2] / "src/api/documents/viewer/guides.js"
VIEWER_PARTS |= {f"/docs/{name}" for name in re.findall(r"'([\w/-]+\.md)'", VIEWER_GUIDES.read_text(encoding="utf-8"))}
VIEWER_CHUNKS = "/docs/scalar/chunks/"

# All other paths belong to the dashboard: pages and their API.
DOCUMENTED = ("/api/", "/docs", "/healthz", "/readyz", "/metrics")


def parsed(received):
    """The only answer in the bytes of a raw connection."""
    class Received:
        def makefile(self, _mode):
            return io.BytesIO(received)

    answer = http.client.HTTPResponse(Received())
    answer.begin()
    return Answer(answer.status, answer.headers, answer.read())


def target_of(operation, job_id=UNKNOWN_ID, query=None):
    target = operation.path.replace("{id}", str(job_id)).replace("{n}", "0")
    if operation.path.endswith("/search"):
        query = {"q": "coffee", **(query or {})}
    if str(operation) == DELETE_FAILED:
        query = {"status": "error", **(query or {})}
    return target + ("?" + urllib.parse.urlencode(query) if query else "")


def body_of(operation):
    if operation.path.endswith("/ask"):
        return {"question": "What is said?"}
    if operation.path.endswith("/tags"):
        return {"tags": ["pasta"], "ids": [UNKNOWN_ID]} if operation.request_body else None
    if operation.path.endswith("/searches"):
        return {"query": "fresh pasta"}
    if operation.path.endswith("/webhook/test"):
        return {}
    return {"url": LINK} if operation.request_body else None


def half_a_request(operation):
    """A request whose header never ends."""
    return f"{operation.method} {target_of(operation)} HTTP/1.1\r\nHost: a\r\nX-Slow: ".encode()


class DocumentedClient:
    """An account's requests to a daemon. Each answer is checked against the document."""

    def __init__(self, test, document, daemon, token=None):
        self.test = test
        self.document = document
        self.daemon = daemon
        self.token = token

    def ask(self, name, job_id=UNKNOWN_ID, query=None, body=None, headers=None, expect=None):
        """Sends one request of the operation `name` ("GET /healthz")."""
        operation = self.document.operations[name]
        body = body if body is not None else body_of(operation)
        answer = self.daemon.request(operation.method, target_of(operation, job_id, query), body,
                                     headers, token=self.token)
        return self.check(operation, answer, expect)

    def ask_raw(self, name, data, expect):
        """The same with a body of raw bytes."""
        return self.check(self.document.operations[name], parsed(self.daemon.raw(data)), expect)

    def check(self, operation, answer, expect=None):
        self.test.assertEqual(self.document.breaches(operation, answer), [])
        if expect is not None:
            self.test.assertEqual(answer.status, expect, f"{operation}: {answer!r}")
        return answer


class OpenApiTest(ServiceTest):
    """All classes share a document, which records the answers, and two daemons."""

    @classmethod
    def suite_daemons(cls):
        return [cls.idle, cls.working]

    def client(self, daemon=None, account=None):
        return DocumentedClient(self, self.document, daemon or self.idle, account and account.token)

    def each_operation(self, needs_token=None):
        for name, operation in self.document.operations.items():
            if needs_token is None or operation.needs_token == needs_token:
                yield name, operation

    def spend_the_budget(self, account, database=None):
        self.cluster.query(
            f"UPDATE account SET monthly_budget_usd = 5 WHERE email = '{account.email}';"
            " INSERT INTO model_call (account_id, job_id, number, model, cost_usd)"
            f" SELECT id, 1, 1, 'some-model', 5.01 FROM account WHERE email = '{account.email}'",
            (database or self.idle_database).split("dbname=")[1])

    def until_limited(self, client, name, limit, job_id=UNKNOWN_ID, body=None):
        """Tokens are refilled while the test runs, but no machine needs many more requests than the limit."""
        for _ in range(10 * limit):
            if client.ask(name, job_id, body=body).status == 429:
                return
        self.fail(f"{name}: no limit after {10 * limit} requests")


def setUpModule():
    cluster = Cluster()
    unittest.addModuleCleanup(cluster.close)
    test = OpenApiTest
    test.document = Document(DOCUMENT)
    test.cluster = cluster
    test.idle_database = cluster.new_database()
    # Without workers, jobs stay pending, and the model is never called.
    test.idle = Daemon(workers=0, database_url=test.idle_database, log_level="debug", analyzer="openai",
                       openai_url="http://model.invalid/v1", openai_model="some-model", openai_api_key="secret")
    test.working = Daemon(
        workers=2, database_url=cluster.new_database(), retry_base_seconds=0.05, videos_kept_days=1)
    for daemon in (test.idle, test.working):
        unittest.addModuleCleanup(daemon.close)
        daemon.start()
    test.someone = test.idle.account(unlimited=True)
    test.idle.limit(test.someone.email, requests_per_minute=1000000)
    test.other = test.idle.account()
    start_slow_requests(test)


def start_slow_requests(test):
    """Requests that are never complete; their answers arrive while the other tests run."""
    pool = concurrent.futures.ThreadPoolExecutor(32)
    unittest.addModuleCleanup(pool.shutdown)
    unfinished_body = (b"POST /api/v1/reels/analyze HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{")
    test.slow = [(operation, pool.submit(test.idle.raw, half_a_request(operation), 120))
                 for operation in test.document.operations.values()]
    test.slow.append(
        (test.document.operations[ANALYZE], pool.submit(test.idle.raw, unfinished_body, 120)))


class TheDocument(OpenApiTest):
    def test_every_component_is_used(self):
        self.assertEqual(self.document.components_not_used(), [])

    def test_the_daemon_serves_the_document(self):
        answer = self.client().ask("GET /docs/openapi.yaml", expect=200)
        self.assertEqual(answer.body, self.document.text)

    def test_the_daemon_serves_the_document_as_gzip(self):
        headers = {"Accept-Encoding": "gzip"}
        answer = self.client().ask("GET /docs/openapi.yaml", headers=headers)
        self.assertEqual((answer.status, answer.headers["Content-Encoding"]), (200, "gzip"))
        self.assertEqual(gzip.decompress(answer.body), self.document.text)
        headers["If-None-Match"] = answer.headers["ETag"]
        self.assertEqual(self.idle.request("GET", "/docs/openapi.yaml", None, headers).status, 304)

    def test_routes_and_operations_are_the_same(self):
        parts = {f"GET {path}" for path in VIEWER_PARTS}
        served = {route for route in self.routes()
                  if route.split()[1].startswith(DOCUMENTED) and VIEWER_CHUNKS not in route}
        self.assertEqual(served - parts, set(self.document.operations))
        self.assertEqual(parts - served, set())

    def test_the_dashboard_has_the_same_resources(self):
        resources = {name.replace("/api/v1/", "/dashboard/api/") for name in self.document.operations
                     if "/api/v1/" in name}
        self.assertEqual(resources - self.routes(), set())

    def routes(self):
        """"GET /healthz" and all other operations that the daemon serves."""
        return {f"{line['method']} {line['path']}" for line in self.idle.log_lines()
                if line.get("message") == "route"}

    def test_other_methods(self):
        someone = self.client(account=self.someone)
        paths = {operation.path: operation for _, operation in self.each_operation()}
        methods = ["GET", "PUT", "POST", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "get"]
        for (path, operation), method in itertools.product(paths.items(), methods):
            allowed = self.document.methods_of(path)
            if method in allowed:
                continue
            with self.subTest(f"{method} {path}"):
                answer = someone.daemon.request(method, target_of(operation), token=someone.token)
                self.assertEqual(answer.status, 405)
                response = self.document.outside_operations["other-method"]
                self.assertEqual(self.document.response_breaches("405", response, answer), [])
                self.assertEqual(set(answer.headers["Allow"].split(", ")), allowed)

    def test_unknown_paths(self):
        response = self.document.outside_operations["unknown-path"]
        for path in ("/api/v1", "/api/v1/", "/api/v1/reels/", "/api/v1/reels/1/result", "/api/v2/reels",
                     "/docs/nothing", "/docs/index.html/", "/healthz/", "/nothing"):
            for method in ("GET", "POST", "DELETE"):
                with self.subTest(f"{method} {path}"):
                    answer = self.idle.request(method, path, token=self.someone.token)
                    self.assertEqual(answer.status, 404)
                    self.assertEqual(self.document.response_breaches("404", response, answer), [])

    def test_another_version(self):
        answer = parsed(self.idle.raw(b"GET /healthz HTTP/3.0\r\nHost: a\r\n\r\n"))
        self.assertEqual(answer.status, 505)
        response = self.document.outside_operations["other-version"]
        self.assertEqual(self.document.response_breaches("505", response, answer), [])

    def test_another_host(self):
        response = self.document.outside_operations["other-host"]
        for path in ("/metrics", "/docs", "/docs/index.html", "/docs/openapi.yaml", "/nothing"):
            with self.subTest(path):
                answer = self.idle.request("GET", path, headers={"Host": "elsewhere.test"})
                self.assertEqual(answer.status, 421)
                self.assertEqual(self.document.response_breaches("421", response, answer), [])

    def test_metrics_are_for_local_clients(self):
        self.client().ask("GET /metrics", headers={"X-Forwarded-For": "192.0.2.1"}, expect=404)

    def test_head_equals_get_without_a_body(self):
        job_id = self.someone.submit(LINK)
        # An unfinished reel would be followed without an end.
        self.cluster.query(
            "UPDATE job SET status = 'error', error_code = 'internal', error = 'Internal error', finished_at = now()"
            f" WHERE id = {job_id}", self.idle_database.split("dbname=")[1])
        for _, operation in self.each_operation():
            if operation.method != "GET":
                continue
            with self.subTest(operation.path):
                target = target_of(operation, job_id)
                answer = self.idle.request("HEAD", target, token=self.someone.token)
                self.assertEqual(self.document.breaches(operation, answer, is_head=True), [])
                whole = self.idle.request("GET", target, token=self.someone.token)
                self.assertEqual(answer.status, whole.status)
                for name in ("Content-Type", "ETag", "Location"):
                    self.assertEqual(answer.headers[name], whole.headers[name])


class Reels(OpenApiTest):
    """Successful requests, and failures because of the input."""

    def test_submitting(self):
        someone = self.client(account=self.someone)
        content = self.document.operations[ANALYZE].request_body["content"]["application/json"]
        for name, example in content["examples"].items():
            with self.subTest(name):
                someone.ask(ANALYZE, body=example["value"], expect=202)
        for body in (b"[]", b"[" * 65 + b"]" * 65, b'{"x": 1e999}', {}, {"url": 1}, {"url": "x"},
                     {"url": "https://tiktok.com/x"},
                     {"url": "https://www.instagram.com/someone/"}, {"url": LINK, "fresh": "yes"},
                     {"urls": []}, {"urls": [LINK] * 51}, {"url": LINK, "urls": [LINK]}):
            with self.subTest(body):
                someone.ask(ANALYZE, body=body, expect=400)

    def test_uploading(self):
        someone = self.client(account=self.someone)
        as_body = {"Content-Type": "application/octet-stream"}
        as_form = {"Content-Type": "multipart/form-data; boundary=b"}
        someone.ask(ANALYZE, body=b"x", headers=as_body, expect=202)
        someone.ask(ANALYZE, body=b"", headers=as_body, expect=400)
        someone.ask(ANALYZE, body=b"--b--", headers=as_form, expect=400)

    def test_options_of_a_raw_video(self):
        someone = self.client(account=self.someone)
        raw = {"Content-Type": "video/mp4"}
        options = {option["name"]: option["examples"]["usual"]["value"]
                   for option in self.document.operations[ANALYZE].parameters_in("query")}
        form = self.document.components["schemas"]["UploadForm"]["properties"]
        self.assertEqual(set(options), {"filename", *form} - {"video"})
        del options["analyzer"]  # The daemon has only one.
        for name, value in options.items():
            with self.subTest(name):
                query = {name: value}
                if name != "filename":
                    query["filename"] = name  # Another submission.
                someone.ask(ANALYZE, query=query, body=name.encode(), headers=raw, expect=202)
        for query in ({"url": "x"}, {"fresh": "yes"}, {"queue": "1"}, {"language": "german"}, {"extract": "cake"},
                      {"webhook_url": "x"}, {"analyzer": "x"}):
            with self.subTest(query):
                someone.ask(ANALYZE, query=query, body=b"x", headers=raw, expect=400)

    def test_the_schema_of_a_submission_matches_the_accepted_bodies(self):
        schema = self.document.operations[ANALYZE].request_body["content"]["application/json"]["schema"]
        for body in ({}, {"url": None}, {"url": LINK}, {"url": LINK, "urls": None}, {"url": None, "urls": [LINK]},
                     {"url": LINK, "urls": [LINK]}, {"urls": []}, {"urls": None}, {"url": LINK, "fresh": None},
                     {"url": LINK, "fresh": 1}, {"url": LINK, "queue": 1}, {"url": LINK, "queue": True},
                     {"urls": [LINK], "queue": True}, {"url": LINK, "webhook_url": None}, {"url": LINK, "x": 1},
                     {"url": LINK, "webhook_url": "ftp://example.org/"}, {"urls": [LINK], "fresh": True},
                     {"url": LINK, "language": "pt-BR", "instructions": "x", "extract": "recipe"},
                     {"url": LINK, "language": None, "instructions": None, "extract": None, "analyzer": None},
                     {"url": LINK, "language": 1}, {"url": LINK, "instructions": ""}, {"url": LINK, "extract": "cake"},
                     {"url": LINK, "extract": 7}, {"url": LINK, "extract": {}}, {"url": LINK, "analyzer": ""},
                     {"url": LINK, "extract": {"type": "object"}}, {"urls": [LINK], "extract": {"type": "string"}}):
            with self.subTest(body):
                is_good = not schema_breaches(schema, body, "body")
                someone = self.client(account=self.idle.account())
                someone.ask(ANALYZE, body=body, expect=202 if is_good else 400)

    def test_options_of_the_analysis(self):
        someone = self.client(account=self.someone)
        for options in ({"language": "german"}, {"instructions": " "}, {"extract": "cake"}, {"extract": {}},
                        {"extract": {"type": "object", "properties": {"x": {"$ref": "#"}}}},
                        {"extract": {"type": "object", "properties": {"ingredient": {"type": "string"}},
                                     "required": ["ingredients"], "additionalProperties": False}}):
            with self.subTest(options):
                someone.ask(ANALYZE, body={"url": LINK, **options}, expect=400)
        without_model = self.client(self.working, self.working.account())
        for options in ({"extract": "recipe"}, {"analyzer": "gemini"}):
            with self.subTest(options):
                without_model.ask(ANALYZE, body={"url": LINK, **options}, expect=400)

    def test_submitting_several(self):
        someone = self.client(account=self.idle.account())
        most = self.document.components["schemas"]["ListSubmission"]["properties"]["urls"]["maxItems"]
        refused = someone.ask(ANALYZE, body={"urls": ["x"] * most}, expect=202)
        self.assertEqual(len(refused.json()), most)
        strange = someone.ask(ANALYZE, body={"urls": [None, 7, {}, ["x" * 300]]}, expect=202)
        self.assertEqual([link["url"] for link in strange.json()], [None, 7, {}, None])
        some = someone.ask(ANALYZE, body={"urls": [LINK] * 5}, expect=202)
        self.assertEqual(["retry_after" in link for link in some.json()], [False] * 3 + [True] * 2)
        key = {"Idempotency-Key": "openapi-list"}
        someone = self.client(account=self.idle.account())
        someone.ask(ANALYZE, headers=key, body={"urls": [LINK, SAMPLE]}, expect=202)
        someone.ask(ANALYZE, headers=key, body={"urls": [LINK]}, expect=400)

    def test_samples_of_the_quick_start(self):
        guide, _, _ = self.document.description.partition("\n## Authentication\n")
        account = self.working.account(unlimited=True)
        job_id = account.submit(SAMPLE)
        account.finished(job_id)
        for language, run in (("sh", ["bash", "-c"]), ("python", ["python3", "-c"]), ("javascript", ["node", "-e"])):
            with self.subTest(language):
                sample = "".join(re.findall(rf"```{language}\n(.*?)```", guide, re.DOTALL))
                self.assertIn(SAMPLE, sample)
                text = (sample.replace("http://127.0.0.1:8080", f"http://{self.working.address}")
                        .replace("YOUR_SECRET_TOKEN", account.token).replace("/reels/42?", f"/reels/{job_id}?"))
                ended = subprocess.run([*run, text], capture_output=True, text=True, timeout=SAMPLE_SECONDS_MAX, check=True)
                self.assertIn("ways to make better coffee", ended.stdout)

    def test_submitting_again(self):
        someone = self.client(account=self.someone)
        key = {"Idempotency-Key": "openapi-test"}
        first = someone.ask(ANALYZE, headers=key, expect=202)
        again = someone.ask(ANALYZE, headers=key, expect=202)
        self.assertEqual(first.json(), again.json())
        someone.ask(ANALYZE, headers=key, body={"url": SAMPLE}, expect=400)
        operation = self.document.operations[ANALYZE]
        schema = next(one for one in operation.parameters if one["name"] == "Idempotency-Key")["schema"]
        most = schema["maxLength"]
        for good in ("a", "!~" + "a" * (most - 2)):
            someone.ask(ANALYZE, headers={"Idempotency-Key": good}, expect=202)
        for bad in ("a" * (most + 1), "a b", "\u00e9"):
            someone.ask(ANALYZE, headers={"Idempotency-Key": bad.encode()}, expect=400)

    def test_reading_in_every_state(self):
        someone = self.client(account=self.someone)
        job_id = self.someone.submit(LINK)
        self.assertMembers(
            someone.ask(READ, job_id, expect=200), "pending", {"queue_position", "expected_start_at"})
        # Simulates a worker, for states that no client can cause without one.
        self.cluster.query(
            "UPDATE job SET status = 'processing', worker = 'somebody', started_at = now(),"
            f" lease_until = now() + interval '1 hour' WHERE id = {job_id}",
            self.idle_database.split("dbname=")[1])
        self.assertMembers(someone.ask(READ, job_id, expect=200), "processing", {"started_at"})
        someone.ask(DELETE, job_id, expect=204)
        someone.ask(DELETE, job_id, expect=404)

    def test_jobs_that_workers_end(self):
        account = self.working.account(unlimited=True)
        someone = self.client(self.working, account)
        self.assertEqual(someone.ask(LIST, expect=200).json(), [])
        codes = ("unavailable", "rate-limited", "unsupported", "too-long", "model-failed",
                 "storage-error")
        failing = [account.submit(f"https://www.instagram.com/reel/reelsd-{code}/") for code in codes]
        done = account.submit(SAMPLE)
        for job_id in failing:
            account.finished(job_id)
            answer = someone.ask(READ, job_id, query={"wait": 60}, expect=200)
            self.assertMembers(answer, "error",
                               {"started_at", "finished_at", "error", "error_code", "retryable"})
        account.finished(done)
        answer = someone.ask(READ, done, query={"wait": 60}, expect=200)
        self.assertMembers(answer, "done", {"started_at", "finished_at", "result", "video"})
        events = someone.ask(EVENTS, done, expect=200).body.decode()
        self.assertIn(f"event: finished\nid: {done}:finished\ndata: {answer.body.decode()}\n\n", events)
        someone.ask(EVENTS, done, headers={"Last-Event-ID": f"{done}:finished"}, expect=204)
        tag = someone.ask(VIDEO, done, expect=200).headers["ETag"]
        for headers, status in (({"Range": "bytes=0-1"}, 206), ({"Range": "bytes=999999999-"}, 416),
                                ({"If-None-Match": tag}, 304), ({"If-Match": '"x"'}, 412)):
            someone.ask(VIDEO, done, headers=headers, expect=status)
        for name in (THUMBNAIL, FRAME, VIDEO, SUBRIP, WEBVTT):
            someone.ask(name, done, expect=200)
            someone.ask(name, failing[0], expect=404)

        items = {item["id"]: item for item in someone.ask(LIST, expect=200).json()}
        self.assertEqual(set(items), {done, *failing})
        self.assertEqual(set(items[done]) - set(items[failing[0]]), {"summary", "code", "author"})
        detailed = {item["id"]: item for item in someone.ask(LIST, query={"details": "true"}, expect=200).json()}
        self.assertEqual(set(detailed[done]) - set(items[done]), {"duration_seconds", "topics", "cost_usd"})
        self.latest_and_failed(account, someone, done, failing)
        calls = someone.ask(REEL_USAGE, done, expect=200).json()["calls"]
        self.assertEqual([call["number"] for call in calls], [0])
        self.assertLess(0, someone.ask(USAGE, expect=200).json()["total_calls"])
        self.assertEqual(someone.ask(BUDGET, expect=200).json()["spent_today_usd"], 0)
        self.assertEqual([row["calls"] for row in someone.ask(USAGE_DAYS, expect=200).json()], [1])
        self.assertEqual(someone.ask(USAGE_CSV, expect=200).body.count(b"\r\n"), 2)
        hits = someone.ask(SEARCH, query={"q": "coffee"}, expect=200).json()
        self.assertEqual([hit["id"] for hit in hits], [done])
        lines = someone.ask(EXPORT, expect=200).body.splitlines()
        self.assertEqual(json.loads(lines[-1]), {"type": "end", "lines": len(lines) - 1})

    def latest_and_failed(self, account, someone, done, failing):
        """The list with one item per post, and the deletion of all failed reels."""
        self.assertEqual(someone.ask(REEL_USAGE, failing[0], expect=200).json()["calls"], [])
        again = account.submit("https://www.instagram.com/p/reelsd-unavailable")
        account.finished(again)
        latest = someone.ask(LIST, query={"latest": "true"}, expect=200).json()
        self.assertEqual([item["id"] for item in latest], [again, done, *failing[:0:-1]])
        self.assertEqual([item["earlier"] for item in latest], [1] + [0] * len(failing))
        page = someone.ask(LIST, query={"latest": "true", "limit": 2, "status": "error"}, expect=200)
        self.assertIn("&status=error&latest=true&cursor=", page.headers["Link"])
        of_post = someone.ask(LIST, query={"post_of": again}, expect=200).json()
        self.assertEqual([item["id"] for item in of_post], [again, failing[0]])
        self.assertNotIn("earlier", of_post[0])
        page = someone.ask(LIST, query={"post_of": again, "limit": 1}, expect=200)
        self.assertIn(f"&post_of={again}&cursor=", page.headers["Link"])
        self.assertEqual(someone.ask(LIST, query={"to": "2020-01-01"}, expect=200).json(), [])
        for listed in (LIST, SEARCH):
            someone.ask(listed, query={"from": "2020-01-02", "to": "2020-01-01"}, expect=400)
        stranger = self.client(self.working, self.working.account())
        self.assertEqual(stranger.ask(LIST, query={"post_of": again}, expect=200).json(), [])
        self.assertEqual(stranger.ask(DELETE_FAILED, expect=200).json(), {"deleted": 0})
        someone.ask(DELETE_FAILED, query={"status": "done"}, expect=400)
        for parameter in ("author", "tag", "from", "to", "latest", "post_of", "limit", "cursor"):
            answer = someone.ask(DELETE_FAILED, query={"status": "error", parameter: "1"}, expect=400)
            self.assertEqual(answer.json()["message"], f"{parameter} is not supported: all failed reels are deleted")
        self.assertEqual(someone.ask(DELETE_FAILED, expect=200).json(), {"deleted": len(failing) + 1})
        self.assertEqual([item["id"] for item in someone.ask(LIST, expect=200).json()], [done])

    def test_webhooks(self):
        someone = self.client(account=self.someone)
        self.assertIsNone(someone.ask(WEBHOOK, expect=200).json()["url"])
        content = self.document.operations[SET_WEBHOOK].request_body["content"]["application/json"]
        for name, example in content["examples"].items():
            with self.subTest(name):
                answer = someone.ask(SET_WEBHOOK, body=example["value"], expect=200)
                self.assertEqual(answer.json()["url"], example["value"]["url"])
        rotated = someone.ask(ROTATE, expect=200).json()
        self.assertIn("previous_secret_expires_at", rotated)
        self.assertEqual(someone.ask(WEBHOOK, expect=200).json(), rotated)
        someone.ask(SET_WEBHOOK, body=b"[]", expect=400)
        someone.ask(SET_WEBHOOK, body={"address": "x"}, expect=400)
        longest = "https://example.org/" + "x" * 2028
        for wrong in (1, "x", longest + "x", "http://example.org/", "https://example.org:8443/", "https://10.0.0.1/"):
            with self.subTest(wrong):
                someone.ask(SET_WEBHOOK, body={"url": wrong}, expect=400)
                someone.ask(ANALYZE, body={"url": LINK, "webhook_url": wrong}, expect=400)
        someone.ask(SET_WEBHOOK, body={"url": longest, "events": []}, expect=400)
        someone.ask(SET_WEBHOOK, body={"url": longest}, expect=200)
        someone.ask(ANALYZE, body={"url": LINK, "webhook_url": longest}, expect=202)
        someone.ask(SET_WEBHOOK, body={"url": None}, expect=200)

    def test_testing_a_webhook(self):
        testing = self.client(account=self.idle.account())
        for body in (b"[]", {}, {"url": 7}, {"url": "https://10.0.0.1/"}):
            testing.ask(TEST_WEBHOOK, body=body, expect=400)
        tested = testing.ask(TEST_WEBHOOK, body={"url": "https://localhost/"}, expect=200).json()
        self.assertEqual((tested["delivered"], "status_code" in tested), (False, False))
        self.until_limited(testing, TEST_WEBHOOK, 6, body={"url": "https://localhost/"})

    def test_testing_a_webhook_of_a_receiver_that_hangs(self):
        daemon = Daemon(workers=0, webhook_networks="127.0.0.0/8", database_url=self.idle_database)
        self.addCleanup(daemon.close)
        testing = self.client(daemon.start(), daemon.account())
        receiver = WebhookReceiver()
        self.addCleanup(receiver.close)
        receiver.behave("/hook", "hang")
        body = {"url": receiver.url()}
        with concurrent.futures.ThreadPoolExecutor(2) as threads:
            hanging = [threads.submit(testing.ask, TEST_WEBHOOK, body=body, expect=200) for _ in range(2)]
            receiver.wait_for("/hook", 2)
            testing.ask(TEST_WEBHOOK, body=body, expect=429)
        for answer in hanging:
            self.assertFalse(answer.result().json()["delivered"])

    def test_saved_searches(self):
        someone = self.client(account=self.idle.account())
        self.assertEqual(someone.ask(SEARCHES, expect=200).json(), [])
        saved = someone.ask(SAVE_SEARCH, body={"query": "pasta", "author": "ann"}, expect=201).json()
        self.assertEqual(someone.ask(SEARCHES, expect=200).json(), [saved])
        for body in (b"[]", {}, {"query": 5}, {"query": "x" * 501}, {"query": "pasta"}):
            someone.ask(SAVE_SEARCH, body=body, expect=400)
        for more in ({"name": 5}, {"name": "x" * 101}, {"author": 5}, {"author": "@"}, {"min_score": 2}):
            someone.ask(SAVE_SEARCH, body={"query": "x", **more}, expect=400)
        for number in range(19):
            someone.ask(SAVE_SEARCH, body={"query": "pasta", "name": str(number)}, expect=201)
        someone.ask(SAVE_SEARCH, body={"query": "one more"}, expect=400)
        someone.ask(REMOVE_SEARCH, saved["id"], expect=204)

    def test_tags(self):
        account = self.idle.account()
        someone = self.client(account=account)
        reel = account.submit(LINK)
        stored = someone.ask(SET_TAGS, reel, body={"tags": ["Pasta", "to cook", "pasta "]}, expect=200).json()
        self.assertEqual(stored, {"tags": ["pasta", "to cook"]})
        self.assertEqual(someone.ask(REEL_TAGS, reel, expect=200).json(), stored)
        self.assertEqual(someone.ask(TAGS, expect=200).json(), [{"tag": name, "reels": 1} for name in stored["tags"]])
        changed = someone.ask(CHANGE_TAGS, body={"ids": [reel, UNKNOWN_ID], "add": ["a"], "remove": ["pasta"]}, expect=200)
        self.assertEqual(changed.json(), {"reels": 1})
        listed = someone.ask(LIST, query={"tag": "TO COOK", "details": "true"}, expect=200).json()
        self.assertEqual([(item["id"], item["tags"]) for item in listed], [(reel, ["a", "to cook"])])
        self.assertEqual(someone.ask(LIST, query={"tag": "other"}, expect=200).json(), [])
        someone.ask(SEARCH, query={"tag": "a"}, expect=200)
        for name in (LIST, SEARCH):
            someone.ask(name, query={"tag": "a,b"}, expect=400)
            someone.ask(name, query={"details": "yes"}, expect=400)
        many = [str(number) for number in range(21)]
        for body in (b"[]", {}, {"tags": "a"}, {"tags": [5]}, {"tags": ["x" * 41]}, {"tags": many}):
            someone.ask(SET_TAGS, reel, body=body, expect=400)
        someone.ask(SET_TAGS, "x", expect=404)
        for body in (b"[]", {}, {"ids": [0]}, {"ids": [reel], "add": 5}, {"ids": [reel], "add": [","]},
                     {"ids": [reel], "add": many[:19]}):
            someone.ask(CHANGE_TAGS, body=body, expect=400)
        stranger = self.client(account=self.idle.account())
        for name in (REEL_TAGS, SET_TAGS):
            stranger.ask(name, reel, expect=404)

    def test_deliveries(self):
        account = self.working.account(unlimited=True)
        someone = self.client(self.working, account)
        self.assertEqual(someone.ask(DELIVERIES, expect=200).json(), [])
        # A name of a private address: nothing is sent, and the failure is final.
        someone.ask(SET_WEBHOOK, body={"url": "https://localhost/"}, expect=200)
        for _ in range(2):
            account.finished(account.submit("https://www.instagram.com/reel/reelsd-unavailable/"))
        wait_until(lambda: len(someone.ask(DELIVERIES, query={"state": "failed"}).json()) == 2, "the ends")
        page = someone.ask(DELIVERIES, query={"limit": 1}, expect=200)
        link = page.headers["Link"]
        query = dict(urllib.parse.parse_qsl(link[link.index("?") + 1:link.index(">")]))
        rest = someone.ask(DELIVERIES, query=query, expect=200)
        self.assertIsNone(rest.headers["Link"])
        ids = [one["id"] for one in page.json() + rest.json()]
        self.assertEqual(ids, sorted(set(ids), reverse=True))
        answer = someone.ask(REDELIVER, ids[0], expect=202)
        self.assertEqual((answer.json()["id"], answer.json()["state"]), (ids[0], "pending"))
        someone.ask(DELIVERIES, query={"cursor": "x"}, expect=400)
        stranger = self.client(self.working, self.working.account())
        for unknown in (ids[0], UNKNOWN_ID, 0, "x"):
            stranger.ask(REDELIVER, unknown, expect=404)

    def assertMembers(self, answer, status, members):
        """A job in this state has its usual members and these, and no others."""
        job = answer.json()
        self.assertEqual(job["status"], status)
        self.assertEqual(set(job), {"id", "url", "status", "created_at"} | members)

    def test_paging(self):
        account = self.idle.account(unlimited=True)
        someone = self.client(account=account)
        submitted = [account.submit(LINK) for _ in range(3)]
        page = someone.ask(LIST, query={"limit": 2}, expect=200)
        link = page.headers["Link"]
        query = dict(urllib.parse.parse_qsl(link[link.index("?") + 1:link.index(">")]))
        rest = someone.ask(LIST, query=query, expect=200)
        self.assertIsNone(rest.headers["Link"])
        found = [item["id"] for item in page.json() + rest.json()]
        self.assertEqual(found, submitted[::-1])

    def test_paging_through_an_author(self):
        """A name may contain any characters: the link to the next page must encode them."""
        account = self.idle.account(unlimited=True)
        someone = self.client(account=account)
        author = "Ann & Bob/50%=\u00e9 +"
        mine = [account.submit(LINK) for _ in range(3)]
        account.submit(LINK)
        self.cluster.query(
            "UPDATE job SET status = 'done', result = '{}', code = '', summary = '', started_at = now(),"
            f" finished_at = now(), analyzed_at = now(), author = '{author}'"
            f" WHERE id IN ({', '.join(map(str, mine))})", self.idle_database.split("dbname=")[1])
        page = someone.ask(LIST, query={"limit": 2, "author": author.upper(), "status": "done"}, expect=200)
        link = page.headers["Link"]
        query = dict(urllib.parse.parse_qsl(link[link.index("?") + 1:link.index(">")]))
        self.assertEqual((query["author"], query["status"]), (author.upper(), "done"))
        rest = someone.ask(LIST, query=query, expect=200)
        self.assertEqual([item["id"] for item in page.json() + rest.json()], mine[::-1])
        self.assertEqual({item["author"] for item in page.json()}, {author})

    def test_invalid_parameters_without_a_bound(self):
        someone = self.client(account=self.someone)
        for name, query in ((LIST, {"cursor": "x"}), (LIST, {"cursor": ""}), (SEARCH, {"q": " "}),
                            *((name, query) for name in (USAGE, USAGE_DAYS, USAGE_CSV) for query in (
                                {"from": "2026-02-02", "to": "2026-02-01"}, {"from": "1.5.2026"},
                                {"to": "2026-02-30"}))):
            with self.subTest(f"{name} {query}"):
                someone.ask(name, query=query, expect=400)

    def test_bounds_of_parameters(self):
        someone = self.client(account=self.someone)
        account = self.working.account(unlimited=True)
        finished = self.client(self.working, account)
        job_id = account.submit(SAMPLE)
        account.finished(job_id)
        for name, operation in self.each_operation(needs_token=True):
            for parameter in operation.parameters_in("query"):
                if name == ANALYZE:
                    continue  # The options of a raw video.
                good, bad = values_of(parameter["schema"])
                for value, status in [(one, 200) for one in good] + [(one, 400) for one in bad]:
                    with self.subTest(f"{name} {parameter['name']}={str(value)[:40]}"):
                        query = {parameter["name"]: value}
                        # A finished reel has all sub-resources, and a long wait for it ends at once.
                        if "{id}" in operation.path:
                            finished.ask(name, job_id, query=query, expect=status)
                        else:
                            someone.ask(name, query=query, expect=status)

    def test_a_missing_parameter(self):
        someone = self.client(account=self.someone)
        for name, operation in self.each_operation():
            for parameter in operation.parameters_in("query"):
                if parameter.get("required"):
                    answer = self.idle.request(operation.method, operation.path, token=self.someone.token)
                    someone.check(operation, answer, expect=400)

    def test_ids_of_other_accounts(self):
        mine = self.someone.submit(LINK)
        other = self.client(account=self.other)
        for name in (READ, EVENTS, DELETE, THUMBNAIL, FRAME, VIDEO, SUBRIP, WEBVTT, REEL_USAGE, ASK_REEL,
                     REMOVE_SEARCH):
            for job_id in (mine, UNKNOWN_ID, 0, -1, "x", 2**63):
                with self.subTest(f"{name} {job_id}"):
                    other.ask(name, job_id, expect=404)


class Asking(OpenApiTest):
    """Questions: a daemon with a model, and one without."""

    def test_bad_questions(self):
        someone = self.client(account=self.someone)
        unfinished = self.someone.submit(LINK)
        bodies = ["[]", {}, {"question": " "}, {"question": 5}, {"question": "x" * 501}]
        for name in (ASK, ASK_REEL):
            for body in bodies:
                someone.ask(name, unfinished, body=body, expect=400)
        someone.ask(ASK_REEL, unfinished, expect=400)
        for more in ({"limit": 0}, {"limit": 21}, {"limit": "1"}, {"author": ""}, {"author": 5}):
            someone.ask(ASK, body={"question": "What?", **more}, expect=400)
        anonymous = self.client(self.working, self.working.account())
        for name in (ASK, ASK_REEL):
            anonymous.ask(name, expect=400)

    def test_answers_and_refusals(self):
        model = OpenAiStandIn("vllm", key="secret").start()
        self.addCleanup(model.stop)
        database = self.cluster.new_database()
        daemon = Daemon(workers=2, database_url=database, analyzer="openai", openai_url=model.url,
                        openai_model="test-model", openai_api_key="secret", model_prices="test-model=0.3/2.5")
        self.addCleanup(daemon.close)
        daemon.start()
        account = daemon.account()
        someone = self.client(daemon, account)
        reel = account.submit(SAMPLE)
        account.finished(reel)
        question = {"question": "What is said about coffee?"}
        for name in (ASK, ASK_REEL):
            self.assertTrue(someone.ask(name, reel, body=question, expect=200).json()["answered"])
        model.manner = "empty"
        for name in (ASK, ASK_REEL):
            self.assertFalse(someone.ask(name, reel, body=question, expect=200).json()["answered"])
        someone.ask(USAGE, expect=200)
        calls = someone.ask(REEL_USAGE, reel, expect=200).json()["calls"]
        self.assertEqual([call["purpose"] for call in calls], ["analysis", "ask", "ask"])
        limited = daemon.account()
        limited_reel = limited.submit(SAMPLE)
        limited.finished(limited_reel)
        for name in (ASK_REEL, ASK):
            self.until_limited(self.client(daemon, limited), name, 10, limited_reel)
        poor = daemon.account()
        poor_reel = poor.submit(SAMPLE)
        poor.finished(poor_reel)
        self.spend_the_budget(poor, database)
        for name in (ASK, ASK_REEL):
            self.client(daemon, poor).ask(name, poor_reel, expect=429)
        model.fail("chat", "rate_limited", times=50, retry_after="120")
        for name in (ASK, ASK_REEL):
            someone.ask(name, reel, body=question, expect=503)


def values_of(schema):
    """Values that a parameter of this schema accepts, and values that it rejects."""
    if "enum" in schema:
        return schema["enum"], ["nonsense", ""]
    if schema["type"] in ("integer", "number"):
        least, most = schema["minimum"], schema["maximum"]
        return [least, most], [least - 1, most + 1, "x", "", "1e1"]
    if schema["type"] == "boolean":
        return ["true", "false"], ["yes", "1", ""]
    if schema.get("format") == "date":
        return ["2026-02-28"], ["2026-02-29", "20260228", "x", ""]
    if "maxLength" in schema:
        most = schema["maxLength"]
        return ["a", "a" * most, "\u00e9" * most], ["", "a" * (most + 1)]
    return [], []


class AnyRequest(OpenApiTest):
    """Answers that every operation may give."""

    def test_operations_without_a_token(self):
        anonymous = self.client()
        for name, operation in self.each_operation(needs_token=False):
            with self.subTest(name):
                answer = anonymous.ask(name)
                self.assertIn(answer.status, (200, 302))
                tag = answer.headers["ETag"]
                if tag:
                    anonymous.ask(name, headers={"If-None-Match": tag}, expect=304)
                    anonymous.ask(name, headers={"If-None-Match": '"another"'}, expect=200)

    def test_request_ids(self):
        for name, _ in self.each_operation(needs_token=False):
            answer = self.client().ask(name, headers={"X-Request-Id": "mine-1"})
            self.assertEqual(answer.headers["X-Request-Id"], "mine-1")

    def test_invalid_tokens(self):
        for name, _ in self.each_operation(needs_token=True):
            with self.subTest(name):
                missing = self.client().ask(name, expect=401)
                headers = {"Authorization": "Bearer rls_" + "a" * 40}
                invalid = self.client().ask(name, headers=headers, expect=401)
                self.assertEqual([answer.headers["X-Error-Code"] for answer in (missing, invalid)],
                                 ["token_required", "token_invalid"])

    def test_tokens_of_another_scope(self):
        tokens = {scope: self.idle.token(self.someone.email, scope, "--scope", scope) for scope in ("read", "submit")}
        for name, operation in self.each_operation(needs_token=True):
            with self.subTest(name):
                for token in tokens.values():
                    answer = self.idle.request(operation.method, target_of(operation), body_of(operation), token=token)
                    self.assertEqual(self.document.breaches(operation, answer), [])
                    self.assertEqual(answer.headers["X-Error-Code"] == "insufficient_scope", answer.status == 403)

    def test_malformed_requests(self):
        for name, operation in self.each_operation():
            with self.subTest(name):
                someone = self.client(account=self.someone)
                start = f"{operation.method} {target_of(operation)} HTTP/1.1\r\n".encode()
                someone.ask_raw(name, start + b"\r\n", 400)
                someone.ask_raw(name, start + b"Host: a\r\nContent-Length: 65537\r\n\r\n", 413)
                if operation.request_body:
                    someone.ask(name, headers={"Content-Encoding": "gzip"}, expect=415)
                examples = operation.responses["431"]["content"]["application/json"]["examples"]
                for header in (b"X: " + b"x" * 16384 + b"\r\n", b"X: y\r\n" * 101):
                    refused = someone.ask_raw(name, start + header + b"\r\n", 431)
                    self.assertIn(refused.json(), [example["value"] for example in examples.values()])
                query = operation.path.replace("{id}", "1").replace("{n}", "0") + "?a=%zz"
                answer = self.idle.request(operation.method, query, token=self.someone.token)
                someone.check(operation, answer, 400)
                if "{id}" in operation.path:
                    path = operation.path.replace("{id}", "%zz").replace("{n}", "0")
                    answer = self.idle.request(operation.method, path, token=self.someone.token)
                    someone.check(operation, answer, 400)

    def test_limits(self):
        submitting = self.client(account=self.idle.account())
        for _ in range(3):
            submitting.ask(ANALYZE, expect=202)
        submitting.ask(ANALYZE, expect=429)

        waiting = self.idle.account()
        self.idle.limit(waiting.email, submissions_per_minute=1000)
        queueing = self.client(account=waiting)
        for _ in range(21):
            queueing.ask(ANALYZE, body={"urls": [LINK] * 50, "queue": True}, expect=202)
        queueing.ask(ANALYZE, body={"url": LINK, "queue": True}, expect=429)

        poor = self.idle.account()
        self.spend_the_budget(poor)
        answer = self.client(account=poor).ask(ANALYZE, expect=429)
        self.assertEqual(answer.json()["message"], "monthly budget of $5.00 is spent")

        many = self.idle.account()
        self.idle.limit(many.email, concurrent_jobs=1000)
        self.until_limited(self.client(account=many), ANALYZE, 10)

        reading = self.client(account=self.idle.account())
        for name, _ in self.each_operation(needs_token=True):
            if name != ANALYZE:
                with self.subTest(name):
                    self.until_limited(reading, name, 600)

    def test_slow_requests(self):
        for operation, received in self.slow:
            with self.subTest(str(operation)):
                self.client().check(operation, parsed(received.result()), 408)


class Failing(OpenApiTest):
    """Answers of a daemon that cannot work. The order matters, because these tests stop the daemons."""

    def test_1_internal_errors(self):
        database = self.idle_database.split("dbname=")[1]
        someone = self.client(account=self.someone)
        self.cluster.query("ALTER TABLE api_token RENAME TO api_token_elsewhere", database)
        try:
            for name, _ in self.each_operation(needs_token=True):
                with self.subTest(name):
                    someone.ask(name, expect=500)
        finally:
            self.cluster.query("ALTER TABLE api_token_elsewhere RENAME TO api_token", database)
        someone.ask(LIST, expect=200)

    def test_2_shutting_down(self):
        with contextlib.ExitStack() as opened:
            links = []
            for _, operation in self.each_operation():
                host, port = self.idle.address.rsplit(":", 1)
                link = opened.enter_context(socket.create_connection((host, int(port)), timeout=60))
                link.sendall(half_a_request(operation))
                links.append((operation, link))
            # Connections are accepted in order: once this one is answered, the others have begun.
            self.client().ask("GET /healthz", expect=200)
            self.assertEqual(self.idle.stop(), 0)
            for operation, link in links:
                with self.subTest(str(operation)):
                    received = b"".join(iter(lambda: link.recv(65536), b""))
                    self.client().check(operation, parsed(received), 503)

    def test_3_no_database(self):
        account = self.working.account()
        someone = self.client(self.working, account)
        self.cluster.stop()
        wait_until(lambda: self.working.request("GET", "/readyz").status == 503, "the outage")
        for name, _ in self.each_operation(needs_token=True):
            with self.subTest(name):
                someone.ask(name, expect=503)
        self.client(self.working).ask(READY, expect=503)
        self.client(self.working).ask("GET /healthz", expect=200)


class Completeness(OpenApiTest):
    """Runs last: everything documented must have been seen."""

    def test_every_status_was_seen(self):
        self.assertEqual(self.document.statuses_not_seen(), [])

    def test_every_text_of_an_error_was_seen(self):
        self.assertEqual(self.document.error_examples_not_seen(), [])


def load_tests(loader, _tests, _pattern):
    """The order matters: failing tests stop the daemons, and the check for completeness comes last."""
    classes = (TheDocument, Reels, Asking, AnyRequest, Failing, Completeness)
    return unittest.TestSuite(loader.loadTestsFromTestCase(one) for one in classes)


if __name__ == "__main__":
    unittest.main(verbosity=2)
