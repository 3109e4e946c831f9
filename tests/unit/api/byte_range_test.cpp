// Goal: conditions and ranges of RFC 9110, sections 13 and 14, select what is sent of a file.
// Method: pure function, tables.
#include "api/resources.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string_view>

namespace reelsd::api {
namespace {

using kind = range_answer::kind;
using range_text = std::optional<std::string_view>;

constexpr std::string_view tag = "\"abc\"";

TEST(ByteRange, IsSelectedByTheHeader) {
    struct test_case {
        const char* range;
        kind what;
        std::uint64_t first;
        std::uint64_t bytes;
    };
    constexpr test_case cases[] = {
        {"bytes=0-1", kind::part, 0, 2},
        {"bytes=0-", kind::part, 0, 1000},
        {"bytes=999-999", kind::part, 999, 1},
        {"bytes=990-5000", kind::part, 990, 10},
        {"bytes=10-99999999999999999999999", kind::part, 10, 990},
        {"bytes=-10", kind::part, 990, 10},
        {"bytes=-5000", kind::part, 0, 1000},
        {"BYTES=1-2", kind::part, 1, 2},
        {"bytes= 1-2 ", kind::part, 1, 2},
        {"bytes=1-2,", kind::part, 1, 2},
        {"bytes=-0", kind::not_satisfiable, 0, 0},
        {"bytes=1000-", kind::not_satisfiable, 0, 0},
        {"bytes=99999999999999999999999-", kind::not_satisfiable, 0, 0},
        // Ignored: several ranges, other units, malformed ones.
        {"bytes=0-1,5-6", kind::whole, 0, 1000},
        {"bytes=", kind::whole, 0, 1000},
        {"bytes=5", kind::whole, 0, 1000},
        {"bytes=-", kind::whole, 0, 1000},
        {"bytes=5-4", kind::whole, 0, 1000},
        {"bytes=a-b", kind::whole, 0, 1000},
        {"bytes=+1-2", kind::whole, 0, 1000},
        {"bytes=1-2-3", kind::whole, 0, 1000},
        {"bytes 1-2", kind::whole, 0, 1000},
        {"seconds=1-2", kind::whole, 0, 1000},
        {"", kind::whole, 0, 1000},
    };
    for (const auto& [range, what, first, bytes] : cases) {
        SCOPED_TRACE(range);
        const auto answer = answer_range({.range = range}, 1000, tag);
        EXPECT_EQ(answer.what, what);
        if (what == kind::not_satisfiable) continue;
        EXPECT_EQ(answer.first, first);
        EXPECT_EQ(answer.bytes, bytes);
    }
    EXPECT_EQ(answer_range({}, 1000, tag), (range_answer{kind::whole, 0, 1000}));
}

TEST(ByteRange, RespectsPreconditions) {
    struct test_case {
        range_text if_match;
        range_text if_none_match;
        range_text if_range;
        kind what;
    };
    constexpr auto none = std::nullopt;
    constexpr test_case cases[] = {
        {none, none, "\"abc\"", kind::part},
        {none, none, "\"abd\"", kind::whole},
        {none, none, "W/\"abc\"", kind::whole},
        {none, none, "Sun, 06 Nov 1994 08:49:37 GMT", kind::whole},
        {none, "\"abc\"", none, kind::not_modified},
        {none, "W/\"abc\"", none, kind::not_modified},
        {none, "\"x\", \"abc\"", none, kind::not_modified},
        {none, "*", none, kind::not_modified},
        {none, "\"x,\"abc\"", none, kind::part},
        {none, "\"x\"", none, kind::part},
        {"\"abc\"", none, none, kind::part},
        {"*", none, none, kind::part},
        {"W/\"abc\"", none, none, kind::precondition_failed},
        {"\"x\"", "\"abc\"", none, kind::precondition_failed},
    };
    for (const auto& [if_match, if_none_match, if_range, what] : cases) {
        SCOPED_TRACE(
            ::testing::Message() << if_match.value_or("-") << " " << if_none_match.value_or("-")
                                 << " " << if_range.value_or("-"));
        const range_request request{
            .if_match = if_match,
            .if_none_match = if_none_match,
            .if_range = if_range,
            .range = "bytes=1-2"};
        EXPECT_EQ(answer_range(request, 1000, tag).what, what);
    }
}

}  // namespace
}  // namespace reelsd::api
