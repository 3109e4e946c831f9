"""The HTTP server of the stand-ins of model APIs: it reads bodies piece by piece, records each request, and
damages the transport of an answer as a fault defines."""

import dataclasses
import hashlib
import http.server
import json
import os
import select
import socket
import struct
import sys
import threading
import time
import urllib.parse

from model_media import JsonBody

PIECE = 1 << 18
BODY_IDLE_SECONDS_MAX = 10
HOLD_SECONDS_MAX = 120
REDIRECTED = "/_redirected"

TRANSPORT = (
    "reset_before_body",   # the body is not read
    "reset_after_body",    # read, possibly processed, no answer
    "reset_mid_answer",    # half of the answer
    "hold",                # silent for `seconds`, or until release() or until the client closes the connection; then normal
    "trickle",             # one byte each `every` seconds (1)
    "slow_upload",         # the body is read at `bytes_per_second` (65536)
    "lying_length",        # announces more than it sends
    "short_length",        # announces less than it sends
    "redirect",            # `status` (307) to `location`, by default where each visit is a violation
    "endless",             # an endless answer
)


@dataclasses.dataclass(eq=False)
class Fault:
    name: str
    options: dict
    words: str = None  # Applies to a request that contains these words; without them, to the next one.


@dataclasses.dataclass
class Answer:
    status: int
    body: bytes = b""
    headers: dict = dataclasses.field(default_factory=dict)
    kind: str = "application/json; charset=UTF-8"
    events: list = None  # For a stream: each is sent as a separate chunk.


class Record:
    """One request. `json` has a Blob instead of each long string; `body` only if bodies are kept; `usage` is the
    billed usage, `delivered` whether the whole answer was sent. `hung_up` is set if the client closes the
    connection while the answer is held back."""

    def __init__(self, number, kind, handler, url):
        self.number, self.kind, self.method = number, kind, handler.command
        self.path, self.query = url.path, dict(urllib.parse.parse_qsl(url.query))
        self.headers = handler.headers
        self.time = time.monotonic()
        self.size, self.sha256, self.json, self.body, self.data = 0, None, None, None, None
        self.fault, self.status, self.usage = None, None, None
        self.whole = self.delivered = False
        self.hung_up = threading.Event()

    def __repr__(self):
        return "<%s %s %s, fault %s: %s>" % (
            self.method, self.path, self.kind, self.fault and self.fault.name, self.status)


