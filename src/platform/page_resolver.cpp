#include "page_resolver.hpp"

#include "page_parser.hpp"
#include "query_parser.hpp"
#include <reelsd/base/bounds.hpp>
#include <reelsd/base/invariant.hpp>

#include <algorithm>
#include <optional>

namespace reelsd::platform {
namespace {

/// A page of 1 MB arrives in 1-3 s; a third of what resolving may take.
constexpr std::chrono::seconds page_time_max{20};
constexpr net::speed_floor page_speed{.bytes_per_second = 512, .during = std::chrono::seconds{10}};
constexpr int page_redirects_max = 3;

/// "156" of "... Chrome/156.0.0.0 ...".
std::string chrome_version(std::string_view user_agent) {
    constexpr std::string_view product = "Chrome/";
    const auto at = user_agent.find(product);
    if (at == std::string_view::npos) return {};
    const auto from = user_agent.substr(at + product.size());
    const auto end =
        std::find_if(from.begin(), from.end(), [](char c) { return c < '0' || c > '9'; });
    return {from.begin(), end};
}

std::string_view client_platform(std::string_view user_agent) {
    if (user_agent.find("Windows") != std::string_view::npos) return R"("Windows")";
    if (user_agent.find("Macintosh") != std::string_view::npos) return R"("macOS")";
    return R"("Linux")";
}

/// Where a redirect leads, as an absolute URL; as it stands when it is none. Empty: no redirect.
std::optional<std::string> redirect_target(const net::http_response& answer) {
    const auto location = answer.head.headers.find("Location");
    if (answer.status() < 300 || answer.status() >= 400 || !location) return std::nullopt;
    const auto from = net::url::parse(answer.url);
    invariant(from.has_value());  // It was just asked.
    const auto target = from->resolve(*location);
    return target ? target->text() : std::string{*location};
}

/// One error out of a verdict, with what a log needs.
error error_of(const answer_classification& classification, const parsed_page& page, int status) {
    std::string detail = "page: " + std::string{classification.reason};
    if (!page.page_error.empty()) detail += " (" + page.page_error + ")";
    if (status != 200) detail += ", status " + std::to_string(status);
    return error{*classification.failure, std::move(detail)};
}

}  // namespace

std::vector<net::header> navigation_headers(const std::string& user_agent) {
    std::vector<net::header> headers;
    if (const auto version = chrome_version(user_agent); !version.empty()) {
        headers.push_back(
            {.name = "sec-ch-ua",
             .value = R"("Chromium";v=")" + version + R"(", "Google Chrome";v=")" + version +
                      R"(", "Not_A Brand";v="99")"});
        headers.push_back({.name = "sec-ch-ua-mobile", .value = "?0"});
        headers.push_back(
            {.name = "sec-ch-ua-platform", .value = std::string{client_platform(user_agent)}});
    }
    headers.insert(
        headers.end(),
        {{.name = "Upgrade-Insecure-Requests", .value = "1"},
         {.name = "User-Agent", .value = user_agent},
         {.name = "Accept",
          .value = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"},
         {.name = "Sec-Fetch-Site", .value = "none"},
         {.name = "Sec-Fetch-Mode", .value = "navigate"},
         {.name = "Sec-Fetch-User", .value = "?1"},
         {.name = "Sec-Fetch-Dest", .value = "document"},
         {.name = "Accept-Language", .value = "en-US,en;q=0.9"}});
    return headers;
}

answer_redirect redirect_of(const net::url& from, std::string_view location, const link& wanted) {
    const auto target = from.resolve(location);
    if (!target) return answer_redirect::elsewhere;
    const bool is_platform =
        target->origin() == from.origin() || net::has_suffix(target->host(), "instagram.com");
    if (!is_platform) return answer_redirect::elsewhere;
    const std::string_view path = target->path();
    if (path == "/") return answer_redirect::home;
    if (path.starts_with("/accounts/login")) return answer_redirect::login;
    if (path.starts_with("/challenge") || path.starts_with("/accounts/suspended"))
        return answer_redirect::challenge;
    const auto leads_to = parse_link("https://www.instagram.com" + std::string{path});
    const bool is_same = leads_to && leads_to->kind == link_kind::post &&
                         public_code(leads_to->code) == public_code(wanted.code);
    return is_same ? answer_redirect::post : answer_redirect::elsewhere;
}

/// What one address of the post showed.
struct page_resolver::page_response {
    answer_classification classification;
    parsed_page page;
    int status = 0;
    answer_signals signals = {};

    static page_response of(
        const net::http_response& answer, answer_signals signals, const link& wanted) {
        page_response seen{.classification = {}, .page = {}, .status = signals.status};
        if (signals.redirect == answer_redirect::none && signals.status == 200) {
            seen.page = parse_page(answer.body, wanted);
            signals.route = seen.page.route;
            signals.media = seen.page.media;
        } else if (signals.status >= 400 && signals.status < 500) {
            signals.platform_error = platform_error_of(answer.body);
        }
        seen.classification = classify(signals);
        seen.signals = signals;
        return seen;
    }
};

page_resolver::page_resolver(const net::http_client& client, page_resolver_settings settings)
    : client_{client}, settings_{std::move(settings)} {}

result<page_resolver::page_response> page_resolver::look(
    const std::string& path, const link& wanted, deadline by, const std::stop_token& stop) const {
    net::http_request request{
        .url = settings_.platform.origin() + path,
        .headers = navigation_headers(settings_.profile.browser_user_agent),
        .response_bytes_max = bounds::page_bytes_max,
        .oversize_code = errc::platform_changed,
        .slowest = page_speed};
    answer_signals signals{
        .is_follower_link = wanted.code != public_code(wanted.code),
        .takes_tracks = settings_.takes_tracks};
    for (int hop = 0; hop <= page_redirects_max; ++hop) {
        const auto asked_at = deadline::clock::now();
        const auto answer = client_.send(request, by.at_most(page_time_max), stop);
        if (!answer) return answer.error();
        const auto target = redirect_target(*answer);
        signals.status = answer->status();
        signals.redirect =
            target ? redirect_of(settings_.platform, *target, wanted) : answer_redirect::none;
        if (signals.redirect != answer_redirect::post) {
            auto seen = page_response::of(*answer, signals, wanted);
            notify_observer(
                settings_.observe,
                "post page",
                *answer,
                asked_at,
                seen.signals,
                seen.classification);
            return seen;
        }
        request.url = *target;
    }
    signals.redirect = answer_redirect::elsewhere;  // Round in a circle.
    return page_response{.classification = classify(signals), .page = {}, .status = signals.status};
}

resolution page_resolver::resolve(const link& wanted, deadline by, std::stop_token stop) const {
    invariant(wanted.kind == link_kind::post);
    for (const char* form : {"/reel/", "/p/"}) {
        auto seen = look(form + wanted.code + "/", wanted, by, stop);
        if (!seen) return seen.error();
        if (!seen->classification.failure) return *std::move(seen->page.subject);
        const bool is_last = std::string_view{form} == "/p/";
        if (!seen->classification.needs_confirmation || is_last)
            return no_post{
                error_of(seen->classification, seen->page, seen->status),
                seen->classification,
                seen->signals};
    }
    return no_post{error{errc::internal, "page: no address tried"}};
}

}  // namespace reelsd::platform
