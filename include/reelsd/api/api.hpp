#pragma once

#include <reelsd/async/awaitable.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/accounts/request_rate.hpp>
#include <reelsd/domain/exports/account_export.hpp>
#include <reelsd/domain/jobs/caller_lookup.hpp>
#include <reelsd/domain/jobs/change_poller.hpp>
#include <reelsd/domain/jobs/change_store.hpp>
#include <reelsd/domain/jobs/job_store.hpp>
#include <reelsd/domain/jobs/media_store.hpp>
#include <reelsd/domain/jobs/reel_search.hpp>
#include <reelsd/domain/jobs/submission_batcher.hpp>
#include <reelsd/domain/jobs/tag_store.hpp>
#include <reelsd/domain/questions/question.hpp>
#include <reelsd/domain/searches/saved_search_store.hpp>
#include <reelsd/domain/usage/usage_store.hpp>
#include <reelsd/domain/webhooks/webhook_store.hpp>
#include <reelsd/http/router.hpp>
#include <reelsd/model/analysis_options.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <stop_token>
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

/// Reads a part of an object of the media store. Errors: `not_found`, `storage_failed`,
/// `timed_out`.
using object_reader = std::function<awaitable<result<std::vector<std::byte>>>(jobs::object_range)>;

/// The caller's reels with the dense vectors nearest to a query, in this order. Does not throw. An
/// empty function means that there are no dense vectors.
using near_search =
    std::function<awaitable<std::vector<job_id>>(account_id caller, std::string query)>;

/// Whether deliveries may go to an address. The text of its error, invalid_argument, continues the
/// name of the field: "must be an https URL".
using webhook_url_check = std::function<result<void>(std::string_view url)>;

/// Sends a test delivery once. Errors: `limit_reached` when too many others are running.
using webhook_try = std::function<awaitable<result<webhooks::delivery_try>>(
    webhooks::claimed_delivery, std::stop_token)>;

/// Whether the store has space for `bytes` more of an upload. Errors: database_unavailable.
using space_check = std::function<result<void>(std::uint64_t bytes)>;

/// Whether the daemon can serve. Its error has a text for the client.
using readiness_check = std::function<awaitable<result<void>>()>;
/// All metrics in Prometheus' text format.
using metrics_text = std::function<awaitable<std::string>()>;

// The dependencies of the handlers of one resource each. They outlive the router.

struct submission_service {
    jobs::submission_batcher submission_batcher;
    jobs::upload_store& uploads;
    jobs::default_limits limits;
    std::uint64_t video_bytes_max;
    const model::offered_analyzers& analyzers;
    std::function<void()> job_accepted;  ///< Called when a job was accepted.
    webhook_url_check check_webhook_url;
    space_check check_space = {};  ///< Empty: the space of the store is not known.
};

struct media_service {
    jobs::media_store media;
    object_reader read_object;
};

struct search_service {
    jobs::reel_search search;
    const model::embedder& embedder;  ///< The same model as the workers'; fast enough for the loop.
    near_search near_reels;
};

struct webhook_service {
    webhooks::webhook_store settings;
    webhooks::delivery_store deliveries;
    webhook_url_check check_url;
    std::function<void()> delivery_due;  ///< Called when a delivery has become due.
    webhook_try try_once;
    accounts::request_rate test_rate = {};
    std::multiset<account_id> tests_in_progress = {};  ///< The account of each.
};

struct export_service {
    std::function<exports::account_export(account_id)> begin;
    std::set<account_id> in_progress = {};  ///< Accounts whose exports are in progress.
};

struct api_dependencies {
    jobs::caller_lookup callers;
    accounts::shared_request_rate request_rate;
    int requests_per_minute =
        600;  ///< Default for accounts without their own limit; excludes submissions.
    /// Called at each request with a valid token; may be empty.
    std::function<void(token_id)> token_used = {};
    submission_service submissions;
    jobs::job_store jobs;
    jobs::tag_store tags;
    jobs::change_store changes;
    jobs::change_poller& poller;
    /// Called when a job was deleted, to stop its work.
    std::function<void(job_id)> job_removed;
    media_service media;
    usage::usage_store usage;
    search_service search;
    questions::answerer answer = {};
    searches::saved_search_store saved_searches;
    webhook_service webhooks;
    export_service exports;
    readiness_check ready;
    metrics_text metrics;
    /// Whether metrics have their own address; see api::add_metrics_to.
    bool has_metrics_address = false;
};

/// The HTTP API of docs/openapi.yaml: adds its routes and the authentication of `/api/v1` to a
/// router. Thread: the loop's. Outlives the router's use.
class api {
public:
    explicit api(api_dependencies dependencies);
    ~api();

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
