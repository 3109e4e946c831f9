"""Tests requests that only attackers or defective programs send, over raw sockets.

The tests check where the daemon sees the end of a request: if two programs disagree about it, one request can be
smuggled inside another (RFC 9112, section 11.2). Each case states which answers are sent, and whether the
connection stays open. After a valid request the next one must be answered; after an invalid one nothing more may
be read.
"""

import re
import socket
import unittest

from service_support import Daemon, ServiceTest

HEADER_BYTES_MAX = 16 * 1024
BODY_BYTES_MAX = 64 * 1024
PATIENCE_SECONDS = 20

NEXT = b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
LAST = b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"


def get(path=b"/healthz", fields=b"", version=b"HTTP/1.1", host=b"Host: a\r\n", method=b"GET"):
    return b"%s %s %s\r\n%s%s\r\n" % (method, path, version, host, fields)


def post(fields, body=b"", version=b"HTTP/1.1"):
    """A request with a body, to a path that accepts none without a token: answered with 401 once it is complete."""
    return b"POST /api/v1/reels/analyze %s\r\nHost: a\r\n%s\r\n%s" % (version, fields, body)


def chunked(body, coding=b"Transfer-Encoding: chunked\r\n"):
    return post(coding, body)


class Link:
    """One connection, and its answers."""

    def __init__(self, address):
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), timeout=PATIENCE_SECONDS)
        self.received = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        try:
            self.socket.sendall(data)
        except OSError:
            pass  # The server may refuse before it has read everything; the answer shows that.

    def _receive(self):
        try:
            piece = self.socket.recv(65536)
        except ConnectionResetError:
            piece = b""
        self.received += piece
        return bool(piece)

    def read(self):
        """(status, header in lower case, body) of the next answer; None after the last one."""
        while b"\r\n\r\n" not in self.received:
            if not self._receive():
                assert self.received == b"", self.received
                return None
        head, self.received = self.received.split(b"\r\n\r\n", 1)
        status = int(re.match(rb"HTTP/1\.1 (\d{3}) ", head).group(1))
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        size = int(fields.get(b"content-length", 0))
        while len(self.received) < size:
            assert self._receive(), "an answer was cut"
        body, self.received = self.received[:size], self.received[size:]
        return status, fields, body

    def read_all(self):
        """Statuses until the daemon closes the connection; fails if it does not."""
        statuses = []
        while answer := self.read():
            statuses.append(answer[0])
        return statuses


def setUpModule():
    """One daemon for all tests: none changes it."""
    RawHttp.served = Daemon(workers=0).start()
    unittest.addModuleCleanup(RawHttp.served.close)


class RawHttp(ServiceTest):
    served = None

    def link(self):
        return Link(self.served.address)

    def assertRefused(self, cases, status):
        """Each request is answered once, and nothing after it is."""
        for name, data in cases.items():
            with self.subTest(name), self.link() as link:
                link.send(data + NEXT + LAST)
                self.assertEqual(link.read_all(), [status], data[:200])

    def assertUnderstood(self, cases, status):
        """Each request is answered, and the bytes after it are the next request."""
        for name, data in cases.items():
            with self.subTest(name), self.link() as link:
                link.send(data + LAST)
                self.assertEqual(link.read_all(), [status, 200], data[:200])


