"""Users and programs in a soak test: the dashboard, the chat bot, the client, `reels mcp`, public pages; and
events of daemons: SIGHUP, tokens created in a terminal, a database that cuts connections."""

import json
import queue
import signal
import subprocess
import time

from dashboard_session import PASSWORD, EventStream, Person
from mcp_test import Client as McpClient
from service_support import clean_environment, must, program, run_reelsd, wait_until
from soak_clients import Actor, Excused, Visitor, Wrong
from soak_surfaces import END_SECONDS_MAX, REEL_CODES, ApiActor, link_of

PUBLIC = ("/healthz", "/metrics", "/", "/docs/index.html", "/docs/openapi.yaml", "/docs/scalar/standalone.esm.js")
CHAT = 1001  # A private chat, which is linked to the account "chat".
PROGRAM_SECONDS_MAX = 200
UNAVAILABLE = link_of("reelsd-unavailable")


class PassersBy(Actor):
    """Requests without a token."""

    surface, every = "public pages", 1

    def __init__(self, soak, number=0):
        super().__init__(soak, number)
        self.visitors = [Visitor(self.book, soak.daemon), Visitor(self.book, soak.tls_daemon, is_tls=True)]

    def act(self):
        visitor = self.chance.choice(self.visitors)
        visitor.ask(self.surface, "GET", self.chance.choice(PUBLIC))
        visitor.ask(self.surface, "GET", "/docs/", good=(302,))
        visitor.ask("readyz", "GET", "/readyz")
        visitor.ask("no token", "GET", "/api/v1/reels", good=(401,))

    def end(self):
        for visitor in self.visitors:
            visitor.close()


class Browser(Person):
    """A user whose answers are recorded, and who tolerates outages of the database."""

    def __init__(self, actor):
        super().__init__(actor.soak.daemon)
        self.actor = actor

    def request(self, method, path, body=None, headers=None, csrf=True):
        begun = time.monotonic()
        answer = super().request(method, path, body, headers, csrf)
        if answer.status == 503 and answer.headers.get("Retry-After") and self.actor.book.is_trouble(begun):
            self.actor.book.excuse(self.actor.surface)
            raise Excused()
        what = path.rpartition("/")[2].partition("?")[0]
        self.actor.book.note(f"dashboard {'one' if what.isdigit() else what}", time.monotonic() - begun)
        return answer


class Visit(Actor):
    """A visit to the dashboard: sign in, watch a reel until it is done, create and revoke a token, sign out."""

    surface, every = "dashboard", 12

    def act(self):
        browser = Browser(self).sign_in(self.soak.person_email)
        stream = EventStream(browser)
        try:
            job = self.submitted(browser)
            for path in ("session", "reels?limit=20", "tokens", "reels/usage", "chats", "webhook", "webhook/deliveries"):
                self.expect(browser.api("GET", path), 200)
            self.tokens(browser)
            wait_until(lambda: [1 for one in stream.of("reel", job) if one["status"] in ("done", "error")]
                       or stream.ended.is_set(), f"the feed's end of job {job}", END_SECONDS_MAX)
            self.check(not stream.ended.is_set() or self.book.is_trouble(time.monotonic() - 10), "the feed has ended")
            self.expect(browser.api("DELETE", f"reels/{job}"), 204, 404)
        finally:
            stream.close()
        kept = browser.cookie
        self.expect(browser.api("POST", "sign-out"), 204)
        self.expect(browser.api("GET", "session", headers={"Cookie": kept}), 401)

    def expect(self, answer, *good):
        self.check(answer.status in good, f"{answer}")
        return answer

    def submitted(self, browser):
        link = link_of(self.chance.choice(REEL_CODES[:30]))
        return self.expect(browser.api("POST", "reels/analyze", {"url": link, "fresh": True}), 202).json()["id"]

    def tokens(self, browser):
        name = f"visit {next(self.turns)}"
        token = self.expect(browser.api("POST", "tokens", {"name": name}), 201).json()
        visitor = Visitor(self.book, self.soak.daemon, token["token"])
        visitor.ask("new token", "GET", "/api/v1/reels")
        self.expect(browser.api("DELETE", f"tokens/{token['id']}"), 204)
        visitor.ask("revoked token", "GET", "/api/v1/reels", good=(401,))
        visitor.close()


