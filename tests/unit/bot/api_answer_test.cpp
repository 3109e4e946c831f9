#include "bot/api_answer.hpp"

#include <gtest/gtest.h>

#include <chrono>

// Goal: each answer means one thing. Method: pure function, table.
namespace reelsd::bot {
namespace {

using namespace std::chrono_literals;
using outcome = api_answer::outcome;

TEST(AnswerFrom, TellsWhatFollows) {
    struct test_case {
        int status;
        const char* body;
        outcome what;
    };
    const test_case cases[] = {
        {200, R"({"ok": true, "result": {"message_id": 5}})", outcome::done},
        {200, R"({"ok": true, "result": true})", outcome::done},
        {200,
         R"({"ok": false, "error_code": 403, "description": "Forbidden"})",
         outcome::lost_chat},
        {200,
         R"({"ok": false, "description": "Bad Request: message is not modified"})",
         outcome::unchanged},
        {200, R"({"ok": false, "parameters": {"retry_after": 7}})", outcome::wait},
        {408, "<html>", outcome::unreachable},
        {200, "<html>", outcome::unreachable},
        {200, "", outcome::unreachable},
        {400,
         R"({"ok": false, "description": "Bad Request: message is not modified: x"})",
         outcome::unchanged},
        {400,
         R"({"ok": false, "description": "Bad Request: message to edit not found"})",
         outcome::gone},
        {400,
         R"({"ok": false, "description": "Bad Request: can't parse entities: x"})",
         outcome::bad_markup},
        {400, R"({"ok": false, "description": "Bad Request: chat not found"})", outcome::lost_chat},
        {400, R"({"ok": false, "description": "Bad Request: something else"})", outcome::refused},
        {400,
         R"({"ok": false, "description": "x", "parameters": {"migrate_to_chat_id": -5}})",
         outcome::moved},
        {401, R"({"ok": false, "description": "Unauthorized"})", outcome::bad_token},
        {403, R"({"ok": false, "description": "Forbidden: blocked"})", outcome::lost_chat},
        {404, R"({"ok": false, "description": "Not Found"})", outcome::not_there},
        {409, R"({"ok": false, "description": "Conflict"})", outcome::another_asks},
        {413, R"({"ok": false})", outcome::refused},
        {429, R"({"ok": false, "parameters": {"retry_after": 7}})", outcome::wait},
        {500, R"({"ok": false})", outcome::unreachable},
        {502, "<html>", outcome::unreachable},
        {302, "", outcome::unreachable},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.body);
        EXPECT_EQ(
            name_of(answer_from(expected.status, expected.body, std::nullopt).what),
            name_of(expected.what));
    }
}

TEST(AnswerFrom, WaitsForAsLongAsItIsAsked) {
    const auto wait = [](const char* body, std::optional<std::string_view> header) {
        return answer_from(429, body, header).retry_after;
    };
    EXPECT_EQ(wait(R"({"ok": false, "parameters": {"retry_after": 7}})", std::nullopt), 7s);
    EXPECT_EQ(wait(R"({"ok": false, "parameters": {"retry_after": 7.2}})", std::nullopt), 8s);
    EXPECT_EQ(wait(R"({"ok": false, "parameters": {"retry_after": 7}})", "3"), 7s);
    EXPECT_EQ(wait("", "3"), 3s);
    EXPECT_EQ(wait("", "tomorrow"), 5s);
    EXPECT_EQ(wait(R"({"parameters": {"retry_after": 0}})", std::nullopt), 1s);
    EXPECT_EQ(wait(R"({"parameters": {"retry_after": 9999999}})", std::nullopt), 24h);
    EXPECT_EQ(wait(R"({"parameters": {"retry_after": "x"}})", std::nullopt), 5s);
}

TEST(AnswerFrom, KeepsTheGroupsNewNumber) {
    const auto answer = answer_from(
        400, R"({"ok": false, "parameters": {"migrate_to_chat_id": -1005}})", std::nullopt);
    EXPECT_EQ(answer.moved_to, chats::chat_id{-1005});
}

TEST(Backoff, DoublesUpToAMinute) {
    EXPECT_EQ(backoff(1, 0), 1s);
    EXPECT_EQ(backoff(2, 0), 2s);
    EXPECT_EQ(backoff(6, 0), 32s);
    EXPECT_EQ(backoff(7, 0), 60s);
    EXPECT_EQ(backoff(1000, 0), 60s);
    EXPECT_EQ(backoff(1, 1), 500ms);
    EXPECT_EQ(backoff(1000, 1), 30s);
}

}  // namespace
}  // namespace reelsd::bot
