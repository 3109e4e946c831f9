"""Tests the HTTP API for submitting and reading a reel.

Method: one daemon without workers, so that every job stays pending and each answer is determined; tables of
requests and exact answers. outcomes_test.py and queue_test.py test the work of workers.
"""

import concurrent.futures
import json
import re
import time
import unittest

from service_support import Daemon, ServiceTest, must, run_reelsd

ANALYZE = "/api/v1/reels/analyze"
LINK = "https://www.instagram.com/reel/DYa0IXPgnP5/"
NOT_A_LINK = "URL must be an instagram.com link"
NOT_A_POST = "URL must be a reel link: instagram.com/reel/<code> or instagram.com/p/<code>"
RFC3339 = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")


def another_host(host):
    return f'{NOT_A_LINK}, got "{host}"'


class ApiTest(ServiceTest):
    """One daemon serves all classes: each test uses its own ids and accounts."""


def setUpModule():
    # Polling is not tested here, so the limit on requests is high.
    ApiTest.served = Daemon(workers=0, requests_per_minute=100000)
    unittest.addModuleCleanup(ApiTest.served.close)
    ApiTest.served.start()
    ApiTest.someone = ApiTest.served.account(unlimited=True)
    ApiTest.other = ApiTest.served.account(unlimited=True)


