#include "terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace reelsd::cli {
namespace {

/// Longer lines of running text are hard to read.
constexpr std::size_t text_columns_max = 110;
constexpr std::size_t columns_default = 80;

constexpr std::string_view style_off = "\x1B[0m";

/// ECMA-48 sequences, with the eight basic colours that the terminal's theme defines.
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

std::optional<std::string> environment_variable(const char* name) {
    const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no threads yet
    if (value == nullptr || *value == '\0') return std::nullopt;
    return std::string{value};
}

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

bool supports_control_sequences(std::FILE* out) {
    const auto terminal = environment_variable("TERM");
    return isatty(fileno(out)) == 1 && terminal && *terminal != "dumb";
}

colours colours_for(std::FILE* out) {
    const bool allowed = supports_control_sequences(out) && !environment_variable("NO_COLOR");
    return allowed ? colours::on : colours::off;
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
