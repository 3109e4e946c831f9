"""The turns of a soak test's clients of /api/v1: submit, wait, follow, read, list, search, delete, webhooks."""

import datetime
import json
import random
import re
import socket
import struct
import threading
import time
import urllib.parse
import uuid

from event_streams import ReelEvents
from service_support import SAMPLE
from soak_clients import Actor, Visitor

ANALYZE = "/api/v1/reels/analyze"
REELS = "/api/v1/reels"
LIBRARY_REELS_MAX = 60  # Reels that the busy account keeps, so that the sizes of tables are stable.
END_SECONDS_MAX = 180  # For a job, including attempts and a cut-off database.
LEFT_BEHIND_SECONDS = 400  # No turn takes this long.
REEL_CODES = [f"DYsoak{number:05}" for number in range(40)]
# Outcomes of links. Most of the platform's posts in a soak are good, see soak.py.
ENDS = {
    "reelsd-unavailable": "unavailable", "reelsd-rate-limited": "rate_limited",
    "reelsd-unsupported": "unsupported_format", "reelsd-too-long": "video_too_long",
    "reelsd-model-failed": "model_failed", "reelsd-storage-error": "storage_error"}
SEARCHES = ("fresh pasta", "a cook in a kitchen", "calm guitar", "coffee", "nothing of the kind", "Überraschung 🎬")


def link_of(code):
    return f"https://www.instagram.com/reel/{code}/"


def code_of(link):
    return link.rstrip("/").rpartition("/")[2]


class Library:
    """The reels of the busy account, some of which are being deleted."""

    def __init__(self):
        self.lock = threading.Lock()
        self.ids, self.gone = [], set()

    def add(self, job_id):
        with self.lock:
            self.ids.append(job_id)

    def any(self, chance):
        with self.lock:
            return chance.choice(self.ids) if self.ids else None

    def surplus(self):
        """Takes a reel for deletion; no other client relies on it from now on."""
        with self.lock:
            if len(self.ids) <= LIBRARY_REELS_MAX:
                return None
            job_id = self.ids.pop(random.randrange(len(self.ids)))
            self.gone.add(job_id)
            return job_id

    def good(self, job_id):
        """The statuses that a read of it may have; called when the answer has arrived."""
        with self.lock:
            return (200, 404) if job_id in self.gone else (200,)


class ApiActor(Actor):
    """With an account: "library" is the busy one, "passing" one whose reels are deleted after they were read."""

    account = "passing"

    def __init__(self, soak, number=0):
        super().__init__(soak, number)
        self.someone = soak.accounts[self.account]
        self.visitor = Visitor(self.book, soak.daemon, self.someone.token)

    def end(self):
        self.visitor.close()

    def ask(self, method, path, body=None, headers=None, **more):
        return self.visitor.ask(self.surface, method, path, body, headers, **more)

    def any_link(self):
        if self.chance.random() < 0.6:
            return link_of(self.chance.choice(REEL_CODES))
        return link_of(self.chance.choice(list(ENDS)))

    def submit(self, link, **more):
        """The id of a new job. A key names it, so that the submission can be repeated."""
        answer = self.visitor.ask(
            "submit", "POST", ANALYZE, json.dumps({"url": link, "fresh": True, **more}),
            {"Idempotency-Key": str(uuid.uuid4())}, good=(202,))
        return answer.json()["id"]

    def wait_for_end(self, job_id, wait=30):
        """The job, once it has ended, by long polls, or by polls if `wait` is 0."""
        give_up = time.monotonic() + END_SECONDS_MAX
        surface = f"wait={wait}" if wait else "poll"
        while time.monotonic() < give_up:
            job = self.visitor.ask(surface, "GET", f"{REELS}/{job_id}" + (f"?wait={wait}" if wait else "")).json()
            if job["status"] in ("done", "error"):
                return job
            if not wait:
                time.sleep(0.3)
        raise AssertionError(f"job {job_id} has not ended in {END_SECONDS_MAX} s: {job}")

    def check_end(self, job):
        """Checks that it ended as its link does."""
        code = code_of(job["url"])
        expected = ENDS.get(code) or self.soak.post_ends.get(code)
        self.check(job.get("error_code") == expected, f"{code} is to end with {expected}: {json.dumps(job)[:400]}")
        if not expected:
            sections = {"visual", "audio", "content", "metadata", "platform_meta"}
            self.check(set(job["result"]) == sections, f"sections of {job['id']}: {sorted(job['result'])}")

    def delete(self, job_id):
        self.visitor.ask("delete", "DELETE", f"{REELS}/{job_id}", good=(204,))


