#pragma once

#include <reelsd/db/store.hpp>
#include <reelsd/domain/webhooks/delivery.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
class delivery_store : public db::store {
public:
    using db::store::store;

    /// A page of the caller's deliveries; stable while others are added or removed.
    awaitable<delivery_page> list(account_id caller, delivery_filter filter, deadline by);

    /// Stores the end of a test, which the list then has.
    awaitable<void> log_test(account_id caller, delivery_test test, deadline by);

    /// Makes the caller's delivery due now, for another day, in any state; does not interrupt a try
    /// in progress. Empty for an unknown or another account's id.
    awaitable<std::optional<delivery>> redeliver(account_id caller, delivery_id id, deadline by);

    /// Claims deliveries that are due longest, exclusively until the lease ends. Empty when none is
    /// due that the shares allow.
    awaitable<std::vector<claimed_delivery>> claim(delivery_claim request, deadline by);

    /// Reports the end of a try. False when its claim is no longer current: nothing was changed.
    awaitable<bool> report(
        delivery_id id, std::int32_t claim, delivery_step step, deadline by,
        try_record record = {});

    awaitable<delivery_metrics> metrics(deadline by);

    /// Removes at most `deliveries_max` deliveries that ended more than 7 days ago, and expired
    /// secrets; repairs times after the clock was set back. Returns the number of deliveries.
    awaitable<std::int64_t> tidy(int deliveries_max, deadline by);
};

/// The end of a job in either way, and a match of a saved search.
inline constexpr std::array<std::string_view, 3> event_names{"done", "error", "search.matched"};

/// An account's webhook as its owner sees it.
struct webhook_settings {
    std::optional<std::string> url;  ///< Default for jobs; empty: no webhook.
    /// Those that the default address receives, of event_names.
    std::vector<std::string> events;
    std::string secret;                ///< The current one.
    std::vector<std::string> secrets;  ///< All that sign, the current one first.
    /// Until then, the previous secret also signs.
    std::optional<time_point> previous_secret_expires_at;
};

/// Webhook settings of accounts.
class webhook_store : public db::store {
public:
    using db::store::store;

    /// Creates a secret if the account has none.
    awaitable<webhook_settings> find(account_id account, deadline by);

    /// Waiting deliveries to the old default go to the new one. Without `events`, those of the old
    /// default apply, else all.
    awaitable<void> set_url(
        account_id account, std::optional<std::string> url, deadline by,
        std::optional<std::vector<std::string>> events = {});

    /// Creates a new secret. The previous one also signs for 24 hours.
    awaitable<void> rotate_secret(account_id account, deadline by);

    /// Returns the current secret, and creates it if necessary.
    awaitable<std::string> secret_of(account_id account, deadline by);
};

}  // namespace reelsd::webhooks
