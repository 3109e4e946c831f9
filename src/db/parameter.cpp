#include <reelsd/db/query.hpp>

#include <fmt/format.h>

#include <chrono>
#include <cmath>

namespace reelsd::db {
namespace {

std::string text_of_double(double number) {
    if (std::isnan(number)) return "NaN";
    if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
    return fmt::to_string(number);  // The shortest form that reads back as the same number.
}

/// "2026-05-22 10:00:00.123456+00"; empty for a time outside of the years 1 to 9999.
std::string text_of_time(time_point when) {
    using namespace std::chrono;
    const auto day = floor<days>(when);
    const year_month_day date{day};
    const auto year_number = static_cast<int>(date.year());
    if (!date.ok() || year_number < 1 || year_number > 9999) return {};
    const hh_mm_ss time{when - day};
    return fmt::format(
        "{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:06}+00",
        year_number,
        static_cast<unsigned>(date.month()),
        static_cast<unsigned>(date.day()),
        time.hours().count(),
        time.minutes().count(),
        time.seconds().count(),
        time.subseconds().count());
}

std::string hex_of(std::string_view octets) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text = "\\x";
    text.reserve(2 + octets.size() * 2);
    for (const char octet : octets) {
        const auto bits = static_cast<unsigned char>(octet);
        text.push_back(digits[bits >> 4U]);
        text.push_back(digits[bits & 0xFU]);
    }
    return text;
}

}  // namespace

parameter::parameter(double number) : value_{text_of_double(number)} {}

parameter::parameter(time_point when)
    : value_{text_of_time(when)}, out_of_range_{value_->empty()} {}

parameter::parameter(std::span<const std::byte> octets)
    : value_{std::string{reinterpret_cast<const char*>(octets.data()), octets.size()}},
      binary_{true} {}

parameter parameter::from_integer(std::int64_t number) {
    return parameter{fmt::to_string(number)};
}

void parameter::append_element(const parameter& element) {
    out_of_range_ = out_of_range_ || element.out_of_range_;
    if (value_->size() > 1) value_->push_back(',');
    if (element.is_null()) {
        value_->append("NULL");
        return;
    }
    // Always quoted, so that commas, braces, spaces and the word NULL are plain text.
    const std::string text =
        element.is_binary() ? hex_of(element.value()) : std::string{element.value()};
    value_->push_back('"');
    for (const char c : text) {
        if (c == '"' || c == '\\') value_->push_back('\\');
        value_->push_back(c);
    }
    value_->push_back('"');
}

bool parameter::sendable() const noexcept {
    if (out_of_range_) return false;
    return binary_ || value().find('\0') == std::string_view::npos;
}

}  // namespace reelsd::db
