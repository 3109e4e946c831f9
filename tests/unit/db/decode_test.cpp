// Goal: a cell becomes the value it stands for, or an error, whatever bytes it holds. Method: cells
// made by hand; rows made with libpq, without a server.
#include <reelsd/db/errors.hpp>
#include <reelsd/db/rows.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>

namespace reelsd::db {
namespace {

constexpr std::uint32_t boolean = 16, bytea = 17, int8 = 20, int2 = 21, int4 = 23, text = 25,
                        float8 = 701;
constexpr std::uint32_t text_array = 1009, int8_array = 1016, float4_array = 1021;
constexpr std::uint32_t timestamptz = 1184, numeric = 1700, an_enum = 54321;

cell made(std::uint32_t type, std::string_view value) {
    return {.query = "test.q", .column = "c", .text = value, .type = type, .null = false};
}

template <class Value>
Value decoded(const cell& from) {
    Value value{};
    decode(from, value);
    return value;
}

template <class Value>
bool mismatches(std::uint32_t type, std::string_view value) {
    try {
        static_cast<void>(decoded<Value>(made(type, value)));
    } catch (const schema_mismatch& why) {
        return why.code() == errc::internal;
    }
    return false;
}

TEST(Decode, ReadsEachType) {
    EXPECT_EQ(decoded<std::int64_t>(made(int8, "-9223372036854775808")), INT64_MIN);
    EXPECT_EQ(decoded<std::int64_t>(made(int2, "7")), 7);
    EXPECT_EQ(decoded<std::int32_t>(made(int4, "-2147483648")), INT32_MIN);
    EXPECT_TRUE(decoded<bool>(made(boolean, "t")));
    EXPECT_FALSE(decoded<bool>(made(boolean, "f")));
    EXPECT_EQ(decoded<double>(made(float8, "1e-300")), 1e-300);
    EXPECT_EQ(decoded<double>(made(numeric, "0.165")), 0.165);
    EXPECT_EQ(decoded<std::string>(made(an_enum, "pending")), "pending");
    EXPECT_EQ(decoded<std::string_view>(made(text, "")), "");
    EXPECT_EQ(decoded<job_id>(made(int8, "5")), job_id{5});
    EXPECT_EQ(
        decoded<std::vector<std::byte>>(made(bytea, "\\x00ff")),
        (std::vector{std::byte{0}, std::byte{0xff}}));
    EXPECT_EQ(decoded<std::vector<std::byte>>(made(bytea, "\\x")).size(), 0U);
    EXPECT_THAT(
        decoded<std::vector<std::int64_t>>(made(int8_array, "{1,-2}")),
        ::testing::ElementsAre(1, -2));
    EXPECT_THAT(
        decoded<std::vector<double>>(made(float4_array, "{0.5}")), ::testing::ElementsAre(0.5));
    EXPECT_THAT(decoded<std::vector<std::int64_t>>(made(int8_array, "{}")), ::testing::IsEmpty());
    EXPECT_THAT(
        decoded<std::vector<std::string>>(made(text_array, R"({a,"b c","NULL","\"\\,{}",""})")),
        ::testing::ElementsAre("a", "b c", "NULL", "\"\\,{}", ""));
}

TEST(Decode, RefusesOtherTypes) {
    EXPECT_TRUE(mismatches<std::int64_t>(text, "1"));
    EXPECT_TRUE(mismatches<std::int64_t>(numeric, "1"));
    EXPECT_TRUE(mismatches<std::int32_t>(int8, "1"));
    EXPECT_TRUE(mismatches<bool>(text, "t"));
    EXPECT_TRUE(mismatches<double>(int8, "1"));
    EXPECT_TRUE(mismatches<std::string>(bytea, "\\x00"));
    EXPECT_TRUE(mismatches<time_point>(text, "1970-01-01 00:00:00+00"));
    EXPECT_TRUE(mismatches<std::vector<std::byte>>(text, "\\x00"));
    EXPECT_TRUE(mismatches<std::vector<std::string>>(text, "{}"));
}

TEST(Decode, RefusesTextThatIsNotOfItsType) {
    for (const char* const value :
         {"", " 1", "1 ", "1.0", "9223372036854775808", "+1", "0x1", "x"}) {
        EXPECT_TRUE(mismatches<std::int64_t>(int8, value)) << value;
    }
    EXPECT_TRUE(mismatches<std::int32_t>(int4, "2147483648"));
    for (const char* const value : {"", "true", "T"}) EXPECT_TRUE(mismatches<bool>(boolean, value));
    for (const char* const value : {"", "1,5", "1e"})
        EXPECT_TRUE(mismatches<double>(float8, value));
    for (const char* const value : {"", "x00", "\\x0", "\\x0g", "\\x0A", "\\000"}) {
        EXPECT_TRUE(mismatches<std::vector<std::byte>>(bytea, value)) << value;
    }
    for (const char* const value : {"infinity", "0000-01-01 00:00:00+00"})
        EXPECT_TRUE(mismatches<time_point>(timestamptz, value)) << value;
}

TEST(Decode, RefusesArraysThatAreNotPlain) {
    for (const char* const value :
         {"",
          "{",
          "}",
          "x",
          "{,}",
          "{1,}",
          "{,1}",
          "{{1}}",
          "{NULL}",
          "{\"}",
          "{\"a\\\"}",
          "{\"a\"b}",
          "{a}b}",
          "[0:1]={1,2}"}) {
        EXPECT_TRUE(mismatches<std::vector<std::string>>(text_array, value)) << value;
        EXPECT_TRUE(mismatches<std::vector<std::int64_t>>(int8_array, value)) << value;
    }
}

TEST(Decode, NullFitsOptionalsAlone) {
    auto nothing = made(int8, "");
    nothing.null = true;
    EXPECT_EQ(decoded<std::optional<std::int64_t>>(nothing), std::nullopt);
    EXPECT_THROW(static_cast<void>(decoded<std::int64_t>(nothing)), schema_mismatch);
    EXPECT_THROW(static_cast<void>(decoded<std::string>(nothing)), schema_mismatch);
    EXPECT_EQ(decoded<std::optional<std::int64_t>>(made(int8, "1")), 1);
}

/// Rows of one text column.
rows rows_of(std::initializer_list<std::string> values) {
    PGresult* const set = PQmakeEmptyPGresult(nullptr, PGRES_TUPLES_OK);
    char name[] = "name";
    PGresAttDesc column{name, 0, 0, 0, text, -1, -1};
    PQsetResultAttrs(set, 1, &column);
    int index = 0;
    for (auto value : values) {
        PQsetvalue(set, index++, 0, value.data(), static_cast<int>(value.size()));
    }
    return rows{"test.q", set};
}

TEST(Rows, GiveRowsByNumberAndColumnsByName) {
    auto two = rows_of({"a", std::string("b\0c", 3)});
    EXPECT_EQ(two.size(), 2U);
    EXPECT_EQ(two[1].as<std::string>("name"), std::string("b\0c", 3));
    const auto kept = two[0];
    const auto moved = std::move(two);
    EXPECT_EQ(kept.as<std::string>("name"), "a");
    EXPECT_THROW(static_cast<void>(moved[0].as<std::string>("Name")), schema_mismatch);
    EXPECT_THROW(static_cast<void>(moved.one()), schema_mismatch);
    EXPECT_THROW(static_cast<void>(moved.one_or_none()), schema_mismatch);
    const auto names = moved.map([](const row& one) { return one.as<std::string>("name"); });
    EXPECT_EQ(names.size(), 2U);
}

TEST(Rows, OneOrNoneTellsThemApart) {
    const auto none = rows_of({});
    EXPECT_TRUE(none.empty());
    EXPECT_FALSE(none.one_or_none());
    EXPECT_THROW(static_cast<void>(none.one()), schema_mismatch);
    const auto single = rows_of({"a"});
    EXPECT_TRUE(single.one_or_none());
    EXPECT_EQ(single.one().as<std::string_view>("name"), "a");
    EXPECT_TRUE(rows{}.empty());
    EXPECT_EQ(rows{}.affected(), 0);
}

}  // namespace
}  // namespace reelsd::db
