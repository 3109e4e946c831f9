#include "stream_readers.hpp"

#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/parse_number.hpp>

#include <algorithm>
#include <utility>

namespace reelsd::cli {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// Bytes kept of each line of an export: `{"type":"end","lines":9223372036854775807}` has half.
constexpr std::size_t kept_bytes_max = 96;

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
            return error{errc::connection_failed, "an event from the server is too long"};
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
        const auto milliseconds = parse_number<std::uint32_t>(value);
        if (milliseconds) retry_ = std::chrono::milliseconds{*milliseconds};
    }
}

void event_reader::end_event(std::vector<server_event>& events) {
    last_event_id_ = id_;
    auto name = std::exchange(name_, {});
    auto data = std::exchange(data_, {});
    if (data.empty()) return;
    data.pop_back();  // The line feed after the last line.
    if (name.empty()) name = "message";
    events.push_back({.name = std::move(name), .data = std::move(data)});
}

void export_lines::take(std::string_view piece) {
    while (!piece.empty()) {
        const auto end = piece.find('\n');
        const auto part = piece.substr(0, end);
        line_.append(part.substr(0, kept_bytes_max - std::min(line_.size(), kept_bytes_max)));
        if (end == std::string_view::npos) return;
        last_ = std::exchange(line_, {});
        ++ended_;
        piece.remove_prefix(end + 1);
    }
}

std::optional<std::int64_t> export_lines::count_if_complete() const {
    if (!line_.empty()) return std::nullopt;
    const auto last = parse_foreign_json(last_);
    const auto lines = integer_of(last, "lines");
    return text_of(last, "type") == "end" && lines == ended_ - 1 ? lines : std::nullopt;
}

}  // namespace reelsd::cli
