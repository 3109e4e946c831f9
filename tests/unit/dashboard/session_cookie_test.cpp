#include "dashboard/session_cookie.hpp"

#include <gtest/gtest.h>

namespace reelsd::dashboard {
namespace {

TEST(SessionCookie, IsFoundAmongOthers) {
    EXPECT_EQ(session_secret_in("reelsd_session=abc"), "abc");
    EXPECT_EQ(session_secret_in("theme=dark; reelsd_session=abc; x=y"), "abc");
    EXPECT_EQ(session_secret_in("reelsd_session=first;reelsd_session=second"), "first");
    EXPECT_EQ(session_secret_in("reelsd_session="), "");
    for (const char* header :
         {"", ";", "x", "xreelsd_session=abc", "reelsd_session2=abc", "REELSD_SESSION=abc"}) {
        EXPECT_EQ(session_secret_in(header), std::nullopt) << header;
    }
}

TEST(SessionCookie, IsOutOfReachOfScriptsAndOtherSites) {
    EXPECT_EQ(
        session_cookie("abc", false),
        "reelsd_session=abc; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict");
    EXPECT_TRUE(session_cookie("abc", true).ends_with("; Secure"));
    EXPECT_EQ(
        ended_session_cookie(false),
        "reelsd_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict");
}

TEST(CsrfToken, BelongsToOneSessionAndDoesNotTellItsSecret) {
    const auto token = csrf_token_of("abc");
    EXPECT_EQ(token.size(), 64U);
    EXPECT_EQ(token, csrf_token_of("abc"));
    EXPECT_NE(token, csrf_token_of("abd"));
    EXPECT_EQ(token.find("abc"), std::string::npos);
}

}  // namespace
}  // namespace reelsd::dashboard
