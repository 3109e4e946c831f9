#include "call_table.hpp"

#include <algorithm>
#include <system_error>

namespace reelsd::cli::mcp {

call_table::~call_table() {
    stop();
}

call_table::start_outcome call_table::start(tool_call& call) {
    join_ended();
    const std::scoped_lock lock{mutex_};
    std::size_t active_calls = 0;
    for (const auto& item : entries_) {
        if (item.is_answered) continue;
        if (item.call.id == call.id) return start_outcome::id_in_use;
        ++active_calls;
    }
    if (active_calls >= calls_max || entries_.size() >= threads_max) return start_outcome::too_many;
    auto& item = entries_.emplace_back();
    std::swap(item.call, call);
    try {
        item.thread = std::jthread{[this, &item](const std::stop_token& stop) { run(item, stop); }};
    } catch (const std::system_error&) {  // No further thread.
        std::swap(item.call, call);
        entries_.pop_back();
        return start_outcome::too_many;
    }
    return start_outcome::started;
}

void call_table::cancel(const json& id) {
    std::stop_source stop_source{std::nostopstate};
    {
        const std::scoped_lock lock{mutex_};
        for (auto& item : entries_) {
            if (item.is_answered || item.call.id != id) continue;
            item.is_cancelled = true;
            stop_source = item.thread.get_stop_source();
        }
    }
    stop_source.request_stop();  // Without the lock: the callbacks it runs may need it.
}

void call_table::stop() {
    {
        const std::scoped_lock lock{mutex_};
        for (auto& item : entries_) item.is_cancelled = true;
    }
    // Only this thread adds and removes entries.
    for (auto& item : entries_) item.thread.request_stop();
    entries_.clear();
}

bool call_table::wait_for_end(std::chrono::milliseconds at_most) {
    std::unique_lock lock{mutex_};
    return ended_.wait_for(lock, at_most, [this] {
        return std::all_of(
            entries_.begin(), entries_.end(), [](const entry& item) { return item.has_ended; });
    });
}

void call_table::run(entry& item, const std::stop_token& stop) {
    auto answer = item.call.run(stop);
    bool is_cancelled = false;
    {
        const std::scoped_lock lock{mutex_};
        is_cancelled = item.is_cancelled;
        // Later cancellations have no effect, and the client may use the id again.
        item.is_answered = true;
    }
    item.call.reply(is_cancelled ? std::nullopt : std::optional{std::move(answer)});
    const std::scoped_lock lock{mutex_};
    item.has_ended = true;
    ended_.notify_all();
}

void call_table::join_ended() {
    const std::scoped_lock lock{mutex_};
    std::erase_if(entries_, [](const entry& item) { return item.has_ended; });
}

}  // namespace reelsd::cli::mcp
