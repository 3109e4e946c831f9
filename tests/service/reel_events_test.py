"""Tests the events of a reel: each change of a job is sent once to each follower.

Method: most tests simulate the worker and change the job's row, as another daemon would. One analyses the sample
reel. Streams are read from raw connections.
"""

import socket
import unittest

from event_streams import ReelEvents
from service_support import SAMPLE, DatabaseTest, wait_until

LINK = "https://www.instagram.com/reel/DYa0IXPgnP5/"
# Per account.
STREAMS_MAX = 20
STEPS = ["resolve", "download", "probe", "analyze"]


class Worked(DatabaseTest):
    """A daemon without workers, and an account on whose jobs the test works."""

    def setUp(self):
        super().setUp()
        self.served = self.shared_daemon(workers=0)
        self.served.start()
        self.someone = self.served.account(unlimited=True)

    def events(self, job_id, someone=None, **more):
        stream = ReelEvents(someone or self.someone, job_id, **more)
        self.addCleanup(stream.close)
        return stream

    def stalled(self, daemon, job_id):
        """A client that follows the job and then stops reading."""
        client = socket.socket()
        self.addCleanup(client.close)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        host, port = daemon.address.rsplit(":", 1)
        client.connect((host, int(port)))
        client.sendall(f"GET /api/v1/reels/{job_id}/events HTTP/1.1\r\nHost: a\r\n"
                       f"Authorization: Bearer {self.someone.token}\r\n\r\n".encode())
        self.assertEqual(client.recv(1), b"H")
        return client

    def begin(self, job_id, attempt=1):
        self.sql("UPDATE job SET status = 'processing', worker = 'w', started_at = now(), claim = claim + 1,"
                 f" attempt = {attempt}, lease_until = now() + interval '1 hour' WHERE id = {job_id}")

    def step(self, job_id, step):
        self.sql(f"UPDATE job SET step = '{step}' WHERE id = {job_id}")

    def retry(self, job_id):
        self.sql("UPDATE job SET status = 'pending', worker = NULL, lease_until = NULL,"
                 f" run_at = now() + interval '1 hour' WHERE id = {job_id}")

    def finish(self, job_id, letters=1):
        """With a result of about this many letters."""
        result = """('{"content": {"summary": "' || repeat('x', %d) || '"}}')::json""" % letters
        self.sql("UPDATE job SET status = 'done', worker = NULL, lease_until = NULL, finished_at = now(),"
                 " started_at = now(), code = '', author = '', summary = '', analyzed_at = now(),"
                 f" result = {result} WHERE id = {job_id}")


