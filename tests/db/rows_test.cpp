#include "support/test_database.hpp"
#include <reelsd/db/errors.hpp>

#include <gmock/gmock.h>

namespace reelsd::db {
namespace {

using RowsTest = test::empty_database_test;

TEST_F(RowsTest, UnexpectedRowsAndColumnsAreSchemaMismatches) {
    static constexpr query two{
        "test.two", "SELECT n, NULL::text AS nothing FROM generate_series(1, 2) AS n"};
    const auto got = run(pool().run(soon(), two));
    EXPECT_EQ(got.size(), 2U);
    EXPECT_EQ(got.affected(), 2);
    EXPECT_THROW(static_cast<void>(got.one()), schema_mismatch);
    EXPECT_THROW(static_cast<void>(got.one_or_none()), schema_mismatch);
    EXPECT_THROW(static_cast<void>(got[0].as<bool>("n")), schema_mismatch);
    EXPECT_THROW(static_cast<void>(got[0].as<std::string>("nothing")), schema_mismatch);
    EXPECT_THROW(static_cast<void>(got[0].as<std::string>("missing")), schema_mismatch);
    const auto numbers = got.map([](const row& one) { return one.as<std::int32_t>("n"); });
    EXPECT_THAT(numbers, ::testing::ElementsAre(1, 2));
}

}  // namespace
}  // namespace reelsd::db
