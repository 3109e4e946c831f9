"""Tests /ask of the chat bot from outside, with the stand-ins of the Bot API, the platform and a model."""

import unittest

from gemini_stand_in import GeminiStandIn
from model_support import ANSWER
from service_support import Platform
from telegram_support import ANN, TelegramTest

MODEL = "gemini-3.8-flash"
FLOUR = "DYquestion1"
BREAD = "DYquestion2"
NOT_SAID = "The reels do not say."
QUESTION = "How many cups of flour?"


class Questions(TelegramTest):
    def analysed(self, **posts):
        """A daemon whose linked user has a reel of each post: code=caption; the messages about them, by code."""
        platform = Platform(with_sound=True)
        self.addCleanup(platform.close)
        platform.configure(posts={code: {"caption": caption} for code, caption in posts.items()})
        self.model = GeminiStandIn().start()
        self.addCleanup(self.model.stop)
        self.model.answer = ANSWER
        daemon = self.bot_daemon(
            **platform.settings(), analyzer="gemini", gemini_url=self.model.url, gemini_api_key=self.model.key,
            gemini_model=MODEL, model_prices=f"{MODEL}=0.3/2.5/0.03").start()
        self.ann = self.linked(daemon)
        messages = {}
        for count, code in enumerate(posts, 1):
            self.telegram.say(ANN, f"https://www.instagram.com/reel/{code}/")
            messages[code] = self.wait_for(ANN, "Cost: $", count, seconds=180)[-1]
        return daemon, messages

    def test_an_answer_links_to_its_reels(self):
        self.analysed(**{FLOUR: "Sift two cups of flour."})
        self.telegram.say(ANN, f"/ask {QUESTION}")
        message = self.wait_for(ANN, "It says:")[0]
        self.assertRegex(message.text, r"(?s)^It says: .*Reel \d+.*“.*Sift two cups of flour\..*”.*Cost: \$0\.\d+$")
        links = [given for tag, given, _ in message.entities if tag == "a"]
        self.assertIn({"href": f"https://www.instagram.com/reel/{FLOUR}/"}, links)
        self.assertGreaterEqual(self.telegram.calls["sendChatAction"], 1)
        for manner in ("uncited", "phantom", "empty"):
            with self.subTest(manner):
                self.model.manner = manner
                before = len([one for one in self.telegram.messages(ANN) if NOT_SAID in one.text])
                self.telegram.say(ANN, f"/ask {QUESTION}")
                self.wait_for(ANN, NOT_SAID, before + 1)
        self.assertEqual(len(self.wait_for(ANN, "It says:")), 1)

    def test_a_reply_asks_about_the_reel_of_the_message(self):
        _, messages = self.analysed(**{FLOUR: "Sift two cups of flour.", BREAD: "Bread is baked."})
        self.telegram.say(ANN, f"/ask {QUESTION}", reply_to=messages[BREAD])
        self.wait_for(ANN, NOT_SAID)
        self.telegram.say(ANN, f"/ask {QUESTION}", reply_to=messages[FLOUR])
        self.wait_for(ANN, "It says: Sift two cups")
        reels = {reel["code"]: reel["id"] for reel in self.ann.api("GET", "reels").json()}
        self.telegram.say(ANN, f"/ask #{reels[BREAD]} {QUESTION}")
        self.wait_for(ANN, NOT_SAID, 2)
        self.telegram.say(ANN, f"/ask #999 {QUESTION}")
        self.wait_for(ANN, "The question was not answered: not found.")

    def test_a_question_is_charged_once_and_delays_no_other_chat(self):
        daemon, _ = self.analysed(**{FLOUR: "Sift two cups of flour."})
        self.linked(daemon, self.ann.invite("bob@example.com"), 1002, "Bob")
        asked = self.model.count("generate")
        self.model.fail("generate", "hold")
        self.telegram.say(ANN, f"/ask {QUESTION}")
        self.model.wait_for("generate", asked + 1)
        self.telegram.say(1002, "/usage")
        self.wait_for(1002, "Total:")
        daemon.kill()
        self.model.release()
        daemon.start()
        self.wait_for(ANN, "The server stopped before it could answer your question. Ask it again.")
        self.assertEqual(self.model.count("generate"), asked + 1)
        self.telegram.say(ANN, f"/ask {QUESTION}")
        self.assertEqual(len(self.wait_for(ANN, "It says:")), 1)

    def test_a_stopping_daemon_completes_a_question(self):
        daemon, _ = self.analysed(**{FLOUR: "Sift two cups of flour."})
        daemon.stop()
        daemon.settings["shutdown_drain_seconds"] = 20
        daemon.start()
        other = self.bot_daemon(workers=0, database_url=daemon.settings["database_url"]).start()
        asked = self.model.count("generate")
        self.model.fail("generate", "hold", seconds=10)  # Longer than the lease of the bot.
        self.telegram.say(ANN, f"/ask {QUESTION}")
        self.model.wait_for("generate", asked + 1)
        self.assertEqual(daemon.stop(), 0)
        self.wait_for(ANN, "It says:")
        self.assertEqual(self.model.count("generate"), asked + 1)
        self.assertEqual(other.stop(), 0)

    def test_refusals(self):
        daemon = self.bot_daemon(workers=0).start()
        self.linked(daemon)
        for text, answer in (
                (f"/ask {QUESTION}", "The question was not answered: asking needs a model; this server has none."),
                ("/ask", "Send a question about your reels"), ("/ask #42", "Send a question about your reels"),
                ("/ask " + "ü" * 501, "A question can have 500 characters.")):
            with self.subTest(text[:20]):
                update = self.telegram.say(ANN, text)
                self.wait_for_handled(update)
                self.wait_for(ANN, answer)
        self.telegram.say(ANN, "/help")
        self.wait_for(ANN, "/ask question")


if __name__ == "__main__":
    unittest.main()
