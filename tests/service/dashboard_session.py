"""A user of the dashboard: signs in and sends the requests of its pages, over plain HTTP."""

import contextlib
import http.client
import json
import socket
import threading

from service_support import wait_until

PASSWORD = "correct horse battery"


def set_up_link_secret(daemon):
    """The secret of the setup link that the first start logs for the first administrator."""
    def logged():
        links = [line["link"] for line in daemon.log_lines() if line.get("message") == "setup link created"]
        return links[-1] if links else None
    return wait_until(logged, "the setup link").split("#")[1]


class Person:
    """One browser: stores its cookie and the token that changes need."""

    def __init__(self, daemon):
        self.daemon = daemon
        self.cookie = None
        self.csrf_token = None

    def request(self, method, path, body=None, headers=None, csrf=True):
        sent = dict(headers or {})
        if self.cookie:
            sent.setdefault("Cookie", self.cookie)
        if self.csrf_token and csrf and method != "GET":
            sent.setdefault("X-CSRF-Token", self.csrf_token)
        if body is not None:
            sent.setdefault("Content-Type", "application/json")
        answer = self.daemon.request(method, path, body, sent)
        cookie = answer.headers.get("set-cookie")
        if cookie:
            self.cookie = cookie.split(";")[0]
        return answer

    def api(self, method, path, body=None, **more):
        return self.request(method, "/dashboard/api/" + path, body, **more)

    def _begin(self, answer):
        assert answer.status == 200, answer
        self.csrf_token = answer.json()["csrf_token"]
        return self

    def join(self, secret, email=None, password=PASSWORD):
        body = {"token": secret, "password": password}
        if email:
            body["email"] = email
        return self._begin(self.request("POST", "/dashboard/invitation/accept", body))

    def sign_in(self, email, password=PASSWORD, headers=None):
        body = {"email": email, "password": password}
        return self._begin(self.request("POST", "/dashboard/sign-in", body, headers))

    def invite(self, email, **more):
        """Creates an account, accepts its invitation, and returns its user."""
        answer = self.api("POST", "admin/accounts", {"email": email, **more})
        assert answer.status == 201, answer
        return Person(self.daemon).join(answer.json()["link"].split("#")[1])

    def submit(self, url):
        answer = self.api("POST", "reels/analyze", {"url": url})
        assert answer.status == 202, answer
        return answer.json()["id"]

    def finished(self, job):
        def ended():
            answer = self.api("GET", f"reels/{job}?wait=10")
            return answer.json() if answer.json()["status"] in ("done", "error") else None
        return wait_until(ended, f"the end of job {job}")


class EventStream:
    """The page's event stream, read by a separate thread."""

    def __init__(self, person, last_event_id=None):
        self.connection = person.daemon.connection()
        headers = {"Cookie": person.cookie}
        if last_event_id:
            headers["Last-Event-ID"] = last_event_id
        self.connection.request("GET", "/dashboard/api/events", headers=headers)
        self.socket = self.connection.sock
        self.answer = self.connection.getresponse()
        self.events = []
        self.last_event_id = None
        self.ended = threading.Event()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        kind, data = "message", []
        try:
            for raw in self.answer:
                name, _, value = raw.decode().rstrip("\n").partition(": ")
                if name == "event":
                    kind = value
                elif name == "data":
                    data.append(value)
                elif name == "id":
                    self.last_event_id = value
                elif name == "":
                    if data:
                        self.events.append((kind, json.loads("\n".join(data))))
                    kind, data = "message", []
        except (OSError, http.client.HTTPException):
            pass  # The connection was cut, so the stream has ended.
        self.ended.set()

    def of(self, kind, job):
        return [data for name, data in list(self.events) if name == kind and data.get("id") == job]

    def wait_for(self, kind, job, **fields):
        def seen():
            return [data for data in self.of(kind, job)
                    if all(data.get(name) == value for name, value in fields.items())]
        return wait_until(seen, f"{kind} of {job} with {fields}")[0]

    def close(self):
        """Closes the connection as a browser does, so that the daemon detects it."""
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.reader.join()
        self.answer.close()
        self.connection.close()
