#pragma once

#include "setting_table.hpp"
#include <reelsd/base/parse_number.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// Decoders for the text of a setting's value. Each returns false, and does not change its target,
/// for text that is not allowed.
namespace reelsd::app {

template <class Integer>
bool read_integer(std::string_view text, Integer least, Integer most, Integer& target) {
    const auto value = parse_number<Integer>(text);
    if (!value || *value < least || *value > most) return false;
    target = *value;
    return true;
}

[[nodiscard]] bool read_number(std::string_view text, double least, double most, double& target);
/// Up to a century, as seconds.
[[nodiscard]] bool read_days(std::string_view text, seconds_f& target);
/// 1 to 600.
[[nodiscard]] bool read_whole_seconds(std::string_view text, std::chrono::seconds& target);
[[nodiscard]] bool read_flag(std::string_view text, bool& target);
/// "auto" or a number of bytes up to 64 GiB.
[[nodiscard]] bool read_cache_size(std::string_view text, std::optional<std::size_t>& target);

/// Any text but an empty one.
[[nodiscard]] bool read_text(std::string_view text, std::string& target);
/// Text for a header field: up to 512 printable characters.
[[nodiscard]] bool read_field(std::string_view text, std::string& target);
/// Text for a URL or a header field: read_field() without whitespace and quotes.
[[nodiscard]] bool read_plain(std::string_view text, std::string& target);
/// read_plain() that is one segment of a path.
[[nodiscard]] bool read_model_name(std::string_view text, std::string& target);
/// Up to 20 digits: a query or an application of the platform.
[[nodiscard]] bool read_platform_id(std::string_view text, std::string& target);
[[nodiscard]] bool read_bot_token(std::string_view text, std::string& target);

/// "a, b,c" as its elements; empty ones are refused.
[[nodiscard]] bool read_list(std::string_view text, std::vector<std::string>& target);
[[nodiscard]] bool read_resolvers(std::string_view text, std::vector<std::string>& target);
[[nodiscard]] bool read_analyzers(std::string_view text, std::vector<std::string>& target);
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

/// "none" or one proxy.
[[nodiscard]] bool read_proxy(std::string_view text, std::optional<net::proxy>& target);
/// "none", an IP address or the name of a network interface.
[[nodiscard]] bool read_outgoing_address(std::string_view text, std::string& target);
[[nodiscard]] bool read_endpoint(std::string_view text, http::listen_address& target);
/// "none" or an endpoint.
[[nodiscard]] bool read_optional_endpoint(
    std::string_view text, std::optional<http::listen_address>& target);
/// An origin: scheme, host and an optional port. A path is refused, because it would be ignored.
[[nodiscard]] bool read_origin(std::string_view text, std::string& target);
/// A base address; a slash and a version at its end are removed.
[[nodiscard]] bool read_base_address(std::string_view text, std::string& target);
/// A connection string or URI. libpq would use any other word as the name of a database on this
/// machine's default socket.
[[nodiscard]] bool read_database_url(std::string_view text, std::string& target);
/// "database" or "s3://BUCKET/PREFIX".
[[nodiscard]] bool read_media_store(std::string_view text, std::optional<media_bucket>& target);
/// "none" or the link of a post.
[[nodiscard]] bool read_canary(std::string_view text, std::string& target);

/// Whether `word` is an element of a phrase such as "none, low or high".
[[nodiscard]] bool is_listed(std::string_view word, std::string_view phrase);
[[nodiscard]] bool read_log_level(std::string_view text, log::level& target);
[[nodiscard]] bool read_log_format(std::string_view text, log::format& target);
[[nodiscard]] bool read_jail_policy(std::string_view text, media::jail_policy& target);
[[nodiscard]] bool read_openai_mode(std::string_view text, model::openai_mode& target);
/// A level or a number of tokens.
[[nodiscard]] bool read_thinking(std::string_view text, std::string& target);
[[nodiscard]] bool read_prices(std::string_view text, std::string& target);

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
