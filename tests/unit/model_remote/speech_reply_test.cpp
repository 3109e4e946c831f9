// Goal: the answers of all servers are read as the same passages, and nothing that a server writes
// can break a result. Method: a table of real forms, and one of spoiled ones.
#include "speech_reply.hpp"

#include <reelsd/base/json.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::model {
namespace {

constexpr double duration = 10;

/// "0.5-2.0 Hello world. [0.5 Hello][1.2 world.]"
std::string shown(const heard_segment& segment) {
    const auto& [text, start, end] = segment.spoken;
    auto line = fmt::format("{:.1f}-{:.1f} {}", start, end, text);
    for (const auto& word : segment.words)
        line += fmt::format("[{:.1f} {}]", word.start_seconds, word.text);
    return line;
}

std::vector<std::string> read(std::string_view text) {
    std::vector<std::string> lines;
    for (const auto& segment : read_speech(json::parse(text), duration).segments)
        lines.push_back(shown(segment));
    return lines;
}

using lines = std::vector<std::string>;

TEST(ReadSpeech, EachServersForm) {
    struct test_case {
        const char* name;
        const char* document;
        lines expected;
    };
    const test_case cases[] = {
        {"words at the top, without punctuation",
         R"({"segments":[{"start":0.5,"end":2,"text":" Hello world."},{"start":3,"end":4,
             "text":"Bye."}],
             "words":[{"word":"Hello","start":0.5,"end":1},{"word":"world","start":1.2,"end":2},
                      {"word":"Bye","start":3,"end":4}]})",
         {"0.5-2.0 Hello world.[0.5 Hello][1.2 world]", "3.0-4.0 Bye.[3.0 Bye]"}},
        {"tokens within the passages",
         R"({"segments":[{"start":0.5,"end":2,"text":" Hello world.\n","words":[
             {"word":"[_BEG_]","start":0.5,"end":0.5},{"word":" Hel","start":0.5,"end":0.8},
             {"word":"lo","start":0.8,"end":1},{"word":" world","start":1.2,"end":1.9},
             {"word":".","start":1.9,"end":2}]}]})",
         {"0.5-2.0 Hello world.[0.5 Hello][1.2 world.]"}},
        {"numbers as texts",
         R"({"segments":[{"start":"0.5","end":" 2 ","text":"a"}]})",
         {"0.5-2.0 a"}},
        {"nanoseconds",
         R"({"segments":[{"start":500000000,"end":2000000000,"text":"a"},{"start":2000000000,
             "end":3000000000,"text":"b"}],
             "words":null})",
         {"0.5-2.0 a", "2.0-3.0 b"}},
        {"words alone",
         R"({"text":"Hello world. Bye.","words":[{"word":"Hello","start":0.5,"end":1},
             {"word":"world.","start":1.2,"end":2},{"word":"Bye.","start":2.1,"end":3}]})",
         {"0.5-2.0 Hello world.[0.5 Hello][1.2 world.]", "2.1-3.0 Bye.[2.1 Bye.]"}},
        {"speakers",
         R"({"segments":[{"id":"seg_1","type":"x","start":1,"end":2,"text":"a","speaker":"A"}]})",
         {"1.0-2.0 a"}},
        {"out of order, past the end, end before the start, without text",
         R"({"segments":[{"start":4,"end":99,"text":"b"},{"start":1,"end":2,"text":"a"},
             {"start":5,"end":4,"text":"d"},{"start":12,"end":14,"text":"e"},{"start":6,
             "end":7,"text":" \n "}]})",
         {"1.0-2.0 a", "4.0-10.0 b"}},
        {"without an end or length",
         R"({"segments":[{"start":1,"end":null,"text":"a"},{"start":2.5,"end":2.5,"text":"b"},
             {"start":2.5,"text":"c"},{"start":4,"end":5,"text":"d"}]})",
         {"4.0-5.0 d"}},
        {"words of no passage",
         R"({"segments":[{"start":1,"end":2,"text":"a"}],"words":[{"word":"a","start":0.9,
             "end":1.2},
             {"word":"far","start":8,"end":9},{"word":"none"},{"word":"back","start":2,"end":1}]})",
         {"1.0-2.0 a[1.0 a]"}},
        {"passages that overlap",
         R"({"segments":[{"start":0.4,"end":2,"text":"Hier sind drei."},{"start":1,"end":2.8,
             "text":"Wege zum Kaffee."}],
             "words":[{"word":"Hier","start":0.4,"end":0.9},{"word":"sind","start":0.9,"end":1.5},
                      {"word":"Wege","start":1,"end":1.6},{"word":"drei","start":1.5,"end":2},
                      {"word":"zum","start":1.6,"end":2},{"word":"nicht","start":1.7,"end":1.9},
                      {"word":"Kaffee","start":2,"end":2.8}]})",
         {"0.4-2.0 Hier sind drei.[0.4 Hier][0.9 sind][1.5 drei]",
          "1.0-2.8 Wege zum Kaffee.[1.0 Wege][1.6 zum][2.0 Kaffee]"}},
        {"text alone", R"({"text":"Hello."})", {}},
    };
    for (const auto& expected : cases)
        EXPECT_EQ(read(expected.document), expected.expected) << expected.name;
}

