// Goal: a client gets the answers that JSON-RPC 2.0 and the protocol require. Method: a fake
// server; latches hold calls.
#include "unit/cli/mcp_test_client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <latch>
#include <stdexcept>

namespace reelsd::cli::mcp {
namespace {

using ::testing::HasSubstr;

int code_in(const json& message) {
    return message.value("error", json::object()).value("code", 0);
}

void wait_for_stop(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock{mutex};
    never.wait(lock, stop, [] { return false; });
}

TEST(McpSession, NegotiatesTheRevision) {
    struct test_case {
        const char* requested;
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
    for (const auto& test : cases) {
        SCOPED_TRACE(test.requested);
        scripted_server server;
        test_client client{server};
        client.request(7, "initialize", {{"protocolVersion", test.requested}});
        const auto messages = client.sent();
        ASSERT_EQ(messages.size(), 1U);
        EXPECT_EQ(messages[0]["id"], 7);
        EXPECT_EQ(messages[0]["result"]["protocolVersion"], test.agreed);
        EXPECT_EQ(messages[0]["result"]["capabilities"].dump(), R"({"tools":{}})");
        EXPECT_EQ(messages[0]["result"]["serverInfo"]["name"], "reels");
        EXPECT_FALSE(messages[0]["result"]["instructions"].empty());
    }
}

TEST(McpSession, RequiresOneInitialization) {
    scripted_server server;
    test_client client{server};
    client.request(1, "ping");
    client.request(2, "tools/list");
    client.call(3, "usage", json::object());
    client.request(4, "initialize", json::object());
    auto messages = client.sent();
    ASSERT_EQ(messages.size(), 4U);
    EXPECT_EQ(messages[0].dump(), R"({"jsonrpc":"2.0","id":1,"result":{}})");
    EXPECT_EQ(code_in(messages[1]), -32600);
    EXPECT_EQ(code_in(messages[2]), -32600);
    EXPECT_EQ(code_in(messages[3]), -32602);
    client.initialize();
    client.request(5, "initialize", {{"protocolVersion", "2025-06-18"}});
    EXPECT_EQ(code_in(client.sent().at(0)), -32600);
}

TEST(McpSession, ReportsInvalidMessages) {
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
    test_client client{server};
    client.initialize();
    for (const auto& test : cases) {
        SCOPED_TRACE(test.name);
        client.target().take(test.line);
        const auto messages = client.sent();
        ASSERT_EQ(messages.size(), 1U);
        EXPECT_EQ(messages[0]["jsonrpc"], "2.0");
        EXPECT_EQ(code_in(messages[0]), test.code);
        EXPECT_EQ(messages[0]["id"].dump(), test.id);
        EXPECT_FALSE(messages[0]["error"]["message"].get<std::string>().empty());
    }
    const std::string deep(100000, '[');
    client.target().take(deep);
    client.target().refuse_long_line();
    const auto messages = client.sent();
    ASSERT_EQ(messages.size(), 2U);
    EXPECT_EQ(code_in(messages[0]), -32700);
    EXPECT_EQ(code_in(messages[1]), -32600);
}

TEST(McpSession, DoesNotAnswerNotifications) {
    scripted_server server;
    test_client client{server};
    client.initialize();
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
        client.target().take(line);
    }
    client.wait();
    EXPECT_TRUE(client.sent().empty());
}

TEST(McpSession, ListsToolsAsInTheRevision) {
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
    for (const auto& test : cases) {
        SCOPED_TRACE(test.revision);
        scripted_server server;
        server.on_usage = [](const usage_query&) { return answer_with(R"({"total_calls":0})"); };
        test_client client{server};
        client.initialize(test.revision);
        client.request(1, "tools/list");
        const auto tools = client.sent().at(0)["result"]["tools"];
        ASSERT_EQ(tools.size(), 6U);
        for (const auto& tool : tools) {
            EXPECT_EQ(tool["inputSchema"]["type"], "object");
            EXPECT_EQ(tool.contains("annotations"), test.has_annotations);
            EXPECT_EQ(tool.contains("outputSchema"), test.has_schemas_of_results);
            EXPECT_EQ(tool.contains("title"), test.has_schemas_of_results);
        }
        const auto result = client.result_of("usage", json::object());
        EXPECT_EQ(result["content"][0]["text"], R"({"total_calls":0})");
        EXPECT_EQ(result.contains("structuredContent"), test.has_schemas_of_results);
    }
}

TEST(McpSession, AnswersOtherRequestsDuringACall) {
    std::latch is_waiting{1};
    std::latch may_end{1};
    scripted_server server;
    server.on_await = [&](const job_wait& wait, const std::stop_token&) -> result<api_answer> {
        if (wait.id == 1) {
            is_waiting.count_down();
            may_end.wait();
        }
        return answer_with(R"({"id":1,"url":"","status":"done","created_at":""})");
    };
    test_client client{server};
    client.initialize();
    client.call("slow", "get_reel", {{"id", 1}});
    is_waiting.wait();
    client.request("ping", "ping");
    EXPECT_EQ(client.sent().at(0)["id"], "ping");
    client.call("slow", "get_reel", {{"id", 2}});
    const auto refused = client.sent();
    EXPECT_EQ(code_in(refused.at(0)), -32600) << "the id is in use";
    client.call("quick", "get_reel", {{"id", 2}});
    may_end.count_down();
    client.wait();
    EXPECT_EQ(client.sent().size(), 2U);
    client.call("slow", "get_reel", {{"id", 2}});
    client.wait();
    EXPECT_EQ(client.sent().at(0)["id"], "slow") << "the id is free again";
}

TEST(McpSession, StopsACancelledCallWithoutAnAnswer) {
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
        test_client client{server};
        client.initialize();
        client.call(id, "get_reel", {{"id", 1}}, {{"progressToken", 1}});
        is_waiting.wait();
        client.cancel("another");
        client.cancel(id);
        client.wait();
        EXPECT_TRUE(was_stopped);
        EXPECT_TRUE(client.sent().empty());
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
        session target{
            server,
            {.send = [&sent](std::string line) { sent.push_back(std::move(line)); },
             .note = [](std::string_view) {}}};
        target.take(R"({"jsonrpc":"2.0","id":0,"method":"initialize",)"
                    R"("params":{"protocolVersion":"2025-06-18"}})");
        target.take(R"({"jsonrpc":"2.0","id":1,"method":"tools/call",)"
                    R"("params":{"name":"get_reel","arguments":{"id":1}}})");
        is_waiting.wait();
    }
    EXPECT_EQ(sent.size(), 1U) << "the answer to initialize";
}

TEST(McpSession, LimitsConcurrentCalls) {
    constexpr auto calls_max = static_cast<int>(call_table::calls_max);
    std::latch may_end{1};
    scripted_server server;
    server.on_usage = [&](const usage_query&) {
        may_end.wait();
        return answer_with("{}");
    };
    test_client client{server};
    client.initialize();
    for (int id = 0; id < calls_max; ++id) client.call(id, "usage", json::object());
    EXPECT_TRUE(client.sent().empty());
    client.call("one more", "usage", json::object());
    const auto refused = client.sent().at(0);
    EXPECT_EQ(refused["id"], "one more");
    EXPECT_EQ(refused["result"]["isError"], true);
    EXPECT_THAT(refused["result"]["content"][0]["text"].get<std::string>(), HasSubstr("16 calls"));
    may_end.count_down();
    client.wait();
    EXPECT_EQ(client.sent().size(), call_table::calls_max);
    client.call("again", "usage", json::object());
    client.wait();
    EXPECT_EQ(client.sent().at(0)["result"]["isError"], false);
}

TEST(McpSession, ReportsProgress) {
    for (const bool has_messages : {false, true}) {
        scripted_server server;
        server.on_submit = [](const submission&, const std::stop_token&) {
            return answer_with(R"({"id":42,"status":"pending"})");
        };
        server.on_await = [](const job_wait& wait, const std::stop_token&) {
            const auto begin = monotonic_clock::now();
            while (monotonic_clock::now() - begin < std::chrono::milliseconds{3}) continue;
            wait.on_progress(
                {.id = 42, .status = "processing", .attempt = 2, .step = "down\x1b[2Jload"});
            while (monotonic_clock::now() - begin < std::chrono::milliseconds{6}) continue;
            wait.on_progress(
                {.id = 42, .status = "processing", .attempt = 2, .step = "down\x1b[2Jload"});
            wait.on_progress({.id = 42, .status = "done"});
            return answer_with(R"({"id":42,"url":"","status":"done","created_at":""})");
        };
        test_client client{server};
        client.initialize(has_messages ? "2025-06-18" : "2024-11-05");
        client.call(1, "analyze_reel", {{"url", "x"}}, {{"progressToken", "tok"}});
        client.wait();
        const auto messages = client.sent();
        ASSERT_EQ(messages.size(), 3U) << "only the answer reports the end; no text is repeated";
        double last = -1;
        for (const auto& message : {messages[0], messages[1]}) {
            EXPECT_EQ(message["method"], "notifications/progress");
            EXPECT_FALSE(message.contains("id"));
            EXPECT_EQ(message["params"]["progressToken"], "tok");
            EXPECT_GT(message["params"]["progress"].get<double>(), last);
            last = message["params"]["progress"].get<double>();
            EXPECT_EQ(message["params"].contains("message"), has_messages);
        }
        if (has_messages) {
            EXPECT_EQ(
                messages[1]["params"]["message"], "reel 42: processing (download, attempt 2), 0 s");
        }
        EXPECT_EQ(messages[2]["id"], 1) << "the answer comes last";
    }
}

TEST(McpSession, AnswersABatchWithOneArray) {
    scripted_server server;
    server.on_usage = [](const usage_query&) { return answer_with("{}"); };
    test_client client{server};
    client.initialize("2025-03-26");
    client.target().take(R"([{"jsonrpc":"2.0","id":1,"method":"ping"},
        {"jsonrpc":"2.0","method":"notifications/initialized"},
        {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"usage"}},
        {"jsonrpc":"2.0","id":3,"method":"nothing"}, 4])");
    client.wait();
    auto messages = client.sent();
    ASSERT_EQ(messages.size(), 1U);
    ASSERT_EQ(messages[0].size(), 4U);
    std::vector<std::string> ids;
    for (const auto& message : messages[0]) ids.push_back(message["id"].dump());
    EXPECT_THAT(ids, ::testing::UnorderedElementsAre("1", "2", "3", "null"));

    client.target().take(R"([{"jsonrpc":"2.0","method":"notifications/initialized"}])");
    EXPECT_TRUE(client.sent().empty());
    auto many = json::array();
    for (std::size_t count = 0; count <= batch_messages_max; ++count) many.push_back(count);
    client.send(many);
    messages = client.sent();
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(code_in(messages[0]), -32600);
    many.erase(0);
    client.send(many);
    EXPECT_EQ(client.sent().at(0).size(), batch_messages_max);
}

TEST(McpSession, AnExceptionOfAToolFailsOnlyItsCall) {
    scripted_server server;
    server.on_usage = [](const usage_query&) -> result<api_answer> {
        throw std::runtime_error{"secret"};
    };
    test_client client{server};
    client.initialize();
    client.call(1, "usage", json::object());
    client.wait();
    const auto messages = client.sent().at(0);
    EXPECT_EQ(code_in(messages), -32603);
    EXPECT_EQ(messages["error"]["message"], "internal error");
}

}  // namespace
}  // namespace reelsd::cli::mcp
