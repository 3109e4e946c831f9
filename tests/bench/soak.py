#!/usr/bin/env python3
"""Tests whether daemons stay stable under steady use of all features.

    python3 tests/bench/soak.py [--bin build/release/bin] [--minutes 30] [--quiet-seconds 60] [--pace 1] [--seed 1]

Two daemons share a database: one speaks HTTP and is the chat bot, one speaks HTTPS. In use, all the time and at a
steady rate: links one by one and in lists (test links; reels of a stand-in platform, analysed by a stand-in model; the
sample reel with a real analysis), polls, long polls, events, reads, pictures, subtitles, lists, searches, usage,
deletions, the dashboard with its event stream, tokens, webhooks to receivers that sometimes fail, the chat bot, `reels`,
`reels mcp`, /metrics and the documentation. In addition there are idle, slow, deaf and broken clients, SIGHUP with new
certificates, and each minute a database that cuts connections.

The resources of the daemons and their database are measured every 10 s. Two tables are printed: the answers with their
times and the number of wrong ones; and each gauge before the load, at the start and the end of the evaluated time (the
last two thirds), its median there, after the load, and its growth by the slope of Theil and Sen. The bounds and their
reasons are in soak_gauges.py. Exits with 1 if memory, descriptors, connections or another bounded gauge grows, if
something is left after the load, if an answer was wrong, or if a daemon does not exit cleanly. A run of a few minutes
finds wrong answers, but evaluates gauges that are still filling: caches, the library of reels, the names of metrics.
"""

import argparse
import collections
import os
import re
import sys
import threading
import time
import urllib.parse

from bench_support import ROOT, Processes, need, print_table
from connection_crowd import Crowd, Sizes
from dashboard_session import Person, set_up_link_secret
from gemini_stand_in import GeminiStandIn
from model_support import ANSWER
from service_support import Account, Cluster, Daemon, Platform, wait_until
from soak_clients import Book
from soak_gauges import TABLES_BOUNDED, TABLES_KEPT, Series, daemon_sample, files_below, socket_peers, table_rows
from soak_people import (
    CHAT, Administrator, Chatter, Cutter, Mcp, Operator, PassersBy, Programs, Visit)
from soak_surfaces import (
    REEL_CODES, Broken, Deleter, Follower, Library, Lists, Reader, SampleSubmitter, Searcher, Submitter, Sweeper,
    WebhookUser)
from telegram_stand_in import Telegram
from tls_test import TlsDaemon
from webhook_receiver import WebhookReceiver

SAMPLE_SECONDS = 10
CROWD = {"idle": 40, "slow": 10, "deaf": 4}
# Behaviours of the platform's posts: the others are good. Temporary failures are retried within seconds.
POSTS = {30: {"page": "flaky"}, 31: {"page": "server_error"}, 32: {"media": "cut"}, 33: {"media": "expire_once"},
         34: {"page": "private"}, 35: {"page": "deleted"}, 36: {"page": "photo_page"}}
POST_ENDS = {31: "download_failed", 34: "unavailable", 35: "unavailable", 36: "unsupported_format"}
ACTORS = (
    (Submitter, 3), (SampleSubmitter, 1), (Lists, 1), (Follower, 2), (Reader, 2), (Searcher, 1), (Deleter, 1), (Sweeper, 1),
    (WebhookUser, 2), (Broken, 1), (PassersBy, 1), (Visit, 1), (Administrator, 1), (Chatter, 1), (Programs, 1), (Mcp, 1),
    (Operator, 1), (Cutter, 1))
REST_SECONDS = 20  # Before the load: the daemons' periodic checks of the database have run.
END_SECONDS_MAX = 200  # For turns in progress at the end of the soak.


