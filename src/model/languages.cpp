#include "languages.hpp"

#include "words.hpp"
#include <reelsd/base/text.hpp>

#include <boost/algorithm/string/join.hpp>
#include <boost/algorithm/string/split.hpp>

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <utility>
#include <vector>

namespace reelsd::model {
namespace {

struct language {
    std::string_view code;
    std::string_view name;  ///< May be empty. Of several, the first is the usual one.
};

const std::vector<language>& known_languages() {
    static const auto known = [] {
        std::vector<language> list;
        for (const auto line : entries_of(word_lists::languages)) {
            const auto end = std::min(line.find(' '), line.size());
            list.push_back({line.substr(0, end), trimmed(line.substr(end))});
        }
        return list;
    }();
    return known;
}

/// Upper bound on a tag. Source: RFC 5646 section 4.4.1.
constexpr std::size_t tag_bytes_max = 35;
constexpr std::size_t subtag_bytes_max = 8;

/// The parts of a tag in the order of the grammar.
enum class tag_part : std::uint8_t { language, extended, script, region, variant, values, own };

/// The part that a subtag, which is neither the first nor a single character, can only be.
std::optional<tag_part> part_of(std::string_view subtag) {
    const auto size = subtag.size();
    const bool is_letters = std::ranges::all_of(subtag, &is_alpha);
    if (size == 2 && is_letters) return tag_part::region;
    if (size == 3 && is_letters) return tag_part::extended;
    if (size == 3 && std::ranges::all_of(subtag, &is_digit)) return tag_part::region;
    if (size == 4 && is_letters) return tag_part::script;
    if (size > 4 || (size == 4 && is_digit(subtag.front()))) return tag_part::variant;
    return std::nullopt;
}

void raise(std::string& letters, std::size_t count) {
    for (auto& byte : letters | std::views::take(count)) {
        if (is_alpha(byte)) byte = static_cast<char>(byte - ('a' - 'A'));
    }
}

/// Reads the subtags after the first one, and gives them their usual case.
class tag_reader {
public:
    /// False if the subtag cannot follow those before it.
    bool read(std::string& subtag) {
        if (part_ != tag_part::own && subtag.size() == 1) {
            part_ = subtag == "x" ? tag_part::own : tag_part::values;
            return std::exchange(has_values_, false) && is_new(subtag);
        }
        has_values_ = true;
        if (part_ >= tag_part::values) return true;
        const auto part = part_of(subtag);
        if (!part || *part < part_) return false;
        const bool is_repeated = std::exchange(part_, *part) == *part;
        switch (*part) {
            case tag_part::extended: return ++extended_ <= 3;
            case tag_part::variant: return is_new(subtag);
            case tag_part::script: raise(subtag, 1); break;
            default: raise(subtag, subtag.size()); break;  // A region.
        }
        return !is_repeated;
    }

    /// False after a singleton, which announces subtags.
    [[nodiscard]] bool may_end() const noexcept { return has_values_; }

private:
    /// Variants and singletons occur once.
    bool is_new(const std::string& subtag) {
        if (std::ranges::find(known_, subtag) != known_.end()) return false;
        known_.push_back(subtag);
        return true;
    }

    tag_part part_ = tag_part::language;
    int extended_ = 0;
    bool has_values_ = true;  ///< Of the last singleton.
    std::vector<std::string> known_;
};

bool is_subtag(std::string_view text) {
    return !text.empty() && text.size() <= subtag_bytes_max &&
           std::ranges::all_of(text, &is_alphanumeric);
}

}  // namespace

std::optional<std::string> language_code_from(std::string_view text) {
    text = trimmed(text);
    const auto primary = ascii_lower(text.substr(0, text.find_first_of("-_ (,;/")));
    if (primary.empty()) return std::nullopt;
    const auto& known = known_languages();
    auto found = std::ranges::find(known, primary, &language::code);
    if (found == known.end()) found = std::ranges::find(known, primary, &language::name);
    if (found == known.end()) return std::nullopt;
    return std::string{found->code};
}

std::optional<std::string> language_tag_from(std::string_view text) {
    if (text.size() > tag_bytes_max) return std::nullopt;
    std::vector<std::string> subtags;
    boost::algorithm::split(subtags, ascii_lower(text), [](char byte) { return byte == '-'; });
    if (!std::ranges::all_of(subtags, &is_subtag)) return std::nullopt;
    const auto& primary = subtags.front();
    if (primary.size() < 2 || primary.size() > 3 || !std::ranges::all_of(primary, &is_alpha))
        return std::nullopt;
    tag_reader reader;
    for (auto& subtag : subtags | std::views::drop(1)) {
        if (!reader.read(subtag)) return std::nullopt;
    }
    if (!reader.may_end()) return std::nullopt;
    return boost::algorithm::join(subtags, "-");
}

std::string language_phrase(std::string_view tag) {
    const auto& known = known_languages();
    const auto named = std::ranges::find(known, tag.substr(0, tag.find('-')), &language::code);
    if (named == known.end() || named->name.empty()) return std::string{tag};
    std::string name{named->name};
    raise(name, 1);
    return name + " (" + std::string{tag} + ")";
}

}  // namespace reelsd::model
