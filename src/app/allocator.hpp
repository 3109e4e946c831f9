#pragma once

namespace reelsd::app {

/// Gives the system back what the calling thread has freed and keeps for later. Other
/// threads' memory is not looked at. Takes a millisecond after 5,000 connections.
void return_freed_memory() noexcept;

}  // namespace reelsd::app
