#include "batch_answer.hpp"

#include "message.hpp"

namespace reelsd::cli::mcp {

batch_answer::batch_answer(std::size_t messages, std::function<void(std::string line)> send)
    : missing_{messages}, send_{std::move(send)} {}

void batch_answer::add(std::optional<json> made) {
    {
        const std::scoped_lock lock{mutex_};
        if (made) answers_.push_back(*std::move(made));
        if (--missing_ > 0 || answers_.empty()) return;
    }
    send_(line_of(answers_));  // All are there: nobody else comes any more.
}

}  // namespace reelsd::cli::mcp
