#pragma once

#include <boost/describe/enum.hpp>
#include <boost/describe/enumerators.hpp>
#include <boost/mp11/algorithm.hpp>

#include <optional>
#include <string_view>

namespace reelsd {

/// An enum whose enumerators are listed by BOOST_DESCRIBE_ENUM. Its names in SQL, JSON and logs are
/// those of the enumerators.
template <class Enum>
concept described_enum = boost::describe::has_describe_enumerators<Enum>::value;

template <described_enum Enum>
[[nodiscard]] constexpr std::string_view name_of(Enum value) noexcept {
    std::string_view name;
    boost::mp11::mp_for_each<boost::describe::describe_enumerators<Enum>>([&](auto listed) {
        if (listed.value == value) name = listed.name;
    });
    return name;
}

/// The enumerator of this name; empty if there is none.
template <described_enum Enum>
[[nodiscard]] constexpr std::optional<Enum> enum_from(std::string_view name) noexcept {
    std::optional<Enum> value;
    boost::mp11::mp_for_each<boost::describe::describe_enumerators<Enum>>([&](auto listed) {
        if (listed.name == name) value = listed.value;
    });
    return value;
}

}  // namespace reelsd
