#pragma once

#include "webhooks.hpp"
#include <reelsd/base/json_fwd.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/jobs/job_store.hpp>
#include <reelsd/domain/jobs/submission_batcher.hpp>
#include <reelsd/http/request.hpp>
#include <reelsd/http/response.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::http {
class request_context;
class router;
}  // namespace reelsd::http

namespace reelsd::jobs {
class upload_store;
}

namespace reelsd::model {
struct analysis_options;
}

namespace reelsd::api {

/// Dependencies of the handlers of this resource. Outlives the router.
struct submission_service {
    jobs::submission_batcher submission_batcher;
    jobs::upload_store& uploads;
    jobs::default_limits limits;
    std::uint64_t video_bytes_max;
    /// Whether a model that costs money analyses links; it never analyses test links.
    bool analysis_costs_money = false;
    std::vector<std::string> analyzers;  ///< The names that submissions may choose.
    std::function<void()> job_accepted;
    webhook_url_check check_webhook_url;
};

void add_submission_routes(
    http::router& router, std::string_view prefix, submission_service& service);

/// Whether a submission has a file, by its Content-Type: multipart/form-data, video/* or
/// application/octet-stream. Pure.
[[nodiscard]] bool is_upload(const http::request& request);

/// POST /api/v1/reels/analyze with a file: as the part `video` of a form, or as the body itself
/// with the options in the query. Limits and budget are checked before the body is read. 202 the
/// job's id, with file and job durable; 400 malformed form, option or key; 408 too slow; 413 too
/// large; 429 a limit of the caller's account, its budget, or two uploads in progress.
[[nodiscard]] boost::asio::awaitable<http::response> receive_upload(
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

/// Reads the options of a body and the header Idempotency-Key. Errors: invalid_argument.
[[nodiscard]] result<common_options> options_in(
    const http::request_context& ctx, const json& body, const submission_service& service);

/// 202 with the job, 400 for a key that was used with another submission, or 429, with the
/// `RateLimit-*` header fields.
[[nodiscard]] http::response answer_to(
    const http::request_context& ctx, const jobs::submission_result& decision);

/// Whether the body of a submission has a list of links, valid or not. Pure.
[[nodiscard]] bool has_urls(const json& body);

/// Returns the elements of `urls`, not validated; they point into `body`. Errors: invalid_argument
/// unless it is an array of 1 to 50, without a `url`. Pure.
[[nodiscard]] result<std::vector<const json*>> requested_urls(const json& body);

/// Returns the link in a body. Errors: invalid_argument with the text for the client. Pure.
[[nodiscard]] result<std::string> requested_url(const json& value);

enum class flag : std::uint8_t { off, on };

/// Reads a member such as `fresh`: off when absent or null. Errors: invalid_argument unless it is a
/// boolean. Pure.
[[nodiscard]] result<flag> requested_flag(const json& body, const char* name);

/// Reads the header `Idempotency-Key`: empty when absent. Errors: invalid_argument unless 1-255
/// visible ASCII characters. Pure.
[[nodiscard]] result<std::optional<std::string>> requested_idempotency_key(
    std::optional<std::string_view> header);

/// Reads the options of the analysis. `extract` needs an analyzer that is a model. Errors:
/// invalid_argument. Pure.
[[nodiscard]] result<model::analysis_options> requested_analysis(
    const json& body, const submission_service& service);

/// Identifies a request under its Idempotency-Key: 32 hexadecimal digits of a hash of its elements
/// in order, and of the options of the analysis. Pure.
[[nodiscard]] std::string request_hash_of(
    const std::vector<const json*>& urls, std::string_view analysis = {});

}  // namespace reelsd::api
