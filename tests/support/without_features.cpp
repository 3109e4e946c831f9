// Runs a program as a kernel without some features would: the system calls behind them fail.
//
//     without_features FEATURE[,FEATURE...] PROGRAM [ARGUMENT...]
//
// The program and all its descendants live under a filter of system calls that cannot be removed.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <vector>

namespace {

struct missing_call {
    std::string_view feature;
    std::uint32_t number;
    std::uint16_t error;
    std::uint32_t first_argument = 0;  ///< 0: whatever the argument is.
};

constexpr auto missing_calls = std::to_array<missing_call>({
    {"seccomp", SYS_seccomp, ENOSYS},
    {"seccomp", SYS_prctl, EINVAL, PR_SET_SECCOMP},
    {"landlock", SYS_landlock_create_ruleset, ENOSYS},
    {"namespaces", SYS_unshare, EPERM},
    {"setuid", SYS_setresuid, EPERM},
    {"pidfd", SYS_pidfd_open, ENOSYS},
});

/// Skips the rules of one call when it is another one.
void add_rule(std::vector<sock_filter>& filter, const missing_call& call) {
    const bool any_argument = call.first_argument == 0;
    const auto skipped = static_cast<std::uint8_t>(any_argument ? 1 : 3);
    filter.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)));
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call.number, 0, skipped));
    if (!any_argument) {
        filter.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)));
        filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call.first_argument, 0, 1));
    }
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | call.error));
}

bool names(std::string_view features, std::string_view feature) {
    while (!features.empty()) {
        const auto end = features.find(',');
        if (features.substr(0, end) == feature) return true;
        features.remove_prefix(end == std::string_view::npos ? features.size() : end + 1);
    }
    return false;
}

}  // namespace

int main(int count, char** values) {
    if (count < 3) return 64;
    std::vector<sock_filter> filter;
    for (const auto& call : missing_calls) {
        if (names(values[1], call.feature)) add_rule(filter, call);
    }
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        std::perror("without_features");
        return 70;
    }
    execv(values[2], values + 2);
    std::perror(values[2]);
    return 127;
}
