#include "frame_history.hpp"

namespace reelsd::media::picture {

void frame_history::add(const view& frame) {
    shape_ = frame;
    const auto last_row = frame.row(frame.height - 1);
    frames_[count_++ % length].assign(frame.pixels, last_row + std::ptrdiff_t{3} * frame.width);
}

view frame_history::before() const {
    view frame = shape_;
    frame.pixels = count_ < 2 ? nullptr : frames_[(count_ - 2) % length].data();
    return frame;
}

view frame_history::mean() {
    view frame = shape_;
    frame.pixels = nullptr;
    if (count_ < length) return frame;
    mean_.resize(frames_[0].size());
    static_assert(length == 4);
    for (std::size_t i = 0; i < mean_.size(); ++i) {
        const int sum = frames_[0][i] + frames_[1][i] + frames_[2][i] + frames_[3][i];
        mean_[i] = static_cast<std::uint8_t>(sum / 4);
    }
    frame.pixels = mean_.data();
    return frame;
}

}  // namespace reelsd::media::picture
