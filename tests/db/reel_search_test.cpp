#include "support/test_database.hpp"
#include <reelsd/db/migrator.hpp>
#include <reelsd/domain/accounts/account_store.hpp>
#include <reelsd/domain/jobs/reel_search.hpp>
#include <reelsd/domain/jobs/transition.hpp>

#include <gmock/gmock.h>

#include <cstdint>
#include <future>
#include <optional>
#include <string>
#include <vector>

namespace reelsd::jobs {
namespace {

using test::database_test;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr db::query insert_query{"test.insert_done", R"sql(
    WITH made AS (
        INSERT INTO job (account_id, url, status, started_at, finished_at, result, code, author,
                         summary, analyzed_at)
        VALUES ($1, 'https://www.instagram.com/reel/' || $2 || '/', 'done', now(), now(), '{}', $2,
                'ann', 'About ' || $2, now())
        RETURNING id)
    SELECT id, add_search_entry($1, id, $3, $4, $5, $6) FROM made)sql"};
constexpr db::query delete_query{"test.delete", R"sql(DELETE FROM job WHERE id = $1)sql"};
// As releases before 0078 did, whose words are not in the form of searches.
constexpr db::query insert_earlier_query{"test.insert_earlier", R"sql(
    WITH made AS (
        INSERT INTO job (account_id, url, status, started_at, finished_at, result, code, author,
                         summary, analyzed_at)
        VALUES ($1, 'https://www.instagram.com/reel/' || $2 || '/', 'done', now(), now(), '{}', $2,
                'ann', '', now())
        RETURNING id)
    SELECT id, store_search_entry($1, id, ARRAY[$3], '{}', '{}', '') FROM made)sql"};
constexpr db::query left_query{"test.left", R"sql(
    SELECT (SELECT count(*) FROM search_document) + (SELECT count(*) FROM search_word)
         + (SELECT count(*) FROM search_concept) AS rows)sql"};

class ReelSearch : public database_test {
protected:
    void SetUp() override {
        database_test::SetUp();
        accounts::account_store accounts{pool()};
        ann_ = run(accounts.create("ann@example.com", accounts::role::member, soon())).value();
        bob_ = run(accounts.create("bob@example.com", accounts::role::member, soon())).value();
    }

    job_id add(account_id owner, const std::string& code, const search_entry& entry) {
        const auto added = run(pool().run(
            soon(),
            insert_query,
            owner,
            code,
            entry.words,
            entry.concepts,
            entry.concept_weights,
            entry.passages));
        return added.one().as<job_id>("id");
    }

    /// Options of a pool for a transaction in another session.
    db::pool_options one_connection() {
        db::pool_options options;
        options.connection_string = connection_string();
        options.connections = 1;
        return options;
    }

    std::vector<search_hit> hits(account_id caller, search_request request) {
        if (!search_) search_.emplace(pool());
        return run(search_->find(caller, std::move(request), soon()));
    }
    std::vector<std::string> codes(account_id caller, search_request request) {
        std::vector<std::string> found;
        for (const auto& hit : hits(caller, std::move(request))) found.push_back(hit.brief.code);
        return found;
    }

    account_id ann_;
    account_id bob_;
    std::optional<reel_search> search_;  ///< Of the whole test, as in a daemon.
};

TEST_F(ReelSearch, FindsAWordInAnyForm) {
    add(ann_, "bread", {.words = {"Baking sourdough loaves", "", "knead the dough", ""}});
    add(ann_, "dogs", {.words = {"Training puppies", "", "good dog", ""}});
    EXPECT_THAT(codes(ann_, {.text = "a loaf, baked"}), ElementsAre("bread"));
    EXPECT_THAT(codes(ann_, {.text = "PUPPY"}), ElementsAre("dogs"));
    EXPECT_THAT(codes(ann_, {.text = "submarine"}), IsEmpty());
}

// Goal: another analysis that says less does not hide the one that matches.
TEST_F(ReelSearch, OfSeveralAnalysesOfAPostTheBestIsAHit) {
    const auto best =
        add(ann_, "bread", {.words = {"sourdough sourdough sourdough"}, .passages = "best"});
    add(ann_, "bread", {.words = {"sourdough and other loaves of bread"}});
    add(ann_, "rolls", {.words = {"rolls with a little sourdough"}});
    add(bob_, "bread", {.words = {"sourdough"}});
    const auto found = hits(ann_, {.text = "sourdough"});
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].id, best);
    EXPECT_EQ(found[0].passages, "best");
    EXPECT_EQ(found[0].score, hits(ann_, {.text = "sourdough", .hits_max = 1})[0].score);
    EXPECT_EQ(found[1].brief.code, "rolls");
    EXPECT_GT(found[0].score, found[1].score);
    EXPECT_THAT(codes(ann_, {.text = "sourdough", .hits_max = 2}), ElementsAre("bread", "rolls"));