class Reset(Exception):
    """The connection is cut instead of an answer."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, format, *args):
        pass

    def send_error(self, code, message=None, explain=None):
        # In particular: bytes after the announced end of a body, read as the next request.
        self.server.stand_in.report_violation("no HTTP request: %s %s" % (code, message))
        super().send_error(code, message, explain)

    def serve(self):
        stand_in, url = self.server.stand_in, urllib.parse.urlsplit(self.path)
        kind = stand_in.kind_of(self.command, url, self.headers)
        record = stand_in.note(kind, self, url)
        record.fault = fault = stand_in.take_fault(kind)
        stand_in.check_head(record, self.path)
        try:
            if fault and fault.name == "reset_before_body":
                raise Reset()
            self.read_body(record, fault)
            if not record.whole:
                self.close_connection = True
                return
            record.fault = fault = fault or stand_in.take_fault(kind, str(record.json))
            name = fault.name if fault else None
            answer = stand_in.answer_to(record)
            record.status = answer.status
            if name == "hold":
                self.hold(record, fault.options.get("seconds"))
            self.send(answer, record, fault)
        except Reset:
            self.reset()
        finally:
            stand_in.ended(record)

    do_GET = do_POST = do_DELETE = do_PUT = do_PATCH = do_HEAD = serve

    # The body.

    def read_body(self, record, fault):
        if "Transfer-Encoding" in self.headers:
            self.server.stand_in.report_violation("%s comes in chunks, not with a length" % record.kind)
            return
        text = self.headers.get("Content-Length", "0" if self.command in ("GET", "DELETE") else "")
        if not text.isdigit():
            self.server.stand_in.report_violation("%s without a Content-Length" % record.kind)
            text = "0"
        stand_in, left = self.server.stand_in, int(text)
        is_json = "json" in self.headers.get("Content-Type", "")
        body, digest = JsonBody() if is_json else None, hashlib.sha256()
        kept = bytearray() if stand_in.keep_bodies else None
        pace = fault.options.get("bytes_per_second", 65536) if (
            fault and fault.name == "slow_upload") else None
        self.connection.settimeout(BODY_IDLE_SECONDS_MAX)
        while left > 0:
            piece = self.piece(min(left, pace or PIECE), record, left)
            if not piece:
                return
            left -= len(piece)
            record.size += len(piece)
            digest.update(piece)
            if kept is not None:
                kept += piece
            if body:
                body.feed(piece)
            else:
                stand_in.take_bytes(record, piece)
            if pace:
                time.sleep(len(piece) / pace)
        self.connection.settimeout(None)
        record.sha256, record.whole = digest.hexdigest(), True
        record.body = bytes(kept) if kept is not None else None
        if body and record.size:
            self.take_json(record, body)
        stand_in.arrived()

    def piece(self, size, record, left):
        """The next bytes; empty if the client has closed the connection."""
        try:
            return self.rfile.read1(size)
        except TimeoutError:
            self.server.stand_in.report_violation(
                "%s announced %d bytes more than it sent" % (record.kind, left))
        except OSError:
            pass
        return b""

    def take_json(self, record, body):
        try:
            record.json = body.value()
        except ValueError as why:
            self.server.stand_in.report_violation("%s is not JSON: %s" % (record.kind, why))
        if body.duplicates:
            self.server.stand_in.report_violation("keys twice: %s" % body.duplicates)

    # The answer.

    def send(self, answer, record, fault):
        name, options = (fault.name, fault.options) if fault else (None, {})
        if name == "reset_after_body":
            raise Reset()
        if name == "redirect":
            location = options.get("location", self.server.stand_in.url + REDIRECTED)
            answer = Answer(options.get("status", 307), headers={"Location": location})
        announced = len(answer.body)
        if name == "lying_length":
            announced += 1000
        elif name == "short_length":
            announced //= 2
        # Set before the last byte is sent, because the client may act on it before this thread continues.
        record.delivered = name not in (
            "lying_length", "short_length", "redirect", "endless", "reset_mid_answer", "trickle")
        self.send_head(answer, announced, name == "endless")
        if name == "endless":
            return self.send_endless()
        if answer.events is not None:
            for event in answer.events:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(event), event))
            self.wfile.write(b"0\r\n\r\n")
        elif name == "reset_mid_answer":
            self.wfile.write(answer.body[:len(answer.body) // 2])
            raise Reset()
        elif name == "trickle":
            self.send_slowly(answer.body, options.get("every", 1))
        else:
            self.wfile.write(answer.body)
        if name in ("lying_length", "short_length"):
            self.close_connection = True
        return None

    def send_head(self, answer, announced, is_endless):
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.kind)
        for name, value in answer.headers.items():
            self.send_header(name, str(value))
        if answer.events is not None or is_endless:
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", str(announced))
        self.end_headers()

    def send_slowly(self, body, every):
        for byte in body:
            if select.select([self.connection], [], [], every)[0]:
                raise Reset()  # The client has closed the connection.
            self.wfile.write(bytes([byte]))

    def send_endless(self):
        self.close_connection = True
        try:
            while True:
                self.wfile.write(b"10000\r\n" + b" " * 65536 + b"\r\n")
        except OSError:
            pass  # The client has given up, which this fault is to provoke.

    def hold(self, record, seconds):
        """Sends nothing; ends when the client closes the connection, on release, or when the time is over."""
        give_up = time.monotonic() + (HOLD_SECONDS_MAX if seconds is None else seconds)
        while time.monotonic() < give_up and not self.server.stand_in.released.is_set():
            if select.select([self.connection], [], [], 0.02)[0]:
                record.hung_up.set()
                raise Reset()

    def reset(self):
        """Closes the connection so that the other side gets a reset, not an orderly end."""
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        os.close(self.connection.detach())


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        """Many faults make clients close the connection in the middle."""
        error = sys.exc_info()[1]
        if not isinstance(error, (OSError, ValueError)) or isinstance(error, UnicodeError):
            self.stand_in.report_violation("the stand-in failed: %r" % error)
            super().handle_error(request, client_address)


def json_answer(status, value, **headers):
    body = json.dumps(value, ensure_ascii=False).encode()
    return Answer(status, body, {name.replace("_", "-"): text for name, text in headers.items()})


def html_answer(status, text="<html><body><h1>Bad gateway</h1></body></html>"):
    return Answer(status, text.encode(), kind="text/html; charset=UTF-8")
