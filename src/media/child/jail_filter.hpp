#pragma once

namespace reelsd::media::jail {

/// Puts the system-call filter on all threads of this process. `video` is the one descriptor that
/// may be read, -1 for none. 0, or an errno. Only memory, time, the video and the standard outputs
/// are left: opening and connecting fail with an error that libraries understand, anything else
/// kills the process.
[[nodiscard]] int load_filter(int video);

}  // namespace reelsd::media::jail
