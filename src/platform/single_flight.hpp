#pragma once

#include <reelsd/base/clock.hpp>

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

namespace reelsd::platform {

/// Runs concurrent calls for the same key once and shares the result. Safe from any thread.
/// Outlives its callers.
template <class Value>
class single_flight {
public:
    /// The result of `call`, run here or by another thread that already runs it for `key`. Nothing
    /// when the wait for that thread was stopped or too long. A result that `is_shared` rejects (a
    /// cancelled call) is only for its own thread: the waiting threads try again, as they do after
    /// an exception.
    template <class Call, class IsShared>
    [[nodiscard]] std::optional<Value> run(
        const std::string& key, deadline by, const std::stop_token& stop, const Call& call,
        const IsShared& is_shared) {
        for (;;) {
            std::unique_lock lock{mutex_};
            const auto running = flights_.find(key);
            if (running == flights_.end()) {
                const auto own = std::make_shared<flight>();
                flights_.emplace(key, own);
                lock.unlock();
                return lead(key, *own, call, is_shared);
            }
            const auto joined = running->second;
            const bool has_ended =
                ended_.wait_until(lock, stop, by.when(), [&joined] { return joined->has_ended; });
            if (!has_ended) return std::nullopt;
            if (joined->shared) return *joined->shared;
        }
    }

private:
    struct flight {
        bool has_ended = false;
        std::optional<Value> shared;
    };

    template <class Call, class IsShared>
    Value lead(const std::string& key, flight& own, const Call& call, const IsShared& is_shared) {
        const auto end = [&](const Value* result) {
            const std::lock_guard lock{mutex_};
            if (result != nullptr) own.shared = *result;
            own.has_ended = true;
            flights_.erase(key);
            ended_.notify_all();
        };
        try {
            Value result = call();
            end(is_shared(result) ? &result : nullptr);
            return result;
        } catch (...) {
            end(nullptr);
            throw;
        }
    }

    std::mutex mutex_;
    std::condition_variable_any ended_;
    std::map<std::string, std::shared_ptr<flight>> flights_;
};

}  // namespace reelsd::platform
