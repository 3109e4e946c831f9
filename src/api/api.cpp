#include "documents/documents.hpp"
#include "resources.hpp"
#include "subtitles.hpp"
#include <reelsd/api/api.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/domain/accounts/account_store.hpp>

#include <fmt/format.h>

#include <deque>
#include <utility>

namespace reelsd::api {
namespace {

result<accounts::token_hash> token_in(const http::request_context& ctx) {
    return accounts::token_of_authorization(
        ctx.header("Authorization").value_or(std::string_view{}));
}

http::response token_refused(const http::request_context& ctx, std::string_view text) {
    const bool is_missing = text == accounts::token_required_text;
    return ctx.unauthorized(
        is_missing ? error_reason::token_required : error_reason::token_invalid, text);
}

/// Authentication by token, and the rate limit of requests, for `/api/v1`.
class authentication {
public:
    /// `resources` outlives it.
    explicit authentication(api_dependencies& resources) : resources_{resources} {}

    /// Sets the caller by the token, or returns 401. Looks up each request, so that a revoked token
    /// is refused immediately on every daemon.
    awaitable<std::optional<http::response>> authenticate(http::request_context& ctx) {
        const auto hash = token_in(ctx);
        if (!hash) co_return token_refused(ctx, hash.error().detail());
        const auto known = co_await resources_.callers.find(*hash, ctx.database_by());
        co_return set_caller(ctx, known);
    }

    /// Also reads one of the caller's reels, in the same statement.
    awaitable<reel_read> read_reel(http::request_context& ctx, job_id reel) {
        const auto hash = token_in(ctx);
        if (!hash) co_return reel_read{.refused = token_refused(ctx, hash.error().detail())};
        auto found = co_await resources_.callers.find_with_reel(*hash, reel, ctx.database_by());
        co_return reel_read{
            .refused = set_caller(ctx, found.caller),
            .text = std::move(found.reel),
            .has_ended = found.has_ended};
    }

    /// Returns 403 when the token's scope excludes the route, and 429 when the account exceeds its
    /// rate limit.
    awaitable<std::optional<http::response>> accept(http::request_context& ctx) {
        if (!is_within(
                ctx.identity().scope,
                ctx.request().method,
                ctx.route().substr(api_prefix.size()))) {
            co_return ctx.problem(
                error_reason::insufficient_scope, "the scope of this token excludes this request");
        }
        if (!ctx.options().is_rate_limited) co_return std::nullopt;
        const auto& caller = ctx.identity();
        const int limit = caller.requests_per_minute.value_or(resources_.requests_per_minute);
        const int wait =
            co_await resources_.request_rate.take(caller.account, limit, ctx.database_by());
        if (wait == 0) co_return std::nullopt;
        const auto message = fmt::format("limit of {} requests per minute reached", limit);
        co_return ctx.problem(error_reason::rate_limit_requests, message, wait);
    }

private:
    /// Returns 401 for an unknown token.
    std::optional<http::response> set_caller(
        http::request_context& ctx, const std::optional<accounts::caller>& known) const {
        if (!known) return token_refused(ctx, accounts::token_invalid_text);
        ctx.set_caller(
            {.account = known->account,
             .requests_per_minute = known->requests_per_minute,
             .scope = known->scope});
        if (resources_.token_used) resources_.token_used(known->token);
        return std::nullopt;
    }

    api_dependencies& resources_;
};

/// GET /healthz: the process answers. Without the database, which a restart does not repair.
awaitable<http::response> get_health(const http::request_context& ctx) {
    const json body{{"status", "ok"}, {"version", REELSD_VERSION}};
    co_return ctx.json(http::status::ok, body);
}

/// GET /readyz: whether this daemon can serve. 200; 503 with the reason.
awaitable<http::response> get_readiness(http::request_context& ctx, readiness_check& check) {
    const auto ready = co_await check();
    if (!ready) {
        co_return ctx.problem(http::status::service_unavailable, ready.error().detail());
    }
    const json body{{"status", "ready"}};
    co_return ctx.json(http::status::ok, body);
}

/// GET /metrics: the daemon's metrics for Prometheus. 200, even during an outage of the database.
awaitable<http::response> get_metrics(http::request_context& ctx, metrics_text& text) {
    auto body = co_await text();
    http::response answer{
        http::status::ok, "text/plain; version=0.0.4; charset=utf-8", std::move(body)};
    co_return http::gzip_if_accepted(ctx, std::move(answer));
}

/// GET /metrics at the API's address: 404 unless the client is on this machine.
awaitable<http::response> get_local_metrics(http::request_context& ctx, metrics_text& text) {
    if (!ctx.request().is_local) co_return ctx.problem(error{errc::not_found});
    co_return co_await get_metrics(ctx, text);
}

}  // namespace

struct api::state : api_dependencies {
    explicit state(api_dependencies dependencies) : api_dependencies{std::move(dependencies)} {}

