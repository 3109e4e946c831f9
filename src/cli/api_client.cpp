#include "api_client.hpp"

#include "api_answer.hpp"
#include "api_request.hpp"
#include "export_lines.hpp"
#include "page.hpp"
#include "text.hpp"
#include <reelsd/base/bounds.hpp>
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/invariant.hpp>
#include <reelsd/net/url.hpp>

#include <fmt/format.h>

#include <condition_variable>
#include <mutex>
#include <random>
#include <span>

namespace reelsd::cli {
namespace {

using namespace std::chrono_literals;

/// A healthy server answers in milliseconds; a busy one is given time for its own waits.
constexpr auto answer_time_max = 30s;
/// The server gives up an upload after 10 minutes.
constexpr auto upload_time_max = 11min;
/// The bound on a stored result, its envelope included.
constexpr auto response_bytes_max = bounds::result_bytes_max + std::size_t{64} * 1024;

/// Of one stream of events: the finished job, and more steps and signs of life than 10 minutes
/// have.
constexpr auto stream_bytes_max = response_bytes_max + std::size_t{256} * 1024;
/// The server gives a sign of life each 15 s.
constexpr net::speed_floor stream_silence{.bytes_per_second = 1, .during = 35s};

/// A million reels with their thumbnails, and the time that a slow line needs for a hundredth of
/// that.
constexpr auto export_bytes_max = std::size_t{64} * 1024 * 1024 * 1024;
constexpr auto export_time_max = 24h;

net::http_client_settings client_settings(const connection_settings& connection) {
    const auto server = net::url::parse(connection.server);
    invariant(server.has_value());
    net::http_client_settings settings;
    // The user named this server, wherever it stands; nobody else may be talked to.
    settings.policy.host_suffixes = {server->host()};
    settings.policy.trusted_origins = {server->origin()};
    settings.ca_file = connection.ca_file;
    return settings;
}

/// 128 random bits: two runs never share one.
std::string random_key() {
    std::random_device source;
    return fmt::format("{:08x}{:08x}{:08x}{:08x}", source(), source(), source(), source());
}

enum class json_kind : std::uint8_t { object, array };

result<api_answer> decoded(result<net::http_response> response, json_kind kind) {
    if (!response) return response.error();
    auto document = parse_foreign_json(response->body);
    if (kind == json_kind::object ? !document.is_object() : !document.is_array()) {
        return error{
            errc::connection_failed,
            fmt::format(
                "the answer is not a JSON {}: is this a reelsd server?",
                kind == json_kind::object ? "object" : "array")};
    }
    return api_answer{.body = std::move(response->body), .document = std::move(document)};
}

/// The cursor in the link to the next page. It is taken out of the link, which may name the server
/// as a proxy sees it, not as we do.
result<std::optional<std::string>> next_cursor_of(const net::header_list& headers) {
    const auto link = headers.find("Link");
    const auto next = link ? next_link_of(*link) : std::nullopt;
    if (!next) return std::optional<std::string>{};
    auto cursor = parameter_of(*next, "cursor");
    if (!cursor) {
        return error{
            errc::connection_failed,
            "the link to the next page has no cursor: is this a reelsd server?"};
    }
    return cursor;
}

/// One attempt: a success or an error, and what the retry policy needs to know about it.
struct attempt {
    result<net::http_response> response;
    attempt_outcome outcome;
};

attempt judged(result<net::http_response> response, const std::string& server) {
    if (!response) {
        const auto& why = response.error();
        const auto detail = printable(why.detail(), line_breaks::to_blank);
        auto text = fmt::format("no answer from {}: {}", server, detail);
        return {.response = error{why.code(), std::move(text)}, .outcome = {}};
    }
    const auto status = response->status();
    const attempt_outcome outcome{
        .status = status,
        .retry_after = retry_after_of(response->head.headers.find("Retry-After"))};
    if (status >= 200 && status < 300) return {.response = std::move(response), .outcome = outcome};
    return {.response = failure_of(status, response->body), .outcome = outcome};
}

/// What is not tried again says when the server would have liked it to be.
error with_wish(const error& why, const attempt_outcome& outcome) {
    if (!outcome.retry_after) return why;
    return error{
        why.code(),
        fmt::format(
            "{}; the server asks to try again after {} s",
            why.detail(),
            outcome.retry_after->count())};
}

/// Whether a failed attempt may have taken effect on the server all the same.
bool maybe_done(const attempt_outcome& outcome) {
    return !outcome.status || *outcome.status >= 500;
}

/// A server from before there were lists misses the one link that it knows of.
bool knows_no_lists(const error& why) {
    return why.code() == errc::invalid_argument && why.detail() == "url is required (HTTP 400)";
}

/// The shortest wait that a limit asks for some link of a list; nothing when none does.
std::optional<std::chrono::seconds> patience_wanted_in(const json& links) {
    std::optional<std::chrono::seconds> shortest;
    for (const auto& link : links) {
        const auto seconds = integer_of(link, "retry_after");
        if (!seconds || *seconds < 0) continue;
        const std::chrono::seconds wait{*seconds};
        if (!shortest || wait < *shortest) shortest = wait;
    }
    return shortest;
}

/// Errors that the same request would meet again.
bool is_final(errc code) {
    return code == errc::cancelled || code == errc::invalid_argument ||
           code == errc::address_refused;
}

}  // namespace

bool pause(std::chrono::milliseconds duration, const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any never_notified;
    std::unique_lock lock{mutex};
    never_notified.wait_for(lock, stop, duration, [] { return false; });
    return !stop.stop_requested();
}

api_client::api_client(
    connection_settings connection, retry_policy policy,
    std::function<void(std::string_view)> on_retry)
    : connection_{std::move(connection)},
      policy_{policy},
      on_retry_{std::move(on_retry)},
      http_{client_settings(connection_)} {}

result<api_answer> api_client::submit(const submission& wanted, const std::stop_token& stop) const {
    net::http_request request;
    request.method = net::http_method::post;
    request.url = connection_.server + "/api/v1/reels/analyze";
    request.headers = {
        {"Content-Type", "application/json"},
        {"Idempotency-Key", wanted.idempotency_key.value_or(random_key())}};
    json body{{"url", complete_link(wanted.link)}, {"queue", true}};
    if (wanted.fresh) body["fresh"] = true;
    // A link that is no UTF-8 is the server's to refuse, not ours to throw at.
    request.body = body.dump(-1, ' ', false, json::error_handler_t::replace);
    return decoded(send(std::move(request), answer_time_max, stop).response, json_kind::object);
}

result<api_answer> api_client::submit_file(
    const std::filesystem::path& file, const submission& wanted,
    const std::function<void(std::uint64_t, std::uint64_t)>& on_progress,
    const std::stop_token& stop) const {
    std::error_code failure;
    const auto bytes = std::filesystem::file_size(file, failure);
    if (failure) {
        return error{
            errc::storage_failed,
            fmt::format("{} cannot be read: {}", file.string(), failure.message())};
    }
    std::optional<std::string> link;
    if (!wanted.link.empty()) link = complete_link(wanted.link);
    std::optional<std::string> fresh;
    if (wanted.fresh) fresh = "true";
    net::http_request request;
    request.method = net::http_method::post;
    request.url = connection_.server + path_with_query(
                                           "/api/v1/reels/analyze",
                                           {{"filename", file.filename().string()},
                                            {"url", std::move(link)},
                                            {"queue", "true"},
                                            {"fresh", std::move(fresh)}});
    request.headers = {
        {"Content-Type", "application/octet-stream"},
        {"Idempotency-Key", wanted.idempotency_key.value_or(random_key())}};
    request.streamed_body.emplace().add_file({.file = file, .offset = 0, .bytes = bytes});
    request.on_progress = [&](std::uint64_t sent) { on_progress(sent, bytes); };
    return decoded(send(std::move(request), upload_time_max, stop).response, json_kind::object);
}

result<std::optional<api_answer>> api_client::submit_all(
    const submission_list& wanted, const std::stop_token& stop) const {
    invariant(!wanted.links.empty() && wanted.links.size() <= submission_list::links_max);
    json body{{"urls", json::array()}, {"queue", true}};
    for (const auto& link : wanted.links) body["urls"].push_back(complete_link(link));
    if (wanted.fresh) body["fresh"] = true;
    net::http_request request;
    request.method = net::http_method::post;
    request.url = connection_.server + "/api/v1/reels/analyze";
    // The same for each try: what was queued by one is not queued again by the next.
    request.headers = {
        {"Content-Type", "application/json"},
        {"Idempotency-Key", wanted.idempotency_key.value_or(random_key())}};
    request.body = body.dump(-1, ' ', false, json::error_handler_t::replace);
    for (int attempts = 1;; ++attempts) {
        auto response = send(request, answer_time_max, stop).response;
        if (!response && knows_no_lists(response.error())) return std::optional<api_answer>{};
        auto answer = decoded(std::move(response), json_kind::array);
        if (!answer) return answer.error();
        const auto patience = patience_wanted_in(answer->document);
        const attempt_outcome outcome{.status = 429, .retry_after = patience};
        const auto delay = patience ? delay_before_next(policy_, attempts, outcome) : std::nullopt;
        if (!delay) return std::optional{*std::move(answer)};
        on_retry_(
            fmt::format("a limit was reached; trying the rest again in {} s", delay->count()));
        if (!pause(*delay, stop)) return error{errc::cancelled};
    }
}

result<api_answer> api_client::job(
    std::int64_t id, std::chrono::seconds wait, const std::stop_token& stop) const {
    invariant(wait >= 0s && wait <= bounds::wait_max);
    net::http_request request;
    request.url = fmt::format("{}/api/v1/reels/{}", connection_.server, id);
    if (wait > 0s) request.url += fmt::format("?wait={}", wait.count());
    return decoded(
        send(std::move(request), answer_time_max + wait, stop).response, json_kind::object);
}

result<events_end> api_client::events(
    std::int64_t id, const std::string& last_event_id, deadline by,
    const std::function<bool(const server_event&)>& on_event, const std::stop_token& stop) const {
    net::http_request request;
    request.url = fmt::format("{}/api/v1/reels/{}/events", connection_.server, id);
    request.headers = {{"Accept", "text/event-stream"}};
    if (!last_event_id.empty()) request.headers.push_back({"Last-Event-ID", last_event_id});
    sign(request);
    request.response_bytes_max = stream_bytes_max;
    request.slowest = stream_silence;
    request.compressed = false;  // What is compressed is held back until it is worth it.

    events_end end{.last_event_id = last_event_id};
    bool has_come = false;
    event_reader reader{response_bytes_max};
    const error enough{errc::conflict, "no more of this stream is wanted"};
    request.on_head = [&enough](const net::response_head& head) -> result<void> {
        const auto type = head.headers.find("Content-Type").value_or("");
        if (head.status != 200 || !type.starts_with("text/event-stream")) return enough;
        return {};
    };
    request.sink = [&](std::span<const std::byte> piece) -> result<void> {
        has_come = true;
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes of text
        const auto* const text = reinterpret_cast<const char*>(piece.data());
        const auto events = reader.take({text, piece.size()});
        if (!events) return events.error();
        for (const auto& event : *events) {
            if (on_event(event)) continue;
            end.how = events_end::reason::reader_done;
            return enough;
        }
        return {};
    };
    const auto answer = http_.send(request, by, stop);
    if (!answer && answer.error().code() == errc::cancelled) return answer.error();
    if (end.how == events_end::reason::reader_done) return end;
    if (has_come) end.how = events_end::reason::broken;
    if (!reader.last_event_id().empty()) end.last_event_id = reader.last_event_id();
    end.retry = reader.retry();
    return end;
}

result<reel_page> api_client::list(const list_query& wanted, const std::stop_token& stop) const {
    const auto path = path_with_query(
        "/api/v1/reels",
        {{"limit", fmt::format("{}", wanted.limit)},
         {"status", wanted.status},
         {"cursor", wanted.cursor},
         {"latest", wanted.latest ? std::optional<std::string>{"true"} : std::nullopt}});
    auto response = get(path, stop);
    if (!response) return response.error();
    auto next_cursor = next_cursor_of(response->head.headers);
    if (!next_cursor) return next_cursor.error();
    auto reels = decoded(std::move(response), json_kind::array);
    if (!reels) return reels.error();
    return reel_page{.reels = *std::move(reels), .next_cursor = *std::move(next_cursor)};
}

result<api_answer> api_client::search(
    std::string_view words, std::optional<int> limit, const std::stop_token& stop) const {
    std::optional<std::string> limit_text;
    if (limit) limit_text = fmt::format("{}", *limit);
    const auto path = path_with_query(
        "/api/v1/reels/search", {{"q", std::string{words}}, {"limit", std::move(limit_text)}});
    return decoded(get(path, stop), json_kind::array);
}

result<api_answer> api_client::usage(const usage_query& wanted, const std::stop_token& stop) const {
    const auto path =
        path_with_query("/api/v1/reels/usage", {{"from", wanted.from}, {"to", wanted.to}});
    return decoded(get(path, stop), json_kind::object);
}

result<std::int64_t> api_client::export_account(
    const std::function<bool(std::string_view)>& sink, const std::stop_token& stop) const {
    net::http_request request;
    request.url = connection_.server + "/api/v1/export";
    sign(request);
    request.response_bytes_max = export_bytes_max;
    request.slowest = stream_silence;

    int status = 0;
    std::string refusal;
    export_lines lines;
    request.on_head = [&status](const net::response_head& head) -> result<void> {
        status = head.status;
        return {};
    };
    request.sink = [&](std::span<const std::byte> piece) -> result<void> {
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes of text
        const std::string_view text{reinterpret_cast<const char*>(piece.data()), piece.size()};
        if (status != 200) {
            refusal.append(text.substr(0, response_bytes_max - refusal.size()));
            return {};
        }
        lines.take(text);
        if (sink(text)) return {};
        return error{errc::storage_failed, "the export could not be written"};
    };
    const auto answer = http_.send(request, deadline::after(export_time_max), stop);
    if (answer && status != 200) return failure_of(status, refusal);
    const auto whole = lines.whole();
    if (answer && whole) return *whole;
    const bool is_ours = !answer && (answer.error().code() == errc::cancelled ||
                                     answer.error().code() == errc::storage_failed);
    if (is_ours) return answer.error();
    const auto why = answer ? std::string{"the end is missing"} : answer.error().detail();
    return error{errc::connection_failed, fmt::format("the export is incomplete: {}", why)};
}

result<void> api_client::remove(std::int64_t id, const std::stop_token& stop) const {
    net::http_request request;
    request.method = net::http_method::del;
    request.url = fmt::format("{}/api/v1/reels/{}", connection_.server, id);
    const auto [response, maybe_done_before] = send(std::move(request), answer_time_max, stop);
    if (response) return {};
    if (response.error().code() == errc::not_found && maybe_done_before) return {};
    return response.error();
}

result<std::int64_t> api_client::remove_failed(const std::stop_token& stop) const {
    net::http_request request;
    request.method = net::http_method::del;
    request.url = connection_.server + "/api/v1/reels?status=error";
    const auto removed =
        decoded(send(std::move(request), answer_time_max, stop).response, json_kind::object);
    if (!removed) return removed.error();
    return integer_of(removed->document, "deleted").value_or(0);
}

result<net::http_response> api_client::get(
    const std::string& path, const std::stop_token& stop) const {
    net::http_request request;
    request.url = connection_.server + path;
    auto response = send(std::move(request), answer_time_max, stop).response;
    if (!response && response.error().code() == errc::not_found) {
        // There is no id in it that could be unknown.
        return error{
            errc::connection_failed,
            "the server does not know this request (HTTP 404): is it a reelsd server, as new as "
            "this client?"};
    }
    return response;
}

void api_client::sign(net::http_request& request) const {
    request.headers.push_back({"Authorization", "Bearer " + connection_.token});
    request.headers.push_back({"User-Agent", "reels/" REELSD_VERSION});
}

api_client::delivery api_client::send(
    net::http_request request, std::chrono::seconds answer_time,
    const std::stop_token& stop) const {
    sign(request);
    request.response_bytes_max = response_bytes_max;
    bool maybe_done_before = false;
    for (int attempts = 1;; ++attempts) {
        auto [response, outcome] =
            judged(http_.send(request, deadline::after(answer_time), stop), connection_.server);
        if (response || is_final(response.error().code())) {
            return {std::move(response), maybe_done_before};
        }
        const auto delay = delay_before_next(policy_, attempts, outcome);
        if (!delay) return {with_wish(response.error(), outcome), maybe_done_before};
        maybe_done_before = maybe_done_before || maybe_done(outcome);
        on_retry_(
            fmt::format("{}; trying again in {} s", response.error().detail(), delay->count()));
        if (!pause(*delay, stop)) return {error{errc::cancelled}, maybe_done_before};
    }
}

}  // namespace reelsd::cli