    const auto newest = add(ann_, "rolls", {.words = {"rolls with a little sourdough"}});
    EXPECT_EQ(hits(ann_, {.text = "sourdough"})[1].id, newest) << "of equal ones";
}

TEST_F(ReelSearch, AHitHasTheFieldsOfAListAndPassages) {
    const auto id = add(ann_, "bread", {.words = {"sourdough"}, .passages = "as it was written"});
    const auto found = hits(ann_, {.text = "sourdough"});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].id, id);
    EXPECT_EQ(found[0].url, "https://www.instagram.com/reel/bread/");
    EXPECT_EQ(found[0].brief.code, "bread");
    EXPECT_EQ(found[0].brief.author, "ann");
    EXPECT_EQ(found[0].brief.summary, "About bread");
    EXPECT_EQ(found[0].passages, "as it was written");
    EXPECT_GT(found[0].score, 0);
    EXPECT_LE(found[0].score, 1);
}

TEST_F(ReelSearch, FindsByConceptsWithoutASharedWord) {
    add(ann_, "bread", {.words = {"loaf"}, .concepts = {7, 9}, .concept_weights = {0.8, 0.6}});
    add(ann_, "toast", {.words = {"slice"}, .concepts = {7, 8}, .concept_weights = {0.3, 0.95}});
    add(ann_, "dogs", {.words = {"puppy"}, .concepts = {5}, .concept_weights = {1.0}});
    EXPECT_THAT(
        codes(ann_, {.text = "bakery", .concepts = {7}, .concept_weights = {1.0}}),
        ElementsAre("bread", "toast"));
}

TEST_F(ReelSearch, BothRankingsTogetherAreBetterThanEither) {
    add(ann_, "both", {.words = {"bread"}, .concepts = {7}, .concept_weights = {0.9}});
    add(ann_, "words", {.words = {"bread bread bread"}});
    add(ann_, "meaning", {.words = {"loaf"}, .concepts = {7}, .concept_weights = {1.0}});
    const auto found = hits(ann_, {.text = "bread", .concepts = {7}, .concept_weights = {1.0}});
    ASSERT_EQ(found.size(), 3U);
    EXPECT_EQ(found[0].brief.code, "both");
    EXPECT_GE(found[0].score, found[1].score);
    EXPECT_GE(found[1].score, found[2].score);
}

// Goal: one chance word of many does not outrank a reel with the meaning of the query.
TEST_F(ReelSearch, ACoincidentalWordCountsLittle) {
    add(ann_, "chance", {.words = {"people in the office"}});
    add(ann_, "meant", {.words = {"loaf"}, .concepts = {7}, .concept_weights = {1.0}});
    for (int i = 0; i < 5; ++i) add(ann_, "other", {.words = {"nothing else"}});
    const auto found = codes(
        ann_, {.text = "how people bake rye and wheat", .concepts = {7}, .concept_weights = {1.0}});
    EXPECT_THAT(found, ElementsAre("meant", "chance"));
}

TEST_F(ReelSearch, RareWordsCountMore) {
    for (int i = 0; i < 8; ++i) add(ann_, "common", {.words = {"recipe recipe with onion"}});
    add(ann_, "rare", {.words = {"saffron recipe"}});
    EXPECT_EQ(
        codes(ann_, {.text = "recipe saffron", .hits_max = 1}), std::vector{std::string{"rare"}});
}

