#pragma once

#include "cli/mcp/session.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <mutex>
#include <string>
#include <vector>

namespace reelsd::cli::mcp {

inline api_answer answer_with(const char* body) {
    return {.body = body, .document = json::parse(body)};
}

/// A server that does what a test says; what it does not say fails.
class scripted_server final : public reel_server {
public:
    std::function<result<api_answer>(const submission&, const std::stop_token&)> on_submit;
    std::function<result<api_answer>(const std::filesystem::path&, const submission&)>
        on_submit_file;
    std::function<result<api_answer>(const job_wait&, const std::stop_token&)> on_await;
    std::function<result<reel_page>(const list_query&)> on_list;
    std::function<result<api_answer>(const std::string&, std::optional<int>)> on_search;
    std::function<result<api_answer>(const usage_query&)> on_usage;

    result<api_answer> submit(const submission& wanted, const std::stop_token& stop) override {
        if (!on_submit) return unexpected();
        return on_submit(wanted, stop);
    }
    result<api_answer> submit_file(
        const std::filesystem::path& file, const submission& wanted,
        const std::stop_token& /*stop*/) override {
        if (!on_submit_file) return unexpected();
        return on_submit_file(file, wanted);
    }
    result<api_answer> await(const job_wait& wanted, const std::stop_token& stop) override {
        if (!on_await) return unexpected();
        return on_await(wanted, stop);
    }
    result<reel_page> list(const list_query& wanted, const std::stop_token& /*stop*/) override {
        if (!on_list) return unexpected();
        return on_list(wanted);
    }
    result<api_answer> search(
        const std::string& words, std::optional<int> limit,
        const std::stop_token& /*stop*/) override {
        if (!on_search) return unexpected();
        return on_search(words, limit);
    }
    result<api_answer> usage(const usage_query& wanted, const std::stop_token& /*stop*/) override {
        if (!on_usage) return unexpected();
        return on_usage(wanted);
    }

private:
    static error unexpected() { return error{errc::internal, "the test expects no such request"}; }
};

/// A conversation with a session: what was sent, message by message.
class conversation {
public:
    explicit conversation(reel_server& server)
        : talk_{
              server,
              {.send = [this](std::string line) { keep(std::move(line)); },
               .note = [](std::string_view) {}}} {}

    void introduce(const char* revision = "2025-06-18") {
        tell(
            {{"jsonrpc", "2.0"},
             {"id", "hello"},
             {"method", "initialize"},
             {"params",
              {{"protocolVersion", revision},
               {"capabilities", json::object()},
               {"clientInfo", {{"name", "test"}, {"version", "1"}}}}}});
        const auto messages = sent();
        ASSERT_EQ(messages.size(), 1U);
        ASSERT_TRUE(messages.front().contains("result")) << messages.front();
    }

    void tell(const json& message) { talk_.take(message.dump()); }
    void request(const json& id, const char* method, const json& params = json::object()) {
        tell({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}});
    }
    void call(const json& id, const char* tool, const json& arguments, const json& meta = {}) {
        json params{{"name", tool}, {"arguments", arguments}};
        if (!meta.is_null()) params["_meta"] = meta;
        request(id, "tools/call", params);
    }
    void cancel(const json& id) {
        tell(
            {{"jsonrpc", "2.0"},
             {"method", "notifications/cancelled"},
             {"params", {{"requestId", id}}}});
    }

    /// The only answer to a call, once it has ended.
    json result_of(const char* tool, const json& arguments) {
        call(1, tool, arguments);
        talk_.wait_for_calls();
        const auto messages = sent();
        EXPECT_EQ(messages.size(), 1U);
        return messages.empty() ? json() : messages.front().value("result", json());
    }

    /// What was sent since the last time.
    std::vector<json> sent() {
        const std::scoped_lock lock{mutex_};
        return std::exchange(sent_, {});
    }

    session& talk() { return talk_; }

private:
    void keep(std::string line) {
        EXPECT_EQ(line.find('\n'), std::string::npos);
        auto message = json::parse(line, nullptr, false);
        EXPECT_FALSE(message.is_discarded()) << line;
        const std::scoped_lock lock{mutex_};
        sent_.push_back(std::move(message));
    }

    std::mutex mutex_;
    std::vector<json> sent_;
    session talk_;  ///< Last: its threads use the above.
};

}  // namespace reelsd::cli::mcp
