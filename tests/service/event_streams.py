"""Reads server-sent events as a client does."""

import contextlib
import http.client
import json
import socket
import threading

from service_support import wait_until


class ReelEvents:
    """The events of one reel, read by a separate thread."""

    def __init__(self, someone, job_id, last_event_id=None, headers=None):
        self.connection = someone.daemon.connection()
        headers = {"Authorization": f"Bearer {someone.token}", **(headers or {})}
        if last_event_id is not None:
            headers["Last-Event-ID"] = last_event_id
        self.connection.request("GET", f"/api/v1/reels/{job_id}/events", headers=headers)
        self.socket = self.connection.sock
        self.answer = self.connection.getresponse()
        self.events = []  # (name, id, data)
        self.comments = []
        self.retry = None
        self.ended = threading.Event()
        self.was_cut = False
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        try:
            self._take_events()
        except (OSError, http.client.HTTPException, AttributeError, ValueError):
            self.was_cut = True  # AttributeError and ValueError: the test has closed the connection.
        self.ended.set()

    def _lines(self):
        """Reads lines of the body. The iteration of http.client hides whether the end has been received."""
        if self.answer.status != 200:
            self.answer.read()
            return
        rest = b""
        while True:
            size = int(self.answer.fp.readline() or b"cut", 16)
            piece = self.answer.fp.read(size)
            if len(piece) != size or self.answer.fp.readline() != b"\r\n":
                self.was_cut = True
                return
            if size == 0:
                return
            *lines, rest = (rest + piece).split(b"\n")
            yield from lines

    def _take_events(self):
        name, last_id, data = "message", None, []
        for raw in self._lines():
            field, _, value = raw.decode().partition(":")
            value = value.removeprefix(" ")
            if raw == b"":
                if data:
                    self.events.append((name, last_id, json.loads("\n".join(data))))
                name, data = "message", []
            elif field == "":
                self.comments.append(value)
            elif field == "event":
                name = value
            elif field == "data":
                data.append(value)
            elif field == "id":
                last_id = value
            elif field == "retry":
                self.retry = int(value)

    def names(self):
        return [name for name, _, _ in list(self.events)]

    def wait_for(self, name, **fields):
        """The first event of that name with these fields."""
        def seen():
            return next((event for event in list(self.events)
                         if event[0] == name and fields.items() <= event[2].items()), None)
        return wait_until(seen, f"{name} {fields} among {self.names()}", 60)

    def wait_for_end(self):
        wait_until(self.ended.is_set, f"the end of the stream after {self.names()}", 60)
        return self

    def close(self):
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.reader.join(30)
        self.connection.close()
        self.socket.close()
