// Goal: a client gets the answers that JSON-RPC 2.0 and the protocol promise, whatever it sends and
// whatever is under way. Method: messages in, messages out, with a server that does what each test
// says; calls are held with latches, never with time.
#include "unit/cli/mcp_conversation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <latch>
#include <stdexcept>

namespace reelsd::cli::mcp {
namespace {

using testing::HasSubstr;

int code_in(const json& message) {
    return message.value("error", json::object()).value("code", 0);
}

void wait_for_stop(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock{mutex};
    never.wait(lock, stop, [] { return false; });
}

TEST(McpSession, AnswersWithTheRevisionThatTheClientSpeaks) {
    struct test_case {
        const char* asked_for;
        const char* agreed;
    };
    constexpr test_case cases[] = {
        {"2024-11-05", "2024-11-05"},
        {"2025-03-26", "2025-03-26"},
        {"2025-06-18", "2025-06-18"},
        {"2025-11-25", "2025-11-25"},
        {"2999-01-01", "2025-11-25"},
        {"", "2025-11-25"},
    };
    for (const auto& one : cases) {
        SCOPED_TRACE(one.asked_for);
        scripted_server server;
        conversation with{server};
        with.request(7, "initialize", {{"protocolVersion", one.asked_for}});
        const auto said = with.sent();
        ASSERT_EQ(said.size(), 1U);
        EXPECT_EQ(said[0]["id"], 7);
        EXPECT_EQ(said[0]["result"]["protocolVersion"], one.agreed);
        EXPECT_EQ(said[0]["result"]["capabilities"].dump(), R"({"tools":{}})");
        EXPECT_EQ(said[0]["result"]["serverInfo"]["name"], "reels");
        EXPECT_FALSE(said[0]["result"]["instructions"].empty());
    }
}

TEST(McpSession, WantsToBeIntroducedOnce) {
    scripted_server server;
    conversation with{server};
    with.request(1, "ping");
    with.request(2, "tools/list");
    with.call(3, "usage", json::object());
    with.request(4, "initialize", json::object());
    auto said = with.sent();
    ASSERT_EQ(said.size(), 4U);
    EXPECT_EQ(said[0].dump(), R"({"jsonrpc":"2.0","id":1,"result":{}})");
    EXPECT_EQ(code_in(said[1]), -32600);
    EXPECT_EQ(code_in(said[2]), -32600);
    EXPECT_EQ(code_in(said[3]), -32602);
    with.introduce();
    with.request(5, "initialize", {{"protocolVersion", "2025-06-18"}});
    EXPECT_EQ(code_in(with.sent().at(0)), -32600);
}

TEST(McpSession, SaysWhatIsWrongWithAMessage) {
    struct test_case {
        const char* name;
        const char* line;
        int code;
        const char* id;
    };
    constexpr test_case cases[] = {
        {"no JSON", "{", -32700, "null"},
        {"no UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", -32700, "null"},
        {"a number", "5", -32600, "null"},
        {"no version", R"({"id":1,"method":"ping"})", -32600, "1"},
        {"another version", R"({"jsonrpc":"1.0","id":"a","method":"ping"})", -32600, "\"a\""},
        {"no method", R"({"jsonrpc":"2.0","id":1})", -32600, "1"},
        {"method is no text", R"({"jsonrpc":"2.0","id":1,"method":5})", -32600, "1"},
        {"id is null", R"({"jsonrpc":"2.0","id":null,"method":"ping"})", -32600, "null"},
        {"id is a fraction", R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})", -32600, "null"},
        {"id is an object", R"({"jsonrpc":"2.0","id":{},"method":"ping"})", -32600, "null"},
        {"params is a list",
         R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[1]})",
         -32602,
         "1"},
        {"unknown method", R"({"jsonrpc":"2.0","id":1,"method":"tools/eat"})", -32601, "1"},
        {"resources", R"({"jsonrpc":"2.0","id":1,"method":"resources/list"})", -32601, "1"},
        {"a batch", R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])", -32600, "null"},
        {"an empty batch", "[]", -32600, "null"},
        {"a cursor",
         R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}})",
         -32602,
         "1"},
        {"no tool", R"({"jsonrpc":"2.0","id":1,"method":"tools/call"})", -32602, "1"},
        {"unknown tool",
         R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}})",
         -32602,
         "1"},
        {"arguments is a list",
         R"({"jsonrpc":"2.0","id":1,"method":"tools/call",)"
         R"("params":{"name":"usage","arguments":[]}})",
         -32602,
         "1"},
        {"token is an object",
         R"({"jsonrpc":"2.0","id":1,"method":"tools/call",)"
         R"("params":{"name":"usage","_meta":{"progressToken":{}}}})",
         -32602,
         "1"},
    };
    scripted_server server;
    conversation with{server};
    with.introduce();
    for (const auto& one : cases) {
        SCOPED_TRACE(one.name);
        with.talk().take(one.line);
        const auto said = with.sent();
        ASSERT_EQ(said.size(), 1U);
        EXPECT_EQ(said[0]["jsonrpc"], "2.0");
        EXPECT_EQ(code_in(said[0]), one.code);
        EXPECT_EQ(said[0]["id"].dump(), one.id);
        EXPECT_FALSE(said[0]["error"]["message"].get<std::string>().empty());
    }
    const std::string deep(100000, '[');
    with.talk().take(deep);
    with.talk().refuse_long_line();
    const auto said = with.sent();
    ASSERT_EQ(said.size(), 2U);
    EXPECT_EQ(code_in(said[0]), -32700);
    EXPECT_EQ(code_in(said[1]), -32600);
}

