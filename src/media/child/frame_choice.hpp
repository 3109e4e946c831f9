#pragma once

#include "container.hpp"
#include "geometry.hpp"

namespace reelsd::media {

struct chosen_frame {
    frame_owner frame;
    geometry shape;
};

/// The picture that stands for the video: the showiest of three a second through the first seconds,
/// or through as many as it takes to see something. `unsupported_format` when none decodes. Cheap:
/// decodes few pictures, the larger they are the fewer.
[[nodiscard]] result<chosen_frame> choose_frame(container& from);

}  // namespace reelsd::media
