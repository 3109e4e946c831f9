#include <reelsd/async/monotonic_timer.hpp>
#include <reelsd/base/invariant.hpp>
#include <reelsd/base/random.hpp>
#include <reelsd/net/url.hpp>
#include <reelsd/work/webhooks/webhook_deliverer.hpp>

#include <boost/asio/post.hpp>

#include <chrono>
#include <exception>
#include <utility>

namespace reelsd::work {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr auto query_time_max = 8s;
/// How often deliveries are looked for that others made, or that are due again.
constexpr auto look_interval = 1s;
constexpr auto report_retry_interval = 500ms;

/// The host alone: paths and queries of receivers are often secrets.
std::string host_of(const std::optional<std::string>& address) {
    const auto parsed = net::url::parse(address.value_or(""));
    return parsed ? parsed->host() : "";
}

}  // namespace

std::string_view outcome_name(const webhooks::delivery_step& step) noexcept {
    if (std::holds_alternative<webhooks::delivered>(step)) return "delivered";
    if (std::holds_alternative<webhooks::put_off>(step)) return "put off";
    if (std::holds_alternative<webhooks::given_up>(step)) return "given up";
    return "handed back";
}

webhook_deliverer::webhook_deliverer(
    asio::any_io_executor loop, webhooks::delivery_store deliveries,
    webhooks::webhook_store settings, const webhook_sender& sender, async::task_group& tasks,
    webhook_deliverer_options options, log::logger log)
    : loop_{std::move(loop)},
      deliveries_{deliveries},
      settings_{settings},
      sender_{sender},
      tasks_{tasks},
      options_{std::move(options)},
      log_{std::move(log)},
      threads_{options_.threads} {}

webhook_deliverer::~webhook_deliverer() = default;

void webhook_deliverer::start() {
    if (threads_.size() > 0) tasks_.spawn("deliver webhooks", run());
}

void webhook_deliverer::wake() {
    wake_pending_ = true;
    woken_.notify_one();
}

void webhook_deliverer::cancel(job_id job) {
    for (auto& [id, held] : held_) {
        if (held.delivery.job.id == job) held.stop.request_stop();
    }
}

asio::awaitable<void> webhook_deliverer::run() {
    claiming_ = true;
    while (!stopping_) {
        wake_pending_ = false;
        try {
            // One claim leaves behind what is beyond the shares of those that it has served.
            while (!stopping_ && held_.size() < threads_.size()) {
                if (!co_await claim_some()) break;
            }
            database_reachable_ = true;
        } catch (const db::failure& failure) {
            // The queue tells of an outage; what is due stays due.
            log_.debug("webhooks: no database", {{"reason", failure.what()}});
            wake_pending_ = false;
            database_reachable_ = failure.code() != errc::database_unavailable;
            // A stop waits for no answer that will not come.
            if (!database_reachable_) emptied_.notify_all();
        }
        if (wake_pending_ && held_.size() < threads_.size()) continue;
        static_cast<void>(co_await woken_.wait(deadline::after(look_interval)));
    }
    claiming_ = false;
    emptied_.notify_all();
}

webhooks::delivery_claim webhook_deliverer::next_claim() const {
    webhooks::delivery_claim wanted{
        .deliveries_max = static_cast<int>(threads_.size() - held_.size())};
    for (const auto& [id, held] : held_) {
        wanted.in_hand.push_back({held.delivery.account, held.receiver});
    }
    return wanted;
}

/// Whether there was anything.
asio::awaitable<bool> webhook_deliverer::claim_some() {
    auto claimed = co_await deliveries_.claim(next_claim(), deadline::after(query_time_max));
    for (auto& delivery : claimed) begin(std::move(delivery));
    co_return !claimed.empty();
}

void webhook_deliverer::begin(webhooks::claimed_delivery delivery) {
    const auto id = delivery.id.value;
    auto receiver = webhooks::receiver_of(delivery.url.value_or(""));
    const auto [place, is_new] = held_.try_emplace(
        id,
        held_delivery{
            .delivery = std::move(delivery),
            .receiver = std::move(receiver),
            .stop = {},
            .claimed = monotonic_clock::now()});
    // Its lease has ended while it was in our hand, for want of a database to report to: whoever
    // has it still will see that it is no longer the current try.
    if (!is_new) return;
    if (stopping_) place->second.stop.request_stop();
    tasks_.spawn("deliver a webhook", deliver(id));
}

/// Up to where a thread takes over.
asio::awaitable<void> webhook_deliverer::deliver(std::int64_t id) {
    auto& held = held_.at(id);
    if (!held.delivery.url) {
        webhooks::given_up removed{std::nullopt, "the account has no webhook URL any more"};
        co_await write(id, std::move(removed));
        co_return;
    }
    if (co_await make_ready(held)) {
        try_now(id);
    } else {
        release(id);  // Tried again when its lease ends.
    }
}