class Administrator(Actor):
    """The pages of administrators, in one session, whose event stream stays open all the time."""

    surface, every = "administration", 5

    def prepare(self):
        self.browser = Browser(self)
        self.browser.cookie, self.browser.csrf_token = self.soak.person.cookie, self.soak.person.csrf_token
        self.stream = EventStream(self.browser)

    def act(self):
        for path in ("admin/overview", "admin/accounts", "admin/failures?limit=20", "admin/defaults", "reels?limit=20"):
            answer = self.browser.api("GET", path)
            self.check(answer.status == 200, f"{path}: {answer}")
        if self.stream.ended.is_set():
            self.check(self.book.is_trouble(time.monotonic() - 10), "the feed has ended")
            self.stream = EventStream(self.browser)

    def end(self):
        self.stream.close()


class Chatter(Actor):
    """Writes to the bot."""

    surface, every = "chat", 8

    def act(self):
        begun = time.monotonic()
        telegram = self.soak.telegram
        telegram.say(CHAT, self.chance.choice((link_of(self.chance.choice(REEL_CODES[:30])), UNAVAILABLE)))
        message = self.shown(("Cost:", "Video is not available"))
        number = self.number_of(message)
        telegram.say(CHAT, self.chance.choice(("/list", "/search pasta", "/usage", "/help", f"/status {number}")))
        self.answered()
        if message.buttons:
            query = telegram.press(message, message.buttons[-1][0])
            wait_until(lambda: query in telegram.callback_answers, "the button's answer", END_SECONDS_MAX)
        self.note(begun)
        self.tidy_up(telegram)

    def shown(self, words):
        """The latest message, once it contains one of these words."""
        telegram = self.soak.telegram
        before = self.seen

        def ended():
            new = telegram.messages(CHAT)[before:]
            return next((one for one in new if any(word in one.text for word in words)), None)
        found = wait_until(ended, f"{words} after message {before}", END_SECONDS_MAX)
        self.seen = len(telegram.messages(CHAT))
        return found

    def answered(self):
        telegram, before = self.soak.telegram, self.seen
        wait_until(lambda: len(telegram.messages(CHAT)) > before, "an answer in the chat", END_SECONDS_MAX)
        self.seen = len(telegram.messages(CHAT))

    @property
    def seen(self):
        return getattr(self, "seen_count", len(self.soak.telegram.messages(CHAT)))

    @seen.setter
    def seen(self, count):
        self.seen_count = count

    def number_of(self, message):
        first = message.history[0]
        return int("".join(c if c.isdigit() else " " for c in first).split()[0]) if first else 0

    def tidy_up(self, telegram):
        """Deletes the chat's reels, whether the bot created them for a message or for a button."""
        someone = self.soak.accounts["chat"]
        for reel in Visitor(self.book, self.soak.daemon, someone.token).ask(
                "list", "GET", "/api/v1/reels?limit=100").json():
            if reel["status"] in ("done", "error"):
                telegram.say(CHAT, f"/delete {reel['id']}")
                self.shown((f"Reel {reel['id']} is deleted",))


