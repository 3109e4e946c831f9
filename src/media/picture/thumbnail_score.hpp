#pragma once

#include "view.hpp"

namespace reelsd::media::picture {

/// How well a picture of luma stands for its video, 0 (one black or white area) to 1: many tones,
/// edges, neither dark nor blank. A fade has fewer tones than what it fades to; writing on a plain
/// ground has edges but few tones. Measured on made videos: plain areas at most 0.1, writing on
/// plain ground 0.1 to 0.25, scenes 0.4 to 0.9.
[[nodiscard]] double thumbnail_score(const view& luma);

}  // namespace reelsd::media::picture
