#include "bot/message_templates.hpp"

#include "bot/rich_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

// Goal: texts are complete, and foreign markup is escaped. Method: pure functions.
namespace reelsd::bot {
namespace {

using namespace std::chrono_literals;

constexpr const char* result = R"({
  "visual": {"text_on_screen": ["<b>SALE</b>", "50% & more"]},
  "audio": {"transcript": "Hello </blockquote> there."},
  "content": {"summary": "A cook <i>stirs</i>.",
    "key_moments": [{"timestamp": "00:03", "seconds": 3, "description": "It begins & ends"}, 7]},
  "platform_meta": {"author": "some.one", "author_name": "Some <One>",
    "url": "https://www.instagram.com/reel/abcdefg/"}})";

jobs::job job_of(std::int64_t id, jobs::job_status status) {
    jobs::job job;
    job.id = job_id{id};
    job.status = status;
    return job;
}

TEST(Summary, HasAllSections) {
    const auto html =
        to_html(templates::finished_reel(job_id{42}, result, {.calls = {}, .cost_usd = "0.0123"}));
    EXPECT_EQ(
        html,
        "<b>@some.one</b> (Some &lt;One&gt;) · "
        "<a href=\"https://www.instagram.com/reel/abcdefg/\">reel 42</a>\n"
        "A cook &lt;i&gt;stirs&lt;/i&gt;."
        "<b>\n\nKey moments</b>\n00:03  It begins &amp; ends"
        "<b>\n\nTranscript\n</b><blockquote expandable>Hello &lt;/blockquote&gt; "
        "there.</blockquote>"
        "<b>\n\nOn screen\n</b><blockquote expandable>&lt;b&gt;SALE&lt;/b&gt;\n50% &amp; more"
        "</blockquote>\n\nCost: $0.0123");
}

TEST(Summary, OmitsMissingFields) {
    for (const auto* incomplete :
         {"{}", "[]", "no JSON", R"({"content": 5, "audio": {"transcript": 5}})"}) {
        SCOPED_TRACE(incomplete);
        const auto text =
            without_tags(to_html(templates::finished_reel(job_id{1}, incomplete, {})));
        EXPECT_EQ(text, "Unknown author · reel 1\nNo summary is available.\n\nCost: free");
    }
}

TEST(Summary, MentionsCallsOfUnknownCost) {
    const auto cost_of = [](const usage::reel_report& used) {
        const auto text = without_tags(to_html(templates::finished_reel(job_id{1}, "{}", used)));
        return text.substr(text.find("Cost: "));
    };
    EXPECT_EQ(
        cost_of({.calls = {}, .unpriced_calls = 1, .cost_usd = "0.0123"}),
        "Cost: $0.0123 and 1 call of unknown cost");
    EXPECT_EQ(
        cost_of({.calls = {}, .unpriced_calls = 2, .cost_usd = "0.0123"}),
        "Cost: $0.0123 and 2 calls of unknown cost");
    EXPECT_EQ(
        cost_of({.calls = {}, .unpriced_calls = 1, .cost_usd = std::nullopt}), "Cost: unknown");
}

questions::answer answer_about_flour() {
    return {
        .is_answered = true,
        .text = "Two <cups>.",
        .citations =
            {{.id = job_id{42},
              .code = "abc_-1",
              .field = "audio.transcript",
              .text = "two cups & more",
              .seconds = 65.5},
             {.id = job_id{7}, .code = "upload-0123", .field = "content.summary", .text = "cups"}},
        .provider = "gemini",
        .model = "m",
        .cost_usd = "0.00041"};
}

TEST(Answer, LinksToThePostsOfItsCitations) {
    EXPECT_EQ(
        to_html(templates::answer(answer_about_flour())),
        "Two &lt;cups&gt;.\n\n"
        "<a href=\"https://www.instagram.com/reel/abc_-1/\">Reel 42, 1:05</a>\n"
        "“two cups &amp; more”\n\nReel 7\n“cups”\n\nCost: $0.00041");
}

TEST(Answer, SaysWhyThereIsNone) {
    auto unanswered = answer_about_flour();
    unanswered.is_answered = false;
    unanswered.text = "The reels do not say.";
    unanswered.citations.clear();
    EXPECT_EQ(to_html(templates::answer(unanswered)), "The reels do not say.\n\nCost: $0.00041");
}

