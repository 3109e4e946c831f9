#include "schemas.hpp"

namespace reelsd::cli::mcp {
namespace {

/// Members of a job and of an item of the list alike.
constexpr const char* job_members = R"({
"id": {"type": "integer", "minimum": 1, "description": "The reel's id."},
"url": {"type": "string", "description": "The link as it was submitted."},
"status": {"type": "string", "enum": ["pending", "processing", "done", "error"],
    "description": "Once done or error, it never changes."},
"created_at": {"type": "string", "description": "When it was submitted; UTC, as all times."},
"started_at": {"type": "string", "description": "When work on it began; left out before."},
"finished_at": {"type": "string", "description": "When it was done or failed; left out before."},
"error": {"type": "string", "description": "Why it failed; only with status error."},
"error_code": {"type": "string",
    "description": "The cause in one word, such as unavailable; only with status error."}
})";

constexpr const char* timed_texts = R"({"type": "array", "items": {"type": "object",
"required": ["text", "start_seconds", "end_seconds"], "properties": {
    "text": {"type": "string"},
    "start_seconds": {"type": "number", "minimum": 0},
    "end_seconds": {"type": "number", "minimum": 0}}}})";

constexpr const char* visual_section = R"({"type": "object", "description": "What is seen.",
"required": ["description", "setting", "subjects", "text_on_screen", "text_segments"],
"properties": {
    "description": {"type": "string", "description": "People, actions, place, light, mood."},
    "setting": {"type": "string", "description": "Where it takes place."},
    "subjects": {"type": "array", "items": {"type": "string"}},
    "text_on_screen": {"type": "array", "items": {"type": "string"},
        "description": "Every text that is seen, in order of appearance, each once."}}})";

constexpr const char* audio_section = R"({"type": "object", "description": "What is heard.",
"required": ["transcript", "language", "has_music", "music_description", "segments"],
"properties": {
    "transcript": {"type": "string",
        "description": "The speech word for word; empty if nobody speaks."},
    "language": {"type": ["string", "null"], "description": "ISO 639-1 code of the speech."},
    "has_music": {"type": "boolean"},
    "music_description": {"type": "string", "description": "Empty if there is no music."}}})";

constexpr const char* content_section = R"({"type": "object", "description": "What it is about.",
"required": ["summary", "topics", "hooks", "call_to_action", "key_moments"],
"properties": {
    "summary": {"type": "string", "description": "One sentence."},
    "topics": {"type": "array", "items": {"type": "string"}},
    "hooks": {"type": "array", "items": {"type": "string"},
        "description": "What opens the video and holds the viewer."},
    "call_to_action": {"type": ["string", "null"]},
    "key_moments": {"type": "array", "items": {"type": "object",
        "required": ["timestamp", "seconds", "description"],
        "properties": {
            "timestamp": {"type": "string", "description": "Minutes and seconds."},
            "seconds": {"type": "number", "minimum": 0},
            "description": {"type": "string"}}}}}})";

constexpr const char* metadata_section =
    R"({"type": "object", "description": "Of the file and its analysis.",
"required": ["format", "sentiment", "target_audience", "duration_seconds", "width", "height",
    "frame_rate", "video_codec", "audio_codec", "size_bytes", "sha256", "model", "warnings"],
"properties": {
    "format": {"type": "string", "description": "tutorial, interview, skit, vlog, ..."},
    "sentiment": {"type": "string", "description": "positive, neutral, negative or mixed."},
    "target_audience": {"type": "string"},
    "duration_seconds": {"type": "number", "minimum": 0},
    "width": {"type": "integer", "description": "Pixels."},
    "height": {"type": "integer", "description": "Pixels."},
    "frame_rate": {"type": "number", "description": "Frames a second."},
    "video_codec": {"type": "string"},
    "audio_codec": {"type": ["string", "null"], "description": "Null if there is no sound track."},
    "size_bytes": {"type": "integer"},
    "sha256": {"type": "string"},
    "model": {"type": "object", "description": "What analysed it.",
        "required": ["provider", "name"],
        "properties": {"provider": {"type": "string"}, "name": {"type": "string"}}},
    "warnings": {"type": "array", "items": {"type": "string"},
        "description": "What a cheap check says against the analysis."}}})";

constexpr const char* platform_meta_section = R"({"type": "object",
"description": "What the platform says of the post. Unknown is null, never 0.",
"required": ["platform", "code", "url", "author", "author_name", "author_verified", "caption",
    "hashtags", "mentions", "like_count", "comment_count", "view_count", "posted_at",
    "thumbnail_url", "location", "music_title", "music_artist"],
"properties": {
    "platform": {"type": "string"},
    "code": {"type": "string", "description": "The post's code."},
    "url": {"type": "string", "description": "The post's canonical link."},
    "author": {"type": "string", "description": "The account's handle."},
    "author_name": {"type": ["string", "null"]},
    "author_verified": {"type": ["boolean", "null"]},
    "caption": {"type": ["string", "null"]},
    "hashtags": {"type": "array", "items": {"type": "string"},
        "description": "Without their sign."},
    "mentions": {"type": "array", "items": {"type": "string"},
        "description": "Without their sign."},
    "like_count": {"type": ["integer", "null"]},
    "comment_count": {"type": ["integer", "null"]},
    "view_count": {"type": ["integer", "null"]},
    "posted_at": {"type": ["string", "null"]},
    "thumbnail_url": {"type": ["string", "null"]},
    "location": {"type": ["string", "null"]},
    "music_title": {"type": ["string", "null"]},
    "music_artist": {"type": ["string", "null"]}}})";

