// Goal: each new reel is compared with its account's saved searches, and each match is reported
// once, by webhook and by chat.
#include "job_store_fixture.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/db/pool.hpp>
#include <reelsd/domain/searches/saved_search_store.hpp>
#include <reelsd/domain/webhooks/webhook_store.hpp>

#include <gmock/gmock.h>

#include <string>

namespace reelsd::searches {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr db::query end_leases_query{"test.end_leases", "UPDATE search_check SET due_at = now()"};
constexpr db::query add_bot_query{"test.add_bot", R"sql(
    INSERT INTO chat_bot (id) VALUES (7))sql"};
constexpr db::query link_chat_query{"test.link_chat", R"sql(
    INSERT INTO linked_chat (chat_id, account_id, kind, name)
    VALUES (99, $1, 'private', 'Ann'))sql"};
constexpr db::query chat_texts_query{"test.chat_texts", R"sql(
    SELECT coalesce(string_agg(parts[1], '; '), '') AS texts
      FROM chat_message WHERE chat_id = 99)sql"};

class SavedSearches : public jobs::job_store_test {
protected:
    result<saved_search> save(account_id owner, std::string name) {
        saved_search search;
        search.name = std::move(name);
        search.query = "pasta";
        return run(searches_.add(owner, std::move(search), soon()));
    }
    job_id done_reel(account_id owner) {
        const auto id = submitted(owner);
        const auto held = claimed(1).at(0);
        EXPECT_TRUE(run(queue_.report(
            jobs::job_store_test::lease_of(held), jobs::completed{.result = "{}"}, soon())));
        return id;
    }
    std::vector<pending_check> claim() { return run(searches_.claim(10, 60s, soon())); }

