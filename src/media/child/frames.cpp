#include "commands.hpp"
#include "jail_settings.hpp"
#include "passes.hpp"

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

/// Appends pictures to the output.
class frame_writer {
public:
    frame_writer(const geometry& shape, int long_edge)
        : scaler_{scaler::upright(shape, size_of(shape, long_edge), scaler::colours::as_tagged)} {}

    result<void> write(const AVFrame& frame, double at_seconds) {
        const auto rgb = scaler_.scale(frame);
        // A stream may change to a format that cannot be converted.
        if (rgb.pixels == nullptr) return {};
        const auto jpeg = encode_jpeg_within(rgb, quantizers, report_bounds::frame_bytes_max);
        if (!jpeg) throw std::runtime_error{"a JPEG exceeds its limit at the coarsest quantizer"};
        const auto written = append_to_output(*jpeg);
        if (!written) return written.error();
        report_.frames.push_back({.seconds = at_seconds, .offset = end_, .bytes = jpeg->size()});
        end_ += jpeg->size();
        return {};
    }

    [[nodiscard]] result<frames_report> finish() {
        if (report_.frames.empty()) {
            return error{errc::unsupported_format, "no picture can be converted"};
        }
        return std::move(report_);
    }

private:
    scaler scaler_;
    frames_report report_;
    std::uint64_t end_ = 0;
};

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

    frame_writer writer{first->shape, given.frames.long_edge};
    const auto handled = for_each_frame_at(
        *file,
        *first,
        given.seconds_max,
        frame_moments(first->probe.duration_seconds, given.frames),
        [&writer](const AVFrame& frame, double at) { return writer.write(frame, at); });
    if (!handled) return handled.error();
    return writer.finish();
}

}  // namespace reelsd::media
