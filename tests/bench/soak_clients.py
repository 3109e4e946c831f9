"""Clients of a soak test: their requests and the errors in the answers are recorded in one place."""

import collections
import http.client
import itertools
import random
import ssl
import threading
import time

from service_support import ANSWER_SECONDS_MAX, Answer

TROUBLE_SECONDS = 10  # Time after a cut of the database during which a 503 is correct.
COME_AGAIN_SECONDS_MAX = 2  # Longest Retry-After that a client respects: a soak has no time for longer ones.
EXAMPLES_MAX = 50  # Per surface: repeated errors are not all printed.


class Excused(Exception):
    """A 503 during an outage, to a request that cannot simply be repeated."""


class Wrong(Exception):
    """An answer that no client should get."""


class Book:
    """Answers, their times, and errors."""

    def __init__(self):
        self.lock = threading.Lock()
        self.took = collections.defaultdict(list)  # By surface, seconds.
        self.excused, self.wrong = collections.Counter(), collections.Counter()
        self.examples = collections.defaultdict(list)
        self.trouble_ends = 0.0

    def begin_trouble(self):
        self.trouble_ends = time.monotonic() + TROUBLE_SECONDS

    def is_trouble(self, begun):
        """Whether a request that began at this time could have met the database's absence."""
        return begun < self.trouble_ends

    def note(self, surface, seconds):
        with self.lock:
            self.took[surface].append(seconds)

    def excuse(self, surface):
        with self.lock:
            self.excused[surface] += 1

    def report_violation(self, surface, what):
        with self.lock:
            self.wrong[surface] += 1
            if len(self.examples[surface]) < EXAMPLES_MAX:
                self.examples[surface].append(f"{time.strftime('%H:%M:%S')} {what}"[:600])

    def rows(self):
        """[[surface, answers, median ms, p99 ms, max ms, excused, wrong]]"""
        with self.lock:
            rows = []
            for surface in sorted({*self.took, *self.wrong, *self.excused}):
                took = sorted(self.took[surface]) or [0.0]
                rows.append([
                    surface, len(self.took[surface]), *(1000 * took[int(share * (len(took) - 1))]
                                                        for share in (0.5, 0.99, 1)),
                    self.excused[surface], self.wrong[surface]])
            return rows


class Visitor:
    """One client that keeps its connection. Threads share none of its state."""

    def __init__(self, book, daemon, token=None, is_tls=False):
        self.book, self.daemon, self.token, self.is_tls = book, daemon, token, is_tls
        self.link = None

    def connected(self):
        host, port = self.daemon.address.rsplit(":", 1)
        if not self.is_tls:
            return http.client.HTTPConnection(host, int(port), timeout=ANSWER_SECONDS_MAX)
        # The certificate is renewed all the time, and its verification is not tested here.
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        return http.client.HTTPSConnection(host, int(port), timeout=ANSWER_SECONDS_MAX, context=context)

    def close(self):
        if self.link:
            self.link.close()
            self.link = None

    def exchange(self, method, path, body, headers):
        """Repeats a request on a new connection if the daemon has closed a kept one in between, as it may."""
        for is_kept in ((True, False) if self.link else (False,)):
            if not is_kept:
                self.close()
                self.link = self.connected()
            try:
                self.link.request(method, path, body, headers)
                answer = self.link.getresponse()
                return Answer(answer.status, answer.headers, answer.read())
            except (ConnectionError, http.client.BadStatusLine):
                self.close()
                if not is_kept:
                    raise

    def ask(self, surface, method, path, body=None, headers=None, good=(200,), again=True):
        """The answer, whose status must be one of `good`. `again`: after a 503 during an outage, the request is
        repeated; for reads, deletions, and requests with a key."""
        headers = dict(headers or {})
        if self.token:
            headers.setdefault("Authorization", "Bearer " + self.token)
        if method not in ("GET", "HEAD") and not again:
            self.close()  # Requests that cannot be repeated use a new connection.
        given_up = time.monotonic() + 2 * TROUBLE_SECONDS
        while True:
            begun = time.monotonic()
            answer = self.exchange(method, path, body, headers)
            if answer.status in good:
                self.book.note(surface, time.monotonic() - begun)
                return answer
            polite = answer.status == 503 and answer.headers.get("Retry-After", "").isdigit()
            if not polite or not self.book.is_trouble(begun) or begun > given_up:
                raise Wrong(f"{method} {path}: {answer}")
            self.book.excuse(surface)
            if not again:
                raise Excused()
            if method == "DELETE":
                good = (*good, 404)  # The request whose answer was lost may have deleted it.
            time.sleep(min(int(answer.headers["Retry-After"]), COME_AGAIN_SECONDS_MAX))


class Actor(threading.Thread):
    """Runs turns of one kind at a fixed interval, until the soak ends. A failed turn counts as a wrong answer."""

    surface = ""
    every = 1.0

    def __init__(self, soak, number=0):
        super().__init__(daemon=True, name=f"{self.surface} {number}")
        self.soak, self.book = soak, soak.book
        self.chance = random.Random(f"{self.surface} {number} {soak.seed}")
        self.turns = itertools.count()

    def prepare(self):
        """Called before the load, in the main thread."""

    def act(self):
        """One turn."""
        raise NotImplementedError

    def end(self):
        """Called after the last turn, in its own thread."""

    def run(self):
        while not self.soak.over.wait(self.chance.uniform(0.5, 1.5) * self.every / self.soak.pace):
            try:
                self.act()
            except Excused:
                pass  # It has been counted.
            except Exception as why:  # Any error is counted and shown.
                self.book.report_violation(self.surface, f"{type(why).__name__}: {why}")
        self.end()

    def note(self, begun):
        self.book.note(self.surface, time.monotonic() - begun)

    def check(self, is_right, what):
        if not is_right:
            raise Wrong(what)
