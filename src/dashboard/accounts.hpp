#pragma once

#include <reelsd/base/json_fwd.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/dashboard/dashboard.hpp>
#include <reelsd/domain/accounts/account_store.hpp>
#include <reelsd/domain/accounts/session_store.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace reelsd::http {
class router;
}

namespace reelsd::dashboard {

/// What the handlers of this resource use. Outlives the router.
struct account_service {
    accounts::account_store accounts;
    accounts::session_store sessions;
    default_limits limits;
    std::function<std::string()> origin;
    log::logger log;
};

/// For administrators: the gate of their prefix lets nobody else through.
void add_account_routes(http::router& router, std::string_view gated, account_service& service);

/// The changes that a body asks for: `invalid_argument` with the text that the client reads. Pure.
[[nodiscard]] result<accounts::account_changes> requested_changes(const json& body);

}  // namespace reelsd::dashboard
