#pragma once

#include <reelsd/base/json.hpp>

#include <chrono>
#include <cstddef>
#include <string_view>

/// What a model reads about the tools: descriptions, and schemas of arguments and results. Pure.
namespace reelsd::cli::mcp {

/// Default wait for a reel. An analysis takes some 30 s. Many clients abandon a request after 60 s,
/// and the model then never receives the reel's id.
inline constexpr std::chrono::seconds wait_default_of_calls{50};

/// Upper bound on the frames of one answer. A frame has some 30 KB, and costs a model some hundred
/// tokens.
inline constexpr std::size_t frames_max = 10;

extern const std::string_view analyze_description;
extern const std::string_view get_description;
extern const std::string_view search_description;
extern const std::string_view ask_description;
extern const std::string_view list_description;
extern const std::string_view usage_description;

[[nodiscard]] json analyze_arguments_schema();
[[nodiscard]] json get_arguments_schema();
[[nodiscard]] json search_arguments_schema();
[[nodiscard]] json ask_arguments_schema();
[[nodiscard]] json list_arguments_schema();
[[nodiscard]] json usage_arguments_schema();

[[nodiscard]] json job_schema();
[[nodiscard]] json hits_schema();
[[nodiscard]] json answer_schema();
[[nodiscard]] json reels_schema();
[[nodiscard]] json usage_schema();

}  // namespace reelsd::cli::mcp
