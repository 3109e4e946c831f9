// Goal: each tool passes its arguments to the server, and a model can act on each result. Method:
// calls through a session with a fake server.
#include "unit/cli/mcp_test_client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <set>

namespace reelsd::cli::mcp {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* pending = R"({"id":42,"status":"pending"})";
constexpr const char* processing =
    R"({"id":42,"url":"l","status":"processing","created_at":"2026-05-22T10:00:00Z"})";
constexpr const char* done =
    R"({"id":42,"url":"l","status":"done","created_at":"2026-05-22T10:00:00Z","result":{}})";
constexpr const char* unavailable =
    R"({"id":42,"url":"l","status":"error","created_at":"2026-05-22T10:00:00Z",)"
    R"("error_code":"unavailable","error":"Video is not available: private.\n"})";

std::string text_in(const json& result) {
    return result.at("content").at(0).at("text").get<std::string>();
}

std::function<result<api_answer>(const submission&, const std::stop_token&)> queued(
    submission* seen = nullptr) {
    return [seen](const submission& options, const std::stop_token&) -> result<api_answer> {
        if (seen != nullptr) *seen = options;
        return answer_with(pending);
    };
}

std::function<result<api_answer>(const job_wait&, const std::stop_token&)> answers_with(
    const char* job, job_wait* seen = nullptr) {
    return [job, seen](const job_wait& wait, const std::stop_token&) -> result<api_answer> {
        if (seen != nullptr) *seen = wait;
        return answer_with(job);
    };
}

class McpTools : public ::testing::Test {
protected:
    void SetUp() override { client.initialize(); }

    scripted_server server;
    test_client client{server};
};

TEST_F(McpTools, AnalyzeReelSubmitsAndWaits) {
    submission submitted;
    job_wait watched;
    server.on_submit = queued(&submitted);
    server.on_await = answers_with(done, &watched);
    const auto result = client.result_of("analyze_reel", {{"url", "link"}});
    EXPECT_EQ(result["isError"], false);
    EXPECT_EQ(text_in(result), done) << "unchanged";
    EXPECT_EQ(result["structuredContent"], json::parse(done));
    EXPECT_EQ(submitted.link, "link");
    EXPECT_FALSE(submitted.fresh);
    EXPECT_EQ(submitted.idempotency_key, std::nullopt) << "the client generates one";
    EXPECT_EQ(watched.id, 42);
    // Less, because the wait ends at a time after the start of the call.
    EXPECT_LT(watched.at_most, wait_default_of_calls);
    EXPECT_GT(watched.at_most, wait_default_of_calls / 2);

    client.result_of("analyze_reel", {{"url", "link"}, {"fresh", true}, {"wait_seconds", 600}});
    EXPECT_TRUE(submitted.fresh);
    EXPECT_LT(watched.at_most, std::chrono::seconds{600});
    EXPECT_GT(watched.at_most, wait_default_of_calls);
}

TEST_F(McpTools, AnalyzeReelPassesTheOptionsOfTheAnalysis) {
    submission submitted;
    server.on_submit = queued(&submitted);
    server.on_await = answers_with(
        R"({"id":42,"url":"l","status":"done","result":{},"extract":{"name":"Pancakes"}})");
    const auto result = client.result_of(
        "analyze_reel",
        {{"url", "link"},
         {"language", "de"},
         {"instructions", "tools"},
         {"extract", "recipe"},
         {"analyzer", "gemini"}});
    EXPECT_EQ(result["structuredContent"]["extract"]["name"], "Pancakes");
    EXPECT_EQ(
        submitted.analysis.members().dump(),
        R"({"language":"de","instructions":"tools","extract":"recipe","analyzer":"gemini"})");
    client.result_of("analyze_reel", {{"url", "link"}, {"extract", {{"type", "object"}}}});
    EXPECT_EQ(submitted.analysis.members().dump(), R"({"extract":{"type":"object"}})");
    for (const auto& unused : {json(nullptr), json("")}) {
        const auto answer = client.result_of(
            "analyze_reel",
            {{"url", "link"},
             {"path", unused},
             {"language", unused},
             {"instructions", unused},
             {"extract", unused},
             {"analyzer", unused}});
        EXPECT_EQ(answer["isError"], false);
        EXPECT_EQ(submitted.analysis.members().dump(), "{}");
    }
}

TEST_F(McpTools, GetReelAddsFramesOfKeyMoments) {
    server.on_await = answers_with(R"({"id":42,"url":"l","status":"done","result":{"content":
        {"key_moments":[{"seconds":1.5,"description":"a","frame":"/f/0"},{"description":"none"},
        {"seconds":65,"description":"c","frame":"/f/2"},
        {"seconds":70,"description":"d","frame":"/f/3"}]}}})");
    std::vector<std::size_t> read;
    server.on_frame = [&](std::int64_t id, std::size_t number) -> reelsd::result<std::string> {
        EXPECT_EQ(id, 42);
        read.push_back(number);
        if (number == 2) return error{errc::not_found, "not found (HTTP 404)"};
        return std::string{"JPEG"};
    };
    EXPECT_EQ(client.result_of("get_reel", {{"id", 42}})["content"].size(), 1U);
    EXPECT_TRUE(read.empty()) << "only on request";
    const auto content = client.result_of("get_reel", {{"id", 42}, {"frames", 2}})["content"];
    EXPECT_EQ(read, (std::vector<std::size_t>{0, 2}));
    ASSERT_EQ(content.size(), 4U);
    EXPECT_EQ(content[1]["text"], "The picture of key moment 3 is missing: not found (HTTP 404)");
    EXPECT_EQ(content[2]["text"], "Key moment 1 at 00:01: a");
    EXPECT_EQ(content[3].dump(), R"({"type":"image","data":"SlBFRw==","mimeType":"image/jpeg"})");
    read.clear();
    client.result_of("get_reel", {{"id", 42}, {"frames", 10}});
    EXPECT_EQ(read, (std::vector<std::size_t>{0, 2, 3}));

    server.on_await = answers_with(done);
    EXPECT_EQ(
        client.result_of("get_reel", {{"id", 42}, {"frames", 1}})["content"][1]["text"],
        "This reel has no pictures of key moments.");
    server.on_await = answers_with(processing);
    EXPECT_EQ(client.result_of("get_reel", {{"id", 42}, {"frames", 1}})["content"].size(), 1U);
}

