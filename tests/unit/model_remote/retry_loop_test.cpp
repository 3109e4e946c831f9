// Goal: every call is in the ledger before it is sent, and is released only if it cannot have been
// billed. Method: a scripted server on loopback; failures without pauses, and delays of 0 s.
#include "call_failure.hpp"
#include "retry_loop_fakes.hpp"
#include "support/scripted_server.hpp"
#include <reelsd/model/remote_analyzer.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

namespace reelsd::model {
namespace {

using namespace std::chrono_literals;
using test::scripted_server;
using ::testing::ElementsAre;
using testing::event_list;
using testing::fake_api;
using testing::fake_session;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::key;
using ::testing::Not;
using testing::recording_ledger;

/// Long enough for a busy machine: only a hang reaches it.
constexpr auto patience = 60s;

std::string response(int status, std::string_view body) {
    return fmt::format(
        "HTTP/1.1 {} X\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}",
        status,
        body.size(),
        body);
}

/// A retry loop and its server.
struct retry_loop_fixture : ::testing::Test {
    model_answer ask_at(
        const std::string& origin, const prepared_request& request = net::http_request{},
        int calls_left = 100) {
        fake_session session{origin + "/ask", made_request(request), text};
        recording_ledger ledger{events, calls_left};
        const fake_api api{model};
        auto answer =
            ask({.api = api.endpoint(),
                 .http = http,
                 .circuit = circuit,
                 .prices = prices,
                 .log = log,
                 .on_request = on_request,
                 .kind = kind},
                session,
                options,
                ledger,
                deadline::after(patience),
                stop.get_token());
        settled = ledger.settled;
        return answer;
    }

    /// Answers each request with the next of `answers`.
    [[nodiscard]] auto answering(std::vector<std::string> answers) {
        return [this, answers = std::move(answers)](scripted_server::connection& peer) {
            const auto request = peer.read_request();
            if (request.empty()) return;
            events.add("request");
            const auto next = served++;
            peer.write(answers.at(std::min<std::size_t>(next, answers.size() - 1)));
        };
    }