class Streams(Worked):
    def test_all_events_of_a_job(self):
        job_id = self.someone.submit(LINK)
        stream = self.events(job_id)
        self.assertEqual(stream.answer.status, 200)
        self.assertEqual(stream.answer.headers["Content-Type"], "text/event-stream")
        self.assertEqual(stream.answer.headers["Cache-Control"], "no-store")
        stream.wait_for("state", status="pending")
        self.assertEqual(stream.events[0][2], {"id": job_id, "status": "pending", "attempt": 0})
        self.assertEqual(stream.retry, 2000)

        self.begin(job_id)
        stream.wait_for("attempt", attempt=1)
        self.step(job_id, "download")
        _, _, data = stream.wait_for("step")
        self.assertEqual(data, {"id": job_id, "status": "processing", "attempt": 1, "step": "download"})
        self.retry(job_id)
        wait_until(lambda: stream.names().count("state") == 3, "the wait for the next attempt")
        self.begin(job_id, attempt=2)
        stream.wait_for("attempt", attempt=2)
        self.finish(job_id)

        stream.wait_for_end()
        self.assertFalse(stream.was_cut)
        self.assertEqual(stream.names(), ["state", "state", "attempt", "step", "state", "state", "attempt",
                                          "state", "finished"])
        self.assertEqual(stream.events[-1][2], self.someone.job(job_id))

    def test_a_resumed_stream_has_only_the_missed_events(self):
        job_id = self.someone.submit(LINK)
        self.begin(job_id)
        self.step(job_id, "download")
        first = self.events(job_id)
        _, seen, _ = first.wait_for("state", step="download")
        first.close()
        again = self.events(job_id, last_event_id=seen)
        self.step(job_id, "probe")
        again.wait_for("step", step="probe")
        self.assertEqual(again.names(), ["step"])
        seen = again.events[-1][1]
        again.close()

        self.finish(job_id)
        last = self.events(job_id, last_event_id=seen).wait_for_end()
        self.assertEqual(last.names(), ["state", "finished"])
        (_, state, _), (_, finished, _) = last.events
        only = self.events(job_id, last_event_id=state).wait_for_end()
        self.assertEqual(only.names(), ["finished"])

        over = self.events(job_id, last_event_id=finished)
        self.assertEqual(over.answer.status, 204)
        for strange in ("", "x", "42", f"{job_id}:asleep:1:", f"{job_id + 1}:finished", f"{job_id}:done:1"):
            with self.subTest(strange):
                restarted = self.events(job_id, last_event_id=strange).wait_for_end()
                self.assertEqual(restarted.names(), ["state", "finished"])

    def test_clients_with_a_future_event_id(self):
        job_id = self.someone.submit(LINK)
        stream = self.events(job_id, last_event_id=f"{job_id}:finished")
        self.assertEqual(stream.answer.status, 200)
        stream.wait_for("state", status="pending")

    def test_a_deleted_job(self):
        job_id = self.someone.submit(LINK)
        stream = self.events(job_id)
        stream.wait_for("state")
        self.assertEqual(self.someone.request("DELETE", f"/api/v1/reels/{job_id}").status, 204)
        stream.wait_for_end()
        self.assertEqual(stream.events[1:], [("deleted", stream.events[0][1], {"id": job_id})])
        self.assertFalse(stream.was_cut)
        self.assertEqual(self.events(job_id).answer.status, 404)

    def test_access_to_the_stream(self):
        job_id = self.someone.submit(LINK)
        path = f"/api/v1/reels/{job_id}/events"
        self.assertEqual(self.served.request("GET", path).status, 401)
        self.assertEqual(self.served.account().request("GET", path).status, 404)
        for unknown in (10**15, "x", 0):
            self.assertEqual(self.someone.request("GET", f"/api/v1/reels/{unknown}/events").status, 404)
        self.assertEqual(self.someone.request("POST", path).status, 405)
        limited = self.served.account()
        self.served.limit(limited.email, requests_per_minute=1)
        own = limited.submit(LINK)
        self.assertEqual(self.events(own, limited).answer.status, 200)
        self.assertEqual(limited.request("GET", f"/api/v1/reels/{own}/events").status, 429)

    def test_head_has_no_stream(self):
        job_id = self.someone.submit(LINK)
        answer = self.someone.request("HEAD", f"/api/v1/reels/{job_id}/events")
        self.assertEqual((answer.status, answer.body), (200, b""))
        self.assertEqual(answer.headers["Content-Type"], "text/event-stream")

    def test_http_1_0(self):
        """Without chunks, the end of the connection is the end of the stream."""
        job_id = self.someone.submit(LINK)
        self.finish(job_id)
        received = self.served.raw(
            f"GET /api/v1/reels/{job_id}/events HTTP/1.0\r\nAuthorization: Bearer {self.someone.token}\r\n\r\n"
            .encode())
        head, _, body = received.partition(b"\r\n\r\n")
        self.assertNotIn(b"chunked", head.lower())
        self.assertEqual(body.count(b"event: "), 2)
        self.assertTrue(body.startswith(b"retry: 2000\n\n"), body)

    def test_a_revoked_token(self):
        job_id = self.someone.submit(LINK)
        token = self.served.token(self.someone.email, "second")
        guest = type(self.someone)(self.served, self.someone.email, token)
        stream = self.events(job_id, guest)
        stream.wait_for("state")
        self.served.cli("token", "revoke", "--account", self.someone.email, "--name", "second")
        self.begin(job_id)
        stream.wait_for_end()
        self.assertEqual(stream.names(), ["state"], "the stream has no further event")

    def test_a_stop_ends_the_streams_and_another_daemon_continues(self):
        job_id = self.someone.submit(LINK)
        other = self.shared_daemon(workers=0)
        other.start()
        stream = self.events(job_id)
        _, seen, _ = stream.wait_for("state")
        self.served.stop()
        self.assertTrue(stream.ended.wait(30))
        self.assertFalse(stream.was_cut, "the body is whole")
        self.assertNotIn("cut", self.served.log())
        self.begin(job_id)
        there = self.events(job_id, type(self.someone)(other, self.someone.email, self.someone.token),
                            last_event_id=seen)
        there.wait_for("attempt")
        self.assertEqual(there.names(), ["state", "attempt"])

    def test_keep_alive_comments_are_sent(self):
        job_id = self.someone.submit(LINK)
        stream = self.events(job_id)
        wait_until(lambda: stream.comments, "a sign of life", 60)
        self.assertEqual(stream.comments[0], "keep-alive")

    def test_streams_survive_a_database_restart(self):
        job_id = self.someone.submit(LINK)
        stream = self.events(job_id)
        stream.wait_for("state")
        self.cluster.stop()
        try:
            wait_until(lambda: self.someone.request("GET", f"/api/v1/reels/{job_id}").status == 503, "an outage")
        finally:
            self.cluster.start()
        self.begin(job_id)
        stream.wait_for("attempt")
        self.assertEqual(stream.names(), ["state", "state", "attempt"])

    def test_many_streams_share_one_query(self):
        people = [self.served.account(unlimited=True) for _ in range(10)]
        jobs = [person.submit(LINK) for person in people]
        streams = [self.events(job, person) for person, job in zip(people, jobs) for _ in range(STREAMS_MAX)]
        for stream in streams:
            stream.wait_for("state")
        # No stream holds a database connection or a thread.
        self.assertEqual(people[0].job(jobs[0])["status"], "pending")
        for job in jobs:
            self.begin(job)
            self.finish(job)
        for stream in streams:
            stream.wait_for_end()
            self.assertEqual(stream.names()[-1], "finished")
            self.assertFalse(stream.was_cut)

    def test_the_streams_of_an_account_are_limited(self):
        job_id = self.someone.submit(LINK)
        streams = [self.events(job_id) for _ in range(STREAMS_MAX)]
        for stream in streams:
            stream.wait_for("state")
        self.assertEqual(self.events(job_id).answer.status, 429)
        refused = self.someone.request("GET", f"/api/v1/reels/{job_id}/events")
        self.assertProblem(refused, 429, "limit of 20 concurrent event streams reached; close one first")
        self.assertGreater(int(refused.headers["Retry-After"]), 0)
        other = self.served.account()
        self.events(other.submit(LINK), other).wait_for("state")
        streams[0].close()

        def admitted():
            return self.events(job_id).answer.status == 200
        wait_until(admitted, "a place")

    def test_a_slow_reader_delays_no_other_client(self):
        slow = self.someone.submit(LINK)
        self.finish(slow, letters=5_000_000)  # More than the kernel's buffers for a connection.
        for _ in range(10):
            self.stalled(self.served, slow)
        job_id = self.someone.submit(LINK)
        stream = self.events(job_id)
        stream.wait_for("state")
        self.finish(job_id)
        stream.wait_for_end()
        self.assertEqual(stream.names(), ["state", "state", "finished"])

    def test_memory_of_slow_readers_is_bounded(self):
        narrow = self.shared_daemon(workers=0, buffered_bytes_max=12_000_000)
        narrow.start()
        someone = type(self.someone)(narrow, self.someone.email, self.someone.token)
        job_id = self.someone.submit(LINK)
        self.finish(job_id, letters=10_000_000)
        reading = self.events(job_id, someone).wait_for_end()
        self.assertEqual(reading.names(), ["state", "finished"])
        seen = reading.events[0][1]
        stalled = self.stalled(narrow, job_id)
        wait_until(lambda: self.events(job_id, someone).wait_for_end().was_cut, "no memory for another one")
        stalled.close()
        wait_until(lambda: self.events(job_id, someone, last_event_id=seen).wait_for_end().names() == ["finished"],
                   "memory again")


class Work(DatabaseTest):
    def test_the_sample_reel(self):
        """Followed at a daemon without workers, from before the first worker starts."""
        idle = self.shared_daemon(workers=0)
        idle.start()
        someone = idle.account()
        job_id = someone.submit(SAMPLE)
        stream = ReelEvents(someone, job_id)
        self.addCleanup(stream.close)
        stream.wait_for("state", status="pending")
        # A recorded analysis may end before a step is seen.
        working = self.shared_daemon(workers=1, media_helper=None)
        working.start()
        there = ReelEvents(type(someone)(working, someone.email, someone.token), job_id)
        self.addCleanup(there.close)
        for follower in (stream, there):
            wait_until(follower.ended.is_set, f"the end of the sample reel after {follower.names()}")
            self.assertFalse(follower.was_cut)
            self.assertEqual(follower.names()[-2:], ["state", "finished"])
            self.assertEqual(follower.events[-1][2], someone.job(job_id))
            steps = [data["step"] for name, _, data in follower.events if name == "step"]
            self.assertEqual(steps, [step for step in STEPS if step in steps], "in their order")
        self.assertEqual(stream.names()[:3], ["state", "state", "attempt"])
        self.assertIn("step", stream.names())


if __name__ == "__main__":
    unittest.main()
