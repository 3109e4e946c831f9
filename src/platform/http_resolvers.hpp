#pragma once

#include "answer_parser.hpp"
#include <reelsd/net/http_client.hpp>
#include <reelsd/net/url.hpp>
#include <reelsd/platform/operator_session.hpp>
#include <reelsd/platform/resolver.hpp>
#include <reelsd/platform/source.hpp>

#include <chrono>
#include <stop_token>
#include <string>
#include <string_view>

/// The resolvers that ask the platform over HTTP.
namespace reelsd::platform {

struct http_resolver_settings {
    net::url platform;  ///< The origin that is asked.
    request_profile profile = {};
    answer_observer observe = {};  ///< May be empty.
    bool takes_tracks = false;     ///< See answer_signals.
};

/// The variant of the platform's experiments that a page uses. Both known values are accepted.
inline constexpr const char* asbd_id = "359341";

struct classified_answer {
    answer_signals signals;
    answer_classification classification;
    parsed_answer parsed = {};

    /// The error of an answer without the post's video. `label` names the request: "graphql, root
    /// query".
    [[nodiscard]] error why(const std::string& label) const;
    /// The post, or why it was not found.
    [[nodiscard]] resolution outcome(const std::string& label) &&;
};

/// Sends requests to the platform and interprets the answers. Safe from any thread.
class platform_client {
public:
    /// `client` outlives this and trusts the platform's origin.
    platform_client(const net::http_client& client, http_resolver_settings settings)
        : client_{client}, settings_{std::move(settings)} {}

    [[nodiscard]] const request_profile& profile() const noexcept { return settings_.profile; }
    [[nodiscard]] std::string origin() const { return settings_.platform.origin(); }

    struct timed_response : net::http_response {
        seconds_f took{0.0};
    };
    /// Sends `request` with the limits of size and speed for all answers. Errors: those of
    /// http_client::send(); platform_changed for an answer that is too large.
    [[nodiscard]] result<timed_response> send(
        net::http_request request, std::chrono::seconds time_max, deadline by,
        const std::stop_token& stop) const;

    struct redirect {
        answer_redirect kind = answer_redirect::none;
        std::string target = {};  ///< An absolute URL; as received if it is malformed.
    };
    [[nodiscard]] redirect redirect_in(const net::http_response& response, const link& reel) const;

    /// Parses and classifies a response.
    [[nodiscard]] classified_answer classify_response(
        answer_kind kind, const net::http_response& response, answer_redirect redirect_kind,
        const link& reel) const;

    /// Notifies the observer, if there is one. `question` names the request: "post page".
    void notify(
        std::string_view question, const timed_response& response,
        const classified_answer& answer) const;

private:
    const net::http_client& client_;
    http_resolver_settings settings_;
};

/// Reads the public post page as a browser's first visit would.
class page_resolver : public resolver {
public:
    page_resolver(const net::http_client& client, http_resolver_settings settings)
        : platform_{client, std::move(settings)} {}

    [[nodiscard]] std::string_view name() const noexcept override { return "page"; }

    /// Requests /reel/<code>/, and /p/<code>/ if the first reports no such post. Only both together
    /// mean "no such post", which needs confirmation. Follows at most 3 redirects to other
    /// addresses of the post.
    [[nodiscard]] resolution resolve(
        const link& reel, deadline by, std::stop_token stop) const override;

private:
    platform_client platform_;
};

/// Sends the queries that the platform's own pages send.
class graphql_resolver : public resolver {
public:
    graphql_resolver(const net::http_client& client, http_resolver_settings settings)
        : platform_{client, std::move(settings)} {}

    [[nodiscard]] std::string_view name() const noexcept override { return "graphql"; }

    /// Sends the root query, again after a transient error, and the logged-out query if the first
    /// had neither the post nor a definite error, or no answer. At most 3 requests, none after a
    /// rate limit. A "no such post" of one query needs confirmation, because a retired document id
    /// causes it too; of both it is corroborated.
    [[nodiscard]] resolution resolve(
        const link& reel, deadline by, std::stop_token stop) const override;

private:
    platform_client platform_;
};

/// Reads a post's page for embedding on other sites.
class embed_resolver : public resolver {
public:
    embed_resolver(const net::http_client& client, http_resolver_settings settings)
        : platform_{client, std::move(settings)} {}

    [[nodiscard]] std::string_view name() const noexcept override { return "embed"; }

    /// One request. A video that may not be embedded is platform_failed, because that says nothing
    /// about the post. A "no such post" needs confirmation.
    [[nodiscard]] resolution resolve(
        const link& reel, deadline by, std::stop_token stop) const override;

private:
    platform_client platform_;
};

/// Sends a request of the app's own API with the cookies of a signed-in session. See
/// docs/operate/proxies.md.
class session_resolver : public resolver {
public:
    /// `platform_session` outlives this.
    session_resolver(
        const net::http_client& client, session& platform_session, http_resolver_settings settings)
        : platform_{client, std::move(settings)}, session_{platform_session} {}

    [[nodiscard]] std::string_view name() const noexcept override { return session_resolver_name; }

    [[nodiscard]] bool is_enabled(deadline by) const override {
        return session_.cookies(by) != nullptr;
    }

    /// One request. Disables the session when the platform has refused it. "No such post" by status
    /// alone needs confirmation.
    [[nodiscard]] resolution resolve(
        const link& reel, deadline by, std::stop_token stop) const override;

    /// Treats a second one in a row about another post as a hidden challenge.
    void note_unconfirmed(const link& reel) const override;

private:
    platform_client platform_;
    session& session_;
};

/// The kind of a redirect from `from` to `location`, for a look-up of `reel`. Pure.
[[nodiscard]] answer_redirect redirect_of(
    const net::url& from, std::string_view location, const link& reel);

/// The post of a share link. Errors: video_unavailable (no such share, or not a share of a post),
/// otherwise those of classify(). Never needs confirmation.
using shared_post = boost::system::result<link, no_post>;

/// The post of a share link that redirects to `location`. Any text is valid. Pure.
[[nodiscard]] shared_post post_behind(const net::url& platform, std::string_view location);

/// Looks up the post of a link of link_kind::share: one request, whose redirect leads to the post.
/// Errors: also those of http_client::send().
[[nodiscard]] shared_post expand_share_link(
    const net::http_client& client, const net::url& platform, const link& shared, deadline by,
    const std::stop_token& stop);

}  // namespace reelsd::platform
