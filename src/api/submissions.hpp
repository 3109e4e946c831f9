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
class router;
}

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

/// Whether an analysis of today may stand for a new one.
enum class earlier_analysis_wish : std::uint8_t { welcome, unwanted };

/// `"fresh"` in the body: an earlier analysis is welcome when it is absent, null or false;
/// `invalid_argument` unless a boolean. Pure.
[[nodiscard]] result<earlier_analysis_wish> requested_fresh(const json& body);

/// The header `Idempotency-Key`: nothing when absent; `invalid_argument` unless 1-255 visible ASCII
/// characters. Pure.
[[nodiscard]] result<std::optional<std::string>> requested_idempotency_key(
    std::optional<std::string_view> header);

}  // namespace reelsd::api
