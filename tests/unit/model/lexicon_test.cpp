#include "embedding/lexicon.hpp"

#include "embedding/lexicon_builder.hpp"
#include "embedding/wordnet.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>

namespace reelsd::model {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// A temporary folder for each test.
class Lexicon : public ::testing::Test {
protected:
    void SetUp() override {
        std::string folder = "/tmp/reelsd-lexicon-XXXXXX";
        ASSERT_NE(::mkdtemp(folder.data()), nullptr);
        folder_ = folder;
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    std::filesystem::path write(const std::string& name, const std::string& content) {
        std::ofstream{folder_ / name, std::ios::binary} << content;
        return folder_ / name;
    }

    std::filesystem::path folder_;
};

std::string bytes_of(const std::vector<std::uint32_t>& words) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): a file is bytes
    return {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(std::uint32_t)};
}

std::vector<std::uint32_t> small_image() {
    lexicon_builder draft;
    draft["mouse"].senses = {packed_sense::of(0, sense_group::noun, 255)};
    draft["mouse"].counts[0] = 7;
    draft["mouse"].rarity = 0.5F;
    draft["mice"].bases = {{"mouse", sense_group::noun}};
    return lexicon_image(draft, {{packed_concept::of(42, 255), packed_concept::of(43, 51)}, {}});
}

TEST_F(Lexicon, ReadsWhatWasWritten) {
    const auto words = lexicon::open(write("small.bin", bytes_of(small_image()))).value();
    const auto mouse = words.find("mouse");
    ASSERT_TRUE(mouse);
    EXPECT_EQ(mouse->counts[0], 7);
    EXPECT_NEAR(mouse->rarity, 0.5, 0.01);
    ASSERT_EQ(mouse->senses.size(), 1U);
    EXPECT_EQ(mouse->senses[0].group(), sense_group::noun);
    const auto vector = words.vector_of(mouse->senses[0].vector_index());
    ASSERT_EQ(vector.size(), 2U);
    EXPECT_EQ(vector[0].id(), 42U);
    EXPECT_FLOAT_EQ(vector[1].weight(), 0.2F);

    const auto mice = words.find("mice");
    ASSERT_TRUE(mice);
    ASSERT_EQ(mice->bases.size(), 1U);
    const auto base = words.base(mice->bases[0]);
    ASSERT_TRUE(base);
    EXPECT_EQ(base->entry.counts[0], 7);

    EXPECT_FALSE(words.find("mous"));
    EXPECT_FALSE(words.find(""));
    EXPECT_TRUE(words.vector_of(1).empty());
    EXPECT_TRUE(words.vector_of(2).empty());
}

TEST_F(Lexicon, AMissingOrBrokenFileIsAnErrorThatNamesIt) {
    const auto missing = lexicon::open(folder_ / "none.bin");
    ASSERT_FALSE(missing);
    EXPECT_THAT(missing.error().detail(), HasSubstr("none.bin"));

    const auto whole = bytes_of(small_image());
    auto other = small_image();
    other[0] ^= 1U;
    for (const auto& content :
         {std::string{},
          std::string{"x"},
          whole.substr(0, whole.size() - 4),
          whole + "abcd",
          bytes_of(other),
          std::string(64, '\0')}) {
        const auto opened = lexicon::open(write("broken.bin", content));
        ASSERT_FALSE(opened);
        EXPECT_THAT(opened.error().detail(), HasSubstr("broken.bin"));
    }
}

// Goal: a file that is damaged after its header is never read out of bounds. Method: random words
// are overwritten; sanitizers check the reads.
TEST_F(Lexicon, ADamagedFileIsReadWithinItsBounds) {
    std::mt19937 engine{11};
    for (int round = 0; round < 2000; ++round) {
        auto image = small_image();
        for (int i = 0; i < 3; ++i) {
            const auto at = lexicon_format::header_words +
                            engine() % (image.size() - lexicon_format::header_words);
            image[at] = static_cast<std::uint32_t>(engine()) >> (engine() % 32);
        }
        const auto words = lexicon::from(std::move(image)).value();
        for (const std::string_view word : {"mouse", "mice", "rat"}) {
            const auto entry = words.find(word);
            if (!entry) continue;
            for (const auto base : entry->bases) EXPECT_NO_FATAL_FAILURE((void)words.base(base));
            for (const auto sense : entry->senses) (void)words.vector_of(sense.vector_index());
        }
    }
}