class Submitter(ApiActor):
    surface, every, account = "submit and wait", 3, "library"

    def act(self):
        job_id = self.submit(self.any_link())
        self.check_end(self.wait_for_end(job_id, self.chance.choice((0, 5, 30))))
        self.soak.library.add(job_id)


class SampleSubmitter(ApiActor):
    """The sample reel, with a real analysis."""

    surface, every, account = "sample reel", 45, "library"

    def act(self):
        begun = time.monotonic()
        job_id = self.submit(SAMPLE)
        job = self.wait_for_end(job_id)
        self.check_end(job)
        self.check("coffee" in job["result"]["audio"]["transcript"], f"a transcript without its words: {job_id}")
        self.note(begun)
        self.soak.library.add(job_id)


class Lists(ApiActor):
    surface, every = "list of links", 8

    def act(self):
        links = [self.any_link(), "https://tiktok.com/x", self.any_link()]
        views = self.ask("POST", ANALYZE, json.dumps({"urls": links}),
                         {"Idempotency-Key": str(uuid.uuid4())}, good=(202,)).json()
        self.check([view["url"] for view in views] == links and "error" in views[1], f"{views}")
        for job_id in {views[0]["id"], views[2]["id"]}:  # One, if both links are equal.
            self.check_end(self.wait_for_end(job_id))
            self.delete(job_id)


class Follower(ApiActor):
    """Follows a reel's events to its end; every second time it disconnects in the middle and reconnects."""

    surface, every = "events", 4

    def act(self):
        begun = time.monotonic()
        job_id = self.submit(self.any_link())
        last_id = None
        if next(self.turns) % 2:
            stream = ReelEvents(self.someone, job_id)
            try:
                stream.wait_for("state")
                last_id = next(one[1] for one in stream.events)
            finally:
                stream.close()
        give_up = time.monotonic() + END_SECONDS_MAX
        while True:  # A stream may end before its reel does; a follower reconnects.
            stream = ReelEvents(self.someone, job_id, last_id)
            try:
                if stream.answer.status == 503 and self.book.is_trouble(time.monotonic()):
                    self.book.excuse(self.surface)
                else:
                    self.check(stream.answer.status == 200, f"status {stream.answer.status}")
                stream.ended.wait(END_SECONDS_MAX)
                if "finished" in stream.names():
                    break
                last_id = stream.events[-1][1] if stream.events else last_id
            finally:
                stream.close()
            self.check(time.monotonic() < give_up, f"no end of {job_id} after {stream.names()}")
            time.sleep(0.5)
        job = self.ask("GET", f"{REELS}/{job_id}").json()
        self.check(stream.events[-1][2] == job, f"the last event of {job_id} is not the reel")
        self.check_end(job)
        self.note(begun)
        self.delete(job_id)


