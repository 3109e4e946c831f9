#include "video_file.hpp"
#include <reelsd/base/unique_fd.hpp>
#include <reelsd/platform/downloader.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <limits>
#include <optional>

namespace reelsd::platform {
namespace {

constexpr int tries_max = 3;
constexpr int redirects_max = 3;
/// The media servers explain a refusal in one line.
constexpr std::size_t explanation_bytes_max = 4096;
constexpr std::size_t copy_bytes = std::size_t{64} * 1024;

std::optional<std::uint64_t> number_in(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

struct content_range {
    std::uint64_t from = 0;
    std::uint64_t total = 0;
};

/// "bytes 100-199/200". A total of "*" is of no use to us.
std::optional<content_range> content_range_in(std::string_view text) {
    constexpr std::string_view unit = "bytes ";
    const auto dash = text.find('-');
    const auto slash = text.find('/');
    if (!text.starts_with(unit) || dash == std::string_view::npos ||
        slash == std::string_view::npos || dash > slash)
        return std::nullopt;
    const auto from = number_in(text.substr(unit.size(), dash - unit.size()));
    const auto total = number_in(text.substr(slash + 1));
    if (!from || !total) return std::nullopt;
    return content_range{.from = *from, .total = *total};
}

bool is_signature_refusal(std::string_view explanation) {
    constexpr std::array<std::string_view, 3> openings{
        "URL signature expired", "Bad URL", "Invalid URL"};
    return std::any_of(openings.begin(), openings.end(), [&](std::string_view opening) {
        return explanation.find(opening) != std::string_view::npos;
    });
}

/// One video over up to `tries_max` requests, each going on where the last one broke off.
class remote_download {
public:
    remote_download(
        const net::http_client& client, const downloader_settings& settings, std::string url)
        : client_{client}, settings_{settings}, url_{std::move(url)} {}

    result<download_outcome> run(video_file file, deadline by, const std::stop_token& stop) {
        for (int attempt = 1; attempt <= tries_max; ++attempt) {
            auto outcome = try_once(file, by, stop);
            if (!outcome) return outcome.error();
            if (*outcome) return **std::move(outcome);
        }
        return last_;
    }

private:
    using maybe_outcome = std::optional<download_outcome>;

    /// One request. Empty when another one may go on where it broke off; `last_` says why it did.
    result<maybe_outcome> try_once(video_file& file, deadline by, const std::stop_token& stop) {
        status_ = 0;
        explanation_.clear();
        const auto answer = client_.send(request_for(file), by, stop);
        if (!answer && answer.error().code() == errc::invalid_argument)
            return error{errc::address_refused, "media: " + answer.error().detail()};
        if (!answer && answer.error().code() == errc::cancelled) return answer.error();
        if (status_ == 416) return nothing_left(file);
        const bool has_body = status_ == 200 || status_ == 206;
        if (status_ != 0 && !has_body) return refusal();
        if (answer && is_whole(file)) return done(file);

        last_ =
            answer ? error{errc::connection_failed, "body shorter than announced"} : answer.error();
        // Before a body began there is nothing to go on with; other codes would only repeat.
        if (!has_body || last_.code() != errc::connection_failed) return last_;
        return maybe_outcome{};
    }

    /// The range that was asked for begins behind the end: all is here, or the file is another one.
    result<maybe_outcome> nothing_left(video_file& file) {
        if (total_ == file.size()) return done(file);
        last_ = error{errc::connection_failed, "the server refuses to go on"};
        if (const auto emptied = file.restart(); !emptied) return emptied.error();
        return maybe_outcome{};
    }

    net::http_request request_for(video_file& file) {
        // No cookies: the signature in the query is all that these servers ask for.
        net::http_request request{
            .url = url_,
            .headers =
                {{.name = "User-Agent", .value = settings_.user_agent},
                 {.name = "Accept", .value = "*/*"},
                 {.name = "Accept-Encoding", .value = "identity"},
                 {.name = "Referer", .value = "https://www.instagram.com/"}},
            .response_bytes_max = std::numeric_limits<std::size_t>::max(),  // `file` has the limit.
            .redirects_max = redirects_max,
            .compressed = false,
            .slowest = settings_.slowest};
        if (file.size() > 0) {
            request.headers.push_back(
                {.name = "Range", .value = "bytes=" + std::to_string(file.size()) + "-"});
            if (!etag_.empty()) request.headers.push_back({.name = "If-Range", .value = etag_});
        }
        request.on_head = [this, &file](const net::response_head& head) {
            return take_head(head, file);
        };
        request.sink = [this, &file](std::span<const std::byte> piece) {
            return take_body(piece, file);
        };
        return request;
    }

    result<void> take_head(const net::response_head& head, video_file& file) {
        status_ = head.status;
        if (status_ == 200) return start_over(head, file);
        if (status_ == 206) return go_on(head, file);
        return {};
    }

    result<void> start_over(const net::response_head& head, video_file& file) {
        if (file.size() > 0) {
            if (auto emptied = file.restart(); !emptied) return emptied;
        }
        const auto length = head.headers.find("Content-Length");
        total_ = length ? number_in(*length) : std::nullopt;
        const auto etag = head.headers.find("ETag").value_or("");
        etag_ = etag.starts_with('"') ? std::string{etag} : std::string{};
        return check_total(file);
    }

    result<void> go_on(const net::response_head& head, video_file& file) {
        const auto text = head.headers.find("Content-Range");
        const auto range = text ? content_range_in(*text) : std::nullopt;
        const bool is_same_file = range && (!total_ || *total_ == range->total);
        if (!is_same_file || range->from != file.size()) {
            if (auto emptied = file.restart(); !emptied) return emptied;
            return error{errc::connection_failed, "the server goes on with something else"};
        }
        total_ = range->total;
        return check_total(file);
    }

    [[nodiscard]] result<void> check_total(const video_file& file) const {
        if (!total_ || *total_ <= file.bytes_max()) return {};
        return error{
            errc::video_too_large,
            std::to_string(*total_) + " of at most " + std::to_string(file.bytes_max()) + " bytes"};
    }

    result<void> take_body(std::span<const std::byte> piece, video_file& file) {
        if (status_ == 200 || status_ == 206) return file.append(piece);
        explanation_.append(reinterpret_cast<const char*>(piece.data()), piece.size());
        if (explanation_.size() <= explanation_bytes_max) return {};
        return error{errc::connection_failed, "long explanation"};  // refusal() has enough.
    }

    [[nodiscard]] bool is_whole(const video_file& file) const {
        return !total_ || file.size() == *total_;
    }

    static result<maybe_outcome> done(video_file& file) {
        if (file.size() == 0) return error{errc::connection_failed, "empty answer"};
        auto finished = file.finish();
        if (!finished) return finished.error();
        return maybe_outcome{*std::move(finished)};
    }

    /// What a status other than 200 and 206 means. Source: platform.md 3.
    [[nodiscard]] result<maybe_outcome> refusal() const {
        const auto detail = "media server says " + std::to_string(status_);
        if (status_ == 403 && is_signature_refusal(explanation_))
            return maybe_outcome{stale_media{
                .if_fresh = error{errc::platform_failed, detail + ", signature refused"}}};
        if (status_ == 404 || status_ == 410)
            return maybe_outcome{stale_media{.if_fresh = error{errc::video_unavailable, detail}}};
        if (status_ == 429) return error{errc::platform_rate_limited, detail};
        return error{errc::platform_failed, detail};
    }

    const net::http_client& client_;
    const downloader_settings& settings_;
    std::string url_;

    int status_ = 0;  ///< Of the answer being received; 0 before its head.
    std::string explanation_;
    std::optional<std::uint64_t> total_;
    std::string etag_;
    error last_{errc::internal, "no request made"};
};

/// As read(2), but not to be interrupted.
ssize_t read_some(int descriptor, std::span<std::byte> into) {
    while (true) {
        const auto count = ::read(descriptor, into.data(), into.size());
        if (count >= 0 || errno != EINTR) return count;
    }
}

result<download_outcome> copy_local(
    const std::filesystem::path& from, video_file file, deadline by, const std::stop_token& stop) {
    const unique_fd source{::open(from.c_str(), O_RDONLY | O_CLOEXEC)};
    if (!source) return error{errc::internal, "can't open the sample video"};
    std::vector<std::byte> buffer(copy_bytes);
    while (true) {
        if (stop.stop_requested()) return error{errc::cancelled};
        if (by.passed()) return error{errc::timed_out, "copying the sample video"};
        const auto count = read_some(source.get(), buffer);
        if (count < 0) return error{errc::internal, "can't read the sample video"};
        if (count == 0) break;
        const auto piece = std::span{buffer}.first(static_cast<std::size_t>(count));
        if (const auto written = file.append(piece); !written) return written.error();
    }
    auto finished = file.finish();
    if (!finished) return finished.error();
    return download_outcome{*std::move(finished)};
}

}  // namespace

downloader::downloader(const net::http_client& client, downloader_settings settings)
    : client_{client}, settings_{std::move(settings)} {}

result<download_outcome> downloader::download(
    const post& subject, const std::filesystem::path& target, deadline by,
    const std::stop_token& stop) const {
    auto file = video_file::create(target, settings_.bytes_max);
    if (!file) return file.error();
    if (const auto* local = std::get_if<local_media>(&subject.media))
        return copy_local(local->file, *std::move(file), by, stop);
    const auto& media = std::get<remote_media>(subject.media);
    remote_download picture{client_, settings_, media.url};
    auto outcome = picture.run(*std::move(file), by, stop);
    if (media.sound_url.empty() || !outcome) return outcome;
    auto* const video = std::get_if<media_file>(&*outcome);
    if (video == nullptr) return outcome;

    // Both are at least as long as a head, so that something is left for the second.
    auto sound_target = target;
    sound_target += ".sound";
    auto sound_file = video_file::create(sound_target, settings_.bytes_max - video->size_bytes);
    if (!sound_file) return sound_file.error();
    remote_download sound{client_, settings_, media.sound_url};
    auto sound_outcome = sound.run(*std::move(sound_file), by, stop);
    if (!sound_outcome || !std::holds_alternative<media_file>(*sound_outcome)) {
        std::error_code gone;
        std::filesystem::remove(video->file, gone);
        return sound_outcome;
    }
    video->sound = std::get<media_file>(*sound_outcome).file;
    return outcome;
}

result<media_file> describe_file(const std::filesystem::path& file) {
    const unique_fd source{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
    if (!source) return error{errc::storage_failed, "can't open the file put together"};
    file_digest digest;
    std::vector<std::byte> buffer(copy_bytes);
    std::uint64_t size = 0;
    while (true) {
        const auto count = read_some(source.get(), buffer);
        if (count < 0) return error{errc::storage_failed, "can't read the file put together"};
        if (count == 0) break;
        size += static_cast<std::uint64_t>(count);
        digest.add(std::span{buffer}.first(static_cast<std::size_t>(count)));
    }
    return media_file{.file = file, .size_bytes = size, .sha256 = digest.hex()};
}

}  // namespace reelsd::platform
