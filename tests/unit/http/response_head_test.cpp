#include "response_head.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

// Goal: the connection adds exactly the documented fields. Method: fixed connection fields.
namespace reelsd::http {
namespace {

using namespace std::chrono_literals;

TEST(ResponseHead, HasAllFieldsInOrder) {
    response answer{status::ok, "application/json", std::string{"{}"}};
    answer.set("Link", "<a>; rel=\"next\"");
    EXPECT_EQ(
        response_head(
            answer,
            {.request_id = "id", .date = "now", .keep_alive = true, .is_version_1_1 = true}),
        "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Type: application/json\r\n"
        "Link: <a>; rel=\"next\"\r\nContent-Length: 2\r\nCache-Control: no-store\r\n"
        "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
        "X-Frame-Options: DENY\r\nCross-Origin-Resource-Policy: same-origin\r\n"
        "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n"
        "X-Request-Id: id\r\n\r\n");
}

TEST(ResponseHead, KeepsAHandlersCacheControl) {
    response answer{status::ok, "text/css", std::string{}};
    answer.set("cache-control", "max-age=60");
    const auto head = response_head(
        answer, {.request_id = "id", .date = "now", .keep_alive = false, .is_version_1_1 = false});
    EXPECT_EQ(head.find("no-store"), std::string::npos);
    EXPECT_NE(head.find("Content-Length: 0\r\n"), std::string::npos);
    EXPECT_NE(head.find("Connection: close\r\n"), std::string::npos);
}

TEST(ResponseHead, HasSecurityFields) {
    struct test_case {
        const char* name;
        response answer;
        bool is_html;
        const char* policy;
    };
    constexpr auto of_data = "default-src 'none'; frame-ancestors 'none'";
    constexpr auto own = "default-src 'self'";
    auto page = response::of_static(status::ok, "text/html; charset=utf-8", "<p>");
    page.set("Content-Security-Policy", own);
    const test_case cases[] = {
        {"JSON", response{status::ok, "application/json", std::string{"{}"}}, false, of_data},
        {"an error",
         response{status::not_found, "application/json", std::string{"{}"}},
         false,
         of_data},
        {"an image", response::of_static(status::ok, "image/jpeg", "x"), false, of_data},
        {"a redirect", response{status::found}.set("Location", "/"), false, of_data},
        {"not modified", response{status::not_modified}, false, of_data},
        {"no content", response{status::no_content}, false, of_data},
        {"a stream", response::of_stream("text/event-stream", {}), false, of_data},
        {"a page", page, true, own},
        {"a page without a policy",
         response{status::ok, "text/html", std::string{}},
         true,
         of_data},
    };
    for (const auto& expected : cases) {
        for (const auto hsts : {strict_transport::off, strict_transport::on}) {
            SCOPED_TRACE(expected.name);
            const auto head = response_head(
                expected.answer,
                {.request_id = "id",
                 .date = "now",
                 .keep_alive = true,
                 .is_version_1_1 = true,
                 .hsts = hsts});
            const auto has = [&head](const std::string& field) {
                return head.find("\r\n" + field) != std::string::npos;
            };
            EXPECT_TRUE(has("X-Content-Type-Options: nosniff\r\n"));
            EXPECT_TRUE(has("Referrer-Policy: no-referrer\r\n"));
            EXPECT_TRUE(has("X-Frame-Options: DENY\r\n"));
            EXPECT_TRUE(has("Cross-Origin-Resource-Policy: same-origin\r\n"));
            EXPECT_TRUE(has("Content-Security-Policy: " + std::string{expected.policy} + "\r\n"));
            EXPECT_EQ(has("Cross-Origin-Opener-Policy: same-origin\r\n"), expected.is_html);
            EXPECT_EQ(has("Permissions-Policy: camera=(), "), expected.is_html);
            EXPECT_EQ(
                has("Strict-Transport-Security: max-age=31536000\r\n"),
                hsts == strict_transport::on);
        }
    }
}

TEST(HttpDate, HasTheFormOfRfc9110) {
    struct test_case {
        std::chrono::seconds since_1970;
        const char* text;
    };
    const test_case cases[] = {
        {0s, "Thu, 01 Jan 1970 00:00:00 GMT"},
        {784111777s, "Sun, 06 Nov 1994 08:49:37 GMT"},
        {951782400s, "Tue, 29 Feb 2000 00:00:00 GMT"},
        {1779444000s, "Fri, 22 May 2026 10:00:00 GMT"},
    };
    http_date date;
    for (const auto& expected : cases) {
        const std::chrono::system_clock::time_point when{expected.since_1970};
        EXPECT_EQ(date.text(when), expected.text);
        EXPECT_EQ(date.text(when + 999ms), expected.text);
    }
}

}  // namespace
}  // namespace reelsd::http