TEST(ReadSpeech, ProbabilitiesAreUnknownIfTheServerReportsNone) {
    const auto heard = read_speech(
        json::parse(R"({"language":"english","duration":"9.5","text":" x ","segments":[
            {"start":0,"end":1,"text":"a","no_speech_prob":0.25,"avg_logprob":-0.5,
             "compression_ratio":1.5},
            {"start":1,"end":2,"text":"b","no_speech_prob":null,"avg_logprob":null}]})"),
        duration);
    EXPECT_EQ(heard.language, "en");
    EXPECT_EQ(heard.duration_seconds, 9.5);
    EXPECT_EQ(heard.text, "x");
    ASSERT_EQ(heard.segments.size(), 2U);
    EXPECT_EQ(heard.segments[0].no_speech_probability, 0.25);
    EXPECT_EQ(heard.segments[0].mean_log_probability, -0.5);
    EXPECT_EQ(heard.segments[0].compression_ratio, 1.5);
    EXPECT_FALSE(heard.segments[1].no_speech_probability);
    EXPECT_FALSE(heard.segments[1].mean_log_probability);
    EXPECT_FALSE(heard.segments[1].compression_ratio);
}

TEST(ReadSpeech, PassagesWithoutUsableTimesAreCounted) {
    const auto untimed = [](std::string_view text) {
        return read_speech(json::parse(text), duration).untimed;
    };
    constexpr const char* segments = R"("segments":[{"start":1,"end":2,"text":"a"},
        {"start":12,"end":14,"text":"b"},{"text":"d"},
        {"start":3,"end":2,"text":"e"},{"start":12,"end":14,"text":"[Music]"},{"text":" "}])";
    EXPECT_EQ(untimed(fmt::format(R"({{"text":"a b d e",{}}})", segments)), 3U);
    EXPECT_EQ(untimed(R"({"segments":[{"start":9.5,"end":9.5,"text":"c"}]})"), 1U);
    EXPECT_EQ(untimed(R"({"segments":[{"text":"a"}]})"), 1U);
    EXPECT_EQ(untimed(R"({"text":"a","segments":[{"text":"a"}]})"), 0U) << "the text is used";
}

TEST(ReadSpeech, WordsWithHalvesOfCharactersAreDropped) {
    const auto heard = read_speech(
        json::parse(R"({"segments":[
            {"start":0,"end":1,"text":"\u4eca\u65e5",
             "words":[{"word":"\ufffd","start":0,"end":0.5},{"word":"\u65e5","start":0.5,"end":1}]},
            {"start":1,"end":2,"text":"Bye","words":[{"word":"Bye","start":1,"end":2}]}]})"),
        2);
    ASSERT_EQ(heard.segments.size(), 2U);
    EXPECT_TRUE(heard.segments[0].words.empty());
    EXPECT_EQ(heard.segments[1].words.size(), 1U);
}

