"""Tests the client `reels` against a server whose answers each test defines.

The tests check what the client sends and prints, and its exit code, even for answers that no daemon gives. One
suite at the end uses the real daemon.
"""

import fcntl
import http.server
import json
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import threading
import unittest

from service_support import (
    UNAVAILABLE, Daemon, Platform, ServiceTest, clean_environment, program, wait_until)

LINK = "https://www.instagram.com/reel/DYa0IXPgnP5/"
TOKEN = "rls_" + "a" * 40
ESCAPE = "\x1b"

PENDING = {"id": 42, "url": LINK, "status": "pending", "created_at": "2026-05-22T10:00:00Z"}
PROCESSING = {**PENDING, "status": "processing", "started_at": "2026-05-22T10:00:01Z"}
FAILED = {**PROCESSING, "status": "error", "finished_at": "2026-05-22T10:00:03Z",
          "error_code": "unavailable", "error": "Video is not available: private"}
DONE = {
    **PROCESSING, "status": "done", "finished_at": "2026-05-22T10:00:32Z",
    "result": {
        "visual": {"description": "A cook stirs a pan.", "setting": "kitchen", "subjects": ["cook", "pan"],
                   "text_on_screen": ["WAIT FOR IT"],
                   "text_segments": [{"text": "WAIT FOR IT", "start_seconds": 1.5, "end_seconds": 4}]},
        "audio": {"transcript": "Add the pasta now.", "language": "en", "has_music": True,
                  "music_description": "fast, strong beat",
                  "segments": [{"text": "Add the pasta now.", "start_seconds": 65.2, "end_seconds": 67}]},
        "content": {"summary": "Pasta in ten minutes.", "topics": ["cooking"], "hooks": ["Wait for it"],
                    "call_to_action": None,
                    "key_moments": [{"timestamp": "00:03", "seconds": 3, "description": "pasta goes in"}]},
        "metadata": {"format": "tutorial", "sentiment": "positive", "target_audience": "cooks",
                     "duration_seconds": 72.4, "width": 720, "height": 1280, "frame_rate": 29.97,
                     "video_codec": "h264", "audio_codec": "aac", "size_bytes": 4200000,
                     "sha256": "0" * 64, "model": {"provider": "local", "name": "local-1"},
                     "warnings": ["the transcript is doubtful"]},
        "platform_meta": {"platform": "instagram", "code": "DYa0IXPgnP5", "url": LINK,
                          "author": "some.one", "author_name": "Some One", "author_verified": True,
                          "caption": "Evil \x1b[2J caption\nsecond line", "hashtags": ["pasta"],
                          "mentions": [], "like_count": 78676, "comment_count": None, "view_count": None,
                          "posted_at": "2026-05-20T08:00:00Z", "thumbnail_url": None, "location": None,
                          "music_title": None, "music_artist": None},
    },
}


class ScriptedServer:
    """Gives the defined answers in order, and records the requests."""

    def __init__(self, *answers, events=None):
        self.answers = list(answers)
        self.requests = []
        # Event streams of a reel, in order; None: a server without event streams.
        self.events = list(events or [])
        self.follows = []
        self.lock = threading.Lock()
        script = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # Head and body in one write: two writes would each wait for an acknowledgement.

            def follow(self):
                with script.lock:
                    script.follows.append((self.path, dict(self.headers)))
                    stream = script.events.pop(0) if script.events else None
                if stream is None:
                    return self.give(404, {"message": "not found", "status": "error"})
                if isinstance(stream, int):
                    return self.give(stream, {"message": "no", "status": "error"})
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(stream.encode())
                self.wfile.flush()
                self.close_connection = True

            def answer(self):
                if self.path.endswith("/events"):
                    return self.follow()
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                with script.lock:
                    script.requests.append((self.command, self.path, dict(self.headers), body))
                    # The last answer repeats: a client may poll more often than a test counts.
                    chosen = script.answers.pop(0) if len(script.answers) > 1 else script.answers[0]
                if chosen == "hang up":
                    self.connection.shutdown(socket.SHUT_RDWR)
                    self.close_connection = True
                    return
                self.give(*chosen)

            def give(self, status, content, *headers):
                if not isinstance(content, bytes):
                    content = json.dumps(content).encode()
                self.send_response(status)
                for name, value in headers:
                    self.send_header(name, value)
                if status != 204:  # 204 must not have one (RFC 9110, 8.6).
                    self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_DELETE = answer

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = "http://127.0.0.1:%d" % self.server.server_port
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,))
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


class CliTest(unittest.TestCase):
    maxDiff = None

    def serve(self, *answers, events=None):
        server = ScriptedServer(*answers, events=events)
        self.addCleanup(server.close)
        return server

    def environment(self, server=None, **variables):
        environment = clean_environment()
        if server:
            environment.update(REELS_SERVER=server.url, REELS_TOKEN=TOKEN)
        environment.update(variables)
        return environment

    def reels(self, *arguments, server=None, given="", **variables):
        return subprocess.run(
            [program("reels"), *arguments], env=self.environment(server, **variables),
            input=given, capture_output=True, text=True, timeout=60)

    def ended(self, done, code):
        self.assertEqual(done.returncode, code, done)
        return done


