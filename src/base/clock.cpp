#include <reelsd/base/clock.hpp>

#include <algorithm>
#include <condition_variable>
#include <ctime>
#include <mutex>

namespace reelsd {

namespace {

/// Appends `number` with leading zeros, and `separator`. Not fmt: a reel's answer has three times,
/// and formatting them with patterns took a twentieth of its CPU time.
void append_padded(std::string& text, unsigned number, std::size_t digits, char separator) {
    const auto begin = text.size();
    text.resize(begin + digits, '0');
    for (auto at = text.size(); at > begin && number > 0; number /= 10) {
        text[--at] = static_cast<char>('0' + number % 10);
    }
    text.push_back(separator);
}

}  // namespace

std::string to_rfc3339(time_point when) {
    const auto second = std::chrono::floor<std::chrono::seconds>(when);
    const auto day = std::chrono::floor<std::chrono::days>(second);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss time{second - day};
    std::string text;
    append_padded(text, static_cast<unsigned>(int{date.year()}), 4, '-');
    append_padded(text, unsigned{date.month()}, 2, '-');
    append_padded(text, unsigned{date.day()}, 2, 'T');
    append_padded(text, static_cast<unsigned>(time.hours().count()), 2, ':');
    append_padded(text, static_cast<unsigned>(time.minutes().count()), 2, ':');
    append_padded(text, static_cast<unsigned>(time.seconds().count()), 2, 'Z');
    return text;
}

std::optional<seconds_f> parse_http_date(const std::string& text) {
    std::tm parts{};
    const char* const end = ::strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    if (end == nullptr || *end != '\0') return std::nullopt;
    return seconds_f{static_cast<double>(::timegm(&parts))};
}

deadline deadline::after(clock::duration from_now) noexcept {
    return deadline{clock::now() + std::max(from_now, clock::duration::zero())};
}

deadline::clock::duration deadline::remaining() const noexcept {
    return std::max(when_ - clock::now(), clock::duration::zero());
}

deadline deadline::at_most(clock::duration from_now) const noexcept {
    return deadline{std::min(when_, after(from_now).when_)};
}

bool stoppable_sleep(seconds_f duration, const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any never_notified;
    std::unique_lock lock{mutex};
    never_notified.wait_for(lock, stop, std::max(duration, seconds_f{0}), [] { return false; });
    return !stop.stop_requested();
}

bool sleep_within(seconds_f duration, deadline by, const std::stop_token& stop) {
    if (by.passed() || duration > by.remaining()) return false;
    return stoppable_sleep(duration, stop);
}

}  // namespace reelsd
