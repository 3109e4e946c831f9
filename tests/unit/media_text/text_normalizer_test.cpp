#include "text_normalizer.hpp"

#include <gtest/gtest.h>

namespace reelsd::media::text {
namespace {

// Goal: readings of one text are equal, texts that differ by a number are not. Method: table.
TEST(SameText, DistinguishesMisreadingsFromOtherTexts) {
    struct test_case {
        const char* a;
        const char* b;
        bool same;
    };
    constexpr test_case cases[] = {
        {"Wait for it", "Wait for it", true},
        {"Wait for it", "Wa1t for it", true},
        {"Bake for 25 minutes", "Bake for 25 minute", true},
        {"Wait for it", "Swipe left", false},
        {"wow", "WOW", true},
        {"H a p p y day", "HAPPY DAY", true},
        {"Part 1", "Part 2", false},
        {"Only $19.99 this week", "Only $19.98 this week", false},
        {"OK", "GO", false},
        {"A+", "A-", false},
        {"+50%", "-50%", false},
        {"C", "C++", false},
        {"C++", "C#", false},
        {"Rent: $1,250", "Rent:$1.250", true},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.a);
        EXPECT_EQ(same_text(expected.a, expected.b), expected.same);
        EXPECT_EQ(same_text(expected.b, expected.a), expected.same);
    }
}

// Goal: a text that grew by words is not the same text. Method: table, in both orders.
TEST(Begins, ComparesWholeWords) {
    EXPECT_TRUE(begins("Stop", "Stop scrolling"));
    EXPECT_TRUE(begins("stop, scrolling", "Stopscrolling now"));
    EXPECT_TRUE(begins("Wait for it", "WAIT FOR IT!"));
    EXPECT_TRUE(begins("Stop scrolling now", "Stop"));
    EXPECT_FALSE(begins("$50", "$500"));
    EXPECT_FALSE(begins("C", "C++"));
    EXPECT_FALSE(begins("Goal +5", "Goal -5"));
    EXPECT_FALSE(begins("Do this", "Don't do this"));
    EXPECT_FALSE(begins("Healthy", "Unhealthy"));
    EXPECT_FALSE(begins("I can do it", "I can't do it"));
}

// Goal: a part is found whatever its marks, and where it is. Method: table.
TEST(PositionIn, ComparesLetters) {
    struct test_case {
        const char* part;
        const char* whole;
        std::optional<double> position;
    };
    constexpr test_case cases[] = {
        {"Stop", "Stop now", 2.0 / 7},
        {"Stop scr0lling", "Stop scrolling now", 6.5 / 16},
        {"NOW", "Stop now", 5.5 / 7},
        {"stopn", "Stop, now", 2.5 / 7},
        {"Stop now", "Stop now", std::nullopt},
        {"Stop now", "Stop", std::nullopt},
        {"morning", "Do this every single day", std::nullopt},
        {"OVEN", "GAME OVER", std::nullopt},
        {"Step 1", "Step 2: mix the eggs", std::nullopt},
        {"?!", "Stop", std::nullopt},
        {"", "Stop", std::nullopt},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.part);
        EXPECT_EQ(position_in(expected.part, expected.whole), expected.position);
    }
}

// Goal: readings become plain text. Method: a table of observed readings.
TEST(Tidied, RemovesMarksAndMixedCase) {
    struct test_case {
        const char* reading;
        const char* text;
    };
    constexpr test_case cases[] = {
        {"", ""},
        {" Wait  for it ", "Wait for it"},
        {"@ Wait for it .", "Wait for it"},
        {"@kitchen.stories", "@kitchen.stories"},
        {"What & why ?", "What & why ?"},
        {"Comment YEs below", "Comment YES below"},
        {"yOu need", "you need"},
        {"Stop", "Stop"},
        {"iPhone", "iPhone"},
        {"wow", "wow"},
        {"4K", "4K"},
        {"wOw", "WOW"},
        {"PoV: HoW YoU see it", "POV: HOW YOU see it"},
        {"FoMo, WoW, BoX, NoW", "FOMO, WOW, BOX, NOW"},
        {"UP T0 80%", "UP TO 80%"},
        {"DAY 12 0F", "DAY 12 OF"},
        {"100 of 2000", "100 of 2000"},
        {"So l said", "So I said"},
        {"Edited in CapCut", "Edited in CapCut"},
        {"GoPro, PayPal, JavaScript", "GoPro, PayPal, JavaScript"},
        {"iOS 18", "iOS 18"},
        {"Das macht SpaB", "Das macht Spass"},
        {"FuBball, die groBe StraBe", "Fussball, die grosse Strasse"},
        {"gieBt, heiBe, drauBen", "giesst, heisse, draussen"},
        {"16 GiB, TacoBell, VideoBrief", "16 GiB, TacoBell, VideoBrief"},
        {"#KetoBreakfast @CryptoBros LegoBricks", "#KetoBreakfast @CryptoBros LegoBricks"},
        {"MegaByte, MaxB.com", "MegaByte, MaxB.com"},
        {"MrBeast, AirBnB, MacBook, LeBron", "MrBeast, AirBnB, MacBook, LeBron"},
        {"S A L E", "SALE"},
        {"B I G SALE", "BIG SALE"},
        {"Plan A B", "Plan A B"},
    };
    for (const auto& expected : cases) EXPECT_EQ(tidied({expected.reading}), expected.text);
}

