#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/db/pool.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>

namespace reelsd::db {

/// How the schema stands to the programs that use it; versions of migrations.
struct schema_compatibility {
    std::int32_t newest = 0;  ///< Applied.
    std::int32_t floor = 0;   ///< Programs that know less must not use it.
};

/// Throws what pool::run() throws.
[[nodiscard]] boost::asio::awaitable<schema_compatibility> look_at_schema(
    pool& database, deadline by);

}  // namespace reelsd::db
