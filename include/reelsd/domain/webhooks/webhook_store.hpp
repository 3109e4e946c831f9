#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/db/errors.hpp>  // What the operations throw is part of the interface.

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <string>

namespace reelsd::db {
class pool;
}

namespace reelsd::webhooks {

/// An account's webhook as its owner sees it.
struct webhook_settings {
    std::optional<std::string> url;  ///< Of jobs that name none; nothing: these are not told.
    std::string secret;              ///< The one of now.
    /// Until then an earlier secret signs as well.
    std::optional<time_point> previous_secret_expires_at;
};

/// Where accounts are told of their jobs, and what that is signed with. Throws like
/// jobs::job_store. A cheap value around the pool.
class webhook_store {
public:
    explicit webhook_store(db::pool& pool) : pool_{&pool} {}

    /// An account without a secret gets one.
    boost::asio::awaitable<webhook_settings> find(account_id account, deadline by);

    /// Of what waits for the old default, the next tries go to the new one.
    boost::asio::awaitable<void> set_url(
        account_id account, std::optional<std::string> url, deadline by);

    /// A new secret; the one of now signs beside it for 24 hours.
    boost::asio::awaitable<void> rotate_secret(account_id account, deadline by);

    /// The secret of now, which is made when there is none.
    boost::asio::awaitable<std::string> secret_of(account_id account, deadline by);

private:
    db::pool* pool_;
};

}  // namespace reelsd::webhooks
