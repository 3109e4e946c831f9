"""Tests `reels mcp` as a client of the Model Context Protocol sees it: JSON lines on standard input and output.

First with a server whose answers each test defines, then with the real daemon. tests/mcp tests it with the
protocol's official client.
"""

import json
import os
import queue
import re
import signal
import subprocess
import threading
import unittest

import yaml

from cli_test import DONE, FAILED, LINK, PENDING, PROCESSING, TOKEN, ScriptedServer, next_page
from result_shape import check_result
from service_support import (
    SAMPLE, UNAVAILABLE, Daemon, ServiceTest, clean_environment, program, wait_until)

OPENAPI = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "openapi.yaml")
ANSWER_SECONDS_MAX = 120  # A sanitized daemon on a busy machine takes about 20 s to analyse the sample.
QUEUED = (202, {"id": 42, "status": "pending"})


class Client:
    """A strict client: every line of standard output is one message."""

    def __init__(self, revision="2025-06-18", **variables):
        environment = clean_environment()
        environment.update(variables)
        self.process = subprocess.Popen(
            [program("reels"), "mcp"], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        self.messages = queue.Queue()
        self.seen = []
        self.error_output = b""
        self.readers = [threading.Thread(target=self.read_messages), threading.Thread(target=self.read_notes)]
        for reader in self.readers:
            reader.start()
        self.last_id = 0
        if revision:
            self.introduction = self.request("initialize", {
                "protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}})
            self.tell({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def read_messages(self):
        for line in self.process.stdout:
            self.messages.put(json.loads(line))

    def read_notes(self):
        self.error_output = self.process.stderr.read()

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def tell(self, message):
        self.write(json.dumps(message).encode() + b"\n")

    def begin(self, method, params=None):
        """Sends a request; returns its id."""
        self.last_id += 1
        message = {"jsonrpc": "2.0", "id": self.last_id, "method": method}
        self.tell({**message, "params": params} if params is not None else message)
        return self.last_id

    def begin_call(self, tool, arguments, **meta):
        params = {"name": tool, "arguments": arguments}
        return self.begin("tools/call", {**params, "_meta": meta} if meta else params)

    def message(self):
        """The next message that was not returned yet."""
        return self.messages.get(timeout=ANSWER_SECONDS_MAX)

    def answer(self, request_id):
        """The answer to this id; messages before it are in `seen`."""
        while True:
            message = self.message()
            if message.get("id") == request_id and "method" not in message:
                return message
            self.seen.append(message)

    def request(self, method, params=None):
        return self.answer(self.begin(method, params))

    def call(self, tool, **arguments):
        return self.answer(self.begin_call(tool, arguments))["result"]

    def cancel(self, request_id):
        self.tell({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": request_id}})

    def end(self):
        """Closes the server's standard input; (exit code, remaining messages, standard error)."""
        if not self.process.stdin.closed:
            self.process.stdin.close()
        code = self.process.wait(30)
        for reader in self.readers:
            reader.join()
        for pipe in (self.process.stdout, self.process.stderr):
            pipe.close()
        left = []
        while not self.messages.empty():
            left.append(self.messages.get())
        return code, left, self.error_output.decode()

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.end()


class McpTest(unittest.TestCase):
    maxDiff = None

    def client(self, *answers, **variables):
        """A client of a server that gives these answers."""
        if answers:
            self.server = ScriptedServer(*answers)
            self.addCleanup(self.server.close)
            variables = {"REELS_SERVER": self.server.url, "REELS_TOKEN": TOKEN, **variables}
        client = Client(**variables)
        self.addCleanup(client.close)
        return client

    def text_of(self, result):
        self.assertEqual(result["content"][0]["type"], "text")
        return result["content"][0]["text"]

    def succeeded(self, result):
        """The structured content, which the text must equal."""
        self.assertFalse(result["isError"], result)
        self.assertEqual(json.loads(self.text_of(result)), result["structuredContent"])
        return result["structuredContent"]

    def failed(self, result):
        """The text, which is not JSON."""
        self.assertTrue(result["isError"], result)
        return self.text_of(result)


class LifeCycle(McpTest):
    def test_the_server_ends_with_its_input(self):
        client = self.client((200, DONE))
        self.assertEqual(client.introduction["result"]["protocolVersion"], "2025-06-18")
        code, left, error_output = client.end()
        self.assertEqual((code, left), (0, []))
        self.assertEqual(error_output, "reels mcp: serving test 1 (protocol 2025-06-18)\n")

    def test_requests_before_the_end_of_input_are_answered(self):
        client = self.client((200, [PENDING]))
        request_id = client.begin_call("list_reels", {})
        code, left, _ = client.end()
        self.assertEqual((code, [message.get("id") for message in left]), (0, [request_id]))

    def test_a_call_in_progress_is_stopped_at_the_end_of_input(self):
        client = self.client((200, PROCESSING))
        client.begin_call("get_reel", {"id": 42, "wait_seconds": 600})
        wait_until(lambda: self.server.requests, "the first look")
        self.assertEqual(client.end()[:2], (0, []))

    def test_signals(self):
        for with_signal in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(with_signal):
                client = self.client((200, PROCESSING))
                client.begin_call("get_reel", {"id": 42, "wait_seconds": 600})
                wait_until(lambda: self.server.requests, "the first look")
                client.process.send_signal(with_signal)
                self.assertEqual(client.process.wait(30), 130)
                code, left, error_output = client.end()
                self.assertEqual((code, left), (130, []))
                self.assertIn("reels: interrupted", error_output)

    def test_a_closed_output(self):
        client = self.client((200, DONE))
        read_end, write_end = os.pipe()
        deaf = subprocess.Popen(
            [program("reels"), "mcp"], stdin=subprocess.PIPE, stdout=write_end, stderr=subprocess.PIPE,
            env={**clean_environment(), "REELS_SERVER": self.server.url, "REELS_TOKEN": TOKEN})
        os.close(write_end)
        os.close(read_end)
        _, error_output = deaf.communicate(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n', timeout=30)
        self.assertEqual((deaf.returncode, error_output), (3, b"reels: standard output was closed\n"))
        client.end()

    def test_invalid_settings(self):
        for variables, message in (
                ({}, "reels: no API token"), ({"REELS_TOKEN": "a b"}, "reels: the API token contains spaces"),
                ({"REELS_TOKEN": TOKEN, "REELS_SERVER": "nowhere"}, "reels: the server's address")):
            with self.subTest(variables):
                client = self.client(revision=None, **variables)
                code, left, error_output = client.end()
                self.assertEqual((code, left), (2, []))
                self.assertTrue(error_output.startswith(message), error_output)

    def test_closed_descriptors(self):
        for closed in ("<&-", ">&-"):
            with self.subTest(closed):
                done = subprocess.run(
                    ["sh", "-c", f'exec "$0" mcp {closed}', program("reels")], stdin=subprocess.DEVNULL,
                    env={**clean_environment(), "REELS_TOKEN": TOKEN}, stderr=subprocess.PIPE, timeout=30)
                self.assertEqual(done.returncode, 3)
                self.assertIn(b"reels: standard input and output must be open\n", done.stderr)

    def test_the_token_is_never_revealed(self):
        client = self.client((401, {"error": "invalid API token"}))
        text = self.failed(client.call("usage"))
        self.assertIn("invalid API token (HTTP 401). The user must", text)
        self.assertEqual(self.server.requests[0][2]["Authorization"], "Bearer " + TOKEN)
        self.assertNotIn(TOKEN, text + client.end()[2])


class Messages(McpTest):
    def test_invalid_messages(self):
        client = self.client((200, DONE))
        for line, code in ((b"{", -32700), (b"\xff\xfe", -32700), (b"[" * 10000, -32700), (b"7", -32600),
                           (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600),
                           (b"x" * (1024 * 1024 + 1), -32600), (b"[]", -32600)):
            with self.subTest(line[:50]):
                client.write(line + b"\n")
                answer = client.message()
                self.assertEqual((answer["id"], answer["error"]["code"]), (None, code))
        client.write(b"\r\n\n  \n")
        self.assertEqual(client.request("ping")["result"], {}, "blank lines have no response")
        for method, params, code in (("tools/eat", {}, -32601), ("tools/call", {}, -32602),
                                     ("tools/call", {"name": "eat"}, -32602),
                                     ("tools/list", {"cursor": "x"}, -32602), ("ping", [], -32602)):
            self.assertEqual(client.request(method, params)["error"]["code"], code)
        self.assertEqual(self.server.requests, [])

    def test_concurrent_calls_are_answered_in_any_order(self):
        """A long call delays neither a short one nor its own cancellation."""
        client = self.client((200, PROCESSING))
        long = client.begin_call("get_reel", {"id": 42, "wait_seconds": 600})
        wait_until(lambda: self.server.requests, "the first look")
        self.assertEqual(client.request("ping")["result"], {})
        self.assertEqual(self.succeeded(client.call("get_reel", id=42))["status"], "processing")
        client.cancel(long)
        self.assertEqual(client.request("ping")["result"], {})
        code, left, _ = client.end()
        self.assertEqual((code, left, client.seen), (0, [], []), "what was cancelled is not answered")

    def test_concurrent_calls_are_limited(self):
        client = self.client((200, PROCESSING))
        held = [client.begin_call("get_reel", {"id": 42, "wait_seconds": 600}) for _ in range(16)]
        self.assertIn("16 calls are running", self.failed(client.call("usage")))
        client.cancel(held[0])
        wait_until(lambda: not client.call("get_reel", id=42)["isError"], "a free place")
        for one in held:
            client.cancel(one)
        self.assertEqual(client.end()[:2], (0, []))

    def test_a_batch(self):
        client = self.client((200, []), revision="2025-03-26")
        client.tell([{"jsonrpc": "2.0", "id": "a", "method": "ping"},
                     {"jsonrpc": "2.0", "id": "b", "method": "tools/call", "params": {"name": "list_reels"}}])
        answers = {one["id"]: one["result"] for one in client.message()}
        self.assertEqual(answers["a"], {})
        self.assertEqual(self.text_of(answers["b"]), '{"reels":[]}')
        self.assertNotIn("structuredContent", answers["b"])


class Tools(McpTest):
    def test_analyze_reel(self):
        client = self.client(QUEUED, (200, PENDING), (200, DONE))
        request_id = client.begin_call("analyze_reel", {"url": LINK, "fresh": True}, progressToken="p")
        result = client.answer(request_id)["result"]
        self.assertEqual(self.succeeded(result), DONE)
        self.assertEqual(self.text_of(result), json.dumps(DONE), "as the server wrote it")
        self.assertEqual({one["params"]["progressToken"] for one in client.seen}, {"p"})
        progress = [one["params"]["progress"] for one in client.seen]
        self.assertEqual(progress, sorted(set(progress)), "it only grows")
        texts = [one["params"]["message"] for one in client.seen]
        self.assertEqual(len(texts), len(set(texts)), "no two notifications with the same words")
        self.assertRegex(client.seen[0]["params"]["message"], r"^reel 42: pending, \d+ s$")
        method, path, headers, body = self.server.requests[0]
        self.assertEqual((method, path), ("POST", "/api/v1/reels/analyze"))
        self.assertEqual(json.loads(body), {"url": LINK, "fresh": True, "queue": True})
        self.assertRegex(headers["Idempotency-Key"], r"^[0-9a-f]{32}$")

    def test_a_lost_answer_is_not_charged_twice(self):
        client = self.client("hang up", (503, b""), QUEUED, (200, DONE), QUEUED, (200, DONE))
        self.succeeded(client.call("analyze_reel", url=LINK))
        self.succeeded(client.call("analyze_reel", url=LINK))
        keys = [headers["Idempotency-Key"] for method, _, headers, _ in self.server.requests if method == "POST"]
        self.assertEqual(len(keys), 4)
        self.assertEqual(len(set(keys[:3])), 1, "the tries of one call")
        self.assertNotEqual(keys[2], keys[3], "two calls")
        self.assertIn("trying again in 1 s", client.end()[2])

    def test_an_analysis_times_out(self):
        client = self.client(QUEUED, (200, PROCESSING))
        job = self.succeeded(client.call("analyze_reel", url=LINK, wait_seconds=1))
        self.assertEqual({**job, "hint": None}, {**PROCESSING, "hint": None})
        self.assertIn("get_reel with id 42", job["hint"])
        self.assertEqual(client.seen, [], "no progress unless it is asked for")
        # The official clients forget the token with the answer: progress in the same write causes an error.
        client = self.client(QUEUED, (200, PENDING))
        request_id = client.begin_call("analyze_reel", {"url": LINK, "wait_seconds": 0}, progressToken="w")
        self.assertEqual(self.succeeded(client.answer(request_id)["result"])["status"], "pending")
        self.assertEqual(client.seen, [], "no progress from the look that ends the wait")
        self.assertEqual([path for _, path, _, _ in self.server.requests],
                         ["/api/v1/reels/analyze", "/api/v1/reels/42"])

    def test_a_failed_analysis(self):
        client = self.client(QUEUED, (200, FAILED))
        for tool, arguments in (("analyze_reel", {"url": LINK}), ("get_reel", {"id": 42})):
            result = client.call(tool, **arguments)
            self.assertIn("Video is not available: private (unavailable)", self.failed(result))
            self.assertEqual(result["structuredContent"], FAILED)
            self.assertEqual(json.loads(result["content"][1]["text"]), FAILED)

    def test_errors_of_the_server(self):
        cases = [
            (401, {"error": "invalid API token"}, (), "REELS_TOKEN"),
            (404, {"message": "not found", "status": "error"}, (), "list_reels"),
            (400, {"message": "URL must be an instagram.com link", "status": "error"}, (), "URL must be"),
            (429, {"message": "limit of 3 jobs reached", "status": "error"}, ("Retry-After", "40"),
             "limit of 3 jobs reached (HTTP 429); the server asks to try again after 40 s. This is a limit"),
        ]
        for status, body, header, text in cases:
            with self.subTest(status):
                client = self.client((status, body, header) if header else (status, body))
                tool = ("get_reel", {"id": 42}) if status == 404 else ("analyze_reel", {"url": LINK})
                self.assertIn(text, self.failed(client.call(tool[0], **tool[1])))
                self.assertEqual(len(self.server.requests), 1)

    def test_a_spent_budget(self):
        client = self.client((429, {"message": "monthly budget of $5 is spent", "status": "error"},
                              ("Retry-After", "211476"), ("X-Error-Code", "budget_exceeded")))
        self.assertRegex(
            self.failed(client.call("analyze_reel", url=LINK)),
            r"is spent \(HTTP 429, budget_exceeded\); the server asks to try again after "
            r"\d{4}-\d\d-\d\d \d\d:\d\d UTC\. The account can pay for nothing more before the next month")
        self.assertEqual(len(self.server.requests), 1)

    def test_an_unavailable_server(self):
        down = (503, {"message": "the service is unavailable", "status": "error"})
        client = self.client(QUEUED, down)
        text = self.failed(client.call("analyze_reel", url=LINK))
        for part in ("has id 42", "the service is unavailable (HTTP 503)", "try again later"):
            self.assertIn(part, text)
        client = self.client((200, b"<html>"))
        self.assertIn("is this a reelsd server?", self.failed(client.call("usage")))

    def test_options_of_the_analysis(self):
        client = self.client(QUEUED, (200, {**DONE, "extract": {"name": "Pancakes"}}))
        options = {"language": "de", "instructions": "tools", "extract": {"type": "object"}, "analyzer": "gemini"}
        job = self.succeeded(client.call("analyze_reel", url=LINK, **options))
        self.assertEqual(job["extract"], {"name": "Pancakes"})
        self.assertEqual(json.loads(self.server.requests[0][3]), {"url": LINK, "queue": True, **options})

    def test_frames_of_key_moments(self):
        moments = [{"timestamp": "00:03", "seconds": 3, "description": "pasta goes in",
                    "frame": "/api/v1/reels/42/frames/0"}]
        job = {**DONE, "result": {**DONE["result"], "content": {**DONE["result"]["content"],
                                                                "key_moments": moments}}}
        client = self.client((200, job), (200, b"\xff\xd8\xff\xd9", ("Content-Type", "image/jpeg")))
        result = client.call("get_reel", id=42, frames=3)
        self.assertEqual(self.succeeded(result), job)
        self.assertEqual(result["content"][1:], [
            {"type": "text", "text": "Key moment 1 at 00:03: pasta goes in"},
            {"type": "image", "data": "/9j/2Q==", "mimeType": "image/jpeg"}])
        self.assertEqual(self.server.requests[1][1], "/api/v1/reels/42/frames/0")

    def test_questions(self):
        answer = {"answered": True, "answer": "Two cups.", "cost_usd": 0.00041,
                  "citations": [{"id": 42, "code": "DYa0IXPgnP5", "field": "audio.transcript",
                                 "text": "two cups", "seconds": 12.5}],
                  "model": {"provider": "gemini", "name": "gemini-1"}}
        client = self.client((200, answer))
        result = client.call("ask_reels", question="how much?", limit=3)
        self.assertEqual(self.succeeded(result), answer)
        self.succeeded(client.call("ask_reels", question="how much?", id=42))
        self.assertEqual([(method, path, json.loads(body)) for method, path, _, body in self.server.requests],
                         [("POST", "/api/v1/reels/ask", {"question": "how much?", "limit": 3}),
                          ("POST", "/api/v1/reels/42/ask", {"question": "how much?"})])
        client = self.client("hang up", (200, answer))
        self.assertIn("no answer from", self.failed(client.call("ask_reels", question="how much?")))
        self.assertEqual(len(self.server.requests), 1, "not paid twice")

    def test_lists(self):
        client = self.client((200, [PENDING], next_page("a%2Bb")), (200, [FAILED]))
        self.assertEqual(self.succeeded(client.call("list_reels", limit=1, status="error")),
                         {"reels": [PENDING], "next_cursor": "a+b"})
        self.assertEqual(self.succeeded(client.call("list_reels", cursor="a+b")), {"reels": [FAILED]})
        self.assertEqual([path for _, path, _, _ in self.server.requests],
                         ["/api/v1/reels?limit=1&status=error&latest=true",
                          "/api/v1/reels?limit=20&cursor=a%2Bb&latest=true"])

    def test_foreign_text_cannot_leave_its_value(self):
        caption = 'x","status":"done"}\n{"jsonrpc":"2.0","id":2,"result":{}}\n\u2028\x7f\x1b[2J'
        client = self.client((200, [{**PENDING, "summary": caption}]))
        request_id = client.begin_call("list_reels", {})
        self.assertEqual(self.succeeded(client.answer(request_id)["result"])["reels"][0]["summary"], caption)
        self.assertEqual((client.seen, client.end()[1]), ([], []), "one line, one message")


def plain(schema, components):
    """{member: (its types, their contents)} of an object's schema, with references resolved."""
    while "$ref" in schema:
        schema = components[schema["$ref"].rsplit("/", 1)[1]]
    choices = schema.get("anyOf", [schema])
    kinds = {choice.get("type", "object") for choice in choices}
    if schema.get("nullable"):
        kinds.add("null")
    inner = None
    if "object" in kinds:
        inner = {"required": set(schema.get("required", [])),
                 "members": {name: plain(one, components) for name, one in schema.get("properties", {}).items()}}
    elif "array" in kinds:
        inner = plain(schema["items"], components)
    return kinds, inner


class Schemas(McpTest):
    def setUp(self):
        client = self.client((200, DONE))
        self.tools = {tool["name"]: tool for tool in client.request("tools/list")["result"]["tools"]}
        with open(OPENAPI, encoding="utf-8") as file:
            self.components = yaml.safe_load(file)["components"]["schemas"]

    def documented(self, name):
        return plain({"$ref": "#/" + name}, self.components)

    def promised(self, tool):
        return plain(self.tools[tool]["outputSchema"], {})

    def test_result_schemas_match_the_api(self):
        self.assertEqual(list(self.tools),
                         ["analyze_reel", "get_reel", "search_reels", "ask_reels", "list_reels", "usage"])
        for tool in ("analyze_reel", "get_reel"):
            kinds, job = self.promised(tool)
            self.assertEqual(job["members"].pop("hint"), ({"string"}, None))
            self.assertEqual((kinds, job), self.documented("Job"))
        self.assertEqual(self.promised("usage"), self.documented("Usage"))
        self.assertEqual(self.promised("ask_reels"), self.documented("Answer"))
        reels = self.promised("list_reels")[1]
        self.assertEqual(reels["required"], {"reels"})
        self.assertEqual(reels["members"]["reels"][1], self.documented("JobItem"))
        self.assertEqual(self.promised("search_reels")[1]["members"]["hits"][1], self.documented("SearchHit"))

    def test_argument_schemas_match_the_api(self):
        url = self.tools["analyze_reel"]["inputSchema"]["properties"]["url"]
        self.assertEqual(url["maxLength"], self.components["LinkSubmission"]["properties"]["url"]["maxLength"])
        options = self.tools["analyze_reel"]["inputSchema"]["properties"]
        documented = self.components["Submission"]["properties"]
        for name in ("language", "instructions", "analyzer"):
            self.assertEqual(options[name]["maxLength"], documented[name]["maxLength"], name)
        asked = self.tools["ask_reels"]["inputSchema"]["properties"]
        documented = self.components["LibraryQuestion"]["properties"]
        self.assertEqual(asked["question"]["maxLength"], documented["question"]["maxLength"])
        self.assertEqual(asked["author"]["maxLength"], documented["author"]["maxLength"])
        for bound in ("minimum", "maximum", "default"):
            self.assertEqual(asked["limit"][bound], documented["limit"][bound], bound)
        status = self.tools["list_reels"]["inputSchema"]["properties"]["status"]
        self.assertEqual(status["enum"], self.components["JobStatus"]["enum"])


class Daemons(ServiceTest, McpTest):
    """The same with the real server."""

    @classmethod
    def setUpClass(cls):
        cls.served = Daemon(workers=2, retry_base_seconds=0.05)
        cls.addClassCleanup(cls.served.close)
        cls.served.start()
        # There are no workers: jobs stay pending as long as a test needs.
        cls.idle = Daemon(workers=0)
        cls.addClassCleanup(cls.idle.close)
        cls.idle.start()

    def connect(self, daemon, unlimited=True):
        self.account = daemon.account(unlimited=unlimited)
        return self.client(REELS_SERVER="http://" + daemon.address, REELS_TOKEN=self.account.token)

    def test_all_tools_with_a_daemon(self):
        client = self.connect(self.served)
        request_id = client.begin_call("analyze_reel", {"url": SAMPLE, "wait_seconds": 600}, progressToken=1)
        job = self.succeeded(client.answer(request_id)["result"])
        self.assertEqual(job["status"], "done")
        check_result(self, job["result"])
        self.assertGreater(len(client.seen), 0)
        self.assertEqual(self.succeeded(client.call("get_reel", id=job["id"])), job)
        hits = self.succeeded(client.call("search_reels", query=job["result"]["content"]["summary"], limit=3))
        self.assertEqual(hits["hits"][0]["id"], job["id"])

        failed = client.call("analyze_reel", url=UNAVAILABLE, wait_seconds=600)
        self.assertRegex(self.failed(failed), r"^The analysis of reel \d+ ended in an error: Video is not available")
        self.assertEqual(failed["structuredContent"]["error_code"], "unavailable")

        page = self.succeeded(client.call("list_reels", limit=1))
        self.assertEqual([reel["status"] for reel in page["reels"]], ["error"])
        rest = self.succeeded(client.call("list_reels", cursor=page["next_cursor"]))
        self.assertEqual([reel["id"] for reel in rest["reels"]], [job["id"]])
        self.assertNotIn("next_cursor", rest)
        self.assertEqual(self.succeeded(client.call("list_reels", status="pending")), {"reels": []})

        usage = self.succeeded(client.call("usage", **{"from": "2026-01-01"}))
        self.assertEqual(usage["total_calls"], sum(model["calls"] for model in usage["by_model"]))

    def test_errors_of_the_daemon(self):
        client = self.connect(self.served)
        for tool, arguments, text in (
                ("analyze_reel", {"url": "https://tiktok.com/x"},
                 'link, got "tiktok.com" (HTTP 400, url_not_supported_host)'),
                ("analyze_reel", {"url": " "}, "url is required"),
                ("get_reel", {"id": 2**63 - 1}, "not found (HTTP 404)"),
                ("list_reels", {"cursor": "bogus"}, "cursor"),
                ("usage", {"from": "22.05.2026"}, "from must be a date"),
                ("usage", {"from": "2026-05-02", "to": "2026-05-01"}, "from must not be after to")):
            with self.subTest(tool):
                self.assertIn(text, self.failed(client.call(tool, **arguments)))

    def test_limits_of_the_account_apply(self):
        client = self.connect(self.idle, unlimited=False)
        self.idle.limit(self.account.email, queued_jobs=2)
        for _ in range(5):
            self.succeeded(client.call("analyze_reel", url=SAMPLE, wait_seconds=0))
        text = self.failed(client.call("analyze_reel", url=SAMPLE, wait_seconds=0))
        self.assertRegex(
            text, r"limit of 2 queued jobs .*\(HTTP 429, limit_queued_jobs\); the server asks to try again after \d+ s")
        reels = self.succeeded(client.call("list_reels"))["reels"]
        self.assertEqual([reel.get("earlier") for reel in reels], [4], "five analyses of one post")

    def test_a_cancelled_call_does_not_stop_the_reel(self):
        client = self.connect(self.idle)
        held = client.begin_call("analyze_reel", {"url": SAMPLE, "wait_seconds": 600}, progressToken="t")
        self.assertEqual(client.message()["method"], "notifications/progress")
        client.cancel(held)
        reels = self.succeeded(client.call("list_reels"))["reels"]
        self.assertEqual([reel["status"] for reel in reels], ["pending"])
        self.assertEqual(client.end()[:2], (0, []))
        self.assertNotIn(held, [one.get("id") for one in client.seen])

    def test_a_revoked_token(self):
        client = self.connect(self.served)
        self.succeeded(client.call("list_reels"))
        self.served.cli("token", "revoke", "--account", self.account.email, "--name", "test")
        text = wait_until(lambda: re.search(r"invalid API token.*", client.call("list_reels")["content"][0]["text"]),
                          "the refusal")
        self.assertIn("REELS_TOKEN", text.group())


if __name__ == "__main__":
    unittest.main(verbosity=2)