TEST_F(ReelSearch, EarlierTextsCountMore) {
    add(ann_, "aside", {.words = {"", "", "", "sailing"}});
    add(ann_, "about", {.words = {"sailing", "", "", ""}});
    EXPECT_THAT(codes(ann_, {.text = "sailing"}), ElementsAre("about", "aside"));
}

TEST_F(ReelSearch, AnAccountFindsOnlyItsOwnReels) {
    add(bob_, "bobs", {.words = {"sourdough"}, .concepts = {7}, .concept_weights = {1.0}});
    const search_request request{.text = "sourdough", .concepts = {7}, .concept_weights = {1.0}};
    EXPECT_THAT(codes(ann_, request), IsEmpty());
    EXPECT_THAT(codes(bob_, request), ElementsAre("bobs"));
}

TEST_F(ReelSearch, ConsidersOnlyReelsThatTheFilterSelects) {
    static constexpr db::query change{"test.change", R"sql(
        UPDATE job SET author = $2, created_at = to_timestamp($3) WHERE id = $1)sql"};
    for (const int hour : {1, 2, 3}) {
        const auto id = add(ann_, std::to_string(hour), {.words = {"sourdough"}});
        run(pool().run(soon(), change, id, hour == 2 ? "Zoë" : "ann", hour * 3600.0));
    }
    const auto found = [&](search_filter filter) {
        return codes(ann_, {.text = "sourdough", .filter = std::move(filter)});
    };
    const auto at = [](int hour) { return time_point{std::chrono::hours{hour}}; };
    EXPECT_THAT(found({}), ElementsAre("3", "2", "1"));
    EXPECT_THAT(found({.author = "zoë"}), ElementsAre("2"));
    EXPECT_THAT(found({.author = "zo"}), IsEmpty());
    EXPECT_THAT(found({.created_from = at(2)}), ElementsAre("3", "2"));
    EXPECT_THAT(found({.created_before = at(2)}), ElementsAre("1"));
    EXPECT_THAT(
        found({.author = "ANN", .created_from = at(2), .created_before = at(4)}), ElementsAre("3"));
    EXPECT_THAT(found({.tag = "bread"}), IsEmpty());
}

TEST_F(ReelSearch, FindsReelsOfTheFilterBehindManyOthers) {
    static constexpr db::query fill{"test.fill", R"sql(
        WITH made AS (
            INSERT INTO job (account_id, url, status, started_at, finished_at, result, code, author,
                             summary, analyzed_at)
            SELECT $1, 'https://www.instagram.com/reel/fill' || number, 'done', now(), now(), '{}',
                   'fill' || number, 'bob', '', now()
              FROM generate_series(1, $2) AS number RETURNING id)
        SELECT count(add_search_entry($1, id, ARRAY['sourdough'], ARRAY[7], ARRAY[1.0], ''))
          FROM made)sql"};
    add(ann_, "old", {.words = {"sourdough"}, .concepts = {7}, .concept_weights = {1.0}});
    run(pool().run(soon(), fill, ann_, 1000));
    const auto found = [&](search_request request) {
        request.filter = {.author = "ann"};
        return codes(ann_, std::move(request));
    };
    EXPECT_THAT(found({.text = "sourdough"}), ElementsAre("old"));
    EXPECT_THAT(found({.text = "", .concepts = {7}, .concept_weights = {1.0}}), ElementsAre("old"));
}

TEST_F(ReelSearch, ConsidersOneReelAndItsWords) {
    const auto first = add(ann_, "first", {.words = {"fresh pasta, fresh pasta"}});
    const auto second = add(ann_, "second", {.words = {"fresh fish", "", "", "baking pasta"}});
    EXPECT_THAT(
        codes(ann_, {.text = "fresh pasta", .filter = {.reel = second}}), ElementsAre("second"));
    const auto has = [&](account_id caller, job_id reel, const std::string& text) {
        return run(search_->has_all_words(caller, reel, text, soon()));
    };
    EXPECT_TRUE(has(ann_, second, "the fresh pastas"));
    EXPECT_FALSE(has(ann_, first, "fresh fish"));
    EXPECT_FALSE(has(ann_, first, "the"));
    EXPECT_FALSE(has(ann_, first, ""));
    EXPECT_FALSE(has(bob_, first, "fresh pasta"));
}

