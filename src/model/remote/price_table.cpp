#include "../json_members.hpp"
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/parse_number.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/model/price_table.hpp>

#include <boost/algorithm/string/split.hpp>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

namespace reelsd::model {
namespace {

constexpr int decimals_max = 6;
constexpr std::int64_t picodollars_of_a_dollar_a_million = 1'000'000;
constexpr std::size_t whole_digits_max = 7;
/// A million dollars a million tokens: a higher price is a typing error.
constexpr std::int64_t price_max = 1'000'000 * picodollars_of_a_dollar_a_million;

std::optional<std::chrono::sys_days> day_from(std::string_view text) {
    if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
    const auto year = parse_number<unsigned>(text.substr(0, 4));
    const auto month = parse_number<unsigned>(text.substr(5, 2));
    const auto day = parse_number<unsigned>(text.substr(8, 2));
    if (!year || !month || !day) return std::nullopt;
    const std::chrono::year_month_day date{
        std::chrono::year{static_cast<int>(*year)},
        std::chrono::month{*month},
        std::chrono::day{*day}};
    if (!date.ok()) return std::nullopt;
    return std::chrono::sys_days{date};
}

bool are_digits(std::string_view text) {
    return std::ranges::all_of(text, is_digit);
}

/// The parts of `text` between separators, without blanks at their ends.
std::vector<std::string> parts_of(std::string_view text, char separator) {
    std::vector<std::string> parts;
    boost::algorithm::split(parts, text, [separator](char byte) { return byte == separator; });
    for (auto& part : parts) part = trimmed(part, " ");
    return parts;
}

/// A sum of costs, without a value after an overflow.
class cost_sum {
public:
    void add(std::int64_t tokens, std::int64_t price) {
        std::int64_t cost = 0;
        const bool overflows = __builtin_mul_overflow(tokens, price, &cost) ||
                               __builtin_add_overflow(sum_, cost, &sum_);
        fits_ = fits_ && !overflows;
    }
    [[nodiscard]] std::optional<std::int64_t> value() const {
        return fits_ ? std::optional{sum_} : std::nullopt;
    }

private:
    std::int64_t sum_ = 0;
    bool fits_ = true;
};

/// The rest of a count without a part that is counted separately.
std::int64_t rest_of(std::int64_t all, std::int64_t part) {
    return std::max<std::int64_t>(all - part, 0);
}

}  // namespace

std::optional<std::int64_t> price_from(std::string_view text) {
    const auto point = std::min(text.find('.'), text.size());
    const auto whole = text.substr(0, point);
    const auto decimals = point == text.size() ? std::string_view{} : text.substr(point + 1);
    if (whole.empty() || whole.size() > whole_digits_max || !are_digits(whole)) return std::nullopt;
    if (decimals.size() > decimals_max || !are_digits(decimals)) return std::nullopt;
    if (point != text.size() && decimals.empty()) return std::nullopt;
    std::string padded{decimals};
    padded.resize(decimals_max, '0');
    const auto price = *parse_number<std::int64_t>(whole) * picodollars_of_a_dollar_a_million +
                       *parse_number<std::int64_t>(padded);
    if (price > price_max) return std::nullopt;
    return price;
}

/// Reads one row of the file. Each step returns its success; `fault` names the member that failed.
struct price_table::row_reader {
    const json& source;
    row parsed = {};
    std::string fault = {};

    bool fail(std::string_view name) {
        fault = name;
        return false;
    }

    bool read_price(const char* name, std::int64_t& target, std::optional<std::int64_t> otherwise) {
        if (!source.contains(name) && otherwise) {
            target = *otherwise;
            return true;
        }
        const auto price = price_from(text_in(source, name));
        if (!price) return fail(name);
        target = *price;
        return true;
    }

    /// A price that may be null: unknown.
    bool read_known(
        const char* name, std::optional<std::int64_t>& target,
        std::optional<std::int64_t> otherwise) {
        const bool is_unknown = source.contains(name) ? source[name].is_null() : !otherwise;
        if (is_unknown) return true;
        return read_price(name, target.emplace(), otherwise);
    }

    bool read_model() {
        parsed.model = text_in(source, "model");
        parsed.is_prefix = parsed.model.ends_with('*');
        if (parsed.is_prefix) parsed.model.pop_back();
        return !parsed.model.empty() || fail("model");
    }

    bool read_from() {
        if (!source.contains("from")) return true;
        const auto day = day_from(text_in(source, "from"));
        if (!day) return fail("from");
        parsed.from = *day;
        return true;
    }

    bool read_threshold() {
        if (!source.contains("above_prompt_tokens")) return true;
        const auto& threshold = source["above_prompt_tokens"];
        if (!threshold.is_number_unsigned()) return fail("above_prompt_tokens");
        parsed.above_prompt_tokens = threshold.get<std::int64_t>();
        return true;
    }