class Submitting(ApiTest):
    def test_an_accepted_link_gets_an_id_and_a_location(self):
        answer = self.someone.analyze(LINK)

        self.assertEqual(answer.status, 202)
        self.assertEqual(answer.headers["Content-Type"], "application/json")
        self.assertEqual(answer.headers["Cache-Control"], "no-store")
        body = answer.json()
        self.assertEqual(body, {"id": body["id"], "status": "pending"})
        self.assertEqual(answer.headers["Location"], f"/api/v1/reels/{body['id']}")

    def test_accepted_links(self):
        code = "DYa0IXPgnP5"
        accepted = [
            f"https://www.instagram.com/reel/{code}/",
            f"https://www.instagram.com/reel/{code}",
            f"http://instagram.com/p/{code}/",
            f"https://m.instagram.com/reel/{code}/",
            f"HTTPS://WWW.Instagram.COM/reel/{code}/",
            f"https://www.instagram.com/reels/{code}/",
            f"https://www.instagram.com/tv/{code}/",
            f"https://www.instagram.com/some.one/reel/{code}/",
            f"https://www.instagram.com/some.one/p/{code}/",
            f"https://www.instagram.com/reel/{code}/embed",
            f"https://www.instagram.com/p/{code}/embed/captioned/",
            "https://www.instagram.com/share/reel/BAB2x9kLm/",
            f"https://www.instagram.com/reel/{code}/?igsh=MWZ0&utm_source=ig_web#top",
            f"https://www.instagram.com:443/reel/{code}/",
            f"http://www.instagram.com:80/reel/{code}/",
            f"https://www.instagram.com/p/{code}/?img_index=2",
        ]
        for link in accepted:
            with self.subTest(link):
                answer = self.someone.analyze(link)
                self.assertEqual(answer.status, 202, answer)
                job = self.someone.job(answer.json()["id"])
                self.assertEqual(job["url"], link, "the link stays as submitted")

    def test_refused_links(self):
        cases = [
            ("https://www.tiktok.com/@a/video/1", another_host("www.tiktok.com")),
            ("https://tiktok.com/x", another_host("tiktok.com")),
            ("https://TikTok.com:8443/x", another_host("tiktok.com")),
            ("https://instagram.com.evil.test/reel/abcdefgh/", another_host("instagram.com.evil.test")),
            ("https://evilinstagram.com/reel/abcdefgh/", another_host("evilinstagram.com")),
            ("no link at all", NOT_A_LINK),
            ("/reel/abcdefgh/", NOT_A_LINK),
            ("www.instagram.com/reel/abcdefgh/", NOT_A_LINK),
            ("ftp://www.instagram.com/reel/abcdefgh/", NOT_A_LINK),
            ("javascript:alert(1)", NOT_A_LINK),
            ("https:///reel/abcdefgh/", NOT_A_LINK),
            ("https://www.instagram.com/reel/abc\ndefgh/", NOT_A_LINK),
            ("https://www.instagram.com/reel/abc\u0000defgh/", NOT_A_LINK),
            ("https://www.instagram.com/reel/DYa0IXPgnP5/?" + "x" * 2048, NOT_A_LINK),
            ("https://www.instagram.com/", NOT_A_POST),
            ("https://www.instagram.com/some.one/", NOT_A_POST),
            ("https://www.instagram.com/reel/", NOT_A_POST),
            ("https://www.instagram.com/stories/some.one/1/", NOT_A_POST),
            ("https://www.instagram.com/explore/tags/pasta/", NOT_A_POST),
            ("https://www.instagram.com/accounts/login/", NOT_A_POST),
            ("https://www.instagram.com/reels/audio/123/", NOT_A_POST),
        ]
        for link, message in cases:
            with self.subTest(link[:80]):
                self.assertProblem(self.someone.analyze(link), 400, message)

    def test_lookalike_hosts_are_refused(self):
        for link in [
            "https://user@www.instagram.com/reel/DYa0IXPgnP5/",
            "https://user:secret@www.instagram.com/reel/DYa0IXPgnP5/",
            "https://www.instagram.com@evil.test/reel/DYa0IXPgnP5/",
            "https://www.instagram.com:8443/reel/DYa0IXPgnP5/",
            "http://www.instagram.com:443/reel/DYa0IXPgnP5/",
            "https://www.instagr\u0430m.com/reel/DYa0IXPgnP5/",  # Cyrillic a
            "https://xn--instagrm-8nf.com/reel/DYa0IXPgnP5/",
            "https://www%2Einstagram.com/reel/DYa0IXPgnP5/",
            "https://%69nstagram.com/reel/DYa0IXPgnP5/",
            "https://www.instagram.com\\@evil.test/reel/DYa0IXPgnP5/",
        ]:
            with self.subTest(link):
                answer = self.someone.analyze(link)
                self.assertEqual(answer.status, 400, answer)
                self.assertTrue(answer.json()["message"].startswith(NOT_A_LINK), answer)

    def test_malformed_bodies(self):
        no_object = "request body must be a JSON object"
        cases = [
            (b"", no_object),
            (b"url=https://www.instagram.com/reel/abcdefgh/", no_object),
            (b"{", no_object),
            (b'{"url": "x"} trailing', no_object),
            (b'{"url": "x"}\0', no_object),
            (b'{"url": "https://www.instagram.com/reel/abcdefgh/"}\0{"url": "x"}', no_object),
            (b'\0{"url": "x"}', no_object),
            (b"{'url': 'x'}", no_object),
            (b'["https://www.instagram.com/reel/abcdefgh/"]', no_object),
            (b'"https://www.instagram.com/reel/abcdefgh/"', no_object),
            (b"null", no_object),
            (b"42", no_object),
            (b'{"url": "\xff\xfe"}', no_object),
            (b'{"url": "x", "a": "\\ud800"}', "URL must be an instagram.com link"),
            (b'{"a":' * 5000, "request body is nested too deeply: at most 64 levels"),
            (b"[" * 30000 + b"]" * 30000, "request body is nested too deeply: at most 64 levels"),
            (b'{"url": "x", "a": 1e999}', "request body has a number out of range"),
            (b"{}", "url is required"),
            (b'{"URL": "https://www.instagram.com/reel/abcdefgh/"}', "url is required"),
            (b'{"url": null}', "url is required"),
            (b'{"url": ""}', "url is required"),
            (b'{"url": " \\t\\n"}', "url is required"),
            (b'{"url": 42}', "url must be a string"),
            (b'{"url": ["https://www.instagram.com/reel/abcdefgh/"]}', "url must be a string"),
            (b'{"url": {}}', "url must be a string"),
            (b'{"url": true}', "url must be a string"),
        ]
        for body, message in cases:
            with self.subTest(body[:60]):
                self.assertProblem(self.someone.request("POST", ANALYZE, body), 400, message)

    def test_content_type_and_unknown_members_are_ignored(self):
        body = json.dumps({"url": LINK, "colour": "blue", "nested": {"url": 1}})
        for content_type in ("text/plain", "application/x-www-form-urlencoded", "nonsense"):
            answer = self.someone.request("POST", ANALYZE, body, {"Content-Type": content_type})
            self.assertEqual(answer.status, 202, answer)
        self.assertEqual(self.someone.request("POST", ANALYZE + "?x=1", body).status, 202)

    def test_a_body_over_64_kib_is_refused(self):
        answer = self.someone.request("POST", ANALYZE, b'{"url": "' + b"x" * 65536 + b'"}')
        self.assertEqual(answer.status, 413, answer)
        self.assertEqual(answer.json()["status"], "error")


