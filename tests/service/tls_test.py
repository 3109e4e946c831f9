"""Tests the daemon's own HTTPS as clients, browsers and operators see it. The certificates are self-signed;
Python's and the client's TLS check them like any other."""

import concurrent.futures
import contextlib
import http.client
import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import subprocess
import unittest
import warnings

from dashboard_session import PASSWORD, EventStream, Person, set_up_link_secret
from service_support import (
    ANSWER_SECONDS_MAX, Daemon, ServiceTest, UNAVAILABLE, clean_environment, new_folder, program, run_reelsd,
    wait_until)

PATIENCE_SECONDS = 20
GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
LAST = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
LARGE_FILE = "/docs/scalar/standalone.esm.js"


class Certificate:
    """A certificate and its key in `folder`, for 127.0.0.1. `renew` overwrites them."""

    def __init__(self, folder, name="tls"):
        self.file = os.path.join(folder, f"{name}-certificate.pem")
        self.key = os.path.join(folder, f"{name}-key.pem")
        self.renew("first")

    def renew(self, common_name):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-days", "2", "-subj", f"/CN={common_name}", "-addext", "subjectAltName=IP:127.0.0.1",
             "-keyout", self.key, "-out", self.file],
            check=True, capture_output=True, timeout=60)

    def settings(self):
        return {"tls_certificate": self.file, "tls_key": self.key}

    def context(self):
        """Trusts only this certificate, as it is now."""
        return ssl.create_default_context(cafile=self.file)


class TlsDaemon(Daemon):
    """A daemon whose clients use HTTPS."""

    def __init__(self, **settings):
        folder = new_folder()
        self.certificate = Certificate(folder)
        super().__init__(folder=folder, **self.certificate.settings(), **settings)
        self.owns_folder = True

    def connection(self):
        host, port = self.address.rsplit(":", 1)
        return http.client.HTTPSConnection(
            host, int(port), timeout=ANSWER_SECONDS_MAX, context=self.certificate.context())

    def plain_socket(self):
        host, port = self.address.rsplit(":", 1)
        return socket.create_connection((host, int(port)), timeout=PATIENCE_SECONDS)

    def tls_socket(self, context=None):
        context = context or self.certificate.context()
        return context.wrap_socket(self.plain_socket(), server_hostname="127.0.0.1")


def read_to_the_end(link):
    received = b""
    while piece := link.recv(65536):
        received += piece
    return received


def common_name(link):
    names = dict(pair for parts in link.getpeercert()["subject"] for pair in parts)
    return names["commonName"]


