#include <reelsd/http/parameters.hpp>

#include <gtest/gtest.h>

namespace reelsd::http {
namespace {

TEST(RequestedLimit, IsAWholeNumberInItsBounds) {
    EXPECT_EQ(*requested_limit(std::nullopt, 20, 100), 20);
    EXPECT_EQ(*requested_limit("1", 20, 100), 1);
    EXPECT_EQ(*requested_limit("100", 20, 100), 100);
    for (const char* text :
         {"", "0", "101", "-1", "+1", "1.0", "1e1", "ten", " 1", "99999999999"}) {
        const auto limit = requested_limit(text, 20, 100);
        ASSERT_FALSE(limit) << text;
        EXPECT_EQ(limit.error().code(), errc::invalid_argument);
        EXPECT_EQ(limit.error().detail(), "limit must be a whole number from 1 to 100");
    }
}

TEST(RequestedNumber, HasOneSpelling) {
    EXPECT_EQ(*requested_number("1"), 1);
    EXPECT_EQ(*requested_number("9223372036854775807"), 9223372036854775807);
    for (const char* text : {"", "0", "-1", "+1", "01", "1.0", " 1", "9223372036854775808"}) {
        const auto number = requested_number(text);
        ASSERT_FALSE(number) << text;
        EXPECT_EQ(number.error().code(), errc::not_found);
    }
}

}  // namespace
}  // namespace reelsd::http
