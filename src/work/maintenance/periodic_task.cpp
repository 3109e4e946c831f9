#include <reelsd/async/monotonic_timer.hpp>
#include <reelsd/domain/loop_call.hpp>  // What the stores throw.
#include <reelsd/work/maintenance/periodic_task.hpp>

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include <exception>

namespace reelsd::work {
namespace {

namespace asio = boost::asio;

/// The readiness monitor logs an unreachable database.
bool is_outage(const db::failure& failure) {
    const auto* const outage = dynamic_cast<const db::unavailable*>(&failure);
    return outage != nullptr && outage->reason() == db::outage::no_connection;
}

}  // namespace

periodic_task::periodic_task(
    std::string name, const asio::any_io_executor& loop, duration interval, log::logger log)
    : background_task{std::move(name), loop, std::move(log)},
      interval_{interval},
      pause_{interval} {}

asio::awaitable<void> periodic_task::run() {
    for (;;) {
        pause_ = interval_;
        const bool has_succeeded = co_await succeeds(name(), step());
        if (!has_succeeded) on_failure();
        co_await async::pause(pause_);
    }
}

asio::awaitable<bool> periodic_task::succeeds(std::string_view what, asio::awaitable<void> part) {
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

}  // namespace reelsd::work
