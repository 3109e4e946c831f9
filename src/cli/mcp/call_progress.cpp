#include "call_progress.hpp"

#include "message.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace reelsd::cli::mcp {

call_progress::call_progress(json token, revision spoken)
    : token_(std::move(token)), spoken_{spoken} {}  // Braces would make a list of it.

std::optional<json> call_progress::message_about(const job_progress& now) {
    if (has_ended(now)) return std::nullopt;
    const auto milliseconds =
        std::chrono::duration_cast<std::chrono::milliseconds>(monotonic_clock::now() - since_)
            .count();
    auto text = fmt::format("{}, {} s", progress_text(now), milliseconds / 1000);
    if (milliseconds <= last_milliseconds_ || text == last_text_) return std::nullopt;
    last_milliseconds_ = milliseconds;
    last_text_ = text;
    json params{{"progressToken", token_}, {"progress", static_cast<double>(milliseconds) / 1000}};
    if (spoken_ >= revision::of_2025_03_26) {
        params["message"] = std::move(text);
    }
    return notification("notifications/progress", std::move(params));
}

}  // namespace reelsd::cli::mcp
