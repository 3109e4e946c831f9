"""Tests the dashboard from outside: access, permissions, and live updates."""

import concurrent.futures
import re
import shutil
import subprocess
import unittest

from dashboard_session import PASSWORD, EventStream, Person, set_up_link_secret
from service_support import (SAMPLE, UNAVAILABLE, Daemon, DatabaseTest, ServiceTest, clean_environment, must,
                             program,                             wait_until)

# Requests of pages, and requests that change data: all need a session.
GATED = [
    ("GET", "session"), ("POST", "sign-out"), ("POST", "password"),
    ("GET", "reels"), ("POST", "reels/analyze"), ("GET", "reels/1"), ("DELETE", "reels/1"),
    ("GET", "reels/1/thumbnail"), ("GET", "reels/search?q=a"), ("GET", "reels/usage"),
    ("GET", "tokens"), ("POST", "tokens"), ("DELETE", "tokens/1"), ("GET", "events"),
    ("GET", "chats"), ("POST", "chats/codes"), ("DELETE", "chats/1"),
    ("GET", "admin/overview"), ("GET", "admin/accounts"), ("POST", "admin/accounts"),
    ("PATCH", "admin/accounts/1"), ("POST", "admin/accounts/1/invitation"),
    ("GET", "admin/failures"), ("POST", "admin/failures/retry"), ("GET", "admin/defaults"),
    ("GET", "admin/model"), ("PUT", "admin/model"), ("POST", "admin/model/check"), ("DELETE", "admin/model"),
    ("GET", "sessions"), ("DELETE", "sessions"), ("DELETE", "sessions/1"),
    ("GET", "no-such-thing"),
]
PAGES = ["/", "/sign-in", "/join", "/reels/1", "/tokens", "/usage", "/account", "/admin"]


