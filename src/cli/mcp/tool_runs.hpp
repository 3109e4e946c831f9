#pragma once

#include "tools.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace reelsd::cli::mcp {

/// How long a call waits for a reel unless it says so. An analysis takes some 30 s; many clients
/// give up on a request after 60 s, and a model whose call was given up never learns the reel's id.
inline constexpr std::chrono::seconds wait_default_of_calls{50};
/// As long as a job may take at all in one attempt (bounds::job_time_max).
inline constexpr std::chrono::seconds wait_max_of_calls{600};

/// The contract's.
inline constexpr std::size_t query_characters_max = 500;
inline constexpr std::int64_t hits_of_call_max = 50;
inline constexpr std::int64_t reels_of_call_max = 100;
inline constexpr std::array<std::string_view, 4> job_statuses{
    "pending", "processing", "done", "error"};

[[nodiscard]] tool_result analyze_reel(const json& arguments, const tool_context& context);
[[nodiscard]] tool_result get_reel(const json& arguments, const tool_context& context);
[[nodiscard]] tool_result search_reels(const json& arguments, const tool_context& context);
[[nodiscard]] tool_result list_reels(const json& arguments, const tool_context& context);
[[nodiscard]] tool_result usage(const json& arguments, const tool_context& context);

}  // namespace reelsd::cli::mcp
