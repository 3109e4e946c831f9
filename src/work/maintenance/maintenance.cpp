#include <reelsd/async/monotonic_timer.hpp>
#include <reelsd/async/offload_pool.hpp>
#include <reelsd/domain/jobs/upload_store.hpp>
#include <reelsd/domain/loop_call.hpp>  // What the stores throw.
#include <reelsd/work/maintenance/maintenance.hpp>
#include <reelsd/work/maintenance/periodic_task.hpp>

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include <chrono>
#include <exception>
#include <utility>
#include <vector>

namespace reelsd::work {
namespace {

namespace asio = boost::asio;

/// The readiness monitor logs an unreachable database.
bool is_outage(const db::failure& failure) {
    const auto* const outage = dynamic_cast<const db::unavailable*>(&failure);
    return outage != nullptr && outage->reason() == db::outage::no_connection;
}

using namespace std::chrono_literals;

/// Deliveries are kept for days: a minute more makes no difference.
constexpr auto clean_interval = 60s;
/// Pause after a full step, to leave time for other statements.
constexpr auto clean_pause = 200ms;
constexpr auto clean_time_max = 5s;
/// Rows per statement, which holds their locks for a few milliseconds.
constexpr int rows_max = 500;

/// Lost calls are few and an hour old. Metrics and usage include them before they are settled.
constexpr auto settle_interval = 10min;
constexpr auto settle_pause = 1s;
constexpr int calls_max = 1000;  ///< A step takes about 20 ms.
constexpr auto settle_time_max = 6s;

/// An upload that is not renewed for 10 s is removed: an interrupted one is gone within 20 s.
constexpr auto sweep_interval = 3s;
constexpr auto sweep_time_max = 5s;

/// A reel takes a few milliseconds, with many Chinese or Japanese words some hundred.
constexpr auto word_forms_pause = 5ms;
/// After the last reel, and while another daemon adds the forms.
constexpr auto word_forms_interval = 60s;
constexpr auto word_forms_time_max = 5s;

/// For a thread to become free.
constexpr auto thread_wait_max = 60s;

/// Repeats a batch: after `interval`, or after `pause` while more is left.
class batch_task final : public periodic_task {
public:
    /// Returns whether more is left. The task keeps it, and so what it captures.
    using batch_function = std::function<awaitable<bool>()>;

    batch_task(
        std::string name, const maintenance_context& context, duration interval, duration pause,
        batch_function batch)
        : periodic_task{std::move(name), context.loop, interval, context.log},
          pause_{pause},
          batch_{std::move(batch)} {}

private:
    awaitable<void> step() override {
        const bool is_more_left = co_await batch_();
        if (is_more_left) pause_for(pause_);
    }

    duration pause_;
    batch_function batch_;
};

class provider_upload_sweeper final : public async::background_task {
public:
    provider_upload_sweeper(
        const maintenance_context& context, async::offload_pool& threads,
        std::function<void(const std::stop_token&)> sweep)
        : background_task{"sweep provider uploads", context.loop, context.log},
          threads_{threads},
          sweep_{std::move(sweep)} {}

    awaitable<bool> stop(deadline by) override {
        stop_.request_stop();
        return background_task::stop(by);
    }

private:
    awaitable<void> run() override {
        const auto sweep = [this] { sweep_(stop_.get_token()); };
        const auto removed = co_await threads_.run(deadline::after(thread_wait_max), sweep);
        if (removed) co_return;
        log().warning(
            "deleting leftover uploads at the model provider failed",
            {{"reason", removed.error().to_string()}});
    }

    async::offload_pool& threads_;
    std::function<void(const std::stop_token&)> sweep_;
    std::stop_source stop_;
};

/// Videos beyond the limit of bytes are documented to be deleted within 30 s.
constexpr auto expiry_interval = 5s;
/// Pause after a full step, to leave time for other statements.
constexpr auto expiry_pause = 200ms;
/// Files per statement: 500 MB at the usual size.
constexpr int videos_per_step = 100;

/// Objects of a deleted reel are documented to be deleted within 15 s.
constexpr auto deletion_interval = 2s;
/// Objects per step, one after another: a deletion takes 5 to 50 ms.
constexpr int objects_per_step = 50;
/// After a failure, and when a daemon dies during a step.
constexpr seconds_f deletion_retry_pause{10.0};
/// For a thread to become free.
constexpr auto media_thread_wait_max = 5s;
constexpr auto media_query_time_max = 5s;

using remove_function =
    std::function<result<void>(const std::string& object, const std::stop_token& stop)>;

class object_sweeper final : public periodic_task {
public:
    object_sweeper(
        const maintenance_context& context, jobs::media_store store, async::offload_pool& threads,
        std::string name, remove_function remove)
        : periodic_task{"delete media objects", context.loop, deletion_interval, context.log},
          store_{store},
          threads_{threads},
          name_{std::move(name)},
          remove_{std::move(remove)} {}

