#pragma once

#include "settings.hpp"
#include <reelsd/base/parse_number.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/model/price_table.hpp>
#include <reelsd/net/url.hpp>
#include <reelsd/platform/source.hpp>

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// Decoders for the text of a setting's value. Each returns false, and does not change its target,
/// for text that is not allowed.
namespace reelsd::app {

/// Whether `text` has only letters, digits and `others`.
constexpr bool is_alphanumeric_or(std::string_view others, std::string_view text) {
    return std::all_of(text.begin(), text.end(), [others](char c) {
        return is_alphanumeric(c) || others.find(c) != std::string_view::npos;
    });
}

template <class Integer>
bool read_integer(std::string_view text, Integer least, Integer most, Integer& target) {
    const auto value = parse_number<Integer>(text);
    if (!value || *value < least || *value > most) return false;
    target = *value;
    return true;
}

inline bool read_number(std::string_view text, double least, double most, double& target) {
    const auto value = parse_number<double>(text);
    // The negation also rejects NaN.
    if (!value || !(*value >= least && *value <= most)) return false;
    target = *value;
    return true;
}

/// Up to a century, as seconds.
inline bool read_days(std::string_view text, seconds_f& target) {
    constexpr double days_max = 36'500;
    constexpr double day_seconds = 86'400;
    double days = 0;
    if (!read_number(text, 0, days_max, days)) return false;
    target = seconds_f{days * day_seconds};
    return true;
}

/// 1 to 600, in steps of a millisecond.
inline bool read_answer_time(std::string_view text, std::chrono::milliseconds& target) {
    double seconds = 0;
    if (!read_number(text, 1, 600, seconds)) return false;
    target = std::chrono::round<std::chrono::milliseconds>(seconds_f{seconds});
    return true;
}

inline bool read_flag(std::string_view text, bool& target) {
    if (text == "true" || text == "1" || text == "yes" || text == "on") return target = true;
    if (text != "false" && text != "0" && text != "no" && text != "off") return false;
    target = false;
    return true;
}

/// "auto" or a number of bytes up to 64 GiB.
inline bool read_cache_size(std::string_view text, std::optional<std::size_t>& target) {
    std::size_t bytes = 0;
    const bool is_automatic = text == "auto";
    if (!is_automatic && !read_integer<std::size_t>(text, 0, 68'719'476'736, bytes)) return false;
    target = is_automatic ? std::nullopt : std::optional{bytes};
    return true;
}

/// Any text but an empty one.
inline bool read_text(std::string_view text, std::string& target) {
    if (text.empty()) return false;
    target = text;
    return true;
}

/// Text for a header field: up to 512 printable characters.
inline bool read_field(std::string_view text, std::string& target) {
    constexpr std::size_t characters_max = 512;
    const bool is_printable =
        std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
    return is_printable && text.size() <= characters_max && read_text(text, target);
}

/// Text for a URL or a header field: read_field() without whitespace and quotes.
inline bool read_plain(std::string_view text, std::string& target) {
    return text.find_first_of(" \"") == std::string_view::npos && read_field(text, target);
}

/// Models of Gemini become one segment of a path.
inline bool is_gemini_model(std::string_view text) {
    return text.find_first_of("/?#%:\\") == std::string_view::npos;
}

inline bool read_gemini_model(std::string_view text, std::string& target) {
    return is_gemini_model(text) && read_plain(text, target);
}

/// Up to 20 digits: a query or an application of the platform.
inline bool read_platform_id(std::string_view text, std::string& target) {
    constexpr std::size_t digits_max = 20;
    return text.find_first_not_of("0123456789") == std::string_view::npos &&
           text.size() <= digits_max && read_text(text, target);
}

inline bool read_bot_token(std::string_view text, std::string& target) {
    constexpr std::size_t token_bytes_max = 256;
    // It becomes part of a URL without escaping.
    if (!is_alphanumeric_or(":_-", text) || text.size() > token_bytes_max) return false;
    target = text;
    return true;
}

/// "a, b,c" as its elements; empty ones are refused.
inline bool read_list(std::string_view text, std::vector<std::string>& target) {
    std::vector<std::string> parts;
    for (const auto part : std::views::split(text, ',')) {
        const auto element = trimmed({part.begin(), part.end()}, " ");
        if (element.empty()) return false;
        parts.emplace_back(element);
    }
    if (parts.empty()) return false;
    target = std::move(parts);
    return true;
}

/// A list of host names and addresses, without scheme, port or wildcard. IPv6 may have brackets.
inline bool read_hosts(std::string_view text, std::vector<std::string>& target) {
    std::vector<std::string> hosts;
    if (!read_list(text, hosts)) return false;
    for (const auto& host : hosts) {
        const bool has_brackets = host.starts_with('[') && host.ends_with(']');
        boost::system::error_code no_address;
        boost::asio::ip::make_address(
            has_brackets ? host.substr(1, host.size() - 2) : host, no_address);
        if (no_address && !is_alphanumeric_or(".-_", host)) return false;
    }
    target = std::move(hosts);
    return true;
}

/// A list of elements of `known`, without repetition.
inline bool read_names(
    std::string_view text, const std::vector<std::string>& known,
    std::vector<std::string>& target) {
    std::vector<std::string> names;
    if (!read_list(text, names)) return false;
    for (auto name = names.begin(); name != names.end(); ++name) {
        if (std::find(known.begin(), known.end(), *name) == known.end()) return false;
        if (std::find(names.begin(), name, *name) != name) return false;
    }
    target = std::move(names);
    return true;
}

inline bool read_resolvers(std::string_view text, std::vector<std::string>& target) {
    return read_names(text, platform::known_resolvers(), target);
}

inline bool read_analyzers(std::string_view text, std::vector<std::string>& target) {
    if (text != "auto") return read_names(text, {"gemini", "openai", "local"}, target);
    target = {"auto"};
    return true;
}

/// A list of what Element::parse() accepts; "none" is an empty list.
template <class Element>
bool read_elements(std::string_view text, std::vector<Element>& target) {
    std::vector<std::string> listed;
    if (text != "none" && !read_list(text, listed)) return false;
    std::vector<Element> elements;
    for (const auto& item : listed) {
        const auto element = Element::parse(item);
        if (!element) return false;
        elements.push_back(*element);
    }
    target = std::move(elements);
    return true;
}

/// A value that has no default.
template <auto Read, class Value>
bool read_set(std::string_view text, std::optional<Value>& target) {
    Value value{};
    if (!Read(text, value)) return false;
    target = std::move(value);
    return true;
}

/// "none", which is no value, or what `Read` accepts.
template <auto Read, class Value>
bool read_unless_none(std::string_view text, std::optional<Value>& target) {
    if (text != "none") return read_set<Read>(text, target);
    target.reset();
    return true;
}

/// "none" or one proxy.
inline bool read_proxy(std::string_view text, std::optional<net::proxy>& target) {
    std::vector<net::proxy> proxies;
    if (!read_elements(text, proxies) || proxies.size() > 1) return false;
    target = proxies.empty() ? std::nullopt : std::optional{std::move(proxies.front())};
    return true;
}

/// "none", an IP address or the name of a network interface.
inline bool read_outgoing_address(std::string_view text, std::string& target) {
    constexpr std::size_t device_bytes_max = 15;  // IFNAMSIZ without its null byte.
    const bool is_device = !text.empty() && text.size() <= device_bytes_max &&
                           !is_digit(text.front()) && is_alphanumeric_or(".-_@", text);
    if (!is_device && !parse_ip_address(text)) return false;
    target = text == "none" ? "" : text;
    return true;
}

inline bool read_endpoint(std::string_view text, http::listen_address& target) {
    auto address = http::parse_listen_address(text);
    if (!address) return false;
    target = std::move(*address);
    return true;
}

/// An origin: scheme, host and an optional port. A path is refused, because it would be ignored.
inline bool read_origin(std::string_view text, std::string& target) {
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

/// A base address; a slash and a version at its end are removed.
inline bool read_base_address(std::string_view text, std::string& target) {
    const auto address = net::url::parse(text);
    if (!address || text.find_first_of("?#") != std::string_view::npos) return false;
    for (const std::string_view end : {"/", "/v1", "/v1beta", "/"}) {
        if (text.ends_with(end)) text.remove_suffix(end.size());
    }
    target = text;
    return true;
}

/// A connection string or URI. libpq would use any other word as the name of a database on this
/// machine's default socket.
inline bool read_database_url(std::string_view text, std::string& target) {
    const bool is_uri = text.starts_with("postgresql://") || text.starts_with("postgres://");
    if (!is_uri && text.find('=') == std::string_view::npos) return false;
    if (is_uri) {
        // libpq takes what follows the first @ for the host, and names it in its errors.
        const auto user_end = text.find_first_of("@/", text.find("://") + 3);
        const auto address = text.substr(0, text.find('?', user_end));
        if (address.find('@') != address.rfind('@')) return false;
    }
    target = text;
    return true;
}

/// "database" or "s3://BUCKET/PREFIX".
inline bool read_media_store(std::string_view text, std::optional<media_bucket>& target) {
    constexpr std::string_view scheme = "s3://";
    constexpr std::size_t prefix_bytes_max = 512;
    if (text == "database") {
        target.reset();
        return true;
    }
    if (!text.starts_with(scheme)) return false;
    text.remove_prefix(scheme.size());
    if (text.ends_with('/')) text.remove_suffix(1);
    const auto bucket = text.substr(0, text.find('/'));
    const auto prefix = text.substr(std::min(text.size(), bucket.size() + 1));
    const auto is_of_bucket = [](char c) {
        return (c >= 'a' && c <= 'z') || is_digit(c) || c == '-' || c == '.';
    };
    if (bucket.size() < 3 || bucket.size() > 63 || prefix.size() > prefix_bytes_max ||
        !std::all_of(bucket.begin(), bucket.end(), is_of_bucket) ||
        !is_alphanumeric_or("-._/", prefix) || bucket.find("..") != std::string_view::npos ||
        prefix.find("//") != std::string_view::npos ||
        prefix.find("..") != std::string_view::npos || prefix.starts_with('/') ||
        (prefix.empty() && text.size() > bucket.size())) {
        return false;
    }
    target = media_bucket{.name = std::string{bucket}, .prefix = std::string{prefix}};
    return true;
}

/// "none" or the link of a post.
inline bool read_canary(std::string_view text, std::string& target) {
    if (text != "none" && !platform::parse_link(text)) return false;
    target = text == "none" ? "" : text;
    return true;
}

/// Whether `word` is an element of a phrase such as "none, low or high".
inline bool is_listed(std::string_view word, std::string_view phrase) {
    while (!phrase.empty()) {
        const auto end = std::min({phrase.find(", "), phrase.find(" or "), phrase.size()});
        if (phrase.substr(0, end) == word) return true;
        phrase.remove_prefix(end);
        phrase.remove_prefix(std::min(phrase.find(' ', 1), phrase.size()));
        phrase = trimmed(phrase, " ");
    }
    return false;
}

/// One of the names in `Values`, an array of pairs of name and value.
template <const auto& Values, class Enum>
bool read_named(std::string_view text, Enum& target) {
    for (const auto& [name, value] : Values) {
        if (name != text) continue;
        target = value;
        return true;
    }
    return false;
}

template <class Enum>
using name_of_value = std::pair<std::string_view, Enum>;

inline constexpr auto log_levels = std::to_array<name_of_value<log::level>>(
    {{"debug", log::level::debug},
     {"info", log::level::info},
     {"warning", log::level::warning},
     {"error", log::level::error}});
inline constexpr auto log_formats = std::to_array<name_of_value<log::format>>(
    {{"text", log::format::text}, {"json", log::format::json}});
inline constexpr auto openai_modes = std::to_array<name_of_value<model::openai_mode>>(
    {{"video", model::openai_mode::video},
     {"video+audio", model::openai_mode::video_audio},
     {"frames+audio", model::openai_mode::frames_audio},
     {"frames", model::openai_mode::frames}});

inline bool read_jail_policy(std::string_view text, media::jail_policy& target) {
    const auto policy = media::jail_policy_named(text);
    if (policy) target = *policy;
    return policy.has_value();
}

/// A level or a number of tokens.
inline bool read_thinking(std::string_view text, std::string& target) {
    constexpr int tokens_max = 32'768;
    int tokens = 0;
    if (!read_integer(text, -1, tokens_max, tokens) &&
        !is_listed(text, "auto, none, minimal, low, medium, high")) {
        return false;
    }
    target = text;
    return true;
}

inline bool read_prices(std::string_view text, std::string& target) {
    model::price_table checked;
    return checked.put_first(text).has_value() && read_text(text, target);
}

/// The member of `target` at the end of a path of pointers to members.
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

/// For a double or for seconds.
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

/// `Read` decodes the text into the member.
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
constexpr value_reader field() {
    return parsed<&read_field, Path...>("up to 512 printable characters");
}

template <auto... Path>
constexpr value_reader key() {
    return parsed<&read_plain, Path...>("a key").secret();
}

template <auto... Path>
constexpr value_reader days() {
    return parsed<&read_days, Path...>("days from 0 to 36500", value_type::number);
}

template <auto... Path>
constexpr value_reader flag() {
    return parsed<&read_flag, Path...>("true or false", value_type::flag);
}

/// `words`: for example "none, low or high".
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