TEST(McpSession, KeepsSilentWhereNothingIsAsked) {
    scripted_server server;
    conversation with{server};
    with.introduce();
    for (const auto* line :
         {"",
          " \t\r",
          R"({"jsonrpc":"2.0","method":"notifications/initialized"})",
          R"({"jsonrpc":"2.0","method":"notifications/unheard_of","params":[1]})",
          R"({"jsonrpc":"2.0","method":"notifications/cancelled"})",
          R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}})",
          R"({"jsonrpc":"2.0","method":"tools/call","params":{"name":"usage"}})",
          R"({"jsonrpc":"2.0","id":1,"result":{}})",
          R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}})"}) {
        with.talk().take(line);
    }
    with.talk().wait_for_calls();
    EXPECT_TRUE(with.sent().empty());
}

TEST(McpSession, ShowsOfToolsWhatTheRevisionHas) {
    struct test_case {
        const char* revision;
        bool has_annotations;
        bool has_schemas_of_results;
    };
    constexpr test_case cases[] = {
        {"2024-11-05", false, false},
        {"2025-03-26", true, false},
        {"2025-06-18", true, true},
        {"2025-11-25", true, true}};
    for (const auto& one : cases) {
        SCOPED_TRACE(one.revision);
        scripted_server server;
        server.on_usage = [](const usage_query&) { return answer_with(R"({"total_calls":0})"); };
        conversation with{server};
        with.introduce(one.revision);
        with.request(1, "tools/list");
        const auto tools = with.sent().at(0)["result"]["tools"];
        ASSERT_EQ(tools.size(), 5U);
        for (const auto& shown : tools) {
            EXPECT_EQ(shown["inputSchema"]["type"], "object");
            EXPECT_EQ(shown.contains("annotations"), one.has_annotations);
            EXPECT_EQ(shown.contains("outputSchema"), one.has_schemas_of_results);
            EXPECT_EQ(shown.contains("title"), one.has_schemas_of_results);
        }
        const auto result = with.result_of("usage", json::object());
        EXPECT_EQ(result["content"][0]["text"], R"({"total_calls":0})");
        EXPECT_EQ(result.contains("structuredContent"), one.has_schemas_of_results);
    }
}

