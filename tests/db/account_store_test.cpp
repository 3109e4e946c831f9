#include "support/test_database.hpp"
#include <reelsd/async/task_group.hpp>
#include <reelsd/domain/accounts/account_store.hpp>
#include <reelsd/domain/jobs/caller_lookup.hpp>

#include <gmock/gmock.h>

namespace reelsd::accounts {
namespace {

class AccountStore : public test::database_test {
protected:
    [[nodiscard]] account_id account(const std::string& email) {
        return run(store_.create(email, role::member, soon())).value();
    }

    account_store store_{pool()};
    async::task_group tasks_{loop().context().get_executor(), [](auto, const auto&) { FAIL(); }};
    jobs::caller_lookup callers_{loop().context().get_executor(), tasks_, pool(), 0};
};

TEST_F(AccountStore, AnAddressHasOneAccountInAnyLetterCase) {
    const auto id = account("Ann@Example.com");
    EXPECT_GT(id.value, 0);
    const auto again = run(store_.create("ann@example.COM", role::administrator, soon()));
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code(), errc::conflict);
    EXPECT_EQ(*run(store_.find("ANN@example.com", soon())), id);
    EXPECT_EQ(*run(store_.find(std::to_string(id.value), soon())), id);
    EXPECT_EQ(run(store_.find("bob@example.com", soon())).error().code(), errc::not_found);
}

TEST_F(AccountStore, ATokenIsValidUntilItIsRevoked) {
    const auto id = account("ann@example.com");
    const auto token = run(store_.create_token(id, "laptop", soon())).value();
    const auto hash = hash_of_token(token.token).value();
    ASSERT_TRUE(run(callers_.find(hash, soon())));
    EXPECT_EQ(run(callers_.find(hash, soon()))->account, id);

    EXPECT_EQ(run(store_.create_token(id, "laptop", soon())).error().code(), errc::conflict);
    EXPECT_TRUE(run(store_.revoke_token(id, "laptop", soon())));
    EXPECT_FALSE(run(callers_.find(hash, soon())));
    EXPECT_EQ(run(store_.revoke_token(id, "laptop", soon())).error().code(), errc::not_found);

    // The name can be reused, and the old token stays revoked.
    const auto next = run(store_.create_token(id, "laptop", soon())).value();
    EXPECT_TRUE(run(callers_.find(hash_of_token(next.token).value(), soon())));
    EXPECT_FALSE(run(callers_.find(hash, soon())));
    const auto all = run(store_.tokens(id, soon()));
    ASSERT_EQ(all.size(), 2U);
    EXPECT_TRUE(all[0].revoked_at);
    EXPECT_FALSE(all[1].revoked_at);
    EXPECT_EQ(all[1].prefix, prefix_of_token(next.token));
}

TEST_F(AccountStore, ATokenHasAScopeAndMayExpire) {
    const auto id = account("ann@example.com");
    const auto for_ever = run(store_.create_token(id, "laptop", soon())).value();
    EXPECT_FALSE(for_ever.expires_at);
    EXPECT_EQ(
        run(callers_.find(hash_of_token(for_ever.token).value(), soon()))->scope, token_scope::all);

    const token_options hour{.scope = token_scope::read, .valid_for = seconds_f{3600}};
    const auto token = run(store_.create_token(id, "phone", soon(), hour)).value();
    const auto hash = hash_of_token(token.token).value();
    EXPECT_EQ(run(callers_.find(hash, soon()))->scope, token_scope::read);
    ASSERT_TRUE(token.expires_at);
    EXPECT_EQ(*token.expires_at - token.created_at, std::chrono::hours{1});
    EXPECT_EQ(run(store_.create_token(id, "phone", soon(), hour)).error().code(), errc::conflict);

    static constexpr db::query expire_query{
        "test.expire", "UPDATE api_token SET expires_at = now() WHERE name = 'phone'"};
    run(pool().run(soon(), expire_query));
    EXPECT_FALSE(run(callers_.find(hash, soon())));
    EXPECT_FALSE(run(callers_.find_with_reel(hash, job_id{1}, soon())).caller);

    // Its name is free.
    EXPECT_TRUE(run(store_.create_token(id, "phone", soon())));
    EXPECT_FALSE(run(callers_.find(hash, soon())));
    const auto all = run(store_.tokens(id, soon()));
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[1].scope, token_scope::read);
    EXPECT_EQ(all[1].revoked_at, all[1].expires_at);
    EXPECT_FALSE(all[2].expires_at);
}

TEST_F(AccountStore, AnAccountCannotRevokeAnothersToken) {
    const auto ann = account("ann@example.com");
    const auto bob = account("bob@example.com");
    const auto token = run(store_.create_token(ann, "laptop", soon())).value();
    EXPECT_FALSE(run(store_.revoke_token(bob, "laptop", soon())));
    EXPECT_TRUE(run(callers_.find(hash_of_token(token.token).value(), soon())));
}

TEST_F(AccountStore, LimitsChangeIndependently) {
    const auto id = account("ann@example.com");
    const auto change = [&](account_changes changes) {
        EXPECT_TRUE(run(store_.change(id, std::move(changes), soon())));
        return run(store_.list({.only = id}, soon())).accounts.front().limits;
    };
    auto limits = change({});
    EXPECT_FALSE(limits.submissions_per_minute);
    change({.requests_per_minute = std::optional{5}});
    change({.concurrent_jobs = std::optional{7}});
    limits = change({.queued_jobs = std::optional{9}});
    EXPECT_EQ(limits.concurrent_jobs, 7);
    EXPECT_EQ(limits.requests_per_minute, 5);
    EXPECT_EQ(limits.queued_jobs, 9);
    limits = change({.monthly_budget_usd = std::optional<std::string>{"12.5"}});
    EXPECT_EQ(limits.monthly_budget_usd, "12.5");
    EXPECT_EQ(limits.queued_jobs, 9);
    EXPECT_FALSE(change({.queued_jobs = std::optional<int>{}}).queued_jobs);
    EXPECT_FALSE(change({.monthly_budget_usd = std::optional<std::string>{}}).monthly_budget_usd);
    const auto token = run(store_.create_token(id, "t", soon())).value();
    EXPECT_EQ(
        run(callers_.find(hash_of_token(token.token).value(), soon()))->requests_per_minute, 5);
}

TEST_F(AccountStore, WasLastSeenByASessionOrAToken) {
    const auto id = account("ann@example.com");
    const auto last_seen = [&] {
        return run(store_.list({.only = id}, soon())).accounts.front().last_seen_at;
    };
    const auto token = run(store_.create_token(id, "laptop", soon())).value();
    EXPECT_FALSE(last_seen());
    run(store_.note_token_uses({token.id}, soon()));
    const auto by_token = last_seen();
    ASSERT_TRUE(by_token);

    const db::query session{"test.begin_session", R"sql(
        INSERT INTO web_session (hash, account_id, expires_at, last_seen_at)
        SELECT decode(repeat('ab', 32), 'hex'), $1, now() + interval '1 day',
               now() + make_interval(mins => $2))sql"};
    run(pool().run(soon(), session, id.value, -5));
    EXPECT_EQ(last_seen(), by_token);
    const db::query use{
        "test.use_session", "UPDATE web_session SET last_seen_at = now() + interval '5 minutes'"};
    run(pool().run(soon(), use));
    EXPECT_GT(last_seen(), by_token);
}

}  // namespace
}  // namespace reelsd::accounts
