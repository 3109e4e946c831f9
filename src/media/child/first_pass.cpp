#include "first_pass.hpp"

#include "../sound/sound.hpp"
#include "sound_track.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace reelsd::media {
namespace {

/// Of a broken file at least this much must be there to say anything about it, or half of what its
/// header promises if that is less.
constexpr double sensible_seconds_min = 1.0;

/// A rate that the header gives and the packets contradict by more than this factor is not
/// believed.
constexpr double rate_factor_max = 1.5;

/// Sound beyond the limit in force is never kept: the slack and one packet.
std::size_t samples_max(double seconds_max, int rate_hz) {
    return static_cast<std::size_t>((seconds_max + 1) * rate_hz);
}

class first_pass_reader {
public:
    first_pass_reader(container& from, double seconds_max, listening mode)
        : from_{from},
          seconds_max_{seconds_max},
          mode_{mode},
          for_speech_{sound::speech_rate_hz, samples_max(seconds_max, sound::speech_rate_hz)},
          for_music_{sound::music_rate_hz, samples_max(seconds_max, sound::music_rate_hz)} {}

    result<first_pass> run() {
        auto video_decoder = container::decoder_for(from_.video());
        if (!video_decoder) return video_decoder.error();
        video_decoder_ = std::move(*video_decoder);
        open_sound();
        while (from_.next(*packet_)) {
            const bool is_video = packet_->stream_index == from_.video().index;
            const auto& stream = is_video ? from_.video() : *from_.audio();
            measure(stream);
            if (end_seconds_ > seconds_max_ + duration_slack_seconds) {
                return too_long(end_seconds_, seconds_max_);
            }
            if (is_video) {
                look(packet_.get());
            } else {
                listen(packet_.get());
            }
        }
        look(nullptr);
        listen(nullptr);
        return conclude();
    }

private:
    void open_sound() {
        if (mode_ == listening::no || from_.audio() == nullptr) return;
        auto decoder = container::decoder_for(*from_.audio());
        // A track that cannot be decoded is one that nobody hears: the pictures still tell
        // something.
        if (decoder) audio_decoder_ = std::move(*decoder);
    }

    void measure(const AVStream& stream) {
        if ((packet_->flags & AV_PKT_FLAG_DISCARD) != 0) return;  // An edit list cuts it out.
        const bool is_video = stream.index == from_.video().index;
        if (is_video) ++video_packets_;
        const auto start = from_.start_of(*packet_, stream);
        if (!start) return;
        const double length = static_cast<double>(std::max<std::int64_t>(packet_->duration, 0)) *
                              av_q2d(stream.time_base);
        end_seconds_ = std::max(end_seconds_, *start + length);
        if (is_video) {
            video_end_seconds_ = std::max(video_end_seconds_, *start + length);
            if ((packet_->flags & AV_PKT_FLAG_KEY) != 0) key_seconds_.push_back(*start);
        }
    }

    /// Decodes until the first picture is there.
    void look(const AVPacket* packet) {
        if (shape_) return;
        decode(*video_decoder_, packet, *frame_, [this](const AVFrame& frame) {
            shape_ = geometry_of(from_.video(), frame);
            return false;
        });
    }

    void listen(const AVPacket* packet) {
        if (!audio_decoder_) return;
        decode(*audio_decoder_, packet, *frame_, [this](const AVFrame& frame) {
            const auto start = from_.seconds_of(*from_.audio(), frame.best_effort_timestamp);
            for_speech_.add(frame, start.value_or(0));
            if (mode_ == listening::all) for_music_.add(frame, start.value_or(0));
            return true;
        });
    }

    /// Frames of the video a second: the header's, unless the packets tell otherwise.
    [[nodiscard]] double frame_rate() const {
        const double claimed = from_.claimed_frame_rate();
        const double measured =
            video_end_seconds_ > 0 ? static_cast<double>(video_packets_) / video_end_seconds_ : 0;
        const bool believed = claimed > 0 && measured > 0 && claimed < measured * rate_factor_max &&
                              measured < claimed * rate_factor_max;
        const double rate = believed || measured <= 0 ? claimed : measured;
        return std::min(rate, report_bounds::frame_rate_max);
    }

    result<first_pass> conclude() {
        if (!shape_) return error{errc::unsupported_format, "no picture can be decoded"};
        if (video_packets_ < 2 && from_.audio() == nullptr) {
            return error{errc::unsupported_format, "it is a single picture"};
        }
        // A file without times or lengths of packets still has a header or a rate.
        if (video_end_seconds_ <= 0) {
            return error{errc::unsupported_format, "its pictures have no times"};
        }
        const double promised = from_.claimed_seconds().value_or(0);
        if (end_seconds_ < std::min(sensible_seconds_min, promised / 2)) {
            return error{errc::unsupported_format, "too little of it can be read"};
        }
        first_pass pass;
        pass.shape = *shape_;
        pass.probe.duration_seconds = end_seconds_;
        pass.probe.width = shape_->displayed.width;
        pass.probe.height = shape_->displayed.height;
        pass.probe.frame_rate = frame_rate();
        pass.probe.video_codec = avcodec_get_name(from_.video().codecpar->codec_id);
        if (from_.audio() != nullptr) {
            pass.probe.audio_codec = avcodec_get_name(from_.audio()->codecpar->codec_id);
        }
        pass.sound.for_speech = for_speech_.finish();
        pass.sound.for_music = for_music_.finish();
        std::ranges::sort(key_seconds_);
        pass.key_seconds = std::move(key_seconds_);
        return pass;
    }

    container& from_;
    double seconds_max_;
    listening mode_;
    codec_owner video_decoder_;
    codec_owner audio_decoder_;
    packet_owner packet_ = new_packet();
    frame_owner frame_ = new_frame();
    resampled_track<std::int16_t> for_speech_;
    resampled_track<float> for_music_;
    std::optional<geometry> shape_;
    double end_seconds_ = 0;
    double video_end_seconds_ = 0;
    std::size_t video_packets_ = 0;
    std::vector<double> key_seconds_;
};

}  // namespace

result<first_pass> run_first_pass(const input_file& file, double seconds_max, listening mode) {
    auto opened = container::open(file, seconds_max);
    if (!opened) return opened.error();
    return first_pass_reader{*opened, seconds_max, mode}.run();
}

}  // namespace reelsd::media
