#include "api/resources.hpp"

#include <gtest/gtest.h>

namespace reelsd::api {
namespace {

using namespace std::chrono_literals;

TEST(RequestedId, AcceptsPositiveIntegersInPlainDigits) {
    EXPECT_EQ(requested_id("1")->value, 1);
    EXPECT_EQ(requested_id("9223372036854775807")->value, 9223372036854775807);
    for (const char* text :
         {"0",
          "-1",
          "+1",
          "01",
          "1.0",
          "1e3",
          " 1",
          "1 ",
          "",
          "abc",
          "9223372036854775808",
          "1\n"}) {
        const auto id = requested_id(text);
        ASSERT_FALSE(id) << text;
        EXPECT_EQ(id.error().code(), errc::not_found);
    }
}

TEST(RequestedWait, AcceptsSeconds) {
    EXPECT_EQ(*requested_wait(std::nullopt), 0ms);
    EXPECT_EQ(*requested_wait("0"), 0ms);
    EXPECT_EQ(*requested_wait("1.5"), 1500ms);
    EXPECT_EQ(*requested_wait("60"), 60'000ms);
    for (const char* text :
         {"",
          "61",
          "60.001",
          "-1",
          "-0",
          "abc",
          "1s",
          "nan",
          "inf",
          "1e1",
          "0x1",
          " 1",
          "1 ",
          "+1"}) {
        const auto wait = requested_wait(text);
        ASSERT_FALSE(wait) << text;
        EXPECT_EQ(wait.error().code(), errc::invalid_argument);
        EXPECT_EQ(wait.error().detail(), "wait must be a number of seconds from 0 to 60");
    }
}

}  // namespace
}  // namespace reelsd::api
