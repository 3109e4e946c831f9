#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reelsd::cli {

/// Detects an incomplete export. The last line of a complete one contains `end` and the number of
/// lines before it. Stores only the beginning of each line.
class export_lines {
public:
    void take(std::string_view piece);

    /// Number of lines before the last one; nothing unless the last line confirms it.
    [[nodiscard]] std::optional<std::int64_t> whole() const;

private:
    std::string line_;  ///< Beginning of the incomplete line.
    std::string last_;  ///< Beginning of the last complete line.
    std::int64_t ended_ = 0;
};

}  // namespace reelsd::cli
