#pragma once

namespace reelsd::media::jail {

/// Takes system calls from this process that a program which asks a web page never needs, and Unix
/// sockets, for good. Everything else stays allowed. 0, or an errno.
[[nodiscard]] int load_fence_filter();

}  // namespace reelsd::media::jail
