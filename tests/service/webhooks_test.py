"""Tests webhooks: the requests that receivers get, the answers that they may give, and what no receiver may cause."""

import datetime
import os
import re
import shutil
import signal
import socket
import threading
import unittest

from dashboard_session import Person, set_up_link_secret
from service_support import (
    SAMPLE, UNAVAILABLE, Cluster, Daemon, DatabaseTest, ServiceTest, new_folder, wait_until)
from tls_test import Certificate
from webhook_receiver import WebhookReceiver

INWARD = "must lead to a public address, or to a private network in REELSD_WEBHOOK_NETWORKS"
NOT_ALLOWED = "the address is not allowed: private networks must be in REELSD_WEBHOOK_NETWORKS"
RFC3339 = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
SECRET = re.compile(r"^whsec_[A-Za-z0-9+/]{43}=$")


def settings_of(account):
    answer = account.request("GET", "/api/v1/webhook")
    assert answer.status == 200, answer
    return answer.json()


def deliveries_of(account, query=""):
    answer = account.request("GET", "/api/v1/webhook/deliveries" + query)
    assert answer.status == 200, answer
    return answer.json()


def delivery_of(account, job_id):
    found = [one for one in deliveries_of(account, "?limit=100") if one["job_id"] == job_id]
    return found[0] if found else None


def settled_by(get, job_id, state):
    """The job's delivery once it is in a state; `get` reads a path of the resource."""
    def look():
        found = [one for one in get("webhook/deliveries?limit=100").json() if one["job_id"] == job_id]
        return found[0] if found and found[0]["state"] == state else None
    return wait_until(look, f"the delivery of job {job_id} to be {state}")


def settled(account, job_id, state):
    return settled_by(lambda path: account.request("GET", "/api/v1/" + path), job_id, state)


def tried(account, job_id, tries=1):
    """The job's delivery once this many attempts have been reported."""
    def look():
        one = delivery_of(account, job_id)
        return one if one and one["tries"] >= tries and ("cause" in one or "ended_at" in one) else None
    return wait_until(look, f"{tries} tries for job {job_id}")


def submit(account, webhook_url=None, url=UNAVAILABLE):
    body = {"url": url} | ({"webhook_url": webhook_url} if webhook_url else {})
    answer = account.request("POST", "/api/v1/reels/analyze", body)
    assert answer.status == 202, answer
    return answer.json()["id"]


class ReceiverTest(ServiceTest):
    """One daemon that may send webhooks to this machine, and retries soon."""

    @classmethod
    def setUpClass(cls):
        cls.receiver = WebhookReceiver()
        cls.addClassCleanup(cls.receiver.close)
        cls.cluster = Cluster()
        cls.addClassCleanup(cls.cluster.close)
        cls.database = cls.cluster.new_database()
        cls.served = Daemon(
            database_url=cls.database, workers=4, webhook_networks="127.0.0.0/8", requests_per_minute=100000,
            webhook_retry_base_seconds=0.2)
        cls.addClassCleanup(cls.served.close)
        cls.served.start()

    def setUp(self):
        self.someone = self.served.account(unlimited=True)
        self.path = "/" + self.id().rpartition(".")[2]

    def sql(self, statement):
        return self.cluster.query(statement, self.database.rsplit("=", 1)[1]).strip()


