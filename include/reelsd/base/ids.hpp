#pragma once

#include <compare>
#include <cstdint>

namespace reelsd {

/// A positive 64-bit identifier, as a separate type per kind.
template <class Tag>
struct strong_id {
    std::int64_t value = 0;

    // NOLINTNEXTLINE(modernize-use-nullptr): what `<` makes of it is taken for a pointer
    friend constexpr auto operator<=>(strong_id, strong_id) = default;
};

using account_id = strong_id<struct account_tag>;
using token_id = strong_id<struct token_tag>;
using job_id = strong_id<struct job_tag>;
using upload_id = strong_id<struct upload_tag>;

}  // namespace reelsd