class SetUp(ServiceTest):
    def test_the_setup_link_creates_one_administrator(self):
        daemon = self.daemon().start()
        secret = set_up_link_secret(daemon)
        ann = Person(daemon)
        look = ann.request("POST", "/dashboard/invitation", {"token": secret})
        self.assertEqual(look.json(), {"purpose": "first_administrator"})
        ann.join(secret, "ann@example.com")
        session = ann.api("GET", "session").json()
        self.assertEqual(session["account"]["email"], "ann@example.com")
        self.assertTrue(session["account"]["is_admin"])
        again = Person(daemon).request(
            "POST", "/dashboard/invitation/accept",
            {"token": secret, "email": "eve@example.com", "password": PASSWORD})
        self.assertEqual(again.status, 404, again)
        self.assertIn("no longer valid", again.json()["message"])

    def test_a_restart_logs_a_new_setup_link_until_there_is_an_administrator(self):
        daemon = self.daemon().start()
        first = set_up_link_secret(daemon)
        daemon.stop()
        daemon.start()
        second = set_up_link_secret(daemon)
        self.assertNotEqual(first, second)
        gone = Person(daemon).request("POST", "/dashboard/invitation", {"token": first})
        self.assertEqual(gone.status, 404)
        Person(daemon).join(second, "ann@example.com")
        daemon.stop()
        daemon.start()
        answer = Person(daemon).sign_in("ann@example.com").api("GET", "session")
        self.assertEqual(answer.status, 200)
        self.assertEqual([line for line in daemon.log_lines()
                          if line.get("message") == "setup link created"], [])

    def test_an_invitation_from_the_command_line(self):
        daemon = self.daemon().start()
        account = daemon.account()
        invitation = subprocess.run(
            [program("reelsd"), "account", "invite", "--account", account.email],
            env=clean_environment(**{**daemon.settings, "public_url": "https://reels.example.com"}),
            cwd=daemon.folder, capture_output=True, text=True, check=True)
        self.assertRegex(invitation.stdout, r"^https://reels\.example\.com/join#[A-Za-z0-9]{43}\n$")
        person = Person(daemon).join(invitation.stdout.strip().split("#")[1])
        session = person.api("GET", "session").json()
        self.assertEqual(session["account"]["email"], account.email)
        self.assertFalse(session["account"]["is_admin"])

    def test_a_setup_link_from_the_command_line(self):
        daemon = self.daemon().start()
        logged = set_up_link_secret(daemon)
        invitation = daemon.cli("account", "invite", public_url="https://reels.example.com")
        self.assertEqual(invitation.returncode, 0, invitation.stderr)
        self.assertRegex(invitation.stdout, r"^https://reels\.example\.com/join#[A-Za-z0-9]{43}\n$")
        gone = Person(daemon).request("POST", "/dashboard/invitation", {"token": logged})
        self.assertEqual(gone.status, 404, "there is one such link")
        ann = Person(daemon).join(invitation.stdout.strip().split("#")[1], "ann@example.com")
        self.assertTrue(ann.api("GET", "session").json()["account"]["is_admin"])
        again = daemon.cli("account", "invite")
        self.assertEqual((again.returncode, again.stdout), (1, ""))
        self.assertIn("an administrator already exists", again.stderr)

    def test_the_logged_link_is_invalid_once_there_is_an_administrator(self):
        daemon = self.daemon().start()
        logged = set_up_link_secret(daemon)
        must(daemon.cli("account", "create", "--email", "ann@example.com", "--admin"))
        made = must(daemon.cli("account", "invite", "--account", "ann@example.com"))
        Person(daemon).join(made.stdout.strip().split("#")[1])
        reader = Person(daemon)
        self.assertEqual(reader.request("POST", "/dashboard/invitation", {"token": logged}).status, 404)
        taken = reader.request("POST", "/dashboard/invitation/accept", {
            "token": logged, "email": "eve@example.com", "password": PASSWORD})
        self.assertEqual(taken.status, 404, taken)

    def test_cookies_are_secure_over_https(self):
        daemon = self.daemon(public_url="https://reels.example.com").start()
        answer = Person(daemon).request(
            "POST", "/dashboard/invitation/accept",
            {"token": set_up_link_secret(daemon), "email": "ann@example.com", "password": PASSWORD})
        cookie = answer.headers["set-cookie"]
        self.assertRegex(cookie, "^__Host-reelsd_session=[A-Za-z0-9]{43};")
        for attribute in ("HttpOnly", "SameSite=Strict", "Secure", "Path=/"):
            self.assertIn(attribute, cookie.split("; "))
        own = cookie.split(";")[0]
        for cookies, status in ((own, 200), (own + "; reelsd_session=" + "a" * 43, 200),
                                (own.removeprefix("__Host-"), 401), (f"{own}; __Host-reelsd_session={'a' * 43}", 401)):
            with self.subTest(cookies):
                seen = daemon.request("GET", "/dashboard/api/session", headers={"Cookie": cookies})
                self.assertEqual(seen.status, status, seen)


