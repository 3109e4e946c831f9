// Goal: the next analyzer replaces an unavailable one, with a warning; a refusal is final.
#include "builders.hpp"
#include <reelsd/model/analyzer.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelsd::model {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class fake_analyzer final : public analyzer {
public:
    fake_analyzer(std::string name, analysis says, int& asked)
        : name_{std::move(name)}, says_{std::move(says)}, asked_{asked} {}

    [[nodiscard]] std::string_view name() const noexcept override { return name_; }
    [[nodiscard]] std::optional<analysis_failure> refusal() const override {
        return refuses ? std::optional{analysis_failure{error{errc::model_unavailable, "no"}}}
                       : std::nullopt;
    }
    [[nodiscard]] analysis analyze(
        const video_input& /*video*/, call_ledger& /*calls*/, const deadline& /*by*/,
        const std::stop_token& /*stop*/) const override {
        ++asked_;
        return says_;
    }

    bool refuses = false;

private:
    std::string name_;
    analysis says_;
    int& asked_;
};

class no_ledger final : public call_ledger {
public:
    result<std::int64_t> begin_call(
        std::string_view /*provider*/, std::string_view /*model*/, call_kind /*kind*/) override {
        return error{errc::limit_reached};
    }
    void settle(std::int64_t /*call*/, const call_usage& /*usage*/) override {}
    result<std::string> answered_model() override { return answered; }
    void release(std::int64_t /*call*/) override {}

    std::string answered;
};

/// A chain of "one/x" and "two/y", and how often each was called.
struct two_links {
    two_links(analysis first, analysis second) {
        std::vector<std::unique_ptr<analyzer>> links;
        links.push_back(std::make_unique<fake_analyzer>("one/x", std::move(first), asked[0]));
        links.push_back(std::make_unique<fake_analyzer>("two/y", std::move(second), asked[1]));
        chain = std::make_unique<analyzer_chain>(std::move(links), log::logger::silent());
    }

    [[nodiscard]] analysis analyze(std::string answered = "") const {
        no_ledger calls;
        calls.answered = std::move(answered);
        return chain->analyze(
            testing::make_video(), calls, deadline::after(std::chrono::minutes{1}), {});
    }

    int asked[2] = {0, 0};
    std::unique_ptr<analyzer_chain> chain;
};

findings found(std::string provider) {
    findings outcome;
    outcome.provider = std::move(provider);
    outcome.warnings = {"its own"};
    return outcome;
}

TEST(AnalyzerChain, OnlyTheFirstIsCalled) {
    const two_links links{found("one"), found("two")};
    const auto outcome = links.analyze();
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->provider, "one");
    EXPECT_THAT(outcome->warnings, ElementsAre("its own"));
    EXPECT_EQ(links.asked[1], 0);
    EXPECT_EQ(links.chain->name(), "one/x");
}

TEST(AnalyzerChain, AModelThatHasAnsweredComesFirst) {
    const std::pair<const char*, const char*> cases[] = {
        {"two", "two"}, {"one", "one"}, {"tw", "one"}, {"three", "one"}};
    for (const auto& [answered, provider] : cases) {
        const two_links links{found("one"), found("two")};
        const auto outcome = links.analyze(answered);
        ASSERT_TRUE(outcome);
        EXPECT_EQ(outcome->provider, provider);
        EXPECT_EQ(links.asked[0] + links.asked[1], 1);
    }
}

TEST(AnalyzerChain, ALocalAnalysisIsReusedOnlyWhileAllModelsRefuse) {
    int asked = 0;
    std::vector<std::unique_ptr<analyzer>> links;
    std::vector<fake_analyzer*> models;
    for (const auto* name : {"one/x", "two/y", "local/z"}) {
        auto link = std::make_unique<fake_analyzer>(name, found(name), asked);
        models.push_back(link.get());
        links.push_back(std::move(link));
    }
    const analyzer_chain chain{std::move(links), log::logger::silent()};
    EXPECT_THAT(chain.reusable(), ElementsAre("one/x", "two/y"));
    models[0]->refuses = true;
    EXPECT_THAT(chain.reusable(), ElementsAre("one/x", "two/y"));
    models[1]->refuses = true;
    EXPECT_THAT(chain.reusable(), ElementsAre("one/x", "two/y", "local/z"));
    models[0]->refuses = false;
    EXPECT_THAT(chain.reusable(), ElementsAre("one/x", "two/y"));
}

TEST(AnalyzerChain, TheNextReplacesAnUnavailableOne) {
    for (const auto code :
         {errc::model_unavailable, errc::model_misconfigured, errc::limit_reached}) {
        const two_links links{analysis_failure{error{code, "no"}}, found("two")};
        const auto outcome = links.analyze();
        ASSERT_TRUE(outcome);
        EXPECT_EQ(outcome->provider, "two");
        EXPECT_THAT(
            outcome->warnings,
            ElementsAre("one was unavailable: another analyzer replaced it", "its own"));
    }
}

TEST(AnalyzerChain, ARefusalIsFinal) {
    for (const auto code :
         {errc::model_refused,
          errc::unsupported_format,
          errc::video_too_long,
          errc::media_failed,
          errc::cancelled,
          errc::timed_out,
          errc::database_unavailable,
          errc::storage_failed}) {
        const two_links links{analysis_failure{error{code, "no"}}, found("two")};
        const auto outcome = links.analyze();
        ASSERT_FALSE(outcome);
        EXPECT_EQ(outcome.error().why.code(), code);
        EXPECT_EQ(links.asked[1], 0) << name_of(code);
    }
}

TEST(AnalyzerChain, TheFirstOnesFailureIsReturnedWhenAllAreUnavailable) {
    const two_links links{
        analysis_failure{error{errc::model_misconfigured, "wrong key"}, seconds_f{5}, true},
        analysis_failure{error{errc::model_unavailable, "overloaded"}, seconds_f{9}}};
    const auto outcome = links.analyze();
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().why.code(), errc::model_misconfigured);
    EXPECT_THAT(outcome.error().why.detail(), HasSubstr("wrong key"));
    EXPECT_EQ(outcome.error().not_before, seconds_f{5});
    EXPECT_TRUE(outcome.error().asked_to_wait);
    EXPECT_EQ(links.asked[1], 1);
}

TEST(AnalyzerChain, ARefusalOfTheSecondIsFinal) {
    const two_links links{
        analysis_failure{error{errc::model_unavailable, "down"}},
        analysis_failure{error{errc::model_refused, "will not"}}};
    const auto outcome = links.analyze();
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().why.code(), errc::model_refused);
}

}  // namespace
}  // namespace reelsd::model
