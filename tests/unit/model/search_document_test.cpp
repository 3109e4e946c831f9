#include <reelsd/base/json.hpp>
#include <reelsd/model/passage_finder.hpp>
#include <reelsd/model/search_document.hpp>

#include <gmock/gmock.h>

#include <map>
#include <string>

namespace reelsd::model {
namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Every letter is a concept, so texts with equal letters are near.
class letter_embedder final : public embedder {
public:
    [[nodiscard]] concept_vector concepts_of(
        std::span<const weighted_text> pieces, std::size_t components_max) const override {
        concept_vector concepts;
        for (char letter = 'a'; letter <= 'z' && concepts.size() < components_max; ++letter) {
            for (const auto& piece : pieces) {
                if (piece.text.find(letter) == std::string_view::npos) continue;
                concepts.push_back({letter, 0.2F});
                break;
            }
        }
        return concepts;
    }
};

json whole_result() {
    return json::parse(R"({
        "visual": {"description": "A woman kneads.", "setting": "a kitchen",
                   "subjects": ["woman", "bowl"], "text_on_screen": ["STEP ONE"],
                   "text_segments": [{"text": "STEP ONE", "start_seconds": 1.5}]},
        "audio": {"transcript": "First the flour. Then the water.",
                  "music_description": "calm piano",
                  "segments": [{"text": "First the flour.", "start_seconds": 0.5},
                               {"text": "Then the water.", "start_seconds": 12.5}]},
        "content": {"summary": "How to bake bread.", "topics": ["bread", "baking"],
                    "hooks": ["You do it wrong"], "call_to_action": "Follow me",
                    "key_moments": [{"seconds": 4, "description": "She folds it"}]},
        "metadata": {"model": {"provider": "gemini", "name": "x"}},
        "platform_meta": {"author": "ann_bakes", "author_name": "Ann", "caption": "So easy! #bread",
                          "hashtags": ["bread"], "location": null, "mentions": []}})");
}

search_document document_of(const json& result) {
    return search_document_of(result.dump(), letter_embedder{}).value();
}

auto quotes(const std::string& field, const std::string& text) {
    return Contains(::testing::AllOf(Field(&passage::field, field), Field(&passage::text, text)));
}

TEST(SearchDocument, WeighsEachField) {
    const auto document = document_of(whole_result());
    for (const auto* text : {"How to bake bread.", "baking", "ann_bakes", "Ann"}) {
        EXPECT_THAT(document.words[0], HasSubstr(text));
    }
    for (const auto* text : {"So easy!", "STEP ONE", "a kitchen", "bowl", "You do it wrong"}) {
        EXPECT_THAT(document.words[1], HasSubstr(text));
    }
    for (const auto* text : {"Then the water.", "She folds it", "A woman kneads."}) {
        EXPECT_THAT(document.words[2], HasSubstr(text));
    }
    for (const auto* text : {"calm piano", "Follow me"})
        EXPECT_THAT(document.words[3], HasSubstr(text));
    EXPECT_FALSE(document.concepts.empty());
}

TEST(SearchDocument, QuotesWithFieldAndTime) {
    const auto passages = document_of(whole_result()).passages;
    EXPECT_THAT(passages, quotes("content.summary", "How to bake bread."));
    EXPECT_THAT(passages, quotes("content.topics", "bread, baking"));
    EXPECT_THAT(passages, quotes("platform_meta.caption", "So easy!"));
    EXPECT_THAT(passages, quotes("platform_meta.author", "ann_bakes"));
    for (const auto& passage : passages) {
        if (passage.text == "Then the water.") {
            EXPECT_EQ(passage.field, "audio.transcript");
            EXPECT_EQ(passage.seconds, 12.5);
        } else if (passage.text == "STEP ONE") {
            EXPECT_EQ(passage.field, "visual.text_on_screen");
            EXPECT_EQ(passage.seconds, 1.5);
        } else if (passage.text == "She folds it") {
            EXPECT_EQ(passage.field, "content.key_moments");
            EXPECT_EQ(passage.seconds, 4);
        } else if (passage.field.starts_with("content.s")) {
            EXPECT_FALSE(passage.seconds);
        }
    }
}

TEST(SearchDocument, TextsMayHaveNoTimes) {
    auto result = whole_result();
    result["audio"]["segments"] = json::array();
    result["visual"]["text_segments"] = json::array();
    const auto passages = document_of(result).passages;
    EXPECT_THAT(passages, quotes("audio.transcript", "Then the water."));
    EXPECT_THAT(passages, quotes("visual.text_on_screen", "STEP ONE"));
}

