"""Tests that a new daemon replaces an old one while clients send requests: none of them is refused, reset or left
without an answer, with an operator's database and with the private one."""

import contextlib
import http.client
import itertools
import signal
import socket
import threading
import unittest

from service_support import SAMPLE, DatabaseTest, ServiceTest, wait_until

KEPT_CONNECTIONS = 4
SHORT_CONNECTIONS = 4
REQUESTS_BETWEEN = 25  # Of each client, before the next step of a restart.


class Load:
    """Clients that repeat requests, some on one connection, some on a new one for each request. Anything that no
    client should see is recorded in `faults`."""

    def __init__(self, daemon, account):
        host, port = daemon.address.rsplit(":", 1)
        self.endpoint = (host, int(port))
        self.account = account
        self.job = account.submit(SAMPLE)
        self.accepted = [self.job]
        self.faults = []
        self.asked_to_close = 0
        self.answered = [0] * (KEPT_CONNECTIONS + SHORT_CONNECTIONS)
        self.leaving = threading.Event()
        self.threads = [threading.Thread(target=self.guard, args=(number,))
                        for number in range(KEPT_CONNECTIONS + SHORT_CONNECTIONS)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *why):
        self.leaving.set()
        for thread in self.threads:
            thread.join()

    def go_on(self, count=REQUESTS_BETWEEN):
        """Waits until each client has had this many more answers, or one has recorded a fault."""
        targets = [one + count for one in self.answered]
        wait_until(lambda: self.faults or all(map(int.__ge__, self.answered, targets)), "requests")

    def guard(self, number):
        try:
            while not self.leaving.is_set():
                self.use_connection(number, keep=number < KEPT_CONNECTIONS)
        except Exception as fault:  # Any error of a client is a failure of the test.
            self.faults.append(f"client {number}: {fault!r}")

    def use_connection(self, number, keep):
        with contextlib.closing(http.client.HTTPConnection(*self.endpoint, timeout=30)) as connection:
            connection.connect()
            # Disables the automatic reconnection of http.client, which would hide the errors that the test looks
            # for.
            connection.auto_open = 0
            for turn in itertools.count():
                closes = self.ask(connection, is_post=turn % 5 == 4 or (not keep and number % 2 == 0))
                self.answered[number] += 1
                self.asked_to_close += closes and keep
                if closes or not keep or self.leaving.is_set():
                    return

    def ask(self, connection, is_post):
        """Sends a request; returns whether the server announces the end of the connection."""
        headers = {"Authorization": "Bearer " + self.account.token}
        if is_post:
            connection.request("POST", "/api/v1/reels/analyze", '{"url": "%s"}' % SAMPLE, headers)
        else:
            connection.request("GET", f"/api/v1/reels/{self.job}", headers=headers)
        answer = connection.getresponse()
        body = answer.read()
        if answer.status != (202 if is_post else 200):
            raise AssertionError(f"{answer.status} {body[:200]!r}")
        if is_post:
            self.accepted.append(int(body.split(b":")[1].split(b",")[0]))
        return answer.headers["Connection"] == "close"


def served(daemon):
    """Whether a daemon has answered a request: which of two daemons answers cannot be chosen."""
    return any(line["message"] == "request" for line in daemon.log_lines())


