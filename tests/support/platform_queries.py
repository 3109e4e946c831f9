"""Answers to the queries of the platform's own pages, and its embed pages.

Their form is that of observed answers. Requests that the platform refuses are refused here. All values are invented.
"""

import json
import urllib.parse

import platform_pages as pages

APP_ID = "936619743392459"
# Document ids, with their address and name.
QUERIES = {
    "/graphql/query": ("root", "27128499623469141", "PolarisPostRootQuery"),
    "/api/graphql": ("logged_out", "27130156389949648",
                     "PolarisLoggedOutDesktopWWWPostRootContentQuery"),
}
RETIRED_DOC_ID = "8845758582119845"
RELAY_PROVIDER = "__relay_internal__pv__PolarisAIGMMediaWebLabelEnabledrelayprovider"
LOGIN_SHELL = "<!DOCTYPE html><html><title>Instagram</title>login_required</html>"
NOT_FOUND_SHELL = "<!DOCTYPE html><html><title>Page Not Found</title></html>"

QUERY_BEHAVIOURS = (
    "ok null missing not_found field_exception age geo private photo execution_error "
    "execution_error_once rate_limited too_many wait html forbidden outdated no_json server_error "
    "guarded streamed other_post no_url stall cut trickle endless short_length "
    "login_redirect").split()
EMBED_BEHAVIOURS = (
    "ok blocked null without_data dom old raw photo shell not_found login_redirect rate_limited "
    "server_error other_post stall cut trickle endless short_length").split()

# The effect of a post's state, as its page shows it, on the other answers.
TRUTHS = {
    "missing": {"root": "missing", "logged_out": "null", "embed": "null"},
    "deleted": {"root": "null", "logged_out": "null", "embed": "null"},
    "not_found": {"root": "not_found", "logged_out": "null", "embed": "not_found"},
    "age": {"root": "field_exception", "logged_out": "age", "embed": "without_data"},
    "geo": {"root": "field_exception", "logged_out": "geo", "embed": "without_data"},
    "private": {"root": "null", "logged_out": "private", "embed": "without_data"},
    "photo_page": {"root": "photo", "logged_out": "photo", "embed": "photo"},
    "photo_music": {"root": "photo", "logged_out": "photo", "embed": "photo"},
}


def behaviour_of(post, kind):
    """The configured value, otherwise the one that the page's state implies."""
    return post.get(kind, TRUTHS.get(post.get("page", "ok"), {}).get(kind, "ok"))


def query_error(message, **more):
    return {"data": None, "errors": [dict({"message": message, "severity": "CRITICAL"}, **more)]}


def cookies_of(headers):
    return dict(part.strip().split("=", 1)
                for part in headers.get("Cookie", "").split(";") if "=" in part)


class Refused(Exception):
    """A request that the platform would refuse: status, body, whether it is JSON."""


def check_request(path, headers, form, has_chrome_tls=False):
    """Raises the platform's answer to a request that differs from those of its own pages."""
    outdated = {"message": "Unauthorized logged out query", "status": "fail"}
    if "Chrome/" in headers.get("User-Agent", "") and not has_chrome_tls:
        raise Refused(200, LOGIN_SHELL)
    cookies = cookies_of(headers)
    token = headers.get("X-CSRFToken", "")
    if len(token) < 32 or cookies.get("csrftoken") != token or "sessionid" in cookies:
        raise Refused(403, NOT_FOUND_SHELL)
    _, doc_id, name = QUERIES[path]
    lsd = form.get("lsd", "")
    conditions = [
        headers.get("Content-Type") == "application/x-www-form-urlencoded",
        lsd.startswith("AV") and lsd == headers.get("X-FB-LSD"),
        headers.get("X-IG-App-ID") == APP_ID, bool(headers.get("X-ASBD-ID")),
        form.get("fb_api_req_friendly_name") == headers.get("X-FB-Friendly-Name") == name,
        form.get("server_timestamps") == "true", bool(headers.get("Origin")),
        "/p/" in headers.get("Referer", ""),
    ]
    if path == "/api/graphql":
        conditions += [headers.get("X-Requested-With") == "XMLHttpRequest",
                   headers.get("X-IG-WWW-Claim") == "0"]
    if not all(conditions):
        raise Refused(400, outdated)
    if form.get("doc_id") == RETIRED_DOC_ID:
        raise Refused(200, {"data": {"xdt_shortcode_media": None}})
    if form.get("doc_id") != doc_id:
        raise Refused(200, query_error("execution error"))


