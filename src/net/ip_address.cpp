#include <reelsd/base/parse_number.hpp>
#include <reelsd/net/address_guard.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>

namespace reelsd::net {
namespace {

struct block {
    std::array<std::uint8_t, 16> prefix;
    int bits;
    reach what;
};

// The first match decides. Source: IANA IPv4 Special-Purpose Address Registry, RFC 6890 and later.
constexpr std::array<block, 17> v4_blocks{{
    {{0}, 8, reach::nowhere},              // "This network"; 0.0.0.0 connects to loopback on Linux.
    {{10}, 8, reach::local},               // Private use.
    {{100, 64}, 10, reach::local},         // Carrier-grade NAT.
    {{127}, 8, reach::local},              // Loopback.
    {{169, 254}, 16, reach::nowhere},      // Link-local; 169.254.169.254 is cloud metadata.
    {{172, 16}, 12, reach::local},         // Private use.
    {{192, 0, 0}, 24, reach::nowhere},     // IETF protocol assignments (DS-Lite, metadata).
    {{192, 0, 2}, 24, reach::nowhere},     // Documentation.
    {{192, 31, 196}, 24, reach::nowhere},  // AS112.
    {{192, 52, 193}, 24, reach::nowhere},  // AMT.
    {{192, 88, 99}, 24, reach::nowhere},   // 6to4 relay anycast.
    {{192, 168}, 16, reach::local},        // Private use.
    {{192, 175, 48}, 24, reach::nowhere},  // AS112.
    {{198, 18}, 15, reach::nowhere},       // Benchmarking.
    {{198, 51, 100}, 24, reach::nowhere},  // Documentation.
    {{203, 0, 113}, 24, reach::nowhere},   // Documentation.
    {{224}, 3, reach::nowhere},            // Multicast, reserved, broadcast.
}};

// Source: IANA IPv6 Special-Purpose Address Registry. Global unicast is only 2000::/3; an address
// outside that block and this table is `nowhere`.
constexpr std::array<block, 6> v6_blocks{{
    {{0xfc}, 7, reach::local},                       // Unique local.
    {{0x20, 0x01, 0x0d, 0xb8}, 32, reach::nowhere},  // Documentation.
    {{0x20, 0x01, 0x00, 0x00}, 23, reach::nowhere},  // IETF protocol assignments (ORCHID, ...).
    {{0x26, 0x20, 0x00, 0x4f, 0x80}, 48, reach::nowhere},  // AS112.
    {{0x3f, 0xff}, 20, reach::nowhere},                    // Documentation (RFC 9637).
    {{0x20}, 3, reach::world},
}};

bool have_same_prefix(
    const std::array<std::uint8_t, 16>& left, const std::array<std::uint8_t, 16>& right,
    int bits) noexcept {
    for (int bit = 0; bit < bits; bit += 8) {
        const auto index = static_cast<std::size_t>(bit / 8);
        const int compared = std::min(8, bits - bit);
        const auto mask = static_cast<std::uint8_t>(0xff << (8 - compared));
        if (((left[index] ^ right[index]) & mask) != 0) return false;
    }
    return true;
}

bool is_in(const std::array<std::uint8_t, 16>& bytes, const block& range) noexcept {
    return have_same_prefix(bytes, range.prefix, range.bits);
}

bool starts_with(
    const std::array<std::uint8_t, 16>& bytes,
    std::initializer_list<std::uint8_t> prefix) noexcept {
    return std::equal(prefix.begin(), prefix.end(), bytes.begin());
}

ip_address v4_at(const std::array<std::uint8_t, 16>& bytes, std::size_t offset, std::uint8_t flip) {
    ip_address inner;
    for (std::size_t i = 0; i < 4; ++i)
        inner.bytes[i] = static_cast<std::uint8_t>(bytes[offset + i] ^ flip);
    return inner;
}

/// The IPv4 address that a translator or tunnel extracts from this IPv6 address.
std::optional<ip_address> embedded_v4(const std::array<std::uint8_t, 16>& bytes) {
    constexpr std::size_t last = 12;
    constexpr auto prefixes = std::to_array<std::array<std::uint8_t, last>>({
        {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff},  // ::ffff:0:0/96, mapped.
        {},                                          // ::/96, compatible, with :: and ::1.
        {0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff},        // ::ffff:0:0:0/96, translated (RFC 2765).
        // NAT64's well-known prefix (RFC 6052). The local-use prefix has no fixed meaning.
        {0, 0x64, 0xff, 0x9b},
    });
    for (const auto& prefix : prefixes) {
        if (std::equal(prefix.begin(), prefix.end(), bytes.begin())) return v4_at(bytes, last, 0);
    }
    // 6to4 stores it after 2002:, Teredo (2001::/32) inverted at the end.
    if (starts_with(bytes, {0x20, 0x02})) return v4_at(bytes, 2, 0);
    if (starts_with(bytes, {0x20, 0x01, 0, 0})) return v4_at(bytes, last, 0xff);
    return std::nullopt;
}

bool is_v4_mapped(const ip_address& address) noexcept {
    return address.kind == ip_address::family::v6 &&
           starts_with(address.bytes, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff});
}

bool is_v6_loopback(const std::array<std::uint8_t, 16>& bytes) noexcept {
    return bytes.back() == 1 &&
           std::all_of(bytes.begin(), bytes.end() - 1, [](std::uint8_t b) { return b == 0; });
}

}  // namespace

