"""Tests the commands of `reels` that users can adapt: options of a submission, presets, questions and downloads.

First with a server whose answers each test defines, then with the real daemon.
"""

import hashlib
import http.server
import json
import pathlib
import re
import subprocess
import tempfile
import threading
import unittest

from cli_test import DONE, LINK, CliTest
from gemini_stand_in import GeminiStandIn
from model_support import ANSWER as ANALYSIS
from service_support import Platform, ServiceTest, program

MODEL = "gemini-3.8-flash"
QUEUED = (202, {"id": 42, "status": "pending"})
SCHEMA = {"type": "object", "properties": {"zest": {"type": "string"}, "amount": {"type": "number"}}}
ANSWER = {
    "answered": True, "answer": "Two cups of flour.",
    "citations": [{"id": 42, "code": "DYa0IXPgnP5", "field": "audio.transcript", "text": "two cups of flour",
                   "seconds": 12.5}],
    "model": {"provider": "gemini", "name": "gemini-1"}, "cost_usd": 0.00041}
UNANSWERED = {**ANSWER, "answered": False, "answer": "The reels do not say.", "citations": []}
PRESETS = [{"name": "recipe", "description": "A recipe", "schema": SCHEMA},
           {"name": "claims", "description": "Claims", "schema": {"type": "object"}}]
JPEG = b"\xff\xd8\xff\xd9"


