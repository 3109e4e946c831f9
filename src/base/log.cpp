#include "log_lines.hpp"
#include <reelsd/base/json.hpp>
#include <reelsd/base/log.hpp>

#include <fmt/format.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <iterator>
#include <utility>

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

void append(line_buffer& line, std::string_view text) {
    line.append(text.data(), text.data() + text.size());
}

/// Writes the priority that systemd's journal reads.
class priority_flag final : public spdlog::custom_flag_formatter {
public:
    void format(const spdlog::details::log_msg& message, const std::tm& /*time*/, line_buffer& line)
        override {
        append(line, journal_priority(level_of(message.level)));
    }
    [[nodiscard]] std::unique_ptr<spdlog::custom_flag_formatter> clone() const override {
        return std::make_unique<priority_flag>();
    }
};

/// Puts time and level before the text of render().
std::unique_ptr<spdlog::formatter> formatter_for(format shape, bool for_journal) {
    const std::string line = shape == format::json
                                 ? R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})"
                                 : "%Y-%m-%dT%H:%M:%S.%eZ %l %v";
    auto formatter =
        std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc, "\n");
    if (for_journal) formatter->add_flag<priority_flag>('*');
    formatter->set_pattern(for_journal ? "%*" + line : line);
    return formatter;
}

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

bool has_any_of(std::string_view text, const byte_table& table) {
    return std::any_of(
        text.begin(), text.end(), [&table](unsigned char byte) { return table[byte]; });
}

/// Appends quoted text. Text lines also use JSON's escaping: it is unambiguous and keeps UTF-8
/// readable.
void append_quoted(line_buffer& line, std::string_view text) {
    if (has_any_of(text, escaped_bytes)) {
        return append(line, json(text).dump(-1, ' ', false, json::error_handler_t::replace));
    }
    fmt::format_to(std::back_inserter(line), "\"{}\"", text);
}

/// Appends the value of a field.
struct value_writer {
    line_buffer& line;
    format shape;

    void operator()(std::int64_t number) const {
        fmt::format_to(std::back_inserter(line), "{}", number);
    }
    void operator()(double number) const {
        if (shape == format::json && !std::isfinite(number)) {
            return append(line, "null");  // JSON has no such numbers.
        }
        fmt::format_to(std::back_inserter(line), "{:.3f}", number);
    }
    void operator()(bool truth) const { append(line, truth ? "true" : "false"); }
    void operator()(std::string_view text) const {
        const bool is_bare =
            shape == format::text && !text.empty() && !has_any_of(text, quoted_bytes);
        if (is_bare) {
            append(line, text);
        } else {
            append_quoted(line, text);
        }
    }
};

void render(line_buffer& line, format shape, std::string_view message, fields values) {
    if (shape == format::json) {
        append(line, R"("message":)");
        append_quoted(line, message);
    } else {
        append(line, message);
    }
    for (const auto& [key, value] : values) {
        if (shape == format::json) {
            fmt::format_to(std::back_inserter(line), ",\"{}\":", key);
        } else {
            fmt::format_to(std::back_inserter(line), " {}=", key);
        }
        std::visit(value_writer{line, shape}, value);
    }
}

std::shared_ptr<line_sink> sink_into(const std::filesystem::path& file, format shape) {
    return std::make_shared<line_sink>(
        file, [shape](std::string_view message, std::string_view reason) {
            const fields why{{"reason", reason}};
            return shape == format::json ? render_json(message, why) : render_text(message, why);
        });
}

}  // namespace

bool is_journal(int descriptor) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): no thread changes the environment
    const char* const named = std::getenv("JOURNAL_STREAM");
    struct stat here {};
    if (named == nullptr || ::fstat(descriptor, &here) != 0) return false;
    return fmt::format("{}:{}", here.st_dev, here.st_ino) == named;
}

std::string_view journal_priority(level at) {
    switch (at) {
        case level::debug: return "<7>";
        case level::info: return "<6>";
        case level::warning: return "<4>";
        case level::error:
        case level::off: return "<3>";
    }
    return "";
}

std::string render_text(std::string_view message, fields values) {
    line_buffer line;
    render(line, format::text, message, values);
    return fmt::to_string(line);
}

std::string render_json(std::string_view message, fields values) {
    line_buffer line;
    render(line, format::json, message, values);
    return fmt::to_string(line);
}

logger::logger(level at_least, format shape) : logger{at_least, shape, {}} {}

logger::logger(level at_least, format shape, const std::filesystem::path& file)
    : lines_{sink_into(file, shape)},
      sink_{std::make_shared<spdlog::logger>("reelsd", lines_)},
      format_{shape} {
    sink_->set_level(to_spdlog(at_least));
    const bool for_journal = file.empty() && is_journal(STDERR_FILENO);
    sink_->set_formatter(formatter_for(shape, for_journal));
}

void logger::reopen() const {
    lines_->reopen();
}

void logger::batch(std::function<void()> flush_soon) const {
    lines_->batch(std::move(flush_soon));
}

void logger::flush() const {
    lines_->flush();
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
