#include "authentication.hpp"

#include "reels.hpp"
#include "submissions.hpp"

#include <fmt/format.h>

#include <any>
#include <chrono>
#include <string>

namespace reelsd::api {
namespace {

/// The reel that the request reads as it stands now, if that is all it wants.
std::optional<job_id> plainly_wanted_reel(const http::request_context& ctx) {
    const auto& asked = ctx.request();
    const bool reads = asked.method == http::verb::get || asked.method == http::verb::head;
    if (!reads || !ctx.route().ends_with(reel_route) || !asked.target.query().empty()) return {};
    const auto id = requested_id(ctx.path_parameter("id"));
    if (!id) return {};
    return *id;
}

result<accounts::token_hash> shown_token(const http::request_context& ctx) {
    return accounts::token_of_authorization(
        ctx.header("Authorization").value_or(std::string_view{}));
}

}  // namespace

boost::asio::awaitable<std::optional<http::response>> authentication::authenticate(
    http::request_context& ctx) {
    const auto hash = shown_token(ctx);
    if (!hash) co_return ctx.unauthorized(hash.error().detail());
    const auto wanted = plainly_wanted_reel(ctx);
    reels::caller_and_reel found;
    if (wanted) {
        found = co_await callers_.find_with_reel(*hash, *wanted, ctx.database_by());
    } else {
        found.caller = co_await callers_.find(*hash, ctx.database_by());
    }
    if (!found.caller) co_return ctx.unauthorized(accounts::token_invalid_text);
    note_caller(
        ctx,
        {.caller = *found.caller,
         .has_looked_for_reel = wanted.has_value(),
         .reel = std::move(found.reel)});
    co_return std::nullopt;
}

void authentication::note_caller(http::request_context& ctx, recognition known) const {
    ctx.set_caller(known.caller.account);
    if (token_used_) token_used_(known.caller.token);
    ctx.attachment() = std::move(known);
}

std::optional<http::response> authentication::admit(http::request_context& ctx) {
    if (ctx.route().ends_with(submission_route)) return std::nullopt;
    const auto& caller = std::any_cast<const recognition&>(ctx.attachment()).caller;
    const int limit = caller.requests_per_minute.value_or(requests_per_minute_);
    const int wait = rate_.take(caller.account, limit, std::chrono::steady_clock::now());
    if (wait == 0) return std::nullopt;
    const auto message = fmt::format("limit of {} requests per minute reached", limit);
    auto refusal = ctx.problem(http::status::too_many_requests, message);
    refusal.set("Retry-After", std::to_string(wait));
    return refusal;
}

}  // namespace reelsd::api
