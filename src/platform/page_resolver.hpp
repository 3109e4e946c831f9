#pragma once

#include <reelsd/net/http_client.hpp>
#include <reelsd/net/url.hpp>
#include <reelsd/platform/answer_outcome.hpp>
#include <reelsd/platform/request_profile.hpp>
#include <reelsd/platform/resolver.hpp>

#include <string>
#include <string_view>

namespace reelsd::platform {

/// Passes an answer to the observer, if there is one.
inline void notify_observer(
    const answer_observer& observe, std::string_view question, const net::http_response& answer,
    deadline::clock::time_point asked_at, const answer_signals& signals,
    const answer_classification& classification) {
    if (!observe) return;
    observe(
        {.question = question,
         .url = answer.url,
         .status = answer.status(),
         .body = answer.body,
         .took = deadline::clock::now() - asked_at,
         .signals = signals,
         .reason = classification.reason});
}

struct page_resolver_settings {
    /// Origin that is asked.
    net::url platform;
    request_profile profile = {};
    answer_observer observe = {};  ///< May be empty.
    bool takes_tracks = false;     ///< See answer_signals.
};

/// Reads the public post page as a browser's first visit would. Source: platform.md 2A.
class page_resolver : public resolver {
public:
    /// `client` outlives this and trusts the platform's origin.
    page_resolver(const net::http_client& client, page_resolver_settings settings);

    [[nodiscard]] std::string_view name() const noexcept override { return "page"; }

    /// Asks for /reel/<code>/, and for /p/<code>/ when that says there is no such post: only both
    /// together are a no, and one in doubt. Follows at most 3 redirects to other addresses of the
    /// same post.
    [[nodiscard]] resolution resolve(
        const link& wanted, deadline by, std::stop_token stop) const override;

private:
    struct page_response;

    [[nodiscard]] result<page_response> look(
        const std::string& path, const link& wanted, deadline by,
        const std::stop_token& stop) const;

    const net::http_client& client_;
    page_resolver_settings settings_;
};

/// What a redirect from `from` to `location` means for `wanted`. Pure.
[[nodiscard]] answer_redirect redirect_of(
    const net::url& from, std::string_view location, const link& wanted);

/// The header fields of a browser that was given an address, in its order. Source: platform.md 2A.
/// Pure.
[[nodiscard]] std::vector<net::header> navigation_headers(const std::string& user_agent);

}  // namespace reelsd::platform
