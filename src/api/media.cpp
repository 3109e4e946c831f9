#include "resources.hpp"
#include <reelsd/base/parse_number.hpp>
#include <reelsd/base/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <utility>

namespace reelsd::api {
namespace {

using kind = range_answer::kind;

/// Calls `take(element)` for each element of a comma-separated list that is not empty. Quoted
/// strings may contain commas.
template <class Take>
void each_element(std::string_view list, Take take) {
    bool is_quoted = false;
    std::size_t begin = 0;
    for (std::size_t at = 0; at <= list.size(); ++at) {
        if (at < list.size() && list[at] == '"') is_quoted = !is_quoted;
        if (at < list.size() && (is_quoted || list[at] != ',')) continue;
        const auto element = trimmed(list.substr(begin, at - begin), " \t");
        if (!element.empty()) take(element);
        begin = at + 1;
    }
}

enum class comparison : std::uint8_t { strong, weak };

bool names_etag(std::string_view list, std::string_view etag, comparison how) {
    if (trimmed(list, " \t") == "*") return true;
    bool is_named = false;
    each_element(list, [&](std::string_view element) {
        if (how == comparison::weak && element.starts_with("W/")) element.remove_prefix(2);
        is_named = is_named || element == etag;
    });
    return is_named;
}

/// Digits only; the largest number for one that is too large.
std::optional<std::uint64_t> number_of(std::string_view digits) {
    if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit)) return std::nullopt;
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    return parse_number<std::uint64_t>(digits).value_or(most);
}

/// "0-499", "500-" or "-500"; the whole file for anything else.
range_answer one_range(std::string_view spec, std::uint64_t size) {
    const range_answer whole{.what = kind::whole, .first = 0, .bytes = size};
    const auto dash = spec.find('-');
    if (dash == std::string_view::npos) return whole;
    const auto before = spec.substr(0, dash);
    const auto after = spec.substr(dash + 1);
    const auto first = number_of(before);
    const auto last = number_of(after);
    if (before.empty()) {
        if (!last) return whole;
        const auto bytes = std::min(*last, size);
        if (bytes == 0) return {.what = kind::not_satisfiable};
        return {.what = kind::part, .first = size - bytes, .bytes = bytes};
    }
    if (!first || (!after.empty() && !last)) return whole;
    if (last && *last < *first) return whole;
    if (*first >= size) return {.what = kind::not_satisfiable};
    const auto end = last ? std::min(*last, size - 1) : size - 1;
    return {.what = kind::part, .first = *first, .bytes = end - *first + 1};
}

constexpr std::string_view range_unit = "bytes=";

/// More than the key moments of any result.
constexpr std::int32_t frame_number_max = 99;

constexpr std::string_view mp4_type = "video/mp4";
constexpr std::string_view webm_type = "video/webm";

/// Read and sent at once. A client that reads slowly occupies this much memory.
constexpr std::int64_t piece_bytes = std::int64_t{256} * 1024;
constexpr std::chrono::seconds piece_time_max{5};

std::string text_of(const std::vector<std::byte>& bytes) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes of text
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

using file_bytes = std::vector<std::byte>;

/// The media store is outside this service: its faults are a temporary outage to clients.
error outage_of(const error& why) {
    if (why.code() == errc::not_found) return why;
    return error{errc::timed_out, why.detail()};
}

/// Only answers to the dashboard are stored; those of the API have `no-store`.
void let_browser_store(
    const http::request_context& ctx, http::response& answer, std::string directives) {
    if (ctx.route_prefix() == api_prefix) return;
    answer.set("Cache-Control", std::move(directives));
    // Two people may share a browser.
    answer.set("Vary", "Cookie");
}

http::response not_kept(const http::request_context& ctx) {
    return ctx.problem(error_reason::video_not_kept, "not found");
}

/// Reads the number of a picture in a path. Errors: not_found unless it is from 0 to 99, without
/// leading zeros.
result<std::int32_t> requested_frame(std::string_view text) {
    const auto number = parse_number<std::int32_t>(text);
    const bool has_leading_zero = text.size() > 1 && text.front() == '0';
    if (!number || *number < 0 || *number > frame_number_max || has_leading_zero ||
        text.front() == '-') {
        return error{errc::not_found};
    }
    return *number;
}

