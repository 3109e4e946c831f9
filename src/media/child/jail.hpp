#pragma once

#include <sys/resource.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// What keeps a decoder that a hostile video has taken over from reaching anything. Entered after
/// models are loaded and the video is open, before the first of its bytes is read. Measured: 1 ms.
namespace reelsd::media::jail {

struct limits {
    /// Writable memory. What is mapped from files (code, part of the models) comes on top: 60 MB.
    std::size_t data_bytes_max = 0;
    /// Time on a core of all threads together; then SIGXCPU, a second later SIGKILL.
    unsigned cpu_seconds_max = 0;
    /// What it may write into one file. Standard output and error may be files when somebody tries
    /// the program by hand: a limit of 0 would kill it at its first word.
    std::size_t file_bytes_max = std::size_t{8} * 1024 * 1024;
};

/// The descriptors besides standard output and error that may be used; -1 for none.
struct descriptors {
    int video = -1;   ///< Read.
    int sound = -1;   ///< Read: the sound, where it is a file of its own.
    int output = -1;  ///< Written, and what was written read again.
};

/// Which layers hold. The caller decides which of them it needs: see refusal_of().
struct layers {
    bool no_new_privileges = false;  ///< No set-user-id program gives any.
    bool resource_limits = false;  ///< Memory, time, file size, descriptors, processes, core dumps.
    bool unprivileged_user = false;    ///< Not root: was not, or has become `nobody`.
    bool own_namespaces = false;       ///< User, network, IPC: no interface, not even loopback.
    bool landlock = false;             ///< No file is opened, made or removed, no TCP port reached.
    int landlock_version = 0;          ///< The kernel's; 0: none.
    bool system_call_filter = false;   ///< About 30 calls; see system_call_filter.cpp.
    std::vector<std::string> reasons;  ///< Why a layer does not hold, one each.
};

/// The first half: everything that threads inherit from the one that starts them. Call while there
/// is one thread, then start the others. `parent`: the process to die with, 0 for none; the caller
/// has already checked that it still lives.
[[nodiscard]] layers confine(const limits& within, int parent);

/// The second half, for all threads at once: no more threads or processes, and the system-call
/// filter.
void seal(layers& held, const descriptors& usable);

// Layers that the sandbox around another program uses as well.

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
