#include "spoken_language.hpp"

#include "script.hpp"
#include "words.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace reelsd::model {

namespace {

// Fewer words may be a quotation or a name.
constexpr std::size_t words_min = 12;
constexpr std::size_t hits_min = 4;

/// Languages of reels and the scripts they are written in, beside Latin letters, which any may be.
struct written_languages {
    std::string_view codes;  ///< Each followed by a blank.
    std::array<script, 2> scripts{script::none, script::none};
};

constexpr auto written = std::to_array<written_languages>({
    {"en es pt fr de it id tr nl af sv da no nb nn is fi et lv lt pl cs sk sl hr hu ro ca gl eu "},
    {"ga cy mt sq vi ms tl sw eo la lb oc br ht jv su so zu xh yo ig ha "},
    {"ru uk bg be mk ", {script::cyrillic}},
    {"el ", {script::greek}},
    {"hy ", {script::armenian}},
    {"he yi ", {script::hebrew}},
    {"ar fa ur ps ", {script::arabic}},
    {"hi mr ne ", {script::devanagari}},
    {"bn as ", {script::bengali}},
    {"pa ", {script::gurmukhi, script::arabic}},
    {"gu ", {script::gujarati}},
    {"ta ", {script::tamil}},
    {"te ", {script::telugu}},
    {"kn ", {script::kannada}},
    {"ml ", {script::malayalam}},
    {"si ", {script::sinhala}},
    {"th ", {script::thai}},
    {"lo ", {script::lao}},
    {"my ", {script::burmese}},
    {"ka ", {script::georgian}},
    {"am ti ", {script::ethiopic}},
    {"km ", {script::khmer}},
    {"ko ", {script::hangul, script::han}},
    {"ja ", {script::kana, script::han}},
    {"zh ", {script::han}},
});

bool lists(std::string_view codes, std::string_view code) {
    return codes.find(std::string{code} + ' ') != std::string_view::npos;
}

bool is_written_in(std::string_view code, script letters) {
    const auto* const found = std::find_if(
        written.begin(), written.end(), [code](const auto& row) { return lists(row.codes, code); });
    if (found == written.end() || letters == script::latin || letters == script::none) return true;
    return std::find(found->scripts.begin(), found->scripts.end(), letters) != found->scripts.end();
}

struct common_words {
    std::string_view code;
    std::string_view name;
    std::array<std::string_view, 40> words;
};

// Everyday words that no other of the eight languages has: so they decide between neighbours too.
constexpr auto languages = std::to_array<common_words>({
    {"en", "English", {"the",     "and",   "you",  "is",   "to",     "of",    "it",   "that",
                       "this",    "for",   "are",  "with", "my",     "your",  "have", "not",
                       "but",     "what",  "just", "we",   "they",   "be",    "can",  "will",
                       "from",    "if",    "how",  "when", "all",    "get",   "like", "there",
                       "because", "don't", "it's", "i'm",  "you're", "going", "know", "about"}},
    {"es", "Spanish", {"el",      "los",         "las",          "pero",      "muy",    "m\u00e1s",
                       "esto",    "yo",          "tambi\u00e9n", "hay",       "cuando", "hola",
                       "gracias", "qu\u00e9",    "c\u00f3mo",    "aqu\u00ed", "ahora",  "bueno",
                       "hacer",   "tengo",       "eso",          "pues",      "donde",  "entonces",
                       "sin",     "estoy",       "tiene",        "soy",       "eres",   "fue",
                       "ellos",   "adem\u00e1s", "nosotros",     "ustedes",   "mucho",  "usted",
                       "siempre", "hasta",       "ning\u00fan",  "puedes"}},
    {"pt",
     "Portuguese",
     {"n\u00e3o",   "voc\u00ea", "uma",   "eu",    "com",      "os",         "em",      "muito",
      "isso",       "pra",       "ele",   "ela",   "s\u00e3o", "aqui",       "tem",     "tudo",
      "ent\u00e3o", "gente",     "meu",   "minha", "mas",      "ao",         "pelo",    "foi",
      "estou",      "vai",       "fazer", "seu",   "j\u00e1",  "at\u00e9",   "agora",   "obrigado",
      "s\u00f3",    "nossa",     "quem",  "meus",  "mesmo",    "voc\u00eas", "pessoal", "\u00e0"}},
    {"fr", "French", {"les",  "alors",   "est",       "et",    "une",   "dans",      "pour",
                      "pas",  "vous",    "je",        "c'est", "qui",   "sur",       "avec",
                      "elle", "ce",      "j'ai",      "nous",  "mon",   "tr\u00e8s", "tout",
                      "au",   "suis",    "\u00eatre", "fait",  "aussi", "moi",       "cette",
                      "ils",  "merci",   "parce",     "quand", "votre", "qu'il",     "d'un",
                      "sont", "\u00e7a", "leur",      "mes",   "peu"}},
    {"de", "German", {"der",  "die",   "das",  "und",   "ist",  "nicht",    "ein",  "eine",
                      "ich",  "wir",   "sie",  "mit",   "auf",  "f\u00fcr", "den",  "dem",
                      "auch", "wie",   "noch", "aber",  "wenn", "zu",       "von",  "hier",
                      "mal",  "jetzt", "dann", "oder",  "nur",  "haben",    "kann", "wird",
                      "sind", "mich",  "mir",  "schon", "sehr", "einfach",  "habe", "weil"}},
    {"it",
     "Italian",
     {"degli",  "che",         "non",      "\u00e8", "per",   "della",  "sono",     "gli",
      "nel",    "alla",        "questo",   "questa", "anche", "stato",  "pi\u00f9", "ho",
      "hai",    "perch\u00e9", "molto",    "quello", "fare",  "dei",    "delle",    "ci",
      "ciao",   "allora",      "ancora",   "tutto",  "tutti", "quindi", "essere",   "siamo",
      "grazie", "poi",         "c'\u00e8", "io",     "lui",   "bene",   "dopo",     "oggi"}},
    {"id", "Indonesian", {"yang",  "dan",   "ini",     "itu",   "dengan", "untuk",  "tidak",
                          "ada",   "dari",  "ke",      "kita",  "aku",    "saya",   "kamu",
                          "juga",  "akan",  "bisa",    "sudah", "nggak",  "gak",    "tapi",
                          "apa",   "kalau", "atau",    "lagi",  "banget", "karena", "mau",
                          "jadi",  "orang", "seperti", "dalam", "pada",   "lebih",  "sama",
                          "punya", "udah",  "buat",    "kayak", "adalah"}},
    {"tr",
     "Turkish",
     {"bir",
      "ve",
      "bu",
      "\u00e7ok",
      "i\u00e7in",
      "var",
      "sen",
      "ama",
      "gibi",
      "daha",
      "de\u011fil",
      "m\u0131",
      "olarak",
      "kadar",
      "\u015fey",
      "nas\u0131l",
      "b\u00f6yle",
      "bunu",
      "benim",
      "olan",
      "sonra",
      "yok",
      "evet",
      "hi\u00e7",
      "ki",
      "\u015fimdi",
      "arkada\u015flar",
      "g\u00fczel",
      "onu",
      "biz",
      "siz",
      "ile",
      "diye",
      "i\u015fte",
      "tamam",
      "\u00e7\u00fcnk\u00fc",
      "senin",
      "oldu",
      "kendi",
      "b\u00fct\u00fcn"}},
});

constexpr bool shares_no_word() {
    for (std::size_t left = 0; left < languages.size(); ++left) {
        for (std::size_t right = left + 1; right < languages.size(); ++right) {
            for (const auto word : languages[left].words) {
                const auto& others = languages[right].words;
                if (std::find(others.begin(), others.end(), word) != others.end()) return false;
            }
        }
    }
    return true;
}
static_assert(shares_no_word());

/// Who shares so many words with some of the eight that these say nothing against it.
struct related_languages {
    std::string_view codes;
    std::string_view among_eight;
};
constexpr auto related = std::to_array<related_languages>({
    {"ca gl oc eu an ast ", "es pt fr it "},
    {"ro la co sc mt sq ", "it fr es pt "},
    {"ht br wa ", "fr "},
    {"lb fy nl af yi da no nb nn sv is fo ", "de en fr "},
    {"ms jv su ", "id "},
    {"az tk uz tt kk ky ug ku ", "tr "},
    {"tl ", "es en "},
});

bool are_related(std::string_view code, std::string_view other) {
    return std::any_of(related.begin(), related.end(), [&](const related_languages& row) {
        return lists(row.codes, code) && lists(row.among_eight, other);
    });
}

struct language_hits {
    const common_words* language = nullptr;
    std::size_t hits = 0;
};

/// The eight by how many of the words are theirs, most first.
std::vector<language_hits> ranked(const std::vector<std::string>& words) {
    std::vector<language_hits> all;
    for (const auto& language : languages) {
        const auto& own = language.words;
        const auto hits = std::count_if(words.begin(), words.end(), [&own](const auto& word) {
            return std::find(own.begin(), own.end(), word) != own.end();
        });
        all.push_back({&language, static_cast<std::size_t>(hits)});
    }
    std::stable_sort(all.begin(), all.end(), [](const auto& left, const auto& right) {
        return left.hits > right.hits;
    });
    return all;
}

/// The language that the words are plainly of, and `code` is not; null when there is none.
const common_words* plainly_other(const std::vector<std::string>& words, std::string_view code) {
    const auto all = ranked(words);
    const auto& best = all.front();
    if (best.hits < hits_min || best.language->code == code) return nullptr;
    const auto given = std::find_if(all.begin(), all.end(), [code](const language_hits& one) {
        return one.language->code == code;
    });
    if (given != all.end()) {
        // One word in ten of theirs, and hardly one of the given language.
        const bool plain = best.hits * 10 >= words.size() && given->hits * 4 <= best.hits;
        return plain ? best.language : nullptr;
    }
    // Nothing is known of the given language: English words stand in the speech of many others.
    const std::size_t one_in = best.language->code == "en" ? 4 : 7;
    const bool plain = best.hits * one_in >= words.size() && all[1].hits * 3 <= best.hits;
    return plain && !are_related(code, best.language->code) ? best.language : nullptr;
}

}  // namespace

std::string language_objection(std::string_view transcript, std::string_view code) {
    const auto letters = main_script_of(transcript);
    if (!is_written_in(code, letters)) {
        return "the transcript is in " + std::string{name_of(letters)} +
               " script but its language was given as " + std::string{code};
    }
    if (letters != script::latin) return {};
    const auto words = words_of(transcript);
    if (words.size() < words_min) return {};
    const auto* const other = plainly_other(words, code);
    if (other == nullptr) return {};
    return "the transcript reads as " + std::string{other->name} +
           " but its language was given as " + std::string{code};
}

}  // namespace reelsd::model
