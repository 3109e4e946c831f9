#include "commands.hpp"
#include "composition.hpp"
#include "process_services.hpp"
#include <reelsd/async/awaitable.hpp>
#include <reelsd/async/background_service.hpp>
#include <reelsd/base/bounds.hpp>
#include <reelsd/process/child_run.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <optional>
#include <utility>

namespace reelsd::app {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// Time after the drain for releasing jobs. The setting shutdown-drain-seconds is 4 s by default,
/// which sums up to bounds::shutdown_grace.
constexpr auto release_time_max = bounds::shutdown_grace - 4s;
/// At least this long, and for this long after the last question, clients get their answers.
constexpr auto exchange_time_min = 3s;
constexpr auto last_exchange_time_max = 1s;
constexpr auto last_flush_time_max = 2s;

/// Starts what `composition` has built, and stops it in reverse.
class daemon {
public:
    /// Binds nothing yet.
    daemon(
        const settings& config, const log::logger& log, resources opened,
        const service_notifier& supervisor)
        : supervisor_{supervisor},
          parts_{
              config,
              log,
              std::move(opened),
              supervisor,
              [this] {
                  is_unsupported_ = true;
                  // Takes the same path as a stop by an operator.
                  static_cast<void>(std::raise(SIGTERM));
              }},
          signals_{parts_.loop, SIGINT, SIGTERM} {}

    /// Listens and serves until SIGINT or SIGTERM, and notifies the service manager. Errors: the
    /// address cannot be listened on; the database needs a newer program.
    result<void> run() {
        const auto& log = parts_.log;
        parts_.pool.start();
        const auto listening = listen();
        if (!listening) return listening.error();
        start();
        asio::co_spawn(parts_.loop, stop_on_signal(), [this](const std::exception_ptr& thrown) {
            if (!thrown) return;
            async::log_failure(parts_.log)("stop", thrown);
            // After a stop that failed, the loop would never run out of work.
            parts_.loop.stop();
        });
        log.info(
            "listening",
            {{"address", http::text_of({.host = parts_.config.listen.host, .port = parts_.port})},
             {"workers", parts_.config.workers},
             {"analyzer", parts_.res.models->get()->chosen().name()},
             {"reel-cache-bytes-max", parts_.callers.kept().most},
             {"version", REELSD_VERSION}});
        log_unless_notified(log, supervisor_.ready());
        run_loop();
        // Other daemons learn of it by the end of their links, which must therefore come later.
        if (auto* const cluster = parts_.res.store->cluster()) cluster->stop();
        if (!is_drained_) {
            // A worker hangs in a call that ignores its stop. Its job is rescued when the lease
            // ends; waiting for the thread would delay the exit until the call returns.
            log.warning("stopped with unfinished work; it resumes when its leases expire");
            std::_Exit(is_unsupported_ ? EXIT_FAILURE : EXIT_SUCCESS);
        }
        log.info("stopped");
        if (!is_unsupported_) return {};
        return error{
            errc::conflict,
            "the database requires a newer release than this one; start the newer release"};
    }

private:
    /// Binds both addresses.
    result<void> listen() {
        if (parts_.metrics_server) {
            const auto served = parts_.metrics_server->start();
            if (!served) return served.error();
        }
        const auto port = listen_for_clients();
        if (!port) {
            if (parts_.metrics_server) parts_.metrics_server->abandon();
            return port.error();
        }
        parts_.port = *port;
        return {};
    }

    /// Takes over the listener of another daemon, or opens one. Returns the port.
    result<std::uint16_t> listen_for_clients() {
        const auto& config = parts_.config;
        std::optional<http::listen_address> shared;
        if (config.share_port && config.listen.port != 0) shared = config.listen;
        auto taken_over = parts_.others.join(shared);
        if (taken_over) parts_.log.info("another daemon listens on the same socket");
        auto port = parts_.server.start(std::move(taken_over));
        if (!port) return port;
        parts_.others.start(
            {.listener =
                 [this] { return parts_.config.share_port ? parts_.server.listener() : -1; },
             .suspend_database = [this] { return parts_.cluster.suspend(); },
             .resume_database = [this] { return parts_.cluster.resume(); }});
        return port;
    }

    void start() {
        parts_.cluster.start();
        parts_.token_usage.start();
        parts_.services.start();
        parts_.tasks.spawn("poll changes", parts_.poller.run());
    }

