"""Tests full disks: that of the scratch files, and that of the private cluster.

Goal: clients get an error for data that cannot be stored, no files are left behind, and work continues without a
restart once there is space. log_test.py tests the log's disk, database_faults_test.py another database. Method:
small separate disks, which need root to mount.
"""

import contextlib
import http.client
import os
import subprocess
import unittest

from gemini_test import GeminiTest
from service_support import (
    POSTGRES_BIN, UNAVAILABLE, DatabaseTest, Platform, clean_environment, must, program, run_reelsd, wait_until)
from small_disk import SmallDisk
from telegram_support import ANN, TelegramTest

ANALYZE = "/api/v1/reels/analyze"


class FullDisks(DatabaseTest):
    def scratch_files(self, daemon):
        root = os.path.join(daemon.settings["data_dir"], "scratch")
        return [os.path.join(folder, name) for folder, _, names in os.walk(root)
                for name in names if name != ".lock"]

    def test_no_room_for_a_video(self):
        disk = SmallDisk(2, self.addCleanup)
        posts = {code: {"page": "ok"} for code in ("DYfulldisk1", "DYfulldisk2")}
        self.platform.configure(posts=posts)
        first, second = (f"https://www.instagram.com/reel/{code}/" for code in posts)
        daemon = self.shared_daemon(
            workers=1, data_dir=disk.folder, retry_base_seconds=30, attempts_max=2).start()
        account = daemon.account(unlimited=True)
        in_retry = "SELECT count(*) FROM job WHERE status = 'pending' AND attempt = 1"
        retry = "UPDATE job SET run_at = now() WHERE status = 'pending'"
        disk.fill()
        early = account.submit(first)
        wait_until(lambda: self.sql(in_retry) == "1", "the first attempt's failure")
        self.sql(retry)
        job = account.finished(early)
        self.assertEqual((job["status"], job["error_code"]), ("error", "storage_error"), job)
        self.assertEqual(job["error"].split(":")[0].split(".")[0], "A storage error occurred")
        self.assertEqual(self.sql("SELECT max(attempt) FROM job"), "2", "it was retried")
        wait_until(lambda: self.scratch_files(daemon) == [], "cleanup")
        self.assertEqual(daemon.request("GET", "/readyz").status, 200)

        # A job whose second attempt has enough space.
        late = account.submit(second)
        wait_until(lambda: self.sql(in_retry) == "1", "the first attempt's failure")
        disk.empty()
        self.sql(retry)
        job = account.finished(late)
        self.assertEqual(job["status"], "done", job)
        wait_until(lambda: self.scratch_files(daemon) == [], "cleanup")

    def test_no_room_for_a_backup(self):
        disk = SmallDisk(1, self.addCleanup)
        must(run_reelsd("migrate", database_url=self.database))
        disk.fill()
        # Leaves space for the file system's own needs, but not for a backup.
        with open(disk.filler, "ab") as file:
            file.truncate(os.path.getsize(disk.filler) - 16384)
        done = run_reelsd("backup", os.path.join(disk.folder, "backup"), database_url=self.database)
        self.assertEqual(done.returncode, 1, done)
        self.assertRegex(done.stderr, r"\Areelsd: [^\n]*No space left on device\n\Z")
        self.assertEqual(os.listdir(disk.folder), ["filler"])

    def test_no_room_for_an_export(self):
        disk = SmallDisk(1, self.addCleanup)
        daemon = self.shared_daemon().start()
        account = daemon.account()
        disk.fill()
        file = os.path.join(disk.folder, "export.jsonl")
        done = subprocess.run(
            [program("reels"), "export", "--output", file], capture_output=True, text=True, timeout=60,
            env={**clean_environment(), "REELS_SERVER": f"http://{daemon.address}", "REELS_TOKEN": account.token})
        self.assertEqual(done.returncode, 2, done)
        self.assertEqual(done.stderr, f"reels: {file} cannot be written: No space left on device\n")
        self.assertEqual(os.listdir(disk.folder), ["filler"])

    def in_cluster(self, daemon, statement):
        return subprocess.run(
            [os.path.join(POSTGRES_BIN, "psql"), "-h", os.path.join(daemon.settings["data_dir"], "run"),
             "-U", "reelsd", "-d", "reelsd", "-XAtqc", statement],
            capture_output=True, text=True, cwd="/", timeout=60)

    def test_no_room_for_the_private_cluster(self):
        disk = SmallDisk(128, self.addCleanup)
        self.platform.configure(posts={"DYfulldisk3": {"page": "slow", "delay": 3, "slides": ["photo"]}})
        daemon = self.daemon(
            database_url="", workers=1, data_dir=os.path.join(disk.folder, "data"), requests_per_minute=1000000,
            retry_base_seconds=1, **self.platform.settings()).start()
        account = daemon.account(unlimited=True)
        known = account.finished(account.submit(UNAVAILABLE))
        in_work = account.submit("https://www.instagram.com/reel/DYfulldisk3/")
        wait_until(lambda: account.job(in_work)["status"] == "processing", "the work")
        disk.fill()
        accepted = []

        def refused():
            answer = account.analyze(UNAVAILABLE + "?utm=" + "x" * 1900)
            if answer.status == 202:
                accepted.append(answer.json()["id"])
                return None
            self.assertEqual(answer.status, 503, answer)
            self.assertRegex(answer.headers["Retry-After"], r"^\d+$")
            return answer
        with self.subTest("writes are refused, and reads continue or get 503"):
            wait_until(refused, "a refusal")
            self.assertIn(account.request("GET", f"/api/v1/reels/{known['id']}").status, (200, 503))
        with self.subTest("an upload"):
            upload = account.request("POST", "/api/v1/reels/analyze", b"x" * 8_000_000, {"Content-Type": "video/mp4"})
            self.assertEqual(upload.status, 503, upload)
            self.assertRegex(upload.headers["Retry-After"], r"^\d+$")
        with self.subTest("the database server stops when it cannot write its log"):
            self.in_cluster(daemon, "SELECT pg_switch_wal()")
            self.in_cluster(daemon, "CHECKPOINT")
            self.assertEqual(daemon.request("GET", "/healthz").status, 200)
        disk.empty()
        wait_until(lambda: account.analyze(UNAVAILABLE).status == 202, "acceptance")
        wait_until(lambda: self.in_cluster(daemon, "SELECT count(*) FROM upload").stdout == "0\n", "cleanup")
        self.assertEqual(account.job(known["id"]), known)
        for job in [in_work, *accepted]:
            self.assertIn(account.finished(job)["error_code"], ("unavailable", "unsupported_format", "storage_error"))
        self.assertIsNone(daemon.process.poll(), "the daemon keeps running")
        self.assertEqual(daemon.stop(), 0)

    def test_a_start_on_a_disk_full_of_abandoned_videos(self):
        disk = SmallDisk(128, self.addCleanup)
        data = os.path.join(disk.folder, "data")
        daemon = self.daemon(database_url="", workers=0, data_dir=data, **self.platform.settings()).start()
        self.assertEqual(daemon.stop(), 0)
        left = os.path.join(data, "scratch", "daemon-0123456789abcdef")
        os.makedirs(os.path.join(left, "42-1"))
        for name in (".lock", "42-1/video"):
            with open(os.path.join(left, name), "wb"):
                pass
        disk.filler = os.path.join(left, "42-1", "video")
        disk.fill()
        daemon.start()
        self.assertFalse(os.path.exists(left))
        self.assertEqual(daemon.stop(), 0)

    def test_a_start_on_a_full_disk(self):
        disk = SmallDisk(128, self.addCleanup)
        data = os.path.join(disk.folder, "data")
        must(run_reelsd("migrate", database_url="", data_dir=data))
        disk.fill()
        done = run_reelsd("doctor", database_url="", data_dir=data)
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("No space left on device", done.stdout + done.stderr)

    def test_no_room_for_an_upload(self):
        disk = SmallDisk(384, self.addCleanup)
        daemon = self.daemon(
            database_url="", workers=0, data_dir=os.path.join(disk.folder, "data"), **self.platform.settings()).start()
        account = daemon.account(unlimited=True)
        mebibyte = 1 << 20

        def leave(size):
            disk.leave(size)
            # The rest of the service still works.
            self.assertEqual(account.analyze(UNAVAILABLE).status, 202)

        def assert_refused(answer):
            self.assertProblem(answer, 503, "the service is unavailable, try again shortly")
            self.assertRegex(answer.headers["Retry-After"], r"^\d+$")
            self.assertEqual(self.in_cluster(daemon, "SELECT count(*) FROM upload").stdout, "0\n")
        with self.subTest("before the body, by its length"):
            leave(150 * mebibyte)
            with contextlib.closing(http.client.HTTPConnection(daemon.address, timeout=60)) as link:
                link.putrequest("POST", ANALYZE)
                for name, value in (("Authorization", f"Bearer {account.token}"), ("Content-Type", "video/mp4"),
                                    ("Content-Length", 20 * mebibyte), ("Expect", "100-continue")):
                    link.putheader(name, str(value))
                link.endheaders()
                self.assertEqual(link.sock.recv(4096).split(b"\r\n")[0], b"HTTP/1.1 503 Service Unavailable")
        with self.subTest("a small file"):
            self.assertEqual(account.request("POST", ANALYZE, b"x", {"Content-Type": "video/mp4"}).status, 202)
            self.in_cluster(daemon, "DELETE FROM job")
        pieces = [os.urandom(mebibyte) for _ in range(40)]
        head = b'--xyz\r\nContent-Disposition: form-data; name="video"; filename="a.mp4"\r\n\r\n'
        for content_type, body in (("video/mp4", pieces),
                                   ("multipart/form-data; boundary=xyz", [head, *pieces, b"\r\n--xyz--\r\n"])):
            with self.subTest("during a body in chunks", type=content_type):
                leave(150 * mebibyte)
                assert_refused(account.request("POST", ANALYZE, iter(body), {"Content-Type": content_type}))
        with self.subTest("there is space again"):
            disk.empty()
            self.assertEqual(
                account.request("POST", ANALYZE, b"".join(pieces), {"Content-Type": "video/mp4"}).status, 202)
        self.assertEqual(daemon.stop(), 0)

    def test_no_room_for_a_kept_video(self):
        disk = SmallDisk(384, self.addCleanup)
        self.platform.configure(posts={"DYfulldisk4": {}})
        daemon = self.daemon(
            database_url="", workers=1, data_dir=os.path.join(disk.folder, "data"), videos_kept_days=1,
            **self.platform.settings()).start()
        account = daemon.account(unlimited=True)
        disk.leave(100 << 20)
        job = account.finished(account.submit("https://www.instagram.com/reel/DYfulldisk4/"))
        self.assertEqual(job["status"], "done", job)
        self.assertEqual(account.request("GET", f"/api/v1/reels/{job['id']}/video").status, 404)
        line, = [line for line in daemon.log_lines() if line["message"] == "keeping media failed"]
        self.assertEqual((line["step"], line["code"]), ("store video", "storage_failed"), line)
        self.assertIn("no space for a video", line["reason"])
        self.assertEqual(self.in_cluster(daemon, "SELECT count(*) FROM upload_chunk").stdout, "0\n")
        self.assertEqual(daemon.stop(), 0)


