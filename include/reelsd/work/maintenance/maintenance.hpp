#pragma once

#include <reelsd/async/background_service.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/jobs/media_store.hpp>
#include <reelsd/domain/jobs/reel_search.hpp>
#include <reelsd/domain/retention/retention_store.hpp>
#include <reelsd/domain/usage/call_ledger_store.hpp>
#include <reelsd/domain/webhooks/webhook_store.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

namespace reelsd::async {
class offload_pool;
}

namespace reelsd::jobs {
class upload_store;
}

namespace reelsd::work {

struct maintenance_context {
    boost::asio::any_io_executor loop;
    log::logger log;
};

struct retention_options {
    std::string daemon;  ///< This daemon's name; one daemon at a time removes rows of a kind.
    /// Called with "results", "usage", "erased_results", "erased_usage" or "erased_accounts".
    std::function<void(std::string_view what, std::int64_t rows)> on_removed;
    /// Called after a round through all that has expired.
    std::function<void(std::string_view what)> on_round;
};

/// Removes rows older than `kept`, round after round.
[[nodiscard]] std::unique_ptr<async::background_service> make_retention_sweeper(
    const maintenance_context& context, retention::retention_store store, retention_options options,
    retention::kind what, seconds_f kept);

/// Stops the work of accounts that are pending deletion, and empties and removes them in turns.
[[nodiscard]] std::unique_ptr<async::background_service> make_account_erasure(
    const maintenance_context& context, retention::retention_store store,
    retention_options options);

/// Removes deliveries that have ended and are no longer shown.
[[nodiscard]] std::unique_ptr<async::background_service> make_delivery_log_cleaner(
    const maintenance_context& context, webhooks::delivery_store store);

/// Calls upload_store::sweep() every few seconds. `store` outlives it.
[[nodiscard]] std::unique_ptr<async::background_service> make_upload_sweeper(
    const maintenance_context& context, jobs::upload_store& store);

/// How long and how much of the videos of done reels is kept.
struct video_limits {
    seconds_f kept{};  ///< 0: none are.
    std::int64_t bytes_max = 0;
};

/// Removes kept videos beyond their limits, every few seconds.
[[nodiscard]] std::unique_ptr<async::background_service> make_video_sweeper(
    const maintenance_context& context, jobs::media_store store, video_limits limits,
    std::function<void(std::string_view what, std::int64_t rows)> on_removed);

/// Deletes unwanted objects of the media store `name`. `remove` deletes one object, and blocks; it
/// runs on `threads`.
[[nodiscard]] std::unique_ptr<async::background_service> make_object_sweeper(
    const maintenance_context& context, jobs::media_store store, async::offload_pool& threads,
    std::string name,
    std::function<result<void>(const std::string& object, const std::stop_token& stop)> remove);

/// Settles model calls whose answer was lost.
[[nodiscard]] std::unique_ptr<async::background_service> make_lost_call_settler(
    const maintenance_context& context, usage::call_ledger_store store);

/// Adds the present form of the words of reels of an earlier release, which searches then find.
[[nodiscard]] std::unique_ptr<async::background_service> make_word_form_adder(
    const maintenance_context& context, const jobs::reel_search& search);

/// Deletes uploads that earlier runs left at providers, once at the start. `sweep` blocks.
[[nodiscard]] std::unique_ptr<async::background_service> make_provider_upload_sweeper(
    const maintenance_context& context, async::offload_pool& threads,
    std::function<void(const std::stop_token&)> sweep);

}  // namespace reelsd::work
