#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/error.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace reelsd::platform {

/// What was asked for.
enum class answer_kind : std::uint8_t {
    page,     ///< A post's page.
    query,    ///< A query's answer: JSON.
    embed,    ///< A post's page for embedding on other sites.
    session,  ///< The answer of the app's own API to a signed-in session: JSON.
};

/// Where a redirect of a post's page leads.
enum class answer_redirect : std::uint8_t {
    none,
    post,       ///< Another address of the same post: to be followed.
    login,      ///< /accounts/login
    home,       ///< /
    challenge,  ///< /challenge, /accounts/suspended
    elsewhere,  ///< Another site, another post, a page we do not know.
};

/// Which page the platform's application says it is; all of them come with status 200.
enum class page_route : std::uint8_t { unknown, post, not_found, login };

/// What an answer's data says of the wanted post. Later enumerators outweigh earlier ones when an
/// answer has several pieces of data.
enum class answer_media : std::uint8_t {
    absent,             ///< No data of a single post: the shell that throttled clients get.
    null_root,          ///< The query's answer is null or empty.
    other_post,         ///< Data of another post.
    unreadable,         ///< Data of the post in a shape we do not know.
    withheld,           ///< The post without its media and without a reason.
    gated,              ///< The same with a page error: age, region, audience.
    photo,              ///< No video in what was asked for.
    video_without_url,  ///< A video, but nothing to download.
    video_in_tracks,    ///< A video whose picture and sound are files of their own.
    video,
};

/// What a JSON body says instead of, or beside, the data.
enum class answer_error : std::uint8_t {
    none,
    html,             ///< No JSON but a page: the client was not liked.
    no_json,          ///< Neither.
    execution_error,  ///< A passing fault of theirs, or an old document id.
    field_exception,  ///< The post is missing or gated; the logged-out query knows which.
    outdated,         ///< Our request lacks something, or names what is gone.
    not_found,        ///< No such post; a retired document id says the same.
    restricted,       ///< Region, age or audience: not for us.
    private_account,  ///< For the account's followers.
    login_required,   ///< The session has ended.
    challenge,        ///< Prove that you are no robot.
    wait,             ///< "Please wait a few minutes": too much, or a retired document id.
    slow_down,        ///< Too much, without a doubt.
};

/// Everything that was observed of one answer.
struct answer_signals {
    answer_kind kind = answer_kind::page;
    int status = 200;
    answer_redirect redirect = answer_redirect::none;
    page_route route = page_route::unknown;
    answer_media media = answer_media::absent;
    /// Of the body of a query, and of a page with a status of 400-499.
    answer_error platform_error = answer_error::none;
    /// The code carries a follower's key, as links to private posts do.
    bool is_follower_link = false;
    /// Whether we put separate tracks together.
    bool takes_tracks = false;
};

struct answer_classification {
    /// Empty: the answer has the post's video.
    std::optional<errc> failure = {};
    /// A "no such post", or "no such file", that only counts when somebody else says so too.
    bool needs_confirmation = false;
    /// Of platform_rate_limited: the client is throttled, whichever post it asks for. Without it
    /// the answer may be about this post alone.
    bool throttles_client = false;
    /// The platform has refused the session, which must not be used again.
    bool ends_session = false;
    /// For logs.
    std::string_view reason = {};
};

/// The one place where what the platform answers becomes what it means. Source: platform.md 3.
/// Pure. `signals.redirect` is not answer_redirect::post: that one is followed first.
[[nodiscard]] answer_classification classify(const answer_signals& signals) noexcept;

/// One answer as a resolver saw it, for people who want to know why it says what it says. The texts
/// live as long as the call.
struct observed_answer {
    std::string_view question;  ///< "post page", "root query", "logged-out query", ...
    std::string_view url;       ///< That was asked last, without tokens of anybody's.
    int status = 0;             ///< HTTP's; of a program its exit status.
    std::string_view body;      ///< As it came, unredacted.
    seconds_f took{0.0};
    /// What was read from an answer over HTTP.
    std::optional<answer_signals> signals = {};
    /// What it comes to: "gated"; empty when it has the post.
    std::string_view reason = {};
};

/// Told after each answer. From any thread.
using answer_observer = std::function<void(const observed_answer&)>;

}  // namespace reelsd::platform
