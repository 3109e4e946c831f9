#include "searches.hpp"

#include "json_body.hpp"
#include <reelsd/base/utf8.hpp>
#include <reelsd/http/router.hpp>
#include <reelsd/http/target.hpp>
#include <reelsd/model/search_document.hpp>

#include <boost/asio/awaitable.hpp>

#include <array>
#include <utility>

namespace reelsd::api {
namespace {

namespace asio = boost::asio;

constexpr std::size_t saved_query_characters_max = 500;
constexpr std::size_t name_characters_max = 100;
/// Of a name that is taken from the query: 4 bytes a character.
constexpr std::size_t name_bytes_max = name_characters_max;

result<std::string> requested_query_text(const json& body) {
    const error missing{errc::invalid_argument, "query is required"};
    const auto* const given = find_member(body, "query");
    if (given == nullptr) return missing;
    if (!given->is_string()) return error{errc::invalid_argument, "query must be a string"};
    const auto& text = given->get_ref<const std::string&>();
    auto query = model::query_text(text);
    if (query.empty()) return missing;
    if (code_point_count(text) > saved_query_characters_max)
        return error{errc::invalid_argument, "query is too long"};
    return query;
}

result<double> requested_score(const json& body, double usual) {
    const auto* const given = find_member(body, "min_score");
    if (given == nullptr) return usual;
    const bool is_valid = given->is_number() && *given >= 0 && *given <= 1;
    if (!is_valid) return error{errc::invalid_argument, "min_score must be a number from 0 to 1"};
    return given->get<double>();
}

/// GET /api/v1/searches: the caller's saved searches, oldest first. 200 an array.
asio::awaitable<http::response> list_searches(
    http::request_context& ctx, searches::saved_search_store& store) {
    const auto saved = co_await store.list(ctx.caller(), ctx.database_by());
    auto views = json::array();
    for (const auto& search : saved) views.push_back(saved_search_view(search));
    co_return ctx.json(http::status::ok, views);
}

/// POST /api/v1/searches {"query": string, "name"?: string, "author"?: string, "min_score"?:
/// number}: saves a search. 201 the search; 400 a malformed member, a name in use, or too many.
asio::awaitable<http::response> add_search(
    http::request_context& ctx, searches::saved_search_store& store) {
    const auto body = ctx.json_body();
    if (!body) co_return ctx.problem(body.error());
    auto search = requested_search(*body);
    if (!search) co_return ctx.problem(search.error());
    const auto saved = co_await store.add(ctx.caller(), *std::move(search), ctx.database_by());
    if (!saved) co_return ctx.problem(saved.error());
    co_return ctx.json(http::status::created, saved_search_view(*saved));
}

/// DELETE /api/v1/searches/{id}: also its deliveries that are pending. 204; 404.
asio::awaitable<http::response> remove_search(
    http::request_context& ctx, searches::saved_search_store& store) {
    const auto id = http::requested_number(ctx.path_parameter("id"));
    if (!id) co_return ctx.problem(id.error());
    const bool is_removed =
        co_await store.remove(ctx.caller(), searches::search_id{*id}, ctx.database_by());
    co_return is_removed ? ctx.no_content() : ctx.problem(error{errc::not_found});
}

constexpr auto saved_search_routes = std::to_array<http::route<searches::saved_search_store>>({
    {http::verb::get, "/searches", &list_searches},
    {http::verb::post, "/searches", &add_search},
    {http::verb::remove, "/searches/{id}", &remove_search},
});

}  // namespace

void add_saved_search_routes(
    http::router& router, std::string_view prefix, searches::saved_search_store& store) {
    router.add(saved_search_routes, store, prefix);
}

result<searches::saved_search> requested_search(const json& body) {
    searches::saved_search search;
    auto query = requested_query_text(body);
    if (!query) return query.error();
    search.query = *std::move(query);
    auto name = requested_label(body, "name", name_characters_max);
    if (!name) return name.error();
    search.name = name->value_or(std::string{utf8_prefix(search.query, name_bytes_max)});
    auto author = requested_author_in(body);
    if (!author) return author.error();
    search.author = *std::move(author);
    const auto score = requested_score(body, search.min_score);
    if (!score) return score.error();
    search.min_score = *score;
    return search;
}

json saved_search_view(const searches::saved_search& saved) {
    json view{{"id", saved.id.value}, {"name", saved.name}, {"query", saved.query}};
    if (saved.author) view["author"] = *saved.author;
    view["min_score"] = saved.min_score;
    view["created_at"] = to_rfc3339(saved.created_at);
    return view;
}

}  // namespace reelsd::api
