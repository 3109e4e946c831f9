"""Tests proxies for the daemon's outgoing requests: look-ups, downloads, models, Telegram, webhooks.

Method: the real daemon, with real proxies (tinyproxy, microsocks) for successful requests and a stand-in for
failures. The platform's stand-in reports its clients.
"""

import contextlib
import glob
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from dashboard_session import Person, set_up_link_secret  # noqa: E402
from database_pair import free_port  # noqa: E402
from forward_proxy import ForwardProxy  # noqa: E402
from gemini_stand_in import GeminiStandIn  # noqa: E402
from model_support import ANSWER  # noqa: E402
from proxy_test import program_of  # noqa: E402
from service_support import DatabaseTest, new_folder, run_reelsd, wait_until  # noqa: E402
from telegram_stand_in import Telegram  # noqa: E402
from tls_test import Certificate  # noqa: E402
from webhook_receiver import WebhookReceiver  # noqa: E402

LINK = "https://www.instagram.com/reel/%s/"
USER = "ann"
PASSWORD = "s3cret,@/word"
QUOTED = "s3cret%2C%40%2Fword"
PLAIN_PASSWORD = "s3cret-word"  # tinyproxy's configuration accepts no other characters.


def is_listening(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class OutgoingProxyTest(DatabaseTest):
    def setUp(self):
        super().setUp()
        self.folder = new_folder()
        self.addCleanup(shutil.rmtree, self.folder)
        os.chmod(self.folder, 0o777)  # tinyproxy drops to an unprivileged user.
        self.platform.configure(posts={f"DYproxied{number:02}": {} for number in range(20)})
        self.codes = iter(f"DYproxied{number:02}" for number in range(20))

    def forward_proxy(self, *arguments, **more):
        proxy = ForwardProxy(*arguments, **more)
        self.addCleanup(proxy.close)
        return proxy

    def run_program(self, command, port):
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)  # After SIGTERM, tinyproxy would wait for its clients.
        wait_until(lambda: is_listening(port), command[0])

    def tinyproxy(self):
        port = free_port()
        configuration = pathlib.Path(self.folder, "tinyproxy.conf")
        configuration.write_text(
            f"Port {port}\nListen 127.0.0.1\nTimeout 30\nMaxClients 50\nLogFile \"{self.folder}/tinyproxy.log\"\n"
            f"LogLevel Connect\nBasicAuth {USER} {PLAIN_PASSWORD}\n")
        self.run_program([program_of("tinyproxy"), "-d", "-c", str(configuration)], port)
        return f"127.0.0.1:{port}"

    def microsocks(self):
        port = free_port()
        self.run_program(
            [program_of("microsocks"), "-i", "127.0.0.1", "-p", str(port), "-u", USER, "-P", PASSWORD], port)
        return f"127.0.0.1:{port}"

    def daemon_by(self, **settings):
        return self.shared_daemon(**{"workers": 2, "attempts_max": 1, **settings}).start()

    def ended(self, daemon, account):
        return account.finished(account.submit(LINK % next(self.codes)))

    def doctor(self, **settings):
        merged = {**self.platform.settings(), "data_dir": os.path.join(self.folder, "data"), "canary_link": "none",
                  "database_url": self.database, **settings}
        return run_reelsd("doctor", cwd=self.folder, **merged)


def command_lines():
    """The command line of every process, without processes that end in between."""
    lines = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            lines.append(pathlib.Path(path).read_text(errors="replace"))
    return lines