class FolderTest(CliTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def files(self):
        return sorted(path.name for path in self.folder.iterdir())

    def reels_here(self, *arguments, server):
        """Runs `reels` in the test's folder."""
        return subprocess.run(
            [program("reels"), *arguments], env=self.environment(server), cwd=self.folder,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)


class Options(FolderTest):
    def test_options_of_one_link(self):
        server = self.serve(QUEUED)
        self.ended(self.reels(
            "analyze", LINK, "--language", "pt-BR", "--instructions", 'Note "each" tool', "--extract", "recipe",
            "--analyzer", "gemini", server=server), 0)
        self.assertEqual(json.loads(server.requests[0][3]), {
            "url": LINK, "queue": True, "language": "pt-BR", "instructions": 'Note "each" tool',
            "extract": "recipe", "analyzer": "gemini"})

    def test_a_schema_in_a_file(self):
        server = self.serve(QUEUED)
        schema = self.file("mine.json", json.dumps(SCHEMA))
        self.ended(self.reels("analyze", LINK, "--extract", schema, server=server), 0)
        body = server.requests[0][3]
        self.assertEqual(json.loads(body)["extract"], SCHEMA)
        self.assertLess(body.index(b"zest"), body.index(b"amount"), "fields keep their order")

    def test_a_schema_on_standard_input(self):
        server = self.serve(QUEUED)
        self.ended(self.reels("analyze", LINK, "--extract", "-", server=server, given=json.dumps(SCHEMA)), 0)
        self.assertEqual(json.loads(server.requests[0][3])["extract"], SCHEMA)
        done = self.ended(self.reels("analyze", "--extract", "-", server=server, given=json.dumps(SCHEMA)), 2)
        self.assertIn("no links", done.stderr)
        self.assertEqual(len(server.requests), 1)

    def test_local_errors_come_before_any_request(self):
        server = self.serve(QUEUED)
        for content, message in (("{]", "is not JSON: parse error at line 1"), ("[1]", "it must be an object")):
            with self.subTest(content):
                bad = self.file("bad.json", content)
                done = self.ended(self.reels("analyze", LINK, "--extract", bad, server=server), 2)
                self.assertIn(message, done.stderr)
                self.assertTrue(done.stderr.startswith(f"reels: {bad} "), done.stderr)
        done = self.ended(self.reels("analyze", LINK, "--extract", "./none.json", server=server), 2)
        self.assertIn("./none.json cannot be read: No such file or directory", done.stderr)
        self.ended(self.reels("analyze", LINK, "--extract", "", server=server), 2)
        (self.folder / "folder.mp4").mkdir()
        for name, why in (("missing.mp4", "No such file or directory"), ("folder.mp4", "Is a directory")):
            clip = str(self.folder / name)
            for arguments, given in (((clip,), ""), ((LINK, clip), ""), ((), f"{LINK}\n{clip}\n")):
                with self.subTest(name, arguments=arguments):
                    done = self.ended(self.reels("analyze", *arguments, server=server, given=given), 2)
                    self.assertIn(f"reels: {clip} cannot be read: {why}\n", done.stderr)
        self.assertEqual(server.requests, [])

    def test_errors_of_the_server(self):
        why = 'extract: "$ref" is not supported, at /properties/x/$ref'
        server = self.serve((400, {"message": why, "status": "error"}))
        done = self.ended(self.reels("analyze", LINK, "--extract", "recipe", server=server), 4)
        self.assertIn(f"reels: {why} (HTTP 400)\n", done.stderr)

    def test_options_of_a_list(self):
        answers = [{"url": link, "id": number, "status": "pending"} for number, link in enumerate("ab", 1)]
        server = self.serve((202, answers))
        options = ("--language", "de", "--extract", self.file("s.json", json.dumps(SCHEMA)))
        for arguments in (options, ("--language", "fr"), ()):
            self.ended(self.reels("analyze", *arguments, server=server, given="a b"), 0)
        self.assertEqual(json.loads(server.requests[0][3]), {
            "urls": ["a", "b"], "queue": True, "language": "de", "extract": SCHEMA})
        keys = {headers["Idempotency-Key"] for _, _, headers, _ in server.requests}
        self.assertEqual(len(keys), 3, "other options are another submission")
        self.ended(self.reels("analyze", *options, server=server, given="a b"), 0)
        self.assertIn(server.requests[3][2]["Idempotency-Key"], keys)

    def test_a_large_schema_reduces_the_links_per_request(self):
        links = [f"https://www.instagram.com/reel/{number:0600}/" for number in range(50)]
        server = self.serve((202, [{"url": link, "id": 1, "status": "pending"} for link in links[:25]]))
        large = self.file("s.json", json.dumps({"type": "object", "description": "x" * 40000}))
        self.reels("analyze", "--extract", large, server=server, given="\n".join(links))
        self.assertLess(len(server.requests[0][3]), 64 * 1024)

    def test_options_of_an_upload(self):
        server = self.serve(QUEUED)
        clip = self.file('my "clip".mp4', b"\0video\r\n--")
        self.ended(self.reels("analyze", clip, "--link", LINK, "--extract", self.file("s.json", json.dumps(SCHEMA)),
                              "--language", "de", server=server), 0)
        (method, path, headers, body), = server.requests
        self.assertEqual((method, path), ("POST", "/api/v1/reels/analyze"))
        boundary = re.fullmatch(r"multipart/form-data; boundary=([0-9a-f]{32})", headers["Content-Type"]).group(1)
        parts = body.split(b"--" + boundary.encode())
        self.assertEqual(parts[-1], b"--\r\n")
        texts = dict(re.fullmatch(rb'\r\nContent-Disposition: form-data; name="(\w+)"\r\n\r\n(.*)\r\n', part).groups()
                     for part in parts[1:-2])
        self.assertEqual(json.loads(texts.pop(b"extract")), SCHEMA)
        self.assertEqual(texts, {b"url": LINK.encode(), b"queue": b"true", b"language": b"de"})
        self.assertEqual(parts[-2], b'\r\nContent-Disposition: form-data; name="video"; filename="my \\"clip\\".mp4"\r\n'
                                    b"Content-Type: application/octet-stream\r\n\r\n\0video\r\n--\r\n")

    def test_extracted_fields_are_printed(self):
        job = {**DONE, "extract": {"name": "Pancakes", "recipeIngredient": ["2 eggs", "flour"]}}
        done = self.ended(self.reels("get", "42", server=self.serve((200, job))), 0)
        self.assertIn("\nEXTRACT\n  name: Pancakes\n  recipeIngredient:\n    - 2 eggs\n    - flour\n", done.stdout)
        failed = {**DONE, "extract_error": "the model gave no valid answer"}
        done = self.ended(self.reels("get", "42", server=self.serve((200, failed))), 0)
        self.assertIn("The fields were not extracted: the model gave no valid answer", done.stdout)
        done = self.ended(self.reels("get", "42", "--json", server=self.serve((200, job))), 0)
        self.assertEqual(done.stdout.rstrip("\n"), json.dumps(job), "unchanged")


class Presets(CliTest):
    def test_presets_are_listed_as_a_table(self):
        server = self.serve((200, PRESETS))
        done = self.ended(self.reels("presets", server=server), 0)
        self.assertEqual(done.stdout, "PRESET  DESCRIPTION\nrecipe  A recipe\nclaims  Claims\n")
        self.assertEqual(server.requests[0][:2], ("GET", "/api/v1/extract-presets"))
        done = self.ended(self.reels("presets", "--json", server=server), 0)
        self.assertEqual(done.stdout.rstrip("\n"), json.dumps(PRESETS))

    def test_the_schema_of_a_preset_is_printed(self):
        server = self.serve((200, PRESETS))
        done = self.ended(self.reels("presets", "recipe", server=server), 0)
        self.assertEqual(json.loads(done.stdout), SCHEMA)
        done = self.ended(self.reels("presets", "soup", server=server), 4)
        self.assertEqual(done.stderr, 'reels: no preset "soup"; list them with: reels presets\n')

    def test_a_server_without_presets(self):
        done = self.ended(self.reels("presets", server=self.serve((404, {"message": "not found"}))), 3)
        self.assertIn("the server does not know this request", done.stderr)


class Ask(CliTest):
    def test_a_question_about_all_reels(self):
        server = self.serve((200, ANSWER))
        done = self.ended(self.reels("ask", "how", "much flour?", "--limit", "3", "--author", "some.one",
                                     server=server), 0)
        self.assertEqual(done.stdout, (
            "Two cups of flour.\n\n  Reel 42 at 00:12: “two cups of flour”\n"
            "    https://www.instagram.com/reel/DYa0IXPgnP5/\n\nCost $0.00041, by gemini-1 (gemini)\n"))
        (method, path, headers, body), = server.requests
        self.assertEqual((method, path), ("POST", "/api/v1/reels/ask"))
        self.assertEqual(headers["Content-Type"], "application/json")
        self.assertEqual(json.loads(body), {"question": "how much flour?", "limit": 3, "author": "some.one"})

    def test_a_question_about_one_reel(self):
        server = self.serve((200, ANSWER))
        done = self.ended(self.reels("ask", "--reel", "42", "how much?", "--json", server=server), 0)
        self.assertEqual(done.stdout.rstrip("\n"), json.dumps(ANSWER))
        self.assertEqual(server.requests[0][1], "/api/v1/reels/42/ask")
        self.assertEqual(json.loads(server.requests[0][3]), {"question": "how much?"})

    def test_no_answer(self):
        for answer in (UNANSWERED, {**ANSWER, "citations": []}):
            done = self.ended(self.reels("ask", "why?", server=self.serve((200, answer))), 6)
            self.assertTrue(done.stdout.startswith(answer["answer"] + "\n"), done.stdout)
            done = self.ended(self.reels("ask", "why?", "--json", server=self.serve((200, answer))), 6)
            self.assertEqual(json.loads(done.stdout), answer)

    def test_a_question_is_not_retried_after_a_lost_answer(self):
        # With 503, a model may have been called and its answer lost.
        for trouble, code in (("hang up", 3), ((500, {"message": "internal server error"}), 3), ((502, b""), 3),
                              ((503, {"message": "the model cannot be reached"}), 3)):
            with self.subTest(trouble):
                server = self.serve(trouble, (200, ANSWER))
                self.ended(self.reels("ask", "why?", server=server), code)
                self.assertEqual(len(server.requests), 1)
        server = self.serve((429, {"message": "limit"}), (429, {"message": "limit"}), (200, ANSWER))
        self.ended(self.reels("ask", "why?", server=server), 0)
        self.assertEqual(len(server.requests), 3, "nothing was done for these")

    def test_errors_of_a_question(self):
        for status, message in ((400, "asking needs a model; this server has none"), (404, "not found"),
                                (400, "the reel is not done")):
            server = self.serve((status, {"message": message, "status": "error"}))
            done = self.ended(self.reels("ask", "--reel", "7", "why?", server=server), 4)
            self.assertIn(f"reels: {message} (HTTP {status})\n", done.stderr)

    def test_wrong_usage(self):
        server = self.serve((200, ANSWER))
        for arguments in ([], ["--limit", "21", "x"], ["--reel", "0", "x"], ["--reel", "1", "--limit", "3", "x"],
                          ["--reel", "1", "--author", "a", "x"]):
            with self.subTest(arguments):
                self.ended(self.reels("ask", *arguments, server=server), 2)
        self.assertEqual(server.requests, [])


class VideoServer:
    """Serves a video with ranges (RFC 9110, 14). `cuts`: after how many bytes each response breaks."""

    def __init__(self, content, etag='"v/1"', cuts=()):
        self.content = content
        self.etag = etag
        self.cuts = list(cuts)
        self.requests = []
        script = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                headers = dict(self.headers)
                script.requests.append((self.path, headers.get("Range"), headers.get("If-Range")))
                begin = 0
                if "Range" in headers and headers.get("If-Range") == script.etag:
                    begin = int(re.fullmatch(r"bytes=(\d+)-", headers["Range"]).group(1))
                size = len(script.content)
                if begin >= size:
                    self.send_response(416)
                    self.send_header("Content-Range", f"bytes */{size}")
                    self.send_header("Content-Length", "0")
                    return self.end_headers()
                self.send_response(206 if begin else 200)
                if begin:
                    self.send_header("Content-Range", f"bytes {begin}-{size - 1}/{size}")
                self.send_header("Content-Type", "video/mp4")
                if script.etag:
                    self.send_header("ETag", script.etag)
                self.send_header("Content-Length", str(size - begin))
                self.end_headers()
                cut = script.cuts.pop(0) if script.cuts else None
                self.wfile.write(script.content[begin:][:cut])
                self.close_connection = cut is not None

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.handle_error = lambda *_: None  # A client may end a download.
        self.url = "http://127.0.0.1:%d" % self.server.server_port
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,))
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


