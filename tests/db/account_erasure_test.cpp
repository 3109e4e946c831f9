// Goal: an account pending deletion is disabled immediately and causes no more costs, and each is
// removed by its own steps, independently of the others.
#include "retention_store_fixture.hpp"
#include <reelsd/db/errors.hpp>

#include <gmock/gmock.h>

namespace reelsd::retention {
namespace {

using ::testing::IsEmpty;

constexpr db::query make_administrator_query{"test.make_administrator", R"sql(
    UPDATE account SET is_admin = true, password_hash = 'hash of ' || id WHERE id = $1)sql"};
/// Adds a row of each kind of an account's data, except jobs, calls and tokens.
constexpr db::query add_the_rest_query{"test.add_the_rest", R"sql(
    WITH key AS (
        INSERT INTO submission_key (account_id, key, position, request_hash, job_id)
        VALUES ($1, 'key', 0, 'x', $2)),
    hook AS (
        INSERT INTO webhook_default (account_id, url) VALUES ($1, 'https://receiver.test/')),
    secret AS (
        INSERT INTO webhook_secret (account_id, secret) VALUES ($1, 'whsec_x')),
    link AS (
        INSERT INTO invitation (hash, account_id, expires_at)
        VALUES (sha256('link'), $1, now() + interval '1 day')),
    session AS (
        INSERT INTO web_session (hash, account_id, expires_at)
        VALUES (sha256('session'), $1, now() + interval '1 day')),
    chat AS (
        INSERT INTO linked_chat (chat_id, account_id, kind, name) VALUES (7, $1, 'private', 'Ann')),
    code AS (
        INSERT INTO chat_code (account_id, hash, expires_at)
        VALUES ($1, sha256('code'), now() + interval '1 day')),
    bot AS (
        INSERT INTO chat_bot (id) VALUES (3) RETURNING id)
    INSERT INTO chat_message (bot_id, chat_id, account_id, kind, parts)
    SELECT id, 7, $1, 'reply', '{x}' FROM bot)sql"};

class AccountErasure : public retention_test {};

TEST_F(AccountErasure, DisablesAnAccountImmediatelyAndRemovesItInSteps) {
    accounts::account_store accounts{pool()};
    ASSERT_TRUE(run(accounts.create_token(ann_, "laptop", soon())));
    ended(ann_, 1, 5);
    const auto busy = submitted(ann_);
    run(pool().run(soon(), add_calls_query, ann_, busy, 1, 25));
    const auto of_bob = ended(bob_, 1).front();
    run(pool().run(soon(), add_the_rest_query, ann_, busy));
    run(pool().run(soon(), hang_on_query, ann_, ended(ann_, 1).front()));
    EXPECT_EQ(left_of(ann_), 44) << "7 jobs, 25 calls, a token and eleven others";

    ASSERT_TRUE(run(retention_.begin_erasure(ann_, std::nullopt, soon())));
    EXPECT_THAT(run(accounts.tokens(ann_, soon())), IsEmpty());
    const auto account = run(accounts.list({.only = ann_}, soon())).accounts.at(0);
    EXPECT_TRUE(account.leaving_at && account.disabled_at);
    EXPECT_FALSE(run(accounts.change(ann_, {.disabled = false}, soon())))
        << "it cannot be enabled again";
    EXPECT_FALSE(run(accounts.create("ann@example.com", accounts::role::member, soon())));

    const auto first = run(retention_.erase("one", ann_, 2, soon()));
    EXPECT_EQ(first->removed_jobs, 1);
    EXPECT_FALSE(is_there(ann_, busy)) << "running jobs are stopped first";
    EXPECT_FALSE(run(retention_.erase("other", ann_, 2, soon()))) << "it is not its turn";
    execute(end_turns_query);  // The first one has died.
    EXPECT_TRUE(run(retention_.erase("other", ann_, 2, soon())));
    execute(end_turns_query);
    EXPECT_GT(erased(ann_, 2), 3);
    EXPECT_EQ(left_of(ann_), 0);
    EXPECT_TRUE(is_there(bob_, of_bob));
    EXPECT_TRUE(run(accounts.create("ann@example.com", accounts::role::member, soon())));
    EXPECT_FALSE(run(retention_.erase("one", ann_, 2, soon()))->account);
    EXPECT_FALSE(run(retention_.next_leaving({}, {}, soon()))) << "no account is pending deletion";
}

TEST_F(AccountErasure, StopsJobsOfAllAccountsBeforeRemovingAny) {
    accounts::account_store accounts{pool()};
    const auto eve =
        run(accounts.create("eve@example.com", accounts::role::member, soon())).value();
    for (int i = 0; i < 8; ++i) static_cast<void>(submitted(ann_));
    const auto bobs = submitted(bob_);
    const auto hers = submitted(eve);
    const auto done = ended(ann_, 1).front();
    ASSERT_TRUE(run(retention_.begin_erasure(ann_, std::nullopt, soon())));
    ASSERT_TRUE(run(retention_.begin_erasure(bob_, std::nullopt, soon())));

    EXPECT_EQ(run(retention_.stop_accounts_pending_deletion("one", 1, soon())), 9);
    EXPECT_FALSE(run(retention_.stop_accounts_pending_deletion("other", 1, soon())))
        << "it is not its turn";
    EXPECT_FALSE(is_there(bob_, bobs));
    EXPECT_TRUE(is_there(eve, hers)) << "the administrator remains";
    EXPECT_TRUE(is_there(ann_, done)) << "an ended job costs nothing more";
    EXPECT_EQ(run(retention_.stop_accounts_pending_deletion("one", 1, soon())), 0);
    const auto left = claimed(10);
    ASSERT_EQ(left.size(), 1U);
    EXPECT_EQ(left[0].account, eve);
}

TEST_F(AccountErasure, StoppingWorkIsBounded) {
    for (int i = 0; i < 12; ++i) static_cast<void>(submitted(ann_));
    ASSERT_TRUE(run(retention_.begin_erasure(ann_, std::nullopt, soon())));
    EXPECT_EQ(run(retention_.stop_accounts_pending_deletion("one", 1, soon())), 10);
    EXPECT_EQ(run(retention_.stop_accounts_pending_deletion("one", 1, soon())), 2);
}

TEST_F(AccountErasure, AlternatesBetweenAccountsAndSkipsAFailingOne) {
    for (const auto account : {ann_, bob_}) {
        ended(account, 1, 3);
        ASSERT_TRUE(run(retention_.begin_erasure(account, std::nullopt, soon())));
    }
    const auto next = [this](account_id after, std::vector<account_id> passed_over = {}) {
        return run(retention_.next_leaving(after, std::move(passed_over), soon()));
    };
    EXPECT_EQ(next({}), ann_);
    EXPECT_EQ(next(ann_), bob_);
    EXPECT_EQ(next(bob_), ann_);
    EXPECT_EQ(next(bob_, {ann_}), bob_);
    EXPECT_FALSE(next(bob_, {ann_, bob_}));

    const db::query refuse{"test.refuse", R"sql(
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE 'no'; END $$)sql"};
    const db::query guard{"test.guard", R"sql(
        CREATE TRIGGER refuse BEFORE DELETE ON job FOR EACH ROW
          WHEN (OLD.account_id = 1) EXECUTE FUNCTION refuse())sql"};
    ASSERT_EQ(ann_.value, 1);
    execute(refuse);
    execute(guard);
    EXPECT_THROW(run(retention_.erase("one", ann_, 2, soon())), db::failure);
    EXPECT_GT(erased(bob_, 2), 2);
    EXPECT_EQ(left_of(bob_), 0);
    EXPECT_EQ(next({}), ann_) << "the erasure is still pending";
}

TEST_F(AccountErasure, KeepsTheLastAdministrator) {
    run(pool().run(soon(), make_administrator_query, ann_));
    const auto refused = run(retention_.begin_erasure(ann_, std::nullopt, soon()));
    EXPECT_EQ(refused.error().code(), errc::conflict);
    run(pool().run(soon(), make_administrator_query, bob_));
    EXPECT_TRUE(run(retention_.begin_erasure(ann_, std::nullopt, soon())));
    EXPECT_EQ(
        run(retention_.begin_erasure(bob_, std::nullopt, soon())).error().code(), errc::conflict);
    EXPECT_EQ(
        run(retention_.begin_erasure(account_id{77}, std::nullopt, soon())).error().code(),
        errc::not_found);
}

TEST_F(AccountErasure, AnOwnerNeedsTheCurrentPassword) {
    run(pool().run(soon(), make_administrator_query, ann_));
    run(pool().run(soon(), make_administrator_query, bob_));
    const auto known = "hash of " + std::to_string(ann_.value);
    EXPECT_EQ(
        run(retention_.begin_erasure(ann_, "an older hash", soon())).error().code(),
        errc::conflict);
    EXPECT_TRUE(run(retention_.begin_erasure(ann_, known, soon())));
}

}  // namespace
}  // namespace reelsd::retention
