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
std::string_view variable(const char* name) {
    const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no threads
    return value == nullptr ? std::string_view{} : value;
}

}  // namespace

bool is_lively(std::FILE* out) {
    const auto terminal = variable("TERM");
    return isatty(fileno(out)) == 1 && !terminal.empty() && terminal != "dumb";
}

colours colours_for(std::FILE* out) {
    return is_lively(out) && variable("NO_COLOR").empty() ? colours::on : colours::off;
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
