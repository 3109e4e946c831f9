#include "call_table.hpp"

#include <algorithm>
#include <system_error>

namespace reelsd::cli::mcp {

call_table::~call_table() {
    stop();
}

call_table::start_outcome call_table::start(tool_call& wanted) {
    join_those_over();
    const std::scoped_lock lock{mutex_};
    std::size_t unanswered = 0;
    for (const auto& one : entries_) {
        if (one.is_answered) continue;
        if (one.call.id == wanted.id) return start_outcome::id_in_use;
        ++unanswered;
    }
    if (unanswered >= calls_max || entries_.size() >= threads_max) return start_outcome::too_many;
    auto& made = entries_.emplace_back();
    std::swap(made.call, wanted);
    try {
        made.thread = std::thread{[this, &made] { run(made); }};
    } catch (const std::system_error&) {  // Its only way to say that there is no thread.
        std::swap(made.call, wanted);
        entries_.pop_back();
        return start_outcome::too_many;
    }
    return start_outcome::started;
}

void call_table::cancel(const json& id) {
    std::stop_source asked{std::nostopstate};
    {
        const std::scoped_lock lock{mutex_};
        for (auto& one : entries_) {
            if (one.is_answered || one.call.id != id) continue;
            one.is_cancelled = true;
            asked = one.asked;
        }
    }
    asked.request_stop();  // Wakes whom it stops; not under the lock that they may want.
}

void call_table::stop() {
    {
        const std::scoped_lock lock{mutex_};
        for (auto& one : entries_) one.is_cancelled = true;
    }
    // Only this thread adds and takes away entries.
    for (auto& one : entries_) one.asked.request_stop();
    for (auto& one : entries_) one.thread.join();
    entries_.clear();
}

void call_table::wait_for_end() {
    {
        std::unique_lock lock{mutex_};
        ended_.wait(lock, [this] {
            return std::all_of(
                entries_.begin(), entries_.end(), [](const entry& one) { return one.is_over; });
        });
    }
    join_those_over();
}

bool call_table::wait_for_end(std::chrono::milliseconds at_most) {
    std::unique_lock lock{mutex_};
    return ended_.wait_for(lock, at_most, [this] {
        return std::all_of(
            entries_.begin(), entries_.end(), [](const entry& one) { return one.is_over; });
    });
}

void call_table::run(entry& one) {
    auto answer = one.call.run(one.asked.get_token());
    bool is_wanted = false;
    {
        const std::scoped_lock lock{mutex_};
        is_wanted = !one.is_cancelled;
        // From here on a cancellation comes too late, and the client may use the id again.
        one.is_answered = true;
    }
    one.call.reply(is_wanted ? std::optional{std::move(answer)} : std::nullopt);
    const std::scoped_lock lock{mutex_};
    one.is_over = true;
    ended_.notify_all();
}

void call_table::join_those_over() {
    std::list<entry> over;
    {
        const std::scoped_lock lock{mutex_};
        for (auto at = entries_.begin(); at != entries_.end();) {
            const auto here = at++;
            if (here->is_over) over.splice(over.end(), entries_, here);
        }
    }
    for (auto& one : over) one.thread.join();
}

}  // namespace reelsd::cli::mcp
