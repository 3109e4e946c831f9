#pragma once

#include "byte_budget.hpp"
#include "response_head.hpp"
#include <reelsd/http/server.hpp>

#include <array>
#include <cstddef>
#include <random>
#include <string>

namespace reelsd::http {

/// What all sessions of one server share. Loop's thread only.
struct session_host {
    session_host(const router& known_routes, log::logger lines, server_options wanted);

    [[nodiscard]] std::string new_request_id();

    const router& routes;
    log::logger log;
    server_options options;
    server_counts counts;
    byte_budget buffered;
    /// Set once: no session begins another request.
    bool draining = false;
    http_date date;
    /// Every read but the first of a plain head goes here, and what is left over into the session.
    /// Such reads are synchronous once the socket is readable, so that no two of them overlap.
    std::array<char, std::size_t{16} * 1024> scratch{};
    /// `Keep-Alive`'s value: clients that read it do not send into a connection that is closing.
    std::string keep_alive_hint;
    std::mt19937_64 random;
};

}  // namespace reelsd::http
