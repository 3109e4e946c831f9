#pragma once

#include "container.hpp"
#include "geometry.hpp"
#include "scaler.hpp"
#include <reelsd/media/report.hpp>

#include <cstdint>

namespace reelsd::media {

/// Chooses the picture that represents a video and makes thumbnails of it: the best of three a
/// second through the first seconds, or through as many as it takes to see something.
class thumbnail_maker {
public:
    thumbnail_maker();

    /// The next picture of the video. Pictures after done() are ignored. Cheap: few pictures are
    /// measured.
    void add(const container& from, const AVFrame& frame);
    [[nodiscard]] bool done() const noexcept { return done_; }
    [[nodiscard]] bool empty() const noexcept { return best_->buf[0] == nullptr; }

    /// The chosen picture as players show it, scaled down into the bounds of each size (never up),
    /// as fine as their bytes allow. Throws std::runtime_error when there is none, or FFmpeg can
    /// neither convert nor encode it.
    [[nodiscard]] thumbnail_report finish() const;

private:
    void measure(const container& from, const AVFrame& frame);

    scaler luma_;
    frame_owner best_ = new_frame();
    geometry shape_;
    double best_score_ = -1;  // So that even the worst picture is better than none.
    double due_seconds_ = 0;
    double end_seconds_;
    std::int64_t pixels_ = 0;
    bool done_ = false;
};

}  // namespace reelsd::media