class WhereTheBodyEnds(RawHttp):
    def test_ambiguous_content_lengths(self):
        self.assertRefused({
            "two equal lengths": post(b"Content-Length: 2\r\nContent-Length: 2\r\n", b"{}"),
            "two lengths": post(b"Content-Length: 2\r\nContent-Length: 0\r\n", b"{}"),
            "a list of equal lengths": post(b"Content-Length: 2, 2\r\n", b"{}"),
            "a sign": post(b"Content-Length: +2\r\n", b"{}"),
            "a negative length": post(b"Content-Length: -1\r\n"),
            "a hexadecimal length": post(b"Content-Length: 0x2\r\n", b"{}"),
            "a blank within": post(b"Content-Length: 1 0\r\n", b"{}"),
            "a comma at the end": post(b"Content-Length: 2,\r\n", b"{}"),
            "a parameter": post(b"Content-Length: 2;a\r\n", b"{}"),
            "no length": post(b"Content-Length:\r\n"),
            "digits beyond ASCII": post("Content-Length: \u0662\r\n".encode(), b"{}"),
            "a vertical tab": post(b"Content-Length: \x0b2\r\n", b"{}"),
            "a length after chunks": post(b"Transfer-Encoding: chunked\r\nContent-Length: 2\r\n", b"0\r\n\r\n"),
            "chunks after a length": post(b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", b"0\r\n\r\n"),
        }, 400)

    def test_valid_content_lengths(self):
        self.assertUnderstood({
            "no body": post(b""),
            "no bytes": post(b"Content-Length: 0\r\n"),
            "a zero before": post(b"Content-Length: 02\r\n", b"{}"),
            "whitespace about": post(b"Content-Length: \t 2 \t\r\n", b"{}"),
            "odd case": post(b"cONTENT-lENGTH: 2\r\n", b"{}"),
            "a body that looks like a request": post(b"Content-Length: %d\r\n" % len(NEXT), NEXT),
            "an underscore, which is another name": post(b"Content_Length: 9\r\n"),
        }, 401)
        self.assertUnderstood({"a body of a GET": get(fields=b"Content-Length: 5\r\n") + b"GET /"}, 200)

    def test_invalid_transfer_codings(self):
        codings = {
            "nothing": b"", "identity": b" identity", "a list": b" identity, chunked", "twice": b" chunked, chunked",
            "compression": b" gzip, chunked", "the wrong way round": b" chunked, identity", "a comma": b" chunked,",
            "a comma before": b" , chunked", "a parameter": b" chunked;q=1", "quotes": b' "chunked"',
            "a letter more": b" xchunked", "a vertical tab": b" \x0bchunked", "a form feed": b" chunked\x0c",
            "NUL": b" chunked\x00", "a byte beyond ASCII": b" chunked\xa0", "other bytes": b" \xffchunked",
        }
        refused = {name: chunked(b"0\r\n\r\n", b"Transfer-Encoding:%s\r\n" % value)
                   for name, value in codings.items()}
        field = b"Transfer-Encoding: chunked\r\n"
        refused |= {
            "two fields": chunked(b"0\r\n\r\n", field + field),
            "two fields, one sound": chunked(b"0\r\n\r\n", b"Transfer-Encoding: identity\r\n" + field),
            "a blank before the colon": chunked(b"0\r\n\r\n", b"Transfer-Encoding : chunked\r\n"),
            "a folded line": chunked(b"0\r\n\r\n", b"Transfer-Encoding:\r\n chunked\r\n"),
            "folded behind another field": chunked(b"0\r\n\r\n", b"X: x\r\n Transfer-Encoding: chunked\r\n"),
            "a bare line feed before": chunked(b"0\r\n\r\n", b"X: x\nTransfer-Encoding: chunked\r\n"),
            "HTTP/1.0": post(field, b"0\r\n\r\n", b"HTTP/1.0"),
        }
        self.assertRefused(refused, 400)

    def test_valid_chunks(self):
        empty = b"0\r\n\r\n"
        self.assertUnderstood({
            "one": chunked(b"2\r\n{}\r\n" + empty),
            "odd case": chunked(b"2\r\n{}\r\n" + empty, b"tRANSFER-eNCODING: CHUNKED\r\n"),
            "whitespace about": chunked(empty, b"Transfer-Encoding: \t chunked \t\r\n"),
            "zeros before": chunked(b"0002\r\n{}\r\n000\r\n\r\n"),
            "capitals": chunked(b"A\r\n0123456789\r\n" + empty),
            "an extension": chunked(b"2;a=b;c\r\n{}\r\n0;d=\"e\"\r\n\r\n"),
            "trailers": chunked(b"2\r\n{}\r\n0\r\nX: y\r\n\r\n"),
            "a folded trailer, thrown away like all": chunked(b"0\r\nX: y\r\n z\r\n\r\n"),
            "a body that looks like a request": chunked(b"%x\r\n%s\r\n0\r\n\r\n" % (len(NEXT), NEXT)),
        }, 401)

    def test_invalid_chunks(self):
        self.assertRefused({
            "no size": chunked(b"\r\n\r\n"),
            "no number": chunked(b"g\r\n\r\n"),
            "a sign": chunked(b"+2\r\n{}\r\n0\r\n\r\n"),
            "a negative size": chunked(b"-2\r\n{}\r\n0\r\n\r\n"),
            "a prefix": chunked(b"0x2\r\n{}\r\n0\r\n\r\n"),
            "an underscore": chunked(b"0_2\r\n{}\r\n0\r\n\r\n"),
            "a blank before": chunked(b" 2\r\n{}\r\n0\r\n\r\n"),
            "more data than declared": chunked(b"1\r\n{}\r\n0\r\n\r\n"),
            "less data than declared": chunked(b"3\r\n{}\r\n0\r\n\r\n"),
            "no line end behind the data": chunked(b"2\r\n{}0\r\n\r\n"),
            "a bare line feed behind the size": chunked(b"2\n{}\r\n0\r\n\r\n"),
            "a bare return behind the size": chunked(b"2\r{}\r\n0\r\n\r\n"),
            "a bare line feed behind the data": chunked(b"2\r\n{}\n0\r\n\r\n"),
            "a bare line feed in an extension": chunked(b"2;\n{}\r\n0\r\n\r\n"),
            "a bare return in an extension": chunked(b"2;a\rb\r\n{}\r\n0\r\n\r\n"),
            "NUL in an extension": chunked(b"2;\x00\r\n{}\r\n0\r\n\r\n"),
            "bare line feeds behind the last chunk": chunked(b"0\n\n"),
            "a bare line feed in a trailer": chunked(b"0\r\nX: y\nZ: z\r\n\r\n"),
            "a trailer that would frame": chunked(b"0\r\nContent-Length: 99\r\n\r\n"),
            "a trailer without a colon": chunked(b"0\r\nXY\r\n\r\n"),
            "a blank before a trailer's colon": chunked(b"0\r\nX : y\r\n\r\n"),
        }, 400)

    def test_bodies_at_and_over_the_limit(self):
        full = b"x" * BODY_BYTES_MAX
        self.assertUnderstood({
            "length": post(b"Content-Length: %d\r\n" % len(full), full),
            "chunk": chunked(b"%x\r\n%s\r\n0\r\n\r\n" % (len(full), full)),
        }, 401)
        self.assertRefused({
            "length": post(b"Content-Length: %d\r\n" % (len(full) + 1), full + b"x"),
            "a length of twenty digits": post(b"Content-Length: 18446744073709551618\r\n", b"{}"),
            "chunk": chunked(b"%x\r\n%sx\r\n0\r\n\r\n" % (len(full) + 1, full)),
            "two chunks": chunked(b"%x\r\n%s\r\n1\r\nx\r\n0\r\n\r\n" % (len(full), full)),
            "a chunk of 64 bits": chunked(b"FFFFFFFFFFFFFFFE\r\n{}\r\n0\r\n\r\n"),
            "a long extension": chunked(b"2;" + b"x" * BODY_BYTES_MAX + b"\r\n{}\r\n0\r\n\r\n"),
            "long trailers": chunked(b"0\r\n" + b"X: y\r\n" * 11_000 + b"\r\n"),
            "a long trailer": chunked(b"0\r\nX: " + b"y" * BODY_BYTES_MAX + b"\r\n\r\n"),
        }, 413)
        self.assertRefused({
            "a chunk that would wrap around": chunked(b"10000000000000002\r\n{}\r\n0\r\n\r\n"),
            "many digits": chunked(b"F" * 40 + b"\r\n{}\r\n0\r\n\r\n"),
        }, 400)


class TheHeader(RawHttp):
    def test_header_lines(self):
        line = b"GET /healthz HTTP/1.1\r\n"
        self.assertRefused({
            "bare line feeds": b"GET /healthz HTTP/1.1\nHost: a\n\n",
            "a bare line feed behind a field": line + b"Host: a\nX: y\r\n\r\n",
            "a bare return within a field": line + b"Host: a\r\nX: y\rz\r\n\r\n",
            "two returns": line + b"Host: a\r\r\n\r\n",
            "NUL in a value": line + b"Host: a\r\nX: y\x00z\r\n\r\n",
            "NUL in a name": line + b"Host: a\r\nX\x00: y\r\n\r\n",
            "a folded line": line + b"Host: a\r\nX: y\r\n z\r\n\r\n",
            "a line folded with a tab": line + b"Host: a\r\nX: y\r\n\tz\r\n\r\n",
            "a blank before the first field": line + b" Host: a\r\n\r\n",
            "a blank before the colon": line + b"Host: a\r\nX : y\r\n\r\n",
            "a tab before the colon": line + b"Host: a\r\nX\t: y\r\n\r\n",
            "no colon": line + b"Host: a\r\nXY\r\n\r\n",
            "no name": line + b"Host: a\r\n: y\r\n\r\n",
            "a blank within a name": line + b"Host: a\r\nX Y: z\r\n\r\n",
            "a delimiter in a name": line + b"Host: a\r\nX(Y: z\r\n\r\n",
            "a byte beyond ASCII in a name": line + b"Host: a\r\nX\xff: z\r\n\r\n",
            "DEL in a value": line + b"Host: a\r\nX: \x7f\r\n\r\n",
            "an escape in a value": line + b"Host: a\r\nX: \x1b[2J\r\n\r\n",
        }, 400)
        self.assertUnderstood({
            "bytes that are no UTF-8 in a value": get(fields=b"X: \xff\xfe\x80\r\n"),
            "an empty value": get(fields=b"X:\r\n"),
            "no blank behind the colon": get(fields=b"X:y\r\n"),
            "a name of odd characters": get(fields=b"!#$%&'*+-.^_`|~9: y\r\n"),
            "empty lines before the request": b"\r\n\r\n" + get(),
        }, 200)

    def test_host_fields(self):
        self.assertRefused({
            "none": get(host=b""),
            "two": get(host=b"Host: a\r\nHost: b\r\n"),
            "two equal": get(host=b"Host: a\r\nhost: a\r\n"),
            "a list": get(host=b"Host: a, b\r\n"),
            "a path": get(host=b"Host: a/b\r\n"),
            "a person": get(host=b"Host: b@a\r\n"),
            "a blank": get(host=b"Host: a b\r\n"),
        }, 400)
        self.assertUnderstood({
            "a port": get(host=b"Host: a:8080\r\n"),
            "an IPv6 address": get(host=b"Host: [::1]:8080\r\n"),
            "none in HTTP/1.0": get(host=b"Connection: keep-alive\r\n", version=b"HTTP/1.0"),
        }, 200)

    def test_versions(self):
        self.assertRefused({
            "0.9": b"GET /healthz\r\n\r\n",
            "no number": get(version=b"HTTP/x.y"),
            "no point": get(version=b"HTTP/11"),
            "two digits": get(version=b"HTTP/1.10"),
            "small letters": get(version=b"http/1.1"),
            "another protocol": get(version=b"RTSP/1.0"),
            "a blank behind": get(version=b"HTTP/1.1 "),
            "a tab before": b"GET /healthz\tHTTP/1.1\r\nHost: a\r\n\r\n",
            "two spaces before": b"GET /healthz  HTTP/1.1\r\nHost: a\r\n\r\n",
            "the blank before the method": b" GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n",
        }, 400)
        self.assertRefused({
            "2.0": get(version=b"HTTP/2.0"),
            "the first words of HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "9.9": get(version=b"HTTP/9.9"),
        }, 505)

    def test_methods(self):
        self.assertRefused({
            "none": b" /healthz HTTP/1.1\r\nHost: a\r\n\r\n",
            "a byte beyond ASCII": get(method=b"G\xc9T"),
            "a delimiter": get(method=b"G(T"),
            "a colon": get(method=b"GET:"),
            "a tunnel": get(method=b"CONNECT"),
            "a tunnel to elsewhere": get(b"a:443", method=b"CONNECT"),
        }, 400)
        self.assertUnderstood({
            "small letters": get(method=b"get"),
            "an unknown one": get(method=b"BREW"),
            "odd characters": get(method=b"M-SEARCH!"),
            "an echo": get(method=b"TRACE"),
        }, 405)

    def test_method_override_fields_are_ignored(self):
        self.assertUnderstood({
            "another method": get(fields=b"X-HTTP-Method-Override: DELETE\r\n"),
            "another path": get(fields=b"X-Original-URL: /metrics\r\nX-Rewrite-URL: /metrics\r\n"),
        }, 200)

    def test_header_sizes(self):
        """A header of exactly 16 KiB is accepted, one with one byte more is not."""
        room = HEADER_BYTES_MAX - len(get(fields=b"X: \r\n"))
        whole = get(fields=b"X: %s\r\n" % (b"x" * room))
        self.assertEqual(len(whole), HEADER_BYTES_MAX)
        self.assertUnderstood({"a header of 16 KiB": whole}, 200)
        self.assertUnderstood({"a path of 16,000 bytes": get(b"/" + b"x" * 16_000)}, 404)
        self.assertRefused({
            "a byte more": get(fields=b"X: %s\r\n" % (b"x" * (room + 1))),
            "a path of 16 KiB": get(b"/" + b"x" * HEADER_BYTES_MAX),
            "a method of 16 KiB": get(method=b"X" * HEADER_BYTES_MAX),
            "no end": b"GET /healthz HTTP/1.1\r\nX: " + b"x" * HEADER_BYTES_MAX,
            "empty lines without end": b"\r\n" * HEADER_BYTES_MAX,
            "fields without end": get(fields=b"X: y\r\n" * 101),
        }, 431)

    def test_expectations(self):
        with self.link() as link:
            link.send(post(b"Content-Length: 2\r\nExpect: 100-Continue\r\n"))
            self.assertEqual(link.read()[0], 100)
            link.send(b"{}" + LAST)
            self.assertEqual(link.read_all(), [401, 200])
        self.assertUnderstood({
            "a body that did not wait": post(b"Content-Length: 2\r\nExpect: 100-continue\r\n", b"{}"),
            "of another thing": post(b"Content-Length: 2\r\nExpect: 200-ok\r\n", b"{}"),
            "of no body": post(b"Expect: 100-continue\r\n"),
        }, 401)
        self.assertRefused({
            "of a body that is too large": post(b"Content-Length: 65537\r\nExpect: 100-continue\r\n"),
        }, 413)
        with self.link() as link:
            link.send(post(b"Connection: keep-alive\r\nContent-Length: 2\r\nExpect: 100-continue\r\n",
                           version=b"HTTP/1.0"))
            link.send(b"{}" + LAST)
            self.assertEqual(link.read_all(), [401, 200], "HTTP/1.0 knows no 100")

    def test_nothing_is_upgraded(self):
        self.assertUnderstood({
            "HTTP/2": get(fields=b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                                 b"HTTP2-Settings: AAMAAABkAAQAAP__\r\n"),
            "WebSocket": get(fields=b"Connection: Upgrade\r\nUpgrade: websocket\r\n"
                                    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"),
        }, 200)

    def test_an_error_ends_a_pipeline(self):
        with self.link() as link:
            link.send(NEXT + b"GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n" + NEXT
                      + b"GET /healthz HTTP/1.1\r\nHost : a\r\n\r\n" + NEXT + LAST)
            self.assertEqual(link.read_all(), [200, 404, 200, 400])
        with self.link() as link:
            link.send(NEXT + LAST + NEXT)
            self.assertEqual(link.read_all(), [200, 200], "nothing follows a request with Connection: close")

    def test_the_format_of_a_refusal(self):
        with self.link() as link:
            link.send(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")
            status, fields, body = link.read()
            self.assertIsNone(link.read())
        self.assertEqual((status, fields[b"content-type"], fields[b"connection"]),
                         (400, b"application/json", b"close"))
        self.assertRegex(body, rb'^\{"message":"[^"]+","status":"error"\}$')
        self.assertRegex(fields[b"x-request-id"], rb"^[0-9a-f]{16}$")


class TheTarget(RawHttp):
    def test_target_forms(self):
        self.assertUnderstood({
            "absolute": get(b"http://a/healthz"),
            "absolute, another scheme": get(b"HTTPS://a/healthz"),
            "absolute, of another host": get(b"http://b/healthz"),
            "with an empty query": get(b"/healthz?"),
        }, 200)
        self.assertRefused({
            "authority": get(b"a:80"),
            "relative": get(b"healthz"),
            "an asterisk": get(b"*"),
            "a fragment": get(b"/healthz#top"),
            "another scheme": get(b"ftp://a/healthz"),
            "no host": get(b"http:///healthz"),
            "a blank": get(b"/health z"),
            "a control character": get(b"/health\x01z"),
            "DEL": get(b"/healthz\x7f"),
        }, 400)

    def test_paths_are_not_normalized(self):
        self.assertUnderstood({name: get(path) for name, path in {
            "an escape that was not needed": b"/%68ealthz", "capitals": b"/%68ealth%7A",
            "a dot": b"/./healthz", "two dots": b"/docs/../healthz", "an escaped dot": b"/%2e/healthz",
            "two escaped dots": b"/docs/%2e%2e/healthz", "twice escaped": b"/docs/%252e%252e/healthz",
            "above the root": b"/../../etc/passwd", "an escaped slash": b"/docs%2findex.html",
            "an escaped slash before": b"/%2fhealthz", "two slashes": b"//healthz", "a slash behind": b"/healthz/",
            "NUL": b"/healthz%00", "NUL and more": b"/healthz%00.html", "a backslash": b"/docs\\index.html",
            "an escaped backslash": b"/docs%5cindex.html", "a parameter": b"/healthz;a=b",
            "long UTF-8": b"/docs/%c0%ae%c0%ae/healthz", "no UTF-8": b"/\xff\xfe", "escaped, no UTF-8": b"/%ff%fe",
            "a line end": b"/healthz%0d%0aX:%20y",
        }.items()}, 404)
        for name, path in {"a sign alone": b"/%", "a digit": b"/healthz%2", "no digits": b"/%zz",
                           "an old form": b"/%u0068ealthz"}.items():
            with self.subTest(name):
                self.assertUnderstood({name: get(path)}, 400)

    def test_authentication_and_routing_use_the_same_path(self):
        self.assertUnderstood({name: get(path) for name, path in {
            "plain": b"/api/v1/reels", "absolute": b"http://a/api/v1/reels",
            "nothing there": b"/api/v1/no-such-thing", "an escaped slash": b"/api/v1/reels%2f1",
            "the dashboard's": b"/dashboard/api/reels",
        }.items()}, 401)
        self.assertUnderstood({name: get(path) for name, path in {
            "escaped": b"/%61pi/%76%31/reels", "the dashboard's, escaped": b"/dashboard/%61pi/reels",
            "two slashes": b"//api/v1/reels", "an escaped slash": b"/api%2fv1/reels",
            "dots": b"/docs/../api/v1/reels", "capitals": b"/API/v1/reels",
        }.items()}, 404)

    def test_ids_contain_only_digits(self):
        someone = self.served.account()
        bearer = b"Authorization: Bearer %s\r\n" % someone.token.encode()
        for path in (b"1%00", b"%2e%2e", b"1%2f..", b"+1", b"-1", b"0x1", b"1.0", b"%31%20", b"9223372036854775808",
                     "\u0661".encode(), b"1;a"):
            with self.subTest(path):
                self.assertUnderstood({path: get(b"/api/v1/reels/" + path, bearer)}, 404)

    def test_queries(self):
        self.assertUnderstood({name: get(b"/healthz?" + query) for name, query in {
            "NUL": b"a=%00", "no digits": b"a=%zz", "no UTF-8": b"a=%ff", "a surrogate": b"a=%ed%a0%80",
            "too long a form": b"a=%c0%af",
        }.items()}, 400)
        self.assertUnderstood({name: get(b"/healthz?" + query) for name, query in {
            "no name": b"=a", "signs alone": b"&&==&", "a line end": b"a=%0d%0a", "a question": b"a?b",
        }.items()}, 200)


if __name__ == "__main__":
    unittest.main(verbosity=2)
