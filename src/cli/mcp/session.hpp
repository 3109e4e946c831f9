#pragma once

#include "tools.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <variant>
#include <vector>

namespace reelsd::cli::mcp {

/// Error codes. Source: JSON-RPC 2.0, 5.1.
enum class rpc_code : int {
    parse_error = -32700,
    invalid_request = -32600,
    method_not_found = -32601,
    invalid_params = -32602,
    internal_error = -32603,
};

/// A message that requires an answer. `id` is a string or an integer, `params` an object.
struct rpc_request {
    json id;
    std::string method;
    json params;
};

/// A message without an answer.
struct rpc_notification {
    std::string method;
    json params;
};

/// An answer of the client. Ignored, because this server sends no requests.
struct rpc_answer {};

/// An error response. `id` is null if the message has no valid id.
struct rpc_fault {
    json id;
    rpc_code code = rpc_code::internal_error;
    std::string message;
};

using rpc_message = std::variant<rpc_request, rpc_notification, rpc_answer, rpc_fault>;

/// One line of the client: a message, or several as a batch. At least one message.
struct rpc_line {
    std::vector<rpc_message> messages;
    bool is_batch = false;
};

/// Exceeds any real batch; bounds the answers that one line can request.
inline constexpr std::size_t batch_messages_max = 64;

/// Parses any bytes. Invalid messages become faults.
[[nodiscard]] rpc_line read_line(std::string_view line);

struct tool_call {
    json id;  ///< The request's.
    /// Computes the answer on its own thread. Must not throw; returns soon after a stop request.
    std::function<json(const std::stop_token&)> run;
    /// Takes the answer on that thread, or nothing when the call was cancelled. Must not throw.
    std::function<void(std::optional<json>)> reply;
};

/// The running calls, each on its own thread, because they mostly wait for the server. A single
/// thread must call start(), cancel() and stop().
class call_table {
public:
    /// By default an account may have three active reels; the other calls take milliseconds.
    static constexpr std::size_t calls_max = 16;
    /// Includes threads that still write an answer, which blocks while the client does not read.
    static constexpr std::size_t threads_max = 2 * calls_max;

    ~call_table();

    enum class start_outcome : std::uint8_t {
        started,
        too_many,   ///< `calls_max` calls are running, or the system has no further thread.
        id_in_use,  ///< By a call that is not answered yet.
    };
    /// Starts the call. Leaves `call` unchanged unless the outcome is `started`.
    [[nodiscard]] start_outcome start(tool_call& call);

    /// Stops the call with this id, which gets no answer. No effect for an unknown id.
    void cancel(const json& id);

    void stop();

    /// Waits until no call is running, at most `at_most`. Returns whether all calls have ended.
    bool wait_for_end(std::chrono::milliseconds at_most);

private:
    struct entry {
        tool_call call;
        bool is_cancelled = false;
        bool is_answered = false;
        bool has_ended = false;
        std::jthread thread;
    };

    void run(entry& item, const std::stop_token& stop);
    void join_ended();

    std::mutex mutex_;
    std::condition_variable ended_;
    std::list<entry> entries_;
};

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
    session(const api_client& server, session_outlets outlets);
    /// Stops the running calls without an answer.
    ~session() = default;

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

    const api_client& server_;
    session_outlets outlets_;
    std::vector<tool> tools_;
    /// Empty before `initialize`. Written before any call starts.
    std::optional<revision> revision_;
    call_table calls_;  ///< Last: its threads use the other members.
};

}  // namespace reelsd::cli::mcp
