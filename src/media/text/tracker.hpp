#pragma once

#include "../picture/signature.hpp"
#include "detector.hpp"
#include "recogniser.hpp"

#include <cstddef>
#include <list>
#include <vector>

namespace reelsd::media::text {

using picture::signature;

/// One text over time.
struct track {
    rotated_box first_place{};
    rotated_box place{};
    signature mark{};
    double tolerance = 0;  ///< Least correlation at which the text counts as unchanged.
    line_reading reading{};
    int readings = 0;
    double first_seconds = 0;
    double last_seconds = 0;
    int sightings = 0;           ///< Frames.
    int changed_sightings = -9;  ///< When the tolerance was lowered; negative: never.
    int missed = 0;              ///< Frames since it was seen.
    bool still = false;          ///< In this frame: the mark matches.
    bool seen = false;           ///< In this frame.
    bool due = false;            ///< It must be read.
};

/// Follows lines from frame to frame, so that each is read only when it is new or has changed.
class line_tracker {
public:
    /// Starts the next frame: looks for each line at its place.
    void compare(const picture::view& frame);

    /// The rows that `changed`, with one entry for each row of the frame, and those around lines
    /// that are not at their place, or were there within the last 1.5 s: captions follow each
    /// other. From the top; they do not overlap.
    [[nodiscard]] std::vector<rows> changed_rows(std::vector<bool> changed) const;

    /// Takes the lines that were found. `before`: the previous frame, in which new ones may have
    /// appeared, or no pixels.
    void update(
        const std::vector<rotated_box>& found, const picture::view& frame,
        const picture::view& before, double seconds);

    /// Lines to read in this frame, a bounded number: new ones first. Valid until the next call.
    [[nodiscard]] std::vector<track*> due();

    /// Takes the reading of a line, which may be that of another text in its place.
    void take(track& line, line_reading reading, const picture::view& frame, double seconds);

    /// All lines that were read.
    [[nodiscard]] std::vector<track> release();

private:
    void place(
        const rotated_box& found, const picture::view& frame, const picture::view& before,
        double seconds);
    track* moved_to(const rotated_box& found, const signature& mark);
    void remove_ended(const std::vector<rotated_box>& found);

    std::list<track> tracks_;
    std::vector<track> ended_;
};

}  // namespace reelsd::media::text