/// GET /api/v1/reels/{id}/frames/{n}: the picture of a key moment of one of the caller's reels. 200
/// a JPEG; 404 also when the moment has none; 503 when the media store does not answer.
awaitable<http::response> get_frame(http::request_context& ctx, media_service& service) {
    const auto id = requested_id(ctx.path_parameter("id"));
    if (!id) co_return ctx.problem(id.error());
    const auto number = requested_frame(ctx.path_parameter("n"));
    if (!number) co_return ctx.problem(number.error());
    auto frame = co_await service.media.find_frame(ctx.caller(), *id, *number, ctx.database_by());
    if (!frame) co_return ctx.problem(error{errc::not_found});
    if (frame->in_object) {
        auto part = *std::move(frame->in_object);
        auto got = co_await service.read_object(std::move(part));
        if (!got) co_return ctx.problem(outage_of(got.error()));
        frame->jpeg = *std::move(got);
    }
    co_return jpeg_answer(ctx, frame->jpeg);
}

/// Reads the next piece of a video; empty when the file is gone.
awaitable<result<file_bytes>> read_piece(
    media_service& service, const jobs::kept_file& video, std::int64_t offset, std::int64_t left) {
    const auto bytes = std::min(left, piece_bytes);
    if (video.object) {
        // A variable: g++ 12 destroys a braced argument of an awaited call twice.
        jobs::object_range part{.object = *video.object, .offset = offset, .bytes = bytes};
        co_return co_await service.read_object(std::move(part));
    }
    co_return co_await service.media.read(video.id, offset, bytes, deadline::after(piece_time_max));
}

struct video_part {
    jobs::kept_file video;
    std::int64_t offset = 0;  ///< Of the next piece.
    std::int64_t left = 0;
    file_bytes piece;  ///< The first piece.
};

/// Sends a part piece by piece, while the caller is authenticated. Holds one piece at a time: the
/// next one is read when the client has taken the last.
awaitable<void> send_part(
    http::request_context& ctx, media_service& service, video_part part,
    http::body_writer& writer) {
    for (;;) {
        const auto text = text_of(part.piece);
        const bool is_sent = co_await writer.write(text);
        part.offset += static_cast<std::int64_t>(part.piece.size());
        part.left -= static_cast<std::int64_t>(part.piece.size());
        if (!is_sent || part.left == 0) co_return;
        ctx.restart_database_time();
        const auto refused = co_await ctx.authenticate();
        if (refused) throw std::runtime_error{"the account or its token is no longer valid"};
        auto next = co_await read_piece(service, part.video, part.offset, part.left);
        // The session cuts the connection, because the body is shorter than announced.
        if (!next) throw std::runtime_error{next.error().detail()};
        if (next->empty()) co_return;
        part.piece = *std::move(next);
    }
}

/// Uploaded bytes are hostile: a browser that opens the address as a page runs nothing.
void set_video_fields(http::response& answer, job_id id, std::string_view content_type) {
    const auto* const ending = content_type == webm_type ? "webm" : "mp4";
    answer.set(
        "Content-Disposition", fmt::format("inline; filename=\"reel-{}.{}\"", id.value, ending));
    answer.set("Content-Security-Policy", "sandbox; default-src 'none'; media-src 'self'");
}

/// 304, 412 or 416.
http::response answer_without_video(
    const http::request_context& ctx, const range_answer& selected, std::int64_t size) {
    if (selected.what == kind::not_modified) return http::response{http::status::not_modified};
    if (selected.what == kind::precondition_failed)
        return ctx.problem(http::status::precondition_failed, "the video is another one");
    auto refused =
        ctx.problem(http::status::range_not_satisfiable, "the range is outside the video");
    refused.set("Content-Range", fmt::format("bytes */{}", size));
    return refused;
}

