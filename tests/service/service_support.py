"""Runs the real programs for the black-box tests: daemons, databases, clients on a socket.

This module uses no internals of a program: a test sees what a client or an operator sees. Each daemon uses a free
port and logs it. Waits are for a condition, with a time limit, never for a fixed time.
"""

import atexit
import contextlib
import ctypes
import functools
import glob
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import recorded_analyses

START_SECONDS_MAX = 120  # A first start creates a database, and sanitized programs are slow on a busy machine.
STOP_SECONDS_MAX = 60
ANSWER_SECONDS_MAX = 90  # Longer than the longest `wait`.

SAMPLE = "https://www.instagram.com/reel/reelsd-sample/"
UNAVAILABLE = "https://www.instagram.com/reel/reelsd-unavailable/"


def program(name):
    """The path of one of our programs, from the build folder that CTest names."""
    folder = os.environ.get("REELSD_BIN_DIR")
    if not folder:
        sys.exit("REELSD_BIN_DIR is not set: run the tests through ctest, or name build/<preset>/bin")
    return os.path.join(folder, name)


def clean_environment(**settings):
    """Our environment without settings of the user who runs the tests, plus `settings` as REELSD_*."""
    ours = ("REELSD_", "REELS_", "GEMINI_API_KEY", "OPENAI_API_KEY", "XDG_CONFIG_HOME")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
    environment["HOME"] = "/nonexistent"
    for name, value in settings.items():
        if value is not None:
            environment["REELSD_" + name.upper()] = str(value)
    return environment


def die_with_us():
    """Called in a child before it starts: the child gets SIGINT when we are killed, as by a test's time limit."""
    set_parent_death_signal = 1
    ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGINT)


def wait_until(condition, what, seconds=START_SECONDS_MAX):
    """The first true value of `condition`; fails with `what` when it takes too long."""
    give_up = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > give_up:
            raise AssertionError(f"waited {seconds} s for {what}")
        time.sleep(0.05)


def avoid_midnight():
    """Waits until midnight UTC if it is near, for tests that compare dates."""
    left = 86400 - time.time() % 86400
    if left < 240:
        time.sleep(left + 1)


def new_folder(parent=None):
    """A new folder to which the user postgres has access: a private cluster runs as that user."""
    folder = tempfile.mkdtemp(prefix="reelsd-test-", dir=parent)
    os.chmod(folder, 0o755)
    return folder


def memory_if_any():
    """A file system in memory with room for the servers of several programs, or None. On ext4, creating and
    deleting the 300 files of a database takes most of the time of a server."""
    with contextlib.suppress(OSError):
        if shutil.disk_usage("/dev/shm").free >= 4 << 30:
            return "/dev/shm"
    return None


@functools.cache
def media_helper():
    """The helper that analyses each file once, for all daemons of a program; None for installed programs."""
    if not os.path.exists(program("reelsd-media")):
        return None
    folder = new_folder()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return recorded_analyses.write_helper(folder, program(""))


class Answer:
    """An HTTP answer: status, headers (with case-insensitive names), body."""

    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"{self.status} {self.body[:300]!r}"


class Account:
    """An account of a daemon and its token."""

    def __init__(self, daemon, email, token):
        self.daemon = daemon
        self.email = email
        self.token = token

    def request(self, method, path, body=None, headers=None):
        return self.daemon.request(method, path, body, headers, token=self.token)

    def analyze(self, url):
        return self.request("POST", "/api/v1/reels/analyze", {"url": url})

    def submit(self, url):
        """Submits a link that must be accepted; returns the job's id."""
        answer = self.analyze(url)
        assert answer.status == 202, answer
        return answer.json()["id"]

    def job(self, job_id, wait=None):
        path = f"/api/v1/reels/{job_id}" + (f"?wait={wait}" if wait is not None else "")
        answer = self.request("GET", path)
        assert answer.status == 200, answer
        return answer.json()

    def finished(self, job_id, seconds=120):
        """The job once it is done or has failed."""
        return wait_until(
            lambda: (lambda job: job if job["status"] in ("done", "error") else None)(
                self.job(job_id, wait=10)
            ),
            f"the end of job {job_id}",
            seconds,
        )