TEST(ReadSpeech, NothingBreaksIt) {
    for (const auto* text :
         {"{}",
          "[]",
          "null",
          "7",
          R"({"segments":7,"words":{}})",
          R"({"segments":[null,1,"a",[],{}]})",
          R"({"segments":[{"start":"x","end":{},"text":[]}]})",
          R"({"words":[{"word":"a","start":"inf","end":"nan"}]})",
          R"({"segments":[{"start":-5,"end":-1,"text":"a"}]})",
          R"({"text":{"a":1},"language":[],"languages":[1,2]})"})
        EXPECT_EQ(read(text), lines{}) << text;
    json many{{"segments", json::array()}};
    for (int at = 0; at < 20'000; ++at)
        many["segments"].push_back({{"start", 1}, {"end", 2}, {"text", "a"}});
    EXPECT_LE(read_speech(many, duration).segments.size(), 5'000U);
}

net::http_response response(int status, std::string body) {
    return {.head = {.status = status, .headers = {}}, .body = std::move(body), .url = {}};
}

constexpr std::int64_t sound_milliseconds = 62'500;

TEST(SpeechReply, UsageIsTheServersOrTheSoundsLength) {
    const std::pair<const char*, std::int64_t> cases[] = {
        {R"({"text":"a"})", 62'500},
        {R"({"text":"a","usage":{"type":"duration","seconds":63}})", 63'000},
        {R"({"text":"a","usage":{"seconds":"62.25"}})", 62'250},
        // Beyond a minimum of some seconds, it is a mistake.
        {R"({"text":"a","usage":{"seconds":123}})", 62'500},
        {R"({"text":"a","usage":{"seconds":-1}})", 62'500},
        {R"({"text":"a","usage":7})", 62'500}};
    for (const auto& [body, milliseconds] : cases) {
        const auto reply = speech_reply(response(200, body), sound_milliseconds);
        ASSERT_TRUE(reply) << body;
        EXPECT_EQ(reply->audio_milliseconds, milliseconds) << body;
        EXPECT_FALSE(reply->used) << body;
    }
    const auto tokens = speech_reply(
        response(200, R"({"text":"a","usage":{"type":"tokens","input_tokens":30,"output_tokens":5,
                          "input_token_details":{"audio_tokens":28,"text_tokens":2}}})"),
        sound_milliseconds);
    ASSERT_TRUE(tokens);
    EXPECT_EQ(tokens->used->prompt, 30);
    EXPECT_EQ(tokens->used->output, 5);
}

TEST(SpeechReply, ATranscriptWithContentIsBilledEvenWithAnError) {
    for (const auto* body :
         {R"({"text":"a","error":{}})",
          R"({"segments":[],"error":""})",
          R"({"text":"a","error":{"message":"disk full"}})",
          R"({"text":"","segments":[{"text":"a"}],"error":"disk full"})"}) {
        const auto reply = speech_reply(response(200, body), sound_milliseconds);
        ASSERT_TRUE(reply) << body;
        EXPECT_EQ(reply->audio_milliseconds, sound_milliseconds) << body;
    }
    for (const auto* body :
         {R"({"error":{"code":429}})",
          R"({"text":" ","segments":[],"error":{"code":429}})",
          R"({"segments":[],"error":{"code":429}})"}) {
        const auto reply = speech_reply(response(200, body), sound_milliseconds);
        ASSERT_FALSE(reply) << body;
        EXPECT_EQ(reply.error().kind, failure_kind::rate_limited) << body;
    }
    EXPECT_THAT(
        speech_reply(response(200, R"({"text":"a","error":"disk full"})"), sound_milliseconds)
            ->detail,
        ::testing::HasSubstr("disk full"));
}

TEST(SpeechReply, WhatIsNoTranscriptMayBeBilled) {
    for (const auto* body :
         {"", "<html></html>", "{", "7", "[]", "{}", R"({"result":"ok"})", R"({"text":[]})"}) {
        const auto reply = speech_reply(response(200, body), sound_milliseconds);
        ASSERT_FALSE(reply) << body;
        EXPECT_EQ(reply.error().kind, failure_kind::transient) << body;
        EXPECT_TRUE(reply.error().may_be_billed) << body;
    }
}

TEST(SpeechFailure, TellsWhatTheServerDoesNotKnow) {
    struct test_case {
        int status;
        const char* body;
        failure_kind expected;
    };
    const test_case cases[] = {
        {400,
         R"({"error":{"message":"response_format 'verbose_json' is not compatible with 'x'"}})",
         failure_kind::schema_refused},
        {400,
         R"({"error":{"message":"Currently only support response_format: json"}})",
         failure_kind::schema_refused},
        {400,
         R"({"error":{"message":"Currently do not support verbose_json for Qwen3-ASR"}})",
         failure_kind::schema_refused},
        {422,
         R"({"detail":[{"loc":["body","timestamp_granularities[]"]}]})",
         failure_kind::schema_refused},
        {400,
         R"({"error":{"message":"Unrecognized request argument supplied: without_timestamps"}})",
         failure_kind::thinking_refused},
        {400, R"({"error":{"message":"Invalid API key"}})", failure_kind::misconfigured},
        {400, R"({"error":"failed to read audio"})", failure_kind::video_rejected},
        {415, R"({"detail":"Failed to decode audio"})", failure_kind::video_rejected},
        {401, R"({"error":{"message":"Incorrect API key"}})", failure_kind::unauthorized},
        {403, R"({"detail":"Invalid API key"})", failure_kind::misconfigured},
        {404, R"({"detail":"Model 'x' is not installed locally"})", failure_kind::misconfigured},
        {413, "<html></html>", failure_kind::request_too_large},
        {429, R"({"error":{"message":"slow down"}})", failure_kind::rate_limited},
        {500, "stof", failure_kind::server_fault},
        {503, "", failure_kind::overloaded},
    };
    for (const auto& expected : cases)
        EXPECT_EQ(speech_failure(response(expected.status, expected.body)).kind, expected.expected)
            << expected.status << ' ' << expected.body;
}

}  // namespace
}  // namespace reelsd::model
