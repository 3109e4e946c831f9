"""Tests the chat bot from outside: messages of users and answers, with the Bot API's stand-in and the test links."""

import json
import os
import random
import time
import unittest

from dashboard_session import Person
from gemini_stand_in import GeminiStandIn
from model_support import answer_with
from s3_stand_in import S3StandIn
from service_support import SAMPLE, UNAVAILABLE, Daemon, Platform, wait_until
from telegram_support import ANN, TelegramTest

RATE_LIMITED = "https://www.instagram.com/reel/reelsd-rate-limited/"
TOO_LONG = "https://www.instagram.com/reel/reelsd-too-long/"
GROUP = -100500
BIN_DIR = os.environ["REELSD_BIN_DIR"]


class Linking(TelegramTest):
    def test_a_code_links_one_chat_once(self):
        daemon = self.bot_daemon(workers=0).start()
        ann = self.administrator(daemon)
        wait_until(lambda: ann.api("GET", "chats").json()["bot"]["username"], "the bot's name")
        self.telegram.person(ANN, "Ann <b>Lee</b>")
        self.telegram.person(1002, "Eve")
        created = ann.api("POST", "chats/codes", {}).json()
        self.assertEqual(created["link"], f"https://t.me/reels_test_bot?start={created['code']}")
        self.telegram.say(ANN, created["code"].upper())  # The code alone, without a command.
        self.wait_for(ANN, "now linked to your account")
        chats = ann.api("GET", "chats").json()["chats"]
        self.assertEqual([(one["name"], one["kind"]) for one in chats], [("Ann <b>Lee</b>", "private")])

        self.telegram.say(1002, f"/start {created['code']}")
        self.wait_for(1002, "code is not valid")
        older = ann.api("POST", "chats/codes", {}).json()["code"]
        newer = ann.api("POST", "chats/codes", {}).json()["code"]
        self.telegram.say(1002, f"/link {older}")
        self.wait_for(1002, "code is not valid", 2)
        self.telegram.say(1002, f"/link {newer}")
        self.wait_for(1002, "now linked to your account")

        chat = ann.api("GET", "chats").json()["chats"][0]
        self.assertEqual(chat["name"], "Eve")
        self.assertEqual(ann.api("DELETE", f"chats/{chat['id']}").status, 204)
        self.assertEqual(ann.api("DELETE", f"chats/{chat['id']}").status, 404)
        self.telegram.say(1002, "/list")
        self.wait_for(1002, "I answer only users")

    def test_guesses_are_limited(self):
        daemon = self.bot_daemon(workers=0).start()
        ann = self.administrator(daemon)
        self.telegram.person(1002, "Eve")
        for guess in range(5):
            self.telegram.say(1002, f"/link aaaa-aaaa-aaa{'bcdef'[guess]}")
            self.wait_for(1002, "code is not valid", guess + 1)
        code = ann.api("POST", "chats/codes", {}).json()["code"]
        self.telegram.say(1002, f"/link {code}")
        self.wait_for(1002, "Too many wrong codes")
        self.assertEqual(ann.api("GET", "chats").json()["chats"], [])

    def test_unknown_chats_are_refused_once_without_cost(self):
        daemon = self.bot_daemon(workers=0, public_url="https://reels.example.com").start()
        ann = self.administrator(daemon)
        self.telegram.person(1002, "Eve")
        for text in (SAMPLE, "/list", "hello", "/delete 1", SAMPLE):
            last = self.telegram.say(1002, text)
        self.wait_for_handled(last)
        refusal = self.wait_for(1002, "I answer only users")
        self.assertIn("https://reels.example.com/account", refusal[0].text)
        self.assertEqual(len(self.telegram.messages(1002)), 1)
        self.assertEqual(ann.api("GET", "reels").json(), [])

    def test_an_unlinked_chat_receives_nothing(self):
        daemon = self.bot_daemon(workers=0).start()
        self.linked(daemon)
        self.telegram.say(ANN, SAMPLE)
        self.wait_for(ANN, "is waiting for its turn")
        self.telegram.say(ANN, "/unlink")
        self.wait_for(ANN, "no longer linked")
        self.telegram.say(ANN, SAMPLE)
        self.wait_for(ANN, "I answer only users")

    def test_chats_of_a_disabled_account_are_refused(self):
        daemon = self.bot_daemon(workers=0).start()
        ann = self.administrator(daemon)
        bob = ann.invite("bob@example.com")
        self.linked(daemon, bob, 1002, "Bob")
        account = bob.api("GET", "session").json()["account"]["id"]
        self.assertEqual(ann.api("PATCH", f"admin/accounts/{account}", {"disabled": True}).status, 200)
        self.telegram.say(1002, "/list")
        self.wait_for(1002, "I answer only users")

    def test_without_a_bot_linking_is_refused(self):
        daemon = self.daemon(workers=0).start()
        ann = self.administrator(daemon)
        self.assertEqual(ann.api("GET", "chats").json(), {"bot": None, "chats": []})
        self.assertEqual(ann.api("POST", "chats/codes", {}).status, 409)


