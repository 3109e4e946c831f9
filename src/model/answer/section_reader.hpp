#pragma once

#include "answer_json.hpp"
#include "answer_log.hpp"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reelsd::model {

/// What a value says as text: a string, a number or a boolean as it stands, nothing as an empty
/// text, a list of these with blanks between. Absent when it is something else.
[[nodiscard]] std::optional<std::string> text_from(const answer_json& value);

/// The member of an object under the first of `names` that it has with a value; null when none.
[[nodiscard]] const answer_json* member_of(
    const answer_json& object, std::initializer_list<std::string_view> names);

/// Clean text of at most `characters_max`, its loops cut and logged under `path`.
[[nodiscard]] std::string logged_text(
    std::string_view text, std::size_t characters_max, const std::string& path, answer_log& log);

/// Reads one section of an answer, tolerantly: what is only spelt otherwise is taken for what it
/// means without a word; what is missing or means nothing is its type's empty value, and a
/// violation. If the section itself is missing its members are looked for beside the others.
class section_reader {
public:
    /// `answer` is an object; it and `log` outlive the reader.
    section_reader(const answer_json& answer, std::string_view name, answer_log& log);

    [[nodiscard]] std::string text(std::string_view name);
    /// The same where nothing is an answer; words for it ("null", "none", "n/a") are nothing too.
    [[nodiscard]] std::optional<std::string> optional_text(std::string_view name);
    [[nodiscard]] std::vector<std::string> list(std::string_view name);
    /// Absent when it is missing or neither true nor false.
    [[nodiscard]] std::optional<bool> flag(std::string_view name);

    /// The member as it stands; null when it is missing, which is a violation unless `required` is
    /// false.
    [[nodiscard]] const answer_json* member(std::string_view name, bool required = true);
    [[nodiscard]] std::string path_of(std::string_view name) const;

    /// Writes down what was missing: the whole section, or each member. Once, at the end.
    void finish();

private:
    const answer_json& source_;  ///< The section, or the whole answer in its place.
    std::string name_;
    answer_log& log_;
    std::vector<std::string> missing_;
    std::size_t found_ = 0;
};

}  // namespace reelsd::model