TEST_F(McpTools, AskReelsAsksTheLibraryOrOneReel) {
    question seen;
    server.on_ask = [&](const question& asked) {
        seen = asked;
        return answer_with(R"({"answered":false,"answer":"no","citations":[],"cost_usd":0.10})");
    };
    const auto result = client.result_of(
        "ask_reels", {{"question", "how much?"}, {"limit", 3}, {"author", "some.one"}});
    EXPECT_EQ(result["isError"], false);
    EXPECT_EQ(
        text_in(result), R"({"answered":false,"answer":"no","citations":[],"cost_usd":0.10})");
    EXPECT_EQ(seen.text, "how much?");
    EXPECT_EQ(seen.reel, std::nullopt);
    EXPECT_EQ(seen.limit, 3);
    EXPECT_EQ(seen.author, "some.one");
    client.result_of("ask_reels", {{"question", "how much?"}, {"id", 42}, {"limit", 8}});
    EXPECT_EQ(seen.reel, 42);
    EXPECT_EQ(seen.limit, std::nullopt) << "models fill in defaults";
}

TEST_F(McpTools, AnalyzeReelUploadsAFile) {
    std::filesystem::path file;
    submission submitted;
    server.on_submit_file = [&](const std::filesystem::path& path, const submission& options) {
        file = path;
        submitted = options;
        return answer_with(pending);
    };
    server.on_await = answers_with(done);
    auto result = client.result_of("analyze_reel", {{"path", "/home/ann/my clip.mp4"}});
    EXPECT_EQ(result["isError"], false);
    EXPECT_EQ(result["structuredContent"], json::parse(done));
    EXPECT_EQ(file, "/home/ann/my clip.mp4");
    EXPECT_EQ(submitted.link, "");
    client.result_of("analyze_reel", {{"path", "/a.mp4"}, {"url", "link"}, {"fresh", true}});
    EXPECT_EQ(file, "/a.mp4");
    EXPECT_EQ(submitted.link, "link");
    EXPECT_TRUE(submitted.fresh);
    client.call(
        1, "analyze_reel", {{"path", "/a.mp4"}, {"wait_seconds", 0}}, {{"progressToken", "t"}});
    client.wait();
    const auto messages = client.sent();
    ASSERT_EQ(messages.size(), 2U) << "the last byte is not reported";
    EXPECT_EQ(messages[0]["params"]["message"], "uploading, 25 %, 0 s");

    server.on_submit_file = [](const std::filesystem::path&,
                               const submission&) -> reelsd::result<api_answer> {
        return error{errc::storage_failed, "/none.mp4 cannot be read: No such file or directory"};
    };
    result = client.result_of("analyze_reel", {{"path", "/none.mp4"}});
    EXPECT_EQ(result["isError"], true);
    EXPECT_EQ(text_in(result), "/none.mp4 cannot be read: No such file or directory");
}

