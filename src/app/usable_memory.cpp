#include "usable_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <string>

namespace reelsd::app {
namespace {

namespace fs = std::filesystem;

/// Nothing: no such file, or a word ("max") that bounds nothing.
std::optional<std::uint64_t> number_in(const fs::path& file) {
    std::ifstream in{file};
    std::string text;
    if (!(in >> text)) return std::nullopt;
    std::uint64_t number = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

void lower(std::optional<std::uint64_t>& least, std::optional<std::uint64_t> other) {
    if (other && (!least || *other < *least)) least = other;
}

/// From the group itself up to the outermost one. Within a container the group may have another
/// name outside, and only the outermost is seen.
std::optional<std::uint64_t> least_along(const fs::path& mounted, fs::path group) {
    std::optional<std::uint64_t> least;
    for (;;) {
        const auto folder = mounted / group.relative_path();
        for (const auto* name : {"memory.max", "memory.high", "memory.limit_in_bytes"}) {
            lower(least, number_in(folder / name));
        }
        if (!group.has_relative_path()) return least;
        group = group.parent_path();
    }
}

/// Of one line, "4:memory:/of/this" in version 1 and "0::/of/this" in version 2.
std::optional<std::uint64_t> bytes_max_of(std::string_view line, const fs::path& mounted) {
    const auto first = line.find(':');
    const auto second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) return std::nullopt;
    const auto kind = line.substr(first + 1, second - first - 1);
    const fs::path group{line.substr(second + 1)};
    if (!group.is_absolute()) return std::nullopt;
    if (kind == "memory") return least_along(mounted / "memory", group);
    return kind.empty() ? least_along(mounted, group) : std::nullopt;
}

std::uint64_t machine_bytes() {
    const auto pages = ::sysconf(_SC_PHYS_PAGES);
    const auto page_bytes = ::sysconf(_SC_PAGESIZE);
    if (pages < 0 || page_bytes < 0) return 0;  // Not known: as little as there may be.
    return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
}

}  // namespace

std::optional<std::uint64_t> control_group_bytes_max(
    std::string_view membership, const fs::path& mounted) {
    std::optional<std::uint64_t> least;
    while (!membership.empty()) {
        const auto line = membership.substr(0, membership.find('\n'));
        membership.remove_prefix(std::min(line.size() + 1, membership.size()));
        lower(least, bytes_max_of(line, mounted));
    }
    return least;
}

std::uint64_t usable_memory_bytes() {
    std::ifstream in{"/proc/self/cgroup"};
    const std::string membership{std::istreambuf_iterator<char>{in}, {}};
    const auto bound = control_group_bytes_max(membership, "/sys/fs/cgroup");
    return std::min(machine_bytes(), bound.value_or(machine_bytes()));
}

std::size_t usual_reel_cache_bytes_max(std::uint64_t usable_bytes) noexcept {
    constexpr std::uint64_t mebibyte = std::uint64_t{1024} * 1024;
    constexpr std::uint64_t part = 16;
    return std::clamp(usable_bytes / part, 64 * mebibyte, 1024 * mebibyte);
}

}  // namespace reelsd::app
