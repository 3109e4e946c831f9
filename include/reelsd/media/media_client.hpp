#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/base/json_fwd.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/media/jail_report.hpp>
#include <reelsd/media/report.hpp>

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::media {

struct media_options {
    /// The program `reelsd-media`.
    std::filesystem::path helper;
    /// Longer videos are `video_too_long`; over 0. It also determines the helper's CPU time limit.
    double seconds_max = 90;
    /// Folders of the models for text and speech; empty for the installed ones.
    std::filesystem::path text_models{};
    std::filesystem::path speech_models{};
    /// Maximum number of concurrent analyses and other calls that decode all pictures; 0 for the
    /// number of cores. An analysis uses two cores, the others one. Twice as many short calls
    /// (probe, thumbnail, sound, join) run in addition. Each child has at most 500 MiB of writable
    /// memory.
    unsigned analyses_at_once = 0;
    /// What the helper does when its jail is incomplete.
    jail_policy jail = jail_policy::require;
};

/// Chooses moments from an analysis: at most `report_bounds::stills_max`, ascending.
using moment_chooser = std::function<std::vector<double>(const analysis_report&)>;

/// Runs `reelsd-media` on video files: one jailed child for each call, with limits on its time,
/// memory and output. Thread-safe. Each call blocks its thread, and leaves neither a process nor a
/// descriptor behind.
///
/// A child is killed at the deadline, within 100 ms of a stop request, or when this process ends.
/// It inherits no descriptors and no environment.
///
/// Errors of every call:
/// - `video_too_long`, and `unsupported_format` when there is no video or it cannot be decoded;
/// - `unsupported_format` when the child was killed by a signal or limit, wrote more than 8 MiB, or
///   was computing at the deadline. The detail names which;
/// - `media_failed` when the helper could not be started, rejected its arguments, lacks a model,
///   cannot open the file, or wrote an invalid document. The detail ends with its standard error;
/// - `timed_out` when the deadline passed before a slot was free, or while the child got no CPU
/// time.
///   A retry may succeed;
/// - `cancelled` when `stop` was requested;
/// - `conflict` when the jail is incomplete and `media_options::jail` requires more. The video was
///   not read, and a retry on this machine fails too.
///
/// Calls with a `target` create or overwrite it (mode 0600), remove it on failure, and may also
/// fail with `storage_failed`. Callers pass at most `bounds::local_analysis_time_max`, for short
/// calls `bounds::probe_time_max` and for thumbnail() `bounds::thumbnail_time_max`.
class media_client {
public:
    explicit media_client(media_options options);

    /// Reads the container and decodes the first frame; well under a second.
    [[nodiscard]] result<probe_report> probe(
        const std::filesystem::path& video, deadline by, const std::stop_token& stop) const;

    /// The whole analysis, with the reports of probe() and thumbnail(). Waits while
    /// `analyses_at_once` others run. With `choose`, also stills() of the moments that it selects,
    /// or none when they cannot be made: in the same child, which waits while `choose` is called
    /// on this thread, at most once.
    [[nodiscard]] result<analysis_report> analyze(
        const std::filesystem::path& video, deadline by, const std::stop_token& stop,
        const moment_chooser& choose = {}) const;

    /// A representative picture of the first seconds as a JPEG within `report_bounds`; about a
    /// second.
    [[nodiscard]] result<thumbnail_report> thumbnail(
        const std::filesystem::path& video, deadline by, const std::stop_token& stop) const;

    /// Muxes a file of pictures and a file of sound into `target` without decoding.
    [[nodiscard]] result<void> join(
        const std::filesystem::path& video, const std::filesystem::path& sound,
        const std::filesystem::path& target, deadline by, const std::stop_token& stop) const;

    /// Still pictures of the video in `target`, as concatenated JPEGs. Decodes the whole video in
    /// about a tenth of its length; waits as analyze() does.
    [[nodiscard]] result<frames_report> frames(
        const std::filesystem::path& video, const std::filesystem::path& target,
        const frame_request& frames, deadline by, const std::stop_token& stop) const;

    /// Small JPEGs of the pictures on screen at `at_seconds` (1 to `report_bounds::stills_max`,
    /// ascending, else `media_failed`); after the end that is the last picture. Decodes only what
    /// the moments need, and waits as analyze() does.
    [[nodiscard]] result<stills_report> stills(
        const std::filesystem::path& video, const std::vector<double>& at_seconds, deadline by,
        const std::stop_token& stop) const;

    /// The whole sound of the video in `target` as a WAVE file; well under a second. Empty, without
    /// a `target`, when no sound can be decoded; a silent track has a report.
    [[nodiscard]] result<std::optional<sound_report>> sound(
        const std::filesystem::path& video, const std::filesystem::path& target, deadline by,
        const std::stop_token& stop) const;

    /// Level and voice of the sound, and the text in the pictures on screen at `at_seconds` (in any
    /// order, at most `report_bounds::checked_moments_max`, else `media_failed`); after the end
    /// that is the last picture. Takes half a second for 90 s of sound, and for each picture, for
    /// which it waits as analyze() does.
    [[nodiscard]] result<check_report> check(
        const std::filesystem::path& video, std::vector<double> at_seconds, deadline by,
        const std::stop_token& stop) const;

    /// What analyze() hears, without the pictures: the built-in recogniser's speech, where a voice
    /// may be, and music. Waits as analyze() does.
    [[nodiscard]] result<audio_report> listen(
        const std::filesystem::path& video, deadline by, const std::stop_token& stop) const;

    /// The video in `target` in a widely supported format: MP4 with its index first, upright H.264
    /// of at most 1,280 pixels a side and 31 pictures a second, and mono AAC if it has sound. Takes
    /// up to the length of the video, and waits as analyze() does.
    [[nodiscard]] result<void> transcode(
        const std::filesystem::path& video, const std::filesystem::path& target, deadline by,
        const std::stop_token& stop) const;

    /// The state of the jail, models and library versions on this machine, for `reelsd doctor`. An
    /// object as `reelsd-media doctor` writes it; jail_report_from_json() reads its `jail`.
    [[nodiscard]] result<json> doctor(deadline by, const std::stop_token& stop) const;

    /// Only the state of the jail, in a tenth of the time.
    [[nodiscard]] result<jail_report> examine_jail(deadline by, const std::stop_token& stop) const;

private:
    /// Limits the concurrent children of one kind.
    struct limiter {
        unsigned running_max = 0;
        unsigned running = 0;
        std::mutex mutex = {};
        std::condition_variable_any freed = {};
    };
    class slot;

    struct call {
        limiter* among = nullptr;  ///< Limiter to wait for, if any.
        std::vector<std::string> arguments;
        deadline by;
        const std::stop_token& stop;
        /// Descriptor for the child's output in addition to its report; -1 for none.
        int output = -1;
        /// As `process::child_command::reply`.
        std::function<std::string(std::string_view)> reply = {};
    };

    [[nodiscard]] call call_for(
        const char* command, limiter& among, const std::filesystem::path& video, deadline by,
        const std::stop_token& stop) const;

    [[nodiscard]] result<json> run(call request) const;

    template <class Report>
    [[nodiscard]] result<Report> report_of(call request, result<Report> (*read)(const json&)) const;

    /// Runs a call that writes `target`, and keeps the file if it has the `bytes_of(report)` that
    /// the child reports; removes it if these are 0.
    template <class Report, class BytesOf>
    [[nodiscard]] result<Report> file_report_of(
        call request, const std::filesystem::path& target, result<Report> (*read)(const json&),
        BytesOf bytes_of) const;

    /// file_report_of() for calls that report no more than the size.
    [[nodiscard]] result<void> write_video(call request, const std::filesystem::path& target) const;

    media_options options_;
    mutable limiter analyses_;
    mutable limiter short_calls_;
};

/// "video/webm" or "video/mp4", by the file's first bytes; "video/mp4" for other files.
[[nodiscard]] std::string_view video_mime_type(const std::filesystem::path& file);

}  // namespace reelsd::media
