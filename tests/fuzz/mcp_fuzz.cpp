// Random and mutated messages of a client of the Model Context Protocol on the standard input of
// `reels mcp`. They come from tests/fuzz/mcp_corpus.
//
//   mcp_fuzz [INPUTS [SEED]]      100 inputs for each reader and seed 1 by default
//
// Exits with 1 and prints the bytes and the seed when an answer violates JSON-RPC, or when a
// sanitizer finds an error. The same seed gives the same inputs.
#include "cli/mcp/lines.hpp"
#include "cli/mcp/session.hpp"
#include "reader_fuzz.hpp"
#include "support/paths.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>

namespace reelsd::fuzz {
namespace {

using namespace cli::mcp;

/// Returns a result immediately, with its arguments.
class ready_server final : public cli::api_client {
public:
    ready_server() : api_client{{"http://127.0.0.1:1", {}, {}}, {}, {}} {}

    result<cli::api_answer> submit(
        const cli::submission& /*options*/, const std::stop_token& /*stop*/) const override {
        return with({{"id", 42}, {"status", "pending"}});
    }
    result<cli::api_answer> submit_file(
        const std::filesystem::path& /*file*/, const cli::submission& /*options*/,
        const std::function<void(std::uint64_t, std::uint64_t)>& /*on_progress*/,
        const std::stop_token& /*stop*/) const override {
        return with({{"id", 42}, {"status", "pending"}});
    }
    result<cli::api_answer> await(
        const cli::job_wait& wait, const std::stop_token& /*stop*/) const override {
        wait.on_progress({.id = wait.id, .status = "processing"});
        return with({{"id", wait.id}, {"status", wait.id % 2 == 0 ? "done" : "error"}});
    }
    result<cli::reel_page> list(
        const cli::list_query& query, const std::stop_token& /*stop*/) const override {
        return cli::reel_page{.reels = *with(json::array()), .next_cursor = query.cursor};
    }
    result<cli::api_answer> search(
        std::string_view words, std::optional<int> /*limit*/,
        const std::stop_token& /*stop*/) const override {
        return with(json::array({words}));
    }
    result<cli::api_answer> ask(
        const cli::question& asked, const std::stop_token& /*stop*/) const override {
        return with({{"answered", false}, {"answer", asked.text}, {"citations", json::array()}});
    }
    result<std::string> frame(
        std::int64_t /*id*/, std::size_t number, const std::stop_token& /*stop*/) const override {
        if (number % 2 == 1) return error{errc::not_found, "no frame"};
        return std::string{"\xFF\xD8\xFF\xE0"};
    }
    result<cli::api_answer> usage(
        const cli::usage_query& days, const std::stop_token& /*stop*/) const override {
        return error{errc::invalid_argument, days.from.value_or("no day")};
    }

private:
    static result<cli::api_answer> with(json document) {
        auto body = document.dump();
        return cli::api_answer{.body = std::move(body), .document = std::move(document)};
    }
};

bool is_known_code(const json& code) {
    constexpr std::array codes{-32700, -32600, -32601, -32602, -32603};
    return std::find(codes.begin(), codes.end(), code) != codes.end();
}

/// The fault of one outgoing message; empty for none.
std::string fault_in(const json& message) {
    if (!message.is_object() || message.value("jsonrpc", "") != "2.0") return "no message";
    if (message.contains("method")) {
        return message.contains("id") ? "a request of ours" : "";
    }
    if (!message.contains("id")) return "an answer without an id";
    const bool has_result = message.contains("result");
    if (has_result == message.contains("error")) return "neither a result nor an error, or both";
    if (has_result) return "";
    const auto& why = message.at("error");
    if (!is_known_code(why.at("code"))) return "an unknown code";
    return why.at("message").get<std::string>().empty() ? "no reason" : "";
}

std::string fault_in_line(const std::string& line) {
    if (line.find('\n') != std::string::npos) return "two lines";
    const auto message = json::parse(line, nullptr, false);
    if (!message.is_array()) return fault_in(message);
    if (message.empty()) return "an empty batch";
    for (const auto& one : message) {
        if (auto fault = fault_in(one); !fault.empty()) return fault;
    }
    return "";
}

/// The messages of a whole session by line, after the initialisation with `revision`.
std::vector<std::string> said_to(std::string_view input, std::string_view revision) {
    ready_server server;
    std::mutex mutex;
    std::vector<std::string> messages;
    session talk{
        server,
        {.send =
             [&](std::string line) {
                 const std::scoped_lock lock{mutex};
                 messages.push_back(std::move(line));
             },
         .note = [](std::string_view) {}}};
    const json hello{
        {"jsonrpc", "2.0"},
        {"id", "hello"},
        {"method", "initialize"},
        {"params", {{"protocolVersion", revision}}}};
    talk.take(hello.dump());
    line_splitter lines{
        std::size_t{64} * 1024,
        {.on_line = [&](std::string_view line) { talk.take(line); },
         .on_long_line = [&] { talk.refuse_long_line(); }}};
    lines.feed(input);
    lines.finish();
    talk.wait_for_calls(std::chrono::minutes{5});
    return messages;
}

reading read_conversation(std::string_view input, std::string_view revision) {
    const auto messages = said_to(input, revision);
    for (const auto& line : messages) {
        if (auto fault = fault_in_line(line); !fault.empty()) {
            return {.violation = fault + ": " + line};
        }
    }
    // The initialisation always has an answer.
    return {.violation = messages.empty() ? "silence" : "", .accepted = messages.size() > 1};
}

reading read_messages(std::string_view line) {
    const auto read = read_line(line);
    if (read.messages.empty()) return {.violation = "no message"};
    if (read.messages.size() > batch_messages_max) return {.violation = "too many messages"};
    const auto is_fault = [](const rpc_message& one) {
        return std::holds_alternative<rpc_fault>(one);
    };
    return {.accepted = !std::all_of(read.messages.begin(), read.messages.end(), is_fault)};
}

std::vector<reader_check> mcp_checks() {
    const auto messages = lines_of(REELSD_SOURCE_DIR "/tests/fuzz/mcp_corpus/messages.txt");
    const auto conversation_in = [](std::string_view revision) {
        return [revision](std::string_view input) { return read_conversation(input, revision); };
    };
    return {
        {"messages", messages, read_messages},
        {"conversation", messages, conversation_in("2025-06-18")},
        {"batches", messages, conversation_in("2025-03-26")},
    };
}

}  // namespace
}  // namespace reelsd::fuzz

int main(int count, char** values) {
    using namespace reelsd::fuzz;
    constexpr std::size_t inputs_usual = 100;
    return fuzz_readers(mcp_checks(), {}, run_from(count, values, inputs_usual));
}
