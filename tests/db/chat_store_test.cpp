#include "db/job_store_fixture.hpp"
#include <reelsd/domain/chats/bot_store.hpp>
#include <reelsd/domain/chats/chat_store.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Goal: a code links one chat, an update takes effect once, and a message stays until it is sent.
// Method: real statements; times are changed in the tables.
namespace reelsd::chats {
namespace {

constexpr bot_id bot{42};
constexpr chat_id her_chat{7};
constexpr chat_id group{-100};
const seconds_f lease{8.0};

class ChatStore : public jobs::job_store_test {
protected:
    void SetUp() override {
        job_store_test::SetUp();
        ASSERT_TRUE(hold(us_));
    }

    [[nodiscard]] bool hold(const bot_lease& who) {
        return run(bots_.hold(who, lease, soon())).has_value();
    }
    [[nodiscard]] link_outcome link(std::int64_t update, chat_id chat, const std::string& code) {
        link_request request{
            .target = {.chat = chat, .message_thread = 42},
            .kind = chat_kind::private_chat,
            .name = "Ann",
            .code = hash_of_chat_code(code).value(),
            .answer = "welcome"};
        return run(bots_.link(us_, update, request, soon()));
    }
    void link_her_chat() {
        const auto code = run(chats_.make_code(ann_, soon())).code;
        ASSERT_EQ(link(1, her_chat, code), link_outcome::linked);
        for (const auto& one : waiting()) run(bots_.forget(one.id, soon()));
    }
    [[nodiscard]] std::vector<waiting_message> waiting() {
        return run(bots_.waiting(bot, {}, 100, soon()));
    }
    [[nodiscard]] new_message reply(std::string text) const {
        return {.target = {.chat = her_chat}, .account = ann_, .parts = {std::move(text)}};
    }
    [[nodiscard]] bool finish(std::int64_t update, std::vector<new_message> messages) {
        return run(bots_.finish_update(us_, update, std::move(messages), soon()));
    }
    [[nodiscard]] std::optional<std::int64_t> position() {
        return run(bots_.hold(us_, lease, soon()))->last_update;
    }
    void change(const db::query& statement) { run(pool().run(soon(), statement)); }

