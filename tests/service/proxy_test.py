"""Tests the daemon behind the reverse proxies of docs/operate/examples. Each is the real program with the
documented file, in which only addresses, ports and paths of certificates are replaced."""

import concurrent.futures
import contextlib
import http.client
import os
import pathlib
import re
import shutil
import signal
import subprocess
import unittest

from dashboard_session import PASSWORD, EventStream, Person, set_up_link_secret
from database_pair import free_port
from event_streams import ReelEvents
from service_support import (
    ANSWER_SECONDS_MAX, UNAVAILABLE, Account, Daemon, ServiceTest, new_folder, wait_until)
from tls_test import Certificate

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "operate" / "examples"
LARGE_FILE = "/docs/scalar/standalone.esm.js"
LONGEST_WAIT = 60
CLIENTS = 5


def program_of(name):
    """Servers are in folders that are not in every user's PATH."""
    found = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    assert found, f"{name} is not installed: see docker/packages.txt"
    return found


def adapted(text, replacements):
    """Adapts the example to this machine. It must contain each word to be replaced."""
    for word, ours in replacements:
        assert word in text, f"the example has no {word!r}"
        text = text.replace(word, ours)
    return text


class Front:
    """A proxy in front of a daemon; tests use it like the daemon itself."""

    def __init__(self, folder, ports, certificate):
        self.folder, self.certificate = folder, certificate
        self.plain_port, self.port = ports
        self.accounts = 0
        self.client = "127.0.0.1"

    def start(self, command):
        self.log_path = os.path.join(self.folder, "proxy.log")
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wait_until(self.serves, "the proxy", 30)
        return self

    def serves(self):
        assert self.process.poll() is None, pathlib.Path(self.log_path).read_text()
        with contextlib.suppress(OSError):
            return self.request("GET", "/healthz").status == 200
        return False

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(20)

    def connection(self):
        return http.client.HTTPSConnection(
            "127.0.0.1", self.port, timeout=ANSWER_SECONDS_MAX, context=self.certificate.context(),
            source_address=(self.client, 0))

    def request(self, method, path, body=None, headers=None, token=None):
        return Daemon.request(self, method, path, body, headers, token)


