#pragma once

#include <reelsd/base/result.hpp>
#include <reelsd/model/analyzer.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::model {

/// Prices of models by day. Amounts are picodollars (1e-12 US dollars) per token, which represent
/// dollars per million tokens with up to six decimals exactly, or per minute of audio.
///
/// The file (share/reelsd/model-prices.json) is an object with an array `prices` of objects:
/// `model` (a name, or a prefix and `*`), `from` (YYYY-MM-DD in UTC; default: always),
/// `above_prompt_tokens` (applies to the whole of longer prompts; default: 0), and in US dollars
/// per million tokens, as texts: `input`, `output`, `cached` (default: as input), `audio_input` and
/// `audio_cached` (default: as the others). The last three may be null: unknown. A speech server's
/// model has instead `minute`: US dollars per minute of audio.
class price_table {
public:
    /// Errors: invalid_argument, with the row and its fault.
    [[nodiscard]] static result<price_table> parse(std::string_view json_text);

    /// Adds `model=input/output[/cached],...` and `model=minute/min,...`, which override the table
    /// for all days and modalities. Errors: invalid_argument.
    [[nodiscard]] result<void> put_first(std::string_view list);

    /// The cost of a call; empty if it is unknown.
    [[nodiscard]] std::optional<std::int64_t> cost_of(
        std::string_view model, const token_counts& used,
        std::chrono::year_month_day on = today()) const;

    /// The cost of a transcription, rounded to a picodollar; empty if the model has no price for
    /// minutes. `milliseconds` is at least 0.
    [[nodiscard]] std::optional<std::int64_t> cost_of_audio(
        std::string_view model, std::int64_t milliseconds,
        std::chrono::year_month_day on = today()) const;

    /// Whether the model has a price.
    [[nodiscard]] bool knows(
        std::string_view model, std::chrono::year_month_day on = today()) const;

private:
    struct row {
        std::string model;  ///< Without the star.
        bool is_prefix = false;
        bool is_override = false;
        std::chrono::sys_days from;
        std::int64_t above_prompt_tokens = 0;
        std::int64_t input = 0;
        std::int64_t output = 0;
        std::optional<std::int64_t> cached;
        std::optional<std::int64_t> audio_input;
        std::optional<std::int64_t> audio_cached;
        std::optional<std::int64_t> minute;  ///< Picodollars per minute; replaces the others.
    };
    struct row_reader;

    [[nodiscard]] const row* find(
        std::string_view model, std::int64_t prompt_tokens, std::chrono::sys_days on) const;

    std::vector<row> rows_;
};

/// "0.075" as 75,000: dollars per million tokens as picodollars per token. Empty for other text,
/// more than six decimals and amounts above a million.
[[nodiscard]] std::optional<std::int64_t> price_from(std::string_view text);

}  // namespace reelsd::model
