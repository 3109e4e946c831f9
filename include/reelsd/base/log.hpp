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

/// One named value of a log line. Never give it a secret, a token, a key or a signed address.
/// Refers to texts that stay where they are, and keeps those that are made for it. The name is a
/// literal of letters: it is written as it is.
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

/// Writes lines to standard error: `text` for people
/// ("2026-05-22T10:00:00.123Z info job finished job=42 attempt=1"), `json` for machines (one object
/// a line with time, level, message and the fields). Safe to use from any thread; a copy shares the
/// sink.
class logger {
public:
    logger(level at_least, format shape);
    /// The same to the end of a file, which is made when it is not there; an empty path is standard
    /// error. While the file cannot be opened or written, lines go to standard error, which is told
    /// so once.
    logger(level at_least, format shape, const std::filesystem::path& file);

    /// Continues in the file that has the name now: log rotation has renamed the old one. No effect
    /// without a file.
    void reopen() const;

    /// Batches lines below warning of the calling thread until flush(). `flush_soon` is called with
    /// the first line of a batch, and arranges for flush(). Empty, as at first: each line is
    /// written at once.
    void batch(std::function<void()> flush_soon) const;
    void flush() const;

    void debug(std::string_view message, fields values = {}) const;
    void info(std::string_view message, fields values = {}) const;
    void warning(std::string_view message, fields values = {}) const;
    void error(std::string_view message, fields values = {}) const;

    /// A logger that writes nothing, for tests.
    [[nodiscard]] static logger silent();

private:
    void write(level at, std::string_view message, fields values) const;

    std::shared_ptr<line_sink> lines_;
    std::shared_ptr<spdlog::logger> sink_;
    format format_;
};

/// The fields as they stand in a line, without the line's head: pure, for tests.
/// Text values with blanks, quotes or control characters are quoted and escaped, so that one event
/// is one line whatever a client sends.
[[nodiscard]] std::string render_text(std::string_view message, fields values);
[[nodiscard]] std::string render_json(std::string_view message, fields values);

}  // namespace reelsd::log
