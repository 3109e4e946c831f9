"""Tests the tools for links that fail: `reelsd resolve`, and the canary of `reelsd doctor`.

Method: the real program with the stand-in; its output and its files.
"""

import json
import os
import pathlib
import shutil
import unittest

from service_support import Platform, ServiceTest, must, new_folder, run_reelsd

GATED = {"page": "age", "root": "field_exception", "logged_out": "age"}


class ResolveTest(ServiceTest):
    @classmethod
    def setUpClass(cls):
        cls.platform = Platform()
        cls.addClassCleanup(cls.platform.close)

    def setUp(self):
        self.folder = new_folder()
        self.addCleanup(shutil.rmtree, self.folder)
        self.platform.configure(reset=True, posts={
            "DYhandpost1": {"author": "real.person", "caption": "Meet Zoe at noon #tag"},
            "DYhandgone1": GATED,
            "DYhandodd01": {"page": "garbage"}})

    def run_with(self, *arguments, **more):
        settings = {**self.platform.settings(), "resolvers": "page,graphql,embed",
                    "data_dir": os.path.join(self.folder, "data"), **more}
        return run_reelsd(*arguments, cwd=self.folder, **settings)

    def resolve(self, code, *more):
        return self.run_with("resolve", f"https://www.instagram.com/reel/{code}/", *more)


class ByHand(ResolveTest):
    def test_each_resolver_reports_its_findings(self):
        done = must(self.resolve("DYhandpost1"))
        self.assertEqual([line for line in done.stdout.splitlines() if not line.startswith(" ")],
                         ["page", "graphql", "embed"])
        for words in ("route post, media video: has the post", "root query: ", "by real.person",
                      "/p/DYhandpost1/embed/captioned/", "its video is on 127.0.0.1"):
            self.assertIn(words, done.stdout)
        self.assertEqual(os.listdir(self.folder), [], "no database, no folder is made for it")

    def test_the_reason_of_a_failure_is_reported(self):
        done = self.resolve("DYhandgone1", "--strategy", "graphql")
        self.assertEqual(done.returncode, 1)
        self.assertNotIn("page\n", done.stdout)
        self.assertRegex(done.stdout, "platform error field_exception: missing or gated")
        self.assertIn("no post: video_restricted: graphql, logged-out query: gated (Age-restricted",
                      done.stdout)
        odd = must(self.resolve("DYhandodd01"))
        self.assertIn("no post: platform_changed: page: page of an unknown kind", odd.stdout)
        self.assertIn("the post: by some.one", odd.stdout)

    def test_a_missing_program_is_not_called(self):
        link = "https://www.instagram.com/reel/DYhandpost1/"
        done = must(self.run_with("resolve", link, resolvers="page,yt-dlp", yt_dlp_path="/none/yt-dlp"))
        self.assertIn("yt-dlp\n  skipped: /none/yt-dlp is not installed (yt-dlp-path)\n", done.stdout)

    def test_bad_input_is_reported(self):
        elsewhere = self.run_with("resolve", "https://tiktok.com/x")
        self.assertEqual(elsewhere.returncode, 1)
        self.assertIn('URL must be an instagram.com link, got "tiktok.com"', elsewhere.stderr)
        self.assertEqual(self.resolve("DYhandpost1", "--strategy", "magic").returncode, 2)
        self.assertEqual(self.run_with("resolve").returncode, 2)

    def test_saved_answers_contain_no_personal_data(self):
        kept = pathlib.Path(self.folder, "kept")
        for _ in range(2):  # No file is overwritten.
            must(self.resolve("DYhandpost1", "--save", str(kept)))
        self.resolve("DYhandodd01", "--strategy", "page", "--save", str(kept))
        files = sorted(str(path.relative_to(kept)) for path in kept.rglob("*") if path.is_file())
        self.assertEqual(len(files), 14, files)
        for folder, ending, count in ((".", ".html", 3), ("queries", ".txt", 2), ("embeds", ".html", 2)):
            answers = list((kept / folder).glob("*" + ending))
            self.assertEqual(len(answers), count, files)
            for answer in answers:
                text = answer.read_text()
                for secret in ("real", "Zoe", "DYhandpost1", "Meet"):
                    self.assertNotIn(secret, text, answer)
                findings = json.loads(answer.with_suffix(".json").read_text())
                self.assertIn(findings["media"], ("video", "absent"))
                if findings["media"] == "video":
                    self.assertEqual(findings["platform_meta"]["code"], "DYexample01")
                    self.assertEqual(findings["platform_meta"]["like_count"], 78676)

    def test_an_unwritable_folder_is_reported(self):
        file = pathlib.Path(self.folder, "file")
        file.write_text("")
        done = self.resolve("DYhandpost1", "--save", str(file))
        self.assertEqual(done.returncode, 1)
        self.assertIn(str(file), done.stderr)


class Canary(ResolveTest):
    def canary(self, code, **more):
        done = self.run_with("doctor", canary_link=f"https://www.instagram.com/p/{code}/", **more)
        return done.stdout

    def test_doctor_tries_each_resolver(self):
        output = self.canary("DYhandpost1")
        for resolver in ("page", "graphql", "embed"):
            self.assertRegex(output, f"ok +by {resolver} +has the post by real.person")
        output = self.canary("DYhandodd01")
        self.assertRegex(output, "warn +by page +platform_changed: page: page of an unknown kind")
        self.assertRegex(output, "ok +by embed ")
        self.assertNotIn("perhaps that post was deleted", output)

    def test_doctor_reports_a_deleted_canary(self):
        for more in ({}, {"resolvers": "page,yt-dlp", "yt_dlp_path": "/none/yt-dlp"}):
            output = self.canary("DYneverwas1", **more)
            self.assertRegex(output, "warn +canary +no resolver found .*DYneverwas1.*canary-link")
            self.assertNotIn("by yt-dlp", output)

    def test_the_canary_is_a_setting(self):
        self.assertRegex(
            self.run_with("doctor", canary_link="none").stdout, "ok +canary +none is set")
        refused = self.run_with("doctor", canary_link="https://example.org/")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("canary-link", refused.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