def asked_code(path, form, posts):
    """The short code in the variables; raises Refused if they are not complete."""
    variables = json.loads(form.get("variables", "{}"))
    if path == "/graphql/query":
        if "shortcode" not in variables or not isinstance(variables.get(RELAY_PROVIDER), bool):
            raise Refused(200, query_error("missing_required_variable_value"))
        return variables["shortcode"]
    media_id = variables.get("media_id", "")
    if not media_id.isdigit():
        raise Refused(200, query_error("Invalid media_id"))
    return next((code for code in posts if pages.media_id_of(code) == media_id), "DYunknown01")


def web_info_item(code, post, media_url):
    """The record of the mobile API: that of the page, with additions."""
    item = pages.record(code, post, media_url)
    item.update({
        "id": "%s_12345" % item["pk"], "play_count": post.get("plays", 900), "view_count": None,
        "video_duration": 12.3, "is_paid_partnership": False,
        "location": {"pk": "1", "name": "Town", "short_name": "Town", "lat": 1.0, "lng": 2.0},
    })
    return item


def data_of(kind, behaviour, code, post, media_url):
    """The `data` of an answer that has some."""
    shown = "DYother0001" if behaviour == "other_post" else code
    slides = {"photo": ["photo"], "no_url": ["video_without_files"]}.get(behaviour)
    post = dict(post, slides=slides) if slides else post
    if kind == "logged_out":
        known = {"null": "deleted", "missing": "deleted"}
        return pages.data_of(shown, post, known.get(behaviour, behaviour), media_url)
    if behaviour == "null":
        return {"xdt_api__v1__media__shortcode__web_info": None}
    items = [] if behaviour == "missing" else [web_info_item(shown, post, media_url)]
    return {"xdt_api__v1__media__shortcode__web_info": {"items": items}}


def streamed(kind, data):
    """The same in two documents: the second one contains the comments, which are not used, and the record itself."""
    name, value = next(iter(data.items()))
    first = {"data": {name: {"items": []} if kind == "root" else None}, "hasNext": True}
    if kind == "root":
        later = {"path": [name], "data": value, "label": "PostRoot$defer$items"}
    else:
        later = {"path": [], "data": data, "label": "PostRoot$defer$media"}
    return json.dumps(first) + "\r\n" + json.dumps(later) + "\r\n"


def query_answer(kind, behaviour, code, post, media_url):
    """(status, body) with the body as text, or as a value that becomes JSON."""
    wait = {"message": "Please wait a few minutes before you try again.", "require_login": True,
            "status": "fail"}
    fixed = {
        "not_found": (200, query_error("execution error", code=4630001,
                                     description="Media not found or unavailable")),
        "field_exception": (200, query_error("A server error field_exception occured")),
        "execution_error": (200, query_error("execution error", path=["x"])),
        "rate_limited": (200, query_error("Rate limit exceeded", code=1675004)),
        "too_many": (429, "slow down"),
        "wait": (401, wait),
        "html": (200, LOGIN_SHELL),
        "forbidden": (403, NOT_FOUND_SHELL),
        "outdated": (400, {"message": "useragent mismatch", "status": "fail"}),
        "no_json": (200, "xig_polaris_media, but no JSON"),
        "server_error": (503, "sorry"),
    }
    if behaviour in fixed:
        return fixed[behaviour]
    data = data_of(kind, behaviour, code, post, media_url)
    answer = {"data": data, "extensions": {"is_final": True}, "status": "ok"}
    if kind == "logged_out" and behaviour in ("age", "geo"):
        answer["errors"] = [{"message": "A server error field_exception occured."}]
    if behaviour == "guarded":
        return 200, "for (;;);" + json.dumps(answer)
    if behaviour == "streamed":
        return 200, streamed(kind, data)
    return 200, answer


def form_of(body):
    return dict(urllib.parse.parse_qsl(body.decode(), keep_blank_values=True))


# --- Embed pages -------------------------------------------------------------------------------------

