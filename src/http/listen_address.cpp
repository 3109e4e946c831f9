#include <reelsd/http/server.hpp>

#include <boost/asio/ip/address.hpp>

#include <charconv>

namespace reelsd::http {

namespace {

error malformed(std::string_view text, std::string_view why) {
    return error{
        errc::invalid_argument,
        "listen address \"" + std::string{text} + "\": " + std::string{why}};
}

/// The host as an IP address in text; nothing when it is none.
std::optional<std::string> host_of(std::string_view text) {
    if (text.empty()) return "0.0.0.0";
    if (text == "localhost") return "127.0.0.1";
    const bool bracketed = text.starts_with('[') && text.ends_with(']');
    if (bracketed) text = text.substr(1, text.size() - 2);
    boost::system::error_code failed;
    const auto address = boost::asio::ip::make_address(std::string{text}, failed);
    // An IPv6 address without brackets would swallow its port.
    if (failed || address.is_v6() != bracketed) return std::nullopt;
    return address.to_string();
}

}  // namespace

result<listen_address> parse_listen_address(std::string_view text) {
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos) return malformed(text, "address:port is expected");
    const auto host = host_of(text.substr(0, colon));
    if (!host) return malformed(text, "the host must be an IP address, IPv6 in brackets");
    const auto digits = text.substr(colon + 1);
    const char* const end = digits.data() + digits.size();
    std::uint16_t port = 0;
    const auto [stop, failed] = std::from_chars(digits.data(), end, port);
    if (failed != std::errc{} || stop != end) {
        return malformed(text, "the port must be a number from 0 to 65535");
    }
    return listen_address{.host = *host, .port = port};
}

}  // namespace reelsd::http
