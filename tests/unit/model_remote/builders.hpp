#pragma once

#include <reelsd/model/analyzer.hpp>
#include <reelsd/net/http_client.hpp>
#include <reelsd/net/request_body.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

/// Values and files for several tests.
namespace reelsd::model::testing {

/// When a reply arrives.
inline constexpr std::chrono::system_clock::time_point arrival{};
inline constexpr std::chrono::year_month_day october{std::chrono::year{2026} / 10 / 7};

/// A temporary file.
class scratch_file {
public:
    explicit scratch_file(const std::string& content) {
        std::string name = std::filesystem::temp_directory_path() / "reelsd-remote-XXXXXX";
        const int descriptor = ::mkstemp(name.data());
        if (descriptor < 0) throw std::runtime_error{"no scratch file"};
        ::close(descriptor);
        path_ = name;
        std::ofstream{path_, std::ios::binary} << content;
    }
    ~scratch_file() { std::filesystem::remove(path_); }
    scratch_file(const scratch_file&) = delete;
    scratch_file& operator=(const scratch_file&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] net::file_range whole() const {
        return {.file = path_, .offset = 0, .bytes = std::filesystem::file_size(path_)};
    }

private:
    std::filesystem::path path_;
};

inline net::http_response response_of(
    int status, std::string_view body, net::header_list headers = {}) {
    return {
        .head = {.status = status, .headers = std::move(headers)},
        .body = std::string{body},
        .url = {}};
}

/// The whole body, as it is sent.
inline std::string sent_text(const net::request_body& body) {
    net::body_reader reader{body};
    std::string all;
    std::string piece(64, '\0');
    for (;;) {
        const auto count = reader.read(piece);
        EXPECT_TRUE(count) << count.error().to_string();
        if (!count || *count == 0) break;
        all.append(piece, 0, *count);
    }
    EXPECT_EQ(all.size(), body.size()) << "its size differs from the announced one";
    return all;
}

inline std::string content_of(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream{file, std::ios::binary}.rdbuf();
    return text.str();
}

inline video_input make_video() {
    video_input video;
    video.probe = {
        .duration_seconds = 64.2,
        .width = 720,
        .height = 1280,
        .frame_rate = 30,
        .video_codec = "h264",
        .audio_codec = "aac"};
    return video;
}

}  // namespace reelsd::model::testing
