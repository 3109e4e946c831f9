#include <reelsd/http/target.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

// Goal: a target has one meaning. Method: tables.
namespace reelsd::http {
namespace {

using words = std::vector<std::string>;

TEST(RequestTarget, IsParsed) {
    struct test_case {
        const char* text;
        words segments;
        const char* path;
        const char* query;
        bool well_formed = true;
    };
    const test_case cases[] = {
        {"/", {""}, "/", ""},
        {"/a/b", {"a", "b"}, "/a/b", ""},
        {"/a/", {"a", ""}, "/a/", ""},
        {"//a", {"", "a"}, "//a", ""},
        {"/a/../b/.", {"a", "..", "b", "."}, "/a/../b/.", ""},
        {"/a?b=c", {"a"}, "/a", "b=c"},
        {"/a??b?", {"a"}, "/a", "?b?"},
        {"/a?", {"a"}, "/a", ""},
        {"/?/x", {""}, "/", "/x"},
        {"/%61%2Fb/%2e%2e", {"a/b", ".."}, "/%61%2Fb/%2e%2e", ""},
        {"/a+b", {"a+b"}, "/a+b", ""},
        {"/%zz/%4", {"%zz", "%4"}, "/%zz/%4", "", false},
        {"http://host/a?b", {"a"}, "/a", "b"},
        {"HTTPS://u@host:1/a/", {"a", ""}, "/a/", ""},
        {"http://host", {""}, "", ""},
        {"http://host?b", {""}, "", "b"},
        {"*", {}, "*", ""},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.text);
        const auto target = request_target::parse(expected.text);
        ASSERT_TRUE(target);
        EXPECT_EQ(target->text(), expected.text);
        EXPECT_EQ(target->segments(), expected.segments);
        EXPECT_EQ(target->path(), expected.path);
        EXPECT_EQ(target->query(), expected.query);
        EXPECT_EQ(target->path_is_well_formed(), expected.well_formed);
    }
}

TEST(RequestTarget, RefusesOtherForms) {
    for (const char* const text :
         {"", "a", "?a", "host:443", "http://", "http:///a", "ftp://h/a"}) {
        EXPECT_FALSE(request_target::parse(text)) << text;
    }
}

TEST(QueryParameters, AreDecoded) {
    const auto query = query_parameters::parse("a=1&b=x%20y+z&&a=2&c&=v&d=%C3%A9&e==&%66=g");
    ASSERT_TRUE(query);
    EXPECT_EQ(query->find("a"), "1") << "the first of repeated names counts";
    EXPECT_EQ(query->find("b"), "x y z");
    EXPECT_EQ(query->find("c"), "");
    EXPECT_EQ(query->find(""), "v");
    EXPECT_EQ(query->find("d"), "\xC3\xA9");
    EXPECT_EQ(query->find("e"), "=");
    EXPECT_EQ(query->find("f"), "g");
    EXPECT_EQ(query->find("x"), std::nullopt);
    EXPECT_EQ(query->size(), 8U);
}

TEST(QueryParameters, RefuseTextThatCannotBeStored) {
    const char* const malformed[] = {
        "a=%",
        "a=%4",
        "a=%zz",
        "%=1",
        "a=%ff",
        "a=\xC3",
        "a=%00",
        "a=%ED%A0%80",
        "a=%C0%80",
        "a=%F4%90%80%80",
        "a=%80"};
    for (const char* const text : malformed) EXPECT_FALSE(query_parameters::parse(text)) << text;
    EXPECT_TRUE(query_parameters::parse("a=%F0%9F%98%80"));
}

TEST(RequestedLimit, IsAWholeNumberInRange) {
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
