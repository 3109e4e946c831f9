#include "bot/delivery.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

// Goal: what is said next follows from the row and its job alone. Method: pure function, table.
namespace reelsd::bot {
namespace {

using kind = next_step::kind;
using status = jobs::job_status;

struct row {
    std::optional<status> job = status::pending;
    std::string step = "";
    std::optional<std::int64_t> message = std::nullopt;
    std::string shown = "";
    int parts_sent = 0;
    bool is_linked = true;
};

chats::waiting_message of_job(const row& with) {
    chats::waiting_message said;
    said.what.kind = chats::message_kind::status;
    said.what.job = job_id{1};
    said.message = with.message;
    said.shown = with.shown;
    said.parts_sent = with.parts_sent;
    said.job_status = with.job;
    said.step = with.step;
    said.is_linked = with.is_linked;
    return said;
}

TEST(NextStepOf, FollowsAJob) {
    struct test_case {
        const char* name;
        row now;
        kind what;
        const char* rendered_state;
        int part;
    };
    const test_case cases[] = {
        {"first of all it is sent", {}, kind::send, "pending", 0},
        {"it shows that already", {.message = 5, .shown = "pending"}, kind::nothing, "", 0},
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
        {"done before it was said at all", {.job = status::done}, kind::send, "done", 0},
        {"done", {.job = status::done, .message = 5, .shown = "processing"}, kind::edit, "done", 0},
        {"the second part",
         {.job = status::done, .message = 5, .shown = "done", .parts_sent = 1},
         kind::send,
         "done",
         1},
        {"failed", {.job = status::error, .message = 5, .shown = "x"}, kind::edit, "error", 0},
        {"deleted", {.job = std::nullopt, .message = 5, .shown = "x"}, kind::edit, "gone", 0},
        {"its message has been deleted",
         {.job = status::processing, .shown = ""},
         kind::send,
         "processing",
         0},
        {"not for this chat any more", {.is_linked = false}, kind::drop, "", 0},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        const auto step = next_step_of(of_job(expected.now));
        EXPECT_EQ(step.what, expected.what);
        EXPECT_EQ(step.rendered_state, expected.rendered_state);
        EXPECT_EQ(step.part, expected.part);
    }
}

TEST(NextStepOf, SaysTheNextPartOfAReplyAlsoToThoseWhoLeave) {
    chats::waiting_message said;
    said.what.parts = {"a", "b"};
    said.parts_sent = 1;
    said.is_linked = false;
    EXPECT_EQ(next_step_of(said).what, kind::send);
    EXPECT_EQ(next_step_of(said).part, 1);
}

TEST(NextStepOf, SendsAFileToWhomItBelongs) {
    auto said = of_job({.job = status::done});
    said.what.kind = chats::message_kind::document;
    EXPECT_EQ(next_step_of(said).what, kind::document);
    said.is_linked = false;
    EXPECT_EQ(next_step_of(said).what, kind::drop);
}

}  // namespace
}  // namespace reelsd::bot
