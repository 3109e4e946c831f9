// Goal: the chain stops at a definite answer, and reports the most informative error. Method:
// resolvers with fixed answers.
#include <reelsd/platform/resolver.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace reelsd::platform {
namespace {

deadline in_a_minute() {
    return deadline::after(std::chrono::minutes{1});
}

struct answer {
    answer(errc why, bool must_be_confirmed = false, confidence how_much = confidence::plain)
        : failure{why}, needs_confirmation{must_be_confirmed}, worth{how_much} {}

    errc failure;
    bool needs_confirmation;
    confidence worth;
};

class fixed_resolver : public resolver {
public:
    fixed_resolver(std::optional<answer> failure, int& asked, std::string name = "fixed")
        : failure_{failure}, asked_{asked}, name_{std::move(name)} {}

    [[nodiscard]] std::string_view name() const noexcept override { return name_; }

    [[nodiscard]] resolution resolve(
        const link& reel, deadline /*by*/, std::stop_token /*stop*/) const override {
        ++asked_;
        if (failure_)
            return no_post{error{failure_->failure}, failure_->needs_confirmation, failure_->worth};
        post subject;
        subject.code = reel.code;
        return subject;
    }

private:
    std::optional<answer> failure_;
    int& asked_;
    std::string name_;
};

/// Resolvers with these answers and the names "a", "b", "c".
resolver_chain chain_of(const std::vector<std::optional<answer>>& answers, int& asked) {
    std::vector<std::unique_ptr<resolver>> order;
    for (const auto& failure : answers) {
        const std::string name(1, static_cast<char>('a' + order.size()));
        order.push_back(std::make_unique<fixed_resolver>(failure, asked, name));
    }
    return {std::move(order), log::logger::silent()};
}

/// Counts calls of note_unconfirmed().
class unsure_resolver final : public fixed_resolver {
public:
    unsure_resolver(int& asked, int& unconfirmed)
        : fixed_resolver{answer{errc::video_unavailable, true, confidence::low}, asked, "session"},
          unconfirmed_{unconfirmed} {}
    void note_unconfirmed(const link& /*reel*/) const override { ++unconfirmed_; }

private:
    int& unconfirmed_;
};

TEST(ResolverChain, NotifiesAnUnsureResolverUnlessAnotherConfirmsIt) {
    struct test_case {
        const char* name;
        std::optional<answer> other;
        bool is_other_first;
        int unconfirmed;
    };
    const answer gone{errc::video_unavailable, true};
    const test_case cases[] = {
        {"confirmed before", gone, true, 0},
        {"confirmed after", gone, false, 0},
        {"contradicted after", std::nullopt, false, 1},
        {"gated", answer{errc::video_restricted}, true, 1},
        {"throttled", answer{errc::platform_rate_limited}, true, 1},
        {"stopped", answer{errc::cancelled}, false, 0},
    };
    for (const auto& expected : cases) {
        int asked = 0;
        int unconfirmed = 0;
        std::vector<std::unique_ptr<resolver>> order;
        order.push_back(std::make_unique<unsure_resolver>(asked, unconfirmed));
        auto other = std::make_unique<fixed_resolver>(expected.other, asked, "page");
        order.insert(expected.is_other_first ? order.begin() : order.end(), std::move(other));
        const resolver_chain chain{std::move(order), log::logger::silent()};
        no_rate_limit pace;
        (void)chain.resolve(post_link("DYexample01"), pace, in_a_minute(), {});
        EXPECT_EQ(unconfirmed, expected.unconfirmed) << expected.name;
        EXPECT_EQ(asked, 2) << expected.name;
    }
}

enum class session_state : std::uint8_t { enabled, disabled, ends_when_asked };

/// The resolver "session", which may be disabled.
class fixed_session final : public fixed_resolver {
public:
    fixed_session(std::optional<answer> failure, int& asked, session_state state)
        : fixed_resolver{failure, asked, "session"}, asked_{asked}, state_{state} {}
    [[nodiscard]] bool is_enabled(deadline /*by*/) const override {
        return state_ == session_state::enabled ||
               (state_ == session_state::ends_when_asked && asked_ == 0);
    }

private:
    int& asked_;
    session_state state_;
};

TEST(ResolverChain, AsksTheSessionForPostsHiddenFromVisitors) {
    struct test_case {
        const char* name;
        std::optional<answer> visitor;
        session_state state;
        std::optional<answer> session;
        std::optional<errc> outcome;
        int visitors;
        int sessions;
    };
    constexpr auto success = std::nullopt;
    constexpr auto limited = errc::platform_rate_limited;
    constexpr auto gated = errc::video_restricted;
    using enum session_state;
    constexpr auto gone = errc::video_unavailable;
    const answer perhaps_gone{gone, true};
    constexpr auto failed = errc::platform_failed;
    const answer masked{gone, true, confidence::low};
    const test_case cases[] = {
        {"gated", answer{gated}, enabled, success, success, 1, 1},
        {"restricted to signed-in users",
         answer{errc::login_required},
         enabled,
         success,
         success,
         1,
         1},
        {"gated, disabled", answer{gated}, disabled, success, gated, 1, 0},
        {"gated for both",
         answer{gated},
         enabled,
         answer{errc::login_required},
         errc::login_required,
         1,
         1},
        {"gated, then refused", answer{gated}, ends_when_asked, answer{failed}, gated, 1, 1},
        {"gated, then a server error", answer{gated}, enabled, answer{failed}, failed, 1, 1},
        {"gated, then throttled", answer{gated}, enabled, answer{limited}, limited, 1, 1},
        {"gated, then a dead proxy",
         answer{gated},
         enabled,
         answer{errc::proxy_failed},
         errc::proxy_failed,
         1,
         1},
        {"gated, then a changed platform",
         answer{gated},
         enabled,
         answer{errc::platform_changed},
         gated,
         1,
         1},
        {"gated, then a masked 404", answer{gated}, enabled, masked, gated, 1, 1},
        {"gone", answer{gone}, enabled, success, gone, 1, 0},
        {"throttled", answer{limited}, enabled, success, success, 2, 1},
        {"throttled, then refused",
         answer{limited},
         ends_when_asked,
         answer{failed},
         limited,
         2,
         1},
        {"throttled, disabled", answer{limited}, disabled, success, limited, 2, 0},
        {"throttled, then a masked 404", answer{limited}, enabled, masked, limited, 2, 1},
        {"unconfirmed, then a masked 404", perhaps_gone, enabled, masked, gone, 2, 0},
    };
    for (const auto& expected : cases) {
        int visitors = 0;
        int sessions = 0;
        std::vector<std::unique_ptr<resolver>> order;
        order.push_back(std::make_unique<fixed_resolver>(expected.visitor, visitors, "page"));
        order.push_back(std::make_unique<fixed_resolver>(expected.visitor, visitors, "embed"));
        order.push_back(
            std::make_unique<fixed_session>(expected.session, sessions, expected.state));
        const resolver_chain chain{std::move(order), log::logger::silent()};
        no_rate_limit pace;
        const auto outcome = chain.resolve(post_link("DYexample01"), pace, in_a_minute(), {});
        EXPECT_EQ(outcome.has_value(), !expected.outcome) << expected.name;
        if (outcome) {
            EXPECT_EQ(outcome->resolver, "session") << expected.name;
        } else {
            EXPECT_EQ(outcome.error().why.code(), expected.outcome) << expected.name;
        }
        EXPECT_EQ(visitors, expected.visitors) << expected.name;
        EXPECT_EQ(sessions, expected.sessions) << expected.name;
    }
}

TEST(ResolverChain, StopsAndReports) {
    struct test_case {
        const char* name;
        std::vector<std::optional<answer>> answers;
        std::optional<errc> outcome;
        int asked;
    };
    constexpr auto success = std::nullopt;
    const answer perhaps_gone{errc::video_unavailable, true};
    const answer no_file{errc::separate_tracks, true};
    const answer seen{errc::platform_failed, false, confidence::refuted};
    const answer corroborated{errc::video_unavailable, true, confidence::corroborated};
    const answer low_confidence{errc::video_unavailable, true, confidence::low};
    const test_case cases[] = {
        {"the first has it", {success, errc::internal}, success, 1},
        {"the second has it", {errc::platform_changed, success}, success, 2},
        {"a definite error", {errc::video_unavailable, success}, errc::video_unavailable, 1},
        {"no video", {errc::platform_failed, errc::no_video, success}, errc::no_video, 2},
        {"unconfirmed, and the next has the post", {perhaps_gone, success}, success, 2},
        {"unconfirmed, and the next agrees",
         {perhaps_gone, perhaps_gone, success},
         errc::video_unavailable,
         2},
        {"unconfirmed, and a later one agrees",
         {perhaps_gone, errc::platform_rate_limited, perhaps_gone, success},
         errc::video_unavailable,
         3},
        {"unconfirmed, then a definite error",
         {perhaps_gone, errc::no_video, success},
         errc::no_video,
         2},
        {"unconfirmed, and no other agrees",
         {errc::platform_rate_limited, perhaps_gone, errc::platform_failed},
         errc::platform_rate_limited,
         3},
        {"unconfirmed, without other resolvers", {perhaps_gone}, errc::video_unavailable, 1},
        {"corroborated, and no resolver has the post",
         {errc::platform_failed, corroborated, errc::platform_rate_limited},
         errc::video_unavailable,
         3},
        {"corroborated, but one has the post", {corroborated, success}, success, 2},
        {"corroborated, of a post that was seen",
         {errc::platform_rate_limited, corroborated, seen},
         errc::platform_rate_limited,
         3},
        {"unconfirmed after the post was seen",
         {seen, perhaps_gone, corroborated},
         errc::platform_failed,
         3},
        {"low confidence, without other resolvers", {low_confidence}, errc::platform_failed, 1},
        {"low confidence confirms another",
         {perhaps_gone, errc::platform_failed, low_confidence},
         errc::video_unavailable,
         3},
        {"the next has the file", {no_file, success}, success, 2},
        {"the third has the file", {no_file, no_file, success}, success, 3},
        {"no resolver has the file", {no_file, no_file}, errc::separate_tracks, 2},
        {"another may have the file later",
         {no_file, errc::platform_rate_limited},
         errc::platform_rate_limited,
         2},
        {"no file, without other resolvers", {no_file}, errc::separate_tracks, 1},
        {"stopped", {errc::cancelled, success}, errc::cancelled, 1},
        {"rate limit over all",
         {errc::platform_failed, errc::platform_rate_limited, errc::platform_changed},
         errc::platform_rate_limited,
         3},
        {"the change", {errc::platform_failed, errc::platform_changed}, errc::platform_changed, 2},
        {"failure over network",
         {errc::connection_failed, errc::platform_failed, errc::timed_out},
         errc::platform_failed,
         3},
        {"the first of equals", {errc::media_failed, errc::conflict}, errc::media_failed, 2},
        {"a fault of this machine", {errc::internal, success}, errc::internal, 1},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        int asked = 0;
        const auto chain = chain_of(expected.answers, asked);
        no_rate_limit pace;
        const auto got = chain.resolve(post_link("DYexample01"), pace, in_a_minute(), {});

        EXPECT_EQ(asked, expected.asked);
        ASSERT_EQ(got.has_value(), !expected.outcome);
        if (!expected.outcome) continue;
        const unresolved none = got.error();
        EXPECT_EQ(none.why.code(), *expected.outcome);
        EXPECT_FALSE(none.snooze);
    }
}

TEST(ResolverChain, AsksAResolverByAnotherProxyWhenTheFirstMayHaveFailed) {
    struct test_case {
        const char* name;
        std::vector<std::optional<answer>> answers;  ///< Of page by a and b, graphql by a and b.
        std::optional<errc> outcome;
        int asked;
    };
    constexpr auto post = std::nullopt;
    const answer perhaps_gone{errc::video_unavailable, true};
    const test_case cases[] = {
        {"a proxy that fails", {errc::proxy_failed, post, post, post}, post, 2},
        {"an address that is throttled", {errc::platform_rate_limited, post, post, post}, post, 2},
        {"a page that has changed", {errc::platform_changed, errc::internal, post, post}, post, 2},
        {"unconfirmed, and the other resolver agrees",
         {perhaps_gone, post, perhaps_gone, post},
         errc::video_unavailable,
         2},
        {"proxies that all fail",
         {errc::proxy_failed, errc::proxy_failed, errc::proxy_failed, errc::proxy_failed},
         errc::proxy_failed,
         4},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        int asked = 0;
        std::vector<std::unique_ptr<resolver>> order;
        for (const auto& answer : expected.answers) {
            const auto* const proxy = order.size() % 2 == 0 ? "a:1" : "b:2";
            const auto name = routed_name(order.size() < 2 ? "page" : "graphql", proxy);
            order.push_back(std::make_unique<fixed_resolver>(answer, asked, name));
        }
        const resolver_chain chain{std::move(order), log::logger::silent()};
        no_rate_limit pace;
        const auto got = chain.resolve(post_link("DYexample01"), pace, in_a_minute(), {});
        EXPECT_EQ(asked, expected.asked);
        ASSERT_EQ(got.has_value(), !expected.outcome);
        if (got) {
            EXPECT_EQ(got->resolver.find(" via "), std::string::npos);
        } else {
            EXPECT_EQ(unresolved{got.error()}.why.code(), *expected.outcome);
        }
    }
}

/// Returns the scripted waits of each resolver in order, then permits. Records all notes.
class scripted_rate_limiter final : public rate_limiter {
public:
    explicit scripted_rate_limiter(
        std::map<std::string, std::vector<required_wait>, std::less<>> waits)
        : waits_{std::move(waits)} {}

