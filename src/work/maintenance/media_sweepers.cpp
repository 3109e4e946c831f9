#include <reelsd/async/offload_pool.hpp>
#include <reelsd/work/maintenance/maintenance.hpp>
#include <reelsd/work/maintenance/periodic_task.hpp>

#include <chrono>
#include <utility>
#include <vector>

namespace reelsd::work {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

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

class video_sweeper final : public periodic_task {
public:
    video_sweeper(
        const maintenance_context& context, jobs::media_store store, video_limits limits,
        std::function<void(std::string_view, std::int64_t)> on_removed)
        : periodic_task{"expire videos", context.loop, expiry_interval, context.log},
          store_{store},
          limits_{limits},
          on_removed_{std::move(on_removed)} {}

private:
    asio::awaitable<void> step() override {
        const auto removed = co_await store_.expire_videos(
            limits_.kept,
            limits_.bytes_max,
            videos_per_step,
            deadline::after(media_query_time_max));
        if (removed > 0) on_removed_("videos", removed);
        if (removed == videos_per_step) pause_for(expiry_pause);
    }

    jobs::media_store store_;
    video_limits limits_;
    std::function<void(std::string_view, std::int64_t)> on_removed_;
};

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

    asio::awaitable<bool> stop(deadline by) override {
        stop_.request_stop();
        return periodic_task::stop(by);
    }

private:
    asio::awaitable<void> step() override {
        const auto unwanted = co_await store_.take_unwanted(
            name_, objects_per_step, deletion_retry_pause, deadline::after(media_query_time_max));
        if (unwanted.empty()) co_return;
        std::vector<std::string> removed;
        std::optional<error> failure;
        const auto remove_all = [&] {
            for (const auto& object : unwanted) {
                const auto done = remove_(object, stop_.get_token());
                if (!done) {
                    failure = done.error();
                    return false;
                }
                removed.push_back(object);
            }
            return true;
        };
        const auto ran = co_await threads_.run(deadline::after(media_thread_wait_max), remove_all);
        if (!removed.empty())
            co_await store_.forget(removed, deadline::after(media_query_time_max));
        note(ran ? failure : ran.error());
        if (ran && *ran && removed.size() == objects_per_step) pause_for(expiry_pause);
    }

    /// Logged once until a deletion succeeds again.
    void note(const std::optional<error>& failure) {
        const bool has_failed_before = std::exchange(has_failed_, failure.has_value());
        if (!failure || has_failed_before || failure->code() == errc::cancelled) return;
        log().warning(
            "deleting media objects failed", {{"store", name_}, {"reason", failure->detail()}});
    }

    jobs::media_store store_;
    async::offload_pool& threads_;
    std::string name_;
    remove_function remove_;
    std::stop_source stop_;
    bool has_failed_ = false;
};

}  // namespace

std::unique_ptr<async::background_service> make_video_sweeper(
    const maintenance_context& context, jobs::media_store store, video_limits limits,
    std::function<void(std::string_view what, std::int64_t rows)> on_removed) {
    return std::make_unique<video_sweeper>(context, store, limits, std::move(on_removed));
}

std::unique_ptr<async::background_service> make_object_sweeper(
    const maintenance_context& context, jobs::media_store store, async::offload_pool& threads,
    std::string name, remove_function remove) {
    return std::make_unique<object_sweeper>(
        context, store, threads, std::move(name), std::move(remove));
}

}  // namespace reelsd::work
