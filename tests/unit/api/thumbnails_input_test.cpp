#include "api/resources.hpp"

#include <gtest/gtest.h>

namespace reelsd::api {
namespace {

TEST(RequestedSize, AcceptsTheTwoSizes) {
    EXPECT_EQ(requested_size(std::nullopt).value(), jobs::thumbnail_size::large);
    EXPECT_EQ(requested_size("large").value(), jobs::thumbnail_size::large);
    EXPECT_EQ(requested_size("small").value(), jobs::thumbnail_size::small);
    for (const char* text : {"", "Small", "medium", "small ", "120"}) {
        const auto size = requested_size(text);
        ASSERT_FALSE(size) << text;
        EXPECT_EQ(size.error().code(), errc::invalid_argument);
        EXPECT_EQ(size.error().detail(), "size must be one of small, large");
    }
}

}  // namespace
}  // namespace reelsd::api