    event_list events;
    std::atomic<std::size_t> served{0};
    std::string model = "m";
    call_kind kind = call_kind::answer;
    std::string text = "question";
    request_options options;
    net::http_client http{{.policy = {.allow_private = true}}};
    circuit_breaker circuit;
    price_table prices =
        price_table::parse(
            R"({"prices":[{"model":"m","input":"0.75","cached":"0.075","output":"3.75"}]})")
            .value();
    log::logger log = log::logger::silent();
    std::vector<std::string> outcomes;
    request_observer on_request =
        [this](std::string_view provider, std::string_view of, std::string_view outcome) {
            outcomes.push_back(fmt::format("{}/{} {}", provider, of, outcome));
        };
    std::stop_source stop;
    std::optional<call_usage> settled;

private:
    static prepared_request made_request(const prepared_request& prepared) {
        if (!prepared) return prepared.error();
        auto request = *prepared;
        request.method = net::http_method::post;
        request.fresh_connection = true;
        return request;
    }
};

using RetryLoop = retry_loop_fixture;

TEST_F(RetryLoop, ACallIsBegunBeforeItIsSentAndSettledAtItsExactCost) {
    const scripted_server server{answering({response(200, "hello")})};
    const auto answer = ask_at(server.origin());
    ASSERT_TRUE(answer) << answer.error().why.detail;
    EXPECT_EQ(answer->text, "hello");
    EXPECT_THAT(events.all(), ElementsAre("begin 1 fake/m", "request", "settle 1"));
    ASSERT_TRUE(settled);
    EXPECT_EQ(settled->tokens.prompt, 1000);
    EXPECT_EQ(settled->cost_picodollars, 900 * 750'000 + 100 * 75'000 + 10 * 3'750'000);
    EXPECT_THAT(outcomes, ElementsAre("fake/m answered"));
    EXPECT_TRUE(circuit.has_succeeded());
}

TEST_F(RetryLoop, AReturnedKeyIsMasked) {
    const scripted_server server{answering({response(200, "hello")})};
    const auto answer = ask_at(server.origin());
    ASSERT_TRUE(answer);
    EXPECT_EQ(settled->response_id, "response of ***");
    EXPECT_EQ(answer->detail, "detail of ***");
    const scripted_server refusing{answering({response(400, "")})};
    const auto refused = ask_at(refusing.origin());
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().why.detail, Not(HasSubstr(std::string{key})));
}

TEST_F(RetryLoop, AnUnknownCostIsAbsent) {
    model = "unpriced";
    const scripted_server server{answering({response(200, "hello")})};
    ASSERT_TRUE(ask_at(server.origin()));
    ASSERT_TRUE(settled);
    EXPECT_EQ(settled->tokens.prompt, 1000);
    EXPECT_EQ(settled->cost_picodollars, std::nullopt);
}

TEST_F(RetryLoop, AnAnswerWithoutCountsIsSettledAtAnUnknownCost) {
    const scripted_server server{answering({response(200, "no counts")})};
    ASSERT_TRUE(ask_at(server.origin()));
    EXPECT_THAT(events.all(), ElementsAre("begin 1 fake/m", "request", "settle 1"));
    EXPECT_EQ(settled->cost_picodollars, std::nullopt);
    EXPECT_EQ(settled->tokens.prompt, 0);
}

TEST_F(RetryLoop, ARefusalOverHttpIsReleased) {
    const scripted_server server{answering({response(400, "")})};
    const auto answer = ask_at(server.origin());
    ASSERT_FALSE(answer);
    EXPECT_EQ(name_of(answer.error().why.kind), "video_rejected");
    EXPECT_THAT(events.all(), ElementsAre("begin 1 fake/m", "request", "release 1"));
    EXPECT_THAT(outcomes, ElementsAre("fake/m video_rejected"));
}

TEST_F(RetryLoop, AnUnreadableAnswerRemainsCounted) {
    const scripted_server server{answering({response(502, "")})};
    const auto answer = ask_at(server.origin());
    ASSERT_FALSE(answer);
    EXPECT_THAT(events.all(), ElementsAre("begin 1 fake/m", "request"));
}

// A gateway that answers before it has the whole request has not forwarded it.
TEST_F(RetryLoop, AGatewaysFailureBeforeTheWholeRequestIsReleased) {
    text.assign(std::size_t{16} * 1024 * 1024, 'x');  // More than sockets buffer.
    const scripted_server server{[](scripted_server::connection& peer) {
        char head = 0;
        if (::recv(peer.socket(), &head, 1, 0) == 1) peer.write(response(502, ""));
    }};
    on_request = [this](std::string_view, std::string_view, std::string_view) {
        stop.request_stop();
    };
    ASSERT_FALSE(ask_at(server.origin()));
    EXPECT_THAT(events.all(), ElementsAre("begin 1 fake/m", "release 1"));
}

TEST_F(RetryLoop, ARefusedConnectionIsReleasedEachTime) {
    std::string origin;
    {
        const scripted_server gone{[](scripted_server::connection&) {}};
        origin = gone.origin();
    }
    // Stopped after the first failure, so it does not wait for a pause.
    on_request = [this](std::string_view, std::string_view, std::string_view) {
        stop.request_stop();
    };
    const auto answer = ask_at(origin);
    ASSERT_FALSE(answer);
    EXPECT_THAT(events.all(), ElementsAre("begin 1 fake/m", "release 1"));
}

TEST_F(RetryLoop, ABrokenConnectionAfterTheWholeRequestRemainsCounted) {
    const scripted_server server{[this](scripted_server::connection& peer) {
        if (!peer.read_request().empty()) events.add("request");
    }};
    on_request = [this](std::string_view, std::string_view, std::string_view) {
        stop.request_stop();
    };
    const auto answer = ask_at(server.origin());
    ASSERT_FALSE(answer);
    EXPECT_THAT(events.all(), ElementsAre("begin 1 fake/m", "request"));
}

// Goal: a server that fails after each whole request does not use up the paid calls of a job.
TEST_F(RetryLoop, ABrokenConnectionAfterTheWholeRequestIsTriedTwice) {
    const scripted_server server{[this](scripted_server::connection& peer) {
        if (!peer.read_request().empty()) events.add("request");
    }};
    const auto answer = ask_at(server.origin());
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().why.kind, failure_kind::transient);
    EXPECT_THAT(
        events.all(), ElementsAre("begin 1 fake/m", "request", "begin 2 fake/m", "request"));
}

