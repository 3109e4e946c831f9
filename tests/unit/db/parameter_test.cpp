// Goal: each value is sent in the one form that the server reads back as the same. Method: pure,
// tables.
#include "db/time_text.hpp"
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
    for (const auto& one : nulls) {
        EXPECT_TRUE(one.is_null());
        EXPECT_EQ(one.data(), nullptr);
        EXPECT_TRUE(one.sendable());
    }
    EXPECT_NE(parameter{""}.data(), nullptr);
}

TEST(Parameter, BytesGoAsTheyAre) {
    const std::array octets{std::byte{0}, std::byte{0xff}};
    const parameter sent{octets};
    EXPECT_TRUE(sent.is_binary());
    EXPECT_EQ(sent.value(), std::string_view("\0\xff", 2));
    EXPECT_TRUE(sent.sendable());
}

TEST(Parameter, WhatWouldBeCutShortIsNotSendable) {
    EXPECT_FALSE(parameter{std::string("a\0b", 3)}.sendable());
    EXPECT_FALSE((parameter{std::vector<std::string>{std::string("\0", 1)}}.sendable()));
    EXPECT_FALSE(parameter{time_point::max()}.sendable());
    EXPECT_FALSE(parameter{time_point::min()}.sendable());
    EXPECT_FALSE(parameter{std::vector<time_point>{time_point::max()}}.sendable());
}

TEST(TimestampText, ReadsWhatItWrites) {
    for (const auto since : {0us, 1us, -1us, 1'779'444'000'123'456us, -62'135'596'800'000'000us}) {
        const time_point when{since};
        EXPECT_EQ(timestamp_from_text(timestamp_text(when)), when) << since.count();
    }
}

TEST(TimestampText, ReadsTheServersFormAndNoOther) {
    struct test_case {
        const char* text;
        std::optional<std::int64_t> microseconds;
    };
    constexpr test_case cases[] = {
        {"1970-01-01 00:00:01+00", 1'000'000},
        {"1970-01-01 00:00:01.5+00", 1'500'000},
        {"1970-01-01 00:00:01.000001+00", 1'000'001},
        {"2024-02-29 00:00:00+00", 1'709'164'800'000'000},
        {"2023-02-29 00:00:00+00", {}},
        {"1970-01-01 00:00:01", {}},
        {"1970-01-01 00:00:01+01", {}},
        {"1970-01-01T00:00:01+00", {}},
        {"1970-01-01 24:00:00+00", {}},
        {"1970-01-01 00:00:01.+00", {}},
        {"1970-01-01 00:00:01.1234567+00", {}},
        {"12024-01-01 00:00:00+00", {}},
        {"0044-03-15 00:00:00+00 BC", {}},
        {"infinity", {}},
        {"-infinity", {}},
        {"", {}},
        {"1970-01-01 00:00:01+00 ", {}},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.text);
        const auto when = timestamp_from_text(expected.text);
        ASSERT_EQ(when.has_value(), expected.microseconds.has_value());
        if (!when) continue;
        EXPECT_EQ(when->time_since_epoch().count(), *expected.microseconds);
    }
}

}  // namespace
}  // namespace reelsd::db
