#include <reelsd/base/descriptor_io.hpp>
#include <reelsd/base/file_digest.hpp>
#include <reelsd/base/parse_number.hpp>
#include <reelsd/base/unique_fd.hpp>
#include <reelsd/platform/downloader.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

namespace reelsd::platform {
namespace {

constexpr int tries_max = 3;
constexpr int redirects_max = 3;
/// The media servers explain a refusal in one line.
constexpr std::size_t explanation_bytes_max = 4096;
constexpr std::size_t copy_bytes = std::size_t{64} * 1024;

error storage_error(const char* doing, int number) {
    return error{errc::storage_failed, std::string{doing} + ": " + errno_text(number)};
}

bool equals_at(std::span<const std::byte> bytes, std::size_t offset, std::string_view text) {
    return bytes.size() >= offset + text.size() &&
           std::memcmp(bytes.data() + offset, text.data(), text.size()) == 0;
}

/// MP4 and MOV begin with an `ftyp` box, WebM with EBML's magic number.
bool is_video_start(std::span<const std::byte> start) {
    return equals_at(start, 4, "ftyp") || equals_at(start, 0, "\x1a\x45\xdf\xa3");
}

/// A video that is being written: limits its size, hashes it and checks its first bytes. Removed on
/// destruction unless finish() succeeded. Errors of all members: storage_failed, and as noted.
class video_file {
public:
    static result<video_file> create(const std::filesystem::path& target, std::uint64_t bytes_max) {
        constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW;
        unique_fd file{::open(target.c_str(), flags, S_IRUSR | S_IWUSR)};
        if (!file) return storage_error("creating the video file", errno);
        return video_file{target, std::move(file), bytes_max};
    }

    video_file(video_file&& other) noexcept = default;
    ~video_file() {
        if (!file_) return;
        // Only a regular file is removed, not a device that was passed as the target.
        struct stat about = {};
        if (::fstat(file_.get(), &about) == 0 && S_ISREG(about.st_mode)) ::unlink(target_.c_str());
    }

    /// Also video_too_large, and unsupported_format if the first bytes are not those of a video.
    result<void> append(std::span<const std::byte> piece) {
        if (piece.size() > bytes_max_ - size_)
            return error{
                errc::video_too_large, "more than " + std::to_string(bytes_max_) + " bytes"};
        if (const auto checked = check_start(piece); !checked) return checked.error();
        if (write_all(file_.get(), piece) != piece.size())
            return storage_error("writing the video file", errno);
        digest_.add(piece);
        size_ += piece.size();
        return {};
    }

    /// Back to an empty file.
    result<void> restart() {
        if (::ftruncate(file_.get(), 0) != 0 || ::lseek(file_.get(), 0, SEEK_SET) != 0)
            return storage_error("emptying the video file", errno);
        digest_.restart();
        size_ = 0;
        return {};
    }

    /// Also unsupported_format when the file is too short to be a video.
    result<media_file> finish() {
        if (size_ < start_.size())
            return error{errc::unsupported_format, "the file is too short to be a video"};
        // Some file systems report a full disk only now.
        if (::close(file_.release()) != 0) {
            const int number = errno;
            ::unlink(target_.c_str());
            return storage_error("closing the video file", number);
        }
        return media_file{.file = target_, .size_bytes = size_, .sha256 = digest_.hex()};
    }

    [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
    [[nodiscard]] std::uint64_t bytes_max() const noexcept { return bytes_max_; }

private:
    video_file(std::filesystem::path target, unique_fd file, std::uint64_t bytes_max)
        : target_{std::move(target)}, file_{std::move(file)}, bytes_max_{bytes_max} {}

    result<void> check_start(std::span<const std::byte> piece) {
        if (size_ >= start_.size()) return {};
        const auto have = static_cast<std::size_t>(size_);
        const auto added = std::min(piece.size(), start_.size() - have);
        std::copy_n(piece.begin(), added, start_.begin() + static_cast<std::ptrdiff_t>(have));
        if (have + added == start_.size() && !is_video_start(start_))
            return error{errc::unsupported_format, "the file is not an MP4, MOV or WebM"};
        return {};
    }

    std::filesystem::path target_;
    unique_fd file_;
    std::uint64_t bytes_max_;
    std::uint64_t size_ = 0;
    std::array<std::byte, 8> start_{};
    file_digest digest_;
};

bool is_signature_refusal(std::string_view explanation) {
    constexpr std::array<std::string_view, 3> openings{
        "URL signature expired", "Bad URL", "Invalid URL"};
    return std::any_of(openings.begin(), openings.end(), [&](std::string_view opening) {
        return explanation.find(opening) != std::string_view::npos;
    });
}

/// Downloads one video with up to `tries_max` requests, each resuming the previous one.
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

