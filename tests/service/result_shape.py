"""The rules for an analysis: the schema of docs/openapi.yaml, and the relations between its values."""

import yaml

from openapi_document import ROOT, schema_breaches, to_json_schema

RESULT = to_json_schema({"$ref": "#/components/schemas/Result"},
                        yaml.safe_load((ROOT / "docs/openapi.yaml").read_text(encoding="utf-8")))


def check_result(test, result):
    test.assertEqual(schema_breaches(RESULT, result, "result"), [])
    duration = result["metadata"]["duration_seconds"]
    for segments in (result["visual"]["text_segments"], result["audio"]["segments"]):
        starts = [item["start_seconds"] for item in segments]
        test.assertEqual(starts, sorted(starts))
        for item in segments:
            test.assertLessEqual(item["start_seconds"], item["end_seconds"])
            test.assertLessEqual(item["end_seconds"], duration)

    for segment in result["audio"]["segments"]:
        words = segment.get("words", [])
        starts = [word["start_seconds"] for word in words]
        test.assertEqual(starts, sorted(starts))
        for word in words:
            test.assertLessEqual(segment["start_seconds"], word["start_seconds"])
            test.assertLessEqual(word["start_seconds"], word["end_seconds"])
            test.assertLessEqual(word["end_seconds"], segment["end_seconds"])

    moments = [item["seconds"] for item in result["content"]["key_moments"]]
    test.assertEqual(moments, sorted(moments))
    for item in result["content"]["key_moments"]:
        test.assertLessEqual(item["seconds"], duration)
        whole = int(item["seconds"])
        test.assertEqual(item["timestamp"], f"{whole // 60:02}:{whole % 60:02}")
    if not result["audio"]["has_music"]:
        test.assertEqual(result["audio"]["music_description"], "")
