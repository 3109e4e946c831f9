#pragma once

#include <reelsd/api/api.hpp>
#include <reelsd/async/awaitable.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/base/json_fwd.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/http/router.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::model {
struct analysis_options;
class passage_finder;
}  // namespace reelsd::model

/// The resources of the API: for each a function that adds its routes below `prefix`, whose
/// services outlive the router, and its pure functions. Errors of the functions that read a request
/// (`requested_...`) have the text for the client and the reason, unless they say otherwise;
/// their optional values are empty when the parameter or member is absent.
namespace reelsd::api {

/// Of the routes that are authenticated by token.
constexpr std::string_view api_prefix = "/api/v1";

[[nodiscard]] inline request_error invalid(
    std::string text_for_client, error_reason reason = error_reason::body_invalid) {
    return {reason, std::move(text_for_client)};
}
[[nodiscard]] inline request_error invalid_parameter(std::string text_for_client) {
    return invalid(std::move(text_for_client), error_reason::parameter_invalid);
}

/// Whether a token of this scope may use a route below `/api/v1`. `read`: GET of all; `submit`:
/// POST of submissions, GET of the list and of single reels. Pure.
[[nodiscard]] bool is_within(token_scope scope, http::verb method, std::string_view route);

/// Reads an id of a path. Errors: not_found unless it is a positive 64-bit integer in digits.
[[nodiscard]] result<job_id> requested_id(std::string_view text);

/// Null if the member is missing or null.
[[nodiscard]] const json* find_member(const json& body, std::string_view name);

/// A picture, which never changes.
[[nodiscard]] http::response jpeg_answer(
    const http::request_context& ctx, const std::vector<std::byte>& jpeg);

/// The `Link` header of a page: `target` with its parameters, continued after `last`.
[[nodiscard]] std::string link_to_next(std::string_view target, job_id last);

// Submissions

void add_submission_routes(
    http::router& router, std::string_view prefix, submission_service& service);

/// Whether a submission has a file, by its Content-Type: multipart/form-data, video/* or
/// application/octet-stream.
[[nodiscard]] bool is_upload(const http::request& request);

/// POST /api/v1/reels/analyze with a file: as the part `video` of a form, or as the body itself
/// with the options in the query. Limits and budget are checked before the body is read. 202 the
/// job's id, with file and job durable; 400 malformed form, option or key; 408 too slow; 413 too
/// large; 429 a limit of the caller's account, its budget, or two uploads in progress.
[[nodiscard]] awaitable<http::response> receive_upload(
    http::request_context& ctx, submission_service& service);

/// Options that all links of a request share.
struct common_options {
    bool fresh = false;
    bool queue = false;
    std::optional<std::string> webhook_url;
    std::optional<std::string> idempotency_key;  ///< The client's.
    std::string analysis;      ///< Of the model layer, as text; see jobs::submission::options.
    bool costs_money = false;  ///< Whether the requested analyzer does, except for test links.
};

/// Reads the options of a body and the header Idempotency-Key.
[[nodiscard]] input<common_options> options_in(
    const http::request_context& ctx, const json& body, const submission_service& service);

/// 202 with the job, 400 for a key that was used with another submission, or 429, with the
/// `RateLimit-*` header fields.
[[nodiscard]] http::response answer_to(
    const http::request_context& ctx, const jobs::submission_result& decision);

/// Returns the elements of `urls`, not validated; they point into `body`. 1 to 50, and no `url`.
[[nodiscard]] input<std::vector<const json*>> requested_urls(const json& body);

/// Returns the link in a body.
[[nodiscard]] input<std::string> requested_url(const json& value);

enum class flag : std::uint8_t { off, on };

/// Reads a boolean member such as `fresh`: off when absent or null.
[[nodiscard]] input<flag> requested_flag(const json& body, const char* name);

/// Reads the `Idempotency-Key` header: 1-255 visible ASCII characters.
[[nodiscard]] input<std::optional<std::string>> requested_idempotency_key(
    std::optional<std::string_view> header);

/// Identifies a request under its Idempotency-Key: 32 hexadecimal digits of a hash of its elements
/// in order, and of the options of the analysis.
[[nodiscard]] std::string request_hash_of(
    const std::vector<const json*>& urls, std::string_view analysis = {});

void add_extract_preset_routes(http::router& router, std::string_view prefix);

// Reels

struct reel_read {
    std::optional<http::response> refused = {};  ///< Set when the caller is unknown.
    /// JSON as clients see it; null when the caller has no such reel.
    std::shared_ptr<const std::string> text = {};
    bool has_ended = false;  ///< Whether the reel's job is done or has failed.
};

/// Authenticates the caller and reads one of their reels.
using reel_reader = std::function<awaitable<reel_read>(http::request_context&, job_id)>;

struct reels_service {
    reel_reader read;
    jobs::job_store jobs;
    jobs::change_poller& poller;
    std::function<void(job_id)> job_removed;
};

/// Returns a reader that authenticates with the middleware of the path.
[[nodiscard]] reel_reader authenticated_reader(jobs::job_store jobs);

void add_reel_routes(http::router& router, std::string_view prefix, reels_service& service);
void add_reel_list_routes(http::router& router, std::string_view prefix, jobs::job_store& jobs);

void add_tag_routes(http::router& router, std::string_view prefix, jobs::tag_store& tags);

[[nodiscard]] input<std::optional<std::string>> requested_tag(std::optional<std::string_view> text);

/// Reads `?wait=`, a number of seconds from 0 to 60: 0 when absent.
[[nodiscard]] input<std::chrono::milliseconds> requested_wait(std::optional<std::string_view> text);

/// Reads `?size=`: the large one when absent.
[[nodiscard]] input<jobs::thumbnail_size> requested_size(std::optional<std::string_view> text);

[[nodiscard]] input<std::optional<jobs::job_status>> requested_status(
    std::optional<std::string_view> text);

/// An author's name without the sign before it: "zoe" for "@zoe".
[[nodiscard]] std::string without_sign(std::string name);

/// Reads `?author=`: 1-100 characters, without the sign before it.
[[nodiscard]] input<std::optional<std::string>> requested_author(
    std::optional<std::string_view> text);

struct creation_period {
    std::optional<time_point> from = {};
    std::optional<time_point> before = {};
};

/// Reads `?from=` and `?to=`, as requested_period().
[[nodiscard]] input<creation_period> requested_creation(const http::request_context& ctx);

/// Reads `?latest=` or `?details=`: off when absent.
[[nodiscard]] input<flag> requested_boolean(
    std::optional<std::string_view> text, std::string_view name);

/// Returns the cursor after a page: opaque to clients, URL-safe.
[[nodiscard]] std::string cursor_of(job_id last);
/// Reads `?cursor=`, which cursor_of() returned.
[[nodiscard]] input<std::optional<job_id>> requested_cursor(std::optional<std::string_view> text);

// Progress events of a reel

struct reel_event_service {
    jobs::change_store changes;
    jobs::change_poller& poller;
    http::event_streams streams = {};
};

void add_reel_event_routes(
    http::router& router, std::string_view prefix, reel_event_service& service);

/// The last event that a reader of a reel received.
struct sent_events {
    jobs::job_status status = jobs::job_status::pending;
    int attempt = 0;
    std::string step = {};
    bool is_finished = false;  ///< It was the last one.