TEST(McpSession, AnswersOthersWhileACallIsUnderWay) {
    std::latch is_waiting{1};
    std::latch may_end{1};
    scripted_server server;
    server.on_await = [&](const job_wait& wanted, const std::stop_token&) -> result<api_answer> {
        if (wanted.id == 1) {
            is_waiting.count_down();
            may_end.wait();
        }
        return answer_with(R"({"id":1,"url":"","status":"done","created_at":""})");
    };
    conversation with{server};
    with.introduce();
    with.call("slow", "get_reel", {{"id", 1}});
    is_waiting.wait();
    with.request("ping", "ping");
    EXPECT_EQ(with.sent().at(0)["id"], "ping");
    with.call("slow", "get_reel", {{"id", 2}});
    const auto refused = with.sent();
    EXPECT_EQ(code_in(refused.at(0)), -32600) << "the id is in use";
    with.call("quick", "get_reel", {{"id", 2}});
    may_end.count_down();
    with.talk().wait_for_calls();
    EXPECT_EQ(with.sent().size(), 2U);
    with.call("slow", "get_reel", {{"id", 2}});
    with.talk().wait_for_calls();
    EXPECT_EQ(with.sent().at(0)["id"], "slow") << "free again";
}

TEST(McpSession, StopsACancelledCallAndDoesNotAnswerIt) {
    for (const auto& id : {json(5), json("five")}) {
        std::latch is_waiting{1};
        std::atomic<bool> was_stopped{false};
        scripted_server server;
        server.on_await = [&](const job_wait&, const std::stop_token& stop) -> result<api_answer> {
            is_waiting.count_down();
            wait_for_stop(stop);
            was_stopped = true;
            return error{errc::cancelled};
        };
        conversation with{server};
        with.introduce();
        with.call(id, "get_reel", {{"id", 1}}, {{"progressToken", 1}});
        is_waiting.wait();
        with.cancel("another");
        with.cancel(id);
        with.talk().wait_for_calls();
        EXPECT_TRUE(was_stopped);
        EXPECT_TRUE(with.sent().empty());
    }
}

TEST(McpSession, StopsItsCallsAtTheEnd) {
    std::latch is_waiting{1};
    scripted_server server;
    server.on_await = [&](const job_wait&, const std::stop_token& stop) -> result<api_answer> {
        is_waiting.count_down();
        wait_for_stop(stop);
        return error{errc::cancelled};
    };
    std::vector<std::string> sent;
    {
        session talk{
            server,
            {.send = [&sent](std::string line) { sent.push_back(std::move(line)); },
             .note = [](std::string_view) {}}};
        talk.take(R"({"jsonrpc":"2.0","id":0,"method":"initialize",)"
                  R"("params":{"protocolVersion":"2025-06-18"}})");
        talk.take(R"({"jsonrpc":"2.0","id":1,"method":"tools/call",)"
                  R"("params":{"name":"get_reel","arguments":{"id":1}}})");
        is_waiting.wait();
    }
    EXPECT_EQ(sent.size(), 1U) << "the introduction alone";
}

TEST(McpSession, TakesSoManyCallsAndNoMore) {
    constexpr auto calls_max = static_cast<int>(call_table::calls_max);
    std::latch may_end{1};
    scripted_server server;
    server.on_usage = [&](const usage_query&) {
        may_end.wait();
        return answer_with("{}");
    };
    conversation with{server};
    with.introduce();
    for (int id = 0; id < calls_max; ++id) with.call(id, "usage", json::object());
    EXPECT_TRUE(with.sent().empty());
    with.call("one more", "usage", json::object());
    const auto refused = with.sent().at(0);
    EXPECT_EQ(refused["id"], "one more");
    EXPECT_EQ(refused["result"]["isError"], true);
    EXPECT_THAT(refused["result"]["content"][0]["text"].get<std::string>(), HasSubstr("16 calls"));
    may_end.count_down();
    with.talk().wait_for_calls();
    EXPECT_EQ(with.sent().size(), call_table::calls_max);
    with.call("again", "usage", json::object());
    with.talk().wait_for_calls();
    EXPECT_EQ(with.sent().at(0)["result"]["isError"], false);
}

