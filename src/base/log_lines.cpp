#include "log_lines.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace reelsd::log {
namespace {

/// Returns the number of bytes written. If it is not all, errno is the reason.
std::size_t write_all(int descriptor, std::string_view text) {
    std::size_t written = 0;
    while (written < text.size()) {
        const auto rest = text.substr(written);
        const auto count = ::write(descriptor, rest.data(), rest.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        written += static_cast<std::size_t>(count);
    }
    return written;
}

/// Removes a partial write, unless another process has written after it.
void undo_write(int descriptor, std::size_t bytes) {
    struct stat now {};
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

std::string_view view_of(const spdlog::memory_buf_t& line) {
    return {line.data(), line.size()};
}

}  // namespace

line_sink::line_sink(std::filesystem::path file, message_renderer render)
    : file_{std::move(file)}, render_{std::move(render)} {}

line_sink::~line_sink() {
    flush_();
}

unique_fd line_sink::open() const {
    constexpr int how = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC;
    // The group decides who may read logs, which contain links and addresses.
    return unique_fd{::open(file_.c_str(), how, S_IRUSR | S_IWUSR | S_IRGRP)};
}

void line_sink::reopen() {
    const std::lock_guard hold{mutex_};
    flush_();
    if (file_.empty()) return;
    auto opened = open();
    if (opened) {
        opened_ = std::move(opened);
        return;
    }
    report_failure(errno);
}

void line_sink::batch(std::function<void()> flush_soon) {
    const std::lock_guard hold{mutex_};
    flush_();
    flush_soon_ = std::move(flush_soon);
    batching_thread_ = std::this_thread::get_id();
}

bool line_sink::is_batched(const spdlog::details::log_msg& message) const {
    return flush_soon_ && message.level < spdlog::level::warn &&
           std::this_thread::get_id() == batching_thread_;
}

void line_sink::sink_it_(const spdlog::details::log_msg& message) {
    const bool is_first = batch_lines_ == 0;
    formatter_->format(message, batch_);
    ++batch_lines_;
    if (!is_batched(message) || batch_.size() >= batch_bytes_max) return flush_();
    if (is_first) flush_soon_();
}

void line_sink::flush_() {
    if (batch_lines_ == 0) return;
    write(view_of(batch_), batch_lines_);
    batch_.clear();
    batch_lines_ = 0;
}

void line_sink::write(std::string_view lines, std::uint64_t count) {
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

/// Writes a report of the failure and the lines, all or none.
int line_sink::write_after_failure(std::string_view lines) {
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

void line_sink::report_failure(int code) {
    const auto reason =
        fmt::format("{}: {}", file_.string(), std::generic_category().message(code));
    write_to_standard_error(view_of(render_line(
        spdlog::level::err, "the log file cannot be written, lines go to standard error", reason)));
}

spdlog::memory_buf_t line_sink::render_line(
    spdlog::level::level_enum at, std::string_view message, std::string_view reason) {
    const auto text = render_(message, reason);
    const spdlog::details::log_msg wrapped{"reelsd", at, text};
    spdlog::memory_buf_t line;
    formatter_->format(wrapped, line);
    return line;
}

}  // namespace reelsd::log
