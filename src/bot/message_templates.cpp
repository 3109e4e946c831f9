#include "message_templates.hpp"

#include <reelsd/base/foreign_json.hpp>
#include <reelsd/base/text.hpp>
#include <reelsd/base/utf8.hpp>
#include <reelsd/domain/jobs/submission_batcher.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>

namespace reelsd::bot::templates {
namespace {

std::string short_line(std::string_view text, std::size_t bytes_max) {
    std::string line{utf8_prefix(text, bytes_max)};
    std::replace(line.begin(), line.end(), '\n', ' ');
    return text.size() > bytes_max ? line.append("…") : line;
}

constexpr std::size_t row_bytes_max = 160;
constexpr std::size_t passage_bytes_max = 240;

/// The same words as in the dashboard.
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

/// "You can try again in 12 min." Empty if no wait is needed or retrying does not help.
std::string retry_text(const jobs::job& job, time_point now) {
    if (!job.is_retryable || !job.finished_at || !job.retry_after_seconds) return {};
    const auto wait = *job.finished_at + std::chrono::seconds{*job.retry_after_seconds} - now;
    const auto minutes = std::chrono::ceil<std::chrono::minutes>(wait).count();
    if (minutes <= 0) return {};
    if (minutes < 60) return fmt::format("\nYou can try again in {} min.", minutes);
    return fmt::format("\nYou can try again in {} h {} min.", minutes / 60, minutes % 60);
}

std::string dashboard_place(std::string_view origin) {
    return origin.empty() ? "in the dashboard" : fmt::format("at {}/account", origin);
}

/// " and 2 calls of unknown cost"; empty without such calls.
std::string unpriced_text(std::int64_t calls) {
    if (calls == 0) return {};
    return fmt::format(" and {} {} of unknown cost", calls, calls == 1 ? "call" : "calls");
}

void append_sums(rich_text& text, std::string_view title, const usage::sums& used) {
    text.push_back(bold(std::string{title}));
    text.push_back(plain(fmt::format(
        ": {} tokens in {} calls, {}",
        grouped(used.total_tokens()),
        grouped(used.calls),
        used.cost_usd ? cost_text(used.cost_usd) : "cost unknown")));
    if (used.cost_usd) text.push_back(plain(unpriced_text(used.unpriced_calls)));
    text.push_back(plain("\n"));
}

constexpr std::size_t moments_max = 20;

std::string text_at(const json& document, const char* section, const char* field) {
    return text_of(member(document, section), field).value_or("");
}

void append_head(rich_text& text, job_id job, const json& result) {
    const auto author = text_at(result, "platform_meta", "author");
    const auto name = text_at(result, "platform_meta", "author_name");
    const auto url = text_at(result, "platform_meta", "url");
    text.push_back(bold(author.empty() ? "Unknown author" : "@" + author));
    if (!name.empty() && name != author) text.push_back(plain(" (" + name + ")"));
    text.push_back(plain(" · "));
    text.push_back(link(fmt::format("reel {}", job.value), url));
    text.push_back(plain("\n"));
}

std::string line_of_moment(const json& moment) {
    return fmt::format(
        "{}  {}",
        text_of(moment, "timestamp").value_or(""),
        text_of(moment, "description").value_or(""));
}

void append_moments(rich_text& text, const json& moments) {
    if (!moments.is_array() || moments.empty()) return;
    text.push_back(bold("\n\nKey moments"));
    std::string lines;
    std::size_t count = 0;
    for (const auto& moment : moments) {
        if (!moment.is_object() || ++count > moments_max) continue;
        lines.append("\n").append(line_of_moment(moment));
    }
    text.push_back(plain(std::move(lines)));
}

void append_folded(rich_text& text, const char* heading, std::string content) {
    if (content.find_first_not_of(" \n") == std::string::npos) return;
    text.push_back(bold(fmt::format("\n\n{}\n", heading)));
    text.push_back(folded(std::move(content)));
}

/// "Reel 42, 1:05" with a link to the post, and the passage.
void append_citation(rich_text& text, const questions::citation& citation) {
    auto place = fmt::format("Reel {}", citation.id.value);
    if (citation.seconds) place += ", " + time_text(*citation.seconds);
    const bool has_post = !citation.code.empty() && !citation.code.starts_with("upload-");
    const auto address =
        has_post ? fmt::format("https://www.instagram.com/reel/{}/", percent_encoded(citation.code))
                 : std::string{};
    text.push_back(plain("\n\n"));
    text.push_back(link(std::move(place), address));
    text.push_back(plain("\n“" + short_line(citation.text, passage_bytes_max) + "”"));
}

std::string lines_of(const json& texts) {
    std::string lines;
    if (!texts.is_array()) return lines;
    for (const auto& element : texts) {
        if (!element.is_string()) continue;
        if (!lines.empty()) lines.push_back('\n');
        lines.append(element.get_ref<const std::string&>());
    }
    return lines;
}

}  // namespace

rich_text help(chats::chat_kind kind, std::string_view username) {
    rich_text text{
        plain("Send me a link to a reel, or a video. I reply with what is said, shown and written "
              "in it.\n\n"),
        plain("/list – show your latest reels\n"
              "/search words – find reels by words and by meaning\n"
              "/ask question – answer from your reels; as a reply to a reel, from that reel\n"
              "/status number – show the progress of a reel\n"
              "/usage – show tokens and cost\n"
              "/delete number – delete a reel\n"
              "/unlink – unlink this chat from your account\n"
              "/help – show this help")};
    if (kind == chats::chat_kind::group && !username.empty()) {
        text.push_back(plain(fmt::format(
            "\n\nIn a group, I read only messages that mention @{}, and replies to my messages.",
            username)));
    }
    return text;
}

rich_text link_required(std::string_view origin) {
    return {plain(fmt::format(
        "I answer only users with an account on this server. If you have one, create a code {} and "
        "send it to me. Otherwise, ask the administrator of this server.",
        dashboard_place(origin)))};
}

rich_text welcome(chats::chat_kind kind, std::string_view username) {
    rich_text text{
        bold("This chat is now linked to your account."),
        plain(
            kind == chats::chat_kind::group ? " All members of this group can use it.\n\n"
                                            : "\n\n")};
    auto rest = help(kind, username);
    text.insert(text.end(), rest.begin(), rest.end());
    return text;
}

rich_text wrong_code(std::string_view origin) {
    return {plain(fmt::format(
        "This code is not valid. It may be used, older than {} minutes, or mistyped. Create a new "
        "code {}.",
        chats::chat_code_life_max.count(),
        dashboard_place(origin)))};
}

rich_text too_many_chats() {
    return {plain(fmt::format(
        "Your account has {} linked chats, which is the limit. Unlink one in the dashboard or with "
        "/unlink, then send the code again.",
        chats::linked_chats_max))};
}

rich_text hint() {
    return {
        plain("Send me a link to a reel, for example "),
        code("https://www.instagram.com/reel/…"),
        plain(", a video, or /help.")};
}

rich_text unknown_command(std::string_view name) {
    return {plain(fmt::format("Unknown command: /{}. See /help.", short_line(name, 40)))};
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

rich_text left_out_links(std::size_t links) {
    return {plain(fmt::format(
        "A message can have ten links. {} more {} ignored. Send {} again.",
        links,
        links == 1 ? "was" : "were",
        links == 1 ? "it" : "them"))};
}

rich_text deleted(job_id job) {
    return {reel(job), plain(" is deleted.")};
}

rich_text rejected_file(std::string_view why) {
    return {plain(fmt::format("Telegram did not accept the file: {}.", why))};
}

rich_text no_such_reel(job_id job) {
    return {plain(fmt::format("You have no reel {}.", job.value))};
}

rich_text number_required(std::string_view command) {
    return {
        plain("Which reel? Send its number, for example "),
        code(fmt::format("/{} 42", command)),
        plain(". /list shows the numbers.")};
}

rich_text words_required() {
    return {plain("Send words to search for, for example "), code("/search quick dinner for two")};
}

rich_text words_too_long(std::size_t characters_max) {
    return {plain(fmt::format("A search can have {} characters.", characters_max))};
}

rich_text question_required() {
    return {
        plain("Send a question about your reels, for example "),
        code("/ask how much flour does the recipe need?"),
        plain(". As a reply to a reel, it asks that reel.")};
}

rich_text question_too_long() {
    return {plain(
        fmt::format("A question can have {} characters.", questions::question_characters_max))};
}

rich_text answer(const questions::answer& answered) {
    rich_text text;
    text.push_back(plain(answered.text));
    for (const auto& citation : answered.citations) append_citation(text, citation);
    text.push_back(plain("\n\nCost: " + cost_text(answered.cost_usd)));
    return text;
}

rich_text refused_question(const questions::refusal& refusal) {
    auto line = fmt::format("The question was not answered: {}.", refusal.text);
    if (refusal.why == questions::refusal::reason::budget_spent) {
        line += " Wait for the next month (UTC), or ask an administrator for a higher budget.";
    } else if (refusal.retry_after > 0) {
        line += fmt::format(" Try again in {} seconds.", refusal.retry_after);
    }
    return {plain(std::move(line))};
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
    if (jobs.empty()) return {plain("No reels yet. Send me a link to one.")};
    rich_text text{bold("Your latest reels")};
    for (const auto& job : jobs) {
        text.push_back(plain("\n\n"));
        text.push_back(bold(std::to_string(job.id.value)));
        text.push_back(plain(fmt::format(" {}", status_words(job.status))));
        if (job.brief) {
            if (!job.brief->author.empty()) text.push_back(plain(" · @" + job.brief->author));
            if (!job.brief->summary.empty()) {
                text.push_back(plain("\n" + short_line(job.brief->summary, row_bytes_max)));
            }
        } else {
            const auto& line = job.error.empty() ? job.url : job.error;
            text.push_back(plain("\n" + short_line(line, row_bytes_max)));
        }
    }
    return text;
}

rich_text search(std::string_view words, const std::vector<found_reel>& hits) {
    if (hits.empty()) {
        return {plain(fmt::format("Nothing found for “{}”.", short_line(words, row_bytes_max)))};
    }
    rich_text text{bold(fmt::format("Found for “{}”", short_line(words, row_bytes_max)))};
    for (const auto& hit : hits) {
        text.push_back(plain("\n\n"));
        text.push_back(bold(std::to_string(hit.job.value)));
        if (!hit.author.empty()) text.push_back(plain(" · @" + hit.author));
        if (!hit.summary.empty()) {
            text.push_back(plain("\n" + short_line(hit.summary, row_bytes_max)));
        }
        if (!hit.passage.empty() && hit.passage != hit.summary) {
            const auto when = hit.seconds ? time_text(*hit.seconds) + " " : std::string{};
            text.push_back(
                plain("\n" + when + "“" + short_line(hit.passage, passage_bytes_max) + "”"));
        }
    }
    return text;
}

rich_text usage(const usage_summary& used) {
    rich_text text;
    append_sums(text, "This month", used.this_month);
    append_sums(text, "Total", used.total);
    if (used.budget.monthly_budget_usd) {
        text.push_back(plain(fmt::format(
            "Monthly budget: {}, of which {} is spent",
            jobs::dollars_text(*used.budget.monthly_budget_usd),
            jobs::dollars_text(used.budget.spent_this_month_usd))));
    }
    return text;
}

std::string cost_text(const std::optional<usage::decimal>& cost_usd) {
    if (!cost_usd) return "unknown";
    if (cost_usd->find_first_not_of("0.") == std::string::npos) return "free";
    return jobs::dollars_text(*cost_usd);
}

std::string time_text(double seconds) {
    const auto whole = static_cast<std::int64_t>(std::floor(std::clamp(seconds, 0.0, 1e6)));
    return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

rich_text finished_reel(job_id job, std::string_view result, const usage::reel_report& used) {
    const auto document = parse_foreign_json(result);
    rich_text text;
    append_head(text, job, document);
    auto summary = text_at(document, "content", "summary");
    if (summary.empty()) summary = text_at(document, "visual", "description");
    text.push_back(plain(summary.empty() ? "No summary is available." : std::move(summary)));
    append_moments(text, member(member(document, "content"), "key_moments"));
    append_folded(text, "Transcript", text_at(document, "audio", "transcript"));
    append_folded(
        text, "On screen", lines_of(member(member(document, "visual"), "text_on_screen")));
    text.push_back(plain("\n\nCost: " + cost_text(used.cost_usd)));
    if (used.cost_usd) text.push_back(plain(unpriced_text(used.unpriced_calls)));
    return text;
}

rich_text key_moment(const json& moment) {
    return {plain(line_of_moment(moment))};
}

}  // namespace reelsd::bot::templates
