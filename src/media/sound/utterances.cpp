#include "utterances.hpp"

#include <reelsd/base/invariant.hpp>

#include <algorithm>

namespace reelsd::media::sound {

namespace {

/// All in frames of 10 ms.
constexpr std::size_t joined_pause_frames = 50;
/// A shorter sound is a click, not a word.
constexpr std::size_t voiced_frames_min = 10;
constexpr std::size_t margin_frames = 20;
/// Longer utterances cost more and are recognised no better.
constexpr std::size_t utterance_frames_max = 1200;
/// No split leaves less than this, so that neither part is a fragment.
constexpr std::size_t part_frames_min = 300;
/// Quietness is judged over 150 ms: a stop consonant is shorter, a pause is longer.
constexpr std::size_t quiet_frames = 15;

/// Voiced frames joined over pauses; without margins.
std::vector<frame_range> join_voiced(const std::vector<bool>& voiced) {
    std::vector<frame_range> ranges;
    for (std::size_t i = 0; i < voiced.size(); ++i) {
        if (!voiced[i]) continue;
        if (!ranges.empty() && i - ranges.back().end < joined_pause_frames) {
            ranges.back().end = i + 1;
        } else {
            ranges.push_back({i, i + 1});
        }
    }
    std::erase_if(ranges, [](const frame_range& range) {
        return range.end - range.begin < voiced_frames_min;
    });
    return ranges;
}

void add_margins(std::vector<frame_range>& ranges, std::size_t frames) {
    std::size_t free_from = 0;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        const std::size_t next = i + 1 < ranges.size() ? ranges[i + 1].begin : frames;
        frame_range& range = ranges[i];
        range.begin = std::max(free_from, range.begin - std::min(range.begin, margin_frames));
        range.end = std::min(range.end + margin_frames, next);
        free_from = range.end;
    }
}

/// The later one of equals, so that parts are long.
std::size_t quietest_frame(std::span<const float> levels_db, frame_range where) {
    std::size_t best = where.begin;
    float best_sum = 0;
    for (std::size_t i = where.begin; i + quiet_frames <= where.end; ++i) {
        float sum = 0;
        for (const float level : levels_db.subspan(i, quiet_frames)) sum += level;
        if (i == where.begin || sum <= best_sum) {
            best = i;
            best_sum = sum;
        }
    }
    return best + quiet_frames / 2;
}

}  // namespace

std::vector<frame_range> find_utterances(
    const std::vector<bool>& voiced, std::span<const float> levels_db) {
    invariant(voiced.size() == levels_db.size());
    std::vector<frame_range> ranges = join_voiced(voiced);
    add_margins(ranges, voiced.size());
    std::vector<frame_range> result;
    for (frame_range rest : ranges) {
        while (rest.end - rest.begin > utterance_frames_max) {
            const std::size_t latest =
                std::min(rest.begin + utterance_frames_max, rest.end - part_frames_min);
            const std::size_t cut =
                quietest_frame(levels_db, {rest.begin + part_frames_min, latest});
            result.push_back({rest.begin, cut});
            rest.begin = cut;
        }
        result.push_back(rest);
    }
    return result;
}

}  // namespace reelsd::media::sound
