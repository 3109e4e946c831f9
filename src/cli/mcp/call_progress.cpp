#include "call_progress.hpp"

#include "message.hpp"

#include <fmt/format.h>

#include <chrono>

namespace reelsd::cli::mcp {

call_progress::call_progress(json token, revision spoken)
    : token_(std::move(token)), spoken_{spoken} {}  // Braces would make a list of it.

std::optional<json> call_progress::message_about(const job_progress& now) {
    if (has_ended(now)) return std::nullopt;
    const auto milliseconds =
        std::chrono::duration_cast<std::chrono::milliseconds>(monotonic_clock::now() - since_)
            .count();
    if (milliseconds <= told_milliseconds_) return std::nullopt;
    told_milliseconds_ = milliseconds;
    json params{{"progressToken", token_}, {"progress", static_cast<double>(milliseconds) / 1000}};
    if (spoken_ >= revision::of_2025_03_26) {
        params["message"] = fmt::format("{}, {} s", progress_text(now), milliseconds / 1000);
    }
    return notification("notifications/progress", std::move(params));
}

}  // namespace reelsd::cli::mcp
