#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace reelsd::app {

/// Bytes of memory that this process may have: the machine's, or less where a control group bounds
/// it, as containers and units of systemd do. A bound that the container cannot see is not known.
[[nodiscard]] std::uint64_t usable_memory_bytes();

/// `MemTotal` of what `/proc/meminfo` says; containers of LXC show their own bound there. Source:
/// proc(5).
[[nodiscard]] std::optional<std::uint64_t> total_memory_bytes(std::string_view meminfo);

/// The least bound of the control groups that a process is in and of those around them; nothing
/// when there is none. `membership` is what `/proc/self/cgroup` says, `mounted` is where the
/// groups' files are (`/sys/fs/cgroup`): `memory.max` and `memory.high` of version 2, also under
/// `unified`, `memory.limit_in_bytes` of version 1 under `memory`. Source: cgroups(7).
[[nodiscard]] std::optional<std::uint64_t> control_group_bytes_max(
    std::string_view membership, const std::filesystem::path& mounted);

/// What `reel-cache-bytes-max` is without another wish: a sixteenth of the memory, which leaves
/// what a database and local analyses need beside, but 64 MiB at least and 1 GiB at most.
[[nodiscard]] std::size_t usual_reel_cache_bytes_max(std::uint64_t usable_bytes) noexcept;

}  // namespace reelsd::app
