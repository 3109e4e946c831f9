#pragma once

#include <cstdint>
#include <string_view>

namespace reelsd::cli::mcp {

/// The revisions of the protocol that we speak, oldest first: what came with one is there in later
/// ones. To a server that has tools alone, 2025-11-25 adds nothing.
enum class revision : std::uint8_t {
    of_2024_11_05,
    of_2025_03_26,  ///< Annotations of tools, messages of progress, batches (in this one alone).
    of_2025_06_18,  ///< Structured results and their schemas, titles.
    of_2025_11_25,
};

inline constexpr auto newest_revision = revision::of_2025_11_25;

[[nodiscard]] std::string_view name_of(revision one) noexcept;

/// The client's revision where we speak it, else our newest: the client ends the conversation if it
/// does not like that.
[[nodiscard]] revision negotiated(std::string_view asked_for) noexcept;

}  // namespace reelsd::cli::mcp
