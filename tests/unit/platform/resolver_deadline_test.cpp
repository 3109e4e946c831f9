// Goal: the time for a look-up ends with what was learned. Method: a resolver that uses it up, and
// a rate limiter that fails afterwards.
#include <reelsd/platform/resolver.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace reelsd::platform {
namespace {

/// Fails when the time for the look-up is over.
class slow_resolver final : public resolver {
public:
    [[nodiscard]] std::string_view name() const noexcept override { return "slow"; }
    [[nodiscard]] resolution resolve(
        const link& /*reel*/, deadline by, std::stop_token /*stop*/) const override {
        while (!by.passed()) std::this_thread::yield();
        return no_post{error{errc::proxy_failed, "127.0.0.1:9: it did not answer in time"}};
    }
};

/// As with the database: after the deadline, asking fails.
class timed_rate_limiter final : public rate_limiter {
public:
    [[nodiscard]] result<required_wait> ask(std::string_view /*resolver*/, deadline by) override {
        if (by.passed()) return error{errc::database_unavailable, "the deadline had passed"};
        return required_wait{};
    }
    seconds_f note(
        std::string_view /*resolver*/, const finished_try& /*ended*/,
        deadline /*by*/) noexcept override {
        return seconds_f{0};
    }
};

TEST(ResolverChain, ReportsWhatItLearnedWhenItsTimeIsOver) {
    std::vector<std::unique_ptr<resolver>> order;
    order.push_back(std::make_unique<slow_resolver>());
    order.push_back(std::make_unique<slow_resolver>());
    const resolver_chain chain{std::move(order), log::logger::silent()};
    timed_rate_limiter pace;
    const auto reel = post_link("DYexample01");
    const auto got = chain.resolve(reel, pace, deadline::after(std::chrono::milliseconds{20}), {});
    ASSERT_FALSE(got);
    EXPECT_EQ(unresolved{got.error()}.why.code(), errc::proxy_failed);
    const auto late = chain.resolve(reel, pace, deadline::after(std::chrono::seconds{0}), {});
    ASSERT_FALSE(late);
    EXPECT_EQ(unresolved{late.error()}.why.code(), errc::timed_out);
}

}  // namespace
}  // namespace reelsd::platform
