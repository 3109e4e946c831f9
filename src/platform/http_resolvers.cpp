#include "http_resolvers.hpp"

#include <reelsd/base/bounds.hpp>
#include <reelsd/base/invariant.hpp>
#include <reelsd/base/text.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>

namespace reelsd::platform {
namespace {

/// A page of 1 MB arrives in 1-3 s; a third of the time for a look-up.
constexpr std::chrono::seconds page_time_max{20};
constexpr int page_redirects_max = 3;
/// 250 KB arrive within a second or two.
constexpr std::chrono::seconds embed_time_max{10};
/// An answer of 55 KB arrives within a second or two.
constexpr std::chrono::seconds media_info_time_max{10};
/// For recording a refusal, even after the look-up's deadline.
constexpr std::chrono::seconds refusal_time_max{5};

/// "156" of "... Chrome/156.0.0.0 ...".
std::string chrome_version(std::string_view user_agent) {
    constexpr std::string_view product = "Chrome/";
    const auto at = user_agent.find(product);
    if (at == std::string_view::npos) return {};
    const auto version = user_agent.substr(at + product.size());
    return {version.begin(), std::find_if_not(version.begin(), version.end(), is_digit)};
}

std::string_view client_platform(std::string_view user_agent) {
    if (contains(user_agent, "Windows")) return R"("Windows")";
    if (contains(user_agent, "Macintosh")) return R"("macOS")";
    return R"("Linux")";
}

/// The header fields of a browser's first visit, in its order.
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

/// Names the request, unless the detail begins with the proxy at fault.
error labelled(const std::string& label, const error& why) {
    if (why.code() == errc::proxy_failed) return why;
    return error{why.code(), label + ": " + why.detail()};
}

/// Requests one address of a post, and follows redirects to others.
result<classified_answer> request_page(
    const platform_client& platform, const std::string& path, const link& reel, deadline by,
    const std::stop_token& stop) {
    net::http_request request{
        .url = platform.origin() + path,
        .headers = navigation_headers(platform.profile().browser_user_agent)};
    for (int hop = 0; hop <= page_redirects_max; ++hop) {
        const auto response = platform.send(request, page_time_max, by, stop);
        if (!response) return response.error();
        auto redirect = platform.redirect_in(*response, reel);
        if (redirect.kind != answer_redirect::post) {
            auto answer =
                platform.classify_response(answer_kind::page, *response, redirect.kind, reel);
            platform.notify("post page", *response, answer);
            return answer;
        }
        request.url = std::move(redirect.target);
    }
    const answer_signals loop{.status = 302, .redirect = answer_redirect::elsewhere};
    return classified_answer{.signals = loop, .classification = classify(loop)};
}

std::vector<net::header> api_headers(
    const platform_client& platform, const session_cookies& cookies, const link& reel) {
    const auto origin = platform.origin();
    std::vector<net::header> headers{
        {.name = "User-Agent", .value = platform.profile().browser_user_agent},
        {.name = "Accept", .value = "*/*"},
        {.name = "Accept-Language", .value = "en-US,en;q=0.9"},
        {.name = "Origin", .value = origin},
        {.name = "Referer", .value = origin + "/reel/" + reel.code + "/"},
        {.name = "Sec-Fetch-Site", .value = "same-origin"},
        {.name = "Sec-Fetch-Mode", .value = "cors"},
        {.name = "Sec-Fetch-Dest", .value = "empty"},
        {.name = "X-Requested-With", .value = "XMLHttpRequest"},
        {.name = "X-IG-App-ID", .value = platform.profile().app_id},
        {.name = "X-ASBD-ID", .value = asbd_id},
        {.name = "X-IG-WWW-Claim", .value = "0"}};
    if (const auto token = cookies.value_of("csrftoken"); !token.empty())
        headers.push_back({.name = "X-CSRFToken", .value = std::string{token}});
    headers.push_back({.name = "Cookie", .value = cookies.header()});
    return headers;
}

/// Answers of 55 KB arrive within a second or two.
constexpr std::chrono::seconds query_time_max{10};

/// A random token, which the platform does not verify.
std::string random_token(std::size_t length) {
    constexpr std::string_view alphanumerics =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    std::random_device source;
    std::uniform_int_distribution<std::size_t> position{0, alphanumerics.size() - 1};
    std::string token;
    while (token.size() < length) token.push_back(alphanumerics[position(source)]);
    return token;
}

std::string encoded_form(const std::vector<net::header>& fields) {
    std::string form;
    for (const auto& field : fields) {
        if (!form.empty()) form.push_back('&');
        form += percent_encoded(field.name) + "=" + percent_encoded(field.value);
    }
    return form;
}

struct graphql_query {
    std::string label;  ///< For logs: "root query".
    std::string path;   ///< The only path that answers the document id.
    std::string name;
    std::string doc_id;
    std::string variables;  ///< JSON.
    std::vector<net::header> form_fields;
    std::vector<net::header> headers;
};

graphql_query root_query(const request_profile& profile, const link& reel) {
    const nlohmann::json variables = {
        {"shortcode", reel.code},
        // Without it the answer is an error.
        {"__relay_internal__pv__PolarisAIGMMediaWebLabelEnabledrelayprovider", false}};
    return {
        .label = "root query",
        .path = "/graphql/query",
        .name = profile.root_query_name,
        .doc_id = profile.root_doc_id,
        .variables = variables.dump(),
        .form_fields =
            {{.name = "av", .value = "0"},
             {.name = "__d", .value = "www"},
             {.name = "__user", .value = "0"},
             {.name = "__a", .value = "1"},
             {.name = "__comet_req", .value = "7"}},
        .headers = {}};
}

/// Empty when the code is not a number.
std::optional<graphql_query> logged_out_query(const request_profile& profile, const link& reel) {
    const auto id = media_id_of(reel.code);
    if (!id) return std::nullopt;
    return graphql_query{
        .label = "logged-out query",
        .path = "/api/graphql",
        .name = profile.logged_out_query_name,
        .doc_id = profile.logged_out_doc_id,
        .variables = nlohmann::json{{"media_id", *id}}.dump(),
        .form_fields = {},
        .headers = {
            {.name = "X-Requested-With", .value = "XMLHttpRequest"},
            {.name = "X-IG-WWW-Claim", .value = "0"}}};
}

std::string label_of(const graphql_query& query) {
    return "graphql, " + query.label;
}

net::http_request request_for(
    const platform_client& platform, const graphql_query& query, const link& reel) {
    // The platform only compares `lsd` in form and header, and the CSRF token in cookie and header.
    const std::string lsd = "AV" + random_token(9);
    const std::string csrf = random_token(32);
    auto fields = query.form_fields;
    fields.insert(
        fields.end(),
        {{.name = "lsd", .value = lsd},
         {.name = "fb_api_caller_class", .value = "RelayModern"},
         {.name = "fb_api_req_friendly_name", .value = query.name},
         {.name = "server_timestamps", .value = "true"},
         {.name = "variables", .value = query.variables},
         {.name = "doc_id", .value = query.doc_id}});
    std::vector<net::header> headers{
        {.name = "User-Agent", .value = platform.profile().query_user_agent},
        {.name = "Accept", .value = "*/*"},
        {.name = "Content-Type", .value = "application/x-www-form-urlencoded"},
        {.name = "Origin", .value = platform.origin()},
        {.name = "Referer", .value = platform.origin() + "/p/" + reel.code + "/"},
        {.name = "X-FB-Friendly-Name", .value = query.name},
        {.name = "X-FB-LSD", .value = lsd},
        {.name = "X-IG-App-ID", .value = platform.profile().app_id},
        {.name = "X-ASBD-ID", .value = asbd_id},
        {.name = "X-CSRFToken", .value = csrf},
        {.name = "Cookie", .value = "csrftoken=" + csrf}};
    headers.insert(headers.end(), query.headers.begin(), query.headers.end());
    return {
        .method = net::http_method::post,
        .url = platform.origin() + query.path,
        .headers = std::move(headers),
        .body = encoded_form(fields),
        .is_idempotent = true};
}

result<classified_answer> ask(
    const platform_client& platform, const graphql_query& query, const link& reel, deadline by,
    const std::stop_token& stop) {
    const auto response =
        platform.send(request_for(platform, query, reel), query_time_max, by, stop);
    if (!response) return labelled(label_of(query), response.error());
    auto answer =
        platform.classify_response(answer_kind::query, *response, answer_redirect::none, reel);
    platform.notify(query.label, *response, answer);
    return answer;
}

/// Repeats the query once after a transient error.
result<classified_answer> ask_root(
    const platform_client& platform, const graphql_query& query, const link& reel, deadline by,
    const std::stop_token& stop) {
    auto answer = ask(platform, query, reel, by, stop);
    const bool is_transient = answer && answer->classification.failure &&
                              answer->signals.platform_error == answer_error::execution_error;
    return is_transient ? ask(platform, query, reel, by, stop) : answer;
}

/// Whether the answer has neither the post nor a definite error, and no rate limit.
bool is_inconclusive(const classified_answer& answer) {
    const auto& classification = answer.classification;
    const bool is_final = classification.failure && is_definite(*classification.failure) &&
                          !classification.needs_confirmation;
    return classification.failure && !is_final && !classification.throttles_client;
}

resolution both_failed(
    const classified_answer& root, const error& root_error, const classified_answer& logged_out,
    const error& logged_out_error) {
    for (const auto* why : {&root_error, &logged_out_error}) {
        // The query has shown the post, whatever the other says.
        if (why->code() == errc::separate_tracks) return no_post{*why, true, confidence::refuted};
    }
    if (logged_out.classification.needs_confirmation) {
        // The root query's field_exception means missing or gated; this query distinguishes them.
        const bool is_agreed = root.classification.needs_confirmation ||
                               root.signals.platform_error == answer_error::field_exception;
        return no_post{
            logged_out_error, true, is_agreed ? confidence::corroborated : confidence::plain};
    }
    if (root.classification.needs_confirmation) return no_post{root_error, true};
    const bool is_seen = confidence_of(root.signals) == confidence::refuted ||
                         confidence_of(logged_out.signals) == confidence::refuted;
    return no_post{
        more_informative(root_error, logged_out_error),
        false,
        is_seen ? confidence::refuted : confidence::plain};
}

constexpr std::chrono::seconds share_time_max{15};

no_post no_post_in(const answer_signals& signals) {
    const classified_answer answer{.signals = signals, .classification = classify(signals)};
    no_post failure{answer.why("share"), answer.classification, signals};
    failure.needs_confirmation = false;  // No other resolver can confirm it.
    return failure;
}

}  // namespace

answer_redirect redirect_of(const net::url& from, std::string_view location, const link& reel) {
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
                         public_code(leads_to->code) == public_code(reel.code);
    return is_same ? answer_redirect::post : answer_redirect::elsewhere;
}

error classified_answer::why(const std::string& label) const {
    std::string detail = label + ": " + std::string{classification.reason};
    if (!parsed.page_error.empty()) detail += " (" + parsed.page_error + ")";
    if (signals.status != 200) detail += ", status " + std::to_string(signals.status);
    return error{classification.failure.value(), std::move(detail)};
}

resolution classified_answer::outcome(const std::string& label) && {
    if (!classification.failure) return *std::move(parsed.subject);
    return no_post{why(label), classification, signals};
}

result<platform_client::timed_response> platform_client::send(
    net::http_request request, std::chrono::seconds time_max, deadline by,
    const std::stop_token& stop) const {
    constexpr std::uint32_t bytes_per_second_min = 512;
    request.response_bytes_max = bounds::page_bytes_max;
    request.oversize_code = errc::platform_changed;
    // The end of the time alone would not show that a proxy is at fault.
    request.connect_time_max =
        std::min<std::chrono::milliseconds>(request.connect_time_max, time_max * 4 / 5);
    request.slowest =
        net::speed_floor{.bytes_per_second = bytes_per_second_min, .during = time_max / 2};
    const auto begin = deadline::clock::now();
    auto response = client_.send(request, by.at_most(time_max), stop);
    if (!response) return response.error();
    return timed_response{*std::move(response), deadline::clock::now() - begin};
}

platform_client::redirect platform_client::redirect_in(
    const net::http_response& response, const link& reel) const {
    const auto location = response.head.headers.find("Location");
    if (response.status() < 300 || response.status() >= 400 || !location) return {};
    const auto from = net::url::parse(response.url);
    invariant(from.has_value());  // It was just requested.
    const auto absolute = from->resolve(*location);
    auto target = absolute ? absolute->text() : std::string{*location};
    return {.kind = redirect_of(settings_.platform, target, reel), .target = std::move(target)};
}

classified_answer platform_client::classify_response(
    answer_kind kind, const net::http_response& response, answer_redirect redirect_kind,
    const link& reel) const {
    classified_answer answer{
        .signals =
            {.kind = kind,
             .status = response.status(),
             .redirect = redirect_kind,
             .is_follower_link = reel.code != public_code(reel.code),
             .takes_tracks = settings_.takes_tracks},
        .classification = {}};
    auto& signals = answer.signals;
    const bool is_json = kind == answer_kind::query || kind == answer_kind::session;
    const bool is_client_error = signals.status >= 400 && signals.status < 500;
    if (signals.status == 200) {
        answer.parsed = parse_answer(kind, response.body, reel);
    } else if (is_json || is_client_error) {
        answer.parsed.platform_error = platform_error_of(response.body);
    }
    signals.route = answer.parsed.route;
    signals.media = answer.parsed.media;
    signals.platform_error = answer.parsed.platform_error;
    answer.classification = classify(signals);
    return answer;
}

void platform_client::notify(
    std::string_view question, const timed_response& response,
    const classified_answer& answer) const {
    if (!settings_.observe) return;
    settings_.observe(
        {.question = question,
         .url = response.url,
         .status = response.status(),
         .body = response.body,
         .took = response.took,
         .signals = answer.signals,
         .reason = answer.classification.reason});
}

resolution page_resolver::resolve(const link& reel, deadline by, std::stop_token stop) const {
    invariant(reel.kind == link_kind::post);
    auto answer = request_page(platform_, "/reel/" + reel.code + "/", reel, by, stop);
    if (answer && answer->classification.needs_confirmation)
        answer = request_page(platform_, "/p/" + reel.code + "/", reel, by, stop);
    if (!answer) return answer.error();
    return std::move(*answer).outcome("page");
}

resolution embed_resolver::resolve(const link& reel, deadline by, std::stop_token stop) const {
    invariant(reel.kind == link_kind::post);
    const auto response = platform_.send(
        {.url = platform_.origin() + "/p/" + reel.code + "/embed/captioned/",
         .headers = navigation_headers(platform_.profile().browser_user_agent)},
        embed_time_max,
        by,
        stop);
    if (!response) return response.error();
    auto redirect = platform_.redirect_in(*response, reel).kind;
    // A redirect to the post itself means that it has no page for embedding.
    if (redirect == answer_redirect::post) redirect = answer_redirect::elsewhere;
    auto answer = platform_.classify_response(answer_kind::embed, *response, redirect, reel);
    platform_.notify("embed page", *response, answer);
    return std::move(answer).outcome("embed");
}

resolution session_resolver::resolve(const link& reel, deadline by, std::stop_token stop) const {
    invariant(reel.kind == link_kind::post);
    const auto cookies = session_.cookies(by);
    if (!cookies) return no_post{error{errc::platform_failed, "session: disabled"}};
    const auto id = media_id_of(reel.code);
    if (!id) return no_post{error{errc::platform_failed, "session: the code is not a number"}};
    const auto response = platform_.send(
        {.url = platform_.origin() + "/api/v1/media/" + *id + "/info/",
         .headers = api_headers(platform_, *cookies, reel)},
        media_info_time_max,
        by,
        stop);
    if (!response) return labelled("session", response.error());
    const auto redirect = platform_.redirect_in(*response, reel).kind;
    auto answer = platform_.classify_response(answer_kind::session, *response, redirect, reel);
    if (answer.signals.status != 404) session_.note_answer();
    if (answer.classification.ends_session)
        session_.disable(*cookies, answer.classification.reason, deadline::after(refusal_time_max));
    platform_.notify("media info", *response, answer);
    return std::move(answer).outcome("session");
}

void session_resolver::note_unconfirmed(const link& reel) const {
    const auto by = deadline::after(refusal_time_max);
    const auto cookies = session_.cookies(by);
    if (cookies && session_.note_not_found(reel.code))
        session_.disable(*cookies, "status says not found for two posts in a row", by);
}

resolution graphql_resolver::resolve(const link& reel, deadline by, std::stop_token stop) const {
    invariant(reel.kind == link_kind::post);
    const auto root = root_query(platform_.profile(), reel);
    const auto logged_out = logged_out_query(platform_.profile(), reel);
    auto first = ask_root(platform_, root, reel, by, stop);
    const bool is_stopped = !first && first.error().code() == errc::cancelled;
    const bool needs_second = !is_stopped && logged_out && (!first || is_inconclusive(*first));
    if (!needs_second)
        return first ? std::move(*first).outcome(label_of(root)) : resolution{first.error()};

    auto second = ask(platform_, *logged_out, reel, by, stop);
    if (!second) {
        const bool is_final = second.error().code() == errc::cancelled || !first;
        return is_final ? resolution{second.error()} : std::move(*first).outcome(label_of(root));
    }
    const auto label = label_of(*logged_out);
    if (!first || !is_inconclusive(*second)) return std::move(*second).outcome(label);
    return both_failed(*first, first->why(label_of(root)), *second, second->why(label));
}

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
