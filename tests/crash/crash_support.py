"""Support for the crash harness: a session with the database and a history of it that no kill can lose, a stand-in
of the model that identifies the calling daemon, and the processes of daemons.

Triggers that the harness adds to its own database write the history in the transaction of the change itself, so
that history and changes always agree.
"""

import collections
import contextlib
import glob
import json
import os
import pathlib
import re
import secrets
import socket
import subprocess
import threading

from gemini_stand_in import GeminiStandIn
from model_server import Fault
from service_support import POSTGRES_BIN, Daemon, wait_until

KEY = "AIzaCrashHarness"  # Prefix of the API key of each start of a daemon.
CODE = re.compile(r"DYcr\d{7}")
ORPHANS_END_SECONDS_MAX = 20

HISTORY = """
CREATE TABLE crash_job (
    seq bigint GENERATED ALWAYS AS IDENTITY, moment timestamptz NOT NULL DEFAULT clock_timestamp(),
    op text, job bigint, url text, was text, status text, claim_was integer, claim integer,
    attempt_was integer, attempt integer, worker text, step text, lease_ran_out boolean);
-- Host and process, without the part that identifies a start.
CREATE FUNCTION crash_daemon(worker text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT split_part(worker, ':', 1) || ':' || split_part(worker, ':', 2)
$$;
CREATE FUNCTION crash_note_job() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO crash_job (op, job, url, status, claim, attempt)
        VALUES ('made', NEW.id, NEW.url, NEW.status, NEW.claim, NEW.attempt);
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO crash_job (op, job, was, claim_was, attempt_was, worker)
        VALUES ('deleted', OLD.id, OLD.status, OLD.claim, OLD.attempt, crash_daemon(OLD.worker));
    ELSIF OLD.status IN ('done', 'error') OR OLD.status <> NEW.status OR OLD.claim <> NEW.claim
          OR OLD.attempt <> NEW.attempt OR OLD.step IS DISTINCT FROM NEW.step THEN
        INSERT INTO crash_job (op, job, was, status, claim_was, claim, attempt_was, attempt, worker,
                               step, lease_ran_out)
        VALUES ('changed', OLD.id, OLD.status, NEW.status, OLD.claim, NEW.claim, OLD.attempt,
                NEW.attempt, crash_daemon(coalesce(NEW.worker, OLD.worker)), NEW.step,
                OLD.lease_until < now());
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER crash_job AFTER INSERT OR UPDATE OR DELETE ON job
    FOR EACH ROW EXECUTE FUNCTION crash_note_job();

CREATE TABLE crash_call (
    seq bigint GENERATED ALWAYS AS IDENTITY, op text, call bigint, job bigint, number integer,
    claim integer, worker text);
CREATE FUNCTION crash_note_call() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        -- The job itself may have been deleted or rescued since the statement began.
        INSERT INTO crash_call (op, call, job, number, claim, worker)
        VALUES ('begun', NEW.id, NEW.job_id, NEW.number, NEW.claim,
                (SELECT worker FROM crash_job
                  WHERE job = NEW.job_id AND claim = NEW.claim ORDER BY seq LIMIT 1));
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO crash_call (op, call, job) VALUES ('released', OLD.id, OLD.job_id);
    ELSE
        INSERT INTO crash_call (op, call, job)
        VALUES (CASE WHEN OLD.settled_at IS NULL THEN 'settled' ELSE 'changed' END, OLD.id, OLD.job_id);
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER crash_call AFTER INSERT OR UPDATE OR DELETE ON model_call
    FOR EACH ROW EXECUTE FUNCTION crash_note_call();
"""


