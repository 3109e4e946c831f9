#include "support/test_database.hpp"
#include <reelsd/domain/pacing/pace_store.hpp>

#include <gmock/gmock.h>

namespace reelsd::pacing {
namespace {

using namespace std::chrono_literals;
using test::database_test;

/// Moves all times in the table into the past, as if this much time had passed.
constexpr db::query pass_query{"test.pass", R"sql(
    UPDATE resolver_pace
       SET next_at = next_at - make_interval(secs => $1),
           busy_until = busy_until - make_interval(secs => $1),
           hour_at = hour_at - make_interval(secs => $1),
           cooldown_until = cooldown_until - make_interval(secs => $1),
           suspect_at = suspect_at - make_interval(secs => $1),
           answered_at = answered_at - make_interval(secs => $1),
           warned_at = warned_at - make_interval(secs => $1))sql"};

const paced_resolver page{.host = "www.instagram.com", .resolver = "page"};
const paced_resolver embed{.host = "www.instagram.com", .resolver = "embed"};

class PaceStore : public test::database_test {
protected:
    permit ask(const paced_resolver& who = page) { return run(store_.ask(who, pace_, soon())); }
    consequence note(
        outcome ended, const paced_resolver& who = page, std::string code = "DYexample01") {
        return run(store_.note(who, std::move(code), ended, pace_, soon()));
    }
    std::optional<seconds_f> cooldown_after(outcome ended, std::string code) {
        return note(ended, page, std::move(code)).cooldown;
    }
    void pass(seconds_f time) { run(pool().run(soon(), pass_query, time.count())); }

