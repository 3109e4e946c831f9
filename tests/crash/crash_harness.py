#!/usr/bin/env python3
"""Kills daemons with -9 while they work, repeatedly, and checks that all guarantees hold.

Goal: every accepted job (202) ends exactly once, as `done` or `error`; the answer about an ended job never changes,
byte for byte; a key creates one job, however often it is sent; no job makes more than three paid calls; the ledger
equals the records of the model's stand-in, except for interrupted calls, which it knows as begun; no file, no
process and no job is left behind.

Method: one or more real daemons on one database, with stand-ins of the platform and of the model. Clients
submit, repeat, read and delete without a pause, while each daemon has a killer. It waits for a moment that
it aims at (a step of a job, a call in progress, a half-answered request, the start itself, or any time), kills the
daemon, looks for children that outlive it, and starts it again. When all jobs have ended, the harness compares
four records: the answers of the clients, the database, the history of both tables that triggers have written, and
the calls that the stand-in has counted. See crash_checks.

    crash_harness.py --jobs 1000 --kills 100 --daemons 2 --seed 7

The seed determines the jobs, their faults, and the aims of the kills; their order in time differs from run to run.
Exits with 1 and prints the errors if anything is wrong.
"""

import argparse
import collections
import contextlib
import glob
import http.client
import json
import os
import random
import shutil
import sys
import threading
import time

import crash_checks
from crash_plans import make_plans
from crash_support import (
    CODE, HISTORY, CrashGemini, Moments, KillableDaemon, Sql, await_no_children, media_children)
from model_support import ANSWER, PRICES, answer_with
from service_support import Cluster, Platform, new_folder, wait_until

MODEL = "gemini-3.8-flash"
LEASE_SECONDS = 1.5
ATTEMPTS_MAX = 6
AIM_SECONDS_MAX = 4  # Then the kill comes at any time.
END_SECONDS_MAX = 90  # Without an end of any job: the jobs are stuck.
REQUEST_SECONDS_MAX = 30
SUBMITTERS, READERS = 3, 2

STEPS = ("resolve", "download", "probe", "analyze")
CHILDREN = ("probe", "check", "thumbnail")
EVENTS = ("submission", "deletion", "upload", "model asked", "model answered")
AIMS = {
    "gemini": ["any time", "any time", "start", "claim", *STEPS, "call written", *EVENTS,
               "child: probe", "child: check", "child: thumbnail", "report", "retry", "rescue"],
    "local": ["any time", "any time", "start", "claim", "resolve", "download", "analyze", "submission", "deletion",
              "child: analyze", "report", "retry", "rescue"],
}


def quickly_checked(request):
    """An answer without anything to compare with the video, except for each tenth post: the comparison takes most
    of the time."""
    if CODE.search(request.text)[0].endswith("7"):
        return ANSWER
    answer = answer_with("visual.text_segments", [])
    answer["audio"].update(segments=[], language=None, has_music=False, music_description="")
    return answer


