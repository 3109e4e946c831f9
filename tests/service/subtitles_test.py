"""Tests the subtitles of a reel, as its owner downloads them.

Method: a real daemon; the sample reel for real speech, and results that the test writes into the database for
other texts. ffprobe reads the files as a player would.
"""

import json
import subprocess
import unittest

from service_support import SAMPLE, UNAVAILABLE, DatabaseTest

KINDS = {"srt": "application/x-subrip; charset=utf-8", "vtt": "text/vtt; charset=utf-8"}
SEGMENTS = [{"text": "Grüße & <b>hello</b>\n\n00:01 --> 00:02", "start_seconds": 0.5, "end_seconds": 3.1},
            {"text": "first, " * 40, "start_seconds": 3661.25, "end_seconds": 3671.25},
            {"text": "zero", "start_seconds": 3672, "end_seconds": 3672}]


def cues_by_ffprobe(text, kind):
    """(start in seconds, length in seconds) of each cue, as a player reads them."""
    asked = ["ffprobe", "-v", "error", "-f", {"srt": "srt", "vtt": "webvtt"}[kind], "-show_entries",
             "packet=pts_time,duration_time", "-of", "json", "-i", "-"]
    seen = subprocess.run(asked, input=text, capture_output=True, timeout=60, check=True)
    assert not seen.stderr, seen.stderr
    packets = json.loads(seen.stdout)["packets"]
    return [(float(one["pts_time"]), float(one["duration_time"])) for one in packets]


class Subtitles(DatabaseTest):
    def start(self, **more):
        served = self.shared_daemon(**more).start()
        return served, served.account(unlimited=True)

    @staticmethod
    def download(someone, job_id, kind):
        return someone.request("GET", f"/api/v1/reels/{job_id}/subtitles.{kind}")

    def done_with(self, someone, segments, code="DYsubtitles"):
        """A done reel, as an analysis would leave it."""
        job_id = someone.submit(SAMPLE)
        result = json.dumps({"audio": {"segments": segments}, "platform_meta": {"code": code}})
        self.sql(f"UPDATE job SET status = 'done', result = $text${result}$text$, code = '', author = '',"
                 " summary = '', started_at = now(), finished_at = now(), analyzed_at = now()"
                 f" WHERE id = {job_id}")
        return job_id

    def assertFile(self, answer, kind, name):
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual(answer.headers["Content-Type"], KINDS[kind])
        self.assertEqual(answer.headers["Content-Disposition"], f'attachment; filename="{name}.{kind}"')
        self.assertEqual(answer.headers["Cache-Control"], "no-store")

    def test_subtitles_of_the_sample(self):
        served, someone = self.start()
        job = someone.finished(someone.submit(SAMPLE))
        segments = job["result"]["audio"]["segments"]
        self.assertGreater(len(segments), 0)
        for kind in KINDS:
            answer = self.download(someone, job["id"], kind)
            self.assertFile(answer, kind, "reelsd-sample")
            cues = cues_by_ffprobe(answer.body, kind)
            self.assertGreaterEqual(len(cues), len(segments))
            self.assertAlmostEqual(cues[0][0], segments[0]["start_seconds"], delta=0.002)
            words = " ".join(answer.body.decode().split())
            self.assertIn(segments[0]["text"].split()[0], words)
            self.assertProblem(self.download(served.account(), job["id"], kind), 404, "not found")

    def test_subtitles_of_markup(self):
        _, someone = self.start(workers=0)
        job_id = self.done_with(someone, SEGMENTS, 'DY"\r\nX-Evil: 1')
        files = {kind: self.download(someone, job_id, kind) for kind in KINDS}
        for kind, answer in files.items():
            self.assertFile(answer, kind, "DYX-Evil1")
            self.assertIsNone(answer.headers["X-Evil"])
            cues = cues_by_ffprobe(answer.body, kind)
            self.assertEqual(cues[0], (0.5, 2.6))
            self.assertEqual(cues[-1], (3672.0, 1.0))
            self.assertGreater(len(cues), 4, "what is long is shared among several")
            for (begin, length), (later, _) in zip(cues, cues[1:]):
                self.assertGreater(length, 0)
                self.assertLessEqual(begin + length, later + 0.0005)
            self.assertEqual(answer.body.count(b"first,"), 40)
        self.assertIn("\nGrüße &amp; &lt;b&gt;hello&lt;/b&gt; 00:01 --&gt; 00:02\n",
                      files["vtt"].body.decode())
        self.assertIn("\nGrüße & ‹b›hello‹/b› 00:01 → 00:02\n", files["srt"].body.decode())

    def test_subtitles_without_speech(self):
        _, someone = self.start(workers=0)
        job_id = self.done_with(someone, [])
        for kind, body in (("srt", b""), ("vtt", b"WEBVTT\n")):
            answer = self.download(someone, job_id, kind)
            self.assertFile(answer, kind, "DYsubtitles")
            self.assertEqual(answer.body, body)

    def test_unfinished_reels_have_no_subtitles(self):
        _, someone = self.start()
        failed = someone.finished(someone.submit(UNAVAILABLE))["id"]
        for job_id in (failed, failed + 1, 0, "x", "usage"):
            for kind in (*KINDS, "txt"):
                self.assertProblem(self.download(someone, job_id, kind), 404, "not found")


if __name__ == "__main__":
    unittest.main()
