"""A daemon with a chat bot, the Bot API's stand-in, and an account whose chat is linked."""

from dashboard_session import Person, set_up_link_secret
from service_support import ServiceTest, wait_until
from telegram_stand_in import Telegram

ANN = 1001  # A private chat.


class TelegramTest(ServiceTest):
    """Checks `self.telegram` at the end of each test: it must have no violation about a request."""

    def setUp(self):
        super().setUp()
        self.telegram = Telegram()
        self.addCleanup(self.telegram.close)

    def tearDown(self):
        super().tearDown()
        self.assertEqual(self.telegram.violations, [])

    def bot_daemon(self, **settings):
        return self.daemon(**self.telegram.settings(), **settings)

    def administrator(self, daemon):
        return Person(daemon).join(set_up_link_secret(daemon), "ann@example.com")

    def linked(self, daemon, person=None, chat=ANN, name="Ann"):
        """A dashboard user whose private chat is linked."""
        person = person or self.administrator(daemon)
        self.telegram.person(chat, name)
        code = person.api("POST", "chats/codes", {})
        self.assertEqual(code.status, 201, code)
        self.telegram.say(chat, f"/start {code.json()['code']}")
        self.wait_for(chat, "now linked to your account")
        return person

    def wait_for(self, chat, words, count=1, seconds=60):
        """The messages of the chat that contain these words, once there are this many."""
        def seen():
            found = [one for one in self.telegram.messages(chat) if words in one.text]
            return found if len(found) >= count else None
        try:
            return wait_until(seen, f"{count} messages with {words!r}", seconds)
        except AssertionError as why:
            raise AssertionError(f"{why}; there are {self.telegram.messages(chat)}, "
                                 f"violations: {self.telegram.violations}") from None

    def wait_for_handled(self, update):
        """Waits until the bot has confirmed an update with its next poll."""
        wait_until(lambda: self.telegram.confirmed > update, f"update {update}", 60)
