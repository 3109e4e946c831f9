"""Other answers of the platform: oEmbed, the availability of a post, and the app's own API, which needs a session.

Their form is that of observed answers. All values are invented.
"""

import platform_pages as pages
import platform_queries as queries

# Of the Android and the iOS app.
APP_IDS = ("567067343352427", "124024574287414")
SESSIONS = ("valid", "expired", "logged_out", "challenged", "masked", "throttled", "broken")

GATES = {
    "age": {"title": "This content may be inappropriate",
            "description": "It's unavailable for certain audiences."},
    "geo": {"title": "Restricted Video",
            "description": "This video is not available in your region."},
}
GONE = ("missing", "deleted", "not_found", "private")


def post_of(media_id, posts):
    """The code and the post of a number; one that was not configured does not exist."""
    for code, post in posts.items():
        if pages.media_id_of(code) == media_id:
            return code, post
    return "DYunknown01", {"page": "missing"}


def code_in(link):
    """The short code in the link of a post; empty for other links."""
    parts = [part for part in link.split("?")[0].split("/") if part]
    return parts[3] if len(parts) == 4 and parts[2] in ("p", "reel", "tv") else ""


def oembed_answer(headers, query, posts):
    """(status, body): the author and the caption, never a video."""
    if "Instagram" not in headers.get("User-Agent", "") or (
            headers.get("X-IG-App-ID") not in APP_IDS):
        return 400, {"message": "useragent mismatch", "status": "fail"}
    code = code_in(query.get("url", ""))
    post = posts.get(code, {"page": "missing"})
    truth = post.get("page", "ok")
    if truth in GATES:
        # The same text for each kind of gate.
        return 400, dict(GATES[truth], message="geoblock_required", status="fail")
    if truth in GONE:
        return 404, "<html>gone</html>"
    return 200, {
        "version": "1.0", "type": "rich", "media_id": "%s_12345" % pages.media_id_of(code),
        "author_name": post.get("author", "some.one"), "author_id": 12345,
        "title": post.get("caption", "Hello"), "html": "<blockquote></blockquote>",
        "thumbnail_url": "https://scontent.cdninstagram.com/v/%s.jpg?oe=1" % code,
        "thumbnail_width": 640, "thumbnail_height": 1136,
    }


def ruling_answer(query, posts):
    """(status, body): whether visitors who are not logged in may see a post."""
    media_id = query.get("target_id", "")
    if query.get("content_type") != "MEDIA" or not media_id.isdigit():
        return 400, {"message": "Invalid media_id", "status": "fail"}
    _, post = post_of(media_id, posts)
    return 200, GATES.get(post.get("page", "ok"), {"status": "ok"})


def session_refusal(headers, sessions):
    """The answer to a call without a valid session: (status, body or redirect), or None."""
    cookies = queries.cookies_of(headers)
    token = cookies.get("csrftoken", "")
    if not token or headers.get("X-CSRFToken") != token or (
            headers.get("X-IG-App-ID") != queries.APP_ID or not headers.get("X-ASBD-ID")):
        return 403, queries.NOT_FOUND_SHELL
    refusals = {
        "expired": (403, {"message": "login_required", "status": "fail"}),
        "logged_out": (302, "/accounts/login/"),
        "challenged": (400, {"message": "challenge_required", "status": "fail",
                             "challenge": {"url": "https://i.instagram.com/challenge/"}}),
        "throttled": (429, {"message": "Please wait a few minutes before you try again.", "status": "fail"}),
        "broken": (502, "<html>bad gateway</html>"),
        "masked": (404, "Not Found"),  # A challenge that is not declared as one.
        None: (401, {"message": "Please wait a few minutes before you try again.",
                     "require_login": True, "status": "fail"}),
    }
    return refusals.get(sessions.get(cookies.get("sessionid")))


def media_info_answer(media_id, posts, media_url_of):
    """(status, body) for a valid session, which also shows posts with a restricted audience."""
    code, post = post_of(media_id, posts)
    truth = post.get("page", "ok")
    if truth == "private":
        return 400, {"message": "Not authorized to view user", "status": "fail"}
    if truth in GONE:
        return post.get("gone_status", 400), {"message": "Media not found or unavailable", "status": "fail"}
    post = dict(post, slides=["photo"]) if truth in pages.PHOTO_PAGES else post
    item = queries.web_info_item(code, post, media_url_of(code, post))
    return 200, {"items": [item], "more_available": False, "num_results": 1, "status": "ok"}
