#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/db/errors.hpp>  // The exceptions of the operations are part of the interface.
#include <reelsd/domain/webhooks/delivery.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::db {
class pool;
}

namespace reelsd::webhooks {

/// Which of the caller's deliveries to list.
struct delivery_filter {
    int deliveries_max = 20;                   ///< 1 or more.
    std::optional<delivery_state> state = {};  ///< Only these.
    std::optional<delivery_id> before = {};    ///< Only older ones: the end of the last page.
};

struct delivery_page {
    std::vector<delivery> deliveries;  ///< Newest first.
    std::optional<delivery_id> next;   ///< `before` of the next page; empty on the last one.
};

/// Upper bounds on concurrent tries of this daemon.
struct delivery_shares {
    int of_account = 8;
    int of_receiver = 3;
};

/// A try in progress.
struct delivery_in_flight {
    account_id account;
    std::string receiver;  ///< As receiver_of() writes it.
};

struct delivery_claim {
    int deliveries_max = 1;  ///< 1 or more.
    seconds_f lease = delivery_lease;
    delivery_shares shares = {};
    std::vector<delivery_in_flight> in_flight = {};
};

/// Counts for metrics, over all daemons.
struct delivery_metrics {
    std::int64_t pending = 0;  ///< Includes those that wait for a later try.
    std::int64_t due = 0;      ///< Could be tried now.
};

/// Identifies a receiver: its address without query and fragment. Pure.
[[nodiscard]] std::string receiver_of(std::string_view url);

/// The log of deliveries, which is also their queue. A trigger on the jobs' table fills it.
/// Throws like jobs::job_store. A cheap value around the pool.
class delivery_store {
public:
    explicit delivery_store(db::pool& pool) : pool_{&pool} {}

    /// A page of the caller's deliveries; stable while others are added or removed.
    boost::asio::awaitable<delivery_page> list(
        account_id caller, delivery_filter filter, deadline by);

    /// Makes the caller's delivery due now, for another day, in any state; does not interrupt a try
    /// in progress. Empty for an unknown or another account's id.
    boost::asio::awaitable<std::optional<delivery>> redeliver(
        account_id caller, delivery_id id, deadline by);

    /// Claims deliveries that are due longest, exclusively until the lease ends. Empty when none is
    /// due that the shares allow.
    boost::asio::awaitable<std::vector<claimed_delivery>> claim(
        delivery_claim request, deadline by);

    /// Reports the end of a try. False when its claim is no longer current: nothing was changed.
    boost::asio::awaitable<bool> report(
        delivery_id id, std::int32_t claim, delivery_step step, deadline by);

    boost::asio::awaitable<delivery_metrics> metrics(deadline by);

    /// Removes at most `deliveries_max` deliveries that ended more than 7 days ago, and expired
    /// secrets; repairs times after the clock was set back. Returns the number of deliveries.
    boost::asio::awaitable<std::int64_t> tidy(int deliveries_max, deadline by);

private:
    db::pool* pool_;
};

/// An account's webhook as its owner sees it.
struct webhook_settings {
    std::optional<std::string> url;  ///< Default for jobs; empty: no webhook.
    std::string secret;              ///< The current one.
    /// Until then, the previous secret also signs.
    std::optional<time_point> previous_secret_expires_at;
};

/// Webhook settings of accounts. Throws like jobs::job_store. A cheap value around the pool.
class webhook_store {
public:
    explicit webhook_store(db::pool& pool) : pool_{&pool} {}

    /// Creates a secret if the account has none.
    boost::asio::awaitable<webhook_settings> find(account_id account, deadline by);

    /// Waiting deliveries to the old default go to the new one.
    boost::asio::awaitable<void> set_url(
        account_id account, std::optional<std::string> url, deadline by);

    /// Creates a new secret. The previous one also signs for 24 hours.
    boost::asio::awaitable<void> rotate_secret(account_id account, deadline by);

    /// Returns the current secret, and creates it if necessary.
    boost::asio::awaitable<std::string> secret_of(account_id account, deadline by);

private:
    db::pool* pool_;
};

}  // namespace reelsd::webhooks
