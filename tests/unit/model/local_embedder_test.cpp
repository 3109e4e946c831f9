#include "support/paths.hpp"
#include <reelsd/model/embedder.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace reelsd::model {
namespace {

const local_embedder& embedder_of_the_build() {
    static const auto opened =
        local_embedder::open(std::string{REELSD_BINARY_DIR} + "/share/reelsd/wordnet.bin").value();
    return *opened;
}

concept_vector concepts_of(std::string_view text, std::size_t components_max = 64) {
    const weighted_text piece{text};
    return embedder_of_the_build().concepts_of({&piece, 1}, components_max);
}

double similarity(std::string_view left, std::string_view right) {
    return similarity(concepts_of(left), concepts_of(right));
}

TEST(LocalEmbedder, ReturnsSortedUnitVectors) {
    const auto concepts = concepts_of("Knead the dough and bake the loaf until it is golden");
    ASSERT_FALSE(concepts.empty());
    EXPECT_LE(concepts.size(), 64U);
    double squares = 0;
    for (const auto& part : concepts) {
        squares += std::pow(static_cast<double>(part.weight), 2);
        EXPECT_GT(part.concept_id, 0);
        EXPECT_LT(part.concept_id, 1 << 24);
        EXPECT_GT(part.weight, 0);
    }
    EXPECT_NEAR(squares, 1, 1e-4);
    EXPECT_TRUE(
        std::is_sorted(concepts.begin(), concepts.end(), [](const auto& left, const auto& right) {
            return left.concept_id < right.concept_id;
        }));
    EXPECT_EQ(concepts_of("Knead the dough and bake the loaf until it is golden"), concepts);
    EXPECT_EQ(concepts_of("dough loaf bread", 5).size(), 5U);
}

TEST(LocalEmbedder, TextsOfEqualMeaningAreNear) {
    const std::pair<std::string_view, std::string_view> same[] = {
        {"puppy barks at the mailman", "a dog makes noise"},
        {"paying off a loan", "getting rid of debt"},
        {"sore neck from the desk", "back pain at the office"},
        {"our newborn is awake at night", "a baby that does not sleep"}};
    for (const auto& [left, right] : same) {
        SCOPED_TRACE(left);
        EXPECT_GT(similarity(left, right), 0.1);
        EXPECT_LT(similarity(left, "hydraulic excavator"), similarity(left, right) / 2);
    }
}

TEST(LocalEmbedder, KnowsRecentWordsAndHashtags) {
    EXPECT_GT(similarity("#mealprep", "meal prep"), 0.5);
    EXPECT_GT(similarity("doggo", "dog"), 0.3);
    EXPECT_GT(similarity("bitcoin", "money"), 0.1);
    EXPECT_GT(similarity("dog's", "dog"), 0.9);
}

TEST(LocalEmbedder, HeavierPiecesCountMore) {
    const weighted_text pieces[] = {{"bread", 5}, {"soccer", 0.1}};
    const auto mixed = embedder_of_the_build().concepts_of(pieces, 64);
    EXPECT_GT(
        similarity(mixed, concepts_of("bread")), 2 * similarity(mixed, concepts_of("soccer")));
}

TEST(LocalEmbedder, TextsWithoutKnownWordsHaveNoConcepts) {
    for (const std::string_view text :
         {"", " ", "the of and", "🍞🍞", "хлеб", "\xff\xfe", "& | ! ()"}) {
        SCOPED_TRACE(text);
        EXPECT_TRUE(concepts_of(text).empty());
    }
    EXPECT_TRUE(concepts_of("bread", 0).empty());
    EXPECT_EQ(similarity({}, concepts_of("bread")), 0);
}

TEST(LocalEmbedder, AMissingDictionaryIsAnError) {
    const auto opened = local_embedder::open("/nonexistent/wordnet.bin");
    ASSERT_FALSE(opened);
    EXPECT_THAT(opened.error().detail(), ::testing::HasSubstr("/nonexistent/wordnet.bin"));
}

struct synthetic_reel {
    std::string name;
    concept_vector concepts;
};

std::vector<std::string> lines_of(const std::string& file) {
    std::ifstream opened{std::string{REELSD_SOURCE_DIR} + "/tests/bench/search_set/" + file};
    std::vector<std::string> lines;
    for (std::string line; std::getline(opened, line);) {
        if (!line.empty() && line.front() != '#') lines.push_back(line);
    }
    return lines;
}

// Goal: a change to the dictionary does not worsen the search by meaning. Method: 60 synthetic
// reels and 60 queries, 40 of which share no word with the target; only concepts are compared. The
// first version found 0.97 and 1.00.
TEST(LocalEmbedder, FindsTheTarget) {
    std::vector<synthetic_reel> reels;
    for (const auto& line : lines_of("reels.txt")) {
        const auto bar = line.find(" | ");
        reels.push_back({line.substr(0, bar), concepts_of(std::string_view{line}.substr(bar))});
    }
    ASSERT_EQ(reels.size(), 60U);
    double found = 0;
    const auto queries = lines_of("queries.txt");
    for (const auto& line : queries) {
        std::istringstream fields{line};
        std::string kind;
        std::string meant;
        fields >> kind >> meant;
        const auto asked = concepts_of(std::string_view{line}.substr(line.find(" | ")), 24);
        const auto score = [&](const synthetic_reel& reel) {
            return similarity(asked, reel.concepts);
        };
        const auto target =
            std::find_if(reels.begin(), reels.end(), [&](const synthetic_reel& reel) {
                return reel.name == meant;
            });
        ASSERT_NE(target, reels.end()) << meant;
        const auto better = std::count_if(reels.begin(), reels.end(), [&](const auto& reel) {
            return score(reel) > score(*target);
        });
        if (better < 5) ++found;
    }
    EXPECT_GT(found / static_cast<double>(queries.size()), 0.85);
}

}  // namespace
}  // namespace reelsd::model
