#include "composition.hpp"

#include <reelsd/base/bounds.hpp>
#include <reelsd/base/json.hpp>  // A coroutine that returns it is destroyed here.
#include <reelsd/base/random.hpp>
#include <reelsd/db/errors.hpp>
#include <reelsd/work/searches/search_matcher.hpp>

#include <boost/asio/ip/host_name.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <stop_token>
#include <string_view>
#include <utility>

namespace reelsd::app {
namespace {

namespace asio = boost::asio;

/// For the cluster's supervisor, password hashing and other rare calls.
constexpr std::size_t offload_threads = 2;
constexpr std::size_t offload_queue_max = 64;
/// Calls of embedders block for up to two minutes: one in the background, and those of searches,
/// which continue with words after 3 s.
constexpr std::size_t embedding_threads = 4;
/// A receiver that hangs occupies a thread for 15 s. An account runs two tests at the same time.
constexpr std::size_t webhook_test_threads = 8;
constexpr std::size_t webhook_test_queue_max = 16;
/// Requests to the media store block: those of clients that watch videos, and deletions.
constexpr std::size_t media_threads = 8;
constexpr std::size_t media_queue_max = 512;
/// A question blocks a thread for up to a minute. All that an account may ask in a minute can be
/// answered at the same time. More wait; beyond that they are refused.
constexpr std::size_t question_threads = 16;
constexpr std::size_t question_queue_max = 48;
/// Starting the media program takes a tenth of a second, and more while the machine boots.
constexpr std::chrono::seconds jail_time_max{10};

constexpr std::chrono::seconds session_time_max{5};  ///< Upper bound on one statement.

/// Identifies this daemon in the queue: host and process for operators, and the run because
/// containers may have equal hosts and process ids.
std::string instance_name(const std::string& run) {
    boost::system::error_code failed;
    return fmt::format("{}:{}:{}", asio::ip::host_name(failed), ::getpid(), run);
}

db::pool_options pool_options_of(const settings& config, const database& store) {
    db::pool_options options;
    options.connection_string = store.connection_string();
    // When a daemon stops, all its long polls read their jobs once more, concurrently.
    options.in_flight_max += config.connections_max;
    return options;
}

std::chrono::milliseconds drain_of(const settings& config) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(config.shutdown_drain);
}

std::vector<media::jail_layer> examine_jail(
    const media::media_client& media, const log::logger& log) {
    const auto report = media.examine_jail(deadline::after(jail_time_max), std::stop_token{});
    if (!report) {
        log.error("media jail check failed", {{"reason", report.error().to_string()}});
        return {};
    }
    const auto active = report->layers_that_hold();
    const auto missing = report->layers_missing();
    if (!report->refusal.empty()) {
        log.error(
            "no video can be decoded on this machine",
            {{"active", active}, {"missing", missing}, {"reason", report->refusal}});
    } else if (report->is_weak()) {
        log.warning("media jail is incomplete", {{"active", active}, {"missing", missing}});
    } else {
        log.info("media jail is active", {{"active", active}, {"missing", missing}});
    }
    return report->layers;
}

}  // namespace

result<resources> open_resources(const settings& config, const log::logger& log) {
    // Unlike process ids, unique across containers.
    resources opened{.run = fmt::format("{:016x}", random_bits())};
    opened.media = std::make_unique<media::media_client>(media_options_of(config));
    auto tls = load_tls(config, log);
    if (!tls) return tls.error();
    opened.tls = std::move(*tls);

    auto platform_settings = source_settings_of(config);
    auto& registry = *opened.registry;
    platform_settings.on_resolution = [&registry](std::string_view resolver, const error* why) {
        registry.note_resolution(resolver, why == nullptr ? "post" : name_of(why->code()));
    };
    auto source = platform::source::create(std::move(platform_settings), log);
    if (!source) return source.error();
    opened.source = std::move(*source);

    auto embedder = model::local_embedder::open(find_installation(config).dictionary);
    if (!embedder) return embedder.error();
    opened.embedder = std::move(*embedder);

    const auto count_request =
        [&registry](std::string_view provider, std::string_view model, std::string_view outcome) {
            registry.note_model_request(provider, model, outcome);
        };
    const auto make =
        [run = opened.run, &media = *opened.media, count_request, log](const settings& with) {
            return analyzers::create(with, run, media, count_request, log);
        };
    auto models = make(config);
    if (!models) return models.error();
    opened.models = std::make_unique<analyzers_in_use>(config, *std::move(models), make, log);

    // Before the private database, which cannot start on a disk that is full of abandoned videos.
    auto scratch = work::scratch_space::open(config.data_dir, opened.run, log);
    if (!scratch) return scratch.error();
    opened.scratch = std::move(*scratch);

    auto store = database::open(config, log, database::upgrade::yes);
    if (!store) return store.error();
    opened.store = std::move(*store);
    const auto migrated = opened.store->migrate(log);
    if (!migrated) return migrated.error();
    const auto stored = read_stored_model(*opened.store, log);
    if (!stored) return stored.error();
    opened.stored_model = *stored;
    if (*stored) opened.models->use(*stored);

    if (config.workers > 0) opened.jail_layers = examine_jail(*opened.media, log);
    return opened;
}

