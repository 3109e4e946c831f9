#include <reelsd/domain/jobs/upload_store.hpp>

#include <gtest/gtest.h>

#include <string>

namespace reelsd::jobs {
namespace {

TEST(FileLabel, IsTheLastComponentWithoutControlCharacters) {
    EXPECT_EQ(file_label("clip.mp4"), "clip.mp4");
    EXPECT_EQ(file_label("/home/ann/My clip.mov"), "My clip.mov");
    EXPECT_EQ(file_label("C:\\videos\\clip.mp4"), "clip.mp4");
    EXPECT_EQ(
        file_label("a\r\nb\x7f\xE2\x80\xAE"
                   "c\xFF.mp4"),
        "abc.mp4");
    EXPECT_EQ(
        file_label("gr\xC3\xBC\xC3\x9F"
                   "e.mp4"),
        "gr\xC3\xBC\xC3\x9F"
        "e.mp4");
    EXPECT_EQ(file_label(""), "video");
    EXPECT_EQ(file_label("x/ "), "video");
    EXPECT_EQ(file_label(std::string(300, 'x')).size(), 255U);
    EXPECT_EQ(file_label(std::string(254, 'x') + "\xC3\xBC").size(), 254U);
}

}  // namespace
}  // namespace reelsd::jobs