class Reader(ApiActor):
    """Reads reels, pictures, subtitles and usage."""

    surface, every, account = "read", 0.1, "library"

    def __init__(self, soak, number=0):
        super().__init__(soak, number)
        if number % 2:  # Every second one uses TLS, at the other daemon.
            self.visitor = Visitor(self.book, soak.tls_daemon, self.someone.token, is_tls=True)
        self.tail = " by TLS" if self.visitor.is_tls else ""

    def act(self):
        job_id = self.soak.library.any(self.chance)
        if job_id is None:
            return
        tail = self.chance.choice(("", "", "", "", "/thumbnail", "/thumbnail?size=small", "/subtitles.srt", "/subtitles.vtt",
                                   "/usage"))
        surface = "read" + tail.partition("?")[0] + self.tail
        answer = self.visitor.ask(surface, "GET", f"{REELS}/{job_id}{tail}", good=(200, 404))
        # A failed reel has no picture and no subtitles.
        is_gone = 404 in self.soak.library.good(job_id)
        if answer.status == 404 and not is_gone and (tail in ("", "/usage") or not self.has_failed(job_id)):
            self.check(404 in self.soak.library.good(job_id), f"{tail} of {job_id} is not there")
        if self.visitor.is_tls and self.chance.random() < 0.3:
            self.visitor.close()  # The next one makes a new handshake.

    def has_failed(self, job_id):
        answer = self.visitor.ask("read" + self.tail, "GET", f"{REELS}/{job_id}", good=(200, 404))
        return answer.status == 404 or answer.json()["status"] == "error"


class Searcher(ApiActor):
    """Lists with all their pages, searches, usage, budget."""

    surface, every, account = "list", 0.5, "library"

    def act(self):
        what = self.chance.randrange(5)
        if what == 0:
            path, pages, seen = f"{REELS}?limit=20", 0, []
            while path and pages < 20:
                answer = self.ask("GET", path)
                seen += [one["id"] for one in answer.json()]
                following = re.search(r"<([^>]+)>", answer.headers.get("Link", ""))
                path, pages = following and following[1], pages + 1
                if path and path.startswith("http"):
                    path = path.partition("://")[2].partition("/")[2].join(("/", ""))
            self.check(seen == sorted(set(seen), reverse=True), f"pages out of order: {seen}")
        elif what == 1:
            query = urllib.parse.quote(self.chance.choice(SEARCHES))
            self.visitor.ask("search", "GET", f"{REELS}/search?q={query}&limit=20")
        elif what == 2:
            path = self.chance.choice(("", "/days", "/days.csv", "/budget"))
            self.visitor.ask("usage", "GET", f"{REELS}/usage{path}")
        elif what == 3:
            self.ask("GET", f"{REELS}?status={self.chance.choice(('done', 'error', 'pending'))}&limit=50")
        else:
            self.visitor.ask("refused", "GET", f"{REELS}/search?q=", good=(400,))
            self.visitor.ask("refused", "POST", ANALYZE, '{"url": "https://tiktok.com/x"}', good=(400,), again=False)


class Deleter(ApiActor):
    """Keeps the size of the library, and deletes reels in progress."""

    surface, every, account = "delete", 0.5, "library"

    def act(self):
        while (job_id := self.soak.library.surplus()) is not None:
            self.delete(job_id)
        if next(self.turns) % 10 == 0:
            job_id = self.submit(self.any_link())
            self.delete(job_id)
            self.ask("GET", f"{REELS}/{job_id}", good=(404,))


