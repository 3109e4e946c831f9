#include "log_lines.hpp"
#include <reelsd/base/journal.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/base/log.hpp>

#include <fmt/format.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace reelsd::log {
namespace {

constexpr std::size_t usual_line_bytes = 320;

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

/// `%*` in a pattern.
class priority_flag final : public spdlog::custom_flag_formatter {
public:
    void format(
        const spdlog::details::log_msg& message, const std::tm& /*time*/,
        spdlog::memory_buf_t& into) override {
        const auto text = journal_priority(level_of(message.level));
        into.append(text.data(), text.data() + text.size());
    }
    [[nodiscard]] std::unique_ptr<spdlog::custom_flag_formatter> clone() const override {
        return std::make_unique<priority_flag>();
    }
};

std::unique_ptr<spdlog::formatter> line_formatter(format shape, bool for_journal) {
    std::string pattern = shape == format::json
                              ? R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})"
                              : "%Y-%m-%dT%H:%M:%S.%eZ %l %v";
    if (for_journal) pattern.insert(0, "%*");
    auto made = std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc);
    made->add_flag<priority_flag>('*').set_pattern(std::move(pattern));
    return made;
}

bool needs_quotes(std::string_view text) {
    return text.empty() || std::any_of(text.begin(), text.end(), [](unsigned char c) {
               return c <= ' ' || c == '"' || c == '\\' || c == '=' || c >= 0x7f;
           });
}

bool needs_escapes(std::string_view text) {
    return std::any_of(text.begin(), text.end(), [](unsigned char c) {
        return c < ' ' || c == '"' || c == '\\' || c >= 0x7f;
    });
}

/// JSON's own escaping serves text lines as well: it is unambiguous and keeps UTF-8 readable.
void append_quoted(std::string& line, std::string_view text) {
    if (needs_escapes(text)) {
        line += json(text).dump(-1, ' ', false, json::error_handler_t::replace);
    } else {
        line.append(1, '"').append(text).append(1, '"');
    }
}

/// Appends a value in one of the two shapes.
struct value_writer {
    std::string& line;
    format shape;

    void operator()(std::int64_t number) const {
        fmt::format_to(std::back_inserter(line), "{}", number);
    }
    void operator()(double number) const {
        if (shape == format::json && !std::isfinite(number)) {
            line += "null";  // JSON has no such numbers.
        } else {
            fmt::format_to(std::back_inserter(line), "{:.3f}", number);
        }
    }
    void operator()(bool truth) const { line += truth ? "true" : "false"; }
    void operator()(std::string_view text) const {
        if (shape == format::json || needs_quotes(text)) {
            append_quoted(line, text);
        } else {
            line += text;
        }
    }
};

std::shared_ptr<line_sink> sink_into(const std::filesystem::path& file, format shape) {
    return std::make_shared<line_sink>(
        file, [shape](std::string_view message, std::string_view reason) {
            const fields why{{"reason", reason}};
            return shape == format::json ? render_json(message, why) : render_text(message, why);
        });
}

}  // namespace

std::string render_text(std::string_view message, fields values) {
    std::string line;
    line.reserve(usual_line_bytes);
    line.append(message);
    for (const auto& one : values) {
        line.append(1, ' ').append(one.key).append(1, '=');
        std::visit(value_writer{line, format::text}, one.value);
    }
    return line;
}

std::string render_json(std::string_view message, fields values) {
    std::string line;  // The pattern supplies the braces, time and level.
    line.reserve(usual_line_bytes);
    line.append(R"("message":)");
    append_quoted(line, message);
    for (const auto& one : values) {
        line.append(1, ',');
        append_quoted(line, one.key);
        line.append(1, ':');
        std::visit(value_writer{line, format::json}, one.value);
    }
    return line;
}

logger::logger(level at_least, format shape) : logger{at_least, shape, {}} {}

logger::logger(level at_least, format shape, const std::filesystem::path& file)
    : lines_{sink_into(file, shape)},
      sink_{std::make_shared<spdlog::logger>("reelsd", lines_)},
      format_{shape} {
    sink_->set_level(to_spdlog(at_least));
    sink_->flush_on(spdlog::level::debug);
    sink_->set_formatter(line_formatter(shape, file.empty() && is_journal(STDERR_FILENO)));
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
    const auto line =
        format_ == format::json ? render_json(message, values) : render_text(message, values);
    sink_->log(spdlog_level, spdlog::string_view_t{line});
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
