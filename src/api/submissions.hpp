#pragma once

#include "webhook_url.hpp"
#include <reelsd/base/json_fwd.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/jobs/admission_desk.hpp>
#include <reelsd/domain/jobs/job_store.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace reelsd::http {
class response;
class router;
}  // namespace reelsd::http

namespace reelsd::api {

/// The one route whose requests are counted as submissions, below whatever prefix.
inline constexpr std::string_view submission_route = "/reels/analyze";

/// What the handlers of this resource use. Outlives the router.
struct submission_service {
    jobs::admission_desk desk;
    /// Whether links are analysed by a model that costs money; test links never are.
    bool analysis_costs_money = false;
    std::function<void()> job_accepted;
    webhook_url_check check_webhook_url;
};

void add_submission_routes(
    http::router& router, std::string_view prefix, submission_service& service);

/// The link in the body of a submission: `invalid_argument` when there is none, with the text that
/// the client reads. Pure.
[[nodiscard]] result<std::string> requested_url(const json& body);
/// The same for what stands where a link should. Pure.
[[nodiscard]] result<std::string> requested_url_in(const json& value);

/// Whether an analysis of today may stand for a new one.
enum class earlier_analysis_wish : std::uint8_t { welcome, unwanted };

/// `"fresh"` in the body: an earlier analysis is welcome when it is absent, null or false;
/// `invalid_argument` unless a boolean. Pure.
[[nodiscard]] result<earlier_analysis_wish> requested_fresh(const json& body);

/// The header `Idempotency-Key`: nothing when absent; `invalid_argument` unless 1-255 visible ASCII
/// characters. Pure.
[[nodiscard]] result<std::optional<std::string>> requested_idempotency_key(
    std::optional<std::string_view> header);

/// Whether there is a job to the decision: a new one, or that of the submission repeated.
[[nodiscard]] bool is_accepted(const jobs::admission& decision);
/// That the Idempotency-Key stands for something else.
[[nodiscard]] error key_in_use();
/// The RateLimit fields: how the bucket stands after the decision.
void set_rate_limits(http::response& answer, const jobs::admission& decision);

}  // namespace reelsd::api