class VideosOfChats(TelegramTest):
    NO_SPACE = "The server has no space for the video. Send it again later."

    def test_no_room_for_a_video_of_a_chat(self):
        disk = SmallDisk(384, self.addCleanup)
        daemon = self.bot_daemon(database_url="", workers=0, data_dir=os.path.join(disk.folder, "data")).start()
        self.linked(daemon)
        disk.leave(140 << 20)
        with self.subTest("before the download, by its size"):
            self.telegram.send_video(ANN, b"x", size=19 << 20)
            self.wait_for(ANN, self.NO_SPACE)
            self.telegram.send_video(ANN, b"x", size=0)
            self.wait_for(ANN, self.NO_SPACE, 2)
            self.assertEqual(self.telegram.calls["getFile"], 0)
        with self.subTest("a small file"):
            self.telegram.send_video(ANN, b"x")
            self.wait_for(ANN, "is waiting for its turn")
        with self.subTest("during the download, and other messages are handled"):
            self.telegram.send_video(ANN, os.urandom(19 << 20), size=1)
            self.telegram.say(ANN, "/list")
            self.wait_for(ANN, self.NO_SPACE, 3)
            self.wait_for(ANN, "Your latest reels")
            self.assertEqual(self.telegram.calls["file"], 2)
        self.assertEqual(daemon.stop(), 0)


class FilesOfTheMediaHelper(GeminiTest):
    def test_no_room_for_a_re_encoded_video(self):
        disk = SmallDisk(16, self.addCleanup)
        video = os.path.join(disk.folder, "video.mp4")
        must(subprocess.run(
            ["ffmpeg", "-nostdin", "-loglevel", "error", "-f", "lavfi", "-i",
             "testsrc2=size=360x640:rate=30:duration=4,noise=alls=30:allf=t", "-c:v", "mpeg4", "-b:v", "2M", video],
            capture_output=True, text=True, timeout=60))
        self.platform = Platform(video=video)
        self.addCleanup(self.platform.close)
        self.analyzing(workers=1, data_dir=disk.folder, media_helper=None, attempts_max=1)
        disk.leave(os.path.getsize(video) + 100_000)
        job = self.account.finished(self.submitted())
        self.assertEqual((job["status"], job["error_code"]), ("error", "storage_error"), job)
        self.assertEqual(self.model.count("generate"), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