class Deliveries(ReceiverTest):
    def test_a_delivery_of_a_done_job_equals_the_api(self):
        secret = settings_of(self.someone)["secret"]
        job_id = submit(self.someone, self.receiver.url(self.path + "?key=a%20b"), SAMPLE)
        got = self.receiver.wait_for(self.path + "?key=a%20b", 1, 180)[0]
        read = self.someone.request("GET", f"/api/v1/reels/{job_id}")
        self.assertEqual(got.body, read.body, "byte for byte")
        self.assertEqual(got.json()["status"], "done")
        self.assertEqual(got.headers["method"], "POST")
        self.assertEqual(got.headers["content-type"], "application/json")
        self.assertRegex(got.headers["user-agent"], r"^reelsd/\d")
        self.assertRegex(got.id, r"^msg_[0-9a-f]{32}$")
        self.assertEqual(got.verify(secret), 1, "one signature")
        with self.assertRaises(AssertionError):
            got.verify(settings_of(self.served.account())["secret"])
        log = settled(self.someone, job_id, "delivered")
        self.assertEqual((log["webhook_id"], log["tries"], log["status_code"]), (got.id, 1, 200))
        self.assertNotIn("cause", log)
        self.assertNotIn("next_try_at", log)
        for name in ("created_at", "tried_at", "ended_at"):
            self.assertRegex(log[name], RFC3339)
        self.assertEqual(len(self.receiver.of(self.path + "?key=a%20b")), 1)

    def test_failed_jobs_are_delivered(self):
        job_id = submit(self.someone, self.receiver.url(self.path))
        got = self.receiver.wait_for(self.path, 1)[0]
        self.assertEqual((got.json()["status"], got.json()["error_code"]), ("error", "unavailable"))
        got.verify(settings_of(self.someone)["secret"])
        self.assertEqual(settled(self.someone, job_id, "delivered")["tries"], 1)

    def test_without_a_url_nothing_is_delivered(self):
        job_id = submit(self.someone)
        self.someone.finished(job_id)
        delivered = submit(self.someone, self.receiver.url(self.path))
        settled(self.someone, delivered, "delivered")
        self.assertEqual([one["job_id"] for one in deliveries_of(self.someone)], [delivered])

    def test_the_default_url_applies_to_jobs_without_their_own(self):
        url = self.receiver.url(self.path + "/default")
        answer = self.someone.request("PUT", "/api/v1/webhook", {"url": url})
        self.assertEqual((answer.status, answer.json()["url"]), (200, url))
        by_default = submit(self.someone)
        own = submit(self.someone, self.receiver.url(self.path + "/own"))
        null = self.someone.request("POST", "/api/v1/reels/analyze", {"url": UNAVAILABLE, "webhook_url": None})
        delivered = {one.json()["id"] for one in self.receiver.wait_for(self.path + "/default", 2)}
        self.assertEqual(delivered, {by_default, null.json()["id"]})
        self.assertEqual(self.receiver.wait_for(self.path + "/own", 1)[0].json()["id"], own)

        answer = self.someone.request("PUT", "/api/v1/webhook", {"url": None})
        self.assertEqual((answer.status, answer.json()["url"]), (200, None))
        undelivered = submit(self.someone)
        self.someone.finished(undelivered)
        self.assertIsNone(delivery_of(self.someone, undelivered))

    def test_a_changed_default_applies_to_pending_deliveries(self):
        self.receiver.behave(self.path + "/old", (503, {"Retry-After": "3600"}))
        self.someone.request("PUT", "/api/v1/webhook", {"url": self.receiver.url(self.path + "/old")})
        job_id = submit(self.someone)
        log = tried(self.someone, job_id)
        self.someone.request("PUT", "/api/v1/webhook", {"url": self.receiver.url(self.path + "/new")})
        self.someone.request("POST", f"/api/v1/webhook/deliveries/{log['id']}/redeliver")
        again = self.receiver.wait_for(self.path + "/new", 1)[0]
        self.assertEqual(again.id, log["webhook_id"])
        self.assertEqual(settled(self.someone, job_id, "delivered")["url"], self.receiver.url(self.path + "/new"))

    def test_removing_the_default_ends_pending_deliveries(self):
        self.receiver.behave(self.path, 500)
        self.someone.request("PUT", "/api/v1/webhook", {"url": self.receiver.url(self.path)})
        job_id = submit(self.someone)
        tried(self.someone, job_id)
        self.someone.request("PUT", "/api/v1/webhook", {"url": None})
        log = settled(self.someone, job_id, "failed")
        self.assertEqual(log["cause"], "the account has no webhook URL any more")

    def test_a_repeated_key_returns_the_first_job_regardless_of_its_url(self):
        bodies = [{"url": UNAVAILABLE, "webhook_url": self.receiver.url(self.path + suffix)} for suffix in ("/a", "/b")]
        ids = {self.someone.request("POST", "/api/v1/reels/analyze", body, {"Idempotency-Key": "k"}).json()["id"]
               for body in bodies}
        self.assertEqual(len(ids), 1)
        settled(self.someone, ids.pop(), "delivered")
        self.assertEqual((len(self.receiver.of(self.path + "/a")), self.receiver.of(self.path + "/b")), (1, []))

    def test_deleting_a_job_ends_its_delivery(self):
        self.receiver.behave(self.path, 500)
        job_id = submit(self.someone, self.receiver.url(self.path))
        log = tried(self.someone, job_id)
        self.assertEqual(self.someone.request("DELETE", f"/api/v1/reels/{job_id}").status, 204)
        self.assertEqual(deliveries_of(self.someone), [])
        answer = self.someone.request("POST", f"/api/v1/webhook/deliveries/{log['id']}/redeliver")
        self.assertProblem(answer, 404, "not found")
        # A try in flight at the deletion arrives before the first of two other deliveries, which are due later. So would a
        # further try before the second one.
        for name in ("/first", "/second"):
            seen = len(self.receiver.of(self.path))
            other = submit(self.someone, self.receiver.url(self.path + name))
            settled(self.someone, other, "delivered")
        self.assertEqual(len(self.receiver.of(self.path)), seen)

    def test_deliveries_of_a_disabled_account_wait_until_it_is_enabled(self):
        self.receiver.behave(self.path, 500)
        job_id = submit(self.someone, self.receiver.url(self.path))
        tried(self.someone, job_id)
        account = f"UPDATE account SET disabled_at = {{}} WHERE email = '{self.someone.email}'"
        self.sql(account.format("now()"))
        cause = f"SELECT state || ', ' || cause FROM webhook_delivery WHERE job_id = {job_id}"
        wait_until(lambda: self.sql(cause) == "pending, the account is disabled", "the cause")
        seen = len(self.receiver.of(self.path))
        self.receiver.behave(self.path, 200)
        self.sql(account.format("NULL"))
        settled(self.someone, job_id, "delivered")
        self.assertEqual(len(self.receiver.of(self.path)), seen + 1)

    def test_resubmitted_jobs_keep_their_url(self):
        job_id = submit(self.someone, self.receiver.url(self.path))
        settled(self.someone, job_id, "delivered")
        again = int(self.sql(f"SELECT new_id FROM resubmit_failed_jobs(ARRAY[{job_id}::bigint])"))
        self.assertEqual(settled(self.someone, again, "delivered")["url"], self.receiver.url(self.path))


