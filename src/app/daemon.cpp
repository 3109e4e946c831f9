#include "daemon.hpp"

#include "host_check.hpp"
#include "installation.hpp"
#include "platform_source.hpp"
#include "tls.hpp"
#include "usable_memory.hpp"
#include <reelsd/base/bounds.hpp>
#include <reelsd/base/invariant.hpp>
#include <reelsd/base/random.hpp>
#include <reelsd/db/errors.hpp>
#include <reelsd/domain/jobs/transition.hpp>
#include <reelsd/net/url.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace reelsd::app {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// The cluster's supervisor and later password hashing; both are rare.
constexpr std::size_t offload_threads = 2;
constexpr std::size_t offload_queue_max = 64;
/// What a stop may take after the drain, to hand jobs back. The setting shutdown-drain-seconds is
/// 4 s unless an operator changes it, which makes bounds::shutdown_grace.
constexpr auto hand_back_time_max = bounds::shutdown_grace - 4s;
/// Calls of embedders block for up to two minutes: one of the background and those of searches,
/// which wait for 3 s and go on by words.
constexpr std::size_t embedding_threads = 4;
constexpr auto exchange_time_max = 3s;
/// For a scrape that is under way: nothing is lost with it.
constexpr auto metrics_time_max = 500ms;
/// For receivers that are being told: whoever takes longer is told again.
constexpr auto delivery_time_max = 2s;

/// Tells daemons apart in the queue: host and process for people, and the run because containers
/// have equal hosts and process ids.
std::string instance_name(const std::string& run) {
    std::array<char, 65> host{};
    if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '?';
    return fmt::format("{}:{}:{}", host.data(), ::getpid(), run);
}

media::media_options media_options_of(const settings& with) {
    media::media_options options;
    options.helper = find_installation(with).media_helper;
    options.seconds_max = with.video_seconds_max.count();
    options.tessdata = with.tessdata_dir;
    options.speech_model = with.speech_model_dir;
    options.jail = with.jail;
    return options;
}

platform::resolution_observer count_resolutions(metrics& figures) {
    return [&figures](std::string_view resolver, const error* why) {
        figures.note_resolution(resolver, why == nullptr ? "post" : name_of(why->code()));
    };
}

model::request_observer count_model_requests(metrics& figures) {
    return [&figures](std::string_view provider, std::string_view model, std::string_view outcome) {
        figures.note_model_request(provider, model, outcome);
    };
}

pacing::pace pace_of(const settings& with) {
    return {
        .interval = with.platform_interval,
        .tries_per_hour = with.platform_lookups_per_hour,
        .try_time = bounds::resolve_time_max,
        .cooldown_first = with.platform_cooldown};
}

jobs::retry_policy retry_policy_of(const settings& with) {
    return {
        .attempts_max = with.attempts_max,
        .base = with.retry_base,
        .video_seconds_max = with.video_seconds_max,
        .video_bytes_max = with.video_bytes_max};
}

/// Nothing without a pace of our own.
std::optional<jobs::platform_line> platform_line_of(const settings& with) {
    if (with.platform_interval <= seconds_f{0}) return std::nullopt;
    const auto pace = pace_of(with);
    return jobs::platform_line{
        .host = platform_host(with),
        .resolvers = with.resolvers,
        .interval = pace.interval,
        .tries_per_hour = pace.tries_per_hour,
        .try_time = pace.try_time,
        .heeds_cooldown = pace.cooldown_first > seconds_f{0},
        .cooldown_wait_max = retry_policy_of(with).cooldown_wait_max,
        .cooldown_text = jobs::cooldown_text(errc::platform_rate_limited, "{minutes}")};
}

void count_attempt(metrics& figures, const jobs::transition& ended, seconds_f took, bool written) {
    if (!written) return figures.note_attempt("lost", took);
    figures.note_attempt(jobs::outcome_name(ended), took);
}

work::dispatcher_options dispatcher_options_of(
    const settings& with, const std::string& worker, metrics& figures,
    std::function<void()> job_ended, std::function<void(job_id)> job_changed) {
    work::dispatcher_options options;
    options.worker = worker;
    options.lease = with.lease;
    options.policy = retry_policy_of(with);
    options.line = platform_line_of(with);
    options.on_job_changed = std::move(job_changed);
    options.on_attempt_ended = [&figures, job_ended = std::move(job_ended)](
                                   const jobs::transition& ended, seconds_f took, bool written) {
        count_attempt(figures, ended, took, written);
        job_ended();
    };
    return options;
}

db::pool_options pool_options_of(const settings& with, const database& store) {
    db::pool_options options;
    options.connection_string = store.connection_string();
    // When a daemon stops, all its long polls look at their jobs once more, at the same time.
    options.in_flight_max += with.connections_max;
    return options;
}

/// What an exception that left a handler means to the client. A database that refuses for want of
/// disk or memory is as good as away: the client may come again.
std::optional<error> explain(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const db::failure& failure) {
        const bool is_ours =
            failure.code() != errc::database_unavailable && failure.code() != errc::storage_failed;
        return error{is_ours ? errc::internal : errc::database_unavailable, failure.what()};
    } catch (...) {  // Whatever else: the session knows no more than we do.
        return std::nullopt;
    }
}

