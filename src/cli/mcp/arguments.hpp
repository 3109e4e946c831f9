#pragma once

#include <reelsd/base/json.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::cli::mcp {

/// Reads the arguments of a call, each by its name, and remembers the first thing that is wrong
/// with them. Null is as good as absent.
class argument_reader {
public:
    /// `arguments` is an object and outlives this.
    explicit argument_reader(const json& arguments) : arguments_{arguments} {}

    [[nodiscard]] std::string required_text(std::string_view name);
    /// Not blank, and of at most `characters_max` code points.
    [[nodiscard]] std::string required_words(std::string_view name, std::size_t characters_max);
    [[nodiscard]] std::optional<std::string> text(std::string_view name);
    [[nodiscard]] std::optional<std::string> choice(
        std::string_view name, std::span<const std::string_view> choices);
    /// Absent is false.
    [[nodiscard]] bool flag(std::string_view name);
    /// `min` to `max`, both included. Also 3.0, which JSON does not tell from 3.
    [[nodiscard]] std::optional<std::int64_t> integer(
        std::string_view name, std::int64_t min, std::int64_t max);
    /// At least 1.
    [[nodiscard]] std::int64_t required_id(std::string_view name);

    /// What is wrong, with the argument's name; nothing when all is well. To be asked when all
    /// arguments have been read: any other is an objection as well.
    [[nodiscard]] std::optional<std::string> objection() const;

private:
    /// Null when it is absent.
    const json& found(std::string_view name);
    void object_to(std::string why);

    const json& arguments_;
    std::vector<std::string_view> known_;
    std::optional<std::string> objection_;
};

}  // namespace reelsd::cli::mcp
