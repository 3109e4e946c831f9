"""The Bot API's stand-in: users write to a bot, and the bot answers. Every request is checked like on the real
server, and more strictly: requests that the server would tolerate (an unknown field, a request before the end of
`retry_after`) are violations."""

import collections
import email.parser
import email.policy
import http.server
import json
import re
import socket
import struct
import threading
import time
import urllib.parse

import telegram_markup as markup

# Method to its fields and whether each is required.
FIELDS = {
    "getMe": {},
    "deleteWebhook": {"drop_pending_updates": False},
    "getFile": {"file_id": True},
    "getUpdates": {"offset": False, "limit": False, "timeout": False, "allowed_updates": False},
    "sendMessage": {"chat_id": True, "text": True, "parse_mode": False, "link_preview_options": False,
                    "reply_parameters": False, "reply_markup": False, "message_thread_id": False},
    "editMessageText": {"chat_id": True, "message_id": True, "text": True, "parse_mode": False,
                        "link_preview_options": False, "reply_markup": False},
    "answerCallbackQuery": {"callback_query_id": True, "text": False, "show_alert": False},
    "sendChatAction": {"chat_id": True, "action": True, "message_thread_id": False},
    "sendPhoto": {"chat_id": True, "photo": True, "caption": False, "parse_mode": False,
                  "reply_parameters": False, "message_thread_id": False},
    "sendMediaGroup": {"chat_id": True, "media": True, "reply_parameters": False,
                       "message_thread_id": False},
    "sendDocument": {"chat_id": True, "document": True, "caption": False, "reply_parameters": False,
                     "message_thread_id": False},
}
EDIT_SECONDS_MIN = 1.0
CALLBACK_TEXT_MAX = 200
CAPTION_MAX = 1024
ALBUM_SIZES = range(2, 11)
DOWNLOAD_BYTES_MAX = 20 * 1024 * 1024


class Refusal(Exception):
    def __init__(self, code, description, **parameters):
        super().__init__(description)
        self.code, self.description, self.parameters = code, description, parameters


class Cut(Exception):
    """The connection is cut instead of an answer."""


