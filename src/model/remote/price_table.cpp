#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/model/price_table.hpp>

#include <algorithm>
#include <charconv>
#include <string>
#include <tuple>
#include <utility>

namespace reelsd::model {
namespace {

constexpr int decimals_max = 6;
constexpr std::int64_t picodollars_of_a_dollar_a_million = 1'000'000;
constexpr std::size_t whole_digits_max = 7;
/// A million dollars a million tokens: more is a slip of the comma.
constexpr std::int64_t price_max = 1'000'000 * picodollars_of_a_dollar_a_million;

std::optional<int> digits_in(std::string_view text) {
    int number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc{} || end != text.data() + text.size() || number < 0)
        return std::nullopt;
    return number;
}

std::optional<std::chrono::sys_days> day_from(std::string_view text) {
    if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
    const auto year = digits_in(text.substr(0, 4));
    const auto month = digits_in(text.substr(5, 2));
    const auto day = digits_in(text.substr(8, 2));
    if (!year || !month || !day) return std::nullopt;
    const std::chrono::year_month_day date{
        std::chrono::year{*year},
        std::chrono::month{static_cast<unsigned>(*month)},
        std::chrono::day{static_cast<unsigned>(*day)}};
    if (!date.ok()) return std::nullopt;
    return std::chrono::sys_days{date};
}

bool are_digits(std::string_view text) {
    return text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Cuts the part before the next `sign` off `text`; what is left begins after the sign, or is
/// nothing when there is none.
std::string_view next_part(std::optional<std::string_view>& text, char sign) {
    const auto end = text->find(sign);
    const auto part = text->substr(0, end);
    if (end == std::string_view::npos) {
        text.reset();
    } else {
        text->remove_prefix(end + 1);
    }
    return trimmed(part, " ");
}

/// A sum of costs; nothing as soon as it does not fit.
class cost_sum {
public:
    void add(std::int64_t tokens, std::int64_t price) {
        std::int64_t cost = 0;
        const bool is_too_much = __builtin_mul_overflow(tokens, price, &cost) ||
                                 __builtin_add_overflow(sum_, cost, &sum_);
        fits_ = fits_ && !is_too_much;
    }
    [[nodiscard]] std::optional<std::int64_t> value() const {
        return fits_ ? std::optional{sum_} : std::nullopt;
    }

private:
    std::int64_t sum_ = 0;
    bool fits_ = true;
};

/// What is left of a count after a part that was counted apart.
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
    const auto price =
        std::int64_t{*digits_in(whole)} * picodollars_of_a_dollar_a_million + *digits_in(padded);
    if (price > price_max) return std::nullopt;
    return price;
}

/// One row of the file. Each step returns whether it went well; `fault` names what did not.
struct price_table::row_reader {
    const json& source;
    row made = {};
    std::string fault = {};

    bool fail(std::string_view name) {
        fault = name;
        return false;
    }

    bool read_price(const char* name, std::int64_t& target, std::optional<std::int64_t> otherwise) {
        const auto found = source.find(name);
        if (found == source.end() && otherwise) {
            target = *otherwise;
            return true;
        }
        const auto price = found != source.end() && found->is_string()
                               ? price_from(found->get_ref<const std::string&>())
                               : std::nullopt;
        if (!price) return fail(name);
        target = *price;
        return true;
    }

    /// One that may be null: not known.
    bool read_known(
        const char* name, std::optional<std::int64_t>& target,
        std::optional<std::int64_t> otherwise) {
        const auto found = source.find(name);
        if (found != source.end() && found->is_null()) return true;
        if (found == source.end() && !otherwise) return true;
        return read_price(name, target.emplace(), otherwise);
    }

    bool read_model() {
        const auto found = source.find("model");
        if (found == source.end() || !found->is_string()) return fail("model");
        made.model = found->get<std::string>();
        made.is_prefix = made.model.ends_with('*');
        if (made.is_prefix) made.model.pop_back();
        return !made.model.empty() || fail("model");
    }