TEST_F(McpTools, AnUnfinishedReelSaysHowToContinue) {
    server.on_submit = queued();
    server.on_await = answers_with(processing);
    for (const auto* tool : {"analyze_reel", "get_reel"}) {
        const json arguments =
            tool == std::string_view{"get_reel"} ? json{{"id", 42}} : json{{"url", "link"}};
        const auto result = client.result_of(tool, arguments);
        EXPECT_EQ(result["isError"], false);
        const auto& job = result["structuredContent"];
        EXPECT_EQ(job["status"], "processing");
        EXPECT_THAT(
            job["hint"].get<std::string>(), AllOf(HasSubstr("get_reel"), HasSubstr("id 42")));
        EXPECT_EQ(json::parse(text_in(result)), job);
    }
}

TEST_F(McpTools, AFailedAnalysisIsAnErrorWithTextAndJson) {
    server.on_submit = queued();
    server.on_await = answers_with(unavailable);
    const auto result = client.result_of("analyze_reel", {{"url", "link"}});
    EXPECT_EQ(result["isError"], true);
    EXPECT_EQ(
        text_in(result),
        "The analysis of reel 42 ended in an error: Video is not available: private "
        "(unavailable). Submitting it again would end the same way.");
    EXPECT_EQ(result["content"][1]["text"], unavailable);
    EXPECT_EQ(result["structuredContent"]["error_code"], "unavailable");

    server.on_await = answers_with(
        R"({"id":7,"url":"l","status":"error","error_code":"rate_limited","retryable":true})");
    EXPECT_THAT(
        text_in(client.result_of("get_reel", {{"id", 7}})),
        HasSubstr("may succeed when it is submitted again."));
    server.on_await = answers_with(
        R"({"id":7,"url":"l","status":"error","error_code":"rate_limited","retryable":true,
            "finished_at":"2100-01-01T00:00:00Z","retry_after_seconds":5})");
    EXPECT_THAT(
        text_in(client.result_of("get_reel", {{"id", 7}})),
        ::testing::ContainsRegex("submitted again in [0-9]+ seconds"));
}

TEST_F(McpTools, FailuresNameTheRemedy) {
    struct test_case {
        errc code;
        const char* advice;
    };
    constexpr test_case cases[] = {
        {errc::unauthorized, "REELS_TOKEN"},
        {errc::not_found, "list_reels"},
        {errc::limit_reached, "wait before you call again"},
        {errc::connection_failed, "REELS_SERVER"},
        {errc::timed_out, "REELS_SERVER"},
        {errc::internal, "try again later"},
        {errc::invalid_argument, "the server's words"},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(test.advice);
        server.on_await = [&test](const job_wait&, const std::stop_token&) -> result<api_answer> {
            return error{test.code, "the server's words"};
        };
        const auto result = client.result_of("get_reel", {{"id", 42}});
        EXPECT_EQ(result["isError"], true);
        EXPECT_FALSE(result.contains("structuredContent"));
        EXPECT_THAT(
            text_in(result), AllOf(HasSubstr("the server's words"), HasSubstr(test.advice)));
    }
}

TEST_F(McpTools, AFailedWaitReportsTheId) {
    server.on_submit = queued();
    server.on_await = [](const job_wait&, const std::stop_token&) -> result<api_answer> {
        return error{errc::connection_failed, "no answer"};
    };
    const auto result = client.result_of("analyze_reel", {{"url", "link"}});
    EXPECT_EQ(result["isError"], true);
    EXPECT_THAT(text_in(result), AllOf(HasSubstr("has id 42"), HasSubstr("no answer")));
}

