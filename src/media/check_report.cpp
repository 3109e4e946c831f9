#include "document_number.hpp"
#include "object_reader.hpp"
#include <reelsd/media/report.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace reelsd::media {
namespace {

/// Half a millisecond, to which times of documents are rounded, and the child's arguments' digits.
constexpr double seconds_slack = 0.0006;

}  // namespace

json to_json(const check_report& report) {
    json texts = json::array();
    for (const auto& one : report.texts) {
        texts.push_back({{"text", one.text}, {"at_seconds", rounded(one.start_seconds)}});
    }
    return {
        {"silent", report.silent},
        {"speech", report.speech ? json(*report.speech) : json(nullptr)},
        {"texts", std::move(texts)}};
}

result<check_report> check_report_from_json(
    const json& document, std::span<const double> at_seconds) {
    std::string fault;
    object_reader from{document, "check", fault};
    check_report report;
    report.silent = from.truth("silent");
    report.speech = from.truth_or_null("speech");
    if (report.silent && report.speech.value_or(false)) {
        from.complain("speech", "is heard in silence");
    }
    double previous = 0;
    from.each(
        "texts",
        report_bounds::checked_texts_max,
        [&](const json& element, const std::string& place) {
            object_reader one{element, place, fault};
            auto text = one.text("text", report_bounds::text_bytes_max);
            const double told =
                one.number("at_seconds", previous, report_bounds::duration_seconds_max);
            one.done();
            const auto asked = std::ranges::find_if(at_seconds, [told](double moment) {
                return std::abs(moment - told) <= seconds_slack;
            });
            if (asked == at_seconds.end()) return one.complain("at_seconds", "was not asked for");
            report.texts.push_back({std::move(text), *asked, *asked});
            previous = told;
        });
    from.done();
    if (!fault.empty()) return malformed_document(fault);
    return report;
}

}  // namespace reelsd::media
