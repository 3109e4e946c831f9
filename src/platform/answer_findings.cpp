#include "answer_parser.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/platform/answer_record.hpp>

namespace reelsd::platform {

std::string_view name_of(answer_redirect redirect) noexcept {
    switch (redirect) {
        case answer_redirect::none: return "none";
        case answer_redirect::post: return "post";
        case answer_redirect::login: return "login";
        case answer_redirect::home: return "home";
        case answer_redirect::challenge: return "challenge";
        case answer_redirect::elsewhere: break;
    }
    return "elsewhere";
}

std::string_view name_of(page_route route) noexcept {
    switch (route) {
        case page_route::post: return "post";
        case page_route::not_found: return "not_found";
        case page_route::login: return "login";
        case page_route::unknown: break;
    }
    return "unknown";
}

std::string_view name_of(answer_media media) noexcept {
    switch (media) {
        case answer_media::absent: return "absent";
        case answer_media::null_root: return "null_root";
        case answer_media::other_post: return "other_post";
        case answer_media::unreadable: return "unreadable";
        case answer_media::withheld: return "withheld";
        case answer_media::gated: return "gated";
        case answer_media::photo: return "photo";
        case answer_media::video_without_url: return "video_without_url";
        case answer_media::video_in_tracks: return "video_in_tracks";
        case answer_media::video: break;
    }
    return "video";
}

std::string_view name_of(answer_error platform_error) noexcept {
    switch (platform_error) {
        case answer_error::none: return "none";
        case answer_error::html: return "html";
        case answer_error::no_json: return "no_json";
        case answer_error::execution_error: return "execution_error";
        case answer_error::field_exception: return "field_exception";
        case answer_error::outdated: return "outdated";
        case answer_error::not_found: return "not_found";
        case answer_error::restricted: return "restricted";
        case answer_error::private_account: return "private_account";
        case answer_error::login_required: return "login_required";
        case answer_error::challenge: return "challenge";
        case answer_error::wait: return "wait";
        case answer_error::slow_down: break;
    }
    return "slow_down";
}

std::string describe(const answer_signals& signals) {
    std::string text;
    const auto add = [&text](std::string_view what, std::string_view name) {
        if (!text.empty()) text += ", ";
        text.append(what).append(" ").append(name);
    };
    if (signals.redirect != answer_redirect::none) add("redirect", name_of(signals.redirect));
    if (signals.kind == answer_kind::page) add("route", name_of(signals.route));
    add("media", name_of(signals.media));
    if (signals.platform_error != answer_error::none)
        add("platform error", name_of(signals.platform_error));
    if (signals.is_follower_link) text += ", a follower's link";
    return text;
}

namespace {

json findings_of(const parsed_answer& answer) {
    json findings = {{"media", name_of(answer.media)}, {"page_error", answer.page_error}};
    const auto& subject = answer.subject;
    if (!subject) return findings;
    findings["platform_meta"] = platform_meta_of(*subject);
    const auto& file = std::get<remote_media>(subject->media);
    findings["media_url"] = file.url;
    if (!file.sound_url.empty()) findings["sound_url"] = file.sound_url;
    if (subject->carousel)
        findings["carousel"] = {
            {"index", subject->carousel->index}, {"count", subject->carousel->count}};
    return findings;
}

}  // namespace

json answer_findings(answer_kind kind, std::string_view body, const link& reel) {
    const auto answer = parse_answer(kind, body, reel);
    auto findings = findings_of(answer);
    if (kind == answer_kind::query || kind == answer_kind::session)
        findings["platform_error"] = name_of(answer.platform_error);
    if (kind != answer_kind::page) return findings;
    json page_findings{{"route", name_of(answer.route)}};
    page_findings.update(findings);
    return page_findings;
}

json yt_dlp_findings(std::string_view output, const link& reel) {
    return findings_of(parse_yt_dlp(output, reel));
}

}  // namespace reelsd::platform
