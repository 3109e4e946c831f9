// Goal: a paid, usable answer survives a stop, and nothing is paid after one. Method: the real
// analyzer against a scripted server; the stop comes when the answer is settled, or when the next
// request arrives. The media helper always fails.
#include "../model/answer_samples.hpp"
#include "builders.hpp"
#include "retry_loop_fakes.hpp"
#include "support/scripted_server.hpp"
#include <reelsd/media/media_client.hpp>
#include <reelsd/model/price_table.hpp>
#include <reelsd/model/remote_analyzer.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>

namespace reelsd::model {
namespace {

using test::scripted_server;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::event_list;
using ::testing::IsEmpty;

constexpr auto unchecked = "the model's answer was not checked against the video";

std::string response(std::string_view status, std::string_view body) {
    return fmt::format(
        "HTTP/1.1 {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}",
        status,
        body.size(),
        body);
}

std::string response_with(const json& answer, std::string_view finish_reason = "stop") {
    const json document = {
        {"choices",
         {{{"message", {{"content", answer.dump()}}}, {"finish_reason", finish_reason}}}},
        {"usage", {{"prompt_tokens", 100}, {"completion_tokens", 10}}}};
    return response("200 OK", document.dump());
}

/// Usable, but a second request is worth it.
json incomplete_answer() {
    auto answer = testing::good_answer();
    answer["content"].erase("summary");
    return answer;
}

/// Calls a function when a call is settled. `kept` is from earlier attempts.
class observed_ledger final : public call_ledger {
public:
    observed_ledger(
        event_list& events, std::function<void(const call_usage&)> on_settled, std::string kept)
        : booked_{events}, on_settled_{std::move(on_settled)}, kept_{std::move(kept)} {}

    result<std::int64_t> begin_call(
        std::string_view provider, std::string_view name, call_kind kind) override {
        return booked_.begin_call(provider, name, kind);
    }
    void settle(std::int64_t call, const call_usage& used) override {
        booked_.settle(call, used);
        on_settled_(used);
    }
    result<std::string> kept_answer(
        std::string_view /*provider*/, std::string_view /*model*/, call_kind /*kind*/) override {
        return kept_;
    }
    void release(std::int64_t call) override { booked_.release(call); }

private:
    testing::recording_ledger booked_;
    std::function<void(const call_usage&)> on_settled_;
    std::string kept_;
};

struct remote_analyzer_test : ::testing::Test {
    remote_analyzer_test() { video.file = file.path(); }

    analysis analyze_at(const std::string& origin, const std::function<void()>& on_settled) {
        openai_settings settings;
        settings.url = origin;
        settings.model = "m";
        settings.mode = openai_mode::video;
        const media::media_client media{{.helper = helper}};
        const auto analyzer = remote_analyzer::with_openai(
            settings,
            {.media = media, .prices = prices, .settings = {}, .log = log::logger::silent()});
        const auto note = [&](const call_usage& used) {
            settled = used;
            on_settled();
        };
        observed_ledger ledger{events, note, kept};
        auto outcome = analyzer->analyze(
            video, ledger, deadline::after(std::chrono::seconds{60}), stop.get_token());
        is_available = !analyzer->refusal();
        return outcome;
    }

