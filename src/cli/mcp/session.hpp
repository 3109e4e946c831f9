#pragma once

#include "call_table.hpp"
#include "message.hpp"
#include "protocol.hpp"
#include "reel_server.hpp"
#include "tools.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::cli::mcp {

/// Where a conversation goes. Both are called from any thread, also at once, and must not throw.
struct session_outlets {
    std::function<void(std::string line)> send;       ///< One message, without a line break.
    std::function<void(std::string_view line)> note;  ///< For people.
};

/// The longest line that is read: arguments are some hundred bytes, a link is at most 2,048.
inline constexpr std::size_t line_bytes_max = std::size_t{1024} * 1024;

/// One conversation with a client of the Model Context Protocol, as messages: lines in, lines out.
/// Tools run on threads of their own, so that a long call holds up nothing. All functions are for
/// one thread.
class session {
public:
    /// `server` outlives this.
    session(reel_server& server, session_outlets outlets);
    /// Stops the calls under way; they are not answered.
    ~session() = default;
    session(const session&) = delete;
    session& operator=(const session&) = delete;

    /// One line of the client's, without its line break: any bytes.
    void take(std::string_view line);
    /// A line of more than `line_bytes_max`.
    void refuse_long_line();

    /// Waits until all calls under way are answered.
    void wait_for_calls() { calls_.wait_for_end(); }
    bool wait_for_calls(std::chrono::milliseconds at_most) { return calls_.wait_for_end(at_most); }

private:
    /// Takes the answer to one request; nothing when there is none to give.
    using reply = std::function<void(std::optional<json>)>;

    void take_batch(std::vector<rpc_message> messages);
    void handle(rpc_message message, const reply& give);
    void handle_request(rpc_request request, const reply& give);
    void handle_notification(const rpc_notification& told);
    void initialize(rpc_request request, const reply& give);
    void list_tools(rpc_request request, const reply& give) const;
    void call_tool(rpc_request request, const reply& give);

    [[nodiscard]] json answer_of_tool(
        const tool& chosen, const rpc_request& request, const std::stop_token& stop) const;
    [[nodiscard]] std::function<void(const job_progress& now)> progress_reporter(
        const rpc_request& request, const std::stop_token& stop) const;

    reel_server& server_;
    session_outlets outlets_;
    std::vector<tool> tools_;
    /// Nothing before the client has introduced itself. Written before any call is started.
    std::optional<revision> spoken_;
    call_table calls_;  ///< Last: its threads use all of the above.
};

}  // namespace reelsd::cli::mcp