composition::composition(
    const settings& configured, const log::logger& logger, resources opened,
    const service_notifier& supervisor, std::function<void()> on_unsupported_schema)
    : config{configured},
      log{logger},
      res{std::move(opened)},
      instance{instance_name(res.run)},
      pool{loop.get_executor(), pool_options_of(config, *res.store), log},
      job_store{pool},
      reel_search{pool},
      uploads{pool},
      rate_limiter{
          loop.get_executor(),
          pacing::pace_store{pool},
          platform_host(config),
          resolvers_in_use(config),
          pace_of(config),
          session_pace(),
          log},
      session_record{
          loop.get_executor(), pacing::refused_session_store{pool}, session_resolver_of(config)},
      offload{offload_threads, offload_queue_max},
      embedding_calls{embedding_threads, offload_queue_max},
      objects{open_media_store(config)},
      media_calls{media_threads, media_queue_max},
      webhook_tests{webhook_test_threads, webhook_test_queue_max},
      question_calls{question_threads, question_queue_max},
      tasks{loop.get_executor(), async::log_failure(log)},
      recorder{loop.get_executor(), usage::call_ledger_store{pool}, tasks, log},
      steps{
          loop.get_executor(),
          [store = jobs::change_store{pool}](const auto& reached, deadline by) mutable {
              return store.note_steps(reached, by);
          },
          log},
      token_usage{
          loop.get_executor(),
          [store = accounts::account_store{pool}](std::vector<token_id> used, deadline by) mutable {
              return store.note_token_uses(std::move(used), by);
          },
          log},
      vectors{make_vector_index()},
      media_kept{kept_media_dependencies()},
      models{
          loop.get_executor(),
          config,
          *res.models,
          models::model_store{pool},
          res.stored_model,
          offload,
          question_calls,
          [this] { offered = res.models->offered(); },
          log},
      questions{question_dependencies()},
      executor{executor_dependencies(), retry_policy_of(config), log},
      poller{jobs::change_store{pool}, log},
      webhook_sender{work::webhook_sender_settings{
          .networks = config.webhook_networks,
          .by_proxy = config.webhook_proxy,
          .ca_file = config.ca_file,
          .user_agent = "reelsd/" REELSD_VERSION}},
      deliverer{
          loop.get_executor(),
          webhooks::delivery_store{pool},
          webhooks::webhook_store{pool},
          webhook_sender,
          tasks,
          deliverer_options(),
          log},
      queue{loop.get_executor(), tasks, pool},
      dispatcher{
          queue,
          tasks,
          std::make_unique<work::threaded_attempt_runner>(
              loop.get_executor(), config.workers,
              [this](const jobs::claimed_job& job, std::stop_token stop) {
                  return executor.run(job, std::move(stop));
              }),
          dispatcher_options(),
          log},
      callers{
          loop.get_executor(),
          tasks,
          pool,
          config.reel_cache_bytes_max.value_or(usual_reel_cache_bytes_max(usable_memory_bytes()))},
      chat_bot{make_bot()},
      handlers{api_dependencies()},
      pages{dashboard_dependencies()},
      server{loop.get_executor(), router, log, server_options_of(config, res.tls, *res.registry)},
      readiness{loop.get_executor(), pool, [this] { return dispatcher.looked_at(); }, log},
      report{health_dependencies{
          .config = config,
          .registry = *res.registry,
          .pool = pool,
          .models = *res.models,
          .server = server,
          .readiness = readiness,
          .poller = poller,
          .callers = callers,
          .dispatcher = dispatcher,
          .deliverer = deliverer,
          .platform_session = res.source->platform_session(),
          .vectors = vectors.get(),
          .jail_layers = res.jail_layers,
          .log = log}},
      others{loop.get_executor(), config.data_dir, res.run, log},
      cluster{loop.get_executor(), *res.store, pool, others, offload, log},
      services{loop.get_executor(), log} {
    if (auto* const session = res.source->platform_session()) session->attach(session_record);
    router.check_every_request(host_check_of(config));
    handlers.add_to(router);
    handlers.add_resources_to(router, dashboard::dashboard::gated_prefix);
    pages.add_to(router);
    if (config.metrics_listen) metrics_server.emplace(loop, config, handlers, log);

    services.add(steps);
    services.add(dispatcher);
    services.add(deliverer);
    if (vectors) services.add(*vectors);
    services.add(models);
    services.add(questions);
    offered = res.models->offered();
    add_maintenance();
    const process_context process{
        .loop = loop.get_executor(),
        .config = config,
        .threads = offload,
        .server = server,
        .pool = pool,
        .pages = pages,
        .log = log};
    for (auto& service :
         make_process_services(process, supervisor, std::move(on_unsupported_schema))) {
        owned.push_back(std::move(service));
    }
    for (const auto& service : owned) services.add(*service);
    if (chat_bot) services.add(*chat_bot);
    services.add(readiness);
}