class RestartMixin:
    """Code for both kinds of database."""

    def first(self, **more):
        return self.daemon(share_port="true", workers=0, requests_per_minute=1_000_000, **more).start()

    def start_beside(self, old):
        """A new daemon with the old one's address and data directory, which takes its share of the requests."""
        settings = {**old.settings, "listen": old.address}
        new = self.daemon(folder=old.folder, **settings).spawn()
        new.address = old.address
        wait_until(lambda: self.is_listening(new), "the new daemon")
        return new

    def is_listening(self, daemon):
        self.assertIsNone(daemon.process.poll(), daemon.log())
        return any(line["message"] == "listening" for line in daemon.log_lines())

    def restart_twice(self, daemon):
        account = daemon.account(unlimited=True)
        with Load(daemon, account) as load:
            load.go_on()
            for _ in range(2):
                new = self.start_beside(daemon)
                wait_until(lambda new=new: load.faults or served(new), "its first request")
                load.go_on()
                self.assertEqual(daemon.stop(), 0)
                load.go_on()
                daemon = new
        self.assertEqual(load.faults, [])
        self.assertGreaterEqual(load.asked_to_close, KEPT_CONNECTIONS, "each connection of the old daemons")
        listed = {job["id"] for job in self.all_jobs(account, daemon)}
        self.assertEqual(len(load.accepted), len(set(load.accepted)))
        self.assertLessEqual(set(load.accepted), listed, "what was accepted is there")
        return daemon

    def all_jobs(self, account, daemon):
        path = "/api/v1/reels?limit=100"
        while path:
            answer = daemon.request("GET", path, token=account.token)
            yield from answer.json()
            link = answer.headers["Link"]
            path = link[1:link.index(">")] if link else None


class OperatorsDatabase(RestartMixin, DatabaseTest):
    def test_no_request_is_refused(self):
        self.restart_twice(self.first(database_url=self.database))

    def test_a_long_poll_is_answered_and_closed(self):
        old = self.first(database_url=self.database)
        account = old.account(unlimited=True)
        job = account.submit(SAMPLE)
        connection = old.connection()
        self.addCleanup(connection.close)
        connection.request("GET", f"/api/v1/reels/{job}?wait=60",
                           headers={"Authorization": "Bearer " + account.token})
        wait_until(lambda: b"reelsd_waiters 1" in old.request("GET", "/metrics").body, "the long poll")
        new = self.start_beside(old)
        self.assertEqual(old.stop(), 0)
        answer = connection.getresponse()
        self.assertEqual((answer.status, answer.headers["Connection"]), (200, "close"))
        self.assertEqual(new.request("GET", "/readyz").status, 200)

    def test_the_other_daemon_serves_the_port_of_a_killed_one(self):
        old = self.first(database_url=self.database)
        new = self.start_beside(old)
        old.kill()
        for _ in range(20):
            self.assertEqual(new.request("GET", "/readyz").status, 200)
        last = self.start_beside(new)
        self.assertEqual(new.stop(), 0)
        self.assertEqual(last.request("GET", "/readyz").status, 200)

    def test_without_share_port_a_second_daemon_fails_with_a_message(self):
        first = self.first(database_url=self.database)
        settings = {**first.settings, "listen": first.address, "share_port": "false"}
        second = self.daemon(folder=first.folder, **settings).spawn()
        self.assertEqual(second.process.wait(60), 1)
        self.assertIn("Address already in use", second.log())

    def test_a_port_of_another_user_is_not_shared(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            address = "127.0.0.1:%d" % taken.getsockname()[1]
            daemon = self.daemon(share_port="true", listen=address, database_url=self.database).spawn()
            self.assertEqual(daemon.process.wait(60), 1)
        self.assertIn("Address already in use", daemon.log())


class PrivateDatabase(RestartMixin, ServiceTest):
    def test_no_request_is_refused_during_the_handover_of_the_database(self):
        last = self.restart_twice(self.first(database_url=""))
        owners = [line for line in last.log_lines() if "PostgreSQL server started" in line["message"]]
        self.assertEqual(len(owners), 1, "it has become the database's owner")
        self.assertEqual(last.stop(), 0)

    def test_a_second_daemon_does_not_stop_the_database(self):
        owner = self.first(database_url="")
        guest = self.start_beside(owner)
        account = owner.account(unlimited=True)
        with Load(owner, account) as load:
            load.go_on()
            self.assertEqual(guest.stop(signal.SIGINT), 0)
            load.go_on()
        self.assertEqual(load.faults, [])
        self.assertNotIn("database connection lost", owner.log())


if __name__ == "__main__":
    unittest.main()
