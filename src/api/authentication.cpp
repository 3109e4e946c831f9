#include "authentication.hpp"

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <string_view>

namespace reelsd::api {
namespace {

namespace asio = boost::asio;

result<accounts::token_hash> token_in(const http::request_context& ctx) {
    return accounts::token_of_authorization(
        ctx.header("Authorization").value_or(std::string_view{}));
}

}  // namespace

asio::awaitable<std::optional<http::response>> authentication::authenticate(
    http::request_context& ctx) {
    const auto hash = token_in(ctx);
    if (!hash) co_return ctx.unauthorized(hash.error().detail());
    const auto known = co_await callers_.find(*hash, ctx.database_by());
    co_return set_caller(ctx, known);
}

asio::awaitable<reel_read> authentication::read_reel(http::request_context& ctx, job_id reel) {
    const auto hash = token_in(ctx);
    if (!hash) co_return reel_read{.refused = ctx.unauthorized(hash.error().detail())};
    auto found = co_await callers_.find_with_reel(*hash, reel, ctx.database_by());
    co_return reel_read{
        .refused = set_caller(ctx, found.caller),
        .text = std::move(found.reel),
        .has_ended = found.has_ended};
}

std::optional<http::response> authentication::set_caller(
    http::request_context& ctx, const std::optional<accounts::caller>& known) const {
    if (!known) return ctx.unauthorized(accounts::token_invalid_text);
    ctx.set_caller({.account = known->account, .requests_per_minute = known->requests_per_minute});
    if (token_used_) token_used_(known->token);
    return std::nullopt;
}

std::optional<http::response> authentication::accept(http::request_context& ctx) {
    if (!ctx.options().is_rate_limited) return std::nullopt;
    const auto& caller = ctx.identity();
    const int limit = caller.requests_per_minute.value_or(requests_per_minute_);
    const int wait = rate_.take(caller.account, limit, std::chrono::steady_clock::now());
    if (wait == 0) return std::nullopt;
    const auto message = fmt::format("limit of {} requests per minute reached", limit);
    auto refusal = ctx.problem(http::status::too_many_requests, message);
    refusal.set("Retry-After", std::to_string(wait));
    return refusal;
}

}  // namespace reelsd::api
