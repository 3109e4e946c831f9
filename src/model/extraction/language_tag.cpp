#include "language_tag.hpp"

#include "../answer/answer_values.hpp"
#include <reelsd/base/text.hpp>

#include <algorithm>
#include <vector>

namespace reelsd::model {
namespace {

using subtags = std::vector<std::string>;

bool are_all(std::string_view subtag, bool (*is_of_class)(char)) {
    return std::all_of(subtag.begin(), subtag.end(), is_of_class);
}

bool is_letters(std::string_view subtag, std::size_t least, std::size_t most) {
    return subtag.size() >= least && subtag.size() <= most && are_all(subtag, &is_alpha);
}

bool is_region(std::string_view subtag) {
    return is_letters(subtag, 2, 2) || (subtag.size() == 3 && are_all(subtag, &is_digit));
}

bool is_variant(std::string_view subtag) {
    return (subtag.size() >= 5 && subtag.size() <= 8) ||
           (subtag.size() == 4 && is_digit(subtag.front()));
}

/// In lower case; empty for text that has other characters than subtags.
subtags split(std::string_view text) {
    subtags parts;
    for (;;) {
        const auto end = std::min(text.find('-'), text.size());
        const auto part = text.substr(0, end);
        if (part.empty() || part.size() > 8 || !are_all(part, &is_alphanumeric)) return {};
        parts.push_back(ascii_lower(part));
        if (end == text.size()) return parts;
        text.remove_prefix(end + 1);
    }
}

/// Reads the subtags in the order of the grammar.
class tag_reader {
public:
    explicit tag_reader(subtags parts) : parts_{std::move(parts)} {}

    std::optional<std::string> read() {
        if (parts_.empty() || !is_letters(parts_.front(), 2, 3)) return std::nullopt;
        at_ = 1;
        for (int extended = 0;
             extended < 3 && has([](auto part) { return is_letters(part, 3, 3); });
             ++extended)
            ++at_;
        if (has([](auto part) { return is_letters(part, 4, 4); })) capitalise(parts_[at_++]);
        if (has(&is_region)) raise(parts_[at_++]);
        subtags variants;
        while (has(&is_variant)) {
            if (!is_new(variants)) return std::nullopt;
        }
        subtags singletons;
        while (has([](auto part) { return part.size() == 1 && part != "x"; })) {
            if (!is_new(singletons) || !take_values(2)) return std::nullopt;
        }
        if (has([](auto part) { return part == "x"; })) {
            ++at_;
            if (!take_values(1)) return std::nullopt;
        }
        if (at_ != parts_.size()) return std::nullopt;
        return joined();
    }

private:
    template <class Test>
    bool has(const Test& test) const {
        return at_ < parts_.size() && test(std::string_view{parts_[at_]});
    }
    /// Takes a subtag that may occur only once.
    bool is_new(subtags& known) {
        const auto& part = parts_[at_++];
        if (std::find(known.begin(), known.end(), part) != known.end()) return false;
        known.push_back(part);
        return true;
    }
    /// At least one subtag of at least `bytes_min`.
    bool take_values(std::size_t bytes_min) {
        const auto begin = at_;
        while (has([bytes_min](auto part) { return part.size() >= bytes_min; })) ++at_;
        return at_ > begin;
    }
    static char upper(char byte) {
        return is_alpha(byte) ? static_cast<char>(byte - ('a' - 'A')) : byte;
    }
    static void raise(std::string& part) {
        std::transform(part.begin(), part.end(), part.begin(), &upper);
    }
    static void capitalise(std::string& part) { part.front() = upper(part.front()); }
    std::string joined() const {
        std::string tag;
        for (const auto& part : parts_) tag += (tag.empty() ? "" : "-") + part;
        return tag;
    }

    subtags parts_;
    std::size_t at_ = 0;
};

}  // namespace

std::optional<std::string> language_tag_from(std::string_view text) {
    if (text.size() > language_tag_bytes_max) return std::nullopt;
    return tag_reader{split(text)}.read();
}

std::string language_phrase(std::string_view tag) {
    const auto name = language_name_of(tag.substr(0, tag.find('-')));
    return name.empty() ? std::string{tag} : name + " (" + std::string{tag} + ")";
}

}  // namespace reelsd::model