// Goal: measured descriptions, which are similar for all videos, do not make reels similar.
TEST(SearchDocument, MeasuredDescriptionsHaveNoConcepts) {
    auto result = whole_result();
    result["visual"]["description"] = "zzz";
    const auto has_z = [](const search_document& document) {
        return std::any_of(
            document.concepts.begin(), document.concepts.end(), [](const auto& part) {
                return part.concept_id == 'z';
            });
    };
    EXPECT_TRUE(has_z(document_of(result)));
    result["metadata"]["model"]["provider"] = "local";
    EXPECT_FALSE(has_z(document_of(result)));
}

TEST(SearchDocument, IgnoresMissingAndMistypedFields) {
    for (const auto* text :
         {"{}",
          R"({"content":7,"audio":[],"visual":null})",
          R"({"content":{"topics":{"a":"b"},"summary":[1],"key_moments":"x"}})"}) {
        SCOPED_TRACE(text);
        EXPECT_TRUE(search_document_of(text, letter_embedder{}));
    }
    const auto deep =
        R"({"a":)" + std::string(100'000, '[') + std::string(100'000, ']') + R"(,"b":1,"c":2})";
    for (const auto* text : {deep.c_str(), "", "[]", "7", "{", "null"}) {
        SCOPED_TRACE(text);
        EXPECT_FALSE(search_document_of(text, letter_embedder{}));
    }
}

TEST(SearchDocument, HasNoTextThatTheDatabaseRejects) {
    auto result = whole_result();
    result["content"]["summary"] = std::string("a\0b\tc\nd", 7);
    result["audio"]["segments"][0]["text"] = std::string("\0\0", 2);
    const auto document = document_of(result);
    for (const auto& words : document.words) EXPECT_EQ(words.find('\0'), std::string::npos);
    const auto text = passages_text(document.passages);
    EXPECT_EQ(text.find('\0'), std::string::npos);
    EXPECT_EQ(passages_from(text).value().size(), document.passages.size());
}

// Goal: each word of a long text is in a passage, which shows what a search has found.
TEST(SearchDocument, DividesLongTextsIntoPassages) {
    auto result = whole_result();
    std::string listed;
    auto& hashtags = result["platform_meta"]["hashtags"];
    for (int i = 0; i < 60; ++i) {
        listed += "ingredient" + std::to_string(i) + ", ";
        hashtags.push_back("hashtag" + std::to_string(i));
    }
    result["audio"]["segments"] = {{{"text", listed + "capers"}, {"start_seconds", 4}}};
    std::map<std::string, std::string> found;
    for (const auto& passage : document_of(result).passages) {
        EXPECT_LE(passage.text.size(), 240U);
        found[passage.field] += passage.text + ' ';
        if (passage.text.ends_with("capers")) {
            EXPECT_EQ(passage.seconds, 4);
        }
    }
    EXPECT_EQ(found["audio.transcript"], listed + "capers ");
    EXPECT_THAT(found["platform_meta.hashtags"], HasSubstr("hashtag0, hashtag1"));
    EXPECT_THAT(found["platform_meta.hashtags"], HasSubstr("hashtag59"));
}

// Goal: a word of a text without spaces is whole in a passage. Method: a word at the end of the
// first passage, in a text with Chinese commas and in one without.
TEST(SearchDocument, DividesNoWordOfATextWithoutSpaces) {
    const auto repeated = [](std::size_t count) {
        std::string text;
        while (count-- > 0) text += "\u9762";
        return text;
    };
    const std::string honey = "\u8702\u871C";
    for (const auto& text :
         {repeated(60) + "\uFF0C" + repeated(18) + honey + repeated(60),
          repeated(60) + "\u3001" + repeated(18) + honey + repeated(60),
          repeated(79) + honey + repeated(60)}) {
        const auto passages = document_of({{"platform_meta", {{"caption", text}}}}).passages;
        EXPECT_EQ(passages.size(), 2U);
        EXPECT_THAT(passages, Contains(Field(&passage::text, HasSubstr(honey)))) << text;
    }
}

TEST(SearchDocument, ObservesItsBounds) {
    auto result = whole_result();
    auto& segments = result["audio"]["segments"];
    segments = json::array();
    for (int i = 0; i < 500; ++i) {
        segments.push_back({{"text", std::string(1000, 'x')}, {"start_seconds", i}});
    }
    const auto document = document_of(result);
    EXPECT_EQ(document.passages.size(), 300U);
    for (const auto& words : document.words) EXPECT_LE(words.size(), 80'000U);
    for (const auto& passage : document.passages) EXPECT_LE(passage.text.size(), 240U);
}

TEST(Passages, AreReadAsWritten) {
    const std::vector<passage> passages{
        {"audio.transcript", "then \"the\" wäter", 12.5, {{7, 1.0F}, {16'000'000, 0.2F}}},
        {"content.summary", "x", std::nullopt, {}}};
    const auto lines = passages_text(passages);
    const auto stored = passages_from(lines).value();
    ASSERT_EQ(stored.size(), passages.size());
    for (std::size_t i = 0; i < stored.size(); ++i) {
        const passage read{
            std::string{stored[i].field},
            std::string{stored[i].text},
            stored[i].seconds,
            concepts_of(stored[i])};
        EXPECT_EQ(read, passages[i]);
    }
    EXPECT_THAT(passages_from("").value(), IsEmpty());
    for (const auto* text : {"x", "a\tb", "a\tb\tc\td", "a\tNO\t\ttext\n", "\n"}) {
        SCOPED_TRACE(text);
        EXPECT_FALSE(passages_from(text));
    }
}

TEST(PassageFinder, PrefersWordsOverConcepts) {
    const auto text = passages_text(
        {{"a", "nothing of it", {}, {{1, 1.0F}}},
         {"b", "we bake a loaf", 3.0, {}},
         {"c", "baking loaves of rye", {}, {}},
         {"d", "only rye", {}, {{2, 1.0F}}}});
    const auto passages = passages_from(text).value();
    EXPECT_EQ(passage_finder("baked rye", {}).best_of(passages)->field, "c");
    EXPECT_EQ(passage_finder("BAKES", {}).best_of(passages)->field, "b");
    EXPECT_EQ(passage_finder("croissant", {{1, 1.0F}}).best_of(passages)->field, "a");
    EXPECT_EQ(passage_finder("rye", {{2, 1.0F}}).best_of(passages)->field, "d");
    EXPECT_EQ(passage_finder("", {}).best_of(passages)->field, "b");
    EXPECT_EQ(passage_finder("we", {}).best_of(passages)->field, "b") << "only a stop word";
    EXPECT_EQ(passage_finder("rye", {}).best_of({}), nullptr);
}

TEST(PassageFinder, FindsASingleHanLetter) {
    const std::string text = passages_text(
        {{.field = "speech", .text = "\u62B9\u8336", .seconds = 1.0},
         {.field = "caption", .text = "\u30AD\u30E0\u30C1\u934B\u30EC\u30B7\u30D4"}});
    const auto passages = passages_from(text).value();
    EXPECT_EQ(passage_finder("\u934B", {}).best_of(passages)->field, "caption");
}

TEST(PassageFinder, FindsWordsAfterAnElision) {
    const auto text = passages_text(
        {{.field = "welcome", .text = "Bonjour \u00e0 tous", .seconds = 0.0},
         {.field = "oil", .text = "Ajoutez de l'huile d'olive", .seconds = 5.0}});
    const auto passages = passages_from(text).value();
    for (const auto* query : {"huile", "olive", "l'huile", "l\u2019huile"})
        EXPECT_EQ(passage_finder(query, {}).best_of(passages)->field, "oil") << query;
}

TEST(PassageFinder, TakesOnlyArticlesForElisions) {
    const auto text = passages_text(
        {{.field = "five", .text = "\u041f'\u044f\u0442\u044c \u044f\u0431\u043b\u0443\u043a"},
         {.field = "memory", .text = "\u041f\u0430\u043c'\u044f\u0442\u044c"},
         {.field = "other", .text = "Ankara'daki tatl\u0131"},
         {.field = "city", .text = "\u0130stanbul'daki kebap"},
         {.field = "o'clock", .text = "at 8 o'clock"},
         {.field = "clock", .text = "the old clock"}});
    const auto passages = passages_from(text).value();
    const auto best = [&](const char* query) {
        return passage_finder(query, {}).best_of(passages)->field;
    };
    EXPECT_EQ(best("\u043f\u0430\u043c\u2019\u044f\u0442\u044c"), "memory");
    EXPECT_EQ(best("\u0130stanbul"), "city");
    EXPECT_EQ(best("clock"), "clock");
}

TEST(PassageFinder, PrefersPassagesWithATime) {
    const auto text = passages_text(
        {{"topics", "beans, coffee", {}, {{1, 1.0F}}},
         {"speech", "always buy fresh beans", 3.0, {{1, 0.5F}}},
         {"aside", "good morning", 9.0, {}}});
    const auto passages = passages_from(text).value();
    EXPECT_EQ(passage_finder("beans", {{1, 1.0F}}).best_of(passages)->field, "speech");
    EXPECT_EQ(passage_finder("coffee beans", {}).best_of(passages)->field, "topics");
    const std::vector<stored_passage> similar{passages[0], passages[2]};
    EXPECT_EQ(passage_finder("espresso", {{1, 1.0F}}).best_of(similar)->field, "topics");
}

TEST(QueryText, IsCleaned) {
    EXPECT_EQ(query_text(" \t bread \n"), "bread");
    EXPECT_EQ(query_text(std::string_view{"a\0b", 3}), "a b");
    EXPECT_EQ(query_text("\x01\x02"), "");
    EXPECT_EQ(query_text("\xff"), "\uFFFD");
}

}  // namespace
}  // namespace reelsd::model
