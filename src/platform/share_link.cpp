#include "http_resolvers.hpp"
#include <reelsd/base/bounds.hpp>
#include <reelsd/base/invariant.hpp>

namespace reelsd::platform {
namespace {

constexpr std::chrono::seconds share_time_max{15};

no_post no_post_in(const answer_signals& signals) {
    const classified_answer answer{.signals = signals, .classification = classify(signals)};
    no_post failure{answer.why("share"), answer.classification, signals};
    failure.needs_confirmation = false;  // No other resolver can confirm it.
    return failure;
}

}  // namespace

shared_post post_behind(const net::url& platform, std::string_view location) {
    const answer_signals signals{
        .status = 302, .redirect = redirect_of(platform, location, link{})};
    const auto target = platform.resolve(location);
    const bool is_platform = target && (target->origin() == platform.origin() ||
                                        net::has_suffix(target->host(), "instagram.com"));
    if (signals.redirect != answer_redirect::elsewhere || !is_platform) return no_post_in(signals);

    const auto question = target->text().find('?');
    const auto query =
        question == std::string::npos ? std::string{} : target->text().substr(question);
    auto post = parse_link("https://www.instagram.com" + target->path() + query);
    if (!post)
        return no_post{
            error{errc::video_unavailable, "share: the redirect does not lead to a post"}};
    if (post->kind != link_kind::post) return no_post_in(signals);
    return *std::move(post);
}

shared_post expand_share_link(
    const net::http_client& client, const net::url& platform, const link& shared, deadline by,
    const std::stop_token& stop) {
    invariant(shared.kind == link_kind::share);
    // A browser's request gets a page that redirects by script; curl's gets a plain redirect.
    const net::http_request request{
        .url = platform.origin() + shared.path,
        .headers = {{.name = "User-Agent", .value = "curl/8"}, {.name = "Accept", .value = "*/*"}},
        .response_bytes_max = bounds::page_bytes_max,
        .oversize_code = errc::platform_changed};
    const auto answer = client.send(request, by.at_most(share_time_max), stop);
    if (!answer) return no_post{answer.error()};

    answer_signals signals{.status = answer->status()};
    const auto location = answer->head.headers.find("Location");
    if (signals.status >= 300 && signals.status < 400 && location)
        return post_behind(platform, *location);
    if (signals.status == 200) signals.route = parse_page(answer->body, shared).route;
    if (signals.status >= 400 && signals.status < 500)
        signals.platform_error = platform_error_of(answer->body);
    return no_post_in(signals);
}

}  // namespace reelsd::platform
