#include "style.hpp"

namespace reelsd::cli {
namespace {

constexpr std::string_view style_off = "\x1B[0m";

/// The sequences are ECMA-48's, and the eight colours are those that every theme chooses itself.
std::string_view style_on(style look) {
    switch (look) {
        case style::plain: return "";
        case style::strong: return "\x1B[1m";
        case style::quiet: return "\x1B[2m";
        case style::good: return "\x1B[32m";
        case style::busy: return "\x1B[33m";
        case style::trouble: return "\x1B[31m";
    }
    return "";
}

}  // namespace

std::string styled(std::string_view text, style look, colours allowed) {
    const auto on = style_on(look);
    if (allowed == colours::off || on.empty() || text.empty()) return std::string{text};
    return std::string{on}.append(text).append(style_off);
}

style style_of_status(std::string_view status) {
    if (status == "done") return style::good;
    if (status == "error") return style::trouble;
    if (status == "processing") return style::busy;
    return style::plain;
}

}  // namespace reelsd::cli
