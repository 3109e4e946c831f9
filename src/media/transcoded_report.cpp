#include "object_reader.hpp"
#include <reelsd/media/report.hpp>

namespace reelsd::media {

json to_json(const transcoded_report& report) {
    return {{"bytes", report.bytes}};
}

result<transcoded_report> transcoded_report_from_json(const json& document) {
    std::string fault;
    object_reader from{document, "transcoded", fault};
    const transcoded_report report{
        .bytes = from.bytes("bytes", 1, report_bounds::transcoded_bytes_max)};
    from.done();
    if (!fault.empty()) return malformed_document(fault);
    return report;
}

}  // namespace reelsd::media