// The network misreads the case of letters that are far apart.
TEST(Tidied, WritesSpacedLinesOfMixedCaseInCapitals) {
    const line_reading capitals{.text = "level uP Your PHotoS", .is_spaced = true};
    EXPECT_EQ(tidied(capitals), "LEVEL UP YOUR PHOTOS");
    EXPECT_TRUE(is_accepted({tidied(capitals), 0.92}, 2));
    EXPECT_EQ(tidied({.text = "Link in bio", .is_spaced = true}), "Link in bio");
}

// Goal: other scripts read as Latin are recognised, captions are not. Method: a table of readings
// of Russian captions, and of captions with unusual capitals.
TEST(IsLookalike, RecognisesCyrillic) {
    constexpr const char* cyrillic[] = {
        "noAnNWNcb Ha KaHan",
        "TpU COBeTa AIA CHa",
        "yuWne MecTa MocKBbI",
        "MoA ceMbA N A",
        "3aBTpa 6yAeT n03 HO",
        "MOA CeMbA N A",
        "Jo>kkn caxapa",
        "CMOTPN AO KOHLLa",
        "HnkorAa Tak He Aenan",
        "\u0418 cHoBa",
        "HacTb 2",
        "Ton 5 MecT",
    };
    for (const auto* text : cyrillic) EXPECT_TRUE(is_lookalike(text)) << text;
    constexpr const char* latin[] = {
        "",
        "Wait for it",
        "YouTube, iPhone and McDonald",
        "ChatGPT prompts",
        "MrBeast",
        "LeBron James",
        "McDonald's secrets",
        "eBay finds",
        "OpenAI news",
        "OpenAl news",
        "PhD life",
        "eSIM vs SIM",
        "BeReal app",
        "JoJo on WiFi",
        "SpaceX launch",
        "@northTrailsDaily",
        "#EasyRecipesForYou",
        "GreenLeaf.com",
        "Use code SUMMER25",
        "2nd 4K 100K 10min MP3 TVs",
        "WAIT FOR IT",
        "Part2is up",
        "priORy of the north road",
    };
    for (const auto* text : latin) EXPECT_FALSE(is_lookalike(text)) << text;
}

// Goal: a line needs more confidence the less of it was seen. Method: at each bound and below.
TEST(IsAccepted, DependsOnLettersFramesAndScript) {
    struct test_case {
        const char* text;
        double confidence;
        int sightings;
        bool accepted;
    };
    constexpr test_case cases[] = {
        {"Wait for it", 0.80, 3, true},
        {"Wait for it", 0.79, 3, false},
        {"Wait for it", 0.92, 2, true},
        {"Wait for it", 0.91, 2, false},
        {"WOW", 0.92, 2, true},
        {"WOW", 0.91, 9, false},
        {"I", 0.92, 2, true},
        {"5", 0.92, 2, true},
        {"e", 0.99, 9, false},
        {"a", 0.99, 2, true},
        {"\u4eca\u5929\u5929\u6c14", 0.86, 3, true},
        {"\u4eca\u5929\u5929\u6c14", 0.85, 3, false},
        {"?!", 0.99, 9, false},
        {"", 0.99, 9, false},
        {"noAnNWNcb Ha KaHan", 0.99, 9, false},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.text);
        const line_reading reading{expected.text, expected.confidence};
        EXPECT_EQ(is_accepted(reading, expected.sightings), expected.accepted);
    }
}

TEST(AddsDigit, OnlyASingleOneApart) {
    EXPECT_TRUE(adds_digit("WAYS TO MAKE", "3 WAYS TO MAKE"));
    EXPECT_TRUE(adds_digit("Part", "Part 2"));
    EXPECT_TRUE(adds_digit("of", "1 of 3"));
    for (const auto* const longer :
         {"WAYS TO MAKE",
          "3WAYS TO MAKE",
          "33 WAYS TO MAKE",
          "WAYS TO MAKE I",
          "A WAYS TO MAKE",
          "3 WAYS TO",
          "3 WAYS TO MAKE x",
          ""}) {
        EXPECT_FALSE(adds_digit("WAYS TO MAKE", longer)) << longer;
    }
    EXPECT_FALSE(adds_digit("", "3 "));
}

}  // namespace
}  // namespace reelsd::media::text
