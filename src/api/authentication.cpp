#include "authentication.hpp"

#include "reels.hpp"

#include <fmt/format.h>

#include <chrono>
#include <string>

namespace reelsd::api {
namespace {

struct token_identity : http::identity {
    token_identity(account_id account, std::optional<int> limit)
        : identity{account}, requests_per_minute{limit} {}

    std::optional<int> requests_per_minute;  ///< Nothing: the server's default.
};

result<accounts::token_hash> shown_token(const http::request_context& ctx) {
    return accounts::token_of_authorization(
        ctx.header("Authorization").value_or(std::string_view{}));
}

}  // namespace

boost::asio::awaitable<std::optional<http::response>> authentication::authenticate(
    http::request_context& ctx) {
    const auto hash = shown_token(ctx);
    if (!hash) co_return ctx.unauthorized(hash.error().detail());
    const auto caller = co_await callers_.find(*hash, ctx.database_by());
    co_return note_caller(ctx, caller);
}

boost::asio::awaitable<std::optional<http::response>> authentication::authenticate_and_load(
    http::request_context& ctx) {
    const auto id = requested_id(ctx.path_parameter("id"));
    if (!id || !ctx.request().target.query().empty()) co_return co_await authenticate(ctx);
    const auto hash = shown_token(ctx);
    if (!hash) co_return ctx.unauthorized(hash.error().detail());
    auto found = co_await callers_.find_with_reel(*hash, *id, ctx.database_by());
    ctx.set_loaded(std::move(found.reel));
    co_return note_caller(ctx, found.caller);
}

std::optional<http::response> authentication::note_caller(
    http::request_context& ctx, const std::optional<accounts::caller>& caller) const {
    if (!caller) return ctx.unauthorized(accounts::token_invalid_text);
    ctx.set_identity(
        std::make_shared<token_identity>(caller->account, caller->requests_per_minute));
    if (token_used_) token_used_(caller->token);
    return std::nullopt;
}

std::optional<http::response> authentication::admit(http::request_context& ctx) {
    if (!ctx.is_counted()) return std::nullopt;
    const auto& caller = ctx.identity_as<token_identity>();
    const int limit = caller.requests_per_minute.value_or(requests_per_minute_);
    const int wait = rate_.take(caller.account, limit, std::chrono::steady_clock::now());
    if (wait == 0) return std::nullopt;
    const auto message = fmt::format("limit of {} requests per minute reached", limit);
    auto refusal = ctx.problem(http::status::too_many_requests, message);
    refusal.set("Retry-After", std::to_string(wait));
    return refusal;
}

}  // namespace reelsd::api
