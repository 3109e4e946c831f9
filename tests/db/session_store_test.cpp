#include "support/test_database.hpp"
#include <reelsd/async/task_group.hpp>
#include <reelsd/db/pool.hpp>
#include <reelsd/domain/accounts/account_store.hpp>
#include <reelsd/domain/accounts/password.hpp>
#include <reelsd/domain/accounts/session_store.hpp>
#include <reelsd/domain/jobs/caller_lookup.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>

// Goal: sessions, links and passwords authenticate their account, and expire. Method: real
// statements; times are moved in the tables.
namespace reelsd::accounts {
namespace {

class SessionStore : public test::database_test {
protected:
    [[nodiscard]] account_id account(const std::string& email) {
        return run(accounts_.create(email, role::member, soon())).value();
    }
    [[nodiscard]] std::optional<session> find(const std::string& secret) {
        return run(store_.find(hash_of_secret(secret).value(), soon()));
    }
    [[nodiscard]] accepted_invitation accept(
        const std::string& secret, const std::string& email = "") {
        return run(store_.accept(hash_of_secret(secret).value(), email, "hash", soon()));
    }
    /// An account that can sign in.
    [[nodiscard]] credentials member(const std::string& email) {
        const auto link = run(store_.invite(account(email), soon()));
        return {.account = accept(link.secret).account, .password_hash = "hash"};
    }
    [[nodiscard]] std::string begun(const credentials& who) {
        return run(store_.begin(who, soon())).value();
    }
    void change(const db::query& statement) { run(pool().run(soon(), statement)); }

    account_store accounts_{pool()};
    async::task_group tasks_{loop().context().get_executor(), [](auto, const auto&) { FAIL(); }};
    jobs::caller_lookup callers_{loop().context().get_executor(), tasks_, pool(), 0};
    session_store store_{pool()};
};

TEST_F(SessionStore, ASessionIsValidUntilItIsEnded) {
    const auto ann = member("ann@example.com");
    const auto secret = begun(ann);
    const auto other = begun(ann);
    const auto found = find(secret);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->account, ann.account);
    EXPECT_EQ(found->email, "ann@example.com");
    EXPECT_FALSE(found->is_admin);

