#include "usable_memory.hpp"

#include <reelsd/base/parse_number.hpp>
#include <reelsd/base/text.hpp>

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

namespace reelsd::app {
namespace {

namespace fs = std::filesystem;

/// Empty if there is no such file, or if it contains "max", which is no limit.
std::optional<std::uint64_t> number_in(const fs::path& file) {
    std::ifstream stream{file};
    std::string text;
    stream >> text;
    return parse_number<std::uint64_t>(text);
}

void lower(std::optional<std::uint64_t>& least, std::optional<std::uint64_t> other) {
    if (other && (!least || *other < *least)) least = other;
}

/// The lowest limit of the group and its parents. In a container the group's name may not exist,
/// and only the outermost group is visible.
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

/// The limit by one line: "4:memory:/group" in version 1, "0::/group" in version 2.
std::optional<std::uint64_t> bytes_max_of(std::string_view line, const fs::path& mounted) {
    const auto first = line.find(':');
    const auto second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) return std::nullopt;
    // In version 1, controllers may share a hierarchy: "5:cpu,memory:/group".
    const auto kinds = "," + std::string{line.substr(first + 1, second - first - 1)} + ",";
    const fs::path group{line.substr(second + 1)};
    if (!group.is_absolute()) return std::nullopt;
    if (kinds.find(",memory,") != kinds.npos) return least_along(mounted / "memory", group);
    if (kinds != ",,") return std::nullopt;
    auto least = least_along(mounted, group);
    lower(least, least_along(mounted / "unified", group));
    return least;
}

/// Empty if the file cannot be read.
std::string text_of(const fs::path& file) {
    std::ifstream stream{file};
    return {std::istreambuf_iterator<char>{stream}, {}};
}

std::uint64_t machine_bytes() {
    const auto pages = ::sysconf(_SC_PHYS_PAGES);
    const auto page_bytes = ::sysconf(_SC_PAGESIZE);
    if (pages < 0 || page_bytes < 0) return 0;  // Not known.
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
    const auto value = trimmed(meminfo.substr(place + name.size()));
    const auto kibibytes = parse_number<std::uint64_t>(value.substr(0, value.find(' ')));
    constexpr std::uint64_t kibibyte = 1024;
    if (!kibibytes || *kibibytes > UINT64_MAX / kibibyte) return std::nullopt;
    return *kibibytes * kibibyte;
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
