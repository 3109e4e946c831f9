#pragma once

#include "bot_api.hpp"
#include "rich_text.hpp"
#include "update.hpp"
#include <reelsd/base/ids.hpp>
#include <reelsd/base/result.hpp>
#include <reelsd/bot/bot.hpp>

#include <optional>
#include <stop_token>
#include <string>

namespace reelsd::bot {

/// The submission of a video that was sent to a chat.
struct video_submission {
    account_id account;
    std::string idempotency_key;
    incoming_video file;
    std::optional<std::string> url = {};      ///< Link of its post; valid by parse_link().
    std::optional<std::string> caption = {};  ///< Caption of its post.
};

struct video_outcome {
    std::optional<job_id> job = {};
    rich_text refusal = {};  ///< The answer to the chat, if there is no job.
};

/// Downloads a video from the Bot API into the upload store and submits it. Holds two chunks in
/// memory. Blocks for at most two minutes; `stop` ends the download immediately. Without a job, the
/// file is discarded. Errors: those of the database, cancelled.
[[nodiscard]] result<video_outcome> submit_video(
    bot_dependencies& dependencies, const bot_api& api, const video_submission& video,
    const std::stop_token& stop);

}  // namespace reelsd::bot
