"""Daemons with a stand-in for the model: shared by the suites of remote analysis."""

import contextlib
import copy
import itertools
import json
import os
import pathlib
import shutil
import threading
from decimal import Decimal

from service_support import Cluster, DatabaseTest, Platform, new_folder, program, wait_until

PRICES = {"gemini-3.8-flash": ("0.123457", "3.700001", "0.0123"),
          "gemini-3.5-flash-lite": ("0.3", "2.5", "0.03"),
          "test-model": ("0.271828", "1.414214", "0.05")}
PAID_CALLS_MAX = 3  # For a job, over all its attempts.
CONFIG_FAULTS_AT_MOST = 3  # A daemon that has learned of it makes no further request.

# An answer that conforms to our schema, about a video of one second.
ANSWER = {
    "visual": {
        "text_segments": [
            {"start": "00:00", "end": "00:01", "text": "FRESH PASTA", "kind": "title", "language": "en"}],
        "subjects": ["a cook"], "setting": "a small kitchen",
        "description": "A cook rolls out dough in a bright kitchen."},
    "audio": {
        "segments": [{"start": "00:00", "end": "00:01", "speaker": "host",
                      "text": "Today we make pasta."}],
        "language": "en", "has_music": True, "music_description": "calm guitar", "music_title": None,
        "music_artist": None},
    "content": {
        "hooks": ["the dough lands on the table"],
        "key_moments": [{"time": "00:00", "description": "Dough is rolled out.", "importance": "high"}],
        "call_to_action": None, "topics": ["cooking", "pasta"],
        "summary": "A cook shows how to make fresh pasta."},
    "metadata": {"format": "tutorial", "target_audience": "home cooks", "sentiment": "positive"},
}


def answer_with(path, value):
    """The answer with one member changed: answer_with("content.summary", "...")."""
    answer = copy.deepcopy(ANSWER)
    *parents, name = path.split(".")
    inner = answer
    for parent in parents:
        inner = inner[parent]
    inner[name] = value
    return answer


def texts_of(record):
    """All texts of a request."""
    body = record.json
    if "contents" in body:
        parts = body.get("systemInstruction", {}).get("parts", []) + body["contents"][0]["parts"]
    else:
        contents = [message["content"] for message in body["messages"]]
        parts = [part for content in contents
                 for part in ([{"text": content}] if isinstance(content, str) else content)]
    return "\n".join(part["text"] for part in parts if "text" in part)


def exact(answer):
    """Parses a JSON answer, and keeps numbers as they are written."""
    return json.loads(answer.body, parse_float=Decimal, parse_int=Decimal)


