#include "commands.hpp"
#include "container.hpp"
#include "jail_settings.hpp"

#include <new>

namespace reelsd::media {
namespace {

error unsupported(const char* what, int code) {
    return error{errc::unsupported_format, std::string{what} + ": " + libav_message(code)};
}

/// One of the two input files, and its track in the output.
class source_track {
public:
    source_track(container& from, const AVStream& stream) : from_{from}, stream_{stream} {}

    [[nodiscard]] result<void> add_to(AVFormatContext& output) {
        target_ = avformat_new_stream(&output, nullptr);
        if (target_ == nullptr) throw std::bad_alloc{};
        const int copied = avcodec_parameters_copy(target_->codecpar, stream_.codecpar);
        if (copied < 0) return unsupported("a track", copied);
        target_->codecpar->codec_tag = 0;  // The input container's name of the codec.
        target_->time_base = stream_.time_base;
        return {};
    }

    /// Reads the next packet of this track and skips those of others.
    void advance() {
        do has_packet_ = from_.next(*packet_);
        while (has_packet_ && packet_->stream_index != stream_.index);
    }
    [[nodiscard]] bool has_packet() const noexcept { return has_packet_; }

    /// Whether its packet comes before that of `other`.
    [[nodiscard]] bool precedes(const source_track& other) const {
        if (!other.has_packet_) return true;
        return av_compare_ts(
                   packet_->dts, stream_.time_base, other.packet_->dts, other.stream_.time_base) <=
               0;
    }

    /// Writes its packet. Returns FFmpeg's code.
    int write_to(AVFormatContext& output) {
        packet_->stream_index = target_->index;
        packet_->pos = -1;
        av_packet_rescale_ts(packet_.get(), stream_.time_base, target_->time_base);
        return av_interleaved_write_frame(&output, packet_.get());
    }

private:
    container& from_;
    const AVStream& stream_;
    packet_owner packet_ = new_packet();
    AVStream* target_ = nullptr;
    bool has_packet_ = false;
};

result<void> copy_packets(source_track& picture, source_track& sound, AVFormatContext& output) {
    picture.advance();
    sound.advance();
    while (picture.has_packet() || sound.has_packet()) {
        auto& next = picture.has_packet() && picture.precedes(sound) ? picture : sound;
        const int written = next.write_to(output);
        if (is_output_failure(written)) return cannot_write(written);
        // For example, packets without valid times.
        if (written < 0) return unsupported("its tracks cannot be combined", written);
        next.advance();
    }
    return {};
}

result<output_report> write_joined(container& picture, container& sound) {
    mp4_writer output{mp4_writer::index::last};
    source_track picture_track{picture, picture.video()};
    source_track sound_track{sound, *sound.audio()};
    for (auto* track : {&picture_track, &sound_track}) {
        const auto added = track->add_to(output.context());
        if (!added) return added.error();
    }
    const auto begun = output.begin();
    if (!begun) return begun.error();
    const auto copied = copy_packets(picture_track, sound_track, output.context());
    if (!copied) return copied.error();
    const auto size = output.finish();
    if (!size) return size.error();
    return output_report{.bytes = *size};
}

}  // namespace

result<output_report> join(const arguments& given) {
    const auto video = input_file::open(given.video);
    if (!video) return video.error();
    const auto sound = input_file::open(given.sound);
    if (!sound) return sound.error();
    const auto entered = enter_jail(
        given,
        {.video = video->descriptor(), .sound = sound->descriptor(), .output = output_descriptor});
    if (!entered) return entered.error();

    auto picture_track = container::open(*video, given.seconds_max);
    if (!picture_track) return picture_track.error();
    auto sound_track = container::open_sound(*sound);
    if (!sound_track) return sound_track.error();
    return write_joined(*picture_track, *sound_track);
}

}  // namespace reelsd::media
