#pragma once

#include "setting_readers.hpp"
#include "setting_table.hpp"

#include <optional>
#include <string_view>
#include <type_traits>

/// The value readers of the table of settings, by the kind of their members.
namespace reelsd::app {

/// The member of `target` that a path of pointers to members leads to.
template <auto... Path>
auto& member_at(settings& target) {
    return (target.*....*Path);
}

template <auto... Path>
constexpr value_reader integer(
    double least, double most, std::string_view accepted = "a whole number") {
    return {
        accepted,
        value_type::number,
        value_range{least, most},
        [](std::string_view text, const value_reader& by, settings& target) {
            auto& member = member_at<Path...>(target);
            using integer_type = std::remove_reference_t<decltype(member)>;
            return read_integer(
                text,
                static_cast<integer_type>(by.range->least),
                static_cast<integer_type>(by.range->most),
                member);
        }};
}

/// Of a double or of seconds.
template <auto... Path>
constexpr value_reader number(double least, double most, std::string_view accepted = "a number") {
    return {
        accepted,
        value_type::number,
        value_range{least, most},
        [](std::string_view text, const value_reader& by, settings& target) {
            auto& member = member_at<Path...>(target);
            double value = 0;
            if (!read_number(text, by.range->least, by.range->most, value)) return false;
            member = std::remove_reference_t<decltype(member)>{value};
            return true;
        }};
}

/// `Read` takes the text and the member.
template <auto Read, auto... Path>
constexpr value_reader parsed(std::string_view accepted, value_type type = value_type::text) {
    return {
        accepted,
        type,
        std::nullopt,
        [](std::string_view text, const value_reader& /*by*/, settings& target) {
            return Read(text, member_at<Path...>(target));
        }};
}

template <auto... Path>
constexpr value_reader text(std::string_view accepted) {
    return parsed<&read_text, Path...>(accepted);
}

template <auto... Path>
constexpr value_reader flag() {
    return parsed<&read_flag, Path...>("true or false", value_type::flag);
}

/// `words` is "none, low or high".
template <auto... Path>
constexpr value_reader one_of(std::string_view words) {
    return {
        words,
        value_type::text,
        std::nullopt,
        [](std::string_view text, const value_reader& by, settings& target) {
            if (!is_listed(text, by.accepted)) return false;
            member_at<Path...>(target) = text;
            return true;
        }};
}

}  // namespace reelsd::app
