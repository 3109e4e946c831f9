#include "support/result_check.hpp"

#include "builders.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/model/result_document.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::model {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

json valid_document() {
    const auto document =
        assemble_result(testing::make_findings(), testing::make_file(), testing::make_post());
    return document ? *document : json{};
}

TEST(ResultViolations, AcceptAValidDocument) {
    EXPECT_THAT(result_violations(valid_document()), IsEmpty());
}

// Goal: a missing, mistyped or null member is a violation. Method: every member of every section
// and of every nested object is changed.
TEST(ResultViolations, CheckEveryMember) {
    const auto document = valid_document();
    const std::string nullable =
        " language call_to_action audio_codec author_name author_verified caption like_count "
        "comment_count view_count posted_at thumbnail_url location music_title music_artist ";
    for (const auto* where :
         {"/visual",
          "/audio",
          "/content",
          "/metadata",
          "/platform_meta",
          "/metadata/model",
          "/visual/text_segments/0",
          "/audio/segments/1",
          "/content/key_moments/0"}) {
        const json::json_pointer pointer{where};
        for (const auto& [name, value] : document.at(pointer).items()) {
            SCOPED_TRACE(std::string{where} + "/" + name);
            auto missing = document;
            missing.at(pointer).erase(name);
            EXPECT_THAT(result_violations(missing), Contains(HasSubstr(name + " is required")));

            auto mistyped = document;
            mistyped.at(pointer)[name] = json::object({{"no", "type"}});
            EXPECT_THAT(result_violations(mistyped), Not(IsEmpty()));

            auto null = document;
            null.at(pointer)[name] = nullptr;
            const bool may_be_null = nullable.find(" " + name + " ") != std::string::npos;
            EXPECT_EQ(result_violations(null).empty(), may_be_null);
        }
        auto more = document;
        more.at(pointer)["surprise"] = 1;
        EXPECT_THAT(result_violations(more), Contains(HasSubstr("/surprise is not allowed")));
    }
}

TEST(ResultViolations, CheckEverySection) {
    for (const auto* name : {"visual", "audio", "content", "metadata", "platform_meta"}) {
        SCOPED_TRACE(name);
        auto missing = valid_document();
        missing.erase(name);
        EXPECT_THAT(result_violations(missing), Contains("/" + std::string{name} + " is required"));
    }
    auto more = valid_document();
    more["surprise"] = 1;
    EXPECT_THAT(result_violations(more), Contains(HasSubstr("/surprise is not allowed")));
    EXPECT_THAT(result_violations(json::array()), Contains(" must be an object"));
}

// Goal: each rule about values is checked. Method: one wrong value at a time.
TEST(ResultViolations, CheckValues) {
    struct test_case {
        const char* pointer;
        json value;
        const char* violation;
    };
    const json moment = {{"timestamp", "00:01"}, {"seconds", 1.0}, {"description", "x"}};
    const json late = {{"timestamp", "00:09"}, {"seconds", 9.0}, {"description", "x"}};
    const json text = {{"text", "x"}, {"start_seconds", 1.0}, {"end_seconds", 2.0}};
    const test_case cases[] = {
        {"/metadata/sentiment", "happy", "must be one of positive"},
        {"/metadata/sha256", "abc", "hexadecimal"},
        {"/metadata/width", 0, "a whole number, at least 1"},
        {"/metadata/width", 1.5, "a whole number"},
        {"/metadata/frame_rate", -1, "at least 0"},
        {"/metadata/warnings", json::array({""}), "empty item"},
        {"/metadata/warnings", json(std::vector<std::string>(51, "x")), "too many items"},
        {"/visual/description", "a\rb", "control characters"},
        {"/visual/description", std::string(4001, 'x'), "too long"},
        {"/visual/subjects", json::array({"cup", "cup"}), "twice"},
        {"/visual/text_on_screen", json::array({"3 TIPS"}), "are not the texts"},
        {"/visual/text_segments/1/start_seconds", 0.25, "not in order of time"},
        {"/visual/text_segments/0/end_seconds", 0.25, "ends before it starts"},
        {"/visual/text_segments/1/end_seconds", 13, "outside the video"},
        {"/visual/text_segments", json(std::vector<json>(201, text)), "too many items"},
        {"/visual/text_segments/0/text", "", "at least 1 character"},
        {"/audio/segments", json(std::vector<json>(501, text)), "too many items"},
        {"/audio/segments/0/start_seconds", -1, "at least 0"},
        {"/audio/language", "eng", "ISO 639-1"},
        {"/audio/language", "EN", "ISO 639-1"},
        {"/audio/transcript", "", "do not agree"},
        {"/audio/segments", json::array(), "do not agree"},
        {"/audio/has_music", false, "music that is not there"},
        {"/content/key_moments", json(std::vector<json>(21, moment)), "too many items"},
        {"/content/key_moments", json::array({late, moment}), "not ascending"},
        {"/content/key_moments/0/timestamp", "00:01", "MM:SS"},
        {"/content/key_moments/0/timestamp", "0:00", "MM:SS"},
        {"/content/key_moments/1/seconds", 12.75, "outside the video"},
        {"/platform_meta/code", "", "at least 1 character"},
        {"/platform_meta/hashtags", json::array({"#tag"}), "with its sign"},
        {"/platform_meta/mentions", json::array({"@name"}), "with its sign"},
        {"/platform_meta/like_count", -1, "at least 0"},
        {"/platform_meta/posted_at", "2026-05-22", "RFC 3339"},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(std::string{expected.pointer} + " = " + expected.value.dump().substr(0, 60));
        auto document = valid_document();
        document.at(json::json_pointer{expected.pointer}) = expected.value;

        EXPECT_THAT(result_violations(document), Contains(HasSubstr(expected.violation)));
    }
}

}  // namespace
}  // namespace reelsd::model
