// Goal: a body of text, files and encoded files is sent exactly as announced, without a whole file
// in memory, and can be restarted.
#include "support/scripted_server.hpp"
#include <reelsd/net/http_client.hpp>
#include <reelsd/net/request_body.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace reelsd::net {
namespace {

using namespace std::chrono_literals;
using test::scripted_server;
using ::testing::HasSubstr;

constexpr auto time_max = 60s;

/// A file of one test.
class scratch_file {
public:
    explicit scratch_file(const std::string& content) {
        std::string name = std::filesystem::temp_directory_path() / "reelsd-body-XXXXXX";
        const int descriptor = ::mkstemp(name.data());
        EXPECT_GE(descriptor, 0);
        ::close(descriptor);
        path_ = name;
        std::ofstream{path_, std::ios::binary} << content;
    }
    ~scratch_file() { std::filesystem::remove(path_); }
    scratch_file(const scratch_file&) = delete;
    scratch_file& operator=(const scratch_file&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

/// Reads `at_once` bytes at a time, to test every boundary.
std::string read_all(body_reader& reader, std::size_t at_once) {
    std::string all;
    std::string piece(at_once, '\0');
    for (;;) {
        const auto count = reader.read(piece);
        EXPECT_TRUE(count) << count.error().to_string();
        if (!count || *count == 0) return all;
        all.append(piece, 0, *count);
    }
}

TEST(RequestBody, ConcatenatesTextFilesAndBase64) {
    const scratch_file file{"0123456789"};
    request_body body;
    body.add_text("<");
    body.add_file({.file = file.path(), .offset = 2, .bytes = 3});
    body.add_text("|");
    body.add_base64({.file = file.path(), .offset = 0, .bytes = 4});
    body.add_text("");
    body.add_text(">");
    const std::string whole = "<234|MDEyMw==>";
    EXPECT_EQ(body.size(), whole.size());
    for (const std::size_t at_once : {1U, 2U, 5U, 100U}) {
        body_reader reader{body};
        EXPECT_EQ(read_all(reader, at_once), whole);
        EXPECT_TRUE(reader.at_end());
        reader.rewind();
        EXPECT_EQ(read_all(reader, at_once), whole);
    }
}

TEST(RequestBody, EncodesAcrossChunksWithPaddingOnlyAtTheEnd) {
    // Not a multiple of 3, and longer than one read.
    const std::string content(200'000, 'a');
    const scratch_file file{content};
    request_body body;
    body.add_base64({.file = file.path(), .offset = 0, .bytes = content.size()});
    body_reader reader{body};
    const auto text = read_all(reader, 70'000);
    EXPECT_EQ(text.size(), body.size());
    EXPECT_EQ(text.find('='), text.size() - 1);
    EXPECT_EQ(text.substr(0, 8), "YWFhYWFh");
}

TEST(RequestBody, ReportsAFileThatIsTooShort) {
    const scratch_file file{"abc"};
    request_body body;
    body.add_file({.file = file.path(), .offset = 0, .bytes = 4});
    body_reader reader{body};
    std::array<char, 16> target{};
    const auto count = reader.read(target);
    ASSERT_FALSE(count);
    EXPECT_EQ(count.error().code(), errc::storage_failed);
}

TEST(RequestBody, ReportsAMissingFile) {
    const scripted_server server{[](scripted_server::connection& peer) { peer.wait_for_close(); }};
    const http_client client{{.policy = {.allow_private = true}}};
    http_request request{.method = http_method::post, .url = server.origin() + "/"};
    request.streamed_body.emplace().add_file({.file = "/nonexistent", .offset = 0, .bytes = 4});
    const auto answer = client.send(request, deadline::after(time_max), {});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code(), errc::storage_failed);
}

TEST(RequestBody, IsSentWithItsLengthAndReportsItsEnd) {
    const scripted_server server{[](scripted_server::connection& peer) {
        const auto request = peer.read_request();
        peer.write(
            "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(request.size()) + "\r\n\r\n" +
            request);
    }};
    const scratch_file file{std::string(300'000, 'b')};
    http_request request{.method = http_method::post, .url = server.origin() + "/"};
    auto& body = request.streamed_body.emplace();
    body.add_text("{");
    body.add_base64({.file = file.path(), .offset = 0, .bytes = 300'000});
    body.add_text("}");
    int sent = 0;
    request.on_sent = [&sent] { ++sent; };
    const http_client client{{.policy = {.allow_private = true}}};
    const auto answer = client.send(request, deadline::after(time_max), {});
    ASSERT_TRUE(answer) << answer.error().to_string();
    EXPECT_THAT(answer->body, HasSubstr("Content-Length: 400002\r\n"));
    EXPECT_TRUE(answer->body.ends_with("YmJi}"));
    EXPECT_EQ(answer->body.find("Expect:"), std::string::npos);
    EXPECT_EQ(sent, 1);
}

TEST(RequestBody, IsNotSentWithoutAConnection) {
    http_request request{.method = http_method::post, .url = "http://127.0.0.1:1/"};
    request.streamed_body.emplace().add_text("x");
    bool is_sent = false;
    request.on_sent = [&is_sent] { is_sent = true; };
    const http_client client{{.policy = {.allow_private = true}}};
    EXPECT_FALSE(client.send(request, deadline::after(time_max), {}));
    EXPECT_FALSE(is_sent);
}

}  // namespace
}  // namespace reelsd::net
