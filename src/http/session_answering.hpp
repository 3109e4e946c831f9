#pragma once

#include "session.hpp"

#include <exception>
#include <string>

namespace reelsd::http {

/// Shows the watch that a handler runs, however it ends.
struct session::answering {
    answering(session& owner, request_context& ctx) : owner_{owner} {
        owner_.await_handler();
        owner_.context_ = &ctx;
        ++owner_.host_.counts.requests_running;
    }
    answering(const answering&) = delete;
    answering& operator=(const answering&) = delete;
    ~answering() {
        owner_.context_ = nullptr;
        --owner_.host_.counts.requests_running;
    }

private:
    session& owner_;
};

/// What was thrown, for the log.
[[nodiscard]] std::string reason_for(const std::exception_ptr& thrown);

}  // namespace reelsd::http
