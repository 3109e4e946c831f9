// Goal: the best tracks of a manifest are chosen; any input is safe. Method: tables.
#include "platform/media_reader.hpp"

#include <gtest/gtest.h>

namespace reelsd::platform {
namespace {

std::string manifest(const std::string& sets) {
    return R"(<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" )"
           R"(mediaPresentationDuration="PT4.967S"><Period>)" +
           sets + "</Period></MPD>";
}

std::string track(
    const std::string& attributes, const std::string& address = "https://a.fbcdn.net/v.mp4") {
    return "<Representation " + attributes + "><BaseURL>" + address +
           "</BaseURL><SegmentBase indexRange=\"1-2\"/></Representation>";
}

std::string manifest_with(const std::string& tracks) {
    return R"(<AdaptationSet contentType="video">)" + tracks + "</AdaptationSet>";
}

std::string audio(const std::string& tracks) {
    return R"(<AdaptationSet contentType="audio">)" + tracks + "</AdaptationSet>";
}

TEST(BestTracks, ChoosesTheBest) {
    const std::string base = "https://a.fbcdn.net/";
    struct test_case {
        const char* name;
        std::string text;
        std::string picture;
        std::string sound;
    };
    const test_case cases[] = {
        {"one of each",
         manifest(manifest_with(track("", base + "p")) + audio(track("", base + "s"))),
         base + "p",
         base + "s"},
        {"silent", manifest(manifest_with(track("", base + "p"))), base + "p", ""},
        {"the largest",
         manifest(manifest_with(
             track(R"(codecs="avc1.4d" width="360" height="640" bandwidth="9")", base + "small") +
             track(R"(codecs="avc1.64" width="720" height="1280" bandwidth="5")", base + "large"))),
         base + "large",
         ""},
        {"H.264 before a larger VP9",
         manifest(manifest_with(
             track(R"(codecs="vp09.00" width="1080" height="1920")", base + "vp9") +
             track(R"(codecs="avc1.64" width="720" height="1280")", base + "h264"))),
         base + "h264",
         ""},
        {"VP9 rather than none",
         manifest(
             manifest_with(track(R"(codecs="vp09.00" width="1080" height="1920")", base + "vp9"))),
         base + "vp9",
         ""},
        {"the highest bit rate",
         manifest(
             manifest_with(track("", base + "p")) +
             audio(
                 track(R"(bandwidth="58000")", base + "low") +
                 track(R"(bandwidth="78000")", base + "high"))),
         base + "p",
         base + "high"},
        {"kinds by MIME type, of set or track",
         manifest(
             R"(<AdaptationSet mimeType="video/mp4">)" + track("", base + "p") +
             "</AdaptationSet><AdaptationSet>" + track(R"(mimeType="audio/mp4")", base + "s") +
             "</AdaptationSet>"),
         base + "p",
         base + "s"},
        {"escaped, with whitespace around",
         manifest(manifest_with(track("", "\n  " + base + "p?efg=a&amp;oh=b  "))),
         base + "p?efg=a&oh=b",
         ""},
        {"an address with another scheme is ignored",
         manifest(manifest_with(track("", "file:///etc/passwd") + track("", base + "p"))),
         base + "p",
         ""},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        const auto found = best_tracks(expected.text);
        ASSERT_TRUE(found);
        EXPECT_EQ(found->picture_url, expected.picture);
        EXPECT_EQ(found->sound_url, expected.sound);
    }
}

TEST(BestTracks, ReturnsNothingWithoutAUsableTrack) {
    const std::string cases[] = {
        "",
        "no xml",
        "<MPD>",
        manifest(""),
        manifest(audio(track(""))),
        manifest(manifest_with("<Representation/>")),
        manifest(manifest_with(track("", "javascript:alert(1)"))),
        manifest(manifest_with(track("", "https://a.fbcdn.net/" + std::string(9000, 'a')))),
        R"(<!DOCTYPE MPD [<!ENTITY a "https://a.fbcdn.net/p">]>)" +
            manifest(manifest_with(track("", "&a;"))),
        std::string(1 << 20, '<'),
        manifest(manifest_with(track(""))) + std::string(1 << 20, ' '),
    };
    for (const auto& text : cases) EXPECT_FALSE(best_tracks(text)) << text.substr(0, 120);
    std::string deep;
    for (int i = 0; i < 100'000; ++i) deep += "<a>";
    EXPECT_FALSE(best_tracks(deep));
}

}  // namespace
}  // namespace reelsd::platform
