#include "bot/bot_api.hpp"

#include "support/scripted_server.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <span>
#include <stop_token>
#include <string>

// Goal: requests have the Bot API's form, the token is never reported, and each answer has one
// outcome. Method: a scripted server and tables.
namespace reelsd::bot {
namespace {

using namespace std::chrono_literals;
using outcome = api_answer::outcome;

constexpr const char* token = "4242:secret_token";

std::string http(std::string_view status, std::string_view body) {
    return "HTTP/1.1 " + std::string{status} +
           "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string{body};
}

TEST(BotApi, PostsJson) {
    std::string request;
    test::scripted_server server{[&request](test::scripted_server::connection& link) {
        request = link.read_request();
        link.write(http("200 OK", R"({"ok": true, "result": {"message_id": 5}})"));
    }};
    const bot_api api{{.address = server.origin(), .token = token}};
    const auto answer =
        api.call("sendMessage", json{{"chat_id", 1}, {"text", "é\xff"}}, deadline::after(10s), {});
    EXPECT_EQ(answer.what, outcome::done) << answer.description;
    EXPECT_EQ(answer.value["message_id"], 5);
    EXPECT_TRUE(request.starts_with("POST /bot4242:secret_token/sendMessage HTTP/1.1\r\n"));
    EXPECT_NE(request.find("Content-Type: application/json\r\n"), std::string::npos);
    // Invalid UTF-8 is replaced.
    EXPECT_TRUE(request.ends_with("{\"chat_id\":1,\"text\":\"é\xEF\xBF\xBD\"}")) << request;
}

TEST(BotApi, HidesTheToken) {
    test::scripted_server server{[](test::scripted_server::connection& link) {
        static_cast<void>(link.read_request());
        link.write(http(
            "400 Bad Request",
            R"({"ok": false, "description": "no /bot4242:secret_token/x, 4242:secret_token"})"));
    }};
    const bot_api api{{.address = server.origin(), .token = token}};
    const auto refused = api.call("x", json::object(), deadline::after(10s), {});
    EXPECT_EQ(refused.description, "no /bot***/x, ***");
    const bot_api nowhere{{.address = "http://127.0.0.1:1", .token = token}};
    const auto lost = nowhere.call("x", json::object(), deadline::after(10s), {});
    EXPECT_EQ(lost.what, outcome::unreachable);
    EXPECT_EQ(lost.description.find("secret"), std::string::npos) << lost.description;
}

TEST(BotApi, EndsAtAStop) {
    std::stop_source stop;
    test::scripted_server server{[&stop](test::scripted_server::connection& link) {
        static_cast<void>(link.read_request());
        stop.request_stop();
        link.wait_for_close();
    }};
    const bot_api api{{.address = server.origin(), .token = token}};
    const auto answer =
        api.call("getUpdates", json::object(), deadline::after(10min), stop.get_token());
    EXPECT_EQ(answer.what, outcome::unreachable);
}

TEST(BotApi, DownloadsAFile) {
    std::string request;
    test::scripted_server server{[&request](test::scripted_server::connection& link) {
        request = link.read_request();
        link.write(http("200 OK", "a video"));
    }};
    const bot_api api{{.address = server.origin(), .token = token}};
    std::string received;
    const auto take = [&received](std::span<const std::byte> bytes) -> result<void> {
        received.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        return {};
    };
    EXPECT_TRUE(api.download("videos/file_1.mp4", 7, take, deadline::after(10s), {}));
    EXPECT_EQ(received, "a video");
    EXPECT_TRUE(
        request.starts_with("GET /file/bot4242:secret_token/videos/file_1.mp4 HTTP/1.1\r\n"))
        << request;
}

TEST(BotApi, AFailedDownloadHidesTheToken) {
    const auto drop = [](std::span<const std::byte>) -> result<void> { return {}; };
    test::scripted_server server{[](test::scripted_server::connection& link) {
        static_cast<void>(link.read_request());
        link.write(http("404 Not Found", "no 4242:secret_token"));
    }};
    const bot_api api{{.address = server.origin(), .token = token}};
    const auto missing = api.download("videos/a.mp4", 100, drop, deadline::after(10s), {});
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().detail(), "status 404");
    for (const auto* path : {"", "/var/lib/a.mp4", "../a.mp4", "a?b", "a b", "a\r\nb"}) {
        const auto refused = api.download(path, 100, drop, deadline::after(10s), {});
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code(), errc::invalid_argument) << path;
    }
    const bot_api nowhere{{.address = "http://127.0.0.1:1", .token = token}};
    const auto lost = nowhere.download("a.mp4", 100, drop, deadline::after(10s), {});
    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error().to_string().find("secret"), std::string::npos);
}

