#include "data_blocks.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <functional>
#include <string>

namespace reelsd::platform {
namespace {

constexpr std::string_view blanks = " \t\r\n\f/";

struct attribute {
    std::string_view name;
    std::string_view value;
};

/// Takes the next attribute off a start tag's rest; empty at its end, which is left in place.
std::optional<attribute> next_attribute(std::string_view& rest) {
    const auto from = rest.find_first_not_of(blanks);
    if (from == std::string_view::npos || rest[from] == '>') return std::nullopt;
    rest.remove_prefix(from);
    attribute found{.name = rest.substr(0, rest.find_first_of(" \t\r\n\f/=>")), .value = {}};
    if (found.name.empty()) found.name = rest.substr(0, 1);  // A lone "=": skipped as a name.
    rest.remove_prefix(found.name.size());
    if (!rest.starts_with('=')) return found;
    rest.remove_prefix(1);
    if (rest.starts_with('"') || rest.starts_with('\'')) {
        const auto end = rest.find(rest.front(), 1);
        if (end == std::string_view::npos) return std::nullopt;
        found.value = rest.substr(1, end - 1);
        rest.remove_prefix(end + 1);
        return found;
    }
    found.value = rest.substr(0, rest.find_first_of(" \t\r\n\f>"));
    rest.remove_prefix(found.value.size());
    return found;
}

/// Reads a start tag's attributes and leaves `rest` behind its ">". Whether it opens a data block.
bool opens_data_block(std::string_view& rest) {
    bool is_json = false;
    while (const auto next = next_attribute(rest))
        is_json = is_json || (next->name == "type" && next->value == "application/json");
    const auto end = rest.find('>');
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    return is_json;
}

std::optional<unsigned> hex4(std::string_view text) {
    if (text.size() < 4) return std::nullopt;
    unsigned value = 0;
    const auto* const end = text.data() + 4;
    const auto [stop, failure] = std::from_chars(text.data(), end, value, 16);
    if (failure != std::errc{} || stop != end) return std::nullopt;
    return value;
}

constexpr bool is_high(unsigned unit) {
    return unit >= 0xd800 && unit <= 0xdbff;
}
constexpr bool is_low(unsigned unit) {
    return unit >= 0xdc00 && unit <= 0xdfff;
}

/// How many bytes the escape at `at` takes, after making sure that it is no half of a pair.
std::size_t mend_escape(std::string& text, std::size_t at) {
    constexpr std::size_t unit_size = 6;
    const std::string_view all{text};
    if (at + 1 >= all.size() || all[at + 1] != 'u') return 2;
    const auto unit = hex4(all.substr(at + 2));
    if (!unit || (!is_high(*unit) && !is_low(*unit))) return 2;
    const auto behind = all.substr(at + unit_size);
    const auto partner = behind.starts_with("\\u") ? hex4(behind.substr(2)) : std::nullopt;
    if (is_high(*unit) && partner && is_low(*partner)) return 2 * unit_size;
    text.replace(at + 2, 4, "fffd");
    return unit_size;
}

std::string with_whole_surrogates(std::string_view text) {
    std::string mended{text};
    for (auto at = mended.find('\\'); at != std::string::npos;) {
        const auto next = at + mend_escape(mended, at);
        at = next < mended.size() ? mended.find('\\', next) : std::string::npos;
    }
    return mended;
}

/// The position behind the string literal that begins at `at`; past the end when it has none.
std::size_t behind_string(std::string_view text, std::size_t at) {
    for (++at; at < text.size(); ++at) {
        if (text[at] == '\\') {
            ++at;
        } else if (text[at] == '"') {
            return at + 1;
        }
    }
    return text.size() + 1;
}

/// How far a character of JSON, outside of strings, leads down or up again.
int step_of(char c) {
    if (c == '{' || c == '[') return 1;
    return c == '}' || c == ']' ? -1 : 0;
}

/// The value of a member whose name ends where `text` begins; empty when a text, not a name, does.
std::string_view value_behind_name(std::string_view text) {
    text = behind_blanks(text);
    if (!text.starts_with(':')) return {};
    text = behind_blanks(text.substr(1));
    const auto value = value_at(text);
    return value.empty() ? text : value;
}

std::optional<document> parse_once(std::string_view text) {
    auto parsed = document::parse(text, nullptr, /*allow_exceptions=*/false);
    if (parsed.is_discarded()) return std::nullopt;
    return parsed;
}

}  // namespace

data_blocks data_blocks_of(std::string_view html) {
    constexpr std::string_view start = "<script";
    constexpr std::string_view end = "</script";
    data_blocks blocks;
    while (true) {
        const auto at = html.find(start);
        if (at == std::string_view::npos) return blocks;
        html.remove_prefix(at + start.size());
        const bool is_block = opens_data_block(html);
        const auto close = html.find(end);
        blocks.is_cut = close == std::string_view::npos;
        if (blocks.is_cut) return blocks;  // Half a block is none.
        if (is_block) blocks.all.push_back(html.substr(0, close));
        html.remove_prefix(close + end.size());
    }
}

std::string_view behind_blanks(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    return first == std::string_view::npos ? std::string_view{} : text.substr(first);
}

std::string_view value_at(std::string_view text) {
    std::ptrdiff_t depth = 0;
    for (std::size_t at = 0; at < text.size();) {
        depth += step_of(text[at]);
        if (depth == 0 && text[at] != '"' && step_of(text[at]) == 0)
            return text.substr(0, text.find_first_of(",:]} \t\r\n"));  // null, true, a number
        at = text[at] == '"' ? behind_string(text, at) : at + 1;
        if (depth <= 0) return at <= text.size() ? text.substr(0, at) : std::string_view{};
    }
    return {};
}

std::vector<std::string_view> values_of(std::string_view text, std::string_view name) {
    const std::string literal = '"' + std::string{name} + '"';
    // Not find(), which stops at every quotation mark: measured, it takes five times as long.
    const std::boyer_moore_horspool_searcher searcher{literal.begin(), literal.end()};
    const auto next = [&](std::size_t from) {
        const auto start = text.begin() + static_cast<std::ptrdiff_t>(from);
        return static_cast<std::size_t>(std::search(start, text.end(), searcher) - text.begin());
    };
    std::vector<std::string_view> values;
    for (auto at = next(0); at < text.size(); at = next(at)) {
        // Behind a backslash, the quote is one within a text.
        const bool is_name = at == 0 || text[at - 1] != '\\';
        at += literal.size();
        const auto value = is_name ? value_behind_name(text.substr(at)) : std::string_view{};
        if (value.empty()) continue;
        values.push_back(value);
        at = static_cast<std::size_t>(value.data() - text.data()) + value.size();
    }
    return values;
}

std::optional<document> parse_block(std::string_view text) {
    if (auto parsed = parse_once(text)) return parsed;
    return parse_once(with_whole_surrogates(text));
}

}  // namespace reelsd::platform
