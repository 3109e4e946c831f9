"""Tests clients and jobs while the database is refused, cut off, stalled, slow, restarted, read-only, out of
connections or out of disk.

Goal: the API answers 503 with Retry-After within 2 s and never hangs. It recovers within 2 s after the database,
without a restart. No accepted job is lost, and none is done twice. Method: a real daemon reaches its PostgreSQL
through a proxy that cuts connections. Clients send requests all the time, each of one kind, before, during and
after a fault, while jobs are in progress. Each answer is checked when it arrives. Then the records are compared: a
trigger records each end of a job, the platform each request, and each Idempotency-Key must have created one job.
Measurements are printed; busy machines get more time.
"""

import http.client
import os
import re
import signal
import threading
import time
import unittest

from cutting_proxy import CuttingProxy
from dashboard_session import Person, set_up_link_secret
from service_support import (
    UNAVAILABLE, Cluster, Daemon, Platform, ServiceTest, wait_until)
from small_disk import SmallDisk

ANSWER_SECONDS_MAX = 5  # The documents promise 2.
HEALED_SECONDS_MAX = 5  # The documents promise 2.
PATIENCE = 60  # For a client, and for waiting until a fault takes effect.
LEASE_SECONDS = 20  # No fault here is long enough to stop work because of it.
WORK_SECONDS = 4  # Time that the platform takes for a job.
LONG_POLL_SECONDS = 0.5
REST_SECONDS = 0.05  # Pause of a client between two requests.

ENDS = """
CREATE TABLE ended (job bigint, status text, attempt integer);
CREATE FUNCTION note_end() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    INSERT INTO public.ended VALUES (NEW.id, NEW.status, NEW.attempt);
    RETURN NULL;
END
$$;
CREATE TRIGGER note_end AFTER UPDATE ON job FOR EACH ROW
    WHEN (NEW.status IN ('done', 'error')) EXECUTE FUNCTION note_end();
"""


def link_of(code):
    return f"https://www.instagram.com/reel/{code}/"


class FastDaemon(Daemon):
    """A daemon whose clients count a late answer as missing."""

    def connection(self):
        connection = super().connection()
        connection.timeout = PATIENCE
        return connection


class PollingClient(threading.Thread):
    """A client that repeats requests of one kind."""

    def __init__(self, crowd, kind, ask, good, waits=0):
        super().__init__(daemon=True)
        self.crowd, self.kind, self.ask, self.good, self.waits = crowd, kind, ask, good, waits
        self.seen = []  # (begin, end, status or None, error text or None)

    def run(self):
        while not self.crowd.over.is_set():
            begun = time.monotonic()
            try:
                answer = self.ask()
                status, wrong = answer.status, self.fault_of(answer)
            except (OSError, http.client.HTTPException) as why:
                status, wrong = None, repr(why)
            self.seen.append((begun, time.monotonic(), status, wrong))
            self.crowd.over.wait(REST_SECONDS)

    def fault_of(self, answer):
        if answer.status in self.good:
            return None
        if answer.status != 503 or self.kind in ("healthz", "metrics"):
            return f"{answer}"
        if not re.fullmatch(r"\d+", answer.headers.get("Retry-After", "")):
            return f"no Retry-After: {answer}"
        body = answer.json()
        is_problem = set(body) == {"message", "status"} and body["status"] == "error"
        tells = re.search(r"SELECT|/|sql|host|port", body["message"], re.IGNORECASE)
        return None if is_problem and not tells else f"no problem for clients: {answer}"

    def begun_since(self, moment, statuses=None):
        return [one for one in list(self.seen)
                if one[0] >= moment and (statuses is None or one[2] in statuses)]