TEST_F(RetryLoop, ATruncatedResponseRemainsCounted) {
    const scripted_server server{answering({"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhal"})};
    on_request = [this](std::string_view, std::string_view, std::string_view) {
        stop.request_stop();
    };
    const auto answer = ask_at(server.origin());
    ASSERT_FALSE(answer);
    EXPECT_THAT(events.all(), ElementsAre("begin 1 fake/m", "request"));
}

TEST_F(RetryLoop, ABusyProviderIsTriedFiveTimesWithACallEach) {
    const scripted_server server{answering(
        {response(503, ""),
         response(503, ""),
         response(503, ""),
         response(503, ""),
         response(200, "hello")})};
    const auto answer = ask_at(server.origin());
    ASSERT_TRUE(answer);
    EXPECT_EQ(served, 5U);
    EXPECT_THAT(
        events.all(),
        ElementsAre(
            "begin 1 fake/m",
            "request",
            "release 1",
            "begin 2 fake/m",
            "request",
            "release 2",
            "begin 3 fake/m",
            "request",
            "release 3",
            "begin 4 fake/m",
            "request",
            "release 4",
            "begin 5 fake/m",
            "request",
            "settle 5"));
    EXPECT_THAT(outcomes, ::testing::SizeIs(5));
}

TEST_F(RetryLoop, AnAnswerThatIsBrokenOffIsBilledAndTriedTwice) {
    const scripted_server server{answering({response(200, "broken off")})};
    const auto answer = ask_at(server.origin());
    ASSERT_FALSE(answer);
    EXPECT_EQ(name_of(answer.error().why.kind), "transient");
    EXPECT_THAT(
        events.all(),
        ElementsAre(
            "begin 1 fake/m", "request", "settle 1", "begin 2 fake/m", "request", "settle 2"));
    EXPECT_THAT(outcomes, ElementsAre("fake/m transient", "fake/m transient"));
}

TEST_F(RetryLoop, ABusyProviderIsGivenUpAfterFiveTries) {
    const scripted_server server{answering({response(503, "")})};
    const auto answer = ask_at(server.origin());
    ASSERT_FALSE(answer);
    EXPECT_EQ(name_of(answer.error().why.kind), "overloaded");
    EXPECT_FALSE(answer.error().asked_to_wait);
    EXPECT_EQ(served, 5U);
}

TEST_F(RetryLoop, ALongDelayReturnsTheJobAndOpensTheCircuit) {
    const scripted_server server{answering({response(429, "61")})};
    const auto first = ask_at(server.origin());
    ASSERT_FALSE(first);
    EXPECT_TRUE(first.error().asked_to_wait);
    EXPECT_EQ(first.error().not_before, seconds_f{61});
    const auto answer = ask_at(server.origin());
    ASSERT_FALSE(answer);
    EXPECT_EQ(served, 1U) << "the second request was rejected";
    EXPECT_EQ(name_of(answer.error().why.kind), "overloaded");
    EXPECT_TRUE(answer.error().asked_to_wait);
    EXPECT_THAT(events.all(), ElementsAre("begin 1 fake/m", "request", "release 1"));
}

TEST_F(RetryLoop, AWrongKeyIsNotRetried) {
    const scripted_server server{answering({response(401, "")})};
    const auto answer = ask_at(server.origin());
    ASSERT_FALSE(answer);
    EXPECT_EQ(served, 1U);
    EXPECT_TRUE(circuit.admit(circuit_breaker::clock::now()));
}

TEST_F(RetryLoop, ARefusedTokenLimitIsMisconfiguredUnlessItIsTheLargerOne) {
    const scripted_server server{answering({response(422, "")})};
    options.larger_cap = true;
    EXPECT_EQ(ask_at(server.origin()).error().why.kind, failure_kind::limit_too_large);
    options.larger_cap = false;
    EXPECT_EQ(ask_at(server.origin()).error().why.kind, failure_kind::misconfigured);
    EXPECT_EQ(served, 2U);
    EXPECT_THAT(outcomes, ElementsAre("fake/m limit_too_large", "fake/m misconfigured"));
    const auto rejection = circuit.admit(circuit_breaker::clock::now());
    ASSERT_TRUE(rejection);
    EXPECT_TRUE(rejection->is_misconfigured);
}

TEST_F(RetryLoop, AKeyThatHasWorkedIsRetriedOnce) {
    circuit.succeeded();
    const scripted_server once{answering({response(401, ""), response(200, "hello")})};
    EXPECT_TRUE(ask_at(once.origin()));
    served = 0;
    const scripted_server always{answering({response(401, "")})};
    EXPECT_FALSE(ask_at(always.origin()));
    EXPECT_EQ(served, 2U);
}

