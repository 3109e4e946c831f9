#pragma once

#include <sys/resource.h>

#include <cstdint>

// What the jail of this program and the fence around another one are both made of.
namespace reelsd::media::jail {

/// The kernel's structure as of version 6; an older kernel accepts the longer one with zeros.
struct landlock_rules {
    std::uint64_t files = 0;
    std::uint64_t network = 0;
    std::uint64_t scopes = 0;
};

/// The kernel's version of Landlock; under 1: none, and errno says why.
[[nodiscard]] long landlock_version() noexcept;

/// All that this version of the kernel can deny, by landlock(7) and the kernel's own page on it: 13
/// rights over files, then referring, truncating and device control; TCP; signals and abstract
/// sockets.
[[nodiscard]] landlock_rules everything(long version) noexcept;

/// Only root may raise a hard limit, and a lower one that is set already serves as well.
[[nodiscard]] bool limit(int resource, rlim_t soft, rlim_t hard) noexcept;
[[nodiscard]] inline bool limit(int resource, rlim_t most) noexcept {
    return limit(resource, most, most);
}

/// A new user namespace makes its maker its root: that is given up as well.
[[nodiscard]] bool drop_capabilities() noexcept;

}  // namespace reelsd::media::jail