    event_list events;
    std::string kept;           ///< The answers that earlier attempts have kept.
    call_usage settled;         ///< The last.
    bool is_available = false;  ///< Whether the analyzer accepts another video afterwards.
    std::stop_source stop;
    testing::scratch_file file{"bytes"};
    video_input video = testing::make_video();
    const char* helper = "/bin/false";
    price_table prices = price_table::parse(R"({"prices":[]})").value();
};

using RemoteAnalyzer = remote_analyzer_test;

TEST_F(RemoteAnalyzer, AFailedCheckKeepsTheAnswer) {
    const scripted_server server{[](scripted_server::connection& peer) {
        if (!peer.read_request().empty()) peer.write(response_with(testing::good_answer()));
    }};
    const auto outcome = analyze_at(server.origin(), [] {});
    ASSERT_TRUE(outcome) << outcome.error().why.to_string();
    EXPECT_THAT(outcome->warnings, Contains(unchecked));
}

TEST_F(RemoteAnalyzer, AnInvalidExtractIsRepairedOnce) {
    struct test_case {
        std::vector<const char*> extracts;
        const char* extract;
        const char* error;
    };
    const test_case cases[] = {
        {{R"({"a":1})"}, R"({"a":1})", ""},
        {{R"({"a":"x"})", R"({"a":2})"}, R"({"a":2})", ""},
        {{R"({"a":"x"})", R"({"a":true})", R"({"a":3})"},
         "",
         "The model's answer does not fit the schema: extract/a must be a whole number."},
    };
    video.options.schema =
        R"({"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]})";
    for (const auto& expected : cases) {
        std::atomic<std::size_t> asked{0};
        const scripted_server server{[&](scripted_server::connection& peer) {
            if (peer.read_request().empty()) return;
            auto answer = testing::good_answer();
            answer["extract"] = json::parse(expected.extracts.at(asked++));
            peer.write(response_with(answer));
        }};
        const auto outcome = analyze_at(server.origin(), [] {});
        ASSERT_TRUE(outcome) << outcome.error().why.to_string();
        EXPECT_EQ(outcome->extract, expected.extract);
        EXPECT_EQ(outcome->extract_error, expected.error);
        EXPECT_EQ(asked, std::min<std::size_t>(expected.extracts.size(), 2));
    }
}

// Goal: `extract_error` means that a repair was tried. Method: a stop before its request.
TEST_F(RemoteAnalyzer, AStopBeforeTheRepairLeavesItToTheNextAttempt) {
    video.options.schema =
        R"({"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]})";
    const scripted_server server{[](scripted_server::connection& peer) {
        if (peer.read_request().empty()) return;
        auto answer = testing::good_answer();
        answer["extract"] = {{"a", "x"}};
        peer.write(response_with(answer));
    }};
    const auto outcome = analyze_at(server.origin(), [this] { stop.request_stop(); });
    ASSERT_FALSE(outcome) << outcome->extract_error;
    EXPECT_EQ(outcome.error().why.code(), errc::cancelled);
    EXPECT_THAT(events.all(), ElementsAre("begin 1 openai/m", "settle 1"));
}

// Goal: an answer at the token limit is the video's fault, even when the model refuses a larger
// limit: other videos are still sent.
TEST_F(RemoteAnalyzer, ARefusedLargerTokenLimitEndsOnlyTheVideo) {
    for (const char* text :
         {"max_tokens is too large: 32768. This model supports at most 16384 completion tokens.",
          "This model's maximum context length is 32768 tokens. However, you requested 37768."}) {
        std::atomic<int> asked{0};
        const scripted_server server{[&](scripted_server::connection& peer) {
            if (peer.read_request().empty()) return;
            if (++asked == 1) return peer.write(response_with("{", "length"));
            const json fault{{"error", {{"message", text}, {"code", 400}}}};
            peer.write(response("400 Bad Request", fault.dump()));
        }};
        const auto outcome = analyze_at(server.origin(), [] {});
        ASSERT_FALSE(outcome) << text;
        EXPECT_EQ(outcome.error().why.code(), errc::model_refused) << text;
        EXPECT_TRUE(is_available) << text;
        EXPECT_EQ(asked, 2) << text;
    }
}

// Goal: a stop costs a result nothing. The daemon keeps the paid answers; a later attempt checks
// them, or has them repaired.
TEST_F(RemoteAnalyzer, AStopAfterTheAnswerLeavesTheCheckToTheNextAttempt) {
    const scripted_server server{[](scripted_server::connection& peer) {
        if (!peer.read_request().empty()) peer.write(response_with(testing::good_answer()));
    }};
    const auto outcome = analyze_at(server.origin(), [this] { stop.request_stop(); });
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().why.code(), errc::cancelled);
    EXPECT_THAT(events.all(), ElementsAre("begin 1 openai/m", "settle 1"));
}

