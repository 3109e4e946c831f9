#!/usr/bin/env python3
"""A stand-in of the platform on loopback: post pages, queries, embed pages, share links and signed
media files.

It refuses requests that the platform refuses: without a browser's navigation headers, a page is the error
page; a query needs its tokens, its document id and its variables, the app's API a session, a media URL its
signature. Each short code can behave like any post or fault; see BEHAVIOURS. A code that was not configured
does not exist.

    platform_stand_in.py --port 0 --media sample.mp4      prints its port

    POST /_control      {"reset": true, "posts": {"<code>": {"page": "age", "media": "cut", ...}},
                         "shares": {"<token>": "<code>"},
                         "sessions": {"<sessionid>": "valid"},
                         "page_budget": 3, "query_budget": 3, "embed_budget": 3,
                         "over_budget": "throttled", "chrome_tls": true}
    GET  /_control      {"counts": {"page": 2, "media": 1, ...}, "requests": [...]}

A budget is the number of requests of each client, by address and user agent; after it every answer is
`over_budget`: throttled, login_redirect, rate_limited or wait. `chrome_tls`: clients with a user agent of
Chrome are treated as if they had its TLS handshake. `sessions`: see platform_session.SESSIONS.

Keys of a post besides `page`, `root` and `logged_out` (the queries; by default what the page's state
implies), `embed` and `media`: `times` (number of times that a temporary fault happens, 1), `slides`
(["photo", "video", ...]), `caption`, `author`, `author_name`, `verified`, `likes`, `comments`,
`hidden`, `taken_at`, `music_info`, `location` (target of a redirect), `lifetime` (seconds of a
signature), `delay` (seconds, of `slow`), `file` (path of its own video), `page_media` (address of the
video that only the page contains), `gone_status` (of the app's API for a post that is gone, 400).
"""

import argparse
import http.server
import json
import os
import select
import sys
import threading
import time
import urllib.parse

sys.dont_write_bytecode = True  # Keeps the source tree clean.
import platform_pages as pages  # noqa: E402
import platform_queries as queries  # noqa: E402
import platform_session as session  # noqa: E402
from platform_media import BODY_FAULTS, MediaServing  # noqa: E402

BEHAVIOURS = {
    "page": "ok missing age geo private deleted photo_page photo_music throttled login_wall "
            "login_redirect home_redirect challenge redirect rate_limited wait server_error flaky "
            "refused not_found garbage broken_json no_url other_post slow stall endless cut "
            "trickle short_length json".split(),
    "media": "ok expired expire_once missing gone_once cut cut_always stall endless too_large "
             "lying_length html jpeg empty redirect redirect_loop rate_limited server_error flaky "
             "no_range forbidden trickle short_length".split(),
    "root": queries.QUERY_BEHAVIOURS,
    "logged_out": queries.QUERY_BEHAVIOURS,
    "embed": queries.EMBED_BEHAVIOURS,
}
OVER_BUDGET = {
    "throttled": {"page": "throttled", "query": "html", "embed": "shell"},
    "login_redirect": dict.fromkeys(("page", "query", "embed"), "login_redirect"),
    "rate_limited": {"page": "rate_limited", "query": "too_many", "embed": "rate_limited"},
    "wait": dict.fromkeys(("page", "query", "embed"), "wait"),
}
LOG_ENTRIES_MAX = 10000
NAVIGATION = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "none",
              "Sec-Fetch-User": "?1", "Upgrade-Insecure-Requests": "1"}


class State:
    """The configuration and the recorded requests; shared by all connections."""

    def __init__(self, media):
        self.media = media
        self.lock = threading.Lock()
        self.reset()

    def reset(self):
        self.posts, self.shares, self.sessions, self.faults = {}, {}, {}, {}
        self.requests, self.counts = [], {}
        self.budgets, self.over_budget = {}, "throttled"
        self.spent = {}
        self.chrome_tls = False

    def configure(self, settings):
        with self.lock:
            if settings.get("reset"):
                self.reset()
            for code, post in settings.get("posts", {}).items():
                for kind, known in BEHAVIOURS.items():
                    if post.get(kind, "ok") not in known:
                        raise ValueError("unknown %s behaviour: %s" % (kind, post[kind]))
                self.posts[code] = post
            self.shares.update(settings.get("shares", {}))
            self.sessions.update(settings.get("sessions", {}))
            if any(known not in session.SESSIONS for known in self.sessions.values()):
                raise ValueError("unknown kind of session")
            for kind in ("page", "query", "embed"):
                self.budgets[kind] = settings.get(kind + "_budget", self.budgets.get(kind))
            self.over_budget = settings.get("over_budget", self.over_budget)
            if self.over_budget not in OVER_BUDGET:
                raise ValueError("unknown answer: " + self.over_budget)
            self.chrome_tls = settings.get("chrome_tls", self.chrome_tls)

    def note(self, kind, request):
        """Logs a request."""
        with self.lock:
            self.counts[kind] = self.counts.get(kind, 0) + 1
            if len(self.requests) < LOG_ENTRIES_MAX:
                self.requests.append(dict(request, kind=kind, time=time.time()))

    def spend(self, kind, client):
        """The behaviour for a client that has exceeded its budget, or None."""
        with self.lock:
            key = (kind, client)
            self.spent[key] = self.spent.get(key, 0) + 1
            budget = self.budgets.get(kind)
            is_over = budget is not None and self.spent[key] > budget
            return OVER_BUDGET[self.over_budget][kind] if is_over else None

    def report(self):
        with self.lock:
            return {"counts": dict(self.counts), "requests": list(self.requests)}

    def fault_due(self, key, times):
        """Whether a temporary fault happens once more."""
        with self.lock:
            self.faults[key] = self.faults.get(key, 0) + 1
            return self.faults[key] <= times