/// The answer with the part of the video. Its first piece is read here, so that a missing file is
/// not an incomplete answer.
awaitable<http::response> answer_with_video(
    http::request_context& ctx, media_service& service, job_id id, jobs::kept_file video,
    range_answer selected) {
    video_part part{
        .video = std::move(video),
        .offset = static_cast<std::int64_t>(selected.first),
        .left = static_cast<std::int64_t>(selected.bytes),
        .piece = {}};
    if (ctx.request().method == http::verb::get) {
        auto first = co_await read_piece(service, part.video, part.offset, part.left);
        const bool is_gone = first ? first->empty() : first.error().code() == errc::not_found;
        if (is_gone) co_return not_kept(ctx);
        if (!first) co_return ctx.problem(outage_of(first.error()));
        part.piece = *std::move(first);
    }
    const auto size = part.video.size_bytes;
    const auto type = part.video.content_type == webm_type ? webm_type : mp4_type;
    const bool is_part = selected.what == kind::part;
    auto send = [&ctx, &service, part = std::move(part)](http::body_writer& writer) mutable {
        return send_part(ctx, service, std::move(part), writer);
    };
    auto answer = http::response::of_stream(
        is_part ? http::status::partial_content : http::status::ok,
        type,
        selected.bytes,
        std::move(send));
    set_video_fields(answer, id, type);
    if (is_part) {
        const auto last = selected.first + selected.bytes - 1;
        answer.set("Content-Range", fmt::format("bytes {}-{}/{}", selected.first, last, size));
    }
    co_return answer;
}

/// GET /api/v1/reels/{id}/video: the kept video of one of the caller's reels. 200 or 206 the video;
/// 304, 412, 416 by the request's conditions and range; 404 also when it is not kept; 503 when the
/// media store does not answer.
awaitable<http::response> get_video(http::request_context& ctx, media_service& service) {
    const auto id = requested_id(ctx.path_parameter("id"));
    if (!id) co_return ctx.problem(id.error());
    auto video = co_await service.media.find_video(ctx.caller(), *id, ctx.database_by());
    if (!video) {
        const bool is_known = co_await service.media.has_reel(ctx.caller(), *id, ctx.database_by());
        if (!is_known) co_return ctx.problem(error{errc::not_found});
        co_return not_kept(ctx);
    }
    const auto etag = fmt::format("\"{}\"", video->sha256);
    const auto size = video->size_bytes;
    // A range has no meaning with HEAD (RFC 9110 14.2).
    const bool is_get = ctx.request().method == http::verb::get;
    const range_request request{
        .if_match = ctx.header("If-Match"),
        .if_none_match = ctx.header("If-None-Match"),
        .if_range = ctx.header("If-Range"),
        .range = is_get ? ctx.header("Range") : std::nullopt};
    const auto selected = answer_range(request, static_cast<std::uint64_t>(size), etag);
    const bool has_video = selected.what == kind::whole || selected.what == kind::part;
    http::response answer{http::status::not_found};
    if (has_video) {
        answer = co_await answer_with_video(ctx, service, *id, *std::move(video), selected);
    } else {
        answer = answer_without_video(ctx, selected, size);
    }
    if (http::number_of(answer.code()) < 400) {
        answer.set("Accept-Ranges", "bytes");
        answer.set("ETag", etag);
        let_browser_store(ctx, answer, "private, max-age=3600");
    }
    co_return answer;
}

}  // namespace

void add_media_routes(http::router& router, std::string_view prefix, media_service& service) {
    router.add(
        {{http::verb::get, "/reels/{id}/frames/{n}", &get_frame},
         {http::verb::get, "/reels/{id}/video", &get_video}},
        service,
        prefix);
}

http::response jpeg_answer(const http::request_context& ctx, const std::vector<std::byte>& jpeg) {
    http::response answer{http::status::ok, "image/jpeg", text_of(jpeg)};
    let_browser_store(ctx, answer, "private, max-age=86400, immutable");
    return answer;
}

range_answer answer_range(const range_request& request, std::uint64_t size, std::string_view etag) {
    const range_answer whole{.what = kind::whole, .first = 0, .bytes = size};
    if (request.if_match && !names_etag(*request.if_match, etag, comparison::strong)) {
        return {.what = kind::precondition_failed};
    }
    if (request.if_none_match && names_etag(*request.if_none_match, etag, comparison::weak)) {
        return {.what = kind::not_modified};
    }
    // Range units are case-insensitive (RFC 9110 14.1).
    const auto range = request.range.value_or("");
    if (!equals_ignoring_case(range.substr(0, range_unit.size()), range_unit)) return whole;
    // No Last-Modified is sent, so a date never matches.
    if (request.if_range && trimmed(*request.if_range, " \t") != etag) return whole;
    std::size_t count = 0;
    auto answer = whole;
    each_element(range.substr(range_unit.size()), [&](auto spec) {
        ++count;
        answer = one_range(spec, size);
    });
    return count == 1 ? answer : whole;
}

}  // namespace reelsd::api