class Limits(ApiTest):
    def test_at_most_three_concurrent_jobs(self):
        fresh = self.served.account()
        for _ in range(3):
            self.assertEqual(fresh.analyze(LINK).status, 202)

        answer = fresh.analyze(LINK)

        self.assertEqual(answer.status, 429)
        self.assertRegex(answer.json()["message"], r"\b3\b")
        self.assertEqual(answer.json()["status"], "error")
        self.assertRegex(answer.headers["Retry-After"], r"^[1-9]\d*$")
        for name in ("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"):
            self.assertRegex(answer.headers[name], r"^\d+$")

    def test_ten_submissions_a_minute(self):
        fresh = self.served.account()
        self.served.limit(fresh.email, concurrent_jobs=1000)
        answers = [fresh.analyze(LINK) for _ in range(10)]
        self.assertEqual([a.status for a in answers], [202] * 10)
        self.assertEqual(answers[0].headers["RateLimit-Limit"], "10")
        self.assertEqual(answers[0].headers["RateLimit-Remaining"], "9")

        # A token is refilled every 6 s; a slow machine may have received one during ten submissions.
        refused = next(a for a in (fresh.analyze(LINK) for _ in range(20)) if a.status != 202)

        self.assertEqual(refused.status, 429)
        self.assertRegex(refused.json()["message"], r"\b10\b")
        self.assertIn(int(refused.headers["Retry-After"]), range(1, 61))
        self.assertEqual(refused.headers["RateLimit-Remaining"], "0")

    def test_fifty_concurrent_submissions_admit_exactly_three(self):
        fresh = self.served.account()
        with concurrent.futures.ThreadPoolExecutor(50) as pool:
            answers = list(pool.map(lambda _: fresh.analyze(LINK), range(50)))
        self.assertEqual(sorted(a.status for a in answers), [202] * 3 + [429] * 47)

    def test_invalid_requests_cost_no_quota_and_need_none(self):
        fresh = self.served.account()
        self.served.limit(fresh.email, submissions_per_minute=4)
        for _ in range(10):
            self.assertEqual(fresh.analyze("https://tiktok.com/x").status, 400)
        for _ in range(3):
            self.assertEqual(fresh.analyze(LINK).status, 202)
        self.assertEqual(fresh.analyze(LINK).status, 429)
        self.assertEqual(fresh.analyze("https://tiktok.com/x").status, 400)

    def test_a_refused_submission_costs_nothing(self):
        fresh = self.served.account()
        self.served.limit(fresh.email, concurrent_jobs=1)
        first = fresh.analyze(LINK)
        refused = [fresh.analyze(LINK) for _ in range(5)]
        self.assertEqual([a.status for a in refused], [429] * 5)
        remaining = int(first.headers["RateLimit-Remaining"])
        self.assertGreaterEqual(int(refused[-1].headers["RateLimit-Remaining"]), remaining)

    def test_limits_apply_to_the_account_not_to_the_token(self):
        fresh = self.served.account()
        second = self.served.token(fresh.email, "second")
        for _ in range(3):
            self.assertEqual(fresh.analyze(LINK).status, 202)
        answer = self.served.request("POST", ANALYZE, {"url": LINK}, token=second)
        self.assertEqual(answer.status, 429)
        self.assertEqual(self.other.analyze(LINK).status, 202, "another account is not touched")

    def test_other_requests_have_a_separate_limit(self):
        fresh = self.served.account()
        self.served.limit(fresh.email, requests_per_minute=5)
        job_id = fresh.submit(LINK)
        path = f"/api/v1/reels/{job_id}"
        answers = [fresh.request("GET", path) for _ in range(30)]
        refused = [a for a in answers if a.status != 200]
        self.assertEqual({a.status for a in refused}, {429})
        self.assertRegex(refused[0].json()["message"], r"\b5\b")
        self.assertRegex(refused[0].headers["Retry-After"], r"^[1-9]\d*$")
        self.assertEqual(fresh.analyze(LINK).status, 202, "polling never costs a submission")


