"""Runs the example programs of the guide against the daemon. Goal: they submit a link, wait for the result, and accept
exactly the webhooks that the daemon has signed.

Method: the programs run unchanged, with nothing but their language's standard library.
"""

import http.client
import json
import pathlib
import queue
import socket
import subprocess
import sys
import threading
import time
import unittest

from service_support import SAMPLE, UNAVAILABLE, DatabaseTest, clean_environment, die_with_us, must, wait_until

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs/guide/examples"
# -I: without site-packages and the user's folders.
PROGRAMS = {"reels.py": [sys.executable, "-I", "-B"], "reels.mjs": ["node"]}
LINES_MAX = 40
REEL_SECONDS_MAX = 180


def free_port():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        return unused.getsockname()[1]


def is_open(port):
    with socket.socket() as attempt:
        return attempt.connect_ex(("127.0.0.1", port)) == 0


class Examples(DatabaseTest):
    def setUp(self):
        super().setUp()
        self.server = self.shared_daemon(webhook_networks="127.0.0.0/8", webhook_retry_base_seconds=0.2).start()
        self.account = self.server.account(unlimited=True)
        self.secret = self.account.request("GET", "/api/v1/webhook").json()["secret"]

    def environment(self):
        return clean_environment() | {
            "REELS_SERVER": f"http://{self.server.address}/", "REELS_TOKEN": self.account.token,
            "WEBHOOK_SECRET": self.secret}

    def run_program(self, name, link):
        done = must(subprocess.run(
            [*PROGRAMS[name], FOLDER / name, link], env=self.environment(), cwd="/", capture_output=True, text=True,
            timeout=REEL_SECONDS_MAX))
        return json.loads(done.stdout)

    def receive(self, name):
        """Starts a receiver; returns its port and its lines."""
        port, lines = free_port(), queue.Queue()
        process = subprocess.Popen(
            [*PROGRAMS[name], FOLDER / name, "--receive", str(port)], env=self.environment(), cwd="/",
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, preexec_fn=die_with_us)
        reader = threading.Thread(target=lambda: [lines.put(line) for line in process.stdout])
        reader.start()
        self.addCleanup(process.stdout.close)
        self.addCleanup(reader.join)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        wait_until(lambda: is_open(port), f"{name} to listen")
        return port, lines

    def test_a_link_is_submitted_and_awaited(self):
        for name in PROGRAMS:
            with self.subTest(name):
                reel = self.run_program(name, SAMPLE)
                self.assertEqual(reel["status"], "done")
                self.assertEqual(reel, self.account.job(reel["id"]))
                self.assertEqual(self.run_program(name, UNAVAILABLE)["error_code"], "unavailable")

    def test_a_refusal_is_printed(self):
        for name in PROGRAMS:
            with self.subTest(name):
                done = subprocess.run(
                    [*PROGRAMS[name], FOLDER / name, "https://tiktok.com/x"], env=self.environment(),
                    capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertIn("400: ", done.stderr)
                self.assertIn('got \\"tiktok.com\\"', done.stderr)

    def test_only_signed_webhooks_are_accepted(self):
        for name in PROGRAMS:
            with self.subTest(name):
                port, lines = self.receive(name)
                submitted = self.account.request("POST", "/api/v1/reels/analyze", {
                    "url": UNAVAILABLE, "webhook_url": f"http://127.0.0.1:{port}/"})
                reel = json.loads(lines.get(timeout=REEL_SECONDS_MAX))
                self.assertEqual((reel["id"], reel["status"]), (submitted.json()["id"], "error"))
                self.assert_forged_is_refused(port)
                self.assertTrue(lines.empty())

    def assert_forged_is_refused(self, port):
        forged = {"webhook-id": "msg_1", "webhook-timestamp": str(int(time.time())), "webhook-signature": "v1,AAAA"}
        for headers in ({}, forged, {**forged, "webhook-timestamp": "soon"},
                        {**forged, "webhook-timestamp": "9" * 5000}, {**forged, "webhook-signature": "v1,\u00e9"}):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            connection.request("POST", "/", '{"id": 1}', headers)
            self.assertEqual(connection.getresponse().status, 401)
            connection.close()

    def test_usage(self):
        for name in PROGRAMS:
            for arguments in ([], ["--receive"]):
                with self.subTest(name, arguments=arguments):
                    done = subprocess.run(
                        [*PROGRAMS[name], FOLDER / name, *arguments], env=self.environment(), capture_output=True,
                        text=True, timeout=60, check=False)
                    self.assertEqual((done.returncode, done.stdout), (1, ""))
                    self.assertRegex(done.stderr, r"\A.*LINK.*--receive PORT.*\n\Z")

    def test_they_stay_short(self):
        for name in PROGRAMS:
            self.assertLessEqual(len((FOLDER / name).read_text(encoding="utf-8").splitlines()), LINES_MAX)


if __name__ == "__main__":
    unittest.main(verbosity=2)
