#include "child_document.hpp"
#include "target_file.hpp"
#include <reelsd/base/invariant.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/media/media_client.hpp>
#include <reelsd/process/child_run.hpp>

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <span>
#include <string_view>
#include <thread>
#include <utility>

namespace reelsd::media {
namespace {

/// How much longer than the limit a video may be (a quarter of a second), and the sound of it that
/// the helper keeps (a second).
constexpr double seconds_slack = 1;

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

error wrong_size() {
    return error{errc::media_failed, "the media helper's file has another size than was told"};
}

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

result<probe_report> media_client::probe(
    const std::filesystem::path& video, deadline by, const std::stop_token& stop) const {
    const auto told = ask_in_turn(short_calls_, about("probe", video), by, stop);
    if (!told) return told.error();
    return probe_report_from_json(*told);
}

result<analysis_report> media_client::analyze(
    const std::filesystem::path& video, deadline by, const std::stop_token& stop) const {
    const auto told = ask_in_turn(analyses_, about("analyze", video), by, stop);
    if (!told) return told.error();
    return analysis_report_from_json(*told);
}

result<thumbnail_report> media_client::thumbnail(
    const std::filesystem::path& video, deadline by, const std::stop_token& stop) const {
    const auto told = ask_in_turn(short_calls_, about("thumbnail", video), by, stop);
    if (!told) return told.error();
    return thumbnail_report_from_json(*told);
}

result<void> media_client::join(
    const std::filesystem::path& video, const std::filesystem::path& sound,
    const std::filesystem::path& target, deadline by, const std::stop_token& stop) const {
    auto made = target_file::create(target);
    if (!made) return made.error();
    auto arguments = about("join", video);
    arguments.insert(arguments.end(), {"--sound", sound.string()});
    const auto told = ask_in_turn(short_calls_, std::move(arguments), by, stop, made->descriptor());
    if (!told) return told.error();
    const auto report = joined_report_from_json(*told);
    if (!report) return report.error();
    if (!made->has_size(static_cast<std::uint64_t>(report->size_bytes))) return wrong_size();
    made->keep();
    return {};
}

result<frames_report> media_client::frames(
    const std::filesystem::path& video, const std::filesystem::path& target,
    const frame_request& wanted, deadline by, const std::stop_token& stop) const {
    auto made = target_file::create(target);
    if (!made) return made.error();
    auto arguments = about("frames", video);
    arguments.insert(
        arguments.end(),
        {"--per-second",
         std::to_string(wanted.per_second),
         "--count-max",
         std::to_string(wanted.count_max),
         "--long-edge",
         std::to_string(wanted.long_edge)});
    const auto told = ask_in_turn(analyses_, std::move(arguments), by, stop, made->descriptor());
    if (!told) return told.error();
    auto report = frames_report_from_json(*told);
    if (!report) return report;
    const auto& last = report->frames.back();
    if (report->frames.size() > wanted.count_max ||
        last.seconds > options_.seconds_max + seconds_slack) {
        return error{
            errc::media_failed, "the media helper made other pictures than were asked for"};
    }
    if (!made->has_size(last.offset + last.bytes)) return wrong_size();
    made->keep();
    return report;
}

result<std::optional<sound_report>> media_client::sound(
    const std::filesystem::path& video, const std::filesystem::path& target, deadline by,
    const std::stop_token& stop) const {
    auto made = target_file::create(target);
    if (!made) return made.error();
    const auto told =
        ask_in_turn(short_calls_, about("sound", video), by, stop, made->descriptor());
    if (!told) return told.error();
    auto report = sound_report_from_json(*told);
    if (!report || !report->has_value()) return report;
    if ((*report)->seconds > options_.seconds_max + seconds_slack) {
        return error{errc::media_failed, "the media helper made more sound than a video may have"};
    }
    if (!made->has_size((*report)->bytes)) return wrong_size();
    made->keep();
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
    const auto told = ask_in_turn(among, std::move(arguments), by, stop);
    if (!told) return told.error();
    return check_report_from_json(*told, at_seconds);
}

result<transcoded_report> media_client::transcode(
    const std::filesystem::path& video, const std::filesystem::path& target, deadline by,
    const std::stop_token& stop) const {
    auto made = target_file::create(target);
    if (!made) return made.error();
    const auto told =
        ask_in_turn(analyses_, about("transcode", video), by, stop, made->descriptor());
    if (!told) return told.error();
    auto report = transcoded_report_from_json(*told);
    if (!report) return report;
    if (!made->has_size(report->bytes)) return wrong_size();
    made->keep();
    return report;
}

result<json> media_client::doctor(deadline by, const std::stop_token& stop) const {
    return ask({"doctor"}, by, stop);
}

result<jail_report> media_client::examine_jail(deadline by, const std::stop_token& stop) const {
    const auto told = ask({"jail"}, by, stop);
    if (!told) return told.error();
    return jail_report_from_json(*told);
}

std::vector<std::string> media_client::about(
    const char* command, const std::filesystem::path& video) const {
    return {
        command, "--video", video.string(), "--seconds-max", std::to_string(options_.seconds_max)};
}

result<json> media_client::ask_in_turn(
    places& among, std::vector<std::string> arguments, deadline by, const std::stop_token& stop,
    int standard_input) const {
    const turn mine{among, by, stop};
    if (mine.held()) return ask(std::move(arguments), by, stop, standard_input);
    if (stop.stop_requested()) return error{errc::cancelled, "stopped before its turn"};
    return error{errc::timed_out, "no place was free for another media helper before the deadline"};
}

result<json> media_client::ask(
    std::vector<std::string> arguments, deadline by, const std::stop_token& stop,
    int standard_input) const {
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
         .standard_input = standard_input,
         .output_bytes_max = report_bytes_max},
        by,
        stop));
}

}  // namespace reelsd::media