class Reading(ApiTest):
    def test_a_pending_job(self):
        job_id = self.someone.submit(LINK)

        answer = self.someone.request("GET", f"/api/v1/reels/{job_id}")

        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.headers["Content-Type"], "application/json")
        self.assertEqual(answer.headers["Cache-Control"], "no-store")
        job = answer.json()
        self.assertRegex(job["created_at"], RFC3339)
        # Omitted or null, as the API allows for missing values.
        known = {name: value for name, value in job.items() if value is not None}
        self.assertEqual(
            known,
            {"id": job_id, "url": LINK, "status": "pending", "created_at": job["created_at"],
             "queue_position": job["queue_position"]})
        self.assertLess(0, job["queue_position"])

    def test_ids_of_other_accounts(self):
        mine = self.someone.submit(LINK)
        for path in [str(mine + 10**6), "0", "-1", "1.5", "+1", "abc", "%31x", "9223372036854775807",
                     "9223372036854775808", "99999999999999999999999", f"{mine}x", f"0{mine}"]:
            with self.subTest(path):
                answer = self.someone.request("GET", f"/api/v1/reels/{path}")
                self.assertProblem(answer, 404, "not found")
        anothers = self.other.request("GET", f"/api/v1/reels/{mine}")
        self.assertProblem(anothers, 404, "not found")
        unknown = self.other.request("GET", f"/api/v1/reels/{mine + 10**6}")
        changing = ("date", "x-request-id")
        shown = [{name.lower(): value for name, value in answer.headers.items() if name.lower() not in changing}
                 for answer in (anothers, unknown)]
        self.assertEqual(shown[0], shown[1], "a header makes no difference")

    def test_a_long_poll_of_a_pending_job_returns_its_state_at_the_end(self):
        job_id = self.someone.submit(LINK)
        begin = time.monotonic()
        job = self.someone.job(job_id, wait=1)
        self.assertGreaterEqual(time.monotonic() - begin, 0.9)
        self.assertEqual(job["status"], "pending")

    def test_invalid_waits(self):
        job_id = self.someone.submit(LINK)
        for wait in ("abc", "-1", "61", "1e9", "nan", "inf", "", "1x"):
            with self.subTest(wait):
                answer = self.someone.request("GET", f"/api/v1/reels/{job_id}?wait={wait}")
                self.assertEqual(answer.status, 400, answer)
                self.assertIn("wait", answer.json()["message"])
        self.assertEqual(self.someone.request("GET", f"/api/v1/reels/{job_id}?wait=0").status, 200)
        self.assertEqual(self.someone.request("GET", f"/api/v1/reels/{job_id}?other=x").status, 200)
        self.assertProblem(
            self.other.request("GET", f"/api/v1/reels/{job_id}?wait=5"), 404, "not found")

    def test_many_long_polls_do_not_delay_other_requests(self):
        job_id = self.someone.submit(LINK)
        with concurrent.futures.ThreadPoolExecutor(65) as pool:
            waiting = [pool.submit(self.someone.job, job_id, 5) for _ in range(64)]
            self.assertEqual(self.someone.job(job_id)["status"], "pending")
            self.assertFalse(any(w.done() for w in waiting), "the short answer came first")
            self.assertEqual({w.result()["status"] for w in waiting}, {"pending"})


