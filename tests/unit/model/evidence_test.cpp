#include <reelsd/base/json.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/base/utf8.hpp>
#include <reelsd/model/embedder.hpp>
#include <reelsd/model/question.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace reelsd::model {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// No text has a meaning, so words alone decide.
class blank_embedder final : public embedder {
public:
    [[nodiscard]] concept_vector concepts_of(
        std::span<const weighted_text> /*pieces*/, std::size_t /*components_max*/) const override {
        return {};
    }
};

std::vector<std::string> texts_of(const reel_evidence& reel) {
    std::vector<std::string> texts;
    for (const auto& passage : reel.passages) texts.push_back(passage.text);
    return texts;
}

// Goal: each passage is a stored text, with the field that a client finds it in.
TEST(Evidence, NamesTheFieldThatContainsIt) {
    const auto result = json::parse(R"({
        "visual": {"description": "A woman kneads.", "text_on_screen": ["STEP ONE"],
                   "text_segments": [{"text": "STEP ONE", "start_seconds": 1.5, "end_seconds": 3},
                                     {"text": "STEP TWO", "start_seconds": 4, "end_seconds": 5}]},
        "audio": {"transcript": "First the flour.",
                  "segments": [{"text": "First the flour.", "start_seconds": 0.5, "end_seconds": 2},
                               {"text": "Unheard.", "start_seconds": 12.5}]},
        "content": {"summary": "How to bake bread.", "topics": ["bread"],
                    "key_moments": [{"seconds": 4, "description": "She folds it"}]},
        "platform_meta": {"caption": "So easy! #bread", "author": "ann", "location": null}})");
    EXPECT_THAT(
        evidence_of(result),
        ElementsAre(
            evidence{"content.summary", "How to bake bread."},
            evidence{"content.key_moments", "She folds it", 4.0},
            evidence{"audio.transcript", "First the flour.", 0.5, 2.0},
            evidence{"audio.segments", "Unheard.", 12.5},
            evidence{"visual.text_on_screen", "STEP ONE", 1.5, 3.0},
            evidence{"visual.text_segments", "STEP TWO", 4.0, 5.0},
            evidence{"visual.description", "A woman kneads."},
            evidence{"content.topics", "bread"},
            evidence{"platform_meta.caption", "So easy! #bread"},
            evidence{"platform_meta.author", "ann"}));
}

TEST(Evidence, SegmentsContinueTheTranscript) {
    const auto result = json::parse(R"({
        "audio": {"transcript": "Add two cups. Bake it.",
                  "segments": [{"text": "Add two", "start_seconds": 0},
                               {"text": "cups.", "start_seconds": 1},
                               {"text": "it.", "start_seconds": 3}]}})");
    EXPECT_THAT(
        evidence_of(result),
        ElementsAre(
            evidence{"audio.transcript", "Add two", 0.0},
            evidence{"audio.transcript", "cups.", 1.0, {}, " "},
            evidence{"audio.transcript", "it.", 3.0}));

    const auto chosen = most_relevant(
        "cups", {{.id = {1}, .code = "A", .passages = evidence_of(result)}}, blank_embedder{}, 50);
    EXPECT_THAT(chosen.front().passages, ElementsAre(evidence{"audio.transcript", "cups.", 1.0}))
        << "the passage before it was not chosen";
}

TEST(Evidence, ReadsFieldsWithoutTimes) {
    const auto result = json::parse(R"({
        "visual": {"text_on_screen": ["STEP ONE", " ", 5]}, "audio": {"transcript": "Hello."}})");
    EXPECT_THAT(
        evidence_of(result),
        ElementsAre(
            evidence{"audio.transcript", "Hello."}, evidence{"visual.text_on_screen", "STEP ONE"}));
    EXPECT_THAT(
        evidence_of(json::parse(R"({"visual": 1, "audio": [], "content": null})")), IsEmpty());
    EXPECT_THAT(evidence_of(json::parse("[]")), IsEmpty());
}

/// All passages of one field, joined as they are stored.
std::string joined(const std::vector<evidence>& passages) {
    std::string text;
    for (const auto& passage : passages) text += passage.separator.value_or("") + passage.text;
    return text;
}

