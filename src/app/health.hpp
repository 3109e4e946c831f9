#pragma once

#include "analyzers.hpp"
#include "metrics.hpp"
#include "settings.hpp"
#include <reelsd/base/json_fwd.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/db/pool.hpp>
#include <reelsd/domain/jobs/caller_lookup.hpp>
#include <reelsd/domain/jobs/change_poller.hpp>
#include <reelsd/http/server.hpp>
#include <reelsd/media/media_client.hpp>
#include <reelsd/platform/operator_session.hpp>
#include <reelsd/work/embeddings/vector_index.hpp>
#include <reelsd/work/engine/dispatcher.hpp>
#include <reelsd/work/webhooks/webhook_deliverer.hpp>

#include <boost/asio/awaitable.hpp>

#include <string>
#include <vector>

namespace reelsd::app {

/// Sources of the reports. All outlive them.
struct health_dependencies {
    const settings& config;
    const metrics& registry;
    db::pool& pool;
    const analyzers& models;
    const http::server& server;
    const jobs::change_poller& poller;
    const jobs::caller_lookup& callers;
    const work::dispatcher& dispatcher;
    const work::webhook_deliverer& deliverer;
    platform::session* platform_session = nullptr;  ///< Null without a session.
    const work::vector_index* vectors = nullptr;    ///< Null without a remote embedder.
    const std::vector<media::jail_layer>& jail_layers;
    log::logger log;
};

/// Reports on this daemon for Prometheus and for administrators. Thread: the loop's.
class health {
public:
    /// Records the time of the start.
    explicit health(health_dependencies dependencies);

    /// In Prometheus' text format; without the database only the values of this process.
    boost::asio::awaitable<std::string> metrics_text();

    /// For administrators; see dashboard::dashboard_dependencies.
    boost::asio::awaitable<json> view();

    /// Whether the platform was requested and has never answered this installation.
    boost::asio::awaitable<bool> platform_never_answered();

private:
    [[nodiscard]] boost::asio::awaitable<bool> is_session_enabled(deadline by);

    health_dependencies deps_;
    time_point started_at_;
};

}  // namespace reelsd::app