    bool read_from() {
        const auto found = source.find("from");
        if (found == source.end()) return true;
        const auto day =
            found->is_string() ? day_from(found->get_ref<const std::string&>()) : std::nullopt;
        if (!day) return fail("from");
        made.from = *day;
        return true;
    }

    bool read_threshold() {
        const auto found = source.find("above_prompt_tokens");
        if (found == source.end()) return true;
        if (!found->is_number_unsigned()) return fail("above_prompt_tokens");
        made.above_prompt_tokens = found->get<std::int64_t>();
        return true;
    }

    bool read() {
        return source.is_object() && read_model() && read_from() && read_threshold() &&
               read_price("input", made.input, std::nullopt) &&
               read_price("output", made.output, std::nullopt) &&
               read_known("cached", made.cached, made.input) &&
               read_known("audio_input", made.audio_input, made.input) &&
               read_known("audio_cached", made.audio_cached, made.cached);
    }
};

result<price_table> price_table::parse(std::string_view json_text) {
    const auto document = parse_foreign_json(json_text);
    const auto listed = document.is_object() ? document.find("prices") : document.end();
    if (!document.is_object() || listed == document.end() || !listed->is_array()) {
        return error{errc::invalid_argument, "a price table is an object with an array \"prices\""};
    }
    price_table table;
    for (std::size_t at = 0; at < listed->size(); ++at) {
        row_reader reader{(*listed)[at]};
        if (!reader.read()) {
            return error{
                errc::invalid_argument,
                "prices[" + std::to_string(at) + "]: " +
                    (reader.fault.empty() ? "no object" : reader.fault + " is missing or wrong")};
        }
        table.rows_.push_back(std::move(reader.made));
    }
    return table;
}

result<void> price_table::put_first(std::string_view list) {
    if (list.empty()) return {};
    for (std::optional rest{list}; rest;) {
        const auto entry = next_part(rest, ',');
        // A model's name may hold an equals sign; prices do not.
        const auto equals = entry.rfind('=');
        const auto name = trimmed(entry.substr(0, std::min(equals, entry.size())), " ");
        if (equals == std::string_view::npos || name.empty() ||
            name.find_first_of("; ") != std::string_view::npos)
            return error{errc::invalid_argument, "a price is model=input/output[/cached]"};
        std::vector<std::int64_t> amounts;
        for (std::optional prices{entry.substr(equals + 1)}; prices;) {
            const auto price = price_from(next_part(prices, '/'));
            if (!price) return error{errc::invalid_argument, "a price is no plain decimal"};
            amounts.push_back(*price);
        }
        if (amounts.size() != 2 && amounts.size() != 3)
            return error{errc::invalid_argument, "a price is model=input/output[/cached]"};
        row made;
        made.model = name;
        made.is_override = true;
        made.input = amounts[0];
        made.output = amounts[1];
        made.cached = amounts.size() == 3 ? amounts[2] : amounts[0];
        made.audio_input = made.input;
        made.audio_cached = made.cached;
        rows_.push_back(std::move(made));
    }
    return {};
}

const price_table::row* price_table::find(
    std::string_view model, std::int64_t prompt_tokens, std::chrono::sys_days on) const {
    const auto fits = [&](const row& one) {
        const bool is_named = one.is_prefix ? model.starts_with(one.model) : model == one.model;
        return is_named && one.from <= on &&
               (one.above_prompt_tokens == 0 || prompt_tokens > one.above_prompt_tokens);
    };
    // What the operator says, then the whole name, then the longer begin; then the latest; then
    // the price of the longest prompts.
    const auto rank = [](const row& one) {
        return std::tuple{
            one.is_override, !one.is_prefix, one.model.size(), one.from, one.above_prompt_tokens};
    };
    const row* best = nullptr;
    for (const auto& one : rows_) {
        if (fits(one) && (best == nullptr || rank(*best) <= rank(one))) best = &one;
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