class ModelTest(DatabaseTest):
    """A test with a separate model and database, and a platform with one small video."""

    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster()
        cls.addClassCleanup(cls.cluster.close)
        cls.platform = Platform(with_sound=True)
        cls.addClassCleanup(cls.platform.close)

    def setUp(self):
        super().setUp()
        self.codes = (f"DYmodel{number:04}" for number in itertools.count(1))
        self.words = (f"WordOfRow{number:04}" for number in itertools.count(1))
        self.model = self.new_model().start()
        self.addCleanup(self.model.stop)
        self.model.answer = ANSWER
        self.served_daemon = self.account = None

    def new_model(self):
        raise NotImplementedError

    def model_settings(self):
        raise NotImplementedError

    def analyzing(self, **settings):
        """A started daemon that uses the model; its account is self.account."""
        prices = ",".join("%s=%s" % (name, "/".join(price)) for name, price in PRICES.items())
        settings = {"workers": 12, "model_prices": prices, **self.model_settings(), **settings}
        daemon = self.shared_daemon(**settings).start()
        self.served_daemon = daemon
        self.account = daemon.account(unlimited=True)
        return daemon

    def dies_before_storing(self, while_down=lambda: None, submit=None, **settings):
        """The id of a job whose daemon is killed after the answers have arrived and before the result is stored: while
        pictures of key moments are made, which is last. `while_down` is called before the daemon runs again."""
        folder = new_folder()
        self.addCleanup(shutil.rmtree, folder)
        helper, reached = os.path.join(folder, "helper"), os.path.join(folder, "reached")
        with open(helper, "w") as file:
            file.write(f'#!/bin/sh\nif [ "$1" = stills ] && [ ! -e {reached} ]; then : > {reached}; sleep 60; fi\n'
                       f'exec {program("reelsd-media")} "$@"\n')
        os.chmod(helper, 0o755)
        os.chmod(folder, 0o777)
        daemon = self.analyzing(lease_seconds=1, attempts_max=5, media_helper=helper, **settings)
        job_id = (submit or self.submitted)()
        wait_until(lambda: os.path.exists(reached), "the pictures, which are made last")
        daemon.kill()
        while_down()
        daemon.start()
        return job_id

    # Jobs.

    def submitted(self, **post):
        code = next(self.codes)
        self.platform.configure(posts={code: post})
        return self.account.submit(f"https://www.instagram.com/reel/{code}/")

    def job(self, **post):
        """Returns a finished job."""
        return self.account.finished(self.submitted(**post))

    def assertDone(self, job, provider=None):
        self.assertEqual(job["status"], "done", job)
        used = job["result"]["metadata"]["model"]
        self.assertEqual(used["provider"], provider or self.provider, job)
        return job["result"]

    def assertFailed(self, job, *error_codes):
        self.assertEqual(job["status"], "error", job)
        self.assertIn(job["error_code"], error_codes or ("model_failed",), job)

    def assertPaidLittle(self, calls):
        paid = [call for call in calls if call.usage]
        self.assertLessEqual(len(paid), PAID_CALLS_MAX, paid)

    def try_fault(self, kind, name, times=1, **options):
        """A job while requests of this kind fail in this way: (job, records of its calls)."""
        before = self.model.count(self.call_kind)
        self.model.fail(kind, name, times=times, **options)
        job = self.job()
        self.model.forget_faults()
        return job, self.model.of(self.call_kind)[before:]

    def try_faults(self, rows, times=1):
        """The same for several faults (name, options) at once, one job each; yields (name, job, records of its
        calls)."""
        words = [next(self.words) for _ in rows]
        jobs = []
        for word, (name, options) in zip(words, rows):
            self.model.fail(self.call_kind, name, times=times, words=word, **options)
            jobs.append(self.submitted(caption=f"Hello {word}."))
        finished = [self.account.finished(job_id) for job_id in jobs]
        self.model.forget_faults()
        calls = {word: [call for call in self.model.of(self.call_kind) if word in str(call.json)]
                 for word in words}
        return [(name, job, calls[word]) for word, job, (name, _) in zip(words, finished, rows)]

    # Usage.

    def assertBooked(self, daemon):
        """Each token and each cent equals the model's own records."""
        usage = exact(self.account.request("GET", "/api/v1/reels/usage"))
        billed = self.model.billed()
        rows = [row for row in usage["by_model"] if row["model"] in billed]  # One for each purpose.
        self.assertEqual({row["model"] for row in rows}, set(billed), usage)
        for model, expected in billed.items():
            for name in ("calls", "prompt_tokens", "output_tokens"):
                total = sum(row[name] for row in rows if row["model"] == model)
                self.assertEqual(total, expected[name], (model, name))
        for row in rows:
            self.assertEqual(row["total_tokens"], row["prompt_tokens"] + row["output_tokens"])
        self.assertEqual(sum(row["cost_usd"] for row in rows), self.model.cost(PRICES))
        return usage


class Snoop(threading.Thread):
    """Inspects a daemon and all its children: their arguments, and the environment of the children."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.ended = pid, threading.Event()
        self.own = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
        self.arguments, self.environments, self.children = set(), set(), set()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.join(10)

    def run(self):
        while not self.ended.wait(0.005):
            for pid in self.descendants():
                with contextlib.suppress(OSError):
                    arguments = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
                    self.arguments.add(arguments)
                    # Before it executes another program, a child still has the daemon's memory.
                    if arguments not in (self.own, b""):
                        self.children.add(pid)
                        self.environments.add(pathlib.Path(f"/proc/{pid}/environ").read_bytes())

    def descendants(self):
        children = {}
        for name in os.listdir("/proc"):
            if name.isdigit():
                with contextlib.suppress(OSError, ValueError):
                    fields = pathlib.Path(f"/proc/{name}/stat").read_text().rsplit(")", 1)[1].split()
                    children.setdefault(int(fields[1]), []).append(int(name))
        found, waiting = [], [self.pid]
        while waiting:
            pid = waiting.pop()
            found.append(pid)
            waiting += children.get(pid, [])
        return found
