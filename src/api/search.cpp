#include "resources.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/base/utf8.hpp>
#include <reelsd/http/target.hpp>
#include <reelsd/model/passage_finder.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <variant>

namespace reelsd::api {
namespace {

namespace asio = boost::asio;
using questions::refusal;

constexpr int hits_usual = 10;
constexpr int hits_most = 50;
constexpr std::size_t query_characters_max = 500;
constexpr std::size_t label_characters_max = 100;
/// Of a name that is taken from the query: 4 bytes a character.
constexpr std::size_t name_bytes_max = label_characters_max;

/// A text of 1 to `characters_max` characters, and the reasons to refuse it.
struct text_field {
    std::string_view name;
    std::size_t characters_max;
    error_reason required;
    error_reason too_long;
};
constexpr text_field q_field{
    "q", query_characters_max, error_reason::q_required, error_reason::q_too_long};
constexpr text_field query_field{
    "query", query_characters_max, error_reason::query_required, error_reason::query_too_long};
constexpr text_field question_field{
    "question",
    questions::question_characters_max,
    error_reason::question_required,
    error_reason::question_too_long};

/// Not all blank. Ignores control characters and invalid UTF-8.
input<std::string> checked_text(const text_field& field, std::string_view text) {
    auto query = model::query_text(text);
    if (query.empty())
        return request_error{field.required, fmt::format("{} is required", field.name)};
    if (code_point_count(text) > field.characters_max)
        return request_error{field.too_long, fmt::format("{} is too long", field.name)};
    return query;
}

/// Likewise, a member.
input<std::string> requested_text(const json& body, const text_field& field) {
    const auto* const given = find_member(body, field.name);
    if (given == nullptr)
        return request_error{field.required, fmt::format("{} is required", field.name)};
    if (!given->is_string()) return invalid(fmt::format("{} must be a string", field.name));
    return checked_text(field, given->get_ref<const std::string&>());
}

request_error wrong_length(std::string_view name) {
    return invalid(fmt::format("{} must be 1 to {} characters", name, label_characters_max));
}

/// A text of 1 to `label_characters_max` characters on one line.
input<std::optional<std::string>> requested_label(const json& body, std::string_view name) {
    const auto* const given = find_member(body, name);
    if (given == nullptr) return std::optional<std::string>{};
    if (!given->is_string()) return invalid(fmt::format("{} must be a string", name));
    auto label = model::query_text(given->get_ref<const std::string&>());
    const auto is_break = [](char byte) { return byte == '\n' || byte == '\t'; };
    std::ranges::replace_if(label, is_break, ' ');
    const auto characters = code_point_count(label);
    if (characters < 1 || characters > label_characters_max) return wrong_length(name);
    return std::optional{std::move(label)};
}

/// The `author` member, without the sign before it.
input<std::optional<std::string>> requested_author_in(const json& body) {
    auto author = requested_label(body, "author");
    if (!author || !*author) return author;
    *author = without_sign(**author);
    if ((*author)->empty()) return wrong_length("author");
    return author;
}

jobs::search_request search_for(
    const std::string& text, const model::concept_vector& concepts, int hits_max) {
    jobs::search_request request{.text = model::search_text(text), .hits_max = hits_max};
    for (const auto& part : concepts) {
        request.concepts.push_back(part.concept_id);
        request.concept_weights.push_back(static_cast<double>(part.weight));
    }
    return request;
}

input<jobs::search_filter> requested_search_filter(const http::request_context& ctx) {
    auto tag = requested_tag(ctx.query("tag"));
    if (!tag) return tag.error();
    auto author = requested_author(ctx.query("author"));
    if (!author) return author.error();
    const auto created = requested_creation(ctx);
    if (!created) return created.error();
    return jobs::search_filter{
        .tag = *std::move(tag),
        .author = *std::move(author),
        .created_from = created->from,
        .created_before = created->before};
}

/// GET /api/v1/reels/search?q=&limit=&tag=&author=&from=&to=&details=: the caller's done reels that
/// match `q`, best first. 200 an array; 400 a malformed parameter.
asio::awaitable<http::response> search_reels(http::request_context& ctx, search_service& service) {
    const auto text = requested_query(ctx.query("q"));
    if (!text) co_return ctx.problem(text.error());
    const auto limit = http::requested_limit(ctx.query("limit"), hits_usual, hits_most);
    if (!limit) co_return ctx.problem(limit.error());
    auto filter = requested_search_filter(ctx);
    if (!filter) co_return ctx.problem(filter.error());
    const auto details = requested_boolean(ctx.query("details"), "details");
    if (!details) co_return ctx.problem(details.error());

    const model::weighted_text whole{*text};
    const auto concepts = service.embedder.concepts_of({&whole, 1}, model::query_concepts_max);
    auto request = search_for(*text, concepts, *limit);
    request.filter = *std::move(filter);
    request.details = *details == flag::on;
    if (service.near_reels) {
        request.near = co_await service.near_reels(ctx.caller(), *text);
        ctx.restart_database_time();  // A model has taken some time.
    }
    auto hits = co_await service.search.find(ctx.caller(), std::move(request), ctx.database_by());

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

/// The index of the last key moment at or before a time. Passages have the times of moments, but
/// not their indexes: nullopt when the times do not match the pictures one to one.
std::optional<std::size_t> moment_at(
    double seconds, const std::vector<model::stored_passage>& passages, int frames) {
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
    const jobs::search_hit& hit, const std::vector<model::stored_passage>& passages,
    const model::stored_passage* best) {
    if (best == nullptr) return {{"field", "content.summary"}, {"text", hit.brief.summary}};
    json match{{"field", best->field}, {"text", best->text}};
    if (!best->seconds) return match;
    match["seconds"] = *best->seconds;
    if (const auto moment = moment_at(*best->seconds, passages, hit.frames)) {
        match["frame"] = fmt::format("/api/v1/reels/{}/frames/{}", hit.id.value, *moment);
    }
    return match;
}

input<double> requested_score(const json& body, double usual) {
    const auto* const given = find_member(body, "min_score");
    if (given == nullptr) return usual;
    const bool is_valid = given->is_number() && *given >= 0 && *given <= 1;
    if (!is_valid) return invalid("min_score must be a number from 0 to 1");
    return given->get<double>();
}

/// Reads {"query": string, "name"?: string, "author"?: string, "min_score"?: number}. The name of a
/// search without one is the beginning of its query.
input<searches::saved_search> requested_search(const json& body) {
    searches::saved_search search;
    auto query = requested_text(body, query_field);
    if (!query) return query.error();
    search.query = *std::move(query);
    auto name = requested_label(body, "name");
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

input<int> requested_reels(const json& body) {
    const auto* const member = find_member(body, "limit");
    if (member == nullptr) return questions::reels_usual;
    const bool is_valid =
        member->is_number_integer() && *member >= 1 && *member <= questions::reels_most;
    if (!is_valid)
        return invalid(fmt::format("limit must be an integer from 1 to {}", questions::reels_most));
    return member->get<int>();
}

/// Reads {"question": string, "limit"?: integer, "author"?: string}; the last two only of a
/// question to the library, not to one `reel`.
input<questions::question> requested_question(const json& body, std::optional<job_id> reel) {
    auto text = requested_text(body, question_field);
    if (!text) return text.error();
    questions::question question{.text = *std::move(text), .reel = reel};
    if (reel) return question;
    const auto reels = requested_reels(body);
    if (!reels) return reels.error();
    question.reels_max = *reels;
    auto author = requested_author_in(body);
    if (!author) return author.error();
    question.author = *std::move(author);
    return question;
}

json citation_view(const questions::citation& cited) {
    json view{
        {"id", cited.id.value}, {"code", cited.code}, {"field", cited.field}, {"text", cited.text}};
    if (cited.seconds) view["seconds"] = *cited.seconds;
    return view;
}

/// An answer as JSON (schema `Answer` of docs/openapi.yaml).
std::string answer_view(const questions::answer& answer) {
    auto citations = json::array();
    for (const auto& cited : answer.citations) citations.push_back(citation_view(cited));
    const json view{
        {"answered", answer.is_answered},
        {"answer", answer.text},
        {"citations", std::move(citations)},
        {"model", {{"provider", answer.provider}, {"name", answer.model}}}};
    auto text = dumped(view);
    // JSON libraries write numbers in binary floating point.
    text.back() = ',';
    return text.append(R"("cost_usd":)").append(answer.cost_usd.value_or("null")).append("}");
}

/// Empty: the status says it.
std::optional<error_reason> reason_of(refusal::reason why) {
    switch (why) {
        case refusal::reason::no_model: return error_reason::model_required;
        case refusal::reason::not_done: return error_reason::reel_not_done;
        case refusal::reason::rate_limited: return error_reason::rate_limit_submissions;
        case refusal::reason::budget_spent: return error_reason::budget_exceeded;
        case refusal::reason::not_found:
        case refusal::reason::unavailable: break;
    }
    return std::nullopt;
}

http::response response_to(const http::request_context& ctx, const refusal& refused) {
    if (const auto reason = reason_of(refused.why))
        return ctx.problem(*reason, refused.text, refused.retry_after);
    const bool is_missing = refused.why == refusal::reason::not_found;
    auto response = ctx.problem(
        is_missing ? http::status::not_found : http::status::service_unavailable, refused.text);
    if (refused.retry_after > 0) response.set("Retry-After", std::to_string(refused.retry_after));
    return response;
}

asio::awaitable<http::response> ask(
    http::request_context& ctx, const questions::answerer& answerer, std::optional<job_id> reel) {
    const auto body = ctx.json_body();
    if (!body) co_return ctx.problem(body.error());
    auto question = requested_question(*body, reel);
    if (!question) co_return ctx.problem(question.error());
    const auto outcome = co_await answerer(ctx.caller(), *std::move(question), ctx.stop());
    if (const auto* const refused = std::get_if<refusal>(&outcome))
        co_return response_to(ctx, *refused);
    co_return ctx.json_text(http::status::ok, answer_view(std::get<questions::answer>(outcome)));
}

/// POST /api/v1/reels/{id}/ask {"question": string}: answers from one of the caller's done reels,
/// with citations. 200; 400 a malformed question, a reel that is not done, or no model; 404; 429
/// the rate of submissions or the budget; 503 the model cannot be reached.
asio::awaitable<http::response> ask_reel(
    http::request_context& ctx, const questions::answerer& answerer) {
    const auto id = requested_id(ctx.path_parameter("id"));
    if (!id) co_return ctx.problem(id.error());
    co_return co_await ask(ctx, answerer, *id);
}

/// POST /api/v1/reels/ask {"question": string, "limit"?: integer, "author"?: string}: the same for
/// the caller's library.
asio::awaitable<http::response> ask_library(
    http::request_context& ctx, const questions::answerer& answerer) {
    co_return co_await ask(ctx, answerer, std::nullopt);
}

}  // namespace

void add_search_routes(http::router& router, std::string_view prefix, search_service& service) {
    router.add({{http::verb::get, "/reels/search", &search_reels}}, service, prefix);
}

input<std::string> requested_query(std::optional<std::string_view> text) {
    return checked_text(q_field, text.value_or(""));
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
    auto text = dumped(view);
    if (!hit.details) return text;
    text.pop_back();  // The closing brace.
    return fmt::format("{},{}}}", text, *hit.details);
}

void add_saved_search_routes(
    http::router& router, std::string_view prefix, searches::saved_search_store& store) {
    router.add(
        {{http::verb::get, "/searches", &list_searches},
         {http::verb::post, "/searches", &add_search},
         {http::verb::remove, "/searches/{id}", &remove_search}},
        store,
        prefix);
}

void add_ask_routes(
    http::router& router, std::string_view prefix, const questions::answerer& answer) {
    router.add(
        {{http::verb::post, "/reels/ask", &ask_library},
         {http::verb::post, "/reels/{id}/ask", &ask_reel}},
        answer,
        prefix);
}

}  // namespace reelsd::api
