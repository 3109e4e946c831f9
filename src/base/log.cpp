#include "log_lines.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/base/invariant.hpp>
#include <reelsd/base/journal.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/base/log.hpp>

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace reelsd::log {
namespace {

using line_buffer = spdlog::memory_buf_t;

spdlog::level::level_enum to_spdlog(level at) {
    switch (at) {
        case level::debug: return spdlog::level::debug;
        case level::info: return spdlog::level::info;
        case level::warning: return spdlog::level::warn;
        case level::error: return spdlog::level::err;
        case level::off: return spdlog::level::off;
    }
    return spdlog::level::off;
}

level level_of(spdlog::level::level_enum at) {
    if (at >= spdlog::level::err) return level::error;
    if (at == spdlog::level::warn) return level::warning;
    return at == spdlog::level::info ? level::info : level::debug;
}

std::string_view name_of(level at) {
    switch (at) {
        case level::debug: return "debug";
        case level::info: return "info";
        case level::warning: return "warning";
        case level::error:
        case level::off: return "error";
    }
    return "";
}

/// One part behind the other; room is made once for all.
void append(line_buffer& line, std::initializer_list<std::string_view> parts) {
    const auto end = line.size();
    auto size = end;
    for (const auto part : parts) size += part.size();
    line.resize(size);
    auto* at = line.data() + end;
    for (const auto part : parts) at = std::copy(part.begin(), part.end(), at);
}

std::string text_of(const line_buffer& line) {
    return {line.data(), line.size()};
}

/// Puts time and level before what has been rendered. A line is written for each request: the text
/// of the last second is kept, for to write it anew would be a third of the line's cost. The sink
/// locks.
class line_formatter final : public spdlog::formatter {
public:
    line_formatter(log::format shape, bool for_journal)
        : shape_{shape}, for_journal_{for_journal} {}

    void format(const spdlog::details::log_msg& message, line_buffer& into) override {
        const auto at = level_of(message.level);
        const auto priority = for_journal_ ? journal_priority(at) : std::string_view{};
        const std::string_view rendered{message.payload.data(), message.payload.size()};
        const auto time = text_of_time(message.time);
        if (shape_ == log::format::json) {
            constexpr std::string_view level_key = R"(","level":")";
            append(
                into,
                {priority, R"({"time":")", time, level_key, name_of(at), "\",", rendered, "}\n"});
        } else {
            append(into, {priority, time, " ", name_of(at), " ", rendered, "\n"});
        }
    }
    [[nodiscard]] std::unique_ptr<spdlog::formatter> clone() const override {
        return std::make_unique<line_formatter>(shape_, for_journal_);
    }

private:
    /// "2026-05-22T10:00:00.123Z", until the next call.
    std::string_view text_of_time(std::chrono::system_clock::time_point when) {
        const auto second = std::chrono::floor<std::chrono::seconds>(when);
        if (second_ != second) {
            second_ = second;
            text_ = to_rfc3339(second);
            text_.back() = '.';
            text_.append("000Z");
        }
        auto rest = std::chrono::floor<std::chrono::milliseconds>(when - second).count();
        for (auto digit = text_.end() - 2; *digit != '.'; --digit, rest /= 10) {
            *digit = static_cast<char>('0' + rest % 10);
        }
        return text_;
    }

    log::format shape_;
    bool for_journal_;
    std::optional<std::chrono::sys_seconds> second_;
    std::string text_;
};

using byte_table = std::array<bool, 256>;

constexpr byte_table beyond_ascii_or(std::string_view others) {
    byte_table table{};
    for (std::size_t byte = 0; byte < table.size(); ++byte) {
        const bool is_other = others.find(static_cast<char>(byte)) != std::string_view::npos;
        table[byte] = byte < ' ' || byte >= 0x7f || is_other;
    }
    return table;
}

constexpr byte_table escaped_bytes = beyond_ascii_or("\"\\");
constexpr byte_table quoted_bytes = beyond_ascii_or(" \"\\=");

bool has_any_of(std::string_view text, const byte_table& wanted) {
    return std::any_of(
        text.begin(), text.end(), [&wanted](unsigned char byte) { return wanted[byte]; });
}

bool needs_quotes(std::string_view text) {
    return text.empty() || has_any_of(text, quoted_bytes);
}

bool needs_escapes(std::string_view text) {
    return has_any_of(text, escaped_bytes);
}

/// JSON's own escaping serves text lines as well: it is unambiguous and keeps UTF-8 readable. The
/// quotes are part of it.
std::string escaped(std::string_view text) {
    return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

/// Appends a field in one of the two shapes.
struct field_writer {
    static constexpr int decimals = 3;
    line_buffer& line;
    format shape;
    std::string_view key;

    void operator()(std::int64_t number) const { write_number(number); }
    void operator()(double number) const {
        if (shape == format::json && !std::isfinite(number)) {
            write("null");  // JSON has no such numbers.
        } else {
            write_number(number, std::chars_format::fixed, decimals);
        }
    }
    void operator()(bool truth) const { write(truth ? "true" : "false"); }
    void operator()(std::string_view text) const {
        if (shape == format::text && !needs_quotes(text)) {
            write(text);
        } else if (needs_escapes(text)) {
            write(escaped(text));
        } else {
            write(text, true);
        }
    }

private:
    template <class Number, class... Form>
    void write_number(Number number, Form... form) const {
        using limits = std::numeric_limits<Number>;
        // With sign; of a double, all digits before the point, the point and the decimals.
        constexpr std::size_t characters_max =
            limits::is_integer ? limits::digits10 + 2 : limits::max_exponent10 + 3 + decimals;
        std::array<char, characters_max> text{};
        const auto [end, failed] =
            std::to_chars(text.data(), text.data() + text.size(), number, form...);
        invariant(failed == std::errc{});
        write({text.data(), static_cast<std::size_t>(end - text.data())});
    }

    void write(std::string_view value, bool in_quotes = false) const {
        constexpr std::size_t marks_max = 6;
        const auto end = line.size();
        line.resize(end + key.size() + value.size() + marks_max);
        auto* at = line.data() + end;
        const bool is_json = shape == format::json;
        *at++ = is_json ? ',' : ' ';
        if (is_json) *at++ = '"';
        at = std::copy(key.begin(), key.end(), at);
        if (is_json) *at++ = '"';
        *at++ = is_json ? ':' : '=';
        if (in_quotes) *at++ = '"';
        at = std::copy(value.begin(), value.end(), at);
        if (in_quotes) *at++ = '"';
        line.resize(static_cast<std::size_t>(at - line.data()));
    }
};

void render(line_buffer& line, format shape, std::string_view message, fields values) {
    if (shape == format::text) {
        append(line, {message});
    } else if (needs_escapes(message)) {
        append(line, {R"("message":)", escaped(message)});
    } else {
        append(line, {R"("message":")", message, "\""});
    }
    for (const auto& one : values) std::visit(field_writer{line, shape, one.key}, one.value);
}

std::shared_ptr<line_sink> sink_into(const std::filesystem::path& file, format shape) {
    return std::make_shared<line_sink>(
        file, [shape](std::string_view message, std::string_view reason) {
            const fields why{{"reason", reason}};
            return shape == format::json ? render_json(message, why) : render_text(message, why);
        });
}

}  // namespace

