#include <reelsd/base/random.hpp>
#include <reelsd/net/url.hpp>
#include <reelsd/work/webhooks/webhook_deliverer.hpp>

#include <exception>
#include <memory>
#include <utility>

namespace reelsd::work {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr auto query_time_max = 8s;
/// Polling interval for deliveries that other daemons created or that are due again.
constexpr auto claim_interval = 1s;

/// Only the host, because paths and queries of receivers often contain secrets.
std::string host_of(const std::optional<std::string>& address) {
    const auto parsed = net::url::parse(address.value_or(""));
    return parsed ? parsed->host() : "";
}

/// Runs on a worker thread.
delivery_outcome try_once(
    const webhook_sender& sender, const held_delivery& held, seconds_f retry_base,
    const std::stop_token& stop) {
    const auto& delivery = held.delivery;
    if (!delivery.url) {
        return {webhooks::given_up{std::nullopt, "the account has no webhook URL any more"}};
    }
    sent_webhook sent;
    const auto began = monotonic_clock::now();
    try {
        sent = sender.send(delivery, stop);
    } catch (const std::exception& failure) {
        // Boundary of a try: an exception, such as out of memory, counts as a failed try.
        sent.detail = failure.what();
    }
    const auto now = monotonic_clock::now();
    const webhooks::retry_context context{
        .round_tries = delivery.round_tries,
        .time_left = delivery.time_left - seconds_f{now - held.claimed}};
    auto step = webhooks::step_after(sent.ended, context, retry_base, random_between(0.0, 1.0));
    return {
        std::move(step),
        std::move(sent.detail),
        {.took = now - began, .answer = std::move(sent.ended.answer)}};
}

std::unique_ptr<work_runner<held_delivery, delivery_outcome>> make_runner(
    const asio::any_io_executor& loop, const webhook_sender& sender,
    const webhook_deliverer_options& options) {
    auto run = [&sender, base = options.retry_base](
                   const held_delivery& held, const std::stop_token& stop) {
        return try_once(sender, held, base, stop);
    };
    return std::make_unique<threaded_runner<held_delivery, delivery_outcome>>(
        loop, options.threads, std::move(run));
}

}  // namespace

std::string_view outcome_name(const webhooks::delivery_step& step) noexcept {
    if (std::holds_alternative<webhooks::delivered>(step)) return "delivered";
    if (std::holds_alternative<webhooks::snoozed>(step)) return "snoozed";
    if (std::holds_alternative<webhooks::given_up>(step)) return "abandoned";
    return "released";
}

webhook_deliverer::webhook_deliverer(
    const asio::any_io_executor& loop, webhooks::delivery_store deliveries,
    webhooks::webhook_store settings, const webhook_sender& sender, async::task_group& tasks,
    webhook_deliverer_options options, log::logger log)
    : work_loop{tasks, make_runner(loop, sender, options), options.drain},
      deliveries_{deliveries},
      settings_{settings},
      on_tried_{std::move(options.on_tried)},
      log_{std::move(log)} {}

void webhook_deliverer::cancel(job_id job) {
    for (auto& [id, held] : claims()) {
        if (held.claim.delivery.job.id == job) held.stop.request_stop();
    }
}

deadline webhook_deliverer::next_claim_at() const {
    return deadline::after(claim_interval);
}

awaitable<void> webhook_deliverer::claim_work() {
    // One claim leaves deliveries beyond the shares of the accounts and receivers that it served.
    for (bool may_be_more = true; may_be_more && has_room() && !has_stopped();) {
        const auto sent = monotonic_clock::now();
        auto claimed = co_await deliveries_.claim(next_claim(), deadline::after(query_time_max));
        note_database(true);
        may_be_more = !claimed.empty();
        for (auto& delivery : claimed) {
            if (delivery.url && delivery.secrets.empty()) co_await add_secret(delivery);
            const bool is_ready = !delivery.url || !delivery.secrets.empty();
            if (!is_ready || has_stopped()) continue;  // It is claimed again when its lease ends.
            const auto id = delivery.id.value;
            auto receiver = webhooks::receiver_of(delivery.url.value_or(""));
            take(id, {std::move(delivery), std::move(receiver), sent});
        }
        begin_waiting();
    }
}

webhooks::delivery_claim webhook_deliverer::next_claim() const {
    webhooks::delivery_claim claim{.deliveries_max = static_cast<int>(capacity() - held())};
    for (const auto& [id, held] : claims()) {
        claim.in_flight.push_back({held.claim.delivery.account, held.claim.receiver});
    }
    return claim;
}

/// An account whose secret was never requested may have none yet.
awaitable<void> webhook_deliverer::add_secret(webhooks::claimed_delivery& delivery) {
    try {
        auto secret =
            co_await settings_.secret_of(delivery.account, deadline::after(query_time_max));
        delivery.secrets.push_back(std::move(secret));
    } catch (const db::failure& failure) {
        log_.debug("webhooks: creating the secret failed", {{"reason", failure.what()}});
    }
}

void webhook_deliverer::log_claim_failure(const db::failure& failure) const {
    // The dispatcher logs an outage; due deliveries stay due.
    log_.debug("webhooks: claiming deliveries failed", {{"reason", failure.what()}});
}

awaitable<bool> webhook_deliverer::write_report(
    const held_delivery& held, const delivery_outcome& outcome) {
    const auto& delivery = held.delivery;
    return deliveries_.report(
        delivery.id, delivery.claim, outcome.step, deadline::after(query_time_max), outcome.record);
}

delivery_outcome webhook_deliverer::after_refusal(
    const held_delivery& held, delivery_outcome refused, const db::failure& refusal,
    bool repeated) {
    if (!repeated) {
        log_.error(
            "webhook report refused",
            {{"delivery", held.delivery.id.value}, {"reason", refusal.what()}});
    }
    return refused;
}

std::optional<deadline> webhook_deliverer::report_by(const held_delivery& held) const {
    const auto lease =
        std::chrono::duration_cast<monotonic_clock::duration>(webhooks::delivery_lease);
    return deadline::at(held.claimed + lease);
}

void webhook_deliverer::on_reported(
    const held_claim& ended, const delivery_outcome& outcome, bool /*written*/) {
    if (ended.now == stage::ended) log_outcome(ended.claim.delivery, outcome);
    if (on_tried_) on_tried_(outcome_name(outcome.step));
    wake();
}

void webhook_deliverer::log_outcome(
    const webhooks::claimed_delivery& tried, const delivery_outcome& outcome) const {
    const auto& step = outcome.step;
    const auto host = host_of(tried.url);
    if (std::holds_alternative<webhooks::delivered>(step)) {
        return log_.info(
            "webhook delivered",
            {{"job", tried.job.id.value}, {"receiver", host}, {"try", tried.tries}});
    }
    std::string why;
    if (const auto* later = std::get_if<webhooks::snoozed>(&step)) why = later->cause;
    if (const auto* never = std::get_if<webhooks::given_up>(&step)) why = never->cause;
    log_.info(
        "webhook not delivered",
        {{"job", tried.job.id.value},
         {"receiver", host},
         {"try", tried.tries},
         {"outcome", outcome_name(step)},
         {"reason", why},
         {"detail", outcome.detail}});
}

}  // namespace reelsd::work
