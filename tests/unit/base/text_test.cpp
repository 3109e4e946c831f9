#include <reelsd/base/base64.hpp>
#include <reelsd/base/clock.hpp>
#include <reelsd/base/parse_number.hpp>
#include <reelsd/base/random.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/base/utf8.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <stop_token>

namespace reelsd {
namespace {

using namespace std::string_literals;
using namespace std::chrono_literals;

std::vector<std::byte> bytes_of(std::string_view text) {
    const auto* const data = reinterpret_cast<const std::byte*>(text.data());
    return {data, data + text.size()};
}

TEST(Text, TrimsTheGivenBlanks) {
    EXPECT_EQ(trimmed(" \t\r\n\v\fa b\n"), "a b");
    EXPECT_EQ(trimmed("\n a ", " "), "\n a");
    EXPECT_EQ(trimmed(" \t"), "");
    EXPECT_EQ(trimmed(""), "");
}

TEST(Text, LowersOnlyAsciiLetters) {
    EXPECT_EQ(ascii_lower("AZaz09[`\xC3\x84"), "azaz09[`\xC3\x84");
    EXPECT_TRUE(equals_ignoring_case("Content-Type", "content-type"));
    EXPECT_FALSE(equals_ignoring_case("Content-Type", "content-typ"));
    EXPECT_FALSE(equals_ignoring_case("@", "`"));
}

TEST(Text, PercentEncodesAllButUnreservedCharacters) {
    EXPECT_EQ(percent_encoded("aZ09-._~"), "aZ09-._~");
    EXPECT_EQ(percent_encoded(" +/\xC3\xA9"), "%20%2B%2F%C3%A9");
    EXPECT_EQ(percent_decoded("%20%2b+%00"), " ++\0"s);
    for (const std::string_view broken : {"%", "%2", "%zz", "a%2"}) {
        EXPECT_EQ(percent_decoded(broken), std::nullopt) << broken;
    }
}

TEST(Text, GroupsDigits) {
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(grouped(1000), "1,000");
    EXPECT_EQ(grouped(1'234'567), "1,234,567");
    EXPECT_EQ(grouped(-123'456), "-123,456");
}

TEST(Text, KnowsVisibleAscii) {
    EXPECT_TRUE(is_visible_ascii("!az~"));
    for (const std::string_view text : {"a b", "a\n", "\x7F", "\xC3\xA9"}) {
        EXPECT_FALSE(is_visible_ascii(text)) << text;
    }
}

TEST(Utf8, PrefixEndsWithAWholeCodePoint) {
    EXPECT_EQ(utf8_prefix("abc", 3), "abc");
    EXPECT_EQ(utf8_prefix("abc", 2), "ab");
    EXPECT_EQ(utf8_prefix("a\xC3\xA9", 2), "a");
    EXPECT_EQ(utf8_prefix("\xF0\x9F\x8D\xA3", 3), "");
}

TEST(ParseNumber, ParsesTheWholeTextOrNothing) {
    EXPECT_EQ(parse_number<int>("-12"), -12);
    EXPECT_EQ(parse_number<std::uint8_t>("255"), 255);
    EXPECT_EQ(parse_number<unsigned>("ff", 16), 255U);
    EXPECT_EQ(parse_number<double>("2.5"), 2.5);
    EXPECT_EQ(parse_number<double>("1e3", std::chars_format::fixed), std::nullopt);
    for (const std::string_view wrong : {"", " 1", "1 ", "+1", "1x", "x", "256", "-1"}) {
        EXPECT_EQ(parse_number<std::uint8_t>(wrong), std::nullopt) << wrong;
    }
}

TEST(Base64, EncodesTheExamplesOfTheStandard) {
    const std::pair<std::string_view, std::string_view> examples[]{
        {"", ""},
        {"f", "Zg=="},
        {"fo", "Zm8="},
        {"foo", "Zm9v"},
        {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"}};
    for (const auto& [plain, encoded] : examples) {
        EXPECT_EQ(base64_encoded(bytes_of(plain)), encoded);
        EXPECT_EQ(base64_decoded(encoded), bytes_of(plain));
    }
}

TEST(Base64, DecodesOnlyItsOwnEncoding) {
    for (const std::string_view wrong :
         {"Zg",
          "Zg=",
          "Zh==",
          "Zm9=",
          "Zm9v\n",
          " Zm9v",
          "Zm9v====",
          "====",
          "Z===",
          "Zm-_",
          "Zg==Zg=="}) {
        EXPECT_EQ(base64_decoded(wrong), std::nullopt) << wrong;
    }
}

TEST(Utf8, ReadsWhatItAppends) {
    for (const char32_t value : {U'a', U'\u00E9', U'\u20AC', U'\U0001F600', U'\U0010FFFF'}) {
        std::string text;
        append_code_point(text, value);
        const auto read = code_point_at(text, 0);
        EXPECT_TRUE(read.valid);
        EXPECT_EQ(read.value, value);
        EXPECT_EQ(read.bytes, text.size());
        EXPECT_TRUE(is_utf8(text));
    }
}

TEST(Utf8, SkipsEachInvalidByte) {
    for (const std::string_view invalid :
         {"\x80", "\xC0\x80", "\xE2\x82", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF5", "\xFF"}) {
        const auto read = code_point_at(invalid, 0);
        EXPECT_FALSE(read.valid);
        EXPECT_EQ(read.value, replacement_character);
        EXPECT_EQ(read.bytes, 1U);
        EXPECT_FALSE(is_utf8(invalid));
    }
}

TEST(Utf8, CountsEachInvalidByte) {
    EXPECT_EQ(code_point_count(""), 0U);
    EXPECT_EQ(code_point_count("a\u00e9\U0001F600\xff"), 4U);
}

TEST(Sleep, EndsImmediatelyWhenStopped) {
    std::stop_source source;
    EXPECT_TRUE(stoppable_sleep(-1s, source.get_token()));
    EXPECT_TRUE(stoppable_sleep(1ms, source.get_token()));
    source.request_stop();
    EXPECT_FALSE(stoppable_sleep(1h, source.get_token()));
}

TEST(Random, StaysWithinItsBounds) {
    for (int draw = 0; draw < 1000; ++draw) {
        const double value = random_between(0.5, 1.5);
        EXPECT_GE(value, 0.5);
        EXPECT_LT(value, 1.5);
    }
    EXPECT_NE(random_bits(), random_bits());
}

}  // namespace
}  // namespace reelsd
