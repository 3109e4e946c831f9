#pragma once

#include "settings.hpp"
#include <reelsd/http/router.hpp>

#include <string_view>

namespace reelsd::app {

/// Refuses (421) requests whose `Host` is not a name of this server, except for paths that need a
/// token or tell nothing: see needs_own_host(). Empty when the names are not known: no `public-url`
/// is set and `listen` is not a loopback address.
[[nodiscard]] http::middleware::decision host_check_of(const settings& config);

/// Whether a page of another site could gain from reading `path` under a name of its own. Not below
/// `/api/v1`, where each request needs a token that browsers do not send by themselves, and not
/// `/healthz` and `/readyz`, which load balancers request under any name. Pure.
[[nodiscard]] bool needs_own_host(std::string_view path) noexcept;

}  // namespace reelsd::app
