#pragma once

#include "arguments.hpp"
#include "jail.hpp"

namespace reelsd::media {

/// The bounds of one run. Memory: models 150 MB, recognition 100 MB, and the decoder's 17 pictures
/// of 4K, 210 MB; with code and files mapped the process stays under 600 MiB. Time: a probe reads
/// the file once, a thumbnail decodes some seconds of it; an analysis measured under 1 s of a core
/// for each second of video, four times that, and so whatever else decodes all pictures. Sound
/// decodes in a hundredth of its own time.
[[nodiscard]] jail::limits limits_for(const arguments& given) noexcept;

}  // namespace reelsd::media