void composition::add_maintenance() {
    const work::maintenance_context context{.loop = loop.get_executor(), .log = log};
    const retention::retention_store store{pool};
    auto& registry = *res.registry;
    const work::retention_options options{
        .daemon = instance,
        .on_removed = [&registry](
                          std::string_view what,
                          std::int64_t rows) { registry.note_removed(what, rows); },
        .on_round = [&registry](std::string_view what) { registry.note_expiry_round(what); }};
    const auto expire = [&](retention::kind what, seconds_f kept) {
        if (kept.count() <= 0) return;
        owned.push_back(work::make_retention_sweeper(context, store, options, what, kept));
    };
    expire(retention::kind::results, config.results_kept);
    expire(retention::kind::usage, config.usage_kept);
    owned.push_back(work::make_account_erasure(context, store, options));
    owned.push_back(work::make_delivery_log_cleaner(context, webhooks::delivery_store{pool}));
    owned.push_back(work::make_upload_sweeper(context, uploads));
    add_media_sweepers(context);
    owned.push_back(work::make_lost_call_settler(context, usage::call_ledger_store{pool}));
    owned.push_back(work::make_word_form_adder(context, reel_search));
    auto sweep = [this](const std::stop_token& stop) {
        const auto is_living = [this](std::string_view run) { return res.scratch->is_living(run); };
        res.models->get()->sweep(is_living, stop);
    };
    owned.push_back(std::make_unique<work::search_matcher>(work::search_matcher_dependencies{
        .loop = loop.get_executor(),
        .store = searches::saved_search_store{pool},
        .search = reel_search,
        .embedder = *res.embedder,
        .delivery_due = [this] { deliverer.wake(); },
        .log = log}));
    owned.push_back(work::make_provider_upload_sweeper(context, offload, std::move(sweep)));
}

void composition::add_media_sweepers(const work::maintenance_context& context) {
    const jobs::media_store store{pool};
    owned.push_back(work::make_video_sweeper(
        context,
        store,
        {.kept = config.videos_kept, .bytes_max = config.videos_bytes_max},
        [&registry = *res.registry](std::string_view what, std::int64_t rows) {
            registry.note_removed(what, rows);
        }));
    if (!objects) return;
    auto remove = [this](const std::string& object, const std::stop_token& stop) {
        return objects->remove(object, deadline::after(object_time_max), stop);
    };
    owned.push_back(
        work::make_object_sweeper(context, store, media_calls, objects->name(), std::move(remove)));
}

work::executor_dependencies composition::executor_dependencies() {
    return {
        .source = *res.source,
        .rate_limiter = rate_limiter,
        .media = *res.media,
        .analyzer = [&models = *res.models](auto name) { return models.for_attempt(name); },
        .free_analyzer = res.models->base().free(),
        .embedder = *res.embedder,
        .scratch = *res.scratch,
        .loop = loop.get_executor(),
        .store = job_store,
        .uploads = uploads,
        .media_kept = media_kept,
        .recorder = recorder,
        .transcription_costs_money = res.models->base().speech_server() != nullptr,
        .on_step =
            [this](const jobs::claimed_job& job, std::string_view step) { steps.note(job, step); }};
}

work::kept_media_dependencies composition::kept_media_dependencies() {
    return {
        .loop = loop.get_executor(),
        .media = *res.media,
        .scratch = *res.scratch,
        .store = jobs::media_store{pool},
        .uploads = uploads,
        .objects = objects.get(),
        .frames = config.frames,
        .videos_bytes_max = config.videos_kept.count() > 0 ? config.videos_bytes_max : 0,
        .check_space = [this](std::uint64_t bytes) { return res.store->check_video_space(bytes); },
        .log = log};
}

