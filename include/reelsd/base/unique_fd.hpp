#pragma once

#include <unistd.h>

#include <utility>

namespace reelsd {

/// Owns a file descriptor and closes it on destruction; -1 when empty.
class unique_fd {
public:
    unique_fd() noexcept = default;
    explicit unique_fd(int descriptor) noexcept : descriptor_{descriptor} {}
    unique_fd(unique_fd&& other) noexcept : descriptor_{std::exchange(other.descriptor_, -1)} {}
    unique_fd& operator=(unique_fd&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }
    ~unique_fd() { close(); }

    void close() noexcept {
        if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
    }
    /// Returns the descriptor and gives up ownership.
    [[nodiscard]] int release() noexcept { return std::exchange(descriptor_, -1); }
    [[nodiscard]] int get() const noexcept { return descriptor_; }
    explicit operator bool() const noexcept { return descriptor_ >= 0; }

private:
    int descriptor_ = -1;
};

}  // namespace reelsd
