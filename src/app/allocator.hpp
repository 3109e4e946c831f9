#pragma once

namespace reelsd::app {

/// Gives the system back what the calling thread has freed and keeps for later. Takes up to some
/// milliseconds after thousands of connections. Other threads' memory is not looked at.
void return_freed_memory() noexcept;

}  // namespace reelsd::app
