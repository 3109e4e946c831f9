#include "commands.hpp"
#include "container.hpp"
#include "first_pass.hpp"
#include "jail_settings.hpp"
#include "sound_track.hpp"
#include "track_encoder.hpp"
#include "upright_yuv.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

namespace reelsd::media {
namespace {

/// What models look at; they scale down what is larger.
constexpr int side_max = 1280;
/// Of 60 pictures a second every other one is left out: no model looks at so many.
constexpr double distance_seconds_min = 1.0 / 31.0;

int even(int pixels) {
    return std::max(2, pixels / 2 * 2);
}

picture_size coded_size(const geometry& shape) {
    const auto size = shape.fitted(
        std::min(side_max, shape.displayed.width), std::min(side_max, shape.displayed.height));
    return {.width = even(size.width), .height = even(size.height)};
}

/// Decodes both tracks, in the order in which they stand in the file, and encodes them anew.
class transcoding {
public:
    transcoding(container& from, const first_pass& known, double seconds_max)
        : from_{from},
          known_{known},
          seconds_max_{seconds_max},
          picture_{known.shape, coded_size(known.shape)},
          heard_{
              coded_sound_rate_hz,
              // As of the first pass: a second past the limit.
              static_cast<std::size_t>((seconds_max + 1) * coded_sound_rate_hz)} {}

    result<output_report> run() {
        const auto opened = open_decoders();
        if (!opened) return opened.error();
        const auto packet = new_packet();
        while (!failure_ && from_.next(*packet)) {
            if (packet->stream_index == from_.video().index) {
                decode_pictures(packet.get());
            } else {
                decode_sound(packet.get());
            }
        }
        if (!failure_) decode_pictures(nullptr);
        if (!failure_) decode_sound(nullptr);
        if (!failure_) finish_tracks();
        if (failure_) return *failure_;
        const auto size = output_.finish();
        if (!size) return size.error();
        return output_report{.bytes = *size};
    }

private:
    result<void> open_decoders() {
        auto pictures = container::decoder_for(from_.video());
        if (!pictures) return pictures.error();
        picture_decoder_ = std::move(*pictures);
        if (from_.audio() == nullptr) return {};
        auto sound = container::decoder_for(*from_.audio());
        // A track that cannot be decoded is one that nobody hears.
        if (sound) sound_decoder_ = std::move(*sound);
        return {};
    }

    /// With the first picture: only now its colours are known.
    result<void> begin(const AVFrame& like) {
        auto pictures = track_encoder::of_pictures(
            output_.context(), coded_size(known_.shape), like, known_.probe.frame_rate);
        if (!pictures) return pictures.error();
        pictures_.emplace(std::move(*pictures));
        if (sound_decoder_) {
            auto sound = track_encoder::of_sound(output_.context());
            if (!sound) return sound.error();
            sound_.emplace(std::move(*sound));
        }
        return output_.begin();
    }

    void note(const result<void>& done) {
        if (!done && !failure_) failure_ = done.error();
    }

    void decode_pictures(const AVPacket* packet) {
        decode(*picture_decoder_, packet, *frame_, [this](const AVFrame& frame) {
            note(take_picture(frame));
            return !failure_;
        });
    }

    result<void> take_picture(const AVFrame& frame) {
        const auto at = from_.seconds_of(from_.video(), frame.best_effort_timestamp);
        const double seconds = at.value_or(due_seconds_);
        if (seconds > seconds_max_ + duration_slack_seconds) return too_long(seconds, seconds_max_);
        if (seconds < due_seconds_) return {};
        AVFrame* picture = picture_.scale(frame);
        if (picture == nullptr) return {};
        if (!pictures_) {
            const auto begun = begin(frame);
            if (!begun) return begun.error();
        }
        due_seconds_ = seconds + distance_seconds_min;
        picture->pts = std::llround(seconds * picture_ticks_per_second);
        picture->pict_type = AV_PICTURE_TYPE_NONE;
        return pictures_->encode(picture);
    }

    void decode_sound(const AVPacket* packet) {
        if (!sound_decoder_) return;
        decode(*sound_decoder_, packet, *frame_, [this](const AVFrame& frame) {
            const auto start = from_.seconds_of(*from_.audio(), frame.best_effort_timestamp);
            heard_.add(frame, start.value_or(0));
            note(encode_heard());
            return !failure_;
        });
    }

    /// As much as is whole; what comes before the first picture waits for it.
    result<void> encode_heard() {
        if (!sound_) return {};
        return encode_blocks(heard_.take_blocks(coded_sound_samples));
    }

    result<void> encode_blocks(std::span<const float> samples) {
        while (!samples.empty()) {
            const auto count = std::min(coded_sound_samples, samples.size());
            auto encoded = sound_->encode_samples(samples.first(count));
            if (!encoded) return encoded;
            samples = samples.subspan(count);
        }
        return {};
    }

    void finish_tracks() {
        if (!pictures_) {
            failure_ = error{errc::unsupported_format, "no picture can be converted"};
            return;
        }
        note(pictures_->encode(nullptr));
        if (!sound_ || failure_) return;
        note(encode_blocks(heard_.finish()));
        if (!failure_) note(sound_->encode(nullptr));
    }

    container& from_;
    const first_pass& known_;
    double seconds_max_;

    codec_owner picture_decoder_;
    codec_owner sound_decoder_;
    frame_owner frame_ = new_frame();
    upright_yuv picture_;
    resampled_track<float> heard_;
    double due_seconds_ = 0;

    mp4_writer output_{mp4_writer::index::first};
    std::optional<track_encoder> pictures_;
    std::optional<track_encoder> sound_;
    std::optional<error> failure_;
};

}  // namespace

result<output_report> transcode(const arguments& given) {
    const auto file = open_in_jail(given);
    if (!file) return file.error();
    const auto known = run_first_pass(*file, given.seconds_max, listening::no);
    if (!known) return known.error();
    auto opened = container::open(*file, given.seconds_max);
    if (!opened) return opened.error();
    return transcoding{*opened, *known, given.seconds_max}.run();
}

}  // namespace reelsd::media
