#pragma once

#include "data_blocks.hpp"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>

namespace reelsd::platform {

/// Walks down object members; null pointer when one is missing, JSON null, or no object on the way.
[[nodiscard]] const document* member(const document& from, std::initializer_list<const char*> path);

/// Text without U+0000, which PostgreSQL cannot hold; empty when missing, blank or no text.
[[nodiscard]] std::optional<std::string> text_at(
    const document& from, std::initializer_list<const char*> path);

/// A count: an integer of at least zero. Negative ones mean hidden and come back empty.
[[nodiscard]] std::optional<std::int64_t> count_at(
    const document& from, std::initializer_list<const char*> path);

[[nodiscard]] std::optional<bool> truth_at(
    const document& from, std::initializer_list<const char*> path);

/// The elements; empty when missing or no array.
[[nodiscard]] const document& array_at(
    const document& from, std::initializer_list<const char*> path);

/// Calls `visit` for every member of every object below `root`, without recursion: nesting is the
/// sender's choice.
void visit_members(
    const document& root,
    const std::function<void(const std::string& name, const document& value)>& visit);

}  // namespace reelsd::platform