class Analyze(CliTest):
    def test_only_the_id_is_printed(self):
        server = self.serve((202, {"id": 42, "status": "pending"}))
        done = self.ended(self.reels("analyze", LINK, server=server), 0)
        self.assertEqual(done.stdout, "42\n")
        self.assertIn("reels get 42", done.stderr)

        (method, path, headers, body), = server.requests
        self.assertEqual((method, path), ("POST", "/api/v1/reels/analyze"))
        self.assertEqual(headers["Authorization"], "Bearer " + TOKEN)
        self.assertEqual(json.loads(body), {"url": LINK, "queue": True})

    def test_json(self):
        server = self.serve((202, {"id": 42, "status": "pending"}))
        done = self.ended(self.reels("analyze", LINK, "--json", server=server), 0)
        self.assertEqual(json.loads(done.stdout), {"id": 42, "status": "pending"})

    def test_an_idempotency_key_of_the_user(self):
        server = self.serve((202, {"id": 42, "status": "pending"}))
        self.ended(self.reels("analyze", LINK, "--idempotency-key", "monday-1", server=server), 0)
        self.ended(self.reels("analyze", LINK, server=server), 0)
        self.ended(self.reels("analyze", LINK, server=server), 0)
        keys = [headers["Idempotency-Key"] for _, _, headers, _ in server.requests]
        self.assertEqual(keys[0], "monday-1")
        self.assertEqual(len(set(keys)), 3, "two runs never share a key")
        self.assertTrue(all(re.fullmatch(r"[0-9a-f]{32}", key) for key in keys[1:]), keys)

    def test_a_fresh_analysis(self):
        server = self.serve((202, {"id": 42, "status": "pending"}))
        self.ended(self.reels("analyze", LINK, "--fresh", server=server), 0)
        self.assertEqual(json.loads(server.requests[0][3]), {"url": LINK, "fresh": True, "queue": True})

    def test_a_reused_analysis(self):
        server = self.serve((202, {"id": 42, "status": "done"}))
        done = self.ended(self.reels("analyze", LINK, server=server), 0)
        self.assertEqual((done.stdout, done.stderr), ("42\n", "Analysed before. See it with: reels get 42\n"))

    def test_links_are_sent_unchanged(self):
        server = self.serve((202, {"id": 1, "status": "pending"}))
        link = 'https://www.instagram.com/reel/x/?a="\\\u00fc'
        self.ended(self.reels("analyze", link, server=server), 0)
        self.assertEqual(json.loads(server.requests[0][3])["url"], link)

    def test_wait_prints_the_five_sections(self):
        server = self.serve((202, {"id": 42, "status": "pending"}), (200, PENDING), (200, PROCESSING),
                            (200, DONE))
        done = self.ended(self.reels("analyze", LINK, "--wait", server=server), 0)
        for part in ("Reel 42: done in 31 s", "VISUAL", "AUDIO", "CONTENT", "METADATA", "PLATFORM",
                     "00:01  WAIT FOR IT", "01:05  Add the pasta now.", "00:03  pasta goes in",
                     "Warning: the transcript is doubtful", "78,676 likes", "4.2 MB", "@some.one"):
            self.assertIn(part, done.stdout)
        self.assertIn("Evil caption", done.stdout)
        self.assertNotIn(ESCAPE, done.stdout + done.stderr, "no control sequence in a pipe")
        self.assertEqual(
            done.stderr.splitlines(), ["reel 42: pending", "reel 42: processing"],
            "a line per change, no more")
        paths = [path for _, path, _, _ in server.requests[1:]]
        self.assertTrue(all(re.fullmatch(r"/api/v1/reels/42\?wait=\d+", p) for p in paths), paths)

    def test_wait_with_json_prints_only_the_job(self):
        server = self.serve((202, {"id": 42, "status": "pending"}), (200, DONE))
        done = self.ended(self.reels("analyze", "--json", "--wait", LINK, server=server), 0)
        self.assertEqual(json.loads(done.stdout), DONE)
        self.assertEqual(done.stdout.rstrip("\n"), json.dumps(DONE), "the bytes as the server sent them")

    def test_a_job_that_fails(self):
        server = self.serve((202, {"id": 42, "status": "pending"}), (200, FAILED))
        done = self.ended(self.reels("analyze", "--wait", LINK, server=server), 1)
        self.assertIn("Video is not available: private (unavailable)", done.stdout)
        self.assertNotIn("ry again", done.stdout)
        soon = {**FAILED, "retryable": True, "finished_at": "2100-01-01T00:00:00Z", "retry_after_seconds": 60}
        done = self.ended(self.reels("get", "42", server=self.serve((200, soon))), 1)
        self.assertRegex(done.stdout, r"\nYou can try again in [0-9]+ h [0-9]+ min\.\n")
        past = {**soon, "finished_at": "2026-01-01T00:00:00Z"}
        done = self.ended(self.reels("get", "42", server=self.serve((200, past))), 1)
        self.assertIn("\nYou can try again now.\n", done.stdout)
        done = self.ended(self.reels("get", "42", server=self.serve((200, {**FAILED, "retryable": True}))), 1)
        self.assertNotIn("ry again", done.stdout, "the time is unknown")
        as_json = self.serve((202, {"id": 42, "status": "pending"}), (200, FAILED))
        done = self.ended(self.reels("analyze", "--wait", "--json", LINK, server=as_json), 1)
        self.assertEqual(json.loads(done.stdout), FAILED)

    def test_wait_times_out(self):
        server = self.serve((202, {"id": 42, "status": "pending"}), (200, PROCESSING))
        done = self.ended(self.reels("analyze", "--wait", "--timeout", "1", LINK, server=server), 5)
        self.assertEqual(done.stdout, "")
        self.assertIn("reels get 42", done.stderr)
        done = self.ended(self.reels("analyze", "--wait", "--timeout", "1", "--json", LINK, server=server), 5)
        self.assertEqual(json.loads(done.stdout), PROCESSING)

    def test_wait_is_interrupted(self):
        for with_signal in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(with_signal):
                server = self.serve((202, {"id": 42, "status": "pending"}), (200, PROCESSING))
                process = subprocess.Popen(
                    [program("reels"), "analyze", "--wait", LINK], env=self.environment(server),
                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                wait_until(lambda: len(server.requests) >= 2, "the first look")
                process.send_signal(with_signal)
                out, err = process.communicate(timeout=30)
                self.assertEqual((process.returncode, out), (130, ""), err)
                self.assertIn("reels get 42", err)


def event(name, data, event_id=""):
    return f"event: {name}\nid: {event_id}\ndata: {json.dumps(data)}\n\n"


def standing(status, attempt=0, step=None):
    return {"id": 42, "status": status, "attempt": attempt, **({"step": step} if step else {})}


class Progress(CliTest):
    """--wait with a server that sends the events of a reel."""

    def test_progress_is_shown(self):
        stream = ("retry: 10\n\n" + event("state", standing("pending"), "a") + ": keep-alive\n\n"
                  + event("state", standing("processing", 1, "resolve"), "b")
                  + event("attempt", standing("processing", 1, "resolve"), "c")
                  + event("step", standing("processing", 1, "download"), "d")
                  + event("attempt", standing("processing", 2, "download"), "e")
                  + event("finished", DONE, "f"))
        server = self.serve((202, {"id": 42, "status": "pending"}), events=[stream])
        done = self.ended(self.reels("analyze", "--wait", "--json", LINK, server=server), 0)
        self.assertEqual(done.stdout.rstrip("\n"), json.dumps(DONE), "the bytes as the server sent them")
        self.assertEqual(done.stderr.splitlines(), [
            "reel 42: pending", "reel 42: processing (resolve)", "reel 42: processing (download)",
            "reel 42: processing (download, attempt 2)"])
        self.assertEqual(len(server.requests), 1, "no request but the event stream")
        (path, headers), = server.follows
        self.assertEqual(path, "/api/v1/reels/42/events")
        self.assertEqual(headers["Authorization"], "Bearer " + TOKEN)
        self.assertNotIn("Last-Event-ID", headers)

    def test_a_broken_stream_is_resumed(self):
        server = self.serve((500, b""), events=[
            "retry: 10\n\n" + event("state", standing("processing", 1), "42:x"),
            "retry: 10\n\n", event("step", standing("processing", 1, "probe"), "42:y") + "event: fini",
            event("finished", FAILED)])
        done = self.ended(self.reels("get", "42", "--wait", server=server), 1)
        self.assertIn("Video is not available", done.stdout)
        self.assertEqual([headers.get("Last-Event-ID") for _, headers in server.follows],
                         [None, "42:x", "42:x", "42:y"])
        self.assertEqual(server.requests, [])

    def test_streams_without_events_are_abandoned(self):
        server = self.serve((200, DONE), events=["retry: 1\n\n"] * 100)
        done = self.ended(self.reels("get", "42", "--wait", server=server), 0)
        self.assertIn("CONTENT", done.stdout)
        self.assertEqual(len(server.follows), 5)

    def test_a_response_that_is_not_an_event_stream(self):
        endless = "data: " + "x" * 2_000_000
        for stream in (None, 405, 406, 429, 503, "", endless, event("finished", [1]), event("finished", PENDING)):
            with self.subTest(str(stream)[:40]):
                server = self.serve((200, PROCESSING), (200, DONE), events=[stream])
                done = self.ended(self.reels("get", "42", "--wait", server=server), 0)
                self.assertIn("CONTENT", done.stdout)
                self.assertEqual(len(server.requests), 2)

    def test_a_reel_that_is_deleted(self):
        gone = (404, {"message": "not found", "status": "error"})
        server = self.serve(gone, events=[event("state", standing("pending")) + event("deleted", {"id": 42})])
        done = self.ended(self.reels("get", "42", "--wait", server=server), 4)
        self.assertIn("not found", done.stderr)

    def test_control_characters_in_events_are_removed(self):
        stream = event("state", standing("a\x1b[2Jb", 1, "c\rd")) + event("finished", DONE)
        done = self.ended(self.reels("get", "42", "--wait", server=self.serve((500, b""), events=[stream])), 0)
        self.assertNotIn(ESCAPE, done.stderr + done.stdout)


class Several(CliTest):
    """Several links in one command."""
    LINKS = [LINK, "https://tiktok.com/x", "https://www.instagram.com/reel/AAAAAAAAAAA/"]
    NO_LINK = 'URL must be an instagram.com link, got "tiktok.com"'
    LIMIT = "limit of 3 jobs pending or processing at the same time reached"
    ANSWER = [{"url": LINKS[0], "id": 42, "status": "pending"}, {"url": LINKS[1], "error": NO_LINK},
              {"url": LINKS[2], "id": 43, "status": "pending"}]

    def test_each_link_has_an_outcome(self):
        server = self.serve((202, self.ANSWER))
        done = self.ended(self.reels("analyze", "--fresh", *self.LINKS, server=server), 4)
        self.assertEqual(done.stdout, "42\n43\n")
        self.assertEqual(done.stderr.splitlines(), [
            f"reels: https://tiktok.com/x: {self.NO_LINK}", "2 of 3 queued. See them with: reels list"])
        (_, path, headers, body), = server.requests
        self.assertEqual(path, "/api/v1/reels/analyze")
        self.assertEqual(json.loads(body), {"urls": self.LINKS, "fresh": True, "queue": True})
        self.assertRegex(headers["Idempotency-Key"], "^[0-9a-f]{32}$")

    def test_json(self):
        server = self.serve((202, self.ANSWER))
        done = self.ended(self.reels("analyze", "--json", *self.LINKS, server=server), 4)
        self.assertEqual(json.loads(done.stdout), self.ANSWER)

    def test_json_with_a_link_that_is_not_utf_8(self):
        server = self.serve((202, [self.ANSWER[0], {"url": "\ufffd", "error": self.NO_LINK}]),
                            (202, {"id": 43, "status": "pending"}))
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder.encode(), b"caf\xe9.mp4")
            open(file, "wb").close()
            done = self.ended(self.reels("analyze", "--json", LINK, b"\xe9", file, server=server), 4)
        self.assertEqual([answer.get("id") for answer in json.loads(done.stdout)], [42, None, 43])

    def test_all_links_succeed(self):
        server = self.serve((202, self.ANSWER[::2]))
        done = self.ended(self.reels("analyze", *self.LINKS[::2], server=server), 0)
        self.assertEqual(done.stdout, "42\n43\n")

    def test_a_list_longer_than_one_request(self):
        links = [f"https://www.instagram.com/reel/code-{number}/" for number in range(120)]
        answers = [(202, [{"url": link, "id": number + 1, "status": "pending"}
                          for number, link in enumerate(links)][first:first + 50]) for first in (0, 50, 100)]
        server = self.serve(*answers)
        done = self.ended(self.reels("analyze", *links, server=server), 0)
        self.assertEqual(done.stdout.split(), [str(number + 1) for number in range(120)])
        self.assertEqual([json.loads(body)["urls"] for _, _, _, body in server.requests],
                         [links[:50], links[50:100], links[100:]])
        self.assertEqual(len({headers["Idempotency-Key"] for _, _, headers, _ in server.requests}), 3)

    def test_an_idempotency_key_of_several_requests(self):
        links = [f"https://www.instagram.com/reel/code-{number}/" for number in range(52)]
        with tempfile.TemporaryDirectory() as folder:
            files = [os.path.join(folder, name) for name in ("a.mp4", "b.mp4")]
            for file in files:
                with open(file, "wb") as video:
                    video.write(b"video")
            keys = []
            for _ in range(2):
                answers = [(202, [{"url": link, "id": number + 1, "status": "pending"}
                                  for number, link in enumerate(links)][begin:end])
                           for begin, end in ((0, 50), (50, 51), (51, 52))]
                uploaded = [(202, {"id": 60 + number, "status": "pending"}) for number in range(2)]
                server = self.serve(*answers[:2], uploaded[0], answers[2], uploaded[1])
                done = self.reels(
                    "analyze", "--idempotency-key", "k", *links[:51], files[0], links[51], files[1], server=server)
                self.ended(done, 0)
                keys.append([headers["Idempotency-Key"] for _, _, headers, _ in server.requests])
        self.assertEqual(keys[0], keys[1], "a second run is the same submission")
        self.assertEqual(len(set(keys[0])), 5, "each request has a key of its own")
        self.assertEqual(keys[0][0], "k")

    def test_links_from_standard_input(self):
        links = [f"instagram.com/reel/code-{number}/" for number in range(500)]
        text = "# my links\n" + " ".join(links[:3]) + "\r\n\n" + "\n".join(links[2:])
        whole = ["https://" + link for link in links]
        answers = [(202, [{"url": link, "id": number + 1, "status": "pending"}
                          for number, link in enumerate(whole)][first:first + 50]) for first in range(0, 500, 50)]
        keys = []
        for _ in range(2):
            server = self.serve(*answers)
            done = self.ended(self.reels("analyze", server=server, given=text), 0)
            self.assertEqual(done.stdout.split(), [str(number + 1) for number in range(500)])
            self.assertIn("500 of 500 queued", done.stderr)
            self.assertEqual([link for *_, body in server.requests for link in json.loads(body)["urls"]], whole)
            keys.append([headers["Idempotency-Key"] for _, _, headers, _ in server.requests])
        self.assertEqual(keys[0], keys[1], "a second run continues")
        self.assertEqual(len(set(keys[0])), 10)
        server = self.serve(*answers)
        self.ended(self.reels("analyze", "--fresh", server=server, given=text), 0)
        self.assertNotEqual(server.requests[0][2]["Idempotency-Key"], keys[0][0])

    def test_one_link_from_standard_input(self):
        server = self.serve((202, {"id": 42, "status": "pending"}))
        for _ in range(2):
            self.assertEqual(self.ended(self.reels("analyze", server=server, given=LINK), 0).stdout, "42\n")
        self.assertEqual(len({headers["Idempotency-Key"] for _, _, headers, _ in server.requests}), 1)
        listed = self.serve((202, self.ANSWER[:1]))
        self.ended(self.reels("analyze", server=listed, given=LINK + "\n" + "x" * 3000), 4)
        self.assertNotEqual(listed.requests[0][2]["Idempotency-Key"], server.requests[0][2]["Idempotency-Key"],
                            "the server would refuse the list as another request")
        done = self.ended(self.reels("analyze", server=server, given="\n # nothing\n"), 2)
        self.assertIn("no links", done.stderr)

    def test_a_closed_standard_input(self):
        done = subprocess.run(["sh", "-c", 'exec "$0" analyze <&-', program("reels")], capture_output=True, text=True,
                              env=self.environment(self.serve((500, b""))), timeout=60)
        self.assertIn("no links", self.ended(done, 2).stderr)

    def test_a_list_of_links_is_no_video(self):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as links:
            links.write(f"# mine\n{LINK}\n")
            links.flush()
            server = self.serve()
            done = self.ended(self.reels("analyze", links.name, server=server), 2)
            self.assertEqual(done.stderr, f"reels: {links.name} is not a video; to submit its links: "
                                          f"reels analyze < {links.name}\n")
        self.assertEqual(server.requests, [])

    def test_one_file_from_standard_input(self):
        server = self.serve((202, {"id": 42, "status": "pending"}))
        with tempfile.NamedTemporaryFile(suffix=".mp4") as video:
            for _ in range(2):
                self.ended(self.reels("analyze", server=server, given=video.name), 0)
        keys = {headers["Idempotency-Key"] for _, _, headers, _ in server.requests}
        self.assertEqual(len(keys), 2, "the content may have changed")

    def test_failed_reels_of_standard_input_are_submitted_again(self):
        links = self.LINKS[::2]
        text = "\n".join(links)

        def answer(*statuses):
            return 202, [{"url": link, "id": 42 + at, "status": status}
                         for at, (link, status) in enumerate(zip(links, statuses))]

        def retried(reel, status):
            return 202, {"id": reel, "status": status}

        def run(*answers):
            server = self.serve(*answers)
            done = self.ended(self.reels("analyze", server=server, given=text), 0)
            return done, [headers["Idempotency-Key"] for _, _, headers, _ in server.requests], server.requests
        done, keys, requests = run(answer("error", "done"), retried(44, "error"), retried(45, "pending"))
        self.assertEqual(done.stdout, "45\n43\n")
        self.assertIn("1 of 2 queued, 1 already submitted.", done.stderr)
        alone = {"url": links[0], "queue": True}
        self.assertEqual([json.loads(body) for *_, body in requests], [{"urls": links, "queue": True}, alone, alone])
        self.assertEqual(len(set(keys)), 3)
        done, again, _ = run(
            answer("error", "error"), retried(44, "error"), retried(45, "processing"), retried(46, "pending"))
        self.assertEqual(done.stdout, "45\n46\n")
        self.assertIn("1 of 2 queued, 1 already submitted.", done.stderr)
        self.assertEqual(again[:3], keys, "another failure does not change the other submissions")
        self.assertNotIn(again[3], keys)
        for options in (["--fresh"], ["--idempotency-key", "k"]):
            server = self.serve(answer("error", "done"))
            self.ended(self.reels("analyze", *options, server=server, given=text), 0)
            self.assertEqual(len(server.requests), 1)
        server = self.serve((202, {"id": 42, "status": "error"}), (202, {"id": 43, "status": "pending"}))
        self.assertEqual(self.ended(self.reels("analyze", server=server, given=LINK), 0).stdout, "43\n")
        self.assertEqual(len({headers["Idempotency-Key"] for _, _, headers, _ in server.requests}), 2)
        server = self.serve(answer("error", "done"), (400, {"message": "the analyzer is gone"}))
        done = self.ended(self.reels("analyze", server=server, given=text), 4)
        self.assertEqual(done.stdout, "43\n")
        self.assertIn(f"reels: {links[0]}: the analyzer is gone", done.stderr)

    def test_a_longer_input_is_refused(self):
        server = self.serve((202, {"id": 42, "status": "pending"}))
        for text in (f"{LINK}\n" * 200_000, "x" * 9_000_000):
            done = self.ended(self.reels("analyze", server=server, given=text), 2)
            self.assertIn("standard input exceeds 8 MiB", done.stderr)
        self.assertEqual(server.requests, [])

    def test_a_word_longer_than_a_request(self):
        links = ["x" * 70_000, *self.LINKS[::2]]
        server = self.serve((202, self.ANSWER[::2]))
        done = self.ended(self.reels("analyze", server=server, given="\n".join(links)), 4)
        self.assertEqual(done.stdout, "42\n43\n")
        self.assertEqual(done.stderr.splitlines()[0], f"reels: {'x' * 2048}: URL must be an instagram.com link")
        self.assertEqual(json.loads(server.requests[0][3])["urls"], links[1:])
        alone = self.ended(self.reels("analyze", server=server, given=links[0]), 4)
        self.assertEqual(alone.stderr, "reels: URL must be an instagram.com link\n")
        self.assertEqual(len(server.requests), 1)

    def test_reading_links_is_interrupted(self):
        with subprocess.Popen(
                [program("reels"), "analyze"], env=self.environment(self.serve((500, b""))),
                stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            process.stdin.write("# x\n" * 500_000)  # More than a pipe holds: the program reads.
            process.stdin.flush()
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(30), 130)
            self.assertIn("interrupted", process.stderr.read())

    def test_a_temporary_limit(self):
        limited = [self.ANSWER[0], {"url": self.LINKS[2], "error": self.LIMIT, "retry_after": 1}]
        server = self.serve((202, limited), (202, self.ANSWER[::2]))
        done = self.ended(self.reels("analyze", *self.LINKS[::2], server=server), 0)
        self.assertEqual(done.stdout, "42\n43\n")
        self.assertIn("trying the rest again in 1 s", done.stderr)
        keys = {headers["Idempotency-Key"] for _, _, headers, _ in server.requests}
        self.assertEqual(len(keys), 1, "both tries are one submission")

    def test_a_lasting_limit(self):
        limited = [self.ANSWER[0], {"url": self.LINKS[2], "error": self.LIMIT, "retry_after": 3600}]
        server = self.serve((202, limited))
        done = self.ended(self.reels("analyze", *self.LINKS[::2], server=server), 4)
        self.assertEqual(done.stdout, "42\n")
        self.assertIn(self.LIMIT, done.stderr)
        self.assertEqual(len(server.requests), 1)

    def test_wait_for_all_links(self):
        answers = [(202, self.ANSWER), (200, DONE), (200, {**FAILED, "id": 43})]
        done = self.ended(self.reels("analyze", "--wait", "--json", *self.LINKS, server=self.serve(*answers)), 4)
        self.assertEqual(json.loads(done.stdout), [DONE, self.ANSWER[1], {**FAILED, "id": 43}])
        done = self.ended(self.reels("analyze", "--wait", *self.LINKS, server=self.serve(*answers)), 4)
        self.assertIn("Reel 42: done in 31 s", done.stdout)
        self.assertIn("Video is not available", done.stdout)

    def test_wait_times_out(self):
        server = self.serve((202, self.ANSWER[::2]), (200, PROCESSING))
        done = self.ended(self.reels("analyze", "--wait", "--timeout", "1", *self.LINKS[::2], server=server), 5)
        self.assertIn("reels get 42", done.stderr)
        self.assertIn("reels get 43", done.stderr)

    def test_a_reel_that_is_deleted(self):
        server = self.serve((202, self.ANSWER[::2]), (404, {"message": "not found", "status": "error"}), (200, DONE))
        done = self.ended(self.reels("analyze", "--wait", *self.LINKS[::2], server=server), 4)
        self.assertIn("reels: reel 42: not found (HTTP 404)\n", done.stderr)

    def test_an_error_in_the_middle_of_a_list(self):
        links = [f"https://www.instagram.com/reel/code-{number}/" for number in range(51)]
        first = [{"url": link, "id": number + 1, "status": "pending"} for number, link in enumerate(links[:50])]
        server = self.serve((202, first), (401, {"error": "invalid API token"}))
        done = self.ended(self.reels("analyze", *links, server=server), 4)
        self.assertEqual(len(done.stdout.split()), 50, "queued reels are reported")
        self.assertIn("invalid API token", done.stderr)
        self.ended(self.reels("analyze", *links, server=self.serve((202, first[:3]))), 3)


