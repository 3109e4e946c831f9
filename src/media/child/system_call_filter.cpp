#include "jail.hpp"

#include <seccomp.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <type_traits>

namespace reelsd::media::jail {
namespace {

struct filter_release {
    void operator()(void* filter) const noexcept { seccomp_release(filter); }
};

/// A filter of libseccomp until it is loaded.
using filter_owner = std::unique_ptr<std::remove_pointer_t<scmp_filter_ctx>, filter_release>;

/// Calls for computing, waiting for own threads and ending.
constexpr auto always_allowed = std::to_array<int>({
    SCMP_SYS(brk),
    SCMP_SYS(clock_gettime),
    SCMP_SYS(close),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
    SCMP_SYS(futex),
    SCMP_SYS(getpid),
    SCMP_SYS(getrandom),
    SCMP_SYS(gettid),
    SCMP_SYS(gettimeofday),
    SCMP_SYS(madvise),
    SCMP_SYS(mremap),
    SCMP_SYS(munmap),
    SCMP_SYS(restart_syscall),
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(sched_yield),
});

/// Calls that libraries try but do not need. They handle the error.
struct refused_call {
    int call;
    int error;
};
constexpr auto refused = std::to_array<refused_call>({
    {SCMP_SYS(open), EACCES},
    {SCMP_SYS(openat), EACCES},
    {SCMP_SYS(openat2), EACCES},
    {SCMP_SYS(creat), EACCES},
    {SCMP_SYS(access), EACCES},
    {SCMP_SYS(faccessat), EACCES},
    {SCMP_SYS(faccessat2), EACCES},
    {SCMP_SYS(stat), EACCES},
    {SCMP_SYS(lstat), EACCES},
    {SCMP_SYS(fstat), EACCES},
    {SCMP_SYS(newfstatat), EACCES},
    {SCMP_SYS(statx), EACCES},
    {SCMP_SYS(readlink), EACCES},
    {SCMP_SYS(readlinkat), EACCES},
    {SCMP_SYS(getcwd), EACCES},
    {SCMP_SYS(unlink), EACCES},
    {SCMP_SYS(unlinkat), EACCES},
    {SCMP_SYS(mkdir), EACCES},
    {SCMP_SYS(mkdirat), EACCES},
    {SCMP_SYS(socket), EACCES},
    {SCMP_SYS(socketpair), EACCES},
    {SCMP_SYS(connect), EACCES},
    {SCMP_SYS(fork), EPERM},
    {SCMP_SYS(vfork), EPERM},
    {SCMP_SYS(clone), EPERM},
    {SCMP_SYS(clone3), ENOSYS},  // The C library then tries clone.
    {SCMP_SYS(ioctl), ENOTTY},
    {SCMP_SYS(prctl), EPERM},
    {SCMP_SYS(prlimit64), EPERM},
    {SCMP_SYS(getrlimit), EPERM},
    {SCMP_SYS(sched_getaffinity), EPERM},
    {SCMP_SYS(sysinfo), EPERM},
    {SCMP_SYS(uname), EPERM},
});

int add_plain_rules(scmp_filter_ctx filter) {
    for (const int call : always_allowed) {
        const int failed = seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0);
        if (failed != 0) return failed;
    }
    for (const auto& [call, error] : refused) {
        const auto action = SCMP_ACT_ERRNO(static_cast<std::uint16_t>(error));
        const int failed = seccomp_rule_add(filter, action, call, 0);
        if (failed != 0) return failed;
    }
    return 0;
}

template <class... Conditions>
int allow_when(scmp_filter_ctx filter, int call, Conditions... conditions) {
    const std::array<scmp_arg_cmp, sizeof...(conditions)> list{conditions...};
    return seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, call, sizeof...(conditions), list.data());
}

scmp_arg_cmp equals(unsigned argument, std::uint64_t value) {
    return {argument, SCMP_CMP_EQ, value, 0};
}

scmp_arg_cmp masked(unsigned argument, std::uint64_t mask, std::uint64_t value) {
    return {argument, SCMP_CMP_MASKED_EQ, mask, value};
}

/// Allows each of `calls` for one descriptor; nothing for -1.
int allow_for(scmp_filter_ctx filter, int descriptor, std::initializer_list<int> calls) {
    if (descriptor < 0) return 0;
    int failed = 0;
    for (const int call : calls) {
        if (failed == 0)
            failed = allow_when(filter, call, equals(0, static_cast<std::uint64_t>(descriptor)));
    }
    return failed;
}