    /// One request. Empty when another request may resume it; `last_` is then the reason.
    result<maybe_outcome> try_once(video_file& file, deadline by, const std::stop_token& stop) {
        status_ = 0;
        explanation_.clear();
        const auto answer = client_.send(request_for(file), by, stop);
        if (!answer && answer.error().code() == errc::invalid_argument)
            return error{errc::address_refused, "media: " + answer.error().detail()};
        if (!answer && answer.error().code() == errc::cancelled) return answer.error();
        if (status_ == 416) return on_range_refused(file);
        const bool has_body = status_ == 200 || status_ == 206;
        if (status_ != 0 && !has_body) return refusal();
        if (answer && is_whole(file)) return done(file);

        last_ =
            answer ? error{errc::connection_failed, "body shorter than announced"} : answer.error();
        // Without a part of the body there is nothing to resume; other errors would repeat.
        if (!has_body || last_.code() != errc::connection_failed) return last_;
        return maybe_outcome{};
    }

    /// The requested range begins after the end: the file is complete, or has changed.
    result<maybe_outcome> on_range_refused(video_file& file) {
        if (total_ == file.size()) return done(file);
        last_ = error{errc::connection_failed, "the server does not resume the download"};
        if (const auto emptied = file.restart(); !emptied) return emptied.error();
        return maybe_outcome{};
    }

    net::http_request request_for(video_file& file) {
        // No cookies: these servers require only the signature in the query.
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
        if (status_ == 200) return begin_body(head, file);
        if (status_ == 206) return resume_body(head, file);
        return {};
    }

    result<void> begin_body(const net::response_head& head, video_file& file) {
        if (file.size() > 0) {
            if (auto emptied = file.restart(); !emptied) return emptied;
        }
        const auto length = head.headers.find("Content-Length");
        total_ = length ? parse_number<std::uint64_t>(*length) : std::nullopt;
        const auto etag = head.headers.find("ETag").value_or("");
        etag_ = etag.starts_with('"') ? std::string{etag} : std::string{};
        return check_total(file);
    }

    result<void> resume_body(const net::response_head& head, video_file& file) {
        const auto text = head.headers.find("Content-Range");
        const auto range = text ? net::content_range_from(*text) : std::nullopt;
        const bool is_same_file = range && (!total_ || *total_ == range->total);
        if (!is_same_file || range->from != file.size()) {
            if (auto emptied = file.restart(); !emptied) return emptied;
            return error{errc::connection_failed, "the server resumed a different file"};
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
        return error{errc::connection_failed, "long explanation"};  // refusal() needs no more.
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

    /// The outcome of a status other than 200 and 206.
    [[nodiscard]] result<maybe_outcome> refusal() const {
        const auto detail = "media server answered " + std::to_string(status_);
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

    int status_ = 0;  ///< Status of the response being received; 0 before its head.
    std::string explanation_;
    std::optional<std::uint64_t> total_;
    std::string etag_;
    error last_{errc::internal, "no request made"};
};

result<download_outcome> copy_local(
    const std::filesystem::path& from, video_file file, deadline by, const std::stop_token& stop) {
    const unique_fd source{::open(from.c_str(), O_RDONLY | O_CLOEXEC)};
    if (!source) return error{errc::internal, "cannot open the sample video"};
    while (true) {
        if (stop.stop_requested()) return error{errc::cancelled};
        if (by.passed()) return error{errc::timed_out, "copying the sample video"};
        const auto piece = read_at_most(source.get(), copy_bytes);
        if (!piece) return error{errc::internal, "cannot read the sample video"};
        if (piece->empty()) break;
        const auto written = file.append(std::as_bytes(std::span{*piece}));
        if (!written) return written.error();
    }
    auto finished = file.finish();
    if (!finished) return finished.error();
    return download_outcome{*std::move(finished)};
}

}  // namespace

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

    // A finished file has at least 8 bytes, so the limit for the second is below bytes_max.
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
    if (!source) return error{errc::storage_failed, "cannot open the muxed file"};
    file_digest digest;
    std::uint64_t size = 0;
    while (true) {
        const auto piece = read_at_most(source.get(), copy_bytes);
        if (!piece) return error{errc::storage_failed, "cannot read the muxed file"};
        if (piece->empty()) break;
        size += piece->size();
        digest.add(*piece);
    }
    return media_file{.file = file, .size_bytes = size, .sha256 = digest.hex()};
}

result<media_file> write_video(
    const std::filesystem::path& target, std::uint64_t bytes_max,
    const std::function<result<std::vector<std::byte>>()>& next) {
    auto file = video_file::create(target, bytes_max);
    if (!file) return file.error();
    for (;;) {
        const auto piece = next();
        if (!piece) return piece.error();
        if (piece->empty()) return file->finish();
        if (const auto added = file->append(*piece); !added) return added.error();
    }
}

}  // namespace reelsd::platform
