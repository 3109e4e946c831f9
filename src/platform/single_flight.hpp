#pragma once

#include <reelsd/base/clock.hpp>

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

namespace reelsd::platform {

/// Lets threads that want the same thing at the same time fetch it once and share it.
/// Safe from any thread. Outlives its callers.
template <class Value>
class single_flight {
public:
    /// What `fly` gives, called here, or by another thread that already is at it for `key`. Nothing
    /// when the wait for that thread was stopped or too long. An outcome that `is_shared` denies (a
    /// cancelled flight) is its own thread's alone: those who waited try again, as they do when it
    /// threw.
    template <class Fly, class IsShared>
    [[nodiscard]] std::optional<Value> run(
        const std::string& key, deadline by, const std::stop_token& stop, const Fly& fly,
        const IsShared& is_shared) {
        for (;;) {
            std::unique_lock lock{mutex_};
            const auto flying = flights_.find(key);
            if (flying == flights_.end()) {
                const auto own = std::make_shared<flight>();
                flights_.emplace(key, own);
                lock.unlock();
                return lead(key, *own, fly, is_shared);
            }
            const auto joined = flying->second;
            const bool landed =
                landed_.wait_until(lock, stop, by.when(), [&joined] { return joined->has_landed; });
            if (!landed) return std::nullopt;
            if (joined->shared) return *joined->shared;
        }
    }

private:
    struct flight {
        bool has_landed = false;
        std::optional<Value> shared;
    };

    /// Ends the flight however it goes.
    class landing {
    public:
        landing(single_flight& owner, const std::string& key, flight& own)
            : owner_{owner}, key_{key}, own_{own} {}
        landing(const landing&) = delete;
        landing& operator=(const landing&) = delete;
        ~landing() {
            const std::lock_guard lock{owner_.mutex_};
            own_.has_landed = true;
            owner_.flights_.erase(key_);
            owner_.landed_.notify_all();
        }
        void share(const Value& value) {
            const std::lock_guard lock{owner_.mutex_};
            own_.shared = value;
        }

    private:
        single_flight& owner_;
        const std::string& key_;
        flight& own_;
    };

    template <class Fly, class IsShared>
    Value lead(const std::string& key, flight& own, const Fly& fly, const IsShared& is_shared) {
        landing end{*this, key, own};
        Value value = fly();
        if (is_shared(value)) end.share(value);
        return value;
    }

    std::mutex mutex_;
    std::condition_variable_any landed_;
    std::map<std::string, std::shared_ptr<flight>> flights_;
};

}  // namespace reelsd::platform