class Download(FolderTest):
    CONTENT = bytes(range(256)) * 4000

    def video(self, *arguments, **options):
        server = VideoServer(*arguments, **options)
        self.addCleanup(server.close)
        return server

    def saved(self, name="reel-42.mp4"):
        self.assertEqual(self.files(), [name], "nothing else is left")
        return (self.folder / name).read_bytes()

    def test_a_video_is_downloaded(self):
        server = self.video(self.CONTENT)
        done = self.ended(self.reels_here("download", "42", server=server), 0)
        self.assertEqual((done.stdout, done.stderr), ("reel-42.mp4\n", "downloading reel-42.mp4\n"))
        self.assertEqual(self.saved(), self.CONTENT)
        self.assertEqual(server.requests, [("/api/v1/reels/42/video", None, None)])
        done = self.ended(self.reels_here("download", "42", server=server), 0)
        self.assertEqual((done.stdout, done.stderr), ("", "reel-42.mp4 exists already\n"))
        self.assertEqual(len(server.requests), 1)

    def test_a_broken_download_is_resumed(self):
        server = self.video(self.CONTENT, cuts=[300_000, 300_000])
        done = self.ended(self.reels_here("download", "42", "--output", "a b.mp4", server=server), 0)
        self.assertIn("continuing in 1 s", done.stderr)
        self.assertEqual(self.saved("a b.mp4"), self.CONTENT)
        self.assertEqual(server.requests[1:], [("/api/v1/reels/42/video", "bytes=300000-", '"v/1"'),
                                               ("/api/v1/reels/42/video", "bytes=600000-", '"v/1"')])

    def interrupted(self, **options):
        """A download that failed after 300,000 bytes."""
        server = self.video(self.CONTENT, cuts=[300_000, 0, 0], **options)
        done = self.ended(self.reels_here("download", "42", server=server), 3)
        self.assertNotIn("reel-42.mp4", self.files())
        server.requests.clear()
        return server, done

    def test_the_same_command_resumes(self):
        server, failed = self.interrupted()
        self.assertIn("300.0 kB are kept; the same command continues.", failed.stderr)
        done = self.ended(self.reels_here("download", "42", server=server), 0)
        self.assertEqual(self.saved(), self.CONTENT)
        self.assertEqual(server.requests, [("/api/v1/reels/42/video", "bytes=300000-", '"v/1"')])
        self.assertIn("continuing reel-42.mp4", done.stderr)

    def test_another_video_restarts_the_download(self):
        server, _ = self.interrupted()
        server.content, server.etag = self.CONTENT[::-1], '"v/2"'
        self.ended(self.reels_here("download", "42", server=server), 0)
        self.assertEqual(self.saved(), self.CONTENT[::-1])

    def test_a_shorter_video_of_the_same_etag_restarts_the_download(self):
        server, _ = self.interrupted()
        server.content = b"short"
        self.ended(self.reels_here("download", "42", server=server), 0)
        self.assertEqual(self.saved(), b"short")
        self.assertEqual([given for _, given, _ in server.requests], ["bytes=300000-", None])

    def test_a_download_without_an_etag_restarts(self):
        server, failed = self.interrupted(etag=None)
        self.assertNotIn("continues", failed.stderr)
        self.ended(self.reels_here("download", "42", server=server), 0)
        self.assertEqual(self.saved(), self.CONTENT)
        self.assertEqual(server.requests, [("/api/v1/reels/42/video", None, None)])

    def test_a_video_that_is_not_kept(self):
        server = self.serve((404, {"message": "not found", "status": "error"}))
        done = self.ended(self.reels_here("download", "42", server=server), 4)
        self.assertIn("reels: the server has no video of reel 42: not found (HTTP 404)", done.stderr)
        self.assertEqual(self.files(), [])
        server = self.serve((404, {"message": "not found", "status": "error"}, ("X-Error-Code", "video_not_kept")))
        done = self.ended(self.reels_here("download", "42", server=server), 4)
        self.assertIn("no video of reel 42: not found (HTTP 404, video_not_kept)\n", done.stderr)
        self.assertIn("videos-kept-days", done.stderr)

    def test_a_missing_folder(self):
        server = self.video(self.CONTENT)
        done = self.ended(self.reels_here("download", "42", "--output", "none/x.mp4", server=server), 2)
        self.assertIn("reels: none/x.mp4 cannot be written: No such file or directory", done.stderr)
        done = self.ended(self.reels_here("download", "42", "--output", "new/", server=server), 0)
        self.assertEqual(done.stdout, "new/reel-42.mp4\n")

    def test_a_folder_for_frames_that_is_a_file(self):
        (self.folder / "taken").touch()
        server = self.video(self.CONTENT)
        done = self.ended(self.reels_here("download", "42", "--frames", "--output", "taken", server=server), 2)
        self.assertIn("reels: cannot create the folder taken: ", done.stderr)

    def job_with_frames(self):
        moments = [{"timestamp": "00:0%d" % at, "seconds": at, "description": "x",
                    **({} if at == 1 else {"frame": f"/api/v1/reels/42/frames/{at}"})} for at in range(3)]
        return {**DONE, "result": {**DONE["result"], "content": {**DONE["result"]["content"],
                                                                 "key_moments": moments}}}

    def test_frames(self):
        picture = (200, JPEG, ("Content-Type", "image/jpeg"))
        server = self.serve((200, self.job_with_frames()), picture, picture, (200, self.job_with_frames()))
        done = self.ended(self.reels_here("download", "42", "--frames", "--output", "pictures", server=server), 0)
        self.assertEqual(done.stdout, "pictures/reel-42-01.jpg\npictures/reel-42-03.jpg\n")
        self.assertEqual([path for _, path, _, _ in server.requests[1:]],
                         ["/api/v1/reels/42/frames/0", "/api/v1/reels/42/frames/2"])
        for name in ("reel-42-01.jpg", "reel-42-03.jpg"):
            self.assertEqual((self.folder / "pictures" / name).read_bytes(), JPEG)
        done = self.ended(self.reels_here("download", "42", "--frames", "--output", "pictures", server=server), 0)
        self.assertEqual(done.stdout, "")

    def test_a_reel_without_frames(self):
        done = self.ended(self.reels_here("download", "42", "--frames", server=self.serve((200, DONE))), 4)
        self.assertEqual(done.stderr, "reels: reel 42 has no frames\n")
        running = {"id": 42, "url": DONE["url"], "status": "processing", "created_at": DONE["created_at"]}
        done = self.ended(self.reels_here("download", "42", "--frames", server=self.serve((200, running))), 4)
        self.assertEqual(done.stderr, "reels: reel 42 has no frames: its status is processing\n")

    def test_a_reel_without_subtitles(self):
        server = self.serve((404, {"message": "not found", "status": "error"}))
        done = self.ended(self.reels_here("subtitles", "42", server=server), 4)
        self.assertIn("reels: reel 42 has no subtitles: not found (HTTP 404)\n", done.stderr)
        self.assertIn("states: reels list", done.stderr)

    def test_a_frame_that_is_not_a_jpeg(self):
        server = self.serve((200, self.job_with_frames()), (200, b"<html>"))
        done = self.ended(self.reels_here("download", "42", "--frames", server=server), 3)
        self.assertIn("is not a JPEG", done.stderr)
        self.assertEqual(self.files(), [])


