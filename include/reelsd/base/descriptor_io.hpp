#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// Blocking reads and writes of descriptors that signals do not cut short.
namespace reelsd {

/// Returns the number of bytes written. If it is not all, errno is the reason.
[[nodiscard]] std::size_t write_all(int descriptor, std::span<const std::byte> bytes) noexcept;
[[nodiscard]] std::size_t write_all(int descriptor, std::string_view text) noexcept;

/// Reads until the end of the file, but at most `bytes_max` bytes. Empty, with errno set, if
/// reading fails.
[[nodiscard]] std::optional<std::string> read_at_most(int descriptor, std::size_t bytes_max);

}  // namespace reelsd
