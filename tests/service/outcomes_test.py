"""Tests the outcome of jobs: links with fixed outcomes, from the submission to the answer of a client."""

import contextlib
import glob
import os
import re
import unittest

import fake_yt_dlp
from result_shape import check_result
from service_support import SAMPLE, Daemon, Platform, ServiceTest, program, wait_until

RFC3339 = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")


class OutcomeTest(ServiceTest):
    """The sample reel is analysed with the installed speech model, as users run it."""

    @classmethod
    def setUpClass(cls):
        cls.served = Daemon(workers=2, retry_base_seconds=0.05, requests_per_minute=100000)
        cls.addClassCleanup(cls.served.close)
        cls.served.start()
        cls.someone = cls.served.account(unlimited=True)


class TestLinks(OutcomeTest):
    def test_the_sample_is_done(self):
        job_id = self.someone.submit(SAMPLE)

        job = self.someone.finished(job_id)

        self.assertEqual(job["status"], "done", job)
        self.assertEqual((job["id"], job["url"]), (job_id, SAMPLE))
        self.assertIsNone(job.get("error"))
        self.assertIsNone(job.get("error_code"))
        for name in ("created_at", "started_at", "finished_at"):
            self.assertRegex(job[name], RFC3339)
        self.assertLessEqual(job["created_at"], job["started_at"])
        self.assertLessEqual(job["started_at"], job["finished_at"])

        result = job["result"]
        check_result(self, result)
        self.assertNotEqual(result["audio"]["transcript"], "", "somebody speaks in it")
        self.assertEqual(result["audio"]["language"], "en")
        self.assertTrue(result["audio"]["has_music"], "it has music")
        self.assertNotEqual(result["visual"]["text_on_screen"], [], "it has text")
        self.assertNotEqual(result["content"]["key_moments"], [])
        self.assertEqual(result["metadata"]["model"]["provider"], "local")
        self.assertEqual(result["platform_meta"]["platform"], "instagram")
        self.assertEqual(result["platform_meta"]["code"], "reelsd-sample")

        self.assertEqual(self.someone.job(job_id), job, "a finished job never changes")

    def test_errors(self):
        cases = [
            ("reelsd-unavailable", "unavailable", "Video is not available"),
            ("reelsd-rate-limited", "rate_limited",
             "The platform temporarily rate-limited the service"),
            ("reelsd-unsupported", "unsupported_format", "The video format is not supported"),
            ("reelsd-too-long", "video_too_long", "The video is longer than 90 seconds"),
            ("reelsd-model-failed", "model_failed", "The AI model could not process the video"),
            ("reelsd-storage-error", "storage_error", "A storage error occurred"),
        ]
        ids = [self.someone.submit(f"https://www.instagram.com/reel/{code}/") for code, _, _ in cases]
        for job_id, (code, error_code, text) in zip(ids, cases):
            with self.subTest(code):
                job = self.someone.finished(job_id)
                self.assertEqual((job["status"], job["error_code"]), ("error", error_code), job)
                self.assertTrue(job["error"].startswith(text), job)
                self.assertIsNone(job.get("result"))
                self.assertRegex(job["finished_at"], RFC3339)

    def test_test_links_in_every_accepted_form(self):
        for link in ("https://instagram.com/p/reelsd-unavailable",
                     "https://www.instagram.com/reels/reelsd-unavailable/?igsh=x",
                     "https://m.instagram.com/some.one/reel/reelsd-unavailable/"):
            with self.subTest(link):
                job = self.someone.finished(self.someone.submit(link))
                self.assertEqual((job["url"], job["error_code"]), (link, "unavailable"))

    def test_a_waiting_request_is_answered_when_the_job_ends(self):
        job_id = self.someone.submit("https://www.instagram.com/reel/reelsd-unavailable/")
        job = self.someone.job(job_id, wait=60)
        self.assertEqual(job["status"], "error", "answered long before the minute was over")

    def test_the_effective_limit_is_named(self):
        daemon = self.daemon(workers=1, video_seconds_max=30)
        daemon.start()
        someone = daemon.account()
        job = someone.finished(someone.submit("https://www.instagram.com/reel/reelsd-too-long/"))
        self.assertEqual(job["error_code"], "video_too_long")
        self.assertTrue(job["error"].startswith("The video is longer than 30 seconds"), job)


