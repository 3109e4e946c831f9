#pragma once

#include "geometry.hpp"
#include "libav.hpp"
#include <reelsd/base/result.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace reelsd::media {

/// Times of coded pictures are counted in these; what MPEG has always used.
inline constexpr int picture_ticks_per_second = 90'000;
/// Of coded sound. AAC's encoder takes so many samples at once.
inline constexpr int coded_sound_rate_hz = 48'000;
inline constexpr std::size_t coded_sound_samples = 1'024;

/// One track of the output file: takes pictures or samples, and gives packets to the file.
class track_encoder {
public:
    /// H.264 by x264, 8 bits, 4:2:0. `like`: a picture as it will come, for its colours.
    /// media_failed when this FFmpeg has no such encoder or it refuses.
    static result<track_encoder> of_pictures(
        AVFormatContext& output, picture_size size, const AVFrame& like, double frame_rate);
    /// One channel of AAC.
    static result<track_encoder> of_sound(AVFormatContext& output);

    /// `picture`: yuv420p of the track's size, with a `pts` that grows; null at the end.
    [[nodiscard]] result<void> encode(const AVFrame* picture);
    /// The next samples: `coded_sound_samples`, or fewer at the end, after which null is encoded.
    [[nodiscard]] result<void> encode_samples(std::span<const float> samples);

private:
    track_encoder(AVFormatContext& output, codec_owner codec, AVStream& stream);

    static result<track_encoder> open(
        AVFormatContext& output, codec_owner codec, AVDictionary* options);

    AVFormatContext* output_;
    codec_owner codec_;
    AVStream* stream_;
    packet_owner packet_;
    std::int64_t samples_ = 0;
};

}  // namespace reelsd::media