std::optional<ip_address> ip_address::parse(std::string_view text) {
    const std::string terminated{text};
    ip_address parsed;
    if (inet_pton(AF_INET, terminated.c_str(), parsed.bytes.data()) == 1) return parsed;
    if (inet_pton(AF_INET6, terminated.c_str(), parsed.bytes.data()) == 1) {
        parsed.kind = family::v6;
        return parsed;
    }
    return std::nullopt;
}

std::optional<ip_address> ip_address::from(const sockaddr& address) {
    ip_address parsed;
    if (address.sa_family == AF_INET) {
        const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
        std::memcpy(parsed.bytes.data(), &v4.sin_addr, 4);
        return parsed;
    }
    if (address.sa_family == AF_INET6) {
        const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
        parsed.kind = family::v6;
        std::memcpy(parsed.bytes.data(), &v6.sin6_addr, 16);
        return parsed;
    }
    return std::nullopt;
}

std::string ip_address::to_string() const {
    std::array<char, INET6_ADDRSTRLEN> text{};
    inet_ntop(
        kind == family::v4 ? AF_INET : AF_INET6,
        bytes.data(),
        text.data(),
        static_cast<socklen_t>(text.size()));
    return text.data();
}

reach reach_of(const ip_address& address) noexcept {
    if (address.kind == ip_address::family::v4) {
        for (const auto& range : v4_blocks) {
            if (is_in(address.bytes, range)) return range.what;
        }
        return reach::world;
    }
    if (is_v6_loopback(address.bytes)) return reach::local;
    if (const auto inner = embedded_v4(address.bytes)) return reach_of(*inner);
    for (const auto& range : v6_blocks) {
        if (is_in(address.bytes, range)) return range.what;
    }
    return reach::nowhere;
}

std::optional<ip_network> ip_network::parse(std::string_view text) {
    const auto slash = text.find('/');
    const auto first = ip_address::parse(text.substr(0, slash));
    if (!first) return std::nullopt;
    const int bits_max = first->kind == ip_address::family::v4 ? 32 : 128;
    int bits = bits_max;
    if (slash != std::string_view::npos) {
        bits = parse_number<int>(text.substr(slash + 1)).value_or(-1);
        if (bits < 0 || bits > bits_max) return std::nullopt;
    }
    for (int bit = bits; bit < bits_max; ++bit) {
        const auto byte = first->bytes[static_cast<std::size_t>(bit / 8)];
        if ((byte & (0x80 >> (bit % 8))) != 0) return std::nullopt;
    }
    return ip_network{*first, bits};
}

bool ip_network::contains(const ip_address& address) const noexcept {
    if (is_v4_mapped(address) && first_.kind == ip_address::family::v4)
        return have_same_prefix(v4_at(address.bytes, 12, 0).bytes, first_.bytes, prefix_bits_);
    return address.kind == first_.kind &&
           have_same_prefix(address.bytes, first_.bytes, prefix_bits_);
}

}  // namespace reelsd::net