class Posts(ServiceTest):
    """Links that are looked up at a platform: the effect of each of its answers on a job."""

    @classmethod
    def setUpClass(cls):
        cls.platform = Platform()
        cls.addClassCleanup(cls.platform.close)
        cls.served = Daemon(
            workers=4, retry_base_seconds=0.05, requests_per_minute=100000, **cls.platform.settings())
        cls.addClassCleanup(cls.served.close)
        cls.served.start()
        cls.someone = cls.served.account(unlimited=True)

    def jobs_of(self, posts):
        """The finished job of each post, {code: job}; all are in progress at once."""
        self.platform.configure(posts=posts)
        ids = {
            code: self.someone.submit(f"https://www.instagram.com/reel/{code}/") for code in posts}
        return {code: self.someone.finished(job_id) for code, job_id in ids.items()}

    def asked(self, code, kind):
        return [r for r in self.platform.requests() if r["kind"] == kind and code in r["path"]]

    def test_a_post_is_analysed(self):
        post = {"caption": "Fresh #Pasta with @friend.one", "author": "some.one",
                "author_name": "Some One", "verified": True, "likes": 1234, "comments": 5}
        job = self.jobs_of({"DYgoodpost1": post})["DYgoodpost1"]

        self.assertEqual(job["status"], "done", job)
        check_result(self, job["result"])
        meta = job["result"]["platform_meta"]
        self.assertEqual(
            {name: meta[name] for name in ("platform", "code", "url", "author", "author_name",
                                           "author_verified", "caption", "hashtags", "mentions",
                                           "like_count", "comment_count", "view_count")},
            {"platform": "instagram", "code": "DYgoodpost1",
             "url": "https://www.instagram.com/reel/DYgoodpost1/", "author": "some.one",
             "author_name": "Some One", "author_verified": True,
             "caption": "Fresh #Pasta with @friend.one", "hashtags": ["Pasta"],
             "mentions": ["friend.one"], "like_count": 1234, "comment_count": 5, "view_count": None})

    def test_tracking_parameters_are_never_forwarded(self):
        self.platform.configure(posts={"DYtracked01": {"page": "deleted"}})
        link = "https://www.instagram.com/reel/DYtracked01/?igsh=SECRET&utm_source=x"
        self.someone.finished(self.someone.submit(link))
        for request in self.asked("DYtracked01", "page"):
            self.assertNotIn("SECRET", request["path"] + str(request["headers"]))

    def test_pages(self):
        cases = {
            "missing": "unavailable", "age": "unavailable", "geo": "unavailable",
            "private": "unavailable", "deleted": "unavailable", "not_found": "unavailable",
            "photo_page": "unsupported_format", "photo_music": "unsupported_format",
            "throttled": "rate_limited", "login_wall": "rate_limited",
            "login_redirect": "rate_limited", "rate_limited": "rate_limited", "wait": "rate_limited",
            "server_error": "download_failed", "garbage": "download_failed",
            "broken_json": "download_failed", "endless": "download_failed",
            "cut": "download_failed", "json": "download_failed",
            "short_length": "download_failed",
        }
        codes = {f"DYpage{n:05}": behaviour for n, behaviour in enumerate(cases)}
        jobs = self.jobs_of({code: {"page": behaviour} for code, behaviour in codes.items()})
        for code, behaviour in codes.items():
            with self.subTest(behaviour):
                job = jobs[code]
                self.assertEqual((job["status"], job.get("error_code")), ("error", cases[behaviour]), job)

    def test_media(self):
        cases = {
            "missing": "unavailable", "html": "unsupported_format", "jpeg": "unsupported_format",
            "empty": "download_failed", "too_large": "unsupported_format",
            "server_error": "download_failed", "cut_always": "download_failed",
            "redirect_loop": "download_failed", "expired": "download_failed",
            "forbidden": "download_failed", "endless": "unsupported_format",
        }
        codes = {f"DYmedia{n:04}": behaviour for n, behaviour in enumerate(cases)}
        jobs = self.jobs_of({code: {"media": behaviour} for code, behaviour in codes.items()})
        for code, behaviour in codes.items():
            with self.subTest(behaviour):
                job = jobs[code]
                self.assertEqual((job["status"], job.get("error_code")), ("error", cases[behaviour]), job)
                # Three attempts; after an expired signature, each looks the post up once more.
                self.assertLessEqual(len(self.asked(code, "page")), 6)
                self.assertLessEqual(len(self.asked(code, "media")), 12)

    def test_an_expired_signature_causes_one_more_look_up(self):
        code = "DYexpired01"
        job = self.jobs_of({code: {"media": "expire_once"}})[code]
        self.assertEqual(job["status"], "done", job)
        asked = len(self.asked(code, "page")), len(self.asked(code, "media"))
        self.assertEqual(asked, (2, 2))

    def test_transient_faults_are_not_reported(self):
        posts = {"DYpassing01": {"page": "flaky"}, "DYpassing02": {"media": "cut"},
                 "DYpassing03": {"media": "expire_once"}, "DYpassing04": {"media": "flaky"}}
        for code, job in self.jobs_of(posts).items():
            with self.subTest(posts[code]):
                self.assertEqual(job["status"], "done", job)

    def test_attempts_are_bounded(self):
        job = self.jobs_of({"DYbounded01": {"page": "server_error"}})["DYbounded01"]
        self.assertEqual(job["error_code"], "download_failed")
        pages = self.asked("DYbounded01", "page")
        self.assertGreaterEqual(len(pages), 3, "three attempts")
        self.assertLessEqual(len(pages), 9, "each of a few requests at most")
        final = self.jobs_of({"DYbounded02": {"page": "private"}})["DYbounded02"]
        self.assertEqual(final["error_code"], "unavailable")

    def test_share_links(self):
        self.platform.configure(posts={"DYshared001": {"page": "private"}},
                                shares={"BAB2x9kLmQ": "DYshared001"})
        for token, error_code in (("BAB2x9kLmQ", "unavailable"), ("BAunknown0", "unavailable")):
            with self.subTest(token):
                link = f"https://www.instagram.com/share/reel/{token}/"
                job = self.someone.finished(self.someone.submit(link))
                self.assertEqual((job["url"], job["error_code"]), (link, error_code))
        self.assertNotEqual(self.asked("DYshared001", "page"), [], "the share link led to the post")

    def test_no_request_is_sent_to_other_hosts(self):
        """A platform that leads to other hosts: operators must allow private addresses, and only for the hosts
        that they name."""
        guarded = self.daemon(workers=1, retry_base_seconds=0.05, platform_url=self.platform.url,
                              platform_interval_seconds=0, platform_cooldown_seconds=0)
        guarded.start()
        account = guarded.account()
        self.platform.configure(posts={"DYguarded01": {}})
        job = account.finished(account.submit("https://www.instagram.com/reel/DYguarded01/"))
        self.assertEqual(job["error_code"], "download_failed", job)
        self.assertEqual(self.asked("DYguarded01", "media"), [], "not a byte was asked for")


    def test_after_a_refused_media_address_another_resolver_is_used(self):
        self.platform.configure(posts={"DYrefused01": {"page_media": "http://127.0.0.2:9/v/a.mp4?x=1"}})
        for resolvers, status in (("page,graphql", "done"), ("page", "error")):
            with self.subTest(resolvers):
                daemon = self.daemon(**dict(self.platform.settings(), resolvers=resolvers, workers=1)).start()
                account = daemon.account()
                job = account.finished(account.submit("https://www.instagram.com/reel/DYrefused01/"))
                self.assertEqual(job["status"], status, job)
                refused = [line for line in daemon.log_lines() if line["message"] == "media address refused"]
                self.assertEqual([(line["resolver"], line["reason"]) for line in refused],
                                 [("page", "127.0.0.2: not in media-hosts")])
        self.assertEqual(job["error_code"], "download_failed")
        self.assertEqual(len(self.asked("DYrefused01", "media")), 1)

    def test_private_addresses_are_allowed_only_for_listed_hosts(self):
        self.platform.configure(posts={
            code: {"media": "redirect", "location": location.replace("PORT", str(self.platform.port))}
            for code, location in (("DYunlisted1", "http://127.0.0.2:PORT/v/a.mp4"),
                                   ("DYunlisted2", "http://2130706434:PORT/v/a.mp4"),
                                   ("DYunlisted3", "http://localhost:PORT/v/a.mp4"))})
        daemon = self.daemon(**self.platform.settings(), workers=1).start()
        account = daemon.account(unlimited=True)
        for code in ("DYunlisted1", "DYunlisted2", "DYunlisted3"):
            job = account.finished(account.submit(f"https://www.instagram.com/reel/{code}/"))
            self.assertEqual(job["error_code"], "download_failed", job)
            self.assertEqual(len(self.asked(code, "media")), 1, "the listed host alone was asked")


