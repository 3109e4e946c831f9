#include "response_head.hpp"

#include <array>
#include <string_view>

namespace reelsd::http {

namespace {

constexpr std::array<std::string_view, 7> weekdays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 12> months{
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

// Views, also of what stands here: of an array of characters, each append would look for the end.
using std::string_view_literals::operator""sv;

std::string padded(std::int64_t number, std::size_t digits) {
    auto text = std::to_string(number);
    if (text.size() < digits) text.insert(0, digits - text.size(), '0');
    return text;
}

/// `begin` has the name and ": ".
void append_field(std::string& head, std::string_view begin, std::string_view value) {
    head.append(begin).append(value).append("\r\n"sv);
}

}  // namespace

bool may_have_body(status code) noexcept {
    return code != status::no_content && code != status::not_modified;
}

std::string response_head(const response& answer, const answer_facts& facts) {
    constexpr std::size_t usual_size = 640;
    std::string head;
    head.reserve(usual_size);
    head.append("HTTP/1.1 "sv).append(std::to_string(number_of(answer.code()))).append(" "sv);
    head.append(reason_of(answer.code())).append("\r\n"sv);
    append_field(head, "Date: "sv, facts.date);
    if (!answer.content_type().empty())
        append_field(head, "Content-Type: "sv, answer.content_type());
    for (const auto& [name, value] : answer.fields()) {
        append_field(head.append(name), ": "sv, value);
    }
    if (answer.stream() != nullptr) {
        // Before HTTP/1.1, the end of the connection is the end of the body.
        if (facts.is_version_1_1) head.append("Transfer-Encoding: chunked\r\n"sv);
    } else if (may_have_body(answer.code())) {
        append_field(head, "Content-Length: "sv, std::to_string(answer.body().size()));
    }
    if (answer.find("Cache-Control").empty()) head.append("Cache-Control: no-store\r\n"sv);
    append_security_fields(head, answer, facts.hsts);
    append_field(head, "X-Request-Id: "sv, facts.request_id);
    if (!facts.keep_alive) head.append("Connection: close\r\n"sv);
    if (facts.keep_alive && !facts.keep_alive_hint.empty()) {
        append_field(head, "Keep-Alive: "sv, facts.keep_alive_hint);
    }
    if (facts.keep_alive && !facts.is_version_1_1) head.append("Connection: keep-alive\r\n"sv);
    head.append("\r\n"sv);
    return head;
}

std::string_view http_date::text(std::chrono::system_clock::time_point now) {
    const auto second = std::chrono::floor<std::chrono::seconds>(now);
    if (second_ == second) return text_;
    second_ = second;
    const auto day = std::chrono::floor<std::chrono::days>(second);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss time{second - day};
    const std::chrono::weekday weekday{day};
    text_ = weekdays[weekday.c_encoding()];
    text_ += ", " + padded(unsigned{date.day()}, 2) + " ";
    text_ += months[unsigned{date.month()} - 1];
    text_ += " " + padded(int{date.year()}, 4) + " " + padded(time.hours().count(), 2);
    text_ += ":" + padded(time.minutes().count(), 2) + ":" + padded(time.seconds().count(), 2);
    text_ += " GMT";
    return text_;
}

namespace {

constexpr std::string_view of_all =
    "X-Content-Type-Options: nosniff\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "X-Frame-Options: DENY\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n";

constexpr std::string_view of_data =
    "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n";

constexpr std::string_view of_html =
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Permissions-Policy: camera=(), display-capture=(), geolocation=(), microphone=(), "
    "payment=(), usb=()\r\n";

constexpr std::string_view of_strict_transport = "Strict-Transport-Security: max-age=31536000\r\n";

}  // namespace

void append_security_fields(std::string& head, const response& answer, strict_transport hsts) {
    head.append(of_all);
    if (answer.find("Content-Security-Policy").empty()) head.append(of_data);
    if (answer.content_type().starts_with("text/html")) head.append(of_html);
    if (hsts == strict_transport::on) head.append(of_strict_transport);
}

}  // namespace reelsd::http
