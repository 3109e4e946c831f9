#pragma once

#include <string>
#include <string_view>

namespace reelsd::http {

/// Whether a browser may read this server's pages under the name in a `Host` header. A page of
/// another site can point its own name at this machine (DNS rebinding); the browser then takes our
/// answers for that site's. Allowed are therefore only names that such a site cannot have:
/// - address literals;
/// - "localhost", its subdomains, and any other name without a dot (nobody can register those);
/// - `own_name`, without a port, in any letter case.
/// A request without `Host` does not come from a browser. Pure.
[[nodiscard]] bool is_own_host(std::string_view host, std::string_view own_name);

/// The host of a `Host` header, or of an authority, without its port; IPv6 without brackets.
[[nodiscard]] std::string_view host_without_port(std::string_view authority) noexcept;

}  // namespace reelsd::http
