#include <reelsd/base/descriptor_io.hpp>
#include <reelsd/base/error.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/unique_fd.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <iterator>
#include <mutex>
#include <thread>

namespace reelsd::log {
namespace {

using line_buffer = spdlog::memory_buf_t;

/// Removes a partial write, unless another process has written after it.
void undo_write(int descriptor, std::size_t bytes) {
    struct stat now = {};
    const auto end = ::lseek(descriptor, 0, SEEK_CUR);
    if (end < 0 || ::fstat(descriptor, &now) != 0 || now.st_size != end) return;
    // If that fails as well, a line stays truncated.
    static_cast<void>(::ftruncate(descriptor, end - static_cast<off_t>(bytes)));
}

/// Writes all lines or none. Returns 0 or errno.
int write_lines(int descriptor, std::string_view lines) {
    const auto written = write_all(descriptor, lines);
    if (written == lines.size()) return 0;
    const int code = errno;
    if (written > 0) undo_write(descriptor, written);
    return code;
}

/// A failure there cannot be reported anywhere.
void write_to_standard_error(std::string_view lines) {
    static_cast<void>(write_all(STDERR_FILENO, lines));
}

std::string_view view_of(const line_buffer& line) {
    return {line.data(), line.size()};
}

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
    return std::ranges::any_of(text, [&table](unsigned char byte) { return table[byte]; });
}

/// Appends quoted text. Text lines also use JSON's escaping: unambiguous, with readable UTF-8.
void append_quoted(line_buffer& line, std::string_view text) {
    if (has_any_of(text, escaped_bytes)) {
        return append(line, dumped(text));
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

}  // namespace

/// Writes log lines to standard error or appends them to a file, each in one piece. While the file
/// cannot be opened or written, lines go to standard error. The failure is reported there once, and
/// in the file when it is writable again. Thread-safe.
class line_sink final : public spdlog::sinks::base_sink<std::mutex> {
public:
    /// An empty path is standard error.
    line_sink(std::filesystem::path file, format shape) : file_{std::move(file)}, shape_{shape} {}

    /// Reopens the file by its name. Continues in the old file if that fails. Loses no line. No
    /// effect without a file.
    void reopen() {
        const std::lock_guard hold{mutex_};
        flush_();
        if (file_.empty()) return;
        if (auto opened = open()) {
            opened_ = std::move(opened);
        } else {
            report_failure(errno);
        }
    }

    /// Batches the calling thread's lines below warning: one write() per line took 6 % of the CPU
    /// time of reading a reel. `flush_soon` is called with the first line of a batch and schedules
    /// flush(). A warning, another thread's line or `batch_bytes_max` flushes immediately, which
    /// keeps the order of lines. Empty: no batches.
    void batch(std::function<void()> flush_soon) {
        const std::lock_guard hold{mutex_};
        flush_();
        flush_soon_ = std::move(flush_soon);
        batching_thread_ = std::this_thread::get_id();
    }

    ~line_sink() override { flush_(); }

protected:
    void sink_it_(const spdlog::details::log_msg& message) override {
        const bool is_first = batch_lines_ == 0;
        formatter_->format(message, batch_);
        ++batch_lines_;
        if (!is_batched(message) || batch_.size() >= batch_bytes_max) return flush_();
        if (is_first) flush_soon_();
    }

    void flush_() override {
        if (batch_lines_ == 0) return;
        write(view_of(batch_), batch_lines_);
        batch_.clear();
        batch_lines_ = 0;
    }

private:
    static constexpr std::size_t batch_bytes_max = 65'536;

    [[nodiscard]] unique_fd open() const {
        constexpr int how = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC;
        // The group decides who may read logs, which contain links and addresses.
        return unique_fd{::open(file_.c_str(), how, S_IRUSR | S_IWUSR | S_IRGRP)};
    }

    [[nodiscard]] bool is_batched(const spdlog::details::log_msg& message) const {
        return flush_soon_ && message.level < spdlog::level::warn &&
               std::this_thread::get_id() == batching_thread_;
    }

    void write(std::string_view lines, std::uint64_t count) {
        if (file_.empty()) return write_to_standard_error(lines);
        if (!opened_) opened_ = open();
        int failed = opened_ ? 0 : errno;
        if (opened_)
            failed = is_failing_ ? write_after_failure(lines) : write_lines(opened_.get(), lines);
        if (failed == 0) return;
        if (!std::exchange(is_failing_, true)) report_failure(failed);
        diverted_ += count;
        write_to_standard_error(lines);
    }

    void report_failure(int code) {
        const auto reason = fmt::format("{}: {}", file_.string(), errno_text(code));
        write_to_standard_error(view_of(render_line(
            spdlog::level::err,
            "the log file cannot be written, lines go to standard error",
            reason)));
    }

    /// Writes a report of the failure and the lines, all or none.
    [[nodiscard]] int write_after_failure(std::string_view lines) {
        const auto reason = fmt::format("{} lines went to standard error", diverted_);
        std::string text{
            view_of(render_line(spdlog::level::warn, "the log file can be written again", reason))};
        text.append(lines);
        const int failed = write_lines(opened_.get(), text);
        if (failed != 0) return failed;
        is_failing_ = false;
        diverted_ = 0;
        return 0;
    }

    [[nodiscard]] line_buffer render_line(
        spdlog::level::level_enum at, std::string_view message, std::string_view reason) {
        const fields why{{"reason", reason}};
        const auto text =
            shape_ == format::json ? render_json(message, why) : render_text(message, why);
        const spdlog::details::log_msg wrapped{"reelsd", at, text};
        line_buffer line;
        formatter_->format(wrapped, line);
        return line;
    }

    std::filesystem::path file_;
    format shape_;
    unique_fd opened_;
    bool is_failing_ = false;
    std::uint64_t diverted_ = 0;  ///< Lines since the failure.
    std::function<void()> flush_soon_;
    std::thread::id batching_thread_;
    line_buffer batch_;
    std::uint64_t batch_lines_ = 0;
};

bool is_journal(int descriptor) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): no thread changes the environment
    const char* const named = std::getenv("JOURNAL_STREAM");
    struct stat here = {};
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

logger::logger(level at_least, format shape, const std::filesystem::path& file)
    : lines_{std::make_shared<line_sink>(file, shape)},
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

void logger::write(level at, std::string_view message, fields values) const {
    const auto spdlog_level = to_spdlog(at);
    if (!sink_->should_log(spdlog_level)) return;
    line_buffer line;
    render(line, format_, message, values);
    sink_->log(spdlog_level, spdlog::string_view_t{line.data(), line.size()});
}

}  // namespace reelsd::log
