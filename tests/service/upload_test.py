"""Tests uploaded videos: as a form and as the body, complete, malformed, interrupted, and with a killed daemon."""

import contextlib
import hashlib
import http.client
import json
import os
import socket
import unittest
from urllib.parse import urlencode

from service_support import DatabaseTest, must, wait_until

ANALYZE = "/api/v1/reels/analyze"
BIN_DIR = os.environ["REELSD_BIN_DIR"]
POST = "https://www.instagram.com/reel/DYa0IXPgnP5/"
CRLF = b"\r\n"


def sample():
    path = os.path.join(BIN_DIR, "..", "share", "reelsd", "sample.mp4")
    with open(path, "rb") as file:
        return file.read()


def part(name, content, file_name=None, boundary=b"xyz"):
    """One part of a form."""
    disposition = f'Content-Disposition: form-data; name="{name}"'
    if file_name is not None:
        disposition += f'; filename="{file_name}"'
    content = content.encode() if isinstance(content, str) else content
    return b"--" + boundary + CRLF + disposition.encode() + CRLF + CRLF + content + CRLF


def form(*parts):
    return b"".join(parts) + b"--xyz--\r\n"


class UploadTest(DatabaseTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.video = sample()
        cls.digest = hashlib.sha256(cls.video).hexdigest()

    def send_form(self, someone, body, key=None):
        headers = {"Content-Type": "multipart/form-data; boundary=xyz"}
        if key:
            headers["Idempotency-Key"] = key
        return someone.request("POST", ANALYZE, body, headers)

    def video_form(self, *parts, file_name="clip.mp4"):
        return form(*parts, part("video", self.video, file_name))

    def send_raw(self, someone, body, content_type="video/mp4", **options):
        return someone.request("POST", f"{ANALYZE}?{urlencode(options)}", body, {"Content-Type": content_type})

    def accepted(self, answer):
        self.assertEqual(answer.status, 202, answer)
        self.assertEqual(answer.json()["status"], "pending")
        self.assertEqual(answer.headers["Location"], f"/api/v1/reels/{answer.json()['id']}")
        self.assertIn("RateLimit-Remaining", answer.headers)
        return answer.json()["id"]

    def begin(self, daemon, someone, more=b"", length=1_000_000):
        """A connection whose upload has begun and sends no more."""
        host, port = daemon.address.rsplit(":", 1)
        link = socket.create_connection((host, int(port)), timeout=60)
        self.addCleanup(link.close)
        link.sendall(
            f"POST {ANALYZE} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {someone.token}\r\n"
            f"Content-Type: video/mp4\r\nContent-Length: {length}\r\n\r\n".encode() + more)
        return link

    def uploads(self):
        return int(self.sql("SELECT count(*) FROM upload"))

    def wait_for_uploads(self, count):
        wait_until(lambda: self.uploads() == count, f"{count} uploads")


class Analysis(UploadTest):
    def test_a_multipart_form(self):
        daemon = self.shared_daemon(workers=1).start()
        someone = daemon.account()
        job_id = self.accepted(self.send_form(
            someone, self.video_form(part("caption", "A walk #park with @bob"), part("author", "ann"))))
        job = someone.finished(job_id)
        self.assertEqual((job["status"], job["url"]), ("done", "upload:clip.mp4"))
        post = job["result"]["platform_meta"]
        self.assertEqual(
            (post["platform"], post["code"], post["url"], post["author"], post["caption"], post["hashtags"],
             post["mentions"]),
            ("upload", f"upload-{self.digest[:12]}", "upload:clip.mp4", "ann", "A walk #park with @bob", ["park"],
             ["bob"]))
        self.assertEqual(job["result"]["metadata"]["file"]["sha256"] if "file" in job["result"]["metadata"]
                         else job["result"]["metadata"]["sha256"], self.digest)
        self.assertEqual(self.platform.requests(), [])
        self.wait_for_uploads(0)
        self.assertEqual(self.sql("SELECT count(*) FROM upload_chunk"), "0")

    def test_with_the_link_of_its_post(self):
        daemon = self.shared_daemon(workers=1).start()
        someone = daemon.account()
        job = someone.finished(self.accepted(self.send_form(someone, self.video_form(part("url", POST)))))
        self.assertEqual((job["status"], job["url"]), ("done", POST))
        post = job["result"]["platform_meta"]
        self.assertEqual((post["platform"], post["code"], post["url"]), ("instagram", "DYa0IXPgnP5", POST))
        self.assertEqual(self.platform.requests(), [])

    def test_the_key_in_a_link_of_a_follower_is_not_published(self):
        daemon = self.shared_daemon(workers=1).start()
        someone = daemon.account()
        link = POST.rstrip("/") + "k" * 28 + "/"
        post = someone.finished(self.accepted(self.send_form(someone, self.video_form(part("url", link)))))[
            "result"]["platform_meta"]
        self.assertEqual((post["code"], post["url"]), ("DYa0IXPgnP5", POST))

    def test_a_raw_body(self):
        daemon = self.shared_daemon(workers=1).start()
        someone = daemon.account(unlimited=True)
        for content_type, body in (("video/mp4", self.video), ("application/octet-stream", iter([self.video[:70_000],
                                                                                                self.video[70_000:]]))):
            job = someone.finished(self.accepted(
                self.send_raw(someone, body, content_type, filename="a b.mp4", caption="hello", fresh="true")))
            self.assertEqual((job["status"], job["url"]), ("done", "upload:a b.mp4"))
            self.assertEqual(job["result"]["platform_meta"]["caption"], "hello")

    def test_a_long_caption_is_kept_whole(self):
        daemon = self.shared_daemon(workers=1).start()
        someone = daemon.account()
        caption = "A walk. " * 8000
        job = someone.finished(self.accepted(self.send_form(someone, self.video_form(part("caption", caption)))))
        self.assertEqual(job["result"]["platform_meta"]["caption"], caption.strip())

    def test_the_same_bytes_are_analysed_once(self):
        daemon = self.shared_daemon(workers=1).start()
        someone = daemon.account(unlimited=True)
        for parts, name in (((), "a.mp4"), ((), "b.mp4"), ((part("caption", "other"),), "a.mp4"),
                            ((part("fresh", "true"),), "a.mp4")):
            job = someone.finished(self.accepted(self.send_form(someone, self.video_form(*parts, file_name=name))))
            self.assertEqual(job["status"], "done")
            self.assertEqual(job["result"]["platform_meta"]["url"], f"upload:{name}")
        times = self.sql("SELECT string_agg(analyzed_at::text, ',' ORDER BY id) FROM job").split(",")
        self.assertEqual(times[0], times[1], "the same bytes, whatever the file's name")
        self.assertEqual(len(set(times)), 3)

    def test_the_same_bytes_with_other_links(self):
        daemon = self.shared_daemon(workers=1).start()
        someone = daemon.account(unlimited=True)
        share = "https://www.instagram.com/share/reel/"
        for links in ((None, f"{share}tok12345/", f"{share}other999/", None), (f"{share}tok12345/", None)):
            video = self.video + bytes([0, 0, 0, 8]) + b"free" if links[0] else self.video
            for link in links:
                parts = [part("url", link)] if link else []
                body = form(*parts, part("video", video, "a.mp4"))
                post = someone.finished(self.accepted(self.send_form(someone, body)))["result"]["platform_meta"]
                self.assertEqual((post["platform"], post["url"]),
                                 ("instagram", link) if link else ("upload", "upload:a.mp4"))
        times = self.sql("SELECT count(DISTINCT analyzed_at) FROM job")
        self.assertEqual(times, "2", "each video is analysed once")

    def test_invalid_videos(self):
        daemon = self.shared_daemon(workers=1).start()
        someone = daemon.account(unlimited=True)
        for content in (b"no video at all" * 1000, self.video[:40]):
            job = someone.finished(self.accepted(self.send_raw(someone, content)))
            self.assertEqual((job["status"], job["error_code"], job["retryable"]),
                             ("error", "unsupported_format", False))

    def test_another_daemon_does_the_work(self):
        receiving = self.shared_daemon(workers=0).start()
        someone = receiving.account()
        job_id = self.accepted(self.send_raw(someone, self.video))
        self.assertEqual(self.uploads(), 1)
        self.shared_daemon(workers=1).start()
        self.assertEqual(someone.finished(job_id)["status"], "done")

    def test_an_upload_starts_before_links_that_wait_for_the_platform(self):
        codes = [f"DYwaits000{number}" for number in range(6)]
        self.platform.configure(posts={code: {"page": "private"} for code in codes})
        daemon = self.shared_daemon(workers=4, platform_interval_seconds=3600).start()
        someone = daemon.account()
        links = [f"https://www.instagram.com/reel/{code}/" for code in codes]
        self.assertEqual(someone.request("POST", "/api/v1/reels/analyze", {"urls": links, "queue": True}).status, 202)
        in_line = "SELECT count(*) FROM job WHERE status = 'pending' AND waits_for = '127.0.0.1'"
        wait_until(lambda: self.sql(in_line) == "3", "one link looked up, and as many in line as may be in progress")
        job_id = self.accepted(self.send_form(someone, self.video_form(part("queue", "true"))))
        self.assertEqual(someone.finished(job_id)["status"], "done")
        self.assertEqual(self.sql(in_line), "3")

    def test_deleting_a_job_deletes_its_file(self):
        daemon = self.shared_daemon(workers=0).start()
        someone = daemon.account()
        job_id = self.accepted(self.send_raw(someone, self.video))
        self.assertEqual(someone.request("DELETE", f"/api/v1/reels/{job_id}").status, 204)
        self.assertEqual(self.sql("SELECT count(*) FROM upload_chunk"), "0")


    def test_other_files_and_the_sign_of_an_author(self):
        someone = self.shared_daemon(workers=0).start().account(unlimited=True)
        picture = part("thumbnail", b"\xff" * 2_000_000, "t.jpg")
        self.accepted(self.send_form(someone, self.video_form(picture, part("author", "@zoe"), file_name="a%22b.mp4")))
        self.assertEqual(self.sql("SELECT author FROM upload"), "zoe")
        self.assertEqual(self.sql("SELECT url FROM job"), 'upload:a"b.mp4')

    def test_options_as_files_and_a_name_that_is_not_ascii(self):
        someone = self.shared_daemon(workers=0).start().account(unlimited=True)
        form = self.video_form(part("caption", "A caption.", "caption.txt"), part("author", "zoe", "blob"))
        names = b"; filename=\"cl%C3%BC.mp4\"; filename*=utf-8''cl%C3%BC.mp4"
        form = form.replace(b'; filename="clip.mp4"', names)
        self.accepted(self.send_form(someone, form))
        self.assertEqual(self.sql("SELECT author, caption FROM upload"), "zoe|A caption.")
        self.assertEqual(self.sql("SELECT url FROM job"), "upload:cl\u00fc.mp4")


class Refusals(UploadTest):
    def setUp(self):
        super().setUp()
        self.served_here = self.shared_daemon(workers=0, video_bytes_max=1_048_576).start()
        self.someone = self.served_here.account(unlimited=True)

    def test_invalid_forms(self):
        video = part("video", b"x", "a.mp4")
        for body, message in (
                (form(part("caption", "x")), "video is required"),
                (form(part("video", b"", "a.mp4")), "video is empty"),
                (form(part("video", "x")), "video must be a file"),
                (form(video, video), 'the part "video" is given more than once'),
                (form(part("url", POST), part("url", POST), video), 'the part "url" is given more than once'),
                (form(*(part(f"p{number}", "x") for number in range(20)), video),
                 'the part "video" is one of more than 20'),
                (form(part("caption", "x" * 65537), video), 'the part "caption" is larger than 64 KiB'),
                (form(part("caption", b"\xff"), video), "caption must be UTF-8 text"),
                (form(part("fresh", "maybe"), video), "fresh must be true or false"),
                (form(part("queue", "1"), video), "queue must be true or false"),
                (form(part("url", "https://tiktok.com/x"), video),
                 'URL must be an instagram.com link, got "tiktok.com"'),
                (form(part("webhook_url", "ftp://x"), video), None),
                (video, 'malformed multipart body: it ends in or after the part "video"'),
                (b"--xyz", "malformed multipart body: it has no end"),
                (b"", "malformed multipart body: it has no end"),
                (b"--xyz\r\nX\r\n\r\nx\r\n--xyz--", None)):
            with self.subTest(message=message, body=body[:60]):
                answer = self.send_form(self.someone, body)
                self.assertEqual(answer.status, 400, answer)
                if message:
                    self.assertProblem(answer, 400, message)
        answer = self.someone.request("POST", ANALYZE, form(video), {"Content-Type": "multipart/form-data"})
        self.assertProblem(answer, 400, "Content-Type must have a valid boundary")
        self.assertEqual(self.uploads(), 0)

    def test_invalid_bodies(self):
        self.assertProblem(self.send_raw(self.someone, b""), 400, "video is empty")
        self.assertProblem(self.send_raw(self.someone, b"x", fresh="1"), 400, "fresh must be true or false")
        self.assertProblem(self.send_raw(self.someone, b"x", url="x"), 400, "URL must be an instagram.com link")
        self.assertEqual(self.uploads(), 0)

    def test_a_video_without_its_content_type(self):
        self.assertProblem(
            self.someone.request("POST", ANALYZE, b"x" * 65537), 413,
            "the request body is larger than 64 KiB; send a video as a form or with Content-Type: video/mp4")

    def test_a_compressed_video(self):
        headers = {"Content-Type": "video/mp4", "Content-Encoding": "gzip"}
        answer = self.someone.request("POST", ANALYZE, b"x", headers)
        self.assertProblem(answer, 415, 'Content-Encoding "gzip" is not supported')
        headers["Content-Encoding"] = "identity"
        self.accepted(self.someone.request("POST", ANALYZE, b"x", headers))

    def test_oversized_uploads(self):
        too_large = (413, "the video is larger than 1 MiB")
        with self.begin(self.served_here, self.someone, length=1_048_577) as link:
            answer = http.client.HTTPResponse(link)
            answer.begin()
            self.assertEqual(answer.status, 413, "before a byte of the body is read")
        many = b"x" * 1_048_577
        self.assertProblem(self.send_raw(self.someone, many), *too_large)
        self.assertProblem(self.send_raw(self.someone, iter([many])), *too_large)
        self.assertProblem(self.send_form(self.someone, form(part("video", many, "a.mp4"))), *too_large)
        self.assertEqual(self.send_raw(self.someone, many[1:]).status, 202)
        self.assertEqual(self.uploads(), 1)

    def test_an_unauthorised_upload_is_refused_before_its_body(self):
        limited = self.served_here.account()
        for _ in range(3):
            self.assertEqual(limited.analyze(POST).status, 202)
        for token, status in (("wrong", 401), (limited.token, 429)):
            host, port = self.served_here.address.rsplit(":", 1)
            with socket.create_connection((host, int(port)), timeout=60) as link:
                link.sendall(f"POST {ANALYZE} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
                             "Content-Type: video/mp4\r\nContent-Length: 1000\r\nExpect: 100-continue\r\n\r\n".encode())
                self.assertIn(f"HTTP/1.1 {status} ".encode(), link.recv(4096))
        with self.begin_expecting() as link:
            self.assertEqual(link.recv(4096), b"HTTP/1.1 100 Continue\r\n\r\n")

    def begin_expecting(self):
        host, port = self.served_here.address.rsplit(":", 1)
        link = socket.create_connection((host, int(port)), timeout=60)
        link.sendall(f"POST {ANALYZE} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {self.someone.token}\r\n"
                     "Content-Type: video/mp4\r\nContent-Length: 1000\r\nExpect: 100-continue\r\n\r\n".encode())
        return link

    def test_concurrent_uploads_are_limited(self):
        links = [self.begin(self.served_here, self.someone, b"x") for _ in range(2)]
        self.wait_for_uploads(2)
        answer = self.send_raw(self.someone, b"x")
        self.assertProblem(answer, 429, "limit of 2 uploads at the same time reached")
        self.assertIn("Retry-After", answer.headers)
        self.assertIn("RateLimit-Remaining", answer.headers)
        other = self.served_here.account()
        self.assertEqual(self.send_raw(other, b"x").status, 202)
        links[0].close()
        self.wait_for_uploads(2)  # The remaining one, and that of the other account.
        self.assertEqual(self.send_raw(self.someone, b"x").status, 202)

    def test_queue_and_keys(self):
        limited = self.served_here.account()
        for _ in range(3):
            self.assertEqual(self.send_raw(limited, b"x").status, 202)
        self.assertEqual(self.send_form(limited, form(part("video", b"x", "a.mp4"))).status, 429)
        queued = self.send_form(limited, form(part("video", b"x", "a.mp4"), part("queue", "true")), key="k")
        self.assertEqual(queued.status, 202)
        again = self.send_form(limited, form(part("queue", "true"), part("video", b"x", "a.mp4")), key="k")
        self.assertEqual((again.status, again.json()["id"]), (202, queued.json()["id"]))
        other = self.send_form(limited, form(part("video", b"y", "a.mp4"), part("queue", "true")), key="k")
        self.assertProblem(other, 400, "Idempotency-Key was used with another request")
        self.assertEqual(self.uploads(), 4)


    def test_the_limit_of_a_form_when_the_queue_is_full(self):
        limited = self.served_here.account()
        must(self.served_here.cli(
            "account", "limits", "--email", limited.email, "--concurrent-jobs", "2", "--queued-jobs", "1"))
        for _ in range(3):
            self.assertEqual(limited.request("POST", ANALYZE, {"url": POST, "queue": True}).status, 202)
        message = "limit of 2 jobs pending or processing at the same time reached"
        self.assertProblem(self.send_raw(limited, b"x"), 429, message)
        self.assertProblem(self.send_form(limited, form(part("video", b"x", "a.mp4"))), 429, message)
        self.assertEqual(self.uploads(), 0)


class Faults(UploadTest):
    def test_access_that_ends_during_the_upload(self):
        daemon = self.shared_daemon(workers=0).start()
        for command in (("token", "revoke", "--name", "test", "--account"), ("account", "delete", "--yes", "--email")):
            with self.subTest(command[:2]):
                someone = daemon.account()
                link = self.begin(daemon, someone, b"x" * 600_000)
                self.wait_for_uploads(1)
                must(daemon.cli(*command, someone.email))
                wait_until(lambda: someone.request("GET", "/api/v1/reels").status == 401, "refused token")
                link.sendall(b"x" * 400_000)
                self.assertIn(b"HTTP/1.1 401 ", link.recv(4096))
                self.wait_for_uploads(0)
        self.assertEqual(self.sql("SELECT count(*) FROM job"), "0")

    def refused_as_lost(self, link, rest):
        """Sends the rest of an upload that the database has lost, in part or whole."""
        link.sendall(rest)
        answer = http.client.HTTPResponse(link)
        answer.begin()
        self.assertEqual((answer.status, json.loads(answer.read())["status"]), (503, "error"))
        self.assertRegex(answer.headers["Retry-After"], r"^\d+$")
        self.wait_for_uploads(0)
        self.assertEqual(self.sql("SELECT count(*) FROM job"), "0")

    def test_a_part_that_a_crash_of_the_database_has_lost(self):
        daemon = self.shared_daemon(workers=0).start()
        someone = daemon.account()
        link = self.begin(daemon, someone, b"x" * 600_000)
        wait_until(lambda: self.sql("SELECT count(*) FROM upload_chunk") == "1", "the first chunk")
        self.sql("DELETE FROM upload_chunk")
        self.refused_as_lost(link, b"x" * 400_000)
        self.accepted(self.send_raw(someone, self.video))

    def test_an_upload_that_another_daemon_removed_during_an_outage(self):
        daemon = self.shared_daemon(workers=0).start()
        someone = daemon.account()
        for begun, rest in ((600_000, 400_000), (600_000, 600_000)):
            with self.subTest("the last chunk" if begun + rest == 1_000_000 else "a chunk"):
                link = self.begin(daemon, someone, b"x" * begun, begun + rest)
                wait_until(lambda: self.sql("SELECT count(*) FROM upload_chunk") == "1", "the first chunk")
                self.sql("DELETE FROM upload")
                self.refused_as_lost(link, b"x" * rest)
        self.accepted(self.send_raw(someone, self.video))

    def test_a_cut_connection(self):
        daemon = self.shared_daemon(workers=0).start()
        someone = daemon.account()
        link = self.begin(daemon, someone, b"x" * 600_000)
        wait_until(lambda: self.sql("SELECT count(*) FROM upload_chunk") == "1", "the first chunk")
        link.close()
        self.wait_for_uploads(0)
        self.assertEqual(self.sql("SELECT count(*) FROM job"), "0")

    def test_a_killed_daemon(self):
        daemon = self.shared_daemon(workers=0).start()
        someone = daemon.account(unlimited=True)
        kept = self.accepted(self.send_raw(someone, self.video))
        self.begin(daemon, someone, b"x" * 600_000)
        self.wait_for_uploads(2)
        daemon.kill()
        daemon.settings["workers"] = 1
        daemon.start()
        self.assertEqual(someone.finished(kept)["status"], "done", "what was answered with 202 is durable")
        self.wait_for_uploads(0)

    def test_a_stopping_daemon(self):
        daemon = self.shared_daemon(workers=0).start()
        link = self.begin(daemon, daemon.account(), b"x")
        self.wait_for_uploads(1)
        daemon.stop()
        with contextlib.suppress(ConnectionResetError):
            answer = http.client.HTTPResponse(link)
            answer.begin()
            self.assertEqual((answer.status, json.loads(answer.read())["message"]),
                             (503, "the service is shutting down"))
            self.assertRegex(answer.headers["Retry-After"], r"^\d+$")
        self.assertEqual(self.uploads(), 0)

    def test_many_concurrent_uploads(self):
        daemon = self.shared_daemon(workers=0).start()
        callers = [daemon.account() for _ in range(50)]
        half = len(self.video) // 2
        links = [(someone, self.begin(daemon, someone, self.video[:half], len(self.video)))
                 for someone in callers for _ in range(2)]
        for _, link in links:
            with contextlib.suppress(ConnectionError):  # Refused, as below.
                link.sendall(self.video[half:])
        for someone, link in links:
            answer = http.client.HTTPResponse(link)
            answer.begin()
            body = answer.read()
            if answer.status == 503:  # A slow disk: the database did not answer in time.
                self.assertIn("Retry-After", answer.headers)
                wait_until(lambda: self.send_raw(someone, self.video).status == 202, "an upload that is sent again")
                continue
            self.assertEqual((answer.status, json.loads(body)["status"]), (202, "pending"))
        self.wait_for_uploads(len(links))
        self.assertEqual(self.sql("SELECT count(*) FROM job JOIN upload ON upload.job_id = job.id"), str(len(links)))
        self.assertEqual(self.sql("SELECT count(DISTINCT md5) FROM (SELECT md5(string_agg(bytes, '' ORDER BY number))"
                                  " FROM upload_chunk GROUP BY upload_id) AS files"), "1")


if __name__ == "__main__":
    unittest.main()
