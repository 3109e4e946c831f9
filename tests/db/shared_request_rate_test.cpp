#include "support/test_database.hpp"
#include <reelsd/async/task_group.hpp>
#include <reelsd/domain/accounts/account_store.hpp>
#include <reelsd/domain/accounts/request_rate.hpp>

#include <gtest/gtest.h>

namespace reelsd::accounts {
namespace {

/// Two daemons on one database.
class SharedRequestRate : public test::database_test {
protected:
    void SetUp() override {
        test::database_test::SetUp();
        account_store accounts{pool()};
        ann_ = run(accounts.create("ann@example.com", role::member, soon())).value();
    }

    int take(shared_request_rate& daemon, int per_minute) {
        return run(daemon.take(ann_, per_minute, soon()));
    }

    async::task_group tasks_{loop().context().get_executor(), [](auto, const auto&) { FAIL(); }};
    shared_request_rate first_{loop().context().get_executor(), tasks_, pool()};
    shared_request_rate second_{loop().context().get_executor(), tasks_, pool()};
    account_id ann_;
};

TEST_F(SharedRequestRate, IsExactOverDaemons) {
    EXPECT_EQ(take(first_, 3), 0);
    EXPECT_EQ(take(second_, 3), 0);
    EXPECT_EQ(take(first_, 3), 0);
    for (auto* daemon : {&first_, &second_}) {
        const int wait = take(*daemon, 3);
        EXPECT_TRUE(wait >= 1 && wait <= 20) << wait;
    }
}

// A read must not cost a write.
TEST_F(SharedRequestRate, ReservesAHundredth) {
    EXPECT_EQ(take(first_, 100'000), 0);
    run(pool().run(soon(), db::query{"lock", "UPDATE request_bucket SET tokens = 0"}));
    for (int count = 0; count < 1'000; ++count) ASSERT_EQ(take(first_, 100'000), 0) << count;
    EXPECT_GE(take(second_, 1), 1) << "nothing is left for the other";
}

TEST_F(SharedRequestRate, CountsAloneWhileTheDatabaseCannot) {
    run(pool().run(soon(), db::query{"drop", "DROP TABLE request_bucket"}));
    EXPECT_EQ(take(first_, 2), 0);
    EXPECT_EQ(take(first_, 2), 0);
    EXPECT_GE(take(first_, 2), 1);
}

TEST_F(SharedRequestRate, DoesNotLimitDeletedAccounts) {
    EXPECT_EQ(run(first_.take(account_id{1'000'000}, 1, soon())), 0);
    EXPECT_EQ(run(first_.take(account_id{1'000'000}, 1, soon())), 0);
}

}  // namespace
}  // namespace reelsd::accounts
