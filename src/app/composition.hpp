#pragma once

#include "database.hpp"
#include "from_settings.hpp"
#include "handover.hpp"
#include "health.hpp"
#include "http_endpoints.hpp"
#include "metrics.hpp"
#include "process_services.hpp"
#include "settings.hpp"
#include "stored_model.hpp"
#include <reelsd/api/api.hpp>
#include <reelsd/async/background_service.hpp>
#include <reelsd/async/offload_pool.hpp>
#include <reelsd/async/task_group.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/bot/bot.hpp>
#include <reelsd/dashboard/dashboard.hpp>
#include <reelsd/db/pool.hpp>
#include <reelsd/domain/jobs/change_poller.hpp>
#include <reelsd/domain/jobs/job_store.hpp>
#include <reelsd/domain/jobs/queue_store.hpp>
#include <reelsd/domain/jobs/reel_search.hpp>
#include <reelsd/domain/jobs/upload_store.hpp>
#include <reelsd/http/router.hpp>
#include <reelsd/http/server.hpp>
#include <reelsd/media/media_client.hpp>
#include <reelsd/model/embedder.hpp>
#include <reelsd/net/s3_store.hpp>
#include <reelsd/platform/source.hpp>
#include <reelsd/work/analysis/call_recorder.hpp>
#include <reelsd/work/analysis/executor.hpp>
#include <reelsd/work/analysis/kept_media.hpp>
#include <reelsd/work/analysis/scratch.hpp>
#include <reelsd/work/analysis/shared_rate_limiter.hpp>
#include <reelsd/work/embeddings/vector_index.hpp>
#include <reelsd/work/engine/dispatcher.hpp>
#include <reelsd/work/maintenance/maintenance.hpp>
#include <reelsd/work/maintenance/recorders.hpp>
#include <reelsd/work/questions/question_service.hpp>
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

/// Objects that are opened before the event loop runs.
struct resources {
    std::string run;  ///< Identifies this start.
    std::unique_ptr<metrics> registry = std::make_unique<metrics>();
    std::shared_ptr<const http::tls_identity> tls = {};  ///< Null: plain HTTP.
    std::unique_ptr<database> store = {};
    std::unique_ptr<platform::source> source = {};
    std::unique_ptr<model::local_embedder> embedder = {};
    std::unique_ptr<media::media_client> media = {};
    std::unique_ptr<analyzers_in_use> models = {};
    std::optional<models::sealed_model> stored_model = {};  ///< As read at the start.
    std::unique_ptr<work::scratch_space> scratch = {};
    std::vector<media::jail_layer> jail_layers = {};  ///< Empty: the daemon decodes nothing.
};

/// Starts and migrates the database, and opens all other resources. Blocking.
[[nodiscard]] result<resources> open_resources(const settings& config, const log::logger& log);

/// The objects of a daemon, in the order of their construction, and the references between them.
/// Has no behaviour: `daemon` starts and stops the objects. No other code refers to it.
struct composition {
    /// `on_unsupported_schema` is called when the schema needs a newer program.
    composition(
        const settings& configured, const log::logger& logger, resources opened,
        const service_notifier& supervisor, std::function<void()> on_unsupported_schema);

    const settings config;
    const log::logger log;
    resources res;
    std::string instance;    ///< Identifies this daemon in the database.
    std::uint16_t port = 0;  ///< 0 until the daemon listens.

    boost::asio::io_context loop{1};
    db::pool pool;
    jobs::job_store job_store;
    jobs::reel_search reel_search;
    jobs::upload_store uploads;
    work::shared_rate_limiter rate_limiter;
    shared_session_record session_record;
    async::offload_pool offload;
    async::offload_pool embedding_calls;
    std::unique_ptr<net::s3_store> objects;  ///< Null: the database stores media.
    async::offload_pool media_calls;
    async::offload_pool webhook_tests;  ///< Others must not wait for a slow receiver.
    async::offload_pool question_calls;
    async::task_group tasks;
    work::call_recorder recorder;
    work::step_recorder steps;
    work::token_usage_flusher token_usage;
    std::unique_ptr<work::vector_index> vectors;  ///< Null without a remote embedder.
    work::kept_media media_kept;
    model::offered_analyzers offered;
    stored_model_service models;
    work::question_service questions;
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
    std::optional<metrics_endpoint> metrics_server;  ///< Empty without `metrics-listen`.
    readiness_monitor readiness;
    health report;
    handover others;
    cluster_supervisor cluster;
    std::vector<std::unique_ptr<async::background_service>> owned;  ///< No object refers to them.
    /// All except `cluster` and `token_usage`, which the others need until they have stopped.
    async::service_group services;

private:
    [[nodiscard]] work::executor_dependencies executor_dependencies();
    [[nodiscard]] work::kept_media_dependencies kept_media_dependencies();
    [[nodiscard]] work::session_pace session_pace() const;
    [[nodiscard]] std::unique_ptr<work::vector_index> make_vector_index();
    [[nodiscard]] work::question_service_dependencies question_dependencies();
    [[nodiscard]] work::webhook_deliverer_options deliverer_options();
    [[nodiscard]] work::dispatcher_options dispatcher_options();
    [[nodiscard]] std::unique_ptr<bot::bot> make_bot();
    [[nodiscard]] api::api_dependencies api_dependencies();
    [[nodiscard]] dashboard::dashboard_dependencies dashboard_dependencies();
    void add_maintenance();
    void add_media_sweepers(const work::maintenance_context& context);
};

}  // namespace reelsd::app
