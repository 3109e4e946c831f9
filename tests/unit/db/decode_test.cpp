// Goal: decoding any bytes returns their value or an error. Method: cells written by hand; rows
// from libpq, without a server.
#include <reelsd/db/errors.hpp>
#include <reelsd/db/rows.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>

#include <limits>
#include <string>

namespace reelsd::db {
namespace {

constexpr std::uint32_t boolean = 16, bytea = 17, name = 19, int8 = 20, int2 = 21, int4 = 23,
                        text = 25, json = 114, float4 = 700, float8 = 701;
constexpr std::uint32_t text_array = 1009, varchar = 1043, timestamptz = 1184, numeric = 1700,
                        jsonb = 3802, an_enum = 54321;

/// Returns the bytes of hexadecimal digits such as "00 ff". Ignores whitespace.
std::string bytes_of(std::string_view hex) {
    std::string bytes;
    std::string digits{hex};
    std::erase(digits, ' ');
    for (std::size_t i = 0; i < digits.size(); i += 2) {
        bytes.push_back(static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16)));
    }
    return bytes;
}

template <class Value>
Value decoded_bytes(std::uint32_t type, std::string_view bytes, bool is_null = false) {
    Value value{};
    decode(
        {.query = "test.q", .column = "c", .bytes = bytes, .type = type, .null = is_null}, value);
    return value;
}

template <class Value>
Value decoded(std::uint32_t type, std::string_view hex) {
    return decoded_bytes<Value>(type, bytes_of(hex));
}

template <class Value>
bool mismatches(std::uint32_t type, std::string_view hex) {
    try {
        static_cast<void>(decoded<Value>(type, hex));
    } catch (const schema_mismatch& why) {
        return why.code() == errc::internal;
    }
    return false;
}

TEST(Decode, ReadsEachType) {
    EXPECT_EQ(decoded<std::int64_t>(int8, "8000000000000000"), INT64_MIN);
    EXPECT_EQ(decoded<std::int64_t>(int8, "0123456789abcdef"), 0x0123456789abcdef);
    EXPECT_EQ(decoded<std::int64_t>(int4, "ffffffff"), -1);
    EXPECT_EQ(decoded<std::int64_t>(int2, "0007"), 7);
    EXPECT_EQ(decoded<std::int32_t>(int4, "80000000"), INT32_MIN);
    EXPECT_EQ(decoded<std::int32_t>(int2, "8000"), INT16_MIN);
    EXPECT_TRUE(decoded<bool>(boolean, "01"));
    EXPECT_FALSE(decoded<bool>(boolean, "00"));
    EXPECT_EQ(decoded<double>(float8, "3fc51eb851eb851f"), 0.165);
    EXPECT_EQ(
        decoded<double>(float8, "fff0000000000000"), -std::numeric_limits<double>::infinity());
    for (const auto type : {text, varchar, name, json, an_enum}) {
        EXPECT_EQ(decoded_bytes<std::string>(type, "pending"), "pending") << type;
    }
    EXPECT_EQ(decoded_bytes<std::string_view>(text, ""), "");
    EXPECT_EQ(decoded<job_id>(int8, "0000000000000005"), job_id{5});
    EXPECT_EQ(
        decoded<std::vector<std::byte>>(bytea, "00ff"),
        (std::vector{std::byte{0}, std::byte{0xff}}));
    EXPECT_EQ(decoded<std::vector<std::byte>>(bytea, "").size(), 0U);
    EXPECT_THAT(
        decoded<std::vector<std::string>>(
            text_array,
            "00000001 00000000 00000019 00000003 00000001 00000001 61 00000000 00000004 4e554c4c"),
        ::testing::ElementsAre("a", "", "NULL"));
    EXPECT_THAT(
        decoded<std::vector<std::string>>(text_array, "00000000 00000000 00000019"),
        ::testing::IsEmpty());
}

TEST(Decode, ReadsTimesOfTheYears1To9999) {
    using namespace std::chrono_literals;
    // Microseconds since 2000-01-01.
    EXPECT_EQ(decoded<time_point>(timestamptz, "fffca2fec4c82000"), time_point{});
    EXPECT_EQ(decoded<time_point>(timestamptz, "fffca2fec4c81fff"), time_point{-1us});
    EXPECT_EQ(decoded<time_point>(timestamptz, "ff1fe2ffc59c6000"), time_point{-62135596800s});
    EXPECT_TRUE(mismatches<time_point>(timestamptz, "ff1fe2ffc59c5fff"));
    EXPECT_EQ(
        decoded<time_point>(timestamptz, "0380e70b913b7fff"), time_point{253402300800s - 1us});
    EXPECT_TRUE(mismatches<time_point>(timestamptz, "0380e70b913b8000"));
    EXPECT_TRUE(mismatches<time_point>(timestamptz, "7fffffffffffffff")) << "infinity";
    EXPECT_TRUE(mismatches<time_point>(timestamptz, "8000000000000000")) << "-infinity";
}

