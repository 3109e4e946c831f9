// Goal: tags belong to an account's reels, are bounded, and lists and the export show them.
#include "job_store_fixture.hpp"
#include <reelsd/domain/jobs/tag_store.hpp>

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace reelsd::jobs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::SizeIs;

using words = std::vector<std::string>;

class TagStore : public job_store_test {
protected:
    result<void> replace(account_id owner, job_id reel, words tags) {
        return run(tags_.replace(owner, reel, std::move(tags), soon()));
    }
    std::vector<job_id> tagged(std::string tag, job_filter filter = {}) {
        filter.tag = std::move(tag);
        std::vector<job_id> ids;
        for (const auto& job : run(store_.list(ann_, filter, soon())).jobs) ids.push_back(job.id);
        return ids;
    }
    static words numbered(int count) {
        words tags;
        for (int number = 0; number < count; ++number) tags.push_back(std::to_string(number));
        return tags;
    }

    tag_store tags_{pool()};
};

TEST_F(TagStore, ReplacesTheTagsOfAnOwnReel) {
    const auto reel = submitted(ann_);
    ASSERT_TRUE(replace(ann_, reel, {"pasta", "to cook"}));
    ASSERT_TRUE(replace(ann_, reel, {"pasta", "a"}));
    EXPECT_THAT(run(tags_.find(ann_, reel, soon())), Optional(ElementsAre("a", "pasta")));
    EXPECT_EQ(replace(bob_, reel, {"b"}).error().code(), errc::not_found);
    EXPECT_FALSE(run(tags_.find(bob_, reel, soon())));
    ASSERT_TRUE(replace(ann_, reel, {}));
    EXPECT_THAT(run(tags_.find(ann_, reel, soon())), Optional(IsEmpty()));
}

TEST_F(TagStore, ChangesSeveralReelsOrNone) {
    const auto first = submitted(ann_);
    const auto second = submitted(ann_);
    const auto others = submitted(bob_);
    const auto change = [&](words added, words removed) {
        return run(tags_.change(
            ann_, {second, first, others}, std::move(added), std::move(removed), soon()));
    };
    EXPECT_EQ(change({"a", "b"}, {}).value(), 2);
    EXPECT_EQ(change({"c"}, {"a", "unknown"}).value(), 2);
    EXPECT_THAT(run(tags_.find(ann_, first, soon())), Optional(ElementsAre("b", "c")));
    EXPECT_THAT(run(tags_.find(bob_, others, soon())), Optional(IsEmpty()));
    ASSERT_TRUE(replace(ann_, first, numbered(tags_max)));
    EXPECT_EQ(change({"more"}, {}).error().code(), errc::invalid_argument);
    EXPECT_THAT(run(tags_.find(ann_, second, soon())), Optional(ElementsAre("b", "c")));
    EXPECT_EQ(change({"more"}, {"7"}).value(), 2) << "one is removed, so there is room";
}

TEST_F(TagStore, CountsTheTagsOfAnAccount) {
    ASSERT_TRUE(replace(ann_, submitted(ann_), {"b", "a"}));
    ASSERT_TRUE(replace(ann_, submitted(ann_), {"b"}));
    ASSERT_TRUE(replace(bob_, submitted(bob_), {"c"}));
    std::string text;
    for (const auto& known : run(tags_.list(ann_, soon())))
        text += known.tag + std::to_string(known.reels) + " ";
    EXPECT_EQ(text, "b2 a1 ");
}

TEST_F(TagStore, ListsAreFilteredAndShowDetails) {
    const auto first = submitted(ann_);
    const auto second = submitted(ann_);
    const auto third = submitted(ann_);
    for (const auto reel : {first, second}) ASSERT_TRUE(replace(ann_, reel, {"pasta"}));
    ASSERT_TRUE(replace(ann_, third, {"other"}));
    EXPECT_THAT(tagged("pasta"), ElementsAre(second, first));
    EXPECT_THAT(tagged("pasta", {.jobs_max = 1}), ElementsAre(second));
    EXPECT_THAT(tagged("pasta", {.before = second}), ElementsAre(first));
    EXPECT_THAT(tagged("pasta", {.status = job_status::done}), IsEmpty());
    EXPECT_THAT(tagged("pasta", {.latest = true}), ElementsAre(second)) << "the newest with it";
    const auto pending = run(store_.list(ann_, {.tag = "pasta"}, soon())).jobs;
    EXPECT_EQ(pending.at(0).place.value().position, 2);
    const completed ended{.result = "{}", .list_details = R"({"duration_seconds":2.5})"};
    ASSERT_TRUE(run(queue_.report(lease_of(claimed(1).at(0)), ended, soon())));
    const auto listed = run(store_.list(ann_, {.before = second, .details = true}, soon())).jobs;
    EXPECT_EQ(listed.at(0).details, R"("duration_seconds":2.5,"tags":["pasta"])");
    EXPECT_THAT(job_view(listed[0]), HasSubstr(R"(,"duration_seconds":2.5,"tags":["pasta"])"));
    EXPECT_TRUE(run(store_.remove(ann_, first, soon())));
    EXPECT_THAT(tagged("pasta"), ElementsAre(second));
    const auto page = run(store_.export_page(ann_, job_id{0}, third, 10, soon()));
    EXPECT_THAT(page.at(0).more, HasSubstr(R"("tags":["pasta"])"));
}

TEST_F(TagStore, EachListHasDetailsOnRequest) {
    const auto reel = submitted(ann_);
    ASSERT_TRUE(replace(ann_, reel, {"pasta"}));
    const auto expect_details = [&](const job_filter& filter) {
        auto asked = filter;
        asked.details = true;
        const auto without = run(store_.list(ann_, filter, soon())).jobs;
        const auto with = run(store_.list(ann_, asked, soon())).jobs;
        ASSERT_THAT(without, SizeIs(1));
        ASSERT_THAT(with, SizeIs(1));
        EXPECT_EQ(without[0].details, std::nullopt);
        EXPECT_EQ(with[0].details, R"("tags":["pasta"])");
    };
    expect_details({});
    expect_details({.status = job_status::pending});
    expect_details({.tag = "pasta"});
    expect_details({.post_of = reel});
    const completed ended{.result = "{}", .brief = {.code = "x", .author = "chef", .summary = ""}};
    ASSERT_TRUE(run(queue_.report(lease_of(claimed(1).at(0)), ended, soon())));
    expect_details({.author = "chef"});
}

TEST(Tag, IsStoredTrimmedAndInLowerCase) {
    EXPECT_EQ(tag_from("  To Cook ").value(), "to cook");
    EXPECT_EQ(tag_from("\xc3\x84PFEL").value(), "\xc3\x84pfel");
    EXPECT_TRUE(tag_from(std::string(40, 'a')));
    for (const auto& text :
         {std::string{},
          std::string{"  "},
          std::string(41, 'a'),
          std::string{"a,b"},
          std::string{"a\nb"},
          std::string{"\xff"}})
        EXPECT_FALSE(tag_from(text)) << text;
}

}  // namespace
}  // namespace reelsd::jobs