class Soak:
    """The daemons, their clients, and the measurements."""

    def __init__(self, options):
        self.pace, self.seed = options.pace, options.seed
        self.over = threading.Event()
        self.opened, self.daemons, self.accounts = [], [], {}
        self.series = collections.defaultdict(Series)
        self.book, self.library = Book(), Library()
        self.post_ends = {REEL_CODES[at]: end for at, end in POST_ENDS.items()}

    def open(self, one):
        self.opened.append(one)
        return one

    def start(self):
        self.cluster = self.open(Cluster())
        self.database = self.cluster.new_database()
        self.platform = self.open(Platform(with_sound=True))
        self.platform.configure(posts={code: POSTS.get(at, {}) for at, code in enumerate(REEL_CODES)})
        self.gemini = GeminiStandIn().start()
        self.gemini.answer = ANSWER
        self.telegram = self.open(Telegram())
        self.receiver = self.open(WebhookReceiver())
        common = {
            "database_url": self.database, "workers": 4, "requests_per_minute": 10_000_000,
            "retry_base_seconds": 0.5, "webhook_retry_base_seconds": 0.2,
            "webhook_networks": "127.0.0.0/8",
            "analyzer": "gemini", "gemini_url": self.gemini.url, "gemini_api_key": self.gemini.key,
            "gemini_model": "gemini-3.8-flash", "model_prices": "gemini-3.8-flash=0.3/2.5/0.03",
            # So small that it is full before the evaluated time begins.
            "reel_cache_bytes_max": 256 * 1024, **self.platform.settings()}
        self.daemon = self.open(Daemon(**common, **self.telegram.settings()))
        self.daemon.start()
        # Before another daemon starts, which would create a newer link.
        self.person_email = "ann@example.test"
        self.person = Person(self.daemon).join(set_up_link_secret(self.daemon), self.person_email)
        self.tls_daemon = self.open(TlsDaemon(**common))
        self.tls_daemon.settings["log_file"] = os.path.join(self.tls_daemon.folder, "tls.log")
        self.start_tls()
        self.daemons = [self.daemon, self.tls_daemon]
        self.terminal_settings = {"database_url": self.database, "data_dir": self.daemon.settings["data_dir"]}
        for name in ("library", "passing", "webhooks"):
            self.accounts[name] = self.daemon.account(f"{name}@example.test", unlimited=True)
        self.daemon.limit(self.person_email, submissions_per_minute=100_000, concurrent_jobs=100_000)
        self.link_chat()
        token = self.person.api("POST", "tokens", {"name": "soak"}).json()["token"]
        self.accounts["people"] = Account(self.daemon, self.person_email, token)
        # A reel whose turn does not come: its clients wait.
        self.held = int(self.sql(
            "INSERT INTO job (account_id, url, run_at, waits_for)"
            " SELECT id, 'https://www.instagram.com/reel/DYheld00001/',"
            " now() + interval '1 day', 'time' FROM account WHERE email = 'library@example.test' RETURNING id"))

    def start_tls(self):
        """Its log is a file that SIGHUP reopens; its address is read from there."""
        daemon = self.tls_daemon
        daemon.spawn()
        daemon.log_path = daemon.settings["log_file"]
        wait_until(lambda: os.path.exists(daemon.log_path), "the log")
        daemon.address = wait_until(daemon._listening, "the address")
        wait_until(lambda: daemon.request("GET", "/readyz").status == 200, "readiness")

    def link_chat(self):
        guest = self.person.invite("chat@example.test")
        self.daemon.limit("chat@example.test", submissions_per_minute=100_000, concurrent_jobs=100_000)
        self.telegram.person(CHAT, "Ann")
        code = guest.api("POST", "chats/codes", {}).json()["code"]
        self.telegram.say(CHAT, f"/start {code}")
        wait_until(lambda: [one for one in self.telegram.messages(CHAT) if "now linked" in one.text], "the chat's link", 60)
        token = guest.api("POST", "tokens", {"name": "soak"}).json()["token"]
        self.accounts["chat"] = Account(self.daemon, "chat@example.test", token)

    def sql(self, statement):
        return self.cluster.query(statement, self.database.rsplit("=", 1)[1]).strip()

    # Measurements.

    def sample(self):
        """{gauge: value}"""
        values = {}
        for number, daemon in enumerate(self.daemons):
            if daemon.process.poll() is not None:
                raise SystemExit(f"daemon {number} has ended with {daemon.process.returncode}:\n{daemon.log()[-3000:]}")
            values |= {f"daemon {number}: {name}": value for name, value in daemon_sample(daemon).items()}
            files, mebibytes = files_below(daemon.settings["data_dir"])
            values[f"daemon {number}: scratch files"] = files
            values[f"daemon {number}: scratch MiB"] = mebibytes
            metrics = daemon.request("GET", "/metrics")
            values[f"daemon {number}: metric lines"] = metrics.body.count(b"\n")
        counts = [f"('{table}', (SELECT count(*) FROM {table}))" for table in (*TABLES_BOUNDED, *TABLES_KEPT)]
        answer = self.sql(
            "SELECT * FROM (VALUES " + ", ".join(counts) + ", ('connections', (SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
            # Only those of the daemons: commands hold some for a moment.
            " AND backend_start < now() - interval '2 seconds'))) AS one")
        for line in answer.splitlines():
            name, count = line.split("|")
            values["both: database connections" if name == "connections" else f"rows of {name}"] = int(count)
        values["PostgreSQL MiB"] = Processes(self.cluster.process.pid).memory()
        return values

    def rest(self, seconds, keep):
        """After `seconds` without clients, `keep` of each series' values."""
        time.sleep(seconds)
        for name, value in self.sample().items():
            keep(self.series[name], value)

    def run(self, minutes, quiet_seconds):
        self.rest(REST_SECONDS, lambda series, value: setattr(series, "rest", value))
        actors = [kind(self, number) for kind, count in ACTORS for number in range(count)]
        for actor in actors:
            actor.prepare()
        with Crowd(self.daemon.address, Sizes(**CROWD)) as crowd:
            for actor in actors:
                actor.start()
            self.measure(minutes)
            self.over.set()
            give_up = time.monotonic() + END_SECONDS_MAX
            for actor in actors:
                actor.join(max(0, give_up - time.monotonic()))
            for actor in actors:
                if actor.is_alive():
                    self.book.report_violation(actor.surface, f"{actor.name} does not come to its end")
            report = crowd.report()
        print(f"idle, slow and deaf clients: {report}")
        self.rest(quiet_seconds, lambda series, value: setattr(series, "quiet", value))
        for number, daemon in enumerate(self.daemons):
            print(f"sockets of daemon {number} at rest: {dict(self.peers_of(daemon))}")

    def peers_of(self, daemon):
        """The servers to which sockets belong."""
        ports = {self.platform.port: "platform", urllib.parse.urlsplit(self.gemini.url).port: "model",
                 urllib.parse.urlsplit(self.telegram.url).port: "chat",
                 urllib.parse.urlsplit(self.receiver.origin).port: "receiver"}
        own = int(daemon.address.rpartition(":")[2])
        return socket_peers(daemon.process.pid, own, ports)

    def measure(self, minutes):
        begun = time.monotonic()
        turns = int(minutes * 60 / SAMPLE_SECONDS)
        for turn in range(1, turns + 1):
            time.sleep(max(0, begun + turn * SAMPLE_SECONDS - time.monotonic()))
            values = self.sample()
            for name, value in values.items():
                self.series[name].points.append((time.monotonic() - begun, value))
            if turn % 6 == 0:
                print(f"{turn // 6} min: " + ", ".join(
                    f"{values[f'daemon {number}: memory']:.1f} MiB {values[f'daemon {number}: descriptors']} descriptors"
                    for number in range(len(self.daemons))) +
                    f", {sum(self.book.wrong.values())} wrong answers", file=sys.stderr, flush=True)

    # The report.

    def report(self):
        """Prints the tables; returns whether everything is good."""
        print_table("what was asked", ["", "answers", "median ms", "p99 ms", "max ms", "excused 503", "wrong"],
                    self.book.rows())
        rows, growing = table_rows(self.series)
        print_table("resources; growth is that of the evaluated time, the last two thirds",
                    ["", "before", "begin", "median", "end", "at rest", "growth", "unit", ""], rows)
        for surface, examples in self.book.examples.items():
            for text in examples:
                print(f"wrong: {surface}: {text}")
        violations = [*self.telegram.violations, *self.gemini.violations]
        for text in violations[:20]:
            print(f"a stand-in reports a violation: {text}")
        held = self.sql(f"SELECT count(*) FROM job WHERE status IN ('pending', 'processing') AND id <> {self.held}")
        if held != "0":
            print(f"{held} jobs have not ended")
        for number, daemon in enumerate(self.daemons):
            self.report_log(number, daemon)
        codes = [daemon.stop() for daemon in self.daemons]
        if any(codes):
            print(f"daemons ended with {codes}")
        for name in growing:
            print(f"not flat: {name}")
        is_well = not (growing or self.book.wrong or violations or any(codes) or held != "0")
        print("all is flat, and nothing was wrong" if is_well else "NOT WELL")
        return is_well

    @staticmethod
    def report_log(number, daemon):
        """Warnings and errors by their texts, without numbers."""
        counts = collections.Counter(
            (line.get("level"), re.sub(r"\d+", "N", str(line.get("message")))) for line in daemon.log_lines()
            if line.get("level") in ("warning", "error", "critical"))
        for (level, message), count in counts.most_common(12):
            print(f"log of daemon {number}: {count} x {level}: {message[:160]}")

    def close(self):
        self.over.set()
        for one in reversed(self.opened):
            one.close()
        self.gemini.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=ROOT / "build/release/bin")
    parser.add_argument("--minutes", default=30, type=float)
    parser.add_argument("--quiet-seconds", default=60, type=float)
    parser.add_argument("--pace", default=1, type=float, help="of all turns: 2 is twice as many")
    parser.add_argument("--seed", default=1, type=int)
    options = parser.parse_args()
    os.environ["REELSD_BIN_DIR"] = os.path.abspath(options.bin)
    need("ffmpeg", "openssl")
    soak = Soak(options)
    try:
        soak.start()
        soak.run(options.minutes, options.quiet_seconds)
        return 0 if soak.report() else 1
    finally:
        soak.close()


if __name__ == "__main__":
    sys.exit(main())
