#include <reelsd/base/clock.hpp>
#include <reelsd/base/invariant.hpp>
#include <reelsd/base/log.hpp>
#include <reelsd/base/result.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace reelsd {
namespace {

using namespace std::chrono_literals;

TEST(Clock, Rfc3339IsUtcInWholeSeconds) {
    EXPECT_EQ(to_rfc3339(time_point{}), "1970-01-01T00:00:00Z");
    EXPECT_EQ(to_rfc3339(time_point{1779444000s + 999999us}), "2026-05-22T10:00:00Z");
    EXPECT_EQ(to_rfc3339(time_point{-1us}), "1969-12-31T23:59:59Z");
}

TEST(Deadline, TakesTheEarlier) {
    const auto soon = deadline::after(1s);
    EXPECT_EQ(soon.at_most(1h).when(), soon.when());
    EXPECT_LT(deadline::after(1h).at_most(1s).when(), deadline::after(1h).when());
    EXPECT_TRUE(deadline::after(-1s).passed());
    EXPECT_EQ(deadline::after(-1s).remaining(), 0s);
}

TEST(Error, TextHasCodeAndDetail) {
    EXPECT_EQ(error{errc::cancelled}.to_string(), "cancelled");
    EXPECT_EQ((error{errc::timed_out, "page"}.to_string()), "timed_out: page");
    const result<int> failed = error{errc::internal, "why"};
    EXPECT_THROW(static_cast<void>(failed.value()), std::runtime_error);
}

TEST(InvariantDeathTest, NamesTheLocation) {
    EXPECT_DEATH(invariant(false), "broken invariant in .*base_test.cpp");
}

// Goal: one event is one line, for any text that a client sends.
TEST(Log, TextLinesCannotBeForged) {
    EXPECT_EQ(
        log::render_text(
            "job finished", {{"job", 42}, {"ok", true}, {"seconds", 1.5}, {"url", "https://x/"}}),
        "job finished job=42 ok=true seconds=1.500 url=https://x/");
    EXPECT_EQ(
        log::render_text("m", {{"t", "a b\n\"c\"=\x1b"}, {"e", ""}}),
        "m t=\"a b\\n\\\"c\\\"=\\u001b\" e=\"\"");
    EXPECT_EQ(log::render_text("m", {{"t", "bad \xff utf8"}}), "m t=\"bad \xef\xbf\xbd utf8\"");
}

TEST(Log, AJsonLineIsOneObject) {
    EXPECT_EQ(
        log::render_json("m", {{"n", 1}, {"b", false}, {"t", "x\ny"}}),
        R"("message":"m","n":1,"b":false,"t":"x\ny")");
}

TEST(Log, NumbersOfAnySizeAreWhole) {
    using whole = std::numeric_limits<std::int64_t>;
    using real = std::numeric_limits<double>;
    EXPECT_EQ(
        log::render_text("m", {{"least", whole::min()}, {"most", whole::max()}}),
        "m least=-9223372036854775808 most=9223372036854775807");
    EXPECT_EQ(
        log::render_text("m", {{"a", -0.0004}, {"b", 0.0005}, {"c", 0.0625}, {"d", 2.9996}}),
        "m a=-0.000 b=0.001 c=0.062 d=3.000");
    const auto lowest = log::render_text("", {{"n", real::lowest()}});
    EXPECT_EQ(lowest.substr(0, 12), " n=-17976931");
    EXPECT_EQ(lowest.size(), std::string_view{" n=-.000"}.size() + 309);
    EXPECT_EQ(
        log::render_text("m", {{"a", real::infinity()}, {"b", real::quiet_NaN()}}),
        "m a=inf b=nan");
    EXPECT_EQ(
        log::render_json("m", {{"a", -real::infinity()}, {"b", real::quiet_NaN()}}),
        R"("message":"m","a":null,"b":null)");
}

TEST(Log, LongTextsAreWhole) {
    const std::string text(10'000, 'x');
    EXPECT_EQ(log::render_text(text, {{"t", text}}), text + " t=" + text);
    EXPECT_EQ(
        log::render_json(text, {{"t", text}}),
        "\"message\":\"" + text + "\",\"t\":\"" + text + "\"");
}

}  // namespace
}  // namespace reelsd
