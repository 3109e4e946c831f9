#pragma once

#include <reelsd/base/result.hpp>
#include <reelsd/domain/exports/account_export.hpp>
#include <reelsd/domain/jobs/caller_lookup.hpp>
#include <reelsd/domain/jobs/change_poller.hpp>
#include <reelsd/domain/jobs/change_store.hpp>
#include <reelsd/domain/jobs/job_store.hpp>
#include <reelsd/domain/jobs/reel_search.hpp>
#include <reelsd/domain/jobs/submission_batcher.hpp>
#include <reelsd/domain/usage/usage_store.hpp>
#include <reelsd/domain/webhooks/webhook_store.hpp>
#include <reelsd/http/router.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::model {
class embedder;
}

namespace reelsd::jobs {
class upload_store;
}

namespace reelsd::api {

struct api_dependencies {
    jobs::caller_lookup callers;
    jobs::submission_batcher submission_batcher;
    jobs::upload_store& uploads;
    jobs::default_limits limits;
    std::uint64_t video_bytes_max;
    jobs::job_store jobs;
    usage::usage_store usage;
    jobs::reel_search search;
    webhooks::webhook_store webhooks;
    webhooks::delivery_store deliveries;
    std::function<exports::account_export(account_id)> begin_export;
    const model::embedder& embedder;  ///< Of the same kind as the one that the workers use.
    /// The caller's reels whose dense vectors are near a query's, the nearest first. Does not
    /// throw; empty function: there are no such vectors.
    std::function<boost::asio::awaitable<std::vector<job_id>>(account_id caller, std::string query)>
        near_reels;
    jobs::change_store changes;
    jobs::change_poller& poller;
    /// Whether links are analysed by a model that costs money, so that budgets count.
    bool analysis_costs_money = false;
    int requests_per_minute =
        600;  ///< Of an account without a limit of its own; submissions apart.
    /// A request came with this token. Called often; may be empty.
    std::function<void(token_id)> token_used = {};
    /// A job was accepted: the queue may look at once.
    std::function<void()> job_accepted;
    /// Whether webhooks may go to an address; see webhook_url_check in src/api/webhooks.hpp.
    std::function<result<void>(std::string_view url)> check_webhook_url;
    /// A delivery has been asked for again: it may be tried at once.
    std::function<void()> delivery_due;
    /// A job was deleted: whoever works on it must stop.
    std::function<void(job_id)> job_removed;
    /// Nothing when the daemon can do its work, else why it cannot, in words for a client.
    std::function<boost::asio::awaitable<result<void>>()> ready;
    /// The daemon's figures in Prometheus' text format.
    std::function<boost::asio::awaitable<std::string>()> metrics;
    /// Whether metrics have an address of their own; see api::add_metrics_to.
    bool has_metrics_address = false;
};

/// The HTTP API of docs/openapi.yaml: adds its routes and the token gate of `/api/v1` to a router.
/// Thread: the loop's. Outlives the router's use.
class api {
public:
    explicit api(api_dependencies parts);
    ~api();
    api(const api&) = delete;
    api& operator=(const api&) = delete;

    void add_to(http::router& router);

    /// `/metrics` for every client that reaches `router`, which serves an address of its own.
    void add_metrics_to(http::router& router);

    /// The resources of a caller ("/reels", "/reels/{id}", ...) once more, below another prefix
    /// whose gate authenticates the caller in a way of its own.
    void add_resources_to(http::router& router, std::string_view prefix);

private:
    /// All of them but the single reel, which each gate reads in a way of its own.
    void add_common_resources_to(http::router& router, std::string_view prefix);

    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace reelsd::api
