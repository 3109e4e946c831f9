#include "job_store_fixture.hpp"
#include <reelsd/async/task_group.hpp>
#include <reelsd/domain/reels/caller_lookup.hpp>

#include <future>
#include <string>
#include <vector>

// Goal: many who ask at the same moment are answered as if each were alone. Method: real
// statements, all of one turn of the loop.
namespace reelsd::reels {
namespace {

using accounts::hash_of_token;
using jobs::link;
namespace asio = boost::asio;

class CallerLookup : public jobs::job_store_test {
protected:
    [[nodiscard]] accounts::token_hash token_of(account_id who, const std::string& name) {
        return hash_of_token(run(accounts_.create_token(who, name, soon())).value().token).value();
    }

    [[nodiscard]] std::future<caller_and_reel> asked(accounts::token_hash token, job_id reel) {
        return asio::co_spawn(
            loop().context(), callers_.find_with_reel(token, reel, soon()), asio::use_future);
    }

    [[nodiscard]] caller_and_reel got(std::future<caller_and_reel>& answer) {
        loop().wait_for(answer);
        return answer.get();
    }

    accounts::account_store accounts_{pool()};
    async::task_group tasks_{loop().context().get_executor(), [](auto, const auto&) { FAIL(); }};
    caller_lookup callers_{loop().context().get_executor(), tasks_, pool()};
};

TEST_F(CallerLookup, EachIsAnsweredAsIfAlone) {
    const auto ann = token_of(ann_, "a");
    const auto bob = token_of(bob_, "b");
    const auto revoked = token_of(ann_, "old");
    run(accounts_.revoke_token(ann_, "old", soon())).value();
    std::vector<job_id> anns;
    for (int i = 0; i < 20; ++i) anns.push_back(submitted(ann_));
    const auto bobs = submitted(bob_);

    std::vector<std::future<caller_and_reel>> answers;
    for (const auto id : anns) answers.push_back(asked(ann, id));
    auto of_bob = asked(bob, bobs);
    auto of_another = asked(bob, anns[0]);
    auto by_revoked = asked(revoked, anns[0]);
    auto by_nobody = asked(accounts::token_hash{}, anns[0]);
    auto of_none = asked(ann, job_id{1'000'000});
    const auto before = pool().metrics().at("jobs.submit").count;
    for (std::size_t at = 0; at < anns.size(); ++at) {
        const auto answer = got(answers[at]);
        ASSERT_TRUE(answer.caller && answer.reel);
        EXPECT_EQ(answer.caller->account, ann_);
        EXPECT_EQ(answer.reel->id, anns[at]);
        EXPECT_EQ(answer.reel->url, link);
    }
    EXPECT_EQ(got(of_bob).reel->id, bobs);
    const auto anothers = got(of_another);
    EXPECT_TRUE(anothers.caller);
    EXPECT_FALSE(anothers.reel) << "another's reel";
    EXPECT_FALSE(got(by_revoked).caller);
    const auto nobody = got(by_nobody);
    EXPECT_FALSE(nobody.caller || nobody.reel);
    EXPECT_FALSE(got(of_none).reel);
    EXPECT_EQ(pool().metrics().at("jobs.submit").count, before);
    EXPECT_EQ(pool().metrics().at("reels.find_with_callers").count, 1U) << "one for 25";
}

TEST_F(CallerLookup, WhatIsGoneIsGoneAtOnce) {
    const auto token = token_of(ann_, "a");
    const auto id = submitted(ann_);
    EXPECT_TRUE(run(callers_.find_with_reel(token, id, soon())).reel);
    EXPECT_TRUE(run(store_.remove(ann_, id, soon())));
    const auto found = run(callers_.find_with_reel(token, id, soon()));
    EXPECT_TRUE(found.caller);
    EXPECT_FALSE(found.reel);
    ASSERT_TRUE(run(accounts_.change(ann_, {.disabled = true}, soon())));
    EXPECT_FALSE(run(callers_.find(token, soon())));
}

// As a newer program may have written it, below which this one goes on.
TEST_F(CallerLookup, WhatCannotBeReadFailsItsOwnRequest) {
    const auto ann = token_of(ann_, "a");
    const auto bob = token_of(bob_, "b");
    const auto strange = submitted(ann_);
    const auto plain = submitted(bob_);
    static constexpr db::query change_query{
        "test.change", "UPDATE job SET created_at = 'infinity' WHERE id = $1"};
    run(pool().run(soon(), change_query, strange));
    auto of_ann = asked(ann, strange);
    auto of_bob = asked(bob, plain);
    EXPECT_EQ(got(of_bob).reel->id, plain);
    EXPECT_ANY_THROW(static_cast<void>(got(of_ann)));
}

}  // namespace
}  // namespace reelsd::reels