class Receivers(ReceiverTest):
    """Effects of a receiver's behaviour."""

    def failure(self, behaviour):
        """The log after the first attempt at a receiver that always behaves in this way."""
        self.receiver.behave(self.path, behaviour)
        log = tried(self.someone, submit(self.someone, self.receiver.url(self.path)))
        self.assertNotEqual(log["state"], "delivered")
        return log

    def test_a_failed_delivery_is_retried_until_it_succeeds(self):
        self.receiver.behave(self.path, 500, 404, "close", "close in the middle", 204)
        job_id = submit(self.someone, self.receiver.url(self.path))
        log = settled(self.someone, job_id, "delivered")
        got = self.receiver.wait_for(self.path, 5)
        self.assertEqual((len(got), log["tries"], log["status_code"]), (5, 5, 204))
        self.assertEqual({one.id for one in got}, {log["webhook_id"]})
        self.assertEqual({one.body for one in got}, {got[0].body})
        secret = settings_of(self.someone)["secret"]
        for one in got:
            one.verify(secret)
        pauses = [later.at - earlier.at for earlier, later in zip(got, got[1:])]
        # 0.2 s, 1.2 s, 4.8 s and 24 s, each at most a tenth shorter.
        for pause, least in zip(pauses, (0.17, 1.0, 4.2, 21.0)):
            self.assertGreaterEqual(pause, least)

    def test_redirects_are_not_followed(self):
        for status in (301, 302, 303, 307, 308):
            self.receiver.behave(self.path, (status, {"Location": self.receiver.url(self.path + "/elsewhere")}))
            log = tried(self.someone, submit(self.someone, self.receiver.url(self.path)))
            self.assertEqual((log["status_code"], log["cause"]),
                             (status, f"answered {status}: redirects are not followed"))
            self.assertNotEqual(log["state"], "delivered")
        self.assertEqual(self.receiver.of(self.path + "/elsewhere"), [])

    def test_status_410_ends_the_retries(self):
        log = self.failure(410)
        self.assertEqual((log["state"], log["tries"], log["status_code"]), ("failed", 1, 410))
        self.assertNotIn("next_try_at", log)

    def test_a_refused_connection_is_retried(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{free.getsockname()[1]}/"
        log = tried(self.someone, submit(self.someone, url))
        self.assertEqual((log["state"], log["cause"]), ("pending", "connection refused"))
        self.assertGreaterEqual(log["seconds"], 0)
        self.assertNotIn("body", log)
        self.assertNotIn("status_code", log)

    def test_an_endless_response_is_cut(self):
        self.receiver.behave(self.path, "endless")
        job_id = submit(self.someone, self.receiver.url(self.path))
        self.assertEqual(settled(self.someone, job_id, "delivered")["tries"], 1)

    def test_retry_after_is_respected(self):
        log = self.failure((503, {"Retry-After": "600"}))
        wait = self.sql(
            f"SELECT extract(epoch FROM due_at - tried_at) FROM webhook_delivery WHERE id = {log['id']}")
        self.assertTrue(599 < float(wait) < 640, wait)
        when = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=3)
        log = self.failure((429, {"Retry-After": when.strftime("%a, %d %b %Y %H:%M:%S GMT")}))
        wait = self.sql(
            f"SELECT extract(epoch FROM due_at - tried_at) FROM webhook_delivery WHERE id = {log['id']}")
        self.assertTrue(3599 < float(wait) < 3640, f"{wait}: no receiver puts us off for days")

    def test_hanging_receivers_do_not_delay_others(self):
        for behaviour in ("hang", "hang in the body"):
            with self.subTest(behaviour):
                path = self.path + "/" + behaviour.replace(" ", "-")
                self.receiver.behave(path, behaviour)
                hanging = [submit(self.someone, self.receiver.url(path)) for _ in range(8)]
                self.receiver.wait_for(path, 3)
                quick = submit(self.someone, self.receiver.url(path + "/quick"))
                log = settled(self.someone, quick, "delivered")
                self.assertEqual(log["tries"], 1)
                self.assertEqual(len(self.receiver.of(path)), 3, "its share of the threads")
                log = tried(self.someone, hanging[0])
                self.assertEqual((log["state"], log["cause"]), ("pending", "no answer within 15 seconds"))
                for one in hanging:
                    self.someone.request("DELETE", f"/api/v1/reels/{one}")

    def test_a_delivery_is_abandoned_after_a_day_and_can_be_repeated(self):
        log = self.failure(500)
        self.sql(f"UPDATE webhook_delivery SET give_up_at = now() WHERE id = {log['id']}")
        ended = settled(self.someone, log["job_id"], "failed")
        self.assertEqual((ended["cause"], ended["status_code"]), ("answered 500", 500))
        self.receiver.behave(self.path, 200)
        seen = len(self.receiver.of(self.path))
        answer = self.someone.request("POST", f"/api/v1/webhook/deliveries/{log['id']}/redeliver")
        self.assertEqual((answer.status, answer.json()["state"], answer.json()["id"]), (202, "pending", log["id"]))
        again = self.receiver.wait_for(self.path, seen + 1)[-1]
        self.assertEqual(again.id, log["webhook_id"], "a receiver knows it again")
        self.assertEqual(settled(self.someone, log["job_id"], "delivered")["tries"], ended["tries"] + 1)

    def test_a_delivered_webhook_can_be_repeated(self):
        job_id = submit(self.someone, self.receiver.url(self.path))
        log = settled(self.someone, job_id, "delivered")
        self.someone.request("POST", f"/api/v1/webhook/deliveries/{log['id']}/redeliver")
        first, second = self.receiver.wait_for(self.path, 2)
        self.assertEqual((first.id, first.body), (second.id, second.body))


