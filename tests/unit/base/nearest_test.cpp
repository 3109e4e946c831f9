// Goal: a typing error finds the word that was meant, and another word finds none.
#include <reelsd/base/nearest.hpp>

#include <gtest/gtest.h>

namespace reelsd {
namespace {

TEST(Nearest, FindsTheWordThatWasMeant) {
    const std::vector<std::string> words{"analyze", "get", "list", "search", "--status"};
    EXPECT_EQ(nearest("gte", words), "get");
    EXPECT_EQ(nearest("gett", words), "get");
    EXPECT_EQ(nearest("lst", words), "list");
    EXPECT_EQ(nearest("analyse", words), "analyze");
    EXPECT_EQ(nearest("--statsu", words), "--status");
    EXPECT_EQ(nearest("show", words), "");
    EXPECT_EQ(nearest("", words), "");
    EXPECT_EQ(nearest(std::string(10'000, 'x'), words), "");
    EXPECT_EQ(nearest("get", {}), "");
}

TEST(EditDistances, CountToEachBeginning) {
    using distances = std::vector<std::size_t>;
    EXPECT_EQ(edit_distances("ab", "axb"), (distances{2, 1, 1, 1}));
    EXPECT_EQ(edit_distances("", "ab"), (distances{0, 1, 2}));
    EXPECT_EQ(edit_distances("ab", ""), (distances{2}));
    EXPECT_EQ(edit_distances("ab", "xxab", true), (distances{2, 2, 2, 1, 0}));
}

}  // namespace
}  // namespace reelsd
