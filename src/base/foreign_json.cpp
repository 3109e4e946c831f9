#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/parse_number.hpp>

#include <cstddef>
#include <optional>

namespace reelsd {
namespace {

std::optional<unsigned> hex4(std::string_view text) {
    if (text.size() < 4) return std::nullopt;
    return parse_number<unsigned>(text.substr(0, 4), 16);
}

constexpr bool is_high(unsigned unit) {
    return unit >= 0xd800 && unit <= 0xdbff;
}
constexpr bool is_low(unsigned unit) {
    return unit >= 0xdc00 && unit <= 0xdfff;
}

/// The length of the escape at `at`, after replacing half a surrogate pair.
std::size_t repair_escape(std::string& text, std::size_t at) {
    constexpr std::size_t unit_size = 6;
    const std::string_view all{text};
    if (at + 1 >= all.size() || all[at + 1] != 'u') return 2;
    const auto unit = hex4(all.substr(at + 2));
    if (!unit || (!is_high(*unit) && !is_low(*unit))) return 2;
    const auto rest = all.substr(at + unit_size);
    const auto partner = rest.starts_with("\\u") ? hex4(rest.substr(2)) : std::nullopt;
    if (is_high(*unit) && partner && is_low(*partner)) return 2 * unit_size;
    text.replace(at + 2, 4, "fffd");
    return unit_size;
}

}  // namespace

std::string with_whole_surrogates(std::string_view text) {
    std::string repaired{text};
    for (auto at = repaired.find('\\'); at != std::string::npos;) {
        const auto next = at + repair_escape(repaired, at);
        at = next < repaired.size() ? repaired.find('\\', next) : std::string::npos;
    }
    return repaired;
}

}  // namespace reelsd
