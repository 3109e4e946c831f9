#pragma once

#include "reels.hpp"
#include <reelsd/domain/accounts/account_store.hpp>
#include <reelsd/domain/accounts/request_rate.hpp>
#include <reelsd/domain/jobs/caller_lookup.hpp>
#include <reelsd/http/request_context.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <optional>
#include <utility>

namespace reelsd::api {

/// Authentication by token, and the rate limit of requests, for `/api/v1`.
class authentication {
public:
    authentication(
        jobs::caller_lookup callers, int requests_per_minute,
        std::function<void(token_id)> token_used)
        : callers_{std::move(callers)},
          requests_per_minute_{requests_per_minute},
          token_used_{std::move(token_used)} {}

    /// Sets the caller by the token, or returns 401. Looks up each request, so that a revoked token
    /// is refused immediately on every daemon.
    boost::asio::awaitable<std::optional<http::response>> authenticate(http::request_context& ctx);

    /// Also reads one of the caller's reels, in the same statement.
    boost::asio::awaitable<reel_read> read_reel(http::request_context& ctx, job_id reel);

    /// Returns 429 when the account exceeds its rate limit.
    std::optional<http::response> accept(http::request_context& ctx);

private:
    /// Returns 401 for an unknown token.
    std::optional<http::response> set_caller(
        http::request_context& ctx, const std::optional<accounts::caller>& known) const;

    jobs::caller_lookup callers_;
    int requests_per_minute_;
    std::function<void(token_id)> token_used_;
    accounts::request_rate rate_;
};

}  // namespace reelsd::api
