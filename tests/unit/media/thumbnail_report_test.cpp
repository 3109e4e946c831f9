// Goal: whatever a helper that a video has taken over answers, only a small plain JPEG passes.
#include "base64.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/media/report.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>

namespace reelsd::media {
namespace {

using testing::HasSubstr;

std::string segment(char kind, const std::string& content) {
    const auto length = content.size() + 2;
    return std::string{'\xff', kind, static_cast<char>(length >> 8U), static_cast<char>(length)} +
           content;
}

std::string size_of(int width, int height, char components = 3, char bits = 8) {
    const std::string sides{
        bits,
        static_cast<char>(height >> 8),
        static_cast<char>(height),
        static_cast<char>(width >> 8),
        static_cast<char>(width),
        components};
    return segment('\xc0', sides + std::string(9, '\1'));
}

/// A JPEG in structure alone: its tables are empty.
struct jpeg_text {
    std::string start = "\xff\xd8";
    std::string before_size = segment('\xe0', "JFIF") + segment('\xdb', "tables");
    std::string size = size_of(480, 854);
    std::string after_size = segment('\xc4', "tables");
    std::string scan = segment('\xda', "scan");
    std::string samples = std::string{"abc\xff\0def", 8};
    std::string end = "\xff\xd9";

    [[nodiscard]] std::string whole() const {
        return start + before_size + size + after_size + scan + samples + end;
    }
};

json document_of(const std::string& bytes) {
    return {{"jpeg", base64::encode(std::as_bytes(std::span{bytes}))}};
}

TEST(ThumbnailReport, TakesASmallJpeg) {
    for (const auto& size : {size_of(480, 854), size_of(1, 1)}) {
        const auto bytes = jpeg_text{.size = size}.whole();
        const auto read = thumbnail_report_from_json(document_of(bytes));
        ASSERT_TRUE(read) << read.error().to_string();
        EXPECT_TRUE(std::ranges::equal(read->jpeg, std::as_bytes(std::span{bytes})));
        EXPECT_EQ(to_json(*read), document_of(bytes));
    }
}

TEST(ThumbnailReport, KeepsTheBoundOfBytes) {
    jpeg_text picture;
    picture.samples = std::string(report_bounds::thumbnail_bytes_max - picture.whole().size(), 'x');
    picture.samples += std::string{"abc\xff\0def", 8};
    ASSERT_EQ(picture.whole().size(), report_bounds::thumbnail_bytes_max);
    EXPECT_TRUE(thumbnail_report_from_json(document_of(picture.whole())));
    picture.samples += 'x';
    const auto read = thumbnail_report_from_json(document_of(picture.whole()));
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().detail(), HasSubstr("too large"));
}

TEST(ThumbnailReport, RefusesOtherDocuments) {
    const auto good = document_of(jpeg_text{}.whole());
    auto more = good;
    more["width"] = 480;
    const auto text = good.at("jpeg").get<std::string>();
    const json cases[] = {
        json::object(),
        json::array({good}),
        json("jpeg"),
        json(nullptr),
        {{"jpeg", nullptr}},
        {{"jpeg", 7}},
        {{"jpeg", ""}},
        {{"jpeg", "not base64"}},
        {{"jpeg", text + "\n"}},
        {{"jpeg", text.substr(1)}},
        {{"jpeg", text.substr(4)}},
        {{"jpeg", text.substr(0, text.size() - 4)}},
        {{"jpeg", json::array({text})}},
        more,
    };
    for (const auto& document : cases) {
        const auto read = thumbnail_report_from_json(document);
        ASSERT_FALSE(read) << document.dump();
        EXPECT_EQ(read.error().code(), errc::media_failed);
        EXPECT_THAT(read.error().detail(), HasSubstr("thumbnail.jpeg"));
    }
}

TEST(ThumbnailReport, RefusesOtherPictures) {
    const std::string zero(1, '\0');
    const std::pair<const char*, jpeg_text> cases[] = {
        {"a PNG", {.start = "\x89PNG"}},
        {"markup", {.start = "<svg>"}},
        {"too wide", {.size = size_of(481, 854)}},
        {"too high", {.size = size_of(480, 855)}},
        {"no width", {.size = size_of(0, 854)}},
        {"no height", {.size = size_of(480, 0)}},
        {"far too wide", {.size = size_of(65535, 65535)}},
        {"four components", {.size = size_of(480, 854, 4)}},
        {"12 bits", {.size = size_of(480, 854, 3, 12)}},
        {"a size cut short", {.size = segment('\xc0', "\x08")}},
        {"no size", {.size = ""}},
        {"two sizes", {.size = size_of(480, 854) + size_of(480, 854)}},
        {"a size after the scan", {.size = "", .samples = size_of(480, 854)}},
        {"progressive", {.size = segment('\xc2', size_of(480, 854).substr(4))}},
        {"Exif", {.before_size = segment('\xe1', "Exif")}},
        {"a comment", {.before_size = segment('\xfe', "<script>")}},
        {"a length of 1", {.before_size = std::string{"\xff\xe0\0\1", 4}}},
        {"a length past the end", {.before_size = "\xff\xe0\xff\xff"}},
        {"bytes between segments", {.before_size = "x" + segment('\xe0', "JFIF")}},
        {"no scan", {.scan = ""}},
        {"a second scan", {.samples = segment('\xda', "scan")}},
        {"the end within", {.samples = "\xff\xd9 <script>"}},
        {"the end cut short", {.end = "\xff"}},
        {"half a marker at the end", {.samples = "abc\xff"}},
        {"no end", {.end = ""}},
        {"more after the end", {.end = "\xff\xd9 "}},
        {"nothing but the ends",
         {.before_size = "", .size = "", .after_size = "", .scan = "", .samples = ""}},
    };
    for (const auto& [what, picture] : cases) {
        const auto read = thumbnail_report_from_json(document_of(picture.whole()));
        ASSERT_FALSE(read) << what;
        EXPECT_EQ(read.error().code(), errc::media_failed) << what;
    }
}

// Goal: no cut reads past the end. Method: each beginning of a good one, under sanitizers.
TEST(ThumbnailReport, RefusesEveryCut) {
    const auto whole = jpeg_text{}.whole();
    for (std::size_t length = 0; length < whole.size(); ++length) {
        EXPECT_FALSE(thumbnail_report_from_json(document_of(whole.substr(0, length)))) << length;
    }
}

}  // namespace
}  // namespace reelsd::media