class RealProxies(OutgoingProxyTest):
    def assertNowhere(self, daemon, words):
        """The words are in none of the daemon's outputs: logs, metrics, settings, the process list."""
        shown = {
            "the log": daemon.log(), "the metrics": daemon.request("GET", "/metrics").body.decode(),
            "the settings": daemon.cli("settings").stdout,
            "the process list": "".join(line for line in command_lines() if "microsocks" not in line)}
        for where, text in shown.items():
            for word in words:
                self.assertNotIn(word, text, where)

    def test_look_ups_and_downloads_use_tinyproxy(self):
        address = self.tinyproxy()
        daemon = self.daemon_by(platform_proxy=f"http://{USER}:{PLAIN_PASSWORD}@{address}")
        job = self.ended(daemon, daemon.account())
        self.assertEqual(job["status"], "done", job)
        log = pathlib.Path(self.folder, "tinyproxy.log").read_text()
        self.assertGreaterEqual(log.count(f"CONNECT 127.0.0.1:{self.platform.port}"), 2, log)
        self.assertNowhere(daemon, (PLAIN_PASSWORD,))
        self.assertIn(f'resolver="page via {address}"', daemon.request("GET", "/metrics").body.decode())

    def test_look_ups_and_downloads_use_microsocks(self):
        address = self.microsocks()
        daemon = self.daemon_by(platform_proxy=f"socks5h://{USER}:{QUOTED}@{address}")
        job = self.ended(daemon, daemon.account())
        self.assertEqual(job["status"], "done", job)
        self.assertNowhere(daemon, (PASSWORD, QUOTED))

    def test_a_wrong_password_is_reported_as_a_proxy_failure(self):
        for address, scheme in ((self.tinyproxy(), "http"), (self.microsocks(), "socks5h")):
            done = self.doctor(platform_proxy=f"{scheme}://{USER}:wrong@{address}")
            self.assertRegex(done.stdout, f"FAIL +proxy {address} +proxy failure: .*rejects the user or the password")
            self.assertNotIn("wrong", done.stdout + done.stderr)

    def test_yt_dlp_uses_the_proxy_and_no_argument_contains_its_password(self):
        proxy = self.forward_proxy(user=f"{USER}:{QUOTED}")
        program = pathlib.Path(self.folder, "yt-dlp")
        program.write_text(f"#!/bin/sh\ntr '\\0' ' ' < /proc/$$/cmdline >&2\necho \"$HTTPS_PROXY\" >&2\nexit 1\n")
        program.chmod(0o755)
        daemon = self.daemon_by(
            platform_proxy=proxy.url, resolvers="yt-dlp", yt_dlp_path=str(program), log_level="debug")
        self.assertEqual(self.ended(daemon, daemon.account())["status"], "error")
        self.assertIn("it said: ", daemon.log())
        self.assertNowhere(daemon, (QUOTED,))


class Rotation(OutgoingProxyTest):
    def test_each_proxy_has_a_separate_rate_limit(self):
        proxies = [self.forward_proxy(), self.forward_proxy(), self.forward_proxy()]
        daemon = self.daemon_by(
            platform_proxy=",".join(proxy.url for proxy in proxies), media_proxy="none",
            platform_interval_seconds=3600, platform_lookups_per_hour=3600)
        account = daemon.account(unlimited=True)
        jobs = [account.submit(LINK % next(self.codes)) for _ in proxies]
        for job in jobs:
            self.assertEqual(account.finished(job)["status"], "done")
        self.assertEqual([len(proxy.targets) for proxy in proxies], [1, 1, 1])

    def test_another_proxy_replaces_an_unavailable_one(self):
        dead = f"http://127.0.0.1:{free_port()}"
        alive = self.forward_proxy()
        daemon = self.daemon_by(platform_proxy=f"{dead},{alive.url}")
        account = daemon.account(unlimited=True)
        for _ in range(3):
            self.assertEqual(self.ended(daemon, account)["status"], "done")

    def test_a_proxy_with_a_permit_is_replaced_too(self):
        self.platform.configure(posts={f"DYproxied{number:02}": {"root": "html", "logged_out": "html", "embed": "shell"}
                                       for number in range(6)})
        alive, dead = self.forward_proxy().url, f"http://127.0.0.1:{free_port()}"
        daemon = self.daemon_by(
            platform_proxy=f"{alive},{dead}", media_proxy="none", resolvers="page,graphql,embed",
            platform_interval_seconds=1, platform_lookups_per_hour=3600, platform_cooldown_seconds=900)
        account = daemon.account(unlimited=True)
        jobs = [account.submit(LINK % next(self.codes)) for _ in range(6)]
        self.assertEqual([account.finished(job)["status"] for job in jobs], ["done"] * 6)

    def test_proxies_in_rotation_that_all_fail_are_no_rate_limit(self):
        proxies = [f"127.0.0.1:{free_port()}" for _ in range(2)]
        daemon = self.daemon_by(
            platform_proxy=",".join(f"http://{proxy}" for proxy in proxies), media_proxy="none",
            platform_interval_seconds=1, platform_lookups_per_hour=3600, platform_cooldown_seconds=900)
        account = daemon.account(unlimited=True)
        for job in [account.submit(LINK % next(self.codes)) for _ in range(4)]:
            ended = account.finished(job)
            self.assertEqual(ended["error_code"], "download_failed", ended)
            self.assertRegex(ended["error"], f"the proxy ({'|'.join(proxies)}) of this service does not work")

    def test_media_can_use_another_proxy(self):
        look_ups, downloads = self.forward_proxy(), self.forward_proxy("socks5h")
        daemon = self.daemon_by(platform_proxy=look_ups.url, media_proxy=downloads.url)
        self.assertEqual(self.ended(daemon, daemon.account())["status"], "done")
        self.assertEqual((len(look_ups.targets), len(downloads.targets)), (1, 1))

    def test_proxies_of_the_environment_are_ignored(self):
        proxy = self.forward_proxy()
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
            os.environ[name] = proxy.url
            self.addCleanup(os.environ.pop, name)
        daemon = self.daemon_by()
        self.assertEqual(self.ended(daemon, daemon.account())["status"], "done")
        self.assertEqual(proxy.targets, [])


