#pragma once

#include "track.hpp"

#include <list>
#include <vector>

namespace reelsd::media::text {

/// A track in this frame, and the detector's view of it, if any.
struct observation {
    track* line = nullptr;            ///< Valid until the next `update`.
    const candidate* view = nullptr;  ///< One of the candidates given to `update`, or null.
};

/// Follows lines from frame to frame, so that each is read only when it is new or has changed.
class line_tracker {
public:
    /// Takes the next frame's candidates. Returns the lines on screen, and moves ended ones to
    /// `ended`.
    std::vector<observation> update(
        const std::vector<candidate>& candidates, const line_detector& planes,
        const rgb_frame& frame, double seconds, std::vector<track>& ended);

    /// The active tracks.
    [[nodiscard]] std::vector<track> release();

private:
    struct followed {
        track line;
        persistence seen;
        const candidate* view = nullptr;
        bool present = false;
    };

    followed* explained_by(const candidate& found);
    followed* moved_from(const candidate& found, const signature& mask);
    void place(const candidate& found, const rgb_frame& frame, double seconds);
    /// When many lines appear at once, each must be seen twice before it is read.
    void delay_crowd(double seconds);

    std::list<followed> followed_;
};

}  // namespace reelsd::media::text
