#include "terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace reelsd::cli {
namespace {

/// Lines longer than this are tiring to read, however wide the terminal is.
constexpr std::size_t text_columns_max = 110;
constexpr std::size_t columns_default = 80;

/// Read before any thread is started, and never written.
std::string_view environment_text(const char* name) {
    const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no threads
    return value == nullptr ? std::string_view{} : value;
}

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

bool is_lively(std::FILE* out) {
    const auto terminal = environment_text("TERM");
    return isatty(fileno(out)) == 1 && !terminal.empty() && terminal != "dumb";
}

colours colours_for(std::FILE* out) {
    return is_lively(out) && environment_text("NO_COLOR").empty() ? colours::on : colours::off;
}

std::optional<std::size_t> columns_of_terminal(std::FILE* out) {
    if (isatty(fileno(out)) != 1) return std::nullopt;
    winsize size{};
    const bool known = ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? size.ws_col : columns_default;
}

std::size_t text_columns_of(std::FILE* out) {
    return std::min(columns_of_terminal(out).value_or(columns_default), text_columns_max);
}

}  // namespace reelsd::cli
