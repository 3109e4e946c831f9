#include "ask.hpp"

#include "json_body.hpp"
#include "reels.hpp"
#include <reelsd/base/utf8.hpp>
#include <reelsd/http/router.hpp>
#include <reelsd/model/search_document.hpp>

#include <boost/asio/awaitable.hpp>

#include <fmt/format.h>

#include <array>
#include <utility>
#include <variant>

namespace reelsd::api {
namespace {

namespace asio = boost::asio;
using questions::refusal;

error invalid(std::string detail) {
    return error{errc::invalid_argument, std::move(detail)};
}

result<std::string> requested_text(const json& body) {
    const auto missing = invalid("question is required");
    const auto* const member = find_member(body, "question");
    if (member == nullptr) return missing;
    if (!member->is_string()) return invalid("question must be a string");
    const auto& text = member->get_ref<const std::string&>();
    auto question = model::query_text(text);
    if (question.empty()) return missing;
    if (code_point_count(text) > questions::question_characters_max)
        return invalid("question is too long");
    return question;
}

result<int> requested_reels(const json& body) {
    const auto* const member = find_member(body, "limit");
    if (member == nullptr) return questions::reels_usual;
    const bool is_valid =
        member->is_number_integer() && *member >= 1 && *member <= questions::reels_most;
    if (!is_valid)
        return invalid(fmt::format("limit must be an integer from 1 to {}", questions::reels_most));
    return member->get<int>();
}

http::status status_of(refusal::reason why) {
    switch (why) {
        case refusal::reason::no_model:
        case refusal::reason::not_done: return http::status::bad_request;
        case refusal::reason::not_found: return http::status::not_found;
        case refusal::reason::rate_limited:
        case refusal::reason::budget_spent: return http::status::too_many_requests;
        case refusal::reason::unavailable: break;
    }
    return http::status::service_unavailable;
}

http::response response_to(const http::request_context& ctx, const refusal& refused) {
    auto response = ctx.problem(status_of(refused.why), refused.text);
    if (refused.retry_after > 0) response.set("Retry-After", std::to_string(refused.retry_after));
    return response;
}

asio::awaitable<http::response> ask(
    http::request_context& ctx, const questions::answerer& answerer, question_scope scope,
    std::optional<job_id> reel) {
    const auto body = ctx.json_body();
    if (!body) co_return ctx.problem(body.error());
    auto question = requested_question(*body, scope);
    if (!question) co_return ctx.problem(question.error());
    if (!answerer) co_return response_to(ctx, questions::no_model());
    question->reel = reel;
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
    co_return co_await ask(ctx, answerer, question_scope::reel, *id);
}

/// POST /api/v1/reels/ask {"question": string, "limit"?: integer, "author"?: string}: the same for
/// the caller's library.
asio::awaitable<http::response> ask_library(
    http::request_context& ctx, const questions::answerer& answerer) {
    co_return co_await ask(ctx, answerer, question_scope::library, std::nullopt);
}

constexpr auto ask_routes = std::to_array<http::route<const questions::answerer>>({
    {http::verb::post, "/reels/ask", &ask_library},
    {http::verb::post, "/reels/{id}/ask", &ask_reel},
});

json citation_view(const questions::citation& cited) {
    json view{
        {"id", cited.id.value}, {"code", cited.code}, {"field", cited.field}, {"text", cited.text}};
    if (cited.seconds) view["seconds"] = *cited.seconds;
    return view;
}

}  // namespace

void add_ask_routes(
    http::router& router, std::string_view prefix, const questions::answerer& answer) {
    router.add(ask_routes, answer, prefix);
}

result<questions::question> requested_question(const json& body, question_scope scope) {
    auto text = requested_text(body);
    if (!text) return text.error();
    questions::question question{.text = *std::move(text)};
    if (scope == question_scope::reel) return question;
    const auto reels = requested_reels(body);
    if (!reels) return reels.error();
    question.reels_max = *reels;
    auto author = requested_author_in(body);
    if (!author) return author.error();
    question.author = *std::move(author);
    return question;
}

std::string answer_view(const questions::answer& answer) {
    auto citations = json::array();
    for (const auto& cited : answer.citations) citations.push_back(citation_view(cited));
    const json view{
        {"answered", answer.is_answered},
        {"answer", answer.text},
        {"citations", std::move(citations)},
        {"model", {{"provider", answer.provider}, {"name", answer.model}}}};
    auto text = view.dump(-1, ' ', false, json::error_handler_t::replace);
    // JSON libraries write numbers in binary floating point.
    text.back() = ',';
    return text.append(R"("cost_usd":)").append(answer.cost_usd.value_or("null")).append("}");
}

}  // namespace reelsd::api
