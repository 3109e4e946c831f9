#include <reelsd/db/schema_compatibility.hpp>

namespace reelsd::db {
namespace {

constexpr query standing_query{"db.schema_standing", R"sql(
    SELECT (SELECT max(version) FROM schema_migration) AS newest,
           (SELECT version FROM schema_floor) AS floor)sql"};

}  // namespace

boost::asio::awaitable<schema_compatibility> look_at_schema(pool& database, deadline by) {
    const auto found = co_await database.run(by, standing_query);
    const auto row = found.one();
    co_return schema_compatibility{
        .newest = row.as<std::int32_t>("newest"), .floor = row.as<std::int32_t>("floor")};
}

}  // namespace reelsd::db
