"""Common code of the stand-ins of model APIs: a threaded server on loopback that records each request and each
violation (a request that no client may send), and fails as a test defines, once per entry of a queue.

    with GeminiStandIn(key="...") as gemini:            # or start() and stop()
        gemini.fail("generate", "overloaded", times=2)  # the next two of that kind
        ...
        gemini.of("generate")                           # their records, in order
        gemini.assert_clean(test)                       # no violation, no file left

Faults of any kind of request are in TRANSPORT of model_server; answers of an API are in the module of its
stand-in.
"""

import threading
from decimal import Decimal

from model_server import REDIRECTED, TRANSPORT, Fault, Handler, Record, Server


class ModelStandIn:
    """The base of both stand-ins. A subclass defines kind_of, answer_to, KINDS, FAULTS."""

    KINDS = ()
    FAULTS = {}

    def __init__(self, key, keep_bodies=False):
        self.key = key
        self.keep_bodies = keep_bodies
        self.lock = threading.Lock()
        self.changed = threading.Condition(self.lock)
        self.released = threading.Event()
        self.server = None
        self.answer = None
        self.reset()

    # Start and stop.

    def start(self, port=0):
        self.server = Server(("127.0.0.1", port), Handler)
        self.server.stand_in = self
        threading.Thread(
            target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def stop(self):
        self.released.set()
        self.server.shutdown()
        self.server.server_close()

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    @property
    def url(self):
        return "http://127.0.0.1:%d" % self.server.server_address[1]

    def reset(self):
        """Removes requests, faults, violations and the defined answer."""
        with self.lock:
            self.requests, self.queue, self.violations = [], {}, []
            self.answer = None
            self.manner = "honest"  # How questions are answered: question_answers.MANNERS, or a function.
        self.released.clear()

    # Set by tests.

    def fail(self, kind, name, times=1, words=None, **options):
        """The next `times` requests of this kind fail in this way; with `words`, the next ones whose body contains
        these words. Entries are used in order; "none" lets one request succeed."""
        if kind not in self.KINDS:
            raise ValueError("no kind of request: " + kind)
        if name not in TRANSPORT and name not in self.FAULTS and name != "none":
            raise ValueError("no fault: " + name)
        with self.lock:
            self.queue.setdefault(kind, []).extend(
                Fault(name, options, words) for _ in range(times))

    def forget_faults(self):
        """Removes the remaining faults."""
        with self.lock:
            self.queue.clear()

    def release(self):
        """Releases held answers, now and from now on until reset()."""
        self.released.set()

    # Read by tests.

    def of(self, kind):
        with self.lock:
            return [record for record in self.requests if record.kind == kind]

    def count(self, kind):
        return len(self.of(kind))

    def wait_for(self, kind, count=1, seconds=60):
        """Waits until this many requests of a kind have arrived completely; returns the last of them."""
        def arrived():
            found = [r for r in self.requests if r.kind == kind and r.whole]
            return found[count - 1] if len(found) >= count else None
        with self.changed:
            record = self.changed.wait_for(arrived, seconds)
            assert record, "waited %s s for %d x %s; there were %s" % (
                seconds, count, kind, self.requests)
            return record

    def pending_faults(self):
        """Faults that no request has met: [(kind, name)]."""
        with self.lock:
            return [(kind, fault.name) for kind, faults in self.queue.items() for fault in faults]

    def billed(self, delivered_only=True):
        """{model: {calls, prompt_tokens, output_tokens, cached_tokens}} of the delivered answers, as a client can
        know it; thinking is output."""
        sums = {}
        for record in list(self.requests):
            if record.usage and (record.delivered or not delivered_only):
                row = sums.setdefault(record.usage["model"], {
                    "calls": 0, "prompt_tokens": 0, "output_tokens": 0, "cached_tokens": 0})
                row["calls"] += 1
                for name in ("prompt_tokens", "output_tokens", "cached_tokens"):
                    row[name] += record.usage[name]
        return sums

    def cost(self, prices):
        """The exact cost: prices {model: (input, output, cached)} in USD per million."""
        total = Decimal(0)
        for model, row in self.billed().items():
            price = [Decimal(str(one)) for one in prices[model]]
            total += (row["prompt_tokens"] - row["cached_tokens"]) * price[0]
            total += row["output_tokens"] * price[1] + row["cached_tokens"] * price[2]
        return total / 1000000

    # Called by the handler.

    def note(self, kind, handler, url):
        with self.changed:
            record = Record(len(self.requests) + 1, kind, handler, url)
            self.requests.append(record)
            return record

    def arrived(self):
        with self.changed:
            self.changed.notify_all()

    def ended(self, record):
        with self.changed:
            self.changed.notify_all()

    def take_fault(self, kind, body=None):
        """The next fault: one for any request before the body has arrived, otherwise one for its words."""
        with self.lock:
            waiting = self.queue.get(kind, [])
            due = (fault for fault in waiting if (
                fault.words in body if fault.words and body else not fault.words and body is None))
            fault = next(due, None)
            if fault:
                waiting.remove(fault)
            return None if fault and fault.name == "none" else fault

    def report_violation(self, text):
        with self.lock:
            self.violations.append(text)

    def take_bytes(self, record, piece):
        """A part of a body that is not JSON."""

    def check_head(self, record, target):
        """Rules for each request of each API."""
        if self.key and (self.key in target or "key" in record.query):
            self.report_violation("the key is in the URL of %s" % record.kind)
        if record.path == REDIRECTED:
            self.report_violation("a redirect was followed")
        if "Expect" in record.headers:
            self.report_violation("%s has an Expect field" % record.kind)
        if record.kind == "other":
            self.report_violation("%s %s is no request of this API" % (record.method, record.path))
