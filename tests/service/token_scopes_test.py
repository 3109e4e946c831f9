#!/usr/bin/env python3
"""Tests scopes and expiry of tokens, and the codes of refused requests."""

import pathlib
import re
import unittest

from dashboard_session import Person, set_up_link_secret
from service_support import UNAVAILABLE, DatabaseTest, wait_until

ANALYZE = "/api/v1/reels/analyze"
REASONS = pathlib.Path(__file__).resolve().parents[2] / "include/reelsd/base/error_reason.hpp"


class TokenScopes(DatabaseTest):
    def setUp(self):
        super().setUp()
        self.served = self.daemon(database_url=self.database, workers=1).start()
        self.someone = self.served.account(unlimited=True)

    def token(self, name, *options):
        return self.served.token(self.someone.email, name, *options)

    def status(self, token, method, path, body=None):
        answer = self.served.request(method, path, body, token=token)
        if answer.status == 403:
            self.assertProblem(answer, 403, "the scope of this token excludes this request")
            self.assertEqual(answer.headers["X-Error-Code"], "insufficient_scope")
        return answer.status

    def test_scopes(self):
        job = self.someone.submit(UNAVAILABLE)
        whole, read, submit = (self.token(scope, "--scope", scope) for scope in ("all", "read", "submit"))
        cases = [
            ("GET", "/api/v1/reels", None, 200, 200, 200),
            ("HEAD", "/api/v1/reels", None, 200, 200, 200),
            ("GET", f"/api/v1/reels/{job}", None, 200, 200, 200),
            ("GET", "/api/v1/reels/search?q=x", None, 200, 200, 403),
            ("GET", "/api/v1/reels/search", None, 400, 400, 403),
            ("GET", "/api/v1/reels/usage", None, 200, 200, 403),
            ("GET", "/api/v1/webhook", None, 200, 200, 403),
            ("GET", "/api/v1/nothing", None, 404, 404, 404),
            ("PUT", ANALYZE, None, 405, 405, 405),
            ("POST", ANALYZE, {"url": UNAVAILABLE}, 202, 403, 202),
            ("POST", ANALYZE, {}, 400, 403, 400),
            ("PUT", "/api/v1/webhook", {"url": None}, 200, 403, 403),
            ("POST", "/api/v1/webhook/test", {}, 400, 403, 403),
            ("DELETE", f"/api/v1/reels/{job}", None, None, 403, 403),
        ]
        for method, path, body, of_all, of_read, of_submit in cases:
            for token, expected in ((whole, of_all), (read, of_read), (submit, of_submit)):
                with self.subTest(f"{method} {path}, {expected}"):
                    if expected is not None and method == "HEAD":
                        self.assertEqual(self.served.request(method, path, token=token).status, expected)
                    elif expected is not None:
                        self.assertEqual(self.status(token, method, path, body), expected)
        secret = lambda token: self.served.request("GET", "/api/v1/webhook", token=token).json().get("secret")
        self.assertTrue(secret(whole).startswith("whsec_"))
        self.assertIsNone(secret(read), "a token that only reads must not allow its holder to sign")

    def test_uploads_are_submissions(self):
        read = self.token("read", "--scope", "read")
        answer = self.served.request("POST", ANALYZE, b"x" * 100, {"Content-Type": "video/mp4"}, token=read)
        self.assertProblem(answer, 403, "the scope of this token excludes this request")

    def test_a_token_expires(self):
        token = self.token("short", "--expires", "1h")
        works = lambda: self.served.request("GET", "/api/v1/reels", token=token).status
        self.assertEqual(works(), 200)
        listed = self.served.cli("token", "list", "--account", self.someone.email).stdout
        self.assertRegex(listed, r"  all  valid until \d{4}-\S+Z  short\n")
        self.sql("UPDATE api_token SET expires_at = now() WHERE name = 'short'")
        wait_until(lambda: works() == 401, "the expiry")
        answer = self.served.request("GET", "/api/v1/reels", token=token)
        self.assertEqual((answer.status, answer.json()), (401, {"error": "invalid API token"}))
        listed = self.served.cli("token", "list", "--account", self.someone.email).stdout
        self.assertRegex(listed, r"  all  expired \d{4}-\S+Z  short\n")
        self.assertTrue(self.token("short"), "the name is free")

    def test_a_wait_ends_with_the_token(self):
        idle = self.daemon(database_url=self.cluster.new_database(), workers=0).start()
        account = idle.account()
        job = account.submit(UNAVAILABLE)
        token = idle.token(account.email, "short", "--expires", "2s")
        answer = idle.request("GET", f"/api/v1/reels/{job}?wait=60", token=token)
        self.assertEqual((answer.status, answer.json()), (401, {"error": "invalid API token"}))

    def test_wrong_options_are_refused(self):
        for options in (["--scope", "write"], ["--expires", "0s"], ["--expires", "3"], ["--expires", "11y"],
                        ["--expires", "4000d"], ["--expires", "soon"]):
            with self.subTest(options):
                done = self.served.cli("token", "create", "--account", self.someone.email, "--name", "x", *options)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(options[0], done.stderr)

    def test_the_dashboard_creates_them(self):
        person = Person(self.served)
        person.join(set_up_link_secret(self.served), "ann@example.test")
        made = person.api("POST", "tokens", {"name": "phone", "scope": "submit", "expires_in_seconds": 86400})
        self.assertEqual(made.status, 201)
        token = made.json()["token"]
        self.assertEqual(self.status(token, "GET", "/api/v1/reels"), 200)
        self.assertEqual(self.status(token, "GET", "/api/v1/reels/usage"), 403)
        row = person.api("GET", "tokens").json()[0]
        self.assertEqual((row["name"], row["scope"]), ("phone", "submit"))
        self.assertRegex(row["expires_at"], r"^\d{4}-\d\d-\d\dT")
        plain = person.api("POST", "tokens", {"name": "laptop"}).json()
        self.assertEqual((plain["scope"], "expires_at" in plain), ("all", False))
        for wrong in ({"scope": "write"}, {"scope": 7}, {"expires_in_seconds": 0}, {"expires_in_seconds": "1"},
                      {"expires_in_seconds": 10**10}):
            self.assertEqual(person.api("POST", "tokens", {"name": "x", **wrong}).status, 400)


