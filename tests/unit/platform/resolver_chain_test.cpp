// Goal: the chain stops where another question would be pointless, and reports what tells most.
// Method: resolvers with fixed answers.
#include <reelsd/platform/resolver.hpp>

#include <gtest/gtest.h>

#include <optional>

namespace reelsd::platform {
namespace {

struct answer {
    answer(errc why, bool is_in_doubt = false) : failure{why}, needs_confirmation{is_in_doubt} {}

    errc failure;
    bool needs_confirmation;
};

class fixed_resolver : public resolver {
public:
    fixed_resolver(std::optional<answer> failure, int& asked) : failure_{failure}, asked_{asked} {}

    [[nodiscard]] std::string_view name() const noexcept override { return "fixed"; }

    [[nodiscard]] resolution resolve(
        const link& wanted, deadline /*by*/, std::stop_token /*stop*/) const override {
        ++asked_;
        if (failure_) return no_post{error{failure_->failure}, failure_->needs_confirmation};
        post found;
        found.code = wanted.code;
        return found;
    }

private:
    std::optional<answer> failure_;
    int& asked_;
};

TEST(ResolverChain, StopsAndReports) {
    struct test_case {
        const char* name;
        std::vector<std::optional<answer>> answers;
        std::optional<errc> outcome;
        int asked;
    };
    constexpr auto found = std::nullopt;
    const answer perhaps_gone{errc::video_unavailable, true};
    const test_case cases[] = {
        {"the first has it", {found, errc::internal}, found, 1},
        {"the second has it", {errc::platform_changed, found}, found, 2},
        {"a definite no", {errc::video_unavailable, found}, errc::video_unavailable, 1},
        {"no video",
         {errc::platform_failed, errc::unsupported_format, found},
         errc::unsupported_format,
         2},
        {"a doubt that the next one dispels", {perhaps_gone, found}, found, 2},
        {"a doubt that the next one shares",
         {perhaps_gone, perhaps_gone, found},
         errc::video_unavailable,
         2},
        {"a doubt that a later one shares",
         {perhaps_gone, errc::platform_rate_limited, perhaps_gone, found},
         errc::video_unavailable,
         3},
        {"a doubt that another ends",
         {perhaps_gone, errc::unsupported_format, found},
         errc::unsupported_format,
         2},
        {"a doubt alone proves nothing",
         {errc::platform_rate_limited, perhaps_gone, errc::platform_failed},
         errc::platform_rate_limited,
         3},
        {"a doubt, and nobody else to ask", {perhaps_gone}, errc::video_unavailable, 1},
        {"stopped", {errc::cancelled, found}, errc::cancelled, 1},
        {"rate limit tells most",
         {errc::platform_failed, errc::platform_rate_limited, errc::platform_changed},
         errc::platform_rate_limited,
         3},
        {"change over failure",
         {errc::platform_failed, errc::platform_changed},
         errc::platform_changed,
         2},
        {"failure over network",
         {errc::connection_failed, errc::platform_failed, errc::timed_out},
         errc::platform_failed,
         3},
        {"the first of equals", {errc::address_refused, errc::internal}, errc::address_refused, 2},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        int asked = 0;
        std::vector<std::unique_ptr<resolver>> order;
        for (const auto& answer : expected.answers)
            order.push_back(std::make_unique<fixed_resolver>(answer, asked));
        const resolver_chain chain{std::move(order), log::logger::silent()};

        const auto got =
            chain.resolve(post_link("DYexample01"), deadline::after(std::chrono::seconds{1}), {});

        EXPECT_EQ(asked, expected.asked);
        ASSERT_EQ(got.has_value(), !expected.outcome);
        if (!expected.outcome) continue;
        EXPECT_EQ(got.error().code(), *expected.outcome);
    }
}

}  // namespace
}  // namespace reelsd::platform
