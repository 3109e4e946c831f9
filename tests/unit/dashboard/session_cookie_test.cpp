#include "dashboard/session_authentication.hpp"

#include <gtest/gtest.h>

#include <string>

namespace reelsd::dashboard {
namespace {

TEST(SessionCookie, IsFoundAmongOthers) {
    const std::string secret(43, 'a');
    const std::string ours = "reelsd_session=" + secret;
    EXPECT_EQ(session_secret_in(ours, false), secret);
    EXPECT_EQ(session_secret_in("theme=dark; " + ours + "; x=y", false), secret);
    EXPECT_EQ(session_secret_in("reelsd_session=tossed; " + ours, false), secret);
    const std::string strange[] = {
        "",
        ";",
        "x",
        "x" + ours,
        "reelsd_session=",
        "reelsd_session=" + std::string(42, 'a'),
        "reelsd_session2=" + secret,
        "REELSD_SESSION=" + secret,
        "__Host-" + ours};
    for (const auto& header : strange) {
        EXPECT_EQ(session_secret_in(header, false), std::nullopt) << header;
    }
}

TEST(SessionCookie, IsIgnoredWhenDuplicated) {
    const std::string ours = "reelsd_session=" + std::string(43, 'a');
    const std::string planted = "reelsd_session=" + std::string(43, 'b');
    EXPECT_EQ(session_secret_in(planted + "; " + ours, false), std::nullopt);
    EXPECT_EQ(session_secret_in(ours + ";" + ours, false), std::nullopt);
    EXPECT_EQ(session_secret_in("__Host-" + planted + "; __Host-" + ours, true), std::nullopt);
}

TEST(SessionCookie, OverTlsHasTheHostPrefix) {
    const std::string secret(43, 'a');
    const std::string planted = "reelsd_session=" + std::string(43, 'b');
    EXPECT_EQ(session_secret_in("__Host-reelsd_session=" + secret, true), secret);
    EXPECT_EQ(session_secret_in(planted + "; __Host-reelsd_session=" + secret, true), secret);
    EXPECT_EQ(session_secret_in(planted, true), std::nullopt);
}

TEST(SessionCookie, IsHttpOnlyAndSameSite) {
    EXPECT_EQ(
        session_cookie("abc", false),
        "reelsd_session=abc; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict");
    EXPECT_EQ(
        session_cookie("abc", true),
        "__Host-reelsd_session=abc; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict; Secure");
    EXPECT_EQ(
        ended_session_cookie(false),
        "reelsd_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict");
}

TEST(DeviceProof, IsBoundToOneAccountAndItsCurrentPassword) {
    const auto proof = new_device_proof("hash of ann");
    EXPECT_TRUE(proves_device(proof, "hash of ann"));
    EXPECT_FALSE(proves_device(proof, "hash of bob"));
    EXPECT_NE(proof, new_device_proof("hash of ann"));
    EXPECT_EQ(device_proof_in("x=y; reelsd_device=" + proof, false), proof);
    EXPECT_EQ(device_proof_in("__Host-reelsd_device=" + proof, true), proof);
    EXPECT_EQ(device_proof_in("reelsd_device=" + proof, true), std::nullopt);
    auto forged = proof;
    forged.back() = forged.back() == '0' ? '1' : '0';
    EXPECT_FALSE(proves_device(forged, "hash of ann"));
    for (const auto& strange : {std::string{}, std::string{"."}, proof + "0", proof.substr(1)}) {
        EXPECT_FALSE(proves_device(strange, "hash of ann")) << strange;
        EXPECT_EQ(device_proof_in("reelsd_device=" + strange, false), std::nullopt) << strange;
    }
}

TEST(CsrfToken, IsBoundToOneSessionAndDoesNotRevealItsSecret) {
    const auto token = csrf_token_of("abc");
    EXPECT_EQ(token.size(), 64U);
    EXPECT_EQ(token, csrf_token_of("abc"));
    EXPECT_NE(token, csrf_token_of("abd"));
    EXPECT_EQ(token.find("abc"), std::string::npos);
}

}  // namespace
}  // namespace reelsd::dashboard
