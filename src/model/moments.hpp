#pragma once

#include <reelsd/media/report.hpp>
#include <reelsd/model/findings.hpp>

#include <optional>
#include <vector>

namespace reelsd::model {

/// Nearer events are one moment: a viewer jumps to both at once.
inline constexpr double moments_apart_seconds = 1.5;
/// More are a list of everything. A remote model is allowed 20, because it can tell which matter.
inline constexpr std::size_t local_moments_max = 12;

/// What can make a moment; all times ascending within each.
struct moment_sources {
    const std::vector<double>& cuts;
    const std::vector<timed_text>& texts;   ///< On-screen texts, lines joined.
    const std::vector<timed_text>& speech;  ///< Utterances.
    std::optional<double> music_start;
};

/// Cuts, first appearances of a text, speech after a pause and the start of music: merged, at least
/// moments_apart_seconds apart, at most local_moments_max (the richest stay), ascending. Pure.
[[nodiscard]] std::vector<key_moment> key_moments_from(const moment_sources& sources);

}  // namespace reelsd::model
