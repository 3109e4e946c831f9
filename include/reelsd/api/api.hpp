#pragma once

#include <reelsd/base/result.hpp>
#include <reelsd/domain/exports/account_export.hpp>
#include <reelsd/domain/jobs/caller_lookup.hpp>
#include <reelsd/domain/jobs/change_poller.hpp>
#include <reelsd/domain/jobs/change_store.hpp>
#include <reelsd/domain/jobs/job_store.hpp>
#include <reelsd/domain/jobs/media_store.hpp>
#include <reelsd/domain/jobs/reel_search.hpp>
#include <reelsd/domain/jobs/submission_batcher.hpp>
#include <reelsd/domain/questions/question.hpp>
#include <reelsd/domain/searches/saved_search_store.hpp>
#include <reelsd/domain/usage/usage_store.hpp>
#include <reelsd/domain/webhooks/webhook_store.hpp>
#include <reelsd/http/router.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
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
    jobs::media_store media;
    /// Reads a part of an object of the media store. Errors: `not_found`, `storage_failed`,
    /// `timed_out`.
    std::function<boost::asio::awaitable<result<std::vector<std::byte>>>(jobs::object_range)>
        read_object;
    usage::usage_store usage;
    jobs::reel_search search;
    webhooks::webhook_store webhooks;
    webhooks::delivery_store deliveries;
    std::function<exports::account_export(account_id)> begin_export;
    const model::embedder& embedder;  ///< The same model as the workers'.
    /// The caller's reels with the dense vectors nearest to a query, in this order. Does not throw.
    /// An empty function means that there are no dense vectors.
    std::function<boost::asio::awaitable<std::vector<job_id>>(account_id caller, std::string query)>
        near_reels;
    questions::answerer answer = {};  ///< Empty: this server has no model.
    searches::saved_search_store saved_searches;
    jobs::change_store changes;
    jobs::change_poller& poller;
    /// Whether a model that costs money analyses links, so that budgets apply.
    bool analysis_costs_money = false;
    /// The names of the analyzers that submissions may choose.
    std::vector<std::string> analyzers;
    int requests_per_minute =
        600;  ///< Default for accounts without their own limit; excludes submissions.
    /// Called at each request with a valid token; may be empty.
    std::function<void(token_id)> token_used = {};
    /// Called when a job was accepted.
    std::function<void()> job_accepted;
    /// Whether webhooks may go to an address; see webhook_url_check in src/api/webhooks.hpp.
    std::function<result<void>(std::string_view url)> check_webhook_url;
    /// Called when a delivery has become due.
    std::function<void()> delivery_due;
    /// Called when a job was deleted, to stop its work.
    std::function<void(job_id)> job_removed;
    /// Whether the daemon can serve. Its error has a text for the client.
    std::function<boost::asio::awaitable<result<void>>()> ready;
    /// The daemon's metrics in Prometheus' text format.
    std::function<boost::asio::awaitable<std::string>()> metrics;
    /// Whether metrics have their own address; see api::add_metrics_to.
    bool has_metrics_address = false;
};

/// The HTTP API of docs/openapi.yaml: adds its routes and the authentication of `/api/v1` to a
/// router. Thread: the loop's. Outlives the router's use.
class api {
public:
    explicit api(api_dependencies dependencies);
    ~api();
    api(const api&) = delete;
    api& operator=(const api&) = delete;

    void add_to(http::router& router);

    /// Adds `/metrics` for every client of `router`, which serves its own address.
    void add_metrics_to(http::router& router);

    /// Adds the resources of a caller ("/reels", "/reels/{id}", ...) also below another prefix,
    /// which has its own authentication.
    void add_resources_to(http::router& router, std::string_view prefix);

private:
    /// All but the single reel, which each authentication reads differently.
    void add_common_resources_to(http::router& router, std::string_view prefix);

    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace reelsd::api
