#pragma once

#include "protocol.hpp"
#include "reel_server.hpp"

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::cli::mcp {

/// Dependencies of a tool call. All of them outlive it.
struct tool_context {
    reel_server& server;
    const std::stop_token& stop;
    /// Receives the state of the reel that the call waits for.
    std::function<void(const job_progress& now)> on_progress;
};

/// Result of a tool call.
struct tool_result {
    std::vector<std::string> texts;  ///< For the model; at least one.
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

/// Runs the tool if `arguments` are valid, else reports what is wrong with them. A null argument is
/// an absent one.
[[nodiscard]] tool_result call(const tool& chosen, json arguments, const tool_context& context);

/// Instructions to the model for all tools.
[[nodiscard]] std::string_view instructions() noexcept;

/// A refusal or a failure that a model can read.
[[nodiscard]] tool_result failed(std::string text);

/// The two as this revision of the protocol writes them.
[[nodiscard]] json to_json(const tool& one, revision spoken);
[[nodiscard]] json to_json(tool_result result, revision spoken);

}  // namespace reelsd::cli::mcp
