// Goal: an interrupted download continues only with bytes of the same file. Method: downloads into
// a temporary folder.
#include "cli/part_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace reelsd::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span{text});
}

std::string content_of(const fs::path& file) {
    std::ifstream in{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}

class PartFile : public ::testing::Test {
protected:
    void SetUp() override {
        auto name = (fs::temp_directory_path() / "reels-XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        folder = name;
        target = folder / "clip.mp4";
    }
    void TearDown() override { fs::remove_all(folder); }

    [[nodiscard]] std::ptrdiff_t files() const {
        return std::distance(fs::directory_iterator{folder}, fs::directory_iterator{});
    }

    fs::path folder;
    fs::path target;
};

TEST_F(PartFile, AppearsWhenItIsComplete) {
    part_file file{target};
    EXPECT_EQ(file.position().bytes, 0U);
    ASSERT_TRUE(file.begin({.offset = 0, .size = 6, .etag = "\"a/1\""}));
    EXPECT_EQ(file.size(), 6U);
    ASSERT_TRUE(file.write(bytes_of("abc")));
    EXPECT_FALSE(fs::exists(target));
    ASSERT_TRUE(file.write(bytes_of("def")));
    ASSERT_TRUE(file.finish());
    EXPECT_EQ(content_of(target), "abcdef");
    EXPECT_EQ(files(), 1);
}

TEST_F(PartFile, IsContinuedByALaterDownload) {
    {
        part_file file{target};
        ASSERT_TRUE(file.begin({.offset = 0, .size = 6, .etag = "\"a/1\""}));
        ASSERT_TRUE(file.write(bytes_of("abc")));
    }
    part_file file{target};
    EXPECT_EQ(file.position().bytes, 3U);
    EXPECT_EQ(file.position().etag, "\"a/1\"");
    ASSERT_TRUE(file.begin({.offset = 3, .size = 6, .etag = "\"a/1\""}));
    ASSERT_TRUE(file.write(bytes_of("def")));
    ASSERT_TRUE(file.finish());
    EXPECT_EQ(content_of(target), "abcdef");
    EXPECT_EQ(files(), 1);
}

TEST_F(PartFile, StartsAgainForAnotherFile) {
    {
        part_file file{target};
        ASSERT_TRUE(file.begin({.offset = 0, .size = 6, .etag = "\"old\""}));
        ASSERT_TRUE(file.write(bytes_of("abc")));
    }
    part_file file{target};
    ASSERT_TRUE(file.begin({.offset = 0, .size = 2, .etag = "\"new\""}));
    EXPECT_EQ(files(), 1) << "the old part is gone";
    ASSERT_TRUE(file.write(bytes_of("xy")));
    ASSERT_TRUE(file.finish());
    EXPECT_EQ(content_of(target), "xy");
}

TEST_F(PartFile, WithoutAnEtagIsNotContinued) {
    {
        part_file file{target};
        ASSERT_TRUE(file.begin({.offset = 0, .size = 6, .etag = ""}));
        ASSERT_TRUE(file.write(bytes_of("abc")));
    }
    EXPECT_EQ(part_file{target}.position().bytes, 0U);
    // A file that only looks like a part.
    std::ofstream{folder / "clip.mp4.notes.part"} << "mine";
    part_file file{target};
    EXPECT_EQ(file.position().bytes, 0U);
    ASSERT_TRUE(file.begin({.offset = 0, .size = 1, .etag = "\"a\""}));
    EXPECT_TRUE(fs::exists(folder / "clip.mp4.notes.part"));
}

TEST_F(PartFile, IsNotFinishedWithoutAllBytes) {
    part_file file{target};
    ASSERT_TRUE(file.begin({.offset = 0, .size = 6, .etag = "\"a\""}));
    ASSERT_TRUE(file.write(bytes_of("abc")));
    const auto finished = file.finish();
    ASSERT_FALSE(finished);
    EXPECT_EQ(finished.error().code(), errc::connection_failed);
    EXPECT_EQ(finished.error().detail(), "the server sent 3 of 6 bytes");
    EXPECT_FALSE(fs::exists(target));
}

TEST_F(PartFile, HasOneWriter) {
    part_file file{target};
    ASSERT_TRUE(file.begin({.offset = 0, .size = 6, .etag = "\"a\""}));
    ASSERT_TRUE(file.write(bytes_of("abc")));
    part_file other{target};
    for (const std::uint64_t offset : {0U, 3U}) {
        const auto begun = other.begin({.offset = offset, .size = 6, .etag = "\"a\""});
        ASSERT_FALSE(begun);
        EXPECT_EQ(begun.error().code(), errc::storage_failed);
        EXPECT_THAT(begun.error().detail(), HasSubstr("another download is writing it"));
    }
    part_file newer{target};
    ASSERT_TRUE(newer.begin({.offset = 0, .size = 1, .etag = "\"b\""}));
    ASSERT_TRUE(file.begin({.offset = 3, .size = 6, .etag = "\"a\""})) << "after an interruption";
    ASSERT_TRUE(file.write(bytes_of("def")));
    ASSERT_TRUE(file.finish());
    EXPECT_EQ(content_of(target), "abcdef");
}

TEST_F(PartFile, IsNotFinishedAfterAnotherProgramChangedIt) {
    part_file file{target};
    ASSERT_TRUE(file.begin({.offset = 0, .size = 3, .etag = "\"a\""}));
    ASSERT_TRUE(file.write(bytes_of("abc")));
    std::ofstream{folder / "clip.mp4.%22a%22.part", std::ios::app} << "more";
    EXPECT_FALSE(file.finish());
    EXPECT_FALSE(fs::exists(target));
    EXPECT_FALSE(file.begin({.offset = 3, .size = 6, .etag = "\"a\""}));
}

TEST_F(PartFile, NamesTheFileThatCannotBeWritten) {
    part_file file{folder / "missing" / "clip.mp4"};
    const auto begun = file.begin({.offset = 0, .size = 6, .etag = "\"a\""});
    ASSERT_FALSE(begun);
    EXPECT_EQ(begun.error().code(), errc::storage_failed);
    EXPECT_THAT(begun.error().detail(), HasSubstr("missing/clip.mp4"));
    EXPECT_THAT(begun.error().detail(), HasSubstr("No such file or directory"));
}

TEST_F(PartFile, SmallFilesAreWrittenWhole) {
    ASSERT_TRUE(write_file(target, "picture"));
    EXPECT_EQ(content_of(target), "picture");
    EXPECT_EQ(files(), 1);
}

}  // namespace
}  // namespace reelsd::cli
