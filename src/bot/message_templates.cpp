#include "message_templates.hpp"

#include <reelsd/domain/jobs/submission_batcher.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>

namespace reelsd::bot::wording {
namespace {

/// On one line, and short enough for a row of a list.
std::string short_line(std::string_view text, std::size_t bytes_max) {
    std::string line{text};
    std::replace(line.begin(), line.end(), '\n', ' ');
    if (line.size() <= bytes_max) return line;
    auto end = bytes_max;
    while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U) --end;
    line.resize(end);
    return line.append("…");
}

constexpr std::size_t row_bytes_max = 160;
constexpr std::size_t passage_bytes_max = 240;

/// As on the pages of the dashboard.
std::string_view step_words(std::string_view step) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 5> known{
        {{"resolve", "finding the post"},
         {"download", "downloading the video"},
         {"probe", "checking the file"},
         {"analyze", "analysing"},
         {"publish", "saving the result"}}};
    for (const auto& [name, words] : known) {
        if (name == step) return words;
    }
    return "working";
}

std::string_view status_words(jobs::job_status status) {
    switch (status) {
        case jobs::job_status::pending: return "waiting";
        case jobs::job_status::processing: return "working";
        case jobs::job_status::done: return "done";
        case jobs::job_status::error: break;
    }
    return "failed";
}

text_span reel(job_id job) {
    return bold(fmt::format("Reel {}", job.value));
}

/// "You can try again in 12 min." Empty when the button can be pressed now, or never.
std::string retry_text(const jobs::job& job, time_point now) {
    if (!job.is_retryable || !job.finished_at || !job.retry_after_seconds) return {};
    const auto wait = *job.finished_at + std::chrono::seconds{*job.retry_after_seconds} - now;
    const auto minutes = std::chrono::ceil<std::chrono::minutes>(wait).count();
    if (minutes <= 0) return {};
    if (minutes < 60) return fmt::format("\nYou can try again in {} min.", minutes);
    return fmt::format("\nYou can try again in {} h {} min.", minutes / 60, minutes % 60);
}

std::string at_the_dashboard(std::string_view origin) {
    return origin.empty() ? "in the dashboard" : fmt::format("at {}/account", origin);
}

void append_sums(rich_text& text, std::string_view title, const usage::sums& used) {
    text.push_back(bold(std::string{title}));
    text.push_back(plain(fmt::format(
        ": {} tokens in {} calls, {}",
        grouped(used.total_tokens()),
        grouped(used.calls),
        used.cost_usd ? cost_text(used.cost_usd) : "cost not known")));
    if (used.unpriced_calls > 0 && used.cost_usd) {
        text.push_back(plain(fmt::format(" and {} calls of unknown cost", used.unpriced_calls)));
    }
    text.push_back(plain("\n"));
}

}  // namespace

rich_text help(chats::chat_kind kind, std::string_view username) {
    rich_text text{
        plain("Send me the link of a reel, or a video, and I tell you what is said, shown and "
              "written in it.\n\n"),
        plain("/list – your latest reels\n"
              "/search words – finds reels by words and by meaning\n"
              "/status number – how far a reel is\n"
              "/usage – tokens and cost\n"
              "/delete number – deletes a reel\n"
              "/unlink – this chat is no longer tied to your account\n"
              "/help – this")};
    if (kind == chats::chat_kind::group && !username.empty()) {
        text.push_back(plain(fmt::format(
            "\n\nIn a group I hear only what is said to me: with @{} in it, or as an answer to me.",
            username)));
    }
    return text;
}

rich_text refusal_of_strangers(std::string_view origin) {
    return {plain(fmt::format(
        "Hello! I work only for people who have an account here. If you have one, make a code {} "
        "and send it to me. If not, ask whoever runs this server.",
        at_the_dashboard(origin)))};
}

rich_text welcome(chats::chat_kind kind, std::string_view username) {
    rich_text text{
        bold("This chat is now tied to your account."),
        plain(
            kind == chats::chat_kind::group ? " Everybody in this group can use it through me.\n\n"
                                            : "\n\n")};
    auto rest = help(kind, username);
    text.insert(text.end(), rest.begin(), rest.end());
    return text;
}

rich_text wrong_code(std::string_view origin) {
    return {plain(fmt::format(
        "This code is not good: it may be used, older than {} minutes, or mistyped. Make a new one "
        "{}.",
        chats::chat_code_life_max.count(),
        at_the_dashboard(origin)))};
}

rich_text too_many_codes() {
    return {plain("Too many wrong codes. Try again in a quarter of an hour.")};
}

rich_text too_many_chats() {
    return {plain(fmt::format(
        "Your account is tied to {} chats already, which is as many as there may be. Untie one in "
        "the dashboard or with /unlink, then send the code again.",
        chats::ties_max))};
}

rich_text untied() {
    return {plain(
        "This chat is no longer tied to your account. Your reels stay. To come back, send a new "
        "code from the dashboard.")};
}

rich_text hint() {
    return {
        plain("Send me the link of a reel, for example "),
        code("https://www.instagram.com/reel/…"),
        plain(", a video, or /help.")};
}

rich_text unknown_command(std::string_view name) {
    return {plain(fmt::format("I do not know /{}. See /help.", short_line(name, 40)))};
}

rich_text refused_link(std::string_view url, std::string_view why) {
    return {code(short_line(url, row_bytes_max)), plain("\n" + std::string{why})};
}

rich_text refused_video(std::string_view why) {
    return {plain(fmt::format("The video was not accepted: {}.", why))};
}