    run(store_.end(hash_of_secret(secret).value(), soon()));
    EXPECT_FALSE(find(secret));
    EXPECT_TRUE(find(other));
    EXPECT_FALSE(find(generate_secret()));
}

TEST_F(SessionStore, ASessionExpiresWhenItIsUnusedOrOld) {
    const auto ann = member("ann@example.com");
    const auto idle = begun(ann);
    change(db::query{
        "test.change_1",
        "UPDATE web_session SET last_seen_at = now() - interval '7 days 1 minute'"});
    EXPECT_FALSE(find(idle));

    const auto old = begun(ann);
    EXPECT_TRUE(find(old));
    change(db::query{"test.change_2", "UPDATE web_session SET expires_at = now()"});
    EXPECT_FALSE(find(old));

    // The next sign-in removes expired sessions.
    static_cast<void>(begun(ann));
    const db::query count{"test.count", "SELECT count(*) AS count FROM web_session"};
    const auto counted = run(pool().run(soon(), count));
    EXPECT_EQ(counted.one().as<std::int64_t>("count"), 1);
}

TEST_F(SessionStore, UseKeepsASessionAlive) {
    const auto secret = begun(member("ann@example.com"));
    change(db::query{
        "test.change_3", "UPDATE web_session SET last_seen_at = now() - interval '6 days'"});
    EXPECT_TRUE(find(secret));
    const db::query seen{
        "test.seen", "SELECT last_seen_at > now() - interval '1 minute' AS seen FROM web_session"};
    const auto looked = run(pool().run(soon(), seen));
    EXPECT_TRUE(looked.one().as<bool>("seen"));
}

TEST_F(SessionStore, ANewPasswordEndsAllSessionsOfTheAccount) {
    const auto ann = member("ann@example.com");
    const auto hers = begun(ann);
    const auto bobs = begun(member("bob@example.com"));
    ASSERT_TRUE(run(store_.change_password(ann, "new hash", soon())));
    EXPECT_FALSE(find(hers));
    EXPECT_TRUE(find(bobs));
    const auto known = run(store_.find_credentials("ANN@example.com", soon()));
    ASSERT_TRUE(known);
    EXPECT_EQ(known->account, ann.account);
    EXPECT_EQ(known->password_hash, "new hash");
}

TEST_F(SessionStore, AReplacedPasswordIsRefused) {
    const auto ann = member("ann@example.com");
    ASSERT_TRUE(run(store_.change_password(ann, "new hash", soon())));
    // Verified before the change, and used after it.
    EXPECT_FALSE(run(store_.begin(ann, soon())));
    EXPECT_FALSE(run(store_.change_password(ann, "third hash", soon())));
    EXPECT_EQ(run(store_.find_credentials(ann.account, soon()))->password_hash, "new hash");
}

TEST_F(SessionStore, ADisabledAccountCannotSignIn) {
    const auto who = member("ann@example.com");
    const auto ann = who.account;
    const auto secret = begun(who);
    const auto link = run(store_.invite(ann, soon()));
    const auto token = run(accounts_.create_token(ann, "laptop", soon())).value();
    ASSERT_TRUE(run(accounts_.change(ann, {.disabled = true}, soon())));

    EXPECT_FALSE(find(secret));
    EXPECT_FALSE(run(store_.find_credentials("ann@example.com", soon())));
    EXPECT_FALSE(run(store_.begin(who, soon())));
    EXPECT_FALSE(run(callers_.find(hash_of_token(token.token).value(), soon())));
    EXPECT_FALSE(run(store_.look_at(hash_of_secret(link.secret).value(), soon())));
    EXPECT_EQ(accept(link.secret).outcome, acceptance::invalid);

    ASSERT_TRUE(run(accounts_.change(ann, {.disabled = false}, soon())));
    EXPECT_FALSE(find(secret)) << "an account that is enabled again needs a new sign-in";
    EXPECT_EQ(accept(link.secret).outcome, acceptance::invalid);
    EXPECT_TRUE(run(callers_.find(hash_of_token(token.token).value(), soon())));
}

TEST_F(SessionStore, OnlyTheNewestLinkWorksAndOnlyOnce) {
    const auto ann = account("ann@example.com");
    const auto older = run(store_.invite(ann, soon()));
    const auto link = run(store_.invite(ann, soon()));
    EXPECT_EQ(accept(older.secret).outcome, acceptance::invalid);
    const auto purpose = run(store_.look_at(hash_of_secret(link.secret).value(), soon()));
    ASSERT_TRUE(purpose);
    EXPECT_EQ(purpose->email, "ann@example.com");

    const auto accepted = accept(link.secret);
    EXPECT_EQ(accepted.outcome, acceptance::accepted);
    EXPECT_EQ(accepted.account, ann);
    EXPECT_TRUE(run(store_.find_credentials("ann@example.com", soon())));
    EXPECT_EQ(accept(link.secret).outcome, acceptance::invalid);
}

TEST_F(SessionStore, AnExpiredLinkIsInvalid) {
    const auto link = run(store_.invite(account("ann@example.com"), soon()));
    change(db::query{"test.change_4", "UPDATE invitation SET expires_at = now()"});
    EXPECT_FALSE(run(store_.look_at(hash_of_secret(link.secret).value(), soon())));
    EXPECT_EQ(accept(link.secret).outcome, acceptance::invalid);
}

TEST_F(SessionStore, TheSetupLinkCreatesTheFirstAdministrator) {
    EXPECT_FALSE(run(store_.has_administrator(soon())));
    const auto older = run(store_.invite(std::nullopt, soon()));
    const auto link = run(store_.invite(std::nullopt, soon()));
    EXPECT_EQ(accept(older.secret, "ann@example.com").outcome, acceptance::invalid);
    const auto accepted = accept(link.secret, "ann@example.com");
    EXPECT_EQ(accepted.outcome, acceptance::accepted);
    EXPECT_EQ(accepted.account, *run(accounts_.find("ann@example.com", soon())));
    EXPECT_TRUE(run(store_.has_administrator(soon())));
}

TEST_F(SessionStore, TheFirstAdministratorMayHaveAnAccountWithoutAPassword) {
    const auto ann = account("ann@example.com");
    const auto bob = member("bob@example.com").account;
    const auto link = run(store_.invite(std::nullopt, soon()));
    // But not an account with a password: the link does not give access to it.
    EXPECT_EQ(accept(link.secret, "bob@example.com").outcome, acceptance::taken);
    EXPECT_EQ(run(store_.find_credentials(bob, soon()))->password_hash, "hash");
    const auto accepted = accept(link.secret, "Ann@Example.com");
    EXPECT_EQ(accepted.outcome, acceptance::accepted) << "a wrong address does not use up the link";
    EXPECT_EQ(accepted.account, ann);
    EXPECT_TRUE(run(store_.has_administrator(soon())));
}

TEST_F(SessionStore, TheSetupLinkEndsWithTheFirstAdministrator) {
    const auto is_offered = [this](const std::string& secret) {
        return run(store_.look_at(hash_of_secret(secret).value(), soon())).has_value();
    };
    const auto logged = run(store_.invite(std::nullopt, soon()));
    ASSERT_TRUE(is_offered(logged.secret));
    // As by "account create --admin" and "account invite --account".
    const auto ann = run(accounts_.create("ann@example.com", role::administrator, soon())).value();
    EXPECT_TRUE(is_offered(logged.secret)) << "without a password there is no administrator";
    ASSERT_EQ(accept(run(store_.invite(ann, soon())).secret).outcome, acceptance::accepted);
    EXPECT_FALSE(is_offered(logged.secret));
    EXPECT_EQ(accept(logged.secret, "eve@example.com").outcome, acceptance::invalid);
    EXPECT_FALSE(run(accounts_.find("eve@example.com", soon())));

    // A concurrently created link is refused while there is an administrator.
    const auto late = run(store_.invite(std::nullopt, soon()));
    EXPECT_FALSE(is_offered(late.secret));
    EXPECT_EQ(accept(late.secret, "eve@example.com").outcome, acceptance::invalid);
}

TEST_F(SessionStore, TheSetupLinkEndsWhenAnAccountBecomesAdministrator) {
    const auto bob = member("bob@example.com");
    const auto logged = run(store_.invite(std::nullopt, soon()));
    ASSERT_TRUE(run(accounts_.change(bob.account, {.is_admin = true}, soon())));
    // Even after that administrator is gone: a new link is logged.
    change(db::query{"test.demote", "UPDATE account SET is_admin = false"});
    EXPECT_EQ(accept(logged.secret, "eve@example.com").outcome, acceptance::invalid);
}

constexpr db::query make_slow_change_query{"test.make_slow_change", R"sql(
    CREATE FUNCTION change_password_slowly(owner bigint) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
        UPDATE account SET password_hash = 'new' WHERE id = owner;
        PERFORM pg_advisory_xact_lock_shared(7);
        DELETE FROM web_session WHERE account_id = owner;
    END $$)sql"};
constexpr db::query waiting_query{"test.waiting", R"sql(
    SELECT count(*) AS many FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock')sql"};

// A new password and a sign-in of the same account with an expired session: both lock the rows of
// the account and the session.
TEST_F(SessionStore, ASignInDuringAPasswordChangeDoesNotDeadlock) {
    const auto ann = member("ann@example.com");
    static_cast<void>(begun(ann));
    change(db::query{"test.end_all", "UPDATE web_session SET expires_at = now()"});
    change(make_slow_change_query);
    db::pool_options options;
    options.connection_string = connection_string();
    options.connections = 1;
    const auto silent = log::logger::silent();
    db::pool blocker{loop().context().get_executor(), options, silent};
    db::pool changer{loop().context().get_executor(), options, silent};
    blocker.start();
    changer.start();
    const auto waiting = [this] {
        const auto found = run(pool().run(soon(), waiting_query));
        return found.one().as<std::int64_t>("many");
    };

    run(blocker.run(soon(), db::query{"test.shut", "SELECT pg_advisory_lock(7)"}));
    auto changed = boost::asio::co_spawn(
        loop().context(),
        changer.run(
            soon(),
            db::query{"test.change_slowly", "SELECT change_password_slowly($1)"},
            ann.account),
        boost::asio::use_future);
    // Has the account.
    for (const auto by = soon(); waiting() < 1;) ASSERT_FALSE(by.passed());
    auto begins =
        boost::asio::co_spawn(loop().context(), store_.begin(ann, soon()), boost::asio::use_future);
    // Waits for the account.
    for (const auto by = soon(); waiting() < 2;) ASSERT_FALSE(by.passed());
    run(blocker.run(soon(), db::query{"test.open", "SELECT pg_advisory_unlock(7)"}));

    loop().wait_for(changed);
    EXPECT_NO_THROW(changed.get());
    loop().wait_for(begins);
    EXPECT_EQ(begins.get(), std::nullopt) << "the password has changed";
    blocker.close();
    changer.close();
}

TEST_F(SessionStore, TheLastAdministratorCannotBeRemoved) {
    const auto first = accept(run(store_.invite(std::nullopt, soon())).secret, "ann@example.com");
    const auto ann = first.account;
    EXPECT_EQ(
        run(accounts_.change(ann, {.disabled = true}, soon())).error().code(), errc::conflict);
    EXPECT_EQ(
        run(accounts_.change(ann, {.is_admin = false}, soon())).error().code(), errc::conflict);
    // An administrator who cannot sign in does not count.
    const auto bob = account("bob@example.com");
    ASSERT_TRUE(run(accounts_.change(bob, {.is_admin = true}, soon())));
    EXPECT_FALSE(run(accounts_.change(ann, {.is_admin = false}, soon())));
    EXPECT_EQ(accept(run(store_.invite(bob, soon())).secret).outcome, acceptance::accepted);
    EXPECT_TRUE(run(accounts_.change(ann, {.is_admin = false}, soon())));
    EXPECT_EQ(
        run(accounts_.change(account_id{999}, {.disabled = true}, soon())).error().code(),
        errc::not_found);
}

TEST_F(SessionStore, AdministratorsSeeAndChangeAccounts) {
    const auto ann = account("ann@example.com");
    const auto bob = account("Bob@example.com");
    const account_changes changes{
        .submissions_per_minute = std::optional{5},
        .concurrent_jobs = std::optional{7},
        .monthly_budget_usd = std::optional<std::string>{"12.500000"}};
    ASSERT_TRUE(run(accounts_.change(bob, changes, soon())));
    ASSERT_TRUE(run(accounts_.change(bob, {.concurrent_jobs = std::optional<int>{}}, soon())));
    const auto link = run(store_.invite(bob, soon()));
    const auto all = run(accounts_.list({}, soon())).accounts;
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].id, ann);
    const auto& seen = all[1];
    EXPECT_EQ(seen.id, bob);
    EXPECT_EQ(seen.limits.submissions_per_minute, 5);
    EXPECT_EQ(seen.limits.concurrent_jobs, std::nullopt);
    EXPECT_EQ(seen.limits.monthly_budget_usd, "12.5");
    EXPECT_EQ(seen.spent_this_month_usd, "0");
    EXPECT_EQ(seen.invited_until, link.expires_at);
    EXPECT_FALSE(seen.can_sign_in);
    EXPECT_EQ(run(accounts_.list({.only = bob}, soon())).accounts.size(), 1U);
}

