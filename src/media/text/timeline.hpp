#pragma once

#include "../picture/sampling.hpp"
#include <reelsd/media/report.hpp>

#include <string>
#include <vector>

namespace reelsd::media::text {

/// One text while one track followed it.
struct sighting {
    std::string text{};
    double confidence = 0;  ///< 0 to 1.
    int frames = 0;         ///< With this text.
    double start_seconds = 0;
    double end_seconds = 0;
    picture::box first_place{};  ///< In pixels of the frame.
    picture::box last_place{};
};

/// Whether a line is texture that looks like letters, or a piece of one that moves over an edge.
[[nodiscard]] bool is_glimpse(const sighting& line);

/// Whether `line`, read in averaged frames, is a text that none of the single `frames` shows whole.
[[nodiscard]] bool is_missed(const sighting& line, const std::vector<sighting>& frames);

/// Merges the texts of tracks: equal ones, parts of a line, and a line that grew word by word (its
/// full text, from the start of the first word). Sorted by start.
[[nodiscard]] std::vector<timed_text> merge_sightings(std::vector<sighting> seen);

}  // namespace reelsd::media::text
