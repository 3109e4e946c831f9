"""Measures how long one request may occupy the event loop, for which all other clients wait.

Method: a real daemon without workers, with the largest requests and rows that the API allows. The test measures
the processor time of the loop's thread around each request, which does not depend on the load of the machine. A
handler that waits instead of computing does not occupy the loop.
"""

import os
import re
import unittest

from service_support import SAMPLE, Cluster, ServiceTest

# Processor time for the slowest build: unoptimised, with sanitizers. A handler with quadratic time exceeds it.
HOLD_SECONDS_MAX = 1.0
# A file of 1.4 MB from 190,000 words, each measured and placed in a line.
SUBTITLE_SECONDS_MAX = 5.0
BODY_BYTES = 64 * 1024
RESULT_BYTES = 1024 * 1024


def loop_seconds(daemon):
    """Processor time of the process's first thread, which runs the event loop."""
    pid = daemon.process.pid
    with open(f"/proc/{pid}/task/{pid}/schedstat", encoding="ascii") as times:
        return int(times.read().split()[0]) / 1e9


# A result near the size limit: 500 segments of 380 words.
LARGE_RESULT = """
    SELECT '{"audio":{"language":"en","segments":[' || string_agg(format(
               '{"text":"%s","start_seconds":%s,"end_seconds":%s}',
               repeat('word ', 380), 0.1 * n, 0.1 * n + 0.1), ',') || ']},"platform_meta":{"code":"large"}}'
      FROM generate_series(0, 499) AS n"""


class HandlerTimeTest(ServiceTest):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster()
        cls.addClassCleanup(cls.cluster.close)

    def setUp(self):
        url = self.cluster.new_database()
        self.database = re.search(r"dbname=(\S+)", url)[1]
        self.served = self.daemon(workers=0, database_url=url, requests_per_minute=1_000_000).start()
        self.account = self.served.account(unlimited=True)

    def assertHoldsShortly(self, what, method, path, body=None, status=200, headers=None, seconds_max=HOLD_SECONDS_MAX):
        before = loop_seconds(self.served)
        answer = self.account.request(method, path, body, headers)
        took = loop_seconds(self.served) - before
        if os.environ.get("REELSD_SHOW_HANDLER_TIMES"):
            print(f"{what}: {1000 * took:.1f} ms, {len(answer.body)} bytes")
        self.assertEqual(answer.status, status, (what, answer))
        self.assertLess(took, seconds_max, what)

    def store_large_results(self):
        self.cluster.query(
            f"UPDATE job SET status = 'done', result = ({LARGE_RESULT})::json, code = '', author = '', summary = '',"
            " started_at = created_at, finished_at = now(), analyzed_at = now()", self.database)

    def test_requests(self):
        link = SAMPLE + "?x="
        links = [link + "a" * (1250 - len(link)) for _ in range(50)]
        self.assertHoldsShortly(
            "a list of links that fills a body", "POST", "/api/v1/reels/analyze", {"urls": links}, 202)
        for what, body in (
                ("a deep body", '{"url":' + "[" * (BODY_BYTES - 8)),
                ("a body of many members", "{" + ",".join(f'"{number}":0' for number in range(7000)) + "}"),
                ("a body of many values", '{"url":[' + "0," * 30000 + "0]}"),
                ("a body of escapes", '{"url":"' + "\\u00e9" * 10000 + '"}')):
            self.assertHoldsShortly(what, "POST", "/api/v1/reels/analyze", body, 400)
        for what, words in (("a search of many words", "ab " * 166), ("a search of one word", "a" * 500)):
            self.assertHoldsShortly(what, "GET", "/api/v1/reels/search?q=" + words.replace(" ", "+"))
        self.assertHoldsShortly("many parameters", "GET", "/api/v1/reels?" + "&".join(f"p{n}=" for n in range(1500)))
        many = {f"X-{number}": "v" for number in range(90)}
        self.assertHoldsShortly("many headers", "GET", "/api/v1/reels", headers=many)

    def test_answers(self):
        jobs = [self.account.submit(SAMPLE) for _ in range(100)]
        self.store_large_results()
        self.assertHoldsShortly("the longest list", "GET", "/api/v1/reels?limit=100")
        largest = f"/api/v1/reels/{jobs[0]}"
        for what, path in (("the largest reel", largest), ("the same again", largest),
                           ("the same, waited for", largest + "?wait=1"), ("its last event", largest + "/events")):
            self.assertHoldsShortly(what, "GET", path)
        for kind in ("srt", "vtt"):
            self.assertHoldsShortly(
                f"its subtitles as {kind}", "GET", f"{largest}/subtitles.{kind}", seconds_max=SUBTITLE_SECONDS_MAX)
        before = loop_seconds(self.served)
        answer = self.account.request("GET", "/api/v1/export")
        self.assertGreater(len(answer.body), 80 * RESULT_BYTES)
        # Other clients are served between two lines.
        self.assertLess(loop_seconds(self.served) - before, 100 * HOLD_SECONDS_MAX)


if __name__ == "__main__":
    unittest.main()
