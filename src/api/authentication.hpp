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

/// What the gate hands to handlers, as the request's attachment.
struct recognition {
    accounts::caller caller;
    /// For a plain request for a reel: it was read with the token, by one statement.
    bool has_looked_for_reel = false;
    std::shared_ptr<const std::string> reel = {};  ///< As clients see it.
};

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

    /// 429 when the account asks too fast. Submissions have a limit of their own and are not
    /// counted.
    std::optional<http::response> admit(http::request_context& ctx);

private:
    void note_caller(http::request_context& ctx, recognition known) const;

    reels::caller_lookup callers_;
    int requests_per_minute_;
    std::function<void(token_id)> token_used_;
    accounts::request_rate rate_;
};

}  // namespace reelsd::api