class Crowd:
    """Clients of all kinds, and the answers that they have got."""

    def __init__(self, world, name, spare, in_work):
        self.world, self.name, self.spare = world, name, spare
        self.over = threading.Event()
        self.keys = {}  # Idempotency-Key: id of the accepted job.
        self.key, self.repeated, self.doubtful = None, 0, None
        get = lambda path: lambda: world.account.request("GET", "/api/v1/reels" + path)
        site = lambda path: lambda: world.daemon.request("GET", path)
        self.askers = {asker.kind: asker for asker in (
            PollingClient(self, "list", get(""), (200,)),
            PollingClient(self, "read", get(f"/{world.known}"), (200,)),
            PollingClient(self, "search", get("/search?q=colours"), (200,)),
            PollingClient(self, "wait", get(f"/{in_work}?wait={LONG_POLL_SECONDS}"), (200,), LONG_POLL_SECONDS),
            PollingClient(self, "analyze", self.analyze, (202,)),
            PollingClient(self, "delete", self.delete, (204, 404)),
            PollingClient(self, "session", lambda: world.person.api("GET", "session"), (200,)),
            PollingClient(self, "readyz", site("/readyz"), (200,)),
            PollingClient(self, "healthz", site("/healthz"), (200,)),
            PollingClient(self, "metrics", site("/metrics"), (200,)))}

    def analyze(self):
        """A new submission, or the last one again if it got no 202."""
        if self.key is None:
            self.key = f"{self.name}-{len(self.keys)}"
        else:
            self.repeated += 1
        link = link_of(self.world.next_code(self.key)) + self.world.link_tail
        answer = self.world.account.request(
            "POST", "/api/v1/reels/analyze", {"url": link}, {"Idempotency-Key": self.key})
        if answer.status == 202:
            self.keys[self.key] = answer.json()["id"]
            self.key = None
        return answer

    def delete(self):
        """Deletes a spare job until it is gone. A 404 is correct after a request without an answer."""
        job = self.doubtful or (self.spare.pop() if self.spare else 0)
        tried_before, self.doubtful = self.doubtful is not None, job or None
        answer = self.world.account.request("DELETE", f"/api/v1/reels/{job or 10 ** 15}")
        if answer.status in (204, 404):
            self.doubtful = None
        if answer.status == 404 and job and not tried_before:
            answer.status = 599  # The job existed, and no other client deletes jobs.
        return answer

    def __enter__(self):
        for asker in self.askers.values():
            asker.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        for asker in self.askers.values():
            asker.join(PATIENCE + 1)

    def all_well_since(self, moment):
        """The time when the last kind of client got its first good answer to a request that began after `moment`."""
        firsts = [next((one[1] - asker.waits for one in asker.begun_since(moment, asker.good)), None)
                  for asker in self.askers.values()]
        return None if None in firsts else max(firsts)

    def all_answered_since(self, moment):
        return all(asker.begun_since(moment) for asker in self.askers.values())

    def refused_since(self, moment):
        return {kind for kind, asker in self.askers.items() if asker.begun_since(moment, (503,))}

    def wrong(self):
        return [f"{kind}: {one[3]}" for kind, asker in self.askers.items()
                for one in asker.seen if one[3]]

    def stall(self):
        """Seconds by which a busy machine delays answers at most, by a request that needs no database."""
        return max(one[1] - one[0] for one in self.askers["healthz"].seen)

    def slowest(self):
        """(seconds beyond the requested wait, kind)"""
        return max((one[1] - one[0] - asker.waits, kind)
                   for kind, asker in self.askers.items() for one in asker.seen)


class World:
    """A cluster, a proxy in front of it, a platform and a daemon with clients."""

    link_tail = ""

    def __init__(self, tablespace=None, **settings):
        self.closers = []
        self.cluster = Cluster()
        self.closers.append(self.cluster.close)
        self.platform = Platform()
        self.closers.append(self.platform.close)
        where = ""
        if tablespace:
            self.cluster.query(f"CREATE TABLESPACE small LOCATION '{tablespace}'", "postgres")
            where = " TABLESPACE small"
        # The daemon is not a superuser: superusers can always get a connection.
        self.cluster.query("CREATE ROLE service LOGIN", "postgres")
        self.cluster.query(f"CREATE DATABASE reels OWNER service{where}", "postgres")
        self.proxy = CuttingProxy(os.path.join(self.cluster.folder, ".s.PGSQL.5432"))
        self.closers.append(self.proxy.close)
        url = f"{self.proxy.address} user=service dbname=reels sslmode=disable gssencmode=disable"
        self.daemon = FastDaemon(**{
            "database_url": url, "workers": 4, "lease_seconds": LEASE_SECONDS, "retry_base_seconds": 3,
            "requests_per_minute": 1000000, **self.platform.settings(), **settings})
        self.closers.append(self.daemon.close)
        self.daemon.start()
        self.account = self.daemon.account(unlimited=True)
        self.person = Person(self.daemon).join(
            set_up_link_secret(self.daemon), email="admin@example.test")
        self.codes = {}
        self.sql(ENDS)
        self.known = self.account.finished(self.account.submit(UNAVAILABLE))["id"]

    def close(self):
        for closer in reversed(self.closers):
            closer()

    def sql(self, statement):
        return self.cluster.query(statement, "reels").strip()

    def next_code(self, key):
        """A separate code for each key; the platform shows none of these posts to visitors."""
        return self.codes.setdefault(key, f"DYkey{len(self.codes):06}")

    def configure(self, slow_codes):
        first = len(self.codes)
        posts = {f"DYkey{n:06}": {"page": "private"} for n in range(first, first + 300)}
        for code in slow_codes:
            posts[code] = {"page": "slow", "delay": WORK_SECONDS, "slides": ["photo"]}
        self.platform.configure(posts=posts)