TEST_F(ReelSearch, ReturnsAtMostTheRequestedNumber) {
    for (const char* code : {"a", "b", "c", "d", "e"}) add(ann_, code, {.words = {"sourdough"}});
    EXPECT_EQ(hits(ann_, {.text = "sourdough", .hits_max = 3}).size(), 3U);
    EXPECT_EQ(hits(ann_, {.text = "sourdough", .hits_max = 50}).size(), 5U);
}

TEST_F(ReelSearch, ADeletedReelLeavesNothingInTheIndex) {
    const auto id =
        add(ann_, "bread", {.words = {"sourdough"}, .concepts = {7}, .concept_weights = {1.0}});
    run(pool().run(soon(), delete_query, id));
    EXPECT_THAT(
        codes(ann_, {.text = "sourdough", .concepts = {7}, .concept_weights = {1.0}}), IsEmpty());
    const auto left = run(pool().run(soon(), left_query));
    EXPECT_EQ(left.one().as<std::int64_t>("rows"), 0);
}

// The daemon keeps postings of earlier searches. Goal: each search finds what was indexed before
// it.
TEST_F(ReelSearch, ASearchFindsReelsThatEndedAfterAnEarlierOne) {
    add(ann_, "first", {.words = {"sourdough"}, .concepts = {7}, .concept_weights = {1.0}});
    const search_request request{
        .text = "sourdough", .concepts = {7, 8}, .concept_weights = {0.8, 0.6}};
    EXPECT_THAT(codes(ann_, request), ElementsAre("first"));
    const auto second = add(ann_, "second", {.words = {"sourdough"}});
    EXPECT_THAT(codes(ann_, request), ElementsAre("first", "second"));
    EXPECT_THAT(codes(ann_, request), ElementsAre("first", "second"));
    add(ann_, "third", {.concepts = {8}, .concept_weights = {1.0}});
    EXPECT_THAT(codes(ann_, request), ElementsAre("first", "second", "third"));
    run(pool().run(soon(), delete_query, second));
    EXPECT_THAT(codes(ann_, request), ElementsAre("first", "third"));
    EXPECT_THAT(codes(bob_, request), IsEmpty());
}

// The daemon keeps reels of earlier hits. Goal: each search shows them as they are.
TEST_F(ReelSearch, AHitShowsChangesAfterAnEarlierSearch) {
    add(ann_, "bread", {.words = {"sourdough"}});
    const auto again = add(ann_, "again", {.words = {"sourdough"}});
    const search_request request{.text = "sourdough"};
    ASSERT_EQ(hits(ann_, request).size(), 2U);
    const db::query change{"test.change", R"sql(
        UPDATE job SET summary = 'Another', url = 'https://www.instagram.com/reel/bread/',
                       code = 'bread' WHERE id = $1)sql"};
    run(pool().run(soon(), change, again));
    for (int search = 1; search <= 2; ++search) {
        SCOPED_TRACE(search);
        const auto found = hits(ann_, request);
        ASSERT_EQ(found.size(), 1U) << "two analyses of one post";
        EXPECT_EQ(found[0].id, again);
        EXPECT_EQ(found[0].brief.summary, "Another");
    }
}

// Goal: a transaction that began before the search of another reel, and ended after it, is not
// missed. Method: a second session whose transaction stays open.
TEST_F(ReelSearch, ASearchFindsReelsOfTransactionsThatEndLater) {
    static constexpr db::query begin{"test.begin", "BEGIN"};
    static constexpr db::query commit{"test.commit", "COMMIT"};
    db::pool other{loop().context().get_executor(), one_connection(), log::logger::silent()};
    other.start();
    const auto slow = [&](const std::string& code) {
        run(other.run(
            soon(),
            insert_query,
            ann_,
            code,
            std::vector<std::string>{"sourdough"},
            std::vector<std::int32_t>{},
            std::vector<double>{},
            ""));
    };
    run(other.run(soon(), begin));
    slow("slow");
    add(ann_, "quick", {.words = {"sourdough"}});
    EXPECT_THAT(codes(ann_, {.text = "sourdough"}), ElementsAre("quick"));
    add(ann_, "later", {.words = {"sourdough"}});
    EXPECT_THAT(codes(ann_, {.text = "sourdough"}), ElementsAre("later", "quick"));
    run(other.run(soon(), commit));
    EXPECT_THAT(codes(ann_, {.text = "sourdough"}), ElementsAre("later", "quick", "slow"));
}

