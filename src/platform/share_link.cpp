#include <reelsd/base/invariant.hpp>
#include <reelsd/platform/share_link.hpp>

namespace reelsd::platform {
namespace {

constexpr std::chrono::seconds share_time_max{15};

}  // namespace

result<link> post_behind(const net::url& platform, std::string_view location) {
    const auto target = platform.resolve(location);
    if (!target) return error{errc::video_unavailable, "share: redirect to no URL"};
    const bool is_platform =
        target->origin() == platform.origin() || net::has_suffix(target->host(), "instagram.com");
    if (!is_platform) return error{errc::video_unavailable, "share: redirect to another site"};
    if (target->path().starts_with("/accounts/login"))
        return error{errc::platform_rate_limited, "share: redirect to the login page"};

    const auto question = target->text().find('?');
    const auto query =
        question == std::string::npos ? std::string{} : target->text().substr(question);
    auto found = parse_link("https://www.instagram.com" + target->path() + query);
    if (!found || found->kind != link_kind::post)
        return error{errc::video_unavailable, "share: redirect to no post"};
    return found;
}

result<link> expand_share_link(
    const net::http_client& client, const net::url& platform, const link& shared, deadline by,
    const std::stop_token& stop) {
    invariant(shared.kind == link_kind::share);
    // A browser would get a page that redirects by script; a plain client gets a plain redirect.
    const net::http_request request{
        .url = platform.origin() + shared.path,
        .headers = {{.name = "User-Agent", .value = "curl/8"}, {.name = "Accept", .value = "*/*"}},
        .oversize_code = errc::platform_changed};
    const auto answer = client.send(request, by.at_most(share_time_max), stop);
    if (!answer) return answer.error();

    const int status = answer->status();
    const auto location = answer->head.headers.find("Location");
    if (status >= 300 && status < 400 && location) return post_behind(platform, *location);
    if (status == 429) return error{errc::platform_rate_limited, "share: status 429"};
    if (status >= 500)
        return error{errc::platform_failed, "share: status " + std::to_string(status)};
    return error{errc::video_unavailable, "share: no redirect, status " + std::to_string(status)};
}

}  // namespace reelsd::platform