class BehindProxy:
    """Tests that must have the same result behind each proxy."""

    @classmethod
    def begin(cls):
        folder = new_folder()
        unittest.addModuleCleanup(shutil.rmtree, folder, True)
        certificate = Certificate(folder)
        plain_port, port = free_port(), free_port()
        cls.served = cls.new_daemon(f"https://127.0.0.1:{port}")
        unittest.addModuleCleanup(cls.served.close)
        cls.front = Front(folder, (plain_port, port), certificate)
        cls.front.daemon = cls.served
        cls.front.start(cls.command(folder, certificate, plain_port, port, cls.served.address))
        unittest.addModuleCleanup(cls.front.close)
        someone = cls.served.account(unlimited=True)
        cls.someone = Account(cls.front, someone.email, someone.token)
        # Answered at its time limit, during the tests.
        cls.pool = concurrent.futures.ThreadPoolExecutor(CLIENTS + 1)
        unittest.addModuleCleanup(cls.pool.shutdown)
        never = cls.someone.submit(UNAVAILABLE)
        cls.longest = cls.pool.submit(cls.someone.job, never, LONGEST_WAIT)

    @staticmethod
    def new_daemon(public_url):
        # One client may have only two connections, but a proxy any number.
        return Daemon(workers=0, public_url=public_url, connections_per_address_max=2, forwarded_for="true").start()

    def test_the_longest_poll_does_not_time_out(self):
        self.assertEqual(self.longest.result(ANSWER_SECONDS_MAX)["status"], "pending")

    def test_many_clients_poll_concurrently(self):
        jobs = [self.someone.submit(UNAVAILABLE) for _ in range(CLIENTS)]
        waiting = [self.pool.submit(self.someone.request, "GET", f"/api/v1/reels/{job}?wait=60") for job in jobs]
        wait_until(lambda: self.waiters() >= CLIENTS, "the waiters")
        for job in jobs:
            self.assertEqual(self.someone.request("DELETE", f"/api/v1/reels/{job}").status, 204)
        for answer in waiting:
            self.assertEqual(answer.result(30).status, 404)

    def waiters(self):
        metrics = self.served.request("GET", "/metrics").body.decode()
        return int(re.search(r"^reelsd_waiters (\d+)", metrics, re.MULTILINE)[1])

    def test_events_are_not_buffered(self):
        job = self.someone.submit(UNAVAILABLE)
        events = ReelEvents(self.someone, job)
        self.addCleanup(events.close)
        wait_until(lambda: events.events, "the first event")
        self.assertFalse(events.ended.is_set())
        self.assertEqual(self.someone.request("DELETE", f"/api/v1/reels/{job}").status, 204)
        events.wait_for_end()

    def test_users_sign_in_and_receive_changes(self):
        begun = self.front.request("POST", "/dashboard/invitation/accept", {
            "token": set_up_link_secret(self.served), "email": "root@example.test", "password": PASSWORD})
        self.assertIn("; Secure", begun.headers["Set-Cookie"])
        person = Person(self.front)
        person.cookie = begun.headers["Set-Cookie"].split(";")[0]
        person.csrf_token = begun.json()["csrf_token"]
        origin = f"https://127.0.0.1:{self.front.port}"
        answer = person.api("POST", "reels/analyze", {"url": UNAVAILABLE}, headers={"Origin": origin})
        self.assertEqual(answer.status, 202, answer)
        job = answer.json()["id"]
        elsewhere = person.api("DELETE", f"reels/{job}", headers={"Origin": "https://elsewhere.example"})
        self.assertEqual(elsewhere.status, 403, elsewhere)
        stream = EventStream(person)
        self.addCleanup(stream.close)
        more = person.submit(UNAVAILABLE)
        stream.wait_for("reel", more)

    def test_large_responses_are_complete(self):
        direct = self.served.request("GET", LARGE_FILE)
        self.assertEqual(self.front.request("GET", LARGE_FILE).body, direct.body)

    def test_uploads_are_forwarded(self):
        answer = self.someone.request("POST", "/api/v1/reels/analyze", b"x" * (3 << 20), {"Content-Type": "video/mp4"})
        self.assertEqual(answer.status, 202, answer)
        self.assertEqual(self.someone.request("DELETE", answer.headers["Location"]).status, 204)

    def test_error_responses_are_the_daemons(self):
        large = self.someone.request("POST", "/api/v1/reels/analyze", b"x" * 70000)
        self.assertEqual((large.status, large.json()["status"]), (413, "error"))
        header = self.someone.request("GET", "/api/v1/reels", headers={"X-Long": "x" * 15000})
        self.assertEqual(header.status, 200)
        unknown = self.front.request("GET", "/nowhere")
        self.assertProblem(unknown, 404, "not found")
        self.assertEqual(self.front.request("GET", "/api/v1/reels").status, 401)

    def test_request_ids_are_forwarded(self):
        answer = self.front.request("GET", "/healthz", headers={"X-Request-Id": "seen-by-all"})
        self.assertEqual(answer.headers["X-Request-Id"], "seen-by-all")

    def test_metrics_are_not_public(self):
        for path in ("/metrics", "/%6detrics", "/metric%73", "/metrics?x=1"):
            with self.subTest(path):
                answer = self.front.request("GET", path)
                self.assertEqual(answer.status, 404)
                self.assertNotIn(b"reelsd_", answer.body)
        # Even if the proxy passed the request on: the daemon knows its client.
        forwarded = self.served.request("GET", "/metrics", headers={"X-Forwarded-For": "192.0.2.1"})
        self.assertProblem(forwarded, 404, "not found")

    def test_plain_http_redirects_to_https(self):
        plain = http.client.HTTPConnection("127.0.0.1", self.front.plain_port, timeout=30)
        with contextlib.closing(plain):
            plain.request("GET", "/docs/?x=1", headers={"Host": "reels.example.org"})
            answer = plain.getresponse()
            self.assertEqual((answer.status, answer.headers["Location"]),
                             (308, "https://reels.example.org/docs/?x=1"))

    def test_connections_to_the_daemon_are_reused(self):
        def accepted():
            metrics = self.served.request("GET", "/metrics").body.decode()
            return int(re.search(r"^reelsd_http_connections_accepted_total (\d+)", metrics, re.MULTILINE)[1])
        before = accepted()
        connection = self.front.connection()
        with contextlib.closing(connection):
            for _ in range(50):
                connection.request("GET", "/healthz")
                self.assertEqual(connection.getresponse().read()[:1], b"{")
        self.assertLess(accepted() - before, 50)

    def guess(self, client, **headers):
        """The status after a wrong password from an address of this machine."""
        body = {"email": "nobody@example.test", "password": "a wrong password"}
        self.front.client = client
        try:
            return self.front.request("POST", "/dashboard/sign-in", body, headers).status
        finally:
            self.front.client = "127.0.0.1"

    def test_password_guesses_are_counted_per_client(self):
        statuses = [self.guess("127.0.0.2") for _ in range(9)]
        self.assertEqual(statuses, [401] * 8 + [429])
        self.assertEqual(self.guess("127.0.0.2", **{"X-Forwarded-For": "192.0.2.1"}), 429, "its own word counts")
        self.assertEqual(self.guess("127.0.0.3"), 401)
        self.assertIn('"remote":"127.0.0.3"', self.served.log())


