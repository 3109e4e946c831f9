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

}  // namespace
}  // namespace reelsd
