#include "support/test_database.hpp"
#include <reelsd/domain/pacing/pace_store.hpp>

#include <gmock/gmock.h>

namespace reelsd::pacing {
namespace {

using namespace std::chrono_literals;

const paced_resolver session{.host = "www.instagram.com", .resolver = "session"};

class RefusedSessionStore : public test::database_test {
protected:
    std::optional<std::string> find(const std::string& fingerprint) {
        return run(store_.find(session, fingerprint, soon()));
    }
    bool add(const std::string& fingerprint, const std::string& reason) {
        return run(store_.add(session, fingerprint, reason, soon()));
    }
    permit::status ask() { return run(paces_.ask(session, {.interval = 0s}, soon())).given; }

    refused_session_store store_{pool()};
    pace_store paces_{pool()};
};

TEST_F(RefusedSessionStore, KeepsTheFirstReason) {
    EXPECT_EQ(find("a"), std::nullopt);
    EXPECT_TRUE(add("a", "a challenge"));
    EXPECT_FALSE(add("a", "another reason"));
    EXPECT_EQ(find("a"), "a challenge");
    EXPECT_EQ(find("b"), std::nullopt);
}

TEST_F(RefusedSessionStore, LetsNoJobWaitForARefusedSession) {
    EXPECT_EQ(ask(), permit::status::now);
    add("a", "a challenge");
    EXPECT_EQ(ask(), permit::status::cooling_down);
    find("a");
    EXPECT_EQ(ask(), permit::status::cooling_down);
    find("b");
    EXPECT_EQ(ask(), permit::status::now);
}

TEST_F(RefusedSessionStore, KeepsACoolDownThatThePlatformBegan) {
    run(paces_.note(session, "DYexample01", outcome::throttled, {}, soon()));
    find("a");
    EXPECT_EQ(ask(), permit::status::cooling_down);
}

}  // namespace
}  // namespace reelsd::pacing
