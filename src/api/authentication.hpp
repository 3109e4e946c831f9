#pragma once

#include <reelsd/domain/accounts/account_store.hpp>
#include <reelsd/domain/accounts/request_rate.hpp>
#include <reelsd/domain/reels/caller_lookup.hpp>
#include <reelsd/http/request_context.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace reelsd::api {

/// The gate of `/api/v1`: who asks, and whether this account may ask again so soon.
class authentication {
public:
    authentication(
        reels::caller_lookup callers, int requests_per_minute,
        std::function<void(token_id)> token_used)
        : callers_{std::move(callers)},
          requests_per_minute_{requests_per_minute},
          token_used_{std::move(token_used)} {}

    /// Recognises the caller by the token, or answers 401. Each request is looked up anew, so that
    /// a revoked token is refused at once on every instance.
    boost::asio::awaitable<std::optional<http::response>> authenticate(http::request_context& ctx);

    /// The same for `GET /reels/{id}`: a request without a query loads the reel in the statement
    /// that recognises the caller.
    boost::asio::awaitable<std::optional<http::response>> authenticate_and_load(
        http::request_context& ctx);

    /// 429 when the account sends requests too fast. Submissions have a limit of their own and are
    /// not counted.
    std::optional<http::response> admit(http::request_context& ctx);

private:
    [[nodiscard]] std::optional<http::response> note_caller(
        http::request_context& ctx, const std::optional<accounts::caller>& caller) const;

    reels::caller_lookup callers_;
    int requests_per_minute_;
    std::function<void(token_id)> token_used_;
    accounts::request_rate rate_;
};

}  // namespace reelsd::api
