#include "submissions.hpp"

#include <reelsd/base/json.hpp>
#include <reelsd/domain/accounts/secret.hpp>
#include <reelsd/domain/jobs/admission_text.hpp>
#include <reelsd/http/router.hpp>
#include <reelsd/platform/link.hpp>

#include <boost/asio/awaitable.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace reelsd::api {
namespace {

namespace asio = boost::asio;
using outcome = jobs::admission::outcome;

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

constexpr std::size_t idempotency_key_max = 255;

http::response refusal(const http::request_context& ctx, const jobs::admission& decision) {
    auto answer = ctx.problem(http::status::too_many_requests, jobs::refusal_text(decision));
    answer.set("Retry-After", std::to_string(decision.retry_after));
    return answer;
}

http::response acceptance(
    const http::request_context& ctx, const submission_service& service,
    const jobs::admission& decision) {
    const json body{{"id", decision.job.value}, {"status", name_of(decision.status)}};
    auto answer = ctx.json(http::status::accepted, body);
    answer.set("Location", fmt::format("{}/{}", service.reels_path, decision.job.value));
    return answer;
}

http::response submission_answer(
    const http::request_context& ctx, const submission_service& service,
    const jobs::admission& decision) {
    if (decision.decided == outcome::key_of_another_link) return ctx.problem(key_in_use());
    auto answer =
        is_accepted(decision) ? acceptance(ctx, service, decision) : refusal(ctx, decision);
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
    const auto reuse = requested_reuse(body);
    if (!reuse) return reuse.error();
    auto webhook_url = requested_webhook_url(body, "webhook_url", service.check_webhook_url);
    if (!webhook_url) return webhook_url.error();
    auto key = requested_idempotency_key(ctx.header("Idempotency-Key"));
    if (!key) return key.error();
    std::optional<jobs::key_rivals> rivals;
    if (*key) rivals = rivals_of_single(**key);
    return jobs::submission{
        .url = *std::move(url),
        .fresh = *reuse == reuse_policy::forbidden,
        .costs_money = service.analysis_costs_money && !link->is_test(),
        .idempotency_key = *std::move(key),
        .webhook_url = *std::move(webhook_url),
        .rivals = std::move(rivals)};
}

/// With 50 of 1,300 characters each, a list fills a body.
constexpr std::size_t links_max = 50;
/// What an element that is no text may be to be given back: more is no mistake of typing.
constexpr std::size_t echo_bytes_max = 256;

std::string dumped(const json& value) {
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// 128 bits of a hash: nobody finds two texts that share them.
std::string fingerprint(std::string_view text) {
    constexpr std::size_t bytes = 16;
    std::string digits;
    for (const auto byte : accounts::sha256_of(text)) {
        if (digits.size() == 2 * bytes) break;
        digits += fmt::format("{:02x}", byte);
    }
    return digits;
}

std::string stem_of(std::string_view key) {
    return fmt::format("urls {} ", fingerprint(key));
}

/// One link of a list on its way.
struct element {
    const json* sent;
    /// Empty: it is asked for.
    std::string objection = {};
};

json view_of(const element& link) {
    const bool is_long = !link.sent->is_string() && dumped(*link.sent).size() > echo_bytes_max;
    return json{{"url", is_long ? json() : *link.sent}};
}

json refused_view(const element& link) {
    auto view = view_of(link);
    view["error"] = link.objection;
    return view;
}

json decided_view(const element& link, const jobs::admission& decision) {
    auto view = view_of(link);
    if (is_accepted(decision)) {
        view["id"] = decision.job.value;
        view["status"] = name_of(decision.status);
    } else {
        view["error"] = jobs::refusal_text(decision);
        view["retry_after"] = decision.retry_after;
    }
    return view;
}

/// A list as it was asked for, and the submissions of those links that can be asked for.
struct requested_list {
    std::vector<element> links;
    std::vector<jobs::submission> wanted;
};

result<requested_list> list_in(
    const http::request_context& ctx, const json& body, const submission_service& service) {
    const auto urls = requested_urls(body);
    if (!urls) return urls.error();
    const auto reuse = requested_reuse(body);
    if (!reuse) return reuse.error();
    const auto webhook_url = requested_webhook_url(body, "webhook_url", service.check_webhook_url);
    if (!webhook_url) return webhook_url.error();
    const auto key = requested_idempotency_key(ctx.header("Idempotency-Key"));
    if (!key) return key.error();
    std::optional<list_keys> keys;
    if (*key) keys.emplace(**key, *urls);

    requested_list list;
    for (const auto* const sent : *urls) {
        element link{.sent = sent};
        auto url = requested_url_in(*sent);
        const auto parsed = url ? platform::parse_link(*url) : url.error();
        if (!parsed) {
            link.objection = parsed.error().detail();
        } else {
            jobs::submission one{
                .url = *std::move(url),
                .fresh = *reuse == reuse_policy::forbidden,
                .costs_money = service.analysis_costs_money && !parsed->is_test(),
                .webhook_url = *webhook_url};
            if (keys) {
                one.idempotency_key = keys->at(list.links.size());
                one.rivals = keys->rivals();
            }
            list.wanted.push_back(std::move(one));
        }
        list.links.push_back(std::move(link));
    }
    return list;
}

/// POST /api/v1/reels/analyze {"urls": [string], "fresh"?: boolean}: queues several reels, each as
/// if it were alone. 202 an array in the order of the links, each with its job's id or with why it
/// was refused; 400 malformed list or key.
asio::awaitable<http::response> create_reels(
    http::request_context& ctx, submission_service& service, const json& body) {
    auto list = list_in(ctx, body, service);
    if (!list) co_return ctx.problem(list.error());
    std::vector<jobs::admission> decided;
    if (!list->wanted.empty()) {
        decided = co_await service.desk.submit_all(
            ctx.caller(), std::move(list->wanted), ctx.database_by());
    }
    const auto has = [&decided](outcome wanted) {
        return std::any_of(decided.begin(), decided.end(), [wanted](const auto& one) {
            return one.decided == wanted;
        });
    };
    if (has(outcome::key_of_another_link)) co_return ctx.problem(key_in_use());
    if (has(outcome::admitted)) service.job_accepted();

    auto views = json::array();
    auto next = decided.begin();
    for (const auto& link : list->links) {
        views.push_back(link.objection.empty() ? decided_view(link, *next++) : refused_view(link));
    }
    auto answer = ctx.json(http::status::accepted, views);
    if (!decided.empty()) set_rate_limits(answer, decided.back());
    co_return answer;
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
    co_return submission_answer(ctx, service, decision);
}

constexpr auto submission_routes = std::to_array<http::route<submission_service>>({
    {http::verb::post, "/reels/analyze", &create_reel, false},
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

result<reuse_policy> requested_reuse(const json& body) {
    const auto fresh = body.find("fresh");
    if (fresh == body.end() || fresh->is_null()) return reuse_policy::allowed;
    if (!fresh->is_boolean()) return error{errc::invalid_argument, "fresh must be true or false"};
    return fresh->get<bool>() ? reuse_policy::forbidden : reuse_policy::allowed;
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

bool has_urls(const json& body) {
    const auto urls = body.find("urls");
    return urls != body.end() && !urls->is_null();
}

result<std::vector<const json*>> requested_urls(const json& body) {
    const auto url = body.find("url");
    if (url != body.end() && !url->is_null()) {
        return error{errc::invalid_argument, "give url or urls, not both"};
    }
    const auto& urls = body.at("urls");
    if (!urls.is_array() || urls.empty() || urls.size() > links_max) {
        return error{
            errc::invalid_argument,
            fmt::format("urls must be an array of 1 to {} links", links_max)};
    }
    std::vector<const json*> elements;
    for (const auto& one : urls) elements.push_back(&one);
    return elements;
}

list_keys::list_keys(std::string_view key, const std::vector<const json*>& urls)
    : key_{key}, stem_{stem_of(key)} {
    std::string whole;
    for (const auto* const url : urls) whole.append(dumped(*url)).append("\n");
    own_ = fmt::format("{}{} ", stem_, fingerprint(whole));
}

std::string list_keys::at(std::size_t place) const {
    return fmt::format("{}{}", own_, place);
}

jobs::key_rivals list_keys::rivals() const {
    return {.exact = key_, .stem = stem_, .own = own_};
}

jobs::key_rivals rivals_of_single(std::string_view key) {
    return {.stem = stem_of(key)};
}

}  // namespace reelsd::api