class Secrets(ReceiverTest):
    def test_a_rotated_secret_signs_for_another_day(self):
        before = settings_of(self.someone)
        self.assertRegex(before["secret"], SECRET)
        self.assertNotIn("previous_secret_expires_at", before)
        self.assertEqual(settings_of(self.someone), before, "made once")
        answer = self.someone.request("POST", "/api/v1/webhook/rotate")
        after = answer.json()
        self.assertEqual(answer.status, 200)
        self.assertRegex(after["secret"], SECRET)
        self.assertNotEqual(after["secret"], before["secret"])
        self.assertRegex(after["previous_secret_expires_at"], RFC3339)

        submit(self.someone, self.receiver.url(self.path))
        got = self.receiver.wait_for(self.path, 1)[0]
        self.assertEqual(got.verify(after["secret"]), 2)
        self.assertEqual(got.verify(before["secret"]), 2)

        self.sql(f"UPDATE webhook_secret SET expires_at = now() WHERE secret = '{before['secret']}'")
        submit(self.someone, self.receiver.url(self.path))
        got = self.receiver.wait_for(self.path, 2)[1]
        self.assertEqual(got.verify(after["secret"]), 1)
        with self.assertRaises(AssertionError):
            got.verify(before["secret"])
        self.assertNotIn("previous_secret_expires_at", settings_of(self.someone))

    def test_the_number_of_signatures_is_bounded(self):
        secrets = [settings_of(self.someone)["secret"]]
        for _ in range(6):
            secrets.append(self.someone.request("POST", "/api/v1/webhook/rotate").json()["secret"])
        submit(self.someone, self.receiver.url(self.path))
        got = self.receiver.wait_for(self.path, 1)[0]
        for secret in secrets[-4:]:
            self.assertEqual(got.verify(secret), 4)

    def test_secrets_and_paths_of_receivers_are_not_logged(self):
        secret = settings_of(self.someone)["secret"]
        self.receiver.behave(self.path, 500, 200)
        job_id = submit(self.someone, self.receiver.url(self.path))
        settled(self.someone, job_id, "delivered")
        self.assertNotIn(secret, self.served.log())
        self.assertNotIn(self.path, self.served.log())
        self.assertIn("webhook delivered", self.served.log())