// Goal: the same when a transaction stays open while many reels are indexed, all of which remain
// recent.
TEST_F(ReelSearch, ASearchFindsTheNewestOfManyReelsBesideAnOpenTransaction) {
    static constexpr db::query begin{"test.begin", "BEGIN"};
    static constexpr db::query write{"test.take_xid", "SELECT pg_current_xact_id()::text"};
    db::pool other{loop().context().get_executor(), one_connection(), log::logger::silent()};
    other.start();
    run(other.run(soon(), begin));
    run(other.run(soon(), write));
    for (int i = 0; i < 101; ++i) add(ann_, "many", {.words = {"sourdough"}});
    EXPECT_THAT(codes(ann_, {.text = "sourdough"}), ElementsAre("many"));
    add(ann_, "newest", {.words = {"sourdough"}});
    EXPECT_THAT(codes(ann_, {.text = "sourdough"}), ElementsAre("newest", "many"));
}

TEST_F(ReelSearch, WithoutRoomForPostingsSearchesFindTheSame) {
    search_.emplace(pool(), 0);
    add(ann_, "bread", {.words = {"sourdough"}});
    EXPECT_THAT(codes(ann_, {.text = "sourdough"}), ElementsAre("bread"));
    EXPECT_THAT(codes(ann_, {.text = "sourdough"}), ElementsAre("bread"));
}

// Goal: a daemon of the previous release stores its last reels while a newer one serves searches.
// Both find them.
TEST_F(ReelSearch, FindsWordsOfThePreviousRelease) {
    const std::string text =
        "Crème brûlée in der Straße, smørrebrød 2024年. Hafermilch/Dinkelmehl 3.5 可愛い猫の動画";
    run(pool().run(soon(), insert_earlier_query, ann_, "both", text));
    for (const char* const word :
         {"brulee",
          "strasse",
          "smorrebrod",
          "年",
          "dinkelmehl",
          "3.5",
          "猫",
          "可愛 愛い い猫",
          "brûlée"}) {
        EXPECT_THAT(codes(ann_, {.text = word}), ElementsAre("both")) << word;
    }
    for (const char* const word : {"3", "5", "の", "4年"})
        EXPECT_THAT(codes(ann_, {.text = word}), IsEmpty()) << word;
}

TEST_F(ReelSearch, AddsTheFormOfSearchesToWordsOfEarlierReels) {
    add(ann_, "accents", {.words = {"brûlée"}});
    add(ann_, "plain", {.words = {"brulee"}});
    EXPECT_THAT(codes(ann_, {.text = "brulee"}), ElementsAre("plain"));
    for (int reel = 1; reel <= 2; ++reel) EXPECT_TRUE(run(search_->add_earlier_word_forms(soon())));
    EXPECT_FALSE(run(search_->add_earlier_word_forms(soon())));
    EXPECT_THAT(codes(ann_, {.text = "brulee"}), ElementsAre("plain", "accents"));
    EXPECT_THAT(codes(ann_, {.text = "brûlée"}), ElementsAre("accents"));

    add(ann_, "later", {.words = {"brûlée"}});
    EXPECT_FALSE(run(search_->add_earlier_word_forms(soon()))) << "once";
    EXPECT_THAT(codes(ann_, {.text = "brûlée"}), ElementsAre("later", "accents"));
}

