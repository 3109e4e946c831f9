#include "authentication.hpp"

#include "submissions.hpp"

#include <fmt/format.h>

#include <any>
#include <chrono>
#include <string>

namespace reelsd::api {

boost::asio::awaitable<std::optional<http::response>> authentication::authenticate(
    http::request_context& ctx) {
    const auto hash =
        accounts::token_of_authorization(ctx.header("Authorization").value_or(std::string_view{}));
    if (!hash) co_return ctx.unauthorized(hash.error().detail());
    const auto known = co_await accounts_.authenticate(*hash, ctx.database_by());
    if (!known) co_return ctx.unauthorized(accounts::token_invalid_text);
    ctx.set_caller(known->account);
    if (token_used_) token_used_(known->token);
    ctx.attachment() = *known;
    co_return std::nullopt;
}

boost::asio::awaitable<std::optional<http::response>> authentication::admit(
    http::request_context& ctx) {
    if (ctx.route().ends_with(submission_route)) co_return std::nullopt;
    const auto& caller = std::any_cast<const accounts::caller&>(ctx.attachment());
    const int limit = caller.requests_per_minute.value_or(requests_per_minute_);
    const int wait = rate_.take(caller.account, limit, std::chrono::steady_clock::now());
    if (wait == 0) co_return std::nullopt;
    const auto message = fmt::format("limit of {} requests per minute reached", limit);
    auto refusal = ctx.problem(http::status::too_many_requests, message);
    refusal.set("Retry-After", std::to_string(wait));
    co_return refusal;
}

}  // namespace reelsd::api
