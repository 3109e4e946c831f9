"""Tests that an installation in a separate prefix works. Goal: no program needs its build folder.

Method: `cmake --install` into a new folder, from which the daemon and the client run; a socket receives the
notifications to systemd.
"""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import unittest

import service_support as support

BUILD = os.environ["REELSD_BUILD_DIR"]
INSTALL_SECONDS_MAX = 120
NOTICE_SECONDS_MAX = 60


def setUpModule():
    global prefix
    prefix = support.new_folder()
    subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL,
                   timeout=INSTALL_SECONDS_MAX)
    os.environ["REELSD_BIN_DIR"] = os.path.join(prefix, "bin")


def tearDownModule():
    shutil.rmtree(prefix)


def files_below(folder):
    return {path.relative_to(folder).as_posix() for path in pathlib.Path(folder).rglob("*") if path.is_file()}


class Tree(unittest.TestCase):
    def test_it_has_run_time_dependencies_and_no_build_files(self):
        files = files_below(prefix)
        files -= {name for name in files if name.startswith("share/doc/reelsd/migrations/")}
        self.assertEqual(sorted(files), [
            "bin/reels", "bin/reelsd",
            "etc/reelsd/reelsd.conf", "etc/reelsd/reelsd.env",
            "lib/systemd/system/reelsd-backup.service", "lib/systemd/system/reelsd-backup.timer",
            "lib/systemd/system/reelsd.service",
            "libexec/reelsd/libonnxruntime.so.1", "libexec/reelsd/reelsd-media",
            "share/bash-completion/completions/reels",
            "share/doc/reels/NOTICE", "share/doc/reels/copyright",
            "share/doc/reelsd/NOTICE", "share/doc/reelsd/copyright",
            "share/doc/reelsd/third-party/onnxruntime-notices.txt",
            "share/doc/reelsd/third-party/onnxruntime.txt",
            "share/doc/reelsd/third-party/scalar.txt", "share/doc/reelsd/third-party/speech-models.txt",
            "share/doc/reelsd/third-party/text-models.txt",
            "share/fish/vendor_completions.d/reels.fish",
            "share/man/man1/reels.1.gz", "share/man/man5/reelsd.conf.5.gz", "share/man/man8/reelsd.8.gz",
            "share/reelsd/model-prices.json", "share/reelsd/sample.mp4",
            "share/reelsd/speech-models/decoder.data", "share/reelsd/speech-models/decoder.onnx",
            "share/reelsd/speech-models/encoder.data", "share/reelsd/speech-models/encoder.onnx",
            "share/reelsd/speech-models/vocabulary.txt",
            "share/reelsd/text-models/ch_PP-OCRv4_det_infer.onnx",
            "share/reelsd/text-models/ch_PP-OCRv4_rec_infer.onnx",
            "share/reelsd/text-models/ppocr_keys_v1.txt", "share/reelsd/wordnet.bin",
            "share/zsh/vendor-completions/_reels"])


class Service(unittest.TestCase):
    def setUp(self):
        self.daemon = support.Daemon()
        self.addCleanup(self.daemon.close)

    def test_it_analyses_the_sample(self):
        account = self.daemon.start().account()

        job = account.finished(account.submit(support.SAMPLE))

        self.assertEqual(job["status"], "done", job)
        self.assertIn("coffee", job["result"]["audio"]["transcript"].lower())

    def test_it_reads_the_configuration_of_its_installation(self):
        with open(os.path.join(prefix, "etc/reelsd/reelsd.conf"), "r+", encoding="utf-8") as file:
            usual = file.read()
            self.addCleanup(pathlib.Path(file.name).write_text, usual, encoding="utf-8")
            file.write("\nworkers = many\n")

        done = support.run_reelsd("serve", cwd=self.daemon.folder)

        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn('workers: "many" is not allowed', done.stderr)

    def test_another_file_replaces_that_configuration(self):
        other = os.path.join(self.daemon.folder, "other.conf")
        pathlib.Path(other).write_text("workers = few\n", encoding="utf-8")

        done = support.run_reelsd("serve", "--config", other, cwd=self.daemon.folder)

        self.assertIn('workers: "few" is not allowed', done.stderr)

    def test_an_unreadable_configuration_is_an_error(self):
        missing = os.path.join(self.daemon.folder, "missing.conf")

        done = support.run_reelsd("serve", "--config", missing, cwd=self.daemon.folder)

        self.assertEqual((done.returncode, done.stderr),
                         (2, f"reelsd: config: {missing}: No such file or directory\n"))


class Notices(unittest.TestCase):
    """The notifications that the unit's Type=notify needs."""

    def setUp(self):
        self.daemon = support.Daemon(workers=0)
        self.addCleanup(self.daemon.close)
        name = os.path.join(self.daemon.folder, "notify")
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(self.socket.close)
        self.socket.bind(name)
        self.socket.settimeout(NOTICE_SECONDS_MAX)
        os.environ["NOTIFY_SOCKET"] = name
        self.addCleanup(os.environ.pop, "NOTIFY_SOCKET")

    def heard(self):
        return self.socket.recv(4096).decode()

    def test_the_service_manager_is_notified_of_start_reload_and_stop(self):
        self.daemon.spawn()
        self.assertEqual(self.heard(), "READY=1")
        self.daemon.address = self.daemon._listening()
        self.assertEqual(self.daemon.request("GET", "/readyz").status, 200)

        self.daemon.process.send_signal(signal.SIGHUP)
        self.assertRegex(self.heard(), r"\ARELOADING=1\nMONOTONIC_USEC=\d+\Z")
        self.assertEqual(self.heard(), "READY=1")

        self.assertEqual(self.daemon.stop(), 0)
        self.assertEqual(self.heard(), "STOPPING=1")
        self.socket.setblocking(False)
        # The private PostgreSQL supports the protocol as well, but must send nothing.
        self.assertRaises(BlockingIOError, self.heard)


if __name__ == "__main__":
    unittest.main(verbosity=2)