class Programs(ApiActor):
    """The client: one process per turn."""

    surface, every = "reels", 5

    def reels(self, *arguments, good=(0,)):
        begun = time.monotonic()
        environment = clean_environment()
        environment.update(REELS_SERVER=f"http://{self.soak.daemon.address}", REELS_TOKEN=self.someone.token)
        done = subprocess.run(
            [program("reels"), *arguments], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=PROGRAM_SECONDS_MAX)
        self.check(done.returncode in good, f"reels {arguments[0]} ended with {done.returncode}: {done.stderr[-300:]}")
        self.book.note(f"reels {arguments[0]}", time.monotonic() - begun)
        return done.stdout

    def act(self):
        what = next(self.turns) % 4
        if what == 0:
            link = self.any_link()
            job = json.loads(self.reels("analyze", "--wait", "--json", link, good=(0, 1)))
            self.check_end(job)
            self.reels("get", str(job["id"]), good=(0, 1))
            self.reels("delete", str(job["id"]))
        else:
            self.reels(*(("list",), ("search", "fresh", "pasta"), ("usage", "--json"))[what - 1])


class Mcp(ApiActor):
    """`reels mcp`: starts it, calls some tools, and ends it."""

    surface, every = "reels mcp", 6

    def act(self):
        begun = time.monotonic()
        client = McpClient(REELS_SERVER=f"http://{self.soak.daemon.address}", REELS_TOKEN=self.someone.token)
        try:
            link = self.any_link()
            done = client.call("analyze_reel", url=link)
            self.check("structuredContent" in done or done["isError"], f"{done}"[:300])
            for tool, arguments in (("search_reels", {"query": "pasta"}), ("list_reels", {}), ("usage", {})):
                answer = client.call(tool, **arguments)
                self.check(not answer["isError"], f"{tool}: {answer}"[:300])
            if next(self.turns) % 2:
                client.cancel(client.begin_call("analyze_reel", {"url": link}))
            code, _, error_output = client.end()
            self.check(code == 0, f"reels mcp ended with {code}: {error_output[-300:]}")
        except queue.Empty:
            raise Wrong("reels mcp does not answer") from None
        finally:
            client.close()
        self.note(begun)
        for one in self.ask("GET", "/api/v1/reels?limit=100").json():
            if one["status"] in ("done", "error") and one["url"] == link:
                self.visitor.ask("delete", "DELETE", f"/api/v1/reels/{one['id']}", good=(204, 404))


class Operator(Actor):
    """In a terminal: creates and revokes tokens; sends SIGHUP after a new certificate."""

    surface, every = "operator", 30

    def act(self):
        name = f"terminal {next(self.turns)}"
        token = self.reelsd("token", "create", "--account", self.soak.accounts["library"].email, "--name", name)
        visitor = Visitor(self.book, self.soak.daemon, token)
        visitor.ask("new token", "GET", "/api/v1/reels?limit=1")
        self.reelsd("token", "revoke", "--account", self.soak.accounts["library"].email, "--name", name)
        visitor.ask("revoked token", "GET", "/api/v1/reels?limit=1", good=(401,))
        visitor.close()
        self.soak.tls_daemon.certificate.renew(name)
        for daemon in self.soak.daemons:
            daemon.process.send_signal(signal.SIGHUP)

    def reelsd(self, *arguments):
        begun = time.monotonic()
        done = run_reelsd(*arguments, **self.soak.terminal_settings)
        if done.returncode != 0 and self.book.is_trouble(begun):
            self.book.excuse(self.surface)
            raise Excused()
        self.note(begun)
        return must(done).stdout.strip()


class Cutter(Actor):
    """The database closes connections of the daemons: one of them, or all."""

    surface, every = "database cuts", 60

    def act(self):
        count = 1 if next(self.turns) % 2 else 1000
        self.book.begin_trouble()
        begun = time.monotonic()
        self.soak.sql(
            "SELECT pg_terminate_backend(pid) FROM (SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
            # Except those of this program.
            " AND backend_type = 'client backend' AND application_name <> 'psql'"
            f" ORDER BY random() LIMIT {count}) AS one")
        self.note(begun)
        wait_until(lambda: all(one.request("GET", "/readyz").status == 200 for one in self.soak.daemons),
                   "readiness after a cut", END_SECONDS_MAX)
        self.book.begin_trouble()  # A request that was answered late has ten seconds, too.