work::session_pace composition::session_pace() const {
    auto* const session = res.source->platform_session();
    if (session == nullptr) return {};
    return {
        .applies =
            [session, names = resolvers_in_use(config)](std::string_view routed_name) {
                const auto resolver = platform::resolver_in(routed_name);
                // Only the first proxy is used with the cookies.
                const auto first = std::ranges::find(names, resolver, platform::resolver_in);
                const bool may_use =
                    (resolver == platform::session_resolver_name || resolver == "yt-dlp") &&
                    first != names.end() && *first == routed_name;
                return may_use && session->cookies(deadline::after(session_time_max)) != nullptr;
            },
        .pace = {
            .interval = config.session_interval,
            .tries_per_hour = config.session_lookups_per_hour,
            .try_time = bounds::resolve_time_max,
            .cooldown_first = config.platform_cooldown}};
}

std::unique_ptr<work::vector_index> composition::make_vector_index() {
    const auto* const embedder = res.models->base().dense_embedder();
    if (embedder == nullptr) return nullptr;
    return std::make_unique<work::vector_index>(work::vector_index_dependencies{
        .loop = loop.get_executor(),
        .calls =
            {.embedder = *embedder,
             .prices = res.models->base().prices(),
             .recorder = recorder,
             .threads = embedding_calls,
             .log = log},
        .words = *res.embedder,
        .store = jobs::vector_store{pool},
        .offload = offload,
        .drain = drain_of(config)});
}

work::question_service_dependencies composition::question_dependencies() {
    return {
        .models = [&models = *res.models] { return models.remote(); },
        .embedder = *res.embedder,
        .jobs = job_store,
        .search = reel_search,
        .store = questions::question_store{pool},
        .recorder = recorder,
        .vectors = vectors.get(),
        .threads = question_calls,
        .questions_max = question_threads + question_queue_max,
        .submissions_per_minute = config.submissions_per_minute,
        .drain = drain_of(config),
        .log = log};
}

work::webhook_deliverer_options composition::deliverer_options() {
    work::webhook_deliverer_options options;
    if (config.workers == 0) options.threads = 0;
    options.retry_base = config.webhook_retry_base;
    options.on_tried = [&registry = *res.registry](std::string_view outcome) {
        registry.note_webhook_try(outcome);
    };
    return options;
}

work::dispatcher_options composition::dispatcher_options() {
    work::dispatcher_options options;
    options.worker = instance;
    options.lease = config.lease;
    options.drain = drain_of(config);
    options.policy = retry_policy_of(config);
    options.line = platform_line_of(config);
    options.concurrent_jobs_default = config.concurrent_jobs;
    options.on_job_changed = [this](job_id job) { poller.announce(job); };
    options.on_attempt_ended = [this](const jobs::transition& ended, seconds_f took, bool written) {
        res.registry->note_attempt(written ? jobs::outcome_name(ended) : "lost", took);
        deliverer.wake();
    };
    return options;
}