class Tests(ReceiverTest):
    """POST /api/v1/webhook/test."""

    def run_test(self, body=None, account=None):
        return (account or self.someone).request("POST", "/api/v1/webhook/test", body)

    def test_a_test_is_signed_and_logged(self):
        self.assertProblem(self.run_test(), 400, "set an address first, or give url")
        self.receiver.behave(self.path, (200, {}, b"thanks"))
        url = self.receiver.url(self.path)
        self.someone.request("PUT", "/api/v1/webhook", {"url": url})
        answer = self.run_test()
        self.assertEqual(answer.status, 200)
        seconds = answer.json()["seconds"]
        self.assertEqual(answer.json(), {
            "url": url, "delivered": True, "seconds": seconds, "status_code": 200, "body": "thanks"})
        got = self.receiver.wait_for(self.path, 1)[0]
        got.verify(settings_of(self.someone)["secret"])
        self.assertRegex(got.id, "^msg_test_[0-9A-Za-z]{43}$")
        reel = got.json()
        self.assertEqual((reel["type"], reel["id"], reel["status"]), ("webhook.test", 0, "done"))
        self.assertEqual(set(reel["result"]), {"visual", "audio", "content", "metadata", "platform_meta"})
        self.assertEqual(reel["result"]["content"]["summary"], "This is a test of your webhook.")
        [logged] = deliveries_of(self.someone)
        self.assertEqual({name: logged.get(name) for name in ("webhook_id", "job_id", "url", "state", "tries", "status_code")},
                         {"webhook_id": got.id, "job_id": None, "url": url, "state": "delivered", "tries": 1, "status_code": 200})
        again = self.someone.request("POST", f"/api/v1/webhook/deliveries/{logged['id']}/redeliver")
        self.assertProblem(again, 404, "not found")
        self.assertEqual(self.someone.request("GET", "/api/v1/reels").json(), [])

    def test_both_secrets_sign_after_a_rotation(self):
        url = self.receiver.url(self.path)
        first = settings_of(self.someone)["secret"]
        second = self.someone.request("POST", "/api/v1/webhook/rotate").json()["secret"]
        self.assertTrue(self.run_test({"url": url}).json()["delivered"])
        got = self.receiver.wait_for(self.path, 1)[0]
        self.assertEqual((got.verify(first), got.verify(second)), (2, 2))

    def test_failures_are_reported(self):
        self.receiver.behave(self.path, (500, {}, b"x" * 3000))
        failed = self.run_test({"url": self.receiver.url(self.path)}).json()
        self.assertEqual((failed["delivered"], failed["status_code"], failed["cause"], failed["body"]),
                         (False, 500, "answered 500", "x" * 1024))
        [logged] = deliveries_of(self.someone, "?state=failed")
        self.assertEqual((logged["state"], logged["cause"], logged["body"], logged["seconds"]),
                         ("failed", "answered 500", "x" * 1024, failed["seconds"]))
        self.assertEqual(logged["sent_body"], self.receiver.wait_for(self.path, 1)[0].body.decode())
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            unreachable = self.run_test({"url": f"http://127.0.0.1:{closed.getsockname()[1]}/"}).json()
        self.assertEqual((unreachable["delivered"], unreachable["cause"]), (False, "connection refused"))
        self.assertNotIn("status_code", unreachable)
        nameless = self.run_test({"url": "https://localhost.invalid/"}).json()
        self.assertEqual((nameless["delivered"], nameless["cause"]), (False, "host name not found"))
        self.assertProblem(self.run_test({"url": "http://10.0.0.1/"}), 400, f"url {INWARD}")
        self.assertProblem(self.run_test({"url": 7}), 400, "url must be a string")

    def test_a_hanging_receiver_delays_only_its_account(self):
        hanging, account = self.served.account(), self.served.account()
        self.receiver.behave(self.path, "hang")
        url = self.receiver.url(self.path)
        tests = [threading.Thread(target=self.run_test, args=({"url": url}, hanging)) for _ in range(2)]
        for test in tests:
            test.start()
        self.receiver.wait_for(self.path, 2)
        for _ in range(6):
            refused = self.run_test({"url": url}, hanging)
            self.assertProblem(refused, 429, "limit of 2 webhook tests at the same time reached")
            self.assertEqual((refused.headers["X-Error-Code"], refused.headers["Retry-After"]),
                             ("limit_webhook_tests", "15"))
        self.assertTrue(self.run_test({"url": url + "/quick"}, account).json()["delivered"])
        for test in tests:
            test.join()
        quick = [self.run_test({"url": url + "/quick"}, hanging).status for _ in range(4)]
        self.assertEqual(quick, [200] * 4, "a refused test costs none")

    def test_the_rate_is_limited(self):
        account = self.served.account()
        url = self.receiver.url(self.path)
        for bad, message in ((None, "set an address first, or give url"), ({"url": 7}, "url must be a string"),
                             ([], "request body must be a JSON object")):
            for _ in range(6):
                self.assertProblem(self.run_test(bad, account), 400, message)
        answers = [self.run_test({"url": url}, account) for _ in range(8)]
        self.assertEqual([answer.status for answer in answers[:6]], [200] * 6, "a bad request costs none")
        refused = [answer for answer in answers if answer.status == 429]
        self.assertTrue(refused)
        self.assertProblem(refused[0], 429, "limit of 6 webhook tests per minute reached")
        self.assertEqual(refused[0].headers["X-Error-Code"], "rate_limit_webhook_tests")
        self.assertTrue(refused[0].headers["Retry-After"].isdigit())
        self.assertEqual(len(self.receiver.of(self.path)), len(answers) - len(refused))
        self.assertProblem(self.run_test({"url": 7}, account), 400, "url must be a string")
        self.assertEqual(account.request("GET", "/api/v1/reels").status, 200)


