#include "second_pass.hpp"

#include "../picture/colour_jumps.hpp"
#include "../picture/cut_finder.hpp"
#include "../picture/dissolves.hpp"
#include "../picture/picture_meter.hpp"
#include "../picture/thumbnail.hpp"
#include "scaler.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace reelsd::media {
namespace {

/// Frames for cuts are taken at least so far apart: past 31 a second they only cost.
constexpr double luma_distance_seconds_min = 1.0 / 31.0;

/// 9:22.5, higher than any phone: a picture that would be higher is scaled to less width instead.
constexpr int small_height_max = picture::small_width * 5 / 2;

/// Thumbnails average blocks of 4.
constexpr int small_side_min = 4;

picture_size small_size(const geometry& shape) {
    auto size = shape.fitted(picture::small_width, small_height_max);
    size.width = std::max(size.width, small_side_min);
    size.height = std::max(size.height, small_side_min);
    return shape.before_turning(size);
}

/// Moments at a steady rate.
class ticker {
public:
    explicit ticker(double per_second) noexcept : per_second_{per_second} {}

    /// Calls `take(seconds)` for each moment before `end` that was not yet taken.
    template <class Take>
    void run_until(double end, Take take) {
        for (; static_cast<double>(next_) / per_second_ < end; ++next_) {
            take(static_cast<double>(next_) / per_second_);
        }
    }

private:
    double per_second_;
    std::size_t next_ = 0;
};

class second_pass_reader {
public:
    second_pass_reader(
        container& from, const first_pass& known, double seconds_max, text::text_reader& reader,
        thumbnail_maker& thumbnails)
        : from_{from},
          known_{known},
          seconds_max_{seconds_max},
          reader_{reader},
          thumbnails_{thumbnails},
          luma_{small_size(known.shape), AV_PIX_FMT_GRAY8},
          small_{small_size(known.shape), AV_PIX_FMT_RGB24},
          text_{known.shape} {}

    result<seen> run() {
        const auto decoded =
            decode_pictures(from_, [this](const AVFrame& frame) { return take_frame(frame); });
        if (!decoded) return decoded.error();
        if (overrun_) return too_long(*overrun_, seconds_max_);
        if (held_->buf[0] == nullptr) {
            return error{errc::unsupported_format, "no picture can be decoded"};
        }
        return conclude();
    }

private:
    bool take_frame(const AVFrame& frame) {
        const auto at = from_.seconds_of(from_.video(), frame.best_effort_timestamp);
        const double seconds = std::max(at.value_or(held_seconds_), held_seconds_);
        if (seconds > seconds_max_ + duration_slack_seconds) {
            overrun_ = seconds;
            return false;
        }
        show_until(seconds);
        thumbnails_.add(from_, frame);
        hold(frame, seconds);
        if (seconds >= luma_due_seconds_) {
            const auto luma = luma_.scale(frame);
            if (luma.pixels != nullptr) cuts_.add(luma, seconds);
            luma_due_seconds_ = seconds + luma_distance_seconds_min;
        }
        return true;
    }

    /// The picture that is on screen until the next one comes.
    void hold(const AVFrame& frame, double seconds) {
        hold_picture(*held_, frame);
        held_seconds_ = seconds;
        held_small_ = {};
        held_text_ = {};
    }

    /// Hands the held picture on for each moment before `end`. The first stands for the time before
    /// it as well.
    void show_until(double end) {
        if (held_->buf[0] == nullptr) return;
        small_ticks_.run_until(end, [this](double at) { measure(at); });
        text_ticks_.run_until(end, [this](double at) { read(at); });
    }

    void measure(double at) {
        if (held_small_.pixels == nullptr) held_small_ = small_.scale(*held_);
        if (held_small_.pixels == nullptr) return;
        auto now = picture::make_thumbnail(held_small_, at);
        meter_.add(held_small_, now, small_pictures_.empty() ? nullptr : &small_pictures_.back());
        small_pictures_.push_back(std::move(now));
    }

    void read(double at) {
        if (held_text_.pixels == nullptr) held_text_ = text_.scale(*held_);
        if (held_text_.pixels != nullptr) reader_.add_frame(held_text_, at);
    }

    seen conclude() {
        const double duration = known_.probe.duration_seconds;
        show_until(duration);
        seen all;
        auto hard = cuts_.finish();
        hard = picture::merge_cuts(hard, picture::find_colour_jumps(small_pictures_, hard));
        all.picture.cuts =
            picture::merge_cuts(hard, picture::find_dissolves(small_pictures_, hard));
        meter_.finish(all.picture);
        all.texts = reader_.finish(duration);
        return all;
    }

    container& from_;
    const first_pass& known_;
    double seconds_max_;
    text::text_reader& reader_;
    thumbnail_maker& thumbnails_;

    scaler luma_;
    scaler small_;
    text_picture text_;

    frame_owner held_ = new_frame();
    double held_seconds_ = 0;
    picture::view held_small_;
    text::rgb_frame held_text_;

    ticker small_ticks_{picture::colour_frames_per_second};
    ticker text_ticks_{text::frames_per_second};
    double luma_due_seconds_ = 0;
    std::optional<double> overrun_;

    picture::cut_finder cuts_;
    picture::picture_meter meter_;
    std::vector<picture::thumbnail> small_pictures_;
};

}  // namespace

result<seen> run_second_pass(
    const input_file& file, const first_pass& known, double seconds_max, text::text_reader& reader,
    thumbnail_maker& thumbnails) {
    auto opened = container::open(file, seconds_max);
    if (!opened) return opened.error();
    return second_pass_reader{*opened, known, seconds_max, reader, thumbnails}.run();
}

}  // namespace reelsd::media
