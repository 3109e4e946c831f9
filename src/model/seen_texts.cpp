#include "seen_texts.hpp"

#include "folded_words.hpp"
#include "local_checks.hpp"
#include "utf8.hpp"
#include "words.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <string_view>

namespace reelsd::model {

namespace {

// Each frame costs a decode and a look of OCR, about half a second together.
constexpr std::size_t times_max = 8;
constexpr std::size_t word_letters_min = 4;
// The start of a long text is enough to know it by.
constexpr std::size_t claim_words_max = 20;
constexpr std::size_t named_max = 3;
constexpr std::size_t quoted_words_max = 6;
constexpr std::size_t quoted_characters_max = 60;

/// A claimed text that OCR should be able to read.
struct claim {
    const timed_text* text = nullptr;
    std::vector<std::string> words;  ///< Those to look for, folded.
    std::size_t letters = 0;         ///< Of these words.
};

bool has_letters(const std::string& word) {
    return std::count_if(word.begin(), word.end(), [](char byte) {
               return byte >= 'a' && byte <= 'z';
           }) >= static_cast<std::ptrdiff_t>(word_letters_min);
}

std::vector<claim> readable_claims(const findings& said) {
    std::vector<claim> claims;
    for (const auto& text : said.visual.texts) {
        if (!std::isfinite(text.start_seconds) || !std::isfinite(text.end_seconds)) continue;
        if (!is_mostly_latin(text.text)) continue;
        claim one{.text = &text, .words = folded_words_of(text.text), .letters = 0};
        std::erase_if(one.words, [](const std::string& word) { return !has_letters(word); });
        if (one.words.empty()) continue;
        one.words.resize(std::min(one.words.size(), claim_words_max));
        for (const auto& word : one.words) one.letters += word.size();
        claims.push_back(std::move(one));
    }
    return claims;
}

bool covers(const timed_text& text, const std::vector<double>& times) {
    return std::any_of(times.begin(), times.end(), [&text](double seconds) {
        return seconds >= text.start_seconds && seconds <= text.end_seconds;
    });
}

/// At most one letter replaced, left out or put in.
bool is_nearly(std::string_view left, std::string_view right) {
    if (left.size() > right.size()) std::swap(left, right);
    if (right.size() - left.size() > 1) return false;
    const auto differs = std::mismatch(left.begin(), left.end(), right.begin());
    const auto same = static_cast<std::size_t>(differs.first - left.begin());
    const auto skipped = left.size() == right.size() ? 1U : 0U;
    return left.substr(std::min(same + skipped, left.size())) ==
           right.substr(std::min(same + 1, right.size()));
}

/// All that was read in the frames.
class read_words {
public:
    explicit read_words(const std::vector<timed_text>& texts) {
        for (const auto& text : texts) {
            for (auto& word : folded_words_of(text.text)) {
                joined_ += word;
                words_.insert(std::move(word));
            }
            joined_ += ' ';
        }
    }

    /// OCR loses blanks between words, so a word may stand inside of another one.
    [[nodiscard]] bool has(const std::string& word) const {
        if (joined_.find(word) != std::string::npos) return true;
        return std::any_of(words_.begin(), words_.end(), [&word](const std::string& read) {
            return is_nearly(read, word);
        });
    }

private:
    std::set<std::string> words_;
    std::string joined_;
};

bool is_seen(const claim& claimed, const read_words& read) {
    const auto found =
        std::count_if(claimed.words.begin(), claimed.words.end(), [&read](const auto& word) {
            return read.has(word);
        });
    const auto needed = std::max<std::size_t>(claimed.words.size() / 3, 1);
    return static_cast<std::size_t>(found) >= needed;
}

std::string quoted(const timed_text& text) {
    return '"' + clean_text(first_words(text.text, quoted_words_max), quoted_characters_max) + '"';
}

}  // namespace

std::vector<double> times_to_check(const findings& said) {
    auto claims = readable_claims(said);
    std::stable_sort(claims.begin(), claims.end(), [](const claim& left, const claim& right) {
        return left.letters > right.letters;
    });
    std::vector<double> times;
    for (const auto& one : claims) {
        if (times.size() == times_max) break;
        // A frame that is looked at for another text shows this one as well.
        if (covers(*one.text, times)) continue;
        times.push_back((one.text->start_seconds + one.text->end_seconds) / 2);
    }
    std::sort(times.begin(), times.end());
    return times;
}

std::vector<std::string> unseen_texts(
    const findings& said, const std::vector<timed_text>& read_texts) {
    const auto times = times_to_check(said);
    const read_words read{read_texts};
    std::vector<const timed_text*> unseen;
    std::size_t looked_for = 0;
    for (const auto& one : readable_claims(said)) {
        if (!covers(*one.text, times)) continue;
        ++looked_for;
        if (!is_seen(one, read)) unseen.push_back(one.text);
    }
    const auto seen = looked_for - unseen.size();
    if (unseen.empty()) return {};
    if (seen == 0) return {"text was reported on screen but none of it was found in the frames"};
    if (seen * 2 < looked_for - 1) return {};

    std::vector<std::string> warnings;
    for (const auto* const text : unseen) {
        if (warnings.size() == named_max) break;
        warnings.push_back(
            "the text " + quoted(*text) + " was reported on screen but not found in the frames");
    }
    return warnings;
}

}  // namespace reelsd::model
