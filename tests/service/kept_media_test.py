"""Tests kept media: frames of key moments and videos, in the database and in an S3-compatible store.

Method: a real daemon on a database that the test reads, and a stand-in store that verifies signatures.
"""

import hashlib
import http.client
import json
import os
import pathlib
import shutil
import subprocess
import unittest

from cutting_proxy import CuttingProxy
from dashboard_session import Person
from s3_stand_in import S3StandIn
from service_support import SAMPLE, DatabaseTest, Platform, must, new_folder, program, wait_until
from upload_test import sample

POST = "https://www.instagram.com/reel/KEPTpost01x/"
CODE = "KEPTpost01x"
SAMPLE_FILE = os.path.join(program(""), "..", "share", "reelsd", "sample.mp4")
LIMIT_SECONDS = 60  # Within which objects of a deleted reel are gone, on a busy machine.


class KeptMediaTest(DatabaseTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # The usual short video has no key moment.
        cls.platform = Platform(video=SAMPLE_FILE)
        cls.addClassCleanup(cls.platform.close)

    def setUp(self):
        super().setUp()
        self.platform.configure(posts={CODE: {}})

    def start(self, **more):
        settings = {"workers": 2, "videos_kept_days": 1, **more}
        served = self.shared_daemon(**settings).start()
        return served, served.account(unlimited=True)

    def done(self, someone, link=POST, **options):
        answer = someone.request("POST", "/api/v1/reels/analyze", {"url": link, **options})
        self.assertEqual(answer.status, 202, answer)
        job = someone.finished(answer.json()["id"])
        self.assertEqual(job["status"], "done", job)
        return job

    def proxied(self):
        """A proxy in front of the database, and the database's URL through it."""
        proxy = CuttingProxy(os.path.join(self.cluster.folder, ".s.PGSQL.5432"))
        self.addCleanup(proxy.close)
        url = self.database.replace(f"host={self.cluster.folder}", proxy.address)
        return proxy, f"{url} sslmode=disable gssencmode=disable"

    @staticmethod
    def video_path(job):
        return f"/api/v1/reels/{job['id']}/video"

    def frames(self, someone, job):
        """The JPEGs of the job's key moments, by their paths."""
        moments = job["result"]["content"]["key_moments"]
        self.assertTrue(moments)
        pictures = []
        for number, moment in enumerate(moments):
            self.assertEqual(moment["frame"], f"/api/v1/reels/{job['id']}/frames/{number}")
            answer = someone.request("GET", moment["frame"])
            self.assertEqual((answer.status, answer.headers["Content-Type"]), (200, "image/jpeg"))
            self.assertEqual(answer.body[:4], b"\xff\xd8\xff\xe0")
            self.assertLessEqual(len(answer.body), 40_960)
            pictures.append(answer.body)
        return pictures

    def looked_up(self):
        return len([request for request in self.platform.requests() if request["kind"] == "page"])


class Frames(KeptMediaTest):
    def test_frames_of_a_result_and_its_copy(self):
        served, someone = self.start(videos_kept_days=0)
        job = self.done(someone, SAMPLE)
        pictures = self.frames(someone, job)
        answer = someone.request("GET", f"/api/v1/reels/{job['id']}/frames/0")
        self.assertEqual(answer.headers["Cache-Control"], "no-store")
        self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
        for number in (len(pictures), 99, 100, "-1", "00", "x", "1.0"):
            missing = someone.request("GET", f"/api/v1/reels/{job['id']}/frames/{number}")
            self.assertProblem(missing, 404, "not found")
        self.assertProblem(served.account().request("GET", f"/api/v1/reels/{job['id']}/frames/0"), 404, "not found")

        first = self.done(someone)
        copy = self.done(someone)
        self.assertEqual(self.looked_up(), 1)
        self.assertEqual(self.frames(someone, first), self.frames(someone, copy))
        someone.request("DELETE", f"/api/v1/reels/{first['id']}")
        self.frames(someone, copy)
        for job_id in (copy["id"], job["id"]):
            someone.request("DELETE", f"/api/v1/reels/{job_id}")
        self.assertEqual(self.sql("SELECT count(*) FROM reel_frame"), "0")

    def logging_helper(self):
        """A media helper, and the file to which it writes the arguments of each run."""
        helper, log = pathlib.Path(new_folder(), "helper"), pathlib.Path(new_folder(), "log")
        for path in (helper, log):
            self.addCleanup(shutil.rmtree, path.parent)
        log.touch()
        log.chmod(0o666)
        helper.write_text(f'#!/bin/sh\necho "$*" >>{log}\nexec {program("reelsd-media")} "$@"\n', encoding="utf-8")
        helper.chmod(0o755)
        return helper, log

    @staticmethod
    def runs(log):
        runs = [line.split() for line in log.read_text(encoding="utf-8").splitlines()]
        return [run for run in runs if run[0] not in ("doctor", "jail")]

    def test_a_local_job_starts_one_child(self):
        helper, log = self.logging_helper()
        _, someone = self.start(media_helper=helper, videos_kept_days=0)
        self.frames(someone, self.done(someone, SAMPLE))
        self.frames(someone, self.done(someone))
        self.assertEqual([run[0] for run in self.runs(log)], ["analyze"] * 2)

    def test_with_a_speech_server_frames_show_their_texts(self):
        """A second child takes them when the texts of their moments have appeared. A silent video is not sent."""
        helper, log = self.logging_helper()
        _, someone = self.start(media_helper=helper, videos_kept_days=0, transcriber="openai",
                                transcriber_url="http://127.0.0.1:9", transcriber_model="m")
        silent = subprocess.run(
            ["ffmpeg", "-nostdin", "-loglevel", "error", "-i", SAMPLE_FILE, "-an", "-c:v", "copy",
             "-movflags", "frag_keyframe+empty_moov", "-f", "mp4", "-"],
            check=True, timeout=60, stdout=subprocess.PIPE).stdout
        answer = someone.request("POST", "/api/v1/reels/analyze", silent, {"Content-Type": "video/mp4"})
        job = someone.finished(answer.json()["id"])
        self.frames(someone, job)
        stills, = [run for run in self.runs(log) if run[0] == "stills"]
        taken = [float(seconds) for seconds in stills[stills.index("--at") + 1].split(",")]
        moments = job["result"]["content"]["key_moments"]
        delays = [at - moment["seconds"] for at, moment in zip(taken, moments, strict=True)
                  if "text" in moment["description"]]
        self.assertTrue(delays, moments)
        self.assertGreater(min(delays), 0.1, moments)

    def test_frames_can_be_disabled(self):
        _, someone = self.start(frames="false")
        job = self.done(someone, SAMPLE)
        self.assertNotIn("frame", job["result"]["content"]["key_moments"][0])
        self.assertProblem(someone.request("GET", f"/api/v1/reels/{job['id']}/frames/0"), 404, "not found")


class Videos(KeptMediaTest):
    def ranged(self, someone, job, range_text, **more):
        headers = {"Range": range_text, **{name.replace("_", "-"): value for name, value in more.items()}}
        return someone.request("GET", self.video_path(job), headers=headers)

    def test_videos_are_served_whole_and_in_ranges(self):
        served, someone = self.start()
        job = self.done(someone, SAMPLE)
        video = sample()
        size = len(video)
        tag = f'"{hashlib.sha256(video).hexdigest()}"'
        whole = someone.request("GET", self.video_path(job))
        self.assertEqual((whole.status, whole.body), (200, video))
        fields = {name: whole.headers[name] for name in
                  ("Content-Type", "Content-Length", "Accept-Ranges", "ETag", "X-Content-Type-Options",
                   "Content-Security-Policy", "Content-Disposition", "Cross-Origin-Resource-Policy")}
        self.assertEqual(fields, {
            "Content-Type": "video/mp4", "Content-Length": str(size), "Accept-Ranges": "bytes", "ETag": tag,
            "X-Content-Type-Options": "nosniff",
            "Content-Security-Policy": "sandbox; default-src 'none'; media-src 'self'",
            "Content-Disposition": f'inline; filename="reel-{job["id"]}.mp4"',
            "Cross-Origin-Resource-Policy": "same-origin"})
        self.assertEqual(whole.headers["Cache-Control"], "no-store")

        head = someone.request("HEAD", self.video_path(job), headers={"Range": "bytes=0-1"})
        self.assertEqual((head.status, head.body, head.headers["Content-Length"], head.headers["ETag"]),
                         (200, b"", str(size), tag))
        for range_text, first, last in (("bytes=0-1", 0, 1), ("bytes=0-", 0, size - 1), ("bytes=-7", size - 7, size - 1),
                                    ("bytes=1000-300999", 1000, min(300_999, size - 1)),
                                    (f"bytes={size - 1}-{size + 9}", size - 1, size - 1)):
            part = self.ranged(someone, job, range_text)
            self.assertEqual((part.status, part.headers["Content-Range"], part.body),
                             (206, f"bytes {first}-{last}/{size}", video[first:last + 1]), range_text)
            self.assertEqual(part.headers["ETag"], tag)
        for range_text in ("bytes=0-1,4-5", "seconds=0-1", "bytes=5-1", "bytes=x"):
            self.assertEqual(self.ranged(someone, job, range_text).status, 200, range_text)
        for range_text in (f"bytes={size}-", "bytes=-0"):
            refused = self.ranged(someone, job, range_text)
            self.assertEqual((refused.status, refused.headers["Content-Range"]), (416, f"bytes */{size}"))
            self.assertEqual((refused.headers["Cache-Control"], refused.headers.get("ETag")), ("no-store", None))
        self.assertEqual(self.ranged(someone, job, "bytes=0-1", If_Range=tag).status, 206)
        self.assertEqual(self.ranged(someone, job, "bytes=0-1", If_Range='"other"').status, 200)
        current = self.ranged(someone, job, "bytes=0-1", If_None_Match=tag)
        self.assertEqual((current.status, current.body, current.headers["ETag"]), (304, b"", tag))
        self.assertEqual(self.ranged(someone, job, "bytes=0-1", If_Match='"other"').status, 412)
        stranger = served.account().request("GET", self.video_path(job))
        self.assertProblem(stranger, 404, "not found")
        self.assertEqual(stranger.headers["X-Error-Code"], "not_found")

    def test_an_export_describes_a_kept_video_once(self):
        _, someone = self.start()
        job = self.done(someone)
        lines = someone.request("GET", "/api/v1/export").body.decode().splitlines()
        [reel] = [line for line in lines if line.startswith('{"type":"reel"')]
        members = [name for name, _ in json.loads(reel, object_pairs_hook=list)]
        self.assertEqual(members.count("video"), 1)
        self.assertEqual(json.loads(reel)["video"]["path"], self.video_path(job))

    def test_videos_are_served_on_one_connection_and_with_a_session(self):
        served, someone = self.start()
        job = self.done(someone, SAMPLE)
        video = sample()
        connection = served.connection()
        self.addCleanup(connection.close)
        for first in (0, 100, 200_000):
            connection.request("GET", self.video_path(job), headers={
                "Authorization": f"Bearer {someone.token}", "Range": f"bytes={first}-{first + 99}"})
            answer = connection.getresponse()
            self.assertEqual((answer.status, answer.read()), (206, video[first:first + 100]))
        invitation = must(served.cli("account", "invite", "--account", someone.email))
        person = Person(served).join(invitation.stdout.strip().split("#")[1])
        part = person.api("GET", f"reels/{job['id']}/video", headers={"Range": "bytes=0-1"})
        self.assertEqual((part.status, part.body), (206, video[:2]))
        frame = person.api("GET", f"reels/{job['id']}/frames/0")
        self.assertEqual((frame.status, frame.headers["Cache-Control"], frame.headers["Vary"]),
                         (200, "private, max-age=86400, immutable", "Cookie"))

    def test_a_disconnected_client_ends_its_stream(self):
        served, someone = self.start()
        job = self.done(someone, SAMPLE)
        connection = served.connection()
        connection.request("GET", self.video_path(job), headers={"Authorization": f"Bearer {someone.token}"})
        connection.getresponse().read(10)
        connection.close()
        self.assertEqual(someone.request("GET", self.video_path(job)).status, 200)

    def begun_download(self, served, someone):
        """The response with a video of which the daemon cannot send all before it is read."""
        padding = 32 * 1024 * 1024  # More than all buffers of a connection. A "free" box: players skip it.
        video = sample() + padding.to_bytes(4, "big") + b"free" + bytes(padding - 8)
        job = someone.finished(someone.request("POST", "/api/v1/reels/analyze", video,
                                               {"Content-Type": "video/mp4"}).json()["id"])
        connection = served.connection()
        connection.request("GET", self.video_path(job), headers={"Authorization": f"Bearer {someone.token}"})
        answer = connection.getresponse()
        answer.read(10)
        return answer

    def test_a_revoked_token_ends_a_download(self):
        served, someone = self.start()
        answer = self.begun_download(served, someone)
        must(served.cli("token", "revoke", "--account", someone.email, "--name", "test"))
        wait_until(lambda: someone.request("GET", "/api/v1/reels").status == 401, "refused token")
        with self.assertRaises(http.client.IncompleteRead):
            answer.read()

    def test_a_stop_does_not_wait_for_a_client_that_does_not_read(self):
        served, someone = self.start(shutdown_drain_seconds=600)
        answer = self.begun_download(served, someone)
        self.assertEqual(served.stop(), 0)
        with self.assertRaises(http.client.IncompleteRead):
            answer.read()

    def test_a_lost_connection_costs_no_video(self):
        proxy, url = self.proxied()
        _, someone = self.start(database_url=url)
        for statement in (b"media.begin_file#", b"media.add_file#", b"uploads.add_chunk#"):
            for at in (proxy.QUESTION, proxy.ANSWER):
                with self.subTest(statement=statement, at=at):
                    cuts = proxy.cuts
                    proxy.cut(statement, at)
                    job = self.done(someone, SAMPLE)
                    self.assertEqual(proxy.cuts, cuts + 1)
                    self.assertEqual(someone.request("GET", self.video_path(job)).body, sample())
        self.assertEqual(self.sql("SELECT count(*) FROM upload WHERE kept_at IS NULL"), "0")

    def test_videos_are_not_kept_without_the_setting(self):
        _, someone = self.start(videos_kept_days=0)
        job = self.done(someone)
        missing = someone.request("GET", self.video_path(job))
        self.assertProblem(missing, 404, "not found")
        self.assertEqual(missing.headers["X-Error-Code"], "video_not_kept")
        wait_until(lambda: self.sql("SELECT count(*) FROM upload") == "0", "no file")

    def test_uploads_are_kept_too(self):
        _, someone = self.start()
        video = sample()
        answer = someone.request("POST", "/api/v1/reels/analyze", video, {"Content-Type": "video/mp4"})
        job = someone.finished(answer.json()["id"])
        self.assertEqual(someone.request("GET", self.video_path(job)).body, video)
        again = someone.request("POST", "/api/v1/reels/analyze", video, {"Content-Type": "video/mp4"})
        copy = someone.finished(again.json()["id"])
        someone.request("DELETE", f"/api/v1/reels/{job['id']}")
        self.assertEqual(someone.request("GET", self.video_path(copy)).body, video)

    def test_a_kept_video_is_analysed_without_the_platform(self):
        _, someone = self.start()
        self.platform.configure(posts={CODE: {"caption": "A walk #park"}})
        first = self.done(someone)
        self.assertEqual(self.looked_up(), 1)
        self.platform.configure(posts={CODE: {"page": "private"}})
        before = len(self.platform.requests())
        again = self.done(someone, fresh=True)
        self.assertEqual(len(self.platform.requests()), before)
        self.assertEqual(again["result"]["platform_meta"], first["result"]["platform_meta"])
        self.assertEqual(again["result"]["metadata"]["sha256"], first["result"]["metadata"]["sha256"])
        times = self.sql("SELECT count(DISTINCT analyzed_at) FROM job")
        self.assertEqual(times, "2")
        self.assertEqual(someone.request("GET", self.video_path(again)).status, 200)

    def test_a_reused_analysis_keeps_the_analysed_video(self):
        _, someone = self.start()
        first = self.done(someone)
        headers = {"Content-Type": "video/mp4"}
        other = sample() + bytes([0, 0, 0, 8]) + b"free"  # Another file: players skip the box.
        answer = someone.request("POST", f"/api/v1/reels/analyze?url={POST}", other, headers)
        upload = someone.finished(answer.json()["id"])
        self.assertEqual(someone.request("GET", self.video_path(upload)).body, other)
        copy = self.done(someone)
        self.assertEqual(copy["result"]["metadata"]["sha256"], first["result"]["metadata"]["sha256"])
        video = someone.request("GET", self.video_path(copy)).body
        self.assertEqual(hashlib.sha256(video).hexdigest(), copy["result"]["metadata"]["sha256"])

    def test_the_oldest_videos_are_deleted_first(self):
        size = len(sample())
        served, someone = self.start(videos_kept_bytes_max=2 * size)
        jobs = [self.done(someone, SAMPLE) for _ in range(3)]
        self.assertEqual(jobs[0]["video"], self.video_path(jobs[0]))
        wait_until(lambda: someone.request("HEAD", self.video_path(jobs[0])).status == 404, "the first is gone", 30)
        for job in jobs[1:]:
            self.assertEqual(someone.request("GET", self.video_path(job)).status, 200)
        without_video = {name: value for name, value in jobs[0].items() if name != "video"}
        self.assertEqual(someone.job(jobs[0]["id"]), without_video)
        metrics = served.request("GET", "/metrics").body.decode()
        self.assertIn("reelsd_kept_videos 2\n", metrics)
        self.assertIn(f"reelsd_kept_videos_bytes {2 * size}\n", metrics)

    def test_a_video_beyond_the_limit_replaces_no_others(self):
        size = len(sample())
        served, someone = self.start(videos_kept_bytes_max=2 * size)
        small = self.done(someone, SAMPLE)
        large = sample() + (2 * size).to_bytes(4, "big") + b"free" + bytes(2 * size - 8)
        answer = someone.request("POST", "/api/v1/reels/analyze", large, {"Content-Type": "video/mp4"})
        job = someone.finished(answer.json()["id"])
        self.assertEqual(job["status"], "done", job)
        self.assertNotIn("video", job)
        failures = [line["reason"] for line in served.log_lines() if line.get("message") == "keeping media failed"]
        self.assertEqual(failures, ["the video is larger than videos-kept-bytes-max"])
        self.assertEqual(someone.request("GET", self.video_path(small)).status, 200)

    def test_videos_are_deleted_with_the_reel_and_the_account(self):
        served, someone = self.start()
        job = self.done(someone)
        self.done(someone, SAMPLE)
        someone.request("DELETE", f"/api/v1/reels/{job['id']}")
        self.assertEqual(self.sql("SELECT count(*) FROM upload"), "1")
        must(served.cli("account", "delete", "--email", someone.email, "--yes"))
        wait_until(lambda: self.sql("SELECT count(*) FROM upload") == "0", "erasure")
        self.assertEqual(self.sql("SELECT count(*) FROM upload_chunk"), "0")
        self.assertEqual(self.sql("SELECT count(*) FROM reel_frame"), "0")


class ObjectStore(KeptMediaTest):
    def setUp(self):
        super().setUp()
        self.store = S3StandIn()
        self.addCleanup(self.store.stop)

    def start(self, **more):
        return super().start(**{**self.store.settings(), **more})

    def assertEmptied(self):
        wait_until(lambda: not self.store.objects, "no object is left", LIMIT_SECONDS)
        self.assertEqual(self.store.refusals, [])

    def test_media_is_stored_and_deleted(self):
        served, someone = self.start()
        job = self.done(someone, SAMPLE)
        video = sample()
        stored = dict(self.store.objects)
        self.assertEqual(sorted(content_type for _, content_type in stored.values()), ["image/jpeg", "video/mp4"])
        self.assertTrue(all(key.startswith("reels/kept/") for key in stored), stored.keys())
        self.assertIn(video, [content for content, _ in stored.values()])
        self.assertEqual(self.sql("SELECT count(*) FROM upload_chunk"), "0")
        self.assertEqual(self.sql("SELECT count(*) FROM reel_frame WHERE jpeg IS NOT NULL"), "0")

        self.frames(someone, job)
        self.assertEqual(someone.request("GET", self.video_path(job)).body, video)
        part = someone.request("GET", self.video_path(job), headers={"Range": "bytes=1000-2000"})
        self.assertEqual((part.status, part.body), (206, video[1000:2001]))
        checked = served.cli("doctor")
        self.assertIn("ok    media store    s3://media/reels/kept", checked.stdout)
        self.assertEqual(set(self.store.objects), set(stored))

        someone.request("DELETE", f"/api/v1/reels/{job['id']}")
        self.assertEmptied()
        served.stop()
        self.assertNotIn("stand-in/secret", served.log())

    def test_copies_uploads_and_repeated_analyses(self):
        _, someone = self.start()
        first = self.done(someone)
        copy = self.done(someone)
        again = self.done(someone, fresh=True)
        self.assertEqual(self.looked_up(), 1)
        answer = someone.request("POST", "/api/v1/reels/analyze", sample(), {"Content-Type": "video/mp4"})
        upload = someone.finished(answer.json()["id"])
        self.assertEqual(someone.request("GET", self.video_path(upload)).body, sample())
        self.assertEqual(len(self.store.objects), 8)
        videos = {someone.request("GET", self.video_path(job)).body for job in (first, copy, again)}
        self.assertEqual(len(videos), 1)
        for job in (first, copy, again, upload):
            self.frames(someone, job)
            someone.request("DELETE", f"/api/v1/reels/{job['id']}")
        self.assertEmptied()

    def test_faults_of_the_store(self):
        served, someone = self.start()
        kept = self.done(someone, SAMPLE)
        for status in (503, 403):
            self.store.faults = {"PUT": status}
            job = self.done(someone, SAMPLE)
            self.assertNotIn("frame", job["result"]["content"]["key_moments"][0])
            self.assertProblem(someone.request("GET", self.video_path(job)), 404, "not found")
        failures = {line["reason"] for line in served.log_lines() if line.get("message") == "keeping media failed"}
        self.assertEqual(failures, {f"the media store answered PUT with status {status}, SlowDown"
                                    for status in (503, 403)})
        self.store.faults = {"GET": 503}
        for path in (self.video_path(kept), f"/api/v1/reels/{kept['id']}/frames/0"):
            answer = someone.request("GET", path)
            self.assertEqual((answer.status, "Retry-After" in answer.headers), (503, True))
        self.store.faults = {"DELETE": 503}
        someone.request("DELETE", f"/api/v1/reels/{kept['id']}")
        wait_until(lambda: any(method == "DELETE" and status == 503
                               for method, _, status in self.store.requests), "a failed deletion")
        metrics = served.request("GET", "/metrics").body.decode()
        self.assertNotIn("reelsd_media_objects_unwanted 0\n", metrics)
        self.store.faults = {}
        wait_until(lambda: not self.store.objects, "no object is left", 2 * LIMIT_SECONDS)

        checked = served.cli("doctor", s3_secret_key="wrong")
        self.assertIn("FAIL  media store    s3://media/reels/kept: the media store answered PUT with status 403, "
                      "SignatureDoesNotMatch", checked.stdout)
        self.assertNotEqual(checked.returncode, 0)

    def test_an_object_that_cannot_be_deleted_keeps_no_other(self):
        served, someone = self.start()
        self.store.faults = {"DELETE": 503}
        for _ in range(3):
            job = self.done(someone, SAMPLE)
            someone.request("DELETE", f"/api/v1/reels/{job['id']}")
        self.store.protected = {key for key, (_, kind) in self.store.objects.items() if kind == "image/jpeg"}
        self.assertEqual((len(self.store.protected), len(self.store.objects)), (3, 6))
        self.store.faults = {}
        wait_until(lambda: set(self.store.objects) == self.store.protected, "the others are deleted", LIMIT_SECONDS)

        def failed():
            return {f"reels/kept/{line['object']}" for line in served.log_lines()
                    if line.get("message") == "deleting media objects failed"}

        wait_until(failed, "a failure in the log", LIMIT_SECONDS)
        self.assertLessEqual(failed(), {key for _, key, _ in self.store.requests})
        self.store.protected = set()
        self.assertEmptied()

    def test_media_of_a_store_that_is_no_longer_configured(self):
        served, someone = self.start()
        job = self.done(someone, SAMPLE)
        stored = set(self.store.objects)
        served.stop()
        someone.daemon = self.shared_daemon(workers=2, videos_kept_days=1).start()
        for path, code in ((self.video_path(job), "video_not_kept"),
                           (f"/api/v1/reels/{job['id']}/frames/0", "not_found")):
            missing = someone.request("GET", path)
            self.assertProblem(missing, 404, "not found")
            self.assertEqual(missing.headers["X-Error-Code"], code)
        self.assertEqual(someone.request("DELETE", f"/api/v1/reels/{job['id']}").status, 204)
        self.assertEqual(set(self.store.objects), stored)

    def test_an_unreachable_store(self):
        self.store.stop()
        _, someone = self.start()
        job = self.done(someone, SAMPLE)
        self.assertProblem(someone.request("GET", self.video_path(job)), 404, "not found")

    def test_a_lost_connection_costs_no_object(self):
        proxy, url = self.proxied()
        _, someone = self.start(database_url=url)
        for at in (proxy.QUESTION, proxy.ANSWER):
            with self.subTest(at=at):
                proxy.cut(b"media.register_object#", at)
                job = self.done(someone, SAMPLE)
                self.frames(someone, job)
                self.assertEqual(someone.request("GET", self.video_path(job)).body, sample())
                someone.request("DELETE", f"/api/v1/reels/{job['id']}")
        self.assertEqual(proxy.cuts, 2)
        self.assertEmptied()

    def test_a_killed_daemon_leaves_no_object(self):
        served, someone = self.start(lease_seconds=3)
        self.store.put_gate.clear()
        answer = someone.analyze(SAMPLE)
        self.assertTrue(self.store.put_arrived.wait(60))
        served.kill()
        self.store.put_gate.set()
        served.start()
        job = someone.finished(answer.json()["id"])
        self.assertEqual(job["status"], "done", job)
        wait_until(lambda: len(self.store.objects) == 2, "objects of the last attempt only", LIMIT_SECONDS)
        someone.request("DELETE", f"/api/v1/reels/{job['id']}")
        self.assertEmptied()

    def test_a_stopped_daemon_leaves_storing_to_the_next_attempt(self):
        """This also holds for the copy of an earlier analysis."""
        served, someone = self.start(shutdown_drain_seconds=0)
        for kind in ("analysis", "copy"):
            with self.subTest(kind):
                self.store.put_gate.clear()
                self.store.put_arrived.clear()
                job_id = someone.analyze(POST).json()["id"]
                self.assertTrue(self.store.put_arrived.wait(60))
                self.assertEqual(served.stop(), 0)
                self.assertEqual(self.sql(f"SELECT status, attempt FROM job WHERE id = {job_id}"), "pending|0")
                self.store.put_gate.set()
                served.start()
                job = someone.finished(job_id)
                self.assertEqual(job["status"], "done", job)
                self.frames(someone, job)
                self.assertEqual(someone.request("GET", self.video_path(job)).body, sample())
        self.assertEqual(self.sql("SELECT count(DISTINCT analyzed_at) FROM job"), "1")

    def test_a_reel_that_is_deleted_while_it_is_stored(self):
        _, someone = self.start()
        self.store.put_gate.clear()
        job_id = someone.analyze(SAMPLE).json()["id"]
        self.assertTrue(self.store.put_arrived.wait(60))
        self.assertEqual(someone.request("DELETE", f"/api/v1/reels/{job_id}").status, 204)
        self.store.put_gate.set()
        self.assertEmptied()


if __name__ == "__main__":
    unittest.main()