    authentication tokens{*this};
    reels_service reels{
        .read = [this](auto& ctx, job_id id) { return tokens.read_reel(ctx, id); },
        .jobs = jobs,
        .poller = poller,
        .job_removed = job_removed};
    /// For other authentications; a deque keeps their addresses.
    std::deque<reels_service> other_reels;
    reel_event_service events{.changes = changes, .poller = poller};
};

api::api(api_dependencies dependencies)
    : state_{std::make_unique<state>(std::move(dependencies))} {}

api::~api() = default;

void api::add_to(http::router& router) {
    auto& tokens = state_->tokens;
    router.use(
        {.prefix = api_prefix,
         .authenticate = [&tokens](http::request_context& ctx) { return tokens.authenticate(ctx); },
         .accept = [&tokens](http::request_context& ctx) { return tokens.accept(ctx); }});
    add_reel_routes(router, api_prefix, state_->reels);
    add_common_resources_to(router, api_prefix);
    add_health_routes(router, state_->ready);
    if (!state_->has_metrics_address) {
        auto& text = state_->metrics;
        router.add(http::verb::get, "/metrics", [&text](http::request_context& ctx) {
            return get_local_metrics(ctx, text);
        });
    }
    add_document_routes(router);
}

void api::add_metrics_to(http::router& router) {
    add_metrics_routes(router, state_->metrics);
}

void api::add_resources_to(http::router& router, std::string_view prefix) {
    auto& reels = state_->other_reels.emplace_back(state_->reels);
    reels.read = authenticated_reader(state_->jobs);
    add_reel_routes(router, prefix, reels);
    add_common_resources_to(router, prefix);
}

void api::add_common_resources_to(http::router& router, std::string_view prefix) {
    add_submission_routes(router, prefix, state_->submissions);
    add_media_routes(router, prefix, state_->media);
    add_extract_preset_routes(router, prefix);
    add_reel_event_routes(router, prefix, state_->events);
    add_export_routes(router, prefix, state_->exports);
    add_reel_list_routes(router, prefix, state_->jobs);
    add_tag_routes(router, prefix, state_->tags);
    add_subtitle_routes(router, prefix, state_->jobs);
    add_usage_routes(router, prefix, state_->usage);
    add_search_routes(router, prefix, state_->search);
    add_ask_routes(router, prefix, state_->answer);
    add_saved_search_routes(router, prefix, state_->saved_searches);
    add_webhook_routes(router, prefix, state_->webhooks);
}

bool is_within(token_scope scope, http::verb method, std::string_view route) {
    const bool is_read = method == http::verb::get || method == http::verb::head;
    switch (scope) {
        case token_scope::all: return true;
        case token_scope::read: return is_read;
        case token_scope::submit: break;
    }
    if (!is_read) return method == http::verb::post && route == "/reels/analyze";
    return route == "/reels" || route.starts_with("/reels/{id}");
}

void add_health_routes(http::router& router, readiness_check& ready) {
    router.add(http::verb::get, "/healthz", &get_health);
    router.add(http::verb::get, "/readyz", [&ready](http::request_context& ctx) {
        return get_readiness(ctx, ready);
    });
}

void add_metrics_routes(http::router& router, metrics_text& text) {
    router.add(http::verb::get, "/metrics", [&text](http::request_context& ctx) {
        return get_metrics(ctx, text);
    });
}

}  // namespace reelsd::api
