#include <reelsd/http/router.hpp>
#include <reelsd/http/static_files.hpp>

#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>
#include <support/http_request.hpp>
#include <support/loop.hpp>

#include <array>
#include <string>
#include <string_view>

// Goal: a file is served with its type and its policy, and not again to a client that has it.
// Method: a router with two files.
namespace reelsd::http {
namespace {

namespace asio = boost::asio;
using testing::make_request;

constexpr std::array<embedded_file, 2> files{{
    {"/site/page.html", "text/html; charset=utf-8", "<p>page</p>", R"("0a1b")", "(page)"},
    {"/site/code.js", "text/javascript; charset=utf-8", "code()", R"("2c3d")", {}},
}};

class StaticFiles : public ::testing::Test {
protected:
    StaticFiles() {
        add_file_routes(router_, files, {.content_security_policy = "default-src 'self'"});
    }

    response get(
        const char* path, std::string_view if_none_match = {},
        std::string_view accept_encoding = {}) {
        auto asked = make_request(verb::get, path);
        if (!accept_encoding.empty()) asked.headers.add("Accept-Encoding", accept_encoding);
        if (!if_none_match.empty()) asked.headers.add("If-None-Match", if_none_match);
        request_context ctx{std::move(asked), log_, deadline::after(std::chrono::seconds{10})};
        return testing::run_on(loop_, router_.answer(ctx));
    }

private:
    asio::io_context loop_;
    log::logger log_ = log::logger::silent();
    router router_;
};

TEST_F(StaticFiles, ServesEachFileWithItsTypeAndPolicy) {
    for (const auto& file : files) {
        const auto answer = get(std::string{file.path}.c_str());
        EXPECT_EQ(answer.code(), status::ok);
        EXPECT_EQ(answer.body(), file.content);
        EXPECT_EQ(answer.find("Content-Type"), file.content_type);
        EXPECT_EQ(answer.find("ETag"), file.entity_tag);
        EXPECT_EQ(answer.find("Cache-Control"), "no-cache");
        EXPECT_EQ(answer.find("Content-Security-Policy"), "default-src 'self'");
        EXPECT_EQ(answer.find("Content-Encoding"), "");
    }
}

TEST_F(StaticFiles, ServesGzipToClientsThatAcceptIt) {
    const auto answer = get("/site/page.html", {}, "gzip, br");
    EXPECT_EQ(answer.code(), status::ok);
    EXPECT_EQ(answer.body(), "(page)");
    EXPECT_EQ(answer.find("Content-Type"), "text/html; charset=utf-8");
    EXPECT_EQ(answer.find("Content-Encoding"), "gzip");
    EXPECT_EQ(answer.find("Vary"), "Accept-Encoding");
    EXPECT_EQ(answer.find("ETag"), R"("0a1b-gzip")");
}

TEST_F(StaticFiles, SetsVary) {
    EXPECT_EQ(get("/site/page.html").find("Vary"), "Accept-Encoding");
    EXPECT_EQ(get("/site/code.js", {}, "gzip").find("Vary"), "");
}

TEST_F(StaticFiles, ServesFilesWithoutACompressedForm) {
    const auto answer = get("/site/code.js", {}, "gzip");
    EXPECT_EQ(answer.body(), "code()");
    EXPECT_EQ(answer.find("Content-Encoding"), "");
}

TEST_F(StaticFiles, HasATagForEachEncoding) {
    const auto unchanged = get("/site/page.html", R"("0a1b-gzip")", "gzip");
    EXPECT_EQ(unchanged.code(), status::not_modified);
    EXPECT_EQ(unchanged.find("Content-Encoding"), "");
    EXPECT_EQ(get("/site/page.html", R"("0a1b")", "gzip").code(), status::ok);
    EXPECT_EQ(get("/site/page.html", R"("0a1b-gzip")").code(), status::ok);
}

TEST_F(StaticFiles, AnswersNotModifiedToAKnownTag) {
    const auto answer = get("/site/page.html", R"("0a1b")");
    EXPECT_EQ(answer.code(), status::not_modified);
    EXPECT_EQ(answer.body(), "");
    EXPECT_EQ(answer.find("ETag"), R"("0a1b")");
    EXPECT_EQ(answer.find("Cache-Control"), "no-cache");
}

TEST_F(StaticFiles, ServesTheFileToAnotherTag) {
    EXPECT_EQ(get("/site/page.html", R"("2c3d")").code(), status::ok);
}

TEST_F(StaticFiles, ServesNoOtherPath) {
    for (const auto* path :
         {"/site/", "/site/page", "/site/page.html/", "/site/../site/page.htm"}) {
        EXPECT_EQ(get(path).code(), status::not_found) << path;
    }
}

TEST(Codings, AcceptGzipInAllForms) {
    struct {
        std::string_view field;
        bool takes;
    } const cases[] = {
        {"gzip", true},
        {"GZip", true},
        {"x-gzip", true},
        {"gzip, deflate, br, zstd", true},
        {"br;q=1.0, gzip;q=0.8, *;q=0.1", true},
        {"gzip;q=0.001", true},
        {"*", true},
        {"identity;q=0.5, *;q=0.2", true},
        {"", false},
        {"br", false},
        {"identity", false},
        {"gzip;q=0", false},
        {"gzip;q=0.000", false},
        {"*;q=0", false},
        {"gzip;q=0, *", false},
        {"*;q=0, gzip", true},
        {"notgzip", false},
        {"gzip2", false},
        {";;;", false},
    };
    for (const auto& one : cases) EXPECT_EQ(accepts_gzip(one.field), one.takes) << one.field;
}

TEST(EntityTags, AreComparedInAllForms) {
    struct {
        std::string_view field;
        bool names;
    } const cases[] = {
        {R"("0a1b")", true},
        {R"(W/"0a1b")", true},
        {R"("ffff", "0a1b")", true},
        {R"("ffff",W/"0a1b" , "eeee")", true},
        {"*", true},
        {R"("ffff")", false},
        {R"("x0a1b")", false},
        {"0a1b", false},
        {R"(")", false},
    };
    for (const auto& one : cases) {
        EXPECT_EQ(names_entity_tag(one.field, R"("0a1b")"), one.names) << one.field;
    }
}

}  // namespace
}  // namespace reelsd::http
