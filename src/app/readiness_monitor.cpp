#include "readiness_monitor.hpp"

#include <reelsd/async/monotonic_timer.hpp>
#include <reelsd/domain/jobs/job_store.hpp>

#include <chrono>
#include <utility>

namespace reelsd::app {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr auto check_interval = 1s;
constexpr auto check_time_max = 1s;
/// Longer than a check with two statements.
constexpr auto first_check_max = 3s;
/// Idle workers claim every second, and a claim takes up to 2 s.
constexpr auto claim_silence_max = 5s;
/// How long a failed submission of a client counts, even if checks succeed.
constexpr auto fault_memory = 5s;

error unready(std::string text) {
    return error{errc::database_unavailable, "not ready: " + std::move(text)};
}

}  // namespace

std::string unready_text(const db::failure& why, const db::pool_state& pool) {
    const auto* const outage = dynamic_cast<const db::unavailable*>(&why);
    if (outage == nullptr) return "submissions cannot be stored";
    if (outage->reason() == db::outage::read_only) {
        return "submissions cannot be stored: the database is read-only";
    }
    if (outage->reason() == db::outage::no_connection && pool.lacks_library) {
        return "the database server cannot load a library, because its files were replaced while "
               "it runs; restart PostgreSQL";
    }
    const bool is_reachable = outage->reason() == db::outage::overloaded ||
                              outage->reason() == db::outage::statement_timeout ||
                              outage->reason() == db::outage::contention;
    return is_reachable ? "the database does not answer in time" : "the database is not reachable";
}

readiness_monitor::readiness_monitor(
    const asio::any_io_executor& loop, db::pool& pool,
    std::function<std::optional<monotonic_clock::time_point>()> claimed_at, log::logger log)
    : background_task{"watch readiness", loop, std::move(log)},
      pool_{pool},
      claimed_at_{std::move(claimed_at)},
      state_{unready("starting")} {}

asio::awaitable<void> readiness_monitor::run() {
    for (;;) {
        note(co_await check());
        co_await async::pause(check_interval);
    }
}

asio::awaitable<bool> readiness_monitor::stop(deadline by) {
    is_stopping_ = true;
    return background_task::stop(by);
}

asio::awaitable<result<void>> readiness_monitor::state() {
    if (is_stopping_) co_return unready("the service is shutting down");
    if (!has_checked_) static_cast<void>(co_await checked_.wait(deadline::after(first_check_max)));
    co_return state_;
}

asio::awaitable<result<void>> readiness_monitor::check() {
    try {
        co_await check_submissions();
    } catch (const db::failure& failure) {
        cause_ = failure.what();
        co_return unready(unready_text(failure, pool_.state()));
    }
    if (faulty_at_) {
        cause_ = "submissions fail";
        co_return unready("submissions cannot be stored");
    }
    const auto claimed_at = claimed_at_();
    if (claimed_at && monotonic_clock::now() - *claimed_at > claim_silence_max) {
        cause_ = "the dispatcher's claims fail";
        co_return unready("jobs cannot be claimed");
    }
    co_return result<void>{};
}

asio::awaitable<void> readiness_monitor::check_submissions() {
    const auto& metrics = pool_.metrics();
    const auto submitted = metrics.find("jobs.submit");
    const auto counts = submitted == metrics.end() ? db::query_metrics{} : submitted->second;
    const auto successes = counts.count - counts.errors;
    const bool has_failed = std::exchange(faults_, counts.faults) != counts.faults;
    const bool has_succeeded = std::exchange(submissions_, successes) != successes;
    if (has_failed) {
        faulty_at_ = monotonic_clock::now();
    } else if (has_succeeded) {
        faulty_at_.reset();
    }
    jobs::job_store jobs{pool_};
    co_await jobs.check_submissions(deadline::after(check_time_max));
    if (!faulty_at_) co_return;
    co_await jobs.check_storage(deadline::after(check_time_max));
    // After a short fault, submissions have both failed and succeeded since the last check.
    if (has_succeeded || monotonic_clock::now() - *faulty_at_ > fault_memory) faulty_at_.reset();
}

void readiness_monitor::note(result<void> checked) {
    has_checked_ = true;
    checked_.notify_all();
    const bool was_ready = state_.has_value();
    const auto before = was_ready ? std::string{} : state_.error().detail();
    state_ = std::move(checked);
    if (state_ && !was_ready) log().info("ready");
    if (!state_ && state_.error().detail() != before) {
        log().warning("not ready", {{"check", state_.error().detail()}, {"reason", cause_}});
    }
}

}  // namespace reelsd::app
