#include "commands.hpp"
#include "jail_settings.hpp"
#include "passes.hpp"
#include "thumbnail_maker.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace reelsd::media {
namespace {

/// The first preserves small letters; the others are for noisy pictures.
constexpr auto quantizers = std::to_array<int>({4, 6, 9, 12, 16, 20, 25, coarsest_quantizer});

/// Least remainder, as a share of the distance of two pictures, for another picture: a shorter one
/// is mostly padding of the sound.
constexpr double rest_share_min = 0.1;

picture_size size_of(const geometry& shape, int long_edge) {
    return shape.fitted(
        std::min(long_edge, shape.displayed.width), std::min(long_edge, shape.displayed.height));
}

}  // namespace

std::vector<double> frame_moments(double duration_seconds, const frame_request& request) {
    const double steps = std::ceil(duration_seconds * request.per_second - rest_share_min);
    const bool fits = steps <= static_cast<double>(request.count_max);
    const auto count = fits ? static_cast<std::size_t>(std::max(steps, 1.0)) : request.count_max;
    const double distance =
        fits ? 1 / request.per_second : duration_seconds / static_cast<double>(count);
    std::vector<double> moments(count);
    for (std::size_t at = 0; at < count; ++at) moments[at] = static_cast<double>(at) * distance;
    return moments;
}

result<frames_report> frames(const arguments& given) {
    const auto file = open_in_jail(given);
    if (!file) return file.error();
    const auto first = run_first_pass(*file, given.seconds_max, audio_decoding::none);
    if (!first) return first.error();

    const auto size = size_of(first->shape, given.frames.long_edge);
    auto to_rgb = scaler::upright(first->shape, size, scaler::colours::as_tagged);
    frames_report report;
    std::uint64_t end = 0;
    const auto write = [&](const AVFrame& frame, double at_seconds) -> result<void> {
        const auto rgb = to_rgb.scale(frame);
        // A stream may change to a format that cannot be converted.
        if (rgb.pixels == nullptr) return {};
        const auto jpeg = encode_jpeg_within(rgb, quantizers, report_bounds::frame_bytes_max);
        if (!jpeg) throw std::runtime_error{"a JPEG exceeds its limit at the coarsest quantizer"};
        auto written = append_to_output(*jpeg);
        if (!written) return written;
        report.frames.push_back({.seconds = at_seconds, .offset = end, .bytes = jpeg->size()});
        end += jpeg->size();
        return {};
    };
    const auto moments = frame_moments(first->probe.duration_seconds, given.frames);
    const auto handled = for_each_frame_at(*file, *first, given.seconds_max, moments, write);
    if (!handled) return handled.error();
    if (report.frames.empty()) {
        return error{errc::unsupported_format, "no picture can be converted"};
    }
    return report;
}

result<stills_report> stills(const arguments& given) {
    const auto file = open_in_jail(given);
    if (!file) return file.error();
    const auto first = run_first_pass(*file, given.seconds_max, audio_decoding::none);
    if (!first) return first.error();
    return stills_at(given.at_seconds, *file, *first, given.seconds_max);
}

result<stills_report> stills_at(
    const std::vector<double>& moments, const input_file& file, const first_pass& first,
    double seconds_max) {
    stills_report report;
    const auto add = [&](const AVFrame& frame, double /*at_seconds*/) -> result<void> {
        report.jpegs.push_back(jpeg_within(frame, first.shape, report_bounds::still));
        return {};
    };
    const auto handled = for_each_frame_at(file, first, seconds_max, moments, add);
    if (!handled) return handled.error();
    return report;
}

}  // namespace reelsd::media