class SeparateTracks(ServiceTest):
    """A video that is served only as separate files for picture and sound."""

    @classmethod
    def setUpClass(cls):
        cls.platform = Platform(with_sound=True)
        cls.addClassCleanup(cls.platform.close)

    def job_of(self, code, post, **more):
        settings = dict(self.platform.settings(), resolvers="page,graphql,embed", **more)
        daemon = self.daemon(workers=1, retry_base_seconds=0.05, **settings).start()
        account = daemon.account()
        self.platform.configure(reset=True, posts={code: post})
        job = account.finished(account.submit(f"https://www.instagram.com/reel/{code}/"))
        asked = self.platform.requests()
        left = glob.glob(os.path.join(daemon.settings["data_dir"], "scratch", "*", "*"))
        self.assertEqual(left, [])
        return job, asked

    def test_separate_tracks_are_muxed_if_enabled(self):
        job, asked = self.job_of("DYtracks001", {"slides": ["video_in_tracks"]}, dash="true")
        self.assertEqual(job["status"], "done", job)
        self.assertEqual((job["result"]["metadata"]["video_codec"],
                          job["result"]["metadata"]["audio_codec"]), ("h264", "aac"))
        check_result(self, job["result"])
        self.assertEqual([request["kind"] for request in asked], ["page", "media", "media"])
        tracks = [request["path"].rsplit("track=")[1] for request in asked[1:]]
        self.assertEqual(tracks, ["video", "audio"])

    def test_otherwise_another_resolver_is_used(self):
        job, asked = self.job_of("DYtracks002", {"slides": ["video_in_tracks"], "embed": "raw"})
        self.assertEqual(job["status"], "done", job)
        self.assertEqual([request["kind"] for request in asked][-2:], ["embed", "media"])

    def test_without_another_resolver_the_post_is_unsupported(self):
        job, asked = self.job_of("DYtracks003", {"slides": ["video_in_tracks"]})
        self.assertEqual(job["error_code"], "unsupported_format", job)
        self.assertIn("only as separate files", job["error"])
        self.assertNotIn("media", [request["kind"] for request in asked])


