#pragma once

#include <reelsd/domain/accounts/account_store.hpp>

#include <string_view>

namespace reelsd::http {
class router;
}

namespace reelsd::dashboard {

/// What the handlers of this resource use. Outlives the router.
struct token_service {
    accounts::account_store accounts;
};

void add_token_routes(http::router& router, std::string_view gated, token_service& service);

}  // namespace reelsd::dashboard
