#include "usage_csv.hpp"

#include <fmt/format.h>

namespace reelsd::api {
namespace {

constexpr std::string_view header =
    "date,provider,model,calls,prompt_tokens,output_tokens,total_tokens,cost_usd,"
    "unpriced_calls\r\n";

/// The first characters that make spreadsheets calculate; they skip blanks before them.
constexpr std::string_view formula_signs = "=+-@";
constexpr std::string_view skipped = " \t\r\n";

bool looks_like_formula(std::string_view text) {
    const auto first = text.find_first_not_of(skipped);
    return first != std::string_view::npos &&
           formula_signs.find(text[first]) != std::string_view::npos;
}

std::string line_of(const usage::daily_model_sums& one) {
    return fmt::format(
        "{},{},{},{},{},{},{},{},{}\r\n",
        one.date,
        csv_text_field(one.provider),
        csv_text_field(one.model),
        one.used.calls,
        one.used.prompt_tokens,
        one.used.output_tokens,
        one.used.total_tokens(),
        one.used.cost_usd.value_or(""),
        one.used.unpriced_calls);
}

}  // namespace

std::string usage_csv(const std::vector<usage::daily_model_sums>& days) {
    std::string file{header};
    for (const auto& one : days) file += line_of(one);
    return file;
}

std::string csv_text_field(std::string_view text) {
    std::string field = looks_like_formula(text) ? "'" : "";
    field.append(text);
    if (field.find_first_of("\",\r\n") == std::string::npos) return field;
    for (auto at = field.find('"'); at != std::string::npos; at = field.find('"', at + 2)) {
        field.insert(at, 1, '"');
    }
    return "\"" + field + "\"";
}

}  // namespace reelsd::api
