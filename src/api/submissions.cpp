#include "resources.hpp"
#include <reelsd/async/awaitable.hpp>
#include <reelsd/base/file_digest.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/domain/jobs/submission_batcher.hpp>
#include <reelsd/http/router.hpp>
#include <reelsd/model/analysis_options.hpp>
#include <reelsd/model/local_analyzer.hpp>
#include <reelsd/platform/link.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace reelsd::api {
namespace {

using outcome = jobs::submission_result::outcome;

constexpr std::size_t idempotency_key_max = 255;
/// 50 links of 1,300 characters fill a body.
constexpr std::size_t links_max = 50;
/// Larger elements that are not strings are not repeated in the answer.
constexpr std::size_t echo_bytes_max = 256;

/// Checks a link and returns its submission, with the options that all links of the request share.
input<jobs::submission> submission_of(const json& element, const common_options& options) {
    auto url = requested_url(element);
    if (!url) return url.error();
    const auto link = platform::parse_link(*url);
    if (!link) return link.error();
    return jobs::submission{
        .url = *std::move(url),
        .fresh = options.fresh,
        .costs_money = options.costs_money && !link->is_test(),
        .queue = options.queue,
        .idempotency_key = options.idempotency_key,
        .webhook_url = options.webhook_url,
        .options = options.analysis};
}

bool is_accepted(const jobs::submission_result& decision) {
    return decision.decided == outcome::accepted || decision.decided == outcome::repeated;
}

http::response key_in_use(const http::request_context& ctx) {
    return ctx.problem(
        error_reason::idempotency_key_reused, "Idempotency-Key was used with another request");
}

/// The RateLimit fields: the state of the bucket after the decision.
void set_rate_limits(http::response& answer, const jobs::submission_result& decision) {
    answer.set("RateLimit-Limit", std::to_string(decision.rate_limit));
    answer.set("RateLimit-Remaining", std::to_string(decision.rate_remaining));
    answer.set("RateLimit-Reset", std::to_string(decision.rate_reset));
}

http::response refusal(const http::request_context& ctx, const jobs::submission_result& decision) {
    return ctx.problem(
        jobs::refusal_reason(decision), jobs::refusal_text(decision), decision.retry_after);
}

http::response acceptance(
    const http::request_context& ctx, const jobs::submission_result& decision) {
    const json body{{"id", decision.job.value}, {"status", name_of(decision.status)}};
    auto answer = ctx.json(http::status::accepted, body);
    answer.set("Location", fmt::format("{}/reels/{}", ctx.route_prefix(), decision.job.value));
    return answer;
}

awaitable<http::response> submit_one(
    http::request_context& ctx, submission_service& service, const json& body) {
    const auto element = body.value("url", json());
    const auto options = options_in(ctx, body, service);
    auto submission = submission_of(element, options ? *options : common_options{});
    if (!submission) co_return ctx.problem(submission.error());
    if (!options) co_return ctx.problem(options.error());
    if (submission->idempotency_key && !options->analysis.empty()) {
        submission->list =
            jobs::list_element{.request_hash = request_hash_of({&element}, options->analysis)};
    }

    const auto decision = co_await service.submission_batcher.submit(
        ctx.caller(), *std::move(submission), ctx.database_by());
    if (decision.decided == outcome::accepted) service.job_accepted();
    co_return answer_to(ctx, decision);
}

/// One link of a list in the answer; `decision` is null when it was not submitted.
json list_view(
    const json& element, const request_error* objection, const jobs::submission_result* decision) {
    const bool is_long = !element.is_string() && dumped(element).size() > echo_bytes_max;
    json view{{"url", is_long ? json() : element}};
    if (objection != nullptr) {
        view["error"] = objection->detail();
        view["error_code"] = name_of(objection->reason());
    } else if (is_accepted(*decision)) {
        view["id"] = decision->job.value;
        view["status"] = name_of(decision->status);
    } else {
        view["error"] = jobs::refusal_text(*decision);
        view["error_code"] = name_of(jobs::refusal_reason(*decision));
        view["retry_after"] = decision->retry_after;
    }
    return view;
}

/// Submits each link as if it were alone. 202 an array in the order of the links, each with its
/// job's id or the reason of its refusal; 400 malformed list or key.
awaitable<http::response> submit_list(
    http::request_context& ctx, submission_service& service, const json& body) {
    const auto urls = requested_urls(body);
    if (!urls) co_return ctx.problem(urls.error());
    const auto options = options_in(ctx, body, service);
    if (!options) co_return ctx.problem(options.error());
    const auto request_hash =
        options->idempotency_key ? request_hash_of(*urls, options->analysis) : std::string{};

    std::vector<std::optional<request_error>> objections;
    std::vector<jobs::submission> submissions;
    for (const auto* const url : *urls) {
        auto link = submission_of(*url, *options);
        if (link) {
            link->list = jobs::list_element{
                .request_hash = request_hash,
                .position = static_cast<std::int32_t>(objections.size())};
            submissions.push_back(*std::move(link));
        }
        objections.push_back(link ? std::nullopt : std::optional{link.error()});
    }
    std::vector<jobs::submission_result> decided;
    if (!submissions.empty()) {
        decided = co_await service.submission_batcher.submit_all(
            ctx.caller(), std::move(submissions), ctx.database_by());
    }
    const auto has = [&decided](outcome expected) {
        return std::ranges::any_of(
            decided, [expected](const auto& decision) { return decision.decided == expected; });
    };
    if (has(outcome::key_of_another_link)) co_return key_in_use(ctx);
    if (has(outcome::accepted)) service.job_accepted();

    auto views = json::array();
    auto next = decided.begin();
    for (std::size_t i = 0; i < urls->size(); ++i) {
        const auto& objection = objections[i];
        const auto* const decision = objection ? nullptr : &*next++;
        views.push_back(list_view(*(*urls)[i], objection ? &*objection : nullptr, decision));
    }
    auto answer = ctx.json(http::status::accepted, views);
    if (!decided.empty()) set_rate_limits(answer, decided.back());
    co_return answer;
}

/// POST /api/v1/reels/analyze {"url": string, "fresh"?: boolean, "queue"?: boolean,
/// "webhook_url"?: string}: queues one reel for analysis. 202 the durable job's id, or that of the
/// repeated submission; 400 malformed body, link, webhook or key; 429 a limit of the caller's
/// account, or its budget. With {"urls": [string], ...}, see submit_list(); with a file,
/// receive_upload().
awaitable<http::response> create_reel(http::request_context& ctx, submission_service& service) {
    if (ctx.body_stream()) co_return co_await receive_upload(ctx, service);
    const auto body = ctx.json_body();
    if (!body) co_return ctx.problem(body.error());
    if (find_member(*body, "urls") != nullptr) co_return co_await submit_list(ctx, service, *body);
    co_return co_await submit_one(ctx, service, *body);
}

/// The presets of `extract` as JSON text: objects with `name`, `description` and `schema`.
std::string extract_presets_view() {
    auto list = json::array();
    for (const auto& preset : model::extract_presets()) {
        const auto schema = json::parse(preset.schema);
        list.push_back(
            {{"name", preset.name}, {"description", schema.at("description")}, {"schema", schema}});
    }
    return list.dump();
}

/// GET /api/v1/extract-presets: the schemas that `extract` may name. 200 an array.
awaitable<http::response> list_presets(const http::request_context& ctx) {
    static const auto presets = extract_presets_view();
    co_return ctx.json_text(http::status::ok, presets);
}

/// Reads the options of the analysis. `extract` needs an analyzer that is a model.
input<model::analysis_options> requested_analysis(
    const json& body, const submission_service& service) {
    auto options = model::analysis_options_in(body);
    if (!options) {
        // The schema is at fault if the other options are valid.
        auto others = body;
        others.erase("extract");
        const auto reason = model::analysis_options_in(others) ? error_reason::extract_invalid
                                                               : error_reason::body_invalid;
        return invalid(options.error().detail(), reason);
    }
    const auto& names = service.analyzers.names;
    const auto& name = options->analyzer;
    if (!name.empty() && std::ranges::find(names, name) == names.end()) {
        const auto* const choice = names.size() == 1 ? "" : "one of ";
        return invalid(fmt::format("analyzer must be {}{}", choice, fmt::join(names, ", ")));
    }
    if (options->schema.empty()) return *std::move(options);
    if (!service.analyzers.cost_money)
        return invalid("extract needs a model; this server has none", error_reason::model_required);
    if (name == model::local_provider)
        return invalid(
            "extract needs a model, which the analyzer \"local\" does not use",
            error_reason::model_required);
    return *std::move(options);
}

}  // namespace