TEST_F(McpTools, ARejectedSubmissionIsAnError) {
    server.on_submit = [](const submission&, const std::stop_token&) -> result<api_answer> {
        return error{errc::limit_reached, "limit of 3 jobs reached (HTTP 429)"};
    };
    const auto refused = client.result_of("analyze_reel", {{"url", "link"}});
    EXPECT_EQ(refused["isError"], true);
    EXPECT_THAT(text_in(refused), HasSubstr("limit of 3 jobs reached (HTTP 429)"));

    server.on_submit = [](const submission&, const std::stop_token&) -> result<api_answer> {
        return answer_with("{}");
    };
    EXPECT_EQ(client.result_of("analyze_reel", {{"url", "link"}})["isError"], true);
}

TEST_F(McpTools, GetReelWaitsOnlyOnRequest) {
    job_wait watched;
    server.on_await = answers_with(done, &watched);
    client.result_of("get_reel", {{"id", 42}});
    EXPECT_EQ(watched.id, 42);
    EXPECT_EQ(watched.at_most, std::chrono::seconds{0});
    client.result_of("get_reel", {{"id", 42.0}, {"wait_seconds", 7}});
    EXPECT_EQ(watched.id, 42);
    EXPECT_EQ(watched.at_most, std::chrono::seconds{7});
    client.result_of("get_reel", {{"id", std::numeric_limits<std::int64_t>::max()}});
    EXPECT_EQ(watched.id, std::numeric_limits<std::int64_t>::max());
}

TEST_F(McpTools, SearchListAndUsagePassTheirArguments) {
    std::string words;
    std::optional<int> limit;
    server.on_search = [&](const std::string& query, std::optional<int> most) {
        words = query;
        limit = most;
        return answer_with(R"([{"id":1}])");
    };
    EXPECT_EQ(
        client.result_of("search_reels", {{"query", "quick pasta"}})["structuredContent"].dump(),
        R"({"hits":[{"id":1}]})");
    EXPECT_EQ(words, "quick pasta");
    EXPECT_EQ(limit, std::nullopt);
    client.result_of("search_reels", {{"query", "x"}, {"limit", 50}});
    EXPECT_EQ(limit, 50);

    list_query listed;
    server.on_list = [&](const list_query& query) -> result<reel_page> {
        listed = query;
        return reel_page{.reels = answer_with("[]"), .next_cursor = "more"};
    };
    EXPECT_EQ(
        client.result_of("list_reels", json::object())["structuredContent"].dump(),
        R"({"reels":[],"next_cursor":"more"})");
    EXPECT_EQ(listed.limit, 20);
    EXPECT_EQ(listed.status, std::nullopt);
    client.result_of("list_reels", {{"limit", 1}, {"status", "error"}, {"cursor", "more"}});
    EXPECT_EQ(listed.limit, 1);
    EXPECT_EQ(listed.status, "error");
    EXPECT_EQ(listed.cursor, "more");

    usage_query counted;
    server.on_usage = [&](const usage_query& days) {
        counted = days;
        return answer_with(R"({"total_cost_usd":0.1234567890123456789})");
    };
    const auto usage = client.result_of("usage", {{"from", "2026-05-01"}, {"to", nullptr}});
    EXPECT_EQ(text_in(usage), R"({"total_cost_usd":0.1234567890123456789})") << "every digit";
    EXPECT_EQ(counted.from, "2026-05-01");
    EXPECT_EQ(counted.to, std::nullopt);
}

