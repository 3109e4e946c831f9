#include "fence_filter.hpp"

#include "filter_owner.hpp"

#include <seccomp.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdint>

namespace reelsd::media::jail {
namespace {

/// Other processes, the kernel's own machinery, and io_uring, which opens sockets past any filter.
constexpr auto forbidden = std::to_array<int>({
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

int refuse(scmp_filter_ctx filter, int error, int call, scmp_arg_cmp condition) {
    const auto action = SCMP_ACT_ERRNO(static_cast<std::uint16_t>(error));
    return seccomp_rule_add_array(filter, action, call, 1, &condition);
}

/// Internet sockets, and netlink, by which the C library learns which addresses the machine has. A
/// Unix socket of the private database or of the service manager is a file, but Landlock does not
/// judge who connects to it.
int add_socket_rules(scmp_filter_ctx filter) {
    int failed = 0;
    for (int family = 0; family < AF_NETLINK && failed == 0; ++family) {
        if (family == AF_INET || family == AF_INET6) continue;
        const scmp_arg_cmp same{0, SCMP_CMP_EQ, static_cast<std::uint64_t>(family), 0};
        failed = refuse(filter, EAFNOSUPPORT, SCMP_SYS(socket), same);
    }
    // The kernel reads 32 of the 64 bits: what has a bit above them is larger too.
    const scmp_arg_cmp larger{0, SCMP_CMP_GT, AF_NETLINK, 0};
    if (failed == 0) failed = refuse(filter, EAFNOSUPPORT, SCMP_SYS(socket), larger);
    // A datagram socket of a pair may be connected to another one afterwards; streams may not.
    constexpr std::uint64_t kind_bits = 0xf;
    const scmp_arg_cmp datagram{1, SCMP_CMP_MASKED_EQ, kind_bits, SOCK_DGRAM};
    if (failed == 0) failed = refuse(filter, EPERM, SCMP_SYS(socketpair), datagram);
    return failed;
}

}  // namespace

int load_fence_filter() {
    const filter_owner filter{seccomp_init(SCMP_ACT_ALLOW)};
    if (!filter) return ENOMEM;
    int failed = add_socket_rules(filter.get());
    for (const int call : forbidden) {
        if (failed == 0) failed = seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), call, 0);
    }
    if (failed == 0) failed = seccomp_load(filter.get());
    return -failed;
}

}  // namespace reelsd::media::jail