class BehindNginx(BehindProxy, ServiceTest):
    @staticmethod
    def command(folder, certificate, plain_port, port, daemon):
        example = adapted((EXAMPLES / "nginx.conf").read_text(), [
            ("127.0.0.1:8080", daemon),
            ("listen 80;", f"listen 127.0.0.1:{plain_port};"), ("listen [::]:80;", ""),
            ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"), ("listen [::]:443 ssl http2;", ""),
            ("/etc/ssl/reels/fullchain.pem", certificate.file),
            ("/etc/ssl/reels/privkey.pem", certificate.key)])
        pathlib.Path(folder, "reelsd.conf").write_text(example)
        pathlib.Path(folder, "nginx.conf").write_text(
            f"daemon off; pid {folder}/nginx.pid; error_log stderr;\n"
            "events { worker_connections 1000; }\n"
            f"http {{ access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;\n"
            f"fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;\n"
            f"include {folder}/reelsd.conf; }}\n")
        command = [program_of("nginx"), "-p", folder, "-e", "stderr", "-c", f"{folder}/nginx.conf"]
        checked = subprocess.run([*command, "-t"], capture_output=True, text=True, timeout=30)
        warnings = [line for line in checked.stderr.splitlines()
                    if "[warn]" in line and 'the "listen ... http2" directive is deprecated' not in line]
        assert checked.returncode == 0 and not warnings, checked.stderr
        return command

    def test_without_a_daemon_the_error_has_the_same_format(self):
        lonely = self.daemon(workers=0).start()
        folder = new_folder()
        self.addCleanup(shutil.rmtree, folder, True)
        front = Front(folder, (free_port(), free_port()), self.front.certificate)
        front.daemon = lonely
        front.start(self.command(folder, self.front.certificate, front.plain_port, front.port, lonely.address))
        self.addCleanup(front.close)
        self.assertEqual(lonely.stop(), 0)
        answer = front.request("GET", "/healthz")
        self.assertEqual((answer.status, answer.json()["status"]), (503, "error"))
        self.assertEqual(answer.headers["Retry-After"], "5")


class BehindHaproxy(BehindProxy, ServiceTest):
    @staticmethod
    def command(folder, certificate, plain_port, port, daemon):
        both = os.path.join(folder, "reels.pem")
        pathlib.Path(both).write_bytes(
            pathlib.Path(certificate.file).read_bytes() + pathlib.Path(certificate.key).read_bytes())
        path = pathlib.Path(folder, "haproxy.cfg")
        path.write_text(adapted((EXAMPLES / "haproxy.cfg").read_text(), [
            ("127.0.0.1:8080", daemon), ("bind :80\n", f"bind 127.0.0.1:{plain_port}\n"),
            ("bind :443 ", f"bind 127.0.0.1:{port} "), ("/etc/haproxy/reels.pem", both)]))
        checked = subprocess.run(
            [program_of("haproxy"), "-c", "-f", str(path)], capture_output=True, text=True, timeout=30)
        assert checked.returncode == 0 and "WARNING" not in checked.stderr, checked.stderr
        return [program_of("haproxy"), "-db", "-f", str(path)]


def setUpModule():
    """Starts both at once: each waits for the longest poll, which takes a minute."""
    for proxy in (BehindHaproxy, BehindNginx):
        proxy.begin()


if __name__ == "__main__":
    unittest.main(verbosity=2)
