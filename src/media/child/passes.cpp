#include "passes.hpp"

#include "../picture/cut_finder.hpp"
#include "../picture/picture_meter.hpp"
#include "../sound/sound.hpp"
#include "sound_track.hpp"
#include <reelsd/base/format_fault.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace reelsd::media {
namespace {

/// Least readable length of a broken file, or half of the length in its header if that is less.
constexpr double readable_seconds_min = 1.0;

/// Headers of whole files exceed their packets by less: by rounding, or by a packet.
constexpr double missing_seconds_min = 0.5;

/// A rate in the header is rejected when it differs from that of the packets by more than this
/// factor.
constexpr double rate_factor_max = 1.5;

/// Upper bound on kept samples: the limit, the slack and one packet.
std::size_t samples_max(double seconds_max, int rate_hz) {
    return static_cast<std::size_t>((seconds_max + 1) * rate_hz);
}

class first_pass_reader {
public:
    first_pass_reader(container& from, double seconds_max, audio_decoding mode)
        : from_{from},
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
            const auto within = from_.check_duration(end_seconds_);
            if (!within) return within.error();
            if (is_video) {
                decode_picture(packet_.get());
            } else {
                decode_sound(packet_.get());
            }
        }
        decode_picture(nullptr);
        decode_sound(nullptr);
        return conclude();
    }

private:
    void open_sound() {
        if (from_.audio() == nullptr) return;
        auto decoder = container::decoder_for(*from_.audio());
        if (decoder) audio_decoder_ = std::move(*decoder);
    }

    void measure(const AVStream& stream) {
        if ((packet_->flags & AV_PKT_FLAG_DISCARD) != 0) return;  // Removed by an edit list.
        const bool is_video = stream.index == from_.video().index;
        const bool is_key = (packet_->flags & AV_PKT_FLAG_KEY) != 0;
        // An edit list may hide the key picture of the first group.
        if (is_video && video_packets_++ == 0 && !is_key) key_seconds_.push_back(0);
        const auto start = from_.start_of(*packet_, stream);
        if (!start) return;
        const double length = static_cast<double>(std::max<std::int64_t>(packet_->duration, 0)) *
                              av_q2d(stream.time_base);
        end_seconds_ = std::max(end_seconds_, *start + length);
        if (!is_video) {
            sound_end_seconds_ = std::max(sound_end_seconds_, *start + length);
            return;
        }
        video_end_seconds_ = std::max(video_end_seconds_, *start + length);
        if (is_key) key_seconds_.push_back(*start);
    }

    void decode_picture(const AVPacket* packet) {
        if (shape_) return;
        decode(*video_decoder_, packet, *frame_, [this](const AVFrame& frame) {
            shape_ = geometry_of(from_.video(), frame);
            return false;
        });
    }

    void decode_sound(const AVPacket* packet) {
        if (!audio_decoder_ || mode_ == audio_decoding::none) return;
        decode(*audio_decoder_, packet, *frame_, [this](const AVFrame& frame) {
            const auto start = from_.seconds_of(*from_.audio(), frame.best_effort_timestamp);
            for_speech_.add(frame, start.value_or(0));
            if (mode_ == audio_decoding::all) for_music_.add(frame, start.value_or(0));
            return true;
        });
    }

    [[nodiscard]] bool is_sound_decodable(const audio_samples& sound) const {
        if (from_.audio() == nullptr) return true;
        if (!audio_decoder_) return false;
        // A decoder may drop the few packets of a short track.
        const bool is_short = sound_end_seconds_ < readable_seconds_min;
        return mode_ == audio_decoding::none || is_short || !sound.for_speech.empty();
    }

    /// Frames of the video a second: the header's rate, unless the packets contradict it.
    [[nodiscard]] double frame_rate() const {
        const double claimed = from_.claimed_frame_rate();
        const double measured =
            video_end_seconds_ > 0 ? static_cast<double>(video_packets_) / video_end_seconds_ : 0;
        const bool agrees = claimed > 0 && measured > 0 && claimed < measured * rate_factor_max &&
                            measured < claimed * rate_factor_max;
        const double rate = agrees || measured <= 0 ? claimed : measured;
        return std::min(rate, report_bounds::frame_rate_max);
    }

    result<first_pass> conclude() {
        if (!shape_) return error{errc::unsupported_format, "no picture can be decoded"};
        if (video_packets_ < 2 && from_.audio() == nullptr) {
            return error{errc::unsupported_format, std::string{format_fault::single_picture}};
        }
        if (video_end_seconds_ <= 0) {
            return error{errc::unsupported_format, "its pictures have no timestamps"};
        }
        const double promised = from_.claimed_seconds().value_or(0);
        if (end_seconds_ < std::min(readable_seconds_min, promised / 2)) {
            return error{errc::unsupported_format, "too little of it can be read"};
        }
        first_pass pass;
        pass.shape = *shape_;
        pass.probe.duration_seconds = end_seconds_;
        const double missing = promised - end_seconds_;
        if (missing >= missing_seconds_min) pass.probe.missing_seconds = missing;
        pass.probe.width = shape_->displayed.width;
        pass.probe.height = shape_->displayed.height;
        pass.probe.frame_rate = frame_rate();
        pass.probe.video_codec = avcodec_get_name(from_.video().codecpar->codec_id);
        if (from_.audio() != nullptr) {
            pass.probe.audio_codec = avcodec_get_name(from_.audio()->codecpar->codec_id);
        }
        pass.sound.for_speech = for_speech_.finish();
        pass.sound.for_music = for_music_.finish();
        pass.sound.is_decodable = is_sound_decodable(pass.sound);
        pass.probe.audio_is_decodable = pass.sound.is_decodable;
        std::ranges::sort(key_seconds_);
        pass.key_seconds = std::move(key_seconds_);
        return pass;
    }

    container& from_;
    audio_decoding mode_;
    codec_owner video_decoder_;
    codec_owner audio_decoder_;
    packet_owner packet_ = new_packet();
    frame_owner frame_ = new_frame();
    resampled_track<std::int16_t> for_speech_;
    resampled_track<float> for_music_;
    std::optional<geometry> shape_;
    double end_seconds_ = 0;
    double video_end_seconds_ = 0;
    double sound_end_seconds_ = 0;
    std::size_t video_packets_ = 0;
    std::vector<double> key_seconds_;
};

