"""A stand-in for an S3-compatible store, which verifies signatures independently and strictly.

Path style, one bucket. Source: AWS's documents on Signature Version 4, not the daemon's signer. Objects are in memory.
"""

import hashlib
import hmac
import http.server
import threading
import time
import urllib.parse

ACCESS_KEY = "AKIDSTANDIN"
SECRET_KEY = "stand-in/secret+KEY"
REGION = "test-region-1"
SKEW_SECONDS_MAX = 900
UNRESERVED = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


class Refused(Exception):
    """A request that the store refuses with a status and a code."""

    def __init__(self, status, code):
        super().__init__(code)
        self.status = status
        self.code = code


def encoded(text):
    return "".join(c if c in UNRESERVED else f"%{byte:02X}" for c in text for byte in
                   (c.encode() if c not in UNRESERVED else b" "))


def canonical_path(path):
    """The path as it must be sent: each segment decoded and encoded again."""
    return "/".join(encoded(urllib.parse.unquote(segment)) for segment in path.split("/"))


def sign(secret, date, region, text):
    key = ("AWS4" + secret).encode()
    for part in (date[:8], region, "s3", "aws4_request"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def verify(method, path, query, headers, body):
    """Raises Refused unless the request is signed as S3 requires."""
    authorization = headers.get("Authorization", "")
    algorithm, _, fields = authorization.partition(" ")
    if algorithm != "AWS4-HMAC-SHA256":
        raise Refused(403, "AccessDenied")
    parts = dict(field.strip().split("=", 1) for field in fields.split(","))
    key, day, region, service, end = parts["Credential"].split("/")
    if key != ACCESS_KEY:
        raise Refused(403, "InvalidAccessKeyId")
    if (region, service, end) != (REGION, "s3", "aws4_request"):
        raise Refused(400, "AuthorizationHeaderMalformed")
    date = headers.get("x-amz-date", "")
    sent = time.mktime(time.strptime(date, "%Y%m%dT%H%M%SZ")) - time.timezone
    if abs(sent - time.time()) > SKEW_SECONDS_MAX or not date.startswith(day):
        raise Refused(403, "RequestTimeTooSkewed")
    signed = parts["SignedHeaders"].split(";")
    if signed != sorted(signed) or not {"host", "x-amz-content-sha256", "x-amz-date"} <= set(signed):
        raise Refused(403, "AccessDenied")
    for name in headers:
        if name.lower().startswith("x-amz-") and name.lower() not in signed:
            raise Refused(403, "AccessDenied")
    digest = headers["x-amz-content-sha256"]
    if digest != hashlib.sha256(body).hexdigest():
        raise Refused(400, "XAmzContentSHA256Mismatch")
    if path != canonical_path(path):
        raise Refused(403, "SignatureDoesNotMatch")
    # A field that was signed but not sent; MinIO takes 100-continue for a missing Expect, which differs as well.
    if any(name not in headers for name in signed):
        raise Refused(403, "SignatureDoesNotMatch")
    lines = "".join(f"{name}:{' '.join(headers[name].split())}\n" for name in signed)
    canonical = "\n".join((method, path, query, lines, ";".join(signed), digest))
    scope = "/".join((day, region, service, end))
    text = "\n".join(("AWS4-HMAC-SHA256", date, scope, hashlib.sha256(canonical.encode()).hexdigest()))
    if not hmac.compare_digest(parts["Signature"], sign(SECRET_KEY, date, region, text)):
        raise Refused(403, "SignatureDoesNotMatch")


class S3StandIn:
    """`objects`: {key: (bytes, content type)}. `faults`: {method: status} answers all requests of a method so.

    `protected`: keys whose objects are not deleted.
    """

    def __init__(self, bucket="media"):
        self.bucket = bucket
        self.objects = {}
        self.faults = {}
        self.protected = set()
        self.requests = []  # (method, key, status)
        self.refusals = []  # Codes of refused signatures.
        self.put_gate = threading.Event()  # PUT requests wait for it before they are answered.
        self.put_gate.set()
        self.put_arrived = threading.Event()
        store = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_PUT(self):
                store._answer(self)

            do_GET = do_DELETE = do_HEAD = do_POST = do_PUT

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def settings(self, prefix="reels/kept"):
        """The settings of a daemon that uses this store."""
        return {"media_store": f"s3://{self.bucket}/{prefix}", "s3_endpoint": self.url, "s3_region": REGION,
                "s3_access_key": ACCESS_KEY, "s3_secret_key": SECRET_KEY}

    def stop(self):
        self.put_gate.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def _answer(self, handler):
        length = int(handler.headers.get("Content-Length") or 0)
        body = handler.rfile.read(length)
        path, _, query = handler.path.partition("?")
        key = urllib.parse.unquote(path).removeprefix(f"/{self.bucket}/")
        if handler.command == "PUT":
            self.put_arrived.set()
            self.put_gate.wait(120)
        try:
            if length != len(body):
                return  # The client has left: nothing is stored.
            if handler.command in self.faults:
                raise Refused(self.faults[handler.command], "SlowDown")
            try:
                verify(handler.command, path, query, handler.headers, body)
            except Refused as refused:
                self.refusals.append(refused.code)
                raise
            if not path.startswith(f"/{self.bucket}/"):
                raise Refused(404, "NoSuchBucket")
            status, headers, content = self._execute(handler, key, body)
        except Refused as refused:
            status, headers = refused.status, {"Content-Type": "application/xml"}
            content = (f'<?xml version="1.0"?><Error><Code>{refused.code}</Code>'
                       f"<Message>no</Message></Error>").encode()
        self.requests.append((handler.command, key, status))
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        if status != 204:
            handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        if handler.command != "HEAD":
            handler.wfile.write(content)

    def _execute(self, handler, key, body):
        if handler.command == "PUT":
            self.objects[key] = (body, handler.headers["Content-Type"])
            return 200, {"ETag": f'"{hashlib.md5(body).hexdigest()}"'}, b""
        if handler.command == "DELETE":
            if key in self.protected:
                raise Refused(403, "AccessDenied")
            self.objects.pop(key, None)
            return 204, {}, b""
        if handler.command not in ("GET", "HEAD"):
            raise Refused(501, "NotImplemented")
        if key not in self.objects:
            raise Refused(404, "NoSuchKey")
        content, content_type = self.objects[key]
        requested = handler.headers.get("Range")
        if requested is None:
            return 200, {"Content-Type": content_type}, content
        first, _, last = requested.removeprefix("bytes=").partition("-")
        first, last = int(first), min(int(last), len(content) - 1)
        if first >= len(content):
            raise Refused(416, "InvalidRange")
        return 206, {"Content-Type": content_type, "Content-Range": f"bytes {first}-{last}/{len(content)}"}, \
            content[first:last + 1]