def embedded_slide(kind, code, media_url, prefix=""):
    media = {
        "__typename": prefix + ("GraphImage" if kind == "photo" else "GraphVideo"),
        "id": pages.media_id_of(code), "shortcode": code, "is_video": kind != "photo",
        "dimensions": {"width": 640, "height": 1136},
        "display_url": "https://scontent.cdninstagram.com/v/%s.jpg?oe=1&x=2" % code,
    }
    if kind == "video":
        media["video_url"] = media_url
    return media


def embedded_record(code, post, media_url, prefix=""):
    """`shortcode_media` of a post."""
    kinds = post.get("slides", ["video"])
    media = embedded_slide(kinds[0], code, media_url, prefix)
    if len(kinds) > 1:
        media = embedded_slide("photo", code, media_url, prefix)
        media["__typename"] = prefix + "GraphSidecar"
        media["edge_sidecar_to_children"] = {"edges": [
            {"node": embedded_slide(kind, "DYslide%04d" % n, media_url + "&slide=%d" % (n + 1), prefix)}
            for n, kind in enumerate(kinds)]}
    caption = post.get("caption", "Hello #tag and #\u0442\u0435\u0433 with @friend.one. & more")
    hidden = post.get("hidden", False)
    media.update({
        "owner": {"id": "12345", "username": post.get("author", "some.one"),
                  "is_verified": post.get("verified", False)},
        "edge_media_to_caption": {"edges": [{"node": {"text": caption}}] if caption else []},
        "edge_media_preview_like": {"count": -1 if hidden else post.get("likes", 78676)},
        "edge_media_to_comment": {"count": post.get("comments", 525)},
        "taken_at_timestamp": post.get("taken_at", 1790000000), "product_type": "clips",
        "video_duration": 8.7, "video_view_count": 10, "video_play_count": 30,
        "clips_music_attribution_info": {"artist_name": "Artist", "song_name": "Song",
                                         "uses_original_audio": False, "audio_id": "1"},
    })
    return media


def embed_shell(script, body=""):
    """An embed page; its styles and code contain all names, so that only data is reliable."""
    bundle = ".WatchOnInstagram{}/* contextJSON, video_url, login_required */" + "q" * 5000
    return "".join(["<!DOCTYPE html><html><head><style>", bundle, "</style></head><body>", body,
                    "<script>", script, "</script></body></html>"])


def in_context(record):
    """The record as a JSON string within JSON."""
    context = {"context": {"type": "GraphVideo", "shortcode": "x", "copyright_blocked": False},
               "gql_data": record}
    text = json.dumps(context, separators=(",", ":")).replace("/", "\\/")
    return 'requireLazy(["s"],function(s){s.handle({"define":[["Embed",[],{"contextJSON":%s}]]})});' % (
        json.dumps(text).replace("/", "\\/").replace("&", "\\u0026").replace("<", "\\u003C"))


def embed_page(behaviour, code, post, media_url):
    """The page in one of the behaviours that have one."""
    shown = "DYother0001" if behaviour == "other_post" else code
    if behaviour == "photo":
        post = dict(post, slides=["photo"])
    if behaviour == "blocked":
        post = dict(post, slides=["video_without_files"])
    record = embedded_record(shown, post, media_url)
    if behaviour == "shell":
        return embed_shell("s.handle({})")
    if behaviour == "null":
        return embed_shell(in_context({"shortcode_media": None}))
    if behaviour == "without_data":
        return embed_shell(in_context(None))
    if behaviour == "old":
        return embed_shell("window.__additionalDataLoaded('extra',%s);" % json.dumps(
            {"shortcode_media": record}).replace("<", "\\u003C"))
    if behaviour == "raw":
        record = json.dumps({"shortcode": shown, "video_url": media_url}, separators=(",", ":"))
        return embed_shell("s.handle(%s)" % json.dumps(record.replace("/", "\\/")))
    if behaviour == "dom":
        url = media_url.replace("&", "&amp;")
        return embed_shell('s.handle({"contextJSON":null})', (
            '<div class="Embed" data-media-type="GraphVideo">'
            '<a class="ViewProfileButton" href="/%s/"><span class="UsernameText">%s</span></a>'
            '<video class="EmbeddedMediaVideo" playsinline src="%s"></video>'
            '<div class="Caption"><a href="/x/">x</a>Hello &amp; more</div></div>') % (
                post.get("author", "some.one"), post.get("author", "some.one"), url))
    return embed_shell(in_context({"shortcode_media": record}))