/// Least distance of frames for cuts: more than 31 a second do not improve the result.
constexpr double luma_distance_seconds_min = 1.0 / 31.0;

/// 9:22.5, higher than any phone. Higher pictures are scaled to less width.
constexpr int small_height_max = picture::small_width * 5 / 2;

/// Small pictures average blocks of 4 x 4.
constexpr int small_side_min = 4;

picture_size small_size(const geometry& shape) {
    auto size = shape.fitted(picture::small_width, small_height_max);
    size.width = std::max(size.width, small_side_min);
    size.height = std::max(size.height, small_side_min);
    return shape.before_turning(size);
}

/// Calls `take(seconds)` for each moment of a steady rate before `end` from the `next` one on.
template <class Take>
void run_until(double end, double per_second, std::size_t& next, Take take) {
    for (; static_cast<double>(next) / per_second < end; ++next) {
        take(static_cast<double>(next) / per_second);
    }
}

class second_pass_reader {
public:
    second_pass_reader(
        container& from, const first_pass& first, text::text_reader& reader,
        thumbnail_maker& thumbnails)
        : from_{from},
          duration_seconds_{first.probe.duration_seconds},
          reader_{reader},
          thumbnails_{thumbnails},
          luma_{small_size(first.shape), AV_PIX_FMT_GRAY8},
          small_{small_size(first.shape), AV_PIX_FMT_RGB24},
          text_{first.shape} {}

