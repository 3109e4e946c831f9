#pragma once

#include "analyzers.hpp"
#include "cluster_supervisor.hpp"
#include "database.hpp"
#include "handover.hpp"
#include "health.hpp"
#include "metrics.hpp"
#include "metrics_endpoint.hpp"
#include "readiness_monitor.hpp"
#include "sd_notify.hpp"
#include "session_records.hpp"
#include "settings.hpp"
#include <reelsd/api/api.hpp>
#include <reelsd/async/offload_pool.hpp>
#include <reelsd/async/service_group.hpp>
#include <reelsd/async/task_group.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/bot/bot.hpp>
#include <reelsd/dashboard/dashboard.hpp>
#include <reelsd/db/pool.hpp>
#include <reelsd/domain/jobs/change_poller.hpp>
#include <reelsd/domain/jobs/job_store.hpp>
#include <reelsd/domain/jobs/queue_store.hpp>
#include <reelsd/domain/jobs/upload_store.hpp>
#include <reelsd/http/router.hpp>
#include <reelsd/http/server.hpp>
#include <reelsd/media/media_client.hpp>
#include <reelsd/model/local_embedder.hpp>
#include <reelsd/platform/source.hpp>
#include <reelsd/work/analysis/call_recorder.hpp>
#include <reelsd/work/analysis/executor.hpp>
#include <reelsd/work/analysis/scratch.hpp>
#include <reelsd/work/analysis/shared_rate_limiter.hpp>
#include <reelsd/work/embeddings/vector_index.hpp>
#include <reelsd/work/engine/dispatcher.hpp>
#include <reelsd/work/maintenance/step_recorder.hpp>
#include <reelsd/work/maintenance/token_usage_flusher.hpp>
#include <reelsd/work/webhooks/webhook_deliverer.hpp>
#include <reelsd/work/webhooks/webhook_sender.hpp>

#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace reelsd::app {

/// What is opened before there is an event loop.
struct resources {
    std::string run;  ///< Tells this start from all others.
    std::unique_ptr<metrics> registry = std::make_unique<metrics>();
    std::shared_ptr<const http::tls_identity> tls = {};  ///< Null: plain HTTP.
    std::unique_ptr<database> store = {};
    std::unique_ptr<platform::source> source = {};
    std::unique_ptr<model::local_embedder> embedder = {};
    std::unique_ptr<media::media_client> media = {};
    std::unique_ptr<analyzers> models = {};
    std::unique_ptr<work::scratch_space> scratch = {};
    std::vector<media::jail_layer> jail_layers = {};  ///< Empty: the daemon decodes nothing.
};

/// Brings the database up and migrates it, and opens the scratch space. Blocking.
[[nodiscard]] result<resources> open_resources(const settings& config, const log::logger& log);

/// The objects of a daemon, in the order in which they are built, and the references between them.
/// It has no behaviour: `daemon` starts and stops what is in here, and nothing else refers to it.
struct composition {
    /// `on_unsupported_schema`: this program cannot use the database any more.
    composition(
        const settings& configured, const log::logger& logger, resources opened,
        const service_notifier& supervisor, std::function<void()> on_unsupported_schema);
    composition(const composition&) = delete;
    composition& operator=(const composition&) = delete;
    ~composition() = default;

    const settings config;
    const log::logger log;
    resources res;
    std::string instance;    ///< Tells this daemon from all others in the database.
    std::uint16_t port = 0;  ///< 0 until it listens.

    boost::asio::io_context loop{1};
    db::pool pool;
    jobs::job_store job_store;
    jobs::upload_store uploads;
    work::shared_rate_limiter rate_limiter;
    shared_session_record session_record;
    async::offload_pool offload;
    async::offload_pool embedding_calls;
    async::task_group tasks;
    work::call_recorder recorder;
    work::step_recorder steps;
    work::token_usage_flusher token_usage;
    std::unique_ptr<work::vector_index> vectors;  ///< Null without a remote embedder.
    work::executor executor;
    jobs::change_poller poller;
    work::webhook_sender webhook_sender;
    work::webhook_deliverer deliverer;
    jobs::reporting_queue queue;
    work::dispatcher dispatcher;
    jobs::caller_lookup callers;
    std::unique_ptr<bot::bot> chat_bot;  ///< Null without a token.
    api::api handlers;
    dashboard::dashboard pages;
    http::router router;
    http::server server;
    std::optional<metrics_endpoint> metrics_server;  ///< Nothing without an address of its own.
    readiness_monitor readiness;
    health report;
    handover others;
    cluster_supervisor cluster;
    std::vector<std::unique_ptr<async::background_service>> owned;  ///< Not referred to elsewhere.
    /// All but `cluster` and `token_usage`, which are needed until the others have stopped.
    async::service_group services;

private:
    [[nodiscard]] work::executor_dependencies executor_dependencies();
    [[nodiscard]] work::session_pace session_pace() const;
    [[nodiscard]] std::unique_ptr<work::vector_index> make_vector_index();
    [[nodiscard]] work::webhook_deliverer_options deliverer_options();
    [[nodiscard]] work::dispatcher_options dispatcher_options();
    [[nodiscard]] std::unique_ptr<work::attempt_runner> make_attempt_runner();
    [[nodiscard]] std::unique_ptr<bot::bot> make_bot();
    [[nodiscard]] api::api_dependencies api_dependencies();
    [[nodiscard]] dashboard::dashboard_dependencies dashboard_dependencies();
    [[nodiscard]] http::server_options server_options();
    void add_maintenance();
    void add_process_services(
        const service_notifier& supervisor, std::function<void()> on_unsupported_schema);
};

}  // namespace reelsd::app
