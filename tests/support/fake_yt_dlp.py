#!/usr/bin/env python3
"""A stand-in of yt-dlp: its answers for posts are configurable, and it fails if it is started with arguments that
yt-dlp would not accept.

    fake_yt_dlp.py CONFIG ARGUMENT...

CONFIG is a file with JSON: {"posts": {"<code>": "<behaviour>" or ["<behaviour>", ...]},
"origin": "http://...", "version": "2026.08.19", "secret": "<folder>"}. With several behaviours each run uses the
next one, and repeats the last one. A code that is not configured fails for lack of a connection. `origin` is that
of the platform's stand-in, which serves the media. Each run appends its code, or its arguments, to CONFIG.log.

Hostile behaviours try what the sandbox forbids: "reads_secret" and "writes_secret" use a file in the folder
`secret`, "asks_loopback" connects to this machine. They return the post if they succeed. "outlives" answers
nothing and leaves a process in its own session.

install() creates such a file, and in the same folder a program that takes yt-dlp's own arguments. fence() creates a
media program whose sandbox lets it read its own source and write its log.
"""

import json
import os
import signal
import socket
import sys
import time

import platform_media

ARGUMENTS = ["--ignore-config", "--no-cache-dir", "--no-progress", "--no-playlist", "--socket-timeout",
             "15", "--retries", "1", "--extractor-retries", "0", "-J", "--"]
LINK = "https://www.instagram.com/reel/%s/"
WARNINGS = ["No CSRF token set by Instagram API", "Instagram API is not granting access",
            "General metadata extraction failed", "Main webpage is locked behind the login page"]
LOGIN_HINT = ". Use --cookies-from-browser or --cookies for the authentication"
ERRORS = {
    "login_page": "The webpage request was redirected to the login page. You have exceeded the "
                  "rate-limit for accessing posts anonymously" + LOGIN_HINT,
    "rate_limit": "Requested content is not available, rate-limit reached or login required",
    "too_many": "Unable to download webpage: HTTP Error 429: Too Many Requests (caused by <HTTPError 429>)",
    "followers": "This content is only available for registered users who follow this account" + LOGIN_HINT,
    "audience": "This content may be inappropriate: It's unavailable for certain audiences.",
    "restricted": "Restricted Video: You must be 18 years old or over to see this video" + LOGIN_HINT,
    "empty": "Instagram sent an empty media response. Check if this post is accessible in your browser "
             "without being logged-in",
    "photo": "There is no video in this post",
    "no_formats": "No video formats found!; please report this issue",
    "session": "Video info extraction failed: HTTP Error 404: Not Found",
    "outdated": "Unable to extract LSD token; please report this issue",
    "server_error": "Unable to download webpage: HTTP Error 503: Service Unavailable",
    "timeout": "Unable to download webpage: The read operation timed out",
    "no_connection": "Unable to download webpage: [Errno 111] Connection refused",
    "new_words": "Something that nobody has read before",
}


def refuse(why):
    """Fails like a program that does not accept its arguments."""
    print("Usage: yt-dlp [OPTIONS] URL [URL...]\n\nyt-dlp: error: %s" % why, file=sys.stderr)
    sys.exit(2)


def code_in(arguments):
    """The requested code, if the arguments and the environment of the run are correct."""
    if arguments[:-1] != ARGUMENTS:
        refuse("wrong arguments: %s" % arguments)
    code = arguments[-1].removeprefix("https://www.instagram.com/reel/").removesuffix("/")
    if arguments[-1] != LINK % code or "/" in code:
        refuse("wrong link: %s" % arguments[-1])
    strange = set(os.environ) - {"PATH", "LANG", "HOME", "TMPDIR", "SSL_CERT_FILE", "PWD", "SHLVL", "_", "LC_CTYPE"}
    if strange or os.environ.get("LANG") != "C.UTF-8" or not os.environ.get("PATH"):
        refuse("wrong environment: %s" % sorted(os.environ))
    if os.path.isdir(os.environ["HOME"]):
        refuse("a home that could be written: %s" % os.environ["HOME"])
    if sys.stdin.read():
        refuse("an input")
    return code


def signed_url(origin, code):
    path = "/v/%s.mp4" % code
    expiry = "%X" % int(time.time() + 3600)
    return "%s%s?efg=e30%%3D&oh=%s&oe=%s" % (origin, path, platform_media.signature(path, expiry), expiry)


def video(origin, code, slide=None):
    whole_file = {
        "url": signed_url(origin, code), "format_id": "101", "ext": "mp4", "width": 720, "height": 1280,
        "tbr": None, "vcodec": None, "acodec": None, "protocol": "https", "container": None,
        "filesize_approx": None, "http_headers": {"Referer": "https://www.instagram.com/"}}
    pictures = dict(whole_file, url="https://example.test/tracks.mp4", format_id="dash-1v", width=1080,
                    height=1920, vcodec="vp09.00.40.08", acodec="none", container="mp4_dash")
    return {
        "id": code if slide is None else "DYslide%04d" % slide,
        "title": "Video by some.one", "description": "Hello #tag @friend", "channel": "some.one",
        "uploader": "Some One", "uploader_id": "12345", "timestamp": 1790000000, "upload_date": "20260921",
        "duration": 12.3, "like_count": 10, "comment_count": 2, "view_count": None,
        "thumbnail": None, "thumbnails": [], "webpage_url": LINK % code,
        "formats": [pictures, whole_file], "format_id": "dash-1v+dash-1a"}


