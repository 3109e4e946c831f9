#include "sound_track.hpp"

extern "C" {
#include <libavutil/channel_layout.h>
}

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

namespace reelsd::media {
namespace {

/// Shorter gaps result from rounded packet times.
constexpr double gap_seconds_min = 0.1;

constexpr int input_rate_min = 4'000;
constexpr int input_rate_max = 384'000;

template <class Sample>
constexpr AVSampleFormat format_of() {
    return std::is_same_v<Sample, float> ? AV_SAMPLE_FMT_FLT : AV_SAMPLE_FMT_S16;
}

/// A layout that the resampler can mix. Tracks without a layout get the default of their channels.
/// Owns no memory; has no channels if there is no such layout.
AVChannelLayout mixable_layout(const AVChannelLayout& given) {
    AVChannelLayout layout{};
    if (given.order == AV_CHANNEL_ORDER_NATIVE) {
        av_channel_layout_from_mask(&layout, given.u.mask);
    } else {
        av_channel_layout_default(&layout, given.nb_channels);
    }
    return layout;
}

/// Power of the sum of both channels relative to the sum of their powers, below which they are in
/// opposite phase: about 0 then, 1 for unrelated and 2 for equal channels.
constexpr double sum_share_max = 0.02;

/// Whether the channels of stereo sound would cancel each other out in a mono mix. Only in the
/// format of most decoders.
bool is_in_opposite_phase(const AVFrame& frame) {
    if (frame.format != AV_SAMPLE_FMT_FLTP || frame.ch_layout.nb_channels != 2) return false;
    const auto* left = reinterpret_cast<const float*>(frame.extended_data[0]);
    const auto* right = reinterpret_cast<const float*>(frame.extended_data[1]);
    double of_sum = 0;
    double of_both = 0;
    for (int at = 0; at < frame.nb_samples; ++at) {
        const double sum = double{left[at]} + right[at];
        of_sum += sum * sum;
        of_both += double{left[at]} * left[at] + double{right[at]} * right[at];
    }
    return of_sum < sum_share_max * of_both;
}

}  // namespace

template <class Sample>
bool resampled_track<Sample>::prepare(const AVFrame& frame) {
    const int channels = frame.ch_layout.nb_channels;
    const bool same = resampler_ && frame.format == input_format_ &&
                      frame.sample_rate == input_rate_ && channels == input_channels_;
    if (same) return true;
    resample(nullptr);  // Flush the sound in the previous format.
    resampler_.reset();
    AVChannelLayout from = mixable_layout(frame.ch_layout);
    const bool is_supported =
        frame.sample_rate >= input_rate_min && frame.sample_rate <= input_rate_max;
    if (from.nb_channels <= 0 || from.nb_channels != channels || !is_supported) return false;
    AVChannelLayout mono{};
    av_channel_layout_default(&mono, 1);
    SwrContext* raw = nullptr;
    const int failed = swr_alloc_set_opts2(
        &raw,
        &mono,
        format_of<Sample>(),
        rate_hz_,
        &from,
        static_cast<AVSampleFormat>(frame.format),
        frame.sample_rate,
        0,
        nullptr);
    resampler_.reset(raw);
    if (failed < 0 || swr_init(raw) < 0) {
        resampler_.reset();
        return false;
    }
    input_format_ = frame.format;
    input_rate_ = frame.sample_rate;
    input_channels_ = channels;
    return true;
}

template <class Sample>
void resampled_track<Sample>::pad_to(double seconds) {
    const double target = std::clamp(seconds * rate_hz_, 0.0, static_cast<double>(samples_max_));
    const double missing = target - static_cast<double>(taken_ + samples_.size());
    if (missing > gap_seconds_min * rate_hz_) {
        samples_.resize(static_cast<std::size_t>(target) - taken_);
    }
}

template <class Sample>
void resampled_track<Sample>::resample(const AVFrame* frame) {
    if (!resampler_) return;
    const int input_count = frame == nullptr ? 0 : frame->nb_samples;
    const int room = swr_get_out_samples(resampler_.get(), input_count);
    if (room <= 0) return;
    const std::size_t before = samples_.size();
    samples_.resize(before + static_cast<std::size_t>(room));
    auto* out = reinterpret_cast<std::uint8_t*>(samples_.data() + before);
    const auto** in =
        frame == nullptr ? nullptr : const_cast<const std::uint8_t**>(frame->extended_data);
    std::array<const std::uint8_t*, 2> left_twice{};
    if (frame != nullptr && is_in_opposite_phase(*frame)) {
        left_twice.fill(frame->extended_data[0]);
        in = left_twice.data();
    }
    const int converted = swr_convert(resampler_.get(), &out, room, in, input_count);
    const auto kept = before + static_cast<std::size_t>(std::max(converted, 0));
    samples_.resize(std::min(kept, samples_max_ - taken_));
}

template <class Sample>
void resampled_track<Sample>::add(const AVFrame& frame, double seconds) {
    if (!prepare(frame)) return;
    pad_to(seconds);
    resample(&frame);
}

template <class Sample>
std::vector<Sample> resampled_track<Sample>::take_blocks(std::size_t block) {
    const std::size_t count = samples_.size() / block * block;
    const auto end = samples_.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<Sample> first{samples_.begin(), end};
    samples_.erase(samples_.begin(), end);
    taken_ += count;
    return first;
}

template <class Sample>
std::vector<Sample> resampled_track<Sample>::finish() {
    resample(nullptr);
    return std::exchange(samples_, {});
}

template class resampled_track<std::int16_t>;
template class resampled_track<float>;

}  // namespace reelsd::media
