#pragma once

#include "../api_client.hpp"
#include "../job_wait.hpp"
#include "message.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::cli::mcp {

/// Parameters of a wait for one job.
struct job_wait {
    std::int64_t id = 0;
    std::chrono::seconds at_most{0};  ///< 0: returns the current state.
    /// Receives the state of the job at least every 10 s.
    std::function<void(const job_progress& state)> on_progress;
};

/// What the tools use: the HTTP API, or a fake in tests. Blocking; several threads call it
/// concurrently. Each call returns soon after a stop request.
class reel_server {
public:
    reel_server() = default;
    virtual ~reel_server() = default;
    reel_server(const reel_server&) = delete;
    reel_server& operator=(const reel_server&) = delete;

    [[nodiscard]] virtual result<api_answer> submit(
        const submission& options, const std::stop_token& stop) = 0;
    /// Uploads a local video file; `options.link`: of its post, or empty.
    [[nodiscard]] virtual result<api_answer> submit_file(
        const std::filesystem::path& file, const submission& options,
        const std::stop_token& stop) = 0;
    /// The finished job, or its state after the time.
    [[nodiscard]] virtual result<api_answer> await(
        const job_wait& wait, const std::stop_token& stop) = 0;
    [[nodiscard]] virtual result<reel_page> list(
        const list_query& query, const std::stop_token& stop) = 0;
    [[nodiscard]] virtual result<api_answer> search(
        const std::string& words, std::optional<int> limit, const std::stop_token& stop) = 0;
    [[nodiscard]] virtual result<api_answer> ask(
        const question& asked, const std::stop_token& stop) = 0;
    /// The JPEG of a key moment, from 0.
    [[nodiscard]] virtual result<std::string> frame(
        std::int64_t id, std::size_t number, const std::stop_token& stop) = 0;
    [[nodiscard]] virtual result<api_answer> usage(
        const usage_query& days, const std::stop_token& stop) = 0;
};

/// Dependencies of a tool call. All of them outlive it.
struct tool_context {
    reel_server& server;
    const std::stop_token& stop;
    /// Receives the state of the reel that the call waits for.
    std::function<void(const job_progress& state)> on_progress;
};

/// A picture for the model.
struct tool_image {
    std::string caption;
    std::string jpeg;
};

/// Result of a tool call.
struct tool_result {
    std::vector<std::string> texts;  ///< For the model; at least one.
    std::vector<tool_image> images = {};
    std::optional<json> structured;  ///< Valid by the tool's output schema.
    bool is_error = false;
};

/// One tool. `run` gets arguments that are valid by `input_schema`.
struct tool {
    std::string_view name;
    std::string_view title;
    std::string_view description;
    json input_schema;
    json output_schema;
    json annotations;
    tool_result (*run)(const json& arguments, const tool_context& context);
};

/// All tools, in the order in which a model reads them.
[[nodiscard]] std::vector<tool> make_tools();

/// Runs the tool, or reports why `arguments` are invalid. A null argument counts as absent.
[[nodiscard]] tool_result call(const tool& chosen, json arguments, const tool_context& context);

/// Instructions to the model for all tools.
[[nodiscard]] std::string_view instructions() noexcept;

/// An error for the model.
[[nodiscard]] tool_result failed(std::string text);

/// The JSON of a revision of the protocol.
[[nodiscard]] json to_json(const tool& listed, revision version);
[[nodiscard]] json to_json(tool_result result, revision version);

}  // namespace reelsd::cli::mcp