void add_submission_routes(
    http::router& router, std::string_view prefix, submission_service& service) {
    router.add(
        {// Submissions have their own rate limit.
         {http::verb::post,
          "/reels/analyze",
          &create_reel,
          {.is_rate_limited = false, .streams_body = &is_upload}}},
        service,
        prefix);
}

const json* find_member(const json& body, std::string_view name) {
    const auto found = body.find(name);
    return found == body.end() || found->is_null() ? nullptr : &*found;
}

input<common_options> options_in(
    const http::request_context& ctx, const json& body, const submission_service& service) {
    const auto fresh = requested_flag(body, "fresh");
    if (!fresh) return fresh.error();
    const auto queue = requested_flag(body, "queue");
    if (!queue) return queue.error();
    auto webhook_url = requested_webhook_url(body, "webhook_url", service.check_webhook_url);
    if (!webhook_url) return webhook_url.error();
    auto key = requested_idempotency_key(ctx.header("Idempotency-Key"));
    if (!key) return key.error();
    const auto analysis = requested_analysis(body, service);
    if (!analysis) return analysis.error();
    return common_options{
        .fresh = *fresh == flag::on,
        .queue = *queue == flag::on,
        .webhook_url = *std::move(webhook_url),
        .idempotency_key = *std::move(key),
        .analysis = model::text_of(*analysis),
        .costs_money = service.analyzers.cost_money && analysis->analyzer != model::local_provider};
}