/// An account that nobody has asked for its secret may have none yet.
asio::awaitable<bool> webhook_deliverer::make_ready(held_delivery& held) {
    if (!held.delivery.secrets.empty()) co_return true;
    try {
        auto secret =
            co_await settings_.secret_of(held.delivery.account, deadline::after(query_time_max));
        held.delivery.secrets.push_back(std::move(secret));
    } catch (const db::failure& failure) {
        log_.debug("webhooks: no secret", {{"reason", failure.what()}});
    }
    co_return !held.delivery.secrets.empty();
}

void webhook_deliverer::try_now(std::int64_t id) {
    const auto& held = held_.at(id);
    // The entry stays where it is until the try is reported.
    auto work = [this, id, &delivery = held.delivery, stop = held.stop.get_token()] {
        sent_webhook sent;
        try {
            sent = sender_.send(delivery, stop);
        } catch (const std::exception& failure) {
            // The boundary of a try: no memory, say. It counts as one that failed.
            sent.detail = failure.what();
        }
        asio::post(loop_, [this, id, sent = std::move(sent)]() mutable {
            tasks_.spawn("report a webhook", report(id, std::move(sent)));
        });
    };
    threads_.post(std::move(work));
}

asio::awaitable<void> webhook_deliverer::report(std::int64_t id, sent_webhook sent) {
    const auto& held = held_.at(id);
    const seconds_f took = monotonic_clock::now() - held.claimed;
    const webhooks::try_standing standing{
        .round_tries = held.delivery.round_tries, .time_left = held.delivery.time_left - took};
    auto step =
        webhooks::step_after(sent.ended, standing, options_.retry_base, random_between(0.0, 1.0));
    note_step(held, step, sent.detail);
    co_await write(id, std::move(step));
}

/// Until it is written or the lease is over: then it is tried again in any case.
asio::awaitable<void> webhook_deliverer::write(std::int64_t id, webhooks::delivery_step step) {
    const auto& held = held_.at(id);
    const auto lease_end = deadline::at(
        held.claimed +
        std::chrono::duration_cast<monotonic_clock::duration>(webhooks::delivery_lease));
    for (bool is_settled = false; !is_settled && !lease_end.passed();) {
        try {
            co_await deliveries_.report(
                held.delivery.id, held.delivery.claim, step, deadline::after(query_time_max));
            is_settled = true;
            continue;
        } catch (const db::unavailable&) {
            log_.debug("webhook report waits for the database", {{"delivery", id}});
        } catch (const db::failure& refusal) {
            log_.error("webhook report refused", {{"delivery", id}, {"reason", refusal.what()}});
        }
        co_await async::pause(report_retry_interval);
    }
    if (options_.on_tried) options_.on_tried(outcome_name(step));
    release(id);
}

void webhook_deliverer::release(std::int64_t id) {
    held_.erase(id);
    wake();
    if (held_.empty()) emptied_.notify_all();
}

void webhook_deliverer::note_step(
    const held_delivery& held, const webhooks::delivery_step& step,
    const std::string& detail) const {
    const auto& delivery = held.delivery;
    const auto host = host_of(delivery.url);
    if (std::holds_alternative<webhooks::delivered>(step)) {
        return log_.info(
            "webhook delivered",
            {{"job", delivery.job.id.value}, {"receiver", host}, {"try", delivery.tries}});
    }
    std::string why;
    if (const auto* later = std::get_if<webhooks::put_off>(&step)) why = later->cause;
    if (const auto* never = std::get_if<webhooks::given_up>(&step)) why = never->cause;
    log_.info(
        "webhook not delivered",
        {{"job", delivery.job.id.value},
         {"receiver", host},
         {"try", delivery.tries},
         {"outcome", outcome_name(step)},
         {"reason", why},
         {"detail", detail}});
}

asio::awaitable<bool> webhook_deliverer::stop(deadline by) {
    const auto finish_by = by.at_most(options_.drain);
    stopping_ = true;
    woken_.notify_all();
    // What a claim on its way still brings waits for the end of its lease.
    const auto is_idle = [this] { return held_.empty() && (!claiming_ || !database_reachable_); };
    while (!is_idle() && !finish_by.passed()) {
        static_cast<void>(co_await emptied_.wait(finish_by));
    }
    for (auto& [id, held] : held_) held.stop.request_stop();
    while (!is_idle() && !by.passed()) static_cast<void>(co_await emptied_.wait(by));
    co_return is_idle();
}

}  // namespace reelsd::work
