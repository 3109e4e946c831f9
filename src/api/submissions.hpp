#pragma once

#include "webhook_url.hpp"
#include <reelsd/base/json_fwd.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/domain/jobs/admission_desk.hpp>
#include <reelsd/domain/jobs/job_store.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::http {
class response;
class router;
}  // namespace reelsd::http

namespace reelsd::api {

/// What the handlers of this resource use. Outlives the router.
struct submission_service {
    /// Of all reels, for `Location`: "/api/v1/reels".
    std::string reels_path;
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

/// Whether today's analysis of the same post may stand for a new one.
enum class reuse_policy : std::uint8_t { allowed, forbidden };

/// `"fresh"` in the body: reuse is allowed when it is absent, null or false; `invalid_argument`
/// unless a boolean. Pure.
[[nodiscard]] result<reuse_policy> requested_reuse(const json& body);

/// The header `Idempotency-Key`: nothing when absent; `invalid_argument` unless 1-255 visible ASCII
/// characters. Pure.
[[nodiscard]] result<std::optional<std::string>> requested_idempotency_key(
    std::optional<std::string_view> header);

/// Whether the body of a submission has a list of links, well or badly made.
[[nodiscard]] bool has_urls(const json& body);

/// The elements of `urls`, not looked at yet; they live in `body`. `invalid_argument` unless an
/// array of 1 to 50 that stands alone. Pure.
[[nodiscard]] result<std::vector<const json*>> requested_urls(const json& body);

/// How a list under one Idempotency-Key is known again: each of its links has a key of its own,
/// made of the client's, of the whole list and of the link's place in it. They have blanks, which
/// no client's key can have. Pure.
class list_keys {
public:
    /// `key` is a client's.
    list_keys(std::string_view key, const std::vector<const json*>& urls);

    /// Of the link at `place`, from 0 on. 75 characters at most.
    [[nodiscard]] std::string at(std::size_t place) const;
    /// The client's key for a single link, or for another list.
    [[nodiscard]] jobs::key_rivals rivals() const;

private:
    std::string key_;
    std::string stem_;
    std::string own_;
};

/// What is in the way of a client's key for a single link: a list. Pure.
[[nodiscard]] jobs::key_rivals rivals_of_single(std::string_view key);

}  // namespace reelsd::api