int add_file_rules(scmp_filter_ctx filter, const descriptors& usable) {
    int failed = 0;
    for (const auto output : {STDOUT_FILENO, STDERR_FILENO}) {
        if (failed == 0) failed = allow_for(filter, output, {SCMP_SYS(write), SCMP_SYS(writev)});
    }
    for (const int input : {usable.video, usable.sound, usable.input}) {
        if (failed == 0)
            failed = allow_for(filter, input, {SCMP_SYS(read), SCMP_SYS(pread64), SCMP_SYS(lseek)});
    }
    if (failed == 0) {
        failed =
            allow_for(filter, usable.output, {SCMP_SYS(write), SCMP_SYS(lseek), SCMP_SYS(pread64)});
    }
    return failed;
}

/// Allows private anonymous memory that is not executable: the memory limit does not count shared
/// memory, and a video must not write code.
int add_memory_rules(scmp_filter_ctx filter) {
    constexpr std::uint64_t kinds = MAP_ANONYMOUS | MAP_PRIVATE | MAP_SHARED;
    int failed = allow_when(
        filter,
        SCMP_SYS(mmap),
        masked(2, PROT_EXEC, 0),
        masked(3, kinds, MAP_ANONYMOUS | MAP_PRIVATE));
    if (failed == 0) failed = allow_when(filter, SCMP_SYS(mprotect), masked(2, PROT_EXEC, 0));
    return failed;
}

/// Allows signals to this process only: abort() signals its own thread.
int add_signal_rules(scmp_filter_ctx filter) {
    return allow_when(filter, SCMP_SYS(tgkill), equals(0, static_cast<std::uint64_t>(getpid())));
}

/// Denied to yt-dlp: other processes, kernel features, and io_uring, which opens sockets without a
/// filtered call.
constexpr auto denied_in_sandbox = std::to_array<int>({
    SCMP_SYS(ptrace),
    SCMP_SYS(process_vm_readv),
    SCMP_SYS(process_vm_writev),
    SCMP_SYS(pidfd_getfd),
    SCMP_SYS(kcmp),
    SCMP_SYS(bpf),
    SCMP_SYS(perf_event_open),
    SCMP_SYS(userfaultfd),
    SCMP_SYS(add_key),
    SCMP_SYS(request_key),
    SCMP_SYS(keyctl),
    SCMP_SYS(mount),
    SCMP_SYS(umount2),
    SCMP_SYS(pivot_root),
    SCMP_SYS(setns),
    SCMP_SYS(unshare),
    SCMP_SYS(io_uring_setup),
    SCMP_SYS(io_uring_enter),
    SCMP_SYS(io_uring_register),
});

int refuse_when(scmp_filter_ctx filter, int error, int call, scmp_arg_cmp condition) {
    const auto action = SCMP_ACT_ERRNO(static_cast<std::uint16_t>(error));
    return seccomp_rule_add_array(filter, action, call, 1, &condition);
}

/// Leaves Internet sockets and netlink, with which the C library lists the machine's addresses.
/// Landlock does not restrict connecting to Unix sockets, such as that of the private database.
int add_socket_rules(scmp_filter_ctx filter) {
    int failed = 0;
    for (int family = 0; family < AF_NETLINK && failed == 0; ++family) {
        if (family == AF_INET || family == AF_INET6) continue;
        const auto same = equals(0, static_cast<std::uint64_t>(family));
        failed = refuse_when(filter, EAFNOSUPPORT, SCMP_SYS(socket), same);
    }
    // The kernel reads 32 of the 64 bits; values with higher bits are larger too.
    const scmp_arg_cmp larger{0, SCMP_CMP_GT, AF_NETLINK, 0};
    if (failed == 0) failed = refuse_when(filter, EAFNOSUPPORT, SCMP_SYS(socket), larger);
    // A datagram socket of a pair can be connected elsewhere later; a stream socket cannot.
    constexpr std::uint64_t kind_bits = 0xf;
    if (failed == 0) {
        const auto datagram = masked(1, kind_bits, SOCK_DGRAM);
        failed = refuse_when(filter, EPERM, SCMP_SYS(socketpair), datagram);
    }
    return failed;
}

}  // namespace

int load_filter(const descriptors& usable) {
    const filter_owner filter{seccomp_init(SCMP_ACT_KILL_PROCESS)};
    if (!filter) return ENOMEM;
    int failed = seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_TSYNC, 1);
    if (failed == 0) failed = add_plain_rules(filter.get());
    if (failed == 0) failed = add_file_rules(filter.get(), usable);
    if (failed == 0) failed = add_memory_rules(filter.get());
    if (failed == 0) failed = add_signal_rules(filter.get());
    if (failed == 0) failed = seccomp_load(filter.get());
    return -failed;
}

int load_sandbox_filter() {
    const filter_owner filter{seccomp_init(SCMP_ACT_ALLOW)};
    if (!filter) return ENOMEM;
    int failed = add_socket_rules(filter.get());
    for (const int call : denied_in_sandbox) {
        if (failed == 0) failed = seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), call, 0);
    }
    if (failed == 0) failed = seccomp_load(filter.get());
    return -failed;
}

}  // namespace reelsd::media::jail
