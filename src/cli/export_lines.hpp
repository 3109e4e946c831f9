#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reelsd::cli {

/// Tells a whole export from a cut one: its last line says `end`, and how many came before it.
/// Keeps a line's beginning, whatever its length.
class export_lines {
public:
    void take(std::string_view piece);

    /// The lines before the last one; nothing unless that says so, too.
    [[nodiscard]] std::optional<std::int64_t> whole() const;

private:
    std::string line_;  ///< The beginning of the one that has not ended.
    std::string last_;  ///< The beginning of the last one that has.
    std::int64_t ended_ = 0;
};

}  // namespace reelsd::cli
