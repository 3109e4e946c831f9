#include "jail_settings.hpp"

#include <reelsd/media/report.hpp>

#include <cmath>
#include <cstddef>

namespace reelsd::media {
namespace {

constexpr std::size_t data_bytes_max = std::size_t{500} * 1024 * 1024;
constexpr unsigned probe_cpu_seconds_max = 15;
constexpr double cpu_seconds_per_second = 4;
constexpr unsigned start_cpu_seconds_max = 30;

}  // namespace

jail::limits limits_for(const arguments& given) noexcept {
    jail::limits within{.data_bytes_max = data_bytes_max, .cpu_seconds_max = probe_cpu_seconds_max};
    if (given.command == command::join) within.file_bytes_max = report_bounds::joined_bytes_max;
    if (given.command == command::analyze) {
        within.cpu_seconds_max =
            start_cpu_seconds_max +
            static_cast<unsigned>(std::ceil(given.seconds_max * cpu_seconds_per_second));
    }
    return within;
}

}  // namespace reelsd::media