class WebhookUser(ApiActor):
    """Sends its webhooks to receivers of all kinds, and checks each signature."""

    surface, every, account = "webhook", 5, "webhooks"
    BEHAVIOURS = ((200,), (503, 200), ("close", 200), ((429, {"Retry-After": "1"}), 200), ("close in the middle", 200))

    def act(self):
        begun = time.monotonic()
        receiver, turn = self.soak.receiver, next(self.turns)
        path = f"/{self.name}/{turn}".replace(" ", "-")
        behaviour = self.chance.choice(self.BEHAVIOURS)
        receiver.behave(path, *behaviour)
        secret = self.ask("GET", "/api/v1/webhook").json()["secret"]
        job_id = self.submit(self.any_link(), webhook_url=receiver.url(path))
        self.wait_for_end(job_id)
        requests = receiver.wait_for(path, len(behaviour), END_SECONDS_MAX)
        for request in requests:
            request.verify(secret)
        self.check(requests[-1].json() == self.ask("GET", f"{REELS}/{job_id}").json(), f"{job_id} has different contents")
        give_up = time.monotonic() + END_SECONDS_MAX
        while True:
            log = [one for one in self.ask("GET", "/api/v1/webhook/deliveries?limit=20").json() if one["job_id"] == job_id]
            if log and log[0]["state"] == "delivered":
                break
            self.check(time.monotonic() < give_up, f"not delivered: {log}")
            time.sleep(0.3)
        self.note(begun)
        if turn % 20 == 19:
            self.ask("POST", "/api/v1/webhook/rotate", good=(200, 201), again=False)
        self.delete(job_id)


class Sweeper(ApiActor):
    """Deletes reels that interrupted turns have left: after a 503, or a wrong answer."""

    surface, every = "delete", 20

    def act(self):
        for name in ("passing", "webhooks", "people"):
            visitor = Visitor(self.book, self.soak.daemon, self.soak.accounts[name].token)
            for reel in visitor.ask("list", "GET", f"{REELS}?limit=100").json():
                age = datetime.datetime.now(datetime.timezone.utc) - datetime.datetime.fromisoformat(reel["created_at"])
                if reel["status"] in ("done", "error") and age.total_seconds() > LEFT_BEHIND_SECONDS:
                    visitor.ask("delete", "DELETE", f"{REELS}/{reel['id']}", good=(204, 404))
            visitor.close()


class Broken(Actor):
    """Clients that disconnect, send malformed requests, and never finish."""

    surface, every = "broken clients", 0.5

    def nonsense(self):
        token = f"Authorization: Bearer {self.soak.accounts['library'].token}\r\n"
        job = self.soak.library.any(self.chance) or 1
        return self.chance.choice((
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"GET / HTTP/9.9\r\n\r\n", bytes(range(256)) * 8,
            b"GET /" + b"a" * 20000 + b" HTTP/1.1\r\nHost: a\r\n\r\n",
            b"POST /api/v1/reels/analyze HTTP/1.1\r\nHost: a\r\nContent-Length: 70000\r\n\r\n",
            b"POST /api/v1/reels/analyze HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            b"GET /healthz HTTP/1.1\r\nHost: a\r\n",
            f"POST {ANALYZE} HTTP/1.1\r\nHost: a\r\n{token}Content-Length: 500\r\n\r\n{{".encode(),
            f"GET {REELS}/{job} HTTP/1.1\r\nHost: a\r\n{token}\r\n".encode() * 20,
            f"GET {REELS}/{self.soak.held}?wait=60 HTTP/1.1\r\nHost: a\r\n{token}\r\n".encode(),
            f"GET {REELS}/{self.soak.held}/events HTTP/1.1\r\nHost: a\r\n{token}\r\n".encode(),
            b"GET /docs/scalar/standalone.esm.js HTTP/1.1\r\nHost: a\r\n\r\n"))

    def act(self):
        daemon = self.chance.choice((self.soak.daemon, self.soak.tls_daemon))
        host, port = daemon.address.rsplit(":", 1)
        begun = time.monotonic()
        with socket.create_connection((host, int(port)), timeout=10) as link:
            if self.chance.random() < 0.5:  # Ends with a reset instead of an orderly end.
                link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            try:
                link.sendall(self.nonsense())
                link.settimeout(self.chance.choice((0.001, 0.1, 1)))
                received = link.recv(4096)
            except OSError:  # It was refused, or got no data yet.
                received = b""
        is_plain = daemon is self.soak.daemon
        self.check(not received or not is_plain or received.startswith(b"HTTP/1.1 "), f"answered with {received[:80]}")
        self.note(begun)
