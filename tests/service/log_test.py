"""Tests the log in a file: log rotation, and errors of the file.

Method: a real daemon whose requests have unique names, so that each log line can be found.
"""

import json
import os
import pathlib
import signal
import subprocess
import unittest

from service_support import UNAVAILABLE, Cluster, Daemon, ServiceTest, clean_environment, program, wait_until


class FileDaemon(Daemon):
    """A daemon that logs to a file; its standard error is separate."""

    def __init__(self, **settings):
        super().__init__(**settings)
        self.file = os.path.join(self.folder, "reelsd.log")
        self.settings.setdefault("log_file", self.file)

    def errors(self):
        return pathlib.Path(self.log_path).read_text()

    def log(self):
        files = [self.settings["log_file"], self.log_path]
        return "".join(pathlib.Path(one).read_text() for one in files
                       if one and os.path.isfile(one))

    def hang_up(self):
        """Sends SIGHUP, and waits until the daemon has reloaded."""
        seen = self.log().count("SIGHUP")
        self.process.send_signal(signal.SIGHUP)
        wait_until(lambda: self.log().count("SIGHUP") > seen, "the daemon to reload")


class LogFile(ServiceTest):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster()
        cls.addClassCleanup(cls.cluster.close)

    def file_daemon(self):
        daemon = FileDaemon(workers=1, database_url=self.cluster.new_database())
        self.addCleanup(self._close, daemon)
        return daemon

    def named_request(self, daemon, name):
        answer = daemon.request("GET", "/healthz", headers={"X-Request-Id": name})
        self.assertEqual(answer.status, 200)

    def test_rotation_loses_nothing(self):
        daemon = self.file_daemon().start()
        self.assertEqual(daemon.errors(), "")
        names = []
        for rotation in range(4):
            for half in ("before", "after"):
                for number in range(20):
                    names.append(f"{half}-{rotation}-{number}")
                    self.named_request(daemon, names[-1])
                if half == "before":
                    # As logrotate does: lines before the signal is handled go to the old file.
                    os.rename(daemon.file, f"{daemon.file}.{rotation}")
            self.assertFalse(os.path.exists(daemon.file))
            daemon.process.send_signal(signal.SIGHUP)
            wait_until(lambda: os.path.exists(daemon.file) and os.path.getsize(daemon.file), "the new file")
        self.assertEqual(daemon.stop(), 0)
        text = "".join(path.read_text() for path in pathlib.Path(daemon.folder).glob("reelsd.log*"))
        lines = [json.loads(line) for line in text.splitlines()]
        seen = [line["request"] for line in lines if line.get("message") == "request"]
        self.assertEqual(sorted(name for name in seen if name in set(names)), sorted(names))
        self.assertIn("stopped", [line["message"] for line in lines])
        self.assertEqual(daemon.errors(), "")

    def test_sighup_without_a_log_file_has_no_effect(self):
        daemon = self.daemon(workers=1, database_url=self.cluster.new_database())
        daemon.spawn()
        daemon.address = wait_until(daemon._listening, "the daemon's address")
        for _ in range(3):
            daemon.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "SIGHUP" in daemon.log(), "the daemon to reload")
        account = daemon.account()
        account.finished(account.submit(UNAVAILABLE))
        self.assertEqual(daemon.stop(), 0)

    def test_errors_have_a_journal_priority(self):
        daemon = self.file_daemon()
        path = os.path.join(daemon.folder, "journal")
        with open(path, "wb") as journal:
            stream = os.fstat(journal.fileno())
            environment = {**clean_environment(analyzer="nobody"), "JOURNAL_STREAM": f"{stream.st_dev}:{stream.st_ino}"}
            refused = subprocess.run([program("reelsd"), "serve"], env=environment, stderr=journal, timeout=60)
        self.assertEqual(refused.returncode, 2)
        self.assertRegex(pathlib.Path(path).read_text(), r"\A<3>reelsd: analyzer: .*\n\Z")
        refused = subprocess.run(
            [program("reelsd"), "serve"], env=environment, stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertRegex(refused.stderr, r"\Areelsd: analyzer: ")

    def test_an_unwritable_log_file(self):
        daemon = self.file_daemon()
        daemon.settings["log_file"] = link = os.path.join(daemon.folder, "link")
        os.symlink("/dev/full", link)
        daemon.spawn()
        # While the file cannot be written, the log goes to standard error, with the reason, once.
        daemon.address = wait_until(
            lambda: next((json.loads(line)["address"] for line in daemon.errors().splitlines()
                          if '"listening"' in line), None), "the daemon's address")
        self.named_request(daemon, "diverted")
        wait_until(lambda: '"diverted"' in daemon.errors(), "the line")
        self.assertEqual(daemon.errors().count("No space left on device"), 1)

        os.unlink(link)
        os.symlink(daemon.file, link)
        daemon.hang_up()
        before = daemon.errors()
        self.named_request(daemon, "healed")
        wait_until(lambda: '"healed"' in pathlib.Path(link).read_text(), "the line")
        self.assertEqual(daemon.errors(), before)
        self.assertRegex(pathlib.Path(link).read_text(), r"\d+ lines went to standard error")
        self.assertEqual(daemon.stop(), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