TEST_F(RetryLoop, WithoutCallsLeftNothingIsSent) {
    const scripted_server server{answering({response(200, "hello")})};
    on_request = [this](std::string_view, std::string_view, std::string_view outcome) {
        events.add(std::string{outcome});
    };
    const auto answer = ask_at(server.origin(), net::http_request{}, 0);
    ASSERT_FALSE(answer);
    EXPECT_EQ(name_of(answer.error().why.kind), "no_calls_left");
    EXPECT_EQ(served, 0U);
    EXPECT_THAT(events.all(), IsEmpty());
}

TEST_F(RetryLoop, ATranscriptThatCannotBeRetriedHasTheCauseOfTheFirstFailure) {
    const scripted_server server{answering({response(503, "")})};
    const auto answer = ask_at(server.origin(), net::http_request{}, 1);
    ASSERT_FALSE(answer);
    EXPECT_EQ(name_of(answer.error().why.kind), "no_calls_left");

    kind = call_kind::transcription;
    const auto transcript = ask_at(server.origin(), net::http_request{}, 1);
    ASSERT_FALSE(transcript);
    EXPECT_EQ(name_of(transcript.error().why.kind), "overloaded");
}

TEST_F(RetryLoop, AFailedPreparationIsNoCall) {
    on_request = [this](std::string_view, std::string_view, std::string_view outcome) {
        events.add(std::string{outcome});
    };
    const auto answer =
        ask_at("http://127.0.0.1:1", call_failure{.kind = failure_kind::storage, .detail = "disk"});
    ASSERT_FALSE(answer);
    EXPECT_EQ(name_of(answer.error().why.kind), "storage");
    EXPECT_THAT(events.all(), IsEmpty());
    EXPECT_FALSE(circuit.admit(circuit_breaker::clock::now())) << "not the provider's fault";
}

TEST_F(RetryLoop, IsCancelledWhileItWaitsForTheAnswer) {
    const scripted_server server{[this](scripted_server::connection& peer) {
        if (peer.read_request().empty()) return;
        events.add("request");
        stop.request_stop();
        peer.wait_for_close();
    }};
    const auto answer = ask_at(server.origin());
    ASSERT_FALSE(answer);
    EXPECT_EQ(name_of(answer.error().why.kind), "cancelled");
    EXPECT_THAT(events.all(), ElementsAre("begin 1 fake/m", "request")) << "it may be billed";
}

TEST_F(RetryLoop, IsCancelledInThePauseBetweenTries) {
    // The pause would take 40 s.
    const scripted_server server{answering({response(429, "40")})};
    on_request = [this](std::string_view, std::string_view, std::string_view) {
        stop.request_stop();
    };
    const auto answer = ask_at(server.origin());
    ASSERT_FALSE(answer);
    EXPECT_EQ(name_of(answer.error().why.kind), "cancelled");
    EXPECT_EQ(served, 1U);
    EXPECT_THAT(events.all(), ElementsAre("begin 1 fake/m", "request", "release 1"));
}

TEST_F(RetryLoop, AnExceptionDoesNotLeaveOthersWaiting) {
    const circuit_breaker::clock::time_point long_ago{};
    circuit.open_for(1s, long_ago);
    const scripted_server server{answering({response(400, "")})};
    // This request is the probe.
    on_request = [](std::string_view, std::string_view, std::string_view) {
        throw std::runtime_error{"no memory"};
    };
    EXPECT_THROW(static_cast<void>(ask_at(server.origin())), std::runtime_error);
    EXPECT_FALSE(circuit.admit(circuit_breaker::clock::now()));
}

TEST(SleepWithin, EndsAtOnceIfTheDeadlineIsEarlier) {
    EXPECT_FALSE(sleep_within(seconds_f{3600}, deadline::after(1s), {}));
    EXPECT_TRUE(sleep_within(seconds_f{0}, deadline::after(patience), {}));
    EXPECT_TRUE(sleep_within(seconds_f{-5}, deadline::after(patience), {}));
    std::stop_source stop;
    stop.request_stop();
    EXPECT_FALSE(sleep_within(seconds_f{30}, deadline::after(patience), stop.get_token()));
}

}  // namespace
}  // namespace reelsd::model
