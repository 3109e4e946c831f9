#include "frames_at.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace reelsd::media {
namespace {

class reading {
public:
    reading(
        container& from, const first_pass& known, double seconds_max,
        std::span<const double> moments, const picture_taker& take)
        : from_{from}, seconds_max_{seconds_max}, moments_{moments}, take_{take} {
        for (const double moment : moments) note_start_of(moment, known.key_seconds);
    }

    result<void> run() {
        auto decoder = container::decoder_for(from_.video());
        if (!decoder) return decoder.error();
        decoder_ = std::move(*decoder);
        const auto packet = new_packet();
        while (!done() && from_.next(*packet)) {
            if (packet->stream_index != from_.video().index) continue;
            if (begins_group(*packet)) enter_group(*packet);
            if (wanted_) feed(packet.get());
        }
        if (!done() && wanted_) feed(nullptr);
        if (!done()) show_until(std::nullopt);
        if (failure_) return *failure_;
        if (!shown_) return error{errc::unsupported_format, "no picture can be decoded"};
        return {};
    }

private:
    [[nodiscard]] bool done() const { return failure_ || moments_.empty(); }

    /// Where the decoder has to begin for what is shown at `moment`.
    void note_start_of(double moment, const std::vector<double>& keys) {
        if (keys.empty()) return;
        const auto after = std::ranges::upper_bound(keys, moment);
        starts_.push_back(after == keys.begin() ? keys.front() : *std::prev(after));
    }

    static bool begins_group(const AVPacket& packet) {
        return (packet.flags & AV_PKT_FLAG_KEY) != 0 && (packet.flags & AV_PKT_FLAG_DISCARD) == 0;
    }

    void enter_group(const AVPacket& first) {
        const auto start = from_.start_of(first, from_.video());
        const bool wanted = !start || std::ranges::binary_search(starts_, *start);
        if (wanted_ && !wanted) {
            feed(nullptr);
            if (!done()) show_until(*start);
            avcodec_flush_buffers(decoder_.get());
            av_frame_unref(held_.get());
        }
        wanted_ = wanted;
    }

    void feed(const AVPacket* packet) {
        decode(*decoder_, packet, *frame_, [this](const AVFrame& frame) {
            const auto at = from_.seconds_of(from_.video(), frame.best_effort_timestamp);
            const double seconds = std::max(at.value_or(held_seconds_), held_seconds_);
            if (seconds > seconds_max_ + duration_slack_seconds) {
                failure_ = too_long(seconds, seconds_max_);
                return false;
            }
            show_until(seconds);
            hold_picture(*held_, frame);
            held_seconds_ = seconds;
            return !done();
        });
    }

    /// Hands the held picture on for the moments before `end`; all without one.
    void show_until(std::optional<double> end) {
        if (held_->buf[0] == nullptr) return;
        while (!done() && (!end || moments_.front() < *end)) {
            shown_ = true;
            const auto taken = take_(*held_, moments_.front());
            if (!taken) failure_ = taken.error();
            moments_ = moments_.subspan(1);
        }
    }

    container& from_;
    double seconds_max_;
    std::span<const double> moments_;  ///< Those that are left.
    const picture_taker& take_;
    std::vector<double> starts_;  ///< Of the groups of pictures that are decoded; ascending.

    codec_owner decoder_;
    frame_owner frame_ = new_frame();
    frame_owner held_ = new_frame();
    double held_seconds_ = 0;
    /// Whether the present group is decoded; what comes before the first is.
    bool wanted_ = true;
    bool shown_ = false;
    std::optional<error> failure_;
};

}  // namespace

result<void> for_each_frame_at(
    const input_file& file, const first_pass& known, double seconds_max,
    std::span<const double> moments, const picture_taker& take) {
    auto opened = container::open(file, seconds_max);
    if (!opened) return opened.error();
    return reading{*opened, known, seconds_max, moments, take}.run();
}

}  // namespace reelsd::media