constexpr const char* hits_shape = R"({"type": "object", "required": ["hits"], "properties": {
"hits": {"type": "array", "description": "Best first; empty when nothing was found.",
    "items": {"type": "object",
    "required": ["id", "url", "code", "author", "created_at", "summary", "score", "match"],
    "properties": {
        "id": {"type": "integer", "minimum": 1, "description": "The reel's id, for get_reel."},
        "url": {"type": "string", "description": "The link as it was submitted."},
        "code": {"type": "string", "description": "The post's code."},
        "author": {"type": "string", "description": "The post's author."},
        "created_at": {"type": "string", "description": "When it was submitted."},
        "summary": {"type": "string", "description": "What it is about."},
        "score": {"type": "number", "minimum": 0, "maximum": 1,
            "description": "How well it fits, comparable within one answer."},
        "match": {"type": "object", "required": ["field", "text"],
            "description": "The passage that earned the hit.", "properties": {
            "field": {"type": "string", "description": "Where in the result it stands."},
            "text": {"type": "string", "description": "The passage."},
            "seconds": {"type": "number", "minimum": 0,
                "description": "When in the video; left out where the passage has no time."}
        }}}}}}})";

constexpr const char* usage_shape = R"({"type": "object",
"required": ["total_cost_usd", "total_prompt_tokens", "total_output_tokens", "total_tokens",
    "total_calls", "by_model", "by_day"],
"properties": {
    "total_cost_usd": {"type": ["number", "null"],
        "description": "US dollars, of the calls whose cost is known; null if no cost is."},
    "total_prompt_tokens": {"type": "integer"},
    "total_output_tokens": {"type": "integer", "description": "With thinking tokens."},
    "total_tokens": {"type": "integer"},
    "total_calls": {"type": "integer"},
    "total_unpriced_calls": {"type": "integer",
        "description": "Calls whose cost is not known; left out when there are none."},
    "by_model": {"type": "array", "items": {"type": "object",
        "required":
            ["model", "calls", "prompt_tokens", "output_tokens", "total_tokens", "cost_usd"],
        "properties": {
            "model": {"type": "string"},
            "calls": {"type": "integer"},
            "prompt_tokens": {"type": "integer"},
            "output_tokens": {"type": "integer"},
            "total_tokens": {"type": "integer"},
            "unpriced_calls": {"type": "integer"},
            "cost_usd": {"type": ["number", "null"]}}}},
    "by_day": {"type": "array", "description": "Days without a call are left out.",
        "items": {"type": "object", "required": ["date", "calls", "total_tokens", "cost_usd"],
        "properties": {
            "date": {"type": "string", "description": "YYYY-MM-DD in UTC."},
            "calls": {"type": "integer"},
            "total_tokens": {"type": "integer"},
            "unpriced_calls": {"type": "integer"},
            "cost_usd": {"type": ["number", "null"]}}}}}})";

json with_timed_texts(const char* section, const char* member, const char* description) {
    auto schema = json::parse(section);
    auto texts = json::parse(timed_texts);
    texts["description"] = description;
    schema["properties"][member] = std::move(texts);
    return schema;
}

/// The analysis of a job that is done.
json result_schema() {
    return {
        {"type", "object"},
        {"description", "The analysis; only with status done."},
        {"required", {"visual", "audio", "content", "metadata", "platform_meta"}},
        {"properties",
         {{"visual",
           with_timed_texts(
               visual_section,
               "text_segments",
               "The same texts with the time that they are on screen.")},
          {"audio", with_timed_texts(audio_section, "segments", "The transcript with times.")},
          {"content", json::parse(content_section)},
          {"metadata", json::parse(metadata_section)},
          {"platform_meta", json::parse(platform_meta_section)}}}};
}

json object_schema(json required, json members) {
    return {
        {"type", "object"}, {"required", std::move(required)}, {"properties", std::move(members)}};
}

/// What may be null, written as a choice of two: not every client knows a list of types.
json with_single_types(json schema) {
    if (!schema.is_structured()) return schema;
    for (auto& member : schema) member = with_single_types(std::move(member));
    if (!schema.is_object() || !schema.contains("type") || !schema["type"].is_array())
        return schema;
    auto choices = json::array();
    for (const auto& type : schema["type"]) choices.push_back({{"type", type}});
    schema.erase("type");
    schema["anyOf"] = std::move(choices);
    return schema;
}

json text_schema(const char* description) {
    return {{"type", "string"}, {"description", description}};
}

}  // namespace

json job_schema() {
    auto members = json::parse(job_members);
    members["result"] = with_single_types(result_schema());
    members["hint"] = text_schema("What to do next; only while it is pending or processing.");
    return object_schema({"id", "url", "status", "created_at"}, std::move(members));
}

json reels_schema() {
    auto members = json::parse(job_members);
    members["summary"] = text_schema("What it is about; only with status done.");
    members["code"] = text_schema("The post's code; only with status done.");
    members["author"] = text_schema("The post's author; only with status done.");
    const auto item = object_schema({"id", "url", "status", "created_at"}, std::move(members));
    const json reels{{"type", "array"}, {"items", item}, {"description", "Newest first."}};
    const auto next = text_schema("Give it as cursor to read on; left out at the end of the list.");
    return object_schema(json::array({"reels"}), {{"reels", reels}, {"next_cursor", next}});
}

json hits_schema() {
    return json::parse(hits_shape);
}

json usage_schema() {
    return with_single_types(json::parse(usage_shape));
}

}  // namespace reelsd::cli::mcp
