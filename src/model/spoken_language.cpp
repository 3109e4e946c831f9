#include "spoken_language.hpp"

#include <cld2/public/compact_lang_det.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>  // The next header uses FILE.

namespace reelsd::model {

namespace {

// A shorter text may be a quotation or a name.
constexpr int bytes_min = 48;
// Score per KiB of text. Measured on transcripts of reels: the right language scores from 830 on, a
// wrong one that the detector calls reliable up to 500. English words are common in the speech of
// other languages, and such a mix scores up to 950 as English.
constexpr double score_min = 600;
constexpr double english_score_min = 1200;

std::string display_name_of(CLD2::Language language) {
    std::string name = CLD2::LanguageName(language);
    std::transform(name.begin() + 1, name.end(), name.begin() + 1, [](unsigned char byte) {
        return static_cast<char>(std::tolower(byte));
    });
    return name;
}

/// Whether the two share so many words that the detector may take one for the other.
bool are_related(CLD2::Language left, CLD2::Language right) {
    const auto set = CLD2::LanguageCloseSet(left);
    return left == right || (set != 0 && set == CLD2::LanguageCloseSet(right));
}

}  // namespace

std::string language_objection(std::string_view transcript, std::string_view code) {
    const auto given = CLD2::GetLanguageFromName(std::string{code}.c_str());
    if (given == CLD2::UNKNOWN_LANGUAGE) return {};
    std::array<CLD2::Language, 3> languages{};
    std::array<int, 3> percents{};
    std::array<double, 3> scores{};
    int bytes = 0;
    bool is_reliable = false;
    const CLD2::CLDHints no_hints{nullptr, nullptr, 0, CLD2::UNKNOWN_LANGUAGE};
    const auto detected = CLD2::ExtDetectLanguageSummary(
        transcript.data(),
        static_cast<int>(transcript.size()),
        true,
        &no_hints,
        0,
        languages.data(),
        percents.data(),
        scores.data(),
        nullptr,
        &bytes,
        &is_reliable);
    const bool is_plain = is_reliable && detected == languages[0] && bytes >= bytes_min &&
                          scores[0] >= (detected == CLD2::ENGLISH ? english_score_min : score_min);
    if (!is_plain) return {};
    for (const auto language : languages) {
        if (are_related(language, given)) return {};
    }
    return "the transcript reads as " + display_name_of(detected) +
           " but its language was given as " + std::string{code};
}

}  // namespace reelsd::model
