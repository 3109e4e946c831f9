#include "submissions.hpp"

#include "submission_list.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/domain/jobs/admission_text.hpp>
#include <reelsd/http/router.hpp>
#include <reelsd/platform/link.hpp>

#include <boost/asio/awaitable.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace reelsd::api {
namespace {

namespace asio = boost::asio;
using outcome = jobs::admission::outcome;

constexpr std::size_t idempotency_key_max = 255;

http::response refusal(const http::request_context& ctx, const jobs::admission& decision) {
    auto answer = ctx.problem(http::status::too_many_requests, jobs::refusal_text(decision));
    answer.set("Retry-After", std::to_string(decision.retry_after));
    return answer;
}

http::response acceptance(const http::request_context& ctx, const jobs::admission& decision) {
    const json body{{"id", decision.job.value}, {"status", name_of(decision.status)}};
    auto answer = ctx.json(http::status::accepted, body);
    // Below the prefix that the client has come by.
    const auto reels = ctx.route().substr(0, ctx.route().rfind('/'));
    answer.set("Location", fmt::format("{}/{}", reels, decision.job.value));
    return answer;
}

http::response submission_answer(
    const http::request_context& ctx, const jobs::admission& decision) {
    if (decision.decided == outcome::key_of_another_link) return ctx.problem(key_in_use());
    auto answer = is_accepted(decision) ? acceptance(ctx, decision) : refusal(ctx, decision);
    set_rate_limits(answer, decision);
    return answer;
}

/// What the client asks for, checked: the link itself is a reel's.
result<jobs::submission> requested_submission(
    const http::request_context& ctx, const json& body, const submission_service& service) {
    auto url = requested_url(body);
    if (!url) return url.error();
    const auto link = platform::parse_link(*url);
    if (!link) return link.error();
    const auto earlier = requested_fresh(body);
    if (!earlier) return earlier.error();
    auto webhook_url = requested_webhook_url(body, "webhook_url", service.check_webhook_url);
    if (!webhook_url) return webhook_url.error();
    auto key = requested_idempotency_key(ctx.header("Idempotency-Key"));
    if (!key) return key.error();
    std::optional<jobs::key_rivals> rivals;
    if (*key) rivals = rivals_of_single(**key);
    return jobs::submission{
        .url = *std::move(url),
        .fresh = *earlier == earlier_analysis_wish::unwanted,
        .costs_money = service.analysis_costs_money && !link->is_test(),
        .idempotency_key = *std::move(key),
        .webhook_url = *std::move(webhook_url),
        .rivals = std::move(rivals)};
}

/// POST /api/v1/reels/analyze {"url": string, "fresh"?: boolean, "webhook_url"?: string}: queues
/// one reel for analysis. 202 the job's id, durable, or that of the same submission repeated; 400
/// malformed body, link, webhook or key; 429 a limit of the caller's account, or its budget. With
/// "urls", see create_reels().
asio::awaitable<http::response> create_reel(
    http::request_context& ctx, submission_service& service) {
    const auto body = ctx.json_body();
    if (!body) co_return ctx.problem(body.error());
    if (has_urls(*body)) co_return co_await create_reels(ctx, service, *body);
    auto wanted = requested_submission(ctx, *body, service);
    if (!wanted) co_return ctx.problem(wanted.error());
    const auto decision =
        co_await service.desk.submit(ctx.caller(), *std::move(wanted), ctx.database_by());
    if (decision.decided == outcome::admitted) service.job_accepted();
    co_return submission_answer(ctx, decision);
}

constexpr auto submission_routes = std::to_array<http::route<submission_service>>({
    {http::verb::post, submission_route, &create_reel},
});

}  // namespace

void add_submission_routes(
    http::router& router, std::string_view prefix, submission_service& service) {
    router.add(submission_routes, service, prefix);
}

result<std::string> requested_url(const json& body) {
    const auto url = body.find("url");
    return requested_url_in(url == body.end() ? json() : *url);
}

result<std::string> requested_url_in(const json& value) {
    const error missing{errc::invalid_argument, "url is required"};
    if (value.is_null()) return missing;
    if (!value.is_string()) return error{errc::invalid_argument, "url must be a string"};
    const auto& text = value.get_ref<const std::string&>();
    if (text.find_first_not_of(" \t\r\n\v\f") == std::string::npos) return missing;
    return text;
}

result<earlier_analysis_wish> requested_fresh(const json& body) {
    const auto fresh = body.find("fresh");
    if (fresh == body.end() || fresh->is_null()) return earlier_analysis_wish::welcome;
    if (!fresh->is_boolean()) return error{errc::invalid_argument, "fresh must be true or false"};
    return fresh->get<bool>() ? earlier_analysis_wish::unwanted : earlier_analysis_wish::welcome;
}

result<std::optional<std::string>> requested_idempotency_key(
    std::optional<std::string_view> header) {
    if (!header) return std::optional<std::string>{};
    const bool is_visible =
        std::all_of(header->begin(), header->end(), [](char c) { return c > ' ' && c <= '~'; });
    if (header->empty() || header->size() > idempotency_key_max || !is_visible) {
        return error{
            errc::invalid_argument,
            fmt::format(
                "Idempotency-Key must be 1 to {} visible ASCII characters", idempotency_key_max)};
    }
    return std::optional{std::string{*header}};
}

bool is_accepted(const jobs::admission& decision) {
    return decision.decided == outcome::admitted || decision.decided == outcome::repeated;
}

error key_in_use() {
    return error{errc::invalid_argument, "Idempotency-Key was used with another link"};
}

void set_rate_limits(http::response& answer, const jobs::admission& decision) {
    answer.set("RateLimit-Limit", std::to_string(decision.rate_limit));
    answer.set("RateLimit-Remaining", std::to_string(decision.rate_remaining));
    answer.set("RateLimit-Reset", std::to_string(decision.rate_reset));
}

}  // namespace reelsd::api