class Run:
    """One run: its daemons, its clients, its killers and their records."""

    def __init__(self, options):
        self.options = options
        self.dice = random.Random(f"{options.seed} run")
        self.plans = make_plans(random.Random(f"{options.seed} jobs"), options.jobs)
        self.moments = Moments()
        self.changed = threading.Condition()
        self.errors = []  # Descriptions of errors.
        self.submitted = 0
        self.ended = 0
        self.unfinished = 0
        self.kills = []
        self.aims = self.shuffled_aims()
        self.seen = {}  # {job id: body of the first answer that reported its end}
        self.by_id = {}
        self.statistics = collections.Counter()
        self.is_over = threading.Event()
        self.all_finished = threading.Event()  # No daemon is needed any more.
        self.began = time.monotonic()

    def shuffled_aims(self):
        """The aim of each kill: all aims are equally frequent."""
        chosen = []
        while len(chosen) < self.options.kills:
            aims = list(AIMS[self.options.analyzer])
            self.dice.shuffle(aims)
            chosen += aims
        return chosen[:self.options.kills]

    def report_violation(self, text):
        with self.changed:
            self.errors.append(text)

    # Setup.

    def run(self):
        """Runs everything; returns descriptions of all errors."""
        options = self.options
        with contextlib.ExitStack() as stage:
            self.stage = stage
            stage.callback(self.all_finished.set)
            self.set_up()
            self.act()
            if not self.is_stuck():
                self.look_at_what_is_left()
            if self.errors and options.keep:
                for daemon in self.daemons:
                    shutil.copytree(daemon.folder, os.path.join(options.keep, daemon.name))
        return self.errors

    def is_stuck(self):
        """The records are incomplete, so comparing them is useless."""
        return any(text.startswith("stuck") for text in self.errors)

    def set_up(self):
        stage, options = self.stage, self.options
        self.platform = Platform()
        stage.callback(self.platform.close)
        self.platform.configure(posts={
            plan.code: {**plan.post, "caption": f"About {plan.code}."}
            for plan in self.plans if plan.post is not None})
        self.model = CrashGemini(self.moments).start()
        stage.callback(self.model.stop)
        self.model.answer = quickly_checked
        for plan in self.plans:
            self.model.plans.setdefault(plan.code, list(plan.calls))
            self.model.slowness[plan.code] = plan.slowness
        prices = ",".join("%s=%s" % (name, "/".join(price)) for name, price in PRICES.items())
        shared = new_folder()
        stage.callback(shutil.rmtree, shared)
        self.choose_database(shared)
        self.daemons = []
        for number in range(options.daemons):
            settings = {
                "database_url": self.database, **self.platform.settings(), "workers": options.workers,
                "lease_seconds": LEASE_SECONDS, "retry_base_seconds": 0.05,
                "attempts_max": ATTEMPTS_MAX, "requests_per_minute": 1000000,
                "analyzer": options.analyzer, "gemini_url": self.model.url, "gemini_model": MODEL,
                "model_prices": prices, "log_level": options.log_level}
            if number % 2 == 1 or options.shared_data_dir:
                settings["gemini_inline_bytes_max"] = 1000  # It uploads each video.
            if options.analyzer == "local":
                settings["media_helper"] = None  # With recorded analyses, a job ends before a kill can meet it.
            if options.shared_data_dir:
                settings["data_dir"] = os.path.join(shared, "data")
            daemon = KillableDaemon(str(number + 1), **settings)
            stage.callback(daemon.close)
            self.daemons.append(daemon)
        self.first_starts()

    def choose_database(self, shared):
        """Chooses a server that outlives each daemon, or the private one, which dies with the daemon that started
        it and is started by the next daemon that needs it."""
        if self.options.private_cluster:
            self.options.shared_data_dir = True
            self.database, self.database_name = "", "reelsd"
            self.socket_folder = os.path.join(shared, "data", "run")
            return
        cluster = Cluster()
        self.stage.callback(cluster.close)
        self.database = cluster.new_database()
        self.database_name = self.database.rsplit("=", 1)[1]
        self.socket_folder = cluster.folder

    def first_starts(self):
        """The first daemon creates the database and is killed during that: a schema is complete or does not exist."""
        first = self.daemons[0]
        for _ in range(min(2, self.options.kills // 5)):
            first.launch()
            self.is_over.wait(self.dice.uniform(0.02, 0.5))
            first.crash()
            self.statistics["kills at the first start"] += 1
        first.launch()
        began = time.monotonic()
        first.await_ready()
        self.start_seconds = time.monotonic() - began
        self.sql = self.session()
        self.sql.run(HISTORY)
        self.account = first.account("crash@example.test", unlimited=True)

    def session(self):
        session = Sql(self.socket_folder, self.database_name)
        self.stage.callback(session.close)
        return session

    def act(self):
        actors = [(self.kill_again_and_again, daemon) for daemon in self.daemons]
        actors += [(self.submit_all, number) for number in range(SUBMITTERS)]
        actors += [(self.read_on, number) for number in range(READERS)]
        actors.append((self.delete_some, None))
        threads = [threading.Thread(target=self.guarded, args=actor, daemon=True) for actor in actors]
        self.next_plan = iter(self.plans)
        for thread in threads:
            thread.start()
        self.watch()
        self.is_over.set()
        with self.changed:
            self.changed.notify_all()
        for thread in threads[len(self.daemons):]:  # Killers must live as long as their daemons.
            thread.join(60)
            if thread.is_alive():
                self.report_violation(f"stuck: the harness's own {thread}")

    def guarded(self, act, argument):
        try:
            act(argument)
        except BaseException as why:  # Otherwise the run would pass without an error.
            if not self.is_over.is_set():
                self.report_violation(f"stuck: {act.__name__} ended with {why!r}")
                self.is_over.set()
                raise

    def watch(self):
        """Counts ended jobs, until all have ended."""
        last, since = None, time.monotonic()
        while not self.is_over.is_set():
            row, = self.sql.rows(
                "SELECT count(*) FILTER (WHERE status IN ('done', 'error')) AS ended,"
                " count(*) FILTER (WHERE status IN ('pending', 'processing')) AS unfinished FROM job")
            with self.changed:
                self.ended, self.unfinished = row["ended"], row["unfinished"]
                if time.monotonic() - self.began > self.options.seconds_max and self.aims:
                    self.statistics["kills that time did not allow"] += len(self.aims)
                    self.aims.clear()
                state = (self.submitted, self.ended, self.unfinished, len(self.kills))
                is_all = self.is_submitted() and not self.aims and not self.unfinished and all(
                    daemon.is_spared for daemon in self.daemons)
                self.changed.notify_all()
            if state != last:
                last, since = state, time.monotonic()
            if is_all:
                return
            for daemon in self.daemons:
                if daemon.is_up and daemon.process.poll() is not None and daemon.is_up:
                    self.report_violation(f"stuck: {daemon.start_id} exited unexpectedly with "
                                  f"{daemon.process.returncode}: {daemon.log()[-3000:]}")
                    return
            if time.monotonic() - since > END_SECONDS_MAX:
                left = self.sql.rows("SELECT id, url, status, attempt, claim, worker, step, run_at,"
                                     " lease_until FROM job WHERE status IN ('pending', 'processing')")
                self.report_violation(f"stuck: for {END_SECONDS_MAX} s no job has ended; {state} {left[:20]}")
                return
            self.is_over.wait(0.1)

    def is_submitted(self):
        """Nothing more will be submitted or deleted."""
        known = [plan for plan in self.plans if plan.job_id is not None or self.is_late()]
        return len(known) == len(self.plans) and not any(
            plan.job_id is not None and plan.is_deleted and not plan.delete_ended
            for plan in self.plans) and self.statistics["submissions under way"] == 0

    def is_late(self):
        return time.monotonic() - self.began > self.options.seconds_max

    # Requests.

    def ask(self, daemon, method, path, body=None, headers=None, moment=None):
        """(status, body), or None if there was no answer."""
        address, start = daemon.address, daemon.start_id
        if not daemon.is_up or not address:
            self.is_over.wait(0.01)
            return None
        host, port = address.rsplit(":", 1)
        connection = http.client.HTTPConnection(host, int(port), timeout=REQUEST_SECONDS_MAX)
        headers = {"Authorization": "Bearer " + self.account.token, **(headers or {})}
        try:
            connection.request(method, path, body, headers)
            if moment:
                self.moments.note(start, moment)
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException) as why:
            if isinstance(why, TimeoutError):
                self.report_violation(f"{method} {path} was not answered in {REQUEST_SECONDS_MAX} s")
            if moment:
                with self.changed:
                    self.statistics[f"{moment}s without an answer"] += 1
            self.is_over.wait(0.005)
            return None
        finally:
            connection.close()

    def submit_all(self, number):
        dice = random.Random(f"{self.options.seed} client {number}")
        while not self.is_over.is_set():
            with self.changed:
                if self.is_late():
                    return
                plan = next(self.next_plan, None)
                if plan is None:
                    return
                self.statistics["submissions under way"] += 1
            self.await_turn(plan)
            self.submit(plan, dice)
            if plan.is_repeated and not plan.is_deleted:
                self.submit(plan, dice)
            with self.changed:
                self.statistics["submissions under way"] -= 1

    def await_turn(self, plan):
        """Spreads jobs over the kills, so that there is work at each kill."""
        def is_due():
            if self.is_over.is_set() or self.is_late():
                return True
            total = max(1, self.options.kills)
            share = len(self.plans) * (len(self.kills) + 1) / total
            is_early = self.aims and plan.number > share + self.options.backlog
            return not is_early and self.unfinished < self.options.backlog
        with self.changed:
            while not is_due():
                self.changed.wait(1)

    def submit(self, plan, dice):
        """Submits until the job is accepted, each time with the same key."""
        body, headers = json.dumps({"url": plan.url}), {"Idempotency-Key": plan.key}
        while not self.is_over.is_set():
            answer = self.ask(dice.choice(self.daemons), "POST", "/api/v1/reels/analyze", body, headers,
                              "submission")
            if answer is None:
                continue
            status, text = answer
            if status == 503:
                with self.changed:
                    self.statistics["answers 503"] += 1
                continue
            if status != 202:
                return self.report_violation(f"submission of {plan.url} with {plan.key}: {status} {text[:300]}")
            job_id = json.loads(text)["id"]
            with self.changed:
                if plan.job_id is None:
                    plan.job_id, plan.accepted = job_id, time.monotonic()
                    self.by_id[job_id] = plan
                    self.submitted += 1
                    self.unfinished += 1
                elif plan.job_id != job_id:
                    self.errors.append(f"{plan.key} is job {plan.job_id} and job {job_id}")
                self.changed.notify_all()
            return None
        return None

    def read_on(self, number):
        dice = random.Random(f"{self.options.seed} reader {number}")
        while not self.is_over.is_set():
            with self.changed:
                known = list(self.by_id)
            if not known:
                self.is_over.wait(0.05)
                continue
            job_id = dice.choice(known[-60:] if dice.random() < 0.7 else known)
            self.read(dice.choice(self.daemons), job_id, dice.choice(("", "", "?wait=1")))

    def read(self, daemon, job_id, query=""):
        """Reads a job once; it must be consistent with earlier answers."""
        plan = self.by_id[job_id]
        was_deleted, before = plan.delete_ended, self.seen.get(job_id)
        answer = self.ask(daemon, "GET", f"/api/v1/reels/{job_id}{query}")
        if answer is None:
            return None
        status, text = answer
        with self.changed:
            self.statistics["reads"] += 1
            if status == 503:
                self.statistics["answers 503"] += 1
            elif status == 404:
                if not plan.delete_begun:
                    self.errors.append(f"job {job_id} is not found but was not deleted")
            elif status != 200:
                self.errors.append(f"job {job_id}: {status} {text[:300]}")
            elif was_deleted:
                self.errors.append(f"job {job_id} exists after its deletion: {text[:300]}")
            elif json.loads(text)["status"] in ("done", "error"):
                first = self.seen.setdefault(job_id, text)
                if first != text:
                    self.errors.append(f"job {job_id} ended twice: {first[:400]} and {text[:400]}")
            elif before is not None:
                self.errors.append(f"job {job_id} had ended ({before[:200]}) and is {text[:200]}")
        return status

    def delete_some(self, _):
        dice = random.Random(f"{self.options.seed} deletions")
        while not self.is_over.is_set():
            now = time.monotonic()
            with self.changed:
                due = [plan for plan in self.by_id.values() if plan.is_deleted
                       and not plan.delete_ended and now >= plan.accepted + plan.delete_after]
            for plan in due:
                self.delete(plan, dice)
            self.is_over.wait(0.02)

    def delete(self, plan, dice):
        plan.delete_begun = True
        tries = 0
        while not self.is_over.is_set():
            answer = self.ask(dice.choice(self.daemons), "DELETE", f"/api/v1/reels/{plan.job_id}",
                              moment="deletion")
            tries += 1
            if answer is None or answer[0] == 503:
                continue
            if answer[0] == 204 or (answer[0] == 404 and tries > 1):
                plan.delete_ended = True
            else:
                plan.delete_ended = True
                self.report_violation(f"deletion of job {plan.job_id}: {answer}")
            return

    # Kills.

    def kill_again_and_again(self, daemon):
        dice = random.Random(f"{self.options.seed} killer {daemon.name}")
        sql = self.session()
        while True:
            if not daemon.is_up:
                daemon.launch()
                if self.takes_start(dice):
                    self.is_over.wait(dice.uniform(0, 1.2 * self.start_seconds))
                    self.kill(daemon, sql, "start", True)
                    continue
                daemon.await_ready()
            aim = self.next_aim()
            if aim is None:
                daemon.is_spared = True
                # A process gets a signal when the thread that started it ends.
                return self.all_finished.wait()
            has_come = self.await_moment(daemon, sql, aim, dice)
            self.is_over.wait(dice.choice((0, 0, 0.002, 0.01, 0.05)) * dice.random())
            self.kill(daemon, sql, aim, has_come)

    def takes_start(self, dice):
        """Whether the current start is to be interrupted."""
        with self.changed:
            starts = self.aims.count("start")
            if self.is_over.is_set() or dice.random() * len(self.aims) >= 2 * starts:
                return False
            self.aims.remove("start")
            return True

    def next_aim(self):
        """The aim of the next kill, once it is due; None after the last one."""
        with self.changed:
            def is_due():
                total = max(1, self.options.kills)
                place = len(self.plans) * (total - len(self.aims)) / total
                return self.is_over.is_set() or not self.aims or (
                    self.submitted >= min(place, len(self.plans)))
            while not is_due():
                self.changed.wait(1)
            if self.is_over.is_set() or not self.aims:
                return None
            aim = next((one for one in reversed(self.aims) if one != "start"), "start")
            self.aims.remove(aim)
            return "any time" if aim == "start" else aim

    def await_moment(self, daemon, sql, aim, dice):
        """Whether the aim has been reached. "any time" is always reached."""
        if aim == "any time":
            self.is_over.wait(dice.uniform(0, 1.5))
            return True
        if aim in EVENTS:
            return self.moments.wait_for_next(daemon.start_id, aim, AIM_SECONDS_MAX)
        if aim.startswith("child: "):
            return self.poll(lambda: aim[7:] in media_children(daemon.process.pid, True).values())
        if aim == "report":  # After the last child, the result is written.
            last = "analyze" if self.options.analyzer == "local" else "thumbnail"
            def last_children():
                return {pid for pid, task in media_children(daemon.process.pid, True).items() if task == last}
            begun = set()
            return self.poll(lambda: begun.update(last_children()) or begun) and self.poll(
                lambda: begun - last_children())
        mine = f"crash_daemon(worker) = '{daemon.worker}' AND status = 'processing'"
        question = {
            "claim": f"SELECT EXISTS (SELECT FROM job WHERE {mine} AND step IS NULL)",
            "call written": "SELECT EXISTS (SELECT FROM model_call JOIN job ON job.id = job_id AND"
                            f" job.claim = model_call.claim WHERE settled_at IS NULL AND {mine})",
            "retry": "SELECT EXISTS (SELECT FROM job WHERE status = 'pending' AND attempt > 0)",
            "rescue": "SELECT EXISTS (SELECT FROM job WHERE status = 'processing' AND"
                      " lease_until < now())",
        }.get(aim, f"SELECT EXISTS (SELECT FROM job WHERE {mine} AND step = '{aim}')")
        if aim in STEPS:  # A step that begins now, not one that is in progress.
            count = (f"SELECT count(*) FROM crash_job WHERE worker = '{daemon.worker}'"
                     f" AND step = '{aim}' AND status = 'processing'")
            before = sql.value(count)
            return self.poll(lambda: sql.value(count) != before)
        return self.poll(lambda: sql.value(question) == "t")

    def poll(self, condition):
        """Whether the condition becomes true in time; polls often, because many moments are short."""
        give_up = time.monotonic() + AIM_SECONDS_MAX
        while time.monotonic() < give_up and not self.is_over.is_set():
            if condition():
                return True
            self.is_over.wait(0.004)
        return False

    def kill(self, daemon, sql, aim, has_come):
        pid, start = daemon.process.pid, daemon.start_id
        children = media_children(pid)
        daemon.crash()
        # A private server may have died with it.
        cut = [] if self.options.private_cluster else sql.rows(
            "SELECT id, claim, attempt, step, url,"
            " (SELECT count(*) FROM model_call WHERE job_id = job.id AND model_call.claim = job.claim"
            "   AND settled_at IS NULL) AS open_calls,"
            " (SELECT count(*) FROM model_call WHERE job_id = job.id AND model_call.claim = job.claim"
            "   AND settled_at IS NOT NULL) AS settled_calls"
            f" FROM job WHERE crash_daemon(worker) = '{daemon.worker}' AND status = 'processing'")
        with self.changed:
            self.kills.append({"start": start, "aim": aim, "has_come": bool(has_come), "cut": cut,
                               "children": sorted(children.values())})
            self.changed.notify_all()
        orphans = await_no_children(pid)
        if orphans:
            self.report_violation(f"children of {start} (process {pid}) outlive it: {orphans}")

    # The end.

    def look_at_what_is_left(self):
        for daemon in self.daemons:
            for job_id, plan in list(self.by_id.items()):
                if plan.delete_begun and not plan.delete_ended:
                    continue
                status = self.read(daemon, job_id)
                if status != (404 if plan.delete_ended else 200):
                    self.report_violation(f"job {job_id} is answered with {status} at the end")
        self.errors += crash_checks.check(self)
        self.errors += self.leftovers()

    def leftovers(self):
        errors = []
        with contextlib.suppress(AssertionError):
            wait_until(lambda: not self.model.files, "uploaded files to be removed", 20)
        if self.model.files:
            errors.append(f"files are left at the provider: {list(self.model.files.values())[:5]}")
        for daemon in self.daemons:
            code = daemon.stop()
            if code != 0:
                errors.append(f"{daemon.start_id} ended with {code} when it was asked to")
        for daemon in self.daemons:
            left = glob.glob(os.path.join(daemon.settings["data_dir"], "scratch", "**"), recursive=True)
            if left[1:]:
                errors.append(f"scratch files of {daemon.name} are left: {left[1:6]}")
            errors += crash_checks.check_logs(daemon, self.statistics, self.options.private_cluster)
        if self.model.violations:
            errors.append(f"the stand-in of the model reports: {self.model.violations[:5]}")
        return errors

    # The report.

    def report(self):
        took = time.monotonic() - self.began
        lines = [f"seed {self.options.seed}: {self.submitted} jobs, {len(self.kills)} kills, "
                 f"{len(self.daemons)} daemon(s), analyzer {self.options.analyzer}, {took:.0f} s"]
        lines += ["", "kill aimed at            kills   moment came   jobs in progress then"]
        by_aim = collections.defaultdict(list)
        for kill in self.kills:
            by_aim[kill["aim"]].append(kill)
        for aim in dict.fromkeys(AIMS[self.options.analyzer]):
            kills = by_aim[aim]
            lines.append(f"{aim:<24} {len(kills):>5}   {sum(k['has_come'] for k in kills):>11}   "
                         f"{sum(len(k['cut']) for k in kills):>17}")
        cut = crash_checks.cut_steps(self)
        lines += ["", "jobs cut off in                             jobs   kills"]
        for where, (jobs, kills) in cut.items():
            lines.append(f"{where:<42} {jobs:>5}   {kills:>5}")
        children = collections.Counter(task for kill in self.kills for task in kill["children"])
        lines += ["", "media children running at a kill: " + (", ".join(
            f"{task} {count}" for task, count in children.most_common()) or "none")]
        lines += ["counts: " + ", ".join(f"{name} {count}" for name, count in
                                          sorted(self.statistics.items()) if count)]
        return "\n".join(lines)


def parse(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=300)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--daemons", type=int, default=2)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--seconds-max", type=float, default=280,
                        help="time after which nothing is submitted or killed; the remaining jobs end")
    parser.add_argument("--analyzer", choices=("gemini", "local"), default="gemini")
    parser.add_argument("--workers", type=int, default=4, help="workers of each daemon")
    parser.add_argument("--backlog", type=int, default=24, help="number of unfinished jobs at once")
    parser.add_argument("--shared-data-dir", action="store_true", help="all daemons use one data directory")
    parser.add_argument("--private-cluster", action="store_true",
                        help="use the private PostgreSQL in one shared data directory")
    parser.add_argument("--log-level", default="info")
    parser.add_argument("--keep", help="folder for the daemons' logs of a failed run")
    options = parser.parse_args(arguments)
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(1 << 31)
    return options


def main():
    options = parse()
    print(f"seed {options.seed}", flush=True)
    run = Run(options)
    errors = run.run()
    print(run.report())
    for text in errors:
        print(f"WRONG: {text}", file=sys.stderr)
    if errors:
        print(f"{len(errors)} errors; repeat with: {' '.join(sys.argv)} --seed {options.seed}",
              file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
