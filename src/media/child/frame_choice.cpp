#include "frame_choice.hpp"

#include "../picture/showiness.hpp"
#include "decoding.hpp"
#include "scaler.hpp"

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

namespace reelsd::media {
namespace {

constexpr double look_distance_seconds = 1.0 / 3.0;
/// What a reel is about is on screen by then; what comes later may give the end away.
constexpr double first_seconds = 5;
/// From here on a picture shows something: see picture::showiness.
constexpr double showiness_enough = 0.3;
/// For so long after the first picture that shows something: it may be half of a fade.
constexpr double fade_seconds = 1.5;
/// How much may be decoded in search of one: 15 s of 1080 x 1920 at 30 frames a second. Measured at
/// 0.6 s of a core (a black film in H.264) to 3.2 s (a busy one of 4K in HEVC).
constexpr std::int64_t pixels_max = std::int64_t{15} * 30 * 1080 * 1920;
/// For looking at, whatever the shape: stretching changes neither tones nor, much, edges.
constexpr picture_size look_size{.width = 128, .height = 128};

class choice {
public:
    explicit choice(container& from) : from_{from}, luma_{look_size, AV_PIX_FMT_GRAY8} {}

    result<chosen_frame> run() {
        auto decoder = container::decoder_for(from_.video());
        if (!decoder) return decoder.error();
        const auto packet = new_packet();
        const auto frame = new_frame();
        const auto take = [this](const AVFrame& one) { return take_frame(one); };
        while (!done_ && from_.next(*packet)) {
            if (packet->stream_index == from_.video().index) {
                decode(**decoder, packet.get(), *frame, take);
            }
        }
        if (!done_) decode(**decoder, nullptr, *frame, take);
        if (best_->buf[0] == nullptr) {
            return error{errc::unsupported_format, "no picture can be decoded"};
        }
        const auto shape = geometry_of(from_.video(), *best_);
        return chosen_frame{.frame = std::move(best_), .shape = shape};
    }

private:
    bool take_frame(const AVFrame& frame) {
        const auto at = from_.seconds_of(from_.video(), frame.best_effort_timestamp);
        const double seconds = at.value_or(due_seconds_);
        if (seconds >= due_seconds_) {
            look_at(frame);
            due_seconds_ = seconds + look_distance_seconds;
            if (best_showiness_ < showiness_enough) {
                end_seconds_ = std::max(first_seconds, seconds + fade_seconds);
            }
        }
        pixels_ += std::int64_t{frame.width} * frame.height;
        done_ = pixels_ >= pixels_max || seconds >= end_seconds_;
        return !done_;
    }

    void look_at(const AVFrame& frame) {
        const auto luma = luma_.scale(frame);
        if (luma.pixels == nullptr) return;
        // What the decoder had to guess is better than nothing, but not than anything else.
        const bool guessed =
            (frame.flags & AV_FRAME_FLAG_CORRUPT) != 0 || frame.decode_error_flags != 0;
        const double now = guessed ? 0 : picture::showiness(luma);
        if (now <= best_showiness_) return;
        av_frame_unref(best_.get());
        if (av_frame_ref(best_.get(), &frame) < 0) throw std::bad_alloc{};
        best_showiness_ = now;
    }

    container& from_;
    scaler luma_;
    frame_owner best_ = new_frame();
    double best_showiness_ = -1;  // So that even the worst picture is better than none.
    double due_seconds_ = 0;
    double end_seconds_ = first_seconds;
    std::int64_t pixels_ = 0;
    bool done_ = false;
};

}  // namespace

result<chosen_frame> choose_frame(container& from) {
    return choice{from}.run();
}

}  // namespace reelsd::media
