#include "commands.hpp"
#include "frames_at.hpp"
#include "jail_settings.hpp"
#include "jpeg_encoder.hpp"
#include "scaler.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace reelsd::media {
namespace {

/// The first leaves small letters whole; the others are for pictures like noise.
constexpr auto quantizers = std::to_array<int>({4, 6, 9, 12, 16, 20, 25, coarsest_quantizer});

/// Of the distance between two pictures: one is not taken of so short a rest at the end, which is
/// most often sound that is padded to whole packets.
constexpr double rest_share_min = 0.1;

picture_size size_of(const geometry& shape, int long_edge) {
    return shape.fitted(
        std::min(long_edge, shape.displayed.width), std::min(long_edge, shape.displayed.height));
}

/// Puts one picture after the other into the output.
class frame_writer {
public:
    frame_writer(const geometry& shape, int long_edge)
        : scaler_{scaler::upright(shape, size_of(shape, long_edge), scaler::colours::as_tagged)} {}

    result<void> write(const AVFrame& frame, double at_seconds) {
        const auto rgb = scaler_.scale(frame);
        // A stream may change into something that cannot be converted.
        if (rgb.pixels == nullptr) return {};
        const auto jpeg = encode_jpeg_within(rgb, quantizers, report_bounds::frame_bytes_max);
        if (!jpeg) throw std::runtime_error{"the JPEG encoder's pictures are too large"};
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

std::vector<double> frame_moments(double duration_seconds, const frame_request& wanted) {
    const double rounds = std::ceil(duration_seconds * wanted.per_second - rest_share_min);
    const bool few = rounds <= static_cast<double>(wanted.count_max);
    const std::size_t count =
        few ? std::max<std::size_t>(1, static_cast<std::size_t>(std::max(rounds, 1.0)))
            : wanted.count_max;
    const double distance =
        few ? 1 / wanted.per_second : duration_seconds / static_cast<double>(count);
    std::vector<double> moments;
    moments.reserve(count);
    for (std::size_t at = 0; at < count; ++at) {
        moments.push_back(static_cast<double>(at) * distance);
    }
    return moments;
}

result<frames_report> frames(const arguments& given) {
    const auto file = open_in_jail(given);
    if (!file) return file.error();
    const auto known = run_first_pass(*file, given.seconds_max, listening::no);
    if (!known) return known.error();

    frame_writer writer{known->shape, given.frames.long_edge};
    const auto taken = for_each_frame_at(
        *file,
        *known,
        given.seconds_max,
        frame_moments(known->probe.duration_seconds, given.frames),
        [&writer](const AVFrame& frame, double at) { return writer.write(frame, at); });
    if (!taken) return taken.error();
    return writer.finish();
}

}  // namespace reelsd::media