api::api_dependencies composition::api_dependencies() {
    const jobs::default_limits limits{
        .submissions_per_minute = config.submissions_per_minute,
        .concurrent_jobs = config.concurrent_jobs};
    const auto check_url = [this](std::string_view url) { return webhook_sender.check(url); };
    api::api_dependencies dependencies{
        .callers = callers,
        .request_rate = {loop.get_executor(), tasks, pool},
        .requests_per_minute = config.requests_per_minute,
        .token_used = [this](token_id token) { token_usage.note(token); },
        .submissions =
            {.submission_batcher =
                 jobs::submission_batcher{
                     loop.get_executor(), tasks, jobs::job_store{pool}, limits},
             .uploads = uploads,
             .limits = limits,
             .video_bytes_max = static_cast<std::uint64_t>(config.video_bytes_max),
             .analyzers = offered,
             .job_accepted = [this] { dispatcher.wake(); },
             .check_webhook_url = check_url,
             .check_space =
                 [this](std::uint64_t bytes) { return res.store->check_video_space(bytes); }},
        .jobs = jobs::job_store{pool},
        .tags = jobs::tag_store{pool},
        .changes = jobs::change_store{pool},
        .poller = poller,
        .job_removed =
            [this](job_id job) {
                dispatcher.cancel(job);
                deliverer.cancel(job);
            },
        .media =
            {.media = jobs::media_store{pool},
             .read_object =
                 [this](jobs::object_range part) {
                     return app::read_object(objects.get(), media_calls, std::move(part));
                 }},
        .usage = usage::usage_store{pool},
        .search = {.search = reel_search, .embedder = *res.embedder, .near_reels = {}},
        .saved_searches = searches::saved_search_store{pool},
        .webhooks =
            {.settings = webhooks::webhook_store{pool},
             .deliveries = webhooks::delivery_store{pool},
             .check_url = check_url,
             .delivery_due = [this] { deliverer.wake(); },
             .try_once =
                 [this](webhooks::claimed_delivery delivery, std::stop_token stop) {
                     return webhook_sender.send_on(
                         webhook_tests, std::move(delivery), std::move(stop));
                 }},
        .exports =
            {.begin =
                 [this](account_id account) { return exports::account_export(pool, account); }},
        .ready = [this] { return readiness.state(); },
        .metrics = [this] { return report.metrics_text(); },
        .has_metrics_address = config.metrics_listen.has_value()};
    if (vectors) {
        dependencies.search.near_reels =
            [this](account_id caller, std::string query) -> awaitable<std::vector<job_id>> {
            auto near = co_await vectors->near(caller, std::move(query));
            co_return std::move(near.reels);
        };
    }
    dependencies.answer = [this](
                              account_id caller, questions::question asked, std::stop_token stop) {
        return questions.answer(caller, std::move(asked), std::move(stop));
    };
    return dependencies;
}

std::unique_ptr<bot::bot> composition::make_bot() {
    if (config.telegram_token.empty()) return nullptr;
    // The same objects as for the API, so that both have the same abilities.
    auto shared = api_dependencies();
    return std::make_unique<bot::bot>(bot::bot_dependencies{
        .loop = loop.get_executor(),
        .address = config.telegram_url,
        .token = config.telegram_token,
        .ca_file = config.ca_file,
        .by_proxy = config.telegram_proxy,
        .run = res.run,
        .chats = chats::chat_store{pool},
        .bots = chats::bot_store{pool},
        .submission_batcher = std::move(shared.submissions.submission_batcher),
        .uploads = shared.submissions.uploads,
        .limits = shared.submissions.limits,
        .video_bytes_max = shared.submissions.video_bytes_max,
        .check_space = std::move(shared.submissions.check_space),
        .jobs = shared.jobs,
        .media = shared.media.media,
        .read_object = objects ? std::move(shared.media.read_object) : nullptr,
        .search = shared.search.search,
        .usage = shared.usage,
        .embedder = shared.search.embedder,
        .offload = offload,
        .near_reels = std::move(shared.search.near_reels),
        .answer = std::move(shared.answer),
        .drain = drain_of(config),
        .analyzers = [this] { return res.models->offered(); },
        .requests_per_minute = shared.requests_per_minute,
        .origin = [this] { return public_origin(config, port); },
        .job_accepted = std::move(shared.submissions.job_accepted),
        .job_removed = std::move(shared.job_removed),
        .log = log});
}

dashboard::dashboard_dependencies composition::dashboard_dependencies() {
    return {
        .accounts =
            {.accounts = accounts::account_store{pool},
             .sessions = accounts::session_store{pool},
             .retention = retention::retention_store{pool},
             .limits =
                 {.submissions_per_minute = config.submissions_per_minute,
                  .concurrent_jobs = config.concurrent_jobs,
                  .requests_per_minute = config.requests_per_minute,
                  .video_seconds_max = config.video_seconds_max,
                  .video_bytes_max = config.video_bytes_max},
             .origin = [this] { return public_origin(config, port); },
             .log = log},
        .chats =
            {.chats = chats::chat_store{pool},
             .bot_username =
                 [this] { return chat_bot ? std::optional{chat_bot->username()} : std::nullopt; }},
        .operations = {
            .jobs = jobs::job_store{pool},
            .operations = jobs::operations_store{pool},
            .health = [this] { return report.view(); },
            .platform_never_answered = [this] { return report.platform_never_answered(); },
            .jobs_submitted = [this] { dispatcher.wake(); },
            .log = log},
        .changes = jobs::change_store{pool},
        .poller = poller,
        .offload = offload,
        .analyzers = offered,
        .models = {
            .view = [this] { return models.view(); },
            .save = [this](json form, deadline by) { return models.save(std::move(form), by); },
            .check = [this](json form) { return models.check(std::move(form)); },
            .remove = [this](deadline by) { return models.remove(by); },
            .log = log}};
}

}  // namespace reelsd::app
