#include "child_document.hpp"
#include <reelsd/base/invariant.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/base/unique_fd.hpp>
#include <reelsd/media/media_client.hpp>
#include <reelsd/process/child_run.hpp>

#include <boost/core/noncopyable.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <span>
#include <system_error>
#include <thread>
#include <utility>

namespace reelsd::media {
namespace {

/// Upper bound on how much a video (0.25 s) and its sound (1 s) may exceed the limit.
constexpr double duration_slack = 1;

/// A full report has 60 KB, a tenth of `bounds::result_bytes_max`. This is eight times that bound.
constexpr std::size_t report_bytes_max = std::size_t{8} * 1024 * 1024;

/// The child's whole environment. The arenas of malloc count against the jail's limits. From 1.30
/// on, ONNX Runtime uploads telemetry unless this disables it; reelsd ships an older one, but may
/// run with that of a distribution.
const std::vector<std::string>& child_environment() {
    static const std::vector<std::string> environment{
        "PATH=/usr/bin:/bin", "LC_ALL=C", "ORT_DISABLE_TELEMETRY=1", "MALLOC_ARENA_MAX=2"};
    return environment;
}

/// A file that a child writes: created or truncated (mode 0600), and removed unless it is kept.
class output_file {
public:
    /// `storage_failed`.
    static result<output_file> create(const std::filesystem::path& path) {
        unique_fd file{::open(
            path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR)};
        if (!file) {
            return error{
                errc::storage_failed, "creating the media helper's output: " + errno_text(errno)};
        }
        return output_file{std::move(file), path};
    }

    output_file(output_file&& other) noexcept = default;
    ~output_file() {
        if (!file_ || path_.empty()) return;
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }

    [[nodiscard]] int descriptor() const noexcept { return file_.get(); }

    /// `media_failed` unless it has the size that the child reports.
    result<void> keep(std::uint64_t bytes) {
        struct stat about = {};
        if (::fstat(file_.get(), &about) != 0 || !std::cmp_equal(about.st_size, bytes)) {
            return error{
                errc::media_failed,
                "the size of the media helper's output differs from its report"};
        }
        path_.clear();
        return {};
    }

private:
    output_file(unique_fd file, std::filesystem::path path) noexcept
        : file_{std::move(file)}, path_{std::move(path)} {}

    unique_fd file_;
    std::filesystem::path path_;  ///< Empty once the file is kept.
};

std::string listed(std::span<const double> numbers) {
    std::string list;
    for (const double number : numbers) {
        list.append(list.empty() ? "" : ",").append(std::to_string(number));
    }
    return list;
}

}  // namespace

/// Occupies a slot of a limiter for its scope.
class media_client::slot : boost::noncopyable {
public:
    /// `among` may be null, for a call without a limit.
    slot(limiter* among, deadline by, const std::stop_token& stop) : among_{among} {
        if (among == nullptr) return;
        std::unique_lock lock{among->mutex};
        held_ = among->freed.wait_until(
            lock, stop, by.when(), [among] { return among->running < among->running_max; });
        if (held_) ++among->running;
    }
    ~slot() {
        if (among_ == nullptr || !held_) return;
        {
            const std::scoped_lock lock{among_->mutex};
            --among_->running;
        }
        among_->freed.notify_one();
    }