class Links(TelegramTest):
    def test_pictures_come_from_the_media_store(self):
        store = S3StandIn()
        self.addCleanup(store.stop)
        daemon = self.bot_daemon(**store.settings()).start()
        ann = self.linked(daemon)
        self.telegram.say(ANN, SAMPLE)
        done = self.wait_for(ANN, "Cost: free", seconds=180)[0]
        self.telegram.press(done, "Pictures")
        photos = wait_until(
            lambda: [one for one in self.telegram.messages(ANN) if one.photo], "the pictures")
        job = ann.api("GET", "reels").json()[0]["id"]
        self.assertEqual(photos[0].photo[1], ann.api("GET", f"reels/{job}/frames/0").body)

    def test_pictures_that_are_gone_do_not_silence_the_chat(self):
        store = S3StandIn()
        self.addCleanup(store.stop)
        daemon = self.bot_daemon(**store.settings()).start()
        self.linked(daemon)
        self.telegram.say(ANN, SAMPLE)
        done = self.wait_for(ANN, "Cost: free", seconds=180)[0]
        store.objects.clear()  # As after a backup was restored.
        self.telegram.press(done, "Pictures")
        self.wait_for(ANN, "pictures of this reel are not available")
        daemon.stop()
        for name in store.settings():
            del daemon.settings[name]
        daemon.start()
        self.telegram.press(done, "Pictures")
        self.wait_for(ANN, "pictures of this reel are not available", 2)
        self.telegram.say(ANN, "/usage")
        self.wait_for(ANN, "Total:")

    def test_a_link_is_answered_immediately_and_ends_as_a_summary(self):
        daemon = self.bot_daemon().start()
        ann = self.linked(daemon)
        self.telegram.say(ANN, f"look: {SAMPLE}?igsh=abc")
        done = self.wait_for(ANN, "Cost: free", seconds=180)[0]
        job = ann.api("GET", "reels").json()[0]
        result = ann.api("GET", f"reels/{job['id']}").json()["result"]
        self.assertTrue(done.history[0].startswith(f"Reel {job['id']}"), done)
        self.assertGreater(len(done.history), 1)  # The same message, edited.
        self.assertIn("@reelsd", done.text)
        self.assertIn(result["content"]["summary"], done.text)
        for moment in result["content"]["key_moments"]:
            self.assertIn(f"{moment['timestamp']}  {moment['description']}", done.text)
        self.assertEqual(done.folded()[0], result["audio"]["transcript"])
        self.assertEqual(done.folded()[1], "\n".join(result["visual"]["text_on_screen"]))
        self.assertEqual([name for name, _ in done.buttons], ["Again", "Pictures", "JSON"])
        self.assertEqual(len(self.telegram.messages(ANN)), 2)

        # The pictures of the key moments equal the API's.
        self.telegram.press(done, "Pictures")
        moments = [moment for moment in result["content"]["key_moments"] if "frame" in moment]
        photos = wait_until(
            lambda: [one for one in self.telegram.messages(ANN) if one.photo], "the pictures")
        self.assertEqual(
            [(photo.text, photo.photo[1]) for photo in photos],
            [(f"{moment['timestamp']}  {moment['description']}",
              ann.api("GET", moment["frame"].removeprefix("/api/v1/")).body) for moment in moments])

        # The file equals the API's answer.
        query = self.telegram.press(done, "JSON")
        file = wait_until(
            lambda: [one for one in self.telegram.messages(ANN) if one.document], "the file")[0]
        self.assertEqual(file.document[0], f"reel-{job['id']}.json")
        self.assertEqual(json.loads(file.document[1]), ann.api("GET", f"reels/{job['id']}").json())
        wait_until(lambda: query in self.telegram.callback_answers, "the button's answer")

        # *Again* creates another job, with a new analysis.
        query = self.telegram.press(done, "Again")
        self.wait_for(ANN, "Cost: free", 2, 180)
        self.assertEqual(self.telegram.callback_answers[query], "")
        self.assertEqual(len(ann.api("GET", "reels").json()), 2)

        self.telegram.say(ANN, "/list")
        listed = self.wait_for(ANN, "Your latest reels")[0]
        self.assertIn(f"{job['id']} done · @reelsd", listed.text)
        self.telegram.say(ANN, "/search sample")
        self.wait_for(ANN, "Found for “sample”")
        self.telegram.say(ANN, "/usage")
        self.wait_for(ANN, "Total: 0 tokens in")
        self.telegram.say(ANN, f"/delete {job['id']}")
        self.wait_for(ANN, f"Reel {job['id']} is deleted")
        self.telegram.say(ANN, f"/delete #{job['id']}")
        self.wait_for(ANN, f"You have no reel {job['id']}")
        query = self.telegram.press(done, "JSON")
        wait_until(lambda: self.telegram.callback_answers.get(query), "the button's answer")
        self.assertIn("no longer exists", self.telegram.callback_answers[query])

    def test_again_repeats_the_options_once(self):
        daemon = self.bot_daemon(workers=0, analyzer="gemini", gemini_api_key="unused").start()
        ann = self.linked(daemon)
        options = {"language": "de", "instructions": "Name the dish.", "extract": "recipe"}
        job = ann.api("POST", "reels/analyze", {"url": SAMPLE, **options}).json()["id"]
        self.telegram.say(ANN, f"/status {job}")
        message = self.wait_for(ANN, "is waiting for its turn")[0]
        for count in (2, 3):
            self.telegram.press(message, data=f"again:{job}")
            self.wait_for(ANN, "is waiting for its turn", count)
        reels = ann.api("GET", "reels").json()
        self.assertEqual(len(reels), 2)
        again = ann.api("GET", f"reels/{reels[0]['id']}").json()
        self.assertEqual(again["options"], ann.api("GET", f"reels/{job}").json()["options"])
        self.assertEqual(again["options"]["language"], "de")

    def test_again_costs_nothing_by_the_built_in_analyzer_and_leaves_out_one_that_is_gone(self):
        daemon = self.bot_daemon(workers=0, analyzer="gemini,local", gemini_api_key="unused").start()
        ann = self.linked(daemon)
        link = "https://www.instagram.com/reel/DYa0IXPgnP5/"
        free = ann.api("POST", "reels/analyze", {"url": link, "analyzer": "local"}).json()["id"]
        paid = ann.api("POST", "reels/analyze", {"url": SAMPLE, "analyzer": "gemini", "language": "de"}).json()["id"]
        daemon.limit("ann@example.com", monthly_budget_usd="0")
        self.telegram.say(ANN, f"/status {free}")
        message = self.wait_for(ANN, "is waiting for its turn")[0]
        self.telegram.press(message, data=f"again:{free}")
        self.wait_for(ANN, "is waiting for its turn", 2)
        daemon.stop()
        del daemon.settings["gemini_api_key"]
        daemon.settings["analyzer"] = "local"
        daemon.start()
        self.telegram.press(self.telegram.messages(ANN)[-1], data=f"again:{paid}")
        self.wait_for(ANN, "is waiting for its turn", 3)
        newest = ann.api("GET", "reels").json()[0]["id"]
        self.assertEqual(ann.api("GET", f"reels/{newest}").json()["options"], {"language": "de"})

    def test_failures_have_a_cause(self):
        daemon = self.bot_daemon().start()
        self.linked(daemon)
        self.telegram.say(ANN, f"{UNAVAILABLE} {TOO_LONG}")
        failed = self.wait_for(ANN, "Video is not available", seconds=120)[0]
        self.wait_for(ANN, "The video is longer than 90 seconds", seconds=120)
        self.assertEqual(list(failed.buttons), [], "another try would fail as well")
        self.telegram.say(ANN, RATE_LIMITED)
        failed = self.wait_for(ANN, "rate-limited the service", seconds=120)[0]
        self.assertEqual([name for name, _ in failed.buttons], ["Again"])

    def test_refusals_match_the_api(self):
        daemon = self.bot_daemon(workers=0).start()
        ann = self.linked(daemon)
        self.telegram.say(ANN, "https://www.tiktok.com/@a/video/1 and instagram.com/someone/")
        refused = self.wait_for(ANN, 'URL must be an instagram.com link, got "www.tiktok.com"')[0]
        self.assertIn("URL must be a reel link: instagram.com/reel/<code> or instagram.com/p/<code>",
                      refused.text)
        daemon.limit("ann@example.com", concurrent_jobs=1, queued_jobs=2)
        links = [f"https://www.instagram.com/reel/abcdefg{number}/" for number in range(4)]
        self.telegram.say(ANN, "\n".join(links))
        self.wait_for(ANN, "is waiting for its turn", 3)
        self.wait_for(ANN, "limit of 2 queued jobs reached")
        self.assertEqual(len(ann.api("GET", "reels").json()), 3)
        self.telegram.say(ANN, "what is this?")
        self.wait_for(ANN, "Send me a link to a reel, for example")
        self.telegram.say(ANN, "/dance")
        self.wait_for(ANN, "Unknown command: /dance")
        self.telegram.say(ANN, "/delete everything")
        self.wait_for(ANN, "Which reel?")

    def test_a_deleted_reel_is_reported(self):
        daemon = self.bot_daemon(workers=0).start()
        ann = self.linked(daemon)
        self.telegram.say(ANN, SAMPLE)
        self.wait_for(ANN, "is waiting for its turn")
        job = ann.api("GET", "reels").json()[0]["id"]
        ann.api("DELETE", f"reels/{job}")
        self.wait_for(ANN, "was deleted before it was done")

    def test_other_users_reels_are_inaccessible(self):
        daemon = self.bot_daemon(workers=0).start()
        ann = self.linked(daemon)
        self.linked(daemon, ann.invite("bob@example.com"), 1002, "Bob")
        self.telegram.say(ANN, SAMPLE)
        hers = self.wait_for(ANN, "is waiting for its turn")[0]
        job = ann.api("GET", "reels").json()[0]["id"]
        self.telegram.say(1002, f"/delete {job}")
        self.wait_for(1002, f"You have no reel {job}")
        self.telegram.say(1002, f"/status {job}")
        self.wait_for(1002, f"You have no reel {job}", 2)
        for data in (f"json:{job}", f"again:{job}", "again:x", "x" * 64):
            query = self.telegram.press(hers, data=data, chat=1002)
            wait_until(lambda: query in self.telegram.callback_answers, "the button's answer")
            self.assertIn("no longer exists", self.telegram.callback_answers[query])
        self.assertEqual(len(ann.api("GET", "reels").json()), 1)

    def test_in_groups_only_messages_to_the_bot_are_handled(self):
        daemon = self.bot_daemon(workers=0).start()
        ann = self.administrator(daemon)
        self.telegram.group(GROUP, "Friends")
        code = ann.api("POST", "chats/codes", {}).json()["code"]
        self.telegram.say(GROUP, f"/link {code}")  # Without the bot's name.
        self.telegram.say(GROUP, f"/link@reels_test_bot {code}")
        welcome = self.wait_for(GROUP, "All members of this group")[0]
        self.assertEqual(len(self.telegram.messages(GROUP)), 1)
        self.telegram.say(GROUP, SAMPLE)
        self.telegram.say(GROUP, "/list")
        self.telegram.say(GROUP, "/list@other_bot")
        self.telegram.say(GROUP, "hello")
        self.telegram.say(GROUP, f"@reels_test_bot {SAMPLE}")
        self.telegram.say(GROUP, SAMPLE, reply_to=welcome)
        waiting = self.wait_for(GROUP, "is waiting for its turn", 2)
        self.assertTrue(all(one.reply_to for one in waiting), waiting)
        self.telegram.say(GROUP, "/list@reels_test_bot")
        self.wait_for(GROUP, "Your latest reels")
        self.assertEqual(len(self.telegram.messages(GROUP)), 4)
        self.assertEqual(len(ann.api("GET", "reels").json()), 2)


    def test_answers_are_sent_to_the_topic_of_the_question(self):
        daemon = self.bot_daemon(workers=1).start()
        ann = self.administrator(daemon)
        self.telegram.forum(GROUP, {42})
        self.telegram.closed_topics.add((GROUP, None))
        code = ann.api("POST", "chats/codes", {}).json()["code"]
        self.telegram.say(GROUP, f"/link@reels_test_bot {code}", topic=42)
        self.wait_for(GROUP, "All members of this group")
        self.telegram.say(GROUP, f"@reels_test_bot {RATE_LIMITED}", topic=42)
        failed = self.wait_for(GROUP, "rate-limited the service", seconds=60)[0]
        self.telegram.press(failed, "Again")
        again = self.wait_for(GROUP, "rate-limited the service", 2, seconds=60)[1]
        self.assertEqual(again.reply_to, failed.id, "the button's answer names its message")
        self.telegram.say(GROUP, f"@reels_test_bot {SAMPLE}", topic=42)
        done = self.wait_for(GROUP, "Cost: free", seconds=180)[0]
        self.telegram.press(done, "JSON")
        file = wait_until(lambda: [one for one in self.telegram.messages(GROUP) if one.document], "the file")[0]
        self.assertEqual(file.reply_to, done.id)
        self.telegram.say(GROUP, "/unlink@reels_test_bot", topic=42)
        self.wait_for(GROUP, "no longer linked")
        self.assertEqual({one.topic for one in self.telegram.messages(GROUP)}, {42})

        # Another topic is better than no answer.
        self.telegram.closed_topics = {(GROUP, 42)}
        code = ann.api("POST", "chats/codes", {}).json()["code"]
        self.telegram.say(GROUP, f"/link@reels_test_bot {code}", topic=42)
        self.assertIsNone(self.wait_for(GROUP, "All members of this group", 2)[1].topic)

    def test_an_edited_message_submits_only_new_links(self):
        daemon = self.bot_daemon(workers=0).start()
        ann = self.linked(daemon)
        self.telegram.say(ANN, "https://www.instagram.con/reel/abcdefg/")
        self.wait_for(ANN, "Send me a link to a reel")
        self.telegram.edit("https://www.instagram.com/reel/abcdefg/")
        self.wait_for(ANN, "is waiting for its turn")
        # The same links again, as after a reaction; then one is added, and one is changed.
        self.telegram.edit("https://www.instagram.com/reel/abcdefg/")
        self.telegram.edit("https://www.instagram.com/reel/abcdefg/ https://www.instagram.com/reel/hijklmn/")
        self.wait_for(ANN, "is waiting for its turn", 2)
        self.telegram.edit("https://www.instagram.com/reel/abcdefg/ https://www.instagram.com/reel/opqrstu/")
        self.wait_for(ANN, "is waiting for its turn", 3)
        self.assertEqual([one["url"][-8:-1] for one in ann.api("GET", "reels").json()],
                         ["opqrstu", "hijklmn", "abcdefg"])
        # A command is not executed again.
        self.telegram.say(ANN, "/list")
        self.wait_for(ANN, "Your latest reels")
        self.wait_for_handled(self.telegram.edit("/list "))
        self.assertEqual(len(self.wait_for(ANN, "Your latest reels")), 1)


