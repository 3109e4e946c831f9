#include <reelsd/domain/accounts/secret.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace reelsd::accounts {
namespace {

TEST(Token, HasTheDocumentedForm) {
    const auto token = generate_token();
    EXPECT_THAT(token, ::testing::MatchesRegex("rls_[A-Za-z0-9]{40}"));
    EXPECT_EQ(prefix_of_token(token), token.substr(0, 8));
    EXPECT_TRUE(hash_of_token(token));
}

TEST(Token, IsUnique) {
    std::set<std::string> seen;
    for (int i = 0; i < 1000; ++i) seen.insert(generate_token());
    EXPECT_EQ(seen.size(), 1000U);
}

// Goal: the checksum catches every single wrong character without a look-up.
TEST(Token, OneChangedCharacterIsRefused) {
    const auto token = generate_token();
    for (std::size_t at = 4; at < token.size(); ++at) {
        auto wrong = token;
        wrong[at] = wrong[at] == 'x' ? 'y' : 'x';
        const auto hash = hash_of_token(wrong);
        ASSERT_FALSE(hash) << at;
        EXPECT_EQ(hash.error().code(), errc::unauthorized);
        EXPECT_EQ(hash.error().detail(), "invalid API token");
    }
}

TEST(Token, OtherFormsAreRefused) {
    const auto token = generate_token();
    for (const auto& wrong :
         {std::string{},
          std::string{"rls_"},
          token + "a",
          token.substr(1),
          "RLS_" + token.substr(4),
          token.substr(0, 43) + "\n",
          std::string(44, 'a')}) {
        EXPECT_FALSE(hash_of_token(wrong)) << wrong;
    }
}

TEST(Token, IsReadFromTheAuthorizationHeader) {
    const auto token = generate_token();
    struct test_case {
        std::string header;
        const char* refusal;  // Null: accepted.
    };
    const test_case cases[] = {
        {"Bearer " + token, nullptr},
        {"bearer " + token, nullptr},
        {"BEARER   " + token + " ", nullptr},
        {"", "API token required (Authorization: Bearer rls_...)"},
        {"Bearer", "API token required (Authorization: Bearer rls_...)"},
        {"Bearer ", "API token required (Authorization: Bearer rls_...)"},
        {"Basic dXNlcjpwYXNz", "API token required (Authorization: Bearer rls_...)"},
        {token, "API token required (Authorization: Bearer rls_...)"},
        {"Bearer" + token, "API token required (Authorization: Bearer rls_...)"},
        {"Bearer x", "invalid API token"},
        {"Bearer " + token + " " + token, "invalid API token"},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.header);
        const auto hash = token_of_authorization(expected.header);
        ASSERT_EQ(hash.has_value(), expected.refusal == nullptr);
        if (hash) {
            EXPECT_EQ(*hash, *hash_of_token(token));
        } else {
            EXPECT_EQ(hash.error().detail(), expected.refusal);
        }
    }
}

}  // namespace
}  // namespace reelsd::accounts
