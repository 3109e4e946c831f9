#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/enum_names.hpp>
#include <reelsd/base/error.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace reelsd::platform {

enum class answer_kind : std::uint8_t {
    page,     ///< A post's page.
    query,    ///< A GraphQL query: JSON.
    embed,    ///< A post's page for embedding on other sites.
    session,  ///< The app's own API with a signed-in session: JSON.
};

enum class answer_redirect : std::uint8_t {
    none,
    post,       ///< Another address of the same post, to be followed.
    login,      ///< /accounts/login
    home,       ///< /
    challenge,  ///< /challenge, /accounts/suspended
    elsewhere,  ///< Another site, another post, an unknown page.
};
BOOST_DESCRIBE_ENUM(answer_redirect, none, post, login, home, challenge, elsewhere)

/// The page that the platform's application names; all have status 200.
BOOST_DEFINE_FIXED_ENUM_CLASS(page_route, std::uint8_t, unknown, post, not_found, login)

/// An answer's data about the requested post. Later enumerators have precedence when an answer has
/// several pieces of data.
enum class answer_media : std::uint8_t {
    absent,             ///< No data of a post: the empty page for throttled clients.
    null_root,          ///< The query's answer is null or empty.
    other_post,         ///< Data of another post.
    unreadable,         ///< Data of the post in an unknown format.
    withheld,           ///< The post without its media and without a reason.
    gated,              ///< Withheld with a page error: age, region, audience.
    photo,              ///< The requested post or slide has no video.
    video_without_url,  ///< A video, but nothing to download.
    video_in_tracks,    ///< A video with separate files for picture and sound.
    video,
};
BOOST_DESCRIBE_ENUM(
    answer_media, absent, null_root, other_post, unreadable, withheld, gated, photo,
    video_without_url, video_in_tracks, video)

/// The error in a JSON body, instead of or in addition to data.
enum class answer_error : std::uint8_t {
    none,
    html,             ///< A page instead of JSON: the client was refused.
    no_json,          ///< Neither JSON nor a page.
    execution_error,  ///< A transient fault of the platform, or an old document id.
    field_exception,  ///< The post is missing or gated; the logged-out query distinguishes them.
    outdated,         ///< Our request is incomplete, or uses something that was retired.
    not_found,        ///< No such post; a retired document id causes it too.
    restricted,       ///< By region, age or audience.
    private_account,  ///< Only for the account's followers.
    login_required,   ///< The session has ended.
    challenge,        ///< The client must prove that it is not a robot.
    wait,             ///< "Please wait a few minutes": rate limit, or a retired document id.
    slow_down,        ///< A definite rate limit.
};
BOOST_DESCRIBE_ENUM(
    answer_error, none, html, no_json, execution_error, field_exception, outdated, not_found,
    restricted, private_account, login_required, challenge, wait, slow_down)

/// Everything that was observed in one answer.
struct answer_signals {
    answer_kind kind = answer_kind::page;
    int status = 200;
    answer_redirect redirect = answer_redirect::none;
    page_route route = page_route::unknown;
    answer_media media = answer_media::absent;
    /// Error in the body of a query, or of a page with a status of 400-499.
    answer_error platform_error = answer_error::none;
    /// The code carries a follower's key, as links to private posts do.
    bool is_follower_link = false;
    /// Whether separate tracks are accepted and muxed.
    bool takes_tracks = false;
};

struct answer_classification {
    /// Empty: the answer has the post's video.
    std::optional<errc> failure = {};
    /// A "no such post" or "no such file" that counts only when another resolver agrees.
    bool needs_confirmation = false;
    /// For platform_rate_limited: the client is throttled for all posts. Otherwise perhaps only for
    /// this one.
    bool throttles_client = false;
    /// The answer does not show whether the platform answers this client at all.
    bool may_be_refusal = false;
    /// The platform has refused the session, which must not be used again.
    bool ends_session = false;
    /// For logs.
    std::string_view reason = {};
};

/// The only interpretation of the platform's answers. tests/golden/platform has recorded ones.
/// Pure. `signals.redirect` is not answer_redirect::post, which must be followed first.
[[nodiscard]] answer_classification classify(const answer_signals& signals) noexcept;

/// One answer to a resolver, for diagnosis. The texts are valid during the call.
struct observed_answer {
    std::string_view question;  ///< "post page", "root query", "logged-out query", ...
    std::string_view url;       ///< Address of the last request, without tokens.
    int status = 0;             ///< HTTP status, or exit status of a program.
    std::string_view body;      ///< As received, unredacted.
    seconds_f took{0.0};
    /// Set only for an answer over HTTP.
    std::optional<answer_signals> signals = {};
    /// Short name of a failure, such as "gated"; empty when the answer has the post.
    std::string_view reason = {};
};

/// Called after each answer. From any thread.
using answer_observer = std::function<void(const observed_answer&)>;

}  // namespace reelsd::platform
