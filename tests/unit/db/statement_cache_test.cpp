// Goal: a statement is prepared once, and again when the server has lost it. Method: pure.
#include "db/connection.hpp"

#include <gtest/gtest.h>

namespace reelsd::db {
namespace {

constexpr query first{"test.first", "SELECT 1"};
constexpr query second{"test.second", "SELECT 2"};

TEST(StatementCache, PreparesOnlyOnFirstUse) {
    statement_cache cache;
    const auto fresh = cache.acquire(first);
    EXPECT_TRUE(fresh.must_prepare);
    EXPECT_EQ(fresh.server_name, "test.first#1");
    EXPECT_FALSE(cache.acquire(first).must_prepare);
    EXPECT_TRUE(cache.acquire(second).must_prepare);
    EXPECT_EQ(cache.acquire(first).server_name, "test.first#1");
}

TEST(StatementCache, AForgottenStatementGetsANewName) {
    statement_cache cache;
    const auto before = cache.acquire(first);
    cache.forget(first, before.number);
    const auto after = cache.acquire(first);
    EXPECT_TRUE(after.must_prepare);
    EXPECT_NE(after.server_name, before.server_name);
}

TEST(StatementCache, ALateFailureDoesNotUndoANewerPreparation) {
    statement_cache cache;
    const auto before = cache.acquire(first);
    cache.forget(first, before.number);
    const auto after = cache.acquire(first);
    cache.forget(first, before.number);  // Another request that had relied on the old one.
    EXPECT_FALSE(cache.acquire(first).must_prepare);
    EXPECT_EQ(cache.acquire(first).number, after.number);
}

TEST(StatementCacheDeathTest, OneNameForTwoTextsAborts) {
    static constexpr query other{"test.first", "SELECT 'other'"};
    statement_cache cache;
    static_cast<void>(cache.acquire(first));
    EXPECT_DEATH(static_cast<void>(cache.acquire(other)), "broken invariant");
}

}  // namespace
}  // namespace reelsd::db
