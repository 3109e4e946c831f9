// Goal: cookies in every supported form give the same session; other texts give none. Method: texts
// in each form; the expected Cookie header.
#include <reelsd/platform/operator_session.hpp>

#include <gtest/gtest.h>

#include <string>

namespace reelsd::platform {
namespace {

constexpr std::int64_t now = 1'800'000'000;
constexpr std::string_view host = "www.instagram.com";

std::string line(
    const std::string& domain, const std::string& expiry, const std::string& name,
    const std::string& value) {
    return domain + "\tTRUE\t/\tTRUE\t" + expiry + "\t" + name + "\t" + value + "\n";
}

const std::string signed_in = line("#HttpOnly_.instagram.com", "1900000000", "sessionid", "1%3Ab");

/// The Cookie header, or why there is none.
std::string header_of(std::string_view text, std::string_view of_host = host) {
    const auto parsed = session_cookies::parse(text, of_host, now);
    return parsed ? parsed->header() : parsed.error().detail();
}

TEST(SessionCookies, AcceptEveryForm) {
    struct test_case {
        const char* name;
        std::string text;
        const char* expected;
    };
    const test_case cases[] = {
        {"Netscape", "# comment\n\n" + signed_in, "sessionid=1%3Ab"},
        {"no line end", signed_in.substr(0, signed_in.size() - 1), "sessionid=1%3Ab"},
        {"CRLF and a byte order mark",
         "\xef\xbb\xbf" + signed_in.substr(0, signed_in.size() - 1) + "\r\n",
         "sessionid=1%3Ab"},
        {"two cookies",
         signed_in + line(".instagram.com", "0", "csrftoken", "t"),
         "sessionid=1%3Ab; csrftoken=t"},
        {"a session cookie without expiry",
         line("instagram.com", "", "sessionid", "1%3Ab"),
         "sessionid=1%3Ab"},
        {"a fraction",
         line("www.instagram.com", "1900000000.5", "sessionid", "1%3Ab"),
         "sessionid=1%3Ab"},
        {"an empty value",
         signed_in + line(".instagram.com", "0", "rur", ""),
         "sessionid=1%3Ab; rur="},
        {"the last of a name",
         line(".instagram.com", "0", "sessionid", "old") + signed_in,
         "sessionid=1%3Ab"},
        {"other sites and broken lines",
         line(".facebook.com", "0", "c_user", "1") + line("evil-instagram.com", "0", "x", "1") +
             line(".instagram.com", "-1", "y", "1") + "a\tb\tc\n" +
             line(".instagram.com", "0", "z", "a;b") + line(".instagram.com", "0", "", "1") +
             line(".instagram.com", "5", "w", "1") + signed_in,
         "sessionid=1%3Ab"},
        {"JSON",
         R"([{"name":"sessionid","value":"1%3Ab","domain":".instagram.com","expirationDate":1.9e9},
             {"name":"csrftoken","value":"t","domain":".instagram.com"},
             {"name":"c_user","value":"1","domain":".facebook.com"}, 7, {"name":7}])",
         "sessionid=1%3Ab; csrftoken=t"},
        {"a header", "Cookie: sessionid=1%3Ab; csrftoken=t=\n", "sessionid=1%3Ab; csrftoken=t="},
        {"a header without its name",
         "sessionid=1%3Ab;csrftoken=t",
         "sessionid=1%3Ab; csrftoken=t"},
        {"the value alone", "1%3Ab\n", "sessionid=1%3Ab"},
    };
    for (const auto& expected : cases) {
        EXPECT_EQ(header_of(expected.text), expected.expected) << expected.name;
    }
}

TEST(SessionCookies, NeedASessionAndHideValues) {
    const std::string cases[] = {
        "",
        "nothing of the kind",
        line(".instagram.com", "0", "csrftoken", "s3cret"),
        line("evil-instagram.com", "0", "sessionid", "s3cret"),
        line(".com", "0", "sessionid", "s3cret"),
        ".instagram.com TRUE / TRUE 0 sessionid s3cret\n",
        "# .instagram.com\tTRUE\t/\tTRUE\t0\tsessionid\ts3cret\n",
        line(".instagram.com", "0", "sessionid", ""),
        line(".instagram.com", "0", "sessionid", "s3 cret"),
        R"([{"name":"sessionid","value":"s3cret","domain":".example.com"}])",
        R"({"name":"sessionid","value":"s3cret"})",
        "[",
        "csrftoken=s3cret",
        "s3cret",
    };
    for (const auto& text : cases) {
        const auto why = header_of(text);
        EXPECT_TRUE(why.starts_with("it contains no signed-in session")) << text;
        EXPECT_EQ(why.find("s3"), std::string::npos);
    }
    EXPECT_TRUE(header_of(line(".instagram.com", "5", "sessionid", "s3cret"))
                    .starts_with("its cookie sessionid has expired"));
}

TEST(SessionCookies, AcceptTheConfiguredHost) {
    const auto own = line("127.0.0.1", "0", "sessionid", "1%3Ab");
    EXPECT_EQ(header_of(own, "127.0.0.1"), "sessionid=1%3Ab");
    EXPECT_NE(header_of(own), "sessionid=1%3Ab");
}

TEST(SessionCookies, HaveTheFingerprintOfTheirText) {
    const auto first = session_cookies::parse(signed_in, host, now).value();
    const auto same = session_cookies::parse(signed_in, host, now).value();
    const auto other = session_cookies::parse(signed_in + "\n", host, now).value();
    EXPECT_EQ(first.fingerprint().size(), 64U);
    EXPECT_EQ(first.fingerprint(), same.fingerprint());
    EXPECT_NE(first.fingerprint(), other.fingerprint());
}

TEST(SessionCookies, AreWrittenForYtDlpAndHiddenInItsOutput) {
    const auto cookies = session_cookies::parse(
                             line(".instagram.com", "1900000000", "sessionid", "1%3Asecret") +
                                 line(".instagram.com", "0", "dpr", "2") +
                                 line(".instagram.com", "0", "token", "sixsix") +
                                 line(".instagram.com", "0", "ds_user_id", "1234567"),
                             host,
                             now)
                             .value();
    EXPECT_EQ(
        cookies.netscape_file(),
        "# Netscape HTTP Cookie File\n"
        ".instagram.com\tTRUE\t/\tTRUE\t1900000000\tsessionid\t1%3Asecret\n"
        ".instagram.com\tTRUE\t/\tTRUE\t0\tdpr\t2\n"
        ".instagram.com\tTRUE\t/\tTRUE\t0\ttoken\tsixsix\n"
        ".instagram.com\tTRUE\t/\tTRUE\t0\tds_user_id\t1234567\n");
    std::string output = "skipping 1%3Asecret, 2 of 1:secret, sixsix by 1234567";
    cookies.hide_in(output);
    EXPECT_EQ(output, "skipping ***, 2 of ***, *** by 1234567");
}

}  // namespace
}  // namespace reelsd::platform
