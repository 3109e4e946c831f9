#include <reelsd/net/address_guard.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace reelsd::net {

namespace ip = boost::asio::ip;

namespace {

struct block {
    ip_network network;
    reach what;
};

block at(const char* network, reach what) {
    return {*ip_network::parse(network), what};
}

/// The first match decides. Source: IANA IPv4 Special-Purpose Address Registry, RFC 6890 and later.
const auto& v4_blocks() {
    static const std::array blocks{
        at("0.0.0.0/8", reach::nowhere),        // "This network"; connects to loopback on Linux.
        at("10.0.0.0/8", reach::local),         // Private use.
        at("100.64.0.0/10", reach::local),      // Carrier-grade NAT.
        at("127.0.0.0/8", reach::local),        // Loopback.
        at("169.254.0.0/16", reach::nowhere),   // Link-local; 169.254.169.254 is cloud metadata.
        at("172.16.0.0/12", reach::local),      // Private use.
        at("192.0.0.0/24", reach::nowhere),     // IETF protocol assignments (DS-Lite, metadata).
        at("192.0.2.0/24", reach::nowhere),     // Documentation.
        at("192.31.196.0/24", reach::nowhere),  // AS112.
        at("192.52.193.0/24", reach::nowhere),  // AMT.
        at("192.88.99.0/24", reach::nowhere),   // 6to4 relay anycast.
        at("192.168.0.0/16", reach::local),     // Private use.
        at("192.175.48.0/24", reach::nowhere),  // AS112.
        at("198.18.0.0/15", reach::nowhere),    // Benchmarking.
        at("198.51.100.0/24", reach::nowhere),  // Documentation.
        at("203.0.113.0/24", reach::nowhere),   // Documentation.
        at("224.0.0.0/3", reach::nowhere),      // Multicast, reserved, broadcast.
    };
    return blocks;
}

/// Likewise. Source: IANA IPv6 Special-Purpose Address Registry. Global unicast is only 2000::/3;
/// an address outside that block and this table is `nowhere`.
const auto& v6_blocks() {
    static const std::array blocks{
        at("fc00::/7", reach::local),             // Unique local.
        at("2001:db8::/32", reach::nowhere),      // Documentation.
        at("2001::/23", reach::nowhere),          // IETF protocol assignments (ORCHID, ...).
        at("2620:4f:8000::/48", reach::nowhere),  // AS112.
        at("3fff::/20", reach::nowhere),          // Documentation (RFC 9637).
        at("2000::/3", reach::world),
    };
    return blocks;
}

reach reach_in(const auto& blocks, const ip::address& address, reach otherwise) {
    for (const auto& block : blocks) {
        if (block.network.contains(address)) return block.what;
    }
    return otherwise;
}

/// The IPv4 address that a translator or tunnel extracts from this IPv6 address.
std::optional<ip::address_v4> embedded_v4(const ip::address_v6& address) {
    struct embedding {
        ip_network network;
        std::size_t offset;  ///< Position of the IPv4 address, in bytes.
        bool is_inverted = false;
    };
    static const std::array embeddings{
        embedding{*ip_network::parse("::/96"), 12},            // Compatible, with ::.
        embedding{*ip_network::parse("::ffff:0:0:0/96"), 12},  // Translated (RFC 2765).
        // NAT64's well-known prefix (RFC 6052). The local-use prefix has no fixed meaning.
        embedding{*ip_network::parse("64:ff9b::/96"), 12},
        embedding{*ip_network::parse("2002::/16"), 2},         // 6to4.
        embedding{*ip_network::parse("2001::/32"), 12, true},  // Teredo.
    };
    const auto bytes = address.to_bytes();
    for (const auto& known : embeddings) {
        if (!known.network.contains(address)) continue;
        ip::address_v4::bytes_type inner{};
        std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(known.offset), 4, inner.begin());
        if (known.is_inverted) {
            for (auto& byte : inner) byte = static_cast<std::uint8_t>(~byte);
        }
        return ip::address_v4{inner};
    }
    return std::nullopt;
}

error refused(const url& target, const std::string& why) {
    return error{errc::address_refused, target.host() + ": " + why};
}

bool is_default_https(const url& target) {
    return target.scheme() == "https" && target.has_default_port();
}

}  // namespace

bool has_suffix(std::string_view host, std::string_view suffix) noexcept {
    if (suffix.empty() || !host.ends_with(suffix)) return false;
    return host.size() == suffix.size() || host[host.size() - suffix.size() - 1] == '.';
}

bool address_guard::trusts(const url& target) const {
    const auto& origins = policy_.trusted_origins;
    return std::find(origins.begin(), origins.end(), target.origin()) != origins.end();
}

bool address_guard::is_listed(const url& target, const std::optional<ip::address>& literal) const {
    const auto& listed = policy_.host_suffixes;
    if (listed.empty()) return true;
    const auto canonical = literal ? literal->to_string() : std::string{};
    return std::any_of(listed.begin(), listed.end(), [&](const std::string& host) {
        return literal ? host == canonical : has_suffix(target.host(), host);
    });
}

result<void> address_guard::check(const url& target) const {
    if (trusts(target)) return {};
    const auto literal = parse_ip_address(target.host());
    if (!is_listed(target, literal)) {
        const auto& setting = policy_.hosts_setting;
        return refused(target, setting.empty() ? "not a listed host" : "not in " + setting);
    }
    if (literal && !allows(target, *literal)) return refusal_of(target, literal->to_string());
    if (policy_.allow_private) return {};
    // The network of a name is known only when the client connects.
    if (policy_.plain_in_networks && !policy_.networks.empty()) return {};
    if (target.scheme() != "https") return refused(target, "not https");
    if (!target.has_default_port()) return refused(target, "not the port of https");
    return {};
}

bool address_guard::allows(const url& target, const ip::address& address) const {
    if (trusts(target)) return true;
    const bool takes_plain = policy_.allow_private || is_default_https(target);
    if (any_contains(policy_.networks, address)) return takes_plain || policy_.plain_in_networks;
    if (!takes_plain) return false;
    switch (reach_of(address)) {
        case reach::world: return true;
        case reach::local: return policy_.allow_private;
        case reach::nowhere: return false;
    }
    return false;
}

reach reach_of(const ip::address& address) {
    const auto plain = unmapped(address);
    if (plain.is_v4()) return reach_in(v4_blocks(), plain, reach::world);
    const auto v6 = plain.to_v6();
    if (v6.is_loopback()) return reach::local;
    if (const auto inner = embedded_v4(v6)) return reach_of(*inner);
    return reach_in(v6_blocks(), plain, reach::nowhere);
}

error address_guard::refusal_of(const url& target, const std::string& address) const {
    std::string why = "leads to " + address + ", which is not allowed";
    if (!policy_.networks_setting.empty()) why += "; " + policy_.networks_setting + " can allow it";
    return refused(target, why);
}

}  // namespace reelsd::net