TEST_F(RemoteAnalyzer, AStopBeforeTheSecondRequestLeavesItToTheNextAttempt) {
    const scripted_server server{[](scripted_server::connection& peer) {
        if (!peer.read_request().empty()) peer.write(response_with(incomplete_answer()));
    }};
    const auto outcome = analyze_at(server.origin(), [this] { stop.request_stop(); });
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().why.code(), errc::cancelled);
    EXPECT_THAT(events.all(), ElementsAre("begin 1 openai/m", "settle 1")) << "no second call";
}

// Otherwise each attempt after a wait would pay for an answer that is cut off.
TEST_F(RemoteAnalyzer, AnAttemptAfterAnAnswerThatWasCutOffRaisesTheTokenLimitAtOnce) {
    const scripted_server server{[](scripted_server::connection& peer) {
        const auto request = peer.read_request();
        if (request.empty()) return;
        const bool is_larger = request.find(R"("max_tokens":32768)") != std::string::npos;
        peer.write(
            is_larger ? response_with(testing::good_answer()) : response_with("{", "length"));
    }};
    ASSERT_FALSE(analyze_at(server.origin(), [this] { stop.request_stop(); }));
    kept = settled.kept_answer;
    stop = std::stop_source{};
    EXPECT_TRUE(analyze_at(server.origin(), [] {}));
    EXPECT_THAT(
        events.all(), ElementsAre("begin 1 openai/m", "settle 1", "begin 1 openai/m", "settle 1"));
}

TEST_F(RemoteAnalyzer, AStopDuringTheSecondRequestLeavesItToTheNextAttempt) {
    std::atomic<int> asked{0};
    const scripted_server server{[this, &asked](scripted_server::connection& peer) {
        if (peer.read_request().empty()) return;
        if (++asked == 1) return peer.write(response_with(incomplete_answer()));
        stop.request_stop();
        peer.wait_for_close();
    }};
    const auto outcome = analyze_at(server.origin(), [] {});
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().why.code(), errc::cancelled);
    EXPECT_THAT(events.all(), ElementsAre("begin 1 openai/m", "settle 1", "begin 2 openai/m"));
}

// Goal: a video is only at fault if it could be re-encoded, or cannot be decoded here either.
TEST_F(RemoteAnalyzer, AFailedReEncodingIsNotARefusal) {
    helper = "/bin/true";  // Writes no document.
    for (const bool stops : {false, true}) {
        const scripted_server server{[this, stops](scripted_server::connection& peer) {
            if (peer.read_request().empty()) return;
            if (stops) stop.request_stop();
            peer.write(response(
                "400 Bad Request", R"({"error":{"message":"The video is broken","code":400}})"));
        }};
        const auto outcome = analyze_at(server.origin(), [] {});
        ASSERT_FALSE(outcome);
        const auto& why = outcome.error().why;
        EXPECT_EQ(why.code(), stops ? errc::cancelled : errc::media_failed) << why.to_string();
    }
}

// Goal: sound is not removed before a model that may know its codec has refused it.
TEST_F(RemoteAnalyzer, SendsSoundThatCannotBeDecoded) {
    video.probe.audio_codec = "wavpack";
    video.probe.audio_is_decodable = false;
    const scripted_server server{[](scripted_server::connection& peer) {
        if (!peer.read_request().empty()) peer.write(response_with(testing::good_answer()));
    }};
    const auto outcome = analyze_at(server.origin(), [] {});
    ASSERT_TRUE(outcome) << "re-encoded: " << outcome.error().why.to_string();
    EXPECT_THAT(outcome->warnings, Contains("the sound (wavpack) cannot be decoded"));
}

TEST_F(RemoteAnalyzer, AStopBeforeTheRequestCostsNothing) {
    stop.request_stop();
    const scripted_server server{[](scripted_server::connection& /*peer*/) {}};
    const auto outcome = analyze_at(server.origin(), [] {});
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().why.code(), errc::cancelled);
    EXPECT_THAT(events.all(), IsEmpty());
}

}  // namespace
}  // namespace reelsd::model
