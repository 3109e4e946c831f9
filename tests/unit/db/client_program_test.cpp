#include <reelsd/db/client_program.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>

#include <map>
#include <memory>
#include <string>

namespace reelsd::db {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// What libpq reads from a connection string.
std::map<std::string, std::string> options_of(const std::string& connection_string) {
    const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options{
        PQconninfoParse(connection_string.c_str(), nullptr), &PQconninfoFree};
    std::map<std::string, std::string> read;
    if (!options) return read;
    for (const auto* option = options.get(); option->keyword != nullptr; ++option) {
        if (option->val != nullptr) read[option->keyword] = option->val;
    }
    return read;
}

TEST(ClientProgram, AddsAPasswordToBothFormsOfConnectionStrings) {
    const std::map<std::string, std::string> expected{
        {"user", "reelsd"}, {"host", "db"}, {"dbname", "reels"}, {"password", R"(it's a\b @/:?#)"}};
    for (const char* without :
         {"postgresql://reelsd@db/reels", "user=reelsd host=db dbname='reels'"}) {
        const auto whole = with_password(without, expected.at("password"));
        ASSERT_TRUE(whole) << without;
        EXPECT_EQ(options_of(*whole), expected);
    }
}

TEST(ClientProgram, KeepsSeveralServers) {
    const auto whole = with_password("postgresql://reelsd@a:1,b:2/reels", "word");
    ASSERT_TRUE(whole);
    EXPECT_EQ(options_of(*whole).at("host"), "a,b");
    EXPECT_EQ(options_of(*whole).at("port"), "1,2");
}

TEST(ClientProgram, RefusesASecondPassword) {
    const auto refused = with_password("postgresql://reelsd:first@db/reels", "second");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), errc::invalid_argument);
    EXPECT_THAT(refused.error().detail(), HasSubstr("has a password already"));
    EXPECT_THAT(refused.error().detail(), Not(HasSubstr("first")));
    EXPECT_FALSE(with_password("postgresql://[", "word"));
}

}  // namespace
}  // namespace reelsd::db
