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

/// What models cost, and from which day on. Amounts are picodollars (1e-12 US dollars) a token,
/// which is what dollars a million tokens with up to six decimals are: sums stay exact.
///
/// The file (share/reelsd/model-prices.json) is an object with an array `prices` of objects:
/// `model` (a name, or the begin of one and `*`), `from` (YYYY-MM-DD in UTC; left out: since ever),
/// `above_prompt_tokens` (for longer prompts, as a whole; left out: 0), and in US dollars a million
/// tokens, as texts: `input`, `output`, `cached` (left out: as input), `audio_input` and
/// `audio_cached` (left out: as the others). The last three may be null: not known.
class price_table {
public:
    /// Errors: invalid_argument, the detail names the row and its fault.
    [[nodiscard]] static result<price_table> parse(std::string_view json_text);

    /// `model=input/output[/cached],...`: adds to the table and goes before it, for all days and
    /// modalities. Errors: invalid_argument.
    [[nodiscard]] result<void> put_first(std::string_view list);

    /// What a call costs; nothing when that is not known.
    [[nodiscard]] std::optional<std::int64_t> cost_of(
        std::string_view model, const token_counts& used, std::chrono::year_month_day on) const;

    /// Whether text can be priced at all.
    [[nodiscard]] bool knows(std::string_view model, std::chrono::year_month_day on) const;

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
    };
    struct row_reader;

    [[nodiscard]] const row* find(
        std::string_view model, std::int64_t prompt_tokens, std::chrono::sys_days on) const;

    std::vector<row> rows_;
};

/// "0.075" as 75,000: dollars a million tokens as picodollars a token. Nothing for text that is no
/// such number, has more than six decimals or is above a million.
[[nodiscard]] std::optional<std::int64_t> price_from(std::string_view text);

}  // namespace reelsd::model