class Daemons(ServiceTest, FolderTest):
    """The same with the real server."""

    def run_here(self, code, *arguments):
        environment = self.environment(REELS_SERVER="http://" + self.served.address, REELS_TOKEN=self.account.token)
        return self.ended(subprocess.run(
            [program("reels"), *arguments], env=environment, cwd=self.folder, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=300), code)

    def begin(self, **settings):
        self.served = self.daemon(**settings).start()
        self.account = self.served.account(unlimited=True)

    def test_media_are_downloaded(self):
        platform = Platform()
        self.addCleanup(platform.close)
        platform.configure(posts={"PASTApost1": {}})
        self.begin(workers=2, videos_kept_days=1, **platform.settings())
        reel = json.loads(self.run_here(0, "analyze", "--wait", "--json",
                                        "https://www.instagram.com/reel/PASTApost1/").stdout)
        name = f"reel-{reel['id']}.mp4"
        self.assertEqual(self.run_here(0, "download", str(reel["id"])).stdout, name + "\n")
        video = (self.folder / name).read_bytes()
        digest = hashlib.sha256(video).hexdigest()
        self.assertEqual(digest, reel["result"]["metadata"]["sha256"])
        # A part of it, as an interrupted download leaves it.
        (self.folder / name).unlink()
        (self.folder / f"{name}.%22{digest}%22.part").write_bytes(video[:100])
        self.assertIn("continuing", self.run_here(0, "download", str(reel["id"])).stderr)
        self.assertEqual((self.folder / name).read_bytes(), video)
        self.assertEqual(self.files(), [name])

        moments = reel["result"]["content"]["key_moments"]
        frames = [number for number, moment in enumerate(moments, 1) if "frame" in moment]
        done = self.run_here(0 if frames else 4, "download", "--frames", str(reel["id"]))
        self.assertEqual(done.stdout.split(), [f"reel-{reel['id']}-{number:02}.jpg" for number in frames])
        for saved in done.stdout.split():
            self.assertTrue((self.folder / saved).read_bytes().startswith(b"\xff\xd8"))
        self.assertIn("has no video of reel 999", self.run_here(4, "download", "999").stderr)

    def test_without_a_model(self):
        self.begin(workers=0)
        names = [preset["name"] for preset in json.loads(self.run_here(0, "presets", "--json").stdout)]
        self.assertEqual(sorted(names), ["claims", "places", "products", "recipe", "tutorial", "workout"])
        self.assertEqual(json.loads(self.run_here(0, "presets", "recipe").stdout)["type"], "object")
        self.assertIn("extract needs a model; this server has none (HTTP 400, model_required)",
                      self.run_here(4, "analyze", LINK, "--extract", "recipe").stderr)
        self.assertIn("asking needs a model; this server has none (HTTP 400, model_required)",
                      self.run_here(4, "ask", "why?").stderr)
        bad = self.file("bad.json", '{"type": "object", "properties": {"x": {"$ref": "#"}}}')
        self.assertIn('"$ref" is not supported, at /properties/x/$ref (HTTP 400, extract_invalid)',
                      self.run_here(4, "analyze", LINK, "--extract", bad).stderr)
        clip = self.file("clip.mp4", b"video")
        self.assertIn("extract needs a model", self.run_here(4, "analyze", clip, "--extract", "recipe").stderr)
        self.run_here(0, "analyze", LINK, "--analyzer", "local")
        self.assertIn("analyzer must be local", self.run_here(4, "analyze", LINK, "--analyzer", "none").stderr)

    def test_with_a_model(self):
        platform = Platform(with_sound=True)
        self.addCleanup(platform.close)
        platform.configure(posts={"PASTApost1": {"caption": "Sift two cups of flour."}})
        model = GeminiStandIn().start()
        self.addCleanup(model.stop)
        model.answer = ANALYSIS
        self.begin(**platform.settings(), analyzer="gemini", gemini_url=model.url, gemini_api_key=model.key,
                   gemini_model=MODEL, model_prices=f"{MODEL}=0.3/2.5/0.03")
        link = "https://www.instagram.com/reel/PASTApost1/"
        self.run_here(0, "analyze", "--wait", link)
        done = self.run_here(0, "ask", "How many cups of flour?")
        self.assertIn("Sift two cups of flour.", done.stdout)
        self.assertIn("    " + link + "\n", done.stdout)
        self.assertRegex(done.stdout, rf"\nCost \$0\.\d+, by {MODEL} \(gemini\)\n$")
        model.manner = "uncited"
        done = self.run_here(6, "ask", "How many cups of flour?", "--json")
        self.assertEqual(json.loads(done.stdout)["citations"], [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