    /// Writes the log lines of each turn of the loop with one call. A killed daemon loses the lines
    /// of at most one turn.
    void run_loop() {
        struct unbatched {
            const log::logger& log;
            ~unbatched() { log.batch({}); }
        };
        parts_.log.batch([this] { asio::post(parts_.loop, [this] { parts_.log.flush(); }); });
        const unbatched at_end{parts_.log};
        parts_.loop.run();
    }

    awaitable<void> stop_on_signal() {
        const int signal = co_await signals_.async_wait(asio::use_awaitable);
        parts_.log.info("stopping", {{"signal", signal == SIGINT ? "SIGINT" : "SIGTERM"}});
        co_await stop();
    }

    awaitable<void> stop() {
        using namespace asio::experimental::awaitable_operators;
        log_unless_notified(parts_.log, supervisor_.stopping());
        parts_.recorder.refuse_new();
        const auto drain =
            std::chrono::duration_cast<monotonic_clock::duration>(parts_.config.shutdown_drain);
        const auto by = deadline::after(drain + release_time_max);
        // Both at once: while clients get their answers, the workers finish or release their jobs.
        auto services = parts_.services.stop(by);
        auto exchanges = stop_server(by);
        is_drained_ = co_await (std::move(services) && std::move(exchanges));
        if (parts_.metrics_server) co_await parts_.metrics_server->stop();
        const bool is_supervisor_stopped = co_await parts_.cluster.stop(by);
        if (!co_await parts_.tasks.stop(by, deadline::after(1s))) {
            parts_.log.error("tasks still running at shutdown", {{"tasks", parts_.tasks.size()}});
            is_drained_ = false;
        }
        // Containers are killed 10 s after the stop signal.
        const auto flush_time_max = parts_.pool.state().reachable() ? last_flush_time_max : 0s;
        const bool is_flusher_stopped =
            co_await parts_.token_usage.stop(deadline::after(flush_time_max));
        is_drained_ = is_drained_ && is_supervisor_stopped && is_flusher_stopped;
        co_await parts_.cluster.hand_over(by);
    }

    /// A client gets the answer to its question, which is paid, but no other exchange delays the
    /// stop for as long.
    awaitable<void> stop_server(deadline by) {
        const auto exchanges_by = by.at_most(exchange_time_min);
        parts_.server.drain();
        static_cast<void>(co_await parts_.questions.stop(by));
        co_await parts_.server.stop(by.at_most(
            std::max<monotonic_clock::duration>(exchanges_by.remaining(), last_exchange_time_max)));
    }

    service_notifier supervisor_;
    composition parts_;
    asio::signal_set signals_;
    bool is_drained_ = true;
    bool is_unsupported_ = false;  ///< The schema needs a newer program.
};

/// Each connection is a descriptor, and the usual soft limit of 1,024 would limit clients. The
/// operator sets the hard limit; the daemon cannot use more than 65,536.
void raise_descriptor_limit(const log::logger& log) {
    constexpr rlim_t useful_max = 65'536;
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    const auto target = std::min(limit.rlim_max, useful_max);
    if (limit.rlim_cur >= target) return;
    limit.rlim_cur = target;
    if (::setrlimit(RLIMIT_NOFILE, &limit) == 0) return;
    log.warning("raising the open-file limit failed", {{"target", target}});
}

extern "C" void exit_immediately(int /*signal*/) {
    ::_exit(EXIT_SUCCESS);
}

/// A daemon that starts has accepted nothing, and waiting for a database may take long: a stop ends
/// it immediately. A private server that is starting ends with its parent. The daemon's own signal
/// handling replaces this one.
void exit_on_signal_until_started() {
    for (const int signal : {SIGINT, SIGTERM}) {
        // Fails only for an invalid number.
        static_cast<void>(std::signal(signal, &exit_immediately));
    }
    // The daemon rereads its files when it has started.
    static_cast<void>(std::signal(SIGHUP, SIG_IGN));
}

}  // namespace

result<void> execute(const serve_command&, const settings& config, const log::logger& log) {
    exit_on_signal_until_started();
    const auto kernel = process::check_kernel();
    if (!kernel) return kernel.error();
    const auto supervisor = service_notifier::from_environment();
    if (!supervisor) return supervisor.error();
    raise_descriptor_limit(log);
    auto opened = open_resources(config, log);
    if (!opened) return opened.error();
    daemon server{config, log, *std::move(opened), *supervisor};
    return server.run();
}

}  // namespace reelsd::app