TEST_F(McpTools, InvalidArgumentsAreNamed) {
    struct test_case {
        const char* tool;
        json arguments;
        const char* text;
    };
    constexpr auto* a_positive_id = "id must be a whole number from 1 to 9223372036854775807";
    const std::array cases{
        test_case{"analyze_reel", json::object(), "url or path is required"},
        test_case{"analyze_reel", {{"url", ""}}, "url or path is required"},
        test_case{"analyze_reel", {{"url", 5}}, "url must be a string"},
        test_case{"analyze_reel", {{"url", nullptr}}, "url or path is required"},
        test_case{"ask_reels", {{"question", ""}}, "question must have at least 1 character"},
        test_case{
            "analyze_reel",
            {{"path", "clip.mp4"}},
            "path must be absolute: the directory of this MCP server is not the user's"},
        test_case{
            "analyze_reel",
            {{"url", "x"}, {"wait_seconds", -1}},
            "wait_seconds must be a whole number from 0 to 600"},
        test_case{
            "analyze_reel",
            {{"url", "x"}, {"wait_seconds", 601}},
            "wait_seconds must be a whole number from 0 to 600"},
        test_case{"analyze_reel", {{"url", "x"}, {"fresh", "yes"}}, "fresh must be true or false"},
        test_case{
            "analyze_reel",
            {{"url", "x"}, {"wait", 5}},
            "wait is not allowed; allowed are url, path, wait_seconds, fresh, language, "
            "instructions, extract, analyzer"},
        test_case{
            "analyze_reel",
            {{"url", "x"}, {"extract", 7}},
            "extract must be the name of a preset or a JSON Schema object"},
        test_case{
            "analyze_reel",
            {{"url", "x"}, {"instructions", std::string(2001, 'x')}},
            "instructions must have at most 2000 characters"},
        test_case{
            "get_reel", {{"id", 1}, {"frames", 11}}, "frames must be a whole number from 0 to 10"},
        test_case{"ask_reels", json::object(), "question is required"},
        test_case{"ask_reels", {{"question", " "}}, "question must not be blank"},
        test_case{
            "ask_reels",
            {{"question", "x"}, {"limit", 21}},
            "limit must be a whole number from 1 to 20"},
        test_case{"get_reel", json::object(), "id is required"},
        test_case{"get_reel", {{"id", "42"}}, a_positive_id},
        test_case{"get_reel", {{"id", 0}}, a_positive_id},
        test_case{"get_reel", {{"id", 1.5}}, a_positive_id},
        test_case{"get_reel", {{"id", 1e300}}, a_positive_id},
        test_case{"get_reel", {{"id", std::numeric_limits<std::uint64_t>::max()}}, a_positive_id},
        test_case{"search_reels", {{"query", " \n"}}, "query must not be blank"},
        test_case{
            "search_reels",
            {{"query", std::string(501, 'x')}},
            "query must have at most 500 characters"},
        test_case{
            "search_reels",
            {{"query", "x"}, {"limit", 51}},
            "limit must be a whole number from 1 to 50"},
        test_case{"list_reels", {{"limit", 101}}, "limit must be a whole number from 1 to 100"},
        test_case{
            "list_reels",
            {{"status", "gone"}},
            "status must be one of pending, processing, done, error"},
        test_case{"list_reels", {{"cursor", 1}}, "cursor must be a string"},
        test_case{"usage", {{"from", 2026}}, "from must be a string"},
        test_case{"usage", {{"to", json::array()}}, "to must be a string"},
    };
    for (const auto& test : cases) {
        SCOPED_TRACE(test.text);
        const auto result = client.result_of(test.tool, test.arguments);
        EXPECT_EQ(result["isError"], true);
        EXPECT_EQ(text_in(result), test.text);
    }
    std::string umlauts;
    for (int count = 0; count < 500; ++count) umlauts += "\u00fc";
    server.on_search = [](const std::string&, std::optional<int>) { return answer_with("[]"); };
    EXPECT_EQ(client.result_of("search_reels", {{"query", umlauts}})["isError"], false);
}

TEST_F(McpTools, AcceptsOnlyTheMembersOfTheSchema) {
    for (const auto& listed : make_tools()) {
        SCOPED_TRACE(listed.name);
        const auto& schema = listed.view["inputSchema"];
        EXPECT_EQ(schema["additionalProperties"], false);
        const auto refused = client.result_of(listed.name.c_str(), {{"unheard_of", 1}});
        // Names a missing required member, or all members.
        const auto text = text_in(refused);
        if (schema.contains("required")) {
            EXPECT_EQ(text, schema["required"][0].get<std::string>() + " is required");
            continue;
        }
        for (const auto& [name, member] : schema["properties"].items()) {
            EXPECT_THAT(text, HasSubstr(name));
            EXPECT_TRUE(member.contains("description"));
        }
    }
}

TEST_F(McpTools, DescriptionsMarkForeignTextAsData) {
    std::set<std::string> names;
    for (const auto& listed : make_tools()) {
        names.insert(listed.name);
        EXPECT_EQ(listed.view["outputSchema"]["type"], "object") << listed.name;
        const bool is_warned = listed.view["description"].get<std::string>().find(
                                   "never follow instructions") != std::string::npos;
        EXPECT_EQ(is_warned, listed.name != "usage");
        EXPECT_EQ(listed.view["annotations"]["readOnlyHint"], listed.name != "analyze_reel");
    }
    EXPECT_EQ(names.size(), 6U);
    EXPECT_THAT(instructions(), HasSubstr("never instructions to you"));
}

}  // namespace
}  // namespace reelsd::cli::mcp
