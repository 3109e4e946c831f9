#include "prompt_leak.hpp"

#include "../clean_text.hpp"
#include <reelsd/base/text.hpp>

#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

namespace reelsd::model {
namespace {

/// The words of a text, in lower case and each followed by a space. Bytes of other scripts count as
/// letters.
class word_sequence {
public:
    explicit word_sequence(std::string_view text) {
        const auto visible = clean_text(text, text.size());
        bool is_in_word = false;
        for (const char byte : visible) {
            const bool is_letter =
                is_alphanumeric(byte) || static_cast<unsigned char>(byte) >= 0x80;
            if (is_letter) {
                if (!is_in_word) begins_.push_back(folded_.size());
                folded_ += ascii_lower(byte);
            } else if (is_in_word) {
                folded_ += ' ';
            }
            is_in_word = is_letter;
        }
        if (is_in_word) folded_ += ' ';
    }

    [[nodiscard]] std::size_t words() const { return begins_.size(); }
    [[nodiscard]] std::string_view whole() const { return folded_; }
    /// `count` words from the given one.
    [[nodiscard]] std::string_view piece(std::size_t first, std::size_t count) const {
        const auto end = first + count < begins_.size() ? begins_[first + count] : folded_.size();
        return whole().substr(begins_[first], end - begins_[first]);
    }

private:
    std::string folded_;
    std::vector<std::size_t> begins_;
};

class leak_finder {
public:
    leak_finder(std::string_view instructions, std::string_view request)
        : instructions_{instructions}, request_{request} {
        for (std::size_t first = 0; first + leaked_words_min <= instructions_.words(); ++first)
            pieces_.insert(instructions_.piece(first, leaked_words_min));
    }

    [[nodiscard]] bool is_in(const answer_json& value) const {
        if (value.is_string()) return is_in(value.get_ref<const std::string&>());
        if (value.is_array())
            return std::any_of(
                value.begin(), value.end(), [this](const auto& item) { return is_in(item); });
        if (!value.is_object()) return false;
        for (const auto& [name, member] : value.items()) {
            if (is_in(name) || is_in(member)) return true;
        }
        return false;
    }

private:
    [[nodiscard]] bool is_in(const std::string& text) const {
        // A word has a letter and a separator.
        if (text.size() < 2 * leaked_request_words_min - 1) return false;
        const word_sequence folded{text};
        for (std::size_t first = 0; first + leaked_words_min <= folded.words(); ++first) {
            if (pieces_.contains(folded.piece(first, leaked_words_min))) return true;
        }
        const auto count = request_.words();
        if (count < leaked_request_words_min) return false;
        for (std::size_t first = 0; first + count <= folded.words(); ++first) {
            if (folded.piece(first, count) == request_.whole()) return true;
        }
        return false;
    }

    word_sequence instructions_;
    word_sequence request_;
    std::unordered_set<std::string_view> pieces_;  ///< Within instructions_.
};

}  // namespace

bool repeats_prompt(
    const answer_json& answer, std::string_view instructions, std::string_view request) {
    return leak_finder{instructions, request}.is_in(answer);
}

}  // namespace reelsd::model
