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

/// Nobody is logged in, so a way to the door means "too many of you". A follower's link is the
/// exception: without an account it always ends there.
constexpr answer_classification shown_the_door(
    const answer_signals& signals, std::string_view reason) {
    if (signals.is_follower_link)
        return failed(errc::login_required, "a follower's link, and we follow nobody");
    return failed(errc::platform_rate_limited, reason);
}

answer_classification classify_redirect(const answer_signals& signals) noexcept {
    switch (signals.redirect) {
        case answer_redirect::login: return shown_the_door(signals, "redirect to the login page");
        case answer_redirect::home: return shown_the_door(signals, "redirect to the home page");
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
    // The address of a query is not the post's.
    const bool is_of_the_post = signals.kind != answer_kind::query;
    if (is_of_the_post && (status == 404 || status == 410))
        return perhaps_gone("status says not found");
    if (status >= 500) return failed(errc::platform_failed, "server error");
    // Refusals of the client (403 with HTML) say nothing about the post.
    if (status == 401 || status == 403) return failed(errc::platform_failed, "refused");
    return failed(errc::platform_changed, "unexpected status");
}

/// Empty when the platform error settles nothing.
std::optional<answer_classification> classify_platform_error(answer_error platform_error) noexcept {
    switch (platform_error) {
        case answer_error::slow_down: return throttled("asked to slow down");
        case answer_error::wait:
            return failed(errc::platform_rate_limited, "asked to wait a few minutes");
        case answer_error::login_required: break;  // As its status says: no session was sent.
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
            return failed(errc::platform_failed, "missing or gated, it does not say which");
        case answer_error::execution_error: return failed(errc::platform_failed, "execution error");
        case answer_error::none:
        case answer_error::html:
        case answer_error::no_json: break;
    }
    return std::nullopt;
}

/// Data without a usable word about the post.
answer_classification classify_absence(const answer_signals& signals) noexcept {
    if (signals.platform_error == answer_error::html)
        return failed(errc::platform_failed, "a page where JSON was expected");
    if (signals.kind == answer_kind::query || signals.kind == answer_kind::session)
        return failed(errc::platform_changed, "answer without the post's data");
    switch (signals.route) {
        case page_route::not_found: return perhaps_gone("page says not found");
        case page_route::login: return shown_the_door(signals, "login page");
        case page_route::post: return failed(errc::platform_rate_limited, "page without its data");
        case page_route::unknown: break;
    }
    return failed(errc::platform_changed, "page of an unknown kind");
}

/// Videos may be shown, and yet not be given, to other sites.
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
            // Another answer may have it in one file.
            return {
                .failure = errc::separate_tracks,
                .needs_confirmation = true,
                .reason = "picture and sound are separate files; the setting dash takes them"};
        case answer_media::video_without_url: return classify_missing_url(signals);
        case answer_media::photo: return failed(errc::no_video, "no video in the post");
        case answer_media::gated: return failed(errc::video_restricted, "gated");
        case answer_media::withheld:
            return failed(errc::login_required, "only for people logged in");
        case answer_media::unreadable:
            return failed(errc::platform_changed, "data of unknown shape");
        case answer_media::other_post:
            return failed(errc::platform_changed, "data of another post");
        case answer_media::null_root: return perhaps_gone("data says not found");
        case answer_media::absent: break;
    }
    return classify_absence(signals);
}

/// The platform has refused the session. Says nothing about the post.
constexpr answer_classification session_ended(std::string_view reason) {
    return {.failure = errc::platform_failed, .ends_session = true, .reason = reason};
}

answer_classification classify_session_redirect(answer_redirect redirect) noexcept {
    switch (redirect) {
        case answer_redirect::login: return session_ended("redirect to the login page");
        case answer_redirect::home: return session_ended("redirect to the home page");
        case answer_redirect::challenge: return session_ended("redirect to a challenge");
        case answer_redirect::none:
        case answer_redirect::post:
        case answer_redirect::elsewhere: break;
    }
    return failed(errc::platform_changed, "redirect to an unknown place");
}

/// Of a session's answer without data. Source: access.md 2.2.
answer_classification classify_session_status(const answer_signals& signals) noexcept {
    const bool is_json = signals.platform_error != answer_error::html &&
                         signals.platform_error != answer_error::no_json;
    switch (signals.status) {
        case 400:
            // The notice that has to be confirmed in the app comes without a reason.
            if (!is_json) return session_ended("refused without a reason, status 400");
            break;
        case 401: return session_ended("refused, status 401");
        case 403:
            if (is_json) return session_ended("refused, status 403");
            break;
        // May hide a challenge: another resolver has to agree.
        case 404: return perhaps_gone("status says not found");
        default: break;
    }
    return classify_status(signals);
}

answer_classification classify_session(const answer_signals& signals) noexcept {
    if (signals.redirect != answer_redirect::none)
        return classify_session_redirect(signals.redirect);
    const bool has_word_on_post = signals.status == 200 && signals.media >= answer_media::withheld;
    if (has_word_on_post) return classify_media(signals);
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
    // A query may complain of one part and deliver the rest.
    const bool has_word_on_post = signals.status == 200 && signals.media >= answer_media::withheld;
    const auto platform_error = classify_platform_error(signals.platform_error);
    if (platform_error && !has_word_on_post && signals.status < 500) return *platform_error;
    return signals.status == 200 ? classify_media(signals) : classify_status(signals);
}

}  // namespace reelsd::platform