    result<second_pass> run() {
        const auto decoded =
            decode_pictures(from_, [this](const AVFrame& frame) { return take_frame(frame); });
        if (!decoded) return decoded.error();
        if (failure_) return *failure_;
        if (held_->buf[0] == nullptr) {
            return error{errc::unsupported_format, "no picture can be decoded"};
        }
        return conclude();
    }

private:
    bool take_frame(const AVFrame& frame) {
        const auto seconds = from_.picture_seconds(frame, held_seconds_);
        if (!seconds) {
            failure_ = seconds.error();
            return false;
        }
        show_until(*seconds);
        thumbnails_.add(from_, frame);
        hold(frame, *seconds);
        if (*seconds >= luma_due_seconds_) {
            const auto luma = luma_.scale(frame);
            if (luma.pixels != nullptr) cuts_.add(luma, *seconds);
            luma_due_seconds_ = *seconds + luma_distance_seconds_min;
        }
        return true;
    }

    /// Keeps the picture, which is on screen until the next one.
    void hold(const AVFrame& frame, double seconds) {
        hold_picture(*held_, frame);
        held_seconds_ = seconds;
        held_small_ = {};
        held_text_ = {};
    }

    /// Measures and reads the held picture for each moment before `end`.
    void show_until(double end) {
        if (held_->buf[0] == nullptr) return;
        run_until(end, picture::colour_frames_per_second, next_small_, [this](double at) {
            measure(at);
        });
        run_until(end, text::frames_per_second, next_text_, [this](double at) { read(at); });
    }

    void measure(double at) {
        if (held_small_.pixels == nullptr) held_small_ = small_.scale(*held_);
        if (held_small_.pixels == nullptr) return;
        auto now = picture::make_small_picture(held_small_, at);
        meter_.add(held_small_, now, small_pictures_.empty() ? nullptr : &small_pictures_.back());
        small_pictures_.push_back(std::move(now));
    }

    void read(double at) {
        if (held_text_.pixels == nullptr) held_text_ = text_.scale(*held_);
        if (held_text_.pixels != nullptr) reader_.add_frame(held_text_, at);
    }

    second_pass conclude() {
        show_until(duration_seconds_);
        second_pass pass;
        auto hard = cuts_.finish();
        hard = picture::merge_cuts(hard, picture::find_colour_jumps(small_pictures_, hard));
        pass.picture.cuts =
            picture::merge_cuts(hard, picture::find_dissolves(small_pictures_, hard));
        meter_.finish(pass.picture);
        pass.texts = reader_.finish(duration_seconds_);
        return pass;
    }

    container& from_;
    double duration_seconds_;
    text::text_reader& reader_;
    thumbnail_maker& thumbnails_;

    scaler luma_;
    scaler small_;
    text_picture text_;

    frame_owner held_ = new_frame();
    double held_seconds_ = 0;
    picture::view held_small_;
    picture::view held_text_;

    std::size_t next_small_ = 0;
    std::size_t next_text_ = 0;
    double luma_due_seconds_ = 0;
    std::optional<error> failure_;

    picture::cut_finder cuts_;
    picture::picture_meter meter_;
    std::vector<picture::small_picture> small_pictures_;
};

class moments_pass {
public:
    moments_pass(
        container& from, const first_pass& first, std::span<const double> moments,
        const picture_handler& handle)
        : from_{from}, moments_{moments}, handle_{handle} {
        for (const double moment : moments) add_start_of(moment, first.key_seconds);
    }

    result<void> run() {
        auto decoder = container::decoder_for(from_.video());
        if (!decoder) return decoder.error();
        decoder_ = std::move(*decoder);
        const auto packet = new_packet();
        while (!done() && from_.next(*packet)) {
            if (packet->stream_index != from_.video().index) continue;
            if (begins_group(*packet)) enter_group(*packet);
            if (is_needed_) feed(packet.get());
        }
        if (!done() && is_needed_) feed(nullptr);
        if (!done()) show_until(std::nullopt);
        if (failure_) return *failure_;
        if (!has_picture_) return error{errc::unsupported_format, "no picture can be decoded"};
        return {};
    }

private:
    [[nodiscard]] bool done() const { return failure_ || moments_.empty(); }

