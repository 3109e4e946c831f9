#include "child_document.hpp"
#include <reelsd/base/invariant.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/base/unique_fd.hpp>
#include <reelsd/media/media_client.hpp>
#include <reelsd/process/child_run.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

namespace reelsd::media {
namespace {

/// How much longer than the limit a video may be (a quarter of a second), and the sound of it that
/// the helper keeps (a second).
constexpr double duration_slack = 1;

/// A full report measured 60 KB (`bounds::result_bytes_max` is ten times that); past eight times
/// that bound it is not reporting.
constexpr std::size_t report_bytes_max = std::size_t{8} * 1024 * 1024;

/// All that the child may know of ours. One thread for OpenMP inside Tesseract, few heaps for
/// malloc: both count against the jail's bounds.
const std::vector<std::string>& child_environment() {
    static const std::vector<std::string> environment{
        "PATH=/usr/bin:/bin", "LC_ALL=C", "OMP_THREAD_LIMIT=1", "MALLOC_ARENA_MAX=2"};
    return environment;
}

/// A file that a child fills: created or emptied (mode 0600), and removed again unless it is kept.
class output_file {
public:
    /// storage_failed.
    static result<output_file> create(const std::filesystem::path& path) {
        unique_fd file{::open(
            path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR)};
        if (!file) {
            return error{
                errc::storage_failed,
                "creating the media helper's output: " + std::generic_category().message(errno)};
        }
        return output_file{std::move(file), path};
    }

    output_file(output_file&& other) noexcept = default;
    output_file& operator=(output_file&&) = delete;
    output_file(const output_file&) = delete;
    output_file& operator=(const output_file&) = delete;
    ~output_file() {
        if (!file_ || path_.empty()) return;
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }

    [[nodiscard]] int descriptor() const noexcept { return file_.get(); }

    /// media_failed unless it has the size that the child reports.
    result<void> keep(std::uint64_t bytes) {
        struct stat about {};
        if (::fstat(file_.get(), &about) != 0 || !std::cmp_equal(about.st_size, bytes)) {
            return error{
                errc::media_failed, "the media helper's output has another size than reported"};
        }
        path_.clear();
        return {};
    }

private:
    output_file(unique_fd file, std::filesystem::path path) noexcept
        : file_{std::move(file)}, path_{std::move(path)} {}

    unique_fd file_;
    std::filesystem::path path_;  ///< Empty once it is kept.
};

std::string listed(std::span<const double> numbers) {
    std::string list;
    for (const double one : numbers) {
        if (!list.empty()) list.append(",");
        list.append(std::to_string(one));
    }
    return list;
}

}  // namespace

/// One of the places, given back at the end of the scope.
class media_client::turn {
public:
    turn(places& among, deadline by, const std::stop_token& stop) : among_{among} {
        std::unique_lock lock{among.mutex};
        held_ = among.freed.wait_until(
            lock, stop, by.when(), [&among] { return among.taken < among.most; });
        if (held_) ++among.taken;
    }
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;
    ~turn() {
        if (!held_) return;
        {
            const std::scoped_lock lock{among_.mutex};
            --among_.taken;
        }
        among_.freed.notify_one();
    }