class Sessions(ServiceTest):
    """One daemon for all tests: ann is its administrator, bob a member."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.served = Daemon().start()
        cls.addClassCleanup(cls.served.close)
        cls.ann = Person(cls.served).join(set_up_link_secret(cls.served), "ann@example.com")
        cls.bob = cls.ann.invite("bob@example.com")

    def test_every_resource_requires_a_session(self):
        anonymous = Person(self.served)
        forged = {"Cookie": "reelsd_session=" + "a" * 43}
        for method, path in GATED:
            for headers in ({}, forged, {"Cookie": "reelsd_session=x"}):
                with self.subTest(path, headers=headers):
                    answer = anonymous.api(method, path, headers=headers)
                    self.assertEqual(answer.status, 401, answer)
                    self.assertEqual(list(answer.json()), ["error"])
                    self.assertEqual(answer.headers["WWW-Authenticate"], 'Session realm="dashboard"')

    def test_api_tokens_and_sessions_are_not_interchangeable(self):
        token = self.bob.api("POST", "tokens", {"name": "no session"}).json()["token"]
        bearer = {"Authorization": f"Bearer {token}"}
        self.assertEqual(Person(self.served).api("GET", "reels", headers=bearer).status, 401)
        self.assertEqual(self.bob.request("GET", "/api/v1/reels").status, 401)

    def test_changes_require_the_csrf_token(self):
        body = {"name": "csrf"}
        for headers in ({}, {"X-CSRF-Token": "x"}, {"X-CSRF-Token": self.ann.csrf_token}):
            answer = self.bob.api("POST", "tokens", body, headers=headers, csrf=False)
            self.assertEqual(answer.status, 403, answer)
        for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}):
            answer = self.bob.api("POST", "tokens", body, headers=headers)
            self.assertEqual(answer.status, 403, answer)
        answer = self.bob.api("POST", "tokens", body, headers={"Content-Type": "text/plain"})
        self.assertEqual(answer.status, 415, answer)
        self.assertNotIn("csrf", [one["name"] for one in self.bob.api("GET", "tokens").json()])

    def test_administration_requires_an_administrator(self):
        for method, path in GATED:
            if path.startswith("admin/"):
                with self.subTest(path):
                    answer = self.bob.api(method, path, {} if method != "GET" else None)
                    self.assertProblem(answer, 404, "not found")
                    self.assertProblem(self.bob.api("PUT", path, {}, csrf=False), 404, "not found")

    def test_resources_of_other_accounts_are_not_found(self):
        job = self.ann.submit(UNAVAILABLE)
        self.ann.finished(job)
        token = self.ann.api("POST", "tokens", {"name": "hers"}).json()["id"]
        for method, path in (
                ("GET", f"reels/{job}"), ("DELETE", f"reels/{job}"), ("GET", f"reels/{job}/thumbnail"),
                ("GET", f"reels/{job}/subtitles.vtt"), ("GET", f"reels/{job}/usage"),
                ("DELETE", f"tokens/{token}")):
            with self.subTest(path):
                self.assertEqual(self.bob.api(method, path).status, 404)
        self.assertNotIn(job, [one["id"] for one in self.bob.api("GET", "reels").json()])

    def test_signing_out_ends_the_session_immediately(self):
        bob = Person(self.served).sign_in("bob@example.com")
        kept = bob.cookie
        answer = bob.api("POST", "sign-out")
        self.assertEqual(answer.status, 204)
        self.assertIn("Max-Age=0", answer.headers["set-cookie"])
        self.assertEqual(bob.api("GET", "session", headers={"Cookie": kept}).status, 401)
        self.assertEqual(self.bob.api("GET", "session").status, 200, "another browser's stays")

    def test_sessions_are_listed_and_ended_by_their_account(self):
        dan = self.ann.invite("dan@example.com")
        other = Person(self.served).sign_in("dan@example.com", headers={"User-Agent": "Firefox" * 100})
        third = Person(self.served).sign_in("dan@example.com")
        listed = dan.api("GET", "sessions").json()
        self.assertEqual([session["is_current"] for session in listed].count(True), 1)
        self.assertEqual({session["user_agent"] for session in listed}, {"", ("Firefox" * 100)[:300]})
        ids = {session["user_agent"]: session["id"] for session in listed}
        self.assertNotIn(other.cookie.split("=")[1], str(listed))
        self.assertProblem(self.bob.api("DELETE", f"sessions/{ids[('Firefox' * 100)[:300]]}"), 404, "not found")
        self.assertEqual(dan.api("DELETE", f"sessions/{ids[('Firefox' * 100)[:300]]}").status, 204)
        self.assertEqual(other.api("GET", "session").status, 401)
        self.assertEqual(third.api("DELETE", "sessions").json(), {"ended": 1})
        self.assertEqual(dan.api("GET", "session").status, 401)
        self.assertEqual(third.api("GET", "session").status, 200)

    def test_a_new_password_ends_all_other_sessions(self):
        cid = self.ann.invite("cid@example.com")
        other = Person(self.served).sign_in("cid@example.com")
        wrong = cid.api("POST", "password",
                        {"current_password": "not it at all", "new_password": "another horse"})
        self.assertEqual((wrong.status, wrong.json()["message"]),
                         (400, "the current password is wrong"))
        short = cid.api("POST", "password", {"current_password": PASSWORD, "new_password": "short"})
        self.assertEqual(short.status, 400)
        changed = cid.api("POST", "password",
                          {"current_password": PASSWORD, "new_password": "another horse"})
        self.assertEqual(changed.status, 200, changed)
        self.assertEqual(cid.api("GET", "session").status, 200)
        self.assertEqual(other.api("GET", "session").status, 401)
        refused = Person(self.served).request(
            "POST", "/dashboard/sign-in", {"email": "cid@example.com", "password": PASSWORD})
        self.assertEqual(refused.status, 401)
        Person(self.served).sign_in("cid@example.com", "another horse")

    def test_wrong_passwords_reveal_nothing_and_are_throttled(self):
        def attempt(email, password):
            return Person(self.served).request(
                "POST", "/dashboard/sign-in", {"email": email, "password": password})
        self.ann.invite("dot@example.com")
        known = attempt("dot@example.com", "not it at all")
        unknown = attempt("nobody@example.com", "not it at all")
        self.assertEqual(known.status, 401)
        self.assertEqual(known.json(), unknown.json())
        self.assertEqual(known.headers["WWW-Authenticate"], 'Session realm="dashboard"')
        for _ in range(7):
            self.assertEqual(attempt("dot@example.com", "not it at all").status, 401)
        refused = attempt("dot@example.com", PASSWORD)
        self.assertEqual(refused.status, 429, "even with the right one")
        self.assertGreater(int(refused.headers["retry-after"]), 0)
        self.assertRegex(refused.json()["message"], r"try again in \d+ s")

    def test_guesses_of_others_do_not_lock_out_a_known_browser(self):
        def attempt(password, cookie=None):
            return self.served.request(
                "POST", "/dashboard/sign-in", {"email": "hal@example.com", "password": password},
                {"Cookie": cookie} if cookie else None)
        link = self.ann.api("POST", "admin/accounts", {"email": "hal@example.com"}).json()["link"]
        joined = Person(self.served).request(
            "POST", "/dashboard/invitation/accept", {"token": link.split("#")[1], "password": PASSWORD})
        cookies = [one.split(";")[0] for one in joined.headers.get_all("Set-Cookie")]
        self.assertEqual([one.split("=")[0] for one in cookies], ["reelsd_session", "reelsd_device"])
        while attempt("not it at all").status != 429:
            pass
        self.assertEqual(attempt(PASSWORD).status, 429)
        self.assertEqual(attempt(PASSWORD, "reelsd_device=" + "a" * 43 + "." + "0" * 64).status, 429, "made up")
        self.assertEqual(attempt("not it at all", cookies[1]).status, 401)
        self.assertEqual(attempt(PASSWORD, cookies[1]).status, 200)

    def test_malformed_requests_are_named(self):
        anonymous = Person(self.served)
        for body in ({}, {"email": 1, "password": "x"}, {"email": "a@b"}, {"email": "a" * 300, "password": "x"}):
            answer = anonymous.request("POST", "/dashboard/sign-in", body)
            self.assertEqual(answer.status, 400, answer)
        for body in ({}, {"token": 5}):
            self.assertEqual(anonymous.request("POST", "/dashboard/invitation", body).status, 400)
        self.assertEqual(
            anonymous.request("POST", "/dashboard/invitation", {"token": "x"}).status, 404)

    def test_tokens_are_shown_once_and_revoked_immediately(self):
        made = self.bob.api("POST", "tokens", {"name": "laptop"})
        self.assertEqual(made.status, 201, made)
        token = made.json()
        self.assertRegex(token["token"], r"^rls_[A-Za-z0-9]{40}$")
        taken = self.bob.api("POST", "tokens", {"name": "laptop"})
        self.assertEqual(taken.status, 409)
        listed = [one for one in self.bob.api("GET", "tokens").json() if one["id"] == token["id"]][0]
        self.assertNotIn("token", listed)
        self.assertTrue(token["token"].startswith(listed["prefix"]))
        asked = self.served.request("GET", "/api/v1/reels", token=token["token"])
        self.assertEqual(asked.status, 200)
        self.assertEqual(self.bob.api("DELETE", f"tokens/{token['id']}").status, 204)
        asked = self.served.request("GET", "/api/v1/reels", token=token["token"])
        self.assertEqual(asked.status, 401)
        self.assertEqual(self.bob.api("DELETE", f"tokens/{token['id']}").status, 404)
        for name in ("", "x" * 101, "a\nb", None):
            self.assertEqual(self.bob.api("POST", "tokens", {"name": name}).status, 400, name)

    def test_a_disabled_account_is_rejected(self):
        eve = self.ann.invite("eve@example.com")
        token = eve.api("POST", "tokens", {"name": "t"}).json()["token"]
        account = eve.api("GET", "session").json()["account"]["id"]
        changed = self.ann.api("PATCH", f"admin/accounts/{account}", {"disabled": True})
        self.assertEqual(changed.status, 200, changed)
        self.assertIn("disabled_at", changed.json())
        self.assertEqual(eve.api("GET", "session").status, 401)
        self.assertEqual(self.served.request("GET", "/api/v1/reels", token=token).status, 401)
        link = self.ann.api("POST", f"admin/accounts/{account}/invitation")
        self.assertEqual(link.status, 409, link)
        self.ann.api("PATCH", f"admin/accounts/{account}", {"disabled": False})
        self.assertEqual(eve.api("GET", "session").status, 401, "she signs in again")
        self.assertEqual(self.served.request("GET", "/api/v1/reels", token=token).status, 200)

    def test_limits_and_budget_of_an_account(self):
        self.ann.invite("fay@example.com")
        account = [one for one in self.ann.api("GET", "admin/accounts").json()
                   if one["email"] == "fay@example.com"][0]
        self.assertIsNone(account["concurrent_jobs"])
        path = f"admin/accounts/{account['id']}"
        changed = self.ann.api("PATCH", path, {"concurrent_jobs": 9, "monthly_budget_usd": 2.5}).json()
        self.assertEqual((changed["concurrent_jobs"], changed["monthly_budget_usd"]), (9, 2.5))
        changed = self.ann.api("PATCH", path, {"concurrent_jobs": None}).json()
        self.assertEqual((changed["concurrent_jobs"], changed["monthly_budget_usd"]), (None, 2.5))
        self.assertEqual(self.ann.api("PATCH", path, {"concurrent_jobs": 0}).status, 400)
        self.assertEqual(self.ann.api("PATCH", "admin/accounts/999999", {}).status, 404)
        mine = self.ann.api("GET", "session").json()["account"]["id"]
        for change in ({"disabled": True}, {"is_admin": False}):
            self.assertEqual(self.ann.api("PATCH", f"admin/accounts/{mine}", change).status, 409)

    def test_accounts_are_listed_in_pages(self):
        self.ann.invite("zoe+1@example.com")
        emails, path = [], "admin/accounts?limit=1"
        while path:
            answer = self.ann.api("GET", path)
            self.assertEqual(answer.status, 200, answer)
            emails += [one["email"] for one in answer.json()]
            link = answer.headers.get("link")
            path = link and re.fullmatch(r'</dashboard/api/(.*)>; rel="next"', link).group(1)
        self.assertEqual(emails, sorted(emails, key=str.lower))
        self.assertEqual(emails, [one["email"] for one in self.ann.api("GET", "admin/accounts").json()])
        self.assertIn("zoe+1@example.com", emails)
        for wrong in ("cursor=x", "limit=0", "limit=501"):
            self.assertEqual(self.ann.api("GET", f"admin/accounts?{wrong}").status, 400, wrong)

    def test_a_newer_link_invalidates_the_older_one(self):
        account = self.ann.api("POST", "admin/accounts", {"email": "gus@example.com"}).json()
        newer = self.ann.api("POST", f"admin/accounts/{account['id']}/invitation").json()
        old = Person(self.served).request(
            "POST", "/dashboard/invitation", {"token": account["link"].split("#")[1]})
        self.assertEqual(old.status, 404)
        look = Person(self.served).request(
            "POST", "/dashboard/invitation", {"token": newer["link"].split("#")[1]})
        self.assertEqual(look.json(), {"purpose": "account", "email": "gus@example.com"})
        again = self.ann.api("POST", "admin/accounts", {"email": "GUS@example.com"})
        self.assertEqual(again.status, 409)

    def test_failures_are_listed_and_resubmitted(self):
        job = self.bob.submit(UNAVAILABLE)
        self.bob.finished(job)
        failures = self.ann.api("GET", "admin/failures?limit=200").json()
        seen = [one for one in failures["recent"] if one["id"] == job][0]
        self.assertEqual((seen["email"], seen["error_code"]), ("bob@example.com", "unavailable"))
        attempt = seen["attempts"][0]
        self.assertEqual(len(seen["attempts"]), 1)
        self.assertEqual((attempt["attempt"], attempt["step"], attempt["cause"]), (1, "resolve", "video_unavailable"))
        self.assertRegex(attempt["at"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertTrue(attempt["worker"])
        self.assertNotIn("attempts", self.bob.api("GET", f"reels/{job}").json())
        self.assertIn("unavailable", [one["error_code"] for one in failures["by_cause"]])
        made = self.ann.api("POST", "admin/failures/retry", {"ids": [job]}).json()["jobs"]
        self.assertEqual(made[0]["id"], job)
        again = self.bob.finished(made[0]["new_id"])
        self.assertEqual(again["error_code"], "unavailable")

    def test_the_overview_contains_the_queue(self):
        seen = self.ann.api("GET", "admin/overview").json()
        self.assertEqual(seen["queue"].keys(), {"pending", "due", "processing", "oldest_due_seconds"})
        self.assertEqual(seen["workers"]["configured"], 16)
        installed = ["page", "graphql", "embed"] + ["yt-dlp"] * (shutil.which("yt-dlp") is not None)
        self.assertEqual([(one["name"], one["state"]) for one in seen["resolvers"]],
                         [(name, "ready") for name in installed])
        self.assertRegex(seen["version"], r"^\d+\.\d+\.\d+$")

    def test_pages_are_one_document_with_a_strict_policy(self):
        for path in PAGES:
            answer = self.served.request("GET", path)
            self.assertEqual(answer.status, 200, path)
            policy = answer.headers["content-security-policy"]
            self.assertIn("default-src 'none'", policy)
            self.assertNotIn("unsafe", policy)
        text = answer.body.decode()
        self.assertEqual(re.findall(r"<script(?![^>]*src=)", text), [], "no inline script")
        self.assertEqual(re.findall(r"https?://(?!www\.w3\.org/2000/svg)", text), [])
        for asset in re.findall(r'(?:src|href)="(/[^"]+)"', text):
            self.assertIn(self.served.request("GET", asset).status, (200, 302), asset)

    def test_an_unknown_path_is_a_page_only_for_browsers(self):
        shown = self.served.request("GET", "/nope", headers={"Accept": "text/html,*/*"})
        self.assertEqual((shown.status, shown.headers["content-type"]),
                         (404, "text/html; charset=utf-8"))
        self.assertIn("default-src 'none'", shown.headers["content-security-policy"])
        self.assertProblem(self.served.request("GET", "/nope"), 404, "not found")
        for path in ("/api/v1/nope", "/dashboard/api/nope"):
            answer = self.served.request("GET", path, headers={"Accept": "text/html"})
            self.assertEqual(answer.status, 401, "before anything else")

    def test_no_secret_is_in_the_log(self):
        person = Person(self.served).sign_in("bob@example.com")
        log = self.served.log()
        for secret in (PASSWORD, person.cookie.split("=")[1], person.csrf_token, self.ann.csrf_token):
            self.assertNotIn(secret, log)


class Races(ServiceTest):
    def at_once(self, actions):
        with concurrent.futures.ThreadPoolExecutor(len(actions)) as pool:
            return [done.result() for done in [pool.submit(action) for action in actions]]

    def test_the_old_password_is_rejected_while_it_is_being_changed(self):
        daemon = self.daemon().start()
        ann = Person(daemon).join(set_up_link_secret(daemon), "ann@example.com")
        people = [Person(daemon) for _ in range(5)]
        body = {"email": "ann@example.com", "password": PASSWORD}
        change = {"current_password": PASSWORD, "new_password": "another horse"}
        answers = self.at_once(
            [lambda one=one: one.request("POST", "/dashboard/sign-in", body) for one in people] +
            [lambda: ann.api("POST", "password", change)])
        self.assertEqual(answers[-1].status, 200, answers[-1])
        for one in people:
            self.assertEqual(one.api("GET", "session").status, 401)

    def test_two_administrators_who_demote_each_other(self):
        daemon = self.daemon().start()
        ann = Person(daemon).join(set_up_link_secret(daemon), "ann@example.com")
        bob = ann.invite("bob@example.com", is_admin=True)
        ids = [one.api("GET", "session").json()["account"]["id"] for one in (ann, bob)]
        change = {"is_admin": False}
        answers = self.at_once(
            [lambda: ann.api("PATCH", f"admin/accounts/{ids[1]}", change)] * 4 +
            [lambda: bob.api("PATCH", f"admin/accounts/{ids[0]}", change)] * 4)
        self.assertLessEqual({answer.status for answer in answers}, {200, 404, 409})
        left = [one.api("GET", "session").json()["account"]["is_admin"] for one in (ann, bob)]
        self.assertEqual(sorted(left), [False, True])


class Events(ServiceTest):
    def setUp(self):
        super().setUp()
        self.served_daemon = self.daemon().start()
        self.ann = Person(self.served_daemon).join(set_up_link_secret(self.served_daemon), "ann@example.com")

    def stream(self, person, **more):
        stream = EventStream(person, **more)
        self.addCleanup(stream.close)
        self.assertEqual(stream.answer.status, 200)
        self.assertEqual(stream.answer.getheader("Content-Type"), "text/event-stream")
        return stream

    def test_a_page_receives_all_changes_of_a_job(self):
        served = self.daemon(media_helper=None).start()  # A recorded analysis may end before it is seen to begin.
        ann = Person(served).join(set_up_link_secret(served), "ann@example.com")
        bob = ann.invite("bob@example.com")
        hers, his = self.stream(ann), self.stream(bob)
        job = ann.submit(SAMPLE)
        hers.wait_for("reel", job, status="processing", step="analyze")
        done = hers.wait_for("reel", job, status="done")
        self.assertEqual(done["author"], "reelsd")
        self.assertNotIn("result", done)
        ann.api("DELETE", f"reels/{job}")
        hers.wait_for("deleted", job)
        self.assertEqual(his.events, [], "another account's page gets no event")

    def test_a_reconnected_page_receives_missed_changes(self):
        first = self.stream(self.ann)
        kept = self.ann.submit(UNAVAILABLE)
        gone = self.ann.submit(UNAVAILABLE)
        first.wait_for("reel", kept, status="error")
        first.wait_for("reel", gone, status="error")
        position = wait_until(lambda: first.last_event_id, "a position")
        first.close()
        self.ann.api("DELETE", f"reels/{gone}")
        new = self.ann.submit(UNAVAILABLE)
        self.ann.finished(new)
        second = self.stream(self.ann, last_event_id=position)
        second.wait_for("reel", new, status="error")
        second.wait_for("deleted", gone)

    def test_a_page_that_was_offline_for_days_is_reset(self):
        stream = self.stream(self.ann, last_event_id="1000000")
        wait_until(lambda: ("reset", {}) in stream.events, "reset")

    def test_a_stop_ends_the_streams(self):
        stream = self.stream(self.ann)
        self.assertEqual(self.served_daemon.stop(), 0)
        self.assertTrue(stream.ended.wait(10))

    def test_the_streams_of_an_account_are_limited(self):
        streams = [self.stream(self.ann) for _ in range(20)]
        refused = self.ann.api("GET", "events")
        self.assertEqual(refused.status, 429, refused)
        streams[0].close()

        def admitted():
            stream = EventStream(self.ann)
            self.addCleanup(stream.close)
            return stream.answer.status == 200
        wait_until(admitted, "a place")


class SeveralDaemons(DatabaseTest):
    def test_a_page_receives_changes_of_other_daemons(self):
        one, other = self.shared_daemon().start(), self.shared_daemon().start()
        ann = Person(one).join(set_up_link_secret(other), "ann@example.com")
        stream = EventStream(ann)
        self.addCleanup(stream.close)
        there = Person(other).sign_in("ann@example.com")
        job = there.submit(UNAVAILABLE)
        stream.wait_for("reel", job, status="error")
        there.api("POST", "sign-out")
        self.assertEqual(there.api("GET", "session").status, 401)


if __name__ == "__main__":
    unittest.main()
