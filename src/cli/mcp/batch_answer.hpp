#pragma once

#include <reelsd/base/json.hpp>

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

namespace reelsd::cli::mcp {

/// The answer to a batch: one array, sent when each of its messages has been dealt with. Any
/// thread.
class batch_answer {
public:
    /// `send` takes the line; nothing is sent when no message had an answer.
    batch_answer(std::size_t messages, std::function<void(std::string line)> send);

    /// To be called once for each message; nothing for one without an answer.
    void add(std::optional<json> made);

private:
    std::mutex mutex_;
    std::size_t missing_;
    json answers_ = json::array();
    std::function<void(std::string line)> send_;
};

}  // namespace reelsd::cli::mcp