class Events(ReceiverTest):
    def test_the_default_receives_the_chosen_events(self):
        self.assertEqual(settings_of(self.someone)["events"], ["done", "error", "search.matched"])
        url = self.receiver.url(self.path)
        put = lambda body: self.someone.request("PUT", "/api/v1/webhook", body)
        for wrong in ([], ["finished"], "done", [7]):
            self.assertProblem(put({"url": url, "events": wrong}), 400,
                               "events must be an array of one or more of done, error, search.matched")
        chosen = put({"url": url, "events": ["search.matched", "done"]}).json()
        self.assertEqual(chosen["events"], ["done", "search.matched"])
        self.assertEqual(put({"url": url}).json()["events"], ["done", "search.matched"])
        failed = submit(self.someone)
        self.someone.finished(failed)
        self.assertIsNone(delivery_of(self.someone, failed))
        put({"url": url, "events": ["error"]})
        again = submit(self.someone)
        settled(self.someone, again, "delivered")


class Requests(ReceiverTest):
    def test_invalid_urls(self):
        analyze = lambda value: self.someone.request(
            "POST", "/api/v1/reels/analyze", {"url": UNAVAILABLE, "webhook_url": value})
        put = lambda value: self.someone.request("PUT", "/api/v1/webhook", {"url": value})
        shape = ("must be an http or https URL without user name and password, in ASCII (punycode, percent escapes), "
                 "with a valid port")
        cases = [
            (7, "must be a string"), ({}, "must be a string"), ("", shape), ("x", shape), ("/hook", shape),
            ("ftp://example.org/", shape), ("https:///x", shape), ("https://a b/", shape),
            ("https://example.org/\n", shape), ("https://me:secret@example.org/", shape),
            ("https://example.org/" + "x" * 2029, "must be at most 2048 characters"),
            ("http://169.254.169.254/latest", INWARD),
            ("http://[fe80::1]/", INWARD),
        ]
        for value, text in cases:
            with self.subTest(value):
                self.assertProblem(analyze(value), 400, f"webhook_url {text}")
                self.assertProblem(put(value), 400, f"url {text}")
        self.assertEqual(analyze("https://example.org/" + "x" * 2028).status, 202)
        self.assertProblem(self.someone.request("PUT", "/api/v1/webhook", {}), 400, "url is required")
        self.assertProblem(
            self.someone.request("PUT", "/api/v1/webhook", "[]"), 400, "request body must be a JSON object")

    def test_deliveries_are_listed_in_pages(self):
        jobs = [submit(self.someone, self.receiver.url(self.path)) for _ in range(5)]
        for job_id in jobs:
            settled(self.someone, job_id, "delivered")
        seen, path = [], "/api/v1/webhook/deliveries?limit=2&state=delivered"
        while path:
            answer = self.someone.request("GET", path)
            seen += [one["id"] for one in answer.json()]
            link = re.match(r'^<([^>]+)>; rel="next"$', answer.headers.get("Link", ""))
            path = link and link.group(1)
        self.assertEqual(len(seen), 5)
        self.assertEqual(seen, sorted(seen, reverse=True))
        self.assertEqual(deliveries_of(self.someone, "?state=failed"), [])
        for query, text in (("?limit=0", "limit must be a whole number from 1 to 100"),
                            ("?state=done", "state must be one of pending, delivered, failed"),
                            ("?cursor=7", "cursor was not issued by this service")):
            self.assertProblem(
                self.someone.request("GET", "/api/v1/webhook/deliveries" + query), 400, text)

    def test_deliveries_of_other_accounts_are_not_found(self):
        job_id = submit(self.someone, self.receiver.url(self.path))
        log = settled(self.someone, job_id, "delivered")
        stranger = self.served.account()
        self.assertEqual(deliveries_of(stranger), [])
        for wrong in (log["id"], 0, "x", 2**63):
            answer = stranger.request("POST", f"/api/v1/webhook/deliveries/{wrong}/redeliver")
            self.assertProblem(answer, 404, "not found")
        self.assertEqual(self.served.request("GET", "/api/v1/webhook").status, 401)

    def test_metrics(self):
        job_id = submit(self.someone, self.receiver.url(self.path))
        settled(self.someone, job_id, "delivered")
        text = self.served.request("GET", "/metrics").body.decode()
        self.assertRegex(text, r'reelsd_webhook_tries_total\{outcome="delivered"\} [1-9]')
        self.assertRegex(text, r"(?m)^reelsd_webhook_deliveries_pending \d+$")
        self.assertRegex(text, r"(?m)^reelsd_webhook_deliveries_due \d+$")

    def test_the_dashboard_has_the_same_operations(self):
        person = Person(self.served).join(set_up_link_secret(self.served), "admin@example.test")
        self.assertRegex(person.api("GET", "webhook").json()["secret"], SECRET)
        url = self.receiver.url(self.path)
        self.assertEqual(person.api("PUT", "webhook", {"url": url}).json()["url"], url)
        log = settled_by(lambda path: person.api("GET", path), person.submit(UNAVAILABLE), "delivered")
        answer = person.api("POST", f"webhook/deliveries/{log['id']}/redeliver")
        self.assertEqual(answer.status, 202)
        self.receiver.wait_for(self.path, 2)
        refused = person.api("POST", "webhook/rotate", csrf=False)
        self.assertEqual(refused.status, 403, "no page of another site changes a secret")


