#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/json_fwd.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/media/jail_report.hpp>
#include <reelsd/media/report.hpp>

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace reelsd::media {

struct media_options {
    /// The program `reelsd-media`.
    std::filesystem::path helper;
    /// Longer videos are `video_too_long`; over 0. The helper's time on a core is bounded by it
    /// too.
    double seconds_max = 90;
    /// Folders of Tesseract's and pocketsphinx's models; empty: where Debian puts them.
    std::filesystem::path tessdata{};
    std::filesystem::path speech_model{};
    /// How many analyses, and other calls that decode pictures for seconds, run at once: an
    /// analysis keeps two cores busy, the others one. 0: as many as the machine has cores. Twice as
    /// many of the short calls (probe, thumbnail, sound, join) run besides them. So there are at
    /// most three children for each of these analyses, each of at most 500 MiB of writable memory.
    unsigned analyses_at_once = 0;
    /// What the helper does where its jail is incomplete.
    jail_policy jail = jail_policy::require;
};

/// Asks `reelsd-media` about video files: starts one jailed child a question, bounds what it may
/// take and say, and turns its end into a result. Safe to use from any number of threads at once;
/// each call blocks its thread and leaves neither process nor descriptor behind.
///
/// A child lives at most until the deadline, a stop request (it is dead within 100 ms) or the end
/// of this process, whichever comes first. It inherits no descriptor and no environment: no key
/// reaches it.
///
/// Every call's errors:
/// - what the child finds: `video_too_long`, `unsupported_format` (no video, or not to be decoded);
/// - `unsupported_format` too when the file kills or hangs its reader: the child died of a signal
///   or a limit, said more than 8 MiB, or was computing when the deadline passed. The detail names
///   which;
/// - `media_failed`: the helper could not be started, does not know its arguments, lacks a model,
///   cannot open the file, or its document makes no sense. The detail ends with what it wrote to
///   standard error;
/// - `timed_out`: the deadline passed before a place was free, or while the child got no time on a
///   core (a crowded machine: worth another try);
/// - `cancelled`: `stop` was requested;
/// - `conflict`: the jail is incomplete, and `media_options::jail` asks for more. The video was not
///   read, and another try on this machine ends in the same way.
class media_client {
public:
    explicit media_client(media_options options);

    /// Container and first frame; well under a second. Callers pass at most
    /// `bounds::probe_time_max`.
    [[nodiscard]] result<probe_report> probe(
        const std::filesystem::path& video, deadline by, const std::stop_token& stop) const;

    /// The whole analysis, with what probe() and thumbnail() find. Waits while `analyses_at_once`
    /// others run. Callers pass at most `bounds::local_analysis_time_max`.
    [[nodiscard]] result<analysis_report> analyze(
        const std::filesystem::path& video, deadline by, const std::stop_token& stop) const;

    /// A representative picture of the first seconds as a JPEG within `report_bounds`; about a
    /// second. Callers pass at most `bounds::thumbnail_time_max`.
    [[nodiscard]] result<thumbnail_report> thumbnail(
        const std::filesystem::path& video, deadline by, const std::stop_token& stop) const;

    /// Puts a file of picture and a file of sound together in `target` (created or overwritten,
    /// mode 0600; removed again on failure), without decoding either. Also storage_failed. Callers
    /// pass at most `bounds::probe_time_max`.
    [[nodiscard]] result<void> join(
        const std::filesystem::path& video, const std::filesystem::path& sound,
        const std::filesystem::path& target, deadline by, const std::stop_token& stop) const;

    /// Still pictures of the video in `target`, as JPEGs one after the other (created or
    /// overwritten, mode 0600; removed again on failure). Decodes the whole video, a tenth of its
    /// own time on a core; waits as analyze() does. Also storage_failed. Callers pass at most
    /// `bounds::local_analysis_time_max`.
    [[nodiscard]] result<frames_report> frames(
        const std::filesystem::path& video, const std::filesystem::path& target,
        const frame_request& wanted, deadline by, const std::stop_token& stop) const;

    /// The whole sound of the video in `target` as a WAVE file, treated as that of frames().
    /// Nothing when the video has no sound that can be decoded: then there is no `target` either,
    /// and a model is asked without sound. A silent track is a track. Well under a second. Also
    /// storage_failed. Callers pass at most `bounds::probe_time_max`.
    [[nodiscard]] result<std::optional<sound_report>> sound(
        const std::filesystem::path& video, const std::filesystem::path& target, deadline by,
        const std::stop_token& stop) const;

    /// Level and voice of the sound, and what is written in the pictures that are on screen at
    /// `at_seconds`, in any order: at most `report_bounds::checked_moments_max`, more are
    /// `media_failed`; after the end the last picture is on screen. Half a second of a core for the
    /// sound of 90 s, and as much for each picture, for which it waits as analyze() does. Callers
    /// pass at most `bounds::local_analysis_time_max`.
    [[nodiscard]] result<check_report> check(
        const std::filesystem::path& video, std::vector<double> at_seconds, deadline by,
        const std::stop_token& stop) const;

    /// The video in `target`, treated as that of frames(), in the form that everything plays: MP4
    /// with its index first, upright H.264 of at most 1,280 pixels a side and 31 pictures a second,
    /// one channel of AAC where there is sound. Takes up to the video's own time on a core, and
    /// waits as analyze() does. Also storage_failed. Callers pass at most
    /// `bounds::local_analysis_time_max`.
    [[nodiscard]] result<void> transcode(
        const std::filesystem::path& video, const std::filesystem::path& target, deadline by,
        const std::stop_token& stop) const;

    /// What holds on this machine, for `reelsd doctor`: the jail's layers, whether the models load,
    /// versions of libraries. An object, see `reelsd-media doctor`; its `jail` is one for
    /// jail_report_from_json().
    [[nodiscard]] result<json> doctor(deadline by, const std::stop_token& stop) const;

    /// The jail alone, in a tenth of the time.
    [[nodiscard]] result<jail_report> examine_jail(deadline by, const std::stop_token& stop) const;

private:
    /// How many children of one kind run at once.
    struct places {
        unsigned most = 0;
        unsigned taken = 0;
        std::mutex mutex = {};
        std::condition_variable_any freed = {};
    };
    class turn;

    [[nodiscard]] result<json> ask(
        std::vector<std::string> arguments, deadline by, const std::stop_token& stop,
        int output = -1) const;
    /// Waits while all `among` are taken. `output`: a descriptor for what the child writes besides
    /// its report.
    [[nodiscard]] result<json> ask_in_turn(
        places& among, std::vector<std::string> arguments, deadline by, const std::stop_token& stop,
        int output = -1) const;
    template <class Report>
    [[nodiscard]] result<Report> report_of(
        places& among, std::vector<std::string> arguments, result<Report> (*read)(const json&),
        deadline by, const std::stop_token& stop) const;
    [[nodiscard]] std::vector<std::string> about(
        const char* command, const std::filesystem::path& video) const;

    media_options options_;
    mutable places analyses_;
    mutable places short_calls_;
};

}  // namespace reelsd::media
