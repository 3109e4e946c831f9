"""Signed media files as on the platform's servers, and bodies that do not end properly, for any
answer."""

import hashlib
import hmac
import re
import select
import time
import urllib.parse

SECRET = b"stand-in"
# Faults of the body of any answer.
BODY_FAULTS = ("stall", "endless", "cut", "trickle", "short_length")


def signature(path, expiry):
    return hmac.new(SECRET, ("%s %s" % (path, expiry)).encode(), hashlib.sha256).hexdigest()[:16]


class MediaServing:
    """The part of the stand-in's request handler that serves files; `state` and the answers belong to the handler."""

    def media_url(self, code, post):
        expiry = "%X" % int(time.time() + post.get("lifetime", 3600))
        path = "/v/%s.mp4" % code
        if post.get("media") == "expired" or (
                post.get("media") == "expire_once" and self.state.fault_due(("oe", code), 1)):
            expiry = "%X" % int(time.time() - 3600)
        origin = "http://%s:%d" % self.server.server_address[:2]
        return "%s%s?efg=e30%%3D&oh=%s&oe=%s" % (origin, path, signature(path, expiry), expiry)

    def serve_media(self, url, code, request):
        self.state.note("media", request)
        query = dict(urllib.parse.parse_qsl(url.query))
        expiry = query.get("oe", "")
        if not re.fullmatch("[0-9A-Fa-f]{1,8}", expiry):
            return self.answer(403, "Bad URL date param", "text/plain")
        if not hmac.compare_digest(query.get("oh", ""), signature(url.path, expiry)):
            return self.answer(403, "Invalid URL Signature", "text/plain")
        if int(expiry, 16) < time.time():
            return self.answer(403, "URL signature expired", "text/plain")
        post = self.state.posts.get(code, {})
        behaviour = post.get("media", "ok")
        passing = {"cut": "cut_always", "gone_once": "missing", "flaky": "server_error"}
        if behaviour in passing:
            failing = self.state.fault_due(("media", code), post.get("times", 1))
            behaviour = passing[behaviour] if failing else "ok"
        origin = "http://%s:%d" % self.server.server_address[:2]
        fixed = {
            "missing": lambda: self.answer(404, "gone", "text/plain"),
            "forbidden": lambda: self.answer(403, "no", "text/plain"),
            "rate_limited": lambda: self.answer(429),
            "server_error": lambda: self.answer(503),
            "html": lambda: self.answer(200, "<!DOCTYPE html><html></html>"),
            "jpeg": lambda: self.answer(200, b"\xff\xd8\xff\xe0\x00\x10JFIF" * 20, "image/jpeg"),
            "empty": lambda: self.answer(200, b"", "video/mp4"),
            "endless": lambda: self.serve_endless("video/mp4"),
            "too_large": lambda: self.serve_part(200, self.state.media[:4096], 1 << 40, hold=True),
            "redirect_loop": lambda: self.redirect(self.path),
            "trickle": lambda: self.serve_fault("trickle", self.state.media, "video/mp4"),
            "short_length": lambda: self.serve_fault(
                "short_length", self.state.media, "video/mp4"),
        }.get(behaviour)
        if behaviour == "redirect" and "hop" not in query:
            return self.redirect(post.get("location", origin + self.path + "&hop=1"))
        return fixed() if fixed else self.serve_file(behaviour, self.media_of(post))

    def media_of(self, post):
        """The bytes of a post's own file, or of the shared one."""
        if "file" not in post:
            return self.state.media
        with open(post["file"], "rb") as file:
            return file.read()

    def serve_file(self, behaviour, media):
        tag = '"%s"' % hashlib.md5(media).hexdigest()
        headers = {"ETag": tag, "Accept-Ranges": "bytes"}
        byte_range = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if behaviour == "no_range" or self.headers.get("If-Range", tag) != tag:
            byte_range = None
        start = int(byte_range[1]) if byte_range else 0
        end = min(int(byte_range[2]) + 1, len(media)) if byte_range and byte_range[2] else len(media)
        if byte_range and start >= end:
            return self.answer(416, Content_Range="bytes */%d" % len(media))
        rest = media[start:end]
        if byte_range:
            headers["Content-Range"] = "bytes %d-%d/%d" % (start, end - 1, len(media))
        status = 206 if byte_range else 200
        if behaviour in ("cut_always", "no_range", "stall"):
            first_time = self.state.fault_due(("part", self.path), 1)
            if behaviour != "no_range" or first_time:
                half = rest[:max(1, len(rest) // 2)]
                return self.serve_part(status, half, len(rest), behaviour == "stall", **headers)
        if behaviour == "lying_length":
            return self.serve_part(status, rest, len(rest) + 1000, **headers)
        return self.answer(status, rest, "video/mp4", **headers)

    def serve_fault(self, behaviour, body, kind):
        """A body that does not end properly: stalled, cut, endless, one byte per second, or longer than announced."""
        if behaviour == "stall":
            return self.hold()
        if behaviour == "endless":
            return self.serve_endless(kind)
        if behaviour == "short_length":
            return self.serve_part(200, body, len(body) // 2, kind=kind)
        part = body[:1] if behaviour == "trickle" else body[:len(body) // 2]
        self.serve_part(200, part, len(body), kind=kind)
        for byte in body[1:] if behaviour == "trickle" else b"":
            if select.select([self.connection], [], [], 1)[0]:
                return None  # The client has closed the connection.
            self.wfile.write(bytes([byte]))
        return None

    def serve_part(self, status, body, announced, hold=False, kind="video/mp4", **headers):
        """Announces more than it sends; then closes the connection, or keeps it open."""
        self.close_connection = True
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(announced))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        if hold:
            self.hold()

    def serve_endless(self, kind):
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        piece = self.state.media[:65536].ljust(65536, b"\0")
        try:
            while True:
                self.wfile.write(b"10000\r\n" + piece + b"\r\n")
        except OSError:
            pass  # The client has given up, as this behaviour intends.
