#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): its own name
class App;
class Option;
}  // namespace CLI

/// Options that several commands have, or that need more than one call of CLI11's.
namespace reelsd::cli {

inline constexpr std::int64_t job_id_max = std::numeric_limits<std::int64_t>::max();

/// `--json`: print what the API says, as JSON.
void add_json_flag(CLI::App& app, bool& as_json);

/// `--wait` and `--timeout` (1 s to a week).
void add_wait_options(CLI::App& app, bool& wait, std::int64_t& timeout_seconds);

/// Lets an option take one of `choices` alone. Help and completions read them off its type name.
void restrict_to(CLI::Option& option, std::span<const char* const> choices);

/// Lets an option take whole numbers from `min` to `max`.
void restrict_to(CLI::Option& option, std::int64_t min, std::int64_t max);

/// Lets an option take a day as YYYY-MM-DD.
void restrict_to_dates(CLI::Option& option);

}  // namespace reelsd::cli
