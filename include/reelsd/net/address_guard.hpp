#pragma once

#include <reelsd/base/result.hpp>
#include <reelsd/net/url.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct sockaddr;

namespace reelsd::net {

/// An IPv4 or IPv6 address as bytes. IPv4 fills the first four.
struct ip_address {
    enum class family : std::uint8_t { v4, v6 };

    family kind = family::v4;
    std::array<std::uint8_t, 16> bytes{};

    /// Strict notation ("10.0.0.1", "fd00::1"), without brackets or zone.
    [[nodiscard]] static std::optional<ip_address> parse(std::string_view text);
    /// Empty for other families.
    [[nodiscard]] static std::optional<ip_address> from(const sockaddr& address);
    [[nodiscard]] std::string to_string() const;
};

/// What an address is good for, from IANA's special-purpose registries. An address that carries an
/// IPv4 address inside (mapped, compatible, 6to4, NAT64, Teredo) is judged by that one.
enum class reach : std::uint8_t {
    world,    ///< Globally reachable unicast.
    local,    ///< Loopback, private, carrier-grade NAT, unique local.
    nowhere,  ///< Never wanted: unspecified, link-local (cloud metadata), multicast, documentation,
              ///< ...
};
[[nodiscard]] reach reach_of(const ip_address& address) noexcept;

/// Whom a client may talk to.
struct address_policy {
    /// Hosts that equal one of these or end in a dot and one of these. Empty: any host.
    std::vector<std::string> host_suffixes = {};
    /// Lets plain http, any port, `reach::local` addresses, and hosts that are local address
    /// literals or "localhost" pass as well. Never `reach::nowhere`.
    bool allow_private = false;
    /// Origins (as url::origin() writes them) that the operator configured: wherever they lead.
    std::vector<std::string> trusted_origins = {};
};

/// Decides before a byte is sent. Immutable, safe from any thread.
class address_guard {
public:
    explicit address_guard(address_policy policy) : policy_{std::move(policy)} {}

    /// errc::address_refused unless scheme, host and port are allowed. Without allow_private and
    /// outside trusted origins: https on its own port, a host of the list, no address literal that
    /// is not `reach::world`.
    [[nodiscard]] result<void> check(const url& target) const;

    /// Whether a socket to `address` may be opened on behalf of `target`. Asked with the address
    /// that is really about to be connected to, which makes a second, lying name look-up harmless.
    [[nodiscard]] bool allows(const url& target, const ip_address& address) const;

private:
    [[nodiscard]] bool trusts(const url& target) const;

    address_policy policy_;
};

/// Whether `host` equals `suffix` or ends in "." and `suffix`. Both in lower case.
[[nodiscard]] bool has_suffix(std::string_view host, std::string_view suffix) noexcept;

}  // namespace reelsd::net