rich_text video_too_large(std::uint64_t bytes_max, bool is_of_telegram, std::string_view origin) {
    constexpr std::uint64_t mebibyte = std::uint64_t{1024} * 1024;
    const auto size = bytes_max % mebibyte == 0 ? fmt::format("{} MB", bytes_max / mebibyte)
                                                : fmt::format("{} bytes", bytes_max);
    if (!is_of_telegram) {
        return {plain(
            fmt::format("This video is too large: the server accepts videos up to {}.", size))};
    }
    return {plain(fmt::format(
        "This video is too large: Telegram lets bots download files up to {}. Upload the video in "
        "the dashboard{}.",
        size,
        origin.empty() ? "" : fmt::format(": {}/", origin)))};
}

rich_text video_download_failed() {
    return {plain("The video could not be downloaded from Telegram. Send it again.")};
}

std::string video_wanted_again() {
    return "The video is not kept. Send it again.";
}

rich_text left_out_links(std::size_t links) {
    return {plain(fmt::format(
        "I take ten links of one message; {} more {} left out. Send {} again.",
        links,
        links == 1 ? "is" : "are",
        links == 1 ? "it" : "them"))};
}

rich_text deleted(job_id job) {
    return {reel(job), plain(" is deleted.")};
}

rich_text no_such_reel(job_id job) {
    return {plain(fmt::format("There is no reel {} of yours.", job.value))};
}

rich_text number_wanted(std::string_view command) {
    return {
        plain("Which reel? Send its number, for example "),
        code(fmt::format("/{} 42", command)),
        plain(". /list shows the numbers.")};
}

rich_text words_wanted() {
    return {plain("What are you looking for? For example "), code("/search quick dinner for two")};
}

rich_text too_fast(int requests_per_minute, int retry_after) {
    return {plain(fmt::format(
        "limit of {} requests per minute reached; try again in {} seconds",
        requests_per_minute,
        retry_after))};
}

rich_text progress(job_id job, jobs::job_status status, std::string_view step) {
    if (status == jobs::job_status::pending)
        return {reel(job), plain(" is waiting for its turn …")};
    return {reel(job), plain(fmt::format(": {} …", step_words(step)))};
}

rich_text failure(const jobs::job& job, time_point now) {
    return {
        reel(job.id),
        plain(fmt::format(" failed.\n{}{}\n\n", job.error, retry_text(job, now))),
        plain(job.url)};
}

rich_text gone(job_id job) {
    return {reel(job), plain(" was deleted before it was done.")};
}

rich_text list(const std::vector<jobs::job>& jobs) {
    if (jobs.empty()) return {plain("No reels yet. Send me the link of one.")};
    rich_text text{bold("Your latest reels")};
    for (const auto& one : jobs) {
        text.push_back(plain("\n\n"));
        text.push_back(bold(std::to_string(one.id.value)));
        text.push_back(plain(fmt::format(" {}", status_words(one.status))));
        if (one.brief) {
            if (!one.brief->author.empty()) text.push_back(plain(" · @" + one.brief->author));
            if (!one.brief->summary.empty()) {
                text.push_back(plain("\n" + short_line(one.brief->summary, row_bytes_max)));
            }
        } else {
            const auto& line = one.error.empty() ? one.url : one.error;
            text.push_back(plain("\n" + short_line(line, row_bytes_max)));
        }
    }
    return text;
}

rich_text search(std::string_view words, const std::vector<found_reel>& found) {
    if (found.empty()) {
        return {plain(fmt::format("Nothing found for “{}”.", short_line(words, row_bytes_max)))};
    }
    rich_text text{bold(fmt::format("Found for “{}”", short_line(words, row_bytes_max)))};
    for (const auto& one : found) {
        text.push_back(plain("\n\n"));
        text.push_back(bold(std::to_string(one.job.value)));
        if (!one.author.empty()) text.push_back(plain(" · @" + one.author));
        if (!one.summary.empty()) {
            text.push_back(plain("\n" + short_line(one.summary, row_bytes_max)));
        }
        if (!one.passage.empty() && one.passage != one.summary) {
            const auto when = one.seconds ? time_text(*one.seconds) + " " : std::string{};
            text.push_back(
                plain("\n" + when + "“" + short_line(one.passage, passage_bytes_max) + "”"));
        }
    }
    return text;
}

rich_text usage(const usage_summary& used) {
    rich_text text;
    append_sums(text, "This month", used.this_month);
    append_sums(text, "In all", used.total);
    if (used.budget.monthly_budget_usd) {
        text.push_back(plain(fmt::format(
            "Budget of a month: {}, of which {} is spent",
            jobs::dollars_text(*used.budget.monthly_budget_usd),
            jobs::dollars_text(used.budget.spent_this_month_usd))));
    }
    return text;
}

std::string cost_text(const std::optional<usage::decimal>& cost_usd) {
    if (!cost_usd) return "not known";
    if (cost_usd->find_first_not_of("0.") == std::string::npos) return "free";
    return jobs::dollars_text(*cost_usd);
}

std::string grouped(std::int64_t number) {
    constexpr std::size_t group = 3;
    auto digits = std::to_string(number);
    const std::size_t sign = number < 0 ? 1 : 0;
    for (auto at = digits.size(); at > sign + group;) {
        at -= group;
        digits.insert(at, ",");
    }
    return digits;
}

std::string time_text(double seconds) {
    const auto whole = static_cast<std::int64_t>(std::floor(std::clamp(seconds, 0.0, 1e6)));
    return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace reelsd::bot::wording
