#include "curl_engine.hpp"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <ctime>
#include <new>

namespace reelsd::net {
namespace {

/// Engines kept for reuse: as many transfers as usually run at once.
constexpr std::size_t idle_engines_max = 16;
/// Open connections that one engine keeps: a page's host and two media hosts, and one spare.
constexpr long idle_connections_max = 4;
/// Longest sleep between two checks of the deadline. Stop requests interrupt it.
constexpr std::chrono::milliseconds poll_time_max{1000};

/// Blocks SIGPIPE in this thread. Threads need CURLOPT_NOSIGNAL, which leaves SIGPIPE to the
/// caller: a server that closes during a TLS write could otherwise end the whole process.
class broken_pipe_shield {
public:
    broken_pipe_shield() {
        sigemptyset(&signal_);
        sigaddset(&signal_, SIGPIPE);
        sigset_t pending;
        sigpending(&pending);
        was_pending_ = sigismember(&pending, SIGPIPE) == 1;
        pthread_sigmask(SIG_BLOCK, &signal_, &before_);
    }
    ~broken_pipe_shield() {
        // A signal that became pending would be delivered when the mask is restored.
        constexpr std::timespec at_once{};
        if (!was_pending_) sigtimedwait(&signal_, nullptr, &at_once);
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    broken_pipe_shield(const broken_pipe_shield&) = delete;
    broken_pipe_shield& operator=(const broken_pipe_shield&) = delete;

private:
    sigset_t signal_{};
    sigset_t before_{};
    bool was_pending_ = false;
};

/// Membership of a transfer in an engine.
class attachment {
public:
    attachment(CURLM* engine, CURL* transfer) : engine_{engine}, transfer_{transfer} {
        if (curl_multi_add_handle(engine_, transfer_) != CURLM_OK) throw std::bad_alloc{};
    }
    ~attachment() { curl_multi_remove_handle(engine_, transfer_); }
    attachment(const attachment&) = delete;
    attachment& operator=(const attachment&) = delete;

private:
    CURLM* engine_;
    CURL* transfer_;
};

/// Result code of the transfer, if it has finished.
const CURLMsg* classification_of(CURLM* engine) {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(engine, &left)) {
        if (message->msg == CURLMSG_DONE) return message;
    }
    return nullptr;
}

int poll_milliseconds(const deadline& by) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(by.remaining());
    return static_cast<int>(std::min(left, poll_time_max).count());
}

result<CURLcode> drive(CURLM* engine, deadline by, const std::stop_token& stop) {
    const std::stop_callback wake{stop, [engine] { curl_multi_wakeup(engine); }};
    while (true) {
        if (stop.stop_requested()) return error{errc::cancelled};
        if (by.passed()) return error{errc::timed_out, "HTTP request"};
        int running = 0;
        if (curl_multi_perform(engine, &running) != CURLM_OK)
            return error{errc::internal, "libcurl refuses to go on"};
        if (const auto* message = classification_of(engine)) return message->data.result;
        curl_multi_poll(engine, nullptr, 0, poll_milliseconds(by), nullptr);
    }
}

/// libcurl requires this once per process, before any thread uses it.
void initialize_once() {
    static const CURLcode initialized = curl_global_init(CURL_GLOBAL_DEFAULT);
    if (initialized != CURLE_OK) throw std::bad_alloc{};
}

}  // namespace

engine_pool::engine_pool() {
    initialize_once();
}

result<CURLcode> engine_pool::run(CURL* transfer, deadline by, const std::stop_token& stop) {
    const broken_pipe_shield shield;
    auto engine = take();
    auto verdict = [&] {
        const attachment attached{engine.get(), transfer};
        return drive(engine.get(), by, stop);
    }();
    give_back(std::move(engine));
    return verdict;
}

multi_ptr engine_pool::take() {
    {
        const std::scoped_lock guard{lock_};
        if (!idle_.empty()) {
            auto engine = std::move(idle_.back());
            idle_.pop_back();
            return engine;
        }
    }
    multi_ptr engine{curl_multi_init()};
    if (!engine) throw std::bad_alloc{};
    curl_multi_setopt(engine.get(), CURLMOPT_MAXCONNECTS, idle_connections_max);
    return engine;
}

void engine_pool::give_back(multi_ptr engine) {
    const std::scoped_lock guard{lock_};
    if (idle_.size() < idle_engines_max) idle_.push_back(std::move(engine));
}

}  // namespace reelsd::net