    awaitable<bool> stop(deadline by) override {
        stop_.request_stop();
        return periodic_task::stop(by);
    }

private:
    awaitable<void> step() override {
        const auto unwanted = co_await store_.take_unwanted(
            name_, objects_per_step, deletion_retry_pause, deadline::after(media_query_time_max));
        if (unwanted.empty()) co_return;
        std::vector<std::string> removed;
        std::string failed;  // The first object that was not deleted.
        const auto remove_all = [&]() -> result<void> {
            result<void> outcome;
            for (const auto& object : unwanted) {
                const auto done = remove_(object, stop_.get_token());
                if (done) removed.push_back(object);
                if (!done && outcome) {
                    outcome = done;
                    failed = object;
                }
                // A store that refuses one object may delete the others.
                if (!done && done.error().code() != errc::storage_failed) break;
            }
            return outcome;
        };
        const auto done = co_await threads_.run(deadline::after(media_thread_wait_max), remove_all);
        if (!removed.empty())
            co_await store_.forget(removed, deadline::after(media_query_time_max));
        note(done, failed);
        if (done && removed.size() == objects_per_step) pause_for(expiry_pause);
    }

    /// Logged once until a step succeeds again, and for an object that keeps failing alone.
    void note(const result<void>& done, const std::string& object) {
        const bool has_failed_before = std::exchange(has_failed_, !done);
        if (done || has_failed_before || done.error().code() == errc::cancelled) return;
        auto failure = object + done.error().detail();
        if (failure == last_failure_) return;
        last_failure_ = std::move(failure);
        log().warning(
            "deleting media objects failed",
            {{"store", name_}, {"object", object}, {"reason", done.error().detail()}});
    }

    jobs::media_store store_;
    async::offload_pool& threads_;
    std::string name_;
    remove_function remove_;
    std::stop_source stop_;
    bool has_failed_ = false;
    std::string last_failure_;  ///< The object and the reason last logged.
};

}  // namespace

awaitable<void> periodic_task::run() {
    for (;;) {
        pause_ = interval_;
        const bool has_succeeded = co_await succeeds(name(), step());
        if (!has_succeeded) on_failure();
        co_await async::pause(pause_);
    }
}

awaitable<bool> periodic_task::succeeds(std::string_view what, awaitable<void> part) {
    try {
        co_await std::move(part);
        co_return true;
    } catch (const db::failure& failure) {
        const log::fields about{{"step", what}, {"reason", failure.what()}};
        if (is_outage(failure)) {
            log().debug("maintenance step failed", about);
        } else {
            log().warning("maintenance step failed", about);
        }
    } catch (const boost::system::system_error& failure) {
        if (failure.code() == asio::error::operation_aborted) throw;
        log().error("maintenance step aborted", {{"step", what}, {"reason", failure.what()}});
    } catch (const std::exception& failure) {
        // A bug, or out of memory: the next step may succeed.
        log().error("maintenance step aborted", {{"step", what}, {"reason", failure.what()}});
    }
    co_return false;
}

std::unique_ptr<async::background_service> make_delivery_log_cleaner(
    const maintenance_context& context, webhooks::delivery_store store) {
    auto clean = [store]() mutable -> awaitable<bool> {
        co_return co_await store.tidy(rows_max, deadline::after(clean_time_max)) == rows_max;
    };
    return std::make_unique<batch_task>(
        "clean the delivery log", context, clean_interval, clean_pause, std::move(clean));
}

std::unique_ptr<async::background_service> make_upload_sweeper(
    const maintenance_context& context, jobs::upload_store& store) {
    auto sweep = [&store]() -> awaitable<bool> {
        co_await store.sweep(deadline::after(sweep_time_max));
        co_return false;
    };
    return std::make_unique<batch_task>(
        "sweep uploads", context, sweep_interval, sweep_interval, std::move(sweep));
}

std::unique_ptr<async::background_service> make_lost_call_settler(
    const maintenance_context& context, usage::call_ledger_store store) {
    auto settle = [store]() mutable -> awaitable<bool> {
        const auto by = deadline::after(settle_time_max);
        co_return co_await store.settle_lost(calls_max, by) == calls_max;
    };
    return std::make_unique<batch_task>(
        "settle lost model calls", context, settle_interval, settle_pause, std::move(settle));
}

std::unique_ptr<async::background_service> make_word_form_adder(
    const maintenance_context& context, const jobs::reel_search& search) {
    auto add = [search]() -> awaitable<bool> {
        co_return co_await search.add_earlier_word_forms(deadline::after(word_forms_time_max));
    };
    return std::make_unique<batch_task>(
        "add forms of words", context, word_forms_interval, word_forms_pause, std::move(add));
}

std::unique_ptr<async::background_service> make_provider_upload_sweeper(
    const maintenance_context& context, async::offload_pool& threads,
    std::function<void(const std::stop_token&)> sweep) {
    return std::make_unique<provider_upload_sweeper>(context, threads, std::move(sweep));
}

std::unique_ptr<async::background_service> make_video_sweeper(
    const maintenance_context& context, jobs::media_store store, video_limits limits,
    std::function<void(std::string_view what, std::int64_t rows)> on_removed) {
    auto expire = [store, limits, on_removed = std::move(on_removed)]() -> awaitable<bool> {
        const auto removed = co_await store.expire_videos(
            limits.kept, limits.bytes_max, videos_per_step, deadline::after(media_query_time_max));
        if (removed > 0) on_removed("videos", removed);
        co_return removed == videos_per_step;
    };
    return std::make_unique<batch_task>(
        "expire videos", context, expiry_interval, expiry_pause, std::move(expire));
}

std::unique_ptr<async::background_service> make_object_sweeper(
    const maintenance_context& context, jobs::media_store store, async::offload_pool& threads,
    std::string name, remove_function remove) {
    return std::make_unique<object_sweeper>(
        context, store, threads, std::move(name), std::move(remove));
}

}  // namespace reelsd::work