class Https(ServiceTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.served = TlsDaemon(workers=0).start()
        cls.addClassCleanup(cls.served.close)
        cls.someone = cls.served.account(unlimited=True)

    def test_one_connection_serves_many_requests(self):
        connection = self.served.connection()
        with contextlib.closing(connection):
            connection.connect()
            link = connection.sock
            self.assertIn(link.version(), ("TLSv1.2", "TLSv1.3"))
            for _ in range(5):
                connection.request("GET", "/healthz")
                answer = connection.getresponse()
                answer.read()
                self.assertEqual(answer.status, 200)
            self.assertIs(connection.sock, link, "kept")

    def test_the_health_check_speaks_tls(self):
        done = self.served.cli("healthcheck", listen=self.served.address)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_pipelined_requests(self):
        with self.served.tls_socket() as link:
            link.sendall(GET * 50 + LAST)
            received = read_to_the_end(link)
        self.assertEqual(received.count(b"HTTP/1.1 200 OK\r\n"), 51)

    def test_a_long_poll(self):
        job = self.someone.submit(UNAVAILABLE)
        self.assertEqual(self.someone.job(job, wait=1)["status"], "pending")
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(self.someone.request, "GET", f"/api/v1/reels/{job}?wait=60")
            self.assertEqual(self.someone.request("DELETE", f"/api/v1/reels/{job}").status, 204)
            self.assertEqual(waiting.result(PATIENCE_SECONDS).status, 404)

    def test_a_large_answer_reaches_a_slow_reader(self):
        whole = self.served.request("GET", LARGE_FILE).body
        self.assertGreater(len(whole), 700_000)  # More than the buffers of a socket.
        host, port = self.served.address.rsplit(":", 1)
        plain = socket.socket()
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        plain.settimeout(PATIENCE_SECONDS)
        plain.connect((host, int(port)))
        with self.served.certificate.context().wrap_socket(plain, server_hostname="127.0.0.1") as link:
            link.sendall(LAST.replace(b"/healthz", LARGE_FILE.encode()))
            received = b""
            while piece := link.recv(1000):
                received += piece
        self.assertEqual(received.split(b"\r\n\r\n", 1)[1], whole)

    def test_close_notify_is_sent(self):
        """Python raises an error for a connection that ends without close_notify."""
        context = self.served.certificate.context()
        context.options &= ~getattr(ssl, "OP_IGNORE_UNEXPECTED_EOF", 0)
        with self.served.plain_socket() as plain:
            link = context.wrap_socket(plain, server_hostname="127.0.0.1", suppress_ragged_eofs=False)
            link.sendall(LAST)
            self.assertIn(b"200 OK", read_to_the_end(link))

    def test_sessions_are_resumed(self):
        context = self.served.certificate.context()
        with self.served.tls_socket(context) as first:
            first.sendall(LAST)
            read_to_the_end(first)
            session = first.session
        self.assertTrue(session.has_ticket)
        with context.wrap_socket(self.served.plain_socket(), server_hostname="127.0.0.1",
                                 session=session) as second:
            second.sendall(LAST)
            read_to_the_end(second)
            self.assertTrue(second.session_reused)

    def test_plain_http_gets_an_error_response(self):
        for request in (GET, b"DELETE / HTTP/1.1\r\n", b"\r\n" + GET):
            with self.subTest(request), self.served.plain_socket() as link:
                link.sendall(request)
                received = read_to_the_end(link)
            self.assertRegex(received, rb"^HTTP/1\.1 400 Bad Request\r\n")
            self.assertIn(b'{"message":"a plain HTTP request was sent to an HTTPS port","status":"error"}', received)
            self.assertNotIn(b"Strict-Transport-Security", received, "to be believed over TLS alone")

    def test_the_negotiated_tls_version(self):
        host, port = self.served.address.rsplit(":", 1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # The test requests the old versions on purpose.
            for version, is_taken in ((ssl.TLSVersion.TLSv1, False), (ssl.TLSVersion.TLSv1_1, False),
                                      (ssl.TLSVersion.TLSv1_2, True), (ssl.TLSVersion.TLSv1_3, True)):
                context = self.served.certificate.context()
                context.set_ciphers("ALL:@SECLEVEL=0")
                context.minimum_version = context.maximum_version = version
                with self.subTest(version.name):
                    if not is_taken:
                        with self.assertRaises((ssl.SSLError, ConnectionResetError)):
                            self.served.tls_socket(context)
                        continue
                    with self.served.tls_socket(context) as link:
                        self.assertRegex(link.cipher()[0], "GCM|CHACHA20")
        for offered, chosen in ((["http/1.1"], "http/1.1"), (["h2", "http/1.1"], "http/1.1")):
            context = self.served.certificate.context()
            context.set_alpn_protocols(offered)
            with self.subTest(offered), self.served.tls_socket(context) as link:
                self.assertEqual(link.selected_alpn_protocol(), chosen)
        context.set_alpn_protocols(["h2"])
        with self.assertRaises(ssl.SSLError):
            self.served.tls_socket(context)

    def test_an_abandoned_handshake_is_closed(self):
        def connections():
            text = self.served.request("GET", "/metrics").body.decode()
            return int(re.search(r"^reelsd_http_connections (\d+)", text, re.MULTILINE).group(1))
        # Connections of earlier tests may still be closing: in the end only the request for the metrics is left.
        wait_until(lambda: connections() == 1, "the connections of other tests to be forgotten")
        links = [self.served.plain_socket() for _ in range(20)]
        for link in links:
            link.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")
        wait_until(lambda: connections() == 21, "the connections to be counted")
        for link in links:
            link.close()
        wait_until(lambda: connections() == 1, "the connections to be forgotten")

    def test_strict_transport_security_is_sent(self):
        answer = self.served.request("GET", "/")
        self.assertEqual(answer.headers["Strict-Transport-Security"], "max-age=31536000")

    def test_the_dashboard(self):
        link = wait_until(lambda: [line["link"] for line in self.served.log_lines()
                                   if line.get("message") == "setup link created"], "the setup link")[0]
        self.assertTrue(link.startswith(f"https://{self.served.address}/join#"), link)
        ann = Person(self.served)
        answer = ann.request(
            "POST", "/dashboard/invitation/accept",
            {"token": set_up_link_secret(self.served), "email": "ann@example.com", "password": PASSWORD},
            {"Origin": f"https://{self.served.address}"})
        self.assertEqual(answer.status, 200, answer)
        self.assertIn("Secure", answer.headers["set-cookie"].split("; "))
        ann.csrf_token = answer.json()["csrf_token"]
        events = EventStream(ann)
        self.addCleanup(events.close)
        job = ann.submit(UNAVAILABLE)
        events.wait_for("reel", job, status="pending")

    def test_a_renewed_certificate_is_used_without_interruption(self):
        served = self.served

        def lines(message):
            return [line for line in served.log_lines() if line.get("message") == message]

        def read_again(message):
            before = len(lines(message))
            served.process.send_signal(signal.SIGHUP)
            return wait_until(lambda: lines(message)[before:], message)

        self.addCleanup(read_again, "certificate loaded")
        self.addCleanup(served.certificate.renew, "third")
        with served.tls_socket() as old:
            first = common_name(old)
            served.certificate.renew("second")
            read_again("certificate loaded")
            with served.tls_socket() as fresh:
                self.assertEqual((first, common_name(fresh)), ("first", "second"))

            context = served.certificate.context()
            pathlib.Path(served.certificate.key).write_text("no key")
            failures = read_again("reloading the certificate failed")
            self.assertEqual([line["reason"] for line in failures],
                             [f"the key {served.certificate.key}: it contains no PEM private key"])
            with served.tls_socket(context) as fresh:
                self.assertEqual(common_name(fresh), "second", "the one before is kept")
            old.sendall(LAST)
            self.assertIn(b"200 OK", read_to_the_end(old))

    def test_the_client(self):
        def reels(**more):
            return subprocess.run(
                [program("reels"), "list", "--json"], capture_output=True, text=True, timeout=60,
                stdin=subprocess.DEVNULL,
                env={**clean_environment(), "REELS_SERVER": f"https://{self.served.address}",
                     "REELS_TOKEN": self.someone.token, **more})
        done = reels(REELS_CA_FILE=self.served.certificate.file)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"^\[")
        self.assertNotEqual(reels().returncode, 0, "the certificate is not trusted")

    def test_doctor_warns_about_an_expiring_certificate(self):
        done = self.served.cli("doctor", platform_url="http://127.0.0.1:1", canary_link="none")
        lines = [line for line in done.stdout.splitlines() if " certificate " in line]
        self.assertRegex("\n".join(lines), r"^warn +certificate +valid until \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")


class Operation(ServiceTest):
    def tls_daemon(self, **settings):
        daemon = TlsDaemon(workers=0, **settings)
        self.addCleanup(self._close, daemon)
        return daemon

    def test_a_stop_answers_waiting_requests(self):
        daemon = self.tls_daemon().start()
        someone = daemon.account()
        job = someone.submit(UNAVAILABLE)
        idle = daemon.tls_socket()
        self.addCleanup(idle.close)
        with daemon.tls_socket() as link:
            link.sendall(f"GET /api/v1/reels/{job}?wait=60 HTTP/1.1\r\nHost: localhost\r\n"
                         f"Authorization: Bearer {someone.token}\r\n\r\n".encode())
            wait_until(lambda: b"reelsd_http_requests_running 2" in daemon.request("GET", "/metrics").body,
                       "the long poll")
            self.assertEqual(daemon.stop(), 0)
            received = read_to_the_end(link)
        self.assertIn(b"200 OK", received)
        self.assertIn(b'"status":"pending"', received)
        self.assertEqual(idle.recv(1), b"")

    def test_invalid_files_are_reported(self):
        folder = new_folder()
        self.addCleanup(shutil.rmtree, folder)
        certificate, other = Certificate(folder, "one"), Certificate(folder, "other")
        missing = os.path.join(folder, "missing.pem")

        def startup_error(**settings):
            done = run_reelsd("serve", cwd=folder, data_dir=os.path.join(folder, "data"), **settings)
            return done.returncode, done.stderr.splitlines()[-1]

        self.assertEqual(startup_error(tls_certificate=certificate.file),
                         (2, "reelsd: tls-certificate and tls-key go together: tls-key is not set"))
        self.assertEqual(startup_error(tls_key=certificate.key),
                         (2, "reelsd: tls-certificate and tls-key go together: tls-certificate is not set"))
        self.assertEqual(startup_error(tls_certificate=missing, tls_key=certificate.key),
                         (1, f"reelsd: the certificate {missing}: No such file or directory"))
        self.assertEqual(startup_error(tls_certificate=certificate.file, tls_key=certificate.file),
                         (1, f"reelsd: the key {certificate.file}: it contains no PEM private key"))
        self.assertEqual(
            startup_error(tls_certificate=certificate.file, tls_key=other.key),
            (1, f"reelsd: the key {other.key}: it does not fit the certificate {certificate.file}"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