http::response answer_to(
    const http::request_context& ctx, const jobs::submission_result& decision) {
    if (decision.decided == outcome::key_of_another_link) return key_in_use(ctx);
    auto answer = is_accepted(decision) ? acceptance(ctx, decision) : refusal(ctx, decision);
    set_rate_limits(answer, decision);
    return answer;
}

input<std::vector<const json*>> requested_urls(const json& body) {
    if (find_member(body, "url") != nullptr)
        return invalid("give url or urls, not both", error_reason::urls_invalid);
    const auto& urls = body.at("urls");
    if (!urls.is_array() || urls.empty() || urls.size() > links_max)
        return invalid(
            fmt::format("urls must be an array of 1 to {} links", links_max),
            error_reason::urls_invalid);
    std::vector<const json*> elements;
    for (const auto& element : urls) elements.push_back(&element);
    return elements;
}

input<std::string> requested_url(const json& value) {
    const auto missing = invalid("url is required", error_reason::url_required);
    if (value.is_null()) return missing;
    if (!value.is_string()) return invalid("url must be a string", error_reason::url_invalid);
    const auto& text = value.get_ref<const std::string&>();
    return trimmed(text).empty() ? input<std::string>{missing} : text;
}

input<flag> requested_flag(const json& body, const char* name) {
    const auto* const member = find_member(body, name);
    if (member == nullptr) return flag::off;
    if (!member->is_boolean()) return invalid(fmt::format("{} must be true or false", name));
    return member->get<bool>() ? flag::on : flag::off;
}

input<std::optional<std::string>> requested_idempotency_key(
    std::optional<std::string_view> header) {
    if (!header) return std::optional<std::string>{};
    if (header->empty() || header->size() > idempotency_key_max || !is_visible_ascii(*header)) {
        return invalid(
            fmt::format(
                "Idempotency-Key must be 1 to {} visible ASCII characters", idempotency_key_max),
            error_reason::idempotency_key_invalid);
    }
    return std::optional{std::string{*header}};
}

std::string request_hash_of(const std::vector<const json*>& urls, std::string_view analysis) {
    file_digest digest;
    for (const auto* const url : urls) digest.add(dumped(*url).append("\n"));
    digest.add(analysis);
    constexpr std::size_t digits = 32;
    return digest.hex().substr(0, digits);
}

void add_extract_preset_routes(http::router& router, std::string_view prefix) {
    auto pattern = std::string{prefix}.append("/extract-presets");
    router.add(http::verb::get, std::move(pattern), &list_presets, {}, prefix);
}

}  // namespace reelsd::api