class Get(CliTest):
    def test_each_state(self):
        for job, code, shown in ((PENDING, 0, "Reel 42: pending"), (PROCESSING, 0, "Reel 42: processing"),
                                 (FAILED, 1, "Video is not available"), (DONE, 0, "PLATFORM")):
            with self.subTest(job["status"]):
                server = self.serve((200, job))
                done = self.ended(self.reels("get", "42", server=server), code)
                self.assertIn(shown, done.stdout)
                self.assertEqual(done.stderr, "")
                self.assertEqual(server.requests[0][:2], ("GET", "/api/v1/reels/42"))

    def test_wait_for_an_earlier_job(self):
        server = self.serve((200, PROCESSING), (200, DONE))
        done = self.ended(self.reels("get", "42", "--wait", server=server), 0)
        self.assertIn("CONTENT", done.stdout)

    def test_control_characters_in_json_are_escaped(self):
        body = '{"id": 42, "status": "done", "url": "\x7f\x9b31m"}'.encode()
        done = self.ended(self.reels("get", "42", "--json", server=self.serve((200, body))), 0)
        self.assertNotIn("\x9b", done.stdout)
        self.assertEqual(json.loads(done.stdout), json.loads(body))


    def test_an_unknown_id(self):
        server = self.serve((404, {"message": "not found", "status": "error"}))
        done = self.ended(self.reels("get", "43", server=server), 4)
        self.assertIn("reels: not found (HTTP 404)", done.stderr)
        self.assertIn("reels list", done.stderr, "what to do about it")