    saved_search_store searches_{pool()};
    webhooks::webhook_store settings_{pool()};
    webhooks::delivery_store deliveries_{pool()};
};

TEST_F(SavedSearches, BelongToTheirAccount) {
    const auto first = save(ann_, "Pasta").value();
    EXPECT_TRUE(save(bob_, "Pasta"));
    EXPECT_EQ(save(ann_, "Pasta").error().detail(), "another saved search has this name");
    const auto listed = run(searches_.list(ann_, soon()));
    ASSERT_THAT(listed, SizeIs(1));
    EXPECT_EQ(listed[0].id, first.id);
    EXPECT_EQ(listed[0].query, "pasta");
    EXPECT_EQ(listed[0].min_score, 0.5);
    EXPECT_EQ(listed[0].created_at, first.created_at);
    EXPECT_FALSE(run(searches_.remove(bob_, first.id, soon())));
    EXPECT_TRUE(run(searches_.remove(ann_, first.id, soon())));
    EXPECT_FALSE(run(searches_.remove(ann_, first.id, soon())));
}

TEST_F(SavedSearches, AreBounded) {
    for (int number = 0; number < searches_max; ++number)
        EXPECT_TRUE(save(ann_, std::to_string(number)));
    EXPECT_EQ(save(ann_, "more").error().detail(), "limit of 20 saved searches reached");
    EXPECT_TRUE(save(bob_, "more"));
}

TEST_F(SavedSearches, NewReelsOfTheirAccountAreCompared) {
    static_cast<void>(done_reel(ann_));
    EXPECT_TRUE(save(ann_, "Pasta"));
    EXPECT_THAT(claim(), IsEmpty()) << "only reels that are done from now on";
    static_cast<void>(done_reel(bob_));
    const auto reel = done_reel(ann_);
    const auto checks = claim();
    ASSERT_THAT(checks, SizeIs(1));
    EXPECT_EQ(checks[0].reel, reel);
    EXPECT_EQ(checks[0].account, ann_);
    EXPECT_THAT(claim(), IsEmpty()) << "another daemon compares it";
    run(pool().run(soon(), end_leases_query));
    EXPECT_THAT(claim(), SizeIs(1)) << "that daemon has died";
}

TEST_F(SavedSearches, MatchesAreReportedOnce) {
    run(settings_.set_url(ann_, "https://ann.test/", soon()));
    run(pool().run(soon(), add_bot_query));
    run(pool().run(soon(), link_chat_query, ann_));
    const auto pasta = save(ann_, "Pasta").value();
    const auto bread = save(ann_, "Bread").value();
    const auto foreign = save(bob_, "Pasta").value();
    const auto reel = done_reel(ann_);
    ASSERT_THAT(claim(), SizeIs(1));
    const std::vector<search_match> matches{
        {pasta.id, 0.71234, "found <b>pasta</b>"}, {foreign.id, 0.9, "not theirs"}};
    EXPECT_EQ(run(searches_.finish(reel, matches, soon())), 1);
    EXPECT_EQ(run(searches_.finish(reel, matches, soon())), 0) << "the comparison has ended";
    EXPECT_THAT(claim(), IsEmpty());
    const auto texts = run(pool().run(soon(), chat_texts_query));
    EXPECT_EQ(texts.one().as<std::string>("texts"), "found <b>pasta</b>");

    const auto claimed_now = run(deliveries_.claim({.deliveries_max = 10}, soon()));
    ASSERT_THAT(claimed_now, SizeIs(2)) << "the end of the job and the match";
    const auto& match = claimed_now[0].match ? claimed_now[0] : claimed_now[1];
    EXPECT_EQ(match.url, "https://ann.test/");
    const auto body = json::parse(webhooks::delivery_body(match));
    EXPECT_EQ(body["type"], "search.matched");
    EXPECT_EQ(
        body["search"], json({{"id", pasta.id.value}, {"name", "Pasta"}, {"query", "pasta"}}));
    EXPECT_EQ(body["score"], 0.7123);
    EXPECT_EQ(body["reel"]["id"], reel.value);
    EXPECT_EQ(body["reel"]["status"], "done");

    const auto log = run(deliveries_.list(ann_, {.deliveries_max = 10}, soon())).deliveries;
    ASSERT_THAT(log, SizeIs(2));
    EXPECT_EQ(log[0].job, reel);
    EXPECT_EQ(log[0].search, pasta.id.value);
    EXPECT_EQ(log[1].search, std::nullopt);
    EXPECT_TRUE(run(deliveries_.redeliver(ann_, log[0].id, soon())));

    EXPECT_TRUE(run(searches_.remove(ann_, pasta.id, soon())));
    EXPECT_THAT(run(deliveries_.list(ann_, {.deliveries_max = 10}, soon())).deliveries, SizeIs(1));
    static_cast<void>(bread);
}

TEST_F(SavedSearches, MatchesGoToAnAddressThatReceivesThem) {
    const std::vector<std::string> only_ends{"done", "error"};
    run(settings_.set_url(ann_, "https://ann.test/", soon(), only_ends));
    const auto pasta = save(ann_, "Pasta").value();
    const auto reel = done_reel(ann_);
    ASSERT_THAT(claim(), SizeIs(1));
    EXPECT_EQ(run(searches_.finish(reel, {{pasta.id, 1.0, "x"}}, soon())), 1);
    const auto log = run(deliveries_.list(ann_, {.deliveries_max = 10}, soon())).deliveries;
    ASSERT_THAT(log, SizeIs(1));
    EXPECT_EQ(log[0].search, std::nullopt);
}

TEST_F(SavedSearches, ReelsAreDeletedWithTheirMatches) {
    run(settings_.set_url(ann_, "https://ann.test/", soon()));
    const auto pasta = save(ann_, "Pasta").value();
    const auto reel = done_reel(ann_);
    ASSERT_THAT(claim(), SizeIs(1));
    EXPECT_EQ(run(searches_.finish(reel, {{pasta.id, 1.0, "x"}}, soon())), 1);
    EXPECT_TRUE(run(store_.remove(ann_, reel, soon())));
    EXPECT_THAT(run(deliveries_.list(ann_, {.deliveries_max = 10}, soon())).deliveries, IsEmpty());
    const auto other = done_reel(ann_);
    EXPECT_TRUE(run(store_.remove(ann_, other, soon())));
    EXPECT_EQ(run(searches_.finish(other, {{pasta.id, 1.0, "x"}}, soon())), 0);
}

}  // namespace
}  // namespace reelsd::searches
