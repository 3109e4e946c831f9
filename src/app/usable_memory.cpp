#include "usable_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
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
    // In version 1 the memory may have one hierarchy with others: "5:cpu,memory:/of/this".
    const auto kinds = "," + std::string{line.substr(first + 1, second - first - 1)} + ",";
    const fs::path group{line.substr(second + 1)};
    if (!group.is_absolute()) return std::nullopt;
    if (kinds.find(",memory,") != kinds.npos) return least_along(mounted / "memory", group);
    if (kinds != ",,") return std::nullopt;
    auto least = least_along(mounted, group);
    lower(least, least_along(mounted / "unified", group));
    return least;
}

/// All of a file that the kernel makes; empty if it cannot be read.
std::string text_of(const fs::path& file) {
    std::ifstream in{file};
    std::string text;
    for (std::string line; std::getline(in, line);) text += line + '\n';
    return text;
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

std::optional<std::uint64_t> total_memory_bytes(std::string_view meminfo) {
    constexpr std::string_view name = "MemTotal:";
    const auto place = meminfo.find(name);
    if (place == meminfo.npos) return std::nullopt;
    auto rest = meminfo.substr(place + name.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    std::uint64_t kibibytes = 0;
    const auto [end, failed] = std::from_chars(rest.data(), rest.data() + rest.size(), kibibytes);
    constexpr std::uint64_t kibibyte = 1024;
    if (failed != std::errc{} || kibibytes > UINT64_MAX / kibibyte) return std::nullopt;
    return kibibytes * kibibyte;
}

std::uint64_t usable_memory_bytes() {
    std::optional<std::uint64_t> least = machine_bytes();
    lower(least, total_memory_bytes(text_of("/proc/meminfo")));
    lower(least, control_group_bytes_max(text_of("/proc/self/cgroup"), "/sys/fs/cgroup"));
    return *least;
}

std::size_t usual_reel_cache_bytes_max(std::uint64_t usable_bytes) noexcept {
    constexpr std::uint64_t mebibyte = std::uint64_t{1024} * 1024;
    constexpr std::uint64_t part = 16;
    return std::clamp(usable_bytes / part, 64 * mebibyte, 1024 * mebibyte);
}

}  // namespace reelsd::app
