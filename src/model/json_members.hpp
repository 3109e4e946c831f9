#pragma once

#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/parse_number.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Members of untrusted JSON, which may be missing or of any type.
namespace reelsd::model {

/// A provider's count, bounded so that sums fit the ledger: no model accepts a billion tokens.
[[nodiscard]] constexpr std::int64_t bounded_count(std::uint64_t count) noexcept {
    constexpr std::uint64_t tokens_max = 1'000'000'000;
    return static_cast<std::int64_t>(std::min(count, tokens_max));
}

/// The member of a section of a result: "content.summary". Null if missing.
[[nodiscard]] inline const json& field_of(const json& result, std::string_view path) {
    const auto dot = path.find('.');
    return member(member(result, path.substr(0, dot)), path.substr(dot + 1));
}

/// Empty if missing or not a number.
[[nodiscard]] inline std::optional<double> seconds_in(const json& entry, std::string_view name) {
    const auto& value = member(entry, name);
    return value.is_number() ? std::optional{value.get<double>()} : std::nullopt;
}

/// Empty if missing or not a text.
[[nodiscard]] inline std::string text_in(const json& object, std::string_view name) {
    const auto& value = member(object, name);
    return value.is_string() ? value.get<std::string>() : std::string{};
}

/// 0 if missing or not a count. Proto-JSON may write numbers as texts, and some gateways as 1000.0.
[[nodiscard]] inline std::int64_t count_in(const json& object, std::string_view name) {
    const auto& value = member(object, name);
    if (value.is_number_unsigned()) return bounded_count(value.get<std::uint64_t>());
    if (value.is_number_float()) {
        const auto number = value.get<double>();
        const bool is_whole = number >= 0 && number == std::floor(number);
        return is_whole ? bounded_count(static_cast<std::uint64_t>(std::min(number, 1e18))) : 0;
    }
    if (!value.is_string()) return 0;
    return bounded_count(
        parse_number<std::uint64_t>(value.get_ref<const std::string&>()).value_or(0));
}

/// The value if it is a list, else an empty one.
[[nodiscard]] inline const json& as_list(const json& value) {
    static const json none = json::array();
    return value.is_array() ? value : none;
}

/// Empty if missing or not a list.
[[nodiscard]] inline const json& list_in(const json& object, std::string_view name) {
    return as_list(member(object, name));
}

}  // namespace reelsd::model
