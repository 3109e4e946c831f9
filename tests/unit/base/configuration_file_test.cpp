#include <reelsd/base/configuration_file.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd {
namespace {

using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

std::string value_of(const std::string& text) {
    const auto values = parse_configuration("key = " + text + "\nnext = 1\n");
    if (!values) return values.error().detail();
    EXPECT_EQ(values->size(), 2U) << text;
    return values->count("key") == 0 ? "no key" : values->at("key");
}

TEST(ConfigurationFile, QuotedTextIsWhatItSays) {
    EXPECT_EQ(value_of(R"("a#b, c = 'd' [e]")"), "a#b, c = 'd' [e]");
    EXPECT_EQ(value_of(R"('a#b\c\\ "d"')"), R"(a#b\c\\ "d")");
    EXPECT_EQ(value_of(R"("C:\\a \"b\" \\")"), R"(C:\a "b" \)");
    EXPECT_EQ(value_of(R"("" # nothing)"), "");
    EXPECT_EQ(value_of("\" a \"\t\r"), " a ");
}

TEST(ConfigurationFile, TextWithoutQuotesEndsWithItsLineOrComment) {
    EXPECT_EQ(value_of("16"), "16");
    EXPECT_EQ(value_of("true # always"), "true");
    EXPECT_EQ(value_of(R"(/srv/my "data"\new )"), R"(/srv/my "data"\new)");
    EXPECT_EQ(value_of("page, graphql"), "page, graphql");
    EXPECT_EQ(value_of(""), "");
}

TEST(ConfigurationFile, AListIsTextWithCommas) {
    EXPECT_EQ(value_of(R"(["a", 'b#c', d])"), "a,b#c,d");
    EXPECT_EQ(value_of("[\n  \"a\", # first\n\n  \"b\",\n] # end"), "a,b");
    EXPECT_EQ(value_of("[]"), "");
}

TEST(ConfigurationFile, CommentsAndEmptyLinesAreSkipped) {
    const auto values = parse_configuration("# a = 1\n\n  ; b = 2\n\tc=3\r\nd = \"5\"");
    ASSERT_TRUE(values) << values.error().detail();
    EXPECT_THAT(*values, UnorderedElementsAre(Pair("c", "3"), Pair("d", "5")));
    EXPECT_TRUE(parse_configuration("")->empty());
}

TEST(ConfigurationFile, AByteOrderMarkIsSkipped) {
    const auto values = parse_configuration("\xEF\xBB\xBFkey = 4");
    ASSERT_TRUE(values) << values.error().detail();
    EXPECT_THAT(*values, UnorderedElementsAre(Pair("key", "4")));
}

TEST(ConfigurationFile, AnErrorHasItsLine) {
    const std::pair<const char*, const char*> cases[] = {
        {"a = 1\n[server]\n", "line 2: tables are not allowed"},
        {"a = 1\nb\n", "line 2: KEY = VALUE is expected"},
        {"a", "line 1: KEY = VALUE is expected"},
        {"a = 1\nb = 2\na = 3", "line 3: a is set twice"},
        {"a = \"1\nb = 2", "line 1: the quotation mark at the end is missing"},
        {"a = '1", "line 1: the quotation mark at the end is missing"},
        {"a = \"1\\", "line 1: in double quotes, a backslash is written \\\\"},
        {"a = \"C:\\new\"", "line 1: in double quotes, a backslash is written \\\\"},
        {"a = \"1\" \"2\"", "line 1: put the whole value in quotes"},
        {"\na = [::1]:8080", "line 2: put the whole value in quotes"},
        {"a = [1,\n", "line 2: a comma or the bracket at the end is missing"},
        {"a = [1,\n2", "line 2: a comma or the bracket at the end is missing"},
        {"a = [\"1\" \"2\"]", "line 1: a comma or the bracket at the end is missing"},
    };
    for (const auto& [text, detail] : cases) {
        const auto values = parse_configuration(text);
        ASSERT_FALSE(values) << text;
        EXPECT_EQ(values.error().code(), errc::invalid_argument);
        EXPECT_EQ(values.error().detail(), detail);
    }
}

TEST(ConfigurationFile, AFileThatCannotBeReadIsNamed) {
    EXPECT_EQ(
        read_configuration("/nonexistent/file").error().detail(),
        "/nonexistent/file: No such file or directory");
    EXPECT_EQ(read_configuration("/tmp").error().detail(), "/tmp: Is a directory");
    EXPECT_THAT(
        read_configuration("/dev/zero").error().detail(), HasSubstr("/dev/zero: is larger"));
}

}  // namespace
}  // namespace reelsd
