#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::model {

/// The text without case, with accents after their letters. Source: Unicode, chapter 3.13; NFKD.
[[nodiscard]] std::u32string casefolded(const std::u32string& text);

/// A text for comparison: compatibility forms, letter case, whitespace, punctuation and invisible
/// characters make no difference. Refers to the text. Source: Unicode, NFKD and case folding.
class folded_text {
public:
    /// An invalid byte is U+FFFD.
    explicit folded_text(std::string_view text);

    [[nodiscard]] const std::u32string& letters() const noexcept { return letters_; }

    /// The part of the text that folds to `quote`; empty if there is none. A quotation of one
    /// character is only found if it is the whole text.
    [[nodiscard]] std::string_view find(const folded_text& quote) const;

private:
    struct range {
        std::size_t begin;
        std::size_t end;
    };

    void add(range part);

    std::string_view text_;
    std::u32string letters_;     ///< Letters, marks, digits and symbols, decomposed.
    std::vector<range> origin_;  ///< Of each letter in the text.
};

}  // namespace reelsd::model
