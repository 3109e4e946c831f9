#pragma once

#include "webhooks.hpp"
#include <reelsd/base/json_fwd.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/jobs/job_store.hpp>
#include <reelsd/domain/jobs/submission_batcher.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::http {
class request_context;
class response;
class router;
}  // namespace reelsd::http

namespace reelsd::jobs {
class upload_store;
}

namespace reelsd::api {

/// Dependencies of the handlers of this resource. Outlives the router.
struct submission_service {
    jobs::submission_batcher submission_batcher;
    jobs::upload_store& uploads;
    jobs::default_limits limits;
    std::uint64_t video_bytes_max;
    /// Whether links are analysed by a model that costs money; test links never are.
    bool analysis_costs_money = false;
    std::function<void()> job_accepted;
    webhook_url_check check_webhook_url;
};

void add_submission_routes(
    http::router& router, std::string_view prefix, submission_service& service);

/// What all links of one request share.
struct common_terms {
    bool fresh = false;
    bool queue = false;
    std::optional<std::string> webhook_url;
    std::optional<std::string> idempotency_key;  ///< The client's.
};

/// The terms in a body and in the header Idempotency-Key; `invalid_argument`.
[[nodiscard]] result<common_terms> terms_in(
    const http::request_context& ctx, const json& body, const submission_service& service);

/// 202 with the job, 400 for a key that was used with another submission, or 429, each with the
/// RateLimit fields where the contract has them.
[[nodiscard]] http::response answer_to(
    const http::request_context& ctx, const jobs::submission_result& decision);

/// Whether the body of a submission has a list of links, valid or not. Pure.
[[nodiscard]] bool has_urls(const json& body);

/// The elements of `urls`, not validated; they live in `body`. `invalid_argument` unless an array
/// of 1 to 50 without a `url` next to it. Pure.
[[nodiscard]] result<std::vector<const json*>> requested_urls(const json& body);

/// The text of a link in a body: `invalid_argument` when there is none, with the text that the
/// client reads. Pure.
[[nodiscard]] result<std::string> requested_url(const json& value);

enum class flag : std::uint8_t { off, on };

/// A member of the body such as `fresh`: off when it is absent or null; `invalid_argument` unless
/// a boolean. Pure.
[[nodiscard]] result<flag> requested_flag(const json& body, const char* name);

/// The header `Idempotency-Key`: nothing when absent; `invalid_argument` unless 1-255 visible ASCII
/// characters. Pure.
[[nodiscard]] result<std::optional<std::string>> requested_idempotency_key(
    std::optional<std::string_view> header);

/// Identifies a list under its Idempotency-Key: 32 hexadecimal digits of a hash of its elements and
/// their order. Pure.
[[nodiscard]] std::string request_hash_of(const std::vector<const json*>& urls);

}  // namespace reelsd::api
