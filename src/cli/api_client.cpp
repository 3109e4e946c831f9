#include "api_client.hpp"

#include "text.hpp"
#include <reelsd/base/bounds.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/invariant.hpp>
#include <reelsd/base/parse_number.hpp>
#include <reelsd/base/random.hpp>
#include <reelsd/net/url.hpp>

#include <fmt/format.h>

namespace reelsd::cli {
namespace {

using namespace std::chrono_literals;

/// A healthy server answers in milliseconds; a busy one is given time for its own waits.
constexpr auto answer_time_max = 30s;
/// The server gives a model 60 s for an answer.
constexpr auto question_time_max = 90s;
/// The server gives up an upload after 10 minutes.
constexpr auto upload_time_max = 11min;
/// The bound on a stored result, its envelope included.
constexpr auto response_bytes_max = bounds::result_bytes_max + std::size_t{64} * 1024;

/// One stream of events: the finished job, and more steps and keep-alives than 10 minutes have.
constexpr auto stream_bytes_max = response_bytes_max + std::size_t{256} * 1024;
/// The server sends a keep-alive every 15 s.
constexpr net::speed_floor stream_silence{.bytes_per_second = 1, .during = 35s};

/// A million reels with their thumbnails, and the time for a hundredth of that over a slow line.
constexpr auto export_bytes_max = std::size_t{64} * 1024 * 1024 * 1024;
constexpr auto export_time_max = 24h;

constexpr const char* analyze_path = "/api/v1/reels/analyze";

net::http_client_settings client_settings(const connection_settings& connection) {
    const auto server = net::url::parse(connection.server);
    invariant(server.has_value());
    net::http_client_settings settings;
    // The user named this server, which may be in a private network. No other host is allowed.
    settings.policy.host_suffixes = {server->host()};
    settings.policy.trusted_origins = {server->origin()};
    settings.ca_file = connection.ca_file;
    return settings;
}

std::optional<std::string> flag(bool is_set) {
    return is_set ? std::optional<std::string>{"true"} : std::nullopt;
}

std::string random_key() {
    return fmt::format("{:016x}{:016x}", random_bits(), random_bits());
}

std::string_view text_in(std::span<const std::byte> bytes) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes of text
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

result<api_answer> decoded(result<net::http_response> response, json::value_t type) {
    if (!response) return response.error();
    auto document = parse_foreign_json(response->body);
    if (document.type() != type) {
        return no_reelsd_answer(fmt::format("the answer is not a JSON {}", json(type).type_name()));
    }
    return api_answer{.body = std::move(response->body), .document = std::move(document)};
}

/// The cursor in the link to the next page. The link itself may name the server as a proxy sees it.
result<std::optional<std::string>> next_cursor_of(const net::header_list& headers) {
    const auto link = headers.find("Link");
    const auto next = link ? next_link_of(*link) : std::nullopt;
    if (!next) return std::optional<std::string>{};
    auto cursor = parameter_of(*next, "cursor");
    if (!cursor) {
        return no_reelsd_answer("the link to the next page has no cursor");
    }
    return cursor;
}

/// The response or error of one attempt, and its outcome for the retry policy.
struct attempt {
    result<net::http_response> response;
    attempt_outcome outcome;
};

attempt classified(result<net::http_response> response, const std::string& server) {
    if (!response) {
        const auto& failure = response.error();
        const auto detail = one_line(failure.detail());
        auto text = fmt::format("no answer from {}: {}", server, detail);
        return {.response = error{failure.code(), std::move(text)}, .outcome = {}};
    }
    const auto status = response->status();
    const attempt_outcome outcome{
        .status = status,
        .retry_after = retry_after_of(response->head.headers.find("Retry-After"))};
    if (status >= 200 && status < 300) return {.response = std::move(response), .outcome = outcome};
    const auto reason = response->head.headers.find("X-Error-Code").value_or("");
    return {.response = failure_of(status, response->body, reason), .outcome = outcome};
}

/// Adds the server's Retry-After to the final error.
error with_retry_after(const error& failure, const attempt_outcome& outcome) {
    if (!outcome.retry_after) return failure;
    return error{
        failure.code(),
        fmt::format(
            "{}; the server asks to try again after {}",
            failure.detail(),
            retry_time_text(*outcome.retry_after, std::chrono::system_clock::now()))};
}

/// Whether a failed attempt may have taken effect on the server.
bool maybe_done(const attempt_outcome& outcome) {
    return !outcome.status || *outcome.status >= 500;
}

/// The shortest wait that a limit imposes on a link of a list; empty if no limit was reached.
std::optional<std::chrono::seconds> shortest_retry_after_in(const json& links) {
    std::optional<std::chrono::seconds> shortest;
    for (const auto& link : links) {
        const auto seconds = integer_of(link, "retry_after");
        if (!seconds || *seconds < 0) continue;
        const std::chrono::seconds wait{*seconds};
        if (!shortest || wait < *shortest) shortest = wait;
    }
    return shortest;
}

/// Errors that a repetition of the request would meet again.
bool is_final(errc code) {
    return code == errc::cancelled || code == errc::invalid_argument ||
           code == errc::address_refused;
}

/// Above any limit of a server on videos, and the time for a tenth of that over a slow line.
constexpr auto video_bytes_max = std::size_t{64} * 1024 * 1024 * 1024;
constexpr auto download_time_max = 24h;
/// A server that is restarting is silent for a few seconds.
constexpr net::speed_floor download_silence{.bytes_per_second = 1, .during = 30s};
constexpr std::size_t error_bytes_max = std::size_t{64} * 1024;

bool is_data(int status) {
    return status == 200 || status == 206;
}

/// If-Range accepts only strong ETags (RFC 9110, 13.1.5).
std::string strong_etag_of(const net::response_head& head) {
    const auto etag = head.headers.find("ETag").value_or("");
    return etag.starts_with('"') ? std::string{etag} : std::string{};
}

result<download_part> part_of(const net::response_head& head, const download_position& position) {
    download_part part{.offset = 0, .size = std::nullopt, .etag = strong_etag_of(head)};
    if (head.status == 200) {
        const auto length = head.headers.find("Content-Length");
        if (length) part.size = parse_number<std::uint64_t>(*length);
        return part;
    }
    const auto range = net::content_range_from(head.headers.find("Content-Range").value_or(""));
    if (!range || range->from != position.bytes) {
        return no_reelsd_answer("the server sent another part of the file than requested");
    }
    part.offset = range->from;
    part.size = range->total;
    if (part.etag.empty()) part.etag = position.etag;  // A 206 after If-Range may omit it.
    return part;
}

/// Errors that another request would meet again.
bool ends_download(errc code) {
    return code == errc::cancelled || code == errc::storage_failed ||
           code == errc::address_refused || code == errc::invalid_argument;
}

}  // namespace

api_client::api_client(
    connection_settings connection, retry_policy policy,
    std::function<void(std::string_view)> on_retry)
    : connection_{std::move(connection)},
      policy_{policy},
      on_retry_{std::move(on_retry)},
      http_{client_settings(connection_)} {}

net::http_request api_client::request_to(const std::string& path) const {
    net::http_request request;
    request.url = connection_.server + path;
    request.headers = {
        {"Authorization", "Bearer " + connection_.token}, {"User-Agent", "reels/" REELSD_VERSION}};
    request.response_bytes_max = response_bytes_max;
    return request;
}

net::http_request api_client::submission_to(
    const std::string& path, const char* content_type,
    const std::optional<std::string>& idempotency_key) const {
    auto request = request_to(path);
    request.method = net::http_method::post;
    request.headers.push_back({"Content-Type", content_type});
    // The same for all attempts: a link queued by one of them is not queued again by the next.
    request.headers.push_back({"Idempotency-Key", idempotency_key.value_or(random_key())});
    return request;
}

result<api_answer> api_client::submit(
    const submission& options, const std::stop_token& stop) const {
    auto request = submission_to(analyze_path, "application/json", options.idempotency_key);
    request.body = text_of_json(body_of(options));
    return decoded(send(std::move(request), answer_time_max, stop).response, json::value_t::object);
}

result<api_answer> api_client::submit_file(
    const std::filesystem::path& file, const submission& options,
    const std::function<void(std::uint64_t, std::uint64_t)>& on_progress,
    const std::stop_token& stop) const {
    const auto bytes = readable_bytes_of(file);
    if (!bytes) return bytes.error();
    // A form, because a query has no room for a schema.
    const auto boundary = random_key();
    const auto type = fmt::format("multipart/form-data; boundary={}", boundary);
    auto request = submission_to(analyze_path, type.c_str(), options.idempotency_key);
    request.streamed_body =
        form_of(options, {.file = file, .offset = 0, .bytes = *bytes}, boundary);
    const auto all = request.streamed_body->size();
    if (on_progress) request.on_progress = [&](std::uint64_t sent) { on_progress(sent, all); };
    return decoded(send(std::move(request), upload_time_max, stop).response, json::value_t::object);
}

result<api_answer> api_client::submit_all(
    const submission_list& list, const std::stop_token& stop) const {
    invariant(!list.links.empty() && list.links.size() <= list_links_max);
    auto request = submission_to(analyze_path, "application/json", list.idempotency_key);
    request.body = text_of_json(body_of(list));
    for (int attempts = 1;; ++attempts) {
        auto answer = decoded(send(request, answer_time_max, stop).response, json::value_t::array);
        if (!answer) return answer;
        const auto retry_after = shortest_retry_after_in(answer->document);
        const attempt_outcome outcome{.status = 429, .retry_after = retry_after};
        const auto delay =
            retry_after ? delay_before_next(policy_, attempts, outcome) : std::nullopt;
        if (!delay) return answer;
        on_retry_(
            fmt::format("a limit was reached; trying the rest again in {} s", delay->count()));
        if (!stoppable_sleep(*delay, stop)) return error{errc::cancelled};
    }
}

result<api_answer> api_client::job(
    std::int64_t id, std::chrono::seconds wait, const std::stop_token& stop) const {
    invariant(wait >= 0s && wait <= bounds::wait_max);
    auto request = request_to(fmt::format("/api/v1/reels/{}", id));
    if (wait > 0s) request.url += fmt::format("?wait={}", wait.count());
    return decoded(
        send(std::move(request), answer_time_max + wait, stop).response, json::value_t::object);
}

result<events_end> api_client::events(
    std::int64_t id, const std::string& last_event_id, deadline by,
    const std::function<bool(const server_event&)>& on_event, const std::stop_token& stop) const {
    auto request = request_to(fmt::format("/api/v1/reels/{}/events", id));
    request.headers.push_back({"Accept", "text/event-stream"});
    if (!last_event_id.empty()) request.headers.push_back({"Last-Event-ID", last_event_id});
    request.response_bytes_max = stream_bytes_max;
    request.slowest = stream_silence;
    request.compressed = false;  // Compression would delay events.

    events_end end{.last_event_id = last_event_id};
    bool has_data = false;
    event_reader reader{response_bytes_max};
    const error enough{errc::conflict, "the rest of this stream is not needed"};
    request.on_head = [&enough](const net::response_head& head) -> result<void> {
        const auto type = head.headers.find("Content-Type").value_or("");
        if (head.status != 200 || !type.starts_with("text/event-stream")) return enough;
        return {};
    };
    request.sink = [&](std::span<const std::byte> piece) -> result<void> {
        has_data = true;
        const auto events = reader.take(text_in(piece));
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
    if (has_data) end.how = events_end::reason::broken;
    if (!reader.last_event_id().empty()) end.last_event_id = reader.last_event_id();
    end.retry = reader.retry();
    return end;
}

result<reel_page> api_client::list(const list_query& query, const std::stop_token& stop) const {
    const auto path = path_with_query(
        "/api/v1/reels",
        {{"limit", fmt::format("{}", query.limit)},
         {"status", query.status},
         {"author", query.author},
         {"cursor", query.cursor},
         {"latest", flag(query.latest)}});
    auto response = get(path, stop);
    if (!response) return response.error();
    auto next_cursor = next_cursor_of(response->head.headers);
    if (!next_cursor) return next_cursor.error();
    auto reels = decoded(std::move(response), json::value_t::array);
    if (!reels) return reels.error();
    return reel_page{.reels = *std::move(reels), .next_cursor = *std::move(next_cursor)};
}

result<api_answer> api_client::search(
    std::string_view words, std::optional<int> limit, const std::stop_token& stop) const {
    std::optional<std::string> limit_text;
    if (limit) limit_text = fmt::format("{}", *limit);
    const auto path = path_with_query(
        "/api/v1/reels/search", {{"q", std::string{words}}, {"limit", std::move(limit_text)}});
    return decoded(get(path, stop), json::value_t::array);
}

result<api_answer> api_client::ask(const question& asked, const std::stop_token& stop) const {
    auto request = request_to(
        asked.reel ? fmt::format("/api/v1/reels/{}/ask", *asked.reel) : "/api/v1/reels/ask");
    request.method = net::http_method::post;
    request.headers.push_back({"Content-Type", "application/json"});
    json body{{"question", asked.text}};
    if (asked.limit) body["limit"] = *asked.limit;
    if (asked.author) body["author"] = *asked.author;
    request.body = text_of_json(body);
    request.fresh_connection = true;  // A dead pooled connection would send it twice.
    auto response =
        send(std::move(request), question_time_max, stop, retries::only_refused).response;
    return decoded(std::move(response), json::value_t::object);
}

result<api_answer> api_client::presets(const std::stop_token& stop) const {
    return decoded(get("/api/v1/extract-presets", stop), json::value_t::array);
}

result<std::string> api_client::frame(
    std::int64_t id, std::size_t number, const std::stop_token& stop) const {
    const auto path = fmt::format("/api/v1/reels/{}/frames/{}", id, number);
    auto response = send(request_to(path), answer_time_max, stop).response;
    if (!response) return response.error();
    if (response->head.headers.find("Content-Type").value_or("") != "image/jpeg") {
        return no_reelsd_answer("the answer is not a JPEG");
    }
    return std::move(response->body);
}

result<std::string> api_client::subtitles(
    std::int64_t id, std::string_view format, const std::stop_token& stop) const {
    const auto path = fmt::format("/api/v1/reels/{}/subtitles.{}", id, format);
    auto response = send(request_to(path), answer_time_max, stop).response;
    if (!response) return response.error();
    return std::move(response->body);
}

result<api_answer> api_client::usage(const usage_query& days, const std::stop_token& stop) const {
    const auto path =
        path_with_query("/api/v1/reels/usage", {{"from", days.from}, {"to", days.to}});
    return decoded(get(path, stop), json::value_t::object);
}

result<std::int64_t> api_client::export_account(
    const std::function<result<void>(std::string_view)>& sink, const std::stop_token& stop) const {
    auto request = request_to("/api/v1/export");
    request.response_bytes_max = export_bytes_max;
    request.slowest = stream_silence;

    int status = 0;
    std::string error_body;
    export_lines lines;
    request.on_head = [&status](const net::response_head& head) -> result<void> {
        status = head.status;
        return {};
    };
    request.sink = [&](std::span<const std::byte> piece) -> result<void> {
        const auto text = text_in(piece);
        if (status != 200) {
            error_body.append(text.substr(0, error_bytes_max - error_body.size()));
            return {};
        }
        lines.take(text);
        return sink(text);
    };
    const auto answer = http_.send(request, deadline::after(export_time_max), stop);
    if (answer && status != 200) return failure_of(status, error_body);
    const auto count = lines.count_if_complete();
    if (answer && count) return *count;
    const bool is_local = !answer && (answer.error().code() == errc::cancelled ||
                                      answer.error().code() == errc::storage_failed);
    if (is_local) return answer.error();
    const auto why = answer ? std::string{"the end is missing"} : answer.error().detail();
    return error{errc::connection_failed, fmt::format("the export is incomplete: {}", why)};
}

result<void> api_client::remove(std::int64_t id, const std::stop_token& stop) const {
    auto request = request_to(fmt::format("/api/v1/reels/{}", id));
    request.method = net::http_method::del;
    const auto [response, maybe_done_before] = send(std::move(request), answer_time_max, stop);
    if (response) return {};
    if (response.error().code() == errc::not_found && maybe_done_before) return {};
    return response.error();
}

result<std::int64_t> api_client::remove_failed(const std::stop_token& stop) const {
    auto request = request_to("/api/v1/reels?status=error");
    request.method = net::http_method::del;
    const auto removed =
        decoded(send(std::move(request), answer_time_max, stop).response, json::value_t::object);
    if (!removed) return removed.error();
    return integer_of(removed->document, "deleted").value_or(0);
}

result<net::http_response> api_client::get(
    const std::string& path, const std::stop_token& stop) const {
    auto response = send(request_to(path), answer_time_max, stop).response;
    if (!response && response.error().code() == errc::not_found) {
        // The path has no id, so the path itself is unknown.
        return error{
            errc::connection_failed,
            "the server does not know this request (HTTP 404): is it a reelsd server, as new as "
            "this client?"};
    }
    return response;
}

api_client::delivery api_client::send(
    net::http_request request, std::chrono::seconds answer_time, const std::stop_token& stop,
    retries allowed) const {
    bool maybe_done_before = false;
    for (int attempts = 1;; ++attempts) {
        auto [response, outcome] =
            classified(http_.send(request, deadline::after(answer_time), stop), connection_.server);
        if (response || is_final(response.error().code())) {
            return {std::move(response), maybe_done_before};
        }
        const bool may_retry = allowed == retries::all || outcome.status == 429;
        const auto delay = may_retry ? delay_before_next(policy_, attempts, outcome) : std::nullopt;
        if (!delay) return {with_retry_after(response.error(), outcome), maybe_done_before};
        maybe_done_before = maybe_done_before || maybe_done(outcome);
        on_retry_(
            fmt::format("{}; trying again in {} s", response.error().detail(), delay->count()));
        if (!stoppable_sleep(*delay, stop)) return {error{errc::cancelled}, maybe_done_before};
    }
}

result<void> api_client::download_video(
    std::int64_t id, const download_target& target, const std::stop_token& stop) const {
    const auto path = fmt::format("/api/v1/reels/{}/video", id);
    bool starts_again = false;
    for (int attempts = 1;; ++attempts) {
        const auto position = starts_again ? download_position{} : target.position();
        auto attempt = download_once(path, position, target, stop);
        if (attempt.outcome.status == 416 && !starts_again) {
            starts_again = true;  // The position is not in the file: it is another one.
            continue;
        }
        if (attempt.ended || ends_download(attempt.ended.error().code())) return attempt.ended;
        if (attempt.has_begun) starts_again = false;
        if (attempt.has_data) attempts = 1;  // The next request continues behind the new bytes.
        const auto delay = delay_before_next(policy_, attempts, attempt.outcome);
        if (!delay) return attempt.ended;
        on_retry_(
            fmt::format("{}; continuing in {} s", attempt.ended.error().detail(), delay->count()));
        if (!stoppable_sleep(*delay, stop)) return error{errc::cancelled};
    }
}

api_client::download_attempt api_client::download_once(
    const std::string& path, const download_position& position, const download_target& target,
    const std::stop_token& stop) const {
    auto request = request_to(path);
    request.compressed = false;  // Ranges count the bytes of the file.
    request.slowest = download_silence;
    request.response_bytes_max = video_bytes_max;
    if (position.bytes > 0 && !position.etag.empty()) {
        request.headers.push_back({"Range", fmt::format("bytes={}-", position.bytes)});
        request.headers.push_back({"If-Range", position.etag});
    }
    download_attempt attempt{.ended = {}, .outcome = {}};
    std::string error_body;
    std::string reason;
    request.on_head = [&](const net::response_head& head) -> result<void> {
        attempt.outcome = {
            .status = head.status, .retry_after = retry_after_of(head.headers.find("Retry-After"))};
        reason = head.headers.find("X-Error-Code").value_or("");
        if (!is_data(head.status)) return {};
        const auto part = part_of(head, position);
        if (!part) return part.error();
        attempt.has_begun = true;
        return target.begin(*part);
    };
    request.sink = [&](std::span<const std::byte> piece) -> result<void> {
        if (is_data(*attempt.outcome.status)) {
            attempt.has_data = true;
            return target.write(piece);
        }
        error_body.append(text_in(piece).substr(0, error_bytes_max - error_body.size()));
        return {};
    };
    const auto answer = http_.send(request, deadline::after(download_time_max), stop);
    const auto status = attempt.outcome.status;
    if (answer && is_data(*status)) return attempt;
    if (answer) {
        attempt.ended = failure_of(*status, error_body, reason);
        return attempt;
    }
    attempt.ended = answer.error();
    if (status && is_data(*status)) attempt.outcome.status = std::nullopt;  // A broken download.
    if (!ends_download(answer.error().code())) {
        const auto why = one_line(answer.error().detail());
        attempt.ended = error{
            answer.error().code(), fmt::format("no answer from {}: {}", connection_.server, why)};
    }
    return attempt;
}

}  // namespace reelsd::cli
