#pragma once

#include "session.hpp"
#include <reelsd/db/errors.hpp>

#include <exception>
#include <string_view>

namespace reelsd::db {

/// Which outage a SQLSTATE is, given that errc_of() calls it `database_unavailable`.
[[nodiscard]] outage outage_of(std::string_view sqlstate) noexcept;

/// The exception for a server's error: unavailable when errc_of() says so, refused otherwise.
[[nodiscard]] std::exception_ptr failure_of(std::string_view query_name, const server_error& why);

}  // namespace reelsd::db
