#include "jail_parts.hpp"

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace reelsd::media::jail {

long landlock_version() noexcept {
    constexpr unsigned ask_version = 1;
    return syscall(SYS_landlock_create_ruleset, nullptr, 0, ask_version);
}

landlock_rules everything(long version) noexcept {
    constexpr std::uint64_t one = 1;
    landlock_rules rules{.files = (one << 13U) - 1};
    if (version >= 2) rules.files |= one << 13U;
    if (version >= 3) rules.files |= one << 14U;
    if (version >= 5) rules.files |= one << 15U;
    if (version >= 4) rules.network = 3;
    if (version >= 6) rules.scopes = 3;
    return rules;
}

bool limit(int resource, rlim_t soft, rlim_t hard) noexcept {
    rlimit current{};
    if (getrlimit(static_cast<__rlimit_resource>(resource), &current) != 0) return false;
    const rlimit wanted{std::min(soft, current.rlim_max), std::min(hard, current.rlim_max)};
    return setrlimit(static_cast<__rlimit_resource>(resource), &wanted) == 0;
}

bool drop_capabilities() noexcept {
    __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> none{};
    return syscall(SYS_capset, &header, none.data()) == 0;
}

}  // namespace reelsd::media::jail
