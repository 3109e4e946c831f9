#include "setting_readers.hpp"

#include <reelsd/net/url.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace reelsd::app {

bool read_number(std::string_view text, double least, double most, double& target) {
    double value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || end != text.data() + text.size()) return false;
    if (!std::isfinite(value) || value < least || value > most) return false;
    target = value;
    return true;
}

bool read_seconds(std::string_view text, double least, double most, seconds_f& target) {
    double value = 0;
    if (!read_number(text, least, most, value)) return false;
    target = seconds_f{value};
    return true;
}

bool read_text(std::string_view text, std::string& target) {
    if (text.empty()) return false;
    target = text;
    return true;
}

bool read_flag(std::string_view text, bool& target) {
    if (text == "true" || text == "1" || text == "yes" || text == "on") return target = true;
    if (text != "false" && text != "0" && text != "no" && text != "off") return false;
    target = false;
    return true;
}

bool read_list(std::string_view text, std::vector<std::string>& target) {
    std::vector<std::string> parts;
    for (std::size_t start = 0; start <= text.size();) {
        const auto end = std::min(text.find(',', start), text.size());
        auto part = text.substr(start, end - start);
        while (part.starts_with(' ')) part.remove_prefix(1);
        while (part.ends_with(' ')) part.remove_suffix(1);
        if (part.empty()) return false;
        parts.emplace_back(part);
        start = end + 1;
    }
    target = std::move(parts);
    return true;
}

bool read_origin(std::string_view text, std::string& target) {
    if (text.ends_with('/')) text.remove_suffix(1);
    const auto scheme = text.find("://");
    if (scheme == std::string_view::npos) return false;
    const auto name = text.substr(0, scheme);
    const auto host = text.substr(scheme + 3);
    if (name != "http" && name != "https") return false;
    if (host.empty() || host.find_first_of("/?#@ ") != std::string_view::npos) return false;
    target = text;
    return true;
}

bool read_base_address(std::string_view text, std::string& target) {
    const auto address = net::url::parse(text);
    if (!address || text.find_first_of("?#") != std::string_view::npos) return false;
    const auto drop = [&text](std::string_view end) {
        if (text.ends_with(end)) text.remove_suffix(end.size());
    };
    drop("/");
    drop("/v1");
    drop("/v1beta");
    drop("/");
    target = text;
    return true;
}

bool read_field(std::string_view text, std::string& target) {
    constexpr std::size_t characters_max = 512;
    const bool is_printable =
        std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
    return is_printable && text.size() <= characters_max && read_text(text, target);
}

}  // namespace reelsd::app
