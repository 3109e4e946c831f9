#include "language_code.hpp"

#include <reelsd/base/text.hpp>

#include <algorithm>
#include <array>

namespace reelsd::model {

namespace {

// ISO 639-1, all of it; sorted: it is searched by halving.
// clang-format off
constexpr auto codes = std::to_array<std::string_view>({
    "aa", "ab", "ae", "af", "ak", "am", "an", "ar", "as", "av", "ay", "az", "ba", "be", "bg", "bi",
    "bm", "bn", "bo", "br", "bs", "ca", "ce", "ch", "co", "cr", "cs", "cu", "cv", "cy", "da", "de",
    "dv", "dz", "ee", "el", "en", "eo", "es", "et", "eu", "fa", "ff", "fi", "fj", "fo", "fr", "fy",
    "ga", "gd", "gl", "gn", "gu", "gv", "ha", "he", "hi", "ho", "hr", "ht", "hu", "hy", "hz", "ia",
    "id", "ie", "ig", "ii", "ik", "io", "is", "it", "iu", "ja", "jv", "ka", "kg", "ki", "kj", "kk",
    "kl", "km", "kn", "ko", "kr", "ks", "ku", "kv", "kw", "ky", "la", "lb", "lg", "li", "ln", "lo",
    "lt", "lu", "lv", "mg", "mh", "mi", "mk", "ml", "mn", "mr", "ms", "mt", "my", "na", "nb", "nd",
    "ne", "ng", "nl", "nn", "no", "nr", "nv", "ny", "oc", "oj", "om", "or", "os", "pa", "pi", "pl",
    "ps", "pt", "qu", "rm", "rn", "ro", "ru", "rw", "sa", "sc", "sd", "se", "sg", "si", "sk", "sl",
    "sm", "sn", "so", "sq", "sr", "ss", "st", "su", "sv", "sw", "ta", "te", "tg", "th", "ti", "tk",
    "tl", "tn", "to", "tr", "ts", "tt", "tw", "ty", "ug", "uk", "ur", "uz", "ve", "vi", "vo", "wa",
    "wo", "xh", "yi", "yo", "za", "zh", "zu",
});
// clang-format on
static_assert(std::is_sorted(codes.begin(), codes.end()));

struct other_name {
    std::string_view name;
    std::string_view code;
};

// What models write in the code's place: three letters (ISO 639-2 and 639-3), withdrawn codes and
// English names, of the languages that reels are spoken in.
constexpr auto other_names = std::to_array<other_name>({
    {"ara", "ar"},        {"arabic", "ar"},     {"ben", "bn"},        {"bengali", "bn"},
    {"ces", "cs"},        {"chi", "zh"},        {"chinese", "zh"},    {"cmn", "zh"},
    {"czech", "cs"},      {"dan", "da"},        {"danish", "da"},     {"deu", "de"},
    {"dutch", "nl"},      {"ell", "el"},        {"eng", "en"},        {"english", "en"},
    {"fas", "fa"},        {"fil", "tl"},        {"filipino", "tl"},   {"fin", "fi"},
    {"finnish", "fi"},    {"fra", "fr"},        {"fre", "fr"},        {"french", "fr"},
    {"ger", "de"},        {"german", "de"},     {"greek", "el"},      {"guj", "gu"},
    {"gujarati", "gu"},   {"heb", "he"},        {"hebrew", "he"},     {"hin", "hi"},
    {"hindi", "hi"},      {"hun", "hu"},        {"hungarian", "hu"},  {"in", "id"},
    {"ind", "id"},        {"indonesian", "id"}, {"ita", "it"},        {"italian", "it"},
    {"iw", "he"},         {"japanese", "ja"},   {"ji", "yi"},         {"jpn", "ja"},
    {"kan", "kn"},        {"kannada", "kn"},    {"kor", "ko"},        {"korean", "ko"},
    {"malay", "ms"},      {"malayalam", "ml"},  {"mandarin", "zh"},   {"mar", "mr"},
    {"marathi", "mr"},    {"msa", "ms"},        {"nld", "nl"},        {"nor", "no"},
    {"norwegian", "no"},  {"pan", "pa"},        {"persian", "fa"},    {"pol", "pl"},
    {"polish", "pl"},     {"por", "pt"},        {"portuguese", "pt"}, {"punjabi", "pa"},
    {"romanian", "ro"},   {"ron", "ro"},        {"rus", "ru"},        {"russian", "ru"},
    {"spa", "es"},        {"spanish", "es"},    {"swahili", "sw"},    {"swe", "sv"},
    {"swedish", "sv"},    {"tagalog", "tl"},    {"tam", "ta"},        {"tamil", "ta"},
    {"tel", "te"},        {"telugu", "te"},     {"tgl", "tl"},        {"tha", "th"},
    {"thai", "th"},       {"tur", "tr"},        {"turkish", "tr"},    {"ukr", "uk"},
    {"ukrainian", "uk"},  {"urd", "ur"},        {"urdu", "ur"},       {"vie", "vi"},
    {"vietnamese", "vi"}, {"yue", "zh"},        {"zho", "zh"},
});
static_assert(std::is_sorted(
    other_names.begin(), other_names.end(),
    [](const other_name& left, const other_name& right) { return left.name < right.name; }));

}  // namespace

std::optional<std::string> language_code_from(std::string_view said) {
    const auto first = std::min(said.find_first_not_of(' '), said.size());
    said.remove_prefix(first);
    const auto primary = ascii_lower(said.substr(0, said.find_first_of("-_ (,;/")));
    if (std::binary_search(codes.begin(), codes.end(), primary)) return primary;
    const auto* const named = std::lower_bound(
        other_names.begin(),
        other_names.end(),
        primary,
        [](const other_name& left, const std::string& right) { return left.name < right; });
    if (named == other_names.end() || named->name != primary) return std::nullopt;
    return std::string{named->code};
}

}  // namespace reelsd::model
