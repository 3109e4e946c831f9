#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/db/errors.hpp>  // What the operations throw is part of the interface.
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
    std::optional<delivery_id> before = {};    ///< Only older ones: where the last page ended.
};

struct delivery_page {
    std::vector<delivery> deliveries;  ///< Newest first.
    std::optional<delivery_id> next;   ///< `before` of the next page; nothing on the last one.
};

/// How many tries may be under way at once, by this daemon, for one of a kind.
struct delivery_shares {
    int of_account = 8;
    int of_receiver = 3;
};

/// What a try that is under way takes up.
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

/// What operators watch, over all daemons.
struct delivery_metrics {
    std::int64_t pending = 0;  ///< Also those that wait for a later try.
    std::int64_t due = 0;      ///< Of these, the ones that could be tried now.
};

/// What tells receivers apart: an address without its query and fragment. Pure.
[[nodiscard]] std::string receiver_of(std::string_view url);

/// The log of deliveries, which is their queue as well. A trigger on the jobs' table fills it.
/// Throws like jobs::job_store. A cheap value around the pool.
class delivery_store {
public:
    explicit delivery_store(db::pool& pool) : pool_{&pool} {}

    /// A page of the caller's deliveries; stable while others are added or forgotten.
    boost::asio::awaitable<delivery_page> list(
        account_id caller, delivery_filter wanted, deadline by);

    /// Makes the caller's delivery due now and for another day, whatever became of it; one that is
    /// being tried is left to that. Nothing for an unknown or another account's id.
    boost::asio::awaitable<std::optional<delivery>> redeliver(
        account_id caller, delivery_id id, deadline by);

    /// Takes due deliveries, those that are due longest first: nobody else gets them before the
    /// lease ends. When it gives none, none is due that its shares allow.
    boost::asio::awaitable<std::vector<claimed_delivery>> claim(delivery_claim wanted, deadline by);

    /// Writes what became of a try, unless it is no longer the current one. False then.
    boost::asio::awaitable<bool> report(
        delivery_id id, std::int32_t claim, delivery_step step, deadline by);

    boost::asio::awaitable<delivery_metrics> metrics(deadline by);

    /// Forgets deliveries that ended more than 7 days ago, at most `deliveries_max`, and secrets
    /// that no longer sign; mends what a clock that was set back has put off. How many deliveries
    /// it has forgotten.
    boost::asio::awaitable<std::int64_t> tidy(int deliveries_max, deadline by);

private:
    db::pool* pool_;
};

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
