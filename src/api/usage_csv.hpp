#pragma once

#include <reelsd/domain/usage/usage_store.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace reelsd::api {

/// The same as usage_days_view() for spreadsheets: RFC 4180 with a header line, in UTF-8. A cost
/// that is not known is an empty field. Pure.
[[nodiscard]] std::string usage_csv(const std::vector<usage::daily_model_sums>& days);

/// One field of such a file, quoted where it has to be. Foreign text that a spreadsheet would take
/// for a formula gets an apostrophe in front, which spreadsheets take for "this is text". Pure.
[[nodiscard]] std::string csv_text_field(std::string_view text);

}  // namespace reelsd::api
