#include "search.hpp"

#include <reelsd/base/json.hpp>
#include <reelsd/base/utf8.hpp>
#include <reelsd/http/router.hpp>
#include <reelsd/http/target.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

namespace reelsd::api {
namespace {

namespace asio = boost::asio;

constexpr int hits_usual = 10;
constexpr int hits_most = 50;
constexpr std::size_t query_characters_max = 500;

jobs::search_request search_for(
    const std::string& text, const model::concept_vector& concepts, int hits_max) {
    jobs::search_request request{.text = text, .hits_max = hits_max};
    for (const auto& part : concepts) {
        request.concepts.push_back(part.concept_id);
        request.concept_weights.push_back(static_cast<double>(part.weight));
    }
    return request;
}

/// GET /api/v1/reels/search?q=&limit=: the caller's done reels that match `q`, best first. 200 an
/// array; 400 a malformed parameter.
asio::awaitable<http::response> search_reels(http::request_context& ctx, search_service& service) {
    const auto text = requested_query(ctx.query("q"));
    if (!text) co_return ctx.problem(text.error());
    const auto limit = http::requested_limit(ctx.query("limit"), hits_usual, hits_most);
    if (!limit) co_return ctx.problem(limit.error());

    const model::weighted_text whole{*text};
    const auto concepts = service.embedder.concepts_of({&whole, 1}, model::query_concepts_max);
    auto request = search_for(*text, concepts, *limit);
    if (service.near_reels) {
        request.near = co_await service.near_reels(ctx.caller(), *text);
        ctx.restart_database_time();  // A model has taken some time.
    }
    const auto hits =
        co_await service.search.find(ctx.caller(), std::move(request), ctx.database_by());

    const model::passage_finder finder{*text, concepts};
    std::vector<std::string> views;
    for (const auto& hit : hits) {
        // Yields the loop, because a long reel has hundreds of passages.
        co_await asio::post(asio::use_awaitable);
        auto view = hit_view(hit, finder);
        if (!view) co_return ctx.problem(view.error());
        views.push_back(*std::move(view));
    }
    co_return ctx.json_text(http::status::ok, fmt::format("[{}]", fmt::join(views, ",")));
}

constexpr auto search_routes = std::to_array<http::route<search_service>>({
    {http::verb::get, "/reels/search", &search_reels},
});

/// The index of the last key moment at or before a time. Passages have the times of moments, but
/// not their indexes: nullopt when the times do not match the pictures one to one.
std::optional<std::size_t> moment_at(
    double seconds, const std::vector<model::passage>& passages, int frames) {
    std::vector<double> moments;  // Ascending. A long description has several passages.
    for (const auto& passage : passages) {
        const bool is_moment = passage.field == "content.key_moments" && passage.seconds;
        if (is_moment && (moments.empty() || moments.back() < *passage.seconds)) {
            moments.push_back(*passage.seconds);
        }
    }
    if (moments.size() != static_cast<std::size_t>(frames)) return std::nullopt;
    const auto later = std::upper_bound(moments.begin(), moments.end(), seconds);
    if (later == moments.begin()) return std::nullopt;
    return static_cast<std::size_t>(later - moments.begin()) - 1;
}

json match_view(
    const jobs::search_hit& hit, const std::vector<model::passage>& passages,
    const model::passage* best) {
    if (best == nullptr) return {{"field", "content.summary"}, {"text", hit.brief.summary}};
    json match{{"field", best->field}, {"text", best->text}};
    if (!best->seconds) return match;
    match["seconds"] = *best->seconds;
    if (const auto moment = moment_at(*best->seconds, passages, hit.frames)) {
        match["frame"] = fmt::format("/api/v1/reels/{}/frames/{}", hit.id.value, *moment);
    }
    return match;
}

}  // namespace

void add_search_routes(http::router& router, std::string_view prefix, search_service& service) {
    router.add(search_routes, service, prefix);
}

result<std::string> requested_query(std::optional<std::string_view> text) {
    const error missing{errc::invalid_argument, "q is required"};
    if (!text) return missing;
    auto query = model::query_text(*text);
    if (query.empty()) return missing;
    if (code_point_count(*text) > query_characters_max) {
        return error{errc::invalid_argument, "q is too long"};
    }
    return query;
}

result<std::string> hit_view(const jobs::search_hit& hit, const model::passage_finder& finder) {
    const auto passages = model::passages_from(hit.passages);
    if (!passages) return passages.error();
    const json view{
        {"id", hit.id.value},
        {"url", hit.url},
        {"code", hit.brief.code},
        {"author", hit.brief.author},
        {"created_at", to_rfc3339(hit.created_at)},
        {"summary", hit.brief.summary},
        // More digits are not significant.
        {"score", std::round(hit.score * 1e4) / 1e4},
        {"match", match_view(hit, *passages, finder.best_of(*passages))}};
    return view.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace reelsd::api