class Daemon:
    """One `reelsd serve`. `settings` have the names of the variables, without REELSD_, in lower case; None leaves a
    variable unset. Analyses are recorded, unless `media_helper` is given."""

    def __init__(self, folder=None, **settings):
        self.folder = folder or new_folder()
        self.owns_folder = folder is None
        self.settings = {
            "listen": "127.0.0.1:0",
            "data_dir": os.path.join(self.folder, "data"),
            "log_format": "json",
            "media_helper": media_helper(),
            **settings,
        }
        self.process = None
        self.address = None
        self.log_path = None
        self.accounts = 0

    # Start and stop

    def spawn(self):
        """Starts the process and does not wait."""
        number = len(glob.glob(os.path.join(self.folder, "daemon-*.log")))
        self.log_path = os.path.join(self.folder, f"daemon-{number}.log")
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(
                [program("reelsd"), "serve"],
                env=clean_environment(**self.settings),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                cwd=self.folder,
                preexec_fn=die_with_us,
            )
        return self

    def start(self):
        """Starts and waits until it is ready."""
        self.spawn()
        try:
            self.address = wait_until(self._listening, "the daemon's address")
            wait_until(lambda: self.request("GET", "/readyz").status == 200, "readiness")
        except AssertionError as why:
            raise AssertionError(f"{why}; its log:\n{self.log()[-3000:]}") from None
        return self

    def _listening(self):
        if self.process.poll() is not None:
            raise AssertionError(f"the daemon ended with {self.process.returncode}")
        for line in self.log_lines():
            if line.get("message") == "listening":
                return line["address"]
        return None

    def stop(self, with_signal=signal.SIGTERM):
        """Sends the signal; returns the exit code."""
        self.process.send_signal(with_signal)
        return self.process.wait(STOP_SECONDS_MAX)

    def kill(self):
        """Kills it as a crash would: at once, and the private cluster keeps running."""
        self.process.kill()
        self.process.wait()

    def close(self):
        """Ends all remaining processes and removes the files. Not part of any test."""
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(STOP_SECONDS_MAX)
            except subprocess.TimeoutExpired:
                self.kill()
        stop_postgres_below(self.settings["data_dir"])
        if self.owns_folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def log(self):
        return pathlib.Path(self.log_path).read_text(errors="replace") if self.log_path else ""

    def log_lines(self):
        """The log's complete lines, decoded; lines that are not JSON are skipped."""
        for line in self.log().splitlines():
            with contextlib.suppress(ValueError):
                yield json.loads(line)

    # Operation

    def cli(self, *arguments, **settings):
        """Runs `reelsd` with this daemon's settings; returns the completed process."""
        return run_reelsd(*arguments, cwd=self.folder, **{**self.settings, **settings})

    def account(self, email=None, unlimited=False):
        """A new account with a token; `unlimited` lifts the limits on submissions."""
        self.accounts += 1
        email = email or f"person{self.accounts}-{os.path.basename(self.folder)}@example.test"
        must(self.cli("account", "create", "--email", email))
        if unlimited:
            self.limit(email, submissions_per_minute=100000, concurrent_jobs=100000)
        return Account(self, email, self.token(email, "test"))

    def limit(self, email, **limits):
        flags = []
        for name, value in limits.items():
            flags += ["--" + name.replace("_", "-"), str(value)]
        must(self.cli("account", "limits", "--email", email, *flags))

    def token(self, email, name, *options):
        return must(self.cli("token", "create", "--account", email, "--name", name, *options)).stdout.strip()

    # HTTP

    def connection(self):
        host, port = self.address.rsplit(":", 1)
        host = host.strip("[]")  # An IPv6 address.
        return http.client.HTTPConnection(host, int(port), timeout=ANSWER_SECONDS_MAX)

    def request(self, method, path, body=None, headers=None, token=None):
        """Sends one request on a new connection. A dict or list as body is sent as JSON."""
        headers = dict(headers or {})
        if token is not None:
            headers.setdefault("Authorization", "Bearer " + token)
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
            headers.setdefault("Content-Type", "application/json")
        connection = self.connection()
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read())
        finally:
            connection.close()

    def raw(self, data, seconds=30):
        """Sends raw bytes; returns everything received until the daemon closes the connection."""
        host, port = self.address.rsplit(":", 1)
        with socket.create_connection((host, int(port)), timeout=seconds) as link:
            with contextlib.suppress(OSError):  # The daemon may refuse before it has read everything.
                link.sendall(data)
            received = b""
            with contextlib.suppress(ConnectionResetError):
                while piece := link.recv(65536):
                    received += piece
            return received