std::string render_text(std::string_view message, fields values) {
    line_buffer line;
    render(line, format::text, message, values);
    return text_of(line);
}

std::string render_json(std::string_view message, fields values) {
    line_buffer line;
    render(line, format::json, message, values);
    return text_of(line);
}

logger::logger(level at_least, format shape) : logger{at_least, shape, {}} {}

logger::logger(level at_least, format shape, const std::filesystem::path& file)
    : lines_{sink_into(file, shape)},
      sink_{std::make_shared<spdlog::logger>("reelsd", lines_)},
      format_{shape} {
    sink_->set_level(to_spdlog(at_least));
    const bool for_journal = file.empty() && is_journal(STDERR_FILENO);
    sink_->set_formatter(std::make_unique<line_formatter>(shape, for_journal));
}

void logger::reopen() const {
    lines_->reopen();
}

void logger::keep_lines(std::function<void()> release_soon) const {
    lines_->keep(std::move(release_soon));
}

void logger::release() const {
    lines_->release();
}

void logger::keep_no_lines() const {
    lines_->keep({});
}

logger logger::silent() {
    return logger{level::off, format::text};
}

void logger::write(level at, std::string_view message, fields values) const {
    const auto spdlog_level = to_spdlog(at);
    if (!sink_->should_log(spdlog_level)) return;
    line_buffer line;
    render(line, format_, message, values);
    sink_->log(spdlog_level, spdlog::string_view_t{line.data(), line.size()});
}

void logger::debug(std::string_view message, fields values) const {
    write(level::debug, message, values);
}
void logger::info(std::string_view message, fields values) const {
    write(level::info, message, values);
}
void logger::warning(std::string_view message, fields values) const {
    write(level::warning, message, values);
}
void logger::error(std::string_view message, fields values) const {
    write(level::error, message, values);
}

}  // namespace reelsd::log
