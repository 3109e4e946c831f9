// Goal: failures are logged without secrets, and each has the right error for its job.
#include "call_failure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace reelsd::model {
namespace {

using ::testing::HasSubstr;

TEST(CallFailure, SecretsAreMasked) {
    struct test_case {
        const char* text;
        const char* secret;
        const char* expected;
    };
    constexpr test_case cases[] = {
        {"key AIza-1 is wrong", "AIza-1", "key *** is wrong"},
        {"AIza-1", "AIza-1", "***"},
        {"AIza-1AIza-1 AIza-1", "AIza-1", "****** ***"},
        {"nothing here", "AIza-1", "nothing here"},
        {"", "AIza-1", ""},
        // No secret is set.
        {"text", "", "text"},
        // A mask that contains the secret must not be masked again.
        {"a*b", "*", "a***b"},
        {"a**b", "**", "a***b"},
    };
    for (const auto& expected : cases)
        EXPECT_EQ(without_secret(expected.text, expected.secret), expected.expected)
            << expected.text;
}

TEST(CallFailure, AnExcerptIsShortCleanAndOnOneLine) {
    EXPECT_EQ(excerpt("one\ntwo"), "one two");
    EXPECT_EQ(excerpt("  one  "), "one");
    EXPECT_EQ(excerpt("a\x1B[31mb"), "a[31mb");
    EXPECT_EQ(excerpt(""), "");
    EXPECT_EQ(excerpt(std::string(100'000, 'x')).size(), 300U);
    std::string wide;
    for (int i = 0; i < 1000; ++i) wide += "ж";
    EXPECT_EQ(excerpt(wide).size(), 600U) << "300 characters of two bytes";
}

TEST(CallFailure, EachKindHasANameAndAnError) {
    struct test_case {
        failure_kind kind;
        errc code;
    };
    constexpr test_case cases[] = {
        {failure_kind::misconfigured, errc::model_misconfigured},
        {failure_kind::unauthorized, errc::model_misconfigured},
        {failure_kind::quota_exhausted, errc::model_unavailable},
        {failure_kind::rate_limited, errc::model_unavailable},
        {failure_kind::overloaded, errc::model_unavailable},
        {failure_kind::transient, errc::model_unavailable},
        {failure_kind::slow, errc::model_unavailable},
        {failure_kind::file_not_ready, errc::model_unavailable},
        {failure_kind::file_gone, errc::model_unavailable},
        {failure_kind::video_rejected, errc::model_refused},
        {failure_kind::payload_too_large, errc::model_refused},
        // All variants of the request were refused, so it is not the video's fault.
        {failure_kind::schema_refused, errc::model_misconfigured},
        {failure_kind::thinking_refused, errc::model_misconfigured},
        {failure_kind::context_exceeded, errc::model_misconfigured},
        {failure_kind::request_too_large, errc::model_misconfigured},
        {failure_kind::input_flagged, errc::model_refused},
        {failure_kind::no_calls_left, errc::limit_reached},
        {failure_kind::budget_spent, errc::unauthorized},
        {failure_kind::storage, errc::storage_failed},
        {failure_kind::media_child, errc::media_failed},
        {failure_kind::no_database, errc::database_unavailable},
        {failure_kind::cancelled, errc::cancelled},
    };
    std::set<std::string_view> names;
    for (const auto& expected : cases) {
        EXPECT_TRUE(names.insert(name_of(expected.kind)).second);
        const auto why = error_from({.kind = expected.kind, .detail = "said so"});
        EXPECT_EQ(why.code(), expected.code) << name_of(expected.kind);
        EXPECT_THAT(why.detail(), HasSubstr("said so"));
        EXPECT_THAT(why.detail(), HasSubstr(std::string{name_of(expected.kind)}));
    }
}

TEST(CallFailure, AFailedTransferHasAKind) {
    struct test_case {
        errc code;
        failure_kind kind;
    };
    constexpr test_case cases[] = {
        {errc::cancelled, failure_kind::cancelled},
        {errc::timed_out, failure_kind::slow},
        {errc::connection_failed, failure_kind::transient},
        // A wrong setting of the operator.
        {errc::address_refused, failure_kind::misconfigured},
        {errc::invalid_argument, failure_kind::misconfigured},
        {errc::storage_failed, failure_kind::storage},
        {errc::database_unavailable, failure_kind::no_database},
        {errc::limit_reached, failure_kind::no_calls_left},
        {errc::unauthorized, failure_kind::budget_spent},
        {errc::internal, failure_kind::transient},
    };
    for (const auto& expected : cases)
        EXPECT_EQ(name_of(failure_from(error{expected.code, "x"}).kind), name_of(expected.kind));
}

}  // namespace
}  // namespace reelsd::model