TEST_F(Lexicon, TopicsAndTermsAreReadAndFaultsNamed) {
    const auto parsed = read_topics(
        write("good.txt", "# remark\n\ntopic food/bread: dough loaf\nterm avo = avocado fruit\n"));
    ASSERT_EQ(parsed.topics.size(), 1U);
    EXPECT_EQ(parsed.topics[0].name, "food/bread");
    EXPECT_THAT(parsed.topics[0].words, ::testing::ElementsAre("dough", "loaf"));
    ASSERT_EQ(parsed.terms.size(), 1U);
    EXPECT_EQ(parsed.terms[0].name, "avo");
    for (const auto* line : {"nonsense", "topic food bread", "term avo avocado"}) {
        const auto file = write("bad.txt", line);
        EXPECT_THAT(
            [&] { (void)read_topics(file); },
            ThrowsMessage<std::runtime_error>(HasSubstr(std::string{line}.substr(6))));
    }
    EXPECT_THROW((void)read_topics(folder_ / "none.txt"), std::runtime_error);
}

TEST_F(Lexicon, AMissingWordNetIsAnErrorThatNamesTheFile) {
    EXPECT_THAT(
        [&] { (void)read_wordnet(folder_); },
        ThrowsMessage<std::runtime_error>(HasSubstr("data.noun")));
}

wordnet two_nouns() {
    wordnet base;
    base.synsets = {
        {0, {{"~", 1}}, "an animal", ""},
        {0, {{"@", 0}}, "a rodent that squeaks", ""},
        {0, {}, "a thing", ""}};
    base.begins = {0, 3, 3, 3, 3};
    base.lemmas["rodent"][0] = {{0, 3}};
    base.lemmas["mouse"][0] = {{1, 5}};
    base.lemmas["push-up"][0] = {{2, 1}};
    base.lemmas["a_b_c"][0] = {{2, 1}};
    base.exceptions[0]["mice"] = {"mouse"};
    return base;
}

TEST(LexiconBuilder, HasLemmasOfOneOrTwoWordsAndAddedOnes) {
    const topic_list added{
        .topics = {{"pets/small", {"mouse", "hamster"}}}, .terms = {{"squeaker", {"mouse"}}}};
    const auto draft = build_lexicon(two_nouns(), added);
    EXPECT_TRUE(draft.contains("push_up"));
    EXPECT_FALSE(draft.contains("a_b_c"));
    EXPECT_EQ(draft.at("mice").bases.size(), 1U);
    EXPECT_EQ(draft.at("mouse").senses.size(), 2U);
    EXPECT_EQ(draft.at("hamster").senses.at(0).vector_index(), 3U);
    EXPECT_EQ(draft.at("squeaker").senses.at(0).vector_index(), 1U);
}

TEST(LexiconBuilder, ATermMustBeExplainedByKnownWords) {
    const topic_list added{.topics = {}, .terms = {{"x", {"unheard"}}}};
    EXPECT_THAT(
        [&] { (void)build_lexicon(two_nouns(), added); },
        ThrowsMessage<std::runtime_error>(HasSubstr("unheard")));
}

TEST(ConceptSpace, ASenseIsNearTheWordsOfItsDefinition) {
    const auto base = two_nouns();
    const topic_list added{.topics = {{"pets/small", {"mouse"}}}, .terms = {}};
    auto draft = build_lexicon(base, added);
    measure_rarity(draft, base);
    const auto words = lexicon::from(lexicon_image(draft, {})).value();
    const auto vectors = build_vectors(base, added, words);
    ASSERT_EQ(vectors.size(), 4U);
    const auto has = [&](std::size_t vector, std::uint32_t id) {
        return std::any_of(
            vectors[vector].begin(), vectors[vector].end(), [id](packed_concept component) {
                return component.id() == id;
            });
    };
    EXPECT_TRUE(has(1, 1));  // Itself.
    EXPECT_TRUE(has(1, 0));  // The rodent of its definition.
    EXPECT_FALSE(has(1, 2));
    EXPECT_GE(vectors[3].at(0).id(), 1U << 17U);  // The IDs of topics are above those of synsets.

    const topic_list twice{.topics = {{"pets/small", {}}, {"pets/small", {}}}, .terms = {}};
    EXPECT_THROW((void)build_vectors(base, twice, words), std::runtime_error);
}

}  // namespace
}  // namespace reelsd::model