class Authentication(ApiTest):
    def test_without_a_token(self):
        expected = {"error": "API token required (Authorization: Bearer rls_...)"}
        for value in (None, "", "Basic dXNlcjpwYXNz", "Bearer", "rls_" + "a" * 40):
            with self.subTest(value):
                headers = {} if value is None else {"Authorization": value}
                answer = self.served.request("GET", "/api/v1/reels/1", headers=headers)
                self.assertEqual((answer.status, answer.json()), (401, expected))
                self.assertTrue(answer.headers["WWW-Authenticate"].startswith("Bearer"))

    def test_with_an_invalid_token(self):
        good = self.someone.token
        changed = good[:20] + ("A" if good[20] != "A" else "B") + good[21:]
        for token in (changed, good[:-1], good + "a", "rls_" + "a" * 40, "x", good.upper(), "rls_'--"):
            with self.subTest(token):
                answer = self.served.request("GET", "/api/v1/reels/1", token=token)
                self.assertEqual((answer.status, answer.json()), (401, {"error": "invalid API token"}))
                self.assertTrue(answer.headers["WWW-Authenticate"].startswith("Bearer"))

    def test_the_token_has_the_documented_shape(self):
        self.assertRegex(self.someone.token, r"^rls_[A-Za-z0-9]{40}$")

    def test_the_scheme_is_case_insensitive(self):
        job_id = self.someone.submit(LINK)
        for scheme in ("bearer", "BEARER", "Bearer"):
            headers = {"Authorization": f"{scheme} {self.someone.token}"}
            answer = self.served.request("GET", f"/api/v1/reels/{job_id}", headers=headers)
            self.assertEqual(answer.status, 200)

    def test_authentication_precedes_all_other_checks(self):
        for method, path in (("GET", "/api/v1/nothing"), ("PUT", ANALYZE), ("POST", ANALYZE),
                             ("GET", "/api/v1/reels/0")):
            with self.subTest((method, path)):
                self.assertEqual(self.served.request(method, path, b"{").status, 401)


class Routes(ApiTest):
    def test_unknown_paths(self):
        for path in ("/api/v1/nothing", "/api/v1/reels/1/nothing", "/api/v2/reels/1", "/nothing"):
            with self.subTest(path):
                self.assertProblem(self.someone.request("GET", path), 404, "not found")

    def test_other_methods(self):
        job_id = self.someone.submit(LINK)
        cases = [("PUT", ANALYZE, "POST"), ("PATCH", ANALYZE, "POST"),
                 ("POST", f"/api/v1/reels/{job_id}", "GET"), ("PUT", f"/api/v1/reels/{job_id}", "GET")]
        for method, path, allowed in cases:
            with self.subTest((method, path)):
                answer = self.someone.request(method, path)
                self.assertProblem(answer, 405, "method not allowed")
                self.assertIn(allowed, [m.strip() for m in answer.headers["Allow"].split(",")])

    def test_head_equals_get_without_a_body(self):
        job_id = self.someone.submit(LINK)
        answer = self.someone.request("HEAD", f"/api/v1/reels/{job_id}")
        self.assertEqual((answer.status, answer.body), (200, b""))
        self.assertEqual(answer.headers["Content-Type"], "application/json")
        self.assertEqual(self.someone.request("HEAD", "/api/v1/reels/0").status, 404)

    def test_request_ids(self):
        for sent in ("abc", "A-1._z", "x" * 128):
            answer = self.someone.request("GET", "/api/v1/reels/0", headers={"X-Request-Id": sent})
            self.assertEqual(answer.headers["X-Request-Id"], sent)
        own = set()
        for sent in ("x" * 129, "a b", "ä", "<script>"):
            headers = {"X-Request-Id": sent.encode()}
            answer = self.someone.request("GET", "/api/v1/reels/0", headers=headers)
            own.add(answer.headers["X-Request-Id"])
        own.add(self.served.request("GET", "/healthz").headers["X-Request-Id"])
        own.add(self.served.request("GET", "/api/v1/reels/1").headers["X-Request-Id"])
        self.assertEqual(len(own), 6, "each a new one")
        for request_id in own:
            self.assertRegex(request_id, r"^[A-Za-z0-9._-]{1,128}$")

    def test_health(self):
        health = self.served.request("GET", "/healthz")
        version = must(run_reelsd("--version")).stdout.split()[1]
        self.assertEqual((health.status, health.json()), (200, {"status": "ok", "version": version}))
        self.assertEqual(self.served.request("GET", "/readyz").status, 200)

    def test_errors_reveal_no_internals(self):
        """No answer of the tables above may contain a path, SQL or a source file. This tests one of each kind."""
        answers = [
            self.someone.request("GET", "/api/v1/reels/1'%20OR%201=1"),
            self.someone.analyze("https://'; DROP TABLE job; --/"),
            self.someone.request("POST", ANALYZE, b"{"),
            self.served.request("GET", "/api/v1/reels/1", token="'"),
        ]
        for answer in answers:
            self.assertNotRegex(answer.body.decode(), r"(?i)select |\.cpp|/src/|exception|libpq|postgres")


