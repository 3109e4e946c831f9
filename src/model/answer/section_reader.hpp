#pragma once

#include "answer_json.hpp"
#include "answer_values.hpp"
#include <reelsd/model/findings.hpp>

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::model {

/// All text of an answer: twice the largest one of 32,768 tokens. The search for loops is linear,
/// but takes 0.1 s for 1 MiB of adversarial text.
inline constexpr std::size_t text_bytes_max = std::size_t{256} * 1024;

/// Collects violations and warnings while an answer is read.
class answer_log {
public:
    explicit answer_log(double duration_seconds) : duration_{duration_seconds} {}

    /// "audio.segments is missing". Ignores repetitions and all after the tenth.
    void violation(const std::string& path, std::string_view what);
    /// The answer as a whole is useless: inserted before all other violations.
    void useless();
    /// Repetitions in `path` were cut.
    void repeats_cut(const std::string& path);
    /// Counts times that had to be moved.
    void time(const parsed_time& time);

    /// Counts text that is about to be cleaned and searched for loops. False, and a violation, when
    /// the total is more than any answer needs: the text must be left out.
    [[nodiscard]] bool take(std::size_t bytes);

    [[nodiscard]] double duration_seconds() const noexcept { return duration_; }
    [[nodiscard]] const std::vector<std::string>& violations() const noexcept {
        return violations_;
    }
    /// A sentence for people about each kind of correction.
    [[nodiscard]] std::vector<std::string> warnings() const;

private:
    double duration_;
    std::size_t bytes_left_ = text_bytes_max;
    std::vector<std::string> violations_;
    bool repeats_cut_ = false;
    bool times_moved_ = false;
    std::ptrdiff_t times_far_past_end_ = 0;
};

/// A value as text: strings, numbers and booleans as written, null as an empty text, a list of
/// these separated by spaces. Empty for other values.
[[nodiscard]] std::optional<std::string> text_from(const answer_json& value);

/// The first of `names` that is a member of the object and not null; null if there is none.
[[nodiscard]] const answer_json* member_of(
    const answer_json& object, std::initializer_list<std::string_view> names);

/// Clean text of at most `characters_max`, without loops, which are logged under `path`.
[[nodiscard]] std::string logged_text(
    std::string_view text, std::size_t characters_max, const std::string& path, answer_log& log);

/// Reads one section of an answer, leniently: other spellings of a value are accepted silently; a
/// missing or meaningless value is its type's empty value, and a violation. If the section itself
/// is missing, its members are read from the top level.
class section_reader {
public:
    /// `answer` is an object; it and `log` outlive the reader.
    section_reader(const answer_json& answer, std::string_view name, answer_log& log);

    [[nodiscard]] std::string text(std::string_view name);
    /// Empty for an empty text and words for it ("null", "none", "n/a").
    [[nodiscard]] std::optional<std::string> optional_text(std::string_view name);
    [[nodiscard]] std::vector<std::string> list(std::string_view name);
    /// Empty when it is missing or neither true nor false.
    [[nodiscard]] std::optional<bool> flag(std::string_view name);

    /// The member; null when it is missing, which is a violation if `required`.
    [[nodiscard]] const answer_json* member(std::string_view name, bool required = true);
    [[nodiscard]] std::string path_of(std::string_view name) const;

    /// Logs the whole section, or else each member, as missing. Called once, at the end.
    void finish();

private:
    const answer_json& source_;  ///< The section, or the whole answer in its place.
    std::string name_;
    answer_log& log_;
    std::vector<std::string> missing_;
    std::size_t found_ = 0;
};

/// Speech in order of time. Entries that are too long are split, and the parts share the time by
/// their length. Unreadable times are those of the neighbours, or the whole video if no entry has
/// one; a bare text is an entry without times. Malformed entries are violations under `path`, and
/// so are loops, which are cut.
[[nodiscard]] std::vector<timed_text> read_segments(
    const answer_json& value, const std::string& path, answer_log& log);

/// On-screen texts, likewise. Equal texts that follow each other without a gap are merged.
[[nodiscard]] std::vector<timed_text> read_screen_texts(
    const answer_json& value, const std::string& path, answer_log& log);

/// In order of time. Moments without a readable time are dropped.
[[nodiscard]] std::vector<key_moment> read_moments(
    const answer_json& value, const std::string& path, answer_log& log);

}  // namespace reelsd::model