TEST(MultipartOf, ContainsParametersAndFiles) {
    const auto body = multipart_of(
        {.method = "sendDocument",
         .target = {.chat = chats::chat_id{-5}, .message_thread = 3, .reply_to = 7},
         .parameters = {{"caption", "Soup"}},
         .files =
             {{.field = "document",
               .name = "reel-42.json",
               .content_type = "application/json",
               .content = "{\"a\": 1}"},
              {.field = "other", .name = "a.jpg", .content_type = "image/jpeg", .content = "J"}}},
        "edge");
    EXPECT_EQ(
        body,
        "--edge\r\nContent-Disposition: form-data; name=\"chat_id\"\r\n\r\n-5\r\n"
        "--edge\r\nContent-Disposition: form-data; name=\"message_thread_id\"\r\n\r\n3\r\n"
        "--edge\r\nContent-Disposition: form-data; name=\"reply_parameters\"\r\n\r\n"
        "{\"message_id\":7,\"allow_sending_without_reply\":true}\r\n"
        "--edge\r\nContent-Disposition: form-data; name=\"caption\"\r\n\r\nSoup\r\n"
        "--edge\r\nContent-Disposition: form-data; name=\"document\"; filename=\"reel-42.json\"\r\n"
        "Content-Type: application/json\r\n\r\n{\"a\": 1}\r\n"
        "--edge\r\nContent-Disposition: form-data; name=\"other\"; filename=\"a.jpg\"\r\n"
        "Content-Type: image/jpeg\r\n\r\nJ\r\n--edge--\r\n");
}

TEST(AnswerFrom, ReportsTheOutcome) {
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
         outcome::chat_unreachable},
        {200,
         R"({"ok": false, "description": "Bad Request: message is not modified"})",
         outcome::unchanged},
        {200, R"({"ok": false, "parameters": {"retry_after": 7}})", outcome::rate_limited},
        {403, "<html>", outcome::unreachable},
        {404, R"({"message": "no route"})", outcome::unreachable},
        {401, "", outcome::unreachable},
        {408, "<html>", outcome::unreachable},
        {413, "<html>", outcome::rejected},
        {200, "<html>", outcome::unreachable},
        {200, "", outcome::unreachable},
        {400,
         R"({"ok": false, "description": "Bad Request: message is not modified: x"})",
         outcome::unchanged},
        {400,
         R"({"ok": false, "description": "Bad Request: message to edit not found"})",
         outcome::message_gone},
        {400,
         R"({"ok": false, "description": "Bad Request: can't parse entities: x"})",
         outcome::bad_markup},
        {400,
         R"({"ok": false, "description": "Bad Request: chat not found"})",
         outcome::chat_unreachable},
        {400,
         R"({"ok": false, "description": "not enough rights to send text messages to the chat"})",
         outcome::chat_unreachable},
        {400,
         R"({"ok": false, "description": "not enough rights to send documents to the chat"})",
         outcome::rejected},
        {400, R"({"ok": false, "description": "Bad Request: something else"})", outcome::rejected},
        {400,
         R"({"ok": false, "description": "x", "parameters": {"migrate_to_chat_id": -5}})",
         outcome::moved},
        {401, R"({"ok": false, "description": "Unauthorized"})", outcome::bad_token},
        {403, R"({"ok": false, "description": "Forbidden: blocked"})", outcome::chat_unreachable},
        {404, R"({"ok": false, "description": "Not Found"})", outcome::not_found},
        {409, R"({"ok": false, "description": "Conflict"})", outcome::conflict},
        {413, R"({"ok": false})", outcome::rejected},
        {429, R"({"ok": false, "parameters": {"retry_after": 7}})", outcome::rate_limited},
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

TEST(AnswerFrom, ReportsTheWait) {
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

TEST(AnswerFrom, ReportsTheNewIdOfAGroup) {
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