    /// Adds the key picture from which the picture at `moment` is decoded.
    void add_start_of(double moment, const std::vector<double>& keys) {
        if (keys.empty()) return;
        const auto after = std::ranges::upper_bound(keys, moment);
        starts_.push_back(after == keys.begin() ? keys.front() : *std::prev(after));
    }

    static bool begins_group(const AVPacket& packet) {
        return (packet.flags & AV_PKT_FLAG_KEY) != 0 && (packet.flags & AV_PKT_FLAG_DISCARD) == 0;
    }

    void enter_group(const AVPacket& first) {
        const auto start = from_.start_of(first, from_.video());
        if (start) group_start_ = *start;
        // A group without a picture, such as the rest of a cut one, is shown as the next picture.
        const bool lacks_picture = is_needed_ && held_->buf[0] == nullptr;
        const bool is_needed =
            !start || lacks_picture || std::ranges::binary_search(starts_, *start);
        if (is_needed_ && !is_needed) {
            feed(nullptr);
            if (!done()) show_until(*start);
            discard_rest();
        }
        is_needed_ = is_needed;
    }

    /// Forgets the pictures that the decoder has not returned yet.
    void discard_rest() {
        avcodec_flush_buffers(decoder_.get());
        av_frame_unref(held_.get());
    }

    /// Whether the first remaining moment is in a group that has not begun.
    [[nodiscard]] bool is_group_over() const {
        return !done() && !starts_.empty() && group_start_ < starts_.end()[-std::ssize(moments_)];
    }

    void feed(const AVPacket* packet) {
        decode(*decoder_, packet, *frame_, [this](const AVFrame& frame) {
            const auto seconds = from_.picture_seconds(frame, held_seconds_);
            if (!seconds) {
                failure_ = seconds.error();
                return false;
            }
            show_until(*seconds);
            hold_picture(*held_, frame);
            held_seconds_ = *seconds;
            return !done() && !is_group_over();
        });
        if (!is_group_over()) return;
        is_needed_ = false;
        discard_rest();
    }

    /// Handles the held picture for the moments before `end`, or for all remaining ones.
    void show_until(std::optional<double> end) {
        if (held_->buf[0] == nullptr) return;
        while (!done() && (!end || moments_.front() < *end)) {
            has_picture_ = true;
            const auto handled = handle_(*held_, moments_.front());
            if (!handled) failure_ = handled.error();
            moments_ = moments_.subspan(1);
        }
    }

    container& from_;
    std::span<const double> moments_;  ///< The remaining ones.
    const picture_handler& handle_;
    /// Start times of the groups of pictures to decode, for each moment; ascending.
    std::vector<double> starts_;
    double group_start_ = 0;

    codec_owner decoder_;
    frame_owner frame_ = new_frame();
    frame_owner held_ = new_frame();
    double held_seconds_ = 0;
    /// Whether the current group is decoded. Pictures before the first group are.
    bool is_needed_ = true;
    bool has_picture_ = false;
    std::optional<error> failure_;
};

}  // namespace

result<first_pass> run_first_pass(const input_file& file, double seconds_max, audio_decoding mode) {
    auto opened = container::open(file, seconds_max);
    if (!opened) return opened.error();
    return first_pass_reader{*opened, seconds_max, mode}.run();
}

result<second_pass> run_second_pass(
    const input_file& file, const first_pass& first, double seconds_max, text::text_reader& reader,
    thumbnail_maker& thumbnails) {
    auto opened = container::open(file, seconds_max);
    if (!opened) return opened.error();
    return second_pass_reader{*opened, first, reader, thumbnails}.run();
}

result<void> for_each_frame_at(
    const input_file& file, const first_pass& first, double seconds_max,
    std::span<const double> moments, const picture_handler& handle) {
    auto opened = container::open(file, seconds_max);
    if (!opened) return opened.error();
    return moments_pass{*opened, first, moments, handle}.run();
}

}  // namespace reelsd::media