TEST_F(SessionStore, AccountsAreListedInPagesInAnyLetterCase) {
    const auto ann = account("ann@example.com");
    const auto bob = account("Bob@example.com");
    const auto cid = account("cid@example.com");
    accounts::account_filter filter{.accounts_max = 2};
    const auto first = run(accounts_.list(filter, soon()));
    ASSERT_EQ(first.accounts.size(), 2U);
    EXPECT_EQ(first.accounts[0].id, ann);
    EXPECT_EQ(first.accounts[1].id, bob);
    EXPECT_EQ(first.next, "Bob@example.com");
    filter.after = first.next;
    const auto last = run(accounts_.list(filter, soon()));
    ASSERT_EQ(last.accounts.size(), 1U);
    EXPECT_EQ(last.accounts[0].id, cid);
    EXPECT_EQ(last.next, std::nullopt);
}

TEST_F(SessionStore, TokensReportTheirLastUse) {
    const auto ann = account("ann@example.com");
    const auto token = run(accounts_.create_token(ann, "laptop", soon())).value();
    EXPECT_FALSE(run(accounts_.tokens(ann, soon())).front().last_used_at);
    run(accounts_.note_token_uses({token.id}, soon()));
    EXPECT_TRUE(run(accounts_.tokens(ann, soon())).front().last_used_at);
    const auto bob = account("bob@example.com");
    EXPECT_FALSE(run(accounts_.revoke_token(bob, token.id, soon())));
    EXPECT_TRUE(run(accounts_.revoke_token(ann, token.id, soon())));
    EXPECT_FALSE(run(accounts_.revoke_token(ann, token.id, soon())));
}

