// Goal: answers to share links are classified like others: only a definite one means that there is
// no post; look-ups obey the rate limiter. Method: a server with one answer per row.
#include "platform/http_resolvers.hpp"
#include "stand_in.hpp"
#include "support/scripted_server.hpp"
#include <reelsd/platform/source.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace reelsd::platform {
namespace {

using reelsd::test::scripted_server;
using test::patience;

std::string answer_of(const std::string& status, const std::string& body) {
    return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
}

link share_link() {
    return parse_link("https://www.instagram.com/share/reel/BAKl0x").value();
}

TEST(ShareLink, IsClassifiedLikeAnyAnswer) {
    struct test_case {
        const char* status;
        const char* body;
        errc expected;
        bool throttles;
    };
    constexpr const char* wait =
        R"({"message":"Please wait a few minutes before you try again.","require_login":true})";
    constexpr const char* login_page =
        R"(<html>"canonicalRouteName":"comet.igweb.PolarisCAAIGLoginHomepageRoute"</html>)";
    constexpr const char* error_page =
        R"(<html>"canonicalRouteName":"comet.igweb.PolarisErrorRoute"</html>)";
    constexpr test_case cases[] = {
        {"400 Bad Request", "", errc::platform_changed, false},
        {"400 Bad Request", wait, errc::platform_rate_limited, false},
        {"401 Unauthorized", wait, errc::platform_rate_limited, false},
        {"401 Unauthorized", "", errc::platform_failed, false},
        {"403 Forbidden", "<html>Page Not Found</html>", errc::platform_failed, false},
        {"404 Not Found", "", errc::video_unavailable, false},
        {"410 Gone", "", errc::video_unavailable, false},
        {"429 Too Many Requests", "", errc::platform_rate_limited, true},
        {"503 Service Unavailable", "", errc::platform_failed, false},
        {"200 OK", login_page, errc::platform_rate_limited, false},
        {"200 OK", error_page, errc::video_unavailable, false},
        {"200 OK", "<html>Before you continue</html>", errc::platform_changed, false},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(std::string{expected.status} + " " + expected.body);
        const scripted_server server{[&](scripted_server::connection& peer) {
            peer.read_request();
            peer.write(answer_of(expected.status, expected.body));
        }};
        const auto origin = net::url::parse(server.origin()).value();
        const net::http_client client{{.policy = {.trusted_origins = {server.origin()}}}};
        const auto outcome = expand_share_link(client, origin, share_link(), patience(), {});
        ASSERT_FALSE(outcome);
        const no_post none = outcome.error();
        EXPECT_EQ(none.why.code(), expected.expected) << none.why.to_string();
        EXPECT_EQ(none.throttles_client, expected.throttles);
        EXPECT_FALSE(none.needs_confirmation);
    }
}

/// Returns the same answer to each ask(). Records all notes.
class fixed_rate_limiter final : public rate_limiter {
public:
    explicit fixed_rate_limiter(required_wait answer) : answer_{answer} {}

    [[nodiscard]] result<required_wait> ask(std::string_view resolver, deadline /*by*/) override {
        notes.push_back("ask " + std::string{resolver});
        return answer_;
    }
    seconds_f note(
        std::string_view resolver, const finished_try& ended, deadline /*by*/) noexcept override {
        notes.push_back(
            std::string{resolver} + " " + std::to_string(static_cast<int>(ended.outcome)) + " " +
            std::string{ended.code});
        return seconds_f{900};
    }

    std::vector<std::string> notes;

private:
    required_wait answer_;
};

TEST(ShareLink, IsNotRequestedWithoutAPermit) {
    int requests = 0;
    const scripted_server server{[&](scripted_server::connection&) { ++requests; }};
    const auto from =
        source::create({.platform_url = server.origin()}, log::logger::silent()).value();
    for (const bool is_cooldown : {false, true}) {
        fixed_rate_limiter pace{{.wait = seconds_f{50}, .is_cooldown = is_cooldown}};
        const auto outcome = from->expand(share_link(), pace, patience(), {});
        ASSERT_FALSE(outcome);
        const unresolved none = outcome.error();
        EXPECT_EQ(none.why.code(), errc::platform_rate_limited);
        ASSERT_TRUE(none.snooze);
        EXPECT_EQ(none.snooze->wait, seconds_f{50});
        EXPECT_EQ(none.snooze->is_cooldown, is_cooldown);
        EXPECT_EQ(pace.notes, std::vector<std::string>{"ask share"});
    }
    EXPECT_EQ(requests, 0);
}

TEST(ShareLink, NotesItsOutcome) {
    const scripted_server server{[&](scripted_server::connection& peer) {
        peer.read_request();
        peer.write("HTTP/1.1 302 Found\r\nLocation: /accounts/login/\r\nContent-Length: 0\r\n\r\n");
    }};
    const auto from =
        source::create({.platform_url = server.origin()}, log::logger::silent()).value();
    fixed_rate_limiter pace{{}};
    const auto outcome = from->expand(share_link(), pace, patience(), {});
    ASSERT_FALSE(outcome);
    const unresolved none = outcome.error();
    EXPECT_EQ(none.why.code(), errc::platform_rate_limited);
    EXPECT_FALSE(none.snooze);
    EXPECT_EQ(none.not_before, seconds_f{900});
    const auto rate_limited = std::to_string(static_cast<int>(try_outcome::rate_limited));
    EXPECT_EQ(
        pace.notes, (std::vector<std::string>{"ask share", "share " + rate_limited + " BAKl0x"}));
}

TEST(ShareLink, OfAPostNeedsNoRequest) {
    fixed_rate_limiter pace{{.wait = seconds_f{50}}};
    const auto from = source::create({}, log::logger::silent()).value();
    EXPECT_EQ(
        from->expand(post_link("DYexample01"), pace, patience(), {}).value().code, "DYexample01");
    EXPECT_TRUE(pace.notes.empty());
}

}  // namespace
}  // namespace reelsd::platform
