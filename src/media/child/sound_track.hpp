#pragma once

#include "libav.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace reelsd::media {

/// One track of mono samples at one rate, made of decoded sound as it comes.
template <class Sample>
class resampled_track {
public:
    /// `samples_max` bounds it, whatever the file's times say.
    resampled_track(int rate_hz, std::size_t samples_max) noexcept
        : rate_hz_{rate_hz}, samples_max_{samples_max} {}

    /// Sound that starts at `seconds`; a gap before it becomes silence, so that times stay true.
    /// Sound in a shape that cannot be resampled is left out.
    void add(const AVFrame& frame, double seconds);

    /// The first of the samples that are there, as many as can be had in whole blocks of `block`.
    [[nodiscard]] std::vector<Sample> take_blocks(std::size_t block);

    /// What the resampler still holds. Then the samples that were not taken, once.
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
    std::vector<Sample> samples_;  ///< Those after the ones that were taken.
};

extern template class resampled_track<std::int16_t>;
extern template class resampled_track<float>;

}  // namespace reelsd::media
