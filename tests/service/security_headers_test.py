"""Tests the security headers for browsers: the same on every kind of answer."""

import unittest

from dashboard_session import EventStream, Person, set_up_link_secret
from service_support import Daemon, ServiceTest

ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
}
PAGES_ALONE = ("Cross-Origin-Opener-Policy", "Permissions-Policy")
DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"
HTML = {"Accept": "text/html"}


class SecurityHeaders(ServiceTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.served = Daemon(workers=0).start()
        cls.addClassCleanup(cls.served.close)
        cls.someone = cls.served.account()
        cls.ann = Person(cls.served).join(set_up_link_secret(cls.served), "ann@example.com")

    def assertGuarded(self, answer, status, policy):
        """`policy`: "data", "page" (with its own policy) or "file" (part of a page)."""
        self.assertEqual(answer.status, status, answer)
        for name, value in ALWAYS.items():
            self.assertEqual(answer.headers.get_all(name), [value], name)
        policies = answer.headers.get_all("Content-Security-Policy")
        self.assertEqual(len(policies), 1)
        if policy == "data":
            self.assertEqual(policies, [DATA_POLICY])
        else:
            for part in ("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"):
                self.assertIn(part, policies[0].split("; "))
            self.assertNotIn("unsafe", policies[0])
        for name in PAGES_ALONE:
            self.assertEqual(answer.headers[name] is not None, policy == "page", name)
        self.assertIsNone(answer.headers["Strict-Transport-Security"], "no client uses HTTPS")

    def test_every_kind_of_response(self):
        ask = self.served.request
        token = self.someone.token
        tag = ask("GET", "/docs/index.html").headers["ETag"]
        kinds = {
            "JSON": (ask("GET", "/api/v1/reels", token=token), 200, "data"),
            "a job": (self.someone.analyze("https://www.instagram.com/reel/reelsd-unavailable/"), 202, "data"),
            "nothing": (ask("DELETE", f"/api/v1/reels/{self.submitted()}", token=token), 204, "data"),
            "text": (ask("GET", "/metrics"), 200, "data"),
            "a bad request": (ask("GET", "/healthz?%zz"), 400, "data"),
            "no token": (ask("GET", "/api/v1/reels"), 401, "data"),
            "another site": (self.ann.api("POST", "tokens", {"name": "x"},
                                          headers={"Sec-Fetch-Site": "cross-site"}), 403, "data"),
            "an unknown path": (ask("GET", "/nowhere"), 404, "data"),
            "an unknown page": (ask("GET", "/nowhere", headers=HTML), 404, "page"),
            "another method": (ask("DELETE", "/healthz"), 405, "data"),
            "no JSON": (ask("POST", "/dashboard/sign-in", b"x"), 415, "data"),
            "a redirect": (ask("GET", "/docs"), 302, "data"),
            "the API's document": (ask("GET", "/docs/openapi.yaml"), 200, "file"),
            "its viewer": (ask("GET", "/docs/index.html"), 200, "page"),
            "its viewer, known": (ask("GET", "/docs/index.html", headers={"If-None-Match": tag}), 304, "file"),
            "its viewer, no body": (ask("HEAD", "/docs/index.html"), 200, "page"),
            "a script": (ask("GET", "/docs/viewer.js"), 200, "file"),
            "a script, packed": (ask("GET", "/docs/viewer.js", headers={"Accept-Encoding": "gzip"}), 200, "file"),
            "the dashboard": (ask("GET", "/"), 200, "page"),
            "one of its pages": (ask("GET", "/reels/1", headers=HTML), 200, "page"),
            "what its pages ask for": (self.ann.api("GET", "session"), 200, "data"),
            "its authentication": (ask("GET", "/dashboard/api/session"), 401, "data"),
        }
        for name, (answer, status, policy) in kinds.items():
            with self.subTest(name):
                self.assertGuarded(answer, status, policy)

    def submitted(self):
        return self.someone.submit("https://www.instagram.com/reel/reelsd-unavailable/")

    def test_a_stream(self):
        events = EventStream(self.ann)
        self.addCleanup(events.close)
        self.assertGuarded(events.answer, 200, "data")

    def test_requests_refused_before_they_are_read(self):
        received = self.served.raw(b"nonsense\r\n\r\n")
        lines = received.split(b"\r\n\r\n")[0].split(b"\r\n")
        self.assertEqual(lines[0], b"HTTP/1.1 400 Bad Request")
        for name, value in (*ALWAYS.items(), ("Content-Security-Policy", DATA_POLICY)):
            self.assertEqual(lines.count(f"{name}: {value}".encode()), 1, name)


class BehindAProxy(ServiceTest):
    def test_https_responses_have_strict_transport_security(self):
        daemon = self.daemon(workers=0, public_url="https://reels.example.com").start()
        for path in ("/", "/healthz", "/nowhere"):
            answer = daemon.request("GET", path)
            self.assertEqual(answer.headers.get_all("Strict-Transport-Security"), ["max-age=31536000"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
