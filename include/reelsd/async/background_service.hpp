#pragma once

#include <reelsd/base/clock.hpp>

#include <boost/asio/awaitable.hpp>

#include <string_view>

namespace reelsd::async {

/// Background work that runs until stop(). Thread: the loop's only.
class background_service {
public:
    background_service() = default;
    background_service(const background_service&) = delete;
    background_service& operator=(const background_service&) = delete;
    /// Call stop() first.
    virtual ~background_service() = default;

    /// Name for logs; valid as long as the service.
    [[nodiscard]] virtual std::string_view name() const noexcept = 0;

    /// Starts the work. Call once. Does not block and does not throw.
    virtual void start() = 0;

    /// Begins nothing new and waits for work in progress. Returns false if some is left at `by`.
    [[nodiscard]] virtual boost::asio::awaitable<bool> stop(deadline by) = 0;
};

}  // namespace reelsd::async