http::server_options server_options_of(
    const settings& with, std::shared_ptr<const http::tls_identity> tls, metrics& figures) {
    http::server_options options;
    options.address = with.listen;
    options.connections_max = with.connections_max;
    options.connections_per_address_max = with.connections_per_address_max;
    options.proxy_addresses = with.proxy_addresses;
    options.forwarded_for = with.forwarded_for;
    options.buffered_bytes_max = with.buffered_bytes_max;
    const bool by_https = tls || public_origin(with, with.listen.port).starts_with("https://");
    options.hsts = by_https ? http::strict_transport::on : http::strict_transport::off;
    options.tls = std::move(tls);
    options.explain = explain;
    options.on_exchange = [&figures](const http::exchange_report& report) {
        figures.note_exchange(report);
    };
    return options;
}

async::task_group::failure_handler log_failure(const log::logger& log) {
    return [log](std::string_view task, const std::exception_ptr& thrown) {
        try {
            std::rethrow_exception(thrown);
        } catch (const std::exception& failure) {
            log.error("task failed", {{"task", task}, {"reason", failure.what()}});
        }
    };
}

/// What tells this process from all others, also from those in containers with equal process ids.
std::string new_run() {
    return fmt::format("{:016x}", random_bits());
}

}  // namespace

std::string platform_host(const settings& with) {
    const auto platform = net::url::parse(with.platform_url);
    invariant(platform.has_value());  // The source has been made of it.
    return std::string{platform->host()};
}

result<std::unique_ptr<daemon>> daemon::create(const settings& with, const log::logger& log) {
    parts made{
        .run = new_run(),
        .figures = std::make_unique<metrics>(),
        .tls = {},
        .store = {},
        .source = {},
        .embedder = {},
        .media = std::make_unique<media::media_client>(media_options_of(with)),
        .models = {},
        .scratch = {}};
    auto tls = load_tls(with, log);
    if (!tls) return tls.error();
    made.tls = std::move(*tls);

    auto platform_settings = source_settings_of(with);
    platform_settings.on_resolution = count_resolutions(*made.figures);
    auto source = platform::source::create(std::move(platform_settings), log);
    if (!source) return source.error();
    made.source = std::move(*source);

    auto embedder = model::local_embedder::open(find_installation(with).dictionary);
    if (!embedder) return embedder.error();
    made.embedder = std::move(*embedder);

    auto models =
        analyzers::create(with, made.run, *made.media, count_model_requests(*made.figures), log);
    if (!models) return models.error();
    made.models = std::move(*models);

    auto store = database::open(with, log);
    if (!store) return store.error();
    made.store = std::move(*store);
    const auto migrated = made.store->migrate(log);
    if (!migrated) return migrated.error();

    auto scratch = work::scratch_space::open(with.data_dir, made.run, log);
    if (!scratch) return scratch.error();
    made.scratch = std::move(*scratch);
    return std::unique_ptr<daemon>{new daemon{with, log, std::move(made)}};
}

daemon::daemon(const settings& with, const log::logger& log, parts made)
    : with_{with},
      log_{log},
      parts_{std::move(made)},
      instance_{instance_name(parts_.run)},
      signals_{loop_, SIGINT, SIGTERM},
      hangups_{loop_, SIGHUP},
      pool_{loop_.get_executor(), pool_options_of(with, *parts_.store), log},
      job_store_{pool_},
      pacer_{
          loop_.get_executor(), pacing::pace_store{pool_}, platform_host(with), pace_of(with), log},
      offload_{offload_threads, offload_queue_max},
      embedding_calls_{embedding_threads, offload_queue_max},
      tasks_{loop_.get_executor(), log_failure(log)},
      recorder_{loop_.get_executor(), usage::call_ledger_store{pool_}, tasks_, log},
      vectors_{make_vector_index()},
      executor_{executor_parts(), retry_policy_of(with), log},
      poller_{jobs::change_store{pool_}, log},
      webhook_sender_{webhook_sender_settings()},
      deliverer_{
          loop_.get_executor(),
          webhooks::delivery_store{pool_},
          webhooks::webhook_store{pool_},
          webhook_sender_,
          tasks_,
          webhook_deliverer_options(),
          log},
      queue_{loop_.get_executor(), tasks_, pool_},
      dispatcher_{
          queue_,
          tasks_,
          make_attempt_runner(),
          dispatcher_options_of(
              with, instance_, *parts_.figures, [this] { deliverer_.wake(); },
              [this](job_id job) { poller_.announce(job); }),
          log},
      callers_{
          loop_.get_executor(),
          tasks_,
          pool_,
          with.reel_cache_bytes_max.value_or(usual_reel_cache_bytes_max(usable_memory_bytes()))},
      bot_{make_bot()},
      api_{api_parts()},
      dashboard_{dashboard_parts()},
      server_{
          loop_.get_executor(), router_, log, server_options_of(with, parts_.tls, *parts_.figures)},
      peers_{loop_.get_executor(), with.data_dir, parts_.run, log},
      ready_{pool_, [this] { return dispatcher_.looked_at(); }, log},
      started_at_{std::chrono::time_point_cast<std::chrono::microseconds>(
          std::chrono::system_clock::now())} {
    router_.check_every_request(host_check_of(with));
    api_.add_to(router_);
    api_.add_resources_to(router_, dashboard::dashboard::gated_prefix);
    dashboard_.add_to(router_);
}

