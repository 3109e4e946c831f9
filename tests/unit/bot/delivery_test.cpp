#include "bot/message_sender.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <set>
#include <string>

// Goal: the next step follows from a row and its job, and each chat gets one message at a time.
// Method: tables and a simulated clock.
namespace reelsd::bot {
namespace {

using namespace std::chrono_literals;
using kind = next_step::kind;
using status = jobs::job_status;

struct row_state {
    std::optional<status> job = status::pending;
    std::string step = "";
    std::optional<std::int64_t> message = std::nullopt;
    std::string shown = "";
    int parts_sent = 0;
    bool is_linked = true;
};

chats::waiting_message row_of_job(const row_state& state) {
    chats::waiting_message row;
    row.what.kind = chats::message_kind::status;
    row.what.job = job_id{1};
    row.message = state.message;
    row.shown = state.shown;
    row.parts_sent = state.parts_sent;
    row.job_status = state.job;
    row.step = state.step;
    row.is_linked = state.is_linked;
    return row;
}

TEST(NextStepOf, FollowsAJob) {
    struct test_case {
        const char* name;
        row_state state;
        kind what;
        const char* rendered_state;
        int part;
    };
    const test_case cases[] = {
        {"the first message", {}, kind::send, "pending", 0},
        {"no change", {.message = 5, .shown = "pending"}, kind::nothing, "", 0},
        {"work begins",
         {.job = status::processing, .message = 5, .shown = "pending"},
         kind::edit,
         "processing",
         0},
        {"a step",
         {.job = status::processing, .step = "download", .message = 5, .shown = "processing"},
         kind::edit,
         "processing:download",
         0},
        {"a later attempt",
         {.job = status::pending, .message = 5, .shown = "processing:download"},
         kind::edit,
         "pending",
         0},
        {"done before the first message", {.job = status::done}, kind::send, "done", 0},
        {"done", {.job = status::done, .message = 5, .shown = "processing"}, kind::edit, "done", 0},
        {"the second part",
         {.job = status::done, .message = 5, .shown = "done", .parts_sent = 1},
         kind::send,
         "done",
         1},
        {"failed", {.job = status::error, .message = 5, .shown = "x"}, kind::edit, "error", 0},
        {"deleted", {.job = std::nullopt, .message = 5, .shown = "x"}, kind::edit, "gone", 0},
        {"its message was deleted",
         {.job = status::processing, .shown = ""},
         kind::send,
         "processing",
         0},
        {"the chat is no longer linked", {.is_linked = false}, kind::drop, "", 0},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        const auto step = next_step_of(row_of_job(expected.state));
        EXPECT_EQ(step.what, expected.what);
        EXPECT_EQ(step.rendered_state, expected.rendered_state);
        EXPECT_EQ(step.part, expected.part);
    }
}

TEST(NextStepOf, SendsTheNextPartOfAReplyEvenToUnlinkedChats) {
    chats::waiting_message row;
    row.what.parts = {"a", "b"};
    row.parts_sent = 1;
    row.is_linked = false;
    EXPECT_EQ(next_step_of(row).what, kind::send);
    EXPECT_EQ(next_step_of(row).part, 1);
}

TEST(NextStepOf, SendsAFileToLinkedChats) {
    auto row = row_of_job({.job = status::done});
    row.what.kind = chats::message_kind::document;
    EXPECT_EQ(next_step_of(row).what, kind::document);
    row.is_linked = false;
    EXPECT_EQ(next_step_of(row).what, kind::drop);
}

TEST(NextStepOf, AnswersQuestionsOfLinkedChats) {
    chats::waiting_message row;
    row.what.kind = chats::message_kind::question;
    row.what.parts = {"how much?"};
    EXPECT_EQ(next_step_of(row).what, kind::answer);
    row.is_linked = false;
    EXPECT_EQ(next_step_of(row).what, kind::drop);
}

constexpr chats::chat_id ann{1};
constexpr chats::chat_id bob{2};

TEST(PerChatThrottle, AllowsOneMessageAtATime) {
    per_chat_throttle throttle;
    const per_chat_throttle::time_point now{1000s};
    EXPECT_TRUE(throttle.is_free(ann, now));
    throttle.take(ann);
    EXPECT_FALSE(throttle.is_free(ann, now + 1h));
    EXPECT_TRUE(throttle.is_free(bob, now));
    EXPECT_EQ(throttle.busy(now), std::set{ann});
    throttle.finish(ann, {}, now, 0);
    EXPECT_TRUE(throttle.is_free(ann, now));
    EXPECT_EQ(throttle.size(), 0U);
}

TEST(PerChatThrottle, DelaysOnlyOneChat) {
    per_chat_throttle throttle;
    const per_chat_throttle::time_point now{1000s};
    throttle.take(ann);
    throttle.finish(ann, {.what = send_result::outcome::rate_limited, .wait = 30s}, now, 0);
    EXPECT_FALSE(throttle.is_free(ann, now + 29s));
    EXPECT_EQ(throttle.busy(now + 29s), std::set{ann});
    EXPECT_TRUE(throttle.is_free(ann, now + 30s));
    EXPECT_TRUE(throttle.busy(now + 30s).empty());
    EXPECT_TRUE(throttle.is_free(bob, now));
}

TEST(PerChatThrottle, BacksOffUntilASuccess) {
    per_chat_throttle throttle;
    per_chat_throttle::time_point now{1000s};
    for (const auto pause : {1s, 2s, 4s}) {
        throttle.take(ann);
        throttle.finish(ann, {.what = send_result::outcome::failed}, now, 0);
        EXPECT_FALSE(throttle.is_free(ann, now + pause - 1ms));
        EXPECT_TRUE(throttle.is_free(ann, now + pause));
        now += pause;
    }
    throttle.take(ann);
    throttle.finish(ann, {}, now, 0);
    EXPECT_TRUE(throttle.is_free(ann, now));
}

}  // namespace
}  // namespace reelsd::bot