class FaultTest(ServiceTest):
    world = None

    @classmethod
    def setUpClass(cls):
        if not FaultTest.world:
            FaultTest.world = World()
            unittest.addModuleCleanup(FaultTest.world.close)
        cls.served = cls.world.daemon

    def setUp(self):
        self.addCleanup(self.world.proxy.flow)

    def suffer(self, name, begin, end, refuses=(), serves=(), attempts_max=2, may_end=()):
        """Tests a whole fault, from `begin` to `end`. `refuses`: kinds of requests that must be refused during it;
        `serves`: kinds that must succeed. `attempts_max`: one, plus one if the fault may hit an attempt or its
        claim. `may_end`: error codes that the fault itself may cause."""
        world = self.world
        slow_codes = [f"DYslow{name:.4}{n}" for n in range(2)]
        world.configure(slow_codes)
        before = int(world.sql("SELECT coalesce(max(id), 0) FROM job"))
        ids = [world.account.submit(link_of(code)) for code in slow_codes]
        in_work = f"SELECT count(*) FROM job WHERE id > {before} AND status = 'processing'"
        wait_until(lambda: world.sql(in_work) == "2", "the work")
        spare = [world.account.submit(UNAVAILABLE) for _ in range(20)]
        kept = ids + [world.account.submit(UNAVAILABLE) for _ in range(4)]
        with Crowd(world, name, spare, ids[0]) as crowd:
            self.crowd, start = crowd, time.monotonic()
            wait_until(lambda: crowd.all_well_since(start), "a healthy start", PATIENCE)
            begun = time.monotonic()
            begin()
            try:
                # Each client has been affected.
                wait_until(lambda: crowd.all_answered_since(begun), "answers in the fault", PATIENCE)
                wait_until(lambda: crowd.refused_since(begun) >= set(refuses), "refusals", PATIENCE)
            finally:
                end()
                ended = time.monotonic()
            well = wait_until(lambda: crowd.all_well_since(ended), "health", 2 * PATIENCE)
            wait_until(lambda: crowd.all_well_since(well), "lasting health", 2 * PATIENCE)
        self.assertIsNone(world.daemon.process.poll(), "the daemon keeps running")
        for job in [*kept, *crowd.keys.values()]:
            world.account.finished(job, 60)
        slowest, kind = crowd.slowest()
        stall = crowd.stall()
        refused = {kind: len(asker.begun_since(begun, (503,)))
                   for kind, asker in crowd.askers.items() if asker.begun_since(begun, (503,))}
        late = [asker.begun_since(well, (503,)) for asker in crowd.askers.values()]
        again = world.sql("SELECT count(*) FILTER (WHERE attempt > 1), count(*) FILTER (WHERE claim > 1) "
                          f"FROM job WHERE id > {before}").split("|")
        print(f"\n{name}: lasted {ended - begun:.1f} s, slowest answer {slowest:.2f} s ({kind}), stall {stall:.2f} s, well after "
              f"{well - ended:.2f} s, 503 {refused}, keys {len(crowd.keys)} with {crowd.repeated} repeats, "
              f"jobs tried again {again[0]}, claimed again {again[1]}", flush=True)
        self.assertEqual(crowd.wrong(), [])
        self.assertEqual(set(serves) & set(refused), set())
        self.assertLess(slowest, ANSWER_SECONDS_MAX + stall, kind)
        self.assertLess(well - ended, HEALED_SECONDS_MAX + stall)
        self.assertFalse(any(late), "refusals after all was well")
        self.check_books(before, kept, crowd, attempts_max, may_end)
        return crowd

    def check_books(self, before, kept, crowd, attempts_max, may_end):
        """Each accepted job has ended once, nothing was done twice, and each key belongs to one job."""
        world = self.world
        rows = [line.split("|") for line in world.sql(
            f"SELECT id, claim, attempt, url, coalesce(error_code::text, '') FROM job WHERE id > {before}"
        ).splitlines()]
        jobs = {int(row[0]): row for row in rows}
        accepted = {*kept, *crowd.keys.values()}
        self.assertEqual(accepted - set(jobs), set(), "accepted and lost")
        made = [code.group() for row in rows if (code := re.search(r"DYkey\d+", row[3]))]
        self.assertEqual(sorted(made), sorted(set(made)), "a key that made two jobs")
        outcomes = {row[4] for job, row in jobs.items() if job in accepted}
        self.assertLessEqual(outcomes, {"unavailable", "unsupported_format", *may_end})
        self.assertEqual(len(set(crowd.keys.values())), len(crowd.keys))
        ended_twice = f"SELECT job FROM ended WHERE job > {before} GROUP BY job HAVING count(*) > 1"
        self.assertEqual(world.sql(ended_twice), "")
        self.assertLessEqual(max(int(row[2]) for row in rows), attempts_max, "attempts")
        asked = {}
        for request in world.platform.requests():
            if request.get("kind") == "page":
                code = re.search(r"DY\w+", request["path"]).group()
                asked[code] = asked.get(code, 0) + 1
        for row in rows:
            code = re.search(r"DY\w+", row[3])
            if code:
                self.assertLessEqual(asked.get(code.group(), 0), int(row[1]), f"done twice: {row}")