class Protocol(ApiTest):
    """Bytes that no library sends."""

    def status_of(self, received):
        match = re.match(rb"HTTP/1\.1 (\d{3}) ", received)
        return int(match.group(1)) if match else None

    def test_malformed_requests(self):
        cases = {
            "no HTTP": b"hello\r\n\r\n",
            "no host": b"GET /healthz HTTP/1.1\r\n\r\n",
            "two hosts": b"GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
            "two lengths": b"POST /api/v1/reels/analyze HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n"
                           b"Content-Length: 2\r\n\r\n{}",
            "length and chunks": b"POST /api/v1/reels/analyze HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n"
                                 b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "unknown coding": b"POST /api/v1/reels/analyze HTTP/1.1\r\nHost: a\r\n"
                              b"Transfer-Encoding: gzip\r\n\r\n",
            "blank before the colon": b"GET /healthz HTTP/1.1\r\nHost : a\r\n\r\n",
        }
        for name, request in cases.items():
            with self.subTest(name):
                received = self.served.raw(request)
                self.assertEqual(self.status_of(received), 400, received[:200])

    def test_a_header_over_16_kib(self):
        received = self.served.raw(
            b"GET /healthz HTTP/1.1\r\nHost: a\r\nX-Long: " + b"x" * 17000 + b"\r\n\r\n")
        self.assertEqual(self.status_of(received), 431, received[:200])

    def test_an_oversized_content_length_is_refused_before_the_body(self):
        received = self.served.raw(
            b"POST /api/v1/reels/analyze HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer "
            + self.someone.token.encode() + b"\r\nContent-Length: 1000000000\r\n\r\n")
        self.assertEqual(self.status_of(received), 413, received[:200])

    def test_refused_requests_have_request_ids(self):
        for fields in (b"Content-Length: 1000000000\r\n\r\n", b"Transfer-Encoding: chunked\r\n\r\nnonsense\r\n",
                       b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n"):
            with self.subTest(fields=fields):
                received = self.served.raw(
                    b"POST /api/v1/reels/analyze HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine-1\r\n" + fields)
                self.assertIn(self.status_of(received), (400, 413), received[:200])
                self.assertIn(b"\r\nX-Request-Id: mine-1\r\n", received)

    def test_an_endless_header(self):
        received = self.served.raw(b"GET /healthz HTTP/1.1\r\nHost: a\r\nX-Slow: ", seconds=30)
        self.assertEqual(self.status_of(received), 408, received[:200])

    def test_chunked_bodies_and_keep_alive(self):
        link = json.dumps({"url": LINK}).encode()
        head = (b"POST /api/v1/reels/analyze HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer "
                + self.someone.token.encode() + b"\r\nTransfer-Encoding: chunked\r\n")
        chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (len(link), link)
        received = self.served.raw(
            head + b"\r\n" + chunks + head + b"Connection: close\r\n\r\n" + chunks)
        self.assertEqual(received.count(b"HTTP/1.1 202 "), 2, received[:2000])

    def test_the_daemon_survives_malformed_input(self):
        self.served.raw(b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nx: "
                        + b"y" * 70000 + b"\r\n\r\n")
        self.assertEqual(self.served.request("GET", "/healthz").status, 200)


if __name__ == "__main__":
    unittest.main(verbosity=2)