class Videos(TelegramTest):
    """Videos that are sent to the chat instead of a link."""

    POST = "https://www.instagram.com/reel/DYa0IXPgnP5/"
    CUT_OFF = b"\0" * 3000  # Not a video, which matters to the analysis only.

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with open(os.path.join(BIN_DIR, "..", "share", "reelsd", "sample.mp4"), "rb") as file:
            cls.video = file.read()

    def test_a_video_is_analysed(self):
        daemon = self.bot_daemon().start()
        ann = self.linked(daemon)
        self.telegram.send_video(ANN, self.video, "A walk #park", name="../my clip.mp4")
        done = self.wait_for(ANN, "Cost: free", seconds=180)[0]
        self.assertEqual([name for name, _ in done.buttons], ["Pictures", "JSON"], "the file is not kept")
        reel = ann.api("GET", "reels").json()[0]
        self.assertEqual((reel["url"], reel["status"]), ("upload:my clip.mp4", "done"))
        job = ann.api("GET", f"reels/{reel['id']}").json()
        self.assertEqual(job["result"]["platform_meta"]["caption"], "A walk #park")
        query = self.telegram.press(done, data=f"again:{reel['id']}")
        wait_until(lambda: query in self.telegram.callback_answers, "the button's answer")
        self.assertIn("Send it again", self.telegram.callback_answers[query])
        self.assertNotIn(self.telegram.token, daemon.log())

    def test_files_forwards_and_replies_are_accepted_but_not_animations(self):
        daemon = self.bot_daemon(workers=0).start()
        ann = self.linked(daemon)
        self.telegram.send_video(ANN, self.CUT_OFF, kind="animation")
        self.wait_for(ANN, "Send me a link to a reel")
        self.telegram.send_video(ANN, self.CUT_OFF, kind="document", name="a.mp4")
        sent = self.telegram.send_video(
            ANN, self.CUT_OFF, name="b.mp4", forward_origin={"type": "hidden_user", "sender_user_name": "Eve"})
        self.wait_for(ANN, "is waiting for its turn", 2)
        self.telegram.say(ANN, "and this one?", reply_to_message=sent)  # The file is known already.
        self.wait_for(ANN, "is waiting for its turn", 3)
        self.assertEqual([reel["url"] for reel in ann.api("GET", "reels").json()], ["upload:b.mp4", "upload:a.mp4"])
        self.telegram.group(GROUP, "Friends")
        code = ann.api("POST", "chats/codes", {}).json()["code"]
        self.telegram.say(GROUP, f"/link@reels_test_bot {code}")
        self.wait_for(GROUP, "All members of this group")
        sent = self.telegram.send_video(GROUP, self.CUT_OFF, "for my friends", name="c.mp4")
        self.telegram.send_video(GROUP, self.CUT_OFF, "@reels_test_bot look", name="d.mp4")
        self.wait_for(GROUP, "is waiting for its turn")
        self.telegram.say(GROUP, "@reels_test_bot", reply_to_message=sent)
        self.wait_for(GROUP, "is waiting for its turn", 2)
        self.assertEqual([reel["url"][-5:] for reel in ann.api("GET", "reels").json()],
                         ["c.mp4", "d.mp4", "b.mp4", "a.mp4"])

    def test_a_reply_to_a_failed_video_analyses_it_again(self):
        daemon = self.bot_daemon().start()
        ann = self.linked(daemon)
        sent = self.telegram.send_video(ANN, self.CUT_OFF)
        self.wait_for(ANN, " failed.", seconds=120)
        self.telegram.say(ANN, "try again", reply_to_message=sent)
        self.wait_for(ANN, " failed.", 2, seconds=120)
        self.assertEqual(len(ann.api("GET", "reels").json()), 2)

    def test_a_link_in_the_caption_identifies_the_post(self):
        daemon = self.bot_daemon(workers=0).start()
        ann = self.linked(daemon)
        self.telegram.send_video(ANN, self.CUT_OFF, f"https://example.com/ and {self.POST}")
        self.wait_for(ANN, "is waiting for its turn")
        self.assertEqual([reel["url"] for reel in ann.api("GET", "reels").json()], [self.POST])
        self.assertEqual(self.telegram.calls["file"], 1)

    def test_an_oversized_video_is_refused_with_a_remedy(self):
        daemon = self.bot_daemon(workers=0, public_url="https://reels.example.com").start()
        ann = self.linked(daemon)
        size = 20 * 1024 * 1024 + 1
        self.telegram.send_video(ANN, self.CUT_OFF, size=size)
        refused = self.wait_for(ANN, "Telegram lets bots download files up to 20 MB")[0]
        self.assertIn("https://reels.example.com/", refused.text)
        self.assertEqual(self.telegram.calls["getFile"], 0)
        with_unknown_size = self.telegram.send_video(ANN, self.CUT_OFF, size=0)
        self.telegram.files[with_unknown_size["video"]["file_id"]] = ("videos/x.mp4", self.CUT_OFF, size)
        self.wait_for(ANN, "Telegram lets bots download files up to 20 MB", 2)
        self.assertEqual(self.telegram.calls["file"], 0)
        self.assertEqual(ann.api("GET", "reels").json(), [])

    def test_the_servers_upload_limit_applies(self):
        daemon = self.bot_daemon(workers=0, video_bytes_max=2000).start()
        ann = self.linked(daemon)
        self.telegram.send_video(ANN, self.CUT_OFF)
        self.wait_for(ANN, "the server accepts videos up to 2000 bytes")
        self.telegram.send_video(ANN, self.CUT_OFF, size=0)
        self.wait_for(ANN, "the server accepts videos up to 2000 bytes", 2)
        self.telegram.send_video(ANN, self.CUT_OFF[:2000])
        self.wait_for(ANN, "is waiting for its turn")
        self.assertEqual(len(ann.api("GET", "reels").json()), 1)

    def test_a_failed_download_is_reported_and_leaves_nothing(self):
        daemon = self.bot_daemon(workers=0).start()
        ann = self.linked(daemon)
        faults = [("cut", "file", {}), ("status", "file", {"status": 404}),
                  ("status", "getFile", {"status": 502, "times": 3})]
        for count, (kind, method, options) in enumerate(faults, 1):
            self.telegram.fault(kind, method, **options)
            self.telegram.send_video(ANN, self.video)
            self.wait_for(ANN, "could not be downloaded from Telegram", count)
        self.telegram.send_video(ANN, b"")
        self.wait_for(ANN, "could not be downloaded from Telegram", 4)
        self.assertNotIn(self.telegram.token, daemon.log())
        # More than two uploads in progress would be refused: the failed ones do not count.
        self.telegram.send_video(ANN, self.video)
        self.wait_for(ANN, "is waiting for its turn")
        self.assertEqual(len(ann.api("GET", "reels").json()), 1)

    def test_a_temporary_failure_before_the_download_is_not_reported(self):
        daemon = self.bot_daemon(workers=0).start()
        self.linked(daemon)
        self.telegram.fault("wait", "getFile", seconds=1)
        self.telegram.fault("status", "getFile", status=502)
        self.telegram.send_video(ANN, self.CUT_OFF)
        self.wait_for(ANN, "is waiting for its turn")
        self.assertEqual(self.telegram.calls["file"], 1)

    def test_limits_are_checked_before_the_download(self):
        daemon = self.bot_daemon(workers=0).start()
        self.linked(daemon)
        self.telegram.person(1002, "Eve")
        self.telegram.send_video(1002, self.CUT_OFF)
        self.wait_for(1002, "I answer only users")
        daemon.limit("ann@example.com", concurrent_jobs=1, queued_jobs=1)
        for count in range(2):
            self.telegram.send_video(ANN, self.CUT_OFF)
            self.wait_for(ANN, "is waiting for its turn", count + 1)
        self.telegram.send_video(ANN, self.CUT_OFF)
        self.wait_for(ANN, "The video was not accepted: limit of 1 queued jobs reached.")
        self.assertEqual(self.telegram.calls["file"], 2)


