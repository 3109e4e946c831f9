#pragma once

#include "settings.hpp"
#include <reelsd/base/parse_number.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Decoders for the text of a setting's value. Each returns false, and leaves its target as it is,
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
/// Text for a URL or a header field: read_field() without blanks and quotes.
[[nodiscard]] bool read_plain(std::string_view text, std::string& target);
/// read_plain() that is one segment of a path.
[[nodiscard]] bool read_model_name(std::string_view text, std::string& target);
/// Up to 20 digits: a query or an application of the platform.
[[nodiscard]] bool read_platform_id(std::string_view text, std::string& target);
[[nodiscard]] bool read_bot_token(std::string_view text, std::string& target);

/// "a, b,c" as its elements; empty ones are refused.
[[nodiscard]] bool read_list(std::string_view text, std::vector<std::string>& target);
[[nodiscard]] bool read_resolvers(
    std::string_view text, std::optional<std::vector<std::string>>& target);
[[nodiscard]] bool read_analyzers(std::string_view text, std::vector<std::string>& target);
/// A list of networks as ip_network::parse() reads them; "none" is an empty list.
[[nodiscard]] bool read_networks(std::string_view text, std::vector<ip_network>& target);
/// "none" or proxies, as net::proxy::parse() takes them.
[[nodiscard]] bool read_proxies(std::string_view text, std::vector<net::proxy>& target);
[[nodiscard]] bool read_optional_proxies(
    std::string_view text, std::optional<std::vector<net::proxy>>& target);
/// "none" or one proxy.
[[nodiscard]] bool read_proxy(std::string_view text, std::optional<net::proxy>& target);
/// "none", an IP address or the name of a network interface.
[[nodiscard]] bool read_outgoing_address(std::string_view text, std::string& target);
[[nodiscard]] bool read_endpoint(std::string_view text, http::listen_address& target);
/// "none" or an endpoint.
[[nodiscard]] bool read_optional_endpoint(
    std::string_view text, std::optional<http::listen_address>& target);
/// An origin: scheme, host and perhaps a port. A path is refused: it would be ignored.
[[nodiscard]] bool read_origin(std::string_view text, std::string& target);
/// An address that others are below; a slash and a version at its end are dropped.
[[nodiscard]] bool read_base_address(std::string_view text, std::string& target);
/// A connection string or URI. libpq would take any other word for the name of a database on this
/// machine's default socket.
[[nodiscard]] bool read_database_url(std::string_view text, std::string& target);
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

}  // namespace reelsd::app
