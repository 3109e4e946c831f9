#include "http_resolvers.hpp"
#include <reelsd/base/bounds.hpp>
#include <reelsd/base/invariant.hpp>
#include <reelsd/base/text.hpp>

#include <nlohmann/json.hpp>

#include <optional>
#include <random>
#include <vector>

namespace reelsd::platform {
namespace {

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
    if (!response)
        return error{response.error().code(), label_of(query) + ": " + response.error().detail()};
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

}  // namespace

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

}  // namespace reelsd::platform