def next_page(cursor):
    """A Link header of a server behind a proxy, with another host name that the client must not follow."""
    return "Link", f'<http://inside.test/api/v1/reels?limit=2&cursor={cursor}>; rel="next"'


class List(CliTest):
    FIRST = [{"id": 9, "url": LINK, "status": "done", "created_at": "2026-05-22T10:00:00Z",
              "summary": "Pasta \x1b[2J in ten minutes.", "code": "DYa0IXPgnP5", "author": "some.one"},
             {"id": 8, "url": LINK, "status": "error", "created_at": "2026-05-22T09:00:00Z",
              "error": "Video is not available: private", "error_code": "unavailable"}]
    SECOND = [{"id": 7, "url": LINK, "status": "pending", "created_at": "2026-05-22T08:00:00Z"}]

    def test_a_table(self):
        server = self.serve((200, self.FIRST))
        done = self.ended(self.reels("list", server=server), 0)
        lines = done.stdout.splitlines()
        self.assertRegex(lines[0], r"^ID +STATUS +CREATED \(UTC\) +AUTHOR +SUMMARY$")
        self.assertRegex(lines[1], r"^ 9 +done +2026-05-22 10:00 +@some\.one +Pasta  in ten minutes\.$")
        self.assertRegex(lines[2], r"^ 8 +error +2026-05-22 09:00 +DYa0IXPgnP5: Video is not available: private$")
        self.assertEqual((len(lines), done.stderr), (3, ""))
        self.assertEqual(server.requests[0][:2], ("GET", "/api/v1/reels?limit=20&latest=true"))

    def test_the_requested_page(self):
        server = self.serve((200, []))
        self.ended(self.reels("list", "--limit", "100", "--status", "error", "--cursor", "a/b+c=",
                              server=server), 0)
        self.assertEqual(
            server.requests[0][1], "/api/v1/reels?limit=100&status=error&cursor=a%2Fb%2Bc%3D&latest=true")

    def test_further_pages_are_announced(self):
        server = self.serve((200, self.FIRST, next_page("a%2Bb")))
        done = self.ended(self.reels("list", "--limit", "2", "--status", "done", "--json", server=server), 0)
        self.assertEqual(done.stdout, json.dumps(self.FIRST) + "\n")
        self.assertEqual(
            done.stderr, "More: reels list --cursor a+b --limit 2 --status done\n")

    def test_all_pages(self):
        server = self.serve((200, self.FIRST, next_page("two")), (200, self.SECOND))
        done = self.ended(self.reels("list", "--all", "--json", server=server), 0)
        self.assertEqual(json.loads(done.stdout), self.FIRST + self.SECOND, "one document")
        self.assertEqual(done.stderr, "")
        self.assertEqual([path for _, path, _, _ in server.requests],
                         ["/api/v1/reels?limit=100", "/api/v1/reels?limit=100&cursor=two"])

        server = self.serve((200, self.FIRST, next_page("two")), (200, self.SECOND))
        done = self.ended(self.reels("list", "--all", "--limit", "2", server=server), 0)
        self.assertEqual(len(done.stdout.splitlines()), 1 + 3)
        self.assertEqual(server.requests[1][1], "/api/v1/reels?limit=2&cursor=two")

    def test_a_failed_page_fails_the_command(self):
        server = self.serve((200, self.FIRST, next_page("two")),
                            (400, {"message": "cursor is not valid", "status": "error"}))
        done = self.ended(self.reels("list", "--all", "--json", server=server), 4)
        self.assertEqual(done.stdout, "", "half a document is none")
        self.assertIn("cursor is not valid", done.stderr)

    def test_an_endless_list(self):
        server = self.serve((200, [], next_page("again")))
        done = self.ended(self.reels("list", "--all", server=server), 4)
        self.assertEqual(len(server.requests), 1000)
        self.assertIn("--cursor", done.stderr)

    def test_a_link_without_a_cursor(self):
        server = self.serve((200, self.FIRST, ("Link", '</api/v1/reels?page=2>; rel="next"')))
        done = self.ended(self.reels("list", server=server), 3)
        self.assertIn("has no cursor", done.stderr)

    def test_an_empty_list(self):
        for arguments, message in (([], "No reels yet."), (["--status", "done"], "with the status done"),
                                (["--cursor", "x"], "No more reels.")):
            with self.subTest(arguments):
                done = self.ended(self.reels("list", *arguments, server=self.serve((200, []))), 0)
                self.assertEqual(done.stdout, "")
                self.assertIn(message, done.stderr)
        done = self.ended(self.reels("list", "--json", server=self.serve((200, []))), 0)
        self.assertEqual(done.stdout, "[]\n")

    def test_a_response_without_an_array(self):
        self.ended(self.reels("list", server=self.serve((200, {"id": 1}))), 3)

    def test_a_server_without_the_list(self):
        server = self.serve((404, {"message": "not found", "status": "error"}))
        done = self.ended(self.reels("list", server=server), 3)
        self.assertIn("as new as this client", done.stderr)


