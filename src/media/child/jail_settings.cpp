#include "jail_settings.hpp"

#include <reelsd/media/report.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

namespace reelsd::media {
namespace {

constexpr std::size_t data_bytes_max = std::size_t{500} * 1024 * 1024;

/// Time on a core: to begin with, and for each second of video that may come.
struct time_allowed {
    double start_seconds;
    double seconds_per_second;
};

constexpr time_allowed for_packets{.start_seconds = 15, .seconds_per_second = 0};
constexpr time_allowed for_sound{.start_seconds = 15, .seconds_per_second = 0.1};
constexpr time_allowed for_pictures{.start_seconds = 30, .seconds_per_second = 4};

/// Twice the rate that the encoders keep (track_encoder.cpp), and its index.
constexpr std::size_t transcoded_bytes_per_second_max = std::size_t{1} << 20U;

time_allowed time_for(command asked) noexcept {
    switch (asked) {
        case command::analyze:
        case command::frames:
        case command::check:
        case command::transcode: return for_pictures;
        case command::sound: return for_sound;
        case command::probe:
        case command::thumbnail:
        case command::join:
        case command::doctor: return for_packets;
    }
    return for_packets;
}

/// What the made file may have at most; nothing when none is made.
std::optional<std::size_t> made_bytes_max(const arguments& given) noexcept {
    // What is kept of the sound ends within a second past the limit: see first_pass.cpp.
    const auto seconds = static_cast<std::size_t>(std::ceil(given.seconds_max)) + 1;
    switch (given.command) {
        case command::join: return report_bounds::joined_bytes_max;
        case command::frames: return given.frames.count_max * report_bounds::frame_bytes_max;
        case command::sound:
            return report_bounds::sound_head_bytes + seconds * 2 * report_bounds::sound_rate_hz;
        case command::transcode: return (seconds + 8) * transcoded_bytes_per_second_max;
        case command::probe:
        case command::analyze:
        case command::thumbnail:
        case command::check:
        case command::doctor: return std::nullopt;
    }
    return std::nullopt;
}

}  // namespace

jail::limits limits_for(const arguments& given) noexcept {
    jail::limits within{.data_bytes_max = data_bytes_max};
    const auto time = time_for(given.command);
    within.cpu_seconds_max = static_cast<unsigned>(
        std::ceil(time.start_seconds + time.seconds_per_second * given.seconds_max));
    // The document has to fit as well, should standard output be a file.
    const auto made = made_bytes_max(given);
    if (made) within.file_bytes_max = std::max(within.file_bytes_max, *made);
    return within;
}

}  // namespace reelsd::media