class OtherPurposes(OutgoingProxyTest):
    """Models, Telegram and webhooks each have their own proxy, which the others do not use."""

    def test_models(self):
        model = GeminiStandIn().start()
        self.addCleanup(model.stop)
        model.answer = ANSWER
        proxy = self.forward_proxy(user=f"{USER}:{PLAIN_PASSWORD}")
        daemon = self.daemon_by(
            model_proxy=proxy.url, analyzer="gemini", gemini_url=model.url, gemini_api_key=model.key,
            gemini_model="gemini-3.8-flash")
        self.assertEqual(self.ended(daemon, daemon.account())["status"], "done")
        self.assertEqual(set(proxy.targets), {model.url.removeprefix("http://")})

    def test_telegram(self):
        telegram = Telegram()
        self.addCleanup(telegram.close)
        proxy = self.forward_proxy("socks5h", user=f"{USER}:{PLAIN_PASSWORD}")
        daemon = self.daemon_by(telegram_proxy=proxy.url, **telegram.settings())
        wait_until(lambda: telegram.calls, "the bot's first request")
        self.assertEqual(self.ended(daemon, daemon.account())["status"], "done")
        self.assertEqual(set(proxy.targets), {telegram.url.removeprefix("http://")})

    def test_webhooks(self):
        receiver = WebhookReceiver()
        self.addCleanup(receiver.close)
        proxy = self.forward_proxy(user=f"{USER}:{PLAIN_PASSWORD}")
        daemon = self.daemon_by(
            webhook_proxy=proxy.url, webhook_networks="127.0.0.0/8", webhook_retry_base_seconds=0.2)
        account = daemon.account()
        self.assertEqual(account.request("PUT", "/api/v1/webhook", {"url": receiver.url()}).status, 200)
        proxy.fail("502")
        self.assertEqual(self.ended(daemon, account)["status"], "done")
        wait_until(lambda: proxy.targets, "an attempt")
        self.assertEqual(receiver.of("/hook"), [], "without the proxy nothing is sent")
        proxy.fail(None)
        receiver.wait_for("/hook", 1)
        self.assertEqual(set(proxy.targets), {receiver.origin.removeprefix("http://")})