class Search(CliTest):
    HITS = [{"id": 9, "url": LINK, "code": "DYa0IXPgnP5", "author": "some.one",
             "created_at": "2026-05-22T10:00:00Z", "summary": "Pasta in ten minutes.", "score": 0.8312,
             "match": {"field": "audio.transcript", "text": "... add the pasta ...", "seconds": 72.5}}]

    def test_hits_are_printed(self):
        server = self.serve((200, self.HITS))
        done = self.ended(self.reels("search", "quick", "pasta & list", "--limit", "50", server=server), 0)
        self.assertEqual(
            server.requests[0][1], "/api/v1/reels/search?q=quick%20pasta%20%26%20list&limit=50")
        for part in ("Reel 9, @some.one, 2026-05-22, score 0.83", "Pasta in ten minutes.",
                     "01:12  transcript: ... add the pasta ...", LINK):
            self.assertIn(part, done.stdout)

    def test_queries_that_equal_commands(self):
        server = self.serve((200, self.HITS))
        self.ended(self.reels("search", "list", "get", server=server), 0)
        self.ended(self.reels("search", "--", "--json", "list", server=server), 0)
        self.assertEqual([path for _, path, _, _ in server.requests],
                         ["/api/v1/reels/search?q=list%20get", "/api/v1/reels/search?q=--json%20list"])

    def test_json(self):
        done = self.ended(self.reels("search", "--json", "pasta", server=self.serve((200, self.HITS))), 0)
        self.assertEqual(json.loads(done.stdout), self.HITS)

    def test_nothing_found(self):
        done = self.ended(self.reels("search", "pasta", server=self.serve((200, []))), 0)
        self.assertEqual(done.stdout, "")
        self.assertIn("Nothing found.", done.stderr)

    def test_refused(self):
        server = self.serve((400, {"message": "q is too long", "status": "error"}))
        self.assertIn(
            "q is too long", self.ended(self.reels("search", "x" * 501, server=server), 4).stderr)


class Usage(CliTest):
    USAGE = (b'{"total_cost_usd": 0.16522000000000000001, "total_prompt_tokens": 312400, '
             b'"total_output_tokens": 28600, "total_tokens": 341000, "total_calls": 34, "by_model": '
             b'[{"model": "gemini-2.5-flash", "calls": 34, "prompt_tokens": 312400, "output_tokens": 28600, '
             b'"total_tokens": 341000, "cost_usd": 0.16522}], "by_day": [{"date": "2026-05-22", '
             b'"calls": 34, "total_tokens": 341000, "cost_usd": 0.16522}]}')

    def test_a_usage_report(self):
        server = self.serve((200, self.USAGE))
        done = self.ended(
            self.reels("usage", "--from", "2026-05-01", "--to", "2026-05-31", server=server), 0)
        self.assertEqual(server.requests[0][1], "/api/v1/reels/usage?from=2026-05-01&to=2026-05-31")
        for part in ("Usage from 2026-05-01 to 2026-05-31", "312,400", "$0.16522", "gemini-2.5-flash",
                     "2026-05-22"):
            self.assertIn(part, done.stdout)

    def test_usage_of_all_time(self):
        server = self.serve((200, self.USAGE))
        self.assertIn("Usage of all time", self.ended(self.reels("usage", server=server), 0).stdout)
        self.assertEqual(server.requests[0][1], "/api/v1/reels/usage")

    def test_json_keeps_exact_costs(self):
        done = self.ended(self.reels("usage", "--json", server=self.serve((200, self.USAGE))), 0)
        self.assertEqual(done.stdout, self.USAGE.decode() + "\n")


class Delete(CliTest):
    GONE = (404, {"message": "not found", "status": "error"})

    def test_all_failed_reels(self):
        server = self.serve((200, {"deleted": 5000}), (200, {"deleted": 1}), (200, {"deleted": 0}))
        done = self.ended(self.reels("delete", "--failed", server=server), 0)
        self.assertEqual(done.stdout, "Deleted 5001 failed reels\n")
        self.assertEqual([request[:2] for request in server.requests],
                         [("DELETE", "/api/v1/reels?status=error")] * 3)
        server = self.serve((200, {"deleted": 1}), (200, {"deleted": 0}))
        self.assertEqual(self.ended(self.reels("delete", "--failed", "--json", server=server), 0).stdout,
                         '{"deleted":1}\n')
        server = self.serve((200, {"deleted": 0}))
        self.ended(self.reels("delete", "--failed", "40", server=server), 2)
        self.assertEqual(server.requests, [])

    def test_several_reels(self):
        server = self.serve((204, b""))
        done = self.ended(self.reels("delete", "40", "41", server=server), 0)
        self.assertEqual(done.stdout, "Deleted reel 40\nDeleted reel 41\n")
        self.assertEqual([request[:2] for request in server.requests],
                         [("DELETE", "/api/v1/reels/40"), ("DELETE", "/api/v1/reels/41")])

    def test_an_unknown_id_does_not_stop_the_others(self):
        server = self.serve((204, b""), self.GONE, (204, b""))
        done = self.ended(self.reels("delete", "40", "41", "42", server=server), 4)
        self.assertEqual(done.stdout, "Deleted reel 40\nDeleted reel 42\n")
        self.assertIn("reels: reel 41: not found (HTTP 404)", done.stderr)

    def test_json(self):
        server = self.serve((204, b""), self.GONE)
        done = self.ended(self.reels("delete", "--json", "40", "41", server=server), 4)
        self.assertEqual(json.loads(done.stdout), [
            {"id": 40, "status": "deleted"},
            {"id": 41, "status": "error", "message": "not found (HTTP 404)"}])

    def test_an_invalid_token_ends_the_command(self):
        server = self.serve((401, {"error": "invalid API token"}))
        done = self.ended(self.reels("delete", "40", "41", server=server), 4)
        self.assertEqual(len(server.requests), 1)
        self.assertIn("REELS_TOKEN", done.stderr, "where to look")

    def test_a_retried_deletion_that_finds_nothing_succeeds(self):
        """The answer was lost, but the reel was deleted."""
        for trouble in ("hang up", (503, {"message": "down", "status": "error"})):
            with self.subTest(trouble):
                done = self.ended(self.reels("delete", "40", server=self.serve(trouble, self.GONE)), 0)
                self.assertEqual(done.stdout, "Deleted reel 40\n")
        # After a refusal, which deletes nothing, the reel is unknown.
        limit = (429, {"message": "limit of 600 requests a minute", "status": "error"})
        self.ended(self.reels("delete", "40", server=self.serve(limit, self.GONE)), 4)


class Refusals(CliTest):
    """A request that the server rejects ends at once with code 4 and the server's message."""

    def test_messages(self):
        cases = [
            (401, {"error": "invalid API token"}, "invalid API token (HTTP 401)"),
            (404, {"message": "not found", "status": "error"}, "not found (HTTP 404)"),
            (400, {"message": "url is required", "status": "error"}, "url is required (HTTP 400)"),
            (413, {"message": "body \x1b[31mtoo long", "status": "error"}, "body too long (HTTP 413)"),
            (418, b"<html>", "HTTP 418 without a message"),
        ]
        for status, body, message in cases:
            with self.subTest(status):
                server = self.serve((status, body))
                done = self.ended(self.reels("analyze", LINK, server=server), 4)
                self.assertIn("reels: " + message, done.stderr)
                self.assertEqual(done.stdout, "")
                self.assertEqual(len(server.requests), 1, "not repeated")

    def test_a_lasting_limit(self):
        limit = {"message": "limit of 3 jobs reached", "status": "error"}
        server = self.serve((429, limit, ("Retry-After", "1")))
        done = self.ended(self.reels("analyze", LINK, server=server), 4)
        self.assertEqual(len(server.requests), 3)
        self.assertIn("limit of 3 jobs reached", done.stderr)

    def test_an_excessive_retry_after(self):
        server = self.serve((429, {"message": "too much", "status": "error"}, ("Retry-After", "3600")))
        self.ended(self.reels("analyze", LINK, server=server), 4)
        self.assertEqual(len(server.requests), 1)