class ErrorCodes(DatabaseTest):
    def test_refused_requests_have_a_code(self):
        served = self.daemon(database_url=self.database, workers=0).start()
        someone = served.account()
        codes = set(re.findall(r"\b[a-z]+(?:_[a-z]+)+\b",
                               REASONS.read_text().split("std::uint8_t,")[1].split("budget_exceeded")[0]))
        cases = [
            (ANALYZE, {}, "url_required"),
            (ANALYZE, b"[]", "body_invalid"),
            (ANALYZE, {"url": 7}, "url_invalid"),
            (ANALYZE, {"url": "https://tiktok.com/x"}, "url_not_supported_host"),
            (ANALYZE, {"url": "https://www.instagram.com/someone/"}, "url_not_a_reel"),
            (ANALYZE, {"urls": []}, "urls_invalid"),
            (ANALYZE, {"url": UNAVAILABLE, "fresh": 1}, "body_invalid"),
            (ANALYZE, {"url": UNAVAILABLE, "webhook_url": "x"}, "webhook_url_invalid"),
            (ANALYZE, {"url": UNAVAILABLE, "extract": 7}, "extract_invalid"),
            (ANALYZE, {"url": UNAVAILABLE, "extract": "recipe"}, "model_required"),
            ("/api/v1/reels/ask", {"question": " "}, "question_required"),
            ("/api/v1/searches", {}, "query_required"),
            ("/api/v1/webhook/test", {}, "webhook_required"),
        ]
        for path, body, code in cases:
            self.assertIn(code, codes)
            with self.subTest(f"{path} {body}"):
                answer = someone.request("POST", path, body)
                self.assertEqual((answer.status, answer.headers["X-Error-Code"]), (400, code))
        for query, code in (("/search", "q_required"), ("/search?q=" + "x" * 501, "q_too_long"),
                            ("?limit=0", "parameter_invalid"), ("?cursor=x", "cursor_invalid"),
                            ("?a=%zz", "request_malformed"), ("/usage?from=x", "parameter_invalid")):
            with self.subTest(query):
                answer = someone.request("GET", "/api/v1/reels" + query)
                self.assertEqual((answer.status, answer.headers["X-Error-Code"]), (400, code))
        key = {"Idempotency-Key": "k"}
        for _ in range(3):
            self.assertEqual(someone.request("POST", ANALYZE, {"url": UNAVAILABLE}, key).status, 202)
            key = {}
        answer = someone.request("POST", ANALYZE, {"url": UNAVAILABLE + "?a"}, {"Idempotency-Key": "k"})
        self.assertEqual(answer.headers["X-Error-Code"], "idempotency_key_reused")
        answer = someone.request("POST", ANALYZE, {"url": UNAVAILABLE})
        self.assertEqual((answer.status, answer.headers["X-Error-Code"]), (429, "limit_concurrent_jobs"))
        self.assertIsNone(someone.request("GET", "/api/v1/reels").headers["X-Error-Code"])
        self.assertEqual(someone.request("GET", "/api/v1/reels/7").headers["X-Error-Code"], "not_found")
        many = served.account()
        served.limit(many.email, submissions_per_minute=1)
        many.request("POST", ANALYZE, {"url": UNAVAILABLE})
        answer = many.request("POST", ANALYZE, {"url": UNAVAILABLE})
        self.assertEqual((answer.status, answer.headers["X-Error-Code"]), (429, "rate_limit_submissions"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
