#pragma once

namespace reelsd::app {

/// Gives the system back what the calling thread has freed and keeps for later. Takes up to some
/// milliseconds after thousands of connections. Beside the calling thread's own, nobody's memory is
/// looked at: each gives back by itself what has not been used for a while.
void return_freed_memory() noexcept;

}  // namespace reelsd::app
