#include "api_client.hpp"
#include "text.hpp"
#include <reelsd/base/parse_number.hpp>
#include <reelsd/base/sleep.hpp>

#include <fmt/format.h>

#include <algorithm>

// The download of kept videos: ranges, and retries that continue.
namespace reelsd::cli {
namespace {

using namespace std::chrono_literals;

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
        return error{
            errc::connection_failed,
            "the server sent another part of the file than requested: is this a reelsd server?"};
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
    request.on_head = [&](const net::response_head& head) -> result<void> {
        attempt.outcome = {
            .status = head.status, .retry_after = retry_after_of(head.headers.find("Retry-After"))};
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
        const auto left = error_bytes_max - error_body.size();
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes of text
        error_body.append(
            reinterpret_cast<const char*>(piece.data()), std::min(piece.size(), left));
        return {};
    };
    const auto answer = http_.send(request, deadline::after(download_time_max), stop);
    const auto status = attempt.outcome.status;
    if (answer && is_data(*status)) return attempt;
    if (answer) {
        attempt.ended = failure_of(*status, error_body);
        return attempt;
    }
    attempt.ended = answer.error();
    if (status && is_data(*status)) attempt.outcome.status = std::nullopt;  // A broken download.
    if (!ends_download(answer.error().code())) {
        const auto why = printable(answer.error().detail(), line_breaks::to_blank);
        attempt.ended = error{
            answer.error().code(), fmt::format("no answer from {}: {}", connection_.server, why)};
    }
    return attempt;
}

}  // namespace reelsd::cli
