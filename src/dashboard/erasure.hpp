#pragma once

#include "sign_in.hpp"
#include <reelsd/domain/retention/retention_store.hpp>

#include <string_view>

namespace reelsd::dashboard {

/// What the handlers of this resource use. Outlives the router.
struct erasure_service {
    retention::retention_store retention;
    sign_in_service& sign_in;  ///< Compares passwords, and counts guesses.
    log::logger log;
};

/// An account's end: one's own for everybody, others' behind the gate of administrators.
void add_erasure_routes(http::router& router, std::string_view gated, erasure_service& service);

}  // namespace reelsd::dashboard
