#include <reelsd/base/invariant.hpp>
#include <reelsd/platform/answer_outcome.hpp>

namespace reelsd::platform {
namespace {

constexpr answer_classification failed(errc why, std::string_view reason) {
    return {.failure = why, .needs_confirmation = false, .reason = reason};
}

constexpr answer_classification throttled(std::string_view reason) {
    return {.failure = errc::platform_rate_limited, .throttles_client = true, .reason = reason};
}

constexpr answer_classification perhaps_gone(std::string_view reason) {
    return {.failure = errc::video_unavailable, .needs_confirmation = true, .reason = reason};
}

/// Visitors are sent to the login page when there are too many of them. A follower's link always
/// leads there without an account.
constexpr answer_classification sent_to_login(
    const answer_signals& signals, std::string_view reason) {
    if (signals.is_follower_link) {
        return {
            .failure = errc::login_required,
            .may_be_refusal = true,
            .reason = "a link for followers, without a session"};
    }
    return failed(errc::platform_rate_limited, reason);
}

answer_classification classify_redirect(const answer_signals& signals) noexcept {
    switch (signals.redirect) {
        case answer_redirect::login: return sent_to_login(signals, "redirect to the login page");
        case answer_redirect::home: return sent_to_login(signals, "redirect to the home page");
        case answer_redirect::challenge:
            return failed(errc::platform_rate_limited, "redirect to a challenge");
        case answer_redirect::none:
        case answer_redirect::post:
        case answer_redirect::elsewhere: break;
    }
    return failed(errc::platform_changed, "redirect to an unknown place");
}

answer_classification classify_status(const answer_signals& signals) noexcept {
    const int status = signals.status;
    if (status == 429) return throttled("asked to slow down");
    // The URL of a query does not identify the post.
    const bool is_post_url = signals.kind != answer_kind::query;
    if (is_post_url && (status == 404 || status == 410))
        return perhaps_gone("status says not found");
    if (status >= 500) return failed(errc::platform_failed, "server error");
    // Refusals of the client (403 with HTML) say nothing about the post.
    if (status == 401 || status == 403) return failed(errc::platform_failed, "refused");
    return failed(errc::platform_changed, "unexpected status");
}

/// Empty when the platform error is inconclusive.
std::optional<answer_classification> classify_platform_error(answer_error platform_error) noexcept {
    switch (platform_error) {
        case answer_error::slow_down: return throttled("asked to slow down");
        case answer_error::wait:
            return failed(errc::platform_rate_limited, "asked to wait a few minutes");
        case answer_error::login_required: break;  // No session was sent: the status decides.
        case answer_error::challenge:
            return failed(errc::platform_rate_limited, "asked to solve a challenge");
        case answer_error::restricted:
            return failed(errc::video_restricted, "restricted to some audiences");
        case answer_error::private_account:
            return failed(errc::login_required, "a private account");
        case answer_error::not_found: return perhaps_gone("message says not found");
        case answer_error::outdated:
            return failed(errc::platform_changed, "our request is outdated");
        case answer_error::field_exception:
            return failed(errc::platform_failed, "missing or gated");
        case answer_error::execution_error: return failed(errc::platform_failed, "execution error");
        case answer_error::none:
        case answer_error::html:
        case answer_error::no_json: break;
    }
    return std::nullopt;
}

/// For an answer without usable data about the post.
answer_classification classify_absence(const answer_signals& signals) noexcept {
    if (signals.platform_error == answer_error::html)
        return failed(errc::platform_failed, "a page where JSON was expected");
    if (signals.kind == answer_kind::query || signals.kind == answer_kind::session)
        return failed(errc::platform_changed, "answer without the post's data");
    switch (signals.route) {
        case page_route::not_found: return perhaps_gone("page says not found");
        case page_route::login: return sent_to_login(signals, "login page");
        case page_route::post: return failed(errc::platform_rate_limited, "page without its data");
        case page_route::unknown: break;
    }
    return failed(errc::platform_changed, "page of an unknown kind");
}

/// Embed pages may show a video without its URL.
answer_classification classify_missing_url(const answer_signals& signals) noexcept {
    if (signals.kind == answer_kind::embed)
        return failed(errc::platform_failed, "the video may not be embedded");
    return failed(errc::platform_changed, "video without an address");
}

answer_classification classify_media(const answer_signals& signals) noexcept {
    switch (signals.media) {
        case answer_media::video: return {};
        case answer_media::video_in_tracks:
            if (signals.takes_tracks) return {};
            // Another resolver may have it in one file.
            return {
                .failure = errc::separate_tracks,
                .needs_confirmation = true,
                .reason = "picture and sound are separate files; set dash = true to join them"};
        case answer_media::video_without_url: return classify_missing_url(signals);
        case answer_media::photo: return failed(errc::no_video, "no video in the post");
        case answer_media::gated: return failed(errc::video_restricted, "gated");
        case answer_media::withheld:
            return failed(errc::login_required, "only for users who are logged in");
        case answer_media::unreadable:
            return failed(errc::platform_changed, "data of unknown format");
        case answer_media::other_post:
            return failed(errc::platform_changed, "data of another post");
        case answer_media::null_root: return perhaps_gone("data says not found");
        case answer_media::absent: break;
    }
    return classify_absence(signals);
}

/// The platform has refused the session. Not an error of the post.
constexpr answer_classification session_ended(std::string_view reason) {
    return {.failure = errc::platform_failed, .ends_session = true, .reason = reason};
}

answer_classification classify_session_redirect(answer_redirect redirect) noexcept {
    const auto without_session = classify_redirect({.redirect = redirect});
    const bool is_refusal = without_session.failure == errc::platform_rate_limited;
    return is_refusal ? session_ended(without_session.reason) : without_session;
}

/// For a session's answer without data.
answer_classification classify_session_status(const answer_signals& signals) noexcept {
    const bool is_json = signals.platform_error != answer_error::html &&
                         signals.platform_error != answer_error::no_json;
    switch (signals.status) {
        case 400:
            // A notice that must be confirmed in the app has no error text.
            if (!is_json) return session_ended("refused without a reason, status 400");
            break;
        case 401: return session_ended("refused, status 401");
        case 403:
            if (is_json) return session_ended("refused, status 403");
            break;
        // It may hide a challenge: another resolver must agree.
        case 404: return perhaps_gone("status says not found");
        default: break;
    }
    return classify_status(signals);
}

answer_classification classify_session(const answer_signals& signals) noexcept {
    if (signals.redirect != answer_redirect::none)
        return classify_session_redirect(signals.redirect);
    const bool has_post_data = signals.status == 200 && signals.media >= answer_media::withheld;
    if (has_post_data) return classify_media(signals);
    if (signals.status < 500) {
        switch (signals.platform_error) {
            case answer_error::login_required: return session_ended("login required");
            case answer_error::challenge: return session_ended("asked to solve a challenge");
            case answer_error::wait: return throttled("asked to wait a few minutes");
            default: break;
        }
        const auto platform_error = classify_platform_error(signals.platform_error);
        if (platform_error) return *platform_error;
    }
    return signals.status == 200 ? classify_media(signals) : classify_session_status(signals);
}

}  // namespace

answer_classification classify(const answer_signals& signals) noexcept {
    if (signals.kind == answer_kind::session) return classify_session(signals);
    invariant(signals.redirect != answer_redirect::post);
    if (signals.redirect != answer_redirect::none) return classify_redirect(signals);
    if (signals.status == 429) return classify_status(signals);  // Whatever its body says.
    // A query may report an error and still deliver the post.
    const bool has_post_data = signals.status == 200 && signals.media >= answer_media::withheld;
    const auto platform_error = classify_platform_error(signals.platform_error);
    if (platform_error && !has_post_data && signals.status < 500) return *platform_error;
    return signals.status == 200 ? classify_media(signals) : classify_status(signals);
}

}  // namespace reelsd::platform
