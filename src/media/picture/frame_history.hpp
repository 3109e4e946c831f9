#pragma once

#include "image.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace reelsd::media::picture {

/// The last frames of a video. In their mean, what stands still remains sharp and what moves fades.
class frame_history {
public:
    static constexpr std::size_t length = 4;

    /// Copies the next frame, an RGB picture of the size and stride of those before.
    void add(const view& frame);

    /// The last frame but one; without pixels if there is none.
    [[nodiscard]] view before() const;

    /// Mean of the last `length` frames; without pixels if there are fewer. Valid until the next
    /// call.
    [[nodiscard]] view mean();

private:
    view shape_{};
    std::array<std::vector<std::uint8_t>, length> frames_{};
    std::size_t count_ = 0;
    std::vector<std::uint8_t> mean_;
};

}  // namespace reelsd::media::picture