def run_reelsd(*arguments, cwd=None, timeout=60, **settings):
    """Runs `reelsd` to its end."""
    return subprocess.run(
        [program("reelsd"), *arguments],
        env=clean_environment(**settings),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=timeout,
    )


def must(done):
    """Returns the completed process, which must have succeeded."""
    assert done.returncode == 0, f"{done.args} ended with {done.returncode}:\n{done.stderr}"
    return done


class Platform:
    """The platform's stand-in, with posts as a test configures them. `video`: the file of each post."""

    def __init__(self, with_sound=False, video=None):
        script = os.path.join(os.path.dirname(__file__), "..", "support", "platform_stand_in.py")
        self.folder = new_folder()
        if video is None:
            video = os.path.join(self.folder, "video.mp4")
            make_short_video(video, with_sound)
        # It ends with this process, which holds its standard input.
        self.process = subprocess.Popen(
            [sys.executable, "-B", script, "--port", "0", "--media", video, "--exit-with-stdin"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())
        self.url = f"http://127.0.0.1:{self.port}"

    def settings(self):
        """The settings of a daemon that uses this platform."""
        return {
            "platform_url": self.url, "resolvers": "page", "media_hosts": "127.0.0.1",
            "allow_private_addresses": "true",
            "platform_interval_seconds": 0, "platform_cooldown_seconds": 0,
        }

    def configure(self, **settings):
        """Adds posts ({code: {"page": ..., "media": ...}}) and shares ({token: code})."""
        self._control("POST", json.dumps(settings))

    def requests(self):
        return self._control("GET")["requests"]

    def _control(self, method, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request(method, "/_control", body)
            answer = connection.getresponse()
            text = answer.read()
            assert answer.status == 200, text
            return json.loads(text)
        finally:
            connection.close()

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(10)
        shutil.rmtree(self.folder)


def make_short_video(path, with_sound=False):
    """A real video of one second, whose analysis takes little time: nothing in it looks like text."""
    picture = "gradients=size=180x320:rate=10:duration=1:nb_colors=2:c0=0x203060:c1=0xd0a060:speed=0.05:seed=1"
    sound = ["-f", "lavfi", "-i", "sine=duration=1", "-c:a", "aac"] if with_sound else []
    subprocess.run(
        ["ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-f", "lavfi", "-i", picture, *sound,
         "-c:v", "libx264", "-pix_fmt", "yuv420p", path],
        check=True, timeout=60)


# Our own PostgreSQL, for tests that a private cluster does not allow: two daemons on one database, and a database
# that stops and starts.

POSTGRES_BIN = os.path.dirname(max(
    glob.glob("/usr/lib/postgresql/*/bin/initdb"), key=lambda program: int(program.split("/")[4])))


def as_postgres(*command):
    if os.getuid() != 0:
        return list(command)
    # Not runuser, which would stay between this process and the server and not pass signals on.
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--pdeathsig=INT",
            *command]


def stop_postgres_below(folder):
    """Stops servers whose files are below `folder`, as a killed daemon leaves them running."""
    for pid_file in glob.glob(os.path.join(folder, "**", "postmaster.pid"), recursive=True):
        with contextlib.suppress(OSError, ValueError, IndexError):
            pid = int(pathlib.Path(pid_file).read_text().split()[0])
            os.kill(pid, signal.SIGINT)
            wait_until(lambda: not os.path.exists(pid_file), "PostgreSQL to stop", 20)


class Cluster:
    """A PostgreSQL server on a Unix socket in its own folder."""

    def __init__(self):
        self.folder = new_folder(memory_if_any())
        self.data = os.path.join(self.folder, "cluster")
        self.databases = 0
        self.migrated = None  # The name of the database that migrated_database() copies.
        if os.getuid() == 0:
            os.chmod(self.folder, 0o777)  # The user postgres writes here.
        self._run("initdb", "-D", self.data, "-A", "trust", "-U", "reelsd", "--no-sync", "-E", "UTF8",
                  "--locale=C.UTF-8")
        self.start()

    def _run(self, name, *arguments):
        done = subprocess.run(
            as_postgres(os.path.join(POSTGRES_BIN, name), *arguments),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            cwd="/", timeout=60)
        assert done.returncode == 0, f"{name}: {done.stdout}"
        return done.stdout

    # Settings of the server, except the paths of its files.
    settings = ("listen_addresses=", "fsync=off")

    def program(self, name):
        return os.path.join(POSTGRES_BIN, name)

    def start(self):
        options = [word for setting in self.settings for word in ("-c", setting)]
        with open(os.path.join(self.folder, "postgres.log"), "ab") as log:
            self.process = subprocess.Popen(
                as_postgres(
                    self.program("postgres"), "-D", self.data, "-k", self.folder, *options),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", preexec_fn=die_with_us)
        wait_until(self._serves, "PostgreSQL")

    def _serves(self):
        ready = [os.path.join(POSTGRES_BIN, "pg_isready"), "-q", "-h", self.folder]
        return subprocess.run(ready, stdin=subprocess.DEVNULL).returncode == 0

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(STOP_SECONDS_MAX)

    def new_database(self):
        """A new, empty database; returns its connection string."""
        return self._create_database("")

    def migrated_database(self):
        """A new database with the schema and no rows; returns its connection string. The migrations run once for
        each server, and the result is copied."""
        if not self.migrated:
            url = self.new_database()
            must(run_reelsd("migrate", database_url=url))
            self.migrated = url.rsplit("=", 1)[1]
        return self._create_database(f" TEMPLATE {self.migrated}")

    def _create_database(self, options):
        self.databases += 1
        name = f"reels{self.databases}"
        self.query(f"CREATE DATABASE {name}{options}", "postgres")
        return f"host={self.folder} user=reelsd dbname={name}"

    def query(self, sql, database):
        """The rows as text, columns separated by |. For data that no client can see."""
        return self._run("psql", "-h", self.folder, "-U", "reelsd", "-d", database, "-XAtqc", sql)

    def close(self):
        if self.process.poll() is None:
            self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


@functools.cache
def shared_cluster():
    """One cluster for all tests of a program."""
    cluster = Cluster()
    atexit.register(cluster.close)
    return cluster


class ServiceTest(unittest.TestCase):
    """Ends daemons that a test started, and prints their logs if it fails."""

    maxDiff = None

    def daemon(self, **settings):
        """A daemon on a new database of the shared cluster, unless `database_url` is set; "" is a private cluster,
        whose start takes seconds."""
        if "database_url" not in settings:
            settings["database_url"] = shared_cluster().migrated_database()
        daemon = Daemon(**settings)
        self.addCleanup(self._close, daemon)
        return daemon

    def _close(self, daemon):
        self.last_words.append(daemon.log())
        daemon.close()

    def run(self, result=None):
        # A suite's daemon logs over all tests: only the lines of this test are printed.
        self.last_words = []
        before = {daemon: len(daemon.log()) for daemon in self.suite_daemons()}
        failures = len(result.failures) + len(result.errors) if result else 0
        super().run(result)
        if result and len(result.failures) + len(result.errors) > failures:
            logs = self.last_words + [daemon.log()[seen:] for daemon, seen in before.items()]
            for log in logs:
                print(f"--- log, {self.id()}:\n{log[-6000:]}", file=sys.stderr)

    @classmethod
    def suite_daemons(cls):
        daemon = getattr(cls, "served", None)
        return [daemon] if daemon else []

    def assertProblem(self, answer, status, message):
        """An error in the general form."""
        self.assertEqual((answer.status, answer.json()), (status, {"message": message, "status": "error"}))


class DatabaseTest(ServiceTest):
    """Daemons that share a database and a platform. Tests can read data that no client can see."""

    @classmethod
    def setUpClass(cls):
        cls.cluster = shared_cluster()
        cls.platform = Platform()
        cls.addClassCleanup(cls.platform.close)

    def setUp(self):
        self.database = self.cluster.migrated_database()
        self.platform.configure(reset=True)

    def shared_daemon(self, **more):
        """A daemon on this test's database and platform."""
        settings = {"retry_base_seconds": 0.05, "requests_per_minute": 100000,
                    "database_url": self.database, **self.platform.settings(), **more}
        return self.daemon(**settings)

    def sql(self, statement):
        return self.cluster.query(statement, self.database.rsplit("=", 1)[1]).strip()