    [[nodiscard]] result<required_wait> ask(std::string_view resolver, deadline /*by*/) override {
        const auto scripted = waits_.find(resolver);
        if (scripted == waits_.end() || scripted->second.empty()) return required_wait{};
        const auto next = scripted->second.front();
        // The last one is kept.
        if (scripted->second.size() > 1) scripted->second.erase(scripted->second.begin());
        return next;
    }

    [[nodiscard]] std::string_view permitted() const noexcept override { return permit; }

    seconds_f note(
        std::string_view resolver, const finished_try& ended, deadline /*by*/) noexcept override {
        constexpr const char* names[] = {
            "answered", "rate_limited", "changed", "failed", "throttled"};
        notes.push_back(std::string{resolver} + " " + names[static_cast<int>(ended.outcome)]);
        codes.insert(std::string{ended.code});
        return ended.outcome == try_outcome::rate_limited ? rest : seconds_f{0};
    }

    std::vector<std::string> notes;
    std::set<std::string> codes;
    std::string permit;
    seconds_f rest{0};  ///< After try_outcome::rate_limited.

private:
    std::map<std::string, std::vector<required_wait>, std::less<>> waits_;
};

// Goal: resolvers that cool down are skipped; a long wait for the first permit snoozes the job;
// every look-up is noted. Method: a scripted rate limiter.
TEST(ResolverChain, ObeysTheRateLimiter) {
    struct test_case {
        const char* name;
        std::map<std::string, std::vector<required_wait>, std::less<>> waits;
        std::vector<std::optional<answer>> answers;  ///< Of a, b, c.
        std::optional<errc> outcome;
        std::optional<double> snooze;
        std::vector<std::string> notes;
    };
    constexpr auto success = std::nullopt;
    const answer perhaps_gone{errc::video_unavailable, true};
    const required_wait cooling{.wait = seconds_f{900}, .is_cooldown = true};
    const required_wait longer{.wait = seconds_f{1800}, .is_cooldown = true};
    const required_wait refused{.wait = std::chrono::hours{24 * 3650}, .is_cooldown = true};
    const required_wait much_later{.wait = seconds_f{50}};
    const required_wait blink{.wait = seconds_f{0.001}};
    const required_wait none{};
    const test_case cases[] = {
        {"immediately", {}, {success, success}, success, {}, {"a answered"}},
        {"after a short wait",
         {{"a", {blink, blink, none}}},
         {success},
         success,
         {},
         {"a answered"}},
        {"snoozed by a long wait",
         {{"a", {much_later}}},
         {success, success},
         errc::platform_rate_limited,
         50,
         {}},
        {"skips one that cools down",
         {{"a", {cooling}}},
         {success, success},
         success,
         {},
         {"b answered"}},
        {"waits for the next when the first cools down",
         {{"a", {cooling}}, {"b", {much_later}}},
         {success, success, success},
         errc::platform_rate_limited,
         50,
         {}},
        {"all cool down",
         {{"a", {longer}}, {"b", {cooling}}},
         {success, success},
         errc::platform_rate_limited,
         900,
         {}},
        {"waits for one that cools down when the others would fail again",
         {{"a", {cooling}}},
         {success, answer{errc::separate_tracks, true}},
         errc::platform_rate_limited,
         900,
         {"b failed"}},
        {"does not wait for a session that is refused",
         {{"a", {refused}}},
         {success, errc::platform_failed},
         errc::platform_failed,
         {},
         {"b failed"}},
        {"waits for a later one",
         {{"b", {blink, none}}},
         {errc::platform_changed, success},
         success,
         {},
         {"a changed", "b answered"}},
        {"but not for long",
         {{"b", {much_later}}},
         {errc::platform_rate_limited, success},
         errc::platform_rate_limited,
         {},
         {"a rate_limited"}},
        {"unconfirmed, and the others cool down",
         {{"b", {cooling}}, {"c", {longer}}},
         {perhaps_gone, success, success},
         errc::video_unavailable,
         900,
         {"a failed"}},
        {"a definite error is an answer",
         {},
         {errc::login_required},
         errc::login_required,
         {},
         {"a answered"}},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        int asked = 0;
        const auto chain = chain_of(expected.answers, asked);
        scripted_rate_limiter pace{expected.waits};

        const auto got = chain.resolve(post_link("DYexample01"), pace, in_a_minute(), {});

        EXPECT_EQ(pace.notes, expected.notes);
        EXPECT_LE(pace.codes, std::set<std::string>{"DYexample01"});
        EXPECT_EQ(asked, static_cast<int>(expected.notes.size()));
        ASSERT_EQ(got.has_value(), !expected.outcome);
        if (!expected.outcome) continue;
        const unresolved why = got.error();
        EXPECT_EQ(why.why.code(), *expected.outcome);
        ASSERT_EQ(why.snooze.has_value(), expected.snooze.has_value());
        EXPECT_EQ(why.snooze.value_or(none).wait.count(), expected.snooze.value_or(0));
    }
}

// Goal: the proxy of the permit is asked first, and its resolver's other proxies after it. Method:
// a rate limiter with a permit for the second proxy of the second resolver.
TEST(ResolverChain, BeginsWithTheProxyOfThePermit) {
    struct test_case {
        const char* name;
        std::vector<std::optional<answer>> answers;  ///< Of graphql by a and b.
        std::optional<errc> outcome;
        std::vector<std::string> notes;
    };
    constexpr auto dead = errc::proxy_failed;
    const test_case cases[] = {
        {"the permitted one works",
         {std::nullopt, std::nullopt},
         std::nullopt,
         {"graphql via b:2 answered"}},
        {"the other works",
         {std::nullopt, dead},
         std::nullopt,
         {"graphql via b:2 failed", "graphql via a:1 answered"}},
        {"none works", {dead, dead}, dead, {"graphql via b:2 failed", "graphql via a:1 failed"}},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        int asked = 0;
        std::vector<std::unique_ptr<resolver>> order;
        order.push_back(std::make_unique<fixed_resolver>(dead, asked, "page via a:1"));
        for (std::size_t at : {0U, 1U})
            order.push_back(std::make_unique<fixed_resolver>(
                expected.answers[at], asked, at == 0 ? "graphql via a:1" : "graphql via b:2"));
        const resolver_chain chain{std::move(order), log::logger::silent()};
        scripted_rate_limiter pace{{{"page via a:1", {{.wait = seconds_f{90}}}}}};
        pace.permit = "graphql via b:2";
        const auto got =
            chain.resolve(post_link("DYexample01"), pace, in_a_minute(), {}, {.is_repeat = true});
        EXPECT_EQ(pace.notes, expected.notes);
        ASSERT_EQ(got.has_value(), !expected.outcome);
        if (!expected.outcome) continue;
        EXPECT_EQ(unresolved{got.error()}.why.code(), *expected.outcome);
    }
}

// Goal: a repeated look-up is not snoozed, because the job would then repeat the first one too.
TEST(ResolverChain, WaitsForEveryPermitOfARepeatedLookUp) {
    int asked = 0;
    const auto chain = chain_of({std::nullopt}, asked);
    const std::vector<required_wait> waits{{.wait = seconds_f{1.1}}, {}};
    for (const bool is_repeat : {false, true}) {
        scripted_rate_limiter pace{{{"a", waits}}};
        const auto got = chain.resolve(
            post_link("DYexample01"), pace, in_a_minute(), {}, {.is_repeat = is_repeat});
        EXPECT_EQ(got.has_value(), is_repeat);
    }
    EXPECT_EQ(asked, 1);
}

// Goal: a link that all resolvers may be hiding gets a separate delay, and a failure reports the
// cool-down of others. Method: a rate limiter that requests a rest after each ambiguous refusal.
TEST(ResolverChain, ReportsWhenTheSameLinkMayBeTriedAgain) {
    struct test_case {
        const char* name;
        std::vector<std::optional<answer>> answers;  ///< Of a, b, c.
        double rest;                                 ///< After a refusal that began no cool-down.
        double cooldown_of_c;                        ///< 0: without c.
        double not_before;
    };
    constexpr auto refused = errc::platform_rate_limited;
    constexpr auto failed = errc::platform_failed;
    const test_case cases[] = {
        {"all refused", {refused, refused}, 900, 0, 900},
        {"one failed otherwise", {refused, failed}, 900, 0, 0},
        {"all cool down", {refused, refused}, 0, 0, 0},
        {"another cools down", {failed, failed, std::nullopt}, 0, 900, 0},
        {"all refused, and another cools down", {refused, refused, std::nullopt}, 900, 60, 60},
        {"it cools down for longer", {refused, refused, std::nullopt}, 900, 3700, 900},
    };
    for (const auto& expected : cases) {
        SCOPED_TRACE(expected.name);
        int asked = 0;
        const auto chain = chain_of(expected.answers, asked);
        const seconds_f left{expected.cooldown_of_c};
        scripted_rate_limiter pace{{{"c", {{.wait = left, .is_cooldown = true}}}}};
        pace.rest = seconds_f{expected.rest};

        const auto got = chain.resolve(post_link("DYexample01"), pace, in_a_minute(), {});

        EXPECT_EQ(asked, 2);
        ASSERT_FALSE(got);
        const unresolved none = got.error();
        EXPECT_EQ(none.why.code(), expected.answers.front()->failure);
        EXPECT_FALSE(none.snooze);
        EXPECT_EQ(none.not_before.count(), expected.not_before);
        EXPECT_EQ(none.cooldown_left, left);
    }
}

TEST(ResolverChain, StopsWaitingOnRequest) {
    int asked = 0;
    const auto chain = chain_of({errc::platform_failed, std::nullopt}, asked);
    scripted_rate_limiter pace{{{"b", {{.wait = seconds_f{15}}}}}};
    std::stop_source stop;
    stop.request_stop();
    const auto got = chain.resolve(post_link("DYexample01"), pace, in_a_minute(), stop.get_token());
    ASSERT_FALSE(got);
    EXPECT_EQ(unresolved{got.error()}.why.code(), errc::cancelled);
    EXPECT_EQ(asked, 1);
}

}  // namespace
}  // namespace reelsd::platform
