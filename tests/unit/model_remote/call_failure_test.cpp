// Goal: a failure reaches logs without secrets, and the job with the fate that it deserves.
#include "call_failure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace reelsd::model {
namespace {

using ::testing::HasSubstr;

TEST(CallFailure, SecretsAreBlottedOut) {
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
        // None is set: there is nothing to hide.
        {"text", "", "text"},
        // A blot that holds the secret must not be blotted for ever.
        {"a*b", "*", "a***b"},
        {"a**b", "**", "a***b"},
    };
    for (const auto& one : cases)
        EXPECT_EQ(without_secret(one.text, one.secret), one.expected) << one.text;
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

TEST(CallFailure, EachKindHasANameAndAFate) {
    struct test_case {
        failure_kind kind;
        errc fate;
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
        // Every way of asking was refused: that is our request, and no video's fault.
        {failure_kind::schema_refused, errc::model_misconfigured},
        {failure_kind::thinking_refused, errc::model_misconfigured},
        {failure_kind::no_calls_left, errc::limit_reached},
        {failure_kind::budget_spent, errc::unauthorized},
        {failure_kind::storage, errc::storage_failed},
        {failure_kind::no_database, errc::database_unavailable},
        {failure_kind::cancelled, errc::cancelled},
    };
    std::set<std::string_view> names;
    for (const auto& one : cases) {
        EXPECT_TRUE(names.insert(name_of(one.kind)).second);
        const auto why = error_from({.kind = one.kind, .detail = "said so"});
        EXPECT_EQ(why.code(), one.fate) << name_of(one.kind);
        EXPECT_THAT(why.detail(), HasSubstr("said so"));
        EXPECT_THAT(why.detail(), HasSubstr(std::string{name_of(one.kind)}));
    }
}

TEST(CallFailure, AFailedTransferIsOneOfThem) {
    struct test_case {
        errc code;
        failure_kind kind;
    };
    constexpr test_case cases[] = {
        {errc::cancelled, failure_kind::cancelled},
        {errc::timed_out, failure_kind::slow},
        {errc::connection_failed, failure_kind::transient},
        // What the operator has set leads nowhere.
        {errc::address_refused, failure_kind::misconfigured},
        {errc::invalid_argument, failure_kind::misconfigured},
        {errc::storage_failed, failure_kind::storage},
        {errc::database_unavailable, failure_kind::no_database},
        {errc::limit_reached, failure_kind::no_calls_left},
        {errc::unauthorized, failure_kind::budget_spent},
        {errc::internal, failure_kind::transient},
    };
    for (const auto& one : cases)
        EXPECT_EQ(name_of(failure_from(error{one.code, "x"}).kind), name_of(one.kind));
}

}  // namespace
}  // namespace reelsd::model
