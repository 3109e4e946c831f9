#include "child/jail_settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::media {
namespace {

using ::testing::HasSubstr;

TEST(RefusalOf, RequiresTheFilterAndTheLimits) {
    struct test_case {
        const char* name;
        bool has_filter;
        bool has_limits;
        bool is_unprivileged;
        const char* when_required;
        const char* at_best_effort;
    };
    constexpr test_case cases[] = {
        {"all", true, true, true, "", ""},
        {"root with the filter", true, true, false, "", ""},
        {"no filter", false, true, true, "no system-call filter", ""},
        {"no limits", true, false, true, "no resource limits", ""},
        {"root without the filter", false, true, false, "root without", "root without"},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        jail::layers held;
        held.system_call_filter = expected.has_filter;
        held.resource_limits = expected.has_limits;
        held.unprivileged_user = expected.is_unprivileged;
        held.reasons = {"landlock: Function not implemented"};
        const auto refusal = refusal_of(held, jail_policy::require);
        EXPECT_EQ(refusal.empty(), expected.when_required[0] == '\0');
        EXPECT_THAT(refusal, HasSubstr(expected.when_required));
        const auto last_resort = refusal_of(held, jail_policy::best_effort);
        EXPECT_EQ(last_resort.empty(), expected.at_best_effort[0] == '\0');
        EXPECT_THAT(last_resort, HasSubstr(expected.at_best_effort));
        if (refusal.empty()) continue;
        EXPECT_THAT(refusal, HasSubstr("landlock: Function not implemented"));
    }
}

}  // namespace
}  // namespace reelsd::media
