#include "session_resolver.hpp"

#include "page_resolver.hpp"
#include "query_parser.hpp"
#include <reelsd/base/bounds.hpp>
#include <reelsd/base/invariant.hpp>
#include <reelsd/platform/answer_outcome.hpp>

#include <string>
#include <utility>
#include <vector>

namespace reelsd::platform {
namespace {

/// An answer of 55 KB arrives within a second or two.
constexpr std::chrono::seconds answer_time_max{10};
constexpr net::speed_floor answer_speed{.bytes_per_second = 512, .during = std::chrono::seconds{5}};
/// Recording a refusal, whatever time is left for the look-up.
constexpr std::chrono::seconds record_time_max{5};

/// Which of the platform's experiments a page uses. Both known values are accepted.
constexpr const char* asbd_id = "359341";

std::vector<net::header> headers_for(
    const session_resolver_settings& settings, const session_cookies& sent, const link& wanted) {
    const auto origin = settings.platform.origin();
    std::vector<net::header> headers{
        {.name = "User-Agent", .value = settings.profile.browser_user_agent},
        {.name = "Accept", .value = "*/*"},
        {.name = "Accept-Language", .value = "en-US,en;q=0.9"},
        {.name = "Origin", .value = origin},
        {.name = "Referer", .value = origin + "/reel/" + wanted.code + "/"},
        {.name = "Sec-Fetch-Site", .value = "same-origin"},
        {.name = "Sec-Fetch-Mode", .value = "cors"},
        {.name = "Sec-Fetch-Dest", .value = "empty"},
        {.name = "X-Requested-With", .value = "XMLHttpRequest"},
        {.name = "X-IG-App-ID", .value = settings.profile.app_id},
        {.name = "X-ASBD-ID", .value = asbd_id},
        {.name = "X-IG-WWW-Claim", .value = "0"}};
    if (const auto token = sent.value_of("csrftoken"); !token.empty())
        headers.push_back({.name = "X-CSRFToken", .value = std::string{token}});
    headers.push_back({.name = "Cookie", .value = sent.header()});
    return headers;
}

answer_redirect redirect_in(
    const net::http_response& got, const net::url& platform, const link& wanted) {
    const auto location = got.head.headers.find("Location");
    if (got.status() < 300 || got.status() >= 400 || !location) return answer_redirect::none;
    return redirect_of(platform, *location, wanted);
}

}  // namespace

session_resolver::session_resolver(
    const net::http_client& client, session& platform_session, session_resolver_settings settings)
    : client_{client}, session_{platform_session}, settings_{std::move(settings)} {}

resolution session_resolver::resolve(const link& wanted, deadline by, std::stop_token stop) const {
    invariant(wanted.kind == link_kind::post);
    const auto cookies = session_.cookies(by);
    if (!cookies) return no_post{error{errc::platform_failed, "session: disabled"}};
    const auto id = media_id_of(wanted.code);
    if (!id) return no_post{error{errc::platform_failed, "session: the code is not a number"}};
    const auto asked_at = deadline::clock::now();
    const auto got = client_.send(
        {.url = settings_.platform.origin() + "/api/v1/media/" + *id + "/info/",
         .headers = headers_for(settings_, *cookies, wanted),
         .response_bytes_max = bounds::page_bytes_max,
         .oversize_code = errc::platform_changed,
         .slowest = answer_speed},
        by.at_most(answer_time_max),
        stop);
    if (!got) return error{got.error().code(), "session: " + got.error().detail()};

    answer_signals signals{
        .kind = answer_kind::session,
        .status = got->status(),
        .redirect = redirect_in(*got, settings_.platform, wanted),
        .is_follower_link = wanted.code != public_code(wanted.code),
        .takes_tracks = settings_.takes_tracks};
    parsed_answer answer;
    if (signals.status == 200) {
        answer = parse_media_info(got->body, wanted);
        signals.media = answer.media;
        signals.platform_error = answer.platform_error;
    } else {
        signals.platform_error = platform_error_of(got->body);
    }
    const auto classification = classify_answer(signals, wanted, *cookies);
    notify_observer(settings_.observe, "media info", *got, asked_at, signals, classification);
    if (!classification.failure) return *std::move(answer.subject);
    std::string detail = "session: " + std::string{classification.reason};
    if (!answer.page_error.empty()) detail += " (" + answer.page_error + ")";
    if (signals.status != 200) detail += ", status " + std::to_string(signals.status);
    return no_post{error{*classification.failure, std::move(detail)}, classification, signals};
}

answer_classification session_resolver::classify_answer(
    const answer_signals& signals, const link& wanted, const session_cookies& sent) const {
    auto classification = classify(signals);
    if (signals.status != 404) {
        session_.note_answer();
    } else if (session_.note_not_found(wanted.code)) {
        classification = {
            .failure = errc::platform_failed,
            .ends_session = true,
            .reason = "status says not found for two posts in a row"};
    }
    if (classification.ends_session)
        session_.disable(sent, classification.reason, deadline::after(record_time_max));
    return classification;
}

}  // namespace reelsd::platform
