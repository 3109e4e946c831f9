#include "jail_settings.hpp"

#include <reelsd/media/report.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace reelsd::media {
namespace {

constexpr std::size_t data_bytes_max = std::size_t{500} * 1024 * 1024;

/// CPU time: a fixed part, and one for each second of video allowed.
struct time_allowed {
    double start_seconds;
    double seconds_per_second;
};

constexpr time_allowed for_packets{.start_seconds = 15, .seconds_per_second = 0};
constexpr time_allowed for_sound{.start_seconds = 15, .seconds_per_second = 0.1};
constexpr time_allowed for_pictures{.start_seconds = 30, .seconds_per_second = 4};

/// Twice the bit rate limit of transcoding.cpp, with the index.
constexpr std::size_t transcoded_bytes_per_second_max = std::size_t{1} << 20U;

time_allowed time_for(command asked) noexcept {
    switch (asked) {
        case command::analyze:
        case command::frames:
        case command::stills:
        case command::check:
        case command::listen:
        case command::transcode: return for_pictures;
        case command::sound: return for_sound;
        case command::probe:
        case command::thumbnail:
        case command::join:
        case command::jail:
        case command::doctor: return for_packets;
    }
    return for_packets;
}

/// Upper bound on the size of the output file; empty for commands without one.
std::optional<std::size_t> output_bytes_max(const arguments& given) noexcept {
    // Sound is kept until a second past the limit: see passes.cpp.
    const auto seconds = static_cast<std::size_t>(std::ceil(given.seconds_max)) + 1;
    switch (given.command) {
        case command::join: return report_bounds::output_bytes_max;
        case command::frames: return given.frames.count_max * report_bounds::frame_bytes_max;
        case command::sound:
            return report_bounds::sound_head_bytes + seconds * 2 * report_bounds::sound_rate_hz;
        case command::transcode: return (seconds + 8) * transcoded_bytes_per_second_max;
        case command::probe:
        case command::analyze:
        case command::thumbnail:
        case command::stills:
        case command::check:
        case command::listen:
        case command::jail:
        case command::doctor: return std::nullopt;
    }
    return std::nullopt;
}

/// A sanitized program, for tests only, does not support the filter.
#ifdef REELSD_MEDIA_SANITIZED
constexpr bool is_sanitized = true;
#else
constexpr bool is_sanitized = false;
#endif

std::string why_not(const jail::layers& held, std::string_view rule) {
    std::string text{"the jail is incomplete: "};
    text.append(rule);
    for (const auto& reason : held.reasons) text.append("; ").append(reason);
    return text;
}

}  // namespace

jail::limits limits_for(const arguments& given) noexcept {
    jail::limits within{.data_bytes_max = data_bytes_max};
    const auto time = time_for(given.command);
    within.cpu_seconds_max = static_cast<unsigned>(
        std::ceil(time.start_seconds + time.seconds_per_second * given.seconds_max));
    // The document must fit too if standard output is a file.
    const auto output = output_bytes_max(given);
    if (output) within.file_bytes_max = std::max(within.file_bytes_max, *output);
    return within;
}

std::string refusal_of(const jail::layers& held, jail_policy policy) {
    if (is_sanitized || (held.system_call_filter && held.resource_limits)) return {};
    if (!held.system_call_filter && !held.unprivileged_user)
        return why_not(held, "videos are not decoded as root without a system-call filter");
    if (policy == jail_policy::best_effort) return {};
    return why_not(
        held,
        held.system_call_filter ? "no resource limits (jail = require)"
                                : "no system-call filter (jail = require)");
}

result<void> check_jail(const jail::layers& held, const arguments& given) {
    auto refusal = refusal_of(held, given.jail);
    if (refusal.empty()) return {};
    return error{errc::conflict, std::move(refusal)};
}

result<void> enter_jail(const arguments& given, const jail::descriptors& usable) {
    auto held = jail::confine(limits_for(given), given.parent);
    jail::seal(held, usable);
    return check_jail(held, given);
}

result<input_file> open_in_jail(const arguments& given) {
    auto file = input_file::open(given.video);
    if (!file) return file;
    const int output = output_bytes_max(given) ? output_descriptor : -1;
    const auto entered = enter_jail(given, {.video = file->descriptor(), .output = output});
    if (!entered) return entered.error();
    return file;
}

}  // namespace reelsd::media
