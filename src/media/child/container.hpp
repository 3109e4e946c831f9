#pragma once

#include "file_io.hpp"
#include "libav.hpp"
#include <reelsd/base/result.hpp>

#include <cstdint>
#include <functional>
#include <optional>

namespace reelsd::media {

/// How much longer than the limit a video may be: an audio track is padded to whole packets, and a
/// video of exactly 90 s must pass.
inline constexpr double duration_slack_seconds = 0.25;

/// The open container of one video: its streams and packets. Only formats and codecs that reels
/// come in are known to it (container.cpp lists them).
class container {
public:
    /// Reads the header. `unsupported_format`: not a known container, or without a video stream;
    /// `video_too_long`: it says so itself. `file` outlives the container.
    static result<container> open(const input_file& file, double seconds_max);
    /// The same for a file of sound alone: `unsupported_format` without an audio stream, and there
    /// is no video() of it.
    static result<container> open_sound(const input_file& file);

    [[nodiscard]] const AVStream& video() const noexcept { return *video_; }
    /// Null without an audio track.
    [[nodiscard]] const AVStream* audio() const noexcept { return audio_; }
    /// What the header says, in seconds; absent when it says nothing.
    [[nodiscard]] std::optional<double> claimed_seconds() const noexcept;
    /// Frames a second as the header has it; 0 when it says nothing sensible.
    [[nodiscard]] double claimed_frame_rate() const noexcept;

    /// Seconds from the start of the video of a time in the stream's own unit, at least 0; absent
    /// for FFmpeg's "no value".
    [[nodiscard]] std::optional<double> seconds_of(
        const AVStream& stream, std::int64_t time) const noexcept;

    /// The same of when a packet of `stream` is shown or heard.
    [[nodiscard]] std::optional<double> start_of(
        const AVPacket& packet, const AVStream& stream) const noexcept;

    /// The next packet of either stream; false at the end, which in a broken file is the first
    /// fault.
    [[nodiscard]] bool next(AVPacket& packet);

    /// A decoder for a stream of this container: one thread, bounded pictures. `unsupported_format`
    /// when the codec is none of ours.
    [[nodiscard]] static result<codec_owner> decoder_for(const AVStream& stream);

private:
    container(io_owner io, format_owner format) noexcept
        : io_{std::move(io)}, format_{std::move(format)} {}

    [[nodiscard]] result<void> choose_streams();
    void discard_others() const;

    io_owner io_;  // Before the format: that is closed first.
    format_owner format_;
    AVStream* video_ = nullptr;
    AVStream* audio_ = nullptr;
};

/// `video_too_long`, naming the limit.
[[nodiscard]] error too_long(double seconds, double seconds_max);

/// Decodes the video stream of a fresh container and calls `take(frame)` for each picture, until
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
