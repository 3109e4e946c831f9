#include "schemas.hpp"

#include <reelsd/base/json_schema.hpp>

#include <utility>

namespace reelsd::cli::mcp {
namespace {

/// A schema of the API as a client may rely on it with a newer server, which may add members and
/// values. What may be null becomes a choice of two: not every client knows a list of types.
json relaxed(json schema) {
    if (!schema.is_structured()) return schema;
    for (auto& member : schema) member = relaxed(std::move(member));
    const auto type = schema.is_object() ? schema.find("type") : schema.end();
    if (type == schema.end() || type->is_object()) return schema;  // An object of members.
    for (const auto* keyword : {"additionalProperties", "enum", "format", "pattern"}) {
        schema.erase(keyword);
    }
    if (!schema["type"].is_array()) return schema;
    auto choices = json::array();
    for (const auto& choice : schema["type"]) choices.push_back({{"type", choice}});
    schema.erase("type");
    schema["anyOf"] = std::move(choices);
    return schema;
}

json relaxed_api_schema(const char* name) {
    return relaxed(api_schemas().at(name));
}

json list_schema(const char* items, const char* description) {
    return {{"type", "array"}, {"items", relaxed_api_schema(items)}, {"description", description}};
}

json text_schema(const char* description) {
    return {{"type", "string"}, {"description", description}};
}

}  // namespace

json job_schema() {
    auto schema = relaxed_api_schema("Job");
    schema["properties"]["hint"] =
        text_schema("What to do next; present only while the reel is pending or processing.");
    return schema;
}

json reels_schema() {
    return {
        {"type", "object"},
        {"required", json::array({"reels"})},
        {"properties",
         {{"reels", list_schema("JobItem", "Newest first.")},
          {"next_cursor",
           text_schema("Pass it as cursor to continue; absent at the end of the list.")}}}};
}

json hits_schema() {
    return {
        {"type", "object"},
        {"required", json::array({"hits"})},
        {"properties",
         {{"hits", list_schema("SearchHit", "Best first; empty when nothing was found.")}}}};
}

json usage_schema() {
    return relaxed_api_schema("Usage");
}

}  // namespace reelsd::cli::mcp