class Message:
    """One message of the bot, with all its versions."""

    def __init__(self, number, chat, text, entities, buttons, reply_to):
        self.id, self.chat, self.reply_to = number, chat, reply_to
        self.history, self.entities, self.buttons = [text], entities, buttons
        self.changed_at, self.is_deleted = time.monotonic(), False
        self.document = None  # (name, bytes)
        self.photo = None  # (name, bytes)
        self.topic = None  # None: General.

    @property
    def text(self):
        return self.history[-1]

    def button(self, label):
        """The data of a button by its label."""
        return next(data for name, data in self.buttons if name == label)

    def folded(self):
        return [text for tag, given, text in self.entities
                if tag == "blockquote" and given.get("expandable")]

    def __repr__(self):
        return f"<{self.id} in {self.chat}: {self.history!r}>"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, format, *args):
        pass

    def do_GET(self):
        """A file that a user sent; a fault of "file" changes its end."""
        status, content, is_cut = self.server.stand_in.file_at(self.path)
        if content is None:
            self.answer(status, {"ok": False, "error_code": status, "description": "Not Found"})
            return
        self.send_response(200)
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        try:
            self.wfile.write(content[:len(content) // 2] if is_cut else content)
        except OSError:
            is_cut = True  # The client wants no more of it.
        self.close_connection = is_cut

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            status, reply = self.server.stand_in.serve(self.path, self.headers, body, self.is_gone)
            self.answer(status, reply)
        except Cut:
            self.close_connection = True
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        except OSError:
            self.close_connection = True  # The client has closed the connection, as at its stop.

    def is_gone(self):
        """Whether the client has closed the connection."""
        try:
            return self.connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    def answer(self, status, reply):
        is_text = isinstance(reply, str)
        body = reply.encode() if is_text else json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html" if is_text else "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass  # A daemon that was killed during a request.


class Telegram:
    """`say` and `press` are actions of users; `messages` are the messages that they see; `fault` sets faults."""

    def __init__(self, token="4242:stand-in_token", username="reels_test_bot"):
        self.token, self.username = token, username
        self.id = int(token.split(":")[0])
        self.lock = threading.Condition()
        self.violations, self.calls = [], collections.Counter()
        self.chats, self.blocked = {}, set()
        self.topics, self.closed_topics = {}, set()  # For forums; closed topics: (chat, topic).
        self.updates, self.all_updates, self.confirmed = [], [], 0
        self.next_update, self.next_message, self.next_query = 1000, 1, 1
        self.all_messages, self.callback_answers = [], {}
        self.files = {}  # For videos, by their file_id: (path, bytes, size for the server).
        self.faults, self.not_before = [], {}
        self.poll, self.conflicts, self.redelivered = 0, 0, 0
        self.delivered = set()
        self.is_token_good, self.has_webhook, self.is_closed = True, False, False
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.stand_in = self
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        with self.lock:
            self.is_closed = True
            self.lock.notify_all()
        self.server.shutdown()
        self.server.server_close()

    def settings(self):
        return {"telegram_token": self.token, "telegram_url": self.url}

    def report_violation(self, what):
        with self.lock:
            self.violations.append(what)

    # Actions of users.

    def person(self, number, name="Ann"):
        self.chats[number] = {"id": number, "type": "private", "first_name": name}
        return number

    def group(self, number, title="Friends"):
        self.chats[number] = {"id": number, "type": "supergroup", "title": title}
        return number

    def forum(self, number, topics, title="Friends"):
        """A group with topics, by their numbers."""
        self.group(number, title)
        self.chats[number]["is_forum"] = True
        self.topics[number] = set(topics)
        return number

    def say(self, chat, text, by=777, reply_to=None, topic=None, **more):
        """A message to the bot; returns the number of its update."""
        if topic:
            more.update(message_thread_id=topic, is_topic_message=True)
        message = {"chat": self.chats[chat], "date": int(time.time()), "text": text, "entities": self.marks_in(text),
                "from": {"id": chat if chat > 0 else by, "is_bot": False, "first_name": "Ann"}, **more}
        if reply_to:
            message["reply_to_message"] = {
                "message_id": reply_to.id, "chat": self.chats[chat], "date": 1, "text": reply_to.text,
                "from": {"id": self.id, "is_bot": True, "first_name": "Bot"}}
            if reply_to.buttons:
                message["reply_to_message"]["reply_markup"] = {"inline_keyboard": [
                    [{"text": label, "callback_data": data} for label, data in reply_to.buttons]]}
        with self.lock:
            message["message_id"] = self.next_message
            self.next_message += 1
            return self.add_update({"message": message})

    def send_video(self, chat, content, caption=None, kind="video", name="clip.mp4", size=None, by=777, **more):
        """A message with a video: as "video", "document" or "animation". `size`: reported and counted by the
        server instead of the content's; 0: not reported. Returns the message."""
        with self.lock:
            file = f"file-id-{len(self.files)}"
            self.files[file] = (f"videos/file_{len(self.files)}.mp4", content, size or len(content))
        media = {"file_id": file, "file_unique_id": file, "mime_type": "video/mp4", "file_name": name,
                 "file_size": len(content) if size is None else size}
        if media["file_size"] == 0:
            del media["file_size"]
        message = {"chat": self.chats[chat], "date": int(time.time()), kind: media,
                "from": {"id": chat if chat > 0 else by, "is_bot": False, "first_name": "Ann"}, **more}
        if kind == "animation":
            message["document"] = media
        if caption is not None:
            message.update(caption=caption, caption_entities=self.marks_in(caption))
        with self.lock:
            message["message_id"] = self.next_message
            self.next_message += 1
            self.add_update({"message": message})
        return message

    def edit(self, text):
        """Edits the user's last message; returns the number of the update."""
        with self.lock:
            message = next(one["message"] for one in reversed(self.all_updates) if "message" in one)
            return self.add_update({"edited_message": {
                **message, "text": text, "entities": self.marks_in(text), "edit_date": int(time.time())}})

    def press(self, message, label=None, data=None, chat=None):
        """Presses a button of a message; returns the query's id."""
        with self.lock:
            query = f"query-{self.next_query}"
            self.next_query += 1
            self.add_update({"callback_query": {
                "id": query, "from": {"id": 777, "is_bot": False, "first_name": "Ann"},
                "chat_instance": "1", "data": data or message.button(label),
                "message": {"message_id": message.id, "date": 1, "chat": self.chats[chat or message.chat],
                            **({"message_thread_id": message.topic, "is_topic_message": True}
                               if message.topic else {})}}})
            return query

    def add_update(self, what):
        with self.lock:
            number = self.next_update
            self.next_update += 1
            self.updates.append({"update_id": number, **what})
            self.all_updates.append(what)
            self.lock.notify_all()
            return number

    @staticmethod
    def marks_in(text):
        marks = []
        for kind, pattern in (("bot_command", r"(?<!\S)/\w+(?:@\w+)?"), ("mention", r"(?<!\S)@\w+"),
                              ("url", r"https?://\S+")):
            for found in re.finditer(pattern, text):
                marks.append({"type": kind, "offset": markup.units(text[:found.start()]),
                              "length": markup.units(found.group())})
        return sorted(marks, key=lambda mark: mark["offset"])

    # Messages that users see.

    def messages(self, chat):
        with self.lock:
            return [one for one in self.all_messages if one.chat == chat and not one.is_deleted]

    def delete(self, message):
        message.is_deleted = True

    # Faults.

    def fault(self, kind, method, times=1, **options):
        """The next `times` requests of `method` (in `chat`, if given) end in this way: "status" (`status`, by a
        proxy), "refuse" (`code`, `description`), "cut" (nothing was done), "cut_after" (it was done), "wait" (429,
        `seconds`), "hold" (`seconds`)."""
        with self.lock:
            for _ in range(times):
                self.faults.append((kind, method, options))

    def take_fault(self, method, chat):
        for at, (kind, failing, options) in enumerate(self.faults):
            if failing == method and options.get("chat", chat) == chat:
                del self.faults[at]
                return kind, options
        return None, {}

    # The server.

    def serve(self, path, headers, body, is_gone):
        if path == "/_say":  # For tests in other languages: a user writes.
            request = json.loads(body)
            chat = self.person(request["chat"], request["name"])
            return 200, {"ok": True, "result": self.say(chat, request["text"])}
        found = re.fullmatch(r"/bot([^/]+)/(\w+)", urllib.parse.urlsplit(path).path)
        if not found or found.group(1) != self.token or not self.is_token_good:
            self.calls["wrong token"] += 1
            return 401, {"ok": False, "error_code": 401, "description": "Unauthorized"}
        method = found.group(2)
        with self.lock:
            self.calls[method] += 1
        if method not in FIELDS:
            return 404, {"ok": False, "error_code": 404, "description": "Not Found: method not found"}
        try:
            given = self.fields_of(method, headers, body)
            chat = given.get("chat_id")
            with self.lock:
                kind, options = self.take_fault(method, chat)
                self.check_pace(method, chat)
            if kind == "hold":
                time.sleep(options["seconds"])
            if kind == "cut":
                raise Cut
            if kind == "status":
                return options["status"], "<html>bad gateway</html>"
            if kind == "refuse":
                raise Refusal(options["code"], options["description"])
            if kind == "wait":
                with self.lock:
                    self.not_before[(method, chat)] = time.monotonic() + options["seconds"]
                raise Refusal(429, f"Too Many Requests: retry after {options['seconds']}",
                              retry_after=options["seconds"])
            if method == "getUpdates":
                result = self.do_getUpdates(given, is_gone)
            else:
                with self.lock:
                    result = getattr(self, "do_" + method)(given)
                    self.lock.notify_all()
            if kind == "cut_after":
                raise Cut
            return 200, {"ok": True, "result": result}
        except Refusal as why:
            failure = {"ok": False, "error_code": why.code, "description": why.description}
            if why.parameters:
                failure["parameters"] = why.parameters
            return why.code, failure

    def file_at(self, path):
        """(status, bytes or None, whether the connection is cut in the middle of them)."""
        found = re.fullmatch(r"/file/bot([^/]+)/(.+)", path)
        if not found or found.group(1) != self.token:
            self.report_violation(f"GET {path}: no file")
            return 404, None, False
        with self.lock:
            self.calls["file"] += 1
            kind, options = self.take_fault("file", None)
            content = next((content for name, content, _ in self.files.values() if name == found.group(2)), None)
        if kind == "status":
            return options["status"], None, False
        return 404, content, kind == "cut"

    def check_pace(self, method, chat):
        if time.monotonic() < self.not_before.get((method, chat), 0):
            self.violations.append(f"{method} in {chat} before retry_after is over")

    def fields_of(self, method, headers, body):
        kind = headers.get("Content-Type", "")
        if method in ("sendDocument", "sendPhoto", "sendMediaGroup"):
            given = self.parts_of(kind, body)
        else:
            if kind.split(";")[0].strip() != "application/json":
                self.report_violation(f"{method} is sent as {kind!r}")
            try:
                given = json.loads(body)
            except ValueError:
                self.report_violation(f"{method}: no JSON: {body[:200]!r}")
                raise Refusal(400, "Bad Request: can't parse JSON object") from None
        for name in given:
            is_attached = method == "sendMediaGroup" and isinstance(given[name], tuple)
            if name not in FIELDS[method] and not is_attached:
                self.report_violation(f"{method} has an unknown field {name!r}")
        for name, is_required in FIELDS[method].items():
            if is_required and given.get(name) in (None, ""):
                self.report_violation(f"{method} lacks {name}")
                raise Refusal(400, f"Bad Request: {name} is empty")
        return given

    @staticmethod
    def parts_of(kind, body):
        source = b"Content-Type: " + kind.encode() + b"\r\n\r\n" + body
        parts = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(source)
        given = {}
        for part in parts.iter_parts():
            name = part.get_param("name", header="content-disposition")
            content = part.get_payload(decode=True)
            given[name] = (part.get_filename(), content) if part.get_filename() else content.decode()
        for name in ("chat_id", "message_thread_id"):
            if name in given:
                given[name] = int(given[name])
        if "reply_parameters" in given:
            given["reply_parameters"] = json.loads(given["reply_parameters"])
        return given

    # Methods.

    def do_getMe(self, given):
        return {"id": self.id, "is_bot": True, "first_name": "Reels", "username": self.username}

    def do_deleteWebhook(self, given):
        self.has_webhook = False
        return True

    def do_getFile(self, given):
        if given["file_id"] not in self.files:
            raise Refusal(400, "Bad Request: wrong file_id or the file is temporarily unavailable")
        path, _, size = self.files[given["file_id"]]
        if size > DOWNLOAD_BYTES_MAX:
            raise Refusal(400, "Bad Request: file is too big")
        return {"file_id": given["file_id"], "file_unique_id": given["file_id"], "file_size": size,
                "file_path": path}

    def do_getUpdates(self, given, is_gone):
        with self.lock:
            if self.has_webhook:
                raise Refusal(409, "Conflict: can't use getUpdates method while webhook is active")
            if given.get("allowed_updates") != ["message", "edited_message", "callback_query"]:
                self.violations.append(f"allowed_updates: {given.get('allowed_updates')}")
            if not 0 <= given.get("timeout", 0) <= 50:
                self.violations.append(f"timeout {given['timeout']}")
            self.poll += 1
            mine = self.poll
            self.lock.notify_all()
            offset = given.get("offset", 0)
            self.confirmed = max(self.confirmed, offset)
            self.updates = [one for one in self.updates if one["update_id"] >= offset]
            give_up = time.monotonic() + given.get("timeout", 0)
            while not self.updates and time.monotonic() < give_up and not self.is_closed:
                self.lock.wait(0.2)
                if is_gone():
                    raise Cut
                if self.poll != mine:
                    self.conflicts += 1
                    raise Refusal(409, "Conflict: terminated by other getUpdates request")
            answer = self.updates[:given.get("limit", 100)]
            for update in answer:
                self.redelivered += update["update_id"] in self.delivered
                self.delivered.add(update["update_id"])
            return answer

    def do_sendMessage(self, given):
        self.check_chat(given["chat_id"])
        text, entities = self.text_of(given)
        made = self.new_message(given, text)
        made.entities, made.buttons = entities, self.buttons_of(given)
        return self.view(made)

    def do_editMessageText(self, given):
        self.check_chat(given["chat_id"])
        text, entities = self.text_of(given)
        buttons = self.buttons_of(given)
        for message in self.all_messages:
            if message.id != given["message_id"] or message.chat != given["chat_id"] or message.is_deleted:
                continue
            if message.text == text and message.buttons == buttons:
                raise Refusal(400, "Bad Request: message is not modified: specified new message content "
                                   "and reply markup are exactly the same")
            now = time.monotonic()
            if now - message.changed_at < EDIT_SECONDS_MIN and len(message.history) > 1:
                self.violations.append(f"message {message.id} is edited twice within a second")
            message.changed_at = now
            message.history.append(text)
            message.entities, message.buttons = entities, buttons
            return self.view(message)
        raise Refusal(400, "Bad Request: message to edit not found")

    def do_answerCallbackQuery(self, given):
        if markup.units(given.get("text", "")) > CALLBACK_TEXT_MAX:
            self.violations.append("answerCallbackQuery: text is too long")
        self.callback_answers[given["callback_query_id"]] = given.get("text", "")
        return True

    def do_sendChatAction(self, given):
        self.check_chat(given["chat_id"])
        if given["action"] != "typing":
            self.violations.append(f"action {given['action']!r}")
        return True

    def do_sendDocument(self, given):
        self.check_chat(given["chat_id"])
        made = self.new_message(given, "")
        made.document = given["document"]
        return self.view(made)

    def do_sendPhoto(self, given):
        return self.view(self.send_photo(given, given["photo"], given))

    def do_sendMediaGroup(self, given):
        media = json.loads(given["media"])
        if len(media) not in ALBUM_SIZES:
            self.violations.append(f"an album of {len(media)}")
            raise Refusal(400, "Bad Request: wrong number of media in the album")
        sent = []
        for entry in media:
            if set(entry) - {"type", "media", "caption", "parse_mode"} or entry["type"] != "photo":
                self.violations.append(f"medium {entry}")
            attached = entry["media"].removeprefix("attach://")
            if not isinstance(given.get(attached), tuple):
                self.violations.append(f"no file {attached!r}")
                raise Refusal(400, f"Bad Request: can't find {attached}")
            sent.append(self.view(self.send_photo(given, given[attached], entry)))
        return sent

    def send_photo(self, given, photo, described):
        self.check_chat(given["chat_id"])
        name, content = photo
        if not content.startswith(b"\xff\xd8") or not name:
            self.violations.append(f"{name!r} is no JPEG")
            raise Refusal(400, "Bad Request: IMAGE_PROCESS_FAILED")
        caption, _ = markup.parse(described.get("caption", ""))
        if markup.units(caption) > CAPTION_MAX:
            self.violations.append(f"a caption of {markup.units(caption)}")
            raise Refusal(400, "Bad Request: message caption is too long")
        made = self.new_message(given, caption)
        made.photo = photo
        return made

    def check_chat(self, chat):
        if not isinstance(chat, int):
            self.violations.append(f"chat_id {chat!r} is no number")
        if chat not in self.chats:
            raise Refusal(400, "Bad Request: chat not found")
        if chat in self.blocked:
            raise Refusal(403, "Forbidden: bot was blocked by the user")

    def text_of(self, given):
        if given.get("parse_mode") not in (None, "HTML"):
            self.violations.append(f"parse_mode {given['parse_mode']!r}")
        try:
            text, entities = markup.parse(given["text"]) if "parse_mode" in given else (given["text"], [])
        except markup.MarkupError as why:
            self.violations.append(f"{why} in {given['text'][:200]!r}")
            raise Refusal(400, f"Bad Request: {why}") from None
        if not text.strip():
            raise Refusal(400, "Bad Request: message text is empty")
        if markup.units(text) > markup.TEXT_MAX:
            self.violations.append(f"a text of {markup.units(text)}")
            raise Refusal(400, "Bad Request: message is too long")
        if len(entities) > markup.ENTITIES_MAX:
            self.violations.append(f"{len(entities)} entities: the rest is lost")
        return text.strip(), entities

    def buttons_of(self, given):
        rows = given.get("reply_markup", {}).get("inline_keyboard", [])
        buttons = []
        for button in (one for row in rows for one in row):
            if set(button) != {"text", "callback_data"}:
                self.violations.append(f"button {button}")
            if not 1 <= len(button["callback_data"].encode()) <= 64:
                self.violations.append(f"callback_data {button['callback_data']!r}")
            buttons.append((button["text"], button["callback_data"]))
        return buttons

    def new_message(self, given, text):
        reply_to = given.get("reply_parameters", {}).get("message_id")
        topic = given.get("message_thread_id")
        if topic is not None and topic not in self.topics.get(given["chat_id"], ()):
            raise Refusal(400, "Bad Request: message thread not found")
        if (given["chat_id"], topic) in self.closed_topics:
            raise Refusal(400, "Bad Request: TOPIC_CLOSED")
        message = Message(self.next_message, given["chat_id"], text, [], [], reply_to)
        message.topic = topic
        self.next_message += 1
        self.all_messages.append(message)
        return message

    def view(self, message):
        return {"message_id": message.id, "date": 1, "chat": self.chats[message.chat],
                "text": message.text}
