#pragma once

#include <reelsd/async/background_service.hpp>
#include <reelsd/async/condition.hpp>
#include <reelsd/async/task_group.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/domain/webhooks/delivery_store.hpp>
#include <reelsd/domain/webhooks/webhook_store.hpp>
#include <reelsd/work/engine/worker_pool.hpp>
#include <reelsd/work/webhooks/webhook_sender.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>

namespace reelsd::work {

struct webhook_deliverer_options {
    std::size_t threads = 16;  ///< Tries at the same time; 0: this daemon delivers nothing.
    /// Of the time that a stop has: what tries under way get. Slower receivers are tried again.
    std::chrono::milliseconds drain{2000};
    seconds_f retry_base{5.0};  ///< The wait before the second try; see webhooks::delay_after().
    /// Called on the loop after each try, with outcome_name() of what became of it. Optional.
    std::function<void(std::string_view outcome)> on_tried = {};
};

/// "delivered", "put off", "given up" or "handed back".
[[nodiscard]] std::string_view outcome_name(const webhooks::delivery_step& step) noexcept;

/// Delivers what ended jobs are to be told: takes due deliveries, tries them on threads of its own,
/// and reports. Several daemons share them by leases; whoever dies is made up for when its lease
/// ends, so that a delivery may be tried twice but is never lost.
/// Thread: all members on the loop. Must be stopped before it is destroyed.
class webhook_deliverer final : public async::background_service {
public:
    /// What `deliveries` and `settings` use, `tasks`, which runs our coroutines, and `sender`
    /// outlive this.
    webhook_deliverer(
        boost::asio::any_io_executor loop, webhooks::delivery_store deliveries,
        webhooks::webhook_store settings, const webhook_sender& sender, async::task_group& tasks,
        webhook_deliverer_options options, log::logger log);
    ~webhook_deliverer() override;

    [[nodiscard]] std::string_view name() const noexcept override { return "deliver webhooks"; }
    void start() override;

    /// There may be a delivery that is due: it is tried at once.
    void wake();

    /// The job was deleted on this instance: a try that is under way is broken off.
    void cancel(job_id job);

    /// Takes no more; lets tries end for `options.drain`; then breaks them off and hands their
    /// deliveries back. True when nothing is left by `by`. What is left then is tried again when
    /// its lease ends.
    [[nodiscard]] boost::asio::awaitable<bool> stop(deadline by) override;

    /// Tries that are under way or being reported.
    [[nodiscard]] std::size_t held() const noexcept { return held_.size(); }

private:
    /// A delivery in our hands.
    struct held_delivery {
        webhooks::claimed_delivery delivery;
        std::string receiver;
        std::stop_source stop;
        monotonic_clock::time_point claimed;
    };

    boost::asio::awaitable<void> run();
    boost::asio::awaitable<bool> claim_some();
    boost::asio::awaitable<void> deliver(std::int64_t id);
    boost::asio::awaitable<bool> make_ready(held_delivery& held);
    boost::asio::awaitable<void> report(std::int64_t id, sent_webhook sent);
    boost::asio::awaitable<void> write(std::int64_t id, webhooks::delivery_step step);

    [[nodiscard]] webhooks::delivery_claim next_claim() const;
    void begin(webhooks::claimed_delivery delivery);
    void try_now(std::int64_t id);
    void release(std::int64_t id);
    void note_step(
        const held_delivery& held, const webhooks::delivery_step& step,
        const std::string& detail) const;

    boost::asio::any_io_executor loop_;
    webhooks::delivery_store deliveries_;
    webhooks::webhook_store settings_;
    const webhook_sender& sender_;
    async::task_group& tasks_;
    webhook_deliverer_options options_;
    log::logger log_;

    std::map<std::int64_t, held_delivery> held_;
    async::condition woken_;
    async::condition emptied_;
    bool wake_pending_ = false;
    bool claiming_ = false;
    bool stopping_ = false;
    bool database_reachable_ = true;
    worker_pool threads_;  ///< Last: its tries end in the members above.
};

}  // namespace reelsd::work
