#pragma once

#include "container.hpp"
#include "images.hpp"
#include <reelsd/media/report.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace reelsd::media {

/// Chooses the picture that represents a video and encodes thumbnails of it: the best of three a
/// second of the first seconds, or until a picture shows something.
class thumbnail_maker {
public:
    thumbnail_maker();

    /// Adds the next picture of the video; ignored after done(). Only few pictures are measured.
    void add(const container& from, const AVFrame& frame);
    [[nodiscard]] bool done() const noexcept { return done_; }
    [[nodiscard]] bool empty() const noexcept { return best_->buf[0] == nullptr; }

    /// The chosen picture as players show it, scaled down to the bounds of each size, in the best
    /// quality within their bytes. Throws std::runtime_error when there is none, or FFmpeg cannot
    /// convert or encode it.
    [[nodiscard]] thumbnail_report finish() const;

private:
    void measure(const container& from, const AVFrame& frame);

    scaler luma_;
    frame_owner best_ = new_frame();
    geometry shape_;
    double best_score_ = -1;  // Any picture is better than none.
    double due_seconds_ = 0;
    double end_seconds_;
    std::int64_t pixels_ = 0;
    bool done_ = false;
};

/// A JPEG of a picture of `shape` within the bounds; prefers size over quality. Throws
/// std::runtime_error when FFmpeg cannot convert or encode the picture.
[[nodiscard]] std::vector<std::byte> jpeg_within(
    const AVFrame& frame, const geometry& shape, const thumbnail_bounds& within);

}  // namespace reelsd::media
