#pragma once

#include "cli/mcp/session.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace reelsd::cli::mcp {

inline api_answer answer_with(const char* body) {
    return {.body = body, .document = json::parse(body)};
}

/// A fake whose methods fail unless a test sets them.
class scripted_server final : public api_client {
public:
    scripted_server() : api_client{{"http://127.0.0.1:1", {}, {}}, {}, {}} {}

    std::function<result<api_answer>(const submission&, const std::stop_token&)> on_submit;
    std::function<result<api_answer>(const std::filesystem::path&, const submission&)>
        on_submit_file;
    std::function<result<api_answer>(const job_wait&, const std::stop_token&)> on_await;
    std::function<result<reel_page>(const list_query&)> on_list;
    std::function<result<api_answer>(const std::string&, std::optional<int>)> on_search;
    std::function<result<api_answer>(const question&)> on_ask;
    std::function<result<std::string>(std::int64_t, std::size_t)> on_frame;
    std::function<result<api_answer>(const usage_query&)> on_usage;

    result<api_answer> submit(
        const submission& options, const std::stop_token& stop) const override {
        if (!on_submit) return unexpected();
        return on_submit(options, stop);
    }
    result<api_answer> submit_file(
        const std::filesystem::path& file, const submission& options,
        const std::function<void(std::uint64_t, std::uint64_t)>& on_progress,
        const std::stop_token& /*stop*/) const override {
        if (!on_submit_file) return unexpected();
        if (on_progress) on_progress(1, 4);
        if (on_progress) on_progress(4, 4);
        return on_submit_file(file, options);
    }
    result<api_answer> await(const job_wait& wait, const std::stop_token& stop) const override {
        if (!on_await) return unexpected();
        return on_await(wait, stop);
    }
    result<reel_page> list(
        const list_query& query, const std::stop_token& /*stop*/) const override {
        if (!on_list) return unexpected();
        return on_list(query);
    }
    result<api_answer> search(
        std::string_view words, std::optional<int> limit,
        const std::stop_token& /*stop*/) const override {
        if (!on_search) return unexpected();
        return on_search(std::string{words}, limit);
    }
    result<api_answer> ask(const question& asked, const std::stop_token& /*stop*/) const override {
        if (!on_ask) return unexpected();
        return on_ask(asked);
    }
    result<std::string> frame(
        std::int64_t id, std::size_t number, const std::stop_token& /*stop*/) const override {
        if (!on_frame) return unexpected();
        return on_frame(id, number);
    }
    result<api_answer> usage(
        const usage_query& days, const std::stop_token& /*stop*/) const override {
        if (!on_usage) return unexpected();
        return on_usage(days);
    }

private:
    static error unexpected() { return error{errc::internal, "the test expects no such request"}; }
};

/// A client of a session; collects the messages that it receives.
class test_client {
public:
    explicit test_client(const api_client& server)
        : session_{
              server,
              {.send = [this](std::string line) { keep(std::move(line)); },
               .note = [](std::string_view) {}}} {}

    void initialize(const char* revision = "2025-06-18") {
        send(
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

    void send(const json& message) { session_.take(message.dump()); }
    void request(const json& id, const char* method, const json& params = json::object()) {
        send({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}});
    }
    void call(const json& id, const char* tool, const json& arguments, const json& meta = {}) {
        json params{{"name", tool}, {"arguments", arguments}};
        if (!meta.is_null()) params["_meta"] = meta;
        request(id, "tools/call", params);
    }
    void cancel(const json& id) {
        send(
            {{"jsonrpc", "2.0"},
             {"method", "notifications/cancelled"},
             {"params", {{"requestId", id}}}});
    }

    /// Waits until all calls have ended.
    void wait() { EXPECT_TRUE(session_.wait_for_calls(std::chrono::hours{1})); }

    /// The result of a call, which must be the only message.
    json result_of(const char* tool, const json& arguments) {
        call(1, tool, arguments);
        wait();
        const auto messages = sent();
        EXPECT_EQ(messages.size(), 1U);
        return messages.empty() ? json() : messages.front().value("result", json());
    }

    /// The messages since the last call.
    std::vector<json> sent() {
        const std::scoped_lock lock{mutex_};
        return std::exchange(sent_, {});
    }

    session& target() { return session_; }

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
    session session_;  ///< Last: its threads use the other members.
};

}  // namespace reelsd::cli::mcp
