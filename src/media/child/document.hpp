#pragma once

#include <reelsd/base/error.hpp>
#include <reelsd/base/json_fwd.hpp>
#include <reelsd/media/report.hpp>

#include <string_view>

namespace reelsd::media {

/// Makes a report one that the daemon accepts (`report_bounds`): times within the video, clean
/// text, no more than the bounds. What a recogniser says too much or out of place is cut, not
/// refused: one odd line must not cost the whole analysis.
void tidy(analysis_report& report);
void tidy(check_report& report);

/// The program's one document on standard output. False when it cannot be written.
[[nodiscard]] bool write_ok(const json& value);
[[nodiscard]] bool write_error(const error& why);

/// Text without control characters and broken UTF-8 (each becomes one blank), at most `bytes_max`
/// long.
[[nodiscard]] std::string clean_text(std::string_view text, std::size_t bytes_max);

}  // namespace reelsd::media