class FailingProxies(OutgoingProxyTest):
    def assertItsFault(self, url, address, words):
        done = self.doctor(platform_proxy=url)
        self.assertRegex(done.stdout, f"FAIL +proxy {address} +proxy failure: {address}{words}")
        self.assertEqual(done.returncode, 1)

    def test_doctor_distinguishes_proxy_and_platform_failures(self):
        http, socks = self.forward_proxy(user="u:hidden"), self.forward_proxy("socks5h", user="u:hidden")
        for proxy, failure, words in (
                (http, "407", r": it rejects the user or the password \(status 407\)"),
                (http, "403", r" to 127.0.0.1: it refuses the connection \(status 403\)"),
                (http, "502", r" to 127.0.0.1: it refuses the connection \(status 502\)"),
                (http, "close", ": it closed the connection"), (http, "garbage", ": it (closed|violated)"),
                (socks, "login", ": it rejects the user or the password"),
                (socks, "refused", " to 127.0.0.1: it cannot reach the target"), (socks, "garbage", ": it ")):
            with self.subTest(failure):
                proxy.fail(failure)
                self.assertItsFault(proxy.url, proxy.address, words)
                proxy.fail(None)
                done = self.doctor(platform_proxy=proxy.url)
                self.assertRegex(done.stdout, f"ok +proxy {proxy.address} ")
                self.assertNotIn("hidden", done.stdout + done.stderr)

    def test_an_unreachable_proxy(self):
        port = free_port()
        self.assertItsFault(f"http://127.0.0.1:{port}", f"127.0.0.1:{port}", ": it does not accept connections")
        for scheme in ("http", "socks5h"):
            self.assertItsFault(f"{scheme}://nowhere.invalid:3128", "nowhere.invalid:3128", ": its name cannot be resolved")

    def test_a_proxy_with_an_untrusted_certificate(self):
        certificate = Certificate(self.folder)
        proxy = self.forward_proxy(certificate=certificate)
        self.assertItsFault(proxy.url, proxy.address, ": its certificate is not trusted")
        done = self.doctor(platform_proxy=proxy.url, ca_file=certificate.file)
        self.assertRegex(done.stdout, f"ok +proxy {proxy.address} ")

    def test_a_failed_job_names_the_proxy(self):
        proxy = self.forward_proxy(user="u:hidden")
        daemon = self.daemon_by(platform_proxy=proxy.url)
        account = daemon.account(unlimited=True)
        for failure, words in (("403", "could not connect to 127.0.0.1"), ("407", "does not work"),
                               ("garbage", "does not work")):
            proxy.fail(failure)
            job = self.ended(daemon, account)
            self.assertEqual((job["status"], job["error_code"]), ("error", "download_failed"))
            self.assertIn(f"the proxy {proxy.address} of this service {words}", job["error"])
            self.assertNotIn("hidden", json.dumps(job) + daemon.log())

    def test_a_silent_platform_is_not_a_proxy_failure(self):
        proxy = self.forward_proxy()
        self.platform.configure(posts={"DYproxied00": {"page": "server_error"}})
        daemon = self.daemon_by(platform_proxy=proxy.url)
        job = self.ended(daemon, daemon.account())
        self.assertEqual(job["error_code"], "download_failed")
        self.assertNotIn(proxy.address, job["error"])


