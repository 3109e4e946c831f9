"""The shape of an analysis, as the HTTP contract's table of fields gives it."""

NUMBER = (int, float)
NONE = type(None)

TIMED_TEXT = {"text": str, "start_seconds": NUMBER, "end_seconds": NUMBER}
KEY_MOMENT = {"timestamp": str, "seconds": NUMBER, "description": str}

SECTIONS = {
    "visual": {
        "description": str, "setting": str, "subjects": [str], "text_on_screen": [str],
        "text_segments": [TIMED_TEXT],
    },
    "audio": {
        "transcript": str, "language": (str, NONE), "has_music": bool, "music_description": str,
        "segments": [TIMED_TEXT],
    },
    "content": {
        "summary": str, "topics": [str], "hooks": [str], "call_to_action": (str, NONE),
        "key_moments": [KEY_MOMENT],
    },
    "metadata": {
        "format": str, "sentiment": str, "target_audience": str, "duration_seconds": NUMBER,
        "width": NUMBER, "height": NUMBER, "frame_rate": NUMBER, "video_codec": str,
        "audio_codec": (str, NONE), "size_bytes": int, "sha256": str,
        "model": {"provider": str, "name": str}, "warnings": [str],
    },
    "platform_meta": {
        "platform": str, "code": str, "url": str, "author": str, "author_name": (str, NONE),
        "author_verified": (bool, NONE), "caption": (str, NONE), "hashtags": [str], "mentions": [str],
        "like_count": (int, NONE), "comment_count": (int, NONE), "view_count": (int, NONE),
        "posted_at": (str, NONE), "thumbnail_url": (str, NONE), "location": (str, NONE),
        "music_title": (str, NONE), "music_artist": (str, NONE),
    },
}


def check_shape(test, value, shape, path="result"):
    """Every field is there and has its type; nothing else is."""
    if isinstance(shape, dict):
        test.assertIsInstance(value, dict, path)
        test.assertEqual(set(value), set(shape), path)
        for name, inner in shape.items():
            check_shape(test, value[name], inner, f"{path}.{name}")
    elif isinstance(shape, list):
        test.assertIsInstance(value, list, path)
        for index, one in enumerate(value):
            check_shape(test, one, shape[0], f"{path}[{index}]")
    else:
        test.assertIsInstance(value, shape, path)
        if isinstance(value, bool):
            test.assertIn(bool, shape if isinstance(shape, tuple) else (shape,), path)


def check_result(test, result):
    """The shape, and what must hold between fields."""
    check_shape(test, result, SECTIONS)
    metadata = result["metadata"]
    duration = metadata["duration_seconds"]
    test.assertGreater(duration, 0)
    test.assertRegex(metadata["sha256"], r"^[0-9a-f]{64}$")
    test.assertIn(metadata["sentiment"], ("positive", "neutral", "negative", "mixed"))

    texts = result["visual"]["text_on_screen"]
    test.assertEqual(len(texts), len(set(texts)), "each text once")
    for segments in (result["visual"]["text_segments"], result["audio"]["segments"]):
        starts = [one["start_seconds"] for one in segments]
        test.assertEqual(starts, sorted(starts))
        for one in segments:
            test.assertLessEqual(0, one["start_seconds"])
            test.assertLessEqual(one["start_seconds"], one["end_seconds"])
            test.assertLessEqual(one["end_seconds"], duration)

    moments = [one["seconds"] for one in result["content"]["key_moments"]]
    test.assertEqual(moments, sorted(moments))
    for one in result["content"]["key_moments"]:
        test.assertLessEqual(0, one["seconds"])
        test.assertLessEqual(one["seconds"], duration)
        whole = int(one["seconds"])
        test.assertEqual(one["timestamp"], f"{whole // 60:02}:{whole % 60:02}")
    if not result["audio"]["has_music"]:
        test.assertEqual(result["audio"]["music_description"], "")