TEST_F(ReelSearch, AddsTheFormOfSearchesToWordsOfOtherScripts) {
    constexpr std::pair<const char*, const char*> cases[] = {
        {"ёлка", "елка"},
        {"йогурт", "йогурт"},
        {"καλημέρας", "καλημερασ"},
        {"مَرْحَبًا", "مرحبا"},
        {"أهـــلا", "اهلا"}};
    for (const auto& [word, form] : cases) add(ann_, word, {.words = {word}});
    search_.emplace(pool());
    while (run(search_->add_earlier_word_forms(soon()))) continue;
    for (const auto& [word, form] : cases)
        EXPECT_THAT(codes(ann_, {.text = form}), ElementsAre(word));
    EXPECT_THAT(codes(ann_, {.text = "иогурт"}), IsEmpty());
}

// Goal: neither the deletion nor the addition of forms fails.
TEST_F(ReelSearch, AReelMayBeDeletedWhileFormsAreAdded) {
    static constexpr db::query begin{"test.begin", "BEGIN"};
    static constexpr db::query commit{"test.commit", "COMMIT"};
    static constexpr db::query waiting{
        "test.waiting",
        "SELECT count(*) AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock'"};
    const auto id = add(ann_, "bread", {.words = {"brûlée"}});
    db::pool other{loop().context().get_executor(), one_connection(), log::logger::silent()};
    other.start();
    run(other.run(soon(), begin));
    run(other.run(soon(), delete_query, id));
    auto added = std::async(std::launch::async, [this] {
        return db::run_script(connection_string(), "SELECT add_earlier_word_forms()", soon());
    });
    const auto by = soon();
    const auto is_waiting = [&] {
        const auto counted = run(pool().run(soon(), waiting));
        return counted.one().as<std::int64_t>("n") > 0;
    };
    while (!is_waiting()) ASSERT_FALSE(by.passed());
    run(other.run(soon(), commit));
    const auto done = added.get();
    EXPECT_TRUE(done) << done.error().to_string();
    const auto left = run(pool().run(soon(), left_query));
    EXPECT_EQ(left.one().as<std::int64_t>("rows"), 0);
}

// Goal: many analyses of few posts still give as many hits as there are posts.
TEST_F(ReelSearch, ManyAnalysesOfAPostLeaveRoomForOthers) {
    for (int i = 0; i < 9; ++i) add(ann_, "bread", {.words = {"sourdough sourdough"}});
    add(ann_, "rolls", {.words = {"rolls with sourdough"}});
    EXPECT_THAT(codes(ann_, {.text = "sourdough", .hits_max = 2}), ElementsAre("bread", "rolls"));
}

// Goal: no text of a client is an error. Method: texts that resemble operators, weights, quoting,
// stop words, other languages, broken tags, very long words.
TEST_F(ReelSearch, HostileQueriesAreNotErrors) {
    add(ann_, "bread", {.words = {"sourdough pan casero 酵母 хлеб"}});
    const std::string texts[] = {
        "sourdough & | ! <-> :*",
        "'sourdough''",
        R"("unbalanced)",
        "(((",
        ":A",
        "\\",
        "$1; DROP",
        "the of and",
        "🍞🍞",
        "хлеб",
        "酵母",
        "%_%",
        "<b>sourdough</b>",
        "a@b.c http://x.y/z?q=1",
        std::string(500, 'x'),
        std::string(500, '\''),
        "\x01\x02",
        "-1e400",
        "NULL",
        "{a,b}"};
    for (const auto& text : texts) {
        SCOPED_TRACE(text);
        EXPECT_LE(hits(ann_, {.text = text}).size(), 1U);
    }
    EXPECT_THAT(codes(ann_, {.text = "хлеб"}), ElementsAre("bread"));
    EXPECT_THAT(codes(ann_, {.text = "'sourdough''"}), ElementsAre("bread"));
}

TEST_F(ReelSearch, LongAndHostileReelsAreStored) {
    std::string many = "beacon beacon beacon ";
    for (int i = 0; i < 20'000; ++i) many += "w" + std::to_string(i) + ' ';
    add(ann_, "many", {.words = {many, many.substr(0, 50'000), std::string(80'000, 'y'), "'\\\""}});
    add(ann_, "empty", {.words = {}});
    EXPECT_THAT(codes(ann_, {.text = "beacons"}), ElementsAre("many"));
}

}  // namespace
}  // namespace reelsd::jobs
