#include "jail.hpp"

#include <reelsd/base/error.hpp>

#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>

namespace reelsd::media::jail {
namespace {

using namespace std::chrono_literals;

/// `nobody`, on Debian and as the kernel's overflow id.
constexpr unsigned nobody_id = 65'534;

/// The exit of a thread needs microseconds of CPU; this is for a machine under load.
constexpr auto thread_exit_max = 5s;

/// Address space without memory: the stacks of two more threads and malloc's arenas for them.
constexpr rlim_t reserve_bytes = rlim_t{192} * 1024 * 1024;

void note(layers& held, std::string_view layer, int code) {
    held.reasons.push_back(failure_text(layer, code));
}

/// Memory of the process in bytes (proc(5), statm).
struct sizes {
    rlim_t space = 0;
    rlim_t data = 0;
};

/// Zeros without /proc; address space is then limited as if none were in use.
sizes current_sizes() {
    std::FILE* file = std::fopen("/proc/self/statm", "re");
    if (file == nullptr) return {};
    unsigned long pages = 0;
    unsigned long data_pages = 0;
    const int read = std::fscanf(file, "%lu %*u %*u %*u %*u %lu", &pages, &data_pages);
    std::fclose(file);
    if (read != 2) return {};
    const auto page_bytes = static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
    return {.space = pages * page_bytes, .data = data_pages * page_bytes};
}

/// RLIMIT_DATA counts private writable memory, which decoders allocate. RLIMIT_AS limits the rest
/// (shared memory) when no filter forbids it.
bool limit_memory(rlim_t data_bytes_max, const sizes& at_entry) {
#ifndef REELSD_MEDIA_SANITIZED
    const rlim_t growth = data_bytes_max - std::min(at_entry.data, data_bytes_max);
    return limit(RLIMIT_DATA, data_bytes_max) &&
           limit(RLIMIT_AS, at_entry.space + growth + reserve_bytes);
#else
    // A sanitizer's shadow memory needs terabytes of address space.
    static_cast<void>(data_bytes_max);
    static_cast<void>(at_entry);
    return true;
#endif
}

void set_limits(const limits& within, const sizes& at_entry, layers& held) {
    // A write past the limit fails instead of killing the process.
    const bool ignored = std::signal(SIGXFSZ, SIG_IGN) != SIG_ERR;
    held.resource_limits = limit_memory(within.data_bytes_max, at_entry) &&
                           limit(RLIMIT_CPU, within.cpu_seconds_max, within.cpu_seconds_max + 1) &&
                           limit(RLIMIT_FSIZE, within.file_bytes_max) && limit(RLIMIT_NOFILE, 0) &&
                           limit(RLIMIT_CORE, 0) && limit(RLIMIT_MEMLOCK, 0) &&
                           limit(RLIMIT_MSGQUEUE, 0) && ignored;
    if (!held.resource_limits) note(held, "resource limits", errno);
}

/// Tries each step: a process that may change only its user ID should do so.
void leave_root(layers& held) {
    int failed = 0;
    if (geteuid() == 0) {
        if (setgroups(0, nullptr) != 0) failed = errno;
        if (setresgid(nobody_id, nobody_id, nobody_id) != 0) failed = errno;
        if (setresuid(nobody_id, nobody_id, nobody_id) != 0) failed = errno;
        if (failed != 0) note(held, "unprivileged user", failed);
    }
    held.unprivileged_user = failed == 0 && geteuid() != 0 && getuid() != 0;
}

/// Creating a user namespace fails with EINVAL in a process with several threads (unshare(2)). A
/// thread that has been joined can be counted for a moment longer. Returns errno, or 0.
int unshare_namespaces() {
    const auto by = std::chrono::steady_clock::now() + thread_exit_max;
    while (unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC) != 0) {
        if (errno != EINVAL || std::chrono::steady_clock::now() > by) return errno;
        std::this_thread::yield();
    }
    return 0;
}

void leave_namespaces(layers& held) {
    const int failed = unshare_namespaces();
    held.own_namespaces = failed == 0;
    if (failed != 0) note(held, "namespaces", failed);
    if (!drop_capabilities()) note(held, "capabilities", errno);
}

void enter_landlock(layers& held) {
    const long version = landlock_version();
    if (version < 1) return note(held, "landlock", errno);
    held.landlock_version = static_cast<int>(version);
    const auto rules = all_landlock_rules(version);
    const long ruleset = syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0);
    if (ruleset < 0) return note(held, "landlock", errno);
    // Without rules, everything handled is denied.
    held.landlock = syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
    if (!held.landlock) note(held, "landlock", errno);
    close(static_cast<int>(ruleset));
}

/// The kernel resets both when IDs change, so this comes last.
void bind_to_parent(layers& held, int parent) {
    if (prctl(PR_SET_DUMPABLE, 0) != 0) note(held, "dumpable", errno);
    if (parent != 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) note(held, "parent", errno);
}

}  // namespace

layers confine(const limits& within, int parent) {
    layers held;
    const sizes at_entry = current_sizes();  // Before Landlock denies /proc.
    held.no_new_privileges = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
    if (!held.no_new_privileges) note(held, "no new privileges", errno);
    leave_root(held);
    leave_namespaces(held);
    enter_landlock(held);
    set_limits(within, at_entry, held);
    bind_to_parent(held, parent);
    return held;
}

void seal(layers& held, const descriptors& usable) {
    if (!limit(RLIMIT_NPROC, 0)) {
        held.resource_limits = false;
        note(held, "process limit", errno);
    }
#ifndef REELSD_MEDIA_SANITIZED
    const int failed = load_filter(usable);
    held.system_call_filter = failed == 0;
    if (failed != 0) note(held, "system call filter", failed);
#else
    static_cast<void>(usable);
    held.reasons.emplace_back("system call filter: not supported by a sanitized program");
#endif
}

std::string failure_text(std::string_view step, int code) {
    return std::string{step} + ": " + errno_text(code);
}

long landlock_version() noexcept {
    constexpr unsigned version_flag = 1;
    return syscall(SYS_landlock_create_ruleset, nullptr, 0, version_flag);
}

landlock_rules all_landlock_rules(long version) noexcept {
    landlock_rules rules{.files = (1U << 13U) - 1};
    if (version >= 2) rules.files |= 1U << 13U;
    if (version >= 3) rules.files |= 1U << 14U;
    if (version >= 5) rules.files |= 1U << 15U;
    if (version >= 4) rules.network = 3;
    if (version >= 6) rules.scopes = 3;
    return rules;
}

bool limit(int resource, rlim_t soft, rlim_t hard) noexcept {
    rlimit current{};
    if (getrlimit(static_cast<__rlimit_resource>(resource), &current) != 0) return false;
    const rlimit target{std::min(soft, current.rlim_max), std::min(hard, current.rlim_max)};
    return setrlimit(static_cast<__rlimit_resource>(resource), &target) == 0;
}

bool drop_capabilities() noexcept {
    __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> none{};
    return syscall(SYS_capset, &header, none.data()) == 0;
}

}  // namespace reelsd::media::jail
