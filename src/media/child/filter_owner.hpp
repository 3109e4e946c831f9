#pragma once

#include <seccomp.h>

#include <memory>
#include <type_traits>

namespace reelsd::media::jail {

struct filter_release {
    void operator()(void* filter) const noexcept { seccomp_release(filter); }
};

/// A filter of libseccomp's, until it is loaded.
using filter_owner = std::unique_ptr<std::remove_pointer_t<scmp_filter_ctx>, filter_release>;

}  // namespace reelsd::media::jail