    [[nodiscard]] bool held() const noexcept { return held_; }

private:
    places& among_;
    bool held_ = false;
};

media_client::media_client(media_options options) : options_{std::move(options)} {
    invariant(!options_.helper.empty());
    invariant(options_.seconds_max > 0);
    const auto cores = std::max(1U, std::thread::hardware_concurrency());
    analyses_.most = options_.analyses_at_once == 0 ? cores : options_.analyses_at_once;
    // Places of their own: a probe of a tenth of a second does not wait for analyses of a minute.
    short_calls_.most = 2 * analyses_.most;
}

template <class Report>
result<Report> media_client::report_of(
    places& among, std::vector<std::string> arguments, result<Report> (*read)(const json&),
    deadline by, const std::stop_token& stop) const {
    const auto document = ask_in_turn(among, std::move(arguments), by, stop);
    if (!document) return document.error();
    return read(*document);
}

result<probe_report> media_client::probe(
    const std::filesystem::path& video, deadline by, const std::stop_token& stop) const {
    return report_of(short_calls_, about("probe", video), probe_report_from_json, by, stop);
}

result<analysis_report> media_client::analyze(
    const std::filesystem::path& video, deadline by, const std::stop_token& stop) const {
    return report_of(analyses_, about("analyze", video), analysis_report_from_json, by, stop);
}

result<thumbnail_report> media_client::thumbnail(
    const std::filesystem::path& video, deadline by, const std::stop_token& stop) const {
    return report_of(short_calls_, about("thumbnail", video), thumbnail_report_from_json, by, stop);
}

result<void> media_client::join(
    const std::filesystem::path& video, const std::filesystem::path& sound,
    const std::filesystem::path& target, deadline by, const std::stop_token& stop) const {
    auto output = output_file::create(target);
    if (!output) return output.error();
    auto arguments = about("join", video);
    arguments.insert(arguments.end(), {"--sound", sound.string()});
    const auto document =
        ask_in_turn(short_calls_, std::move(arguments), by, stop, output->descriptor());
    if (!document) return document.error();
    const auto report = output_report_from_json(*document);
    if (!report) return report.error();
    return output->keep(report->bytes);
}

result<frames_report> media_client::frames(
    const std::filesystem::path& video, const std::filesystem::path& target,
    const frame_request& wanted, deadline by, const std::stop_token& stop) const {
    auto output = output_file::create(target);
    if (!output) return output.error();
    auto arguments = about("frames", video);
    arguments.insert(
        arguments.end(),
        {"--per-second",
         std::to_string(wanted.per_second),
         "--count-max",
         std::to_string(wanted.count_max),
         "--long-edge",
         std::to_string(wanted.long_edge)});
    const auto document =
        ask_in_turn(analyses_, std::move(arguments), by, stop, output->descriptor());
    if (!document) return document.error();
    auto report = frames_report_from_json(*document);
    if (!report) return report;
    const auto& last = report->frames.back();
    if (report->frames.size() > wanted.count_max ||
        last.seconds > options_.seconds_max + duration_slack) {
        return error{errc::media_failed, "the media helper made other pictures than requested"};
    }
    const auto kept = output->keep(last.offset + last.bytes);
    if (!kept) return kept.error();
    return report;
}

result<std::optional<sound_report>> media_client::sound(
    const std::filesystem::path& video, const std::filesystem::path& target, deadline by,
    const std::stop_token& stop) const {
    auto output = output_file::create(target);
    if (!output) return output.error();
    const auto document =
        ask_in_turn(short_calls_, about("sound", video), by, stop, output->descriptor());
    if (!document) return document.error();
    auto report = sound_report_from_json(*document);
    if (!report || !report->has_value()) return report;
    if ((*report)->seconds > options_.seconds_max + duration_slack) {
        return error{errc::media_failed, "the media helper made more sound than a video may have"};
    }
    const auto kept = output->keep((*report)->bytes);
    if (!kept) return kept.error();
    return report;
}

result<check_report> media_client::check(
    const std::filesystem::path& video, std::vector<double> at_seconds, deadline by,
    const std::stop_token& stop) const {
    std::ranges::sort(at_seconds);
    auto arguments = about("check", video);
    if (!at_seconds.empty()) arguments.insert(arguments.end(), {"--at", listed(at_seconds)});
    // The sound alone takes as long as a probe.
    auto& among = at_seconds.empty() ? short_calls_ : analyses_;
    const auto document = ask_in_turn(among, std::move(arguments), by, stop);
    if (!document) return document.error();
    return check_report_from_json(*document, at_seconds);
}

result<void> media_client::transcode(
    const std::filesystem::path& video, const std::filesystem::path& target, deadline by,
    const std::stop_token& stop) const {
    auto output = output_file::create(target);
    if (!output) return output.error();
    const auto document =
        ask_in_turn(analyses_, about("transcode", video), by, stop, output->descriptor());
    if (!document) return document.error();
    const auto report = output_report_from_json(*document);
    if (!report) return report.error();
    return output->keep(report->bytes);
}

result<json> media_client::doctor(deadline by, const std::stop_token& stop) const {
    return ask({"doctor"}, by, stop);
}

result<jail_report> media_client::examine_jail(deadline by, const std::stop_token& stop) const {
    const auto document = ask({"jail"}, by, stop);
    if (!document) return document.error();
    return jail_report_from_json(*document);
}

std::vector<std::string> media_client::about(
    const char* command, const std::filesystem::path& video) const {
    return {
        command, "--video", video.string(), "--seconds-max", std::to_string(options_.seconds_max)};
}

result<json> media_client::ask_in_turn(
    places& among, std::vector<std::string> arguments, deadline by, const std::stop_token& stop,
    int output) const {
    const turn mine{among, by, stop};
    if (mine.held()) return ask(std::move(arguments), by, stop, output);
    if (stop.stop_requested()) return error{errc::cancelled, "stopped before its turn"};
    return error{errc::timed_out, "no place was free for another media helper before the deadline"};
}

result<json> media_client::ask(
    std::vector<std::string> arguments, deadline by, const std::stop_token& stop,
    int output) const {
    // The child compares: a daemon that died before the child could ask to die with it is noticed
    // too.
    arguments.insert(
        arguments.end(),
        {"--parent", std::to_string(getpid()), "--jail", std::string{name_of(options_.jail)}});
    if (!options_.tessdata.empty()) {
        arguments.insert(arguments.end(), {"--tessdata", options_.tessdata.string()});
    }
    if (!options_.speech_model.empty()) {
        arguments.insert(arguments.end(), {"--speech-model", options_.speech_model.string()});
    }
    return document_of(process::run_child(
        {.program = options_.helper.string(),
         .arguments = std::move(arguments),
         .environment = child_environment(),
         .passed = output,
         .output_bytes_max = report_bytes_max},
        by,
        stop));
}

}  // namespace reelsd::media
