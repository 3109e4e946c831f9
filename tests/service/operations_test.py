"""Tests settings, subcommands, and the messages about errors of the environment."""

import concurrent.futures
import os
import re
import shutil
import socket
import subprocess
import time
import unittest

import fake_yt_dlp
from service_support import (
    SAMPLE, UNAVAILABLE, Cluster, Daemon, ServiceTest, clean_environment, must, new_folder,
    program, run_reelsd, wait_until)


class Settings(ServiceTest):
    """Starts no daemon: each run exits."""

    def refused(self, done, *parts):
        self.assertEqual(done.returncode, 2, done)
        for part in parts:
            self.assertIn(part, done.stderr)
        self.assertNotIn("terminate called", done.stderr)

    def test_a_bad_value_is_reported_with_the_allowed_ones(self):
        cases = [
            ("listen", "nowhere", "127.0.0.1:8080"),
            ("listen", "127.0.0.1:65536", "127.0.0.1:8080"),
            ("workers", "-1", "0"),
            ("workers", "many", "0"),
            ("platform_url", "instagram.com", "https://"),
            ("resolvers", "page,magic", "page"),
            ("analyzer", "crystal-ball", "local"),
            ("allow_private_addresses", "maybe", "true"),
            ("media_networks", "198.18.0.1/15", "198.18.0.0/15"),
            ("webhook_networks", "everywhere", "10.0.0.0/8"),
            ("submissions_per_minute", "0", "1"),
            ("concurrent_jobs", "x", "1"),
            ("requests_per_minute", "1.5", "1"),
            ("video_seconds_max", "0", "1"),
            ("video_bytes_max", "100MB", "bytes"),
            ("lease_seconds", "0.5", "1"),
            ("attempts_max", "0", "1"),
            ("retry_base_seconds", "-1", "0"),
            ("retry_base_seconds", "nan", "0"),
            ("log_level", "loud", "info"),
            ("log_format", "xml", "json"),
        ]
        for name, value, allowed in cases:
            with self.subTest(f"{name}={value}"):
                done = run_reelsd("serve", **{name: value})
                self.refused(done, name.replace("_", "-"), value, allowed)

    def test_flags_files_and_variables(self):
        folder = new_folder()
        self.addCleanup(subprocess.run, ["rm", "-rf", folder])
        path = os.path.join(folder, "reelsd.toml")
        with open(path, "w") as file:
            file.write('workers = "from-file"\n')
        with self.subTest("the file is read"):
            self.refused(run_reelsd("--config", path, "serve"), "from-file")
        with self.subTest("quoted text may contain # and backslashes"):
            for text in (r'"a#b\\c" # "d"', r"'a#b\c'"):
                with open(path, "w") as file:
                    file.write(f"platform-interval-seconds = 9 # more\nworkers = {text}\n")
                self.refused(run_reelsd("--config", path, "serve"), r'"a#b\c"')
        with self.subTest("the environment wins over the file"):
            self.refused(run_reelsd("--config", path, "serve", workers="from-env"), "from-env")
        with self.subTest("flags win over both"):
            done = run_reelsd("--config", path, "--workers", "from-flag", "serve", workers="from-env")
            self.refused(done, "from-flag")
        with self.subTest("a key that is no setting"):
            with open(path, "w") as file:
                file.write("wrokers = 3\n")
            self.refused(run_reelsd("--config", path, "serve"), "wrokers")
        with self.subTest("settings of the previous release"):
            with open(path, "w") as file:
                file.write('tessdata-dir = "/usr/share/tessdata"\nspeech-model-dir = "/usr/share"\nworkers = "many"\n')
            done = run_reelsd("--config", path, "serve")
            for name in ("tessdata-dir", "speech-model-dir"):
                self.assertIn(f'"{name}" has no effect', done.stderr)
            self.refused(done, "many")
        with self.subTest("a file that is not there"):
            self.refused(run_reelsd("--config", path + ".missing", "serve"), "missing")
        with self.subTest("a file that is a folder"):
            self.refused(run_reelsd("--config", os.path.dirname(path), "serve"), "directory")

    def test_a_variable_that_is_no_setting(self):
        done = run_reelsd("serve", wrokers=3, workers="", tls_certificate="/nonexistent", tls_key="/nonexistent")
        self.assertIn("environment variable is not a setting variable=REELSD_WROKERS\n", done.stderr)
        self.assertEqual(done.stderr.count("is not a setting"), 1)

    def test_wrong_command_lines(self):
        for arguments in ([], ["dance"], ["serve", "--no-such-flag"], ["token"], ["token", "create"],
                          ["account", "create"], ["--workers"]):
            with self.subTest(arguments):
                self.assertEqual(run_reelsd(*arguments).returncode, 2)

    def test_unknown_words_are_named(self):
        for arguments, expected in (
                (["doctr"], '"doctr" is not a command or a setting; did you mean "doctor"?\nSee: reelsd --help'),
                (["doctr", "--help"], 'did you mean "doctor"?'),
                (["account", "lst"], 'did you mean "list"?\nSee: reelsd account --help'),
                (["account"], "a command is missing\nSee: reelsd account --help"),
                (["serve", "--worker", "3"], 'did you mean "--workers"?\nSee: reelsd serve --help'),
                (["serve", "--listn=127.0.0.1:1"], 'did you mean "--listen"?'),
                (["dance"], '"dance" is not a command or a setting\n')):
            with self.subTest(arguments):
                done = run_reelsd(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(expected, done.stderr)

    def test_help_and_version(self):
        help_text = must(run_reelsd("--help")).stdout
        with_settings = must(run_reelsd("--help-all")).stdout
        for word in ("serve", "migrate", "account", "token", "doctor", "--config", "REELSD_"):
            self.assertIn(word, help_text)
        for setting in ("--listen", "--data-dir", "--database-url", "--workers"):
            self.assertIn(setting, with_settings)
            self.assertNotRegex(help_text, rf"(?m)^  {setting} ")
        for page in (help_text, with_settings):
            self.assertLess(page.index("\n  serve "), page.index("\n  -h,--help"), "commands first")
            self.assertEqual([line for line in page.splitlines() if len(line) > 80], [])
            self.assertIn("\n\nUsage: reelsd", page)
            self.assertIn("\n\nreelsd --help-all lists", page)
        for words in (["serve"], ["token", "create"], ["account", "list"], ["embedder", "use"]):
            page = must(run_reelsd(*words, "--help")).stdout
            self.assertIn("Usage: reelsd " + " ".join(words), page)
        self.assertRegex(must(run_reelsd("--version")).stdout, r"\d+\.\d+\.\d+")

    def test_a_reader_may_close_standard_output(self):
        ours, theirs = os.pipe()
        os.close(ours)
        with open(theirs, "wb") as closed:
            done = subprocess.run(
                [program("reelsd"), "settings"], env=clean_environment(), stdout=closed, stderr=subprocess.PIPE,
                timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_a_database_password_is_never_shown(self):
        done = run_reelsd("migrate", database_url="postgresql://u:hunter2@127.0.0.1:1/none")
        self.assertNotEqual(done.returncode, 0)
        self.assertNotIn("hunter2", done.stdout + done.stderr)


class Environment(ServiceTest):
    """A daemon that cannot start prints one line with the cause and exits; it never hangs."""

    def ended(self, daemon, expected_code=1):
        """The log. The code is 2 for an invalid setting, after which systemd does not restart the daemon."""
        daemon.spawn()
        code = daemon.process.wait(60)
        self.assertEqual(code, expected_code, daemon.log())
        return daemon.log()

    def test_the_only_resolver_is_not_installed(self):
        log = self.ended(self.daemon(workers=0, resolvers="yt-dlp", yt_dlp_path="/nonexistent/yt-dlp"), 2)
        self.assertIn("/nonexistent/yt-dlp", log)

    def test_one_of_several_resolvers_is_not_installed(self):
        daemon = self.daemon(workers=0, yt_dlp_path="/nonexistent/yt-dlp").start()
        lines = [line for line in daemon.log_lines() if "yt-dlp" in line["message"]]
        self.assertEqual([line["level"] for line in lines], ["info"], lines)

    def test_an_analyzer_without_its_model(self):
        self.assertIn("openai-model", self.ended(self.daemon(analyzer="openai"), 2))

    def test_missing_ca_certificates(self):
        log = self.ended(self.daemon(workers=0, ca_file="/nonexistent/ca.pem"), 2)
        self.assertIn("ca-file: /nonexistent/ca.pem: No such file or directory", log)

    def test_port_in_use(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            address = "127.0.0.1:%d" % taken.getsockname()[1]
            log = self.ended(self.daemon(listen=address, workers=0))
        self.assertIn(address, log)
        self.assertRegex(log.lower(), "in use")

    def test_a_stop_while_waiting_for_the_database(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            nowhere = f"postgresql://u@127.0.0.1:{free.getsockname()[1]}/none"
            daemon = self.daemon(database_url=nowhere, workers=0).spawn()
            wait_until(lambda: "waiting for the database" in daemon.log(), "the wait")
            self.assertEqual(daemon.stop(), 0)

    def test_no_database(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        log = self.ended(self.daemon(database_url=f"host=127.0.0.1 port={port} dbname=x user=x"))
        self.assertRegex(log.lower(), "database")
        self.assertRegex(log.lower(), "refused|unreachable|connect")

    def test_wrong_database_url(self):
        log = self.ended(self.daemon(database_url="postgresql://[broken"), 2)
        self.assertRegex(log.lower(), "database")

    def test_a_file_as_data_directory(self):
        daemon = self.daemon(database_url="")
        with open(os.path.join(daemon.folder, "data"), "w") as file:
            file.write("not a directory")
        self.assertIn(os.path.join(daemon.folder, "data"), self.ended(daemon))

    def test_an_unwritable_data_directory(self):
        path = "/proc/reelsd-test"  # No user can write there, not even root.
        self.assertIn(path, self.ended(self.daemon(database_url="", data_dir=path)))

    def test_two_daemons_on_one_private_database(self):
        first = self.daemon(database_url="", workers=0).start()
        second = self.daemon(database_url="", workers=0, data_dir=first.settings["data_dir"])
        second.spawn()
        # Both are correct: the second one uses the running database, or reports that it is in use.
        wait_until(
            lambda: second.process.poll() is not None
            or any(line.get("message") == "listening" for line in second.log_lines()),
            "the second daemon's decision")
        self.assertEqual(first.request("GET", "/readyz").status, 200, "the first one is not disturbed")


class Commands(ServiceTest):
    @classmethod
    def setUpClass(cls):
        cls.served = Daemon(workers=1, requests_per_minute=100000)
        cls.addClassCleanup(cls.served.close)
        cls.served.start()

    def test_accounts(self):
        done = must(self.served.cli("account", "create", "--email", "a@example.test"))
        self.assertRegex(done.stdout, r"^\d+\n$")
        again = self.served.cli("account", "create", "--email", "A@example.test")
        self.assertNotEqual(again.returncode, 0)
        self.assertIn("there is an account", again.stderr)
        admin = must(self.served.cli("account", "create", "--email", "b@example.test", "--admin"))
        self.assertNotEqual(admin.stdout, done.stdout)
        for email in ("", "no-address", "x" * 300 + "@example.test"):
            with self.subTest(email[:20]):
                self.assertNotEqual(self.served.cli("account", "create", "--email", email).returncode, 0)

    def test_tokens(self):
        account = must(self.served.cli("account", "create", "--email", "t@example.test")).stdout.strip()
        first = must(self.served.cli("token", "create", "--account", "t@example.test", "--name", "laptop"))
        self.assertRegex(first.stdout, r"^rls_[A-Za-z0-9]{40}\n$")
        second = must(self.served.cli("token", "create", "--account", account, "--name", "phone"))
        self.assertNotEqual(first.stdout, second.stdout)

        listed = must(self.served.cli("token", "list", "--account", "t@example.test")).stdout
        self.assertIn("laptop", listed)
        self.assertIn("phone", listed)
        self.assertNotIn(first.stdout.strip(), listed, "a token is shown once")

        twice = self.served.cli("token", "create", "--account", account, "--name", "phone")
        self.assertNotEqual(twice.returncode, 0)
        unknown = self.served.cli("token", "create", "--account", "nobody@example.test", "--name", "x")
        self.assertNotEqual(unknown.returncode, 0)
        self.assertIn("no account nobody@example.test in this database", unknown.stderr)
        self.assertEqual(unknown.stdout, "")

    def test_a_token_that_cannot_be_printed(self):
        account = self.served.account()
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [program("reelsd"), "token", "create", "--account", account.email, "--name", "lost"],
                env=clean_environment(**self.served.settings), stdout=full, stderr=subprocess.PIPE, text=True,
                timeout=60, cwd=self.served.folder)
        self.assertEqual((done.returncode, done.stderr), (1, "reelsd: standard output: No space left on device\n"))

    def test_a_revoked_token_is_refused_within_a_second(self):
        account = self.served.account()
        other = self.served.token(account.email, "other")
        status = lambda token: self.served.request("GET", "/api/v1/reels/1", token=token).status
        self.assertEqual(status(account.token), 404)

        must(self.served.cli("token", "revoke", "--account", account.email, "--name", "test"))

        revoked = time.monotonic()
        while (begun := time.monotonic()) and status(account.token) != 401:
            self.assertLess(begun - revoked, 1.5, "the token's end")
        self.assertEqual(status(other), 404, "the account's other token still works")
        gone = self.served.cli("token", "revoke", "--account", account.email, "--name", "test")
        self.assertNotEqual(gone.returncode, 0)
        self.assertRegex(
            self.served.token(account.email, "test"), "^rls_", "the name can be used again")

    def test_revoking_a_token_ends_its_long_polls(self):
        served = Daemon(workers=0)
        self.addCleanup(served.close)
        account = served.start().account()
        job = account.submit(UNAVAILABLE)
        waiting = f"/api/v1/reels/{job}?wait=60"
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            poll = pool.submit(served.request, "GET", waiting, token=account.token)
            wait_until(lambda: b"reelsd_waiters 1" in served.request("GET", "/metrics").body, "the long poll")
            must(served.cli("token", "revoke", "--account", account.email, "--name", "test"))
            answer = poll.result(40)  # Of the requested 60 s.
        self.assertEqual((answer.status, answer.json()), (401, {"error": "invalid API token"}))

    def test_limits(self):
        account = self.served.account()
        done = must(self.served.cli(
            "account", "limits", "--email", account.email, "--submissions-per-minute", "7"))
        self.assertEqual(done.stdout.splitlines(), [
            "submissions-per-minute 7", "concurrent-jobs 3 (default)", "requests-per-minute 100000 (default)",
            "queued-jobs 1000 (default)", "monthly-budget-usd none"])
        budget = must(self.served.cli("account", "limits", "--email", account.email, "--monthly-budget-usd", "2.5"))
        self.assertIn("monthly-budget-usd 2.5\n", budget.stdout)
        listed = must(self.served.cli("account", "list")).stdout
        self.assertRegex(listed, rf"(?m)^\d+  {re.escape(account.email)}  member  enabled  created \S+Z  0 reels$")
        answer = account.analyze(UNAVAILABLE)
        self.assertEqual(answer.headers["RateLimit-Limit"], "7")
        for value in ("0", "x", "-3"):
            bad = self.served.cli("account", "limits", "--email", account.email,
                                  "--concurrent-jobs", value)
            self.assertEqual(bad.returncode, 2, bad)
        for flag, value, why in (
                ("--monthly-budget-usd", "nan", "nan is neither none nor a number from 0 to 1000000000"),
                ("--monthly-budget-usd", "-1", "-1 is neither none nor a number"),
                ("--requests-per-minute", "none", "none is neither default nor a whole number from 1 to 10000000")):
            bad = self.served.cli("account", "limits", "--email", account.email, flag, value)
            self.assertEqual(bad.returncode, 2, bad)
            self.assertIn(f"{flag}: {why}", bad.stderr)
        removed = must(self.served.cli(
            "account", "limits", "--email", account.email, "--submissions-per-minute", "default",
            "--monthly-budget-usd", "none"))
        self.assertEqual(removed.stdout, done.stdout.replace("minute 7", "minute 10 (default)"))
        unknown = self.served.cli("account", "limits", "--email", "nobody@example.test",
                                 "--concurrent-jobs", "1")
        self.assertNotEqual(unknown.returncode, 0)

    def test_migrate_twice(self):
        must(self.served.cli("migrate"))
        must(self.served.cli("migrate"))
        self.assertEqual(self.served.request("GET", "/readyz").status, 200)

    def test_doctor(self):
        done = self.served.cli("doctor", yt_dlp_path="/nonexistent/yt-dlp")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for word in ("database", "media"):
            self.assertIn(word, done.stdout.lower())
        self.assertRegex(done.stdout, "ok +yt-dlp +not installed .optional.")
        missing = self.served.cli("doctor", text_models_dir="/nonexistent/models")
        self.assertNotEqual(missing.returncode, 0)
        self.assertIn("/nonexistent/models", missing.stdout + missing.stderr)
        self.assertIn("1 check failed", missing.stderr)
        no_authorities = self.served.cli("doctor", ca_file="/nonexistent/ca.pem")
        self.assertEqual(no_authorities.returncode, 1)
        self.assertRegex(no_authorities.stdout, "FAIL +settings +ca-file: /nonexistent/ca.pem: No such file")

    def test_doctor_reports_a_secret_key_that_cannot_be_read(self):
        nothing = {"yt_dlp_path": "/nonexistent/yt-dlp"}
        self.assertNotIn("secret key", must(self.served.cli("doctor", **nothing)).stdout)
        folder = new_folder()
        self.addCleanup(shutil.rmtree, folder)
        file = os.path.join(folder, "secret-key")
        for content, line in ((None, "warn +secret key +/.*/secret-key: No such file or directory; the dashboard cannot"),
                              (b"x" * 31, "warn +secret key +/.*/secret-key: does not have 32 bytes; "),
                              (b"x" * 32, "ok +secret key +/.*/secret-key\n")):
            if content:
                with open(file, "wb") as key:
                    key.write(content)
            self.assertRegex(must(self.served.cli("doctor", secret_key_file=file, **nothing)).stdout, line)

    def helper_without(self, features):
        """A media program on a simulated kernel without these features."""
        folder = new_folder()
        self.addCleanup(shutil.rmtree, folder)
        helper = os.path.join(folder, "helper")
        with open(helper, "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\nexec "%s" %s "%s" "$@"\n'
                       % (program("without_features"), features, program("reelsd-media")))
        os.chmod(helper, 0o755)
        return helper

    def test_doctor_reports_an_incomplete_jail(self):
        nothing = {"yt_dlp_path": "/nonexistent/yt-dlp"}
        cases = [("seccomp", "require", 1, "FAIL +jail +decodes nothing: .*no system-call filter"),
                 ("seccomp", "best-effort", 1, "FAIL +jail +decodes without the system-call filter"),
                 ("seccomp,landlock,namespaces", "best-effort", 1, "FAIL +jail +a video could .*make folders"),
                 ("landlock,namespaces", "require", 0, "warn +jail +missing: landlock, own_namespaces"),
                 ("namespaces", "require", 0, "ok +jail +missing: own_namespaces"),
                 ("none", "require", 0, "ok +jail +all layers are active")]
        for features, policy, status, line in cases:
            with self.subTest(features=features, policy=policy):
                done = self.served.cli("doctor", media_helper=self.helper_without(features), jail=policy, **nothing)
                self.assertRegex(done.stdout, line)
                self.assertEqual(done.returncode, status, done.stdout)

    def test_without_the_filter_no_video_is_decoded(self):
        daemon = self.daemon(workers=1, media_helper=self.helper_without("seccomp")).start()
        lines = [line for line in daemon.log_lines() if line["message"] == "no video can be decoded on this machine"]
        self.assertEqual([(line["level"], line["missing"]) for line in lines], [("error", "system_call_filter")])
        metrics = daemon.request("GET", "/metrics").body.decode()
        self.assertIn('reelsd_jail_layer{layer="system_call_filter"} 0', metrics)
        self.assertIn('reelsd_jail_layer{layer="landlock"} 1', metrics)
        account = daemon.account()
        job = account.finished(account.submit(SAMPLE))
        self.assertEqual((job["status"], job["error_code"]), ("error", "internal"), job)
        self.assertIn("The operator of this service can find the cause in the log", job["error"])
        self.assertIn('outcome="internal"} 1', daemon.request("GET", "/metrics").body.decode(), "one attempt")
        self.assertIn('outcome="retry"} 0', daemon.request("GET", "/metrics").body.decode())

    def test_an_outdated_kernel(self):
        for command in ("serve", "doctor"):
            with self.subTest(command):
                folder = new_folder()
                self.addCleanup(shutil.rmtree, folder)
                done = subprocess.run(
                    [program("without_features"), "pidfd", program("reelsd"), command],
                    env=clean_environment(data_dir=folder, listen="127.0.0.1:0", workers=0, canary_link="none"),
                    capture_output=True, text=True, timeout=120, check=False)
                self.assertEqual(done.returncode, 1, done)
                self.assertIn("reelsd needs Linux 5.3 or later", done.stdout + done.stderr)

    def test_doctor_reports_an_outdated_yt_dlp(self):
        folder = new_folder()
        self.addCleanup(shutil.rmtree, folder)
        for version, line in (("2026.08.19", "ok +yt-dlp +/.* 2026.08.19"),
                              ("2023.03.04", "warn +yt-dlp +2023.03.04 is too old: before 2026.06.28")):
            with self.subTest(version):
                yt_dlp = fake_yt_dlp.install(folder, version=version)
                done = must(self.served.cli(
                    "doctor", yt_dlp_path=yt_dlp,
                    media_helper=fake_yt_dlp.fence(folder, program("reelsd-media"))))
                self.assertRegex(done.stdout, line)

    def test_accounts_and_reels_survive_a_restart(self):
        daemon = self.daemon(database_url="", workers=1).start()
        account = daemon.account()
        job = account.finished(account.submit(UNAVAILABLE))
        self.assertEqual(daemon.stop(), 0)
        offline = must(daemon.cli("token", "create", "--account", account.email, "--name", "offline"))
        daemon.start()
        self.assertEqual(account.job(job["id"]), job)
        again = daemon.request("GET", f"/api/v1/reels/{job['id']}", token=offline.stdout.strip())
        self.assertEqual(again.json(), job)


class HealthCheck(ServiceTest):
    """Tests the health check of container engines: it needs only the daemon's settings, and answers within
    seconds."""

    def test_health_of_a_running_and_a_stopped_daemon(self):
        daemon = self.daemon(workers=0, public_url="https://reels.example.com").start()
        done = daemon.cli("healthcheck", listen=daemon.address)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        everywhere = daemon.address.replace("127.0.0.1", "0.0.0.0")
        self.assertEqual(daemon.cli("healthcheck", listen=everywhere).returncode, 0)
        daemon.stop()
        gone = daemon.cli("healthcheck", listen=daemon.address)
        self.assertEqual((gone.returncode, gone.stdout), (1, ""))
        self.assertIn(f"http://{daemon.address} does not answer", gone.stderr)

    def test_health_without_a_database(self):
        cluster = Cluster()
        self.addCleanup(cluster.close)
        daemon = self.daemon(database_url=cluster.new_database(), workers=0).start()
        cluster.stop()
        wait_until(lambda: daemon.request("GET", "/readyz").status == 503, "the loss of the database")
        done = daemon.cli("healthcheck", listen=daemon.address)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("is not ready: 503", done.stderr)

    def test_health_on_the_default_port_of_the_scheme(self):
        # Whether or not a server listens there, the request is sent.
        done = run_reelsd("healthcheck", listen="127.0.0.1:80")
        self.assertNotIn("address_refused", done.stderr)
        self.assertNotIn("is not allowed", done.stderr)

    def test_health_requires_a_known_port(self):
        done = run_reelsd("healthcheck", listen="127.0.0.1:0")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("listen has port 0", done.stderr)


class SecretFiles(ServiceTest):
    def test_a_database_password_from_a_file(self):
        cluster = Cluster()
        self.addCleanup(cluster.close)
        url = cluster.new_database()
        cluster.query("ALTER ROLE reelsd PASSWORD 'it''s a word'", "postgres")
        cluster.stop()
        with open(os.path.join(cluster.data, "pg_hba.conf"), "w") as rules:
            rules.write("local all all scram-sha-256\n")
        cluster.start()
        path = os.path.join(cluster.folder, "password")
        for text, code in (("it's a word\n", 0), ("another\n", 1)):
            with self.subTest(text):
                with open(path, "w") as file:
                    file.write(text)
                done = run_reelsd("migrate", database_url=url, database_password_file=path)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertNotIn(text.strip(), done.stdout + done.stderr)
        twice = run_reelsd("migrate", database_url=url + " password=first", database_password_file=path)
        self.assertEqual(twice.returncode, 1)
        self.assertIn("has a password already", twice.stderr)
        self.assertNotIn("first", twice.stderr)


class SharedDatabase(ServiceTest):
    def test_concurrent_migrations_of_an_empty_database(self):
        cluster = Cluster()
        self.addCleanup(cluster.close)
        url = cluster.new_database()
        runs = [
            subprocess.Popen(
                [program("reelsd"), "migrate"], env=clean_environment(database_url=url),
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            for _ in range(4)
        ]
        for run in runs:
            output, _ = run.communicate(timeout=60)
            self.assertEqual(run.returncode, 0, output)

    def test_a_daemon_migrates_an_empty_database(self):
        cluster = Cluster()
        self.addCleanup(cluster.close)
        daemon = self.daemon(database_url=cluster.new_database(), workers=0).start()
        self.assertEqual(daemon.account().analyze(UNAVAILABLE).status, 202)


if __name__ == "__main__":
    unittest.main(verbosity=2)
