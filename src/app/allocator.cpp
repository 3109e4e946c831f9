#include "allocator.hpp"

#ifdef REELSD_MIMALLOC
#include <mimalloc.h>
#else
#include <malloc.h>
#endif

namespace reelsd::app {

void return_freed_memory() noexcept {
#ifdef REELSD_MIMALLOC
    ::mi_collect(true);
#else
    static_cast<void>(::malloc_trim(0));
#endif
}

}  // namespace reelsd::app
