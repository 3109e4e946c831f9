#include <reelsd/base/invariant.hpp>
#include <reelsd/platform/page_outcome.hpp>

namespace reelsd::platform {
namespace {

constexpr page_verdict failed(errc why, std::string_view reason) {
    return {.failure = why, .needs_confirmation = false, .reason = reason};
}

constexpr page_verdict perhaps_gone(std::string_view reason) {
    return {.failure = errc::video_unavailable, .needs_confirmation = true, .reason = reason};
}

/// Nobody is logged in, so a way to the door means "too many of you". A follower's link is the
/// exception: without an account it always ends there.
constexpr page_verdict shown_the_door(const page_signals& signals, std::string_view reason) {
    if (signals.is_follower_link)
        return failed(errc::video_unavailable, "a follower's link, and we follow nobody");
    return failed(errc::platform_rate_limited, reason);
}

page_verdict judge_redirect(const page_signals& signals) noexcept {
    switch (signals.redirect) {
        case page_redirect::login: return shown_the_door(signals, "redirect to the login page");
        case page_redirect::home: return shown_the_door(signals, "redirect to the home page");
        case page_redirect::challenge:
            return failed(errc::platform_rate_limited, "redirect to a challenge");
        case page_redirect::none:
        case page_redirect::post:
        case page_redirect::elsewhere: break;
    }
    return failed(errc::platform_changed, "redirect to an unknown place");
}

page_verdict judge_status(const page_signals& signals) noexcept {
    const int status = signals.status;
    if (status == 429 || signals.asks_to_wait)
        return failed(errc::platform_rate_limited, "asked to slow down");
    if (status == 404 || status == 410) return perhaps_gone("status says not found");
    if (status >= 500) return failed(errc::platform_failed, "server error");
    // Refusals of the client (403 with HTML) say nothing about the post.
    if (status == 401 || status == 403) return failed(errc::platform_failed, "refused");
    return failed(errc::platform_changed, "unexpected status");
}

/// A page of ours without usable data of the post.
page_verdict judge_route(const page_signals& signals) noexcept {
    switch (signals.route) {
        case page_route::not_found: return perhaps_gone("page says not found");
        case page_route::login: return shown_the_door(signals, "login page");
        case page_route::post: return failed(errc::platform_rate_limited, "page without its data");
        case page_route::unknown: break;
    }
    return failed(errc::platform_changed, "page of an unknown kind");
}

}  // namespace

page_verdict judge(const page_signals& signals) noexcept {
    invariant(signals.redirect != page_redirect::post);
    if (signals.redirect != page_redirect::none) return judge_redirect(signals);
    if (signals.status != 200) return judge_status(signals);
    switch (signals.media) {
        case page_media::video: return {};
        case page_media::video_without_url:
            return failed(errc::platform_changed, "video without an address");
        case page_media::photo: return failed(errc::unsupported_format, "no video in the post");
        case page_media::gated: return failed(errc::video_unavailable, "gated");
        case page_media::withheld:
            return failed(errc::video_unavailable, "only for people logged in");
        case page_media::unreadable: return failed(errc::platform_changed, "data of unknown shape");
        case page_media::other_post: return failed(errc::platform_changed, "data of another post");
        case page_media::null_root: return perhaps_gone("data says not found");
        case page_media::absent: break;
    }
    return judge_route(signals);
}

}  // namespace reelsd::platform
