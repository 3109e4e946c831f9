#pragma once

#include <reelsd/base/clock.hpp>

#include <boost/asio/awaitable.hpp>

#include <string_view>

namespace reelsd::async {

/// Work that a daemon does until it is told to stop. Thread: the loop's only.
class background_service {
public:
    background_service() = default;
    background_service(const background_service&) = delete;
    background_service& operator=(const background_service&) = delete;
    /// After stop().
    virtual ~background_service() = default;

    /// For logs; lives as long as the service.
    [[nodiscard]] virtual std::string_view name() const noexcept = 0;

    /// Once. Does not block and does not throw.
    virtual void start() = 0;

    /// Begins nothing new, and waits for what is under way. False when something is left at `by`.
    [[nodiscard]] virtual boost::asio::awaitable<bool> stop(deadline by) = 0;
};

}  // namespace reelsd::async
