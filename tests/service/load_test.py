"""Tests many clients at once: ordinary clients are served, clients above a limit get a proper refusal, and
resources are freed. tests/bench/connection_load.py measures the speed."""

import contextlib
import http.client
import os
import re
import select
import socket
import unittest

from connection_crowd import Crowd, Sizes
from service_support import SAMPLE, Cluster, ServiceTest, wait_until

CROWD = Sizes(idle=300, slow=50, waiting=100, deaf=20)
PENDING = 50
REQUESTS = 50
# With sanitizers, which delay the reuse of freed memory. A leak of each client's data would be larger.
MEMORY_GROWTH_KIBIBYTES_MAX = 200 * 1024
ALLOWANCE = 4096  # Memory that each connection may hold beyond the shared limit.
HELLO = b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"


def endpoint(daemon):
    host, port = daemon.address.rsplit(":", 1)
    return host, int(port)


def read_answer(link):
    """(status, headers) of the next answer on a connection."""
    answer = http.client.HTTPResponse(link)
    answer.begin()
    answer.read()
    return answer.status, answer.headers


def metric(daemon, name):
    """A metric of the daemon; None if it has no connection for the request."""
    answer = daemon.request("GET", "/metrics")
    if answer.status == 503:
        return None
    return float(re.search(rf"^{name} (\S+)$", answer.body.decode(), re.M)[1])


def memory(daemon):
    with open(f"/proc/{daemon.process.pid}/status", encoding="ascii") as status:
        return int(re.search(r"VmRSS:\s+(\d+) kB", status.read())[1])


def descriptors(daemon):
    return len(os.listdir(f"/proc/{daemon.process.pid}/fd"))


class Connections(contextlib.ExitStack):
    """Connections to a daemon, closed together."""

    def __init__(self, daemon):
        super().__init__()
        self.daemon = daemon

    def connect(self, source=None):
        made = socket.create_connection(
            endpoint(self.daemon), timeout=30, source_address=(source, 0) if source else None)
        return self.enter_context(made)

    def served(self, source=None):
        """The first answer on a new connection."""
        link = self.connect(source)
        link.sendall(HELLO)
        return read_answer(link)


class LoadTest(ServiceTest):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster()
        cls.addClassCleanup(cls.cluster.close)

    def started(self, **settings):
        return self.daemon(workers=0, database_url=self.cluster.new_database(), **settings).start()

    def assertPoliteRefusal(self, answer):
        status, headers = answer
        self.assertEqual((status, headers["Connection"]), (503, "close"))
        self.assertGreater(int(headers["Retry-After"]), 0)

    def await_open(self, daemon, count):
        """Waits until that many connections are left, including that of the request for the metric."""
        wait_until(lambda: metric(daemon, "reelsd_http_connections") in range(1, count + 2),
                   "places to come back")

    def test_requests_during_many_idle_connections(self):
        daemon = self.started(requests_per_minute=1_000_000)
        account = daemon.account(unlimited=True)
        jobs = [account.submit(SAMPLE) for _ in range(PENDING)]
        self.await_open(daemon, 0)
        before, files = memory(daemon), descriptors(daemon)
        with Crowd(daemon.address, CROWD, account.token, jobs) as crowd:
            crowd.gather()
            wait_until(lambda: metric(daemon, "reelsd_waiters") >= CROWD.waiting, "long polls")
            for number in range(REQUESTS):
                self.assertEqual(account.job(jobs[number % PENDING])["status"], "pending")
                self.assertEqual(len(account.request("GET", "/api/v1/reels?limit=5").json()), 5)
                account.submit(SAMPLE)
            self.assertLess(memory(daemon) - before, MEMORY_GROWTH_KIBIBYTES_MAX)
            report = crowd.report()
            self.assertEqual(report["connects_failed"], 0, report)
            self.assertEqual(report["answers"]["idle 200"], CROWD.idle, report)
            self.assertNotIn("waiting 503", report["answers"])
        self.await_open(daemon, 0)
        # Connections of others are closed shortly after they are counted as closed.
        wait_until(lambda: descriptors(daemon) <= files, "descriptors to come back")
        self.assertEqual(daemon.stop(), 0)

    def test_connections_beyond_the_limit_are_refused(self):
        bound = 20
        daemon = self.started(connections_max=bound)
        self.await_open(daemon, 0)
        with Connections(daemon) as crowd:
            links = [crowd.connect() for _ in range(bound)]
            for link in links:
                link.sendall(HELLO)
                self.assertEqual(read_answer(link)[0], 200)
            with Connections(daemon) as late:
                for _ in range(3):
                    self.assertPoliteRefusal(late.served())
            links[0].sendall(HELLO)
            self.assertEqual(read_answer(links[0])[0], 200, "who is in is served on")
        self.await_open(daemon, 0)
        self.assertGreaterEqual(metric(daemon, "reelsd_http_connections_refused_total"), 3)

    def test_one_address_cannot_use_all_connections(self):
        bound = 5
        daemon = self.started(connections_per_address_max=bound)
        with Connections(daemon) as greedy, Connections(daemon) as others:
            for _ in range(bound):
                self.assertEqual(greedy.served("127.0.0.2")[0], 200)
            self.assertPoliteRefusal(greedy.served("127.0.0.2"))
            self.assertEqual(others.served("127.0.0.3")[0], 200)
            for _ in range(2 * bound):
                self.assertEqual(others.served("127.0.0.1")[0], 200, "a proxy by default")
        with Connections(daemon) as back:
            wait_until(lambda: back.served("127.0.0.2")[0] == 200, "places to come back")

    def test_bodies_in_flight_are_bounded(self):
        bytes_max = 1024 * 1024
        body = 60_000
        daemon = self.started(buffered_bytes_max=bytes_max)
        account = daemon.account()
        head = (f"POST /api/v1/reels/analyze HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {account.token}\r\n"
                f"Content-Length: {body}\r\n\r\n").encode()
        with Connections(daemon) as crowd:
            links = [crowd.connect() for _ in range(2 * bytes_max // body)]
            for link in links:
                link.sendall(head + b"x" * (body - 1))
            too_many = len(links) - bytes_max // (body - ALLOWANCE)

            def refused():
                answered = select.select(links, [], [], 0)[0]
                return answered if len(answered) >= too_many else None

            for link in wait_until(refused, "refusals"):
                self.assertPoliteRefusal(read_answer(link))
            self.assertEqual(account.analyze(SAMPLE).status, 202, "what is small has its place")
        wait_until(lambda: account.request("POST", "/api/v1/reels/analyze", "x" * body).status == 400,
                   "memory for a large body")


if __name__ == "__main__":
    unittest.main()
