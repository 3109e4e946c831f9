#pragma once

#include "settings.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// The table of all settings. The command line, the environment variables, the configuration file,
/// `reelsd --help` and the pages that scripts/setting-pages writes are derived from it.
namespace reelsd::app {

enum class value_type : std::uint8_t { text, number, flag };

/// Inclusive.
struct value_range {
    double least;
    double most;
};

/// Decodes the text of a value, and describes the accepted texts.
struct value_reader {
    std::string_view accepted;  ///< "a whole number", without the range.
    value_type type;            ///< In the configuration file, texts are quoted.
    std::optional<value_range> range;
    /// Stores the value in `target`. False, and no change, if the text is not accepted.
    bool (*read)(std::string_view text, const value_reader& by, settings& target);
};

/// A secret is not shown in messages, logs and the process list, and can be read from a file whose
/// path is in an environment variable.
enum class exposure : std::uint8_t { open, secret };

struct setting_definition {
    std::string_view name;           ///< `data-dir`: flag and file key; REELSD_DATA_DIR.
    std::string_view default_value;  ///< As text; empty: not set.
    value_reader value;
    std::string_view help;  ///< One or two sentences.
    exposure shown = exposure::open;
    std::string_view other_variable = {};  ///< Used if the first is not set: "GEMINI_API_KEY".
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
/// secret, and the allowed values.
[[nodiscard]] result<void> apply(
    const setting_definition& definition, std::string_view text, settings& target);

}  // namespace reelsd::app