class Addresses(DatabaseTest):
    """A daemon with the default restrictions."""

    def test_private_addresses_are_refused(self):
        receiver = WebhookReceiver()
        self.addCleanup(receiver.close)
        # Settings for media hosts do not apply to webhooks.
        daemon = self.daemon(database_url=self.database, workers=2, allow_private_addresses="true",
                             media_hosts="127.0.0.1,localhost").start()
        someone = daemon.account(unlimited=True)
        shape = ("must be an https URL without user name and password, in ASCII (punycode, percent escapes), "
                 "with a valid port")
        cases = [
            (receiver.url(), INWARD), ("http://example.org/", "must be an https URL; http is only for REELSD_WEBHOOK_NETWORKS"),
            ("https://127.0.0.1/", INWARD),
            ("https://2130706433/", INWARD),
            ("https://[::1]/", INWARD),
            ("https://[::ffff:10.0.0.1]/", INWARD),
            ("https://169.254.169.254/", INWARD),
            ("https://example.org:8443/", "must not name a port other than 443"),
            ("gopher://example.org/", shape), ("https://127.0.0.1./", shape), ("https://999999999999/", shape),
        ]
        for url, text in cases:
            with self.subTest(url):
                answer = someone.request("POST", "/api/v1/reels/analyze", {"url": UNAVAILABLE, "webhook_url": url})
                self.assertProblem(answer, 400, f"webhook_url {text}")
                self.assertProblem(someone.request("PUT", "/api/v1/webhook", {"url": url}), 400, f"url {text}")
        # A name does not show its address, which is checked at the connection.
        log = tried(someone, submit(someone, "https://localhost/hook"))
        self.assertEqual((log["state"], log["cause"]), ("failed", NOT_ALLOWED))
        # The same for a URL that was stored when the daemon allowed it.
        job_id = submit(someone, "https://localhost/hook")
        someone.finished(job_id)
        self.sql(f"UPDATE job SET webhook_url = '{receiver.url()}' WHERE id = {job_id}")
        log = settled(someone, job_id, "failed")
        someone.request("POST", f"/api/v1/webhook/deliveries/{log['id']}/redeliver")
        wait_until(lambda: delivery_of(someone, job_id)["tries"] == 2, "the second try")
        self.assertEqual(settled(someone, job_id, "failed")["cause"], NOT_ALLOWED)
        self.assertEqual(receiver.received, [])

    def test_the_certificate_of_a_receiver_is_verified(self):
        folder = new_folder()
        self.addCleanup(shutil.rmtree, folder)
        ours, anothers = Certificate(folder, "ours"), Certificate(folder, "anothers")
        known = WebhookReceiver(ours.file, ours.key)
        self.addCleanup(known.close)
        stranger = WebhookReceiver(anothers.file, anothers.key)
        self.addCleanup(stranger.close)
        someone = self.shared_daemon(
            webhook_networks="127.0.0.0/8", workers=2, ca_file=ours.file).start().account(unlimited=True)
        secret = settings_of(someone)["secret"]
        submit(someone, known.url())
        known.wait_for("/hook", 1)[0].verify(secret)
        log = tried(someone, submit(someone, stranger.url()))
        self.assertEqual((log["state"], log["cause"]), ("pending", "TLS certificate invalid"))
        self.assertEqual(stranger.received, [])

    def test_proxies_of_the_environment_are_ignored(self):
        receiver = WebhookReceiver()
        self.addCleanup(receiver.close)
        os.environ["http_proxy"] = os.environ["HTTP_PROXY"] = "http://127.0.0.1:9"
        try:
            daemon = self.shared_daemon(webhook_networks="127.0.0.0/8", workers=2).start()
        finally:
            del os.environ["http_proxy"], os.environ["HTTP_PROXY"]
        someone = daemon.account(unlimited=True)
        submit(someone, receiver.url())
        receiver.wait_for("/hook", 1)


