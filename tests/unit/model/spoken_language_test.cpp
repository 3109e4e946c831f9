#include "local_checks.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace reelsd::model {
namespace {

struct sample {
    const char* code;
    const char* text;
};

constexpr sample samples[] = {
    {"en",
     "Hey everyone, this is the recipe that you have been waiting for and it's so easy to make"},
    {"es",
     "Hola a todos, hoy vamos a hacer una receta muy f\u00e1cil pero tambi\u00e9n muy rica con los "
     "ingredientes que tengo aqu\u00ed"},
    {"pt",
     "Oi gente, hoje eu vou fazer uma receita muito f\u00e1cil com voc\u00eas, mas n\u00e3o "
     "precisa de tudo isso aqui"},
    {"fr",
     "Bonjour \u00e0 tous, aujourd'hui je vous montre une recette tr\u00e8s simple avec les "
     "l\u00e9gumes qui sont dans votre cuisine"},
    {"de",
     "Hallo zusammen, heute zeige ich euch ein Rezept, das wirklich sehr einfach ist und mit dem "
     "man nicht viel falsch machen kann"},
    {"it",
     "Ciao a tutti, oggi vi mostro una ricetta molto semplice che non ha bisogno di questo, quindi "
     "grazie e poi anche buon appetito"},
    {"id",
     "Halo semuanya, hari ini aku mau buat resep yang gampang banget dan bisa untuk kita semua "
     "dengan bahan yang ada"},
    {"tr",
     "Herkese merhaba, bug\u00fcn \u00e7ok kolay bir tarif yap\u0131yoruz ve bu tarif i\u00e7in "
     "\u015fimdi biz daha sonra f\u0131r\u0131n kullan\u0131yoruz"},
};

/// Spanish and Portuguese: the detector may take one for the other.
bool are_related(const sample& left, const sample& right) {
    const std::set<std::string> both{"es", "pt"};
    return both.count(left.code) != 0 && both.count(right.code) != 0;
}

// Goal: each language is recognised, and not taken for an unrelated one.
TEST(LanguageObjection, DistinguishesLanguages) {
    for (const auto& spoken : samples) {
        for (const auto& given : samples) {
            const auto objection = language_objection(spoken.text, given.code);
            EXPECT_EQ(objection.empty(), spoken.code == given.code || are_related(spoken, given))
                << spoken.code << " given as " << given.code << ": " << objection;
        }
    }
    EXPECT_EQ(
        language_objection(samples[1].text, "en"),
        "the transcript reads as Spanish but its language was given as en");
}

TEST(LanguageObjection, DetectsATranslation) {
    EXPECT_EQ(
        language_objection(samples[0].text, "ja"),
        "the transcript reads as English but its language was given as ja");
    EXPECT_NE(language_objection(samples[1].text, "ru"), "");
}

// Goal: unusual transcripts give no warning.
TEST(LanguageObjection, RequiresEvidence) {
    constexpr sample ordinary[] = {
        {"es", "the best of the best and you know it"},  // Eight or nine words: a quotation.
        {"hi",
         "Aaj hum banayenge ek bahut hi easy recipe jo sabko pasand aayegi toh chaliye shuru karte "
         "hain"},
        {"nl",
         "Hallo allemaal, dit is de lekkerste taart die je ooit hebt gegeten en het is heel "
         "makkelijk om te maken"},
        {"sv",
         "Hej alla, det h\u00e4r \u00e4r den godaste kakan som ni har \u00e4tit och den \u00e4r "
         "mycket enkel att g\u00f6ra hemma"},
        {"ca",
         "Hola a tothom, avui farem una recepta molt f\u00e0cil per\u00f2 tamb\u00e9 molt bona amb "
         "els ingredients que tinc aqu\u00ed"},
        {"ms",
         "Hari ini saya nak buat resepi yang mudah dan sedap untuk kita semua dengan bahan yang "
         "ada di rumah"},
        {"tl",
         "Guys this is the best adobo na natikman ko sa buong buhay ko so try it at home kasi ang "
         "sarap"},
        {"ja", "\u4eca\u65e5\u306f\u7c21\u5358\u306a\u6599\u7406\u3092\u4f5c\u308a\u307e\u3059"},
        {"ko", "\uc548\ub155\ud558\uc138\uc694 \uc624\ub298\uc740 \uc694\ub9ac\ub97c \ud574\uc694"},
        {"sr",
         "\u0434\u0430\u043d\u0430\u0441 \u043f\u0440\u0430\u0432\u0438\u043c\u043e "
         "\u0445\u043b\u0435\u0431"},
        {"en", "\u0432\u043e\u0442"},
        {"en", ""},
    };
    for (const auto& sample : ordinary) {
        EXPECT_EQ(language_objection(sample.text, sample.code), "") << sample.text;
    }
}

TEST(LanguageObjection, AcceptsChineseInBothScripts) {
    const std::string traditional =
        "\u4eca\u5929\u6211\u5011\u4f86\u5b78\u7fd2\u600e\u9ebc\u88fd\u4f5c\u53f0\u7063"
        "\u725b\u8089\u9eb5\uff0c\u9019\u500b\u98df\u8b5c\u975e\u5e38\u7c21\u55ae\u3002"
        "\u8acb\u5927\u5bb6\u8a18\u5f97\u8a02\u95b1\u6211\u5011\u7684\u983b\u9053\u3002";
    for (const auto* code : {"zh", "zh-TW"})
        EXPECT_EQ(language_objection(traditional, code), "") << code;
    EXPECT_NE(language_objection(traditional, "en"), "");
}

TEST(LanguageObjection, DistinguishesScripts) {
    const auto* const hindi =
        "\u0906\u091c \u0939\u092e \u0916\u093e\u0928\u093e "
        "\u092c\u0928\u093e\u090f\u0902\u0917\u0947";
    const auto* const japanese =
        "\u4eca\u65e5\u306f\u7c21\u5358\u306a\u6599\u7406\u3092\u4f5c\u308a\u307e\u3059\u3002"
        "\u4eca\u65e5\u306f\u7c21\u5358\u306a\u6599\u7406";
    EXPECT_EQ(language_objection(hindi, "hi"), "");
    EXPECT_EQ(
        language_objection(hindi, "en"),
        "the transcript reads as Hindi but its language was given as en");
    EXPECT_EQ(language_objection(japanese, "ja"), "");
    EXPECT_EQ(
        language_objection(japanese, "zh"),
        "the transcript reads as Japanese but its language was given as zh");
}

}  // namespace
}  // namespace reelsd::model