    chat_store chats_{pool()};
    bot_store bots_{pool()};
    bot_lease us_{.bot = bot, .holder = "us"};
    bot_lease them_{.bot = bot, .holder = "them"};
};

TEST_F(ChatStore, ACodeLinksOneChatOnce) {
    const auto code = run(chats_.make_code(ann_, soon())).code;
    EXPECT_EQ(link(1, her_chat, code), link_outcome::linked);
    EXPECT_EQ(link(2, group, code), link_outcome::wrong_code);
    ASSERT_TRUE(run(chats_.find_caller(her_chat, soon())));
    EXPECT_EQ(run(chats_.find_caller(her_chat, soon()))->account, ann_);
    EXPECT_FALSE(run(chats_.find_caller(group, soon())));
    const auto messages = waiting();
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(messages[0].what.parts, std::vector<std::string>{"welcome"});
}

TEST_F(ChatStore, ACodeExpiresOrIsReplaced) {
    const auto older = run(chats_.make_code(ann_, soon())).code;
    const auto newer = run(chats_.make_code(ann_, soon())).code;
    EXPECT_EQ(link(1, her_chat, older), link_outcome::wrong_code);
    change(db::query{"test.age", "UPDATE chat_code SET expires_at = now()"});
    EXPECT_EQ(link(2, her_chat, newer), link_outcome::wrong_code);
}

TEST_F(ChatStore, ACodeOfAnotherAccountMovesTheChat) {
    link_her_chat();
    ASSERT_TRUE(finish(2, {reply("for ann")}));
    const auto code = run(chats_.make_code(bob_, soon())).code;
    EXPECT_EQ(link(3, her_chat, code), link_outcome::linked);
    EXPECT_EQ(run(chats_.find_caller(her_chat, soon()))->account, bob_);
    // Her messages are not sent to him.
    ASSERT_EQ(waiting().size(), 1U);
    EXPECT_EQ(waiting()[0].what.account, bob_);
    EXPECT_TRUE(run(chats_.list(ann_, soon())).empty());
}

TEST_F(ChatStore, LimitsTheChatsOfAnAccount) {
    for (int number = 0; number < linked_chats_max; ++number) {
        const auto code = run(chats_.make_code(ann_, soon())).code;
        ASSERT_EQ(link(number + 1, chat_id{number + 1}, code), link_outcome::linked);
    }
    const auto code = run(chats_.make_code(ann_, soon())).code;
    EXPECT_EQ(link(100, chat_id{100}, code), link_outcome::too_many);
    // A chat that is linked already does not count again, and the code stays valid.
    EXPECT_EQ(link(101, chat_id{1}, code), link_outcome::linked);
}

TEST_F(ChatStore, FindsNoCallerForADisabledAccount) {
    link_her_chat();
    const auto code = run(chats_.make_code(ann_, soon())).code;
    change(db::query{"test.disable", "UPDATE account SET disabled_at = now()"});
    EXPECT_FALSE(run(chats_.find_caller(her_chat, soon())));
    EXPECT_EQ(link(2, group, code), link_outcome::wrong_code);
}

TEST_F(ChatStore, UnlinkingRemovesUnsentMessages) {
    link_her_chat();
    ASSERT_TRUE(finish(2, {reply("a"), reply("b")}));
    const auto link = run(chats_.list(ann_, soon())).at(0);
    EXPECT_EQ(link.name, "Ann");
    EXPECT_FALSE(run(chats_.unlink(bob_, link.id, soon())));
    EXPECT_TRUE(run(chats_.unlink(ann_, link.id, soon())));
    EXPECT_FALSE(run(chats_.unlink(ann_, link.id, soon())));
    EXPECT_TRUE(waiting().empty());
    // An earlier update adds no message there.
    EXPECT_TRUE(finish(3, {reply("too late")}));
    EXPECT_TRUE(waiting().empty());
}

TEST_F(ChatStore, AChatCanUnlinkItself) {
    link_her_chat();
    ASSERT_TRUE(finish(2, {reply("a")}));
    EXPECT_TRUE(run(bots_.unlink(us_, 3, reply("bye"), soon())));
    ASSERT_EQ(waiting().size(), 1U);
    EXPECT_EQ(waiting()[0].what.parts, std::vector<std::string>{"bye"});
    EXPECT_FALSE(waiting()[0].is_linked);
    EXPECT_FALSE(run(bots_.unlink(us_, 3, reply("bye"), soon())));
}

// Daemons of the previous release call the table tied_chat, which is a view now.
TEST_F(ChatStore, DaemonsOfTheLastReleaseLinkAndUnlink) {
    change(db::query{
        "test.link",
        "INSERT INTO tied_chat (chat_id, account_id, kind, name)"
        " SELECT 7, id, 'private', 'Ann' FROM account LIMIT 1"
        " ON CONFLICT (chat_id) DO UPDATE SET name = excluded.name, tied_at = now()"});
    EXPECT_TRUE(run(chats_.find_caller(her_chat, soon())));
    change(db::query{"test.unlink", "DELETE FROM tied_chat WHERE chat_id = 7"});
    EXPECT_FALSE(run(chats_.find_caller(her_chat, soon())));
}

TEST_F(ChatStore, AnUpdateTakesEffectOnce) {
    link_her_chat();
    EXPECT_TRUE(finish(5, {reply("a")}));
    EXPECT_FALSE(finish(5, {reply("a")}));
    EXPECT_FALSE(finish(4, {reply("b")}));
    EXPECT_EQ(waiting().size(), 1U);
    EXPECT_EQ(position(), 5);
}

TEST_F(ChatStore, UpdateIdsRestartAfterAWeek) {
    link_her_chat();
    ASSERT_TRUE(finish(500, {}));
    change(db::query{
        "test.age", "UPDATE chat_bot SET last_update_at = now() - interval '6 days 1 hour'"});
    EXPECT_EQ(position(), std::nullopt);
    EXPECT_TRUE(finish(3, {}));
    EXPECT_EQ(position(), 3);
}

TEST_F(ChatStore, OnlyOneDaemonHoldsTheBot) {
    link_her_chat();
    EXPECT_FALSE(hold(them_));
    EXPECT_TRUE(hold(us_));
    change(db::query{"test.age", "UPDATE chat_bot SET held_until = now() - interval '1 second'"});
    EXPECT_TRUE(hold(them_));
    // The lease was lost: changes are refused.
    EXPECT_FALSE(finish(9, {reply("a")}));
    const auto code = run(chats_.make_code(ann_, soon())).code;
    EXPECT_EQ(link(9, group, code), link_outcome::stale);
    EXPECT_TRUE(waiting().empty());
    run(bots_.release(us_, soon()));
    EXPECT_FALSE(hold(us_));
    run(bots_.release(them_, soon()));
    EXPECT_TRUE(hold(us_));
}

TEST_F(ChatStore, AClockSetBackDoesNotDelayTheBot) {
    change(db::query{"test.back", "UPDATE chat_bot SET held_until = now() + interval '1 day'"});
    EXPECT_TRUE(hold(them_));
}

TEST_F(ChatStore, AMessageFollowsItsJob) {
    link_her_chat();
    const auto job = submitted(ann_);
    const new_message status{
        .target = {.chat = her_chat, .message_thread = 42, .reply_to = 3},
        .account = ann_,
        .kind = message_kind::status,
        .job = job};
    ASSERT_TRUE(finish(2, {status}));
    auto message = waiting().at(0);
    EXPECT_EQ(message.what.job, job);
    EXPECT_EQ(message.what.target.reply_to, 3);
    EXPECT_EQ(message.what.target.message_thread, 42);
    EXPECT_EQ(message.job_status, jobs::job_status::pending);
    EXPECT_FALSE(message.message);

    run(bots_.note_progress(
        message.id, {.message = 11, .shown = "pending", .parts_sent = 1}, soon()));
    static_cast<void>(claimed(1));
    message = waiting().at(0);
    EXPECT_EQ(message.message, 11);
    EXPECT_EQ(message.shown, "pending");
    EXPECT_EQ(message.parts_sent, 1);
    EXPECT_EQ(message.job_status, jobs::job_status::processing);

    EXPECT_TRUE(run(store_.remove(ann_, job, soon())));
    EXPECT_EQ(waiting().at(0).job_status, std::nullopt);
    run(bots_.forget(message.id, soon()));
    EXPECT_TRUE(waiting().empty());
}

TEST_F(ChatStore, AnAnswerReplacesItsQuestion) {
    link_her_chat();
    auto about_all = reply("how much?");
    about_all.kind = message_kind::question;
    auto about_one = about_all;
    about_one.job = submitted(ann_);
    ASSERT_TRUE(finish(2, {about_all, about_one}));
    const auto asked = waiting();
    ASSERT_EQ(asked.size(), 2U);
    EXPECT_EQ(asked[0].what.kind, message_kind::question);
    EXPECT_EQ(asked[0].what.parts, std::vector<std::string>{"how much?"});
    EXPECT_EQ(asked[0].what.job, std::nullopt);
    EXPECT_EQ(asked[1].what.job, about_one.job);

    run(bots_.answer_question(asked[1].id, {"too early"}, soon()));
    EXPECT_EQ(waiting().at(1).what.kind, message_kind::question) << "not begun";
    run(bots_.replace_by_reply(asked[1].id, {"ask again"}, soon()));
    EXPECT_EQ(waiting().at(1).what.kind, message_kind::reply);
    EXPECT_EQ(waiting().at(1).what.parts.front(), "ask again");
    run(bots_.answer_question(asked[1].id, {"two", "cups"}, soon()));
    const auto answered = waiting().at(1);
    EXPECT_EQ(answered.id, asked[1].id);
    EXPECT_EQ(answered.what.kind, message_kind::reply);
    EXPECT_EQ(answered.what.parts, (std::vector<std::string>{"two", "cups"}));
    EXPECT_EQ(answered.what.job, std::nullopt);
    // A second daemon that begins it, or answers it while it is being sent, changes nothing.
    run(bots_.replace_by_reply(asked[1].id, {"ask again"}, soon()));
    run(bots_.note_progress(
        asked[1].id, {.message = std::nullopt, .shown = {}, .parts_sent = 1}, soon()));
    run(bots_.answer_question(asked[1].id, {"three"}, soon()));
    EXPECT_EQ(waiting().at(1).what.parts.front(), "two");
}

TEST_F(ChatStore, AReplyReplacesPicturesThatCannotBeRead) {
    link_her_chat();
    auto pictures = reply("");
    pictures.kind = message_kind::frames;
    pictures.job = submitted(ann_);
    pictures.parts.clear();
    ASSERT_TRUE(finish(2, {pictures, reply("later")}));
    const auto first = waiting().at(0);
    EXPECT_EQ(first.what.kind, message_kind::frames);
    EXPECT_FALSE(first.is_overdue);
    change(db::query{
        "test.age", "UPDATE chat_message SET created_at = created_at - interval '6 minutes'"});
    EXPECT_TRUE(waiting().at(0).is_overdue);

    run(bots_.replace_by_reply(first.id, {"not available"}, soon()));
    const auto replaced = waiting().at(0);
    EXPECT_EQ(replaced.id, first.id);
    EXPECT_EQ(replaced.what.kind, message_kind::reply);
    EXPECT_EQ(replaced.what.parts, std::vector<std::string>{"not available"});
}

TEST_F(ChatStore, DeletesAReelTogetherWithTheReply) {
    link_her_chat();
    const auto job = submitted(ann_);
    const auto bobs = submitted(bob_);
    const auto remove = [this](std::int64_t update, job_id which) {
        return run(bots_.remove_job(us_, update, which, reply("yes"), reply("no"), soon()));
    };
    EXPECT_EQ(remove(2, job), deletion_outcome::deleted);
    EXPECT_EQ(remove(2, job), deletion_outcome::stale);
    EXPECT_EQ(remove(3, job), deletion_outcome::unknown);
    EXPECT_EQ(remove(4, bobs), deletion_outcome::unknown);
    EXPECT_FALSE(run(store_.find(ann_, job, soon())));
    EXPECT_TRUE(run(store_.find(bob_, bobs, soon())));
    std::vector<std::string> answers;
    for (const auto& one : waiting()) answers.push_back(one.what.parts.at(0));
    EXPECT_EQ(answers, (std::vector<std::string>{"yes", "no", "no"}));
}

TEST_F(ChatStore, LimitsTheUnsentMessagesOfAChat) {
    link_her_chat();
    for (int update = 2; update < 120; ++update) ASSERT_TRUE(finish(update, {reply("a")}));
    EXPECT_EQ(run(bots_.waiting(bot, {}, 1000, soon())).size(), 100U);
    run(bots_.forget_chat(her_chat, soon()));
    EXPECT_TRUE(waiting().empty());
}

TEST_F(ChatStore, MessagesOfAFormerBotDoNotCountAndExpire) {
    link_her_chat();
    for (int update = 2; update < 110; ++update) ASSERT_TRUE(finish(update, {reply("a")}));
    const bot_lease newer{.bot = bot_id{43}, .holder = "us"};
    const auto rows_of = [this](bot_id which) {
        return run(bots_.waiting(which, {}, 1000, soon())).size();
    };
    ASSERT_TRUE(hold(newer));
    ASSERT_TRUE(run(bots_.finish_update(newer, 1, {reply("b")}, soon())));
    EXPECT_EQ(rows_of(newer.bot), 1U);

    change(db::query{
        "test.age", "UPDATE chat_message SET created_at = created_at - interval '8 days'"});
    ASSERT_TRUE(hold(newer));
    EXPECT_EQ(rows_of(bot), 100U) << "a daemon runs it";
    run(bots_.release(us_, soon()));
    ASSERT_TRUE(hold(newer));
    EXPECT_EQ(rows_of(bot), 0U);
    EXPECT_EQ(rows_of(newer.bot), 1U);
}

TEST_F(ChatStore, AWaitingChatDoesNotDelayOthers) {
    link_her_chat();
    for (int update = 2; update <= 11; ++update) ASSERT_TRUE(finish(update, {reply("a")}));
    const chat_id other{her_chat.value + 1};
    const auto code = run(chats_.make_code(bob_, soon())).code;
    ASSERT_EQ(link(12, other, code), link_outcome::linked);
    const auto rows = run(bots_.waiting(bot, {her_chat}, 5, soon()));
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows.front().what.target.chat, other);
    for (const auto& one : run(bots_.waiting(bot, {}, 5, soon()))) {
        EXPECT_EQ(one.what.target.chat, her_chat);
    }
}

TEST_F(ChatStore, AGroupCanChangeItsId) {
    link_her_chat();
    ASSERT_TRUE(finish(2, {reply("a")}));
    run(chats_.move(her_chat, group, soon()));
    EXPECT_FALSE(run(chats_.find_caller(her_chat, soon())));
    EXPECT_EQ(run(chats_.find_caller(group, soon()))->account, ann_);
    EXPECT_EQ(waiting().at(0).what.target.chat, group);
}

TEST(ChatCode, IsAcceptedInAnyLetterCaseAndGrouping) {
    const auto code = generate_chat_code();
    EXPECT_EQ(code.size(), 14U);
    EXPECT_NE(code, generate_chat_code());
    const auto hash = hash_of_chat_code("abcd-efgh-jkmn");
    ASSERT_TRUE(hash);
    EXPECT_EQ(hash_of_chat_code("ABCDefghJKMN"), hash);
    EXPECT_EQ(hash_of_chat_code("abcd-efghjkmn"), hash);
    for (const auto* other :
         {"",
          "abcd-efgh-jkm",
          "abcd-efgh-jkmno",
          "abcd-efgh-jkml",
          "abcd efgh jkmn",
          "------------",
          "abcdefghjkmn---"}) {
        EXPECT_FALSE(hash_of_chat_code(other)) << other;
    }
}

}  // namespace
}  // namespace reelsd::chats
