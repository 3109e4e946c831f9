#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace reelsd::app {

/// Bytes of memory that this process may use: the machine's, or less if a control group limits it,
/// as in containers and systemd units. Limits that are invisible in the container are not known.
[[nodiscard]] std::uint64_t usable_memory_bytes();

/// `MemTotal` in the text of `/proc/meminfo`, where LXC containers show their own limit. Source:
/// proc(5).
[[nodiscard]] std::optional<std::uint64_t> total_memory_bytes(std::string_view meminfo);

/// The lowest limit of a process's control groups and their parents; empty if there is none.
/// `membership` is the text of `/proc/self/cgroup`, `mounted` the folder of the groups
/// (`/sys/fs/cgroup`): `memory.max` and `memory.high` of version 2, also under `unified`,
/// `memory.limit_in_bytes` of version 1 under `memory`. Source: cgroups(7).
[[nodiscard]] std::optional<std::uint64_t> control_group_bytes_max(
    std::string_view membership, const std::filesystem::path& mounted);

/// Default of `reel-cache-bytes-max`: a sixteenth of the memory, which leaves enough for a database
/// and local analyses, within 64 MiB and 1 GiB.
[[nodiscard]] std::size_t usual_reel_cache_bytes_max(std::uint64_t usable_bytes) noexcept;

}  // namespace reelsd::app