    bool read() {
        return source.is_object() && read_model() && read_from() && read_threshold() &&
               read_price("input", parsed.input, std::nullopt) &&
               read_price("output", parsed.output, std::nullopt) &&
               read_known("cached", parsed.cached, parsed.input) &&
               read_known("audio_input", parsed.audio_input, parsed.input) &&
               read_known("audio_cached", parsed.audio_cached, parsed.cached);
    }
};

result<price_table> price_table::parse(std::string_view json_text) {
    const auto document = parse_foreign_json(json_text);
    const auto& listed = member(document, "prices");
    if (!listed.is_array()) {
        return error{errc::invalid_argument, "a price table is an object with an array \"prices\""};
    }
    price_table table;
    for (std::size_t at = 0; at < listed.size(); ++at) {
        row_reader reader{listed[at]};
        if (!reader.read()) {
            return error{
                errc::invalid_argument,
                "prices[" + std::to_string(at) + "]: " +
                    (reader.fault.empty() ? "no object" : reader.fault + " is missing or wrong")};
        }
        table.rows_.push_back(std::move(reader.parsed));
    }
    return table;
}

result<void> price_table::put_first(std::string_view list) {
    if (list.empty()) return {};
    for (const std::string_view entry : parts_of(list, ',')) {
        // A model's name may contain an equals sign; prices do not.
        const auto equals = entry.rfind('=');
        const auto name = trimmed(entry.substr(0, std::min(equals, entry.size())), " ");
        if (equals == std::string_view::npos || name.empty() ||
            name.find_first_of("; ") != std::string_view::npos)
            return error{errc::invalid_argument, "a price is model=input/output[/cached]"};
        std::vector<std::int64_t> amounts;
        for (const auto& text : parts_of(entry.substr(equals + 1), '/')) {
            const auto price = price_from(text);
            if (!price) return error{errc::invalid_argument, "a price is no plain decimal"};
            amounts.push_back(*price);
        }
        if (amounts.size() != 2 && amounts.size() != 3)
            return error{errc::invalid_argument, "a price is model=input/output[/cached]"};
        row parsed;
        parsed.model = name;
        parsed.is_override = true;
        parsed.input = amounts[0];
        parsed.output = amounts[1];
        parsed.cached = amounts.size() == 3 ? amounts[2] : amounts[0];
        parsed.audio_input = parsed.input;
        parsed.audio_cached = parsed.cached;
        rows_.push_back(std::move(parsed));
    }
    return {};
}

const price_table::row* price_table::find(
    std::string_view model, std::int64_t prompt_tokens, std::chrono::sys_days on) const {
    const auto fits = [&](const row& price) {
        const bool is_named =
            price.is_prefix ? model.starts_with(price.model) : model == price.model;
        return is_named && price.from <= on &&
               (price.above_prompt_tokens == 0 || prompt_tokens > price.above_prompt_tokens);
    };
    // The operator's prices first, then the whole name, the longer prefix, the latest day, and the
    // price of the longest prompts.
    const auto rank = [](const row& price) {
        return std::tuple{
            price.is_override,
            !price.is_prefix,
            price.model.size(),
            price.from,
            price.above_prompt_tokens};
    };
    const row* best = nullptr;
    for (const auto& price : rows_) {
        if (fits(price) && (best == nullptr || rank(*best) <= rank(price))) best = &price;
    }
    return best;
}

bool price_table::knows(std::string_view model, std::chrono::year_month_day on) const {
    return find(model, 0, std::chrono::sys_days{on}) != nullptr;
}

std::optional<std::int64_t> price_table::cost_of(
    std::string_view model, const token_counts& used, std::chrono::year_month_day on) const {
    const auto* price = find(model, used.prompt, std::chrono::sys_days{on});
    if (price == nullptr) return std::nullopt;
    std::int64_t audio = 0;
    std::int64_t cached_audio = 0;
    for (const auto& part : used.by_modality) {
        if (part.kind != modality::audio) continue;
        audio += part.prompt;
        cached_audio += part.cached_prompt;
    }
    cached_audio = std::min(cached_audio, used.cached_prompt);
    const auto plain_audio = rest_of(audio, cached_audio);
    if (plain_audio > 0 && !price->audio_input) return std::nullopt;
    if (cached_audio > 0 && !price->audio_cached) return std::nullopt;
    const auto cached = used.cached_prompt - cached_audio;
    if (cached > 0 && !price->cached) return std::nullopt;
    const auto plain = rest_of(rest_of(used.prompt, used.cached_prompt), plain_audio);
    cost_sum cost;
    cost.add(plain, price->input);
    cost.add(plain_audio, price->audio_input.value_or(0));
    cost.add(cached, price->cached.value_or(0));
    cost.add(cached_audio, price->audio_cached.value_or(0));
    cost.add(used.output, price->output);
    return cost.value();
}

}  // namespace reelsd::model
