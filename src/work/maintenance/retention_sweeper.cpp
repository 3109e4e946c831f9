#include <reelsd/domain/retention/retention_store.hpp>
#include <reelsd/work/maintenance/maintenance.hpp>
#include <reelsd/work/maintenance/periodic_task.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace reelsd::work {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// Rows are kept for days: a minute more makes no difference.
constexpr auto round_interval_max = 60s;
constexpr auto round_interval_min = 1s;
/// The statement's own limit, and the wait for a connection before it.
constexpr auto expire_time_max = 6s;

/// Rows that are kept for minutes must not be kept for twice as long.
periodic_task::duration round_interval(seconds_f kept) {
    const auto tenth = std::chrono::duration_cast<periodic_task::duration>(kept / 10);
    return std::clamp<periodic_task::duration>(tenth, round_interval_min, round_interval_max);
}

std::string step_name(retention::kind what) {
    return fmt::format("expire {}", name_of(what));
}

class retention_sweeper final : public periodic_task {
public:
    retention_sweeper(
        const maintenance_context& in, retention::retention_store store, retention_options options,
        retention::kind what, seconds_f kept)
        : periodic_task{step_name(what), in.loop, round_interval(kept), in.log},
          store_{store},
          options_{std::move(options)},
          what_{what},
          kept_{kept} {}

private:
    asio::awaitable<void> step() override {
        began_ = monotonic_clock::now();
        const int rows = size_.rows();
        const auto now =
            std::chrono::time_point_cast<time_point::duration>(std::chrono::system_clock::now());
        const auto after = std::exchange(after_, std::nullopt);
        const auto expired = co_await store_.expire(
            what_,
            options_.daemon,
            {.kept = kept_, .now = now},
            after,
            rows,
            deadline::after(expire_time_max));
        note(expired, rows);
    }

    void note(const std::optional<retention::expiry_step>& expired, int rows) {
        const bool was_refused = std::exchange(is_refused_, expired && expired->refused_gap);
        if (is_refused_) {
            if (!was_refused) warn_of_clocks(*expired->refused_gap);
            return;
        }
        const bool is_full = expired && expired->looked == rows;
        size_.took(monotonic_clock::now() - began_, is_full);
        if (expired) {
            removed_ += expired->removed;
            options_.on_removed(name_of(what_), expired->removed);
        }
        if (is_full) {
            after_ = expired->next;
            pause_for(size_.pause());
            return;
        }
        size_.reset();
        if (expired) options_.on_round(name_of(what_));
        if (removed_ > 0) log().info("expired", {{"what", name_of(what_)}, {"removed", removed_}});
        removed_ = 0;
    }

    void on_failure() override { size_.took(monotonic_clock::now() - began_, false); }

    void warn_of_clocks(seconds_f gap) const {
        log().warning(
            "nothing expires while the database's clock and this one differ by more than a day",
            {{"what", name_of(what_)}, {"seconds", gap.count()}});
    }

    retention::retention_store store_;
    retention_options options_;
    retention::kind what_;
    seconds_f kept_;
    retention::step_size size_;
    monotonic_clock::time_point began_;
    std::optional<retention::position> after_;  ///< Nothing: the next step begins a round.
    std::int64_t removed_ = 0;                  ///< Rows removed since the last log line.
    bool is_refused_ = false;  ///< The clocks differ; logged once until they agree.
};

}  // namespace

std::unique_ptr<async::background_service> make_retention_sweeper(
    const maintenance_context& in, retention::retention_store store, retention_options options,
    retention::kind what, seconds_f kept) {
    return std::make_unique<retention_sweeper>(in, store, std::move(options), what, kept);
}

}  // namespace reelsd::work
