#pragma once

#include "sign_in.hpp"

namespace reelsd::dashboard {

/// Links that set a password once; see accounts::session_store.
void add_invitation_routes(http::router& router, sign_in_service& service);

}  // namespace reelsd::dashboard
