// Goal: of a compromised helper only small plain JPEGs are accepted.
#include <reelsd/base/base64.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/media/report.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace reelsd::media {
namespace {

using ::testing::HasSubstr;

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

/// The structure of a JPEG with empty tables.
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

/// One of the two pictures: its member and its bounds.
struct picture_member {
    const char* name;
    thumbnail_bounds within;

    [[nodiscard]] std::string size() const { return size_of(within.width_max, within.height_max); }
};

constexpr picture_member large{"jpeg", report_bounds::large_thumbnail};
constexpr picture_member small{"small_jpeg", report_bounds::small_thumbnail};

std::string base64_of(const std::string& bytes) {
    return base64_encoded(std::as_bytes(std::span{bytes}));
}

/// Valid except for one picture, which has these bytes.
json document_with(const picture_member& which, const std::string& bytes) {
    json document;
    for (const auto& picture : {large, small}) {
        document[picture.name] = base64_of(jpeg_text{.size = picture.size()}.whole());
    }
    document[which.name] = base64_of(bytes);
    return document;
}

bool holds(const std::vector<std::byte>& jpeg, const std::string& bytes) {
    return std::ranges::equal(jpeg, std::as_bytes(std::span{bytes}));
}

TEST(ThumbnailReport, AcceptsSmallJpegs) {
    for (const auto& size : {small.size(), size_of(1, 1)}) {
        const auto bytes = jpeg_text{.size = size}.whole();
        const auto document = document_with(small, bytes);
        const auto read = thumbnail_report_from_json(document);
        ASSERT_TRUE(read) << read.error().to_string();
        EXPECT_TRUE(holds(read->jpeg, jpeg_text{.size = large.size()}.whole()));
        EXPECT_TRUE(holds(read->small_jpeg, bytes));
        EXPECT_EQ(to_json(*read), document);
    }
    EXPECT_TRUE(
        thumbnail_report_from_json(document_with(large, jpeg_text{.size = size_of(1, 1)}.whole())));
}

TEST(ThumbnailReport, ObservesTheBoundsOfBytes) {
    for (const auto& which : {large, small}) {
        SCOPED_TRACE(which.name);
        jpeg_text picture{.size = which.size()};
        picture.samples = std::string(which.within.bytes_max - picture.whole().size(), 'x');
        picture.samples += std::string{"abc\xff\0def", 8};
        ASSERT_EQ(picture.whole().size(), which.within.bytes_max);
        EXPECT_TRUE(thumbnail_report_from_json(document_with(which, picture.whole())));
        picture.samples += 'x';
        const auto read = thumbnail_report_from_json(document_with(which, picture.whole()));
        ASSERT_FALSE(read);
        EXPECT_THAT(
            read.error().detail(),
            HasSubstr(std::string{"thumbnail."} + which.name + " is too large"));
    }
}

TEST(ThumbnailReport, ObservesTheBoundsOfSides) {
    for (const auto& which : {large, small}) {
        SCOPED_TRACE(which.name);
        const auto [width, height, bytes] = which.within;
        for (const auto& size : {size_of(width + 1, height), size_of(width, height + 1)}) {
            const auto bytes_of_it = jpeg_text{.size = size}.whole();
            const auto read = thumbnail_report_from_json(document_with(which, bytes_of_it));
            ASSERT_FALSE(read);
            EXPECT_THAT(read.error().detail(), HasSubstr("a size out of bounds"));
        }
    }
}

TEST(ThumbnailReport, RejectsOtherDocuments) {
    const auto good = document_with(large, jpeg_text{.size = large.size()}.whole());
    ASSERT_TRUE(thumbnail_report_from_json(good));
    auto more = good;
    more["width"] = 480;
    for (const auto& document :
         {json::object(), json::array({good}), json("jpeg"), json(nullptr), more}) {
        const auto read = thumbnail_report_from_json(document);
        ASSERT_FALSE(read) << document.dump();
        EXPECT_EQ(read.error().code(), errc::media_failed);
        EXPECT_THAT(read.error().detail(), HasSubstr("thumbnail"));
    }
}

TEST(ThumbnailReport, RejectsOtherMembers) {
    for (const auto& which : {large, small}) {
        const auto good = document_with(which, jpeg_text{.size = which.size()}.whole());
        const auto text = good.at(which.name).get<std::string>();
        auto without = good;
        without.erase(which.name);
        std::vector<json> cases{without};
        for (const json& value :
             {json(nullptr),
              json(7),
              json(""),
              json("not base64"),
              json(text + "\n"),
              json(text.substr(1)),
              json(text.substr(4)),
              json(text.substr(0, text.size() - 4)),
              json::array({text})}) {
            cases.push_back(good);
            cases.back()[which.name] = value;
        }
        for (const auto& document : cases) {
            const auto read = thumbnail_report_from_json(document);
            ASSERT_FALSE(read) << document.dump();
            EXPECT_EQ(read.error().code(), errc::media_failed);
            EXPECT_THAT(
                read.error().detail(), HasSubstr(std::string{"thumbnail."} + which.name + " "));
        }
    }
}

TEST(ThumbnailReport, RejectsOtherPictures) {
    const std::string zero(1, '\0');
    const std::pair<const char*, jpeg_text> cases[] = {
        {"a PNG", {.start = "\x89PNG"}},
        {"markup", {.start = "<svg>"}},
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
        {"only the start and the end",
         {.before_size = "", .size = "", .after_size = "", .scan = "", .samples = ""}},
    };
    for (const auto& [what, picture] : cases) {
        const auto read = thumbnail_report_from_json(document_with(large, picture.whole()));
        ASSERT_FALSE(read) << what;
        EXPECT_EQ(read.error().code(), errc::media_failed) << what;
    }
}

// Goal: truncated pictures are not read past the end. Method: each prefix, under sanitizers.
TEST(ThumbnailReport, RejectsEveryPrefix) {
    const auto whole = jpeg_text{}.whole();
    for (std::size_t length = 0; length < whole.size(); ++length) {
        EXPECT_FALSE(thumbnail_report_from_json(document_with(large, whole.substr(0, length))))
            << length;
    }
}

TEST(StillsReport, AcceptsAsManyJpegsAsRequested) {
    const auto jpeg = base64_of(jpeg_text{.size = large.size()}.whole());
    const json two{{"jpegs", {jpeg, jpeg}}};
    const auto read = stills_report_from_json(two, 2);
    ASSERT_TRUE(read) << read.error().to_string();
    ASSERT_EQ(read->jpegs.size(), 2U);
    EXPECT_TRUE(holds(read->jpegs[0], jpeg_text{.size = large.size()}.whole()));
    EXPECT_EQ(to_json(*read), two);
    EXPECT_FALSE(stills_report_from_json(two, 1));
    EXPECT_FALSE(stills_report_from_json(two, 3));
    for (const auto& hostile : {std::string{"x"}, base64_of("no picture"), std::string{}}) {
        SCOPED_TRACE(hostile);
        EXPECT_FALSE(stills_report_from_json(json{{"jpegs", {jpeg, hostile}}}, 2));
    }
}

}  // namespace
}  // namespace reelsd::media
