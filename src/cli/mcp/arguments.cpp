#include "arguments.hpp"

#include "../text.hpp"
#include "../utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace reelsd::cli::mcp {
namespace {

/// The whole number that a JSON number is, if it is one and fits.
std::optional<std::int64_t> whole_number(const json& value) {
    constexpr auto max = std::numeric_limits<std::int64_t>::max();
    if (value.is_number_unsigned()) {
        const auto number = value.get<std::uint64_t>();
        if (number > static_cast<std::uint64_t>(max)) return std::nullopt;
        return static_cast<std::int64_t>(number);
    }
    if (value.is_number_integer()) return value.get<std::int64_t>();
    if (!value.is_number_float()) return std::nullopt;
    const auto number = value.get<double>();
    constexpr double exact_max = 9007199254740992;  // 2^53: above, a double has gaps.
    if (!(std::abs(number) <= exact_max) || number != std::floor(number)) return std::nullopt;
    return static_cast<std::int64_t>(number);
}

std::size_t characters_of(std::string_view text) {
    std::size_t count = 0;
    for (std::size_t at = 0; at < text.size(); at += utf8_at(text, at).bytes) ++count;
    return count;
}

}  // namespace

std::string argument_reader::required_text(std::string_view name) {
    auto given = text(name);
    if (!given) object_to(fmt::format("{} is required", name));
    return std::move(given).value_or("");
}

std::string argument_reader::required_words(std::string_view name, std::size_t characters_max) {
    auto words = required_text(name);
    if (words.find_first_not_of(" \t\r\n") == std::string::npos) {
        object_to(fmt::format("{} is required", name));
    }
    if (characters_of(words) > characters_max) {
        object_to(fmt::format("{} must have at most {} characters", name, characters_max));
    }
    return words;
}

std::optional<std::string> argument_reader::text(std::string_view name) {
    const auto& value = found(name);
    if (value.is_string()) return value.get<std::string>();
    if (!value.is_null()) object_to(fmt::format("{} must be a string", name));
    return std::nullopt;
}

std::optional<std::string> argument_reader::choice(
    std::string_view name, std::span<const std::string_view> choices) {
    auto given = text(name);
    if (given && std::find(choices.begin(), choices.end(), *given) == choices.end()) {
        object_to(fmt::format("{} must be one of {}", name, fmt::join(choices, ", ")));
    }
    return given;
}

bool argument_reader::flag(std::string_view name) {
    const auto& value = found(name);
    if (value.is_boolean()) return value.get<bool>();
    if (!value.is_null()) object_to(fmt::format("{} must be true or false", name));
    return false;
}

std::optional<std::int64_t> argument_reader::integer(
    std::string_view name, std::int64_t min, std::int64_t max) {
    const auto& value = found(name);
    if (value.is_null()) return std::nullopt;
    const auto number = whole_number(value);
    if (number && *number >= min && *number <= max) return number;
    const bool is_open = max == std::numeric_limits<std::int64_t>::max();
    object_to(
        is_open ? fmt::format("{} must be a whole number, at least {}", name, min)
                : fmt::format("{} must be a whole number from {} to {}", name, min, max));
    return std::nullopt;
}

std::int64_t argument_reader::required_id(std::string_view name) {
    const auto id = integer(name, 1, std::numeric_limits<std::int64_t>::max());
    if (!id) object_to(fmt::format("{} is required", name));
    return id.value_or(1);
}

std::optional<std::string> argument_reader::objection() const {
    if (objection_) return objection_;
    for (const auto& [name, value] : arguments_.items()) {
        if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
        constexpr std::size_t shown_max = 100;
        return fmt::format(
            "\"{}\" is no argument of this tool; there are {}",
            printable(std::string_view{name}.substr(0, shown_max), line_breaks::to_blank),
            fmt::join(known_, ", "));
    }
    return std::nullopt;
}

const json& argument_reader::found(std::string_view name) {
    static const json absent;
    known_.push_back(name);
    const auto at = arguments_.find(name);
    return at == arguments_.end() ? absent : *at;
}

void argument_reader::object_to(std::string why) {
    if (!objection_) objection_ = std::move(why);
}

}  // namespace reelsd::cli::mcp
