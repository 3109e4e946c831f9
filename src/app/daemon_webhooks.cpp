#include "daemon.hpp"
#include <reelsd/async/monotonic_timer.hpp>
#include <reelsd/base/json.hpp>  // A coroutine that returns it is destroyed here.
#include <reelsd/db/errors.hpp>

#include <chrono>
#include <cstdint>
#include <string_view>

// How receivers are told of jobs that have ended.
namespace reelsd::app {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// Deliveries are kept for days: a minute more makes no difference.
constexpr auto tidy_interval = 60s;
constexpr auto tidy_pause = 200ms;
constexpr auto tidy_time_max = 5s;
/// Forgotten by one statement, which then holds their locks for a few milliseconds.
constexpr int forgotten_at_once = 500;

}  // namespace

work::webhook_sender_settings daemon::webhook_sender_settings() const {
    return {
        .networks = with_.webhook_networks,
        .ca_file = with_.ca_file,
        .user_agent = "reelsd/" REELSD_VERSION};
}

work::webhook_deliverer_options daemon::webhook_deliverer_options() {
    work::webhook_deliverer_options options;
    if (with_.workers == 0) options.threads = 0;
    options.retry_base = with_.webhook_retry_base;
    options.on_tried = [this](std::string_view outcome) {
        parts_.figures->note_webhook_try(outcome);
    };
    return options;
}

void daemon::add_webhooks_to(api::api_parts& made) {
    made.check_webhook_url = [this](std::string_view url) { return webhook_sender_.check(url); };
    made.delivery_due = [this] { deliverer_.wake(); };
}

asio::awaitable<void> daemon::tidy_webhooks() {
    webhooks::delivery_store deliveries{pool_};
    for (;;) {
        std::int64_t forgotten = 0;
        try {
            forgotten = co_await deliveries.tidy(forgotten_at_once, deadline::after(tidy_time_max));
        } catch (const db::failure& failure) {
            log_.debug("deliveries are not tidied", {{"reason", failure.what()}});
        }
        // Others have their turn between two steps.
        monotonic_clock::duration pause = tidy_interval;
        if (forgotten == forgotten_at_once) pause = tidy_pause;
        co_await async::pause(pause);
    }
}

}  // namespace reelsd::app
