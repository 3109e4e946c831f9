#include "export_lines.hpp"

#include <reelsd/base/foreign_json.hpp>

#include <algorithm>
#include <utility>

namespace reelsd::cli {
namespace {

/// `{"type":"end","lines":9223372036854775807}` has half of them.
constexpr std::size_t kept_bytes_max = 96;

}  // namespace

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

std::optional<std::int64_t> export_lines::whole() const {
    if (!line_.empty() || ended_ == 0) return std::nullopt;
    const auto last = parse_foreign_json(last_);
    if (!last.is_object()) return std::nullopt;
    const auto type = last.find("type");
    if (type == last.end() || *type != "end") return std::nullopt;
    const auto lines = last.find("lines");
    if (lines == last.end() || !lines->is_number_integer() || *lines != ended_ - 1) {
        return std::nullopt;
    }
    return ended_ - 1;
}

}  // namespace reelsd::cli