class Handler(MediaServing, http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    state = None

    def log_message(self, format, *args):
        pass

    # Answers.

    def answer(self, status, body=b"", kind="text/html; charset=utf-8", **headers):
        if isinstance(body, str):
            body = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def answer_json(self, status, value):
        self.answer(status, json.dumps(value), "application/json")

    def redirect(self, location):
        self.answer(302, Location=location)

    def client(self):
        """Limits depend on the address and the user agent."""
        return self.client_address[0], self.headers.get("User-Agent", "")

    def hold(self):
        """Sends nothing more until the client closes the connection."""
        self.close_connection = True
        select.select([self.connection], [], [], 120)

    # Requests.

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path.rstrip("/") in queries.QUERIES:
            return self.serve_query(self.path.rstrip("/"), body)
        if self.path != "/_control":
            return self.answer(405)
        try:
            self.state.configure(json.loads(body))
        except (ValueError, AttributeError) as why:
            return self.answer_json(400, {"message": str(why)})
        return self.answer_json(200, {})

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        parts = [part for part in url.path.split("/") if part]
        if url.path == "/_control":
            return self.answer_json(200, self.state.report())
        request = {"method": self.command, "path": self.path, "headers": dict(self.headers.items()),
                   "client": self.client_address[0]}
        if len(parts) == 2 and parts[0] in ("reel", "p", "tv", "reels"):
            return self.serve_page(parts[0], parts[1], request)
        if len(parts) == 4 and parts[0] == "p" and parts[2:] == ["embed", "captioned"]:
            return self.serve_embed(parts[1], request)
        if len(parts) == 2 and parts[0] == "v":
            return self.serve_media(url, parts[1].rsplit(".", 1)[0], request)
        if parts[:2] == ["api", "v1"]:
            return self.serve_api(parts[2:], dict(urllib.parse.parse_qsl(url.query)), request)
        if parts and parts[0] == "share":
            return self.serve_share(parts[-1], request)
        self.state.note("other", request)
        return self.answer(404, pages.page(pages.ERROR_ROUTE, []))

    do_HEAD = do_GET

    def serve_share(self, token, request):
        self.state.note("share", request)
        if "Mozilla" in self.headers.get("User-Agent", "") and not self.is_navigation():
            return self.answer(200, "<html>a page that redirects by script</html>")
        code = self.state.shares.get(token)
        if code is None:
            return self.answer(404)
        return self.redirect("/reel/%s/?igsh=x" % code if not code.startswith("/") else code)

    def serve_query(self, path, body):
        kind = queries.QUERIES[path][0]
        form = queries.form_of(body)
        self.state.note(kind, {"method": "POST", "path": self.path, "form": form,
                               "headers": dict(self.headers.items())})
        try:
            queries.check_request(path, self.headers, form, self.state.chrome_tls)
            code = queries.asked_code(path, form, self.state.posts)
        except queries.Refused as refusal:
            return self.answer_either(*refusal.args)
        post = self.state.posts.get(code, {"page": "missing"})
        behaviour = self.state.spend("query", self.client()) or queries.behaviour_of(post, kind)
        if behaviour == "login_redirect":
            return self.redirect("/accounts/login/")
        if behaviour == "execution_error_once":
            failing = self.state.fault_due((kind, code), post.get("times", 1))
            behaviour = "execution_error" if failing else "ok"
        status, content = queries.query_answer(
            kind, behaviour, code, post, self.media_url(code, post))
        if behaviour in BODY_FAULTS:
            return self.serve_fault(behaviour, json.dumps(content).encode(), "application/json")
        return self.answer_either(status, content)

    def answer_either(self, status, body):
        if isinstance(body, str):
            return self.answer(status, body)
        return self.answer_json(status, body)

    def serve_embed(self, code, request):
        self.state.note("embed", request)
        post = self.state.posts.get(code, {"page": "missing"})
        behaviour = self.state.spend("embed", self.client()) or queries.behaviour_of(post, "embed")
        if not self.is_navigation(("document", "iframe")):
            behaviour = "shell"
        fixed = self.fixed_page(behaviour)
        if fixed:
            return fixed()
        html = queries.embed_page(behaviour, code, post, self.media_url(code, post))
        if behaviour in BODY_FAULTS:
            return self.serve_fault(behaviour, html.encode(), "text/html")
        return self.answer(200, html)

    def serve_api(self, parts, query, request):
        """The platform's addresses for programs."""
        if parts == ["oembed"]:
            self.state.note("oembed", request)
            return self.answer_either(
                *session.oembed_answer(self.headers, query, self.state.posts))
        if parts == ["web", "get_ruling_for_content"]:
            self.state.note("ruling", request)
            status, body = session.ruling_answer(query, self.state.posts)
            return self.answer(status, json.dumps(body), "application/json",
                               Set_Cookie="csrftoken=%s; Path=/; Secure" % ("t" * 32))
        if len(parts) == 3 and parts[0] == "media" and parts[2] == "info":
            self.state.note("media_info", request)
            return self.serve_media_info(parts[1])
        self.state.note("other", request)
        return self.answer(404, "Not Found")

    def serve_media_info(self, media_id):
        refusal = session.session_refusal(self.headers, self.state.sessions)
        if refusal and refusal[0] == 302:
            return self.redirect(refusal[1])
        if refusal:
            return self.answer_either(*refusal)
        status, body = session.media_info_answer(media_id, self.state.posts, self.media_url)
        return self.answer(status, json.dumps(body), "application/json",
                           x_ig_set_www_claim="hmac.claim")

    def is_navigation(self, destinations=("document",)):
        is_browser = "Chrome/" in self.headers.get("User-Agent", "")
        sends_all = all(self.headers.get(name) == value for name, value in NAVIGATION.items())
        sends_all = sends_all and self.headers.get("Sec-Fetch-Dest") in destinations
        return is_browser and sends_all and "text/html" in self.headers.get("Accept", "")

    def serve_page(self, form, code, request):
        self.state.note("page", request)
        post = self.state.posts.get(code, {"page": "missing"})
        behaviour = self.state.spend("page", self.client()) or post.get("page", "ok")
        if not self.is_navigation():
            behaviour = "missing"
        if behaviour == "slow":
            time.sleep(post.get("delay", 1))
        if behaviour == "redirect" and form == "reel":
            return self.redirect(post.get("location", "/some.one/p/%s/" % code))
        if behaviour == "flaky":
            failing = self.state.fault_due(("page", code), post.get("times", 1))
            behaviour = "server_error" if failing else "ok"
        fixed = self.fixed_page(behaviour)
        if fixed:
            return fixed()
        if behaviour in pages.PHOTO_PAGES:
            post = dict(post, slides=["photo"])
        if behaviour == "photo_music":
            post = dict(post, music_info=pages.MUSIC)
        if behaviour == "no_url":
            post = dict(post, slides=["video_without_files"])
        shown = "DYother0001" if behaviour == "other_post" else code
        media_url = post.get("page_media") or self.media_url(code, post)
        html = pages.post_page(shown, post, behaviour, media_url)
        if behaviour == "broken_json":
            html = html.replace('"xig_polaris_media":{', '"xig_polaris_media":{,')
        if behaviour in BODY_FAULTS:
            return self.serve_fault(behaviour, html.encode(), "text/html")
        return self.answer(200, html)

    def fixed_page(self, behaviour):
        """Answers that do not depend on the post."""
        wait = {"message": "Please wait a few minutes before you try again.", "require_login": True,
                "status": "fail"}
        return {
            "missing": lambda: self.answer(200, pages.page(pages.ERROR_ROUTE, [])),
            "throttled": lambda: self.answer(200, pages.page(pages.POST_ROUTE, [])),
            "login_wall": lambda: self.answer(200, pages.page(pages.LOGIN_ROUTE, [])),
            "garbage": lambda: self.answer(200, "<html><body>hello</body></html>"),
            "json": lambda: self.answer_json(200, {"status": "ok"}),
            "login_redirect": lambda: self.redirect("/accounts/login/?next=%2Freel%2F"),
            "home_redirect": lambda: self.redirect("/"),
            "challenge": lambda: self.redirect("/challenge/?next=x"),
            "rate_limited": lambda: self.answer(429, "slow down"),
            "wait": lambda: self.answer_json(401, wait),
            "server_error": lambda: self.answer(500, "sorry"),
            "refused": lambda: self.answer(403, "<html><title>Page Not Found</title></html>"),
            "not_found": lambda: self.answer(404, "<html>gone</html>"),
        }.get(behaviour)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        """Many behaviours make clients close the connection in the middle."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--media", help="the video of every post (default: 64 KiB that begin so)")
    parser.add_argument("--exit-with-stdin", action="store_true", help="exit when its input ends")
    options = parser.parse_args()

    media = b"\x00\x00\x00\x18ftypmp42" + bytes(range(256)) * 256
    if options.media:
        with open(options.media, "rb") as file:
            media = file.read()
    Handler.state = State(media)
    server = Server(("127.0.0.1", options.port), Handler)
    print(server.server_address[1], flush=True)
    if options.exit_with_stdin:
        threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    server.serve_forever()


if __name__ == "__main__":
    main()
