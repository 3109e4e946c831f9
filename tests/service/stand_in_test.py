"""Tests the platform's stand-in: each behaviour, and each refusal. Without this, the other suites would prove
nothing."""

import http.client
import json
import os
import re
import subprocess
import sys
import unittest
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
sys.dont_write_bytecode = True
import platform_pages as pages  # noqa: E402
import platform_queries as queries  # noqa: E402

SCRIPT = os.path.join(os.path.dirname(__file__), "..", "support", "platform_stand_in.py")
CODE = "DYexample01"
PK = pages.media_id_of(CODE)
CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/156.0.0.0 Safari/537.36"
APP = {"User-Agent": "Instagram 400.0.0 Android", "X-IG-App-ID": "567067343352427"}
NAVIGATION = {
    "User-Agent": CHROME, "Accept": "text/html,*/*", "Sec-Fetch-Dest": "document",
    "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "none", "Sec-Fetch-User": "?1",
    "Upgrade-Insecure-Requests": "1"}
TOKEN = "c" * 32


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        try:
            self.body, self.is_whole = response.read(), True
        except http.client.IncompleteRead as cut:
            self.body, self.is_whole = cut.partial, False
        self.text = self.body.decode("utf-8", "replace")

    def json(self):
        return json.loads(self.body)


class StandInTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.process = subprocess.Popen(
            [sys.executable, "-B", SCRIPT, "--port", "0", "--exit-with-stdin"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        cls.port = int(cls.process.stdout.readline())

    @classmethod
    def tearDownClass(cls):
        cls.process.stdin.close()
        cls.process.stdout.close()
        cls.process.wait(timeout=30)

    def connection(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        self.addCleanup(connection.close)
        return connection

    def ask(self, path, headers=None, body=None, method=None):
        connection = self.connection()
        connection.request(method or ("POST" if body is not None else "GET"), path, body,
                           headers or {})
        return Answer(connection.getresponse())

    def has(self, posts=None, **settings):
        answer = self.ask("/_control", body=json.dumps(
            dict(settings, reset=True, posts={CODE: posts} if posts is not None else {})))
        self.assertEqual(answer.status, 200, answer.text)

    def page(self, **changed):
        return self.ask("/reel/%s/" % CODE, self.without(NAVIGATION, changed))

    @staticmethod
    def without(headers, changed):
        """With these changes; None removes a field."""
        names = {name.replace("_", "-"): value for name, value in changed.items()}
        return {name: value for name, value in {**headers, **names}.items() if value is not None}

    def query(self, path="/graphql/query", form=None, **changed):
        """A query as the platform's own pages send it, except for the changes."""
        kind, doc_id, name = queries.QUERIES[path]
        variables = {"media_id": PK} if kind == "logged_out" else {
            "shortcode": CODE, queries.RELAY_PROVIDER: False}
        fields = {"lsd": "AVabcdefghi", "fb_api_req_friendly_name": name, "doc_id": doc_id,
                  "server_timestamps": "true", "variables": json.dumps(variables), **(form or {})}
        headers = {
            "User-Agent": "Mozilla/5.0", "Content-Type": "application/x-www-form-urlencoded",
            "X-FB-Friendly-Name": name, "X-FB-LSD": "AVabcdefghi", "X-IG-App-ID": queries.APP_ID,
            "X-ASBD-ID": "359341", "X-CSRFToken": TOKEN, "Cookie": "csrftoken=" + TOKEN,
            "Origin": "https://www.instagram.com",
            "Referer": "https://www.instagram.com/p/%s/" % CODE}
        if kind == "logged_out":
            headers.update({"X-Requested-With": "XMLHttpRequest", "X-IG-WWW-Claim": "0"})
        fields = {name: value for name, value in fields.items() if value is not None}
        return self.ask(path, self.without(headers, changed), urllib.parse.urlencode(fields))

    def media_path(self):
        """The signed address of the video in the answer of the root query."""
        item = self.query().json()["data"]["xdt_api__v1__media__shortcode__web_info"]["items"][0]
        url = urllib.parse.urlsplit(item["video_versions"][1]["url"])
        return "%s?%s" % (url.path, url.query)


class Pages(StandInTest):
    def test_only_browsers_get_pages(self):
        self.has({})
        self.assertIn("PolarisLoggedOutDesktopWWWPostRoute", self.page().text)
        for name, value in [("Sec_Fetch_Mode", None), ("Sec_Fetch_Dest", None),
                            ("Sec_Fetch_Dest", "empty"), ("Sec_Fetch_Site", "cross-site"),
                            ("Sec_Fetch_User", None), ("User_Agent", "Mozilla/5.0"),
                            ("User_Agent", "curl/8"), ("Accept", "*/*")]:
            answer = self.page(**{name: value})
            self.assertEqual(answer.status, 200)
            self.assertIn('"pageID":"httpErrorPage"', answer.text, name)
            self.assertNotIn("video_versions", answer.text, name)

    def test_the_post_is_among_decoys(self):
        self.has({})
        blocks = re.findall(r"<script [^>]*data-sjs[^>]*>(.*?)</script>", self.page().text)
        self.assertGreaterEqual(len(blocks), 3)
        decoys = [text for text in blocks if "polaris_ordered_timeline_connection" in text]
        self.assertEqual(len(decoys), 1)
        self.assertEqual(decoys[0].count('"node"'), 12)
        self.assertIn(CODE, decoys[0])
        self.assertNotIn("video_versions", decoys[0])

    def test_gated_posts(self):
        rows = {
            "age": '"gating_type":3', "geo": "Not available in your region",
            "private": '"if_not_gated_logged_out":null', "deleted": '"xig_polaris_media":null',
            "photo_page": '"media_type":1', "photo_music": '"display_artist":"Artist"',
            "throttled": "og:title", "login_wall": "PolarisCAAIGLoginHomepageRoute",
            "json": '"status"'}
        for behaviour, part in rows.items():
            self.has({"page": behaviour})
            answer = self.page()
            self.assertEqual(answer.status, 200)
            self.assertIn(part, answer.text, behaviour)
            self.assertNotIn(".mp4", answer.text, behaviour)
        self.has({"slides": ["photo", "video", "photo"]})
        self.assertIn('"carousel_media_count":3', self.page().text)
        self.has(None)
        self.assertIn('"pageID":"httpErrorPage"', self.page().text)

    def test_each_client_has_a_rate_limit(self):
        rows = {"throttled": (200, "og:title"), "login_redirect": (302, ""),
                "rate_limited": (429, ""), "wait": (401, "require_login")}
        for answered, (status, part) in rows.items():
            self.has({}, page_budget=2, query_budget=1, embed_budget=1, over_budget=answered)
            self.assertIn(".mp4", self.page().text)
            self.assertIn(".mp4", self.page().text)
            spent = self.page()
            self.assertEqual(spent.status, status, answered)
            self.assertIn(part, spent.text)
            self.assertNotIn(".mp4", spent.text)
            self.assertIn(".mp4", self.page(User_Agent=CHROME + " Edg/156").text)
            self.assertIn(".mp4", self.query().text)
            self.assertNotIn(".mp4", self.query().text)
            self.assertIn(".mp4", self.embed().text)
            self.assertNotIn(".mp4", self.embed().text)

    def embed(self, **changed):
        return self.ask("/p/%s/embed/captioned/" % CODE, self.without(NAVIGATION, changed))

    def test_embed_pages(self):
        self.has({})
        self.assertIn("video_url", self.embed(Sec_Fetch_Dest="iframe").text)
        self.assertNotIn(".mp4", self.embed(Sec_Fetch_Mode=None).text)
        for behaviour in ("blocked", "photo", "without_data", "null"):
            self.has({"embed": behaviour})
            self.assertNotIn(".mp4", self.embed().text, behaviour)

    def test_truncated_and_stalled_bodies(self):
        self.has({"page": "cut", "root": "cut", "embed": "cut"})
        for answer in (self.page(), self.query(), self.embed()):
            self.assertFalse(answer.is_whole)
            self.assertGreater(int(answer.headers["Content-Length"]), len(answer.body))
        self.has({})
        whole = len(self.page().body)
        self.has({"page": "short_length", "root": "short_length"})
        self.assertEqual(len(self.page().body), whole // 2)
        self.assertRaises(ValueError, self.query().json)
        self.has({"page": "endless", "embed": "trickle"})
        for path, size in (("/reel/%s/" % CODE, 3 << 20), ("/p/%s/embed/captioned/" % CODE, 2)):
            connection = self.connection()
            connection.request("GET", path, headers=NAVIGATION)
            self.assertEqual(len(connection.getresponse().read(size)), size)

    def test_share_links(self):
        self.has({}, shares={"BAKl0x": CODE})
        answer = self.ask("/share/reel/BAKl0x/", {"User-Agent": "curl/8"})
        self.assertEqual(answer.status, 302)
        self.assertIn("/reel/%s/?" % CODE, answer.headers["Location"])
        self.assertEqual(self.ask("/share/BAKl0x/", NAVIGATION).status, 302)
        self.assertEqual(self.ask("/share/BAKl0x/", {"User-Agent": CHROME}).status, 200)
        self.assertEqual(self.ask("/share/nothing/", {"User-Agent": "curl/8"}).status, 404)


class Queries(StandInTest):
    def test_both_queries_are_answered(self):
        self.has({})
        self.assertIn("play_count", self.query().text)
        self.assertIn("if_not_gated_logged_out", self.query("/api/graphql").text)

    def test_a_chrome_user_agent_requires_its_tls_handshake(self):
        self.has({})
        self.assertIn("<title>Instagram", self.query(User_Agent=CHROME).text)
        self.has({}, chrome_tls=True)
        self.assertIn("play_count", self.query(User_Agent=CHROME).text)

    def test_incomplete_requests_are_refused(self):
        self.has({})
        self.assertEqual(self.query(X_CSRFToken=None).status, 403)
        self.assertEqual(self.query(X_CSRFToken="d" * 32).status, 403)
        self.assertEqual(self.query(Cookie=None).status, 403)
        self.assertEqual(self.query(X_FB_LSD="AVotherother").status, 400)
        self.assertEqual(self.query(form={"lsd": None}).status, 400)
        self.assertEqual(self.query(X_IG_App_ID="1").status, 400)
        self.assertEqual(self.query(X_ASBD_ID=None).status, 400)
        self.assertEqual(self.query(X_FB_Friendly_Name="Other").status, 400)
        self.assertEqual(self.query("/api/graphql", X_Requested_With=None).status, 400)
        variables = json.dumps({"shortcode": CODE})
        self.assertIn("missing_required_variable_value",
                      self.query(form={"variables": variables}).text)
        other = queries.QUERIES["/api/graphql"][1]
        self.assertIn("execution error", self.query(form={"doc_id": other}).text)
        self.assertIn('"xdt_shortcode_media": null',
                      self.query(form={"doc_id": queries.RETIRED_DOC_ID}).text)

    def test_gated_posts(self):
        for truth, root, logged_out in [
                ("age", "field_exception", '"gating_type": 3'),
                ("geo", "field_exception", "Not available in your region"),
                ("deleted", "web_info\": null", '"xig_polaris_media": null'),
                ("private", "web_info\": null", '"if_not_gated_logged_out": null'),
                ("photo_music", '"media_type": 1', '"media_type": 1')]:
            self.has({"page": truth})
            self.assertIn(root, self.query().text, truth)
            self.assertIn(logged_out, self.query("/api/graphql").text, truth)

    def test_html_for_json(self):
        self.has({"root": "html", "logged_out": "forbidden"})
        self.assertEqual(self.query().status, 200)
        self.assertTrue(self.query().text.startswith("<!DOCTYPE"))
        self.assertEqual(self.query("/api/graphql").status, 403)


class Api(StandInTest):
    def test_oembed(self):
        path = "/api/v1/oembed/?url=https://www.instagram.com/p/%s/" % CODE
        self.has({})
        self.assertEqual(self.ask(path, APP).json()["media_id"], PK + "_12345")
        self.assertNotIn("mp4", self.ask(path, APP).text)
        self.assertEqual(self.ask(path, {"User-Agent": "curl/8"}).status, 400)
        for truth in ("age", "geo"):
            self.has({"page": truth})
            self.assertEqual(self.ask(path, APP).json()["message"], "geoblock_required")
        self.has(None)
        self.assertEqual(self.ask(path, APP).status, 404)

    def test_the_availability_of_a_post(self):
        path = "/api/v1/web/get_ruling_for_content/?content_type=MEDIA&target_id="
        self.has({})
        answer = self.ask(path + PK)
        self.assertEqual(answer.json(), {"status": "ok"})
        self.assertIn("csrftoken=", answer.headers["Set-Cookie"])
        self.has({"page": "age"})
        self.assertEqual(self.ask(path + PK).json()["title"], "This content may be inappropriate")
        self.has({"page": "geo"})
        self.assertEqual(self.ask(path + PK).json()["title"], "Restricted Video")
        self.assertEqual(self.ask(path + "x").status, 400)

    def info(self, session, **changed):
        headers = {"X-IG-App-ID": queries.APP_ID, "X-ASBD-ID": "359341", "X-CSRFToken": TOKEN,
                   "Cookie": "sessionid=%s; csrftoken=%s" % (session, TOKEN)}
        return self.ask("/api/v1/media/%s/info/" % PK, self.without(headers, changed))

    def test_media_info_requires_a_valid_session(self):
        sessions = {"a": "valid", "b": "expired", "c": "challenged", "d": "masked",
                    "e": "logged_out"}
        self.has({}, sessions=sessions)
        answer = self.info("a")
        self.assertEqual(answer.json()["items"][0]["code"], CODE)
        self.assertIn("x-ig-set-www-claim", answer.headers)
        for session, status, part in [("b", 403, "login_required"), ("d", 404, "Not Found"),
                                      ("c", 400, "challenge_required"), ("e", 302, ""),
                                      ("nobody", 401, "Please wait a few minutes")]:
            answer = self.info(session)
            self.assertEqual((answer.status, part in answer.text), (status, True), session)
        self.assertEqual(self.info("a", X_CSRFToken="d" * 32).status, 403)
        self.has({"page": "private"}, sessions=sessions)
        self.assertIn("Not authorized to view user", self.info("a").text)
        self.has({"page": "age"}, sessions=sessions)
        self.assertIn(".mp4", self.info("a").text)


class Media(StandInTest):
    def get(self, path, text=None, **headers):
        fields = {"Range": "bytes=" + text} if text else {}
        return self.ask(path, self.without(fields, headers))

    def test_ranges(self):
        self.has({})
        path = self.media_path()
        whole = self.get(path)
        size = len(whole.body)
        self.assertEqual((whole.status, int(whole.headers["Content-Length"])), (200, size))
        for text, start, end in [("100-", 100, size), ("0-99", 0, 100), ("5-5", 5, 6),
                                 ("%d-" % (size - 1), size - 1, size), ("9-999999999", 9, size)]:
            part = self.get(path, text)
            self.assertEqual((part.status, part.body), (206, whole.body[start:end]), text)
            self.assertEqual(part.headers["Content-Range"],
                             "bytes %d-%d/%d" % (start, end - 1, size))
        beyond = self.get(path, "%d-" % size)
        self.assertEqual((beyond.status, beyond.headers["Content-Range"]),
                         (416, "bytes */%d" % size))
        tag = whole.headers["ETag"]
        self.assertEqual(self.get(path, "9-", If_Range=tag).status, 206)
        self.assertEqual(self.get(path, "9-", If_Range='"other"').status, 200)

    def test_signatures(self):
        self.has({})
        path = self.media_path()
        for broken, words in [(path.replace("oh=", "oh=0"), "Invalid URL Signature"),
                              (path.replace("oe=", "oe=1"), "Bad URL date param"),
                              (re.sub("oe=.", "oe=0", path), "Invalid URL Signature"),
                              (path.split("?")[0], "Bad URL date param")]:
            answer = self.get(broken)
            self.assertEqual((answer.status, answer.text), (403, words))
        self.has({"media": "expired"})
        answer = self.get(self.media_path())
        self.assertEqual((answer.status, answer.text), (403, "URL signature expired"))

    def test_truncated_and_stalled_bodies(self):
        self.has({"media": "cut"})
        path = self.media_path()
        self.assertFalse(self.get(path).is_whole)
        self.assertTrue(self.get(path).is_whole)
        self.has({"media": "lying_length"})
        self.assertFalse(self.get(self.media_path()).is_whole)
        for behaviour, size in (("stall", 1000), ("trickle", 2), ("endless", 3 << 20)):
            self.has({"media": behaviour})
            connection = self.connection()
            connection.request("GET", self.media_path())
            self.assertEqual(len(connection.getresponse().read(size)), size, behaviour)


if __name__ == "__main__":
    unittest.main()