TEST(Passwords, MatchOnlyTheirHash) {
    const auto hash = hash_password("correct horse");
    EXPECT_TRUE(hash.starts_with("$argon2id$"));
    EXPECT_NE(hash, hash_password("correct horse")) << "each hash has a separate salt";
    EXPECT_TRUE(matches_password(hash, "correct horse"));
    EXPECT_FALSE(matches_password(hash, "correct horse "));
    EXPECT_FALSE(matches_password("no hash", "correct horse"));
    EXPECT_FALSE(matches_password(unmatchable_password_hash(), ""));
}

TEST(Passwords, MustBeLongButNeedNoSpecialCharacters) {
    EXPECT_TRUE(check_new_password("correct horse", "ann@example.com"));
    EXPECT_TRUE(check_new_password("пароль пароль", "ann@example.com"));
    EXPECT_TRUE(check_new_password(std::string(200, 'x'), "ann@example.com"));
    EXPECT_FALSE(check_new_password("123456789", "ann@example.com"));
    EXPECT_FALSE(check_new_password("парольпар", "ann@example.com")) << "nine characters";
    EXPECT_FALSE(check_new_password(std::string(201, 'x'), "ann@example.com"));
    EXPECT_FALSE(check_new_password("correct\nhorse", "ann@example.com"));
    EXPECT_FALSE(check_new_password("ann@example.com", "ann@example.com"));
}

TEST(Secrets, HaveOneForm) {
    const auto secret = generate_secret();
    EXPECT_EQ(secret.size(), 43U);
    EXPECT_NE(secret, generate_secret());
    EXPECT_TRUE(hash_of_secret(secret));
    EXPECT_FALSE(hash_of_secret(secret + "x"));
    EXPECT_FALSE(hash_of_secret(secret.substr(1) + "-"));
    EXPECT_FALSE(hash_of_secret(""));
}

}  // namespace
}  // namespace reelsd::accounts
