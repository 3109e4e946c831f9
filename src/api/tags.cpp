#include "resources.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/domain/jobs/tag_store.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace reelsd::api {
namespace {

constexpr std::size_t ids_most = 100;

/// GET /api/v1/reels/tags: the account's tags, most frequent first. 200.
awaitable<http::response> list_tags(http::request_context& ctx, jobs::tag_store& tags) {
    auto views = json::array();
    for (const auto& known : co_await tags.list(ctx.caller(), ctx.database_by())) {
        views.push_back({{"tag", known.tag}, {"reels", known.reels}});
    }
    co_return ctx.json(http::status::ok, views);
}

/// GET /api/v1/reels/{id}/tags. 200 {"tags"}; 404.
awaitable<http::response> get_tags(http::request_context& ctx, jobs::tag_store& tags) {
    const auto id = requested_id(ctx.path_parameter("id"));
    if (!id) co_return ctx.problem(id.error());
    const auto found = co_await tags.find(ctx.caller(), *id, ctx.database_by());
    if (!found) co_return ctx.problem(error{errc::not_found});
    co_return ctx.json(http::status::ok, json{{"tags", *found}});
}

/// Sorted, each once, in their stored form; empty if the member is absent. Pure.
input<std::vector<std::string>> requested_tags(const json& body, const char* name) {
    std::vector<std::string> tags;
    const auto member = body.find(name);
    if (member == body.end()) return tags;
    if (!member->is_array()) return invalid(fmt::format("{} must be an array of texts", name));
    for (const auto& text : *member) {
        if (!text.is_string()) return invalid(fmt::format("{} must be an array of texts", name));
        auto tag = jobs::tag_from(text.get<std::string>());
        if (!tag) return invalid(tag.error().detail());
        tags.push_back(*std::move(tag));
    }
    std::ranges::sort(tags);
    const auto repeated = std::ranges::unique(tags);
    tags.erase(repeated.begin(), repeated.end());
    if (tags.size() > static_cast<std::size_t>(jobs::tags_max))
        return invalid(fmt::format("{} must be at most {} tags", name, jobs::tags_max));
    return tags;
}

/// PUT /api/v1/reels/{id}/tags {"tags": [string]}: replaces them. 200 {"tags"}; 400; 404.
awaitable<http::response> put_tags(http::request_context& ctx, jobs::tag_store& tags) {
    const auto id = requested_id(ctx.path_parameter("id"));
    if (!id) co_return ctx.problem(id.error());
    const auto body = ctx.json_body();
    if (!body) co_return ctx.problem(body.error());
    if (!body->contains("tags")) co_return ctx.problem(invalid("tags is required"));
    auto given = requested_tags(*body, "tags");
    if (!given) co_return ctx.problem(given.error());
    const auto done = co_await tags.replace(ctx.caller(), *id, *given, ctx.database_by());
    if (!done) co_return ctx.problem(done.error());
    co_return ctx.json(http::status::ok, json{{"tags", *given}});
}

input<std::vector<job_id>> requested_ids(const json& body) {
    const auto malformed =
        invalid(fmt::format("ids must be an array of 1 to {} ids of reels", ids_most));
    const auto ids = body.find("ids");
    if (ids == body.end() || !ids->is_array() || ids->empty() || ids->size() > ids_most)
        return malformed;
    std::vector<job_id> reels;
    for (const auto& id : *ids) {
        if (!id.is_number_integer() || id < 1 || id > INT64_MAX) return malformed;
        reels.push_back(job_id{id.get<std::int64_t>()});
    }
    return reels;
}

/// POST /api/v1/reels/tags {"ids": [integer], "add"?: [string], "remove"?: [string]}: changes the
/// tags of the account's reels among `ids`. 200 {"reels"}: how many those are; 400.
awaitable<http::response> change_tags(http::request_context& ctx, jobs::tag_store& tags) {
    const auto body = ctx.json_body();
    if (!body) co_return ctx.problem(body.error());
    auto reels = requested_ids(*body);
    if (!reels) co_return ctx.problem(reels.error());
    auto added = requested_tags(*body, "add");
    if (!added) co_return ctx.problem(added.error());
    auto removed = requested_tags(*body, "remove");
    if (!removed) co_return ctx.problem(removed.error());
    const auto changed = co_await tags.change(
        ctx.caller(), *std::move(reels), *std::move(added), *std::move(removed), ctx.database_by());
    if (!changed) co_return ctx.problem(invalid(changed.error().detail()));
    co_return ctx.json(http::status::ok, json{{"reels", *changed}});
}

}  // namespace

void add_tag_routes(http::router& router, std::string_view prefix, jobs::tag_store& tags) {
    router.add(
        {{http::verb::get, "/reels/tags", &list_tags},
         {http::verb::post, "/reels/tags", &change_tags},
         {http::verb::get, "/reels/{id}/tags", &get_tags},
         {http::verb::put, "/reels/{id}/tags", &put_tags}},
        tags,
        prefix);
}

input<std::optional<std::string>> requested_tag(std::optional<std::string_view> text) {
    if (!text) return std::optional<std::string>{};
    auto tag = jobs::tag_from(*text);
    if (!tag) return invalid_parameter(tag.error().detail());
    return std::optional{*std::move(tag)};
}

}  // namespace reelsd::api