    pace_store store_{pool()};
    pace pace_;
};

TEST_F(PaceStore, GrantsOnePermitPerInterval) {
    EXPECT_EQ(ask().given, permit::status::now);
    note(outcome::answered);
    const auto early = ask();
    EXPECT_EQ(early.given, permit::status::later);
    EXPECT_GT(early.wait, 1s);
    EXPECT_LE(early.wait, 8s);
    // Another resolver has its own rate limit, and so has another host.
    EXPECT_EQ(ask(embed).given, permit::status::now);
    EXPECT_EQ(ask({.host = "127.0.0.1", .resolver = "page"}).given, permit::status::now);
    pass(8s);
    EXPECT_EQ(ask().given, permit::status::now);
}

TEST_F(PaceStore, GrantsNoConcurrentPermits) {
    EXPECT_EQ(ask().given, permit::status::now);
    pass(59s);
    const auto during_try = ask();
    EXPECT_EQ(during_try.given, permit::status::later);
    EXPECT_GT(during_try.wait, 0s);
    EXPECT_LE(during_try.wait, 1s);
    // A try that was never reported does not block others any longer.
    pass(2s);
    EXPECT_EQ(ask().given, permit::status::now);
}

TEST_F(PaceStore, LimitsTriesPerHourAndRefills) {
    pace_.tries_per_hour = 3;
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(ask().given, permit::status::now) << i;
        note(outcome::answered);
        pass(8s);
    }
    const auto spent = ask();
    EXPECT_EQ(spent.given, permit::status::later);
    EXPECT_GT(spent.wait, 1150s);
    EXPECT_LE(spent.wait, 1200s);
    pass(1200s);
    EXPECT_EQ(ask().given, permit::status::now);
}

TEST_F(PaceStore, WithoutAnIntervalGrantsEveryPermit) {
    pace_.interval = 0s;
    pace_.tries_per_hour = 1;
    for (int i = 0; i < 5; ++i) EXPECT_EQ(ask().given, permit::status::now);
}

TEST_F(PaceStore, DoublesCooldownsUpToTheMaximumUntilAnAnswer) {
    pace_.interval = 0s;
    for (const auto length : {900s, 1800s, 3600s, 7200s, 14400s, 28800s, 43200s, 43200s}) {
        EXPECT_EQ(note(outcome::throttled).cooldown, seconds_f{length});
        // Concurrent tries with the same outcome do not extend it.
        EXPECT_EQ(note(outcome::throttled).cooldown, std::nullopt);
        const auto refused = ask();
        EXPECT_EQ(refused.given, permit::status::cooling_down);
        EXPECT_GT(refused.wait, length - 60s);
        EXPECT_LE(refused.wait, length);
        EXPECT_EQ(ask(embed).given, permit::status::now);
        pass(length);
        EXPECT_EQ(ask().given, permit::status::now);
        // No change.
        note(outcome::failed);
    }
    note(outcome::answered);
    EXPECT_EQ(note(outcome::throttled).cooldown, seconds_f{900s});
}

TEST_F(PaceStore, AnAmbiguousRefusalNeedsASecondLink) {
    EXPECT_EQ(cooldown_after(outcome::rate_limited, "first"), std::nullopt);
    EXPECT_EQ(cooldown_after(outcome::rate_limited, "first"), std::nullopt);
    EXPECT_EQ(ask().given, permit::status::now);
    EXPECT_EQ(cooldown_after(outcome::rate_limited, "second"), seconds_f{900s});
    EXPECT_EQ(ask().given, permit::status::cooling_down);
    pass(900s);
    // The next cool-down needs two links again, and is twice as long.
    EXPECT_EQ(cooldown_after(outcome::rate_limited, "second"), std::nullopt);
    EXPECT_EQ(cooldown_after(outcome::rate_limited, "first"), seconds_f{1800s});
}

TEST_F(PaceStore, ASuspicionEndsWithAnAnswerOrAfterTenMinutes) {
    EXPECT_EQ(cooldown_after(outcome::rate_limited, "first"), std::nullopt);
    note(outcome::answered, page, "second");
    EXPECT_EQ(cooldown_after(outcome::rate_limited, "third"), std::nullopt);
    pass(601s);
    EXPECT_EQ(cooldown_after(outcome::rate_limited, "fourth"), std::nullopt);
    // Other outcomes do not end it, and each resolver has its own.
    note(outcome::failed, page, "fifth");
    EXPECT_EQ(note(outcome::rate_limited, embed, "sixth").cooldown, std::nullopt);
    EXPECT_EQ(cooldown_after(outcome::rate_limited, "seventh"), seconds_f{900s});
}

TEST_F(PaceStore, WithoutCooldownsIgnoresThem) {
    pace_.interval = 0s;
    note(outcome::throttled);
    EXPECT_EQ(ask().given, permit::status::cooling_down);
    pace_.cooldown_first = 0s;
    EXPECT_EQ(ask().given, permit::status::now);
    pass(900s);
    EXPECT_EQ(note(outcome::throttled).cooldown, std::nullopt);
}

TEST_F(PaceStore, WarnsOnceAnHourAboutAResolverThatUsedToWork) {
    // It never worked: a wrong set-up, not a change of the platform.
    for (int i = 0; i < 5; ++i) EXPECT_FALSE(note(outcome::changed).warn);
    note(outcome::answered);
    EXPECT_FALSE(note(outcome::changed).warn);
    EXPECT_FALSE(note(outcome::changed).warn);
    // Other outcomes change nothing.
    EXPECT_FALSE(note(outcome::failed).warn);
    EXPECT_FALSE(note(outcome::throttled).warn);
    const auto third = note(outcome::changed);
    EXPECT_TRUE(third.warn);
    EXPECT_EQ(third.unknown_answers, 3);
    EXPECT_FALSE(note(outcome::changed).warn);
    pass(3600s);
    EXPECT_TRUE(note(outcome::changed).warn);
    note(outcome::answered);
    pass(3600s);
    EXPECT_FALSE(note(outcome::changed).warn);
}

TEST_F(PaceStore, ListsTheStateOfEachResolver) {
    EXPECT_TRUE(run(store_.list(page.host, soon())).empty());
    note(outcome::answered);
    note(outcome::changed);
    note(outcome::throttled, embed);
    const auto all = run(store_.list(page.host, soon()));
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].resolver, "embed");
    EXPECT_GT(all[0].cooldown_left, 800s);
    EXPECT_FALSE(all[0].answered_at);
    EXPECT_EQ(all[1].resolver, "page");
    EXPECT_EQ(all[1].cooldown_left, 0s);
    EXPECT_EQ(all[1].unknown_answers, 1);
    EXPECT_TRUE(all[1].answered_at);
}

}  // namespace
}  // namespace reelsd::pacing
