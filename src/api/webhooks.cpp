#include "resources.hpp"
#include <reelsd/async/awaitable.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/http/router.hpp>
#include <reelsd/http/target.hpp>
#include <reelsd/model/result_document.hpp>
#include <reelsd/platform/post.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>

namespace reelsd::api {
namespace {

constexpr int deliveries_usual = 20;
constexpr int deliveries_most = 100;

/// A token that only reads must not allow its holder to sign, so the secret is left out.
json settings_view(const webhooks::webhook_settings& settings, token_scope scope) {
    json view{{"url", nullptr}, {"events", settings.events}};
    if (scope == token_scope::all) view["secret"] = settings.secret;
    if (settings.url) view["url"] = *settings.url;
    if (settings.previous_secret_expires_at) {
        view["previous_secret_expires_at"] = to_rfc3339(*settings.previous_secret_expires_at);
    }
    return view;
}

/// A done reel whose result is complete, but says only that it is a test.
jobs::job sample_reel(time_point at) {
    constexpr std::string_view link = "https://www.instagram.com/reel/reelsd-sample/";
    model::findings findings;
    findings.content.summary = "This is a test of your webhook.";
    findings.provider = findings.model_name = "test";
    model::file_facts file;
    file.probe.duration_seconds = 1;
    file.probe.width = 720;
    file.probe.height = 1280;
    file.probe.frame_rate = 30;
    file.probe.video_codec = "h264";
    file.size_bytes = 1;
    file.sha256 = std::string(64, '0');
    platform::post post;
    post.code = "reelsd-sample";
    post.url = link;
    jobs::job reel;
    reel.url = link;
    reel.status = jobs::job_status::done;
    reel.created_at = at;
    reel.started_at = reel.finished_at = at;
    reel.result =
        model::assemble_result(findings, file, platform::platform_meta_of(post)).value().dump();
    return reel;
}

/// The body of a test that was sent `at`. Pure.
std::string test_body(time_point at) {
    webhooks::claimed_delivery delivery;
    delivery.job = sample_reel(at);
    delivery.is_test = true;
    return webhooks::delivery_body(delivery);
}

double rounded_seconds(seconds_f took) {
    return std::round(took.count() * 1e3) / 1e3;
}

json delivery_view(const webhooks::delivery& delivery) {
    json view{
        {"id", delivery.id.value},
        {"webhook_id", delivery.message_id},
        {"url", delivery.url},
        {"state", name_of(delivery.state)},
        {"tries", delivery.tries},
        {"created_at", to_rfc3339(delivery.created_at)}};
    if (delivery.job) view["job_id"] = delivery.job->value;
    if (delivery.search) view["search_id"] = *delivery.search;
    if (delivery.status_code) view["status_code"] = *delivery.status_code;
    if (!delivery.cause.empty()) view["cause"] = delivery.cause;
    if (delivery.took) view["seconds"] = rounded_seconds(*delivery.took);
    if (!delivery.answer.empty()) view["body"] = delivery.answer;
    // The sample contains the time of the test.
    if (!delivery.job && delivery.took && delivery.tried_at)
        view["sent_body"] = test_body(*delivery.tried_at);
    if (delivery.tried_at) view["tried_at"] = to_rfc3339(*delivery.tried_at);
    if (delivery.next_try_at) view["next_try_at"] = to_rfc3339(*delivery.next_try_at);
    if (delivery.ended_at) view["ended_at"] = to_rfc3339(*delivery.ended_at);
    return view;
}

/// GET /api/v1/webhook: the account's default address and secret, created if there is none. 200.
awaitable<http::response> get_webhook(http::request_context& ctx, webhook_service& service) {
    const auto settings = co_await service.settings.find(ctx.caller(), ctx.database_by());
    co_return ctx.json(http::status::ok, settings_view(settings, ctx.identity().scope));
}

input<std::optional<std::vector<std::string>>> requested_events(const json& body) {
    const auto* const given = find_member(body, "events");
    if (given == nullptr) return std::optional<std::vector<std::string>>{};
    const auto is_event = [](const json& event) {
        return std::ranges::any_of(
            webhooks::event_names, [&](std::string_view name) { return event == name; });
    };
    // JSON values do not model the ranges of libstdc++ 14.
    if (!given->is_array() || given->empty() ||
        !std::all_of(given->begin(), given->end(), is_event))
        return invalid(fmt::format(
            "events must be an array of one or more of {}",
            fmt::join(webhooks::event_names, ", ")));
    std::vector<std::string> events;
    for (const auto name : webhooks::event_names) {
        if (std::find(given->begin(), given->end(), name) != given->end())
            events.emplace_back(name);
    }
    return std::optional{std::move(events)};
}

/// PUT /api/v1/webhook {"url": string or null, "events"?: [string]}: sets or removes the default
/// address, and which events it receives. 200 as GET; 400.
awaitable<http::response> put_webhook(http::request_context& ctx, webhook_service& service) {
    const auto body = ctx.json_body();
    if (!body) co_return ctx.problem(body.error());
    if (!body->contains("url"))
        co_return ctx.problem(invalid("url is required", error_reason::url_required));
    auto url = requested_webhook_url(*body, "url", service.check_url);
    if (!url) co_return ctx.problem(url.error());
    auto events = requested_events(*body);
    if (!events) co_return ctx.problem(events.error());
    co_await service.settings.set_url(
        ctx.caller(), *std::move(url), ctx.database_by(), *std::move(events));
    co_return co_await get_webhook(ctx, service);
}

/// POST /api/v1/webhook/rotate: a new secret; the old one also signs for 24 hours. 200 as GET.
awaitable<http::response> rotate_secret(http::request_context& ctx, webhook_service& service) {
    co_await service.settings.rotate_secret(ctx.caller(), ctx.database_by());
    co_return co_await get_webhook(ctx, service);
}

json test_view(const webhooks::delivery_test& test) {
    json view{
        {"url", test.url},
        {"delivered", test.cause.empty()},
        {"seconds", rounded_seconds(test.record.took)}};
    if (!test.cause.empty()) view["cause"] = test.cause;
    if (!test.status_code) return view;
    view["status_code"] = *test.status_code;
    view["body"] = test.record.answer;
    return view;
}

/// The answer 429 to a test that is over a limit. Counts any other.
std::optional<http::response> count_test(
    const http::request_context& ctx, webhook_service& service) {
    constexpr std::size_t running_max = 2;
    if (service.tests_in_progress.count(ctx.caller()) >= running_max) {
        return ctx.problem(
            error_reason::limit_webhook_tests,
            fmt::format("limit of {} webhook tests at the same time reached", running_max),
            static_cast<int>(webhooks::try_time_max.count()));
    }
    constexpr int tests_per_minute = 6;
    const int wait =
        service.test_rate.take(ctx.caller(), tests_per_minute, std::chrono::steady_clock::now());
    if (wait == 0) return std::nullopt;
    return ctx.problem(
        error_reason::rate_limit_webhook_tests,
        fmt::format("limit of {} webhook tests per minute reached", tests_per_minute),
        wait);
}

/// POST /api/v1/webhook/test {"url"?: string}: sends a sample once, to the default address or to
/// `url`, as a delivery would be sent, and logs it with the deliveries. 200 the receiver's answer
/// or why there was none; 400; 429.
awaitable<http::response> test_webhook(http::request_context& ctx, webhook_service& service) {
    auto body = json::object();
    if (!ctx.request().body.empty()) {
        auto sent = ctx.json_body();
        if (!sent) co_return ctx.problem(sent.error());
        body = *std::move(sent);
    }
    auto url = requested_webhook_url(body, "url", service.check_url);
    if (!url) co_return ctx.problem(url.error());
    const auto settings = co_await service.settings.find(ctx.caller(), ctx.database_by());
    webhooks::claimed_delivery delivery;
    delivery.url = *url ? *url : settings.url;
    if (!delivery.url) {
        co_return ctx.problem(error_reason::webhook_required, "set an address first, or give url");
    }
    // A request that is refused with 400 sends nothing, and costs none.
    if (auto refused = count_test(ctx, service)) co_return *std::move(refused);
    auto& running = service.tests_in_progress;
    const auto end = [&running, place = running.insert(ctx.caller())](const void*) {
        running.erase(place);
    };
    const std::unique_ptr<const void, decltype(end)> in_progress{&running, end};
    delivery.message_id = "msg_test_" + accounts::generate_secret();
    const auto tried_at =
        std::chrono::floor<time_point::duration>(std::chrono::system_clock::now());
    delivery.job = sample_reel(tried_at);
    delivery.is_test = true;
    delivery.secrets = settings.secrets;
    webhooks::delivery_test test{
        .message_id = delivery.message_id, .url = *delivery.url, .tried_at = tried_at};
    const auto began = std::chrono::steady_clock::now();
    auto ended = co_await service.try_once(std::move(delivery), ctx.stop());
    if (!ended) co_return ctx.problem(ended.error());
    test.record.took = std::chrono::steady_clock::now() - began;
    test.record.answer = std::move(ended->answer);
    test.status_code = ended->status_code;
    if (!ended->status_code || !webhooks::is_success(*ended->status_code))
        test.cause = webhooks::cause_of(*ended);
    ctx.restart_database_time();
    co_await service.deliveries.log_test(ctx.caller(), test, ctx.database_by());
    co_return ctx.json(http::status::ok, test_view(test));
}

input<webhooks::delivery_filter> requested_filter(const http::request_context& ctx) {
    const auto limit = http::requested_limit(ctx.query("limit"), deliveries_usual, deliveries_most);
    if (!limit) return limit.error();
    const auto state = requested_delivery_state(ctx.query("state"));
    if (!state) return state.error();
    const auto before = requested_cursor(ctx.query("cursor"));
    if (!before) return before.error();
    webhooks::delivery_filter filter{.deliveries_max = *limit, .state = *state};
    if (*before) filter.before = webhooks::delivery_id{(*before)->value};
    return filter;
}

/// GET /api/v1/webhook/deliveries?limit=&state=&cursor=: the caller's deliveries, newest first. 200
/// an array, with the next page in the `Link` header; 400 a malformed parameter.
awaitable<http::response> list_deliveries(http::request_context& ctx, webhook_service& service) {
    const auto filter = requested_filter(ctx);
    if (!filter) co_return ctx.problem(filter.error());
    const auto page = co_await service.deliveries.list(ctx.caller(), *filter, ctx.database_by());
    auto views = json::array();
    for (const auto& delivery : page.deliveries) views.push_back(delivery_view(delivery));
    auto answer = ctx.json(http::status::ok, views);
    if (page.next) {
        auto target = fmt::format("{}?limit={}", ctx.route(), filter->deliveries_max);
        if (filter->state) target += fmt::format("&state={}", name_of(*filter->state));
        // Cursors encode any id.
        answer.set("Link", link_to_next(target, job_id{page.next->value}));
    }
    co_return answer;
}

/// POST /api/v1/webhook/deliveries/{id}/redeliver: makes it due now, for another day. 202 the
/// delivery; 404.
awaitable<http::response> redeliver(http::request_context& ctx, webhook_service& service) {
    const auto id = http::requested_number(ctx.path_parameter("id"));
    if (!id) co_return ctx.problem(id.error());
    const auto delivery = co_await service.deliveries.redeliver(
        ctx.caller(), webhooks::delivery_id{*id}, ctx.database_by());
    if (!delivery) co_return ctx.problem(error{errc::not_found});
    service.delivery_due();
    co_return ctx.json(http::status::accepted, delivery_view(*delivery));
}

}  // namespace

void add_webhook_routes(http::router& router, std::string_view prefix, webhook_service& service) {
    router.add(
        {{http::verb::get, "/webhook", &get_webhook},
         {http::verb::put, "/webhook", &put_webhook},
         {http::verb::post, "/webhook/rotate", &rotate_secret},
         {http::verb::post, "/webhook/test", &test_webhook},
         {http::verb::get, "/webhook/deliveries", &list_deliveries},
         {http::verb::post, "/webhook/deliveries/{id}/redeliver", &redeliver}},
        service,
        prefix);
}

input<std::optional<webhooks::delivery_state>> requested_delivery_state(
    std::optional<std::string_view> text) {
    if (!text) return std::optional<webhooks::delivery_state>{};
    const auto state = enum_from<webhooks::delivery_state>(*text);
    if (!state) return invalid_parameter("state must be one of pending, delivered, failed");
    return state;
}

input<std::optional<std::string>> requested_webhook_url(
    const json& body, std::string_view field, const webhook_url_check& check) {
    const auto* const url = find_member(body, field);
    if (url == nullptr) return std::optional<std::string>{};
    const auto refused = [](std::string text) {
        return invalid(std::move(text), error_reason::webhook_url_invalid);
    };
    if (!url->is_string()) return refused(fmt::format("{} must be a string", field));
    const auto& text = url->get_ref<const std::string&>();
    if (const auto allowed = check(text); !allowed)
        return refused(fmt::format("{} {}", field, allowed.error().detail()));
    return std::optional{text};
}

}  // namespace reelsd::api
