"""A receiver of webhooks with configurable behaviour, which checks signatures independently.

Its checks follow the Standard Webhooks specification, not the daemon's sender.
"""

import base64
import hashlib
import hmac
import http.server
import json
import socket
import ssl
import threading
import time

TOLERANCE_SECONDS = 300


def verify(secret, headers, body, now=None):
    """Fails unless one of the signatures was made with `secret`, at a time near `now`."""
    message_id, timestamp = headers["webhook-id"], headers["webhook-timestamp"]
    assert timestamp.isascii() and timestamp.isdigit(), timestamp
    now = time.time() if now is None else now
    assert abs(now - int(timestamp)) <= TOLERANCE_SECONDS, (timestamp, now)
    assert secret.startswith("whsec_"), "not a secret"
    key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    assert len(key) == 32, len(key)
    signed = message_id.encode() + b"." + timestamp.encode() + b"." + body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    given = headers["webhook-signature"].split(" ")
    for signature in given:
        version, _, _ = signature.partition(",")
        assert version == "v1", signature
    assert any(hmac.compare_digest(signature.partition(",")[2], expected) for signature in given), "not signed so"
    return len(given)


class Received:
    """One request as received."""

    def __init__(self, path, headers, body):
        self.path = path
        self.headers = headers
        self.body = body
        self.at = time.monotonic()

    @property
    def id(self):
        return self.headers["webhook-id"]

    def json(self):
        return json.loads(self.body)

    def verify(self, secret):
        return verify(secret, self.headers, self.body)


class WebhookReceiver:
    """Answers by path: `behave("/x", 503, 200)` answers the first request of /x with 503 and all later ones with 200.

    A behaviour is a status; (status, {header: value}), or with bytes as the body; "hang": no answer until the end; "hang in the body": a head
    without the rest; "close": the connection is closed without an answer; "close in the middle": the same within the
    body; "endless": 200 and an endless body. A path without a behaviour answers 200. With a certificate it uses TLS.
    """

    def __init__(self, certificate=None, key=None):
        self.received = []
        self.plans = {}
        self.changed = threading.Condition()
        self.ending = threading.Event()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                receiver._answer(self)

            do_GET = do_PUT = do_HEAD = do_POST

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        scheme, host = "http", "127.0.0.1"
        if certificate:
            scheme = "https"
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.origin = f"{scheme}://{host}:{self.server.server_address[1]}"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def url(self, path="/hook"):
        return self.origin + path

    def behave(self, path, *behaviours):
        with self.changed:
            self.plans[path] = list(behaviours)

    def of(self, path):
        with self.changed:
            return [one for one in self.received if one.path == path]

    def wait_for(self, path, count, seconds=60):
        """The requests to `path`, once there are at least `count`."""
        give_up = time.monotonic() + seconds
        with self.changed:
            while True:
                found = [one for one in self.received if one.path == path]
                if len(found) >= count:
                    return found
                left = give_up - time.monotonic()
                assert left > 0, f"{len(found)} of {count} requests came to {path} in {seconds} s"
                self.changed.wait(left)

    def close(self):
        self.ending.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def _answer(self, request):
        body = request.rfile.read(int(request.headers.get("Content-Length", 0)))
        headers = dict(request.headers.items()) | {"method": request.command}
        lower = {name.lower(): value for name, value in headers.items()}
        with self.changed:
            plan = self.plans.get(request.path, [200])
            behaviour = plan.pop(0) if len(plan) > 1 else plan[0]
            self.received.append(Received(request.path, lower, body))
            self.changed.notify_all()
        request.close_connection = True
        try:
            self._act(request, behaviour)
        except OSError:
            pass  # The sender has closed the connection, which is allowed.

    def _act(self, request, behaviour):
        if behaviour == "hang":
            self.ending.wait()
        elif behaviour == "hang in the body":
            request.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")
            self.ending.wait()
        elif behaviour == "close":
            request.connection.shutdown(socket.SHUT_RDWR)
        elif behaviour == "close in the middle":
            request.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
        elif behaviour == "endless":
            request.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
            while not self.ending.is_set():
                request.wfile.write(b"x" * 65536)
        else:
            status, fields, *body = behaviour if isinstance(behaviour, tuple) else (behaviour, {})
            body = b"".join(body)
            request.send_response(status)
            for name, value in fields.items():
                request.send_header(name, value)
            request.send_header("Content-Length", str(len(body)))
            request.end_headers()
            request.wfile.write(body)
