#include "object_reader.hpp"
#include <reelsd/media/report.hpp>

#include <cmath>

namespace reelsd::media {
namespace {

constexpr double bytes_per_second = 2.0 * report_bounds::sound_rate_hz;
/// Half a millisecond, to which times of documents are rounded, and a sample.
constexpr double bytes_slack = 0.0005 * bytes_per_second + 2;

}  // namespace

json to_json(const std::optional<sound_report>& report) {
    if (!report) return {{"sound", nullptr}};
    const double seconds = std::round(report->seconds * 1000.0) / 1000.0;
    return {{"sound", {{"seconds", seconds}, {"bytes", report->bytes}}}};
}

result<std::optional<sound_report>> sound_report_from_json(const json& document) {
    using none_or_some = std::optional<sound_report>;
    std::string fault;
    object_reader from{document, "sound", fault};
    const auto told = document.find("sound");
    if (told != document.end() && document.size() == 1 && told->is_null()) {
        return none_or_some{std::nullopt};
    }
    auto sound = from.object("sound");
    sound_report report;
    report.seconds = sound.number("seconds", 0, report_bounds::duration_seconds_max);
    const auto most = static_cast<std::uint64_t>(
        report_bounds::duration_seconds_max * bytes_per_second + bytes_slack);
    report.bytes = sound.bytes(
        "bytes", report_bounds::sound_head_bytes, report_bounds::sound_head_bytes + most);
    const auto samples_bytes = static_cast<double>(report.bytes - report_bounds::sound_head_bytes);
    if (std::abs(samples_bytes - report.seconds * bytes_per_second) > bytes_slack) {
        sound.complain("bytes", "is no size of so many seconds");
    }
    sound.done();
    from.done();
    if (!fault.empty()) return malformed_document(fault);
    return none_or_some{report};
}

}  // namespace reelsd::media
