#include "embed_resolver.hpp"

#include "embed_parser.hpp"
#include "page_resolver.hpp"
#include "query_parser.hpp"
#include <reelsd/base/bounds.hpp>
#include <reelsd/base/invariant.hpp>
#include <reelsd/platform/answer_outcome.hpp>

#include <string>

namespace reelsd::platform {
namespace {

/// 250 KB arrive within a second or two.
constexpr std::chrono::seconds embed_time_max{10};
constexpr net::speed_floor embed_speed{.bytes_per_second = 512, .during = std::chrono::seconds{5}};

/// A redirect to the post itself means that it has no page for embedding.
answer_redirect redirect_in(
    const net::http_response& got, const net::url& platform, const link& wanted) {
    const auto location = got.head.headers.find("Location");
    if (got.status() < 300 || got.status() >= 400 || !location) return answer_redirect::none;
    const auto redirect = redirect_of(platform, *location, wanted);
    return redirect == answer_redirect::post ? answer_redirect::elsewhere : redirect;
}

}  // namespace

embed_resolver::embed_resolver(const net::http_client& client, embed_resolver_settings settings)
    : client_{client}, settings_{std::move(settings)} {}

resolution embed_resolver::resolve(const link& wanted, deadline by, std::stop_token stop) const {
    invariant(wanted.kind == link_kind::post);
    const auto asked_at = deadline::clock::now();
    const auto got = client_.send(
        {.url = settings_.platform.origin() + "/p/" + wanted.code + "/embed/captioned/",
         .headers = navigation_headers(settings_.profile.browser_user_agent),
         .response_bytes_max = bounds::page_bytes_max,
         .oversize_code = errc::platform_changed,
         .slowest = embed_speed},
        by.at_most(embed_time_max),
        stop);
    if (!got) return got.error();

    answer_signals signals{
        .kind = answer_kind::embed,
        .status = got->status(),
        .redirect = redirect_in(*got, settings_.platform, wanted),
        .is_follower_link = wanted.code != public_code(wanted.code)};
    parsed_embed embed;
    if (signals.status == 200) {
        embed = parse_embed(got->body, wanted);
        signals.media = embed.media;
    } else if (signals.status >= 400 && signals.status < 500) {
        signals.platform_error = platform_error_of(got->body);
    }
    const auto classification = classify(signals);
    notify_observer(settings_.observe, "embed page", *got, asked_at, signals, classification);
    if (!classification.failure) return *std::move(embed.subject);
    std::string detail = "embed: " + std::string{classification.reason};
    if (signals.status != 200) detail += ", status " + std::to_string(signals.status);
    return no_post{error{*classification.failure, std::move(detail)}, classification, signals};
}

}  // namespace reelsd::platform
