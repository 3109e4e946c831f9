"""Post pages as the platform serves them to a browser that is not logged in.

Their form is that of observed pages: data in blocks of `<script type="application/json"
data-sjs>`, the requested post wrapped in `xig_polaris_media`, the author's timeline as a decoy, the page's kind in
`canonicalRouteName`. All values are invented.
"""

import html
import json

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
POST_ROUTE = "PolarisLoggedOutDesktopWWWPostRoute"
ERROR_ROUTE = "PolarisErrorRoute"
LOGIN_ROUTE = "PolarisCAAIGLoginHomepageRoute"
# Kinds of posts with a photo instead of a video.
PHOTO_PAGES = ("photo_page", "photo_music")
MUSIC = {"music_asset_info": {"title": "Song", "display_artist": "Artist",
                              "duration_in_ms": 180000,
                              "progressive_download_url": "https://scontent.cdninstagram.com/a.m4a"}}


def media_id_of(code):
    """The number of a short code, as the platform writes it."""
    number = 0
    for character in code[:-28] if len(code) > 28 else code:
        number = number * 64 + ALPHABET.index(character)
    return str(number)


def escaped(value):
    """JSON in the form that a script element contains."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003C").replace("/", "\\/")


def block(value, attributes='type="application/json" data-content-len="%d" data-sjs'):
    """One data block."""
    text = escaped(value)
    return "<script %s>%s</script>" % (attributes.replace("%d", str(len(text))), text)


def scheduled(payload):
    """The nesting of query answers."""
    preloader = "adp_PolarisLoggedOutDesktopWWWPostRootContentQueryRelayPreloader_0f"
    result = {"data": payload, "extensions": {"is_final": True}}
    answer = {"__bbox": {"complete": True, "result": result}}
    cache = ["RelayPrefetchedStreamCache", "next", [], [preloader, answer]]
    return {"require": [["ScheduledServerJS", "handle", None, [{"__bbox": {"require": [cache]}}]]]}


def author(post):
    return {
        "pk": "12345", "id": "17841400000000001", "username": post.get("author", "some.one"),
        "full_name": post.get("author_name", "Some One"),
        "is_verified": post.get("verified", False), "is_private": False,
    }


def timeline(post, code):
    """The author's other posts, and the requested one once more: the same code, but no media."""
    nodes = [{"code": code, "pk": media_id_of(code), "media_type": 2, "user": author(post)}]
    for index in range(11):
        other = "DYdecoy%04d" % index
        nodes.append({"code": other, "pk": media_id_of(other), "like_count": 1, "media_type": 2})
    edges = [{"node": node} for node in nodes]
    connection = {"edges": edges, "page_info": {"has_next_page": True}}
    return {"polaris_ordered_timeline_connection": connection}


def slide(kind, code, media_url):
    """One video or photo with its files."""
    picture = "https://scontent.cdninstagram.com/v/%s.jpg?oe=1&x=2" % code
    image = {"candidates": [{"url": picture}]}
    media = {"code": code, "pk": media_id_of(code), "image_versions2": image, "carousel_media": None}
    if kind == "photo":
        return dict(media, media_type=1, video_versions=None, __typename="XIGPolarisImageMedia")
    media = dict(media, media_type=2, __typename="XIGPolarisVideoMedia", video_versions=[])
    if kind == "video":
        media["video_versions"] = [
            {"type": 102, "url": media_url + "&rank=102"},
            {"type": 101, "url": media_url},
            {"type": 103, "url": media_url + "&rank=103"},
        ]
    if kind == "video_in_tracks":
        media["video_dash_manifest"] = manifest(media_url)
    return media


def manifest(media_url):
    """Picture and sound as separate files. Both addresses serve the whole file: a reader takes its part."""
    def track(kind, attributes):
        address = html.escape(media_url + "&track=" + kind)
        return (f'<AdaptationSet contentType="{kind}"><Representation id="1" {attributes}>'
                f'<BaseURL>{address}</BaseURL></Representation></AdaptationSet>')
    video = track("video", 'codecs="avc1.64001f" bandwidth="900000" width="720" height="1280"')
    audio = track("audio", 'codecs="mp4a.40.2" bandwidth="64000"')
    return ('<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" '
            f'mediaPresentationDuration="PT2S"><Period>{video}{audio}</Period></MPD>')


def record(code, post, media_url):
    """The post's own record."""
    kinds = post.get("slides", ["video"])
    if len(kinds) == 1:
        media = slide(kinds[0], code, media_url)
        media["product_type"] = "clips"
    else:
        media = slide("photo", code, media_url)
        media.update({"media_type": 8, "product_type": "carousel_container"})
        media["carousel_media"] = [
            slide(kind, "DYslide%04d" % index, media_url + "&slide=%d" % (index + 1))
            for index, kind in enumerate(kinds)
        ]
        media["carousel_media_count"] = len(kinds)
    caption = post.get("caption", "Hello #tag and #\u0442\u0435\u0433 with @friend.one. & more")
    media.update({
        "user": author(post), "taken_at": post.get("taken_at", 1790000000),
        "caption": None if caption is None else {"pk": "178", "text": caption},
        "like_count": post.get("likes", 78676),
        "like_and_view_counts_disabled": post.get("hidden", False),
        "comment_count": post.get("comments", 525), "has_audio": True, "location": None,
        "original_width": 1080, "original_height": 1920,
        "clips_metadata": {"music_info": post.get("music_info"), "original_sound_info": None},
    })
    return media


def data_of(code, post, behaviour, media_url):
    """The query's answer for a page that has one."""
    wrapper = {"__typename": "XIGPolarisVideoMedia", "pk": media_id_of(code), "code": code,
               "gating_ruling": None, "if_not_gated_logged_out": None}
    rulings = {
        "age": {"gating_type": 3, "title": "Age-restricted content"},
        "geo": {"gating_type": 1, "title": "Not available in your region"},
    }
    if behaviour == "deleted":
        return {"xig_polaris_media": None}
    if behaviour in rulings:
        wrapper["gating_ruling"] = rulings[behaviour]
    elif behaviour != "private":
        wrapper["if_not_gated_logged_out"] = record(code, post, media_url)
        wrapper["comments_connection"] = {"edges": [], "page_info": {"has_next_page": True}}
    return {"xig_polaris_media": wrapper}


def page(route, blocks, filler_bytes=20000):
    """A whole page: the application's code contains all names, so that only data is reliable."""
    bundle = 'var x={"login_required":1,"canonicalRouteName":"comet.igweb.%s"};' % ERROR_ROUTE
    bundle += "/* certain audiences, xig_polaris_media */" + "q" * filler_bytes
    kind = {"initialRouteInfo": {"route": {"canonicalRouteName": "comet.igweb." + route}}}
    if route == ERROR_ROUTE:
        kind["initialRouteInfo"]["route"]["pageID"] = "httpErrorPage"
    return "".join([
        "<!DOCTYPE html><html><head><title>Instagram</title>",
        '<meta property="og:title" content="Some One on Instagram: &quot;Hello&quot;"/>',
        "<script>", bundle, "</script>", block(kind), "</head><body>", *blocks, "</body></html>",
    ])


def post_page(code, post, behaviour, media_url):
    """The page of a post in one of the behaviours that have data."""
    shuffled = 'data-sjs data-content-len="%d" nonce=x type=\'application/json\''
    return page(POST_ROUTE, [
        block(scheduled(timeline(post, code))),
        block(scheduled(data_of(code, post, behaviour, media_url)), shuffled),
        block({"require": [["CometTail", "done"]]}),
    ])
