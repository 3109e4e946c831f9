#pragma once

#include <reelsd/base/ip_network.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/net/url.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::net {

/// Classification of an address by IANA's special-purpose registries. The embedded IPv4 address
/// decides for mapped, compatible, 6to4, NAT64 and Teredo addresses.
enum class reach : std::uint8_t {
    world,    ///< Globally reachable unicast.
    local,    ///< Loopback, private, carrier-grade NAT, unique local.
    nowhere,  ///< Never a valid target: unspecified, link-local (cloud metadata), multicast,
              ///< documentation, ...
};
[[nodiscard]] reach reach_of(const boost::asio::ip::address& address);

/// Hosts, addresses, schemes and ports that a client may connect to.
struct address_policy {
    /// A name allows itself and its subdomains. An address in canonical notation allows only
    /// itself. Empty: any host.
    std::vector<std::string> host_suffixes = {};
    /// Allowed hosts may use plain http, any port and `reach::local` addresses. Never
    /// `reach::nowhere`.
    bool allow_private = false;
    /// Networks that allowed hosts may resolve to although they are not public, `reach::nowhere`
    /// included.
    std::vector<ip_network> networks = {};
    /// Addresses of `networks` may be reached by plain http and on any port.
    bool plain_in_networks = false;
    /// Origins (as url::origin() writes them) that the operator configured: any address.
    std::vector<std::string> trusted_origins = {};
    /// Names of the settings behind `host_suffixes` and `networks`, for messages. Empty: none.
    std::string hosts_setting = {};
    std::string networks_setting = {};
};

/// Checks every target before the first byte is sent. Immutable; safe from any thread.
class address_guard {
public:
    explicit address_guard(address_policy policy) : policy_{std::move(policy)} {}

    /// Returns errc::address_refused unless scheme, host and port are allowed. With
    /// `plain_in_networks`, a name that may resolve into `networks` passes with plain http and any
    /// port; allows() then decides. The detail names the setting that would allow the target.
    [[nodiscard]] result<void> check(const url& target) const;

    /// Whether a socket to `address` may be opened on behalf of `target`. The client passes the
    /// address it is about to connect to, so DNS rebinding between check and connect is harmless.
    [[nodiscard]] bool allows(const url& target, const boost::asio::ip::address& address) const;

    [[nodiscard]] error refusal_of(const url& target, const std::string& address) const;

private:
    [[nodiscard]] bool trusts(const url& target) const;
    [[nodiscard]] bool is_listed(
        const url& target, const std::optional<boost::asio::ip::address>& literal) const;

    address_policy policy_;
};

/// Whether `host` equals `suffix` or ends in "." and `suffix`. Both in lower case.
[[nodiscard]] bool has_suffix(std::string_view host, std::string_view suffix) noexcept;

}  // namespace reelsd::net
