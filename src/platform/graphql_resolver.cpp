#include "graphql_resolver.hpp"

#include "page_resolver.hpp"
#include "query_parser.hpp"
#include <reelsd/base/bounds.hpp>
#include <reelsd/base/invariant.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/platform/answer_outcome.hpp>

#include <nlohmann/json.hpp>

#include <random>
#include <vector>

namespace reelsd::platform {
namespace {

/// Answers of 55 KB arrive within a second or two.
constexpr std::chrono::seconds query_time_max{10};
constexpr net::speed_floor query_speed{.bytes_per_second = 512, .during = std::chrono::seconds{5}};

/// Which of the platform's experiments a page takes part in. Both known values are accepted.
constexpr const char* asbd_id = "359341";

struct form_field {
    std::string name;
    std::string value;
};

constexpr std::string_view alphanumerics =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// A token that nobody checks but for its look.
std::string random_token(std::size_t length) {
    std::random_device source;
    std::uniform_int_distribution<std::size_t> position{0, alphanumerics.size() - 1};
    std::string token;
    while (token.size() < length) token.push_back(alphanumerics[position(source)]);
    return token;
}

std::string encoded_form(const std::vector<form_field>& fields) {
    std::string form;
    for (const auto& field : fields) {
        if (!form.empty()) form.push_back('&');
        form += percent_encoded(field.name) + "=" + percent_encoded(field.value);
    }
    return form;
}

}  // namespace

/// One of the queries, ready to be asked.
struct graphql_resolver::query {
    std::string_view label;  ///< For logs.
    std::string path;        ///< A document id answers only there.
    std::string name;
    std::string doc_id;
    std::string variables;  ///< JSON
    std::vector<form_field> more_fields;
    std::vector<net::header> more_headers;
};

/// What one query showed.
struct graphql_resolver::page_response {
    answer_classification classification;
    answer_signals signals;
    parsed_answer answer;
    std::string_view label;

    static page_response of(
        const net::http_response& got, const link& wanted, std::string_view label,
        bool takes_tracks) {
        page_response seen{.classification = {}, .signals = {}, .answer = {}, .label = label};
        seen.signals.kind = answer_kind::query;
        seen.signals.status = got.status();
        seen.signals.is_follower_link = wanted.code != public_code(wanted.code);
        seen.signals.takes_tracks = takes_tracks;
        if (got.status() == 200)
            seen.answer = parse_answer(got.body, wanted);
        else
            seen.answer.platform_error = platform_error_of(got.body);
        seen.signals.media = seen.answer.media;
        seen.signals.platform_error = seen.answer.platform_error;
        seen.classification = classify(seen.signals);
        return seen;
    }

    /// Neither the post nor a definite no, and no reason against asking another query.
    [[nodiscard]] bool leaves_open() const {
        const bool is_final = classification.failure && is_definite(*classification.failure) &&
                              !classification.needs_confirmation;
        return classification.failure && !is_final && !classification.throttles_client;
    }

    [[nodiscard]] error why() const {
        std::string detail = "graphql, " + std::string{label} + ": ";
        detail += classification.reason;
        if (!answer.page_error.empty()) detail += " (" + answer.page_error + ")";
        if (signals.status != 200) detail += ", status " + std::to_string(signals.status);
        return error{*classification.failure, std::move(detail)};
    }

