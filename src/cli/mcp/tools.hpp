#pragma once

#include "../api_client.hpp"
#include <reelsd/base/json.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::cli::mcp {

/// Supported revisions of the protocol, oldest first. Each has the features of the earlier ones.
/// For a server that only has tools, 2025-11-25 adds nothing.
enum class revision : std::uint8_t {
    of_2024_11_05,
    of_2025_03_26,  ///< Annotations of tools, progress messages, batches (in this one only).
    of_2025_06_18,  ///< Structured results and their schemas, titles.
    of_2025_11_25,
};

inline constexpr auto newest_revision = revision::of_2025_11_25;

[[nodiscard]] std::string_view name_of(revision version) noexcept;

/// The client's revision if it is supported, else the newest: a client that does not support that
/// ends the session.
[[nodiscard]] revision negotiated(std::string_view requested) noexcept;

/// Dependencies of a tool call. All of them outlive it.
struct tool_context {
    const api_client& server;
    const std::stop_token& stop;
    /// Receives the state of the reel that the call waits for.
    std::function<void(const job_progress& state)> on_progress;
};

/// A picture for the model.
struct tool_image {
    std::string caption;
    std::string jpeg;
};

struct tool_result {
    std::vector<std::string> texts;  ///< For the model; at least one.
    std::vector<tool_image> images = {};
    std::optional<json> structured;  ///< Valid by the tool's output schema.
    bool is_error = false;
};

/// Default wait for a reel. An analysis takes some 30 s. Many clients abandon a request after 60 s,
/// and the model then never receives the reel's id.
inline constexpr std::chrono::seconds wait_default_of_calls{50};

struct tool {
    std::string name;
    json view;  ///< Its view in the newest revision of the protocol.
    /// Gets arguments that are valid by the view's `inputSchema`.
    tool_result (*run)(const json& arguments, const tool_context& context);
};

/// The tools of tools.json, in the order in which a model reads them.
[[nodiscard]] std::vector<tool> make_tools();

/// Runs the tool, or reports why `arguments` are invalid. A null argument counts as absent,
/// as does an empty text that is not required.
[[nodiscard]] tool_result call(const tool& chosen, json arguments, const tool_context& context);

[[nodiscard]] std::string_view instructions() noexcept;

/// An error for the model.
[[nodiscard]] tool_result failed(std::string text);

/// The JSON of a revision of the protocol.
[[nodiscard]] json to_json(const tool& listed, revision version);
[[nodiscard]] json to_json(tool_result result, revision version);

}  // namespace reelsd::cli::mcp