class NeverAnswered(OutgoingProxyTest):
    WORDS = "It has never answered this server and may refuse its address."
    WAYS_ON = ("platform-proxy", "platform-cookies-file", "Upload the video")
    PROMISES = ("later", "minutes")

    def assertWaysOn(self, text):
        self.assertIn(self.WORDS, text)
        for way in self.WAYS_ON:
            self.assertIn(way, text)
        for promise in self.PROMISES:
            self.assertNotIn(promise, text)

    def test_failed_jobs_report_it_until_the_first_answer(self):
        self.platform.configure(posts={"DYproxied00": {"page": "throttled"}, "DYproxied02": {"page": "throttled"}})
        daemon = self.daemon_by()
        account = daemon.account(unlimited=True)
        job = self.ended(daemon, account)
        self.assertEqual(job["error_code"], "rate_limited")
        self.assertWaysOn(job["error"])
        self.assertTrue(job["retryable"])
        self.assertIn("platform has never answered this server", daemon.log())
        self.assertEqual(self.ended(daemon, account)["status"], "done")
        job = self.ended(daemon, account)
        self.assertEqual(job["error_code"], "rate_limited")
        self.assertNotIn(self.WORDS, job["error"])

    def test_doctor_and_dashboard_report_it_until_the_first_answer(self):
        self.platform.configure(posts={"DYproxied00": {"page": "server_error"}})
        daemon = self.daemon_by(canary_link="none", resolvers="page")
        # Of earlier settings.
        self.sql("INSERT INTO resolver_pace (host, resolver, answered_at) VALUES"
                 " ('127.0.0.1', 'page via 192.0.2.1:3128', now()), ('127.0.0.1', 'graphql', NULL)")
        person = Person(daemon)
        person.join(set_up_link_secret(daemon), "ann@example.org")
        account = daemon.account(unlimited=True)
        never_answered = lambda: person.api("GET", "platform").json()["never_answered"]
        line = r"warn +by page +127\.0\.0\.1 has never answered this server and may refuse its address; set a proxy " \
               r"\(platform-proxy\) or a session \(platform-cookies-file\), or upload videos\n"
        self.assertFalse(never_answered(), "nothing was asked yet")
        self.assertNotIn("never answered", daemon.cli("doctor").stdout)
        job = self.ended(daemon, account)
        self.assertEqual(job["error_code"], "download_failed")
        self.assertWaysOn(job["error"])
        self.assertTrue(never_answered())
        self.assertTrue(person.api("GET", "admin/overview").json()["resolvers"][0]["never_answered"])
        self.assertRegex(daemon.cli("doctor").stdout, line)
        self.assertEqual(self.ended(daemon, account)["status"], "done")
        self.assertFalse(never_answered())
        self.assertNotIn("never answered", daemon.cli("doctor").stdout)

    def test_share_links_and_links_of_followers_are_no_answers(self):
        refused = {"page": "login_redirect", "root": "html", "logged_out": "html", "embed": "login_redirect"}
        follower = "DYfollow001" + "k" * 28
        self.platform.configure(posts={"DYrefused01": refused, follower: refused}, shares={"BArefused01": "DYrefused01"})
        daemon = self.daemon_by(canary_link="none", resolvers="page,graphql,embed")
        person = Person(daemon)
        person.join(set_up_link_secret(daemon), "ann@example.org")
        account = daemon.account(unlimited=True)
        account.finished(account.submit(LINK % follower))
        job = account.finished(account.submit("https://www.instagram.com/share/reel/BArefused01/"))
        self.assertEqual(job["error_code"], "rate_limited")
        self.assertWaysOn(job["error"])
        self.assertTrue(person.api("GET", "platform").json()["never_answered"])
        self.assertRegex(daemon.cli("doctor").stdout, "by page +127.0.0.1 has never answered this server and may refuse")

    def test_test_links_do_not_report_it(self):
        daemon = self.daemon_by()
        account = daemon.account(unlimited=True)
        job = account.finished(account.submit(LINK % "reelsd-rate-limited"))
        self.assertNotIn(self.WORDS, job["error"])


class Settings(OutgoingProxyTest):
    def test_an_invalid_proxy_is_rejected_and_not_shown(self):
        values = ("ftp://u:hidden@127.0.0.1:1", "http://u:hidden@127.0.0.1", "http://u:hid@den@127.0.0.1:1",
                  "http://u:hid/den@127.0.0.1:1", "127.0.0.1:3128", "http://u:hidden@[bad:9011", "http://:1",
                  "socks5://u:hidden@127.0.0.1:1", "http://127.0.0.1:0", "http://127.0.0.1:1,")
        cases = [("platform_proxy", value) for value in values]
        cases += [(f"{purpose}_proxy", values[0]) for purpose in ("media", "model", "telegram", "webhook")]
        for name, value in cases:
            done = self.doctor(**{name: value})
            self.assertEqual(done.returncode, 2, (name, value, done.stdout))
            self.assertIn(name.replace("_", "-") + ": this value is not allowed", done.stderr)
            self.assertNotIn("hid", done.stderr + done.stdout)

    def test_look_ups_use_the_outgoing_address(self):
        daemon = self.daemon_by(outgoing_address="127.0.0.9")
        self.assertEqual(self.ended(daemon, daemon.account())["status"], "done")
        self.assertEqual({request["client"] for request in self.platform.requests()}, {"127.0.0.9"})
        for value in ("127.0.0.999", "not an address", "a-device-with-a-long-name"):
            self.assertEqual(self.doctor(outgoing_address=value).returncode, 2, value)

    def test_an_absent_outgoing_address_is_no_fault_of_the_platform(self):
        daemon = self.daemon_by(outgoing_address="203.0.113.9", attempts_max=1)
        job = self.ended(daemon, daemon.account())
        self.assertEqual(job["error_code"], "internal")
        self.assertTrue(job["retryable"])
        self.assertNotIn("platform", job["error"])
        words = "this machine has no address for outgoing-address = 203.0.113.9"
        self.assertIn(words, daemon.log())
        self.assertRegex(daemon.cli("doctor").stdout, "FAIL +platform +" + words)


if __name__ == "__main__":
    unittest.main(verbosity=2)
