#include "retention_settings.hpp"

#include "setting_readers.hpp"

#include <array>

namespace reelsd::app {
namespace {

/// A century is for ever, too.
constexpr double days_max = 36'500;

bool read_days(std::string_view text, seconds_f& target) {
    constexpr double day_seconds = 86'400;
    double days = 0;
    if (!read_number(text, 0, days_max, days)) return false;
    target = seconds_f{days * day_seconds};
    return true;
}

using text_view = std::string_view;

constexpr auto retention_definitions = std::to_array<setting_definition>({
    {"results-kept-days",
     "0",
     "reels that ended so long ago are deleted, with all that belongs to them; 0: never",
     "days from 0 to 36500",
     [](text_view text, settings& s) { return read_days(text, s.results_kept); }},
    {"usage-kept-days",
     "0",
     "calls of models so long ago are forgotten, but for those of this month; 0: never",
     "days from 0 to 36500",
     [](text_view text, settings& s) { return read_days(text, s.usage_kept); }},
});

}  // namespace

std::span<const setting_definition> retention_setting_definitions() {
    return retention_definitions;
}

}  // namespace reelsd::app