ASKS = ("list", "read", "search", "analyze", "delete", "session", "readyz")


class Network(FaultTest):
    def proxied(self, change):
        return {"begin": change, "end": self.world.proxy.flow}

    def test_refused_connections(self):
        def begin():
            self.world.proxy.refuse()
            self.world.proxy.drop()
        self.suffer("refused", **self.proxied(begin), refuses=ASKS)

    def test_dropped_connections(self):
        """Cuts all connections at once, while statements and answers are in transit."""
        def begin():
            self.world.proxy.slow(0.1)
            seen = time.monotonic()
            wait_until(lambda: self.crowd.all_answered_since(seen), "traffic", PATIENCE)
            # Once is enough, unless nothing was in transit at that moment.
            wait_until(lambda: self.crowd.refused_since(seen) or self.world.proxy.drop() < 0,
                       "a statement cut off", PATIENCE)
        self.suffer("dropped", **self.proxied(begin))

    def test_a_connection_cut_during_a_statement(self):
        """Before the server gets it, during the statement, and after it, before the client gets the answer."""
        proxy = self.world.proxy

        def begin():
            for at in (proxy.QUESTION, proxy.HALF, proxy.ANSWER):
                for statement in (b"jobs.submit#", b"jobs.remove#", b"jobs.report#"):
                    cuts = proxy.cuts
                    proxy.cut(statement, at)
                    wait_until(lambda: proxy.cuts > cuts, f"a cut {at} of {statement}", PATIENCE)
        crowd = self.suffer("cut", **self.proxied(begin), refuses=("analyze", "delete"))
        self.assertGreaterEqual(crowd.repeated, 3, "submissions without an answer were repeated")

    def test_stalled_connections(self):
        self.suffer("stalled", **self.proxied(self.world.proxy.stall), refuses=ASKS)

    def test_silently_dead_connections(self):
        """Sent data is lost silently, and a connection that lost data stays silent."""
        self.suffer("silent", **self.proxied(self.world.proxy.swallow), refuses=ASKS)

    def test_a_slow_network(self):
        self.suffer("slow", **self.proxied(lambda: self.world.proxy.slow(0.2)))


class LostReports(ServiceTest):
    def test_a_job_whose_report_was_lost_is_retried(self):
        """The database has accepted the report, but the answer is lost: the database has the job as due, and the
        daemon as held."""
        world = World(retry_base_seconds=0.05)
        self.addCleanup(world.close)
        codes = [f"DYdue{number:06}" for number in range(5)]
        world.platform.configure(posts={code: {"page": "server_error"} for code in codes})
        for code in codes:
            cuts = world.proxy.cuts
            world.proxy.cut(b"jobs.report#", world.proxy.ANSWER)
            job = world.account.submit(link_of(code))
            wait_until(lambda: world.proxy.cuts > cuts, "the cut", PATIENCE)
            # Each of these makes the daemon look for work, until the job itself has ended.
            while world.account.job(job)["status"] not in ("done", "error"):
                world.account.finished(world.account.submit(UNAVAILABLE))
            self.assertEqual(world.account.job(job)["error_code"], "download_failed")
        self.assertIsNone(world.daemon.process.poll())