    friend bool operator==(const sent_events&, const sent_events&) = default;
};

/// Returns the `id:` of an event. It is the whole position: any daemon can continue from it.
[[nodiscard]] std::string event_id(job_id job, const sent_events& sent);
/// Parses `Last-Event-ID`; empty unless event_id() returned it for this job.
[[nodiscard]] std::optional<sent_events> sent_in(std::string_view last_event_id, job_id job);

/// Returns the server-sent events from `sent` to the current state, and updates `sent`; empty when
/// nothing has changed. Skips intermediate states. Without `sent`, the first event of a stream.
[[nodiscard]] std::string events_until(
    std::optional<sent_events>& sent, const jobs::job_state_view& now);
[[nodiscard]] std::string deleted_event(job_id job);

// Kept videos and pictures

void add_media_routes(http::router& router, std::string_view prefix, media_service& service);

/// Fields of a request that select what is sent of a file.
struct range_request {
    std::optional<std::string_view> if_match = {};
    std::optional<std::string_view> if_none_match = {};
    std::optional<std::string_view> if_range = {};
    std::optional<std::string_view> range = {};
};

/// What to send.
struct range_answer {
    enum class kind : std::uint8_t {
        whole,
        part,
        not_satisfiable,
        not_modified,
        precondition_failed,
    };

