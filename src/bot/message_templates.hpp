#pragma once

#include "rich_text.hpp"
#include <reelsd/base/clock.hpp>
#include <reelsd/base/ids.hpp>
#include <reelsd/base/json.hpp>
#include <reelsd/domain/chats/bot_store.hpp>
#include <reelsd/domain/chats/chat_store.hpp>
#include <reelsd/domain/jobs/job.hpp>
#include <reelsd/domain/questions/question.hpp>
#include <reelsd/domain/usage/usage_store.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The texts of the bot. Pure.
namespace reelsd::bot::templates {

// Texts without formatting or values.

inline constexpr const char* too_many_codes = "Too many wrong codes. Try again in 15 minutes.";
inline constexpr const char* unlinked =
    "This chat is no longer linked to your account. Your reels are kept. To link it again, "
    "send a new code from the dashboard.";
inline constexpr const char* video_download_failed =
    "The video could not be downloaded from Telegram. Send it again.";
inline constexpr const char* video_space_missing =
    "The server has no space for the video. Send it again later.";
inline constexpr const char* video_required_again = "The video is not kept. Send it again.";
inline constexpr const char* pictures_unavailable = "The pictures of this reel are not available.";
inline constexpr const char* interrupted_question =
    "The server stopped before it could answer your question. Ask it again.";

/// Lists the commands.
[[nodiscard]] rich_text help(chats::chat_kind kind, std::string_view username);

/// Tells an unlinked chat how to link it. `origin` is the address of the dashboard.
[[nodiscard]] rich_text link_required(std::string_view origin);
[[nodiscard]] rich_text welcome(chats::chat_kind kind, std::string_view username);
[[nodiscard]] rich_text wrong_code(std::string_view origin);
[[nodiscard]] rich_text too_many_chats();

/// The answer to a message without a command.
[[nodiscard]] rich_text hint();
[[nodiscard]] rich_text unknown_command(std::string_view name);

/// `why` is the API's error text.
[[nodiscard]] rich_text refused_link(std::string_view url, std::string_view why);
[[nodiscard]] rich_text refused_video(std::string_view why);
/// `is_of_telegram`: the limit is Telegram's, and the dashboard accepts larger files.
[[nodiscard]] rich_text video_too_large(
    std::uint64_t bytes_max, bool is_of_telegram, std::string_view origin);
/// The answer to *JSON* or *Pictures* if Telegram rejects the files; `why` is its description.
[[nodiscard]] rich_text rejected_file(std::string_view why);
[[nodiscard]] rich_text left_out_links(std::size_t links);
[[nodiscard]] rich_text deleted(job_id job);
[[nodiscard]] rich_text no_such_reel(job_id job);
[[nodiscard]] rich_text number_required(std::string_view command);
[[nodiscard]] rich_text words_required();
[[nodiscard]] rich_text words_too_long(std::size_t characters_max);
[[nodiscard]] rich_text question_required();
[[nodiscard]] rich_text question_too_long();
/// The answer with its citations, or that there is none: an answer without a citation is never
/// shown.
[[nodiscard]] rich_text answer(const questions::answer& answered);
[[nodiscard]] rich_text refused_question(const questions::refusal& refusal);
[[nodiscard]] rich_text too_fast(int requests_per_minute, int retry_after);

/// A job that has not ended: `step` as in the job's row.
[[nodiscard]] rich_text progress(job_id job, jobs::job_status status, std::string_view step);
/// The job's error, and the time from `now` until it may be submitted again.
[[nodiscard]] rich_text failure(const jobs::job& job, time_point now);
[[nodiscard]] rich_text gone(job_id job);

/// Jobs newest first, with `brief`.
[[nodiscard]] rich_text list(const std::vector<jobs::job>& jobs);

/// A hit of a search with its matching passage.
struct found_reel {
    job_id job;
    std::string author;
    std::string summary;
    std::string passage;
    std::optional<double> seconds;
};
[[nodiscard]] rich_text search(std::string_view words, const std::vector<found_reel>& hits);

struct usage_summary {
    usage::sums total;
    usage::sums this_month;
    usage::budget_report budget;
};
[[nodiscard]] rich_text usage(const usage_summary& used);

/// A finished reel: author, summary, key moments, transcript, text on screen and cost. `result` has
/// the five sections as JSON text; missing fields are omitted.
[[nodiscard]] rich_text finished_reel(
    job_id job, std::string_view result, const usage::reel_report& used);

[[nodiscard]] rich_text key_moment(const json& moment);

/// "free", "$0.0123" or "unknown".
[[nodiscard]] std::string cost_text(const std::optional<usage::decimal>& cost_usd);
/// "1:05".
[[nodiscard]] std::string time_text(double seconds);

}  // namespace reelsd::bot::templates
