#include "protocol.hpp"

#include <array>

namespace reelsd::cli::mcp {

std::string_view name_of(revision one) noexcept {
    switch (one) {
        case revision::of_2024_11_05: return "2024-11-05";
        case revision::of_2025_03_26: return "2025-03-26";
        case revision::of_2025_06_18: return "2025-06-18";
        case revision::of_2025_11_25: return "2025-11-25";
    }
    return {};
}

revision negotiated(std::string_view asked_for) noexcept {
    constexpr std::array spoken{
        revision::of_2024_11_05,
        revision::of_2025_03_26,
        revision::of_2025_06_18,
        revision::of_2025_11_25};
    for (const auto one : spoken) {
        if (name_of(one) == asked_for) return one;
    }
    return newest_revision;
}

}  // namespace reelsd::cli::mcp
