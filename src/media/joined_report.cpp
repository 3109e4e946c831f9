#include <reelsd/base/json.hpp>
#include <reelsd/media/report.hpp>

namespace reelsd::media {

json to_json(const joined_report& report) {
    return {{"size_bytes", report.size_bytes}};
}

result<joined_report> joined_report_from_json(const json& document) {
    const auto size = document.find("size_bytes");
    if (document.size() != 1 || size == document.end() || !size->is_number_unsigned() ||
        size->get<std::uint64_t>() == 0 ||
        size->get<std::uint64_t>() > report_bounds::joined_bytes_max) {
        return error{errc::media_failed, "the media helper's document: size_bytes is none"};
    }
    return joined_report{.size_bytes = size->get<std::int64_t>()};
}

}  // namespace reelsd::media
