#pragma once

#include <reelsd/base/json.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace reelsd::cli::mcp {

/// One call of a tool.
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

    call_table() = default;
    /// Stops all calls.
    ~call_table();
    call_table(const call_table&) = delete;
    call_table& operator=(const call_table&) = delete;

    enum class start_outcome : std::uint8_t {
        started,
        too_many,   ///< `calls_max` calls are running, or the system has no further thread.
        id_in_use,  ///< By a call that is not answered yet.
    };
    /// Starts the call. Leaves `call` unchanged unless the outcome is `started`.
    [[nodiscard]] start_outcome start(tool_call& call);

    /// Stops the call with this id, which gets no answer. No effect for an unknown id.
    void cancel(const json& id);

    /// Cancels all calls and waits for them.
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

}  // namespace reelsd::cli::mcp