    kind what = kind::whole;
    std::uint64_t first = 0;  ///< Offset of the first byte of the part or the whole.
    std::uint64_t bytes = 0;  ///< Bytes of the part or the whole.

    friend bool operator==(const range_answer&, const range_answer&) = default;
};

/// Decides which bytes of a file of `size` bytes (1 or more) with the strong `etag`, quotes
/// included, answer a request (RFC 9110, sections 13 and 14). Several ranges, another unit and
/// malformed ranges are ignored: the answer is the whole file.
[[nodiscard]] range_answer answer_range(
    const range_request& request, std::uint64_t size, std::string_view etag);

// Search, saved searches and questions

void add_search_routes(http::router& router, std::string_view prefix, search_service& service);

/// Reads `?q=`: 1-500 characters, not all blank. Ignores control characters and invalid UTF-8.
[[nodiscard]] input<std::string> requested_query(std::optional<std::string_view> text);

/// Returns a hit as JSON (docs/openapi.yaml). `match` is its best passage, or its summary without
/// passages. Errors: internal when the stored passages are invalid.
[[nodiscard]] result<std::string> hit_view(
    const jobs::search_hit& hit, const model::passage_finder& finder);

void add_saved_search_routes(
    http::router& router, std::string_view prefix, searches::saved_search_store& store);

/// An empty `answer` refuses questions, because the server has no model.
void add_ask_routes(
    http::router& router, std::string_view prefix, const questions::answerer& answer);

// Usage and exports

void add_usage_routes(http::router& router, std::string_view prefix, usage::usage_store& store);
void add_export_routes(http::router& router, std::string_view prefix, export_service& service);

/// Reads `?from=` and `?to=` as `YYYY-MM-DD`; `from` is not after `to`.
[[nodiscard]] input<usage::period> requested_period(
    std::optional<std::string_view> from, std::optional<std::string_view> to);

// Usage as JSON text: costs are exact decimal numbers, which the JSON library cannot write.

/// Usage of an account (docs/openapi.yaml).
[[nodiscard]] std::string usage_view(const usage::report& report);
[[nodiscard]] std::string usage_days_view(const std::vector<usage::daily_model_sums>& days);
/// Usage of one reel: its calls and their total cost.
[[nodiscard]] std::string reel_usage_view(const usage::reel_report& report);
[[nodiscard]] std::string budget_view(const usage::budget_report& report);

/// As usage_days_view() in CSV: RFC 4180 with a header line, UTF-8. An unknown cost is an empty
/// field.
[[nodiscard]] std::string usage_csv(const std::vector<usage::daily_model_sums>& days);

/// Returns a CSV field, quoted if necessary. Text that a spreadsheet would evaluate as a formula
/// gets an apostrophe in front, which marks it as text.
[[nodiscard]] std::string csv_text_field(std::string_view text);

// Webhooks

void add_webhook_routes(http::router& router, std::string_view prefix, webhook_service& service);

/// Reads the address in `field` of a body, which `check` accepts.
[[nodiscard]] input<std::optional<std::string>> requested_webhook_url(
    const json& body, std::string_view field, const webhook_url_check& check);

[[nodiscard]] input<std::optional<webhooks::delivery_state>> requested_delivery_state(
    std::optional<std::string_view> text);

// Health and metrics

void add_health_routes(http::router& router, readiness_check& ready);
/// `/metrics` for every client that reaches the router.
void add_metrics_routes(http::router& router, metrics_text& text);

}  // namespace reelsd::api
