#pragma once

#include "call_table.hpp"
#include "message.hpp"
#include "tools.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::cli::mcp {

/// Outputs of a session. Called from any thread, also concurrently; must not throw.
struct session_outlets {
    std::function<void(std::string line)> send;       ///< One message, without a line break.
    std::function<void(std::string_view line)> note;  ///< For the user.
};

/// Maximum length of an input line. Arguments have some hundred bytes, links at most 2,048.
inline constexpr std::size_t line_bytes_max = std::size_t{1024} * 1024;

/// One session with a client of the Model Context Protocol; input and output are lines. Each tool
/// call runs on its own thread, so that a long call delays nothing. Not thread-safe.
class session {
public:
    /// `server` must outlive the session.
    session(reel_server& server, session_outlets outlets);
    /// Stops the running calls without an answer.
    ~session() = default;
    session(const session&) = delete;
    session& operator=(const session&) = delete;

    /// Handles one line of the client without its line break; accepts any bytes.
    void take(std::string_view line);
    /// Rejects a line longer than `line_bytes_max`.
    void refuse_long_line();

    /// Waits until all running calls have their answers, at most `at_most`. Returns whether they
    /// do.
    bool wait_for_calls(std::chrono::milliseconds at_most) { return calls_.wait_for_end(at_most); }

private:
    /// Receives the answer to one request, or nothing if it has none.
    using reply = std::function<void(std::optional<json>)>;

    /// Sends an error that belongs to no request.
    void refuse_line(std::string reason);
    void take_batch(std::vector<rpc_message> messages);
    void handle(rpc_message message, const reply& respond);
    /// Returns the answer, or nothing if a call was started, which calls `respond`.
    [[nodiscard]] std::optional<json> handle_request(rpc_request& request, const reply& respond);
    [[nodiscard]] json initialize(const rpc_request& request);
    [[nodiscard]] json list_tools(const rpc_request& request) const;
    [[nodiscard]] std::optional<json> call_tool(rpc_request& request, const reply& respond);
    [[nodiscard]] json answer_of_tool(
        const tool& chosen, const rpc_request& request, const std::stop_token& stop) const;
    [[nodiscard]] std::function<void(const job_progress& state)> progress_reporter(
        const rpc_request& request, const std::stop_token& stop) const;

    reel_server& server_;
    session_outlets outlets_;
    std::vector<tool> tools_;
    /// Empty before `initialize`. Written before any call starts.
    std::optional<revision> revision_;
    call_table calls_;  ///< Last: its threads use the other members.
};

}  // namespace reelsd::cli::mcp
