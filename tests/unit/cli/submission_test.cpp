// Goal: submissions carry exactly the options that the user gave. Method: the encoded bodies.
#include "cli/submission.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

namespace reelsd::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

analysis_options all_options() {
    return {
        .language = "de",
        .instructions = "Note \"each\" tool",
        .extract = json::parse(R"({"type":"object","properties":{"b":{},"a":{}}})"),
        .analyzer = "gemini"};
}

std::string content_of_body(const net::request_body& body) {
    net::body_reader reader{body};
    std::string text;
    std::array<char, 64> chunk{};
    for (auto size = reader.read(chunk); size && *size > 0; size = reader.read(chunk)) {
        text.append(chunk.data(), *size);
    }
    return text;
}

class TemporaryFolder : public ::testing::Test {
protected:
    void SetUp() override {
        auto name = (std::filesystem::temp_directory_path() / "reels-XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        folder = name;
    }
    void TearDown() override { std::filesystem::remove_all(folder); }

    [[nodiscard]] std::filesystem::path file_with(
        const std::string& name, const std::string& text) const {
        std::ofstream{folder / name, std::ios::binary} << text;
        return folder / name;
    }

    std::filesystem::path folder;
};

TEST(SubmissionBody, HasOnlyTheOptionsGiven) {
    EXPECT_EQ(
        body_of(submission{.link = "instagram.com/reel/x/", .idempotency_key = {}}).dump(),
        R"({"url":"https://instagram.com/reel/x/","queue":true})");
    const submission_list list{
        .links = {"a", "b"}, .fresh = true, .idempotency_key = {}, .analysis = all_options()};
    EXPECT_EQ(
        body_of(list).dump(),
        R"({"language":"de","instructions":"Note \"each\" tool",)"
        R"("extract":{"type":"object","properties":{"b":{},"a":{}}},"analyzer":"gemini",)"
        R"("urls":["a","b"],"queue":true,"fresh":true})")
        << "the schema's fields stay in their order";
    analysis_options preset;
    preset.extract = "recipe";
    EXPECT_EQ(preset.members().dump(), R"({"extract":"recipe"})");
}

using SubmissionForm = TemporaryFolder;

TEST_F(SubmissionForm, HasTheOptionsAsTextAndTheFile) {
    const auto video = file_with("my \"clip\".mp4", "bytes");
    const submission options{
        .link = "", .fresh = true, .idempotency_key = {}, .analysis = all_options()};
    const auto text =
        content_of_body(form_of(options, {.file = video, .offset = 0, .bytes = 5}, "edge"));
    const auto part = [](std::string_view name, std::string_view value) {
        return "--edge\r\nContent-Disposition: form-data; name=\"" + std::string{name} +
               "\"\r\n\r\n" + std::string{value} + "\r\n";
    };
    EXPECT_EQ(
        text,
        part("language", "de") + part("instructions", "Note \"each\" tool") +
            part("extract", R"({"type":"object","properties":{"b":{},"a":{}}})") +
            part("analyzer", "gemini") + part("queue", "true") + part("fresh", "true") +
            "--edge\r\nContent-Disposition: form-data; name=\"video\"; "
            "filename=\"my \\\"clip\\\".mp4\"\r\n"
            "Content-Type: application/octet-stream\r\n\r\nbytes\r\n--edge--\r\n");
    EXPECT_THAT(
        content_of_body(form_of(
            {.link = "instagram.com/p/x/", .idempotency_key = {}},
            {.file = video, .offset = 0, .bytes = 5},
            "edge")),
        StartsWith(part("url", "https://instagram.com/p/x/")));
}

TEST(PresetName, DiffersFromAFile) {
    for (const auto* name : {"recipe", "my-preset_2"}) EXPECT_TRUE(is_preset_name(name)) << name;
    for (const auto* file : {"-", "recipe.json", "./recipe", "a b", "/tmp/x"}) {
        EXPECT_FALSE(is_preset_name(file)) << file;
    }
}

TEST(SchemaFrom, RejectsWhatIsNoSchema) {
    struct test_case {
        std::string text;
        const char* why;
    };
    const std::array cases{
        test_case{"", "s.json is not JSON: parse error at line 1, column 1"},
        test_case{"{\n  \"a\": 1,\n}", "s.json is not JSON: parse error at line 3, column 1"},
        test_case{"[]", "s.json is not a JSON Schema: it must be an object"},
        test_case{"\"recipe\"", "s.json is not a JSON Schema: it must be an object"},
        test_case{std::string(65, '['), "s.json exceeds the maximum depth of a schema"},
        test_case{
            std::string(schema_bytes_max + 1, ' '), "s.json exceeds the maximum size of a schema"},
        test_case{"{\"\x1b[2J", "s.json is not JSON"},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(test.why);
        const auto schema = schema_from(test.text, "s.json");
        ASSERT_FALSE(schema);
        EXPECT_EQ(schema.error().code(), errc::invalid_argument);
        EXPECT_THAT(schema.error().detail(), StartsWith(test.why));
        EXPECT_EQ(schema.error().detail().find('\x1b'), std::string::npos);
    }
    EXPECT_EQ(schema_from(R"({"type": "object"})", "-").value().dump(), R"({"type":"object"})");
}

using SchemaFile = TemporaryFolder;

TEST_F(SchemaFile, IsRead) {
    EXPECT_EQ(schema_from_file(file_with("s.json", "{\"a\":1}")).value().dump(), "{\"a\":1}");
    for (const auto& unreadable : {folder / "none.json", folder}) {
        const auto schema = schema_from_file(unreadable);
        ASSERT_FALSE(schema);
        EXPECT_EQ(schema.error().code(), errc::storage_failed);
        EXPECT_THAT(schema.error().detail(), HasSubstr("cannot be read: "));
    }
}

}  // namespace
}  // namespace reelsd::cli