class Resolvers(ServiceTest):
    """If one resolver fails, the next one is used, until a post or a definite refusal is found."""

    LIMITED = {"root": "rate_limited", "logged_out": "rate_limited"}

    @classmethod
    def setUpClass(cls):
        cls.platform = Platform()
        cls.addClassCleanup(cls.platform.close)
        settings = dict(cls.platform.settings(), resolvers="page,graphql,embed,yt-dlp",
                        yt_dlp_path=fake_yt_dlp.install(cls.platform.folder),
                        media_helper=fake_yt_dlp.fence(cls.platform.folder, program("reelsd-media")))
        cls.served = Daemon(workers=4, retry_base_seconds=0.05, requests_per_minute=100000, **settings)
        cls.addClassCleanup(cls.served.close)
        cls.served.start()
        cls.someone = cls.served.account(unlimited=True)

    def job_of(self, code, post):
        """The finished job of a post, and the number of requests of each kind."""
        self.platform.configure(reset=True, posts={code: post})
        job = self.someone.finished(
            self.someone.submit(f"https://www.instagram.com/reel/{code}/"))
        kinds = [request["kind"] for request in self.platform.requests()]
        return job, {kind: kinds.count(kind) for kind in kinds}

    def test_the_next_resolver_finds_the_post(self):
        cases = [
            ("DYwaypage01", {}, {"page": 1}),
            ("DYwayroot01", {"page": "throttled"}, {"page": 1, "root": 1}),
            ("DYwayroot02", {"page": "login_redirect"}, {"page": 1, "root": 1}),
            ("DYwayout001", {"page": "throttled", "root": "html"},
             {"page": 1, "root": 1, "logged_out": 1}),
            ("DYwayembed1", dict(self.LIMITED, page="throttled"),
             {"page": 1, "root": 1, "embed": 1}),
            ("DYwayembed2", dict(self.LIMITED, page="throttled", embed="dom"),
             {"page": 1, "root": 1, "embed": 1}),
        ]
        for code, post, asked in cases:
            with self.subTest(post):
                job, counts = self.job_of(code, post)
                self.assertEqual(job["status"], "done", job)
                counts.pop("media")
                self.assertEqual(counts, asked)
                self.assertEqual(job["result"]["platform_meta"]["author"], "some.one")

    def test_a_blocked_embed_page_does_not_fail_the_post(self):
        job, counts = self.job_of(
            "DYblocked01", dict(self.LIMITED, page="throttled", embed="blocked"))
        self.assertEqual((job["status"], job["error_code"]), ("error", "rate_limited"), job)
        self.assertGreaterEqual(counts["embed"], 2, "a passing failure: it was tried again")

    def yt_dlp_answers(self, code, *behaviours):
        """Sets the answers until the end of the test."""
        fake_yt_dlp.install(
            self.platform.folder, origin=self.platform.url, posts={code: list(behaviours)})
        self.addCleanup(fake_yt_dlp.install, self.platform.folder)

    def test_yt_dlp_finds_the_post(self):
        cases = [("DYwayytdlp1", ["warnings"], 1), ("DYwayytdlp2", ["carousel"], 1),
                 ("DYwayytdlp3", ["outdated", "crash", "ok"], 3)]
        for code, behaviours, runs in cases:
            with self.subTest(behaviours):
                self.yt_dlp_answers(code, *behaviours)
                job, counts = self.job_of(
                    code, dict(self.LIMITED, page="throttled", embed="blocked"))
                self.assertEqual(job["status"], "done", job)
                meta = job["result"]["platform_meta"]
                self.assertEqual((meta["code"], meta["author"], meta["author_name"], meta["caption"]),
                                 (code, "some.one", "Some One", "Hello #tag @friend"))
                self.assertEqual(counts["embed"], runs, "every other way was tried first")

    def test_errors_of_yt_dlp_about_a_post_are_final(self):
        limited = dict(self.LIMITED, page="throttled", embed="blocked")
        missing = {"page": "throttled", "root": "null", "logged_out": "null", "embed": "server_error"}
        cases = [("DYsaysno001", limited, "followers", "unavailable", 1),
                 ("DYsaysno002", limited, "audience", "unavailable", 1),
                 ("DYsaysno003", limited, "photo", "unsupported_format", 1),
                 ("DYsaysno004", missing, "empty", "unavailable", 1),
                 # An outdated yt-dlp has an empty answer for every post.
                 ("DYsaysno005", limited, "empty", "rate_limited", 3)]
        for code, post, behaviour, cause, attempts in cases:
            with self.subTest(behaviour):
                self.yt_dlp_answers(code, behaviour)
                job, counts = self.job_of(code, post)
                self.assertEqual((job["status"], job["error_code"]), ("error", cause), job)
                self.assertEqual(counts["embed"], attempts)

    def test_a_definite_refusal_is_final(self):
        cases = [("DYfinalage1", {"page": "age"}, "unavailable", {"page": 1}),
                 ("DYfinalphot", {"page": "photo_page"}, "unsupported_format", {"page": 1}),
                 ("DYfinalage2", {"page": "throttled", "root": "field_exception",
                                  "logged_out": "age"}, "unavailable",
                  {"page": 1, "root": 1, "logged_out": 1})]
        for code, post, cause, asked in cases:
            with self.subTest(post):
                job, counts = self.job_of(code, post)
                self.assertEqual((job["status"], job["error_code"]), ("error", cause), job)
                self.assertEqual(counts, asked)

    def test_a_missing_post_needs_two_resolvers(self):
        job, counts = self.job_of("DYgonetwo01", {"page": "deleted"})
        self.assertEqual((job["status"], job["error_code"]), ("error", "unavailable"), job)
        self.assertEqual(counts, {"page": 2, "root": 1, "logged_out": 1})

        nulls = {"page": "throttled", "root": "null", "logged_out": "null"}
        job, counts = self.job_of("DYgonetwo02", dict(nulls, embed="null"))
        self.assertEqual((job["status"], job["error_code"]), ("error", "unavailable"), job)
        self.assertEqual(counts, {"page": 1, "root": 1, "logged_out": 1, "embed": 1})

        # Two queries that agree are enough if no other answer contradicts them.
        job, counts = self.job_of("DYgonetwo05", dict(nulls, page="server_error", embed="server_error"))
        self.assertEqual((job["status"], job["error_code"]), ("error", "unavailable"), job)
        # Retired document ids give this answer for every post.
        job, counts = self.job_of("DYgonetwo03", dict(nulls, embed="ok"))
        self.assertEqual(job["status"], "done", job)
        job, counts = self.job_of("DYgonetwo04", dict(nulls, embed="blocked"))
        self.assertEqual((job["status"], job["error_code"]), ("error", "rate_limited"), job)