class Daemons(DatabaseTest):
    def setUp(self):
        super().setUp()
        self.receiver = WebhookReceiver()
        self.addCleanup(self.receiver.close)

    def make_due(self):
        """Simulates the expiry of a dead daemon's lease."""
        self.sql("UPDATE webhook_delivery SET due_at = now(), lease_until = now() WHERE state = 'pending'")

    def test_another_daemon_completes_the_delivery_of_a_killed_one(self):
        self.receiver.behave("/hook", "hang", 200)
        first = self.shared_daemon(webhook_networks="127.0.0.0/8", workers=2).start()
        someone = first.account(unlimited=True)
        job_id = submit(someone, self.receiver.url())
        self.receiver.wait_for("/hook", 1)
        first.kill()
        second = self.shared_daemon(webhook_networks="127.0.0.0/8", workers=2).start()
        someone.daemon = second
        self.assertEqual(delivery_of(someone, job_id)["state"], "pending")
        self.make_due()
        got = self.receiver.wait_for("/hook", 2)
        self.assertEqual(got[0].id, got[1].id)
        self.assertEqual(settled(someone, job_id, "delivered")["tries"], 2)

    def test_a_stop_releases_hanging_deliveries(self):
        self.receiver.behave("/hook", "hang", 200)
        first = self.shared_daemon(webhook_networks="127.0.0.0/8", workers=2).start()
        someone = first.account(unlimited=True)
        job_id = submit(someone, self.receiver.url())
        self.receiver.wait_for("/hook", 1)
        self.assertEqual(first.stop(signal.SIGTERM), 0)
        someone.daemon = self.shared_daemon(webhook_networks="127.0.0.0/8", workers=2).start()
        self.receiver.wait_for("/hook", 2)
        self.assertEqual(settled(someone, job_id, "delivered")["tries"], 1, "the other one does not count")

    def test_two_daemons_deliver_each_webhook_once(self):
        daemons = [self.shared_daemon(webhook_networks="127.0.0.0/8", workers=2).start() for _ in range(2)]
        someone = daemons[0].account(unlimited=True)
        jobs = []
        for number in range(30):
            someone.daemon = daemons[number % 2]
            jobs.append(submit(someone, self.receiver.url()))
        for job_id in jobs:
            settled(someone, job_id, "delivered")
        delivered = [one.json()["id"] for one in self.receiver.of("/hook")]
        self.assertEqual(sorted(delivered), sorted(jobs))
        self.assertEqual(len({one.id for one in self.receiver.of("/hook")}), len(jobs))

    def test_a_daemon_without_workers_delivers_nothing(self):
        front = self.shared_daemon(webhook_networks="127.0.0.0/8", workers=0).start()
        someone = front.account(unlimited=True)
        job_id = submit(someone, self.receiver.url())
        self.shared_daemon(webhook_networks="127.0.0.0/8", workers=1).start()
        settled(someone, job_id, "delivered")

    def test_the_default_schedule(self):
        self.receiver.behave("/hook", 500)
        someone = self.shared_daemon(webhook_networks="127.0.0.0/8", workers=2).start().account(unlimited=True)
        log = tried(someone, submit(someone, self.receiver.url()))
        self.assertRegex(log["next_try_at"], RFC3339)
        wait = float(self.sql("SELECT extract(epoch FROM due_at - tried_at) FROM webhook_delivery"))
        self.assertTrue(4.4 < wait < 20, wait)
        self.assertEqual(
            self.sql("SELECT give_up_at - created_at = interval '24 hours' FROM webhook_delivery"), "t")

    def test_old_deliveries_are_deleted(self):
        first = self.shared_daemon(webhook_networks="127.0.0.0/8", workers=2).start()
        someone = first.account(unlimited=True)
        old, young = submit(someone, self.receiver.url()), submit(someone, self.receiver.url())
        for job_id in (old, young):
            settled(someone, job_id, "delivered")
        self.sql(f"UPDATE webhook_delivery SET ended_at = now() - interval '8 days' WHERE job_id = {old}")
        first.stop()
        someone.daemon = self.shared_daemon(webhook_networks="127.0.0.0/8", workers=2).start()
        wait_until(lambda: len(deliveries_of(someone)) == 1, "the old one to be forgotten")
        self.assertEqual(deliveries_of(someone)[0]["job_id"], young)
        self.assertEqual(someone.job(old)["status"], "error", "the reel stays")


if __name__ == "__main__":
    unittest.main()
