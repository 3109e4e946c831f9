"""Runs the samples of the API reference as a reader pastes them. Goal: each is a whole program of curl, Python's
standard library or Node.js, and does what its guide says.

Method: only the server's address, the token and the ids of reels are replaced.
"""

import collections
import functools
import http.server
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import unittest

import yaml

from service_support import SAMPLE, UNAVAILABLE, DatabaseTest, new_folder, program
from webhook_receiver import WebhookReceiver

ROOT = pathlib.Path(__file__).resolve().parents[2]
PRELUDE = 'set -eu\ncurl() { command curl --silent --show-error --fail "$@"; }\n'
RUNS = {
    "sh": lambda text: ["bash", "-c", PRELUDE + text],
    "python": lambda text: [sys.executable, "-I", "-B", "-c", text],
    "javascript": lambda text: ["node", "-e", text],
}
SAMPLE_SECONDS_MAX = 120
REEL_SECONDS_MAX = 300
SAMPLES_MIN = 120
UNKNOWN_ID = 2**62
# Without a model, and for an unknown delivery.
REFUSED = {"askReel": 400, "askReels": 400, "redeliver": 404}
REFUSED_EXAMPLES = {"recipe": 400, "schema": 400}
VIDEO = "share/reelsd/sample.mp4"


@functools.cache
def document():
    return yaml.safe_load((ROOT / "docs/openapi.yaml").read_text(encoding="utf-8"))


def request_samples():
    path = ROOT / "src/api/documents/samples.py"
    specification = importlib.util.spec_from_file_location("samples", path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module.samples_of(document())


def guide_sample(title, language):
    _, _, text = document()["info"]["description"].partition(f"\n## {title}\n")
    return re.search(rf"```{language}\n(.*?)```", text, re.DOTALL)[1]


def run(language, text, folder="/"):
    # Node.js 18 warns that the files of a form are experimental.
    return subprocess.run(RUNS[language](text), cwd=folder, capture_output=True, text=True, timeout=SAMPLE_SECONDS_MAX, check=False,
                          env={**os.environ, "NODE_NO_WARNINGS": "1"})


class ScriptedServer:
    """Gives each request the next of some responses, `(status, headers, body)`; keeps the requests' keys."""

    def __init__(self, *responses):
        waiting, self.keys = collections.deque(responses), []
        keys = self.keys

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                keys.append(self.headers["Idempotency-Key"])
                self.rfile.read(int(self.headers["Content-Length"]))
                status, headers, body = waiting.popleft()
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(body))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def problem(status, code):
    return status, {"X-Error-Code": code, "Retry-After": "0"}, json.dumps({"message": "no", "status": "error"})


class Retries(unittest.TestCase):
    def run_against(self, language, *responses):
        server = ScriptedServer(*responses)
        self.addCleanup(server.close)
        return run(language, guide_sample("Safe retries", language).replace("http://127.0.0.1:8080", server.address)), server.keys

    def test_a_refusal_that_passes_is_repeated_with_the_same_key(self):
        for language in RUNS:
            with self.subTest(language):
                done, keys = self.run_against(
                    language, problem(503, "service_unavailable"), problem(429, "limit_concurrent_jobs"),
                    (202, {}, '{"id": 7, "status": "pending"}'))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("7", done.stdout)
                self.assertEqual((len(keys), len(set(keys))), (3, 1))

    def test_any_other_refusal_ends_with_its_code(self):
        for language in ("python", "javascript"):
            for status, code in ((400, "url_not_a_reel"), (429, "budget_exceeded")):
                with self.subTest(language, code=code):
                    done, keys = self.run_against(language, problem(status, code))
                    self.assertNotEqual(done.returncode, 0)
                    self.assertIn(code, done.stderr)
                    self.assertEqual(len(keys), 1)


class Samples(DatabaseTest):
    def setUp(self):
        super().setUp()
        posts = re.findall(r"/reel/(DY\w+)", json.dumps(document()["paths"]))
        self.platform.configure(posts={code: {} for code in posts})
        receiver = WebhookReceiver()
        self.addCleanup(receiver.close)
        self.receiver = receiver.url("/reels")
        self.server = self.shared_daemon(webhook_networks="127.0.0.0/8", videos_kept_days=1).start()

    def filled(self, text, account, reel):
        """A sample with a reader's values."""
        text = re.sub(r"\b42\b", str(reel), text).replace("https://example.org/reels", self.receiver)
        text = text.replace("/deliveries/7/", f"/deliveries/{UNKNOWN_ID}/")
        return text.replace("http://127.0.0.1:8080", f"http://{self.server.address}").replace("YOUR_SECRET_TOKEN", account.token)

    def test_each_sample_of_a_request_runs(self):
        samples = request_samples()
        folder = pathlib.Path(new_folder())
        self.addCleanup(shutil.rmtree, folder, True)
        shutil.copy(pathlib.Path(program("reelsd")).parent.parent / VIDEO, folder / "clip.mp4")
        account = self.server.account(unlimited=True)
        reel = account.submit(SAMPLE)
        account.finished(reel, REEL_SECONDS_MAX)
        seen = 0
        for lang, language in (("shell", "sh"), ("python", "python"), ("javascript", "javascript")):
            for operation, sample in ((name, sample) for name, listed in samples.items() for sample in listed):
                if sample["lang"] != lang:
                    continue
                seen += 1
                with self.subTest(operation, language=lang, example=sample.get("example")):
                    status = REFUSED.get(operation) or REFUSED_EXAMPLES.get(sample.get("example"))
                    which = account.submit(UNAVAILABLE) if operation == "deleteReel" else reel
                    if operation == "testWebhook":  # The last sample of setWebhook removes it.
                        account.request("PUT", "/api/v1/webhook", {"url": self.receiver})
                    text = self.filled(sample["source"], account, which)
                    if operation == "removeSavedSearch":
                        search = account.request("GET", "/api/v1/searches").json()[0]["id"]
                        text = text.replace("/searches/3", f"/searches/{search}")
                    self.assert_runs(language, run(language, text, folder), status)
            for name in ("thumbnail.jpg", "frame.jpg", "video.mp4"):
                self.assertGreater((folder / name).stat().st_size, 1000)
                (folder / name).unlink()
        self.assertGreaterEqual(seen, SAMPLES_MIN)

    def assert_runs(self, language, done, refusal):
        if refusal is None:
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        else:
            self.assertNotEqual(done.returncode, 0)
            self.assertIn('"message"' if language == "javascript" else str(refusal), done.stderr)

    def test_the_sample_of_pagination_lists_all_reels(self):
        account = self.server.account(unlimited=True)
        ids = [account.submit(UNAVAILABLE) for _ in range(3)]
        for language in ("python", "javascript"):
            with self.subTest(language):
                sample = guide_sample("Pagination", language).replace("limit=100", "limit=1")
                done = run(language, self.filled(sample, account, ids[0]))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual([int(line.split()[0]) for line in done.stdout.splitlines()], ids[::-1])


if __name__ == "__main__":
    unittest.main(verbosity=2)
