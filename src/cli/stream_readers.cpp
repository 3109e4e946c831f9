#include "event_reader.hpp"

#include <charconv>
#include <cstdint>
#include <utility>

namespace reelsd::cli {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

std::optional<std::chrono::milliseconds> milliseconds_in(std::string_view digits) {
    std::uint32_t number = 0;
    const auto* const end = digits.data() + digits.size();
    const auto parsed = std::from_chars(digits.data(), end, number);
    if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
    return std::chrono::milliseconds{number};
}

}  // namespace

result<std::vector<server_event>> event_reader::take(std::string_view bytes) {
    std::vector<server_event> events;
    for (const char c : bytes) {
        const bool belongs_to_return = std::exchange(was_return_, c == '\r') && c == '\n';
        if (belongs_to_return) continue;
        if (c == '\n' || c == '\r') {
            end_line(events);
            continue;
        }
        line_.push_back(c);
        if (line_.size() + data_.size() > bytes_max_) {
            return error{errc::connection_failed, "an event of the server's is too long"};
        }
    }
    return events;
}

void event_reader::end_line(std::vector<server_event>& events) {
    const auto taken = std::exchange(line_, {});
    std::string_view line{taken};
    if (std::exchange(is_first_line_, false) && line.starts_with(byte_order_mark)) {
        line.remove_prefix(byte_order_mark.size());
    }
    if (line.empty()) return end_event(events);
    const auto colon = line.find(':');
    const auto field = line.substr(0, colon);
    auto value = colon == std::string_view::npos ? std::string_view{} : line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (field == "event") {
        name_ = value;
    } else if (field == "data") {
        data_.append(value).append(1, '\n');
    } else if (field == "id" && value.find('\0') == std::string_view::npos) {
        id_ = value;
    } else if (field == "retry") {
        if (const auto wish = milliseconds_in(value)) retry_ = wish;
    }
}

void event_reader::end_event(std::vector<server_event>& events) {
    last_event_id_ = id_;
    auto name = std::exchange(name_, {});
    auto data = std::exchange(data_, {});
    if (data.empty()) return;
    data.pop_back();  // Only between lines.
    if (name.empty()) name = "message";
    events.push_back({.name = std::move(name), .data = std::move(data)});
}

}  // namespace reelsd::cli