class Summaries(TelegramTest):
    """Summaries of posts and analyses that a test defines."""

    MODEL = "gemini-3.8-flash"
    CODE = "DYhostile01"
    MARKUP = "</blockquote><b>&amp; <a href='tg://x'>x</a> & <script>"

    def analysed(self, answer, **post):
        """The messages about a reel whose model gives this answer."""
        platform = Platform(with_sound=True)
        self.addCleanup(platform.close)
        platform.configure(posts={self.CODE: post})
        model = GeminiStandIn().start()
        self.addCleanup(model.stop)
        model.answer = answer
        daemon = self.bot_daemon(
            **platform.settings(), analyzer="gemini", gemini_url=model.url, gemini_api_key=model.key,
            gemini_model=self.MODEL, model_prices=f"{self.MODEL}=0.3/2.5/0.03").start()
        self.daemons_person = self.linked(daemon)
        self.telegram.say(ANN, f"https://www.instagram.com/reel/{self.CODE}/")
        self.wait_for(ANN, "Cost: $", seconds=180)
        return self.telegram.messages(ANN)[1:]

    def test_foreign_markup_is_escaped_and_the_cost_is_exact(self):
        answer = answer_with("content.summary", f"{self.MARKUP} is what a cook says.")
        answer["audio"]["segments"][0]["text"] = f"Today {self.MARKUP} we make pasta."
        answer["visual"]["text_segments"][0]["text"] = self.MARKUP
        messages = self.analysed(answer, caption=self.MARKUP, author_name=self.MARKUP)
        self.assertEqual(len(messages), 1)
        self.assertIn(f"{self.MARKUP} is what a cook says.", messages[0].text)
        self.assertEqual(messages[0].folded(), [f"Today {self.MARKUP} we make pasta.", self.MARKUP])
        usage = self.daemons_person.api("GET", "reels/usage")
        self.assertIn(f"Cost: ${json.loads(usage.body, parse_float=str)['total_cost_usd']}", messages[0].text)
        self.telegram.say(ANN, "/list")
        self.wait_for(ANN, "Your latest reels")

    def test_long_messages_are_split_without_loss(self):
        words = random.Random(7)
        letters = "abcdefghijklmnopqrstuvwxyz"
        segments = [" ".join("".join(words.choices(letters, k=words.randint(3, 9))) for _ in range(130))
                    for _ in range(12)]
        answer = answer_with("audio.segments", [
            {"start": "00:00", "end": "00:01", "speaker": "host", "text": text} for text in segments])
        messages = self.analysed(answer)
        self.assertGreater(len(messages), 2)
        self.assertGreater(len(messages[0].history), 1)  # The first one is the edited message.
        self.assertEqual([bool(one.buttons) for one in messages], [False] * (len(messages) - 1) + [True])
        job = self.daemons_person.api("GET", "reels").json()[0]["id"]
        # A question in reply to it finds the reel by this line.
        self.assertEqual(messages[0].text.split("\n")[0].split(" · ")[-1], f"reel {job}")
        transcript = self.daemons_person.api("GET", f"reels/{job}").json()["result"]["audio"]["transcript"]
        heard = " ".join(text for one in messages for text in one.folded())
        self.assertIn(" ".join(transcript.split()), " ".join(heard.split()))


