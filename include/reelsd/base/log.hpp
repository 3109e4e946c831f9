#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace spdlog {
class logger;
}

namespace reelsd::log {

enum class level : std::uint8_t { debug, info, warning, error, off };
enum class format : std::uint8_t { text, json };

/// One named value of a log line. Must not contain a secret, a token, a key or a signed address.
/// Refers to lvalue texts and owns temporary ones. The name is a literal of letters and is written
/// without escaping.
struct field {
    using value_type = std::variant<std::int64_t, double, bool, std::string_view, std::string>;

    field(std::string_view name, std::string&& text) : key{name}, value{std::move(text)} {}
    field(std::string_view name, const std::string& text)
        : key{name}, value{std::string_view{text}} {}
    field(std::string_view name, std::string_view text) : key{name}, value{text} {}
    field(std::string_view name, const char* text) : key{name}, value{std::string_view{text}} {}
    field(std::string_view name, bool truth) : key{name}, value{truth} {}
    field(std::string_view name, double number) : key{name}, value{number} {}
    template <std::integral Integer>
    field(std::string_view name, Integer number)
        : key{name}, value{static_cast<std::int64_t>(number)} {}

    std::string_view key;
    value_type value;
};

using fields = std::initializer_list<field>;

class line_sink;

/// Writes lines to standard error: `text`
/// ("2026-05-22T10:00:00.123Z info job finished job=42 attempt=1") or `json` (one object
/// per line with time, level, message and the fields). Thread-safe; a copy shares the sink.
class logger {
public:
    /// Appends to a file, which is created if it does not exist; an empty path is standard error.
    /// While the file cannot be opened or written, lines go to standard error. The failure is
    /// reported there once.
    logger(level at_least, format shape, const std::filesystem::path& file = {});

    /// Reopens the file by its name, after log rotation has renamed it. No effect without a file.
    void reopen() const;

    /// Batches the calling thread's lines below warning until flush(). `flush_soon` is called with
    /// the first line of a batch, and schedules flush(). Empty, the default: no batches.
    void batch(std::function<void()> flush_soon) const;
    void flush() const;

    void debug(std::string_view message, fields values = {}) const {
        write(level::debug, message, values);
    }
    void info(std::string_view message, fields values = {}) const {
        write(level::info, message, values);
    }
    void warning(std::string_view message, fields values = {}) const {
        write(level::warning, message, values);
    }
    void error(std::string_view message, fields values = {}) const {
        write(level::error, message, values);
    }

    /// A logger that writes nothing, for tests.
    [[nodiscard]] static logger silent() { return {level::off, format::text}; }

private:
    void write(level at, std::string_view message, fields values) const;

    std::shared_ptr<line_sink> lines_;
    std::shared_ptr<spdlog::logger> sink_;
    format format_;
};

/// Message and fields as in a line, without time and level. Pure, for tests. Text values with
/// whitespace, quotes or control characters are quoted and escaped, so that one event is one line.
[[nodiscard]] std::string render_text(std::string_view message, fields values);
[[nodiscard]] std::string render_json(std::string_view message, fields values);

/// Whether `descriptor` is systemd's journal, which reads a line's priority from its beginning
/// (sd-daemon(3)). A child whose output was redirected has the same environment; therefore this
/// examines the descriptor.
[[nodiscard]] bool is_journal(int descriptor);

/// The prefix of a line for the journal: "<4>" for a warning.
[[nodiscard]] std::string_view journal_priority(level at);

}  // namespace reelsd::log
