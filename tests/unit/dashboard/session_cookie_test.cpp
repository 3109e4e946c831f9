#include "dashboard/session_cookie.hpp"

#include <gtest/gtest.h>

#include <string>

namespace reelsd::dashboard {
namespace {

TEST(SessionCookie, IsFoundAmongOthers) {
    const std::string secret(43, 'a');
    const std::string ours = "reelsd_session=" + secret;
    EXPECT_EQ(session_secret_in(ours), secret);
    EXPECT_EQ(session_secret_in("theme=dark; " + ours + "; x=y"), secret);
    EXPECT_EQ(session_secret_in(ours + ";reelsd_session=" + std::string(43, 'b')), secret);
    EXPECT_EQ(session_secret_in("reelsd_session=tossed; " + ours), secret);
    const std::string strange[] = {
        "",
        ";",
        "x",
        "x" + ours,
        "reelsd_session=",
        "reelsd_session=" + std::string(42, 'a'),
        "reelsd_session2=" + secret,
        "REELSD_SESSION=" + secret};
    for (const auto& header : strange) {
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