TEST(RefusedQuestion, SaysWhenToTryAgain) {
    EXPECT_EQ(
        to_html(templates::refused_question(questions::no_model())),
        "The question was not answered: asking needs a model; this server has none.");
    EXPECT_EQ(
        to_html(templates::refused_question(
            {.why = questions::refusal::reason::unavailable,
             .text = "the model cannot be reached",
             .retry_after = 30})),
        "The question was not answered: the model cannot be reached. Try again in 30 seconds.");
    EXPECT_EQ(
        to_html(templates::refused_question(
            {.why = questions::refusal::reason::budget_spent,
             .text = "monthly budget of $5.00 is spent",
             .retry_after = 212'655})),
        "The question was not answered: monthly budget of $5.00 is spent. Wait for the next month "
        "(UTC), or ask an administrator for a higher budget.");
}

TEST(CostText, IsExact) {
    EXPECT_EQ(templates::cost_text("0"), "free");
    EXPECT_EQ(templates::cost_text("0.000"), "free");
    EXPECT_EQ(templates::cost_text("0.0001234"), "$0.0001234");
    EXPECT_EQ(templates::cost_text("12"), "$12.00");
    EXPECT_EQ(templates::cost_text(std::nullopt), "unknown");
}

TEST(Templates, FormatsTimes) {
    EXPECT_EQ(templates::time_text(65.9), "1:05");
    EXPECT_EQ(templates::time_text(-3), "0:00");
}

TEST(Templates, ListReelsInEveryState) {
    auto done = job_of(3, jobs::job_status::done);
    done.brief = jobs::reel_brief{.code = "a", .author = "<ann>", .summary = "One\ntwo"};
    auto failed = job_of(2, jobs::job_status::error);
    failed.error = "Gone";
    auto waiting = job_of(1, jobs::job_status::pending);
    waiting.url = "https://x.test/";
    EXPECT_EQ(
        to_html(templates::list({done, failed, waiting})),
        "<b>Your latest reels</b>\n\n<b>3</b> done · @&lt;ann&gt;\nOne two\n\n<b>2</b> failed\nGone"
        "\n\n<b>1</b> waiting\nhttps://x.test/");
    EXPECT_EQ(to_html(templates::list({})), "No reels yet. Send me a link to one.");
}

TEST(Templates, ShowUsage) {
    templates::usage_summary used;
    used.total = {.calls = 3, .prompt_tokens = 1000, .output_tokens = 500, .cost_usd = "0.5"};
    used.this_month = {.calls = 1, .prompt_tokens = 10, .output_tokens = 5, .cost_usd = "0"};
    used.budget = {.monthly_budget_usd = "5", .month = "2026-11", .spent_this_month_usd = "0.125"};
    EXPECT_EQ(
        without_tags(to_html(templates::usage(used))),
        "This month: 15 tokens in 1 calls, free\nTotal: 1,500 tokens in 3 calls, $0.50\n"
        "Monthly budget: $5.00, of which $0.125 is spent");
}

TEST(Templates, ReportTheCauseOfAFailure) {
    auto failed = job_of(2, jobs::job_status::error);
    failed.url = "https://x.test/?a&b";
    failed.error = "Video is not available: it's <private>";
    EXPECT_EQ(
        to_html(templates::failure(failed, time_point{})),
        "<b>Reel 2</b> failed.\nVideo is not available: it's "
        "&lt;private&gt;\n\nhttps://x.test/?a&amp;b");
}

TEST(Templates, ReportTheTimeUntilARetry) {
    auto failed = job_of(2, jobs::job_status::error);
    failed.error = "Why.";
    failed.is_retryable = true;
    failed.finished_at = time_point{};
    failed.retry_after_seconds = 900;
    const auto text_after = [&](std::chrono::seconds passed) {
        return to_html(templates::failure(failed, time_point{passed}));
    };
    const std::string now = "<b>Reel 2</b> failed.\nWhy.\n\n";
    EXPECT_EQ(text_after(190s), "<b>Reel 2</b> failed.\nWhy.\nYou can try again in 12 min.\n\n");
    EXPECT_EQ(text_after(900s), now);
    failed.retry_after_seconds = 7500;
    EXPECT_THAT(text_after(0s), ::testing::HasSubstr("You can try again in 2 h 5 min."));
    failed.is_retryable = false;
    EXPECT_EQ(text_after(0s), now);
}

}  // namespace
}  // namespace reelsd::bot
