#pragma once

#include "recogniser.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace reelsd::media::text {

inline constexpr double same_text_similarity = 0.78;
/// Two readings of one text: 1 - edit distance / length of the longer one is at least that, and no
/// digit is replaced by another: "Part 1" and "Part 2" are two texts.
[[nodiscard]] bool same_text(
    std::string_view a, std::string_view b, double least = same_text_similarity);

/// Of a reading that is no misreading: a different reading after it is another text.
inline constexpr double certain_confidence = 0.95;
inline constexpr int certain_frames = 3;
/// Whether the longer text is the shorter one or begins with its words, whatever the case, spaces
/// and marks.
[[nodiscard]] bool begins(std::string_view a, std::string_view b);

/// Where `whole` contains (about) `part`, whatever its case, spaces and marks: the middle of the
/// part between the first letter of the whole, 0, and the last, 1.
[[nodiscard]] std::optional<double> position_in(std::string_view part, std::string_view whole);

/// A reading with single spaces, without marks at its ends that belong to no word, and with letters
/// in one case where both cases have one shape. A spaced line with mixed case is in capitals: the
/// network misreads their case.
[[nodiscard]] std::string tidied(const line_reading& reading);

/// Whether `longer` is `line` with a single digit before or after it: "3 WAYS" and "WAYS".
[[nodiscard]] bool adds_digit(std::string_view line, std::string_view longer);

/// Whether a text looks like another script that was read as Latin: much of it has capitals and
/// digits within words, or a Cyrillic letter. The network has no Cyrillic alphabet.
[[nodiscard]] bool is_lookalike(std::string_view text);

/// Whether a line goes into the report. It needs more confidence when it is short, was seen in few
/// frames or is Chinese. `sightings`: frames.
[[nodiscard]] bool is_accepted(const line_reading& reading, int sightings);

}  // namespace reelsd::media::text
