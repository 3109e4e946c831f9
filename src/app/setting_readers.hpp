#pragma once

#include <reelsd/base/clock.hpp>

#include <charconv>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// From what an operator types to values; each is false for what is not allowed.
namespace reelsd::app {

template <class Integer>
bool read_integer(std::string_view text, Integer least, Integer most, Integer& target) {
    Integer value{};
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || end != text.data() + text.size()) return false;
    if (value < least || value > most) return false;
    target = value;
    return true;
}

[[nodiscard]] bool read_number(std::string_view text, double least, double most, double& target);
[[nodiscard]] bool read_seconds(
    std::string_view text, double least, double most, seconds_f& target);
[[nodiscard]] bool read_text(std::string_view text, std::string& target);
[[nodiscard]] bool read_flag(std::string_view text, bool& target);
/// "a, b,c" as its parts; empty parts are refused.
[[nodiscard]] bool read_list(std::string_view text, std::vector<std::string>& target);
/// A list of networks as Network::parse() reads them; "none" is an empty list.
template <class Network>
bool read_networks(std::string_view text, std::vector<Network>& target) {
    std::vector<std::string> listed;
    if (text != "none" && !read_list(text, listed)) return false;
    std::vector<Network> networks;
    for (const auto& one : listed) {
        const auto network = Network::parse(one);
        if (!network) return false;
        networks.push_back(*network);
    }
    target = std::move(networks);
    return true;
}
/// An origin: scheme, host, perhaps a port; no path, so that nobody wonders what becomes of it.
[[nodiscard]] bool read_origin(std::string_view text, std::string& target);
/// An address below which others are; a slash and a version at its end are dropped.
[[nodiscard]] bool read_base_address(std::string_view text, std::string& target);
/// What may stand in a header field: up to 512 printable characters.
[[nodiscard]] bool read_field(std::string_view text, std::string& target);

}  // namespace reelsd::app
