#include "document_number.hpp"
#include "object_reader.hpp"
#include <reelsd/media/report.hpp>

#include <utility>

namespace reelsd::media {
namespace {

stored_frame read_frame(object_reader from) {
    stored_frame frame;
    frame.seconds = from.number("seconds", 0, report_bounds::duration_seconds_max);
    frame.offset =
        from.bytes("offset", 0, report_bounds::frames_max * report_bounds::frame_bytes_max);
    frame.bytes = from.bytes("bytes", 1, report_bounds::frame_bytes_max);
    from.done();
    return frame;
}

bool follows(const stored_frame& next, const std::vector<stored_frame>& frames) {
    if (frames.empty()) return next.offset == 0;
    const auto& last = frames.back();
    return next.seconds > last.seconds && next.offset == last.offset + last.bytes;
}

}  // namespace

json to_json(const frames_report& report) {
    json frames = json::array();
    for (const auto& one : report.frames) {
        frames.push_back(
            {{"seconds", rounded(one.seconds)}, {"offset", one.offset}, {"bytes", one.bytes}});
    }
    return {{"frames", std::move(frames)}};
}

result<frames_report> frames_report_from_json(const json& document) {
    std::string fault;
    object_reader from{document, "frames", fault};
    frames_report report;
    from.each(
        "frames", report_bounds::frames_max, [&](const json& element, const std::string& place) {
            const auto next = read_frame({element, place, fault});
            if (!follows(next, report.frames)) from.complain("frames", "is out of order");
            report.frames.push_back(next);
        });
    from.done();
    if (fault.empty() && report.frames.empty()) fault = "frames.frames is empty";
    if (!fault.empty()) return malformed_document(fault);
    return report;
}

}  // namespace reelsd::media
