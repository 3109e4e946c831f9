#pragma once

#include <reelsd/base/clock.hpp>
#include <reelsd/db/pool.hpp>

#include <boost/asio/awaitable.hpp>

#include <cstdint>

namespace reelsd::db {

/// Which programs may use the schema, as migration versions.
struct schema_compatibility {
    std::int32_t newest = 0;  ///< Newest applied migration.
    std::int32_t floor = 0;   ///< Programs must know at least this migration.
};

/// Reads the compatibility of the schema. Throws like pool::run().
[[nodiscard]] boost::asio::awaitable<schema_compatibility> look_at_schema(
    pool& database, deadline by);

}  // namespace reelsd::db
