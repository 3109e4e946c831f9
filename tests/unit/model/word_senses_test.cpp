#include "embedding/lexicon.hpp"
#include "support/paths.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>

namespace reelsd::model {
namespace {

const lexicon& dictionary() {
    static const auto opened =
        lexicon::open(std::string{REELSD_BINARY_DIR} + "/share/reelsd/wordnet.bin").value();
    return opened;
}

std::vector<std::uint32_t> senses_of(std::string_view word) {
    std::vector<std::uint32_t> found;
    for (const auto& sense : read_word(dictionary(), word).senses)
        found.push_back(sense.vector_index);
    std::sort(found.begin(), found.end());
    return found;
}

bool share_a_sense(std::string_view left, std::string_view right) {
    const auto ours = senses_of(left);
    const auto theirs = senses_of(right);
    return std::any_of(ours.begin(), ours.end(), [&theirs](std::uint32_t sense) {
        return std::binary_search(theirs.begin(), theirs.end(), sense);
    });
}

TEST(BaseCandidates, RemovesRegularEndings) {
    const auto holds = [](std::string_view word, std::string_view base, sense_group group) {
        const auto found = base_candidates(word);
        return std::any_of(found.begin(), found.end(), [&](const base_candidate& sense) {
            return sense.text == base && sense.group == group;
        });
    };
    EXPECT_TRUE(holds("boxes", "box", sense_group::noun));
    EXPECT_TRUE(holds("berries", "berry", sense_group::noun));
    EXPECT_TRUE(holds("baking", "bake", sense_group::verb));
    EXPECT_TRUE(holds("baked", "bake", sense_group::verb));
    EXPECT_TRUE(holds("larger", "large", sense_group::adjective));
    EXPECT_TRUE(base_candidates("").empty());
    EXPECT_TRUE(base_candidates("s").empty());
    EXPECT_TRUE(base_candidates("ing").empty());
}

TEST(ReadWord, FormsOfAWordShareSenses) {
    EXPECT_TRUE(share_a_sense("loaves", "loaf"));    // Irregular nouns.
    EXPECT_TRUE(share_a_sense("ran", "run"));        // Irregular verbs.
    EXPECT_TRUE(share_a_sense("running", "run"));    // Doubled letters.
    EXPECT_TRUE(share_a_sense("puppies", "puppy"));  // Regular nouns.
    EXPECT_FALSE(share_a_sense("puppy", "loaf"));
}

TEST(ReadWord, WeightsOfWordNetsSensesAddUpToOne) {
    double sum = 0;
    for (const auto& sense : read_word(dictionary(), "xylophone").senses) {
        sum += static_cast<double>(sense.weight);
    }
    EXPECT_NEAR(sum, 1, 0.02);
}

TEST(ReadWord, RareWordsHaveHighRarity) {
    EXPECT_GT(
        read_word(dictionary(), "sourdough").rarity, read_word(dictionary(), "make").rarity + 0.3F);
}

TEST(ReadWord, UnknownWordsHaveNoSenses) {
    for (const std::string_view word : {"", "qzxv", "_", "\xff", "1234567"}) {
        SCOPED_TRACE(word);
        EXPECT_TRUE(read_word(dictionary(), word).senses.empty());
    }
    EXPECT_TRUE(read_word(dictionary(), std::string(100'000, 's')).senses.empty());
}

TEST(ReadPair, FindsFormsOfTermsOfTwoWords) {
    EXPECT_FALSE(read_pair(dictionary(), "credit", "cards").senses.empty());
    EXPECT_FALSE(read_pair(dictionary(), "meal", "prep").senses.empty());
    EXPECT_TRUE(read_pair(dictionary(), "bread", "giraffe").senses.empty());
}

}  // namespace
}  // namespace reelsd::model
