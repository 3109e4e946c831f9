// Goal: each value is sent in a form that the server reads back as the same value. Method: pure,
// tables.
#include <reelsd/db/query.hpp>

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace reelsd::db {
namespace {

using namespace std::chrono_literals;

TEST(Parameter, WritesEachTypeInTheServersForm) {
    struct test_case {
        parameter value;
        std::string_view text;
    };
    const test_case cases[] = {
        {parameter{0}, "0"},
        {parameter{std::numeric_limits<std::int64_t>::min()}, "-9223372036854775808"},
        {parameter{std::numeric_limits<std::uint32_t>::max()}, "4294967295"},
        {parameter{true}, "true"},
        {parameter{false}, "false"},
        {parameter{0.1}, "0.1"},
        {parameter{-1e300}, "-1e+300"},
        {parameter{std::numeric_limits<double>::quiet_NaN()}, "NaN"},
        {parameter{-std::numeric_limits<double>::infinity()}, "-Infinity"},
        {parameter{"text"}, "text"},
        {parameter{std::string_view{"view"}}, "view"},
        {parameter{""}, ""},
        {parameter{json_text{"{}"}}, "{}"},
        {parameter{job_id{7}}, "7"},
        {parameter{std::optional<std::int64_t>{8}}, "8"},
        {parameter{time_point{}}, "1970-01-01 00:00:00.000000+00"},
        {parameter{time_point{-1us}}, "1969-12-31 23:59:59.999999+00"},
        {parameter{time_point{1'779'444'000'123'456us}}, "2026-05-22 10:00:00.123456+00"},
        {parameter{time_point{-62'135'596'800s}}, "0001-01-01 00:00:00.000000+00"},
        {parameter{std::vector<std::int64_t>{}}, "{}"},
        {parameter{std::vector<std::int64_t>{1, -2}}, R"({"1","-2"})"},
        {parameter{std::vector<std::string>{"a", "", "NULL", "x,y", "\"\\{}"}},
         R"({"a","","NULL","x,y","\"\\{}"})"},
        {parameter{std::vector<std::optional<std::string>>{std::nullopt, "b"}}, R"({NULL,"b"})"},
        {parameter{std::vector<job_id>{job_id{1}}}, R"({"1"})"},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.text);
        EXPECT_FALSE(expected.value.is_null());
        EXPECT_FALSE(expected.value.is_binary());
        EXPECT_EQ(expected.value.value(), expected.text);
        EXPECT_TRUE(expected.value.sendable());
    }
}

TEST(Parameter, NullIsNotEmptyText) {
    const std::array nulls{
        parameter{nullptr}, parameter{std::nullopt}, parameter{std::optional<std::string>{}}};
    for (const auto& null : nulls) {
        EXPECT_TRUE(null.is_null());
        EXPECT_EQ(null.data(), nullptr);
        EXPECT_TRUE(null.sendable());
    }
    EXPECT_NE(parameter{""}.data(), nullptr);
}

TEST(Parameter, SendsBytesUnchanged) {
    const std::array octets{std::byte{0}, std::byte{0xff}};
    const parameter sent{octets};
    EXPECT_TRUE(sent.is_binary());
    EXPECT_EQ(sent.value(), std::string_view("\0\xff", 2));
    EXPECT_TRUE(sent.sendable());
}

TEST(Parameter, RefusesValuesThatLibpqWouldTruncate) {
    EXPECT_FALSE(parameter{std::string("a\0b", 3)}.sendable());
    EXPECT_FALSE((parameter{std::vector<std::string>{std::string("\0", 1)}}.sendable()));
    EXPECT_FALSE(parameter{time_point::max()}.sendable());
    EXPECT_FALSE(parameter{time_point::min()}.sendable());
    EXPECT_FALSE(parameter{std::vector<time_point>{time_point::max()}}.sendable());
}

}  // namespace
}  // namespace reelsd::db
