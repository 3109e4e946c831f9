#pragma once

#include "layout.hpp"
#include <reelsd/base/json_fwd.hpp>

#include <chrono>
#include <optional>
#include <string>

/// The API's documents as text for a terminal. Text from the server is made harmless; a field that
/// is missing or of another type is shown as unknown. Pure.
namespace reelsd::cli {

struct usage_query;

/// Whether a question has an answer: one without a quotation is none.
[[nodiscard]] bool is_answered(const json& answer);

/// The key moments of a job's result, an array; null without a result.
[[nodiscard]] const json& key_moments_of(const json& job);

/// A job: its link and status, and the warnings and five sections of its result. A failed job
/// shows the time from `now` until it may be submitted again.
[[nodiscard]] std::string render_job(
    const json& job, const render_options& options,
    std::chrono::system_clock::time_point now = std::chrono::system_clock::now());

/// Time until a failed job may be submitted again; 0 if the time is not known. Empty if another
/// submission would fail as well.
[[nodiscard]] std::optional<std::chrono::seconds> retry_wait(
    const json& job, std::chrono::system_clock::time_point now);

/// A table of jobs, in the given order. `reels` is an array.
[[nodiscard]] std::string render_reels(const json& reels, const render_options& options);

/// The hits of a search, in the given order, each with its summary and the passage that matched.
/// `hits` is an array.
[[nodiscard]] std::string render_hits(const json& hits, const render_options& options);

/// The answer to a question, its quotations with reel, time and link, and what it cost.
[[nodiscard]] std::string render_answer(const json& answer, const render_options& options);

/// A table of presets. `presets` is an array.
[[nodiscard]] std::string render_presets(const json& presets, const render_options& options);

/// Totals, then tables by model and by day.
[[nodiscard]] std::string render_usage(
    const json& usage, const usage_query& days, const render_options& options);

}  // namespace reelsd::cli
