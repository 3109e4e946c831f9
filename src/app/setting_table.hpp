#pragma once

#include "settings.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// Every setting, once: the command line, the environment variables, the configuration file,
/// `reelsd --help` and the pages that scripts/setting-pages writes are derived from this table.
namespace reelsd::app {

enum class value_type : std::uint8_t { text, number, flag };

/// Both ends are accepted.
struct value_range {
    double least;
    double most;
};

/// Decodes the text of a value, and says what it may be.
struct value_reader {
    std::string_view accepted;  ///< "a whole number"; a range follows where there is one.
    value_type type;            ///< Texts are quoted in the configuration file.
    std::optional<value_range> range;
    /// Stores the decoded text in `target`; false, and no change, when it is not accepted.
    bool (*read)(std::string_view text, const value_reader& by, settings& target);
};

/// Whether a value is kept out of messages, logs and the process list, and can be read from a file
/// that an environment variable names.
enum class exposure : std::uint8_t { open, secret };

struct setting_definition {
    std::string_view name;           ///< `data-dir`: flag and file key; REELSD_DATA_DIR.
    std::string_view default_value;  ///< As an operator types it; empty: not set.
    value_reader value;
    std::string_view help;  ///< One or two sentences.
    exposure shown = exposure::open;
    std::string_view other_variable = {};  ///< Read after our own: "GEMINI_API_KEY".
};

struct setting_group {
    std::string_view title;
    std::span<const setting_definition> settings;
};

/// In the order of the help text and the documents.
[[nodiscard]] std::span<const setting_group> setting_groups();

/// Null when no setting has this name.
[[nodiscard]] const setting_definition* find_setting(std::string_view name);

/// "a whole number from 0 to 256".
[[nodiscard]] std::string accepted_values(const value_reader& value);

/// The environment variable of a setting: "REELSD_DATA_DIR".
[[nodiscard]] std::string environment_name(std::string_view setting_name);

/// Decodes one value. Errors: invalid_argument, which names the setting, the value unless it is a
/// secret, and what is allowed.
[[nodiscard]] result<void> apply(
    const setting_definition& definition, std::string_view text, settings& target);

}  // namespace reelsd::app
