#include "speech_languages.hpp"

#include <reelsd/base/text.hpp>

#include <algorithm>
#include <array>

namespace reelsd::model {
namespace {

struct language_name {
    std::string_view name;
    std::string_view code;
};

/// The names, and after them other names and codes of the same languages.
constexpr auto names = std::to_array<language_name>({
    {"english", "en"},     {"chinese", "zh"},    {"german", "de"},
    {"spanish", "es"},     {"russian", "ru"},    {"korean", "ko"},
    {"french", "fr"},      {"japanese", "ja"},   {"portuguese", "pt"},
    {"turkish", "tr"},     {"polish", "pl"},     {"catalan", "ca"},
    {"dutch", "nl"},       {"arabic", "ar"},     {"swedish", "sv"},
    {"italian", "it"},     {"indonesian", "id"}, {"hindi", "hi"},
    {"finnish", "fi"},     {"vietnamese", "vi"}, {"hebrew", "he"},
    {"ukrainian", "uk"},   {"greek", "el"},      {"malay", "ms"},
    {"czech", "cs"},       {"romanian", "ro"},   {"danish", "da"},
    {"hungarian", "hu"},   {"tamil", "ta"},      {"norwegian", "no"},
    {"thai", "th"},        {"urdu", "ur"},       {"croatian", "hr"},
    {"bulgarian", "bg"},   {"lithuanian", "lt"}, {"latin", "la"},
    {"maori", "mi"},       {"malayalam", "ml"},  {"welsh", "cy"},
    {"slovak", "sk"},      {"telugu", "te"},     {"persian", "fa"},
    {"latvian", "lv"},     {"bengali", "bn"},    {"serbian", "sr"},
    {"azerbaijani", "az"}, {"slovenian", "sl"},  {"kannada", "kn"},
    {"estonian", "et"},    {"macedonian", "mk"}, {"breton", "br"},
    {"basque", "eu"},      {"icelandic", "is"},  {"armenian", "hy"},
    {"nepali", "ne"},      {"mongolian", "mn"},  {"bosnian", "bs"},
    {"kazakh", "kk"},      {"albanian", "sq"},   {"swahili", "sw"},
    {"galician", "gl"},    {"marathi", "mr"},    {"punjabi", "pa"},
    {"sinhala", "si"},     {"khmer", "km"},      {"shona", "sn"},
    {"yoruba", "yo"},      {"somali", "so"},     {"afrikaans", "af"},
    {"occitan", "oc"},     {"georgian", "ka"},   {"belarusian", "be"},
    {"tajik", "tg"},       {"sindhi", "sd"},     {"gujarati", "gu"},
    {"amharic", "am"},     {"yiddish", "yi"},    {"lao", "lo"},
    {"uzbek", "uz"},       {"faroese", "fo"},    {"haitian creole", "ht"},
    {"pashto", "ps"},      {"turkmen", "tk"},    {"nynorsk", "nn"},
    {"maltese", "mt"},     {"sanskrit", "sa"},   {"luxembourgish", "lb"},
    {"myanmar", "my"},     {"tibetan", "bo"},    {"tagalog", "tl"},
    {"malagasy", "mg"},    {"assamese", "as"},   {"tatar", "tt"},
    {"hawaiian", "haw"},   {"lingala", "ln"},    {"hausa", "ha"},
    {"bashkir", "ba"},     {"javanese", "jv"},   {"sundanese", "su"},
    {"cantonese", "yue"},  {"burmese", "my"},    {"valencian", "ca"},
    {"flemish", "nl"},     {"haitian", "ht"},    {"letzeburgesch", "lb"},
    {"pushto", "ps"},      {"panjabi", "pa"},    {"moldavian", "ro"},
    {"moldovan", "ro"},    {"sinhalese", "si"},  {"castilian", "es"},
    {"mandarin", "zh"},    {"jw", "jv"},
});

}  // namespace

std::optional<std::string> speech_language_from(std::string_view text) {
    const auto name = ascii_lower(trimmed(text));
    const auto primary = name.substr(0, name.find_first_of("-_"));
    const auto known = std::ranges::find_if(names, [&](const language_name& language) {
        return name == language.name || primary == language.code;
    });
    if (known == names.end()) return std::nullopt;
    return std::string{known->code};
}

}  // namespace reelsd::model