class LostLookUps(ServiceTest):
    def test_an_attempt_without_a_database_does_not_count(self):
        """More faults than a job has attempts: the job continues when the database is back."""
        world = World(retry_base_seconds=0.05)
        self.addCleanup(world.close)
        world.platform.configure(posts={"DYlookup": {"page": "private"}})
        world.proxy.cut(b"jobs.find_earlier_analysis#", world.proxy.QUESTION, times=5)
        job = world.account.finished(world.account.submit(link_of("DYlookup")))
        self.assertEqual(world.proxy.cuts, 5)
        self.assertEqual(job["error_code"], "unavailable")
        self.assertEqual(world.sql(f"SELECT attempt FROM job WHERE id = {job['id']}"), "1")


class Server(FaultTest):
    def alter(self, setting):
        for statement in (f"ALTER SYSTEM {setting}", "SELECT pg_reload_conf()"):
            self.world.cluster.query(statement, "postgres")

    def test_a_restarted_server(self):
        cluster = self.world.cluster

        def begin():
            cluster.process.send_signal(signal.SIGQUIT)  # As pg_ctl stop -m immediate does.
            cluster.process.wait(20)
        self.suffer("restarted", begin, cluster.start, refuses=ASKS)

    def test_a_crashed_backend(self):
        """The server then closes all connections, and recovers."""
        cluster, proxy = self.world.cluster, self.world.proxy

        def begin():
            # Connections that died in an earlier test never end.
            links = {link for link in proxy.links if not link.is_lost}
            one = "SELECT pid FROM pg_stat_activity WHERE application_name = 'reelsd' LIMIT 1"
            os.kill(int(cluster.query(one, "postgres")), signal.SIGKILL)
            wait_until(lambda: not links & proxy.links, "the end of all connections", PATIENCE)
        self.suffer("killed", begin, lambda: wait_until(cluster._serves, "PostgreSQL"))

    def test_a_read_only_server(self):
        self.suffer("readonly", lambda: self.alter("SET default_transaction_read_only = on"),
                    lambda: self.alter("RESET default_transaction_read_only"),
                    refuses=("analyze", "delete"), serves=("list", "read", "search", "wait", "session"),
                    attempts_max=1)

    def test_a_server_without_free_connections(self):
        def begin():
            self.world.cluster.query("ALTER ROLE service CONNECTION LIMIT 0", "postgres")
            self.world.proxy.drop()
        self.suffer("exhausted", begin, lambda: self.world.cluster.query(
            "ALTER ROLE service CONNECTION LIMIT -1", "postgres"), refuses=ASKS)


class LongOutages(FaultTest):
    """The database is away for longer than a lease: the daemon must stop the work before others may claim it."""

    @classmethod
    def setUpClass(cls):
        cls.world = World(lease_seconds=2)
        cls.addClassCleanup(cls.world.close)
        cls.served = cls.world.daemon

    def test_an_outage_longer_than_a_lease(self):
        stopped = "lease could not be renewed in time: attempt stopped"

        def begin():
            before = self.world.daemon.log().count(stopped)
            self.world.proxy.refuse()
            self.world.proxy.drop()
            wait_until(lambda: self.world.daemon.log().count(stopped) >= before + 2, "the end of the work")
        self.suffer("long", begin, self.world.proxy.flow, refuses=ASKS)


class DiskFull(FaultTest):
    """The database is on a small separate disk, which needs root to mount."""

    DISK_MIB = 64

    @classmethod
    def setUpClass(cls):
        cls.disk = SmallDisk(cls.DISK_MIB, cls.addClassCleanup, "mode=700,uid=postgres")
        cls.world = World(tablespace=cls.disk.folder)
        cls.addClassCleanup(cls.world.close)
        cls.world.link_tail = "?utm=" + "x" * 1900  # A few of them fill a page.
        cls.served = cls.world.daemon

    def test_a_full_disk(self):
        self.suffer("disk-full", self.disk.fill, self.disk.empty, refuses=("analyze",),
                    attempts_max=3, may_end=("storage_error",))


if __name__ == "__main__":
    unittest.main(verbosity=2)
