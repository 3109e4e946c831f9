#include "listener_settings.hpp"

#include "setting_readers.hpp"
#include <reelsd/http/ip_network.hpp>

#include <array>
#include <utility>

namespace reelsd::app {
namespace {

bool read_reel_cache(std::string_view text, std::optional<std::size_t>& target) {
    std::size_t bytes = 0;
    const bool by_itself = text == "auto";
    if (!by_itself && !read_integer<std::size_t>(text, 0, 68'719'476'736, bytes)) return false;
    target = by_itself ? std::nullopt : std::optional{bytes};
    return true;
}

bool read_metrics_listen(std::string_view text, std::optional<http::listen_address>& target) {
    target.reset();
    if (text == "none") return true;
    auto address = http::parse_listen_address(text);
    if (!address) return false;
    target = std::move(*address);
    return true;
}

using text_view = std::string_view;

constexpr auto listener_definitions = std::to_array<setting_definition>({
    {"metrics-listen",
     "none",
     "address and port for /metrics alone, over plain HTTP; none: on listen, for clients on the "
     "same machine",
     "ADDRESS:PORT, for example 10.0.0.11:9464, or none",
     [](text_view text, settings& s) { return read_metrics_listen(text, s.metrics_listen); }},
    {"share-port",
     "false",
     "several daemons on one data directory listen on one port; for restarts that refuse nobody",
     "true or false",
     [](text_view text, settings& s) { return read_flag(text, s.share_port); }},
    {"connections-max",
     "10000",
     "open connections, 5 KiB each (17 with TLS); who comes then is told to come again (503)",
     "a whole number from 1 to 1000000",
     [](text_view text, settings& s) {
         return read_integer<std::size_t>(text, 1, 1'000'000, s.connections_max);
     }},
    {"connections-per-address-max",
     "1000",
     "of these, one client's (an IPv4 address, a /64 of IPv6), so that nobody takes all; 0: all",
     "a whole number from 0 to 1000000",
     [](text_view text, settings& s) {
         return read_integer<std::size_t>(text, 0, 1'000'000, s.connections_per_address_max);
     }},
    {"proxy-addresses",
     "127.0.0.1,::1",
     "addresses with many clients behind them, which are not bounded as one client is",
     "a list of IPv4 and IPv6 addresses and networks (10.0.0.0/8), or none",
     [](text_view text, settings& s) { return read_networks(text, s.proxy_addresses); }},
    {"forwarded-for",
     "false",
     "who asks is what the X-Forwarded-For of proxy-addresses says; they must all set it "
     "themselves",
     "true or false",
     [](text_view text, settings& s) { return read_flag(text, s.forwarded_for); }},
    {"buffered-bytes-max",
     "67108864",
     "memory for requests on their way in and answers on their way out, beyond 4 KiB each",
     "bytes from 1048576 to 68719476736",
     [](text_view text, settings& s) {
         return read_integer<std::size_t>(text, 1'048'576, 68'719'476'736, s.buffered_bytes_max);
     }},
    {"reel-cache-bytes-max",
     "auto",
     "memory for reels that were read lately, some 6 KB each; 0 keeps none; auto: a sixteenth of "
     "the memory, 64 MiB to 1 GiB",
     "auto, or bytes from 0 to 68719476736",
     [](text_view text, settings& s) { return read_reel_cache(text, s.reel_cache_bytes_max); }},
});

}  // namespace

std::span<const setting_definition> listener_setting_definitions() {
    return listener_definitions;
}

}  // namespace reelsd::app