TEST(McpSession, TellsHowACallGetsOn) {
    for (const bool has_messages : {false, true}) {
        scripted_server server;
        server.on_submit = [](const submission&, const std::stop_token&) {
            return answer_with(R"({"id":42,"status":"pending"})");
        };
        server.on_await = [](const job_wait& wanted, const std::stop_token&) {
            const auto begin = monotonic_clock::now();
            while (monotonic_clock::now() - begin < std::chrono::milliseconds{3}) continue;
            wanted.on_progress(
                {.id = 42, .status = "processing", .attempt = 2, .step = "down\x1b[2Jload"});
            while (monotonic_clock::now() - begin < std::chrono::milliseconds{6}) continue;
            wanted.on_progress(
                {.id = 42, .status = "processing", .attempt = 2, .step = "down\x1b[2Jload"});
            wanted.on_progress({.id = 42, .status = "done"});
            return answer_with(R"({"id":42,"url":"","status":"done","created_at":""})");
        };
        conversation with{server};
        with.introduce(has_messages ? "2025-06-18" : "2024-11-05");
        with.call(1, "analyze_reel", {{"url", "x"}}, {{"progressToken", "tok"}});
        with.talk().wait_for_calls();
        const auto said = with.sent();
        ASSERT_EQ(said.size(), 3U) << "the answer alone reports the end; no text is repeated";
        double last = -1;
        for (const auto& one : {said[0], said[1]}) {
            EXPECT_EQ(one["method"], "notifications/progress");
            EXPECT_FALSE(one.contains("id"));
            EXPECT_EQ(one["params"]["progressToken"], "tok");
            EXPECT_GT(one["params"]["progress"].get<double>(), last);
            last = one["params"]["progress"].get<double>();
            EXPECT_EQ(one["params"].contains("message"), has_messages);
        }
        if (has_messages) {
            EXPECT_EQ(
                said[1]["params"]["message"], "reel 42: processing (download, attempt 2), 0 s");
        }
        EXPECT_EQ(said[2]["id"], 1) << "the answer comes last";
    }
}

TEST(McpSession, AnswersABatchWithOneArray) {
    scripted_server server;
    server.on_usage = [](const usage_query&) { return answer_with("{}"); };
    conversation with{server};
    with.introduce("2025-03-26");
    with.talk().take(R"([{"jsonrpc":"2.0","id":1,"method":"ping"},
        {"jsonrpc":"2.0","method":"notifications/initialized"},
        {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"usage"}},
        {"jsonrpc":"2.0","id":3,"method":"nothing"}, 4])");
    with.talk().wait_for_calls();
    auto said = with.sent();
    ASSERT_EQ(said.size(), 1U);
    ASSERT_EQ(said[0].size(), 4U);
    std::vector<std::string> ids;
    for (const auto& one : said[0]) ids.push_back(one["id"].dump());
    EXPECT_THAT(ids, testing::UnorderedElementsAre("1", "2", "3", "null"));

    with.talk().take(R"([{"jsonrpc":"2.0","method":"notifications/initialized"}])");
    EXPECT_TRUE(with.sent().empty());
    auto many = json::array();
    for (std::size_t count = 0; count <= batch_messages_max; ++count) many.push_back(count);
    with.tell(many);
    said = with.sent();
    ASSERT_EQ(said.size(), 1U);
    EXPECT_EQ(code_in(said[0]), -32600);
    many.erase(0);
    with.tell(many);
    EXPECT_EQ(with.sent().at(0).size(), batch_messages_max);
}

TEST(McpSession, AToolThatThrowsIsAnInternalErrorOfItsCall) {
    scripted_server server;
    server.on_usage = [](const usage_query&) -> result<api_answer> {
        throw std::runtime_error{"secret"};
    };
    conversation with{server};
    with.introduce();
    with.call(1, "usage", json::object());
    with.talk().wait_for_calls();
    const auto said = with.sent().at(0);
    EXPECT_EQ(code_in(said), -32603);
    EXPECT_EQ(said["error"]["message"], "internal error");
}

}  // namespace
}  // namespace reelsd::cli::mcp