def carousel(origin, code, slides):
    """A post with several media. None is a photo, about which yt-dlp reports a violation before it continues."""
    entries = [slide and video(origin, code, number) for number, slide in enumerate(slides, 1)]
    return dict(video(origin, code), _type="playlist", title="Post by some.one", entries=entries,
                formats=None, playlist_count=len(slides))


def documents(origin, code):
    return {
        "ok": video(origin, code),
        "warnings": video(origin, code),
        "other_post": video(origin, "DYother0001"),
        "carousel": carousel(origin, code, [None, "video", "video"]),
        "photos": carousel(origin, code, [None, None]),
        "tracks": dict(video(origin, code), formats=video(origin, code)["formats"][:1]),
    }


def report_violation(code, words, kind="ERROR"):
    print("%s: [Instagram] %s: %s" % (kind, code, words), file=sys.stderr)


def break_out(config, behaviour):
    """The first attempts of a compromised program. Raises PermissionError where it is stopped."""
    secret = os.path.join(config["secret"], "reelsd.conf")
    if behaviour == "reads_secret":
        with open(secret, encoding="utf-8") as file:
            file.read()
    if behaviour == "writes_secret":
        with open(os.path.join(config["secret"], "new"), "w", encoding="utf-8") as file:
            file.write("from outside")
    if behaviour == "asks_loopback":
        socket.create_connection(("127.0.0.1", 80)).close()


def answer(config, code, behaviour):
    """Prints the output of yt-dlp; returns the exit status."""
    origin = config.get("origin", "https://scontent.cdninstagram.com")
    if behaviour in ("reads_secret", "writes_secret", "asks_loopback"):
        try:
            break_out(config, behaviour)
        except PermissionError as stopped:
            report_violation(code, "Permission denied: %s" % stopped)
            print("null")
            return 1
        behaviour = "ok"
    if behaviour == "outlives":
        if os.fork() == 0:
            os.setsid()
        signal.pause()
    if behaviour == "hang":
        signal.pause()
    if behaviour == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if behaviour == "garbage":
        print("<html>")
        return 0
    if behaviour == "flood":
        while True:
            sys.stdout.write("x" * 65536)
    found = documents(origin, code).get(behaviour)
    if found is None:
        for words in WARNINGS:
            report_violation(code, words, "WARNING")
        report_violation(code, ERRORS[behaviour])
        print("null")
        return 1
    for words in WARNINGS if behaviour == "warnings" else []:
        report_violation(code, words, "WARNING")
    missing = found.get("entries", []).count(None)
    for _ in range(missing):
        report_violation(code, ERRORS["no_formats"])
    print(json.dumps(found))
    return 1 if missing else 0


def runs_of(config_path):
    """The requested codes, one per run; a refused run has its arguments instead."""
    if not os.path.exists(config_path + ".log"):
        return []
    with open(config_path + ".log", encoding="utf-8") as log:
        return log.read().splitlines()


def main(config_path, arguments):
    with open(config_path, encoding="utf-8") as file:
        config = json.load(file)
    if arguments[-1:] == ["--version"]:
        print(config.get("version", "2026.08.19"))
        return 0
    try:
        code = code_in(arguments)
    except SystemExit:
        code = "refused: %s" % arguments
        raise
    finally:
        earlier = runs_of(config_path).count(code)
        with open(config_path + ".log", "a", encoding="utf-8") as log:
            log.write(code + "\n")
    behaviour = config["posts"].get(code, "no_connection")
    if isinstance(behaviour, list):
        behaviour = behaviour[min(earlier, len(behaviour) - 1)]
    return answer(config, code, behaviour)


def install(folder, **config):
    """Creates a program in `folder` that behaves as `config` defines, and its configuration in the same folder
    with .json. Returns its path."""
    program = os.path.join(folder, "yt-dlp")
    with open(program + ".json", "w", encoding="utf-8") as file:
        json.dump({"posts": {}, **config}, file)
    with open(program, "w", encoding="utf-8") as file:
        file.write('#!/bin/sh\nexec "%s" -B "%s" "%s" "$@"\n'
                   % (sys.executable, os.path.abspath(__file__), program + ".json"))
    os.chmod(program, 0o755)
    return program


def fence(folder, media_program):
    """Creates a media program in `folder`: `media_program` with exceptions in its sandbox. Returns its path."""
    program = os.path.join(folder, "media")
    readable = (os.path.dirname(os.path.abspath(__file__)), sys.base_prefix, sys.prefix)
    with open(program, "w", encoding="utf-8") as file:
        file.write('#!/bin/sh\n[ "$1" = fence ] || exec "%s" "$@"\nshift\nexec "%s" fence %s --write "%s" "$@"\n'
                   % (media_program, media_program, " ".join('--read "%s"' % path for path in readable), folder))
    os.chmod(program, 0o755)
    return program


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