// Goal: a long text is several passages, of which nothing is lost.
TEST(Evidence, DividesLongTexts) {
    const std::string words = "Sift the flour over the bowl and stir it in slowly";
    std::string lines;
    std::string sentences;
    std::string chinese;
    for (int at = 0; at < 40; ++at) {
        lines += words + "\n\n";
        sentences += words + ". ";
        chinese += "\u9762\u7C89\u9762\u7C89\u9762";
    }
    const std::pair<std::string, std::string> cases[] = {
        {lines, "slowly"}, {sentences, "slowly."}, {std::string(900, 'x'), "x"}, {chinese, ""}};
    for (const auto& [text, end] : cases) {
        const auto passages = evidence_of({{"platform_meta", {{"caption", text + "the end"}}}});
        EXPECT_EQ(joined(passages), text + "the end");
        EXPECT_GT(passages.size(), 1U);
        for (const auto& passage : passages) {
            const bool is_last = &passage == &passages.back();
            EXPECT_TRUE(is_last || passage.text.ends_with(end)) << passage.text;
            EXPECT_LE(passage.text.size(), 400U);
            EXPECT_TRUE(is_utf8(passage.text));
            EXPECT_EQ(passage.separator.has_value(), &passage != &passages.front());
        }
    }
}

TEST(Evidence, IsBounded) {
    auto topics = json::array();
    for (int topic = 0; topic < 3000; ++topic) topics.push_back("bread");
    EXPECT_EQ(evidence_of({{"content", {{"topics", topics}}}}).size(), 1000U);
}

// Goal: what does not fit is what says least about the question, and each reel has its share.
TEST(MostRelevant, KeepsWhatTheQuestionIsAboutInItsOrder) {
    const std::string filler(100, 'x');
    const reel_evidence reel{
        .id = {1},
        .code = "A",
        .passages = {
            {"audio.transcript", filler + " one"},
            {"audio.transcript", "sift the flour " + filler},
            {"content.summary", "Bread."},
            {"audio.transcript", filler + " two"},
            {"audio.transcript", "then the flour and the yeast " + filler}}};
    const auto kept = most_relevant("How much flour and yeast?", {reel}, blank_embedder{}, 400);
    ASSERT_EQ(kept.size(), 1U);
    EXPECT_THAT(
        texts_of(kept[0]),
        ElementsAre(
            "sift the flour " + filler, "Bread.", "then the flour and the yeast " + filler));
}

// Goal: a caption that exceeds the share of its reel is sent in part, and can be cited.
TEST(MostRelevant, KeepsTheRelevantPartOfALongCaption) {
    std::string caption;
    for (int step = 0; step < 40; ++step)
        caption += "Step " + std::to_string(step) + ": stir, wait a minute and stir again.\n";
    const auto relevant = caption.size();
    caption += "Bake it at 230 degrees\nfor 40 minutes.\n" + caption;
    const json result{{"platform_meta", {{"caption", caption}}}};
    auto kept = most_relevant(
        "At how many degrees is it baked?",
        {{.id = {1}, .code = "A", .passages = evidence_of(result)}},
        blank_embedder{},
        1200);
    ASSERT_GT(relevant, 1200U);
    const question_prompt prompt{"At how many degrees is it baked?", kept};
    const auto& passages = kept.front().passages;
    const auto chosen = std::ranges::find_if(
        passages, [](const evidence& one) { return contains(one.text, "230 degrees"); });
    ASSERT_NE(chosen, passages.end());
    const auto id = "S" + std::to_string(chosen - passages.begin() + 1);
    const json reply{
        {"answer", "230."},
        {"citations", {{{"id", id}, {"quote", "bake it at 230 degrees for 40 minutes"}}}}};
    const auto answer = prompt.read(reply.dump()).answer;
    ASSERT_EQ(answer.citations.size(), 1U);
    EXPECT_EQ(answer.citations.front().field, "platform_meta.caption");
    EXPECT_TRUE(contains(caption, answer.citations.front().text)) << "verbatim";
}

TEST(MostRelevant, SharesTheBoundAmongReels) {
    const std::string filler(60, 'x');
    reel_evidence small{.id = {1}, .code = "A", .passages = {{"content.summary", "Bread."}}};
    reel_evidence large{.id = {2}, .code = "B", .passages = {}};
    for (int at = 0; at < 20; ++at) large.passages.push_back({"audio.transcript", filler});
    const auto kept = most_relevant("flour", {small, large, large}, blank_embedder{}, 1000);
    ASSERT_EQ(kept.size(), 3U);
    EXPECT_EQ(kept[0].passages.size(), 1U);
    EXPECT_EQ(kept[1].passages.size(), 4U) << "half of what the first one has left";
    EXPECT_EQ(kept[2].passages.size(), 5U);
    EXPECT_THAT(most_relevant("flour", {}, blank_embedder{}, 1000), IsEmpty());
}

}  // namespace
}  // namespace reelsd::model
