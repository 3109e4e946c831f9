#pragma once

#include <reelsd/base/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace reelsd::cli {

/// Whether headings may be set in bold: only where a terminal reads along.
enum class emphasis : std::uint8_t { none, bold };

struct render_options {
    std::size_t columns = 80;  ///< Width of the page; below 40 it is drawn as if 40.
    emphasis headings = emphasis::none;
};

/// A job for people: what it is and how it stands, then, when it is done, warnings and the five
/// sections, wrapped to the page. Pure; every text from the server is made harmless first; a field
/// that is missing or of another type is shown as unknown rather than refused.
[[nodiscard]] std::string render_job(const json& job, const render_options& options);

}  // namespace reelsd::cli
