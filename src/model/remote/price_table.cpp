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
/// A price per minute, read as a price per million tokens, in picodollars per minute.
constexpr std::int64_t picodollars_of_a_minute = 1'000'000;
constexpr std::int64_t milliseconds_of_a_minute = 60'000;
constexpr std::string_view price_syntax =
    "a price is model=input/output[/cached] or model=minute/min";
constexpr std::size_t whole_digits_max = 7;
/// A million dollars per million tokens: a higher price is a typing error.
constexpr std::int64_t price_max = 1'000'000 * picodollars_of_a_dollar_a_million;

bool are_digits(std::string_view text) {
    return std::ranges::all_of(text, is_digit);
}

/// The parts of `text` between separators, without whitespace at their ends.
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

/// Reads one row of the file. `fault` is the first member that is missing or wrong.
struct price_table::row_reader {
    const json& source;
    std::string fault = {};

    template <class Value>
    Value checked(std::string_view name, const std::optional<Value>& value) {
        if (!value && fault.empty()) fault = name;
        return value.value_or(Value{});
    }

    std::int64_t price(std::string_view name) {
        return checked(name, price_from(text_in(source, name)));
    }

    /// Empty for null, which is unknown.
    std::optional<std::int64_t> price_or(
        std::string_view name, std::optional<std::int64_t> otherwise) {
        const auto value = source.find(name);
        if (value == source.end()) return otherwise;
        return value->is_null() ? std::nullopt : std::optional{price(name)};
    }

    row read() {
        row parsed;
        parsed.model = text_in(source, "model");
        parsed.is_prefix = parsed.model.ends_with('*');
        if (parsed.is_prefix) parsed.model.pop_back();
        if (parsed.model.empty()) fault = "model";
        if (source.contains("from"))
            parsed.from = checked("from", parse_day(text_in(source, "from")));
        if (source.contains("above_prompt_tokens")) {
            const auto& tokens = member(source, "above_prompt_tokens");
            parsed.above_prompt_tokens = checked(
                "above_prompt_tokens",
                tokens.is_number_unsigned() ? std::optional{tokens.get<std::int64_t>()}
                                            : std::nullopt);
        }
        if (source.contains("minute")) {
            parsed.minute = price("minute") * picodollars_of_a_minute;
            return parsed;
        }
        parsed.input = price("input");
        parsed.output = price("output");
        parsed.cached = price_or("cached", parsed.input);
        parsed.audio_input = price_or("audio_input", parsed.input);
        parsed.audio_cached = price_or("audio_cached", parsed.cached);
        return parsed;
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
        const auto fail = [at](const std::string& why) {
            return error{errc::invalid_argument, "prices[" + std::to_string(at) + "]: " + why};
        };
        if (!listed[at].is_object()) return fail("no object");
        row_reader reader{listed[at]};
        table.rows_.push_back(reader.read());
        if (!reader.fault.empty()) return fail(reader.fault + " is missing or wrong");
    }
    return table;
}

result<void> price_table::put_first(std::string_view list) {
    if (list.empty()) return {};
    for (const std::string_view entry : parts_of(list, ',')) {
        // A model's name may contain an equals sign; prices do not.
        const auto equals = std::min(entry.rfind('='), entry.size());
        const std::string name{trimmed(entry.substr(0, equals), " ")};
        const auto prices = parts_of(entry.substr(std::min(equals + 1, entry.size())), '/');
        json source{{"model", name}};
        if (prices.size() == 2 && prices[1] == "min") {
            source["minute"] = prices[0];
        } else if (prices.size() == 2 || prices.size() == 3) {
            source["input"] = prices[0];
            source["output"] = prices[1];
            if (prices.size() == 3) source["cached"] = prices[2];
        } else {
            return error{errc::invalid_argument, std::string{price_syntax}};
        }
        if (name.empty() || name.find_first_of("; ") != std::string::npos)
            return error{errc::invalid_argument, std::string{price_syntax}};
        row_reader reader{source};
        auto parsed = reader.read();
        if (!reader.fault.empty())
            return error{errc::invalid_argument, "a price must be a plain decimal number"};
        parsed.is_override = true;
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

std::optional<std::int64_t> price_table::cost_of_audio(
    std::string_view model, std::int64_t milliseconds, std::chrono::year_month_day on) const {
    const auto* price = find(model, 0, std::chrono::sys_days{on});
    if (price == nullptr || !price->minute) return std::nullopt;
    std::int64_t product = 0;
    if (__builtin_mul_overflow(milliseconds, *price->minute, &product)) return std::nullopt;
    return product / milliseconds_of_a_minute +
           (product % milliseconds_of_a_minute >= milliseconds_of_a_minute / 2 ? 1 : 0);
}

std::optional<std::int64_t> price_table::cost_of(
    std::string_view model, const token_counts& used, std::chrono::year_month_day on) const {
    const auto* price = find(model, used.prompt, std::chrono::sys_days{on});
    if (price == nullptr || price->minute) return std::nullopt;
    std::int64_t audio = 0;
    std::int64_t cached_audio = 0;
    for (const auto& part : used.by_modality) {
        if (part.kind != modality::audio) continue;
        audio += part.prompt;
        cached_audio += part.cached_prompt;
    }
    // Providers may not report how many cached tokens are of audio: at least the overlap is.
    cached_audio = std::max(cached_audio, audio + used.cached_prompt - used.prompt);
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
