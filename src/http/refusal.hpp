#pragma once

#include <reelsd/http/protocol.hpp>

#include <string_view>

namespace reelsd::http {

/// Why a request was turned away before anybody looked at its target. The connection closes after
/// it.
struct refusal {
    status code;
    /// For the client: a literal.
    std::string_view message;
};

}  // namespace reelsd::http
