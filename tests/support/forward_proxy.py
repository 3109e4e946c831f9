"""A forward proxy on loopback for the daemon's outgoing requests: HTTP CONNECT or SOCKS5, healthy or failing in one way.

    proxy = ForwardProxy()                    proxy.url, proxy.address ("127.0.0.1:PORT")
    proxy.fail("403")                         see FAILURES; None: healthy again
    proxy.targets                             "HOST:PORT" of each request for a tunnel, in order
    proxy.close()

FAILURES of HTTP: a status ("407", "403", "502"), "close" (after the request), "silent" (no answer), "garbage".
Of SOCKS: "login" (rejects every user), "refused" (reply 5: the target refuses), "garbage".
"""

import contextlib
import selectors
import socket
import socketserver
import ssl
import threading

FAILURES = {"http": ("407", "403", "502", "close", "silent", "garbage"), "socks5h": ("login", "refused", "garbage")}
PIECE_BYTES_MAX = 65536
REASONS = {"407": "Proxy Authentication Required", "403": "Forbidden", "502": "Bad Gateway"}


def relay(left, right):
    """Passes bytes on in both directions until one end closes."""
    with selectors.DefaultSelector() as watched:
        watched.register(left, selectors.EVENT_READ, right)
        watched.register(right, selectors.EVENT_READ, left)
        while True:
            for key, _ in watched.select():
                piece = key.fileobj.recv(PIECE_BYTES_MAX)
                if not piece:
                    return
                key.data.sendall(piece)


def receive(link, count):
    received = b""
    while len(received) < count:
        piece = link.recv(count - len(received))
        if not piece:
            raise ConnectionError("the client closed")
        received += piece
    return received


class ForwardProxy:
    def __init__(self, scheme="http", user=None, certificate=None):
        self.scheme, self.user, self.failure, self.targets = scheme, user, None, []
        self.closing = threading.Event()
        self.context = None
        if certificate:
            self.scheme = "https"
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(certificate.file, certificate.key)
        proxy = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                with contextlib.suppress(OSError):
                    proxy.serve(self.request)

        socketserver.ThreadingTCPServer.allow_reuse_address = True
        self.server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        self.address = f"127.0.0.1:{self.port}"
        self.url = f"{self.scheme}://{user + '@' if user else ''}{self.address}"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def fail(self, failure):
        assert failure is None or failure in FAILURES["socks5h" if self.scheme == "socks5h" else "http"], failure
        self.failure = failure

    def close(self):
        self.closing.set()
        self.server.shutdown()
        self.server.server_close()

    def serve(self, link):
        if self.context:
            with self.context.wrap_socket(link, server_side=True) as secured:
                return self.tunnel(secured)
        return self.tunnel(link)

    def tunnel(self, link):
        target = self.socks_target(link) if self.scheme == "socks5h" else self.connect_target(link)
        if target is None:
            return
        with socket.create_connection(target, timeout=30) as remote:
            relay(link, remote)

    def connect_target(self, link):
        head = b""
        while b"\r\n\r\n" not in head:
            piece = link.recv(PIECE_BYTES_MAX)
            if not piece:
                return None
            head += piece
        method, target, _ = head.split(b"\r\n", 1)[0].decode().split(" ")
        assert method == "CONNECT", head
        self.targets.append(target)
        if self.failure == "silent":
            self.closing.wait()
        elif self.failure == "garbage":
            link.sendall(b"\x05\x00\x00 what is this?\r\n\r\n")
        elif self.failure in REASONS:
            link.sendall(f"HTTP/1.1 {self.failure} {REASONS[self.failure]}\r\nContent-Length: 0\r\n\r\n".encode())
        if self.failure:
            return None
        link.sendall(b"HTTP/1.1 200 Connection established\r\nX-Of-The-Proxy: yes\r\n\r\n")
        host, port = target.rsplit(":", 1)
        return host, int(port)

    def socks_target(self, link):
        _, count = receive(link, 2)
        methods = receive(link, count)
        if self.failure == "garbage":
            link.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            return None
        wants_login = self.user or self.failure == "login"
        link.sendall(b"\x05\x02" if wants_login and 2 in methods else b"\x05\xff" if wants_login else b"\x05\x00")
        if wants_login:
            if 2 not in methods:
                return None
            _, length = receive(link, 2)
            user = receive(link, length)
            password = receive(link, receive(link, 1)[0])
            is_right = self.failure != "login" and f"{user.decode()}:{password.decode()}" == self.user
            link.sendall(b"\x01\x00" if is_right else b"\x01\x01")
            if not is_right:
                return None
        _, _, _, kind = receive(link, 4)
        host = (socket.inet_ntoa(receive(link, 4)) if kind == 1
                else receive(link, receive(link, 1)[0]).decode())
        port = int.from_bytes(receive(link, 2), "big")
        self.targets.append(f"{host}:{port}")
        link.sendall(bytes([5, 5 if self.failure == "refused" else 0, 0, 1, 0, 0, 0, 0, 0, 0]))
        return None if self.failure else (host, port)
