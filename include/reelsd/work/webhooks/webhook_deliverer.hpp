#pragma once

#include <reelsd/async/task_group.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/domain/webhooks/webhook_store.hpp>
#include <reelsd/work/engine/work_loop.hpp>
#include <reelsd/work/webhooks/webhook_sender.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace reelsd::work {

struct webhook_deliverer_options {
    std::size_t threads = 16;  ///< Concurrent tries; 0: this daemon delivers nothing.
    /// Part of the shutdown time for tries in progress. Slower receivers are tried again.
    std::chrono::milliseconds drain{2000};
    seconds_f retry_base{5.0};  ///< The wait before the second try; see webhooks::delay_after().
    /// Called on the loop after each try with its outcome_name(). Optional.
    std::function<void(std::string_view outcome)> on_tried = {};
};

/// "delivered", "snoozed", "abandoned" or "released".
[[nodiscard]] std::string_view outcome_name(const webhooks::delivery_step& step) noexcept;

/// A delivery that this daemon holds.
struct held_delivery {
    webhooks::claimed_delivery delivery;
    std::string receiver;
    monotonic_clock::time_point claimed;
};

/// The outcome of a delivery, with details of a failure for logs.
struct delivery_outcome {
    webhooks::delivery_step step;
    std::string detail = {};
    webhooks::try_record record = {};
};

/// Delivers webhooks of ended jobs: a work_loop over due deliveries. Daemons share them by leases,
/// which are not renewed. If a daemon dies, another one retries when the lease ends, so that a
/// delivery may be sent twice but is never lost.
/// Thread: all members on the loop. Must be stopped before it is destroyed.
class webhook_deliverer final : public work_loop<held_delivery, delivery_outcome> {
public:
    /// The pools of `deliveries` and `settings`, `tasks`, which runs the coroutines, and `sender`
    /// outlive this.
    webhook_deliverer(
        const boost::asio::any_io_executor& loop, webhooks::delivery_store deliveries,
        webhooks::webhook_store settings, const webhook_sender& sender, async::task_group& tasks,
        webhook_deliverer_options options, log::logger log);

    [[nodiscard]] std::string_view name() const noexcept override { return "deliver webhooks"; }
    void start() override {
        if (capacity() > 0) start_claiming();
    }

    /// Aborts a try in progress for a job that was deleted on this instance.
    void cancel(job_id job);

private:
    awaitable<void> claim_work() override;
    [[nodiscard]] bool has_room() const override { return held() < capacity(); }
    [[nodiscard]] deadline next_claim_at() const override;
    void log_claim_failure(const db::failure& failure) const override;
    awaitable<bool> write_report(
        const held_delivery& held, const delivery_outcome& outcome) override;
    [[nodiscard]] delivery_outcome released() const override { return {webhooks::released{}}; }
    delivery_outcome after_refusal(
        const held_delivery& held, delivery_outcome refused, const db::failure& refusal,
        bool repeated) override;
    [[nodiscard]] std::optional<deadline> report_by(const held_delivery& held) const override;
    void on_reported(
        const held_claim& ended, const delivery_outcome& outcome, bool written) override;

    [[nodiscard]] webhooks::delivery_claim next_claim() const;
    awaitable<void> add_secret(webhooks::claimed_delivery& delivery);
    void log_outcome(
        const webhooks::claimed_delivery& tried, const delivery_outcome& outcome) const;

    webhooks::delivery_store deliveries_;
    webhooks::webhook_store settings_;
    std::function<void(std::string_view outcome)> on_tried_;
    log::logger log_;
};

}  // namespace reelsd::work
