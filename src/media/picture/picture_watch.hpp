#pragma once

#include "image.hpp"

#include <vector>

namespace reelsd::media::picture {

/// Finds rows that may have another text than when they were last reported.
class picture_watch {
public:
    /// True for each row that changed since it was last reported here, and for those around it.
    std::vector<bool> changed_rows(const view& frame);

private:
    static constexpr int cell_side = 8;  // Pixels.
    static constexpr int margin = 32;    // Rows of a line whose thin ends change no cell.
    /// Of 255, in the difference of two neighbouring cells. Compression changes still pictures by
    /// less; the strokes of a small letter cover a quarter of a cell.
    static constexpr float change_min = 6;

    std::vector<float> known_;  ///< Differences of cells, by colour and row.
};

}  // namespace reelsd::media::picture