class HostileYtDlp(ServiceTest):
    """A yt-dlp that was compromised, by a page that it reads or by its authors."""

    def test_yt_dlp_is_stopped_with_the_daemon(self):
        platform = Platform()
        self.addCleanup(platform.close)
        code = "DYoutlives1"
        yt_dlp = fake_yt_dlp.install(platform.folder, origin=platform.url, posts={code: "outlives"})
        daemon = self.daemon(
            workers=1, **dict(platform.settings(), resolvers="yt-dlp", yt_dlp_path=yt_dlp,
                              media_helper=fake_yt_dlp.fence(platform.folder, program("reelsd-media"))))
        daemon.start()
        account = daemon.account(unlimited=True)
        account.submit(f"https://www.instagram.com/reel/{code}/")

        def left():
            """Processes that have its settings among their arguments, including the detached one."""
            needle = (yt_dlp + ".json").encode()
            found = 0
            for path in glob.glob("/proc/[0-9]*/cmdline"):
                with contextlib.suppress(OSError), open(path, "rb") as file:
                    found += needle in file.read()
            return found

        wait_until(lambda: left() == 2, "the stand-in and what it leaves")
        daemon.kill()
        wait_until(lambda: left() == 0, "their end")


if __name__ == "__main__":
    unittest.main(verbosity=2)