    /// False when stopped or at the deadline.
    [[nodiscard]] bool held() const noexcept { return held_; }

private:
    limiter* among_;
    bool held_ = true;
};

media_client::media_client(media_options options) : options_{std::move(options)} {
    invariant(!options_.helper.empty());
    invariant(options_.seconds_max > 0);
    const auto cores = std::max(1U, std::thread::hardware_concurrency());
    analyses_.running_max = options_.analyses_at_once == 0 ? cores : options_.analyses_at_once;
    // Separate, so that a probe of 0.1 s does not wait for analyses of a minute.
    short_calls_.running_max = 2 * analyses_.running_max;
}

media_client::call media_client::call_for(
    const char* command, limiter& among, const std::filesystem::path& video, deadline by,
    const std::stop_token& stop) const {
    return {
        .among = &among,
        .arguments =
            {command,
             "--video",
             video.string(),
             "--seconds-max",
             std::to_string(options_.seconds_max)},
        .by = by,
        .stop = stop};
}

template <class Report>
result<Report> media_client::report_of(call request, result<Report> (*read)(const json&)) const {
    const auto document = run(std::move(request));
    if (!document) return document.error();
    return read(*document);
}

template <class Report, class BytesOf>
result<Report> media_client::file_report_of(
    call request, const std::filesystem::path& target, result<Report> (*read)(const json&),
    BytesOf bytes_of) const {
    auto output = output_file::create(target);
    if (!output) return output.error();
    request.output = output->descriptor();
    const auto document = run(std::move(request));
    if (!document) return document.error();
    auto report = read(*document);
    if (!report) return report;
    const result<std::uint64_t> bytes = bytes_of(*report);
    if (!bytes) return bytes.error();
    if (*bytes == 0) return report;
    const auto kept = output->keep(*bytes);
    if (!kept) return kept.error();
    return report;
}

result<void> media_client::write_video(call request, const std::filesystem::path& target) const {
    const auto report = file_report_of(
        std::move(request), target, output_report_from_json, [](const output_report& file) {
            return file.bytes;
        });
    if (!report) return report.error();
    return {};
}

result<probe_report> media_client::probe(
    const std::filesystem::path& video, deadline by, const std::stop_token& stop) const {
    return report_of(call_for("probe", short_calls_, video, by, stop), probe_report_from_json);
}

result<analysis_report> media_client::analyze(
    const std::filesystem::path& video, deadline by, const std::stop_token& stop,
    const moment_chooser& choose) const {
    auto request = call_for("analyze", analyses_, video, by, stop);
    if (!choose) return report_of(std::move(request), analysis_report_from_json);
    std::optional<result<analysis_report>> report;
    std::vector<double> moments;
    request.arguments.insert(
        request.arguments.end(), {"--stills-max", std::to_string(report_bounds::stills_max)});
    request.reply = [&](std::string_view output) {
        const auto document = document_of({.output = std::string{output}, .error_output = {}});
        report = document ? analysis_report_from_json(*document)
                          : result<analysis_report>{document.error()};
        if (*report) moments = choose(**report);
        return listed(moments);
    };
    const auto rest = run(std::move(request));
    if (!report && rest) report = analysis_report_from_json(*rest);
    // A child that fails after its report has lost only the stills.
    const bool is_over = !report || (!rest && rest.error().code() == errc::cancelled);
    if (is_over) return rest.error();
    if (!*report || !rest || moments.empty()) return *std::move(report);
    auto pictures = stills_report_from_json(*rest, moments.size());
    if (pictures) (*report)->stills = std::move(pictures->jpegs);
    return *std::move(report);
}

result<thumbnail_report> media_client::thumbnail(
    const std::filesystem::path& video, deadline by, const std::stop_token& stop) const {
    return report_of(
        call_for("thumbnail", short_calls_, video, by, stop), thumbnail_report_from_json);
}

result<void> media_client::join(
    const std::filesystem::path& video, const std::filesystem::path& sound,
    const std::filesystem::path& target, deadline by, const std::stop_token& stop) const {
    auto request = call_for("join", short_calls_, video, by, stop);
    request.arguments.insert(request.arguments.end(), {"--sound", sound.string()});
    return write_video(std::move(request), target);
}

result<frames_report> media_client::frames(
    const std::filesystem::path& video, const std::filesystem::path& target,
    const frame_request& frames, deadline by, const std::stop_token& stop) const {
    auto request = call_for("frames", analyses_, video, by, stop);
    request.arguments.insert(
        request.arguments.end(),
        {"--per-second",
         std::to_string(frames.per_second),
         "--count-max",
         std::to_string(frames.count_max),
         "--long-edge",
         std::to_string(frames.long_edge)});
    const auto bytes_of = [&](const frames_report& report) -> result<std::uint64_t> {
        const auto& last = report.frames.back();
        if (report.frames.size() > frames.count_max ||
            last.seconds > options_.seconds_max + duration_slack) {
            return error{errc::media_failed, "the media helper's pictures differ from the request"};
        }
        return last.offset + last.bytes;
    };
    return file_report_of(std::move(request), target, frames_report_from_json, bytes_of);
}

result<stills_report> media_client::stills(
    const std::filesystem::path& video, const std::vector<double>& at_seconds, deadline by,
    const std::stop_token& stop) const {
    auto request = call_for("stills", analyses_, video, by, stop);
    request.arguments.insert(request.arguments.end(), {"--at", listed(at_seconds)});
    const auto document = run(std::move(request));
    if (!document) return document.error();
    return stills_report_from_json(*document, at_seconds.size());
}

result<std::optional<sound_report>> media_client::sound(
    const std::filesystem::path& video, const std::filesystem::path& target, deadline by,
    const std::stop_token& stop) const {
    const auto bytes_of =
        [this](const std::optional<sound_report>& report) -> result<std::uint64_t> {
        if (!report) return std::uint64_t{0};
        if (report->seconds <= options_.seconds_max + duration_slack) return report->bytes;
        return error{errc::media_failed, "the media helper's sound exceeds the limit of videos"};
    };
    return file_report_of(
        call_for("sound", short_calls_, video, by, stop), target, sound_report_from_json, bytes_of);
}

result<check_report> media_client::check(
    const std::filesystem::path& video, std::vector<double> at_seconds, deadline by,
    const std::stop_token& stop) const {
    std::ranges::sort(at_seconds);
    // Without pictures it takes as long as a probe.
    auto& among = at_seconds.empty() ? short_calls_ : analyses_;
    auto request = call_for("check", among, video, by, stop);
    if (!at_seconds.empty())
        request.arguments.insert(request.arguments.end(), {"--at", listed(at_seconds)});
    const auto document = run(std::move(request));
    if (!document) return document.error();
    return check_report_from_json(*document, at_seconds);
}

result<audio_report> media_client::listen(
    const std::filesystem::path& video, deadline by, const std::stop_token& stop) const {
    return report_of(call_for("listen", analyses_, video, by, stop), audio_report_from_json);
}

result<void> media_client::transcode(
    const std::filesystem::path& video, const std::filesystem::path& target, deadline by,
    const std::stop_token& stop) const {
    return write_video(call_for("transcode", analyses_, video, by, stop), target);
}

result<json> media_client::doctor(deadline by, const std::stop_token& stop) const {
    return run({.arguments = {"doctor"}, .by = by, .stop = stop});
}

result<jail_report> media_client::examine_jail(deadline by, const std::stop_token& stop) const {
    const auto document = run({.arguments = {"jail"}, .by = by, .stop = stop});
    if (!document) return document.error();
    return jail_report_from_json(*document);
}

result<json> media_client::run(call request) const {
    const slot occupied{request.among, request.by, request.stop};
    if (!occupied.held()) {
        if (request.stop.stop_requested()) return error{errc::cancelled, "stopped while waiting"};
        return error{errc::timed_out, "no slot for a media helper was free before the deadline"};
    }
    auto& arguments = request.arguments;
    // The child compares its parent with this ID, to notice a daemon that has already died.
    arguments.insert(
        arguments.end(),
        {"--parent", std::to_string(getpid()), "--jail", std::string{name_of(options_.jail)}});
    if (!options_.text_models.empty()) {
        arguments.insert(arguments.end(), {"--text-models", options_.text_models.string()});
    }
    if (!options_.speech_models.empty()) {
        arguments.insert(arguments.end(), {"--speech-models", options_.speech_models.string()});
    }
    return document_of(process::run_child(
        {.program = options_.helper.string(),
         .arguments = std::move(arguments),
         .environment = child_environment(),
         .passed = request.output,
         .output_bytes_max = report_bytes_max,
         .reply = std::move(request.reply)},
        request.by,
        request.stop));
}

std::string_view video_mime_type(const std::filesystem::path& file) {
    constexpr std::string_view matroska{"\x1A\x45\xDF\xA3", 4};
    std::array<char, 4> begin{};
    std::ifstream{file, std::ios::binary}.read(begin.data(), begin.size());
    const bool is_matroska = std::string_view{begin.data(), begin.size()} == matroska;
    return is_matroska ? "video/webm" : "video/mp4";
}

}  // namespace reelsd::media
