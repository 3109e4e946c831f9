#pragma once

#include <sys/resource.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Confines a decoder that a hostile video may take over. Entered after the models are loaded and
/// the video is open, before its first byte is read. Takes 1 ms.
namespace reelsd::media::jail {

struct limits {
    /// Writable memory. Excludes files mapped read-only (code, parts of the models): 60 MB.
    std::size_t data_bytes_max = 0;
    /// CPU time of all threads; then SIGXCPU, a second later SIGKILL.
    unsigned cpu_seconds_max = 0;
    /// Bytes that it may write to one file. Not 0, because standard output and error may be files
    /// when an operator runs the program.
    std::size_t file_bytes_max = std::size_t{8} * 1024 * 1024;
};

/// Usable descriptors other than standard output and error; -1 for none.
struct descriptors {
    int video = -1;   ///< For reading.
    int sound = -1;   ///< For reading, if the sound is a separate file.
    int input = -1;   ///< For reading: standard input, if it asks for more.
    int output = -1;  ///< For writing and reading again.
};

/// Which layers are active. refusal_of() decides which of them are required.
struct layers {
    bool no_new_privileges = false;  ///< Set-user-ID programs have no effect.
    bool resource_limits = false;  ///< Memory, time, file size, descriptors, processes, core dumps.
    bool unprivileged_user = false;    ///< Not root, if necessary by becoming `nobody`.
    bool own_namespaces = false;       ///< User, network (not even loopback) and IPC.
    bool landlock = false;             ///< Denies files, and TCP on newer kernels.
    int landlock_version = 0;          ///< Version in the kernel; 0 without Landlock.
    bool system_call_filter = false;   ///< About 30 calls; see system_call_filter.cpp.
    std::vector<std::string> reasons;  ///< One for each layer that is not active.
};

/// The first half: everything that new threads inherit. Call with one thread, then start the
/// others. `parent`: the process to die with, 0 for none; the caller has checked that it is alive.
[[nodiscard]] layers confine(const limits& within, int parent);

/// The second half, for all threads: forbids new threads and processes, and loads the system-call
/// filter.
void seal(layers& held, const descriptors& usable);

// Layers that sandbox.cpp uses as well.

/// The kernel's structure as of version 6. Older kernels accept it with zeros at its end.
struct landlock_rules {
    std::uint64_t files = 0;
    std::uint64_t network = 0;
    std::uint64_t scopes = 0;
};

/// Version of Landlock in the kernel; below 1 without Landlock, with errno set.
[[nodiscard]] long landlock_version() noexcept;

/// All rights of this version, by landlock(7) and the kernel's documentation: 13 rights over files,
/// then refer, truncate and device control; TCP; signals and abstract sockets.
[[nodiscard]] landlock_rules all_landlock_rules(long version) noexcept;

/// Keeps a lower limit that is already set, because only root may raise a hard limit.
[[nodiscard]] bool limit(int resource, rlim_t soft, rlim_t hard) noexcept;
[[nodiscard]] inline bool limit(int resource, rlim_t most) noexcept {
    return limit(resource, most, most);
}

/// Drops the capabilities that a new user namespace grants.
[[nodiscard]] bool drop_capabilities() noexcept;

/// "step: message of errno".
[[nodiscard]] std::string failure_text(std::string_view step, int code);

/// Loads the system-call filter of the child for all threads. Returns 0 or an errno. Only memory,
/// time, the usable descriptors and standard output and error remain; opening and connecting fail
/// with an error that libraries handle, any other call kills the process.
[[nodiscard]] int load_filter(const descriptors& usable);

/// Loads a filter for a program that does its own networking. Returns 0 or an errno. Denies Unix
/// sockets and the system calls that requesting a web page does not need.
[[nodiscard]] int load_sandbox_filter();

}  // namespace reelsd::media::jail
