#pragma once

#include <reelsd/net/http_client.hpp>
#include <reelsd/net/url.hpp>
#include <reelsd/platform/answer_outcome.hpp>
#include <reelsd/platform/request_profile.hpp>
#include <reelsd/platform/resolver.hpp>
#include <reelsd/platform/session.hpp>

#include <string_view>

namespace reelsd::platform {

struct session_resolver_settings {
    /// Origin that is asked.
    net::url platform;
    request_profile profile = {};
    answer_observer observe = {};  ///< May be empty.
    bool takes_tracks = false;     ///< See answer_signals.
};

/// Asks the app's own API with the cookies of a signed-in session. Source: platform.md 2E,
/// access.md 2.
class session_resolver : public resolver {
public:
    /// `client` outlives this and trusts the platform's origin; so does `platform_session`.
    session_resolver(
        const net::http_client& client, session& platform_session,
        session_resolver_settings settings);

    [[nodiscard]] std::string_view name() const noexcept override { return session_resolver_name; }

    [[nodiscard]] bool is_enabled(deadline by) const override {
        return session_.cookies(by) != nullptr;
    }

    /// One request. Disables the session when the platform has refused it. "No such post" by status
    /// alone needs another resolver to agree; a second one in a row about another post is taken for
    /// a hidden challenge.
    [[nodiscard]] resolution resolve(
        const link& wanted, deadline by, std::stop_token stop) const override;

private:
    [[nodiscard]] answer_classification classify_answer(
        const answer_signals& signals, const link& wanted, const session_cookies& sent) const;

    const net::http_client& client_;
    session& session_;
    session_resolver_settings settings_;
};

}  // namespace reelsd::platform
