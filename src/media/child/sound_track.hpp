#pragma once

#include "libav.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace reelsd::media {

/// Resamples decoded sound to one track of mono samples.
template <class Sample>
class resampled_track {
public:
    /// `samples_max`: upper bound, regardless of the times in the file.
    resampled_track(int rate_hz, std::size_t samples_max) noexcept
        : rate_hz_{rate_hz}, samples_max_{samples_max} {}

    /// Adds sound that starts at `seconds`. Fills a gap before it with silence, and drops sound
    /// that cannot be resampled.
    void add(const AVFrame& frame, double seconds);

    /// Removes and returns the first samples, in whole blocks of `block`.
    [[nodiscard]] std::vector<Sample> take_blocks(std::size_t block);

    /// Flushes the resampler and returns the remaining samples.
    [[nodiscard]] std::vector<Sample> finish();

private:
    [[nodiscard]] bool prepare(const AVFrame& frame);
    void resample(const AVFrame* frame);
    void pad_to(double seconds);

    int rate_hz_;
    std::size_t samples_max_;
    resampler_owner resampler_;
    int input_format_ = -1;
    int input_rate_ = 0;
    int input_channels_ = 0;
    std::size_t taken_ = 0;
    std::vector<Sample> samples_;  ///< Those that were not taken.
};

extern template class resampled_track<std::int16_t>;
extern template class resampled_track<float>;

}  // namespace reelsd::media