    [[nodiscard]] resolution outcome() && {
        if (!classification.failure) return *std::move(answer.subject);
        return no_post{why(), classification, signals};
    }
};

graphql_resolver::graphql_resolver(
    const net::http_client& client, graphql_resolver_settings settings)
    : client_{client}, settings_{std::move(settings)} {}

graphql_resolver::query graphql_resolver::root_query(const link& wanted) const {
    const nlohmann::json variables = {
        {"shortcode", wanted.code},
        // Without it the answer is an error.
        {"__relay_internal__pv__PolarisAIGMMediaWebLabelEnabledrelayprovider", false}};
    return {
        .label = "root query",
        .path = "/graphql/query",
        .name = settings_.profile.root_query_name,
        .doc_id = settings_.profile.root_doc_id,
        .variables = variables.dump(),
        .more_fields =
            {{.name = "av", .value = "0"},
             {.name = "__d", .value = "www"},
             {.name = "__user", .value = "0"},
             {.name = "__a", .value = "1"},
             {.name = "__comet_req", .value = "7"}},
        .more_headers = {}};
}

/// Empty when the code stands for no number.
std::optional<graphql_resolver::query> graphql_resolver::logged_out_query(
    const link& wanted) const {
    const auto id = media_id_of(wanted.code);
    if (!id) return std::nullopt;
    return query{
        .label = "logged-out query",
        .path = "/api/graphql",
        .name = settings_.profile.logged_out_query_name,
        .doc_id = settings_.profile.logged_out_doc_id,
        .variables = nlohmann::json{{"media_id", *id}}.dump(),
        .more_fields = {},
        .more_headers = {
            {.name = "X-Requested-With", .value = "XMLHttpRequest"},
            {.name = "X-IG-WWW-Claim", .value = "0"}}};
}

result<graphql_resolver::page_response> graphql_resolver::ask(
    const query& what, const link& wanted, deadline by, const std::stop_token& stop) const {
    // Not checked but for this: the one must be in form and header, the other in cookie and header.
    const std::string lsd = "AV" + random_token(9);
    const std::string csrf = random_token(32);
    std::vector<form_field> fields = what.more_fields;
    fields.insert(
        fields.end(),
        {{.name = "lsd", .value = lsd},
         {.name = "fb_api_caller_class", .value = "RelayModern"},
         {.name = "fb_api_req_friendly_name", .value = what.name},
         {.name = "server_timestamps", .value = "true"},
         {.name = "variables", .value = what.variables},
         {.name = "doc_id", .value = what.doc_id}});
    std::vector<net::header> headers{
        {.name = "User-Agent", .value = settings_.profile.query_user_agent},
        {.name = "Accept", .value = "*/*"},
        {.name = "Content-Type", .value = "application/x-www-form-urlencoded"},
        {.name = "Origin", .value = settings_.platform.origin()},
        {.name = "Referer", .value = settings_.platform.origin() + "/p/" + wanted.code + "/"},
        {.name = "X-FB-Friendly-Name", .value = what.name},
        {.name = "X-FB-LSD", .value = lsd},
        {.name = "X-IG-App-ID", .value = settings_.profile.app_id},
        {.name = "X-ASBD-ID", .value = asbd_id},
        {.name = "X-CSRFToken", .value = csrf},
        {.name = "Cookie", .value = "csrftoken=" + csrf}};
    headers.insert(headers.end(), what.more_headers.begin(), what.more_headers.end());
    const auto asked_at = deadline::clock::now();
    const auto got = client_.send(
        {.method = net::http_method::post,
         .url = settings_.platform.origin() + what.path,
         .headers = std::move(headers),
         .body = encoded_form(fields),
         .is_question = true,
         // A page may come instead, and is to be told from an answer.
         .response_bytes_max = bounds::page_bytes_max,
         .oversize_code = errc::platform_changed,
         .slowest = query_speed},
        by.at_most(query_time_max),
        stop);
    if (!got) {
        return error{
            got.error().code(),
            "graphql, " + std::string{what.label} + ": " + got.error().detail()};
    }
    auto seen = page_response::of(*got, wanted, what.label, settings_.takes_tracks);
    notify_observer(
        settings_.observe, what.label, *got, asked_at, seen.signals, seen.classification);
    return seen;
}

result<graphql_resolver::page_response> graphql_resolver::ask_root(
    const link& wanted, deadline by, const std::stop_token& stop) const {
    const auto what = root_query(wanted);
    auto seen = ask(what, wanted, by, stop);
    const bool fails_in_passing = seen && seen->classification.failure &&
                                  seen->signals.platform_error == answer_error::execution_error;
    return fails_in_passing ? ask(what, wanted, by, stop) : seen;
}

resolution graphql_resolver::resolve(const link& wanted, deadline by, std::stop_token stop) const {
    invariant(wanted.kind == link_kind::post);
    auto first = ask_root(wanted, by, stop);
    const bool is_stopped = !first && first.error().code() == errc::cancelled;
    const auto second_query = logged_out_query(wanted);
    const bool asks_on = !is_stopped && second_query && (!first || first->leaves_open());
    if (!asks_on) return first ? std::move(*first).outcome() : resolution{first.error()};

    auto second = ask(*second_query, wanted, by, stop);
    if (!second) {
        const bool is_stop = second.error().code() == errc::cancelled || !first;
        return is_stop ? resolution{second.error()} : std::move(*first).outcome();
    }
    if (!first || !second->classification.failure || !second->leaves_open())
        return std::move(*second).outcome();
    return both_failed(*first, *second);
}

resolution graphql_resolver::both_failed(const page_response& first, const page_response& second) {
    if (second.classification.needs_confirmation) {
        // The first has said so too, or that the post is missing or gated: then this one knows
        // which.
        const bool is_agreed = first.classification.needs_confirmation ||
                               first.signals.platform_error == answer_error::field_exception;
        return no_post{
            second.why(), true, is_agreed ? confidence::corroborated : confidence::plain};
    }
    if (first.classification.needs_confirmation) return no_post{first.why(), true};
    const bool is_there = confidence_of(first.signals) == confidence::refuted ||
                          confidence_of(second.signals) == confidence::refuted;
    return no_post{
        more_informative(first.why(), second.why()),
        false,
        is_there ? confidence::refuted : confidence::plain};
}

}  // namespace reelsd::platform