class Sql:
    """A session with a database that stays open, for many queries per second. A query whose answer is lost with
    the server is repeated."""

    def __init__(self, socket_folder, database):
        self.command = [os.path.join(POSTGRES_BIN, "psql"), "-h", str(socket_folder), "-U", "reelsd",
                        "-d", database, "-XAtq"]
        self.lock = threading.Lock()
        self.connect()

    def connect(self):
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True)

    def run(self, statement):
        """The output of psql."""
        with self.lock:
            return wait_until(lambda: self.try_once(statement), "the database")[0]

    def try_once(self, statement):
        """[the answer], or None if the server is unreachable."""
        mark, lines = secrets.token_hex(8), []
        try:
            self.process.stdin.write(f"{statement.strip().rstrip(';')};\n\\echo {mark}\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # It has ended, and its last output has the reason.
        for line in self.process.stdout:
            if line.strip() == mark:
                break
            lines.append(line)
        else:
            lines.append("connection to server lost")
        text = "".join(lines)
        if "connection to server" in text or "connection to the server" in text or "FATAL:" in text:
            self.close()
            self.connect()
            return None
        assert "ERROR:" not in text, text
        return [text.strip()]

    def rows(self, select):
        """The rows of a SELECT, as dicts."""
        return json.loads(self.run(f"SELECT coalesce(json_agg(row), '[]') FROM ({select}) AS row"))

    def value(self, select):
        return self.run(select)

    def close(self):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()


class Moments:
    """Events of a daemon, for threads that wait for the next of them."""

    def __init__(self):
        self.changed = threading.Condition()
        self.counts = collections.Counter()

    def note(self, start, name):
        with self.changed:
            self.counts[start, name] += 1
            self.changed.notify_all()

    def count(self, start, name):
        with self.changed:
            return self.counts[start, name]

    def wait_for_next(self, start, name, seconds):
        with self.changed:
            seen = self.counts[start, name]
            return self.changed.wait_for(lambda: self.counts[start, name] > seen, seconds)


class CrashGemini(GeminiStandIn):
    """Each start of a daemon has its own key, so that each request identifies its client. The failures of the
    calls about a post are planned by its code, which is in the caption."""

    def __init__(self, moments):
        super().__init__(key=KEY)
        self.moments = moments
        self.plans = {}  # {code: [(fault, options), ...]}, used in this order.
        self.slowness = {}  # {code: seconds by which a good answer is delayed}
        self.polls_until_active = 0

    def check_key(self, record):
        key = record.headers.get("X-Goog-Api-Key", "")
        if record.kind not in ("upload_bytes", "upload_query") and not key.startswith(KEY):
            self.report_violation("%s with the key %r" % (record.kind, key))

    def take_fault(self, kind, body=None):
        if kind != "generate" or body is None:
            return None
        found = CODE.search(body)
        if not found:
            self.report_violation("a call about no post of ours")
            return None
        with self.lock:
            plan = self.plans.get(found[0])
            if plan:
                name, options = plan.pop(0)
                return Fault(name, options)
            seconds = self.slowness.get(found[0])
            return Fault("hold", {"seconds": seconds}) if seconds else None

    def answer_to(self, record):
        record.start = record.headers.get("X-Goog-Api-Key")
        record.response_id = record.code = None
        if record.kind == "generate":
            record.code = (CODE.search(str(record.json)) or [None])[0]
            self.moments.note(record.start, "model asked")
        elif record.kind == "upload_start":
            self.moments.note(record.start, "upload")
        return super().answer_to(record)

    def sent(self, record, value, fault):
        record.response_id = value["responseId"]
        return super().sent(record, value, fault)

    def ended(self, record):
        if record.kind == "generate" and record.whole:
            self.moments.note(record.start, "model answered")
        super().ended(record)

    def calls(self):
        """The records of calls that arrived completely."""
        return [record for record in self.of("generate") if record.whole and record.status is not None]


class KillableDaemon(Daemon):
    """A daemon that is started and killed repeatedly. `start_id` names its current start."""

    def __init__(self, name, **settings):
        super().__init__(**settings)
        self.name = name
        self.starts = {}  # {the worker's name in the database: start_id}
        self.start_id = self.worker = None
        self.is_up = False
        self.is_spared = False  # It is not killed any more.

    def launch(self):
        """Starts it with a new key and does not wait."""
        self.address = None
        self.start_id = f"{KEY}-{self.name}-{len(self.starts) + 1:04}"
        self.settings["gemini_api_key"] = self.start_id
        self.spawn()
        while self.worker_name() in self.starts:  # The history could not distinguish them.
            self.kill()
            self.spawn()
        self.worker = self.worker_name()
        self.starts[self.worker] = self.start_id

    def worker_name(self):
        """The name of the daemon in the history."""
        return f"{socket.gethostname()}:{self.process.pid}"

    def await_ready(self):
        address = wait_until(self._listening, f"the address of {self.start_id}")
        self.address = address
        wait_until(lambda: self.request("GET", "/readyz").status == 200, f"{self.start_id} to be ready")
        self.is_up = True

    def all_log_lines(self):
        """The log lines of all its starts."""
        for path in sorted(glob.glob(os.path.join(self.folder, "daemon-*.log"))):
            for line in pathlib.Path(path).read_text(errors="replace").splitlines():
                with contextlib.suppress(ValueError):
                    yield json.loads(line)

    def crash(self):
        self.is_up = False
        self.kill()


def media_children(daemon_pid, quickly=False):
    """{pid: its task} of the running media children of a daemon, which may be dead. A child gets its parent's id
    as an argument; an ended one shows no arguments any more. `quickly`: only those with greater ids, which are
    nearly all."""
    found = {}
    for name in os.listdir("/proc"):
        if not name.isdigit() or (quickly and int(name) <= daemon_pid):
            continue
        try:
            words = pathlib.Path(f"/proc/{name}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"--parent" in words and words[words.index(b"--parent") + 1] == b"%d" % daemon_pid:
            found[int(name)] = words[1].decode(errors="replace")
    return found


def await_no_children(daemon_pid):
    """The remaining children of a dead daemon: none, if all is correct."""
    try:
        wait_until(lambda: not media_children(daemon_pid), "children", ORPHANS_END_SECONDS_MAX)
    except AssertionError:
        return media_children(daemon_pid)
    return {}
