#pragma once

#include "bot_api.hpp"
#include "rich_text.hpp"
#include "update.hpp"
#include <reelsd/base/ids.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/bot/bot.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

namespace reelsd::bot {

/// Largest file that the Bot API lets a bot download: 20 MB.
inline constexpr std::uint64_t download_bytes_max = std::uint64_t{20} * 1024 * 1024;

/// A video of a chat, as a submission.
struct video_submission {
    account_id account;
    std::string idempotency_key;
    incoming_video file;
    std::optional<std::string> url = {};      ///< The link of its post; valid by parse_link().
    std::optional<std::string> caption = {};  ///< Of its post.
};

struct video_outcome {
    std::optional<job_id> job = {};
    rich_text refusal = {};  ///< Answer to the chat, when there is no job.
};

struct stored_file;

/// Downloads a video from the Bot API into the upload store and submits it. Holds two chunks of it
/// in memory. Blocking, for at most two minutes: on the bot's own thread.
class video_upload {
public:
    /// `parts` and `api` outlive it. `stop` ends a download at once.
    video_upload(bot_dependencies& parts, const bot_api& api, std::stop_token stop)
        : parts_{parts}, api_{api}, stop_{std::move(stop)} {}

    /// Errors: those of the database, cancelled. Without a job, nothing of the file is kept.
    [[nodiscard]] result<video_outcome> submit(const video_submission& wanted);

private:
    [[nodiscard]] result<video_outcome> receive_and_submit(
        const video_submission& wanted, const std::shared_ptr<stored_file>& file);
    /// Nothing when the whole file is in the store; else why it is not.
    [[nodiscard]] result<std::optional<rich_text>> download(
        const video_submission& wanted, const std::shared_ptr<stored_file>& file);
    [[nodiscard]] std::uint64_t bytes_max() const;
    [[nodiscard]] rich_text too_large() const;

    bot_dependencies& parts_;
    const bot_api& api_;
    std::stop_token stop_;
};

}  // namespace reelsd::bot
