#include "answer_json.hpp"

#include "../clean_text.hpp"
#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/text.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_set>
#include <vector>

namespace reelsd::model {

namespace {

// Prose and thoughts may contain a few objects.
constexpr int objects_max = 8;

/// Consecutive words of a text that no honest answer repeats by chance.
constexpr std::size_t leaked_words_min = 8;
/// Members whose text is of the video.
constexpr auto verbatim_members =
    std::to_array<std::string_view>({"segments", "transcript", "text_segments", "text_on_screen"});

/// Part of a text, from an opening brace to its closing brace.
struct object_text {
    std::string_view text;  ///< To the end if the object is truncated.
    bool whole = false;
    std::string_view excess = {};  ///< The exceeded bound, if any.
};

/// Finds the end of an object. Does not check that brackets match, which the parser does.
class brace_matcher {
public:
    /// False when the object is closed.
    bool add(char byte) {
        if (in_string_) {
            read_string(byte);
            return true;
        }
        if (byte == '"') in_string_ = true;
        if (byte == '{' || byte == '[') deepest_ = std::max(deepest_, ++depth_);
        if (byte == '}' || byte == ']') --depth_;
        if (byte == ',') ++values_;
        return depth_ > 0;
    }

    [[nodiscard]] std::string_view excess() const noexcept {
        if (deepest_ > answer_depth_max) return "the answer is nested too deeply";
        return values_ > answer_values_max ? "the answer has too many values" : std::string_view{};
    }

private:
    void read_string(char byte) {
        if (escaped_) {
            escaped_ = false;
        } else if (byte == '\\') {
            escaped_ = true;
        } else if (byte == '"') {
            in_string_ = false;
        }
    }

    std::size_t depth_ = 0;
    std::size_t deepest_ = 0;
    std::size_t values_ = 1;
    bool in_string_ = false;
    bool escaped_ = false;
};

/// `text` begins with a brace.
object_text first_object(std::string_view text) {
    brace_matcher matcher;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (matcher.add(text[at])) continue;
        return {text.substr(0, at + 1), true, matcher.excess()};
    }
    return {text, false, matcher.excess()};
}

/// A model that thinks aloud writes small objects first.
std::optional<object_text> largest_object(std::string_view text) {
    std::optional<object_text> largest;
    for (int objects = 0; objects < objects_max; ++objects) {
        const auto brace = text.find('{');
        if (brace == std::string_view::npos) break;
        text.remove_prefix(brace);
        const auto object = first_object(text);
        if (!largest || object.text.size() > largest->text.size()) largest = object;
        text.remove_prefix(object.text.size());
    }
    return largest;
}

/// The text after a model's thoughts; empty when they never end. Some servers remove the opening
/// mark.
std::string_view after_thoughts(std::string_view text) {
    constexpr std::string_view open = "<think>";
    constexpr std::string_view close = "</think>";
    const auto first = std::min(text.find('{'), text.size());
    const auto opened = text.substr(0, first).find(open) != std::string_view::npos;
    const auto end = text.find(close);
    if (opened) return end == std::string_view::npos ? std::string_view{} : text.substr(end);
    const auto prose =
        text.substr(0, first).find_first_not_of(" \n\r\t`") != std::string_view::npos;
    if (!prose || end == std::string_view::npos) return text;
    const auto after = text.substr(end);
    // Without an object after it, the mark is part of the answer.
    return after.find('{') == std::string_view::npos ? text : after;
}

/// Whether `test` is true of any name or text of the value. `test` also takes whether the text is
/// within a member of verbatim_members.
template <class Test>
bool any_text(const answer_json& value, const Test& test, bool is_verbatim = false) {
    if (value.is_string()) return test(value.get_ref<const std::string&>(), is_verbatim);
    if (value.is_array()) {
        return std::any_of(value.begin(), value.end(), [&](const answer_json& item) {
            return any_text(item, test, is_verbatim);
        });
    }
    if (!value.is_object()) return false;
    for (const auto& [name, member] : value.items()) {
        const bool is_of_video =
            is_verbatim || std::ranges::find(verbatim_members, name) != verbatim_members.end();
        if (test(name, is_verbatim) || any_text(member, test, is_of_video)) return true;
    }
    return false;
}

bool text_holds(std::string_view text, std::string_view tag) {
    if (text.size() < tag.size()) return false;
    const auto visible = clean_text(text, text.size());
    const auto same = [](char left, char right) { return ascii_lower(left) == ascii_lower(right); };
    return !std::ranges::search(visible, tag, same).empty();
}

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
    /// `count` words from the given one.
    [[nodiscard]] std::string_view piece(std::size_t first, std::size_t count) const {
        const auto end = first + count < begins_.size() ? begins_[first + count] : folded_.size();
        return std::string_view{folded_}.substr(begins_[first], end - begins_[first]);
    }

private:
    std::string folded_;
    std::vector<std::size_t> begins_;
};

class leak_finder {
public:
    explicit leak_finder(std::string_view instructions) : instructions_{instructions} {
        for_each_piece(instructions_, [this](std::string_view piece) {
            pieces_.insert(piece);
            return false;
        });
    }

    /// Whatever `text` contains is not a leak.
    void allow(std::string_view text) {
        for_each_piece(word_sequence{text}, [this](std::string_view piece) {
            pieces_.erase(piece);
            return false;
        });
    }

    [[nodiscard]] bool is_in(std::string_view text) const {
        return for_each_piece(word_sequence{text}, [this](std::string_view piece) {
            return pieces_.contains(piece);
        });
    }

private:
    /// Until `visit` returns true. Returns whether it did.
    template <class Visit>
    static bool for_each_piece(const word_sequence& text, const Visit& visit) {
        for (std::size_t first = 0; first + leaked_words_min <= text.words(); ++first) {
            if (visit(text.piece(first, leaked_words_min))) return true;
        }
        return false;
    }

    word_sequence instructions_;
    std::unordered_set<std::string_view> pieces_;  ///< Within instructions_.
};

}  // namespace

parsed_answer parse_answer(std::string_view text) {
    if (text.size() > answer_bytes_max) return {{}, "the answer is longer than 1 MiB"};
    const auto answer = after_thoughts(text);
    if (answer.empty() && !text.empty()) return {{}, "the answer is cut off before its end"};
    const auto largest = largest_object(answer);
    if (!largest) return {{}, "the answer contains no JSON object"};
    if (!largest->excess.empty()) return {{}, std::string{largest->excess}};
    if (!largest->whole) return {{}, "the answer is cut off before its end"};

    auto object = parse_repaired<answer_json>(largest->text);
    if (object.is_discarded()) return {{}, "the answer is not valid JSON"};
    return {std::move(object), {}};
}

bool holds_tag(const answer_json& value, std::string_view tag) {
    if (tag.empty()) return false;
    return any_text(value, [tag](std::string_view text, bool) { return text_holds(text, tag); });
}

bool repeats_prompt(const answer_json& answer, std::string_view instructions) {
    leak_finder finder{instructions};
    any_text(answer, [&finder](std::string_view text, bool is_verbatim) {
        if (is_verbatim) finder.allow(text);
        return false;
    });
    return any_text(answer, [&finder](std::string_view text, bool is_verbatim) {
        return !is_verbatim && finder.is_in(text);
    });
}

}  // namespace reelsd::model
