#include "resources.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/http/router.hpp>
#include <reelsd/http/target.hpp>

#include <boost/asio/awaitable.hpp>

#include <fmt/format.h>

namespace reelsd::api {
namespace {

namespace asio = boost::asio;

constexpr int deliveries_usual = 20;
constexpr int deliveries_most = 100;

json settings_view(const webhooks::webhook_settings& settings) {
    json view{{"url", nullptr}, {"secret", settings.secret}};
    if (settings.url) view["url"] = *settings.url;
    if (settings.previous_secret_expires_at) {
        view["previous_secret_expires_at"] = to_rfc3339(*settings.previous_secret_expires_at);
    }
    return view;
}

json delivery_view(const webhooks::delivery& delivery) {
    json view{
        {"id", delivery.id.value},
        {"webhook_id", delivery.message_id},
        {"job_id", delivery.job.value},
        {"url", delivery.url},
        {"state", name_of(delivery.state)},
        {"tries", delivery.tries},
        {"created_at", to_rfc3339(delivery.created_at)}};
    if (delivery.search) view["search_id"] = *delivery.search;
    if (delivery.status_code) view["status_code"] = *delivery.status_code;
    if (!delivery.cause.empty()) view["cause"] = delivery.cause;
    if (delivery.tried_at) view["tried_at"] = to_rfc3339(*delivery.tried_at);
    if (delivery.next_try_at) view["next_try_at"] = to_rfc3339(*delivery.next_try_at);
    if (delivery.ended_at) view["ended_at"] = to_rfc3339(*delivery.ended_at);
    return view;
}

/// GET /api/v1/webhook: the account's default address and its secret, created if there is none.
/// 200.
asio::awaitable<http::response> get_webhook(http::request_context& ctx, webhook_service& service) {
    const auto settings = co_await service.settings.find(ctx.caller(), ctx.database_by());
    co_return ctx.json(http::status::ok, settings_view(settings));
}

/// PUT /api/v1/webhook {"url": string or null}: sets or removes the default address. 200 as GET;
/// 400.
asio::awaitable<http::response> put_webhook(http::request_context& ctx, webhook_service& service) {
    const auto body = ctx.json_body();
    if (!body) co_return ctx.problem(body.error());
    if (!body->contains("url")) co_return ctx.problem(invalid("url is required"));
    auto url = requested_webhook_url(*body, "url", service.check_url);
    if (!url) co_return ctx.problem(url.error());
    co_await service.settings.set_url(ctx.caller(), *std::move(url), ctx.database_by());
    co_return co_await get_webhook(ctx, service);
}

/// POST /api/v1/webhook/rotate: a new secret; the old one also signs for 24 hours. 200 as GET.
asio::awaitable<http::response> rotate_secret(
    http::request_context& ctx, webhook_service& service) {
    co_await service.settings.rotate_secret(ctx.caller(), ctx.database_by());
    co_return co_await get_webhook(ctx, service);
}

result<webhooks::delivery_filter> requested_filter(const http::request_context& ctx) {
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
asio::awaitable<http::response> list_deliveries(
    http::request_context& ctx, webhook_service& service) {
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
asio::awaitable<http::response> redeliver(http::request_context& ctx, webhook_service& service) {
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
         {http::verb::get, "/webhook/deliveries", &list_deliveries},
         {http::verb::post, "/webhook/deliveries/{id}/redeliver", &redeliver}},
        service,
        prefix);
}

result<std::optional<webhooks::delivery_state>> requested_delivery_state(
    std::optional<std::string_view> text) {
    if (!text) return std::optional<webhooks::delivery_state>{};
    const auto state = enum_from<webhooks::delivery_state>(*text);
    if (!state) return invalid("state must be one of pending, delivered, failed");
    return state;
}

result<std::optional<std::string>> requested_webhook_url(
    const json& body, std::string_view field, const webhook_url_check& check) {
    const auto* const url = find_member(body, field);
    if (url == nullptr) return std::optional<std::string>{};
    if (!url->is_string()) return invalid(fmt::format("{} must be a string", field));
    const auto& text = url->get_ref<const std::string&>();
    if (const auto allowed = check(text); !allowed)
        return invalid(fmt::format("{} {}", field, allowed.error().detail()));
    return std::optional{text};
}

}  // namespace reelsd::api
