#include "text.hpp"

#include <reelsd/base/utf8.hpp>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace reelsd::cli {
namespace {

std::size_t cells_of(char32_t character) {
    return static_cast<std::size_t>(column_width(character));
}

/// Bidirectional embeddings, overrides and isolates, which change the visible order of text.
bool reorders_text(char32_t c) {
    return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

bool is_control(char32_t c) {
    return c < 0x20 || (c >= 0x7F && c < 0xA0);
}

bool is_line_break(char32_t c) {
    return c == '\n' || c == 0x2028 || c == 0x2029;
}

/// The end of a control sequence whose parameters begin at `at` (after ESC [ or its 8-bit form):
/// parameters are 0x20-0x3F, the final byte is 0x40-0x7E (ECMA-48, 5.4).
std::size_t after_control_sequence(std::string_view text, std::size_t at) {
    while (at < text.size() && text[at] >= 0x20 && text[at] <= 0x3F) ++at;
    return at < text.size() && text[at] >= 0x40 && text[at] <= 0x7E ? at + 1 : at;
}

/// The end of a control string (OSC, DCS, APC, PM, SOS) whose content begins at `at`, after BEL or
/// the string terminator (ESC and a backslash). `at` if it is not terminated, to keep the text.
std::size_t after_control_string(std::string_view text, std::size_t at) {
    for (auto end = at; end < text.size(); ++end) {
        if (text[end] == '\a') return end + 1;
        if (text[end] == '\x1B' && end + 1 < text.size() && text[end + 1] == '\\') return end + 2;
    }
    return at;
}

/// The end of the escape sequence whose ESC is at `at`.
std::size_t after_escape(std::string_view text, std::size_t at) {
    constexpr std::string_view string_openers = "]PX^_";
    const auto kind = at + 1;
    if (kind >= text.size()) return text.size();
    if (text[kind] == '[') return after_control_sequence(text, kind + 1);
    if (string_openers.find(text[kind]) != std::string_view::npos) {
        return after_control_string(text, kind + 1);
    }
    // Other sequences: intermediates 0x20-0x2F, then one final byte. Other bytes are text.
    auto end = kind;
    while (end < text.size() && text[end] >= 0x20 && text[end] <= 0x2F) ++end;
    return end < text.size() && text[end] >= 0x30 && text[end] <= 0x7E ? end + 1 : end;
}

/// The end of a control character, or of the escape sequence that it begins.
std::size_t after_control(std::string_view text, std::size_t at, const code_point& control) {
    constexpr char32_t escape = 0x1B;
    constexpr char32_t control_sequence_introducer = 0x9B;
    if (control.value == escape) return after_escape(text, at);
    const auto next = at + control.bytes;
    if (control.value == control_sequence_introducer) return after_control_sequence(text, next);
    return next;
}

bool is_link(std::string_view word) {
    return word.starts_with("https://") || word.starts_with("http://");
}

/// Fills lines word by word.
class line_filler {
public:
    explicit line_filler(std::size_t columns) : columns_{std::max<std::size_t>(columns, 1)} {}

    void add(std::string_view word) {
        const auto width = columns_of(word);
        if (used_ > 0 && used_ + 1 + width > columns_) end_line();
        if (used_ > 0) put(" ");
        while (used_ == 0 && !is_link(word) && columns_of(word) > columns_) {
            auto head = prefix_that_fits(word, columns_);
            if (head.empty()) head = word.substr(0, code_point_at(word, 0).bytes);
            word.remove_prefix(head.size());
            if (word.empty()) return put(head);
            put(head);
            end_line();
        }
        put(word);
    }

    void end_line() {
        lines_.push_back(std::move(line_));
        line_.clear();
        used_ = 0;
    }

    std::vector<std::string> take() { return std::move(lines_); }

private:
    void put(std::string_view text) {
        line_.append(text);
        used_ += columns_of(text);
    }

    std::size_t columns_;
    std::size_t used_ = 0;
    std::string line_;
    std::vector<std::string> lines_;
};

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

std::string printable(std::string_view untrusted, line_breaks breaks) {
    std::string clean;
    clean.reserve(untrusted.size());
    std::size_t at = 0;
    while (at < untrusted.size()) {
        const auto character = code_point_at(untrusted, at);
        auto next = at + character.bytes;
        if (!character.valid) {
            append_code_point(clean, replacement_character);
        } else if (is_line_break(character.value)) {
            clean.push_back(breaks == line_breaks::keep ? '\n' : ' ');
        } else if (character.value == '\t') {
            clean.push_back(' ');
        } else if (is_control(character.value)) {
            next = after_control(untrusted, at, character);
        } else if (!reorders_text(character.value)) {
            clean.append(untrusted.substr(at, character.bytes));
        }
        at = next;
    }
    return clean;
}

std::string safe_json(std::string_view document) {
    std::string safe;
    safe.reserve(document.size());
    for (std::size_t at = 0; at < document.size();) {
        const auto character = code_point_at(document, at);
        if (character.valid && character.value >= 0x7F && is_control(character.value)) {
            safe += fmt::format("\\u{:04x}", static_cast<unsigned>(character.value));
        } else {
            safe.append(document.substr(at, character.bytes));
        }
        at += character.bytes;
    }
    return safe;
}

std::size_t columns_of(std::string_view text) {
    std::size_t columns = 0;
    for (const auto character : code_points_of(text)) columns += cells_of(character);
    return columns;
}

std::string_view prefix_that_fits(std::string_view text, std::size_t columns) {
    std::size_t used = 0;
    std::size_t at = 0;
    while (at < text.size()) {
        const auto character = code_point_at(text, at);
        used += cells_of(character.value);
        if (used > columns) break;
        at += character.bytes;
    }
    return text.substr(0, at);
}

std::vector<std::string> wrapped(std::string_view text, std::size_t columns) {
    line_filler filler{columns};
    std::size_t begin = 0;
    for (std::size_t at = 0; at <= text.size(); ++at) {
        const bool at_end = at == text.size();
        if (!at_end && text[at] != ' ' && text[at] != '\n') continue;
        if (at > begin) filler.add(text.substr(begin, at - begin));
        if (at_end || text[at] == '\n') filler.end_line();
        begin = at + 1;
    }
    return filler.take();
}

std::string clock_text(double seconds) {
    // A week, longer than any video; prevents overflow.
    constexpr double seconds_max = 604'800;
    const auto whole = std::isfinite(seconds) ? std::clamp(seconds, 0.0, seconds_max) : 0.0;
    const auto total = static_cast<int>(whole);
    return fmt::format("{:02}:{:02}", total / 60, total % 60);
}

std::string duration_text(double seconds) {
    constexpr double seconds_max = 3.2e9;  // A century.
    const auto bounded = std::isfinite(seconds) ? std::clamp(seconds, 0.0, seconds_max) : 0.0;
    // 59.96 s is "1 min", not "60 s".
    if (bounded < 59.95) return short_number(std::round(bounded * 10) / 10) + " s";
    const auto total = static_cast<std::int64_t>(std::round(bounded));
    if (total < 3600) {
        return total % 60 == 0 ? fmt::format("{} min", total / 60)
                               : fmt::format("{} min {} s", total / 60, total % 60);
    }
    return fmt::format("{} h {} min", total / 3600, total % 3600 / 60);
}

std::string moment_text(const std::string& rfc3339) {
    if (rfc3339.size() != 20 || rfc3339[10] != 'T' || rfc3339[19] != 'Z') return rfc3339;
    return fmt::format("{} {} UTC", rfc3339.substr(0, 10), rfc3339.substr(11, 8));
}

std::string bytes_text(std::int64_t bytes) {
    constexpr std::array units{"kB", "MB", "GB", "TB"};
    if (bytes < 1000) return fmt::format("{} bytes", bytes);
    auto amount = static_cast<double>(bytes) / 1000;
    std::size_t unit = 0;
    // Values from 999.95 would be printed as "1000.0".
    while (amount >= 999.95 && unit + 1 < units.size()) {
        amount /= 1000;
        ++unit;
    }
    return fmt::format("{:.1f} {}", amount, units.at(unit));
}

std::string short_number(double number) {
    auto text = fmt::format("{:.2f}", number);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text;
}

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
