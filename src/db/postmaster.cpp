#include "postmaster.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <future>
#include <system_error>
#include <utility>

namespace reelsd::db {
namespace {

using namespace std::chrono_literals;

/// Long enough for statements to be rolled back, short enough for a container's stop.
constexpr auto fast_stop_max = 10s;
constexpr auto immediate_stop_max = 5s;
constexpr std::uintmax_t log_bytes_max = std::uintmax_t{10} * 1024 * 1024;

}  // namespace

postmaster::postmaster(child_options options, std::atomic<bool>& alive, log::logger logger)
    : options_{std::move(options)},
      alive_{alive},
      logger_{std::move(logger)},
      stop_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {}

result<std::unique_ptr<postmaster>> postmaster::start(
    child_options options, std::atomic<bool>& alive, log::logger logger) {
    // make_unique cannot use the private constructor.
    std::unique_ptr<postmaster> made{new postmaster{std::move(options), alive, std::move(logger)}};
    if (!made->stop_) return error{errc::database_unavailable, words_of_errno(errno)};
    made->trim_log();

    std::promise<result<pid_t>> started;
    auto outcome = started.get_future();
    made->thread_ = std::jthread{[self = made.get(), started = std::move(started)]() mutable {
        const auto child = start_child(self->options_);
        self->alive_ = child.has_value();
        started.set_value(child);
        if (child) self->watch(*child);
    }};
    const auto child = outcome.get();
    if (!child) return child.error();
    return made;
}

postmaster::~postmaster() {
    const std::uint64_t one = 1;
    // Fails only when the counter is full, and then it is readable as well.
    static_cast<void>(::write(stop_.get(), &one, sizeof one));
}

void postmaster::watch(pid_t child) {
    const auto process = watch_process(child);
    // Without a descriptor for the process, polls five times a second; with one, once a minute for
    // the log.
    const int look_every_ms = process ? 60'000 : 200;
    for (;;) {
        std::array<pollfd, 2> watched{
            pollfd{process.get(), POLLIN, 0}, pollfd{stop_.get(), POLLIN, 0}};
        ::poll(watched.data(), watched.size(), look_every_ms);
        if (watched[1].revents != 0) return end(child);
        if (reap(child, deadline::after({}))) {
            logger_.warning("the private PostgreSQL server has ended by itself");
            return;
        }
        trim_log();
    }
}

void postmaster::end(pid_t child) {
    struct escalation {
        int signal;
        std::chrono::seconds patience;
    };
    constexpr std::array escalations{
        escalation{SIGINT, fast_stop_max}, escalation{SIGQUIT, immediate_stop_max}};
    for (const auto& [signal, patience] : escalations) {
        ::kill(child, signal);  // Not reaped yet, so the number is still its own.
        if (reap(child, deadline::after(patience))) return;
    }
    ::kill(child, SIGKILL);
    static_cast<void>(reap(child, deadline::after(immediate_stop_max)));
}

bool postmaster::reap(pid_t child, deadline by) {
    if (!wait_for_child(child, by)) return false;
    alive_ = false;
    return true;
}

void postmaster::trim_log() const {
    std::error_code problem;  // A log that cannot be truncated does not stop the database.
    const auto bytes = std::filesystem::file_size(options_.output, problem);
    // The server appends, so it continues at the new end.
    if (!problem && bytes > log_bytes_max)
        std::filesystem::resize_file(options_.output, 0, problem);
}

}  // namespace reelsd::db