class Retries(CliTest):
    def test_transient_errors_are_retried(self):
        problem = {"message": "internal server error", "status": "error"}
        for trouble in ((500, problem), (502, b"<html>"), (503, problem, ("Retry-After", "1")),
                        (429, problem), "hang up"):
            with self.subTest(trouble):
                server = self.serve(trouble, (202, {"id": 7, "status": "pending"}))
                done = self.ended(self.reels("analyze", LINK, server=server), 0)
                self.assertEqual(done.stdout, "7\n")
                self.assertIn("trying again in 1 s", done.stderr)
                keys = {headers.get("Idempotency-Key") for _, _, headers, _ in server.requests}
                self.assertEqual(len(keys), 1, "both tries are one submission")
                self.assertNotIn(None, keys)

    def test_at_most_three_attempts(self):
        server = self.serve((503, {"message": "down", "status": "error"}))
        done = self.ended(self.reels("get", "42", server=server), 3)
        self.assertEqual(len(server.requests), 3)
        self.assertIn("trying again in 1 s", done.stderr)
        self.assertIn("trying again in 2 s", done.stderr)
        self.assertIn("reels: down (HTTP 503)", done.stderr)

    def test_an_error_during_wait_reports_the_id(self):
        server = self.serve((202, {"id": 42, "status": "pending"}), (503, b""))
        done = self.ended(self.reels("analyze", "--wait", LINK, server=server), 3)
        self.assertIn("reels get 42", done.stderr)

    def test_no_server_listens(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            url = "http://127.0.0.1:%d" % free.getsockname()[1]
            done = self.ended(
                self.reels("get", "1", REELS_SERVER=url, REELS_TOKEN=TOKEN), 3)
        self.assertIn("no answer from " + url, done.stderr)

    def test_invalid_responses(self):
        for status, body in ((200, b"<html>hello</html>"), (200, b"[1]"), (200, b""), (302, b"")):
            with self.subTest((status, body)):
                server = self.serve((status, body, ("Location", "http://127.0.0.1:1/")))
                done = self.ended(self.reels("get", "42", server=server), 3)
                self.assertRegex(done.stderr, r"is this a reelsd server\?|is the address right\?")
                self.assertEqual(len(server.requests), 1)

    def test_a_job_without_an_id(self):
        server = self.serve((202, {"status": "pending"}))
        self.ended(self.reels("analyze", LINK, server=server), 3)


class Settings(CliTest):
    def test_sources_of_settings(self):
        flag, variable, file = (self.serve((200, DONE)) for _ in range(3))
        home = tempfile.TemporaryDirectory()
        self.addCleanup(home.cleanup)
        folder = os.path.join(home.name, ".config", "reels")
        os.makedirs(folder)
        with open(os.path.join(folder, "config"), "w") as config:
            config.write(f'# mine\nserver = "{file.url}/"\ntoken = "rls_file"\n')

        self.ended(self.reels("get", "42", HOME=home.name), 0)
        self.assertEqual(file.requests[0][2]["Authorization"], "Bearer rls_file")
        self.assertEqual(file.requests[0][1], "/api/v1/reels/42")

        self.ended(self.reels("get", "42", HOME=home.name, REELS_SERVER=variable.url), 0)
        self.assertEqual(variable.requests[0][2]["Authorization"], "Bearer rls_file")

        self.ended(self.reels("get", "42", "--server", flag.url, "--token", "rls_flag", HOME=home.name,
                              REELS_SERVER=variable.url, REELS_TOKEN="rls_variable"), 0)
        self.assertEqual(flag.requests[0][2]["Authorization"], "Bearer rls_flag")
        self.assertEqual((len(file.requests), len(variable.requests)), (1, 1))

    def test_a_home_that_may_not_be_entered(self):
        with tempfile.TemporaryDirectory() as folder:
            loop = os.path.join(folder, "home")  # Unlike a folder without permissions, it also keeps root out.
            os.symlink(loop, loop)
            done = self.ended(self.reels("list", HOME=loop, REELS_TOKEN=TOKEN), 2)
        self.assertEqual(done.stderr, f"reels: could not look for the configuration file {loop}/.config/reels/config: "
                         "Too many levels of symbolic links; set HOME to a folder that this user may enter, or name a "
                         "file with --config\n")

    def test_a_world_readable_token(self):
        server = self.serve((200, DONE), (200, DONE), (200, DONE))
        with tempfile.NamedTemporaryFile("w") as config:
            config.write(f'server = "{server.url}"\ntoken = "rls_file"\n')
            config.flush()
            for mode, warned in ((0o600, False), (0o640, True), (0o604, True)):
                os.chmod(config.name, mode)
                done = self.ended(self.reels("--config", config.name, "get", "42"), 0)
                self.assertEqual("reels: warning: the token in " in done.stderr, warned, done.stderr)
                self.assertNotIn("rls_file", done.stderr)

    def test_wrong_usage(self):
        valid = {"REELS_SERVER": "http://127.0.0.1:1", "REELS_TOKEN": TOKEN}
        cases = [
            ([], {}), (["dance"], {}), (["analyze"], {}), (["get"], {}), (["get", "x"], {}),
            (["get", "0"], {}), (["get", "-1"], {}), (["get", "1", "2"], {}),
            (["analyze", LINK, "--timeout", "0"], {}), (["analyze", LINK, "--no-such-flag"], {}),
            (["dance", "list"], {}),
            (["analyze", LINK, "--idempotency-key", ""], {}),
            (["analyze", LINK, "--idempotency-key", "a b"], {}),
            (["analyze", LINK, "--idempotency-key", "k" * 256], {}),
            (["list", "--limit", "0"], {}), (["list", "--limit", "101"], {}), (["list", "x"], {}),
            (["list", "--limit", "1.5"], {}), (["list", "--status", "gone"], {}), (["search"], {}),
            (["search", "x", "--limit", "51"], {}), (["usage", "--from", "2026-02-29"], {}),
            (["usage", "--to", "22.05.2026"], {}), (["delete"], {}), (["delete", "1", "x"], {}),
            (["usage", "--from", "2026-05-02", "--to", "2026-05-01"], {}),
            (["completion"], {}), (["completion", "tcsh"], {}),
            (["get", "1"], {"REELS_SERVER": "127.0.0.1:8080"}),
            (["get", "1"], {"REELS_SERVER": "ftp://127.0.0.1"}),
            (["get", "1"], {"REELS_SERVER": "http://user@127.0.0.1"}),
            (["get", "1"], {"REELS_SERVER": "http://127.0.0.1/?x"}),
            (["get", "1"], {"REELS_TOKEN": ""}),
            (["get", "1"], {"REELS_TOKEN": "rls_a\r\nX-Evil: 1"}),
            (["--config", "/nonexistent/config", "get", "1"], {}),
        ]
        for arguments, variables in cases:
            with self.subTest((arguments, variables)):
                done = self.ended(self.reels(*arguments, **{**valid, **variables}), 2)
                self.assertTrue(done.stderr.startswith("reels: "), done.stderr)
                self.assertEqual(done.stdout, "")

    def test_an_invalid_config_file(self):
        with tempfile.NamedTemporaryFile("w") as config:
            config.write("tokn = 'x'\n")
            config.flush()
            done = self.ended(self.reels("--config", config.name, "get", "1"), 2)
        self.assertIn('"tokn"', done.stderr)

    def test_help_and_version(self):
        done = self.ended(self.reels("--help"), 0)
        for word in ("analyze", "get", "REELS_SERVER", "REELS_TOKEN", "Exit codes"):
            self.assertIn(word, done.stdout)
        for code in ("0", "1", "2", "3", "4", "5", "6", "130"):
            self.assertRegex(done.stdout, rf"(?m)^ +{code} +\S")
        for command in ("analyze", "get", "open", "subtitles", "list", "search", "usage", "export", "delete", "mcp",
                        "login", "completion"):
            with self.subTest(command):
                self.assertRegex(done.stdout, rf"(?m)^  {command} ")
                page = self.ended(self.reels(command, "--help"), 0).stdout
                self.assertIn(f"Usage: reels {command} [OPTIONS]", page)
        self.assertRegex(self.ended(self.reels("--version"), 0).stdout, r"^reels \d+\.\d+\.\d+\n$")


class UnknownWords(CliTest):
    def test_the_nearest_word_is_suggested(self):
        for arguments, expected in (
                (["gte", "42"], '"gte" is not a command or an option; did you mean "get"?'),
                (["show", "--help"], '"show" is not a command or an option;'),
                (["lst", "--help"], 'did you mean "list"?'),
                (["list", "--statsu", "done"], 'did you mean "--status"?'),
                (["list", "--serve=http://x"], 'did you mean "--server"?'),
                (["--json", "list"], '"--json" belongs after the command'),
                (["--tokn", "x", "list"], 'did you mean "--token"?')):
            with self.subTest(arguments):
                done = self.ended(self.reels(*arguments), 2)
                self.assertEqual(done.stdout, "")
                self.assertIn(expected, done.stderr)


class Login(CliTest):
    def log_in(self, server, code, *arguments, text=TOKEN + "\n", file=None):
        environment = self.environment(server) | {"HOME": self.home, "XDG_CONFIG_HOME": self.home}
        for name in ("REELS_SERVER", "REELS_TOKEN"):
            environment.pop(name, None)
        done = subprocess.run([program("reels"), "login", "--server", server.url, *arguments], input=text, text=True,
                              capture_output=True, env=environment, timeout=30)
        self.assertEqual(done.returncode, code, done)
        return done

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = folder.name
        self.file = os.path.join(self.home, "reels", "config")

    def test_a_good_token_is_stored_for_the_owner_alone(self):
        server = self.serve((200, []))
        done = self.log_in(server, 0)
        self.assertEqual(done.stdout, f"The token works. Stored in {self.file}\n")
        self.assertEqual(server.requests[0][1], "/api/v1/reels?limit=20")
        self.assertEqual(server.requests[0][2]["Authorization"], f"Bearer {TOKEN}")
        self.assertEqual(os.stat(self.file).st_mode & 0o777, 0o600)
        with open(self.file, encoding="utf-8") as file:
            self.assertEqual(file.read(), f'server = "{server.url}"\ntoken = "{TOKEN}"\n')
        os.chmod(self.file, 0o644)
        self.log_in(server, 0, text=TOKEN[:-1] + "b\n")
        self.assertEqual(os.stat(self.file).st_mode & 0o777, 0o600)
        with open(self.file, encoding="utf-8") as file:
            self.assertIn("aab", file.read())

    def test_a_token_is_not_read_from_the_environment(self):
        environment = self.environment(HOME=self.home, XDG_CONFIG_HOME=self.home, REELS_TOKEN=TOKEN)
        done = subprocess.run([program("reels"), "login"], stdin=subprocess.DEVNULL, text=True, capture_output=True,
                              env=environment, timeout=30)
        self.assertEqual((done.returncode, done.stderr),
                         (2, "reels: no token on standard input; use: reels login < token.txt\n"))

    def test_server_and_authority_come_from_the_environment(self):
        server = self.serve((200, []))
        environment = self.environment(server, HOME=self.home, XDG_CONFIG_HOME=self.home, REELS_CA_FILE="ca.pem")
        open(os.path.join(self.home, "ca.pem"), "w").close()
        for arguments in ([], ["--ca-file", "./ca.pem"]):
            done = subprocess.run([program("reels"), "login", *arguments], input=TOKEN + "\n", text=True,
                                  capture_output=True, env=environment, cwd=self.home, timeout=30)
            self.assertEqual(done.returncode, 0, done)
            with open(self.file, encoding="utf-8") as file:
                lines = file.read().splitlines()
            self.assertEqual(lines[0], f'server = "{server.url}"')
            stored = lines[2].removeprefix('ca-file = "').removesuffix('"')
            self.assertEqual(os.path.normpath(stored), os.path.join(os.path.realpath(self.home), "ca.pem"))

    def test_a_bad_token_is_not_stored(self):
        done = self.log_in(self.serve((401, {"error": "invalid API token"})), 4)
        self.assertIn("invalid API token", done.stderr)
        self.assertNotIn(TOKEN, done.stderr)
        for text in ("", "\n", "two words\n"):
            self.log_in(self.serve((200, [])), 2, text=text)
        self.assertFalse(os.path.exists(self.file))

    def test_a_token_from_windows(self):
        self.log_in(self.serve((200, [])), 0, text=TOKEN + "\r\n")

    def test_a_linked_file_stays_linked(self):
        file = os.path.join(self.home, "dotfiles")
        os.mkdir(os.path.dirname(self.file))
        os.symlink(os.path.join("..", "dotfiles"), self.file)
        for state in ("missing", "present"):
            with self.subTest(state):
                self.log_in(self.serve((200, [])), 0)
                self.assertTrue(os.path.islink(self.file))
                with open(file, encoding="utf-8") as stored:
                    self.assertIn(TOKEN, stored.read())

    def test_a_signal_at_the_question_restores_the_terminal(self):
        """Ctrl-C is typed, so the terminal must control the program's session."""
        for interrupt in (lambda ours, _: os.write(ours, b"\x03"), lambda _, process: process.terminate()):
            ours, theirs = pty.openpty()
            self.addCleanup(os.close, ours)
            self.addCleanup(os.close, theirs)
            process = subprocess.Popen(
                [program("reels"), "login", "--server", "http://127.0.0.1:1"], env=self.environment() | {"HOME": self.home},
                stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
                preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
            shown = b""
            while b"Token, from" not in shown and select.select([ours], [], [], 30)[0]:
                shown += os.read(ours, 4096)
            self.assertIn(b"Token, from", shown)
            self.assertFalse(termios.tcgetattr(theirs)[3] & termios.ECHO)
            interrupt(ours, process)
            self.assertEqual(process.wait(30), 130)
            self.assertTrue(termios.tcgetattr(theirs)[3] & termios.ECHO)


class OneReel(CliTest):
    def test_open_prints_the_link_of_the_page(self):
        server = self.serve((200, DONE))
        self.assertEqual(self.ended(self.reels("open", "42", server=server), 0).stdout, f"{server.url}/reels/42\n")
        missing = self.serve((404, {"message": "not found", "status": "error"}))
        self.ended(self.reels("open", "42", server=missing), 4)

    def test_subtitles(self):
        text = "1\n00:00:01,000 --> 00:00:02,000\nHello \x1b[2Jthere\n"
        server = self.serve((200, text.encode()))
        done = self.ended(self.reels("subtitles", "42", server=server), 0)
        self.assertEqual(done.stdout, text.replace("\x1b[2J", ""))
        self.ended(self.reels("subtitles", "42", "--format", "vtt", server=server), 0)
        self.assertEqual([request[1] for request in server.requests],
                         ["/api/v1/reels/42/subtitles.srt", "/api/v1/reels/42/subtitles.vtt"])
        self.ended(self.reels("subtitles", "42", "--format", "ass", server=server), 2)

    def test_a_list_of_one_author(self):
        server = self.serve((200, []))
        self.ended(self.reels("list", "--author", "some.one", server=server), 0)
        self.assertIn("author=some.one", server.requests[0][1])

    def test_a_refusal_has_its_code(self):
        refusal = (400, {"message": "url is required", "status": "error"}, ("X-Error-Code", "url_required"))
        done = self.ended(self.reels("get", "42", server=self.serve(refusal)), 4)
        self.assertIn("reels: url is required (HTTP 400, url_required)\n", done.stderr)


class Terminal(CliTest):
    def on_terminal(self, server, *arguments, **variables):
        """The output on a terminal of 50 columns, and the exit code."""
        variables = {"TERM": "xterm", **variables}
        ours, theirs = pty.openpty()
        try:
            subprocess.run(["stty", "cols", "50"], stdin=theirs, check=True)
            process = subprocess.Popen(
                [program("reels"), *arguments], env=self.environment(server, **variables),
                stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs)
        finally:
            os.close(theirs)
        received = b""
        try:
            while piece := os.read(ours, 65536):
                received += piece
        except OSError:  # Linux terminals report this error when the last program has exited.
            pass
        finally:
            os.close(ours)
        return process.wait(30), received.decode()

    def test_open_starts_a_browser_that_signals_can_end(self):
        with tempfile.TemporaryDirectory() as folder:
            browser, found = os.path.join(folder, "browser"), os.path.join(folder, "found")
            with open(browser, "w", encoding="utf-8") as script:
                # A shell would clear the mask of its children.
                script.write(f"#!{sys.executable}\nimport os, shutil\n"
                             f"shutil.copy('/proc/self/status', '{found}.new')\n"
                             f"os.rename('{found}.new', '{found}')\n")
            os.chmod(browser, 0o755)
            code, _ = self.on_terminal(self.serve((200, DONE)), "open", "42", BROWSER=browser)
            self.assertEqual(code, 0)
            wait_until(lambda: os.path.exists(found), "the browser")
            with open(found, encoding="utf-8") as blocked:
                self.assertRegex(blocked.read(), r"SigBlk:\s*0+\n")

    def test_a_progress_line_precedes_the_page(self):
        server = self.serve((202, {"id": 42, "status": "pending"}), (200, PROCESSING), (200, DONE))
        code, shown = self.on_terminal(server, "analyze", "--wait", LINK)
        self.assertEqual(code, 0)
        self.assertRegex(shown, r"\r[|/\\-] reel 42: processing, \d+ s\x1b\[K")
        self.assertIn("\x1b[1mVISUAL\x1b[0m", shown)
        self.assertNotIn("\x1b[2J", shown, "the caption's sequence is gone")
        page = shown[shown.index("Reel 42: done"):]
        plain = re.sub(r"\x1b\[[0-9]*m", "", page)
        for line in plain.splitlines():
            if "https://" not in line and "0" * 64 not in line:
                self.assertLessEqual(len(line), 50, line)

    def test_a_dumb_terminal(self):
        server = self.serve((202, {"id": 42, "status": "pending"}), (200, DONE))
        code, shown = self.on_terminal(server, "analyze", "--wait", LINK, TERM="dumb")
        self.assertEqual(code, 0)
        self.assertNotIn(ESCAPE, shown)

    def test_a_table_fits(self):
        code, shown = self.on_terminal(self.serve((200, List.FIRST)), "list")
        self.assertEqual(code, 0)
        self.assertIn("\x1b[31merror\x1b[0m", shown)
        for line in re.sub(r"\x1b\[[0-9]*m", "", shown).splitlines():
            self.assertLessEqual(len(line), 50, line)

    def test_no_colour_on_request(self):
        answers = (200, List.FIRST, next_page("two"))
        code, shown = self.on_terminal(self.serve(answers), "list", NO_COLOR="1")
        self.assertEqual(code, 0)
        self.assertNotIn(ESCAPE, shown)
        code, shown = self.on_terminal(self.serve(answers), "list", NO_COLOR="")
        self.assertIn(ESCAPE, shown, "an empty variable says nothing")


class Shell:
    """An interactive shell on a terminal, with completions loaded and a `reels` that only prints its arguments."""

    def __init__(self, command, setup):
        self.ours, theirs = pty.openpty()
        try:
            self.process = subprocess.Popen(
                command, env={**clean_environment(), "TERM": "dumb", "HISTFILE": ""}, stdin=theirs,
                stdout=theirs, stderr=theirs, start_new_session=True)
        finally:
            os.close(theirs)
        # Typed in two parts, so that the echo is not mistaken for the output.
        self.type(setup + "\nreels() { printf '<%s>' \"$@\"; echo ' called'; }; echo all' 'set\n")
        self.read_until("all set")

    def type(self, keys):
        os.write(self.ours, keys.encode())

    def read_until(self, end):
        received = b""
        while end.encode() not in received:
            ready, _, _ = select.select([self.ours], [], [], 30)
            if not ready:
                raise AssertionError(f"no {end!r} in {received.decode()!r}")
            received += os.read(self.ours, 65536)
        return received.decode()

    def called_with(self, keys):
        """The arguments that `reels` receives after these keys and Enter."""
        self.type(keys + "\n")
        words = re.findall(r"((?:<[^<>]*>)+) called", self.read_until(" called"))
        return re.findall(r"<([^<>]*)>", words[-1])

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.ours)


class Completion(CliTest):
    """Tests the scripts in their shells. \t is the key that a user types."""

    CASES = [
        ("reels li\t", ["list"]),
        ("reels list --st\tproc\t", ["list", "--status=processing"]),
        ("reels list --all --status d\t", ["list", "--all", "--status=done"]),
        ("reels list --status=e\t", ["list", "--status=error"]),
        ("reels analyze --id\tkey --fr\t", ["analyze", "--idempotency-key=key", "--fresh"]),
        ("reels --server http://127.0.0.1:1 comp\tf\t",
         ["--server=http://127.0.0.1:1", "completion", "fish"]),
        ("reels --token list us\t--fr\t2026-05-22", ["--token=list", "usage", "--from=2026-05-22"]),
        ("reels delete 1 --j\t", ["delete", "1", "--json"]),
    ]

    def script(self, shell):
        """Writes the script to a file, without a server or token."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "_reels")
        done = self.ended(self.reels("completion", shell), 0)
        self.assertEqual(done.stderr, "")
        with open(path, "w") as file:
            file.write(done.stdout)
        return path

    def check(self, command, setup, folder):
        shell = Shell(command, setup)
        self.addCleanup(shell.close)
        open(os.path.join(folder, "unique.toml"), "w").close()
        file = f"{folder}/unique.toml"
        cases = [*self.CASES, (f"reels --config {folder}/uni\tget 1", [f"--config={file}", "get", "1"]),
                 (f"reels analyze {folder}/uni\t--fr\t", ["analyze", file, "--fresh"])]
        for keys, words in cases:
            with self.subTest(keys):
                # Shells differ in whether a value follows "=" or a blank.
                called = shell.called_with(keys)
                self.assertEqual(" ".join(called).replace("=", " "), " ".join(words).replace("=", " "))

    def test_bash(self):
        script = self.script("bash")
        self.check(["bash", "--noprofile", "--norc", "-i"], f"source {script}", os.path.dirname(script))

    def test_zsh(self):
        script = self.script("zsh")
        self.check(["zsh", "-f", "-i"],
                   f"autoload -Uz compinit; compinit -u -D; source {script}", os.path.dirname(script))

    def test_zsh_from_fpath(self):
        folder = os.path.dirname(self.script("zsh"))
        self.check(["zsh", "-f", "-i"],
                   f"fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -D", folder)

    def test_fish(self):
        script = self.script("fish")
        for typed, words in (("reels li", ["list"]), ("reels search li", []),
                             ("reels --server http://x list --st", ["--status"]),
                             ("reels list --status ", ["pending", "processing", "done", "error"]),
                             ("reels --token list comp", ["completion"]),
                             (f"reels analyze {script[:-2]}", [script]), (f"reels get {script[:-2]}", []),
                             ("reels completion ", ["bash", "zsh", "fish"])):
            with self.subTest(typed):
                done = subprocess.run(
                    ["fish", "--no-config", "-c", f"source {script}; complete -C '{typed}'"],
                    # As root, fish would create /nonexistent, which other users then cannot enter.
                    env=clean_environment() | {"HOME": os.path.dirname(script)}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                    timeout=60)
                offered = [line.split("\t")[0] for line in done.stdout.splitlines()]
                self.assertEqual((sorted(offered), done.returncode), (sorted(words), 0), done.stderr)


class Daemons(ServiceTest, CliTest):
    """The same with the real server."""

    @classmethod
    def setUpClass(cls):
        cls.platform = Platform()
        cls.addClassCleanup(cls.platform.close)
        cls.served = Daemon(workers=2, retry_base_seconds=0.05, **cls.platform.settings())
        cls.addClassCleanup(cls.served.close)
        cls.served.start()

    def setUp(self):
        self.account = self.served.account(unlimited=True)

    def run_reels(self, code, *arguments):
        return self.ended(
            self.reels(*arguments, REELS_SERVER="http://" + self.served.address,
                       REELS_TOKEN=self.account.token), code)

    def listed(self, *arguments):
        return [reel["id"] for reel in json.loads(self.run_reels(0, "list", "--json", *arguments).stdout)]

    def test_all_commands_with_a_daemon(self):
        self.assertEqual(self.listed(), [])
        self.platform.configure(posts={"PASTApost1": {"author": "some.one", "caption": "Pasta tonight."}})
        link = "https://www.instagram.com/reel/PASTApost1/"
        page = self.run_reels(0, "analyze", "--wait", link).stdout
        for part in ("PLATFORM", "@some.one", "Pasta tonight."):
            self.assertIn(part, page)
        self.assertIn("unavailable", self.run_reels(1, "analyze", "--wait", UNAVAILABLE).stdout)

        table = self.run_reels(0, "list").stdout.splitlines()
        self.assertEqual(len(table), 3)
        self.assertRegex(table[1], r" error .*Video is not available")
        self.assertRegex(table[2], r" done .*@some\.one")
        failed, done = self.listed()
        self.assertEqual(self.listed("--status", "error"), [failed])
        self.assertEqual(self.listed("--all", "--limit", "1"), [failed, done])
        more = self.run_reels(0, "list", "--limit", "1").stderr
        rest = re.fullmatch(r"More: reels list (.*) --limit 1\n", more).group(1).split()
        self.assertEqual(self.listed(*rest), [done])

        usage = json.loads(self.run_reels(0, "usage", "--json").stdout)
        self.assertEqual(usage["total_calls"], sum(model["calls"] for model in usage["by_model"]))
        self.assertIn("Model calls", self.run_reels(0, "usage").stdout)

        hits = json.loads(self.run_reels(0, "search", "--json", "pasta").stdout)
        self.assertEqual([hit["id"] for hit in hits], [done])
        self.assertIn(f"Reel {done}, @some.one", self.run_reels(0, "search", "pasta").stdout)

        gone = self.run_reels(0, "delete", str(failed), str(done)).stdout
        self.assertEqual(gone, f"Deleted reel {failed}\nDeleted reel {done}\n")
        self.assertEqual(self.listed(), [])
        self.run_reels(4, "get", str(done))
        self.run_reels(4, "delete", str(done))
        self.assertEqual(json.loads(self.run_reels(0, "search", "--json", "pasta").stdout), [])

    def test_an_idempotency_key_creates_one_reel(self):
        first = self.run_reels(0, "analyze", "--idempotency-key", "monday", UNAVAILABLE).stdout
        again = self.run_reels(0, "analyze", "--idempotency-key", "monday", UNAVAILABLE).stdout
        self.assertEqual(first, again)
        self.assertEqual(len(self.listed()), 1)
        self.run_reels(4, "analyze", "--idempotency-key", "monday", LINK)

    def test_a_second_run_submits_failed_reels_again(self):
        done, failed = "https://www.instagram.com/reel/PASTApost2/", UNAVAILABLE
        self.platform.configure(posts={"PASTApost2": {"author": "some.one"}})

        def run(*links, code=1):
            done = self.reels("analyze", "--wait", "--json", given="\n".join(links),
                              REELS_SERVER="http://" + self.served.address, REELS_TOKEN=self.account.token)
            document = json.loads(self.ended(done, code).stdout)
            return [job["id"] for job in document] if len(links) > 1 else [document["id"]]
        first = run(done, failed)
        second = run(done, failed)
        self.assertEqual(second[0], first[0])
        self.assertEqual(len({first[1], second[1], run(done, failed)[1]}), 3)
        self.assertNotEqual(run(failed), run(failed))

    def test_errors_of_the_daemon(self):
        for arguments, message in (
                (["analyze", "https://tiktok.com/x"], 'URL must be an instagram.com link, got "tiktok.com"'),
                (["list", "--cursor", "bogus"], "cursor"), (["search", "x" * 501], "q is too long"),
                (["search", " "], "q is required"), (["get", "9223372036854775807"], "not found")):
            with self.subTest(arguments):
                self.assertIn(message, self.run_reels(4, *arguments).stderr)

    def test_a_revoked_token(self):
        self.served.cli("token", "revoke", "--account", self.account.email, "--name", "test")
        done = self.run_reels(4, "list")
        self.assertIn("reels: invalid API token (HTTP 401, token_invalid)\n", done.stderr)
        self.assertIn("reelsd token create", done.stderr)


class Manual(CliTest):
    def test_it_is_well_formed(self):
        page = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "reels.1")
        done = subprocess.run(
            ["mandoc", "-T", "lint", "-W", "warning", page], stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=60)
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("", "", 0))


if __name__ == "__main__":
    unittest.main(verbosity=2)
