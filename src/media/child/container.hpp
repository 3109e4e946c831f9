#pragma once

#include "file_io.hpp"
#include "libav.hpp"
#include <reelsd/base/result.hpp>

#include <cstdint>
#include <optional>

namespace reelsd::media {

/// The open container of one video: its streams and packets. It accepts only the formats and codecs
/// of reels, which container.cpp lists.
class container {
public:
    /// Reads the header. `unsupported_format`: not a known container, or no video stream;
    /// `video_too_long`: by its header. `file` outlives the container.
    static result<container> open(const input_file& file, double seconds_max);
    /// Opens a file of sound: `unsupported_format` without an audio stream. No video(), no limit.
    static result<container> open_sound(const input_file& file);

    [[nodiscard]] const AVStream& video() const noexcept { return *video_; }
    /// Null without an audio track.
    [[nodiscard]] const AVStream* audio() const noexcept { return audio_; }
    /// Duration in the headers, in seconds: of the tracks if they have one, otherwise of the
    /// container if it has no other tracks. FFmpeg 5 would prefer the container's, FFmpeg 7 ignores
    /// that of an MP4 file.
    [[nodiscard]] std::optional<double> claimed_seconds() const noexcept;
    /// Frames a second in the header; 0 without a plausible rate.
    [[nodiscard]] double claimed_frame_rate() const noexcept;

    /// Seconds from the start of the video for a time in the stream's unit, at least 0; absent for
    /// AV_NOPTS_VALUE.
    [[nodiscard]] std::optional<double> seconds_of(
        const AVStream& stream, std::int64_t time) const noexcept;

    /// Seconds at which a packet of `stream` is presented.
    [[nodiscard]] std::optional<double> start_of(
        const AVPacket& packet, const AVStream& stream) const noexcept;

    /// `video_too_long` when `seconds` is past the limit.
    [[nodiscard]] result<void> check_duration(double seconds) const;

    /// Seconds at which a decoded picture is presented, at least `previous`. `video_too_long` past
    /// the limit.
    [[nodiscard]] result<double> picture_seconds(const AVFrame& frame, double previous) const;

    /// Reads the next packet of either stream; false at the end or at the first fault.
    [[nodiscard]] bool next(AVPacket& packet);

    /// A decoder for a stream: one thread, bounded pictures. `unsupported_format` for other codecs.
    [[nodiscard]] static result<codec_owner> decoder_for(const AVStream& stream);

private:
    container(io_owner io, format_owner format, double seconds_max) noexcept
        : io_{std::move(io)}, format_{std::move(format)}, seconds_max_{seconds_max} {}

    [[nodiscard]] result<void> choose_streams();
    void discard_others() const;

    io_owner io_;  // Declared before the format, which is closed first.
    format_owner format_;
    double seconds_max_;
    AVStream* video_ = nullptr;
    AVStream* audio_ = nullptr;
};

/// Decodes the video stream of a newly opened container. Calls `take(frame)` for each picture until
/// it returns false.
template <class Take>
[[nodiscard]] result<void> decode_pictures(container& from, Take take) {
    const auto decoder = container::decoder_for(from.video());
    if (!decoder) return decoder.error();
    const auto packet = new_packet();
    const auto frame = new_frame();
    bool more = true;
    const auto take_next = [&more, &take](const AVFrame& next) { return more = take(next); };
    while (more && from.next(*packet)) {
        if (packet->stream_index == from.video().index) {
            decode(**decoder, packet.get(), *frame, take_next);
        }
    }
    if (more) decode(**decoder, nullptr, *frame, take_next);
    return {};
}

}  // namespace reelsd::media
