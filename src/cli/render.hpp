#pragma once

#include "terminal.hpp"
#include <reelsd/base/json_fwd.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

/// What the API says, for people. Pure; every text from the server is made harmless first; a field
/// that is missing or of another type is shown as unknown rather than refused.
namespace reelsd::cli {

struct render_options {
    std::size_t columns = 80;  ///< Width of running text; below 40 it is drawn as if 40.
    /// Width of tables; none: no terminal, where nothing is cut, for the programs that read.
    std::optional<std::size_t> table_columns = std::nullopt;
    colours allowed = colours::off;
};

/// Which days a usage report was asked for, as YYYY-MM-DD.
struct usage_days {
    std::optional<std::string> from;
    std::optional<std::string> to;
};

/// A job: what it is and how it stands, then, when it is done, warnings and the five sections,
/// wrapped to the page. A failed one shows at `now` when it may be submitted again.
[[nodiscard]] std::string render_job(
    const json& job, const render_options& options,
    std::chrono::system_clock::time_point now = std::chrono::system_clock::now());

/// Time until a failed job may be submitted again: 0 when that is now or not known. Nothing when
/// another submission would fail as well.
[[nodiscard]] std::optional<std::chrono::seconds> retry_wait(
    const json& job, std::chrono::system_clock::time_point now);

/// A table of jobs, one a line, in the order given. `reels` is an array.
[[nodiscard]] std::string render_reels(const json& reels, const render_options& options);

/// What a search found, in the order given: each reel with its summary and the passage that
/// matched. `hits` is an array.
[[nodiscard]] std::string render_hits(const json& hits, const render_options& options);

/// Totals, then tables by model and by day.
[[nodiscard]] std::string render_usage(
    const json& usage, const usage_days& days, const render_options& options);

}  // namespace reelsd::cli
