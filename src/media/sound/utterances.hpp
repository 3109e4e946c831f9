#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace reelsd::media::sound {

/// Frames [begin, end) of 10 ms.
struct frame_range {
    std::size_t begin = 0;
    std::size_t end = 0;

    friend bool operator==(const frame_range&, const frame_range&) = default;
};

/// Stretches that may hold speech, in order, disjoint: voiced frames joined over short pauses, with
/// a margin on both sides, none longer than 12 s (split at the quietest place). `voiced` and
/// `levels_db` have one entry for each frame.
[[nodiscard]] std::vector<frame_range> find_utterances(
    const std::vector<bool>& voiced, std::span<const float> levels_db);

}  // namespace reelsd::media::sound