class Faults(TelegramTest):
    def test_a_killed_daemon_loses_and_repeats_nothing(self):
        daemon = self.bot_daemon(workers=0).start()
        ann = self.linked(daemon)
        daemon.limit("ann@example.com", submissions_per_minute=1000, concurrent_jobs=1000)
        total = 0
        for kill in range(3):
            for _ in range(5):
                self.telegram.say(ANN, f"https://www.instagram.com/reel/abcdefg{total}/")
                total += 1
            if kill:  # Kills the daemon in the middle of its work.
                wait_until(lambda: self.telegram.calls["sendMessage"] > total - 5, "some answers")
            daemon.kill()
            daemon.start()
        self.wait_for(ANN, "is waiting for its turn", total, 120)
        ann = Person(daemon).sign_in("ann@example.com")
        reels = ann.api("GET", "reels?limit=100").json()
        self.assertEqual(len(reels), total)
        self.assertEqual(len({reel["url"] for reel in reels}), total)
        # One message that was in transit at the kill may be sent twice.
        messages = [one.text for one in self.telegram.messages(ANN) if "is waiting" in one.text]
        self.assertEqual(len(set(messages)), total)
        self.assertLessEqual(len(messages), total + 3)

    def test_a_restart_resumes_queued_messages(self):
        daemon = self.bot_daemon(workers=0).start()
        self.linked(daemon)
        self.telegram.say(ANN, UNAVAILABLE)
        message = self.wait_for(ANN, "is waiting for its turn")[0]
        daemon.stop()
        daemon.settings["workers"] = 2
        daemon.start()
        wait_until(lambda: "Video is not available" in message.text, "the end", 120)
        self.assertEqual(len(self.telegram.messages(ANN)), 2)

    def test_a_bot_without_a_user_name(self):
        self.telegram.fault("refuse", "getMe", code=404, description="Not Found")
        daemon = self.bot_daemon(workers=0).start()
        self.linked(daemon)
        self.telegram.say(ANN, "/help")
        self.wait_for(ANN, "/search words – find reels")

    def test_only_one_of_two_daemons_runs_the_bot(self):
        first = self.bot_daemon(workers=0).start()
        self.linked(first)
        second = Daemon(folder=first.folder, **{**first.settings, "listen": "127.0.0.1:0"})
        self.addCleanup(second.close)
        second.start()
        wait_until(lambda: any(line["message"] == "chat: another daemon runs the bot"
                               for line in second.log_lines()), "the second one's silence")
        self.telegram.say(ANN, SAMPLE)
        self.wait_for(ANN, "is waiting for its turn")
        first.stop()
        self.telegram.say(ANN, "/help")
        self.wait_for(ANN, "/search words – find reels", 2)
        self.assertEqual(self.telegram.conflicts, 0)

    def test_retry_after_is_respected(self):
        daemon = self.bot_daemon(workers=0).start()
        ann = self.linked(daemon)
        self.linked(daemon, ann.invite("bob@example.com"), 1002, "Bob")
        self.telegram.fault("wait", "sendMessage", chat=ANN, seconds=4)
        begun = time.monotonic()
        self.telegram.say(ANN, "/usage")
        self.telegram.say(1002, "/usage")
        self.wait_for(1002, "Total:")  # Not delayed by the other chat.
        self.assertEqual([one for one in self.telegram.messages(ANN) if "Total:" in one.text], [])
        self.wait_for(ANN, "Total:")
        self.assertGreaterEqual(time.monotonic() - begun, 4)

    def test_a_slow_chat_does_not_delay_others(self):
        daemon = self.bot_daemon(workers=0).start()
        ann = self.linked(daemon)
        self.linked(daemon, ann.invite("bob@example.com"), 1002, "Bob")
        self.telegram.fault("hold", "sendMessage", chat=ANN, seconds=10)
        self.telegram.say(ANN, "/usage")
        self.telegram.say(1002, "/usage")
        self.wait_for(1002, "Total:", seconds=9)
        self.wait_for(ANN, "Total:")

    def test_failed_requests_are_retried(self):
        daemon = self.bot_daemon(workers=0).start()
        self.linked(daemon)
        self.telegram.fault("status", "sendMessage", status=502)
        self.telegram.fault("cut", "sendMessage")
        self.telegram.fault("status", "getUpdates", status=502)
        self.telegram.fault("cut_after", "getUpdates")
        self.telegram.say(ANN, "/usage")
        self.wait_for(ANN, "Total:")
        # The daemon read the update without confirming it: it arrived twice and was handled once.
        self.assertEqual(len(self.wait_for(ANN, "Total:")), 1)

    def test_a_deleted_message_is_sent_again(self):
        daemon = self.bot_daemon(workers=0).start()
        ann = self.linked(daemon)
        self.telegram.say(ANN, SAMPLE)
        self.telegram.delete(self.wait_for(ANN, "is waiting for its turn")[0])
        ann.api("DELETE", f"reels/{ann.api('GET', 'reels').json()[0]['id']}")
        self.wait_for(ANN, "was deleted before it was done")

    def test_a_chat_that_blocks_the_bot_does_not_delay_others(self):
        daemon = self.bot_daemon(workers=0).start()
        ann = self.linked(daemon)
        self.linked(daemon, ann.invite("bob@example.com"), 1002, "Bob")
        self.telegram.blocked.add(ANN)
        self.telegram.say(ANN, "/usage")
        self.telegram.say(1002, "/usage")
        self.wait_for(1002, "Total:")
        wait_until(lambda: "chat unreachable" in daemon.log(), "the log's line")
        self.telegram.blocked.clear()
        self.telegram.say(ANN, "/usage")
        self.wait_for(ANN, "Total:")

    def test_a_chat_that_forbids_files_keeps_its_other_messages(self):
        daemon = self.bot_daemon().start()
        ann = self.linked(daemon)
        self.telegram.say(ANN, SAMPLE)
        done = self.wait_for(ANN, "Cost: free", seconds=180)[0]
        daemon.stop()
        daemon.settings["workers"] = 0
        daemon.start()
        self.telegram.say(ANN, UNAVAILABLE)
        self.wait_for(ANN, "is waiting for its turn")
        refusals = [("JSON", 400, "Bad Request: not enough rights to send documents to the chat"),
                    ("Pictures", 403, "Forbidden: CHAT_SEND_MEDIA_FORBIDDEN")]
        for label, code, why in refusals:
            for method in ("sendDocument", "sendPhoto", "sendMediaGroup"):
                self.telegram.fault("refuse", method, code=code, description=why)
            self.telegram.press(done, label)
            self.wait_for(ANN, f"Telegram did not accept the file: {why}.")
            self.telegram.faults.clear()
        ann = Person(daemon).sign_in("ann@example.com")
        ann.api("DELETE", f"reels/{ann.api('GET', 'reels').json()[0]['id']}")
        self.wait_for(ANN, "was deleted before it was done")

    def test_a_refusal_of_a_proxy_drops_no_message(self):
        daemon = self.bot_daemon(workers=0).start()
        self.linked(daemon)
        self.telegram.fault("status", "sendMessage", status=403)
        self.telegram.fault("status", "sendMessage", status=404)
        self.telegram.say(ANN, "/usage")
        self.wait_for(ANN, "Total:")
        self.assertNotIn("chat unreachable", daemon.log())

    def test_an_invalid_bot_token_is_logged_once_and_stops_only_the_bot(self):
        self.telegram.is_token_good = False
        daemon = self.bot_daemon(workers=0).start()
        wait_until(lambda: "telegram-token is not the token of a bot" in daemon.log(), "the log's line")
        self.assertEqual(daemon.request("GET", "/readyz").status, 200)
        self.assertNotIn(self.telegram.token, daemon.log())
        self.assertEqual(daemon.stop(), 0)

    def test_an_existing_webhook_is_deleted(self):
        self.telegram.has_webhook = True
        daemon = self.bot_daemon(workers=0).start()
        self.linked(daemon)
        self.assertGreaterEqual(self.telegram.calls["deleteWebhook"], 1)

    def test_the_bot_stops_immediately(self):
        daemon = self.bot_daemon(workers=0).start()
        self.linked(daemon)
        begun = time.monotonic()
        self.assertEqual(daemon.stop(), 0)
        self.assertLess(time.monotonic() - begun, 40)  # A poll is held for 50 s.
        self.assertNotIn("stopped with unfinished work", daemon.log())
        self.assertNotIn(self.telegram.token, daemon.log())

    def test_a_stop_does_not_wait_for_telegram(self):
        daemon = self.bot_daemon(workers=0, shutdown_drain_seconds=600).start()
        self.linked(daemon)
        self.telegram.fault("hold", "sendMessage", seconds=60)
        sent = self.telegram.calls["sendMessage"]
        self.telegram.say(ANN, "/usage")
        wait_until(lambda: self.telegram.calls["sendMessage"] > sent, "the message")
        self.assertEqual(daemon.stop(), 0)


if __name__ == "__main__":
    unittest.main()
