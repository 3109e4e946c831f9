"""Tests the thumbnails of a reel, large and small: stored once the reel is done, and served to its owner.

Method: a real daemon on a database that the test reads.
"""

import os
import shlex
import shutil
import subprocess
import unittest

from model_support import ANSWER
from openai_stand_in import OpenAiStandIn
from service_support import SAMPLE, DatabaseTest, new_folder, program

LARGE_BYTES_MAX = 40_000
SMALL_BYTES_MAX = 4_000


class Thumbnails(DatabaseTest):
    def start(self, **more):
        served = self.shared_daemon(**more).start()
        return served, served.account(unlimited=True)

    def thumbnails(self):
        """{job: (large JPEG, small JPEG)}"""
        rows = self.sql("SELECT job_id, encode(jpeg, 'hex'), encode(small_jpeg, 'hex') FROM reel_thumbnail")
        lines = (row.split("|") for row in rows.splitlines())
        return {int(job): (bytes.fromhex(large), bytes.fromhex(small)) for job, large, small in lines}

    @staticmethod
    def path(job_id, query=""):
        return f"/api/v1/reels/{job_id}/thumbnail{query}"

    def assertPicture(self, jpeg, bytes_max, sides):
        self.assertLessEqual(len(jpeg), bytes_max)
        self.assertEqual((jpeg[:4], jpeg[6:10], jpeg[-2:]), (b"\xff\xd8\xff\xe0", b"JFIF", b"\xff\xd9"))
        asked = ["ffprobe", "-v", "error", "-show_entries", "stream=codec_name,width,height", "-of", "csv=p=0",
                 "-f", "image2pipe", "-"]
        seen = subprocess.run(asked, input=jpeg, capture_output=True, timeout=60, check=True)
        self.assertEqual(seen.stdout.decode().strip(), f"mjpeg,{sides}", "upright")

    def test_the_sample_has_a_thumbnail(self):
        served, someone = self.start()
        job = someone.finished(someone.submit(SAMPLE))
        self.assertEqual(job["status"], "done", job)
        large, small = self.thumbnails()[job["id"]]
        self.assertPicture(large, LARGE_BYTES_MAX, "480,853")
        self.assertPicture(small, SMALL_BYTES_MAX, "120,213")

        for query, jpeg in (("", large), ("?size=large", large), ("?size=small", small)):
            answer = someone.request("GET", self.path(job["id"], query))
            self.assertEqual((answer.status, answer.body), (200, jpeg))
            found = {name: answer.headers[name] for name in
                    ("Content-Type", "Cache-Control", "X-Content-Type-Options", "Cross-Origin-Resource-Policy")}
            self.assertEqual(found, {"Content-Type": "image/jpeg", "X-Content-Type-Options": "nosniff",
                                    "Cross-Origin-Resource-Policy": "same-origin",
                                    "Cache-Control": "no-store"})
            head = someone.request("HEAD", self.path(job["id"], query))
            self.assertEqual((head.status, head.body, head.headers["Content-Length"]), (200, b"", str(len(jpeg))))
        for query in ("?size=", "?size=medium", "?size=Small"):
            self.assertProblem(someone.request("GET", self.path(job["id"], query)), 400,
                               "size must be one of small, large")
        self.assertProblem(served.account().request("GET", self.path(job["id"])), 404, "not found")

        self.assertEqual(someone.request("DELETE", f"/api/v1/reels/{job['id']}").status, 204)
        self.assertEqual(self.thumbnails(), {})
        self.assertProblem(someone.request("GET", self.path(job["id"])), 404, "not found")

    def test_lists_fall_back_to_the_large_thumbnail(self):
        _, someone = self.start()
        job = someone.finished(someone.submit(SAMPLE))
        large, _ = self.thumbnails()[job["id"]]
        self.sql("UPDATE reel_thumbnail SET small_jpeg = NULL")
        for query in ("", "?size=small"):
            answer = someone.request("GET", self.path(job["id"], query))
            self.assertEqual((answer.status, answer.body), (200, large))

    def test_a_missing_thumbnail_is_not_found(self):
        _, someone = self.start(workers=0)
        pending = someone.submit(SAMPLE)
        for job_id in (pending, pending + 1, 0, "x", "usage", "search"):
            for query in ("", "?size=small"):
                answer = someone.request("GET", self.path(job_id, query))
                self.assertProblem(answer, 404, "not found")
                self.assertEqual(answer.headers["Cache-Control"], "no-store")

    def test_a_copied_analysis_has_the_thumbnail_of_the_first(self):
        _, someone = self.start()
        self.platform.configure(posts={"PICTUREpost": {}})
        jobs = [someone.finished(someone.submit("https://www.instagram.com/reel/PICTUREpost/"))
                for _ in range(2)]
        self.assertEqual([job["status"] for job in jobs], ["done", "done"])
        pages = [request for request in self.platform.requests() if request["kind"] == "page"]
        self.assertEqual(len(pages), 1, "the second is a copy")
        stored = self.thumbnails()
        self.assertEqual(sorted(stored), sorted(job["id"] for job in jobs))
        self.assertEqual(len(set(stored.values())), 1)

    def test_a_remote_analysis_succeeds_without_a_thumbnail(self):
        folder = new_folder()
        self.addCleanup(shutil.rmtree, folder)
        helper = os.path.join(folder, "reelsd-media")
        real = shlex.quote(program("reelsd-media"))
        with open(helper, "w", encoding="utf-8") as script:
            script.write(f'#!/bin/sh\n[ "$1" != thumbnail ] || exit 3\nexec {real} "$@"\n')
        os.chmod(helper, 0o755)
        model = OpenAiStandIn("vllm", key="sk-standIn").start()
        self.addCleanup(model.stop)
        model.answer = ANSWER
        served, someone = self.start(
            media_helper=helper, analyzer="openai", openai_url=model.url, openai_api_key="sk-standIn",
            openai_model="test-model")
        self.platform.configure(posts={"PLAINpost01": {}})
        job = someone.finished(someone.submit("https://www.instagram.com/reel/PLAINpost01/"))
        self.assertEqual(job["status"], "done", job)
        self.assertEqual(self.thumbnails(), {})
        self.assertProblem(someone.request("GET", self.path(job["id"])), 404, "not found")
        found = [line for line in served.log_lines() if line.get("message") == "thumbnail generation failed"]
        self.assertEqual([(line["level"], line["job"], line["code"]) for line in found],
                         [("warning", job["id"], "unsupported_format")])


if __name__ == "__main__":
    unittest.main()