result<void> daemon::run(const service_notice& supervisor) {
    supervisor_ = supervisor;
    pool_.start();
    if (with_.workers > 0) examine_jail();
    const auto metrics_served = listen_for_metrics();
    if (!metrics_served) return metrics_served.error();
    const auto port = listen();
    if (!port) {
        stop_metrics();
        return port.error();
    }
    port_ = *port;
    dispatcher_.start();
    deliverer_.start();
    tasks_.spawn("tidy webhooks", tidy_webhooks());
    start_retention();
    if (parts_.store->cluster() != nullptr) tasks_.spawn("supervise cluster", supervise_cluster());
    tasks_.spawn("watch readiness", ready_.run());
    tasks_.spawn("sweep providers", sweep_providers());
    tasks_.spawn("settle lost calls", settle_lost_calls());
    tasks_.spawn("poll changes", poller_.run());
    tasks_.spawn("keep token uses", keep_token_uses());
    tasks_.spawn("shrink after crowds", shrink_after_crowds());
    tasks_.spawn("read again on hangup", read_again_on_hangup());
    tasks_.spawn("watch schema", watch_schema());
    tasks_.spawn("offer first administrator", offer_first_administrator());
    if (vectors_) tasks_.spawn("embed reels", vectors_->run());
    if (bot_) bot_->start();
    asio::co_spawn(loop_, stop_on_signal(), [this](const std::exception_ptr& thrown) {
        if (thrown) log_failure(log_)("stop", thrown);
        // Without a stop that went well, waiting for the loop to empty would wait for ever.
        if (thrown) loop_.stop();
    });
    log_.info(
        "listening",
        {{"address", fmt::format("{}:{}", with_.listen.host, *port)},
         {"workers", with_.workers},
         {"analyzer", parts_.models->chosen().name()},
         {"reel-cache-bytes-max", callers_.kept().most},
         {"version", REELSD_VERSION}});
    warn_of_untold(supervisor_.ready());
    loop_.run();
    // Before the links to other daemons end, which is how they learn that it has.
    if (auto* const cluster = parts_.store->cluster()) cluster->stop();
    if (!drained_) {
        // A worker hangs in a call that ignores its stop. Its job is rescued when the lease
        // runs out; waiting for the thread would hold the exit up for as long.
        log_.warning("stopped with work left; it is taken up again when its lease runs out");
        std::_Exit(is_outgrown_ ? EXIT_FAILURE : EXIT_SUCCESS);
    }
    log_.info("stopped");
    if (!is_outgrown_) return {};
    return error{errc::conflict, "the database needs a newer program than this one: start that"};
}

asio::awaitable<void> daemon::stop_on_signal() {
    const int signal = co_await signals_.async_wait(asio::use_awaitable);
    log_.info("stopping", {{"signal", signal == SIGINT ? "SIGINT" : "SIGTERM"}});
    co_await shut_down();
}

asio::awaitable<bool> daemon::stop_embedding(deadline by) {
    if (!vectors_) co_return true;
    co_return co_await vectors_->stop(by);
}

asio::awaitable<void> daemon::shut_down() {
    using namespace asio::experimental::awaitable_operators;
    stopping_ = true;
    warn_of_untold(supervisor_.stopping());
    sweeping_.request_stop();
    if (bot_) bot_->stop();
    recorder_.refuse_new();
    const auto drain = std::chrono::duration_cast<monotonic_clock::duration>(with_.shutdown_drain);
    const auto by = deadline::after(drain + hand_back_time_max);
    // Both at once: while clients get their answers, the workers finish or hand back.
    auto exchanges = server_.stop(by.at_most(exchange_time_max));
    auto attempts = dispatcher_.stop(by.at_most(drain), by);
    auto deliveries = deliverer_.stop(by.at_most(delivery_time_max), by);
    auto embedding = stop_embedding(by.at_most(drain));
    bool is_delivered = false;
    std::tie(drained_, is_delivered, std::ignore) = co_await (
        std::move(exchanges) && std::move(attempts) && std::move(deliveries) &&
        std::move(embedding));
    drained_ = drained_ && is_delivered;
    co_await part_from_bot(by);
    if (metrics_server_) co_await metrics_server_->stop(by.at_most(metrics_time_max));
    // A server that is there and does not answer would be waited for beyond all of this.
    if (auto* const cluster = parts_.store->cluster()) cluster->interrupt();
    const bool ended = co_await tasks_.stop(by, deadline::after(1s));
    // Containers are killed 10 s after they are asked to stop.
    if (pool_.state().reachable()) co_await write_token_uses();
    if (!ended) log_.error("tasks are left at the stop", {{"tasks", tasks_.size()}});
    co_await part_from_peers(by);
}

}  // namespace reelsd::app
