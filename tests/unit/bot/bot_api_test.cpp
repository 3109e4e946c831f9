#include "bot/bot_api.hpp"

#include "support/scripted_server.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <span>
#include <stop_token>
#include <string>
#include <thread>

// Goal: requests are as the Bot API wants them, and the token shows nowhere. Method: a scripted
// server.
namespace reelsd::bot {
namespace {

using namespace std::chrono_literals;

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
    EXPECT_EQ(answer.what, api_answer::outcome::done) << answer.description;
    EXPECT_EQ(answer.value["message_id"], 5);
    EXPECT_TRUE(request.starts_with("POST /bot4242:secret_token/sendMessage HTTP/1.1\r\n"));
    EXPECT_NE(request.find("Content-Type: application/json\r\n"), std::string::npos);
    // What is no UTF-8 is replaced, and does not make the whole request unreadable.
    EXPECT_TRUE(request.ends_with("{\"chat_id\":1,\"text\":\"é\xEF\xBF\xBD\"}")) << request;
}

TEST(BotApi, NeverSaysTheToken) {
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
    EXPECT_EQ(lost.what, api_answer::outcome::unreachable);
    EXPECT_EQ(lost.description.find("secret"), std::string::npos) << lost.description;
}

TEST(BotApi, EndsAtOnceWhenItIsStopped) {
    std::stop_source stop;
    test::scripted_server server{[&stop](test::scripted_server::connection& link) {
        static_cast<void>(link.read_request());
        stop.request_stop();
        link.wait_for_close();
    }};
    const bot_api api{{.address = server.origin(), .token = token}};
    const auto answer =
        api.call("getUpdates", json::object(), deadline::after(10min), stop.get_token());
    EXPECT_EQ(answer.what, api_answer::outcome::unreachable);
}

TEST(BotApi, DownloadsAFileInPieces) {
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

TEST(BotApi, ADownloadThatFailsNeverSaysTheToken) {
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

TEST(MultipartOf, CarriesTheFile) {
    const auto body = multipart_of(
        {.target = {.chat = chats::chat_id{-5}, .message_thread = 3, .reply_to = 7},
         .name = "reel-42.json",
         .content = "{\"a\": 1}"},
        "edge");
    EXPECT_EQ(
        body,
        "--edge\r\nContent-Disposition: form-data; name=\"chat_id\"\r\n\r\n-5\r\n"
        "--edge\r\nContent-Disposition: form-data; name=\"message_thread_id\"\r\n\r\n3\r\n"
        "--edge\r\nContent-Disposition: form-data; name=\"reply_parameters\"\r\n\r\n"
        "{\"message_id\":7,\"allow_sending_without_reply\":true}\r\n"
        "--edge\r\nContent-Disposition: form-data; name=\"document\"; filename=\"reel-42.json\"\r\n"
        "Content-Type: application/json\r\n\r\n{\"a\": 1}\r\n--edge--\r\n");
}

}  // namespace
}  // namespace reelsd::bot