TEST(Decode, RefusesOtherTypes) {
    EXPECT_TRUE(mismatches<std::int64_t>(text, "31"));
    EXPECT_TRUE(mismatches<std::int64_t>(numeric, "0000000000000000"));
    EXPECT_TRUE(mismatches<std::int32_t>(int8, "0000000000000001"));
    EXPECT_TRUE(mismatches<bool>(text, "01"));
    EXPECT_TRUE(mismatches<double>(int8, "0000000000000001"));
    EXPECT_TRUE(mismatches<double>(float4, "3f800000"));
    for (const auto type : {bytea, int8, timestamptz, numeric, jsonb}) {
        EXPECT_TRUE(mismatches<std::string>(type, "61")) << type;
    }
    EXPECT_TRUE(mismatches<time_point>(int8, "0000000000000001"));
    EXPECT_TRUE(mismatches<std::vector<std::byte>>(text, "00"));
    EXPECT_TRUE(mismatches<std::vector<std::string>>(text, "00000000 00000000 00000019"));
}

TEST(Decode, RefusesMalformedBytes) {
    for (const char* const hex : {"", "00000001", "00000000000001", "000000000000000001"}) {
        EXPECT_TRUE(mismatches<std::int64_t>(int8, hex)) << hex;
        EXPECT_TRUE(mismatches<double>(float8, hex)) << hex;
        EXPECT_TRUE(mismatches<time_point>(timestamptz, hex)) << hex;
    }
    for (const char* const hex : {"", "0001", "0000000001"}) {
        EXPECT_TRUE(mismatches<std::int32_t>(int4, hex)) << hex;
        EXPECT_TRUE(mismatches<std::int64_t>(int4, hex)) << hex;
    }
    EXPECT_TRUE(mismatches<std::int32_t>(int2, "00000001"));
    for (const char* const hex : {"", "02", "0001"}) {
        EXPECT_TRUE(mismatches<bool>(boolean, hex)) << hex;
    }
}

TEST(Decode, RefusesArraysThatAreNotPlain) {
    struct test_case {
        const char* name;
        const char* hex;
    };
    constexpr test_case cases[] = {
        {"empty", ""},
        {"cut short", "00000001 00000000 00000019 00000001"},
        {"of another type", "00000000 00000000 00000014"},
        {"nested", "00000002 00000000 00000019 00000001 00000001 00000001 00000001 00000000"},
        {"negative dimensions", "ffffffff 00000000 00000019"},
        {"a null", "00000001 00000001 00000019 00000001 00000001 ffffffff"},
        {"begins at 0", "00000001 00000000 00000019 00000001 00000000 00000000"},
        {"fewer elements", "00000001 00000000 00000019 ffffffff 00000001 00000000"},
        {"more bytes", "00000001 00000000 00000019 00000001 00000001 00000000 00"},
        {"a short element", "00000001 00000000 00000019 00000001 00000001 00000002 61"},
    };
    for (const auto& expected : cases) {
        EXPECT_TRUE(mismatches<std::vector<std::string>>(text_array, expected.hex))
            << expected.name;
    }
}

TEST(Decode, AcceptsNullOnlyForOptionals) {
    EXPECT_EQ(decoded_bytes<std::optional<std::int64_t>>(int8, "", true), std::nullopt);
    EXPECT_THROW(static_cast<void>(decoded_bytes<std::int64_t>(int8, "", true)), schema_mismatch);
    EXPECT_THROW(static_cast<void>(decoded_bytes<std::string>(int8, "", true)), schema_mismatch);
    EXPECT_EQ(decoded<std::optional<std::int64_t>>(int8, "0000000000000001"), 1);
}

/// Rows of one text column.
rows rows_of(std::initializer_list<std::string> values) {
    PGresult* const set = PQmakeEmptyPGresult(nullptr, PGRES_TUPLES_OK);
    char column_name[] = "name";
    PGresAttDesc column{column_name, 0, 0, 1, text, -1, -1};
    PQsetResultAttrs(set, 1, &column);
    int index = 0;
    for (auto value : values) {
        PQsetvalue(set, index++, 0, value.data(), static_cast<int>(value.size()));
    }
    return rows{"test.q", set};
}

TEST(Rows, ReturnRowsByIndexAndColumnsByName) {
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

TEST(Rows, OneOrNoneIsEmptyWithoutRows) {
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
